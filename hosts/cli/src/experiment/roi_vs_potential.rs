//! Fields in one region of interest against fields over the whole scene (Figure 6).

use glam::DVec2;
use serde_json::json;
use throng::{Command, Simulation, Spot, core::math};

use super::{
    Column, Experiment, Grid, Study,
    roi::{TIERS, Town, leaving, lines, pace, regions},
};
use crate::{draw::Labels, failure::Failure};

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
    let mut series: [(String, Vec<(f64, f64)>); 3] =
        ["hybrid, still", "hybrid, moving", "fields everywhere"]
            .map(|name| (name.to_owned(), Vec::new()));
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
        let moving = pace(study, &town.scenario(), circle)?;
        town.more = String::new();
        town.planner = "kind = \"potential-field\"\ncell = 3.0\nover = \"everywhere\"".into();
        let whole = pace(study, &town.scenario(), |_| {})?;
        for ((_, points), pace) in series.iter_mut().zip([&still, &moving, &whole]) {
            points.push((sets as f64, pace.steps_per_second));
        }
        table.row([
            json!(sets),
            json!(town.people),
            json!(still.steps_per_second),
            json!(moving.steps_per_second),
            json!(whole.steps_per_second),
            json!(still.steps_per_second / whole.steps_per_second),
        ]);
    }
    study.table(table)?;
    let labels = Labels {
        title: "Fields in one region of interest and over the whole town",
        subtitle: "one region of 15 m, cells of 3 m, 100 people a set",
        x: "sets",
        y: "steps per second",
    };
    study.picture("sets", &lines(labels, &series)?)?;
    continuity(study)
}

/// Moves the region round the middle of the town.
fn circle(simulation: &mut Simulation) {
    let angle = simulation.time() / 20.0 * std::f64::consts::TAU;
    let way = DVec2::new(math::cos(angle), math::sin(angle));
    let at = DVec2::splat(75.0) + way * 25.0;
    simulation.command(Command::SetInterest {
        name: "roi 0".into(),
        at: Spot::Plan(at.x, at.y),
        radius: 15.0,
        level: 0,
    });
}

/// Counts who turns back or is lost where a moving region is left.
fn continuity(study: &mut Study) -> Result<(), Failure> {
    let mut town = Town {
        side: 150.0,
        buildings: 16,
        flows: 6,
        people: 1200,
        cell: 3.0,
        more: String::new(),
        planner: "kind = \"astar\"".into(),
    };
    town.more = format!("{}{TIERS}", regions(&town, 1));
    let seconds = study.size(600.0, 30.0);
    study.progress(&format!("a moving region for {seconds} s"));
    let found = leaving(study, &town.scenario(), seconds, circle)?;
    let mut table = Grid::new(
        "continuity",
        format!("1,200 people, a region of 15 m moving at 8 m/s, {seconds} s"),
        [
            Column::new("watched", ""),
            Column::new("watched for 3 s", ""),
            Column::new("half a metre back", ""),
            Column::new("of them farther from the goal", ""),
            Column::new("lost", ""),
            Column::new("changes of tier", ""),
            Column::new("largest jump", "m/s in a step"),
            Column::new("at walls", ""),
            Column::new("largest jump along the wall", "m/s in a step"),
            Column::new("arrivals", ""),
        ],
    );
    table.row([
        json!("left level 0"),
        json!(found.left.watched),
        json!(found.left.back),
        json!(found.left.away),
        json!(found.lost),
        json!(found.changes),
        json!(found.jump),
        json!(found.at_walls),
        json!(found.jump_at_walls),
        json!(found.arrivals),
    ]);
    let elsewhere = found.elsewhere;
    table.row([
        json!("elsewhere"),
        json!(elsewhere.watched),
        json!(elsewhere.back),
        json!(elsewhere.away),
        json!(null),
        json!(null),
        json!(null),
        json!(null),
        json!(null),
        json!(null),
    ]);
    study.table(table)?;
    study.remark(
        "Half a metre back: after 3 s, on the way of the 1.5 s before, with the same goal; routes \
         bend and people evade each other wherever they are, as those show who were near no \
         region. Who turns back is also farther from its goal, by a metre or more of the shortest \
         walk.",
    );
    Ok(())
}
