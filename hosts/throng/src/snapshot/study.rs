//! A scenario made ready: loaded once, its ground and maps built once, every combination run
//! over them.

use std::{
    fmt::Write as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde::{Deserialize, Serialize};
use throng_core::Slot;
use throng_engine::{
    Scenario, Shared, Simulation,
    agents::Doing,
    scenario::{EnvironmentSource, SnapshotSpec, ToleranceSpec},
};

use super::{
    cases::{Axes, Case, chosen},
    figures::{COUNT, Figures, Sighting, Values},
    parallel::side_by_side,
    store::hash_bytes,
    track::Track,
};
use crate::{
    SimulationError,
    load::{LoadOptions, Loaded, load},
};

/// Grounds of further seeds that are kept at a time.
const GROUNDS: usize = 16;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Ran(Box<Figures>),
    /// The combination was refused, with the reason.
    Refused(String),
    /// It broke an invariant or failed: never to be accepted.
    Broken(String),
}

impl Outcome {
    /// The text of a star; what is broken has none.
    pub fn text(&self) -> Option<String> {
        match self {
            Outcome::Ran(figures) => Some(figures.text()),
            Outcome::Refused(why) => Some(format!("refused: {why}\n")),
            Outcome::Broken(_) => None,
        }
    }

    /// What follows the name in a line of a matrix; what is broken has none.
    pub fn line(&self) -> Option<String> {
        match self {
            Outcome::Ran(figures) => Some(figures.line()),
            Outcome::Refused(why) => Some(format!("refused: {why}")),
            Outcome::Broken(_) => None,
        }
    }
}

/// A ground that is built when first asked for.
type LazyGround = Arc<OnceLock<Result<Arc<Ground>, String>>>;

/// What the runs of one seed share.
#[derive(Debug)]
struct Ground {
    scenario: Scenario,
    shared: Shared,
}

/// What is asked of a run beside its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    #[default]
    Figures,
    /// Where everybody was after each step.
    Track,
}

/// A scenario made ready to run many combinations.
#[derive(Debug)]
pub struct Study {
    path: PathBuf,
    options: LoadOptions,
    loaded: Loaded,
    spec: SnapshotSpec,
    axes: Axes,
    grounds: Mutex<Vec<(u64, LazyGround)>>,
    threads: usize,
}

