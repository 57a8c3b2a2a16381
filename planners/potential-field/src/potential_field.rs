//! Planner `potential-field`: continuum crowds, over a scene or inside regions of interest.
//!
//! Treuille, Cooper and Popovic 2006 in full, as Yersin, Maim, Morini and Thalmann 2008 use it
//! where they look closely (section 4.3). Every step, on square cells:
//!
//! 1. People are splatted: density and mean velocity per cell (`crowd`).
//! 2. The speed field says how fast one can walk from a cell into each of its four neighbours:
//!    by slope where it is empty, with the flow where it is full, in between in between. Unit
//!    cost is (alpha f + beta + gamma g) / f: length, time and discomfort, which moves with cars.
//! 3. For every set of people with the same goal and class the eikonal equation
//!    |grad phi| = unit cost is solved by fast marching (`solve`).
//! 4. People walk down the upwind gradient at the speed of the field.
//!
//! Cells are coarser than a car: who stands where one will pass leaves by the nearer side of its
//! track, whatever the field says there (`escape`).
//!
//! Inside regions of interest only cells there are solved. The goal is mostly elsewhere: then
//! every vertex of the map just outside is a subgoal whose potential is estimated over the rest
//! of the way by equation 1 of Yersin et al. (`subgoals`). Who stands where no field reaches
//! follows its route. Waypoints are the centres of neighbour cells.

mod cells;
mod crowd;
mod escape;
mod solve;
mod subgoals;

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{
    AgentsView, Attachment, Capabilities, GlobalPlanner, GroundView, GuideChunk, GuideOut, Memory,
    NONE, NoRoute, PlanRequest, PlannerError, RouteSink, Scratch, StateError, World, options,
    register,
};
use throng_kit::search::{Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route};

use cells::Cells;
use crowd::Crowd;
use solve::{Costs, Field};
use subgoals::Subgoals;

throng_core::choices! {
    /// Where fields are solved.
    pub enum Over {
        /// Inside regions of interest of one level; everywhere if there are none.
        Interest = "interest",
        /// Everywhere.
        Everywhere = "everywhere",
    }
}

throng_core::choices! {
    /// What the radius of a vertex is in the estimate of what is left behind a subgoal.
    pub enum Rest {
        /// Half of the way walked in it.
        Length = "length",
        /// That of a disc as large as its region, as printed.
        Radius = "radius",
    }
}

options! {
    /// Continuum crowds.
    pub struct PotentialField {
        /// Side of a cell.
        cell: f32 = 1.0, "m", 0.2..=20.0;
        /// Where fields are solved.
        over: Over = Over::Interest;
        /// The level of the regions of interest inside which fields are solved.
        level: u8 = 0, "", 0..=255;
        /// Steps between two solutions.
        every: u32 = 1, "steps", 1..=1000;
        /// Time between two estimates of what is left behind the subgoals.
        refresh: f32 = 10.0, "s", 0.05..=600.0;
        /// What the radius of a vertex is in that estimate.
        rest: Rest = Rest::Length;
        /// Weight of the length of a way (alpha).
        length: f32 = 1.0, "", 0.0..=100.0;
        /// Weight of its time (beta).
        time: f32 = 1.0, "m/s", 0.0..=100.0;
        /// Weight of its discomfort (gamma).
        discomfort: f32 = 1.0, "", 0.0..=100.0;
        /// Density up to which the crowd does not hinder.
        sparse: f32 = 0.6, "1/m2", 0.0..=10.0;
        /// Density from which one walks as the crowd does.
        dense: f32 = 3.0, "1/m2", 0.1..=20.0;
        /// How sharply people are splatted (lambda): they weigh 1/2^lambda at least in their own cell.
        sharpness: f32 = 2.0, "", 0.5..=10.0;
        /// Slope up which nobody walks any more, as rise over run; down it everybody walks freely.
        steepest: f32 = 0.7, "", 0.05..=10.0;
        /// Seconds ahead for which the ground before a car is uncomfortable.
        warning: f32 = 3.0, "s", 0.0..=60.0;
        /// Speed of who stands before a car, as a share of the wanted one.
        flee: f32 = 1.5, "", 1.0..=5.0;
        /// Most sets of people, each with a field of its own.
        most_sets: u32 = 512, "", 1..=65536;
    }
    state {
        cells: Option<Cells>,
        crowd: Crowd,
        sets: Vec<Set>,
        /// Cells that are solved.
        active: Vec<u32>,
        /// Slot of each cell among those, or NONE.
        slot: Vec<u32>,
        /// Costs of each route class.
        costs: Vec<Costs>,
        /// Where people may stand whose sets matter (see [`Cells::corner_of`]).
        near: Vec<bool>,
        subgoals: Subgoals,
        /// Of the map's revision that it comes with.
        heuristic: Option<(u32, Heuristic)>,
    }
}

