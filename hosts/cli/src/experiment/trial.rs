//! What the experiments on avoidance share: the models, and one run of a scenario under one.

use throng::Simulation;
use throng::core::Slot;

use super::Study;
use crate::{
    draw::{Caption, Drawn, Tracks, draw_run},
    failure::Failure,
};

/// Every model of avoidance, by id, those of loaded libraries included.
pub fn models() -> Vec<String> {
    let mut ids: Vec<String> = throng::registry()
        .of(Slot::Avoidance)
        .map(|strategy| strategy.id.clone())
        .collect();
    ids.sort();
    ids
}

/// A scenario's text with another model of avoidance and further changes.
pub fn simulation(
    study: &Study,
    scenario: &str,
    model: &str,
    changes: &[String],
) -> Result<Simulation, Failure> {
    let mut builder = Simulation::builder()
        .threads(study.threads)
        .set(format!("avoidance.kind={model}"));
    for change in changes {
        builder = builder.set(change.clone());
    }
    Ok(builder.text(scenario)?)
}

/// Least gap between two bodies now, metres; negative if they overlap.
pub fn least_gap(simulation: &Simulation) -> f64 {
    let agents = simulation.agents();
    let mut order: Vec<usize> = (0..agents.len()).collect();
    let x = |row: usize| agents.location[row].point.x;
    order.sort_by(|&a, &b| x(a).total_cmp(&x(b)));
    let widest = agents.radius.iter().copied().fold(0.0, f32::max);
    let mut least = f32::INFINITY;
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            if x(b) - x(a) > (least + 2.0 * widest).min(3.0) {
                break;
            }
            let apart = agents.location[a].point.distance(agents.location[b].point);
            least = least.min(apart - agents.radius[a] - agents.radius[b]);
        }
    }
    f64::from(least)
}

/// The picture of a run under one model.
pub fn picture(
    simulation: &Simulation,
    tracks: &Tracks,
    title: &str,
    model: &str,
) -> Result<Drawn, Failure> {
    let metrics = simulation.metrics();
    let caption = Caption {
        title: format!("{title}, {model}"),
        subtitle: format!(
            "{:.1} s, {} walking, {} arrived, mean speed {:.2} m/s, stalled {:.1} %",
            simulation.time(),
            simulation.agents().len(),
            metrics.arrived,
            metrics.mean_speed(),
            metrics.stalled_share() * 100.0
        ),
        sources: Vec::new(),
    };
    draw_run(simulation, tracks, &caption, false)
}
