//! How fast 24 sets of people step with one to five regions of interest (Figure 8).

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    roi::{TIERS, Town, lines, pace, regions},
};
use crate::{draw::Labels, failure::Failure};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "roi-scaling",
    about: "Steps per second of 2,000 to 10,000 people in 24 sets with 1 to 5 regions of interest \
            of 15 m, cells of 3 m, everybody else avoiding; and 200,000 people with 3 regions.",
    source: "Yersin et al. 2008, Figure 8: 10 to 15 frames per second with five regions and \
             10,000 people (2008 hardware, no rendering); the mark here is 200 steps per second \
             on one thread",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "regions",
        "24 sets, regions of 15 m, cells of 3 m, the rest at level 1",
        [
            Column::new("people", ""),
            Column::new("regions", ""),
            Column::new("people at level 0", ""),
            Column::new("steps", "1/s"),
            Column::new("all stages", "ns per agent and step"),
        ],
    );
    let crowds: &[usize] = study.size(&[2_000, 4_000, 6_000, 8_000, 10_000], &[2_000]);
    let mut town = Town {
        side: 300.0,
        buildings: 60,
        flows: 12,
        people: 0,
        cell: 3.0,
        more: String::new(),
        planner: "kind = \"astar\"".into(),
    };
    let counts = study.size(vec![1, 2, 3, 4, 5], vec![1, 5]);
    let mut series: Vec<(String, Vec<(f64, f64)>)> = counts
        .iter()
        .map(|count| (format!("{count} regions"), Vec::new()))
        .collect();
    for &people in crowds {
        for (&count, (_, points)) in counts.iter().zip(&mut series) {
            study.progress(&format!("{people} people, {count} regions"));
            town.people = people;
            town.more = format!("{}{TIERS}", regions(&town, count));
            let pace = pace(study, &town.scenario(), |_| {})?;
            table.row([
                json!(people),
                json!(count),
                json!(pace.inside),
                json!(pace.steps_per_second),
                json!(pace.ns_per_agent),
            ]);
            points.push((people as f64, pace.steps_per_second));
        }
    }
    study.table(table)?;
    let labels = Labels {
        title: "Steps per second with one to five regions of interest",
        subtitle: "24 sets, regions of 15 m, cells of 3 m; the paper: 10 to 15 with five regions and 10,000 people",
        x: "people",
        y: "steps per second",
    };
    study.picture("regions", &lines(labels, &series)?)?;

    let mut beyond = Grid::new(
        "beyond",
        "200,000 people, 24 sets, 3 regions of 15 m; the rest walks straight from gate to gate",
        [
            Column::new("people", ""),
            Column::new("people at level 0", ""),
            Column::new("steps", "1/s"),
            Column::new("all stages", "ns per agent and step"),
            Column::new("level 2, guiding and avoiding", "ns per agent and step"),
            Column::new("level 2, all stages", "ns per agent and step"),
        ],
    );
    let people = study.size(200_000, 10_000);
    study.progress(&format!("{people} people"));
    let mut large = Town {
        side: study.size(1200.0, 300.0),
        buildings: study.size(900, 60),
        people,
        // So many routes are read from a table of 24 rows.
        planner: "kind = \"next-hop\"".into(),
        ..town
    };
    let tiers = TIERS.replace("kind = \"roi\"", "kind = \"roi\"\n    outside = 2");
    large.more = format!("{}{tiers}", regions(&large, 3));
    let pace = pace(study, &large.scenario(), |_| {})?;
    beyond.row([
        json!(people),
        json!(pace.inside),
        json!(pace.steps_per_second),
        json!(pace.ns_per_agent),
        json!(pace.cheapest),
        json!(pace.of_cheapest()),
    ]);
    study.table(beyond)?;
    let mut stages = Grid::new(
        "stages",
        "the same by stage, over all people",
        [
            Column::new("stage", ""),
            Column::new("time", "ns per agent and step"),
        ],
    );
    for (stage, nanos) in &pace.stages {
        stages.row([json!(stage), json!(nanos)]);
    }
    study.table(stages)?;
    study.remark(
        "Somebody of level 2 costs: guiding and avoiding by the clock of its tier, every other \
         stage (commands and sorting, tiers, crowd, plan, groups, advance, cursors and arrivals, \
         metrics) by its share among all people; the fields of level 0 (prepare) are not counted.",
    );
    Ok(())
}
