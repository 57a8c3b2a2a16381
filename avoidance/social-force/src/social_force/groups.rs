//! Agents sorted by how finely their step must be cut, eight of a kind side by side.

use glam::Vec2;
use throng_core::{NON_RECIPROCAL, NearWall, SAME_GROUP, SteerChunk};
use throng_kit::lanes::{LANES, Row, parting};

use super::{Form, SocialForce};

/// Largest share of the radius that goes out as a push: the core cuts at half of it.
const MOST_PUSH: f32 = 0.45;
/// Someone who is pushed while standing may reach this share of the largest speed.
const STANDING: f32 = 0.6;
/// Gaps below which a step is cut into middling and fine sub-steps, in ranges of the repulsion.
const MIDDLING: f32 = 4.5;
const FINE: f32 = 1.5;
/// Sub-steps of those far from everybody, and of those at a middling distance, seconds.
const COARSE_STEP: f32 = 0.1;
const MIDDLING_STEP: f32 = 0.05;

/// Numbers of others that agents are told apart by.
const RANKS: usize = 10;

/// How finely an agent's step is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// Nobody is near.
    Coarse = 0,
    /// Forces change during the step.
    Middling = 1,
    /// Bodies touch or nearly so.
    Fine = 2,
}

impl Pace {
    /// The pace of somebody with another within a middling or a fine distance.
    #[inline(always)]
    fn of(middling: bool, fine: bool) -> Pace {
        match (fine, middling) {
            (true, _) => Pace::Fine,
            (false, true) => Pace::Middling,
            (false, false) => Pace::Coarse,
        }
    }

    pub const ALL: [Pace; 3] = [Pace::Coarse, Pace::Middling, Pace::Fine];

    /// Sub-steps of a step.
    pub fn steps(self, model: &SocialForce, dt: f32) -> u32 {
        let longest = match self {
            Pace::Coarse => COARSE_STEP,
            Pace::Middling => MIDDLING_STEP.max(model.substep),
            Pace::Fine => model.substep,
        };
        // A hair more than a whole number is that number.
        ((dt / longest - 1e-3).ceil() as u32).clamp(1, 1000)
    }
}

/// Eight agents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    pub vx: Row,
    pub vy: Row,
    /// Change of velocity in the last sub-step.
    pub dx: Row,
    pub dy: Row,
    pub wish_x: Row,
    pub wish_y: Row,
    pub mass: Row,
    pub cap: Row,
    pub radius: Row,
    /// Displacement since the beginning of the step.
    pub x: Row,
    pub y: Row,
}

/// The neighbours of one rank of eight agents. How they are taken to move within the step stands
/// in the header of the strategy.
#[derive(Clone, Copy, Debug)]
pub struct Bodies {
    /// Offset from where the agent began its step.
    pub x: Row,
    pub y: Row,
    pub vx: Row,
    pub vy: Row,
    /// Sum of the radii; 0 where there is no neighbour.
    pub reach: Row,
    /// Share of the repulsion; 0 where there is no neighbour.
    pub felt: Row,
    /// 1 if it yields, 0 if not.
    pub yields: Row,
    /// What was in balance of the pair's force when the step began.
    pub held: Row,
}

impl Bodies {
    const NOBODY: Bodies = Bodies {
        x: Row::of(1000.0),
        y: Row::of(0.0),
        vx: Row::of(0.0),
        vy: Row::of(0.0),
        reach: Row::of(0.0),
        felt: Row::of(0.0),
        yields: Row::of(0.0),
        held: Row::of(0.0),
    };
}

/// What the neighbours of one rank did to eight agents in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pull {
    /// The force, before the change of velocity.
    pub x: Row,
    pub y: Row,
    /// Unit direction from the neighbour to the agent.
    pub n_x: Row,
    pub n_y: Row,
    /// How the force falls with the change of velocity: along n beyond across, and across.
    pub along: Row,
    pub across: Row,
    /// The force along n.
    pub press: Row,
}

/// The walls of one rank of eight agents.
#[derive(Clone, Copy, Debug)]
pub struct Walls {
    /// Where it begins.
    pub x: Row,
    pub y: Row,
    /// Its unit direction.
    pub along_x: Row,
    pub along_y: Row,
    pub length: Row,
    /// Unit direction of the wall that ends where this one begins, or zero.
    pub before_x: Row,
    pub before_y: Row,
    /// 1 if another wall speaks for its end.
    pub joined: Row,
    /// 0 where there is no wall.
    pub felt: Row,
}

impl Walls {
    const NONE: Walls = Walls {
        x: Row::of(1000.0),
        y: Row::of(0.0),
        along_x: Row::of(1.0),
        along_y: Row::of(0.0),
        length: Row::of(0.0),
        before_x: Row::of(0.0),
        before_y: Row::of(0.0),
        joined: Row::of(0.0),
        felt: Row::of(0.0),
    };
}

