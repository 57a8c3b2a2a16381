//! Watches calls into libraries: one that does not return is named and asked to stop, and if that
//! does not help the host is told.
//!
//! A thread that enters a library marks a place of its own and unmarks it when it comes back, two
//! stores and no clock. The watchdog looks at all places several times within the limit, and
//! counts how often it has seen the same call. It counts its own looks, not time: a program that
//! was suspended, or waited for a busy machine, is not late.

use core::{
    fmt,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering},
    time::Duration,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use super::{host, intern};

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overdue {
    /// The library and the strategy, as `PATH: SLOT/ID`.
    pub who: &'static str,
    /// How long the call had run when the host gave up.
    pub after: Duration,
}

impl fmt::Display for Overdue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overdue { who, after } = self;
        write!(
            f,
            "{who}: has not returned for {} s, and not when it was asked to stop",
            after.as_secs_f64()
        )
    }
}

/// Who is called: a text that lives as long as the process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label(&'static &'static str);

impl Label {
    pub(super) fn new(who: &str) -> Label {
        static KNOWN: Mutex<BTreeMap<&'static str, Label>> = Mutex::new(BTreeMap::new());
        let who = intern::text(who);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *known
            .entry(who)
            .or_insert_with(|| Label(Box::leak(Box::new(who))))
    }
}

/// Where a thread marks its calls.
#[derive(Debug, Default)]
struct Place {
    /// Odd while a call runs; every call has a number of its own.
    count: AtomicU64,
    who: AtomicPtr<&'static str>,
}

/// Every place, for the life of the process; those of threads that have ended are used again.
static PLACES: Mutex<Vec<&'static Place>> = Mutex::new(Vec::new());
static UNUSED: Mutex<Vec<&'static Place>> = Mutex::new(Vec::new());

struct Mine(&'static Place);

impl Mine {
    fn new() -> Mine {
        let unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Mine(unused.unwrap_or_else(|| {
            let new: &'static Place = Box::leak(Box::default());
            let mut all = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(new);
            new
        }))
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        unused.push(self.0);
    }
}

thread_local! {
    static MINE: Mine = Mine::new();
}

/// A call that is running; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Entered {
    place: Option<&'static Place>,
    outer: *mut &'static str,
}

/// Marks that this thread calls a library. Calls may lie within calls: the inner one counts.
pub(super) fn enter(who: Label) -> Entered {
    let place = MINE.try_with(|mine| mine.0).ok();
    let mut outer = core::ptr::null_mut();
    if let Some(place) = place {
        outer = place
            .who
            .swap(core::ptr::from_ref(who.0).cast_mut(), Ordering::Relaxed);
        let count = place.count.load(Ordering::Relaxed);
        let next = if outer.is_null() {
            count + 1
        } else {
            count + 2
        };
        place.count.store(next, Ordering::Release);
    }
    Entered { place, outer }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            place.who.store(self.outer, Ordering::Relaxed);
            let count = place.count.load(Ordering::Relaxed);
            let next = if self.outer.is_null() {
                count + 1
            } else {
                count + 2
            };
            place.count.store(next, Ordering::Release);
        }
    }
}

