//! The end of a step: who entered, who arrived, what is measured.

use throng_core::{NONE, NoRoute};

use super::{OVERLAP_DEPTH, Simulation};
use crate::{
    agents::{AgentId, Doing},
    command::Event,
    memory::CHUNK,
    scenario::{AtGoal, Choose},
    source::choose_goal,
    state::State,
    step::advance::{NEITHER, WAITS},
};

/// Seconds over which stalling is judged.
const STALL_SECONDS: f64 = 5.0;
/// The way that must be made in them, metres: a shoulder's width.
const STALL_WAY: f32 = 0.45;

impl Simulation {
    pub(super) fn report_entries(&mut self) {
        let (ground, a) = (self.place.ground.view(), &self.state.agents);
        for &area in &self.watched {
            let shape = &self.place.areas[area as usize];
            for row in 0..a.len() {
                if shape.contains(ground, a.location[row]) && !shape.contains(ground, a.before[row])
                {
                    let agent = AgentId(a.id[row]);
                    self.events.push(Event::EnteredArea { agent, area });
                }
            }
        }
    }

    pub(super) fn settle_arrivals(&mut self) {
        // From the last row to the first: removal moves the last row into the gap.
        let count = self.work.arrived.len();
        for first in (0..count).step_by(CHUNK).rev() {
            let rows = first..count.min(first + CHUNK);
            // Mostly nobody of a chunk is anywhere: many are one look.
            let any = self.work.arrived[rows.clone()]
                .iter()
                .fold(NEITHER, |any, at| any | at);
            if any != NEITHER {
                rows.rev().for_each(|row| self.settle_arrival(row));
            }
        }
    }

    fn settle_arrival(&mut self, row: usize) {
        let (step, dt) = (self.state.step, f64::from(self.state.dt));
        let a = &mut self.state.agents;
        match self.work.arrived[row] {
            NEITHER => return,
            WAITS => {
                if step >= a.record[row].sets_off {
                    a.doing[row] = Doing::Walking;
                    a.record[row].leg_began = step;
                }
                return;
            }
            _ => {}
        }
        let (goal, held) = (a.goal[row], a.record[row].hold != NONE);
        if held || self.state.holds.holds(goal) {
            return;
        }
        let walked = step - a.record[row].leg_began;
        self.events.push(Event::Arrived(AgentId(a.id[row])));
        self.metrics.arrive(walked as f64 * dt);
        self.go_on(row);
    }

    /// What an agent does that is done with its goal: leaves, stays or walks to the next one.
    fn go_on(&mut self, row: usize) {
        let step = self.state.step;
        let a = &mut self.state.agents;
        let record = a.record[row];
        let source = self.sources.get_mut(record.source as usize);
        let last_leg = match &source {
            Some(s) => match (&s.goals, s.spec.choose) {
                (Some(goals), Choose::Order) => record.leg as usize + 1 >= goals.len(),
                _ => true,
            },
            None => true,
        };
        let at_goal = source.as_ref().map_or(AtGoal::Keep, |s| s.spec.at_goal);
        match at_goal {
            AtGoal::Remove if last_leg => {
                self.metrics.arrived += 1;
                self.metrics.path_lengths.push(a.walked[row] as f32);
                if let Some(source) = source {
                    source.alive -= 1;
                }
                self.state.remove_row(row);
            }
            AtGoal::Keep if last_leg => {
                a.doing[row] = Doing::Staying;
                self.state.routes.drop_route(&mut self.state.agents, row);
            }
            _ => {
                let leg = record.leg + 1;
                let (from, radius) = (a.location[row], a.radius[row]);
                // Members of a group go to the same place; keys differ from serials.
                let key = match a.group[row] {
                    NONE => a.id[row] | 1 << 63,
                    group => u64::from(group) | 3 << 62,
                };
                if let Some(source) = source {
                    let (place, nav) = (&self.place, &*self.parts.nav);
                    let (goal, target) =
                        choose_goal(source, place, nav, &mut self.state, key, leg, from, radius);
                    let a = &mut self.state.agents;
                    a.goal[row] = goal;
                    a.target[row] = target;
                }
                let a = &mut self.state.agents;
                a.record[row].leg = leg;
                a.record[row].leg_began = step;
                a.doing[row] = Doing::Walking;
                self.state.routes.drop_route(&mut self.state.agents, row);
            }
        }
    }

