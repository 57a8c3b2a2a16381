//! Lanes in counterflow, by model and over time.

use glam::DVec2;
use serde_json::{Value, json};
use throng::Simulation;
use throng::measure::lanes::{self, Order};

use super::{
    Column, Experiment, Grid, Study,
    trial::{models, picture, simulation},
};
use crate::{draw::Tracks, failure::Failure};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "avoidance-lanes",
    about: "How far two crowds that walk through each other sort themselves into lanes, over time.",
    source: "order parameter of Rex and Loewen, Phys. Rev. E 75, 2007, used for people by Nowak and \
             Schadschneider, Phys. Rev. E 85, 2012: 0 mixed at random, 1 separate lanes; the model \
             `none`, whose people walk through each other, is the ground line",
    run,
};

const SCENARIO: &str = include_str!("../../../../tests/scenarios/counterflow.toml");
/// Where it is looked, along the corridor, metres.
const MIDDLE: (f64, f64) = (10.0, 40.0);
/// Half the length of a strip in which lanes are looked for, metres: lanes are some metres long.
const HALF_LENGTH: f64 = 4.0;
/// Seconds that are summed up in a row of the table, and after which the crowds have met.
const WINDOW: f64 = 30.0;

fn run(study: &mut Study) -> Result<(), Failure> {
    let windows = study.size(4, 1);
    let seconds = (windows + 1) as f64 * WINDOW;
    let mut table = Grid::new(
        "lanes",
        "Order parameter of lanes in counterflow, by time",
        [
            Column::new("model", ""),
            Column::new("from", "s"),
            Column::new("order", ""),
            Column::new("by chance", ""),
            Column::new("beyond chance", ""),
            Column::new("people in view", ""),
            Column::new("mean speed", "m/s"),
        ],
    );
    for model in models() {
        study.progress(&model);
        let mut changes = vec![format!("duration={seconds:.1}")];
        for source in 0..2 {
            changes.push(format!("source[{source}].stop={seconds:.1}"));
        }
        let mut sim = simulation(study, SCENARIO, &model, &changes)?;
        let mut tracks = Tracks::new(&sim, sim.scenario(), &[]);
        let mut sums = vec![Sum::default(); windows];
        while sim.time() < seconds - 1e-9 && !sim.is_over() {
            sim.step()?;
            tracks.observe(&sim);
            if sim.time() >= WINDOW && sim.steps().is_multiple_of(10) {
                let window = (sim.time() / WINDOW) as usize - 1;
                sums[window.min(windows - 1)].look(&sim);
            }
        }
        for (window, sum) in sums.into_iter().enumerate() {
            let mean = |value: f64, count: u64| match count {
                0 => Value::Null,
                _ => json!(value / count as f64),
            };
            table.row([
                json!(model),
                json!((window + 1) as f64 * WINDOW),
                mean(sum.order, sum.looks),
                mean(sum.by_chance, sum.looks),
                mean(sum.beyond_chance, sum.looks),
                json!(sum.people as f64 / WINDOW),
                mean(sum.speed, sum.people),
            ]);
        }
        let drawn = picture(&sim, &tracks, "counterflow", &model)?;
        study.picture(&format!("lanes-{model}"), &drawn)?;
    }
    study.table(table)?;
    study.remark(
        "strips 0.75 m wide that end 4 m before and behind each person, in the middle 30 m of a \
         corridor 6 m wide, 1.5 persons/s each way, from 30 s on, when the crowds have met; the \
         lanes are some metres long and drift, so strips from end to end mix them",
    );
    Ok(())
}

/// What was seen in a window.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    order: f64,
    by_chance: f64,
    beyond_chance: f64,
    looks: u64,
    people: u64,
    speed: f64,
}

impl Sum {
    /// Adds the order now, if enough people are in view, how many are, and their speeds.
    fn look(&mut self, sim: &Simulation) {
        let agents = sim.agents();
        let (mut at, mut moving) = (Vec::new(), Vec::new());
        for row in 0..agents.len() {
            let p = sim.world_point(agents.location[row]);
            if p.x >= MIDDLE.0 && p.x < MIDDLE.1 {
                at.push(p.truncate());
                // Which way somebody wants to walk: who gives way belongs to its crowd all the same.
                let way = if agents.record[row].source == 0 {
                    1.0
                } else {
                    -1.0
                };
                moving.push(DVec2::new(way, 0.0));
                self.people += 1;
                self.speed += f64::from(agents.velocity[row].length());
            }
        }
        let found = lanes::order_within(&at, &moving, lanes::HALF_WIDTH, HALF_LENGTH);
        if let Some(found @ Order { order, by_chance }) = found
            && at.len() >= 20
        {
            self.order += order;
            self.by_chance += by_chance;
            self.beyond_chance += found.beyond_chance();
            self.looks += 1;
        }
    }
}
