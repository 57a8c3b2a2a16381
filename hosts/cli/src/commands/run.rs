//! `throng run`: runs a scenario and writes its folder.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use clap::Args;
use throng::{Registry, RunError, Scenario, Simulation, engine::build::merge_environment};

use super::{ScenarioArgs, plugins, thread_count};
use crate::{
    console::{self, Progress},
    draw::Caption,
    failure::Failure,
    output::{
        Folder, Recorder,
        compare::{Comparison, Sampler},
        summary::{Outcome, Summary, TierLine, libraries, peak_bytes, strategies},
    },
    replay::{self, Surroundings},
};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Threads to use; 0 means as many as there are cores. They never change a result.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// End after so many steps, those before a checkpoint included.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The folder for what the run leaves behind; by default out/NAME.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a checkpoint every so many simulated seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    checkpoint_every: Option<f64>,
    /// Go on from a checkpoint.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Also draw the picture as SVG.
    #[arg(long)]
    svg: bool,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
    /// Then run the same scene with everybody at tier 0 and say how much the tiers changed.
    #[arg(long, conflicts_with = "resume")]
    compare_tier0: bool,
}

/// Set when the user asks to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// Ends a run at the next step when asked to; a second time ends the program.
fn listen_for_stop() {
    let set = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        console::err("stopping after this step; once more to stop at once");
    });
    if let Err(e) = set {
        tracing::warn!("Ctrl-C will end the run without files: {e}");
    }
}

/// Everything about a run that does not change while it runs.
struct Job<'a> {
    args: &'a RunArgs,
    folder: Folder,
    total: u64,
    checkpoint_every: Option<u64>,
    dt: f64,
    /// What is taken down for a comparison with tier 0.
    sampler: Option<Sampler>,
}

/// Runs it.
pub fn run(args: &RunArgs, json: bool) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let (scenario, registry) = (loaded.scenario.clone(), loaded.registry.clone());
    let surroundings = Surroundings::of(&loaded);
    let environment = merge_environment(&loaded.scenario, loaded.environment.clone())?;
    let all_at_tier0 = args.compare_tier0.then(|| throng::Loaded {
        scenario: scenario.clone(),
        environment: loaded.environment.clone(),
        registry: registry.clone(),
    });
    let mut simulation = Simulation::from_loaded(loaded, args.threads)?;
    console::notices(simulation.notices());
    let resumed_at = match &args.resume {
        None => None,
        Some(file) => Some(resume(&mut simulation, file)?),
    };
    let whole = (scenario.duration / scenario.dt).round().max(1.0) as u64;
    let mut job = Job {
        args,
        folder: Folder::create(&out_folder(args, &scenario))?,
        total: args.steps.unwrap_or(whole),
        checkpoint_every: checkpoint_steps(args.checkpoint_every, scenario.dt)?,
        dt: scenario.dt,
        sampler: args.compare_tier0.then(Sampler::default),
    };
    plugins::writes_to(&job.folder);
    let resolved = scenario.resolved_elsewhere(&registry);
    job.folder
        .write("scenario.resolved.toml", resolved.as_bytes())?;
    listen_for_stop();

    let mut recorder = Recorder::new(&job.folder, &simulation, &environment, surroundings)?;
    let mut files = vec!["scenario.resolved.toml".to_owned()];
    let began = Instant::now();
    let first_step = simulation.steps();
    let stopped = steps(&mut job, &mut simulation, &mut recorder, &mut files);
    let wall_seconds = began.elapsed().as_secs_f64();
    let (ended, error) = match stopped {
        Ok(Ended::Failed(error)) => ("failed", Some(error.to_string())),
        Ok(ended) => (ended.word(args.steps.is_some()), None),
        Err(failure) => {
            drop(recorder);
            job.folder.sweep();
            return Err(failure);
        }
    };
    let metrics = Outcome::of(&simulation);
    let error = error.or_else(|| metrics.broken().into_iter().next());
    let caption = caption(&scenario, &simulation);
    let used = strategies(&scenario, &registry);
    let shown = serde_json::to_value(&used).map_err(Failure::run)?;
    let written = recorder.finish(&simulation, &caption, shown, args.svg);
    let (written, measures) = written.inspect_err(|_| job.folder.sweep())?;
    files.extend(written);
    files.push("summary.json".to_owned());
    let made = (simulation.steps() - first_step).max(1) as f64;
    let compared = match (&job.sampler, all_at_tier0) {
        (Some(tiered), Some(loaded)) => {
            let own = wall_seconds * 1e3 / made;
            Some(compare(tiered, loaded, simulation.steps(), own, args)?)
        }
        _ => None,
    };
    let summary = Summary {
        scenario: scenario.name.clone(),
        scenario_file: args.scenario.scenario.display().to_string(),
        scenario_hash: simulation.scenario_hash().to_owned(),
        seed: scenario.seed,
        dt: scenario.dt,
        steps: simulation.steps(),
        time_s: simulation.time(),
        ended,
        error,
        resumed_at,
        digest: format!("{:016x}", simulation.digest()),
        libraries: libraries(&registry),
        strategies: used,
        metrics,
        measures,
        threads: thread_count(args.threads),
        wall_seconds,
        real_time_factor: made * scenario.dt / wall_seconds.max(1e-9),
        ms_per_step: wall_seconds * 1e3 / made,
        stages: simulation
            .stage_millis()
            .into_iter()
            .map(|(name, ms)| (name, ms / made))
            .collect(),
        tiers: TierLine::of(&simulation, made),
        compare_tier0: compared,
        peak_bytes: peak_bytes(),
        notices: notices(&simulation, resumed_at),
        files,
    };
    tell(&job.folder, &summary, json)
}

