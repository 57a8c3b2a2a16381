//! Sources: who comes into the world when, where and with what wishes.

use std::collections::HashMap;

use glam::{IVec3, Vec2, Vec3};
use throng_core::{
    Frame, GroundView, Location, NONE, NavRepresentation,
    random::{Purpose, Stream},
};
use throng_kit::Walk;

use crate::{
    agents::{AgentId, Doing, Record},
    areas::Area,
    classes::TooManyClasses,
    scenario::{AtGoal, Choose, Distribution, Goals, Scenario, SourceSpec},
    state::{Place, State},
    walking::Chart,
};

/// Room left between two bodies at their start, metres.
const GAP: f32 = 0.02;
/// Draws of a random place before one of another part of the ground is given up.
const PART_TRIES: u32 = 256;
/// Draws of a start before a source waits for the next step.
const TRIES: u32 = 64;

/// A source of people with its areas resolved.
#[derive(Clone, Debug)]
pub struct Source {
    /// What the scenario says.
    pub spec: SourceSpec,
    /// The area where they start.
    pub area: u32,
    /// The areas they go to; none for random or opposite places.
    pub goals: Option<Vec<u32>>,
    /// Index of their profile.
    pub profile: usize,
    /// People made so far.
    pub made: u64,
    /// Of those, still there.
    pub alive: u64,
}

impl Source {
    /// A source that has made nobody yet.
    pub fn new(spec: SourceSpec, area: u32, goals: Option<Vec<u32>>, profile: usize) -> Source {
        Source {
            spec,
            area,
            goals,
            profile,
            made: 0,
            alive: 0,
        }
    }

    /// How many are due at a time.
    pub fn due(&self, time: f64) -> u64 {
        if time + 1e-9 < self.spec.start {
            return 0;
        }
        let left = self
            .spec
            .count
            .map_or(u64::MAX, |c| c.saturating_sub(self.made));
        let until = self.spec.stop.map_or(time, |stop| stop.min(time));
        let by_rate = match self.spec.rate {
            Some(rate) => {
                let ought = ((until - self.spec.start) * rate + 1e-9).floor().max(0.0) as u64;
                ought.saturating_sub(self.made)
            }
            None if self.spec.hold.is_some() || self.spec.count.is_some() => u64::MAX,
            None => 0,
        };
        let by_hold = self
            .spec
            .hold
            .map_or(u64::MAX, |hold| hold.saturating_sub(self.alive));
        let closed = self.spec.stop.is_some_and(|stop| time > stop + 1e-9);
        match (
            closed && self.spec.rate.is_none(),
            by_rate.min(by_hold).min(left),
        ) {
            (true, _) => 0,
            (false, u64::MAX) => 0,
            (false, due) => due,
        }
    }
}

/// Bodies by place, for finding free starts. Only looked up, never iterated.
#[derive(Debug, Default)]
pub struct Occupancy {
    heads: HashMap<IVec3, u32>,
    next: Vec<u32>,
    bodies: Vec<(Vec3, f32)>,
    /// Movers, which are larger than a cell.
    cars: Vec<(Vec3, f32)>,
}

impl Occupancy {
    const CELL: f32 = 1.0;

    fn cell(point: Vec3) -> IVec3 {
        (point / Self::CELL).floor().as_ivec3()
    }

    fn clear(&mut self) {
        self.heads.clear();
        self.next.clear();
        self.bodies.clear();
        self.cars.clear();
    }

    fn add(&mut self, point: Vec3, radius: f32) {
        let index = self.bodies.len() as u32;
        let head = self.heads.insert(Self::cell(point), index).unwrap_or(NONE);
        self.bodies.push((point, radius));
        self.next.push(head);
    }

    fn is_free(&self, point: Vec3, radius: f32) -> bool {
        let under = |&(car, wide): &(Vec3, f32)| {
            let apart = radius + wide + GAP;
            car.distance_squared(point) < apart * apart
        };
        if self.cars.iter().any(under) {
            return false;
        }
        let centre = Self::cell(point);
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -1..=1 {
                    let cell = centre + IVec3::new(x, y, z);
                    let mut at = self.heads.get(&cell).copied().unwrap_or(NONE);
                    while at != NONE {
                        let (other, wide) = self.bodies[at as usize];
                        let apart = radius + wide + GAP;
                        if other.distance_squared(point) < apart * apart {
                            return false;
                        }
                        at = self.next[at as usize];
                    }
                }
            }
        }
        true
    }
}

