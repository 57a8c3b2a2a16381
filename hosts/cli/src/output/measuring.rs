//! The measures of a run in its named areas and at its named lines.

use serde::Serialize;
use throng::{
    engine::simulation::Simulation as Engine,
    environment::Environment,
    measure::{Monitor, Report, counting_lines, measuring_areas},
};

/// When a share of all who came had left, seconds; none if it never had.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Evacuation {
    pub half_s: Option<f64>,
    pub nine_in_ten_s: Option<f64>,
    pub all_s: Option<f64>,
}

/// What `summary.json` has under `measures`; definitions in `throng::measure`.
#[derive(Clone, Debug, Serialize)]
pub struct Measures {
    #[serde(flatten)]
    pub report: Report,
    pub evacuation: Evacuation,
    pub stalled_share: f64,
    pub route_switches: u64,
    pub deepest_overlap_m: f32,
}

/// Takes the measures while a run runs.
#[derive(Debug)]
pub struct Measuring {
    monitor: Monitor,
    every: u64,
    order: Vec<usize>,
    /// Times at which somebody left, and how many had by then.
    left: Vec<(f64, u64)>,
}

impl Measuring {
    /// Nothing measured yet; `environment` is what the scenario draws and its own together.
    pub fn new(simulation: &Engine, environment: &Environment) -> Measuring {
        let (scenario, ground) = (simulation.scenario(), simulation.ground());
        let every = ((scenario.record.every / scenario.dt).round() as u64).max(1);
        let frame_rate = 1.0 / (every as f64 * scenario.dt);
        let sample = (scenario.metrics.every * frame_rate).round() as u64;
        Measuring {
            monitor: Monitor::new(
                measuring_areas(environment, ground),
                counting_lines(environment, ground),
                frame_rate,
                sample,
                ground.plan,
            ),
            every,
            order: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Takes a frame after a step, if it is time: the frames that trajectories have.
    pub fn observe(&mut self, simulation: &Engine) {
        let step = simulation.steps();
        let gone = simulation.metrics().arrived + simulation.metrics().removed;
        if gone > self.left.last().map_or(0, |l| l.1) {
            self.left.push((simulation.time(), gone));
        }
        if !step.is_multiple_of(self.every) {
            return;
        }
        let (ground, agents) = (simulation.ground(), simulation.agents());
        self.order.clear();
        self.order.extend(0..agents.len());
        self.order.sort_unstable_by_key(|row| agents.id[*row]);
        let mut frame = self.monitor.blank();
        frame.number = step / self.every;
        frame.id.clear();
        frame.at.clear();
        frame.level.clear();
        for &row in &self.order {
            let at = agents.location[row];
            frame.id.push(agents.id[row]);
            frame.at.push(simulation.world_point(at).truncate());
            frame.level.push(ground.floors[at.triangle as usize]);
        }
        self.monitor.observe(ground, frame);
    }

    /// What was measured.
    pub fn finish(self, simulation: &Engine) -> Measures {
        let metrics = simulation.metrics();
        let until = |share: f64| {
            let wanted = ((share * metrics.spawned as f64).ceil() as u64).max(1);
            self.left.iter().find(|l| l.1 >= wanted).map(|l| l.0)
        };
        Measures {
            evacuation: Evacuation {
                half_s: until(0.5),
                nine_in_ten_s: until(0.9),
                all_s: until(1.0),
            },
            report: self.monitor.finish(simulation.ground()),
            stalled_share: metrics.stalled_share(),
            route_switches: metrics.route_switches,
            deepest_overlap_m: metrics.overlap_deepest,
        }
    }
}