/// People with the same goal and class, and their field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    goal: u32,
    class: u32,
    used: bool,
    /// Potential of every node of the map, and whether it is known.
    nodes: Vec<f32>,
    /// Where the field begins: slots and their potentials.
    seeds: Vec<(u32, f32)>,
    /// Cells about the people of the set, then their slots: the field is asked for there.
    wanted: Vec<u32>,
    field: Field,
}

/// How far beyond the border of a region cells are solved, in cells: near it the ways to several
/// subgoals must be known, else all would walk to the nearest.
const RIM: f32 = 3.0;

/// How far beyond the border of a region people are led at least, metres.
const BEYOND: f32 = 2.0;

/// Who is asked to turn round does so after this time, seconds.
const PATIENCE: f32 = 2.0;
/// Who is asked to turn sharply, by an angle of less than this cosine, does so after this time,
/// seconds.
const SHARP: f32 = 0.7;
const BEND_PATIENCE: f32 = 0.5;
/// Beyond this share of a region's radius people turn round after twice the time: what lies
/// beyond the border is estimated only, and who leaves is better led on.
const INNER: f32 = 0.67;
/// Numbers kept per agent: seconds for which the field has pointed back, the step in which it last
/// led (negative: in which it was waited for), and the goal to which.
const SCALARS: usize = 3;
/// The way that people have been led is remembered for about so long, seconds: for bends, and
/// for turning round, which two bends in a row may be.
const COURSE: f32 = 0.5;
const LONG_COURSE: f32 = 2.0;
/// Ways kept per agent: one for each of these times.
const TANGENTS: usize = 2;

/// Rests of the walk shorter than this go straight to the target, in cells.
const AT_TARGET: f32 = 1.0;

