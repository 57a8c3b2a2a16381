//! The same work for many items on plain threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the same with every item on so many threads (0: as many as there are cores); results in
/// the order of the items.
///
/// These are plain threads: a worker of a thread pool that waits for a simulation's own pool
/// would begin further simulations meanwhile, one inside the other, until its stack is full.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match items.get(at) {
                Some(item) => done.push((at, work(item))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(items.len()))
            .map(|_| scope.spawn(take))
            .collect();
        let mut all = take();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}