/// Runs the same scene with everybody at tier 0, as many steps at the most.
fn compare(
    tiered: &Sampler,
    mut loaded: throng::Loaded,
    steps: u64,
    own_ms: f64,
    args: &RunArgs,
) -> Result<Comparison, Failure> {
    loaded.scenario.lod = throng::scenario::StrategySpec::new("uniform");
    // Fields that are solved inside regions of interest are solved everywhere then.
    loaded.scenario.interest.clear();
    loaded.scenario.camera = None;
    let mut simulation = Simulation::from_loaded(loaded, args.threads)?;
    let mut sampler = Sampler::default();
    let mut progress = Progress::new(0, steps, args.quiet);
    let (began, dt) = (Instant::now(), simulation.scenario().dt);
    while simulation.steps() < steps && !simulation.is_over() && !STOP.load(Ordering::Relaxed) {
        simulation.step().map_err(Failure::run)?;
        sampler.observe(&simulation);
        let (time, walking) = (simulation.time(), simulation.agents().len());
        progress.show(simulation.steps(), time, dt, walking);
    }
    progress.finish();
    let made = simulation.steps().max(1) as f64;
    let ms = [own_ms, began.elapsed().as_secs_f64() * 1e3 / made];
    Ok(Comparison::of(tiered, &sampler, ms))
}

/// What was assumed and repaired, and what a resumed run leaves out.
fn notices(simulation: &Simulation, resumed_at: Option<u64>) -> Vec<String> {
    let mut notices = simulation.notices().to_vec();
    notices.extend(resumed_at.map(|step| {
        format!(
            "resumed at step {step}: trajectories, metrics.csv and the paths in the picture begin \
             there; metrics of the summary are those of the whole run, times and stages those of \
             this part"
        )
    }));
    notices
}

/// Writes the summary and shows it; the last line names the picture.
fn tell(folder: &Folder, summary: &Summary, json: bool) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(summary).map_err(Failure::run)?;
    folder.write("summary.json", text.as_bytes())?;
    for problem in summary.metrics.broken() {
        console::err(&format!(
            "error: {problem}. That is a fault of Throng or of a loaded library, not of the scenario"
        ));
    }
    let picture = format!("open {}", folder.file("picture.png").display());
    if json {
        console::out(&text);
        console::err(&picture);
    } else {
        let where_to = folder.path().display();
        let replay = folder.file(replay::NAME);
        let watch = match summary.files.iter().any(|f| f == replay::NAME) {
            true => format!("watch {} in a browser\n", replay.display()),
            false => String::new(),
        };
        console::out(&format!(
            "{}\nfiles in {where_to}\n{watch}{picture}",
            summary.table()
        ));
        if let Some(compared) = &summary.compare_tier0 {
            console::out(&compared.text());
        }
    }
    match &summary.error {
        // The summary on stdout says so.
        Some(error) if json => Err(Failure::Reported(error.clone())),
        Some(error) => Err(Failure::run(error)),
        None => Ok(()),
    }
}

