//! The open square: Throng's whole step against `dodgy_2d` fed by a uniform grid, in one run.
//!
//! `cargo bench -p throng-tests --bench orca_peer [-- AGENTS STEPS THREADS ROUNDS]`. Both sides
//! take turns, round by round, so that a noisy machine is noisy for both; the figure is the
//! median of the rounds' ratios. Radius 0.25 m, 1.4 m/s, neighbours within 5 m, at most 10,
//! horizon 3 s, dt 0.1 s, 0.5 agents per square metre, random goals. Overlapping pairs are
//! counted alike on both sides, at the ends of the same rounds.
//!
//! Before that both answer the same random configurations, and the share of equal velocities is
//! printed: with neighbours who are all on a collision course, and with any. In the second both
//! differ by intent: where no collision is ahead, `dodgy_2d` takes up the whole way to the velocity
//! obstacle, the paper (equation 5) and we half of it, as the other may take up the rest.

use std::{borrow::Cow, ops::ControlFlow, time::Instant};

use dodgy_2d::{Agent, AvoidanceOptions, Vec2};
use rayon::prelude::*;
use throng::{
    Simulation, alone,
    core::{
        MemoryRows, Neighbour, NeighbourRows, Scratch, SteerChunk, SteerOut, WallRows,
        random::{Purpose, Stream},
    },
};
use throng_tests::scenario;

const REACH: f32 = 5.0;
const MOST: usize = 10;
const CELL: f32 = 1.5;
const SPEED: f32 = 1.4;
const DT: f32 = 0.1;

/// The peer: its agents, their goals, and a grid of cells in compressed rows.
struct Peer {
    agents: Vec<Agent>,
    goals: Vec<Vec2>,
    next: Vec<Vec2>,
    start: Vec<u32>,
    rows: Vec<u32>,
    wide: i32,
    high: i32,
    low: Vec2,
}

impl Peer {
    /// Starts and goals are those of our own simulation after its first step.
    fn like(sim: &Simulation) -> Peer {
        let a = sim.agents();
        let place = |p: glam::Vec3| Vec2::new(p.x, p.y);
        Peer {
            agents: (0..a.len())
                .map(|r| Agent {
                    position: place(a.location[r].point),
                    velocity: Vec2::new(a.velocity[r].x, a.velocity[r].y),
                    radius: 0.25,
                    avoidance_responsibility: 1.0,
                })
                .collect(),
            goals: (0..a.len()).map(|r| place(a.target[r].point)).collect(),
            next: vec![Vec2::ZERO; a.len()],
            start: Vec::new(),
            rows: Vec::new(),
            wide: 0,
            high: 0,
            low: Vec2::ZERO,
        }
    }

    fn sort(&mut self) {
        let (mut low, mut top) = (Vec2::splat(f32::MAX), Vec2::splat(f32::MIN));
        for a in &self.agents {
            low = low.min(a.position);
            top = top.max(a.position);
        }
        self.low = low;
        self.wide = ((top.x - low.x) / CELL) as i32 + 1;
        self.high = ((top.y - low.y) / CELL) as i32 + 1;
        self.start.clear();
        self.start.resize((self.wide * self.high) as usize + 1, 0);
        let wide = self.wide;
        let cell = |p: Vec2| {
            (((p.y - low.y) / CELL) as i32 * wide + ((p.x - low.x) / CELL) as i32) as usize
        };
        for a in &self.agents {
            self.start[cell(a.position) + 1] += 1;
        }
        for i in 1..self.start.len() {
            self.start[i] += self.start[i - 1];
        }
        let mut next = self.start.clone();
        self.rows.resize(self.agents.len(), 0);
        for (row, a) in self.agents.iter().enumerate() {
            let at = &mut next[cell(a.position)];
            self.rows[*at as usize] = row as u32;
            *at += 1;
        }
    }

