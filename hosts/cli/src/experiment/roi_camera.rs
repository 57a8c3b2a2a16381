//! Ten thousand people with regions of interest that follow a camera.

use glam::DVec2;
use serde_json::json;
use throng::{Command, Spot, core::math};

use super::{
    Column, Experiment, Grid, Study,
    roi::{TIERS, Town, pace},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "roi-camera",
    about: "Steps per second of 10,000 people on 12 flows, cells of 4 m, with a region of \
            interest ahead of a camera: standing, turning and driving.",
    source: "Yersin et al. 2008, section 6: 20 frames per second, rendering included",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "camera",
        "12 flows (24 sets), cells of 4 m, a region of 15 m 20 m ahead of the camera",
        [
            Column::new("camera", ""),
            Column::new("people", ""),
            Column::new("people at level 0", ""),
            Column::new("steps", "1/s"),
        ],
    );
    let town = Town {
        side: 300.0,
        buildings: 60,
        flows: 12,
        people: study.size(10_000, 2_000),
        cell: 4.0,
        more: format!(
            "[camera]\nat = [150, 150]\ntoward = [200, 150]\nangle = 60.0\nfar = 120.0\n\
             [[roi]]\ncamera = true\nat = [20, 0]\nradius = 15.0\n{TIERS}"
        ),
        planner: "kind = \"astar\"".into(),
    };
    for (name, turning, driving) in [
        ("standing", 0.0, 0.0),
        ("turning", 0.5, 0.0),
        ("driving", 0.0, 5.0),
    ] {
        study.progress(name);
        let pace = pace(study, &town.scenario(), |simulation| {
            if turning == 0.0 && driving == 0.0 {
                return;
            }
            let angle = simulation.time() * turning;
            let way = DVec2::new(math::cos(angle), math::sin(angle));
            let at = DVec2::splat(150.0) + way * (simulation.time() * driving).min(80.0);
            simulation.command(Command::SetCamera {
                at: Spot::Plan(at.x, at.y),
                toward: Spot::Plan(at.x + 20.0 * way.x, at.y + 20.0 * way.y),
                angle: 60.0,
                far: 120.0,
            });
        })?;
        table.row([
            json!(name),
            json!(town.people),
            json!(pace.inside),
            json!(pace.steps_per_second),
        ]);
    }
    study.table(table)
}
