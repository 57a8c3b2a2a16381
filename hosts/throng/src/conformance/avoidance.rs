//! Checks of slot `avoidance`, on random chunks of agents of which some overlap or coincide.

use glam::Vec2;
use throng_core::{
    LocalAvoidance, Location, MemoryRows, NearWall, Neighbour, NeighbourRows, Scratch, SteerChunk,
    SteerOut, Wall, WallRows,
    random::{Purpose, Stream},
};
use throng_engine::registry::Strategy;

use super::{Report, Unmet, Verdict, edges, ensure, make, no_fault, steady};

const AGENTS: usize = 37;

/// Puts an avoidance model to its checks: *profile*, *bounds* (every velocity written, finite and
/// no faster than the agent can walk, with every option at its ends), *order*, *repeat* (the next
/// time, from another instance, on three threads), *memory*.
pub(super) fn check(strategy: &Strategy, report: &mut Report) {
    let new = |table: &toml::Table| -> Result<Box<dyn LocalAvoidance>, Unmet> {
        let made = make(strategy, table)?.into_avoidance();
        made.ok_or_else(|| Unmet::Failed("it fills another slot".into()))
    };
    let defaults = toml::Table::new();
    report.add("profile", || profile(&*new(&defaults)?));
    report.add("bounds", || {
        for (at, table) in edges(strategy).iter().enumerate() {
            let model = new(table)?;
            let crowds = if at == 0 { 20 } else { 4 };
            bounds(&*model, crowds).map_err(|unmet| match unmet {
                Unmet::Failed(reason) if at > 0 => {
                    let options = table.to_string().replace('\n', " ");
                    Unmet::Failed(format!("with {}: {reason}", options.trim()))
                }
                other => other,
            })?;
        }
        Ok(())
    });
    report.add("order", || order(&*new(&defaults)?));
    report.add("repeat", || repeat(&*new(&defaults)?, &*new(&defaults)?));
    report.add_alone("memory", || {
        let (model, crowd) = (new(&defaults)?, Crowd::random(3, AGENTS));
        let (mut scratch, all) = (Scratch::default(), everybody());
        steady(|| drop(crowd.steer(&*model, &all, &mut scratch)))
    });
}

fn everybody() -> Vec<usize> {
    (0..AGENTS).collect()
}

fn profile(model: &dyn LocalAvoidance) -> Verdict {
    let perception = model.perception();
    for (what, reach) in [
        ("reach", perception.reach),
        ("wall_reach", perception.wall_reach),
    ] {
        ensure!(
            reach.is_finite() && reach >= 0.0,
            "its {what} is {reach}, expected 0 or more metres"
        );
    }
    let longest = model.longest_step(2.0);
    ensure!(longest > 0.0, "its longest step is {longest} s");
    Ok(())
}

fn bounds(model: &dyn LocalAvoidance, crowds: u64) -> Verdict {
    for seed in 0..crowds {
        let crowd = Crowd::random(seed, AGENTS);
        let answers = crowd.steer(model, &everybody(), &mut Scratch::default());
        no_fault(model.fault())?;
        for (i, answer) in answers.iter().enumerate() {
            let Answer {
                velocity: v, push, ..
            } = answer;
            let who = format!("crowd {seed}, agent {i}");
            ensure!(
                v.x.to_bits() != UNWRITTEN.x.to_bits(),
                "{who}: its velocity was not written"
            );
            ensure!(v.is_finite(), "{who}: its velocity is {v}");
            ensure!(push.is_finite(), "{who}: its displacement is {push}");
            let (speed, most) = (v.length(), crowd.max_speed[i]);
            ensure!(
                speed <= most * 1.001,
                "{who}: walks at {speed} m/s, at most {most} are allowed"
            );
            let finite = answer.scalars.iter().all(|s| s.is_finite())
                && answer.tangents.iter().all(|t| t.is_finite());
            ensure!(finite, "{who}: its memory is not finite");
        }
    }
    let nobody = Crowd::random(0, 0);
    nobody.steer(model, &[], &mut Scratch::default());
    no_fault(model.fault())
}

