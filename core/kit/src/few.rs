//! A few people without an engine: avoidance models tried by themselves, in tests and experiments.

use glam::Vec2;
use throng_core::{
    LocalAvoidance, Location, MemoryRows, NearWall, Neighbour, NeighbourRows, Scratch, SteerChunk,
    SteerOut, Wall, WallRows,
};

/// One of [`Few`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Someone {
    /// Where.
    pub at: Vec2,
    /// Velocity, metres per second.
    pub velocity: Vec2,
    /// Preferred velocity, metres per second.
    pub preferred: Vec2,
    /// Radius, metres.
    pub radius: f32,
    /// Largest speed, metres per second.
    pub max_speed: f32,
    /// Mass, kilograms.
    pub mass: f32,
    /// The flags that the others see it with (same group, non-reciprocal, mover).
    pub flags: u8,
}

impl Someone {
    /// An adult of radius 0.25 m at a place, standing, who wants to walk at this velocity.
    pub fn new(at: Vec2, preferred: Vec2) -> Someone {
        Someone {
            at,
            velocity: Vec2::ZERO,
            preferred,
            radius: 0.25,
            max_speed: 2.0,
            mass: 80.0,
            flags: 0,
        }
    }

    /// The same, already walking.
    pub fn walking(at: Vec2, preferred: Vec2) -> Someone {
        Someone {
            velocity: preferred,
            ..Someone::new(at, preferred)
        }
    }
}

/// A few people on the plane and walls, moved by a model and nothing else: no ground holds them.
#[derive(Debug, Default)]
pub struct Few {
    /// The people; the index is the id.
    pub people: Vec<Someone>,
    /// Walls, the free side on the left.
    pub walls: Vec<[Vec2; 2]>,
    /// Steps done.
    pub step: u64,
    /// Seed of the run.
    pub seed: u64,
    memory: (Vec<f32>, Vec<Vec2>, Vec<Location>),
    scratch: Scratch,
}

impl Few {
    /// These people, no walls.
    pub fn of(people: impl IntoIterator<Item = Someone>) -> Few {
        Few {
            people: people.into_iter().collect(),
            ..Few::default()
        }
    }

    /// The velocities and pushes that a model chooses now.
    pub fn steer(&mut self, model: &dyn LocalAvoidance, dt: f32) -> Vec<[Vec2; 2]> {
        let (people, count) = (&self.people, self.people.len());
        let perception = model.perception();
        let (mut start, mut wall_start) = (vec![0u32], vec![0u32]);
        let (mut seen, mut radius, mut flags, mut ids) = (vec![], vec![], vec![], vec![]);
        let mut walls = vec![];
        for (i, own) in people.iter().enumerate() {
            let mut near: Vec<(f32, usize)> = people
                .iter()
                .enumerate()
                .filter(|&(j, _)| j != i)
                .map(|(j, other)| (other.at.distance(own.at), j))
                .filter(|near| near.0 <= perception.reach)
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, j) in near.iter().take(perception.most as usize) {
                seen.push(Neighbour {
                    offset: people[j].at - own.at,
                    velocity: people[j].velocity,
                });
                radius.push(people[j].radius);
                flags.push(people[j].flags);
                ids.push(j as u64);
            }
            start.push(seen.len() as u32);
            for (w, &[a, b]) in self.walls.iter().enumerate() {
                let before = self.walls.iter().find(|v| v[1] == a);
                let after = self.walls.iter().find(|v| v[0] == b);
                let along = (b - a).normalize_or_zero();
                let direction = |v: Option<&[Vec2; 2]>| {
                    v.map_or(Vec2::ZERO, |v| (v[1] - v[0]).normalize_or_zero())
                };
                let (before, after) = (direction(before), direction(after));
                if along.perp_dot(own.at - a) < 0.0 {
                    continue;
                }
                let mut flags = 0;
                // The solid is on the right: it juts out where the wall turns right.
                if before == Vec2::ZERO || before.perp_dot(along) < 0.0 {
                    flags |= u32::from(Wall::CONVEX_A);
                }
                if after == Vec2::ZERO || along.perp_dot(after) < 0.0 {
                    flags |= u32::from(Wall::CONVEX_B);
                }
                walls.push(NearWall {
                    a: a - own.at,
                    b: b - own.at,
                    before,
                    after,
                    flags,
                    wall: w as u32,
                });
            }
            wall_start.push(walls.len() as u32);
        }
        let columns = model.memory();
        self.memory.0.resize(count * columns.scalars.len(), 0.0);
        self.memory
            .1
            .resize(count * columns.tangents.len(), Vec2::ZERO);
        self.memory
            .2
            .resize(count * columns.locations.len(), Location::NOWHERE);
        let column = |f: fn(&Someone) -> Vec2| people.iter().map(f).collect::<Vec<_>>();
        let number = |f: fn(&Someone) -> f32| people.iter().map(f).collect::<Vec<_>>();
        let (velocity, preferred) = (column(|p| p.velocity), column(|p| p.preferred));
        let mut chosen = vec![Vec2::NAN; count];
        let mut push = vec![Vec2::ZERO; if model.pushes() { count } else { 0 }];
        let mut pressed = vec![0; if model.keeps_apart() { count } else { 0 }];
        let chunk = SteerChunk {
            dt,
            step: self.step,
            seed: self.seed,
            id: &(0..count as u64).collect::<Vec<_>>(),
            tick: &vec![self.step as u32; count],
            velocity: &velocity,
            heading: &column(|p| p.velocity.normalize_or(Vec2::X)),
            preferred: &preferred,
            target: &preferred,
            radius: &number(|p| p.radius),
            max_speed: &number(|p| p.max_speed),
            mass: &number(|p| p.mass),
            neighbours: NeighbourRows {
                start: &start,
                seen: &seen,
                radius: &radius,
                flags: &flags,
                id: &ids,
            },
            walls: WallRows {
                start: &wall_start,
                walls: &walls,
            },
        };
        let mut out = SteerOut {
            velocity: &mut chosen,
            push: &mut push,
            pressed: &mut pressed,
            memory: MemoryRows {
                scalars: &mut self.memory.0,
                tangents: &mut self.memory.1,
                locations: &mut self.memory.2,
            },
        };
        model.steer(&chunk, &mut self.scratch, &mut out);
        (0..count)
            .map(|i| [chosen[i], push.get(i).copied().unwrap_or(Vec2::ZERO)])
            .collect()
    }

    /// Walks so many steps as a model says.
    pub fn walk(&mut self, model: &dyn LocalAvoidance, dt: f32, steps: u32) {
        // Steps are cut as the engine cuts them.
        let fastest = self.people.iter().map(|p| p.max_speed).fold(0.0, f32::max);
        let moves = (dt / model.longest_step(fastest) - 1e-3).ceil().max(1.0);
        let dt = dt / moves;
        for _ in 0..steps {
            for _ in 0..moves as u32 {
                let chosen = self.steer(model, dt);
                for (someone, [velocity, push]) in self.people.iter_mut().zip(chosen) {
                    someone.velocity = velocity;
                    someone.at += velocity * dt + push;
                }
            }
            self.step += 1;
        }
    }

    /// How far the two overlap; negative is a gap.
    pub fn overlap(&self, a: usize, b: usize) -> f32 {
        let (a, b) = (&self.people[a], &self.people[b]);
        a.radius + b.radius - a.at.distance(b.at)
    }
}
