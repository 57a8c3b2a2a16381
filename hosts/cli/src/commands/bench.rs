//! `throng bench`: how fast a scenario runs.

use std::{collections::BTreeMap, time::Instant};

use clap::Args;
use serde::Serialize;
use throng::{
    Simulation,
    scenario::{EnvironmentSource, Scenario},
};

use super::{ScenarioArgs, thread_count};
use crate::{
    console::{self, Table, number},
    failure::Failure,
    output::summary::peak_bytes,
};

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// So many agents: the first source's count, and the scene's size where it has a density.
    #[arg(long, value_name = "N")]
    agents: Option<u64>,
    /// Steps to measure, after a warm-up.
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: u64,
    /// Threads to use; 0 means as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Milliseconds of a step.
#[derive(Clone, Copy, Debug, Serialize)]
struct StepTimes {
    median: f64,
    p95: f64,
    mean: f64,
}

/// The document.
#[derive(Debug, Serialize)]
struct Measured {
    scenario: String,
    agents: usize,
    steps: u64,
    warm_up_steps: u64,
    threads: usize,
    ms_per_step: StepTimes,
    agent_steps_per_s: f64,
    stages: BTreeMap<&'static str, f64>,
    peak_bytes: Option<u64>,
    overlapping_pairs: f64,
    build_ms: f64,
    digest: String,
}

/// Measures it.
pub fn bench(args: &BenchArgs, json: bool) -> Result<(), Failure> {
    if args.steps == 0 {
        return Err(Failure::input("--steps 0: allowed is 1 or more"));
    }
    let mut scenario = args.scenario.clone();
    if let Some(agents) = args.agents {
        let loaded = scenario.load()?;
        scenario
            .changes
            .sets
            .extend(resized(&loaded.scenario, agents)?);
    }
    let loaded = scenario.load()?;
    let (name, every) = (loaded.scenario.name.clone(), loaded.scenario.metrics.every);
    let dt = loaded.scenario.dt;
    let began = Instant::now();
    let mut simulation = Simulation::from_loaded(loaded, args.threads)?;
    let build_ms = began.elapsed().as_secs_f64() * 1e3;
    console::notices(simulation.notices());

    // Everybody is there and buffers have grown; one sample of the metrics has been taken.
    let warm_up = (args.steps / 10)
        .clamp(10, 100)
        .max((every / dt).round() as u64);
    for _ in 0..warm_up {
        simulation.step()?;
    }
    let before = simulation.metrics().clone();
    let mut times = Vec::with_capacity(args.steps as usize);
    let mut agent_steps = 0;
    for _ in 0..args.steps {
        let began = Instant::now();
        simulation.step()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        agent_steps += simulation.agents().len();
        if simulation.is_over() {
            console::err(&format!(
                "everybody has gone after {} measured steps",
                times.len()
            ));
            break;
        }
    }
    let made = times.len() as f64;
    let total: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let rank = |p: f64| times[((p * made).ceil() as usize).clamp(1, times.len()) - 1];
    let now = simulation.metrics();
    let samples = (now.samples - before.samples).max(1) as f64;
    let stages = now.stages.millis().into_iter().zip(before.stages.millis());
    let measured = Measured {
        scenario: name,
        agents: simulation.agents().len(),
        steps: times.len() as u64,
        warm_up_steps: warm_up,
        threads: thread_count(args.threads),
        ms_per_step: StepTimes {
            median: rank(0.5),
            p95: rank(0.95),
            mean: total / made,
        },
        agent_steps_per_s: agent_steps as f64 / (total / 1e3).max(1e-12),
        stages: stages
            .map(|((name, ms), (_, was))| (name, (ms - was) / made))
            .collect(),
        peak_bytes: peak_bytes(),
        overlapping_pairs: (now.overlap_pairs - before.overlap_pairs) as f64 / samples,
        build_ms,
        digest: format!("{:016x}", simulation.digest()),
    };
    if json {
        console::out_json(&measured);
    } else {
        console::out(&measured.table());
    }
    Ok(())
}

impl Measured {
    fn table(&self) -> String {
        let mut table = Table::new(["", ""]);
        let mut line = |name: &str, value: String| table.row([format!("  {name}"), value]);
        let t = self.ms_per_step;
        line(
            "ms per step",
            format!("median {}, 95 % {}", number(t.median), number(t.p95)),
        );
        line("agent-steps per second", number(self.agent_steps_per_s));
        let mut stages: Vec<_> = self.stages.iter().collect();
        stages.sort_by(|a, b| b.1.total_cmp(a.1));
        for (name, ms) in stages.into_iter().filter(|(_, ms)| **ms >= 5e-4) {
            line(&format!("  {name}"), format!("{} ms", number(*ms)));
        }
        line("overlapping pairs", number(self.overlapping_pairs));
        if let Some(bytes) = self.peak_bytes {
            line("peak memory", format!("{:.1} MB", bytes as f64 / 1e6));
        }
        line("build", format!("{} ms", number(self.build_ms)));
        format!(
            "{}: {} agents, {} steps after {} to warm up, {} threads\n{}",
            self.scenario,
            self.agents,
            self.steps,
            self.warm_up_steps,
            self.threads,
            table.render()
        )
    }
}

/// The changes that give a scenario so many agents.
fn resized(scenario: &Scenario, agents: u64) -> Result<Vec<String>, Failure> {
    let Some(source) = scenario.sources.first() else {
        return Err(Failure::input(
            "--agents: the scenario has no [[source]] to take them from",
        ));
    };
    let mut sets = Vec::new();
    if let EnvironmentSource::Generate(scene) = &scenario.environment.source
        && scene.table.contains_key("agents")
    {
        sets.push(format!("environment.agents={agents}"));
    }
    let key = if source.count.is_none() && source.hold.is_some() {
        "hold"
    } else {
        "count"
    };
    sets.push(format!("source[0].{key}={agents}"));
    Ok(sets)
}