/// How a run came to its end.
enum Ended {
    Whole,
    Gone,
    Interrupted,
    Failed(RunError),
}

impl Ended {
    fn word(&self, by_steps: bool) -> &'static str {
        match self {
            Ended::Whole if by_steps => "steps",
            Ended::Whole => "duration",
            Ended::Gone => "everybody has gone",
            Ended::Interrupted => "interrupted",
            Ended::Failed(_) => "failed",
        }
    }
}

/// Makes the steps.
fn steps(
    job: &mut Job<'_>,
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    files: &mut Vec<String>,
) -> Result<Ended, Failure> {
    let mut progress = Progress::new(simulation.steps(), job.total, job.args.quiet);
    let ended = loop {
        if simulation.steps() >= job.total {
            break Ended::Whole;
        }
        if STOP.load(Ordering::Relaxed) {
            break Ended::Interrupted;
        }
        if let Err(error) = simulation.step() {
            break Ended::Failed(error);
        }
        let step = simulation.steps();
        recorder.observe(simulation)?;
        if let Some(sampler) = &mut job.sampler {
            sampler.observe(simulation);
        }
        if job
            .checkpoint_every
            .is_some_and(|every| step.is_multiple_of(every))
        {
            let name = format!("checkpoint-{step:08}.throng");
            job.folder.write(&name, &simulation.snapshot())?;
            files.push(name);
        }
        progress.show(step, simulation.time(), job.dt, simulation.agents().len());
        if simulation.is_over() {
            break Ended::Gone;
        }
    };
    progress.finish();
    Ok(ended)
}

fn resume(simulation: &mut Simulation, file: &Path) -> Result<u64, Failure> {
    let shown = file.display();
    let bytes = std::fs::read(file)
        .map_err(|e| Failure::input(format!("the checkpoint {shown} cannot be read: {e}")))?;
    simulation
        .restore(&bytes)
        .map_err(|e| Failure::input(format!("{shown}: {e}")))?;
    Ok(simulation.steps())
}

fn checkpoint_steps(seconds: Option<f64>, dt: f64) -> Result<Option<u64>, Failure> {
    match seconds {
        None => Ok(None),
        Some(s) if s.is_finite() && s > 0.0 => Ok(Some(((s / dt).round() as u64).max(1))),
        Some(s) => Err(Failure::input(format!(
            "--checkpoint-every {s}: allowed are seconds above 0"
        ))),
    }
}

/// The folder that was asked for, or out/NAME with what no file name has taken out.
fn out_folder(args: &RunArgs, scenario: &Scenario) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let plain = |c: char| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let name: String = scenario.name.chars().map(plain).collect();
        let name = name.trim_matches('.');
        Path::new("out").join(if name.is_empty() { "unnamed" } else { name })
    })
}

/// What stands beside the picture.
fn caption(scenario: &Scenario, simulation: &Simulation) -> Caption {
    let metrics = simulation.metrics();
    let arrived = if metrics.arrivals > metrics.arrived {
        format!("{} arrivals", metrics.arrivals)
    } else {
        format!("{} arrived", metrics.arrived)
    };
    Caption {
        title: scenario.name.clone(),
        subtitle: format!(
            "{:.1} s, {} walking, {arrived} · nav {}, planner {}, cost {}, avoidance {} · seed {}",
            simulation.time(),
            simulation.agents().len(),
            scenario.nav.kind,
            scenario.planner.kind,
            scenario.cost.model.kind,
            scenario.avoidance.kind,
            scenario.seed
        ),
        sources: scenario
            .sources
            .iter()
            .enumerate()
            .map(|(i, source)| match (source.name.as_str(), &source.area) {
                ("", throng::scenario::AreaRef::Name(area)) => format!("from {area}"),
                ("", _) => format!("source {}", i + 1),
                (name, _) => name.to_owned(),
            })
            .collect(),
    }
}

/// The strategies that a run names, for other commands.
pub fn used(scenario: &Scenario, registry: &Registry) -> String {
    let used = strategies(scenario, registry);
    let words: Vec<String> = used
        .iter()
        .filter(|s| s.tier.is_none())
        .map(|s| format!("{} {}", s.slot, s.id))
        .collect();
    words.join(", ")
}