#[typetag::serde(name = "potential-field")]
impl GlobalPlanner for PotentialField {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let search = scratch.get::<SearchScratch>();
        for request in requests {
            let heuristic = self.heuristic.map_or(Heuristic::STRAIGHT, |h| h.1);
            if let Err(why) = route(world, request, heuristic, search, routes) {
                routes.push_missing(why);
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        if !(self.sparse < self.dense) {
            return Err(PlannerError::Unsuitable {
                reason: format!(
                    "potential-field: sparse = {} is not below dense = {}; choose sparse below it",
                    self.sparse, self.dense
                ),
            });
        }
        let revision = world.map.revision;
        if self.heuristic.is_none_or(|h| h.0 != revision) {
            self.heuristic = Some((revision, Heuristic::of(world.map)));
        }
        if self.cells.as_ref().is_none_or(|c| !c.holds_for(world)) {
            let cells = Cells::over(world, self.cell)?;
            self.slot = vec![NONE; cells.len()];
            for (slot, &cell) in self.active.iter().enumerate() {
                // What was taken back from a checkpoint.
                if let Some(at) = self.slot.get_mut(cell as usize) {
                    *at = slot as u32;
                }
            }
            self.cells = Some(cells);
        }
        if !world.step.is_multiple_of(u64::from(self.every)) {
            return Ok(());
        }
        self.renew(world)
    }

    fn guides(&self) -> bool {
        true
    }

    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        _: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let Some(cells) = &self.cells else {
            out.follow_route.fill(1);
            return;
        };
        let (a, ground) = (&world.agents, &world.site.ground);
        let mut last: Option<(u32, u32, Option<&Set>)> = None;
        let whole = self.is_everywhere(world);
        let (mut no_scalars, mut no_course) = ([0.0; SCALARS], [Vec2::ZERO; TANGENTS]);
        for (i, &row) in chunk.rows.iter().enumerate() {
            let row = row as usize;
            out.follow_route[i] = 1;
            let kept = out.memory.scalars.get_mut(SCALARS * i..SCALARS * (i + 1));
            let [against, led, towards] = kept.unwrap_or(&mut no_scalars) else {
                continue;
            };
            let kept = out
                .memory
                .tangents
                .get_mut(TANGENTS * i..TANGENTS * (i + 1));
            let [course, long_course] = kept.unwrap_or(&mut no_course) else {
                continue;
            };
            // A step as a number is exact for weeks.
            let (now, period) = (world.step as f32, (chunk.dt / world.dt).round());
            let was_led = *led > 0.0 && now - *led <= period;
            // Below nothing it is the step in which it last waited for a field that points back.
            if !was_led && (*led >= 0.0 || now + *led > period) {
                *against = 0.0;
            }
            let (goal, class, at) = (a.goal[row], a.class[row], a.location[row]);
            if let Some(way) = escape::aside(world, row, self.warning) {
                // Afterwards it goes wherever the field leads.
                (*against, *led, *towards) = (0.0, now, goal as f32);
                (*course, *long_course) = (Vec2::ZERO, Vec2::ZERO);
                out.preferred[i] = way * (a.speed[row] * self.flee);
                out.target[i] = way * self.cell;
                out.follow_route[i] = 0;
                continue;
            }
            if goal == NONE {
                continue;
            }
            let set = match last {
                Some((g, c, set)) if (g, c) == (goal, class) => set,
                _ => self.set_of(goal, class),
            };
            last = Some((goal, class, set));
            let rest = (a.target[row].point - at.point).truncate();
            if rest.length_squared() < (AT_TARGET * self.cell) * (AT_TARGET * self.cell) {
                continue;
            }
            // Farther beyond the border the field is known only for the sake of those inside.
            let reached = whole || self.is_in_region(world, at.point, self.beyond());
            let answer = set
                .filter(|_| reached)
                .and_then(|set| self.answer(cells, set, ground, at))
                .map(|answer| answer.on_ground(ground, a, row));
            let wish = a.preferred[row];
            let same_goal = *towards == goal as f32;
            *towards = goal as f32;
            if !was_led {
                *course = wish.normalize_or_zero();
                *long_course = *course;
            }
            // Who stands goes wherever the field leads.
            let along = match (answer, course.try_normalize()) {
                (None, _) => -1.0,
                (Some(_), None) => 1.0,
                (Some(answer), Some(course)) => course.dot(answer.way),
            };
            let round = along < 0.0 || answer.is_some_and(|a| long_course.dot(a.way) < 0.0);
            let patience = match round {
                false => BEND_PATIENCE,
                true if whole || self.is_inner(world, at.point) => PATIENCE,
                true => 2.0 * PATIENCE,
            };
            let goes = answer.filter(|answer| {
                let ahead = along >= SHARP && !round;
                whole || ahead || answer.afraid || was_led && !same_goal
            });
            // Where the border moves on, what is estimated beyond it changes at once, and the
            // quickest way may for a moment be the other one, or none: nobody turns round for
            // that.
            let goes_on = was_led && same_goal;
            let answer = match (goes, answer) {
                (Some(answer), _) => answer,
                (None, None) if whole || !goes_on => continue,
                (None, turned) => {
                    *against += chunk.dt;
                    if *against < patience {
                        *led = -now;
                        if goes_on {
                            *led = now;
                            out.preferred[i] = wish;
                            out.target[i] = wish.normalize_or_zero() * self.cell;
                            out.follow_route[i] = 0;
                        }
                        continue;
                    }
                    let Some(turned) = turned else { continue };
                    *course = turned.way;
                    if round {
                        *long_course = turned.way;
                    }
                    turned
                }
            };
            (*against, *led) = (0.0, now);
            let blend = (chunk.dt / COURSE).min(1.0);
            *course += (answer.way - *course) * blend;
            let blend = (chunk.dt / LONG_COURSE).min(1.0);
            *long_course += (answer.way - *long_course) * blend;
            let share = if answer.afraid {
                self.flee
            } else {
                answer.share
            };
            out.preferred[i] = answer.way * (a.speed[row] * share);
            out.target[i] = answer.aim;
            out.follow_route[i] = 0;
        }
    }

