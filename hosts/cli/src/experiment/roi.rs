//! What the experiments on regions of interest share: a town with flows, and how fast it steps.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use glam::{DVec2, Vec2};
use throng::{
    Event, Simulation, Spot,
    core::{Frame, Location, math},
};
use throng_kit::Walk;

use super::Study;
use crate::{
    draw::{Axis, Chart, Colour, Drawn, Labels},
    failure::Failure,
};

/// A town with people to and fro.
#[derive(Clone, Debug)]
pub struct Town {
    /// Side of the town, metres.
    pub side: f64,
    /// Buildings in it.
    pub buildings: usize,
    /// Flows: two sets of people each, to and fro.
    pub flows: usize,
    /// People in all.
    pub people: usize,
    /// Side of the cells of fields, metres.
    pub cell: f64,
    /// Further tables of the scenario: regions, tiers, cars.
    pub more: String,
    /// Further keys of the planner's own table.
    pub planner: String,
}

/// Tiers as the paper uses them: fields, avoidance alone, nothing.
pub const TIERS: &str = r#"
    [lod]
    kind = "roi"
    [[tier]]
    level = 0
    guide = { kind = "potential-field", cell = CELL }
    [[tier]]
    level = 1
    [[tier]]
    level = 2
    avoidance = { kind = "none" }
    follow = "linear"
"#;

impl Town {
    /// A place on the ring road, by share of a turn.
    pub fn on_ring(&self, share: f64) -> DVec2 {
        let angle = share * std::f64::consts::TAU;
        let way = DVec2::new(math::cos(angle), math::sin(angle));
        // Out to the square of the ring road.
        let out = way / way.x.abs().max(way.y.abs());
        DVec2::splat(self.side / 2.0) + out * (self.side / 2.0 - 4.0)
    }

    /// Its scenario.
    pub fn scenario(&self) -> String {
        let mut text = format!(
            r#"
            name = "town"
            seed = 11
            dt = 0.1
            duration = 1000000.0
            [environment]
            generate = "city"
            side = {side:.1}
            polygons = {buildings}
            vertices = {vertices}
            [nav]
            kind = "nav-graph"
            [planner]
            {planner}
            [replan]
            alternatives = 3
            [avoidance]
            kind = "short-term"
            [follow]
            kind = "seek"
            [metrics]
            every = 1000.0
            {more}
            "#,
            side = self.side,
            buildings = self.buildings,
            vertices = self.buildings * 8,
            planner = self.planner,
            more = self.more.replace("CELL", &format!("{:.1}", self.cell)),
        );
        for flow in 0..self.flows {
            let share = flow as f64 / (2 * self.flows) as f64;
            let (a, b) = (self.on_ring(share), self.on_ring(share + 0.5));
            let each = self.people / (2 * self.flows);
            for (from, to) in [(a, b), (b, a)] {
                text += &format!(
                    r#"
                    [[source]]
                    area = "everything"
                    count = {each}
                    goals = [[{:.2}, {:.2}], [{:.2}, {:.2}]]
                    reach = 3.0
                    choose = "order"
                    at_goal = "again"
                    "#,
                    to.x, to.y, from.x, from.y
                );
            }
        }
        text
    }
}

/// How fast a simulation steps.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Steps per second.
    pub steps_per_second: f64,
    /// Mean number of agents in the tier of the lowest level.
    pub inside: f64,
    /// Nanoseconds per agent and step, all stages.
    pub ns_per_agent: f64,
    /// Nanoseconds of guiding and avoiding per agent and step of the tier of the highest level.
    pub cheapest: f64,
    /// Nanoseconds per agent and step of every stage.
    pub stages: Vec<(&'static str, f64)>,
}

impl Pace {
    /// Nanoseconds that somebody of the highest level costs in a step over all stages: guiding and
    /// avoiding by the clock of its tier, every other stage by its share among all people. Fields
    /// are made for the people of level 0 only and left out.
    pub fn of_cheapest(&self) -> f64 {
        let of_tiers = ["guide", "avoidance", "neighbours", "prepare"];
        let shared = self.stages.iter().filter(|s| !of_tiers.contains(&s.0));
        shared.map(|s| s.1).sum::<f64>() + self.cheapest
    }
}

