//! `summary.json`: what was run, what came out, how long it took.

use std::collections::BTreeMap;

use serde::Serialize;
use throng::{
    Registry,
    core::Slot,
    engine::simulation::Simulation as Engine,
    metrics::{Metrics, Spread},
    scenario::{Scenario, StrategySpec},
};

use super::{compare::Comparison, measuring::Measures};
use crate::console::{Table, number};

/// How the density of the metrics is measured.
pub const KERNEL: &str =
    "persons within 1.5 m of each person, itself included, per area of that disc";

/// A strategy that took part.
#[derive(Clone, Debug, Serialize)]
pub struct Used {
    /// Its slot.
    pub slot: &'static str,
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub origin: String,
    /// Its version.
    pub version: String,
    /// Hash of the library that it was loaded from.
    pub library_hash: Option<String>,
    /// The level whose tier names it; none for a base strategy.
    pub tier: Option<u8>,
}

/// A dynamic library that was loaded.
#[derive(Clone, Debug, Serialize)]
pub struct LoadedLibrary {
    /// Its file.
    pub path: String,
    /// SHA-256 of the file.
    pub hash: String,
    /// Version of its strategies.
    pub version: String,
    /// Its strategies, used or not, as SLOT/ID.
    pub strategies: Vec<String>,
}

/// The libraries that were loaded.
pub fn libraries(registry: &Registry) -> Vec<LoadedLibrary> {
    let of = |(path, hash): (&str, &str)| {
        let own = || registry.strategies().iter().filter(|s| s.origin == path);
        LoadedLibrary {
            path: path.to_owned(),
            hash: hash.to_owned(),
            version: own().next().map_or_else(String::new, |s| s.version.clone()),
            strategies: own()
                .map(|s| format!("{}/{}", s.slot.name(), s.id))
                .collect(),
        }
    };
    registry.libraries().map(of).collect()
}

/// The strategies of a scenario.
pub fn strategies(scenario: &Scenario, registry: &Registry) -> Vec<Used> {
    let mut used = Vec::new();
    let mut add = |slot: Slot, spec: &StrategySpec, tier: Option<u8>| {
        let found = registry.find(slot, &spec.kind);
        used.push(Used {
            slot: slot.name(),
            id: spec.kind.clone(),
            origin: found.map_or_else(String::new, |s| s.origin.clone()),
            version: found.map_or_else(String::new, |s| s.version.clone()),
            library_hash: found.and_then(|s| s.hash.clone()),
            tier,
        });
    };
    add(Slot::Nav, &scenario.nav, None);
    add(Slot::Planner, &scenario.planner, None);
    add(Slot::Cost, &scenario.cost.model, None);
    add(Slot::Avoidance, &scenario.avoidance, None);
    add(Slot::Lod, &scenario.lod, None);
    add(Slot::Group, &scenario.group, None);
    for tier in &scenario.tiers {
        let level = Some(tier.level);
        tier.cost.iter().for_each(|s| add(Slot::Cost, s, level));
        tier.guide.iter().for_each(|s| add(Slot::Planner, s, level));
        tier.avoidance
            .iter()
            .for_each(|s| add(Slot::Avoidance, s, level));
    }
    used
}

/// People taken out before their goal, by reason.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Removed {
    /// All of them.
    pub total: u64,
    /// By an event of the scenario or a command of the host.
    pub by_event: u64,
}

/// Bodies that overlapped by more than 5 mm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Overlaps {
    /// Pairs, mean over samples.
    pub pairs: f64,
    /// The deepest one, metres.
    pub deepest_m: f32,
}

/// Persons per square metre.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Density {
    /// Mean over people and samples.
    pub mean: f64,
    /// The largest one.
    pub peak: f32,
    /// How it is measured.
    pub kernel: &'static str,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub spawned: u64,
    pub arrived: u64,
    pub arrivals: u64,
    pub walking: u64,
    pub removed: Removed,
    pub lost: u64,
    pub unreachable: u64,
    pub unreachable_now: u64,
    /// How often somebody had no way, by reason.
    pub unreachable_reasons: BTreeMap<&'static str, u64>,
    pub travel_time_s: Spread,
    pub path_length_m: Spread,
    pub speed_m_s: Spread,
    pub overlaps: Overlaps,
    pub wall_crossings: u64,
    pub beyond_cap: u64,
    pub not_finite: u64,
    pub stalled_share: f64,
    pub route_requests: u64,
    pub route_switches: u64,
    pub density_per_m2: Density,
    /// Queues and waiting areas; none if the scenario has no such goals.
    pub waiting: Option<Waiting>,
}

/// A goal where people queue or wait.
#[derive(Clone, Debug, Serialize)]
pub struct GoalFigures {
    pub area: String,
    /// Whether people are served here; otherwise they only wait.
    pub serves: bool,
    /// People whose waiting has ended.
    pub visits: u64,
    /// People there at the end of the run.
    pub present: usize,
    pub mean_wait_s: f64,
    pub longest_wait_s: f64,
    /// Most people who waited at a time.
    pub longest_queue: u64,
}