impl Study {
    /// Loads a scenario; its `[snapshot]` table says how much is run.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<Study, SimulationError> {
        let loaded = load(path, options)?;
        let spec = loaded.scenario.snapshot.clone().unwrap_or_default();
        let axes = Axes::of(&loaded.registry, &spec.vary);
        Ok(Study {
            path: path.to_owned(),
            options: options.clone(),
            loaded,
            spec,
            axes,
            grounds: Mutex::default(),
            threads: 0,
        })
    }

    /// The same with other sizes than the scenario says.
    pub fn sized(mut self, size: impl FnOnce(&mut SnapshotSpec)) -> Study {
        size(&mut self.spec);
        self.axes = Axes::of(&self.loaded.registry, &self.spec.vary);
        self.forget();
        self
    }

    /// The same with so many combinations run at once; 0 means as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Study {
        self.threads = threads;
        self
    }

    /// Combinations run at once; 0 means as many as there are cores.
    pub fn at_once(&self) -> usize {
        self.threads
    }

    /// The scenario file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scenario's name: that of its file.
    pub fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// What was loaded.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// How much is run and how exactly it is compared.
    pub fn spec(&self) -> &SnapshotSpec {
        &self.spec
    }

    /// How far figures may move.
    pub fn tolerance(&self) -> &ToleranceSpec {
        &self.spec.tolerance
    }

    /// Every slot with the strategies that are tried in it.
    pub fn axes(&self) -> &Axes {
        &self.axes
    }

    /// The star: the scenario's own combination, and that with one slot changed.
    pub fn star(&self) -> Vec<Case> {
        self.axes.star(&self.loaded.scenario)
    }

    /// Every combination.
    pub fn matrix(&self) -> Vec<Case> {
        self.axes.matrix(&self.loaded.scenario)
    }

    /// Hash of what is run: the scenario with its sizes, the files of its environment and its
    /// libraries.
    pub fn hash(&self) -> String {
        let s = &self.spec;
        let scenario = &self.loaded.scenario;
        let mut whole = scenario.hash(&self.loaded.registry);
        let mut files: Vec<PathBuf> = match &scenario.environment.source {
            EnvironmentSource::File(file) => vec![file.clone()],
            EnvironmentSource::Layers(layers) => layers.iter().map(|l| l.file.clone()).collect(),
            _ => Vec::new(),
        };
        files.extend(scenario.plugins.iter().map(PathBuf::from));
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let files = files.iter().map(|f| folder.join(f));
        for file in files.chain(self.options.libraries.iter().cloned()) {
            let bytes = std::fs::read(file).unwrap_or_default();
            let _ = write!(whole, " {:016x}", hash_bytes(&bytes));
        }
        format!(
            "{whole} {} steps {} agents {} seeds",
            s.steps, s.agents, s.seeds
        )
    }

    /// The scenario of a case and a seed, scaled down, before any ground.
    pub fn scenario(&self, case: &Case, seed: u64) -> Result<Loaded, SimulationError> {
        let mut loaded = if case.sets.is_empty() && seed == self.loaded.scenario.seed {
            Loaded {
                scenario: self.loaded.scenario.clone(),
                environment: self.loaded.environment.clone(),
                registry: self.loaded.registry.clone(),
            }
        } else {
            let mut options = self.options.clone();
            options.seed = Some(seed);
            options.sets.extend(case.sets.iter().cloned());
            load(&self.path, &options)?
        };
        scale_down(&mut loaded.scenario, self.spec.agents, self.spec.steps);
        case.apply(&mut loaded.scenario);
        Ok(loaded)
    }

    /// Drops grounds and maps.
    fn forget(&self) {
        let mut grounds = self.grounds.lock().unwrap_or_else(PoisonError::into_inner);
        grounds.clear();
    }

    /// Drops the maps of the combinations so far.
    pub fn forget_maps(&self) {
        let grounds = self.grounds.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, lazy) in grounds.iter() {
            if let Some(Ok(ground)) = lazy.get() {
                ground.shared.forget_maps();
            }
        }
    }

    fn ground(&self, seed: u64) -> Result<Arc<Ground>, String> {
        let lazy = {
            let mut grounds = self.grounds.lock().unwrap_or_else(PoisonError::into_inner);
            match grounds.iter().find(|g| g.0 == seed) {
                Some((_, lazy)) => lazy.clone(),
                None => {
                    if grounds.len() >= GROUNDS {
                        grounds.remove(0);
                    }
                    let lazy = LazyGround::default();
                    grounds.push((seed, lazy.clone()));
                    lazy
                }
            }
        };
        let build = || {
            let loaded = self.scenario(&Case::default(), seed);
            let loaded = loaded.map_err(|e| first_line(&e.to_string()))?;
            let shared = Shared::new(&loaded.scenario, loaded.environment);
            Ok(Arc::new(Ground {
                shared: shared.map_err(|e| first_line(&e.to_string()))?,
                scenario: loaded.scenario,
            }))
        };
        lazy.get_or_init(build).clone()
    }

    /// Makes the simulation of a case and a seed, over the shared ground if it can be.
    pub fn simulation(&self, case: &Case, seed: u64) -> Result<Simulation, String> {
        let said = |e: String| first_line(&e);
        if !case.sets.is_empty() {
            let loaded = self.scenario(case, seed).map_err(|e| said(e.to_string()))?;
            let (scenario, environment) = (loaded.scenario, loaded.environment);
            return Simulation::new(scenario, environment, &loaded.registry, 1)
                .map_err(|e| said(e.to_string()));
        }
        let ground = self.ground(seed)?;
        let mut scenario = ground.scenario.clone();
        case.apply(&mut scenario);
        Simulation::on(&ground.shared, scenario, &self.loaded.registry, 1)
            .map_err(|e| said(e.to_string()))
    }

    /// Runs a case once for every seed and checks its invariants; the track is that of the first.
    pub fn run(&self, case: &Case, keep: Keep) -> (Outcome, Option<Track>) {
        let first = self.loaded.scenario.seed;
        let mut values = Vec::new();
        let mut figures: Option<Figures> = None;
        let mut track = None;
        for seed in (0..self.spec.seeds).map(|k| first.wrapping_add(k)) {
            let mut sim = match self.simulation(case, seed) {
                Ok(sim) => sim,
                Err(why) => return (Outcome::Refused(why), None),
            };
            let keep = if seed == first { keep } else { Keep::Figures };
            let mut one = match run_one(&mut sim, self.spec.steps, keep) {
                Ok(one) => one,
                Err(why) => return (Outcome::Broken(why), None),
            };
            values.push(one.values);
            match &mut figures {
                Some(figures) => figures.bits = figures.bits.wrapping_add(one.digest),
                None => {
                    track = one.track.take();
                    figures = Some(one.figures(sim.scenario(), self.spec.seeds));
                }
            }
        }
        match figures {
            None => (Outcome::Broken("no seed was run".into()), None),
            Some(mut figures) => {
                (figures.mean, figures.spread) = Figures::summarise(&values);
                (Outcome::Ran(Box::new(figures)), track)
            }
        }
    }

    /// Runs cases in parallel, map by map; outcomes in their order. `done` hears of each as it
    /// ends, on the thread that ran it.
    pub fn run_all(
        &self,
        cases: &[Case],
        keep: Keep,
        done: impl Fn(&Case, &Outcome, Option<Track>) + Sync,
    ) -> Vec<Outcome> {
        let own = chosen(&self.loaded.scenario, Slot::Nav);
        let nav = |case: &Case| case.choice(Slot::Nav).unwrap_or(own).to_owned();
        let mut outcomes = Vec::with_capacity(cases.len());
        for group in cases.chunk_by(|a, b| nav(a) == nav(b)) {
            outcomes.extend(side_by_side(group, self.threads, |case| {
                let (outcome, track) = self.run(case, keep);
                done(case, &outcome, track);
                outcome
            }));
            if group.len() > 1 {
                self.forget_maps();
            }
        }
        outcomes
    }
}

