//! Who walked where: what the experiments on route choice share.

use std::collections::BTreeMap;

use glam::DVec2;
use throng::Simulation;

use super::Study;
use crate::{
    draw::{Caption, Drawn, Tracks, draw_run},
    failure::Failure,
};

/// One person's walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The source that it came from.
    pub source: u32,
    /// Where it began, in plan.
    pub from: DVec2,
    /// Where it was seen last.
    pub last: DVec2,
    /// The first of the watched openings that it passed.
    pub opening: Option<usize>,
    /// When it was seen first, seconds.
    pub began: f64,
    /// When it was seen last, seconds.
    pub until: f64,
    /// Metres walked.
    pub walked: f64,
    /// How often its route changed.
    pub switches: u32,
    /// Largest distance in y from where it began.
    pub aside: f64,
    /// Sum of y over the looks at which it was in an opening, and how many there were.
    pub within: (f64, u32),
}

impl Walk {
    /// Mean y while it was in an opening.
    pub fn mean_y(&self) -> Option<f64> {
        (self.within.1 > 0).then(|| self.within.0 / f64::from(self.within.1))
    }
}

/// Everybody's walks.
#[derive(Clone, Debug, Default)]
pub struct Walks {
    walks: BTreeMap<u64, Walk>,
    now: f64,
}

impl Walks {
    /// Takes in the state after a step; `opening` says which opening a place is in.
    pub fn watch(&mut self, simulation: &Simulation, opening: impl Fn(DVec2) -> Option<usize>) {
        self.now = simulation.time();
        let agents = simulation.agents();
        for row in 0..agents.len() {
            let at = simulation.world_point(agents.location[row]).truncate();
            let record = &agents.record[row];
            let walk = self.walks.entry(agents.id[row]).or_insert(Walk {
                source: record.source,
                from: at,
                last: at,
                opening: None,
                began: self.now,
                until: self.now,
                walked: 0.0,
                switches: 0,
                aside: 0.0,
                within: (0.0, 0),
            });
            walk.last = at;
            if let Some(found) = opening(at) {
                walk.opening = walk.opening.or(Some(found));
                walk.within = (walk.within.0 + at.y, walk.within.1 + 1);
            }
            walk.until = self.now;
            walk.walked = agents.walked[row];
            walk.switches = record.switches;
            walk.aside = walk.aside.max((at.y - walk.from.y).abs());
        }
    }

    /// Those who came from a source.
    pub fn of(&self, source: u32) -> impl Iterator<Item = &Walk> {
        self.walks.values().filter(move |w| w.source == source)
    }

    /// Everybody.
    pub fn all(&self) -> impl Iterator<Item = &Walk> {
        self.walks.values()
    }

    /// Whether a walk has ended: nobody stays who has arrived.
    pub fn has_ended(&self, walk: &Walk) -> bool {
        walk.until < self.now
    }

    /// Minutes walked by everybody together.
    pub fn minutes(&self) -> f64 {
        self.all().map(|w| (w.until - w.began) / 60.0).sum()
    }
}

/// The mean of some numbers, or nothing of none.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// The share of some walks that passed an opening first, of those that passed any.
pub fn share<'a>(walks: impl Iterator<Item = &'a Walk>, opening: usize) -> Option<f64> {
    mean(
        walks
            .filter_map(|w| w.opening)
            .map(|o| f64::from(u8::from(o == opening))),
    )
}

/// Which opening of the scene `two-openings` a place is in: the lower is 0, the upper 1.
pub fn two_openings(at: DVec2) -> Option<usize> {
    (at.x > 24.0 && at.x < 26.0).then(|| usize::from(at.y > 13.0))
}

/// The scenario of Figure 17.1: a crowd of `crowd` at the lower of two openings and some people
/// behind it. `rest` holds the tables `[cost]` and, if wanted, `[replan]`.
pub fn two_openings_scenario(crowd: u32, behind: u32, rest: &str) -> String {
    format!(
        r#"
        name = "two-openings"
        seed = 17
        dt = 0.1
        duration = 600.0
        [environment]
        generate = "two-openings"
        lower = 1.1
        [nav]
        kind = "grid"
        cell = 0.5
        [planner]
        kind = "astar"
        smoothing = "cost-aware"
        [avoidance]
        kind = "orca"
        [profile.walker]
        radius = 0.24
        speed = {{ normal = [1.34, 0.15, 0.9, 1.8] }}
        [[source]]
        area = "a"
        count = {crowd}
        goals = ["goal"]
        profile = "walker"
        [[source]]
        area = "b"
        count = {behind}
        goals = ["goal"]
        profile = "walker"
        {rest}
        "#
    )
}

/// A picture of a run as it is at one time: where everybody is and has been.
#[derive(Debug)]
pub struct Shot {
    tracks: Tracks,
    at: f64,
    title: String,
    sources: Vec<String>,
    drawn: Option<Result<Drawn, Failure>>,
}

impl Shot {
    /// To be taken at a time in seconds; the sources' names stand in the key.
    pub fn new(simulation: &Simulation, at: f64, title: &str, sources: &[&str]) -> Shot {
        let floors = [String::new()];
        Shot {
            tracks: Tracks::new(simulation, simulation.scenario(), &floors),
            at,
            title: title.to_owned(),
            sources: sources.iter().map(|s| (*s).to_owned()).collect(),
            drawn: None,
        }
    }

    /// Takes in the state after a step.
    pub fn watch(&mut self, simulation: &Simulation) {
        if self.drawn.is_none() {
            self.tracks.observe(simulation);
            if simulation.time() >= self.at - 1e-9 {
                self.drawn = Some(self.draw(simulation));
            }
        }
    }

    fn draw(&self, simulation: &Simulation) -> Result<Drawn, Failure> {
        let caption = Caption {
            title: self.title.clone(),
            subtitle: format!(
                "after {:.0} s: {} walking, {} arrived",
                simulation.time(),
                simulation.agents().len(),
                simulation.metrics().arrived
            ),
            sources: self.sources.clone(),
        };
        draw_run(simulation, &self.tracks, &caption, false)
    }

    /// Hands the picture to a study; one of the end if its time never came.
    pub fn give(
        mut self,
        study: &mut Study,
        simulation: &Simulation,
        name: &str,
    ) -> Result<(), Failure> {
        let drawn = match self.drawn.take() {
            Some(drawn) => drawn,
            None => self.draw(simulation),
        };
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '.' {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        study.picture(&name.replace("--", "-"), &drawn?)
    }
}