    fn nearest(&self, me: usize, found: &mut Vec<(f32, u32)>) {
        found.clear();
        let p = self.agents[me].position;
        let mut limit = REACH * REACH;
        let (cx, cy) = (
            ((p.x - self.low.x) / CELL) as i32,
            ((p.y - self.low.y) / CELL) as i32,
        );
        for ring in 0..=(REACH / CELL).ceil() as i32 {
            let inner = (ring - 1).max(0) as f32 * CELL;
            if found.len() == MOST && inner * inner >= limit {
                break;
            }
            for y in (cy - ring).max(0)..=(cy + ring).min(self.high - 1) {
                let border = (y - cy).abs() == ring;
                for x in (cx - ring).max(0)..=(cx + ring).min(self.wide - 1) {
                    if !border && (x - cx).abs() != ring {
                        continue;
                    }
                    let c = (y * self.wide + x) as usize;
                    for &j in &self.rows[self.start[c] as usize..self.start[c + 1] as usize] {
                        let d = self.agents[j as usize].position.distance_squared(p);
                        if d < limit && j as usize != me {
                            let at = found.partition_point(|f| f.0 <= d);
                            found.insert(at, (d, j));
                            found.truncate(MOST);
                            if found.len() == MOST {
                                limit = found[MOST - 1].0;
                            }
                        }
                    }
                }
            }
        }
    }

    fn step(&mut self) {
        self.sort();
        let options = AvoidanceOptions {
            obstacle_margin: 0.25,
            time_horizon: 3.0,
            obstacle_time_horizon: 3.0,
        };
        let mut next = std::mem::take(&mut self.next);
        next.par_iter_mut()
            .with_min_len(64)
            .enumerate()
            .for_each_init(Vec::new, |found, (i, v)| {
                let me = &self.agents[i];
                self.nearest(i, found);
                let near: Vec<Cow<'_, Agent>> = found
                    .iter()
                    .map(|&(_, j)| Cow::Borrowed(&self.agents[j as usize]))
                    .collect();
                let to = self.goals[i] - me.position;
                let wish = to * (SPEED / to.length().max(1e-6)).min(1.0 / DT);
                *v = me.compute_avoiding_velocity(&near, &[], wish, SPEED, DT, &options);
            });
        for (a, v) in self.agents.iter_mut().zip(&next) {
            a.velocity = *v;
            a.position += *v * DT;
        }
        self.next = next;
    }

    fn overlaps(&mut self) -> usize {
        self.sort();
        let mut found = Vec::new();
        let mut pairs = 0;
        for i in 0..self.agents.len() {
            self.nearest(i, &mut found);
            let deep = (0.5f32 - 0.005).powi(2);
            pairs += found
                .iter()
                .filter(|f| f.0 < deep && f.1 as usize > i)
                .count();
        }
        pairs
    }
}

/// Whether two bodies touch within the horizon if they go on.
fn collides(offset: glam::Vec2, relative_velocity: glam::Vec2) -> bool {
    let nearest = offset.dot(relative_velocity) / relative_velocity.length_squared().max(1e-9);
    (offset - relative_velocity * nearest.clamp(0.0, 3.0)).length() < 0.5
}

/// The share of random configurations in which both choose the same velocity within 1e-4 m/s;
/// only with neighbours on a collision course, or with any.
fn agreement(configurations: usize, only_colliding: bool) -> f64 {
    let mut options = toml::Table::new();
    options.insert("symmetry_breaking".into(), 0.0.into());
    // As in the paper, and there.
    options.insert("urgency".into(), 0.0.into());
    options.insert("crowded_horizon".into(), 3.0.into());
    options.insert("contact_share".into(), 0.5.into());
    let orca = alone::avoidance("orca", &options).expect("orca");
    let avoidance = AvoidanceOptions {
        obstacle_margin: 0.25,
        time_horizon: 3.0,
        obstacle_time_horizon: 3.0,
    };
    let mut draw = Stream::new(11, 0, Purpose::Strategy, 0);
    let mut within = |size: f64| {
        let x = draw.range(-size, size) as f32;
        glam::Vec2::new(x, draw.range(-size, size) as f32)
    };
    let agent = |p: glam::Vec2, v: glam::Vec2| Agent {
        position: Vec2::new(p.x, p.y),
        velocity: Vec2::new(v.x, v.y),
        radius: 0.25,
        avoidance_responsibility: 1.0,
    };
    let mut same = 0;
    for _ in 0..configurations {
        let (own, preferred) = (within(0.9), [within(0.9)]);
        let velocity = [own];
        let mut seen = Vec::new();
        while seen.len() < MOST {
            let (offset, velocity) = (within(4.0), within(0.9));
            // Bodies that overlap have no agreed way to part.
            let course = !only_colliding || collides(offset, own - velocity);
            if offset.length() > 0.51 && course {
                seen.push(Neighbour { offset, velocity });
            }
        }
        seen.sort_by(|a, b| a.offset.length().total_cmp(&b.offset.length()));
        let chunk = SteerChunk {
            dt: DT,
            step: 0,
            seed: 1,
            id: &[100],
            tick: &[0],
            velocity: &velocity,
            heading: &velocity,
            preferred: &preferred,
            target: &preferred,
            radius: &[0.25],
            max_speed: &[SPEED],
            mass: &[80.0],
            neighbours: NeighbourRows {
                start: &[0, MOST as u32],
                seen: &seen,
                radius: &[0.25; MOST],
                flags: &[0; MOST],
                id: &std::array::from_fn::<u64, MOST, _>(|i| i as u64),
            },
            walls: WallRows {
                start: &[0, 0],
                walls: &[],
            },
        };
        let mut ours = [glam::Vec2::ZERO];
        let mut out = SteerOut {
            velocity: &mut ours,
            push: &mut [],
            pressed: &mut [],
            memory: MemoryRows::default(),
        };
        orca.steer(&chunk, &mut Scratch::default(), &mut out);
        let near: Vec<Cow<'_, Agent>> = seen
            .iter()
            .map(|n| Cow::Owned(agent(n.offset, n.velocity)))
            .collect();
        let wish = Vec2::new(preferred[0].x, preferred[0].y);
        let me = agent(glam::Vec2::ZERO, velocity[0]);
        let theirs = me.compute_avoiding_velocity(&near, &[], wish, SPEED, DT, &avoidance);
        same += usize::from(ours[0].distance(glam::Vec2::new(theirs.x, theirs.y)) < 1e-4);
    }
    same as f64 / configurations as f64
}