/// Looks after calls as long as it lives.
#[derive(Debug)]
pub struct Watchdog {
    over: Arc<AtomicBool>,
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// How often the watchdog looks within the limit.
const LOOKS: u32 = 20;

/// Watches every call into a library from now on. One that has run for `limit` is asked to stop,
/// through the host's `should_stop`; if it has not returned after `grace` more, `give_up` is told
/// and the watchdog ends. A thread that runs a library's code cannot be ended, so that `give_up`
/// is for ending the process.
pub fn watch(
    limit: Duration,
    grace: Duration,
    give_up: impl FnOnce(Overdue) + Send + 'static,
) -> Watchdog {
    let over = Arc::new(AtomicBool::new(false));
    let watchdog = Watchdog {
        over: Arc::clone(&over),
    };
    let pause = (limit / LOOKS).clamp(Duration::from_millis(1), Duration::from_millis(250));
    let looks = |time: Duration| time.as_nanos().div_ceil(pause.as_nanos()).max(1) as u64;
    let (limit, last) = (looks(limit), looks(limit) + looks(grace));
    let look = move || {
        let mut seen: Vec<Seen> = Vec::new();
        while !over.load(Ordering::Relaxed) {
            thread::sleep(pause);
            for (place, who, looks) in late(&mut seen, limit) {
                if looks == limit {
                    tracing::warn!(
                        target: "throng::plugin",
                        "{who}: has not returned for {} s and is asked to stop",
                        (pause * looks as u32).as_secs_f64()
                    );
                    host::request_stop(true);
                    seen[place].asked = true;
                } else if looks >= last {
                    let after = pause.saturating_mul(looks.min(u64::from(u32::MAX)) as u32);
                    return give_up(Overdue { who, after });
                }
            }
            // Whoever was asked has returned: nobody else is to stop for it.
            if seen.iter().any(|s| s.asked && s.looks == 0) {
                seen.iter_mut().for_each(|s| s.asked &= s.looks > 0);
                if !seen.iter().any(|s| s.asked) {
                    host::request_stop(false);
                }
            }
        }
    };
    let started = thread::Builder::new()
        .name("plugin-watch".into())
        .spawn(look);
    if let Err(e) = started {
        tracing::warn!(target: "throng::plugin", "calls into libraries are not watched: {e}");
    }
    watchdog
}

/// What the watchdog has seen at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    count: u64,
    looks: u64,
    asked: bool,
}

/// Looks at every place once, and gives those whose call has been seen `limit` times or more.
fn late(seen: &mut Vec<Seen>, limit: u64) -> Vec<(usize, &'static str, u64)> {
    let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    seen.resize(places.len(), Seen::default());
    let mut late = Vec::new();
    for (at, (place, seen)) in places.iter().zip(seen).enumerate() {
        let count = place.count.load(Ordering::Acquire);
        if count % 2 == 0 || count != seen.count {
            (seen.count, seen.looks) = (count, 0);
            continue;
        }
        seen.looks += 1;
        if seen.looks >= limit {
            let who = place.who.load(Ordering::Relaxed);
            // SAFETY: null, or a label's text, which lives as long as the process.
            let who = unsafe { who.as_ref() }.copied().unwrap_or("a library");
            late.push((at, who, seen.looks));
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// One test: the flag that asks libraries to stop is the process's.
    #[test]
    fn late_calls_are_named_and_others_are_not() {
        let (told, heard) = mpsc::channel();
        let (limit, grace) = (Duration::from_millis(40), Duration::from_millis(20));
        let tell = move |overdue| told.send(overdue).unwrap_or(());
        let watchdog = watch(limit, grace, tell);
        let quick = Label::new("libquick.so: cost/quick");
        for _ in 0..1000 {
            drop(enter(quick));
        }
        {
            // Long work that makes calls is not late.
            let _outer = enter(Label::new("libouter.so: nav/outer"));
            for _ in 0..30 {
                thread::sleep(Duration::from_millis(4));
                drop(enter(quick));
            }
        }
        assert!(heard.try_recv().is_err());
        let endless = Label::new("libendless.so: avoidance/endless");
        let call = enter(endless);
        let overdue = heard.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(overdue.who, "libendless.so: avoidance/endless");
        assert!(overdue.after >= limit + grace);
        assert!(host::HOST.should_stop.is_some());
        drop(call);
        host::request_stop(false);
        drop(watchdog);

        // One that stops when it is asked is forgiven.
        let (told, heard) = mpsc::channel();
        let _watchdog = watch(limit, Duration::from_secs(60), move |o| {
            told.send(o).unwrap_or(())
        });
        let call = enter(endless);
        while !host::stop_requested() {
            thread::sleep(Duration::from_millis(1));
        }
        drop(call);
        while host::stop_requested() {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(heard.try_recv().is_err());
    }
}