    /// Queues move up, people are served and wait, those who are done go on.
    pub(super) fn settle_holds(&mut self) {
        if self.state.holds.all.is_empty() {
            return;
        }
        let mut holds = std::mem::take(&mut self.state.holds);
        let done = holds.finish(self.state.step, &mut self.state.agents);
        self.work.done.clear();
        self.work.done.extend_from_slice(done);
        self.state.holds = holds;
        for at in 0..self.work.done.len() {
            let row = self.state.agents.row(AgentId(self.work.done[at]));
            row.into_iter().for_each(|row| self.go_on(row));
        }
        let State {
            step,
            dt,
            seed,
            holds,
            agents,
            routes,
            ..
        } = &mut self.state;
        let (events, metrics) = (&mut self.events, &mut self.metrics);
        let dt = f64::from(*dt);
        let (ground, areas) = (self.place.ground.view(), &self.place.areas);
        holds.settle(
            *step,
            dt,
            *seed,
            ground,
            areas,
            agents,
            routes,
            |agents, row| {
                let walked = *step - agents.record[row].leg_began;
                events.push(Event::Arrived(AgentId(agents.id[row])));
                metrics.arrivals += 1;
                metrics.travel_times.push((walked as f64 * dt) as f32);
            },
        );
    }

    pub(super) fn measure(&mut self) {
        let m = &mut self.metrics;
        for event in &self.events {
            if let Event::Unreachable(_, why) = event {
                let reason = NoRoute::ALL.iter().position(|r| r.reason() == *why);
                reason.into_iter().for_each(|r| m.no_route[r] += 1);
            }
        }
        let state = &mut self.state;
        let dt = f64::from(state.dt);
        let stall_steps = ((STALL_SECONDS / dt).round() as u64).max(1);
        let a = &mut state.agents;
        for slot in a.slots_in_turn(state.step, stall_steps) {
            let Some(row) = a.row_of_slot(slot) else {
                continue;
            };
            let (here, record) = (a.location[row].point, &mut a.record[row]);
            let watched = a.doing[row] == Doing::Walking
                && record.hold == NONE
                && state.step >= record.born.max(record.leg_began) + stall_steps;
            if watched {
                let from = glam::Vec3::from_array(record.stall_from);
                record.stalled = here.distance_squared(from) < STALL_WAY * STALL_WAY;
                m.stall_looks += 1;
                m.stalled += u64::from(record.stalled);
            }
            record.stall_from = here.to_array();
        }
        let every = ((self.scenario.metrics.every / dt).round() as u64).max(1);
        if !state.step.is_multiple_of(every) || state.agents.is_empty() {
            return;
        }
        let ground = self.place.ground.view();
        let a = &state.agents;
        // Nobody's record is looked at where nobody is held up.
        let holds = !state.holds.all.is_empty();
        for row in 0..a.len() {
            if a.doing[row] == Doing::Walking && !(holds && a.record[row].hold != NONE) {
                let speed = a.velocity[row].length();
                m.speed_sum += f64::from(speed);
                m.speeds.add(speed);
                m.speed_samples += 1;
            }
        }
        let view = a.view(ground.flat);
        // With the reach of avoidance, so that its cells stay as large as it wants them.
        let reach = self.parts.reach().max(1.0);
        self.work
            .grid
            .rebuild(ground, &view, &a.height, &[], reach, &[]);
        let (overlaps, (sum, peak)) =
            self.work
                .grid
                .overlaps_and_density(ground, &view, OVERLAP_DEPTH);
        m.overlap_pairs += overlaps.0;
        m.overlap_deepest = m.overlap_deepest.max(overlaps.1);
        m.density_sum += sum / a.len() as f64;
        m.density_peak = m.density_peak.max(peak);
        m.samples += 1;
    }
}