fn main() {
    println!(
        "the same velocity within 1e-4 m/s in {:.2} % of 10000 random configurations of neighbours \
         on a collision course, in {:.2} % of any",
        100.0 * agreement(10_000, true),
        100.0 * agreement(10_000, false)
    );
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let number = |i: usize, or: usize| numbers.get(i).copied().unwrap_or(or);
    let (agents, steps, threads, rounds) =
        (number(0, 10_000), number(1, 20), number(2, 1), number(3, 7));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    let mut sim = Simulation::builder()
        .threads(threads)
        .set(format!("environment.agents={agents}"))
        .set(format!("source[0].count={agents}"))
        .file(scenario("open-square.toml"))
        .unwrap_or_else(|e| panic!("{e}"));
    sim.step().expect("a step");
    let mut peer = Peer::like(&sim);
    let mut ratios = Vec::new();
    let (mut ours_best, mut theirs_best) = (0.0f64, 0.0f64);
    let mut pairs = [Vec::new(), Vec::new()];
    let mut before = (sim.stage_millis(), sim.steps());
    for round in 0..=rounds {
        let began = Instant::now();
        sim.run(steps as u64, |_| ControlFlow::Continue(()))
            .expect("steps");
        let ours = began.elapsed().as_secs_f64();
        let began = Instant::now();
        pool.install(|| (0..steps).for_each(|_| peer.step()));
        let theirs = began.elapsed().as_secs_f64();
        // The first round warms up.
        if round == 0 {
            before = (sim.stage_millis(), sim.steps());
        } else {
            let work = (agents * steps) as f64;
            ratios.push(theirs / ours);
            ours_best = ours_best.max(work / ours);
            theirs_best = theirs_best.max(work / theirs);
            pairs[0].push(Peer::like(&sim).overlaps());
            pairs[1].push(peer.overlaps());
        }
    }
    ratios.sort_by(f64::total_cmp);
    let mean = |pairs: &[usize]| pairs.iter().sum::<usize>() as f64 / pairs.len().max(1) as f64;
    println!(
        "agents {agents}, threads {threads}: ours {:.0} agent-steps/s, dodgy_2d {:.0}, ratio {:.2} (median of {rounds}, {:.2} to {:.2}); overlapping pairs ours {:.1}, theirs {:.1}",
        ours_best,
        theirs_best,
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
        mean(&pairs[0]),
        mean(&pairs[1]),
    );
    let agent_steps = agents as f64 * (sim.steps() - before.1).max(1) as f64;
    let mut total = 0.0;
    for ((stage, ms), (_, earlier)) in sim.stage_millis().into_iter().zip(before.0) {
        let nanos = (ms - earlier) * 1e6 / agent_steps;
        total += nanos;
        println!("  {stage:12} {nanos:7.1} ns per agent and step");
    }
    println!("  {:12} {total:7.1} ns per agent and step", "all");
    println!(
        "  {:12} {:7} bytes per agent",
        "memory",
        sim.bytes() / agents
    );
}
