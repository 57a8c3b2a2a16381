//! What the experiments on regions of interest share: a town with flows, and how fast it steps.

use std::time::Instant;

use glam::DVec2;
use throng::{Simulation, core::math};

use super::Study;
use crate::failure::Failure;

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
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Steps per second.
    pub steps_per_second: f64,
    /// Mean number of agents in the tier of the lowest level.
    pub inside: f64,
    /// Nanoseconds per agent and step, all stages.
    pub ns_per_agent: f64,
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
    let began = Instant::now();
    for _ in 0..steps {
        each(&mut simulation);
        simulation.step()?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let agents = simulation.agents().len().max(1) as f64;
    Ok(Pace {
        steps_per_second: f64::from(steps) / seconds,
        inside: (inside(&simulation) - before) as f64 / f64::from(steps),
        ns_per_agent: seconds * 1e9 / (f64::from(steps) * agents),
    })
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
