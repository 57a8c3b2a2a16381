//! A steady step allocates nothing.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use throng::Simulation;

struct Counting;
static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on to the system's allocator as it came.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SQUARE: &str = r#"
name = "square"
seed = 1
duration = 100.0
[environment]
generate = "square"
agents = 600
[planner]
kind = "direct"
[[source]]
area = "everything"
count = 600
goals = "random"
at_goal = "again"
"#;

/// A desk and a waiting area that the same people visit again and again.
const QUEUES: &str = r#"
name = "queues"
seed = 1
duration = 100.0
[environment]
generate = "square"
agents = 600
[planner]
kind = "direct"
[[area]]
name = "desk"
shape = [[10, 20], [13, 20], [13, 22], [10, 22]]
[[area]]
name = "lounge"
shape = [[20, 5], [30, 5], [30, 12], [20, 12]]
[[goal]]
area = "desk"
serve = 1.0
servers = 2
queue = [[11, 19], [11, 5]]
[[goal]]
area = "lounge"
wait = { uniform = [1, 3] }
[[source]]
area = "everything"
count = 40
goals = ["desk", "lounge"]
choose = "order"
at_goal = "again"
"#;

/// People who are removed at their goal and replaced, so that the count holds; their next gates
/// come from a table. So many that hardly a second goes by without somebody being replaced.
const POOL: &str = r#"
name = "pool"
seed = 1
duration = 100.0
[environment]
generate = "rooms"
[nav]
kind = "adaptive-grid"
[planner]
kind = "next-hop"
[[source]]
area = "room-1"
hold = 40
goals = ["room-2", "room-3", "room-5"]
choose = "random"
"#;

#[test]
fn a_steady_step_allocates_nothing() {
    for (threads, text) in [(1, SQUARE), (2, SQUARE), (1, QUEUES), (1, POOL)] {
        let mut sim = Simulation::builder().threads(threads).text(text).unwrap();
        let mut per_step = Vec::with_capacity(1000);
        let (mut last, mut replaced, mut gone) = (0, 0, 0);
        let mut held = true;
        sim.run(400, |sim| {
            let now = COUNT.load(Relaxed);
            per_step.push(now - last);
            last = now;
            // Who arrived in this step is replaced at the beginning of the next.
            let arrived = sim.metrics().arrived;
            held &= sim.agents().len() as u64 + arrived - gone == 40;
            replaced += u64::from(per_step.len() > 200) * (arrived - gone);
            gone = arrived;
            ControlFlow::Continue(())
        })
        .unwrap();
        if text == POOL {
            assert!(held && replaced >= 10, "{held}, {replaced} replaced");
        }
        // Buffers grow while the crowd settles; after that a step in ten thousand may still meet
        // a denser place than ever before, so the quiet ones are counted.
        let late = &per_step[200..];
        let quiet = late.iter().filter(|n| **n == 0).count();
        assert!(
            quiet >= 195,
            "{threads} threads: {} of 200 late steps allocated: {late:?}",
            200 - quiet
        );
    }
}
