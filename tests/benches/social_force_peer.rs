//! The open square under `social-force`: simulated agent-seconds per second of processor time.
//!
//! `cargo bench -p throng-tests --bench social_force_peer [-- AGENTS SECONDS ROUNDS]`. Ours steps
//! at 0.1 s with its sub-steps inside; beside it the same square at 0.01 s, whose mean speed and
//! overlaps are to agree within 5 %, and nobody is to be faster than 1.3 times the desired speed. With `JUPEDSIM_PYTHON` naming a Python that has JuPedSim
//! (`pip install jupedsim`), its social force model takes turns with ours at its own 0.01 s.
//! Radius 0.25 m, 1.4 m/s, 0.5 agents per square metre, random goals, one thread.

use std::{ops::ControlFlow, process::Command};

use throng::Simulation;
use throng_tests::scenario;

const PEER: &str = r#"
import math, random, sys, time
import jupedsim as jps
count, seconds = int(sys.argv[1]), float(sys.argv[2])
side = math.sqrt(count / 0.5)
edge = side / 2
sim = jps.Simulation(
    model=jps.SocialForceModel(), dt=0.01,
    geometry=[(-edge, -edge), (side + edge, -edge), (side + edge, side + edge), (-edge, side + edge)])
random.seed(1)
rows = math.ceil(math.sqrt(count))
near = lambda i: (i + 0.5 + random.uniform(-0.2, 0.2)) * side / rows
places = [(near(i % rows), near(i // rows)) for i in range(count)]
journeys = []
for _ in range(100):
    goal = sim.add_waypoint_stage((random.uniform(1, side - 1), random.uniform(1, side - 1)), 0.3)
    journeys.append((sim.add_journey(jps.JourneyDescription([goal])), goal))
for place in places:
    journey, goal = random.choice(journeys)
    sim.add_agent(jps.SocialForceModelAgentParameters(
        position=place, journey_id=journey, stage_id=goal, desired_speed=1.4, radius=0.25))
sim.iterate(20)
began = time.process_time()
sim.iterate(round(seconds / 0.01))
print(count * seconds / (time.process_time() - began))
"#;

fn square(agents: usize, dt: f32) -> Simulation {
    Simulation::builder()
        .threads(1)
        .set("avoidance.kind=social-force")
        .set(format!("dt={dt}"))
        .set("profile.walker.max_speed=2.1")
        .set(format!("environment.agents={agents}"))
        .set(format!("source[0].count={agents}"))
        .file(scenario("open-square.toml"))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Seconds of processor time of this process, where the system tells.
fn processor_seconds() -> Option<f64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let mut nanos = 0.0;
    for thread in threads.flatten() {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        nanos += text.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(nanos * 1e-9)
}

/// Runs some seconds; gives agent-seconds per second.
fn run(sim: &mut Simulation, agents: usize, seconds: f64) -> f64 {
    let steps = (seconds / f64::from(sim.state().dt)).round() as u64;
    let (clock, before) = (std::time::Instant::now(), processor_seconds());
    sim.run(steps, |_| ControlFlow::Continue(()))
        .expect("steps");
    let spent = match (before, processor_seconds()) {
        (Some(before), Some(now)) => now - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    agents as f64 * seconds / spent
}

fn peer(python: &str, agents: usize, seconds: f64) -> Option<f64> {
    let out = Command::new(python)
        .args(["-c", PEER, &agents.to_string(), &seconds.to_string()])
        .output()
        .ok()?;
    String::from_utf8_lossy(&out.stdout).trim().parse().ok()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let number = |i: usize, or: usize| numbers.get(i).copied().unwrap_or(or);
    let (agents, seconds, rounds) = (number(0, 1000), number(1, 20) as f64, number(2, 5));
    let python = std::env::var("JUPEDSIM_PYTHON").ok();
    let mut sim = square(agents, 0.1);
    run(&mut sim, agents, 5.0);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(run(&mut sim, agents, seconds));
        if let Some(python) = &python {
            theirs.extend(peer(python, agents, 1.0));
        }
    }
    let ours = median(ours);
    println!("{agents} agents, 1 thread: {ours:.0} agent-seconds per second (dt 0.1)");
    if theirs.is_empty() {
        println!("JuPedSim was not asked: set JUPEDSIM_PYTHON");
    } else {
        let theirs = median(theirs);
        println!("JuPedSim {theirs:.0} (dt 0.01), ratio {:.1}", ours / theirs);
    }
    for (stage, ms) in sim.stage_millis() {
        let each = ms * 1e6 / agents as f64 / sim.steps() as f64;
        println!("  {stage:12} {each:7.1} ns per agent and step");
    }
    let total = 30.0_f64.min(rounds as f64 * seconds + 5.0);
    let short = stability(agents, 0.01, total);
    for dt in [0.1, 0.5] {
        let long = stability(agents, dt, total);
        println!(
            "  dt {dt}: speed {:+.1} %, overlapping pairs {:+.2}, fastest {:.3} of the desired",
            (long.speed / short.speed - 1.0) * 100.0,
            long.overlaps - short.overlaps,
            long.fastest / 1.4
        );
    }
}

/// What a run at one step length was like.
struct Stability {
    speed: f64,
    overlaps: f64,
    fastest: f32,
}

/// Runs the square for some seconds; prints and gives what it was like.
fn stability(agents: usize, dt: f32, seconds: f64) -> Stability {
    let mut sim = square(agents, dt);
    let mut fastest = 0.0_f32;
    while sim.time() < seconds - 1e-9 {
        sim.step().expect("a step");
        let speeds = sim.agents().velocity.iter().map(|v| v.length());
        fastest = speeds.fold(fastest, f32::max);
    }
    let m = sim.metrics();
    println!(
        "{seconds} s at dt {dt}: mean speed {:.4} m/s, overlapping pairs {:.2}, deepest {:.1} mm, \
         fastest {fastest:.3} m/s",
        m.mean_speed(),
        m.mean_overlaps(),
        m.overlap_deepest * 1e3
    );
    Stability {
        speed: m.mean_speed(),
        overlaps: m.mean_overlaps(),
        fastest,
    }
}
