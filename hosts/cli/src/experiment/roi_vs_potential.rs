//! Fields in one region of interest against fields over the whole scene (Figure 6).

use glam::DVec2;
use serde_json::json;
use throng::{Command, Spot, core::math};

use super::{
    Column, Experiment, Grid, Study,
    roi::{TIERS, Town, pace, regions},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "roi-vs-potential",
    about: "Steps per second with fields in one region of interest of 15 m, still and moving, \
            against fields over the whole town, for 2 to 12 sets of 100 people, cells of 3 m.",
    source: "Yersin et al. 2008, Figure 6: the hybrid slows down much less with the number of \
             sets than pure potential fields; a moving region costs about the same",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "sets",
        "Steps per second, one region of 15 m, cells of 3 m, 100 people a set",
        [
            Column::new("sets", ""),
            Column::new("people", ""),
            Column::new("hybrid, still", "1/s"),
            Column::new("hybrid, moving", "1/s"),
            Column::new("fields everywhere", "1/s"),
            Column::new("gain", ""),
        ],
    );
    let sizes: &[usize] = study.size(&[2, 4, 6, 8, 10, 12], &[2, 6]);
    for &sets in sizes {
        study.progress(&format!("{sets} sets"));
        let mut town = Town {
            side: 150.0,
            buildings: 16,
            flows: sets / 2,
            people: sets * 100,
            cell: 3.0,
            more: String::new(),
            planner: "kind = \"astar\"".into(),
        };
        town.more = format!("{}{TIERS}", regions(&town, 1));
        let still = pace(study, &town.scenario(), |_| {})?;
        let moving = pace(study, &town.scenario(), |simulation| {
            let angle = simulation.time() / 20.0 * std::f64::consts::TAU;
            let way = DVec2::new(math::cos(angle), math::sin(angle));
            let at = DVec2::splat(75.0) + way * 25.0;
            simulation.command(Command::SetInterest {
                name: "roi 0".into(),
                at: Spot::Plan(at.x, at.y),
                radius: 15.0,
                level: 0,
            });
        })?;
        town.more = String::new();
        town.planner = "kind = \"potential-field\"\ncell = 3.0\nover = \"everywhere\"".into();
        let whole = pace(study, &town.scenario(), |_| {})?;
        table.row([
            json!(sets),
            json!(town.people),
            json!(still.steps_per_second),
            json!(moving.steps_per_second),
            json!(whole.steps_per_second),
            json!(still.steps_per_second / whole.steps_per_second),
        ]);
    }
    study.table(table)
}
