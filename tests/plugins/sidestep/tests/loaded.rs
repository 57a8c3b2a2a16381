//! The same source linked and loaded: same description, same options, same bits.
//!
//! The strategy is compiled into this program from its source, not through the crate: cargo gives
//! a crate that is also a `cdylib` one file name for all feature sets, so that after
//! `cargo test --workspace` a `cargo test -p` might link it with another `throng-core`.

use std::path::PathBuf;

use glam::Vec2;
use throng_core::{
    LocalAvoidance, MemoryRows, NearWall, Neighbour, NeighbourRows, Scratch, Slot, SteerChunk,
    SteerOut, WallRows,
    random::{Purpose, Stream},
};
use throng_engine::{
    plugin,
    registry::{Registry, Strategy},
};

#[path = "../src/sidestep.rs"]
mod sidestep;

/// The library that cargo built before this program, beside it.
fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_sidestep{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn loaded() -> Strategy {
    let mut registry = Registry::empty();
    registry
        .register(plugin::load(&library()).unwrap().strategies)
        .unwrap();
    registry.find(Slot::Avoidance, "sidestep").unwrap().clone()
}

fn linked() -> Strategy {
    let registry = Registry::builtin();
    registry.find(Slot::Avoidance, "sidestep").unwrap().clone()
}

fn make(strategy: &Strategy, options: &str) -> Box<dyn LocalAvoidance> {
    let table = toml::from_str(options).unwrap();
    strategy.create(&table).unwrap().into_avoidance().unwrap()
}

/// Agents with neighbours and walls, drawn at random.
struct Crowd {
    id: Vec<u64>,
    tick: Vec<u32>,
    vectors: [Vec<Vec2>; 4],
    radius: Vec<f32>,
    max_speed: Vec<f32>,
    mass: Vec<f32>,
    neighbour_start: Vec<u32>,
    seen: Vec<Neighbour>,
    neighbour_radius: Vec<f32>,
    flags: Vec<u8>,
    neighbour_id: Vec<u64>,
    wall_start: Vec<u32>,
    walls: Vec<NearWall>,
}

impl Crowd {
    fn draw(agents: usize, seed: u64) -> Crowd {
        let mut random = Stream::new(seed, 0, Purpose::Start, 0);
        let mut number = |low: f64, high: f64| random.range(low, high) as f32;
        let mut crowd = Crowd {
            id: (0..agents as u64).map(|i| i * 7 + 3).collect(),
            tick: vec![1; agents],
            vectors: Default::default(),
            radius: Vec::new(),
            max_speed: Vec::new(),
            mass: Vec::new(),
            neighbour_start: vec![0],
            seen: Vec::new(),
            neighbour_radius: Vec::new(),
            flags: Vec::new(),
            neighbour_id: Vec::new(),
            wall_start: vec![0],
            walls: Vec::new(),
        };
        for _ in 0..agents {
            for vector in &mut crowd.vectors {
                vector.push(Vec2::new(number(-2.0, 2.0), number(-2.0, 2.0)));
            }
            crowd.radius.push(number(0.15, 0.35));
            crowd.max_speed.push(number(0.5, 2.5));
            crowd.mass.push(number(50.0, 100.0));
            for k in 0..number(0.0, 9.0) as u64 {
                crowd.seen.push(Neighbour {
                    offset: Vec2::new(number(-3.0, 3.0), number(-3.0, 3.0)),
                    velocity: Vec2::new(number(-2.0, 2.0), number(-2.0, 2.0)),
                });
                crowd.neighbour_radius.push(number(0.15, 0.35));
                crowd.flags.push(number(0.0, 4.0) as u8);
                crowd.neighbour_id.push(1000 + k);
            }
            crowd.neighbour_start.push(crowd.seen.len() as u32);
            for _ in 0..number(0.0, 4.0) as u64 {
                crowd.walls.push(NearWall {
                    a: Vec2::new(number(-2.0, 2.0), number(-2.0, 2.0)),
                    b: Vec2::new(number(-2.0, 2.0), number(-2.0, 2.0)),
                    before: Vec2::X,
                    after: Vec2::Y,
                    flags: 3,
                    wall: 5,
                });
            }
            crowd.wall_start.push(crowd.walls.len() as u32);
        }
        crowd
    }

    fn chunk(&self, step: u64) -> SteerChunk<'_> {
        SteerChunk {
            dt: 0.1,
            step,
            seed: 7,
            id: &self.id,
            tick: &self.tick,
            velocity: &self.vectors[0],
            heading: &self.vectors[1],
            preferred: &self.vectors[2],
            target: &self.vectors[3],
            radius: &self.radius,
            max_speed: &self.max_speed,
            mass: &self.mass,
            neighbours: NeighbourRows {
                start: &self.neighbour_start,
                seen: &self.seen,
                radius: &self.neighbour_radius,
                flags: &self.flags,
                id: &self.neighbour_id,
            },
            walls: WallRows {
                start: &self.wall_start,
                walls: &self.walls,
            },
        }
    }
}