/// How much of a simulation is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Steps.
    pub steps: u64,
    /// Threads of the simulation.
    pub threads: usize,
}

/// Runs a simulation that is ready and checks its invariants.
pub fn watch(mut sim: crate::Simulation, extent: Extent) -> Outcome {
    match run_one(&mut sim, extent.steps, Keep::Figures) {
        Ok(one) => Outcome::Ran(Box::new(one.figures(sim.scenario(), 1))),
        Err(why) => Outcome::Broken(why),
    }
}

/// What one run showed.
struct One {
    values: Values,
    sightings: Vec<Sighting>,
    digest: u64,
    trace: Vec<u16>,
    track: Option<Track>,
}

impl One {
    /// As the figures of the first of so many seeds.
    fn figures(self, scenario: &Scenario, seeds: u64) -> Figures {
        Figures {
            strategies: strategies(scenario),
            seed: scenario.seed,
            seeds,
            steps: self.trace.len() as u64,
            mean: self.values,
            spread: [0.0; COUNT],
            sightings: self.sightings,
            digest: self.digest,
            bits: self.digest,
            trace: self.trace,
        }
    }
}

fn run_one(sim: &mut Simulation, steps: u64, keep: Keep) -> Result<One, String> {
    let mut least_gap = f64::INFINITY;
    let mut sightings = Vec::new();
    let mut trace = Vec::with_capacity(steps as usize);
    let mut track = (keep == Keep::Track).then(Track::default);
    let (mut nearer, mut walked) = (0.0, 0u64);
    let sample = (steps / 3).max(1);
    let mut broken = None;
    let ran = sim.run(steps, |sim| {
        let step = sim.steps();
        if let Err(why) = invariants(sim) {
            broken = Some(format!("step {step}: {why}"));
            return ControlFlow::Break(());
        }
        let a = sim.agents();
        for row in (0..a.len()).filter(|&r| a.doing[r] == Doing::Walking) {
            let (before, now, to) = (a.before[row], a.location[row], a.target[row]);
            if before.is_somewhere() && to.is_somewhere() {
                let way = before.point.distance(to.point) - now.point.distance(to.point);
                nearer += f64::from(way);
                walked += 1;
            }
        }
        trace.push(fold(sim.digest()));
        if let Some(track) = &mut track {
            track.observe(sim);
        }
        if step % sample == 0 {
            least_gap = least_gap.min(gap(sim));
            sight(sim, &mut sightings);
        }
        ControlFlow::Continue(())
    });
    if let Some(why) = broken {
        return Err(why);
    }
    ran.map_err(|e| e.to_string())?;
    let m = sim.metrics();
    let seconds = walked as f64 * sim.scenario().dt;
    // Nobody near anybody is a gap without bounds: said as one of a kilometre.
    let least_gap = least_gap.min(999.0);
    let values = [
        m.spawned as f64,
        sim.agents().len() as f64,
        m.arrived as f64,
        m.arrivals as f64,
        m.removed as f64,
        m.unreachable as f64,
        sim.travel_times().mean,
        m.mean_speed(),
        nearer / seconds.max(1e-9),
        least_gap,
        m.mean_overlaps(),
        100.0 * m.stalled_share(),
    ];
    Ok(One {
        values,
        sightings,
        digest: sim.digest(),
        trace,
        track,
    })
}

