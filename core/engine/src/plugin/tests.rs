//! Descriptors as a C author would write them: bare functions, no scratch, one call at a time.

use core::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering},
};
use std::path::Path;

use glam::Vec2;
use throng_abi::{
    ABI_VERSION, AvoidanceProfile, AvoidanceTable, Bytes, Call, Descriptor, Sink, Status, SteerIn,
    SteerOut as AbiSteerOut, slot, status, threads,
};
use throng_core::{
    LocalAvoidance, MemoryRows, NeighbourRows, Scratch, SteerChunk, SteerOut, WallRows,
};

use super::load::strategy;

/// The instance is a byte of this array: how a call of `steer` ends.
static ENDINGS: [u8; 4] = [0, 1, 3, 77];
static AT_WORK: AtomicU32 = AtomicU32::new(0);
static MOST_AT_WORK: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn create(call: *const Call, options: Bytes, out: *mut *mut c_void) -> Status {
    // SAFETY: the host lends call, options and `out`.
    unsafe {
        let digit = options.get().iter().find(|b| b.is_ascii_digit());
        let which = digit.map_or(0, |b| usize::from(b - b'0'));
        match ENDINGS.get(which) {
            Some(ending) => *out = core::ptr::from_ref(ending).cast_mut().cast(),
            None => {
                (*call).error.append(b"no such ending");
                return status::ERROR;
            }
        }
        status::OK
    }
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

unsafe extern "C" fn effective(_: *const Call, _: *const c_void, out: *const Sink) -> Status {
    // SAFETY: the host lends the sink.
    unsafe { (*out).append(br#"{"ending": 0}"#) };
    status::OK
}

unsafe extern "C" fn profile(
    _: *const Call,
    _: *const c_void,
    out: *mut AvoidanceProfile,
) -> Status {
    // SAFETY: the host lends the profile.
    unsafe {
        (*out).reach = 0.0;
        (*out).wall_reach = 0.0;
    }
    status::OK
}

unsafe extern "C" fn steer(
    call: *const Call,
    instance: *const c_void,
    scratch: *mut c_void,
    chunk: *const SteerIn,
    out: *const AbiSteerOut,
) -> Status {
    let now = AT_WORK.fetch_add(1, Ordering::SeqCst) + 1;
    MOST_AT_WORK.fetch_max(now, Ordering::SeqCst);
    std::thread::yield_now();
    // SAFETY: the host lends everything as the tables say; the instance is one of `ENDINGS`.
    let ending = unsafe {
        assert!(scratch.is_null());
        for i in 0..(*chunk).agents {
            *(*out).velocity.add(i) = *(*chunk).preferred.add(i);
        }
        let ending = *instance.cast::<u8>();
        if ending != 0 {
            (*call).error.append(b"as told");
        }
        ending
    };
    AT_WORK.fetch_sub(1, Ordering::SeqCst);
    Status::from(ending)
}

static TABLE: AvoidanceTable = WHOLE;
static STEERLESS: AvoidanceTable = AvoidanceTable {
    steer: None,
    ..WHOLE
};
static SMALL: AvoidanceTable = AvoidanceTable { size: 16, ..WHOLE };
static RAGGED: AvoidanceTable = AvoidanceTable { size: 21, ..WHOLE };
/// As it was before `longest_step` was appended.
static EARLIER: AvoidanceTable = AvoidanceTable {
    size: core::mem::offset_of!(AvoidanceTable, longest_step) as u32,
    longest_step: Some(never),
    ..WHOLE
};

unsafe extern "C" fn never(_: *const c_void, _: f32) -> f32 {
    unreachable!("it lies beyond the table")
}
const WHOLE: AvoidanceTable = AvoidanceTable {
    size: size_of::<AvoidanceTable>() as u32,
    version: ABI_VERSION,
    profile: Some(profile),
    new_scratch: None,
    free_scratch: None,
    steer: Some(steer),
    longest_step: None,
};

fn descriptor() -> Descriptor {
    let text = |t: &'static str| Bytes::of(t.as_bytes());
    Descriptor {
        size: size_of::<Descriptor>() as u32,
        version: ABI_VERSION,
        slot: slot::AVOIDANCE,
        threads: threads::ONE_AT_A_TIME,
        id: text("plain"),
        strategy_version: text("1"),
        origin: text("here"),
        about: text("Walks as preferred."),
        when: text(""),
        when_not: text(""),
        growth: text(""),
        paper: text(""),
        options: text(
            r#"{"properties": {"ending": {"type": "integer", "minimum": 0, "default": 0}}}"#,
        ),
        needs: 0,
        offers: 0,
        create: Some(create),
        destroy: Some(destroy),
        effective: Some(effective),
        table: (&raw const TABLE).cast(),
    }
}

fn make(ending: i64) -> Result<Box<dyn LocalAvoidance>, String> {
    let descriptor: &'static Descriptor = Box::leak(Box::new(descriptor()));
    let strategy = strategy(Path::new("libplain.so"), "hash", "plain", descriptor)?;
    let mut table = toml::Table::new();
    table.insert("ending".into(), ending.into());
    let made = strategy.create(&table).map_err(|e| e.to_string())?;
    made.into_avoidance().ok_or_else(|| "another slot".into())
}

fn steered(model: &dyn LocalAvoidance) -> Vec<Vec2> {
    let (ones, numbers) = ([Vec2::ONE; 3], [1.0; 3]);
    let chunk = SteerChunk {
        dt: 0.1,
        step: 4,
        seed: 0,
        id: &[1, 2, 3],
        tick: &[0; 3],
        velocity: &ones,
        heading: &ones,
        preferred: &ones,
        target: &ones,
        radius: &numbers,
        max_speed: &numbers,
        mass: &numbers,
        neighbours: NeighbourRows {
            start: &[0; 4],
            seen: &[],
            radius: &[],
            flags: &[],
            id: &[],
        },
        walls: WallRows {
            start: &[0; 4],
            walls: &[],
        },
    };
    let mut velocity = vec![Vec2::ZERO; 3];
    let mut out = SteerOut {
        velocity: &mut velocity,
        push: &mut [],
        pressed: &mut [],
        memory: MemoryRows::default(),
    };
    model.steer(&chunk, &mut Scratch::default(), &mut out);
    velocity
}

#[test]
fn every_ending_is_told_and_only_good_answers_are_used() {
    for (which, words, used) in [
        (0, None, true),
        (1, Some("failed: as told"), false),
        (2, Some("reports: as told"), true),
        (3, Some("status 77, which does not exist: as told"), false),
    ] {
        let model = make(which).unwrap();
        let expected = if used { Vec2::ONE } else { Vec2::ZERO };
        assert_eq!(steered(&*model), [expected; 3], "{words:?}");
        match (words, model.fault()) {
            (None, fault) => assert_eq!(fault, None),
            (Some(words), fault) => {
                let fault = fault.unwrap_or_default();
                assert!(fault.ends_with(words), "{fault}");
                assert!(fault.starts_with("libplain.so: avoidance/plain"), "{fault}");
            }
        }
    }
    assert!(make(7).unwrap_err().contains("failed: no such ending"));
}

/// A library that was built before the table grew.
#[test]
fn a_smaller_table_lacks_what_was_appended() {
    let mut earlier = descriptor();
    earlier.table = (&raw const EARLIER).cast();
    let leaked: &'static Descriptor = Box::leak(Box::new(earlier));
    let found = strategy(Path::new("libplain.so"), "hash", "plain", leaked).unwrap();
    let made = found.create(&toml::Table::new()).unwrap();
    let model = made.into_avoidance().unwrap();
    assert_eq!(model.longest_step(3.0), f32::INFINITY);
    assert_eq!(steered(&*model), [Vec2::ONE; 3]);
}

#[test]
fn one_call_at_a_time_is_kept() {
    let model = make(0).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(steered(&*model), [Vec2::ONE; 3]);
                }
            });
        }
    });
    // The other test makes instances of its own, which may be at work beside this one.
    assert!(MOST_AT_WORK.load(Ordering::SeqCst) <= 2);
}

