//! The same source linked and loaded: same prices and same state to the bit.
//!
//! The strategy is compiled into this program from its source, not through the crate: cargo gives
//! a crate that is also a `cdylib` one file name for all feature sets, so that after
//! `cargo test --workspace` a `cargo test -p` might link it with another `throng-core`.

use std::path::PathBuf;

use throng_core::{
    AREA_UNIT, CostModel, CrowdView, PriceContext, Prices, RouteClass, SPEED_UNIT, Slot,
    random::{Purpose, Stream},
};
use throng_engine::{
    plugin,
    registry::{Registry, Strategy},
};

const CELLS: usize = 200;

#[path = "../src/shun.rs"]
mod shun;

/// The library that cargo built before this program, beside it.
fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_shun{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn strategies() -> [Strategy; 2] {
    let mut loaded = Registry::empty();
    loaded
        .register(plugin::load(&library()).unwrap().strategies)
        .unwrap();
    [Registry::builtin(), loaded].map(|all| all.find(Slot::Cost, "shun").unwrap().clone())
}

fn make(strategy: &Strategy, options: &str) -> Box<dyn CostModel> {
    let table = toml::from_str(options).unwrap();
    strategy.create(&table).unwrap().into_cost().unwrap()
}

/// A crowd drawn at random, handed on as a view.
fn with_crowd<R>(seed: u64, run: impl FnOnce(CrowdView<'_>) -> R) -> R {
    let mut random = Stream::new(seed, 0, Purpose::Start, 0);
    let mut column = |low: f64, high: f64| -> Vec<i64> {
        (0..CELLS).map(|_| random.range(low, high) as i64).collect()
    };
    let occupied = column(0.0, 5.0 * AREA_UNIT);
    let momentum_x = column(-5.0 * AREA_UNIT * SPEED_UNIT, 5.0 * AREA_UNIT * SPEED_UNIT);
    let momentum_y = column(-5.0 * AREA_UNIT * SPEED_UNIT, 5.0 * AREA_UNIT * SPEED_UNIT);
    let persons: Vec<i32> = column(0.0, 20.0).iter().map(|p| *p as i32).collect();
    run(CrowdView {
        area: &[4.0; CELLS],
        axis: &[],
        occupied: &occupied,
        persons: &persons,
        momentum_x: &momentum_x,
        momentum_y: &momentum_y,
    })
}

fn price(model: &dyn CostModel, crowd: CrowdView<'_>, out: &mut Prices) {
    let context = PriceContext {
        crowd,
        cell_speed: &[],
        cell_length: &[],
        class: RouteClass {
            profile: 1,
            speed: 1.3,
            weight: 1.0,
            radius: 0.24,
        },
        time: 3.5,
    };
    model.price(&context, out);
    assert_eq!(model.fault(), None);
}

/// Prices of several epochs and the state after them, as bits.
fn bits(model: &mut dyn CostModel, epochs: core::ops::Range<u64>) -> (Vec<u32>, Vec<u8>) {
    let mut prices = Prices::default();
    let mut all = Vec::new();
    for epoch in epochs {
        with_crowd(epoch, |crowd| {
            model.observe(&crowd, 1.5);
            price(model, crowd, &mut prices);
        });
        all.extend([prices.directions, prices.slices]);
        all.push(prices.least_base.to_bits());
        all.extend(prices.base.iter().map(|p| p.to_bits()));
        all.extend(prices.crowd.iter().map(|p| p.to_bits()));
    }
    let mut state = Vec::new();
    model.save(&mut state);
    (all, state)
}

#[test]
fn same_bits_linked_and_loaded() {
    for options in ["", "counterflow = 0.0\nsmoothing = 2.7", "factor = 0.1"] {
        let [mut linked, mut loaded] = strategies().map(|s| make(&s, options));
        assert_eq!(linked.crowd_needs(), loaded.crowd_needs());
        assert_eq!(linked.is_static(), loaded.is_static());
        let (a, b) = (bits(&mut *linked, 0..9), bits(&mut *loaded, 0..9));
        assert!(a.0.len() > 9 * 2 * CELLS && a.1.len() == CELLS * 12);
        assert_eq!(a, b, "options {options:?}");
    }
}

#[test]
fn a_resumed_model_goes_on_with_the_same_bits() {
    let [linked, loaded] = strategies();
    let mut whole = make(&loaded, "");
    let (_, state) = bits(&mut *whole, 0..5);
    let rest = bits(&mut *whole, 5..9);
    for kind in [&linked, &loaded] {
        let mut resumed = make(kind, "");
        resumed.load(&state).unwrap();
        assert_eq!(bits(&mut *resumed, 5..9), rest);
    }
    let mut fresh = make(&loaded, "");
    assert_ne!(bits(&mut *fresh, 5..9), rest, "state must matter");
}

#[test]
fn broken_state_is_refused() {
    let [_, loaded] = strategies();
    let refused = make(&loaded, "").load(&[1, 2, 3]).unwrap_err().to_string();
    assert!(
        refused.contains("shun") && refused.contains("3 bytes"),
        "{refused}"
    );
}

#[test]
fn same_description_and_options() {
    let [linked, loaded] = strategies();
    assert_eq!(linked.about, loaded.about);
    assert_eq!(linked.options, loaded.options);
    assert_eq!(linked.offers, loaded.offers);
    let table = toml::from_str("factor = 0.3").unwrap();
    assert_eq!(
        linked.effective(&table).unwrap(),
        loaded.effective(&table).unwrap()
    );
}

/// The columns that nobody needs are empty, not missing.
#[test]
fn absent_columns_cross_as_absent() {
    let [_, loaded] = strategies();
    let model = make(&loaded, "");
    let crowd = CrowdView {
        area: &[4.0; 3],
        axis: &[],
        occupied: &[],
        persons: &[],
        momentum_x: &[],
        momentum_y: &[],
    };
    let mut prices = Prices::default();
    price(&*model, crowd, &mut prices);
    assert_eq!(prices.crowd, [0.0; 24]);
    let mut unequal = crowd;
    unequal.persons = &[1];
    let context = PriceContext {
        crowd: unequal,
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
    model.price(&context, &mut prices);
    assert!(model.fault().unwrap().contains("unequal lengths"));
    assert_eq!(prices.uniform, Some(1.0));
}