fn order(model: &dyn LocalAvoidance) -> Verdict {
    for seed in 0..10 {
        let crowd = Crowd::random(seed, AGENTS);
        let all = everybody();
        let together = crowd.steer(model, &all, &mut Scratch::default());
        let mirrored: Vec<usize> = all.iter().rev().copied().collect();
        let answers = crowd.steer(model, &mirrored, &mut Scratch::default());
        for (answer, &i) in answers.iter().zip(&mirrored) {
            ensure!(
                answer.same(&together[i]),
                "crowd {seed}, agent {i}: {answer} in a chunk in reverse order, {} before",
                together[i]
            );
        }
        for i in [0, 5, AGENTS - 1] {
            let alone = &crowd.steer(model, &[i], &mut Scratch::default())[0];
            ensure!(
                alone.same(&together[i]),
                "crowd {seed}, agent {i}: {alone} in a chunk of its own, {} among others",
                together[i]
            );
        }
    }
    Ok(())
}

fn repeat(model: &dyn LocalAvoidance, other: &dyn LocalAvoidance) -> Verdict {
    let crowd = Crowd::random(5, AGENTS);
    let mut scratch = Scratch::default();
    let first = crowd.steer(model, &everybody(), &mut scratch);
    let compare = |answers: &[Answer], when: &str| -> Verdict {
        for (i, (a, b)) in answers.iter().zip(&first).enumerate() {
            ensure!(a.same(b), "agent {i}: {a} {when}, {b} the first time");
        }
        Ok(())
    };
    // Scratch that has seen another crowd must not matter.
    Crowd::random(6, 11).steer(model, &(0..11).collect::<Vec<_>>(), &mut scratch);
    compare(
        &crowd.steer(model, &everybody(), &mut scratch),
        "with used scratch",
    )?;
    compare(
        &crowd.steer(other, &everybody(), &mut Scratch::default()),
        "from another instance",
    )?;
    let answers: Vec<Vec<Answer>> = std::thread::scope(|scope| {
        let work = || {
            let mut scratch = Scratch::default();
            (0..20)
                .map(|_| crowd.steer(model, &everybody(), &mut scratch))
                .next_back()
                .unwrap_or_default()
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        let join = |t: std::thread::ScopedJoinHandle<'_, _>| t.join().unwrap_or_default();
        threads.into_iter().map(join).collect()
    });
    for answer in &answers {
        ensure!(answer.len() == AGENTS, "it panicked on a thread");
        compare(answer, "while other threads asked too")?;
    }
    no_fault(model.fault())
}

/// A velocity that no model writes.
const UNWRITTEN: Vec2 = Vec2::splat(f32::from_bits(0x7fc0_5eed));

/// What a model answers for an agent.
#[derive(Clone, Debug)]
struct Answer {
    velocity: Vec2,
    push: Vec2,
    scalars: Vec<f32>,
    tangents: Vec<Vec2>,
    locations: Vec<Location>,
}

impl Answer {
    /// The same bits.
    fn same(&self, other: &Answer) -> bool {
        let bits = |a: &Answer| {
            let vectors = [a.velocity, a.push].into_iter();
            let vectors = vectors.chain(a.tangents.iter().copied());
            let mut bits: Vec<u32> = vectors
                .flat_map(|v| v.to_array().map(f32::to_bits))
                .collect();
            bits.extend(a.scalars.iter().map(|s| s.to_bits()));
            for l in &a.locations {
                bits.extend(l.point.to_array().map(f32::to_bits));
                bits.push(l.triangle);
            }
            bits
        };
        bits(self) == bits(other)
    }
}

impl core::fmt::Display for Answer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "velocity {}, displacement {}", self.velocity, self.push)
    }
}

/// Random agents with neighbours and walls, some of them overlapping or coinciding.
struct Crowd {
    id: Vec<u64>,
    tick: Vec<u32>,
    velocity: Vec<Vec2>,
    preferred: Vec<Vec2>,
    radius: Vec<f32>,
    max_speed: Vec<f32>,
    mass: Vec<f32>,
    neighbours: Vec<Vec<(Neighbour, f32, u8, u64)>>,
    walls: Vec<Vec<NearWall>>,
}