    fn memory(&self) -> Memory {
        Memory {
            scalars: &["against", "led", "towards"],
            tangents: &["course", "long course"],
            ..Memory::NONE
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        let mut write = subgoals::Bytes(out);
        write.words(&self.active);
        write.word(self.sets.len() as u32);
        for set in &self.sets {
            write.words(&[set.goal, set.class, u32::from(set.used)]);
            write.floats(&set.nodes);
            set.field.save(&mut write);
        }
        self.crowd.save(&mut write);
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        let damaged = || StateError {
            strategy: "potential-field".into(),
            reason: "its fields are cut short".into(),
        };
        let mut read = subgoals::Reader(saved);
        let mut take = || {
            let active = read.words()?;
            let count = read.word()?;
            let mut sets = Vec::new();
            for _ in 0..count {
                let key = read.words()?;
                sets.push(Set {
                    goal: *key.first()?,
                    class: *key.get(1)?,
                    used: *key.get(2)? != 0,
                    nodes: read.floats()?,
                    seeds: Vec::new(),
                    wanted: Vec::new(),
                    field: Field::load(&mut read, active.len())?,
                });
            }
            let afraid = Crowd::load(&mut read)?;
            Some((active, sets, afraid))
        };
        (self.active, self.sets, self.crowd) = take().ok_or_else(damaged)?;
        self.cells = None;
        Ok(())
    }
}

/// What the field says at a place.
#[derive(Clone, Copy)]
struct Answer {
    way: Vec2,
    aim: Vec2,
    share: f32,
    afraid: bool,
}

impl Answer {
    /// The same in an agent's frame where the ground is not flat.
    fn on_ground(self, ground: &GroundView<'_>, agents: &AgentsView<'_>, row: usize) -> Answer {
        if ground.flat {
            return self;
        }
        let normal = ground.normals[agents.location[row].triangle as usize];
        let onto = |way: Vec2| {
            let rise = -way.dot(normal.truncate()) / normal.z.max(0.05);
            let frame = agents.frame_of(row);
            frame.to_tangent(normal, way.extend(rise))
        };
        Answer {
            way: onto(self.way).normalize_or_zero(),
            aim: onto(self.aim),
            ..self
        }
    }
}

impl PotentialField {
    fn set_of(&self, goal: u32, class: u32) -> Option<&Set> {
        self.sets
            .iter()
            .find(|s| s.used && s.goal == goal && s.class == class)
    }

    /// Whether a point is in a region of interest of the level.
    fn is_in_region(&self, world: &World<'_>, point: glam::Vec3, margin: f32) -> bool {
        world.interest.iter().any(|r| {
            let reach = r.radius + margin;
            r.level == u32::from(self.level) && point.distance_squared(r.at) < reach * reach
        })
    }

    /// Whether a point is well inside a region of the level.
    fn is_inner(&self, world: &World<'_>, point: glam::Vec3) -> bool {
        world.interest.iter().any(|r| {
            let inner = INNER * r.radius;
            r.level == u32::from(self.level) && point.distance_squared(r.at) < inner * inner
        })
    }

    /// How far beyond the border people are still led, metres: they keep their level for some way
    /// (see the lod's margin), and would else turn to a route that the field has led them off.
    fn beyond(&self) -> f32 {
        self.cell.max(BEYOND)
    }

    fn is_everywhere(&self, world: &World<'_>) -> bool {
        let level = u32::from(self.level);
        self.over == Over::Everywhere || !world.interest.iter().any(|r| r.level == level)
    }

    /// Sets, crowd and fields of this step.
    fn renew(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let Some(cells) = self.cells.take() else {
            return Ok(());
        };
        self.find_sets(world, &cells)?;
        let refresh = ((self.refresh / world.dt).round() as u64).max(1);
        let whole = self.is_everywhere(world);
        let wanted = if whole {
            0.0
        } else {
            self.length + self.time / mean_speed(world)
        };
        let due = world.step.is_multiple_of(refresh);
        let level = u32::from(self.level);
        self.subgoals
            .estimate(world, &mut self.sets, wanted, self.rest, level, whole, due);
        self.activate(world, &cells, whole);
        self.crowd.gather(
            world,
            &cells,
            &self.active,
            &self.slot,
            &crowd::Terms {
                sharpness: self.sharpness,
                sparse: self.sparse,
                dense: self.dense,
                steepest: self.steepest,
                warning: self.warning,
            },
        );
        let weights = [self.length, self.time, self.discomfort];
        let (active, slot, crowd) = (&self.active, &self.slot, &self.crowd);
        let (sets, costs) = (&mut self.sets, &mut self.costs);
        costs.resize_with(world.classes.len().max(1), Default::default);
        let classes = costs.iter_mut().enumerate();
        for (class, costs) in classes {
            let of_class = |s: &Set| s.used && s.class as usize == class;
            if sets.iter().any(of_class) {
                let speed = world.classes.get(class).map_or(1.3, |c| c.speed);
                costs.renew(&cells, active, slot, crowd, weights, speed);
            }
        }
        // Between two solutions people walk on: then all of it may be asked for.
        let in_part = self.every == 1;
        let costs = &*costs;
        sets.par_iter_mut().filter(|s| s.used).for_each(|set| {
            let Some(costs) = costs.get(set.class as usize) else {
                return;
            };
            for wanted in &mut set.wanted {
                *wanted = slot[*wanted as usize];
            }
            let wanted = in_part.then_some(&set.wanted[..]);
            set.field.solve(costs, crowd, &set.seeds, wanted);
        });
        self.cells = Some(cells);
        Ok(())
    }