/// How long people waited to be served, and what happened at each goal.
#[derive(Clone, Debug, Serialize)]
pub struct Waiting {
    /// Mean over everybody served, from joining a queue to being served.
    pub mean_s: f64,
    pub longest_s: f64,
    pub longest_queue: u64,
    pub goals: Vec<GoalFigures>,
}

impl Waiting {
    fn of(simulation: &Engine) -> Option<Waiting> {
        let holds = &simulation.state().holds.all;
        let seconds = |steps: u64| steps as f64 * simulation.scenario().dt;
        let mean = |steps: u64, visits: u64| seconds(steps) / visits.max(1) as f64;
        let goals: Vec<GoalFigures> = holds
            .iter()
            .map(|hold| GoalFigures {
                area: simulation.place().areas[hold.area as usize].name.clone(),
                serves: hold.serves(),
                visits: hold.figures.visits,
                present: hold.present(),
                mean_wait_s: mean(hold.figures.waited, hold.figures.visits),
                longest_wait_s: seconds(hold.figures.longest_wait),
                longest_queue: hold.figures.longest_queue,
            })
            .collect();
        let serving = || holds.iter().filter(|h| h.serves()).map(|h| &h.figures);
        (!goals.is_empty()).then(|| Waiting {
            mean_s: mean(
                serving().map(|f| f.waited).sum(),
                serving().map(|f| f.visits).sum(),
            ),
            longest_s: seconds(serving().map(|f| f.longest_wait).max().unwrap_or(0)),
            longest_queue: serving().map(|f| f.longest_queue).max().unwrap_or(0),
            goals,
        })
    }
}

impl Outcome {
    /// What a simulation's counters say.
    pub fn of(simulation: &Engine) -> Outcome {
        let m: &Metrics = simulation.metrics();
        Outcome {
            spawned: m.spawned,
            arrived: m.arrived,
            arrivals: m.arrivals,
            walking: simulation.agents().len() as u64,
            removed: Removed {
                total: m.removed,
                by_event: m.removed,
            },
            lost: m.lost,
            unreachable: m.unreachable,
            unreachable_now: simulation.unreachable_now() as u64,
            unreachable_reasons: m.unreachable_reasons().collect(),
            travel_time_s: Spread::of(&m.travel_times),
            path_length_m: Spread::of(&m.path_lengths),
            speed_m_s: Spread {
                mean: m.mean_speed(),
                ..m.speeds.spread()
            },
            overlaps: Overlaps {
                pairs: m.mean_overlaps(),
                deepest_m: m.overlap_deepest,
            },
            wall_crossings: m.wall_crossings,
            beyond_cap: m.beyond_cap,
            not_finite: m.not_finite,
            stalled_share: m.stalled_share(),
            route_requests: m.requests,
            route_switches: m.route_switches,
            density_per_m2: Density {
                mean: m.mean_density(),
                peak: m.density_peak,
                kernel: KERNEL,
            },
            waiting: Waiting::of(simulation),
        }
    }

    /// What must never happen and did.
    pub fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        if self.lost > 0 {
            broken.push(format!("{} people were lost off the ground", self.lost));
        }
        if self.wall_crossings > 0 {
            broken.push(format!("{} moves crossed a wall", self.wall_crossings));
        }
        let known = self.walking + self.arrived + self.removed.total + self.lost;
        if known != self.spawned {
            broken.push(format!(
                "{} people came, {known} are accounted for",
                self.spawned
            ));
        }
        broken
    }
}

/// What a tier cost.
#[derive(Clone, Debug, Serialize)]
pub struct TierLine {
    pub level: u8,
    /// Mean number of agents in it.
    pub agents: f64,
    /// Thread time of guiding, nanoseconds per agent and step.
    pub guide_ns: f64,
    /// Thread time of looking and avoiding, nanoseconds per agent and step.
    pub avoid_ns: f64,
    /// Thread time of both, milliseconds per step.
    pub ms_per_step: f64,
}

impl TierLine {
    /// The tiers of a run of so many steps.
    pub fn of(simulation: &Engine, steps: f64) -> Vec<TierLine> {
        let tiers = &simulation.parts().tiers;
        let costs = &simulation.metrics().tiers;
        tiers
            .iter()
            .zip(costs)
            .map(|(tier, cost)| {
                let per = |nanos: u64| nanos as f64 / cost.agent_steps.max(1) as f64;
                TierLine {
                    level: tier.level,
                    agents: cost.agent_steps as f64 / steps,
                    guide_ns: per(cost.guide_nanos),
                    avoid_ns: per(cost.avoid_nanos),
                    ms_per_step: (cost.guide_nanos + cost.avoid_nanos) as f64 / 1e6 / steps,
                }
            })
            .collect()
    }
}