impl Crowd {
    fn random(seed: u64, agents: usize) -> Crowd {
        let mut s = Stream::new(seed, 0, Purpose::Strategy, 0);
        let mut vec = |scale: f32| {
            Vec2::new(
                (s.unit() - 0.5) * 2.0 * scale,
                (s.unit() - 0.5) * 2.0 * scale,
            )
        };
        let velocity: Vec<_> = (0..agents).map(|_| vec(1.5)).collect();
        let preferred: Vec<_> = (0..agents).map(|_| vec(1.1)).collect();
        let neighbours = (0..agents)
            .map(|i| {
                let mut row: Vec<_> = (0..(i * 7) % 11)
                    .map(|n| {
                        let offset = if n == 3 { Vec2::ZERO } else { vec(3.0) };
                        let seen = Neighbour {
                            offset,
                            velocity: vec(1.5),
                        };
                        (seen, 0.2 + 0.02 * n as f32, (n % 4) as u8, 1000 + n as u64)
                    })
                    .collect();
                row.sort_by(|a, b| {
                    a.0.offset
                        .length_squared()
                        .total_cmp(&b.0.offset.length_squared())
                });
                row
            })
            .collect();
        let walls = (0..agents)
            .map(|i| {
                (0..i % 3)
                    .map(|w| {
                        let at = 0.3 + w as f32;
                        NearWall {
                            a: Vec2::new(2.0, at),
                            b: Vec2::new(-2.0, at),
                            before: Vec2::ZERO,
                            after: Vec2::ZERO,
                            flags: u32::from(Wall::CONVEX_A | Wall::CONVEX_B),
                            wall: w as u32,
                        }
                    })
                    .collect()
            })
            .collect();
        Crowd {
            id: (0..agents as u64).collect(),
            tick: vec![3; agents],
            velocity,
            preferred,
            radius: (0..agents).map(|i| 0.2 + 0.01 * (i % 9) as f32).collect(),
            max_speed: vec![1.6; agents],
            mass: vec![80.0; agents],
            neighbours,
            walls,
        }
    }

    /// Answers for the agents in this order, one call.
    fn steer(
        &self,
        model: &dyn LocalAvoidance,
        order: &[usize],
        scratch: &mut Scratch,
    ) -> Vec<Answer> {
        fn pick<T: Copy>(order: &[usize], v: &[T]) -> Vec<T> {
            order.iter().map(|&i| v[i]).collect()
        }
        let (mut start, mut wall_start) = (vec![0u32], vec![0u32]);
        let (mut seen, mut radius, mut flags, mut ids) = (vec![], vec![], vec![], vec![]);
        let mut walls = vec![];
        for &i in order {
            for (n, r, f, id) in &self.neighbours[i] {
                seen.push(*n);
                radius.push(*r);
                flags.push(*f);
                ids.push(*id);
            }
            start.push(seen.len() as u32);
            walls.extend_from_slice(&self.walls[i]);
            wall_start.push(walls.len() as u32);
        }
        let n = order.len();
        let memory = model.memory();
        let [s, t, l] = [memory.scalars, memory.tangents, memory.locations].map(<[_]>::len);
        let mut scalars = vec![0.0; n * s];
        let mut tangents = vec![Vec2::ZERO; n * t];
        let mut locations = vec![Location::NOWHERE; n * l];
        let mut velocity = vec![UNWRITTEN; n];
        let mut push = vec![Vec2::ZERO; if model.pushes() { n } else { 0 }];
        let mut pressed = vec![0; if model.keeps_apart() { n } else { 0 }];
        let preferred = pick(order, &self.preferred);
        let own = pick(order, &self.velocity);
        let heading: Vec<Vec2> = own.iter().map(|v| v.normalize_or(Vec2::X)).collect();
        model.steer(
            &SteerChunk {
                dt: 0.1,
                step: 4,
                seed: 9,
                id: &pick(order, &self.id),
                tick: &pick(order, &self.tick),
                velocity: &own,
                heading: &heading,
                preferred: &preferred,
                target: &preferred,
                radius: &pick(order, &self.radius),
                max_speed: &pick(order, &self.max_speed),
                mass: &pick(order, &self.mass),
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
            },
            scratch,
            &mut SteerOut {
                velocity: &mut velocity,
                push: &mut push,
                pressed: &mut pressed,
                memory: MemoryRows {
                    scalars: &mut scalars,
                    tangents: &mut tangents,
                    locations: &mut locations,
                },
            },
        );
        (0..n)
            .map(|i| Answer {
                velocity: velocity[i],
                push: push.get(i).copied().unwrap_or(Vec2::ZERO),
                scalars: scalars[i * s..(i + 1) * s].to_vec(),
                tangents: tangents[i * t..(i + 1) * t].to_vec(),
                locations: locations[i * l..(i + 1) * l].to_vec(),
            })
            .collect()
    }
}