/// A person drawn from a profile.
#[derive(Clone, Copy, Debug)]
pub struct Person {
    radius: f32,
    speed: f32,
    max_speed: f32,
    mass: f32,
    height: f32,
    lane: f32,
    weight: f32,
}

impl Person {
    /// Draws the person with this serial number.
    pub fn draw(scenario: &Scenario, profile: usize, serial: u64) -> Person {
        let p = &scenario.profiles[profile];
        let mut stream = Stream::new(scenario.seed, serial, Purpose::Profile, 0);
        let radius = p.radius.draw(&mut stream) as f32;
        let speed = p.speed.draw(&mut stream) as f32;
        let weight = p
            .weight
            .unwrap_or(Distribution::Fixed(scenario.cost.weight))
            .draw(&mut stream) as f32;
        Person {
            radius,
            speed,
            max_speed: p
                .max_speed
                .map_or(speed * 1.5, |d| (d.draw(&mut stream) as f32).max(speed)),
            mass: p.mass.draw(&mut stream) as f32,
            height: p.height.draw(&mut stream) as f32,
            lane: p.offset.draw(&mut stream) as f32,
            weight,
        }
    }
}

/// Makes people and sends them to goals.
#[derive(Debug, Default)]
pub struct Spawner {
    occupancy: Occupancy,
    /// People made so far, over all sources.
    pub serial: u64,
}

impl Spawner {
    /// Lets every source make those that are due. Gives how many were made.
    pub fn spawn(
        &mut self,
        sources: &mut [Source],
        scenario: &Scenario,
        place: &Place,
        nav: &dyn NavRepresentation,
        state: &mut State,
        mut added: impl FnMut(AgentId),
    ) -> Result<u64, TooManyClasses> {
        let time = state.time();
        if sources.iter().all(|s| s.due(time) == 0) {
            return Ok(0);
        }
        self.occupancy.clear();
        for (at, radius) in state.agents.location.iter().zip(&state.agents.radius) {
            self.occupancy.add(at.point, *radius);
        }
        for mover in &state.movers {
            let car = mover.view(place.ground.view(), time);
            self.occupancy.cars.push((car.at, car.radius));
        }
        let mut made = 0;
        for (index, source) in sources.iter_mut().enumerate() {
            let due = source.due(time);
            state.agents.reserve(due.min(1 << 20) as usize);
            let mut left = due;
            while left > 0 {
                let size = self.group_size(source, scenario.seed);
                let cap = source.spec.count.map_or(u64::MAX, |c| c - source.made);
                let size = size.min(cap);
                let Some(first) = self.find_start(source, scenario, place, None) else {
                    break;
                };
                let group = if size > 1 {
                    state.groups += 1;
                    state.groups - 1
                } else {
                    NONE
                };
                let leader = self.serial;
                let (id, person) = self.add(
                    source,
                    index as u32,
                    scenario,
                    place,
                    nav,
                    state,
                    first,
                    group,
                    None,
                )?;
                added(id);
                made += 1;
                for _ in 1..size {
                    let near = self
                        .find_start(source, scenario, place, Some(first))
                        .or_else(|| self.find_start(source, scenario, place, None));
                    let Some(start) = near else { break };
                    let with = Some((leader, person, first));
                    let (id, _) = self.add(
                        source,
                        index as u32,
                        scenario,
                        place,
                        nav,
                        state,
                        start,
                        group,
                        with,
                    )?;
                    added(id);
                    made += 1;
                }
                left = left.saturating_sub(size);
            }
        }
        Ok(made)
    }

