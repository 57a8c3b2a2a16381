//! Snapshots of behaviour across combinations of strategies.
//!
//! A *star* is a scenario's default combination, and that with one slot changed at a time: one
//! small readable text each. A *matrix* is every combination at few agents and steps, one line
//! each; a refused combination is a line with its reason. Invariants are asserted before any
//! text exists, so that nobody can approve a broken run. Exact bits are the digest's business.

use std::{
    fmt::Write as _,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use throng_core::Slot;

use crate::{
    Simulation, SimulationError,
    load::{LoadOptions, load},
};

/// What is run and how it differs from the scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the case: "default", "avoidance=none".
    pub name: String,
    /// Changes as `key=value`.
    pub sets: Vec<String>,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It ran.
    Ran(Box<Figures>),
    /// The combination was refused, with the reason.
    Refused(String),
    /// It broke an invariant or failed: never to be accepted.
    Broken(String),
}

/// What a run showed, rounded for reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Every slot with its strategy.
    pub strategies: String,
    /// Seed and steps.
    pub seed: u64,
    /// Steps done.
    pub steps: u64,
    /// Counts.
    pub spawned: u64,
    /// Still walking.
    pub walking: u64,
    /// Left at their goal.
    pub arrived: u64,
    /// Arrivals at goals, journeys and returns included.
    pub arrivals: u64,
    /// Removed otherwise.
    pub removed: u64,
    /// Without a way.
    pub unreachable: u64,
    /// Mean travel time of arrivals, seconds.
    pub travel_time: f64,
    /// Mean speed, metres per second.
    pub speed: f64,
    /// Least gap between two bodies at the samples, metres; negative if they overlap.
    pub least_gap: f64,
    /// Overlapping pairs at the samples, mean.
    pub overlaps: f64,
    /// Share of looks that found somebody stalled.
    pub stalled: f64,
    /// Some positions: time, id, place.
    pub positions: Vec<(f64, u64, [f64; 3])>,
    /// The digest.
    pub digest: u64,
}

impl Figures {
    /// The text of a star snapshot, without the digest.
    pub fn text(&self) -> String {
        let mut t = String::new();
        let _ = writeln!(t, "{}", self.strategies);
        let _ = writeln!(t, "seed {}, {} steps", self.seed, self.steps);
        let _ = writeln!(
            t,
            "spawned {}, walking {}, arrived {}, arrivals {}, removed {}, unreachable {}",
            self.spawned, self.walking, self.arrived, self.arrivals, self.removed, self.unreachable
        );
        let _ = writeln!(t, "mean travel time {:.1} s", self.travel_time);
        let _ = writeln!(t, "mean speed {:.3} m/s", self.speed);
        let _ = writeln!(
            t,
            "least gap {:.3} m, overlapping pairs {:.1}",
            self.least_gap, self.overlaps
        );
        let _ = writeln!(t, "stalled {:.1} %", self.stalled * 100.0);
        for (time, id, [x, y, z]) in &self.positions {
            let _ = writeln!(t, "at {time:.1} s agent {id}: {x:.3} {y:.3} {z:.3}");
        }
        t
    }

    /// The line of a matrix.
    pub fn line(&self) -> String {
        format!(
            "arrivals {:3}  speed {:.2}  gap {:+.2}  overlaps {:4.1}  stalled {:3.0} %",
            self.arrivals,
            self.speed,
            self.least_gap,
            self.overlaps,
            self.stalled * 100.0
        )
    }
}

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Steps of a case.
    pub steps: u64,
    /// Threads of a case.
    pub threads: usize,
}

/// The default combination, and that with one slot changed to each other strategy.
pub fn star(path: &Path, slots: &[Slot]) -> Result<Vec<Case>, SimulationError> {
    let loaded = load(path, &LoadOptions::default())?;
    let mut cases = vec![Case {
        name: "default".into(),
        sets: Vec::new(),
    }];
    for &slot in slots {
        let present = chosen(&loaded.scenario, slot);
        for strategy in loaded.registry.of(slot).filter(|s| s.id != present) {
            cases.push(Case {
                name: format!("{}={}", slot.name(), strategy.id),
                sets: vec![format!("{}.kind=\"{}\"", slot.name(), strategy.id)],
            });
        }
    }
    Ok(cases)
}

/// Every combination of the strategies of some slots, sorted.
pub fn matrix(slots: &[Slot]) -> Vec<Case> {
    let registry = crate::registry();
    let mut cases = vec![Case {
        name: String::new(),
        sets: Vec::new(),
    }];
    for &slot in slots {
        let mut ids: Vec<_> = registry.of(slot).map(|s| s.id.clone()).collect();
        ids.sort();
        cases = cases
            .iter()
            .flat_map(|case| {
                ids.iter().map(move |id| Case {
                    name: match case.name.as_str() {
                        "" => id.clone(),
                        name => format!("{name} {id}"),
                    },
                    sets: case
                        .sets
                        .iter()
                        .cloned()
                        .chain([format!("{}.kind=\"{id}\"", slot.name())])
                        .collect(),
                })
            })
            .collect();
    }
    cases
}

/// Runs cases in parallel; outcomes in their order.
pub fn run_all(path: &Path, cases: &[Case], more_sets: &[String], extent: Extent) -> Vec<Outcome> {
    side_by_side(cases, 0, |case| run(path, case, more_sets, extent))
}