/// The whole document.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub scenario: String,
    pub scenario_file: String,
    pub scenario_hash: String,
    pub seed: u64,
    pub dt: f64,
    pub steps: u64,
    pub time_s: f64,
    /// Why it ended: `duration`, `steps`, `everybody has gone`, `interrupted` or `failed`.
    pub ended: &'static str,
    pub error: Option<String>,
    /// The step of the checkpoint that it went on from.
    pub resumed_at: Option<u64>,
    pub digest: String,
    /// The dynamic libraries that were loaded.
    pub libraries: Vec<LoadedLibrary>,
    pub strategies: Vec<Used>,
    pub metrics: Outcome,
    pub measures: Measures,
    pub threads: usize,
    pub wall_seconds: f64,
    pub real_time_factor: f64,
    pub ms_per_step: f64,
    /// Milliseconds per step of every stage.
    pub stages: BTreeMap<&'static str, f64>,
    /// What each tier cost; empty where there is one.
    pub tiers: Vec<TierLine>,
    /// The same scene all at tier 0, where that was asked for.
    pub compare_tier0: Option<Comparison>,
    /// Most memory that the process has held, where the system tells.
    pub peak_bytes: Option<u64>,
    pub notices: Vec<String>,
    pub files: Vec<String>,
}

impl Summary {
    /// The table for a person.
    pub fn table(&self) -> String {
        let m = &self.metrics;
        let spread = |s: &Spread, unit: &str| match s.count {
            0 => "-".to_owned(),
            _ => format!(
                "mean {} {unit}, median {}, 5 to 95 %: {} to {}",
                number(s.mean),
                number(s.p50),
                number(s.p5),
                number(s.p95)
            ),
        };
        let mut table = Table::new(["", ""]);
        let mut line = |name: &str, value: String| table.row([format!("  {name}"), value]);
        let ended = match &self.error {
            Some(error) => format!("failed: {error}"),
            None => self.ended.to_owned(),
        };
        line(
            "ended",
            format!("{ended}, after {} steps, {:.1} s", self.steps, self.time_s),
        );
        line("spawned", m.spawned.to_string());
        line("arrived", m.arrived.to_string());
        line("walking", m.walking.to_string());
        if m.removed.total > 0 {
            line("removed", format!("{} by events", m.removed.total));
        }
        if m.unreachable > 0 {
            let reasons: Vec<String> = m
                .unreachable_reasons
                .iter()
                .map(|(why, count)| format!("{count} because {why}"))
                .collect();
            line(
                "unreachable",
                format!("{} now; {}", m.unreachable_now, reasons.join(", ")),
            );
        }
        line("travel time", spread(&m.travel_time_s, "s"));
        line("path length", spread(&m.path_length_m, "m"));
        line("speed", spread(&m.speed_m_s, "m/s"));
        line(
            "density",
            format!(
                "mean {}, peak {} persons/m2",
                number(m.density_per_m2.mean),
                number(f64::from(m.density_per_m2.peak))
            ),
        );
        line(
            "overlaps",
            format!(
                "{} pairs, deepest {:.3} m",
                number(m.overlaps.pairs),
                m.overlaps.deepest_m
            ),
        );
        if let Some(waiting) = &m.waiting {
            line(
                "waiting",
                format!(
                    "mean {} s, longest {} s, longest queue {}",
                    number(waiting.mean_s),
                    number(waiting.longest_s),
                    waiting.longest_queue
                ),
            );
        }
        let mut passed: Vec<_> = self.measures.report.lines.iter().collect();
        passed.sort_by_key(|(_, l)| std::cmp::Reverse(l.persons));
        for (name, l) in passed.iter().take(3).filter(|(_, l)| l.persons > 0) {
            let flow = l
                .flow_per_s
                .map_or_else(String::new, |flow| format!(", {} persons/s", number(flow)));
            line(&format!("through {name}"), format!("{}{flow}", l.persons));
        }
        line("stalled", format!("{:.1} %", 100.0 * m.stalled_share));
        line(
            "wall crossings",
            format!("{}, lost {}", m.wall_crossings, m.lost),
        );
        line("route switches", m.route_switches.to_string());
        let mut slow: Vec<_> = self.stages.iter().collect();
        slow.sort_by(|a, b| b.1.total_cmp(a.1));
        let slow: Vec<String> = slow
            .iter()
            .take(4)
            .map(|(name, ms)| format!("{name} {}", number(**ms)))
            .collect();
        line(
            "speed of the run",
            format!(
                "{} ms a step ({}), {} x real time on {} threads",
                number(self.ms_per_step),
                slow.join(", "),
                number(self.real_time_factor),
                self.threads
            ),
        );
        for tier in &self.tiers {
            let (level, agents) = (tier.level, number(tier.agents));
            let (guide, avoid) = (number(tier.guide_ns), number(tier.avoid_ns));
            line(
                &format!("tier {level}"),
                format!(
                    "{agents} agents, guiding {guide} and avoiding {avoid} ns each, {} ms a step",
                    number(tier.ms_per_step)
                ),
            );
        }
        line("digest", self.digest.clone());
        let used: Vec<String> = self
            .strategies
            .iter()
            .filter(|s| s.tier.is_none())
            .map(|s| format!("{} {}", s.slot, s.id))
            .collect();
        format!(
            "{} ({})\n{}",
            self.scenario,
            used.join(", "),
            table.render()
        )
    }
}

/// The most memory that this process has held, bytes, where the system tells.
pub fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