/// What is kept from call to call.
#[derive(Debug, Default)]
pub struct Work {
    paces: [Vec<u32>; 3],
    /// Those of each pace by how many others they can feel: eight of the same number fill their
    /// lanes.
    ranks: [[Vec<u32>; RANKS]; 3],
    /// The neighbours that each agent of the chunk can feel within the step.
    felt: Vec<u32>,
    felt_start: Vec<u32>,
    pub own: Own,
    pub bodies: Vec<Bodies>,
    /// The same when the step began.
    pub begun: Vec<Bodies>,
    pub pulls: Vec<Pull>,
    pub walls: Vec<Walls>,
}

/// A number that can be squared, or 0.
#[inline(always)]
fn sound(value: f32) -> f32 {
    if value.abs() < 1e6 { value } else { 0.0 }
}

#[inline(always)]
fn sound2(value: Vec2) -> Vec2 {
    Vec2::new(sound(value.x), sound(value.y))
}

/// Square of the least distance to a point that moves at a relative velocity within a time.
#[inline(always)]
fn least_squared(offset: Vec2, velocity: Vec2, time: f32) -> f32 {
    let closing = greater(-offset.dot(velocity), 0.0);
    let squared = greater(velocity.length_squared(), 1e-12);
    let when = lesser(closing / squared, time);
    (offset + velocity * when).length_squared()
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Least distance of a wall from somebody who moves so far in whatever direction.
#[inline(always)]
fn wall_distance(wall: &NearWall) -> f32 {
    let along = wall.b - wall.a;
    let squared = along.length_squared();
    let share = if squared > 0.0 {
        (-wall.a.dot(along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (wall.a + along * share).length()
}

impl Work {
    /// The agents of the chunk of one pace.
    pub fn of_pace(&self, pace: Pace) -> &[u32] {
        &self.paces[pace as usize]
    }

    /// Finds out how finely each agent's step must be cut, and whom it can feel within it.
    pub fn sort_by_pace(&mut self, model: &SocialForce, chunk: &SteerChunk<'_>) {
        for rank in self.ranks.iter_mut().flatten() {
            rank.clear();
            // Whatever the next chunks are like, nothing grows.
            rank.reserve(chunk.len());
        }
        let rows = &chunk.neighbours;
        // One more than there are: the place that nobody may come to take.
        self.felt.resize(rows.seen.len() + 1, 0);
        self.felt_start.clear();
        self.felt_start.push(0);
        let (middling, fine) = match model.form {
            Form::Circular => (MIDDLING * model.range, FINE * model.range),
            Form::Elliptical => (model.potential_range, 0.1),
        };
        let felt = model.felt();
        let mut count = 0;
        for i in 0..chunk.len() {
            let velocity = sound2(chunk.velocity[i]);
            let change = sound2(chunk.preferred[i]).distance(velocity);
            // Taking up speed brings people nearer than their velocities say.
            let slack = 0.5 * chunk.dt * change * (chunk.dt / model.relaxation).min(1.0);
            let radius = sound(chunk.radius[i]);
            // Whether somebody is felt cannot be guessed: no branch depends on it.
            let mut nearness = 0;
            for n in chunk.neighbours_of(i) {
                let seen = rows.seen[n];
                let relative = sound2(seen.velocity) - velocity;
                let squared = least_squared(seen.offset, relative, chunk.dt);
                let bodies = radius + sound(rows.radius[n]) + slack;
                let within = |gap: f32| {
                    let reach = bodies + gap;
                    squared < reach * reach
                };
                // Where numbers are too large to tell nothing is felt either.
                let is_felt = within(felt);
                let near = u32::from(within(middling)) + u32::from(within(fine));
                nearness = nearness.max(near * u32::from(is_felt));
                self.felt[count] = n as u32;
                count += usize::from(is_felt);
            }
            let mut pace = Pace::ALL[nearness as usize];
            self.felt_start.push(count as u32);
            let walls = chunk.walls_of(i);
            if !walls.is_empty() {
                let moved = velocity.length() * chunk.dt;
                for wall in walls {
                    let gap = wall_distance(wall) - radius - moved - slack;
                    pace = pace.max(Pace::of(gap < middling, gap < fine));
                }
            }
            let felt = self.felt_start[i + 1] - self.felt_start[i];
            let rank = (felt as usize).min(RANKS - 1);
            self.ranks[pace as usize][rank].push(i as u32);
        }
        for (list, ranks) in self.paces.iter_mut().zip(&self.ranks) {
            list.clear();
            for rank in ranks {
                list.extend_from_slice(rank);
            }
        }
    }

    /// Lays up to eight agents of a pace side by side; says how many.
    pub fn load_group(
        &mut self,
        model: &SocialForce,
        chunk: &SteerChunk<'_>,
        pace: Pace,
        first: usize,
    ) -> usize {
        let list = &self.paces[pace as usize];
        let group = &list[first..list.len().min(first + LANES)];
        let taken = group.len();
        self.own = Own {
            mass: Row::of(80.0),
            ..Own::default()
        };
        self.bodies.clear();
        self.walls.clear();
        for (lane, &agent) in group.iter().enumerate() {
            let i = agent as usize;
            let own = &mut self.own;
            let fastest = sound(chunk.max_speed[i]).max(0.0);
            let velocity = sound2(chunk.velocity[i]).clamp_length_max(fastest);
            let wish = sound2(model.wish(chunk.seed, chunk.id[i], chunk.preferred[i]));
            let cap = (wish.length() * model.top_speed).max(fastest * STANDING);
            let radius = sound(chunk.radius[i]);
            own.vx.0[lane] = velocity.x;
            own.vy.0[lane] = velocity.y;
            own.wish_x.0[lane] = wish.x;
            own.wish_y.0[lane] = wish.y;
            own.mass.0[lane] = sound(chunk.mass[i]).max(0.1);
            own.cap.0[lane] = cap.min(fastest);
            own.radius.0[lane] = radius;
            let felt = self.felt_start[i] as usize..self.felt_start[i + 1] as usize;
            let ranks = self.felt[felt].iter().zip(0..);
            for (&n, rank) in ranks {
                if rank == self.bodies.len() {
                    self.bodies.push(Bodies::NOBODY);
                }
                let row = &mut self.bodies[rank];
                lay_body(model, chunk, i, n as usize, lane, row);
            }
            let walls = chunk.walls_of(i);
            if !walls.is_empty() {
                let moved = chunk.dt * velocity.length().max(wish.length());
                let felt = model.wall_felt() + radius + moved;
                let near = walls.iter().filter(|wall| wall_distance(wall) < felt);
                for (rank, wall) in near.enumerate() {
                    lay_wall(wall, rank, lane, &mut self.walls);
                }
            }
        }
        taken
    }

    /// Writes what became of a group.
    pub fn write(
        &self,
        chunk: &SteerChunk<'_>,
        pace: Pace,
        first: usize,
        taken: usize,
        steps: u32,
        velocity: &mut [Vec2],
        push: &mut [Vec2],
    ) {
        let own = &self.own;
        let group = &self.paces[pace as usize][first..first + taken];
        for (lane, &agent) in group.iter().enumerate() {
            let i = agent as usize;
            let dt = if chunk.dt > 1e-6 { chunk.dt } else { 1e-6 };
            let moved = Vec2::new(own.x.0[lane], own.y.0[lane]);
            let last = Vec2::new(own.vx.0[lane], own.vy.0[lane]);
            if steps == 1 {
                velocity[i] = if last.is_finite() { last } else { Vec2::ZERO };
                continue;
            }
            let mean = moved / dt;
            // The displacement holds; what does not fit into a push is taken from the velocity.
            let differs = last - mean;
            let most = MOST_PUSH * own.radius.0[lane] / dt;
            let length = differs.length();
            let chosen = if length > most {
                mean + differs * (most / length)
            } else {
                last
            };
            if chosen.is_finite() && moved.is_finite() {
                velocity[i] = chosen;
                if let Some(push) = push.get_mut(i) {
                    *push = if length > 0.0 {
                        moved - chosen * dt
                    } else {
                        Vec2::ZERO
                    };
                }
            } else {
                velocity[i] = Vec2::ZERO;
            }
        }
    }
}

/// Lays a neighbour into a lane.
#[inline(always)]
fn lay_body(
    model: &SocialForce,
    chunk: &SteerChunk<'_>,
    agent: usize,
    neighbour: usize,
    lane: usize,
    row: &mut Bodies,
) {
    let rows = &chunk.neighbours;
    let seen = rows.seen[neighbour];
    let velocity = sound2(seen.velocity);
    let mut offset = seen.offset;
    if offset.length_squared() < 1e-10 {
        let away = parting(chunk.id[agent], rows.id[neighbour]);
        offset = Vec2::new(away[0], away[1]) * -1e-3;
    }
    row.x.0[lane] = offset.x;
    row.y.0[lane] = offset.y;
    row.vx.0[lane] = velocity.x;
    row.vy.0[lane] = velocity.y;
    let flags = rows.flags[neighbour];
    let yields = flags & NON_RECIPROCAL == 0;
    row.yields.0[lane] = f32::from(u8::from(yields));
    row.reach.0[lane] = sound(chunk.radius[agent]) + sound(rows.radius[neighbour]);
    row.felt.0[lane] = if flags & SAME_GROUP != 0 {
        model.companions
    } else {
        1.0
    };
}

/// Lays a wall into a lane.
#[inline(always)]
fn lay_wall(wall: &NearWall, rank: usize, lane: usize, walls: &mut Vec<Walls>) {
    if rank == walls.len() {
        walls.push(Walls::NONE);
    }
    let row = &mut walls[rank];
    let along = wall.b - wall.a;
    let length = along.length();
    let along = if length > 1e-9 {
        along / length
    } else {
        Vec2::X
    };
    row.x.0[lane] = wall.a.x;
    row.y.0[lane] = wall.a.y;
    row.along_x.0[lane] = along.x;
    row.along_y.0[lane] = along.y;
    row.length.0[lane] = length;
    row.before_x.0[lane] = wall.before.x;
    row.before_y.0[lane] = wall.before.y;
    row.joined.0[lane] = if wall.after == Vec2::ZERO { 0.0 } else { 1.0 };
    row.felt.0[lane] = 1.0;
}