    fn group_size(&self, source: &Source, seed: u64) -> u64 {
        let sizes = &source.spec.group_sizes;
        let total: f64 = sizes.iter().sum();
        if sizes.is_empty() || total <= 0.0 {
            return 1;
        }
        let mut at = Stream::new(seed, self.serial, Purpose::Group, 0).unit_f64() * total;
        for (i, weight) in sizes.iter().enumerate() {
            at -= weight;
            if at < 0.0 {
                return i as u64 + 1;
            }
        }
        sizes.len() as u64
    }

    /// A free start for the next person, in the source's area or near somebody.
    fn find_start(
        &self,
        source: &Source,
        scenario: &Scenario,
        place: &Place,
        near: Option<Location>,
    ) -> Option<Location> {
        let ground = place.ground.view();
        let area = &place.areas[source.area as usize];
        let radius = Person::draw(scenario, source.profile, self.serial).radius;
        let mut stream = Stream::new(scenario.seed, self.serial, Purpose::Start, source.made);
        for _ in 0..TRIES {
            let start = match near {
                None => area.draw(ground, &mut stream, TRIES)?,
                Some(leader) => {
                    let frame = ground.frame_at(leader);
                    let offset = Vec2::new(stream.unit() - 0.5, stream.unit() - 0.5) * 3.0;
                    ground.advance(leader, frame, offset, radius).to
                }
            };
            let fits = source.spec.overlap
                || ground.distance_to_wall(start, radius) >= radius
                    && self.occupancy.is_free(start.point, radius);
            if fits {
                return Some(start);
            }
        }
        None
    }

    /// Adds a person at a place. `with` is the group's leader: same speed, same goal.
    fn add(
        &mut self,
        source: &mut Source,
        index: u32,
        scenario: &Scenario,
        place: &Place,
        nav: &dyn NavRepresentation,
        state: &mut State,
        start: Location,
        group: u32,
        with: Option<(u64, Person, Location)>,
    ) -> Result<(AgentId, Person), TooManyClasses> {
        let serial = self.serial;
        self.serial += 1;
        source.made += 1;
        source.alive += 1;
        let mut person = Person::draw(scenario, source.profile, serial);
        if let Some((_, leader, _)) = with {
            person.speed = leader.speed;
            person.max_speed = leader.max_speed;
            person.weight = leader.weight;
        }
        self.occupancy.add(start.point, person.radius);
        let ground = place.ground.view();
        let (row, id) = add_person(state, ground, start, &person, source.profile)?;
        let mut wait = Stream::new(scenario.seed, serial, Purpose::Source, 0);
        let premovement = source.spec.premovement.draw(&mut wait).max(0.0);
        let a = &mut state.agents;
        a.group[row] = group;
        if premovement > 0.0 {
            a.doing[row] = Doing::Waiting;
        }
        a.record[row] = Record {
            born: state.step,
            sets_off: state.step + (premovement / f64::from(state.dt)).round() as u64,
            leg_began: state.step,
            source: index,
            profile: source.profile as u16,
            stall_from: start.point.to_array(),
            ..Record::default()
        };
        let (key, from) = with.map_or((serial, start), |(leader, _, from)| (leader, from));
        let (goal, target) = choose_goal(source, place, nav, state, key, 0, from, person.radius);
        let a = &mut state.agents;
        a.goal[row] = goal;
        a.target[row] = target;
        let to = Frame::to_tangent(
            &a.frame[row],
            ground.normals[start.triangle as usize],
            target.point - start.point,
        );
        a.heading[row] = to.normalize_or(Vec2::X);
        Ok((id, person))
    }

    /// Adds one person of a profile for a command.
    pub fn add_one(
        &mut self,
        scenario: &Scenario,
        place: &Place,
        state: &mut State,
        start: Location,
        profile: usize,
    ) -> Result<(usize, AgentId), TooManyClasses> {
        let person = Person::draw(scenario, profile, self.serial);
        self.serial += 1;
        let (row, id) = add_person(state, place.ground.view(), start, &person, profile)?;
        state.agents.record[row] = Record {
            born: state.step,
            sets_off: state.step,
            leg_began: state.step,
            source: NONE,
            profile: profile as u16,
            stall_from: start.point.to_array(),
            ..Record::default()
        };
        Ok((row, id))
    }
}