/// 16 bits of a digest: enough to see when two runs part.
pub(super) fn fold(digest: u64) -> u16 {
    (digest ^ digest >> 16 ^ digest >> 32 ^ digest >> 48) as u16
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn strategies(scenario: &Scenario) -> String {
    let word = |slot: &Slot| format!("{} {}", slot.name(), chosen(scenario, *slot));
    Slot::ALL.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// Scales sources down together, so that about so many people come in so many steps.
fn scale_down(scenario: &mut Scenario, agents: u64, steps: u64) {
    let seconds = steps as f64 * scenario.dt;
    let expected = |s: &throng_engine::scenario::SourceSpec| match (s.count, s.hold, s.rate) {
        (count, Some(hold), _) => count.unwrap_or(hold).max(hold) as f64,
        (Some(count), None, _) => count as f64,
        (None, None, rate) => rate.unwrap_or(0.0) * seconds,
    };
    let total: f64 = scenario.sources.iter().map(expected).sum();
    if total <= agents as f64 {
        return;
    }
    let factor = agents as f64 / total;
    let fewer = |n: u64| ((n as f64 * factor).round() as u64).max(1);
    for source in &mut scenario.sources {
        if source.count.is_none() && source.hold.is_none() {
            source.rate = source.rate.map(|r| r * factor);
        }
        source.count = source.count.map(fewer);
        source.hold = source.hold.map(fewer);
    }
}

/// What must hold after every step of every run.
pub fn invariants(sim: &Simulation) -> Result<(), String> {
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

fn gap(sim: &Simulation) -> f64 {
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

fn sight(sim: &Simulation, out: &mut Vec<Sighting>) {
    let a = sim.agents();
    let mut rows: Vec<usize> = (0..a.len()).collect();
    rows.sort_by_key(|&r| a.id[r]);
    let every = (rows.len() / 3).max(1);
    for &row in rows.iter().step_by(every).take(3) {
        out.push(Sighting {
            time: sim.time(),
            id: a.id[row],
            at: sim.world_point(a.location[row]).to_array(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_ground_gives_the_bits_of_one_of_its_own() {
        // Doors close after 8 s: those of one run are not those of the next.
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/scenarios/rooms.toml"
        );
        let study = Study::open(path.as_ref(), &LoadOptions::default()).unwrap();
        let study = study.sized(|s| (s.agents, s.steps) = (12, 130));
        let seed = study.loaded().scenario.seed;
        for id in ["grid", "ecm", "ecm", "grid"] {
            let case = Case {
                choices: vec![(Slot::Nav, id.into())],
                ..Case::default()
            };
            let own = study.scenario(&case, seed).unwrap();
            let mut own = Simulation::new(own.scenario, own.environment, &own.registry, 1).unwrap();
            let mut shared = study.simulation(&case, seed).unwrap();
            for _ in 0..study.spec().steps {
                own.step().unwrap();
                shared.step().unwrap();
            }
            assert_eq!(own.digest(), shared.digest(), "{id}");
            assert!(own.ground().door_open.contains(&0));
        }
    }

    #[test]
    fn sources_are_scaled_down_together_and_never_up() {
        let mut scenario = Scenario::default();
        let source = |count, hold, rate| throng_engine::scenario::SourceSpec {
            count,
            hold,
            rate,
            ..Default::default()
        };
        scenario.sources = vec![
            source(Some(300), None, None),
            source(None, Some(100), None),
            source(None, None, Some(10.0)),
        ];
        scale_down(&mut scenario, 100, 100);
        assert_eq!(scenario.sources[0].count, Some(60));
        assert_eq!(scenario.sources[1].hold, Some(20));
        assert_eq!(scenario.sources[2].rate, Some(2.0));
        let before = scenario.sources.clone();
        scale_down(&mut scenario, 1000, 100);
        assert_eq!(scenario.sources, before);
    }
}