#[test]
fn senseless_descriptors_are_refused_with_the_reason() {
    type Case = (&'static str, &'static str, fn(&mut Descriptor));
    let cases: [Case; 13] = [
        ("the id \"Plain\"", "Plain", |_| {}),
        ("the id \"\"", "", |_| {}),
        ("no slot number 17", "plain", |d| d.slot = 17),
        ("thread rule is 9", "plain", |d| d.threads = 9),
        ("capabilities 0x8000", "plain", |d| d.needs = 0x8001),
        ("a function of its descriptor", "plain", |d| d.create = None),
        ("a function of its descriptor", "plain", |d| {
            d.table = core::ptr::null();
        }),
        ("steer is missing", "plain", |d| {
            d.table = (&raw const STEERLESS).cast();
        }),
        ("steer is missing", "plain", |d| {
            d.table = (&raw const SMALL).cast();
        }),
        ("version 1 and 21 bytes", "plain", |d| {
            d.table = (&raw const RAGGED).cast();
        }),
        ("description is not UTF-8", "plain", |d| {
            d.about = Bytes::of(b"\xff\xfe");
        }),
        ("growth is no text", "plain", |d| {
            d.growth.count = usize::MAX
        }),
        ("schema is wrong", "plain", |d| d.options = Bytes::of(b"{")),
    ];
    for (words, id, spoil) in cases {
        let mut spoilt = descriptor();
        spoil(&mut spoilt);
        let leaked: &'static Descriptor = Box::leak(Box::new(spoilt));
        let reason = strategy(Path::new("libplain.so"), "hash", id, leaked).unwrap_err();
        assert!(reason.contains(words), "{words}: {reason}");
    }
}
