//! Lanes in counterflow, by model and over time.

use serde_json::{Value, json};
use throng::Simulation;
use throng::core::random::{Purpose, Stream};

use super::{
    Column, Experiment, Grid, Study,
    trial::{models, picture, simulation},
};
use crate::{draw::Tracks, failure::Failure};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "avoidance-lanes",
    about: "How far two crowds that walk through each other sort themselves into lanes, over time.",
    source: "order parameter of Nowak and Schadschneider, Phys. Rev. E 85, 2012: 0 mixed at \
             random, 1 separate lanes",
    run,
};

const SCENARIO: &str = include_str!("../../../../tests/scenarios/counterflow.toml");
/// Width of the rows that lanes are looked for in, metres.
const ROW: f64 = 0.6;
/// Where it is looked, along the corridor.
const MIDDLE: (f64, f64) = (15.0, 35.0);
const WINDOW: f64 = 20.0;

fn run(study: &mut Study) -> Result<(), Failure> {
    let seconds = study.size(100.0, 60.0);
    let windows = (seconds / WINDOW) as usize;
    let mut table = Grid::new(
        "lanes",
        "Order parameter of lanes in counterflow, by time",
        [
            Column::new("model", ""),
            Column::new("from", "s"),
            Column::new("order", ""),
            Column::new("people in view", ""),
            Column::new("mean speed", "m/s"),
        ],
    );
    for model in models() {
        study.progress(&model);
        let changes = [format!("duration={seconds:.1}")];
        let mut sim = simulation(study, SCENARIO, &model, &changes)?;
        let mut tracks = Tracks::new(&sim, sim.scenario(), &[]);
        let mut sums = vec![(0.0, 0u64, 0u64, 0.0); windows];
        while sim.time() < seconds - 1e-9 && !sim.is_over() {
            sim.step()?;
            tracks.observe(&sim);
            if sim.steps().is_multiple_of(10) {
                let window = ((sim.time() / WINDOW) as usize).min(windows - 1);
                let (order, people, speed) = look(&sim);
                let sum = &mut sums[window];
                if let Some(order) = order {
                    sum.0 += order;
                    sum.1 += 1;
                }
                sum.2 += people;
                sum.3 += speed;
            }
        }
        for (window, (order, looks, people, speed)) in sums.into_iter().enumerate() {
            let mean = |sum: f64, count: u64| {
                if count > 0 {
                    json!(sum / count as f64)
                } else {
                    Value::Null
                }
            };
            table.row([
                json!(model),
                json!(window as f64 * WINDOW),
                mean(order, looks),
                json!(people as f64 / WINDOW),
                mean(speed, people),
            ]);
        }
        let drawn = picture(&sim, &tracks, "counterflow", &model)?;
        study.picture(&format!("lanes-{model}"), &drawn)?;
    }
    study.table(table)?;
    study.remark("0.6 m rows, the middle 20 m of a corridor 6 m wide, 1.5 persons/s each way");
    Ok(())
}

/// The order now (if enough people are in view), how many are, and the sum of their speeds.
fn look(sim: &Simulation) -> (Option<f64>, u64, f64) {
    let agents = sim.agents();
    let mut seen = Vec::new();
    let mut speed = 0.0;
    for row in 0..agents.len() {
        let p = sim.world_point(agents.location[row]);
        if p.x >= MIDDLE.0 && p.x < MIDDLE.1 {
            seen.push(((p.y / ROW) as usize, agents.record[row].source == 0));
            speed += f64::from(agents.velocity[row].length());
        }
    }
    let both = seen.iter().any(|s| s.1) && seen.iter().any(|s| !s.1);
    let order = (both && seen.len() >= 10).then(|| reduced_order(&seen, sim.steps()));
    (order, seen.len() as u64, speed)
}

/// Sum over people of ((n - m) / (n + m))², n and m the two crowds in a person's row, per person.
fn order(seen: &[(usize, bool)]) -> f64 {
    let rows = seen.iter().map(|s| s.0).max().unwrap_or(0) + 1;
    let mut counts = vec![(0.0, 0.0); rows];
    for &(row, right) in seen {
        let count: &mut (f64, f64) = &mut counts[row];
        if right {
            count.0 += 1.0;
        } else {
            count.1 += 1.0;
        }
    }
    let sum: f64 = counts
        .iter()
        .filter(|(n, m)| n + m > 0.0)
        .map(|(n, m)| (n - m) * (n - m) / (n + m))
        .sum();
    sum / seen.len() as f64
}

/// The order beyond that of the same people mixed at random.
fn reduced_order(seen: &[(usize, bool)], step: u64) -> f64 {
    let mut stream = Stream::new(1, 0, Purpose::Strategy, step);
    let mut mixed = seen.to_vec();
    let draws = 50;
    let mut by_chance = 0.0;
    for _ in 0..draws {
        for i in (1..mixed.len()).rev() {
            let j = stream.below(i + 1);
            let other = mixed[j].1;
            mixed[j].1 = mixed[i].1;
            mixed[i].1 = other;
        }
        by_chance += order(&mixed) / f64::from(draws);
    }
    if by_chance >= 1.0 {
        return 0.0;
    }
    (order(seen) - by_chance) / (1.0 - by_chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_lanes_have_order_1_and_mixed_ones_none() {
        let lanes: Vec<_> = (0..40).map(|i| (i % 4, i % 4 < 2)).collect();
        assert_eq!(order(&lanes), 1.0);
        assert!((reduced_order(&lanes, 0) - 1.0).abs() < 1e-12);
        let mixed: Vec<_> = (0..40).map(|i| (i % 4, (i / 4) % 2 == 0)).collect();
        assert!(order(&mixed) < 0.05);
        assert!(reduced_order(&mixed, 0) < 0.05);
    }
}