/// Steers many random crowds, memory carried from one to the next, and gives all bits.
fn bits(model: &dyn LocalAvoidance) -> Vec<u32> {
    const AGENTS: usize = 256;
    let mut scratch = Scratch::default();
    let mut velocity = vec![Vec2::ZERO; AGENTS];
    let mut scalars = vec![0.0; AGENTS * model.memory().scalars.len()];
    let mut all = Vec::new();
    for step in 0..40 {
        let crowd = Crowd::draw(AGENTS, step);
        let mut out = SteerOut {
            velocity: &mut velocity,
            push: &mut [],
            pressed: &mut [],
            memory: MemoryRows {
                scalars: &mut scalars,
                ..MemoryRows::default()
            },
        };
        model.steer(&crowd.chunk(step), &mut scratch, &mut out);
        assert_eq!(model.fault(), None);
        all.extend(velocity.iter().flat_map(|v| [v.x.to_bits(), v.y.to_bits()]));
        all.extend(scalars.iter().map(|s| s.to_bits()));
    }
    all
}

#[test]
fn same_bits_linked_and_loaded() {
    for options in ["", "gap = 0.1\nhorizon = 5.3\nmost = 3\nforget = 0.0"] {
        let (linked, loaded) = (make(&linked(), options), make(&loaded(), options));
        assert_eq!(linked.perception(), loaded.perception());
        assert_eq!(linked.memory(), loaded.memory());
        assert_eq!(linked.pushes(), loaded.pushes());
        assert_eq!(bits(&*linked), bits(&*loaded), "options {options:?}");
    }
    let (one, other) = (
        bits(&*make(&loaded(), "")),
        bits(&*make(&loaded(), "strength = 3.0")),
    );
    assert_ne!(one, other, "options must reach the library");
}

#[test]
fn same_bits_on_many_threads_at_once() {
    let model = make(&loaded(), "");
    let alone = bits(&*model);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| bits(&*model))).collect();
        for one in all {
            assert_eq!(one.join().unwrap(), alone);
        }
    });
}

#[test]
fn same_description_and_options() {
    let (linked, loaded) = (linked(), loaded());
    assert_eq!(linked.about, loaded.about);
    assert_eq!(linked.when, loaded.when);
    assert_eq!(linked.when_not, loaded.when_not);
    assert_eq!(linked.growth, loaded.growth);
    assert_eq!(linked.needs, loaded.needs);
    assert_eq!(linked.offers, loaded.offers);
    assert_eq!(linked.version, loaded.version);
    assert_eq!(linked.options, loaded.options);
    assert!(loaded.origin.ends_with(std::env::consts::DLL_SUFFIX));
    assert_eq!(loaded.hash.as_ref().map(String::len), Some(64));
    let table = toml::from_str("gap = 0.7").unwrap();
    assert_eq!(
        linked.effective(&table).unwrap(),
        loaded.effective(&table).unwrap()
    );
}

#[test]
fn wrong_options_are_refused_by_name() {
    let refuse = |options: &str| {
        let table = toml::from_str(options).unwrap();
        loaded().create(&table).unwrap_err().to_string()
    };
    let unknown = refuse("gapp = 1.0");
    assert!(
        unknown.contains("gapp") && unknown.contains("sidestep"),
        "{unknown}"
    );
    let text = refuse("gap = 'wide'");
    assert!(text.contains("wide"), "{text}");
    let endless = refuse("gap = inf");
    assert!(endless.starts_with("gap:"), "{endless}");
}

/// Two libraries' scratch in one place: each gets its own.
#[test]
fn scratch_is_never_mixed_up() {
    let (linked, loaded) = (make(&linked(), ""), make(&loaded(), ""));
    let crowd = Crowd::draw(8, 1);
    let mut scratch = Scratch::default();
    for model in [&linked, &loaded, &linked, &loaded, &loaded] {
        let mut velocity = vec![Vec2::ZERO; 8];
        let mut scalars = vec![0.0; 8];
        let mut out = SteerOut {
            velocity: &mut velocity,
            push: &mut [],
            pressed: &mut [],
            memory: MemoryRows {
                scalars: &mut scalars,
                ..MemoryRows::default()
            },
        };
        model.steer(&crowd.chunk(0), &mut scratch, &mut out);
        assert!(velocity.iter().all(|v| v.is_finite()));
    }
}

/// Arrays of unequal lengths never cross the border.
#[test]
fn unequal_arrays_are_a_fault_and_no_crash() {
    let model = make(&loaded(), "");
    let mut crowd = Crowd::draw(8, 1);
    crowd.mass.pop();
    let mut velocity = vec![Vec2::NAN; 8];
    let mut scalars = vec![0.0; 8];
    let mut out = SteerOut {
        velocity: &mut velocity,
        push: &mut [],
        pressed: &mut [],
        memory: MemoryRows {
            scalars: &mut scalars,
            ..MemoryRows::default()
        },
    };
    model.steer(&crowd.chunk(0), &mut Scratch::default(), &mut out);
    assert!(velocity.iter().all(|v| *v == Vec2::ZERO));
    assert!(model.fault().unwrap().contains("unequal lengths"));
}