/// Steps a scenario for a while and then against the clock; `each` may command it.
pub fn pace(
    study: &Study,
    scenario: &str,
    mut each: impl FnMut(&mut Simulation),
) -> Result<Pace, Failure> {
    let mut simulation = study.simulation(scenario)?;
    for _ in 0..study.size(30, 5) {
        each(&mut simulation);
        simulation.step()?;
    }
    let steps = study.size(150, 10);
    let inside = |s: &Simulation| s.metrics().tiers.first().map_or(0, |t| t.agent_steps);
    let before = inside(&simulation);
    let cheapest = |s: &Simulation| s.metrics().tiers.last().copied().unwrap_or_default();
    let cheapest_before = cheapest(&simulation);
    let stages_before = simulation.stage_millis();
    let began = Instant::now();
    for _ in 0..steps {
        each(&mut simulation);
        simulation.step()?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let agents = simulation.agents().len().max(1) as f64;
    let (from, to) = (cheapest_before, cheapest(&simulation));
    let spent = to.guide_nanos + to.avoid_nanos - from.guide_nanos - from.avoid_nanos;
    let per_agent = 1e6 / (f64::from(steps) * agents);
    let stages = simulation.stage_millis().into_iter().zip(stages_before);
    Ok(Pace {
        stages: stages
            .map(|((name, now), (_, before))| (name, (now - before) * per_agent))
            .collect(),
        cheapest: spent as f64 / (to.agent_steps - from.agent_steps).max(1) as f64,
        steps_per_second: f64::from(steps) / seconds,
        inside: (inside(&simulation) - before) as f64 / f64::from(steps),
        ns_per_agent: seconds * 1e9 / (f64::from(steps) * agents),
    })
}

/// What became of people who were watched for three seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turns {
    /// How often somebody was watched who walked.
    pub watched: u64,
    /// How many of them were half a metre back on the way that they had come afterwards, with the
    /// same goal. Velocities of single steps say nothing: people are pushed.
    pub back: u64,
    /// How many of those were farther from their goal then, by a metre or more of the shortest
    /// walk: the others turned because their way does.
    pub away: u64,
}

/// What became of the people who left level 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaving {
    /// Those who left level 0.
    pub left: Turns,
    /// Those who had not been at level 0 for ten seconds: as often as anybody turns.
    pub elsewhere: Turns,
    /// People off the ground or without a way, at the end.
    pub lost: u64,
    /// Changes of tier.
    pub changes: u64,
    /// Largest change of velocity in a step in which the tier changed, metres per second, of people
    /// whom no wall stopped.
    pub jump: f64,
    /// Those whom a wall stopped in that step: the part of their velocity into it ends at once, at
    /// any tier.
    pub at_walls: u64,
    /// Largest change of velocity along the wall of those.
    pub jump_at_walls: f64,
    /// Arrivals at goals.
    pub arrivals: u64,
}

/// Somebody who is watched.
struct Watched {
    /// The step at which it is looked at again.
    asked: u64,
    /// Where it was.
    at: Vec2,
    /// The way that it had come, unit length.
    way: Vec2,
    goal: u32,
    /// Whether it had left level 0.
    left: bool,
}

/// Length of the shortest walk between two places; endless if there is none.
fn walk(simulation: &Simulation, from: Vec2, to: Vec2) -> f64 {
    let origin = simulation.ground().origin.truncate();
    let spot = |at: Vec2| {
        let at = origin + at.as_dvec2();
        Spot::Plan(at.x, at.y)
    };
    let path = simulation.path(spot(from), spot(to), 0.24);
    path.map_or(f64::INFINITY, |path| {
        let pieces = path.points.windows(2);
        pieces.map(|ends| ends[0].distance(ends[1])).sum()
    })
}

/// Unit direction along the nearest wall within reach of a place on flat ground.
fn wall_about(simulation: &Simulation, at: Location, reach: f32) -> Option<Vec2> {
    let mut walls = Vec::new();
    let ground = simulation.ground();
    ground.walls_near(at, Frame::FLAT, reach, &mut walls);
    let wall = walls.first()?;
    Some((wall.b - wall.a).normalize_or_zero())
}