    /// Lists goals and classes of the people where fields are solved, and the cells about them.
    fn find_sets(&mut self, world: &World<'_>, cells: &Cells) -> Result<(), PlannerError> {
        let mut sets = core::mem::take(&mut self.sets);
        for set in &mut sets {
            set.used = false;
            set.wanted.clear();
        }
        let (a, ground) = (&world.agents, &world.site.ground);
        let whole = self.is_everywhere(world);
        let mut near = core::mem::take(&mut self.near);
        near.clear();
        near.resize(cells.corners(), whole);
        for region in world.interest.iter().filter(|_| !whole) {
            if region.level == u32::from(self.level) {
                let reach = region.radius + self.beyond() + 2.0 * self.cell;
                cells.within(region.at, reach, |cell| {
                    for corner in cells.corners_with(cell) {
                        near[corner] = true;
                    }
                });
            }
        }
        let mut last = 0;
        for row in 0..a.len() {
            let at = a.location[row];
            // Most people are elsewhere.
            if !near[cells.corner_of(at.point.truncate())] {
                continue;
            }
            let key = (a.goal[row], a.class[row]);
            if key.0 == NONE || !whole && !self.is_in_region(world, at.point, self.beyond()) {
                continue;
            }
            let is_set = |s: &Set| (s.goal, s.class) == key;
            if !sets.get(last).is_some_and(is_set) {
                last = sets.iter().position(is_set).unwrap_or_else(|| {
                    sets.push(Set {
                        goal: key.0,
                        class: key.1,
                        ..Set::default()
                    });
                    sets.len() - 1
                });
            }
            let set = &mut sets[last];
            set.used = true;
            let about = cells.about(ground, at).map(|(cell, _)| cell);
            let asked = about.into_iter().chain([cells.of(ground, at)]);
            set.wanted.extend(asked.filter(|cell| *cell != NONE));
        }
        self.near = near;
        let used = sets.iter().filter(|s| s.used).count();
        if used > self.most_sets as usize {
            return Err(PlannerError::TooLarge {
                what: "fields of sets of people with the same goal".into(),
                needed: used as u64,
                limit: u64::from(self.most_sets),
            });
        }
        // The order of rows must not matter to what is kept.
        sets.sort_by_key(|s| (s.goal, s.class));
        self.sets = sets;
        Ok(())
    }

    /// Lists the cells that are solved and where each set's field begins.
    fn activate(&mut self, world: &World<'_>, cells: &Cells, whole: bool) {
        for &cell in &self.active {
            self.slot[cell as usize] = NONE;
        }
        self.active.clear();
        let rim = (RIM * self.cell).max(self.beyond() + self.cell);
        let (active, slot) = (&mut self.active, &mut self.slot);
        let mut add = |cell: u32| {
            if cell != NONE && slot[cell as usize] == NONE {
                slot[cell as usize] = active.len() as u32;
                active.push(cell);
            }
        };
        if whole {
            (0..cells.len() as u32).for_each(&mut add);
        } else {
            for region in world.interest {
                if region.level == u32::from(self.level) {
                    cells.within(region.at, region.radius + rim, &mut add);
                }
            }
            // The discs or regions of subgoals, so that the field runs on into them.
            for &node in self.subgoals.nodes() {
                let place = world.map.node_place[node as usize];
                let region = world.map.node_region[node as usize];
                let area = world.map.region_area.get(region as usize).copied();
                let radius = (area.unwrap_or(0.0) / core::f32::consts::PI).sqrt();
                cells.within(place.point, radius.min(6.0 * self.cell), &mut add);
                add(cells.of(&world.site.ground, place));
            }
        }
        for set in self.sets.iter_mut().filter(|s| s.used) {
            set.seeds.clear();
            let mut seed = |cell: u32, potential: f32| {
                if let Some(&slot) = self.slot.get(cell as usize)
                    && slot != NONE
                    && potential.is_finite()
                {
                    set.seeds.push((slot, potential));
                }
            };
            if !whole {
                for &node in self.subgoals.nodes() {
                    let place = world.map.node_place[node as usize];
                    let potential = set.nodes.get(node as usize).copied();
                    let cell = cells.of(&world.site.ground, place);
                    seed(cell, potential.unwrap_or(f32::INFINITY));
                }
            }
            let Some(goal) = world.goals.get(set.goal as usize) else {
                continue;
            };
            let first = goal.first_node as usize;
            // One node may be the nearest to a goal that has none: people would gather about it
            // and never arrive. The goal's own place serves then.
            let count = if goal.nodes > 1 {
                goal.nodes as usize
            } else {
                0
            };
            for &node in &world.goal_nodes[first..first + count] {
                let place = world.map.node_place[node as usize];
                if whole || self.subgoals.is_inside(node) {
                    seed(cells.of(&world.site.ground, place), 0.0);
                }
            }
            if whole
                || world
                    .interest
                    .iter()
                    .any(|r| goal.anchor.point.distance(r.at) < r.radius)
            {
                seed(cells.of(&world.site.ground, goal.anchor), 0.0);
            }
        }
    }