/// Does the same with every item on so many threads (0: as many as there are cores); results in
/// the order of the items.
///
/// These are plain threads: a worker of a thread pool that waits for a simulation's own pool
/// would begin further simulations meanwhile, one inside the other, until its stack is full.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match items.get(at) {
                Some(item) => done.push((at, work(item))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(items.len()))
            .map(|_| scope.spawn(take))
            .collect();
        let mut all = take();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Runs one case and checks its invariants.
pub fn run(path: &Path, case: &Case, more_sets: &[String], extent: Extent) -> Outcome {
    let options = LoadOptions {
        sets: more_sets.iter().chain(&case.sets).cloned().collect(),
        ..LoadOptions::default()
    };
    let loaded = match load(path, &options) {
        Ok(loaded) => loaded,
        Err(e) => return Outcome::Refused(first_line(&e.to_string())),
    };
    let mut sim = match Simulation::from_loaded(loaded, extent.threads) {
        Ok(sim) => sim,
        Err(e) => return Outcome::Refused(first_line(&e.to_string())),
    };
    let mut least_gap = f64::INFINITY;
    let mut positions = Vec::new();
    let sample = (extent.steps / 3).max(1);
    for step in 1..=extent.steps {
        if let Err(e) = sim.step() {
            return Outcome::Broken(e.to_string());
        }
        if let Err(broken) = invariants(&sim) {
            return Outcome::Broken(format!("step {step}: {broken}"));
        }
        if step % sample == 0 {
            least_gap = least_gap.min(gap(&sim));
            sample_positions(&sim, &mut positions);
        }
    }
    let m = sim.metrics();
    let strategies = Slot::ALL
        .iter()
        .map(|s| format!("{} {}", s.name(), chosen(sim.scenario(), *s)))
        .collect::<Vec<_>>()
        .join(", ");
    Outcome::Ran(Box::new(Figures {
        strategies,
        seed: sim.scenario().seed,
        steps: sim.steps(),
        spawned: m.spawned,
        walking: sim.agents().len() as u64,
        arrived: m.arrived,
        arrivals: m.arrivals,
        removed: m.removed,
        unreachable: m.unreachable,
        travel_time: sim.travel_times().mean,
        speed: m.mean_speed(),
        least_gap,
        overlaps: m.mean_overlaps(),
        stalled: m.stalled_share(),
        positions,
        digest: sim.digest(),
    }))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The id that a scenario names for a slot.
pub fn chosen(scenario: &throng_engine::Scenario, slot: Slot) -> &str {
    match slot {
        Slot::Nav => &scenario.nav.kind,
        Slot::Planner => &scenario.planner.kind,
        Slot::Cost => &scenario.cost.model.kind,
        Slot::Avoidance => &scenario.avoidance.kind,
        Slot::Lod => &scenario.lod.kind,
        Slot::Group => &scenario.group.kind,
    }
}

/// What must hold after every step of every run.
pub fn invariants(sim: &throng_engine::Simulation) -> Result<(), String> {
    let (m, a, ground) = (sim.metrics(), sim.agents(), sim.ground());
    let there = a.len() as u64;
    if m.spawned != there + m.arrived + m.removed {
        return Err(format!(
            "{} came, but {there} are there, {} arrived and {} were removed",
            m.spawned, m.arrived, m.removed
        ));
    }
    for (what, count) in [
        ("lost by the ground", m.lost),
        ("through a wall", m.wall_crossings),
        ("beyond the largest speed", m.beyond_cap),
        ("not finite", m.not_finite),
    ] {
        if count != 0 {
            return Err(format!("{count} moves {what}"));
        }
    }
    for row in 0..a.len() {
        let (at, v) = (a.location[row], a.velocity[row]);
        if !at.point.is_finite() || !v.is_finite() || !a.preferred[row].is_finite() {
            return Err(format!("agent {} is not finite", a.id[row]));
        }
        if v.length() > a.max_speed[row] * 1.001 {
            return Err(format!("agent {} walks at {} m/s", a.id[row], v.length()));
        }
        let [p, q, r] = ground.corners(at.triangle);
        let normal = (q - p).cross(r - p).normalize_or_zero();
        let size = (q - p).length().max((r - p).length()).max(1.0);
        if (at.point - p).dot(normal).abs() > 1e-3 * size {
            return Err(format!("agent {} is off its triangle", a.id[row]));
        }
    }
    Ok(())
}

fn gap(sim: &throng_engine::Simulation) -> f64 {
    let a = sim.agents();
    let mut least = f32::INFINITY;
    for i in 0..a.len() {
        for j in 0..i {
            let apart = a.location[i].point.distance(a.location[j].point);
            least = least.min(apart - a.radius[i] - a.radius[j]);
        }
    }
    f64::from(least)
}

fn sample_positions(sim: &throng_engine::Simulation, out: &mut Vec<(f64, u64, [f64; 3])>) {
    let a = sim.agents();
    let mut rows: Vec<usize> = (0..a.len()).collect();
    rows.sort_by_key(|&r| a.id[r]);
    let every = (rows.len() / 3).max(1);
    for &row in rows.iter().step_by(every).take(3) {
        let p = sim.world_point(a.location[row]);
        out.push((sim.time(), a.id[row], p.to_array()));
    }
}