/// Walks a scenario for some seconds and watches who changes tiers; `each` may command it.
pub fn leaving(
    study: &Study,
    scenario: &str,
    seconds: f64,
    mut each: impl FnMut(&mut Simulation),
) -> Result<Leaving, Failure> {
    /// The way that somebody comes is that of so many steps; twice as many later it is looked at
    /// again.
    const WAY: u64 = 15;
    /// Who has not been at level 0 for so many steps is elsewhere.
    const LONG_AGO: u64 = 100;
    let mut simulation = study.simulation(scenario)?;
    let dt = simulation.scenario().dt as f32;
    let mut found = Leaving::default();
    let mut watched: BTreeMap<u64, Watched> = BTreeMap::new();
    let mut inside: BTreeMap<u64, u64> = BTreeMap::new();
    let mut past: VecDeque<BTreeMap<u64, Vec2>> = VecDeque::new();
    let mut before: BTreeMap<u64, (Vec2, Location)> = BTreeMap::new();
    while simulation.time() < seconds {
        each(&mut simulation);
        let agents = simulation.agents();
        before.clear();
        let rows = 0..agents.len();
        before
            .extend(rows.map(|row| (agents.id[row], (agents.velocity[row], agents.location[row]))));
        simulation.step()?;
        let step = simulation.steps();
        let changed: BTreeMap<u64, bool> = simulation
            .events()
            .iter()
            .filter_map(|event| match event {
                Event::TierChanged { agent, from, to } => Some((agent.0, *from == 0 && *to > 0)),
                _ => None,
            })
            .collect();
        found.changes += changed.len() as u64;
        let agents = simulation.agents();
        let place = |row: usize| agents.location[row].point.truncate();
        for row in 0..agents.len() {
            let (id, at) = (agents.id[row], place(row));
            if let Some(then) = watched.get(&id).filter(|then| then.asked == step) {
                let turns = if then.left {
                    &mut found.left
                } else {
                    &mut found.elsewhere
                };
                if agents.goal[row] == then.goal && then.way.dot(at - then.at) < -0.5 {
                    turns.back += 1;
                    let target = agents.target[row].point.truncate();
                    let to_goal = |from: Vec2| walk(&simulation, from, target);
                    turns.away += u64::from(to_goal(at) > to_goal(then.at) + 1.0);
                }
                watched.remove(&id);
            }
            if agents.tier[row] == 0 {
                inside.insert(id, step);
            }
            let Some(&(was, stood)) = before.get(&id) else {
                continue;
            };
            if changed.contains_key(&id) {
                let jump = agents.velocity[row] - was;
                let reach = agents.radius[row] + (was.length() + jump.length()) * dt + 0.05;
                match wall_about(&simulation, stood, reach) {
                    Some(along) => {
                        found.at_walls += 1;
                        let jump = f64::from(jump.dot(along).abs());
                        found.jump_at_walls = found.jump_at_walls.max(jump);
                    }
                    None => found.jump = found.jump.max(f64::from(jump.length())),
                }
            }
            let left = changed.get(&id) == Some(&true);
            let long_ago = inside.get(&id).is_none_or(|last| last + LONG_AGO < step);
            let elsewhere = step % (2 * WAY) == 0 && long_ago;
            if (left || elsewhere)
                && was.length() > 0.5
                && let Some(from) = past.front().and_then(|places| places.get(&id))
            {
                let turns = if left {
                    &mut found.left
                } else {
                    &mut found.elsewhere
                };
                turns.watched += 1;
                let who = Watched {
                    asked: step + 2 * WAY,
                    at,
                    way: (at - *from).normalize_or_zero(),
                    goal: agents.goal[row],
                    left,
                };
                watched.insert(id, who);
            }
        }
        if past.len() == WAY as usize {
            past.pop_front();
        }
        let places = (0..agents.len()).map(|row| (agents.id[row], place(row)));
        past.push_back(places.collect());
    }
    let metrics = simulation.metrics();
    found.lost = metrics.lost + simulation.unreachable_now() as u64;
    found.arrivals = metrics.arrivals;
    Ok(found)
}

/// Regions of level 0 of 15 m at places spread over a town, as tables.
pub fn regions(town: &Town, count: usize) -> String {
    let middle = DVec2::splat(town.side / 2.0);
    let ring = town.side / 4.0;
    let place = |i: usize| match i {
        0 => middle,
        i => {
            let angle = (i - 1) as f64 / 4.0 * std::f64::consts::TAU;
            middle + DVec2::new(math::cos(angle), math::sin(angle)) * ring
        }
    };
    let table = |at: DVec2| format!("[[roi]]\nat = [{:.1}, {:.1}]\nradius = 15.0\n", at.x, at.y);
    (0..count).map(|i| table(place(i))).collect()
}

/// Lines over one axis, a colour each.
pub fn lines(labels: Labels<'_>, series: &[(String, Vec<(f64, f64)>)]) -> Result<Drawn, Failure> {
    const COLOURS: [Colour; 5] = [
        Colour(31, 119, 180, 255),
        Colour(214, 39, 40, 255),
        Colour(44, 160, 44, 255),
        Colour(148, 103, 189, 255),
        Colour(255, 127, 14, 255),
    ];
    let all = || series.iter().flat_map(|s| &s.1);
    let most = |of: fn(&(f64, f64)) -> f64| all().map(of).fold(0.0, f64::max);
    let coloured = || series.iter().zip(COLOURS.into_iter().cycle());
    let key: Vec<_> = coloured().map(|(s, c)| (s.0.clone(), c)).collect();
    let mut chart = Chart::new(
        labels,
        Axis::covering(most(|p| p.0), 12),
        Axis::covering(most(|p| p.1), 8),
        &key,
    )?;
    for ((_, points), colour) in coloured() {
        chart.line(points, 2.0, colour);
        for (x, y) in points {
            chart.spot(*x, *y, "", colour);
        }
    }
    chart.finish()
}