fn add_person(
    state: &mut State,
    ground: GroundView<'_>,
    start: Location,
    person: &Person,
    profile: usize,
) -> Result<(usize, AgentId), TooManyClasses> {
    let class = state.classes.class_of(
        profile as u32,
        &state.bins[profile],
        person.speed,
        person.weight,
        person.radius,
    )?;
    let a = &mut state.agents;
    let (row, id) = a.add();
    state.memory.add();
    a.location[row] = start;
    a.before[row] = start;
    a.frame[row] = ground.frame_at(start);
    a.radius[row] = person.radius;
    a.speed[row] = person.speed;
    a.max_speed[row] = person.max_speed;
    a.mass[row] = person.mass;
    a.height[row] = person.height;
    a.lane[row] = person.lane;
    a.weight[row] = person.weight;
    a.class[row] = class;
    Ok((row, id))
}

/// The goal of a leg and the place in it: the same for all members of a group who come from the
/// same place. The nearest goal is that with the shortest way over the map, or in a straight line
/// where the planner knows no map or no goal can be reached.
pub fn choose_goal(
    source: &Source,
    place: &Place,
    nav: &dyn NavRepresentation,
    state: &mut State,
    serial: u64,
    leg: u32,
    from: Location,
    radius: f32,
) -> (u32, Location) {
    let ground = place.ground.view();
    let mut stream = Stream::new(state.seed, serial, Purpose::Goal, u64::from(leg));
    let Some(goals) = source.goals.as_deref().filter(|g| !g.is_empty()) else {
        let opposite = match source.spec.goals {
            Goals::Opposite => place.areas[source.area as usize].opposite(ground, from),
            _ => None,
        };
        // On a ground of several parts, a place of one's own part.
        let reachable = |to: &Location| match (place.part.get(from.triangle as usize), to.triangle)
        {
            (Some(own), there) if there != NONE => place.part[there as usize] == *own,
            _ => true,
        };
        let mut draw = || roomy(&place.everywhere, ground, &mut stream, radius);
        let target = opposite
            .or_else(|| (0..PART_TRIES).find_map(|_| draw().filter(&reachable)))
            .unwrap_or(from);
        return (NONE, target);
    };
    let goal = match source.spec.choose {
        Choose::Order => goals[leg as usize % goals.len()],
        Choose::Random => goals[stream.below(goals.len())],
        Choose::Nearest if goals.len() == 1 => goals[0],
        Choose::Nearest => nearest_goal(source, goals, place, nav, state, from),
    };
    let area = &place.areas[goal as usize];
    let target = roomy(area, ground, &mut stream, radius).unwrap_or(area.anchor);
    (goal, state.holds.approach(goal).unwrap_or(target))
}

fn nearest_goal(
    source: &Source,
    goals: &[u32],
    place: &Place,
    nav: &dyn NavRepresentation,
    state: &mut State,
    from: Location,
) -> u32 {
    let chart = Chart {
        site: place.site(),
        nav,
        map: &state.map,
        goals: &state.goals,
        nodes: &state.goal_nodes,
    };
    let radius = state.bins[source.profile].radius.typical as f32;
    let mut best = (true, f32::INFINITY, f32::INFINITY, goals[0]);
    for &goal in goals {
        let area = &place.areas[goal as usize];
        // After an arrival the nearest goal is the one just reached: the others count.
        let here = source.spec.at_goal == AtGoal::Again && area.contains(chart.site.ground, from);
        let profile = source.profile as u32;
        let far = state.walking.metres_to(&chart, goal, profile, radius, from);
        let straight = area.anchor.point.distance(from.point);
        if (here, far, straight) < (best.0, best.1, best.2) {
            best = (here, far, straight, goal);
        }
    }
    best.3
}

/// A place of an area where a body of this radius can stand, if a few draws find one.
fn roomy(
    area: &Area,
    ground: GroundView<'_>,
    stream: &mut Stream,
    radius: f32,
) -> Option<Location> {
    let mut last = None;
    for _ in 0..16 {
        let place = area.draw(ground, stream, TRIES)?;
        if ground.distance_to_wall(place, radius) >= radius {
            return Some(place);
        }
        last = Some(place);
    }
    last
}
