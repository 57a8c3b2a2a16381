//! Every way of being wrong gives a clear fault, finite results and no crash.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use glam::Vec2;
use throng_core::{
    CostModel, CrowdView, LocalAvoidance, Location, MemoryRows, NeighbourRows, PriceContext,
    Prices, RouteClass, Scratch, Slot, SteerChunk, SteerOut, WallRows,
};
use throng_engine::{plugin, registry::Registry};

fn registry() -> Registry {
    let program = std::env::current_exe().unwrap();
    let library: PathBuf = program.with_file_name(format!(
        "{}throng_plugin_faulty{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let mut registry = Registry::empty();
    registry
        .register(plugin::load(&library).unwrap().strategies)
        .unwrap();
    registry
}

fn avoidance(deed: &str) -> Result<Box<dyn LocalAvoidance>, String> {
    let mut table = toml::Table::new();
    table.insert("deed".into(), deed.into());
    let registry = registry();
    let strategy = registry.find(Slot::Avoidance, "faulty").unwrap();
    let made = strategy.create(&table).map_err(|e| e.to_string())?;
    Ok(made.into_avoidance().unwrap())
}

fn cost(fee: &str) -> Box<dyn CostModel> {
    let mut table = toml::Table::new();
    table.insert("fee".into(), fee.into());
    let registry = registry();
    let strategy = registry.find(Slot::Cost, "faulty").unwrap();
    strategy.create(&table).unwrap().into_cost().unwrap()
}

const AGENTS: usize = 4;
const IDS: [u64; AGENTS] = [9, 5, 2, 7];
const PREFERRED: [Vec2; AGENTS] = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];

struct Answer {
    velocity: [Vec2; AGENTS],
    push: [Vec2; AGENTS],
    scalars: [f32; 2 * AGENTS],
    tangents: [Vec2; AGENTS],
    locations: [Location; AGENTS],
    fault: Option<String>,
}

fn steer(model: &dyn LocalAvoidance) -> Answer {
    let (zeros, numbers) = ([Vec2::ZERO; AGENTS], [1.0; AGENTS]);
    let chunk = SteerChunk {
        dt: 0.1,
        step: 12,
        seed: 0,
        id: &IDS,
        tick: &[0; AGENTS],
        velocity: &zeros,
        heading: &zeros,
        preferred: &PREFERRED,
        target: &zeros,
        radius: &numbers,
        max_speed: &numbers,
        mass: &numbers,
        neighbours: NeighbourRows {
            start: &[],
            seen: &[],
            radius: &[],
            flags: &[],
            id: &[],
        },
        walls: WallRows {
            start: &[],
            walls: &[],
        },
    };
    let mut answer = Answer {
        velocity: zeros,
        push: zeros,
        scalars: [0.5; 2 * AGENTS],
        tangents: zeros,
        locations: [Location::NOWHERE; AGENTS],
        fault: None,
    };
    let mut out = SteerOut {
        velocity: &mut answer.velocity,
        push: &mut answer.push,
        pressed: &mut [],
        memory: MemoryRows {
            scalars: &mut answer.scalars,
            tangents: &mut answer.tangents,
            locations: &mut answer.locations,
        },
    };
    model.steer(&chunk, &mut Scratch::default(), &mut out);
    answer.fault = model.fault();
    assert_eq!(model.fault(), None, "a fault is told once");
    answer
}

#[test]
fn wrong_velocities_are_replaced_and_the_agent_named() {
    for (deed, words) in [
        ("nan", "agent 5 at step 12: its velocity is (0, NaN)"),
        ("infinite", "agent 5 at step 12: its velocity is (inf, 1)"),
        (
            "huge",
            "agent 5 at step 12: its velocity is (3000000000, 1)",
        ),
        ("idle", "agent 5 at step 12: its velocity was not written"),
    ] {
        let answer = steer(&*avoidance(deed).unwrap());
        let fault = answer.fault.unwrap();
        assert!(fault.contains(words), "{deed}: {fault}");
        assert!(fault.contains("throng_plugin_faulty") && fault.contains("avoidance/faulty"));
        let mut expected = PREFERRED;
        expected[1] = Vec2::ZERO;
        assert_eq!(answer.velocity, expected, "{deed}");
    }
}

#[test]
fn wrong_memory_and_pushes_are_replaced() {
    let memory = steer(&*avoidance("memory").unwrap());
    assert_eq!(memory.scalars[3], 0.0);
    assert_eq!(memory.scalars[2], 0.5);
    assert!(
        memory
            .fault
            .unwrap()
            .contains("agent 5 at step 12: its memory grudge is NaN")
    );
    let place = steer(&*avoidance("place").unwrap());
    assert_eq!(place.locations, [Location::NOWHERE; AGENTS]);
    assert_eq!(place.tangents, [Vec2::ZERO; AGENTS]);
    let fault = place.fault.unwrap();
    assert!(
        fault.contains("its memory drift") && fault.contains("and 1 more"),
        "{fault}"
    );
    let push = steer(&*avoidance("push").unwrap());
    assert_eq!(push.push, [Vec2::ZERO; AGENTS]);
    assert!(push.fault.unwrap().contains("displacement is (inf, inf)"));
}

#[test]
fn panics_are_caught_and_end_the_instance() {
    for (deed, words) in [
        ("panic", "no more of this"),
        ("odd-panic", "panicked"),
        ("bounds", "out of bounds"),
    ] {
        let model = avoidance(deed).unwrap();
        let first = steer(&*model);
        let fault = first.fault.unwrap();
        assert!(fault.contains(words), "{deed}: {fault}");
        assert!(
            fault.contains("panicked at") && fault.contains("faulty.rs"),
            "{fault}"
        );
        assert_eq!(first.velocity, [Vec2::ZERO; AGENTS]);
        let second = steer(&*model).fault.unwrap();
        assert!(second.contains("called no more"), "{second}");
        // Another instance of the same library is not touched by it.
        assert_eq!(steer(&*avoidance("well").unwrap()).fault, None);
    }
}

#[test]
fn own_faults_are_passed_on_with_the_answer() {
    let answer = steer(&*avoidance("report").unwrap());
    assert!(answer.fault.unwrap().contains("I feel unwell"));
    assert_eq!(answer.velocity, PREFERRED);
}

#[test]
fn wrong_profiles_are_refused_when_made() {
    let panics = avoidance("profile").unwrap_err();
    assert!(panics.contains("no profile today"), "{panics}");
    let reach = avoidance("reach").unwrap_err();
    assert!(reach.contains("its reach is NaN"), "{reach}");
    let unknown = avoidance("dance").unwrap_err();
    assert!(
        unknown.contains("dance") && unknown.contains("well"),
        "{unknown}"
    );
}

/// What the log of this thread is written to.
#[derive(Clone, Default)]
struct Pages(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Pages {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn callbacks_reach_the_host() {
    let pages = Pages::default();
    let writer = pages.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let model = avoidance("log").unwrap();
    tracing::subscriber::with_default(subscriber, || {
        plugin::request_stop(true);
        assert_eq!(steer(&*model).velocity, PREFERRED);
        plugin::request_stop(false);
        assert_eq!(steer(&*model).fault, None);
    });
    let log = String::from_utf8(pages.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines[0].contains("WARN throng::plugin: should stop: true"),
        "{log}"
    );
    assert!(lines[1].contains("should stop: false"), "{log}");
}

const CELLS: usize = 5;

fn crowd() -> CrowdView<'static> {
    CrowdView {
        area: &[1.0; CELLS],
        axis: &[],
        occupied: &[0; CELLS],
        persons: &[0; CELLS],
        momentum_x: &[],
        momentum_y: &[],
    }
}

fn price(model: &dyn CostModel) -> (Prices, Option<String>) {
    let context = PriceContext {
        crowd: crowd(),
        cell_speed: &[],
        cell_length: &[],
        class: RouteClass {
            profile: 0,
            speed: 1.0,
            weight: 1.0,
            radius: 0.2,
        },
        time: 0.0,
    };
    let mut prices = Prices::default();
    model.price(&context, &mut prices);
    (prices, model.fault())
}

#[test]
fn good_prices_pass_untouched() {
    let (prices, fault) = price(&*cost("well"));
    assert_eq!(fault, None);
    assert_eq!(
        (prices.base, prices.crowd),
        (vec![1.5; CELLS], vec![0.25; CELLS])
    );
    let (full, fault) = price(&*cost("full"));
    assert_eq!(fault, None);
    assert_eq!(
        (full.directions, full.slices, full.slice_seconds),
        (8, 2, 20.0)
    );
    assert_eq!(full.blocked, [4]);
    assert!(full.is_blocked(2) && !full.is_blocked(1));
    assert_eq!(full.crowd[CELLS * 8 + 3], 9.0);
}

#[test]
fn wrong_prices_are_mended_and_the_cell_named() {
    for (fee, words, base, crowd) in [
        ("nan", "cell 2 is 1.5 + NaN", 1.5, 0.0),
        ("free", "cell 2 is 0 + 0.25", 1.0, 0.25),
        ("gift", "cell 2 is 1.5 + -1", 1.5, 0.0),
        ("dear", "cell 2 is 1.5 + 1000000", 1.5, 15000.0),
    ] {
        let (prices, fault) = price(&*cost(fee));
        let fault = fault.unwrap();
        assert!(
            fault.contains(words) && fault.contains("cost/faulty"),
            "{fee}: {fault}"
        );
        assert_eq!((prices.base[2], prices.crowd[2]), (base, crowd), "{fee}");
        assert_eq!((prices.base[1], prices.crowd[1]), (1.5, 0.25), "{fee}");
        assert!(prices.least_base <= prices.base[2], "{fee}");
    }
    let (bound, fault) = price(&*cost("bound"));
    assert_eq!(bound.least_base, 1.5);
    assert!(fault.unwrap().contains("least base price is 2"));
    let (instant, fault) = price(&*cost("instant"));
    assert!(instant.slice_seconds > 0.0);
    assert!(fault.unwrap().contains("last 0 seconds"));
}

#[test]
fn senseless_prices_fall_back_to_one_price() {
    for (fee, words) in [
        ("short", "4 base and 5 crowd entries"),
        ("directions", "refused prices with 3 directions"),
        ("slices", "refused prices with 1 directions and 5000 slices"),
        ("uniform", "uniform price is -1"),
        ("panic", "sold out"),
    ] {
        let (prices, fault) = price(&*cost(fee));
        let fault = fault.unwrap();
        assert!(fault.contains(words), "{fee}: {fault}");
        assert_eq!(prices.uniform, Some(1.0), "{fee}");
        assert_eq!(prices.least_base, 1.0, "{fee}");
    }
}

#[test]
fn panics_in_observe_save_and_load_are_caught() {
    let mut blind = cost("blind");
    blind.observe(&crowd(), 1.0);
    assert!(blind.fault().unwrap().contains("cannot see"));
    let mut forgetful = cost("forgetful");
    let mut state = b"before".to_vec();
    forgetful.save(&mut state);
    assert_eq!(state, b"before");
    assert!(forgetful.fault().unwrap().contains("what was it"));
    let refused = cost("forgetful").load(b"half").unwrap_err().to_string();
    assert!(refused.contains("what was it"), "{refused}");
    forgetful = cost("well");
    forgetful.save(&mut state);
    assert_eq!(state, b"beforehalf");
}