    /// The way down the field at a place, between the four nearest centres.
    fn answer(
        &self,
        cells: &Cells,
        set: &Set,
        ground: &GroundView<'_>,
        at: throng_core::Location,
    ) -> Option<Answer> {
        let own = cells.of(ground, at);
        let slot = *self.slot.get(own as usize)?;
        if slot == NONE {
            return None;
        }
        let here = set.field.at(slot)?;
        let (mut way, mut share, mut weights) = (Vec2::ZERO, 0.0, 0.0);
        for (cell, weight) in cells.about(ground, at) {
            let Some(&slot) = self.slot.get(cell as usize) else {
                continue;
            };
            if let Some(there) = set.field.at(slot)
                && cells.are_joined(own, cell)
            {
                way += there.way * weight;
                share += there.share * weight;
                weights += weight;
            }
        }
        let way = way.try_normalize().or(here.way.try_normalize())?;
        Some(Answer {
            way,
            aim: cells.waypoint(own, way, at),
            share: if weights > 0.0 {
                share / weights
            } else {
                here.share
            },
            afraid: self.crowd.is_feared(slot),
        })
    }
}

/// Mean desired speed of the classes.
fn mean_speed(world: &World<'_>) -> f32 {
    let count = world.classes.len().max(1) as f32;
    let sum: f32 = world.classes.iter().map(|c| c.speed).sum();
    (sum / count).max(0.1)
}

/// The shortest route over the map.
fn route(
    world: &World<'_>,
    request: &PlanRequest,
    heuristic: Heuristic,
    search: &mut SearchScratch,
    routes: &mut RouteSink,
) -> Result<(), NoRoute> {
    let mut ends = [Attachment::NOWHERE; 2];
    world.nav.attach(
        &world.site,
        world.map,
        &[request.from, request.to],
        &[request.from_region, NONE],
        &mut ends,
    );
    let query = RouteQuery {
        terms: Terms::lengths(world.map, world.site.ground.door_open, request.radius),
        from: ends[0],
        to: ends[1],
        heuristic,
        greed: 1.0,
        most_expansions: 0,
        horizon: Horizon::NONE,
        old_tail: &[],
    };
    let found = find_route(&query, search)?;
    let length = found.length as f32 + ends[0].distance + ends[1].distance;
    routes.push_edges_into(search.route().iter().copied(), found.into, length, length);
    Ok(())
}

register! {
    Planner "potential-field" => PotentialField,
    about: "Continuum crowds: fields from density, flow and discomfort, down which people walk.",
    when: "People should foresee crowds and cars: in regions of interest, or over small scenes with few goals.",
    when_not: "Many goals over a large scene, or bodies larger than cells; surfaces that are no floor plan.",
    growth: "A field per goal and class: linear in cells solved times sets, every step.",
    paper: "Treuille, Cooper, Popovic 2006: Continuum crowds; Yersin, Maim, Morini, Thalmann 2008: Real-time crowd motion planning",
    needs: Capabilities::GRAPH.and(Capabilities::PLAN_GROUND),
    offers: Capabilities::ROUTES.and(Capabilities::GUIDES),
}

#[cfg(test)]
mod tests;
