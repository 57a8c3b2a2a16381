//! Flow through a line: who passes it, and how many have by when (N-t).
//!
//! A person crosses in the frame in which the way since the last frame meets the line and does not
//! end on it. `N(t)` counts everybody once, at the first crossing. Over an interval in which `dN`
//! people pass in `dt` seconds the flow is `J = dN / dt`, and per metre of width
//! `J_s = J / w` (Seyfried et al., "New insights into pedestrian flow through bottlenecks",
//! Transportation Science 43 (2009) 395-406; method A of Steffen & Seyfried 2010). The same as
//! `compute_n_t` and `compute_flow` of PedPy.

use std::collections::BTreeSet;

use glam::DVec2;

use super::{CountingLine, Frame, Trajectories};

/// A way that ends this near the line ends on it, metres.
const ON_LINE: f64 = 1e-5;

/// Somebody passes a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Who.
    pub id: u64,
    /// The number of the frame at the end of the way across.
    pub frame: u64,
    /// Whether from the left to the right of the line, seen along it.
    pub forward: bool,
}

fn meets(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let turn = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    let on = |p: DVec2, q: DVec2, r: DVec2| r.cmpge(p.min(q)).all() && r.cmple(p.max(q)).all();
    let (c1, c2) = (turn(a, b, c), turn(a, b, d));
    let (d1, d2) = (turn(c, d, a), turn(c, d, b));
    let apart = |s: f64, t: f64| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    if apart(c1, c2) && apart(d1, d2) {
        return true;
    }
    (c1 == 0.0 && on(a, b, c))
        || (c2 == 0.0 && on(a, b, d))
        || (d1 == 0.0 && on(c, d, a))
        || (d2 == 0.0 && on(c, d, b))
}

fn distance(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    p.distance(a + along * share.clamp(0.0, 1.0))
}

impl CountingLine {
    /// Whether a way crosses it, and if so whether forward.
    pub fn crossed(&self, from: DVec2, to: DVec2) -> Option<bool> {
        let pieces = || self.points.windows(2);
        let met = pieces().find(|s| meets(from, to, s[0], s[1]))?;
        let ends_on_it = pieces().any(|s| distance(to, s[0], s[1]) < ON_LINE);
        (!ends_on_it).then(|| (met[1] - met[0]).perp_dot(to - from) < 0.0)
    }
}

/// Calls `crossed` for everybody who passes the line between two frames, ids ascending.
pub fn between(
    before: Frame<'_>,
    now: Frame<'_>,
    line: &CountingLine,
    mut crossed: impl FnMut(Crossing),
) {
    let low = line
        .points
        .iter()
        .copied()
        .fold(DVec2::INFINITY, DVec2::min);
    let high = line
        .points
        .iter()
        .copied()
        .fold(DVec2::NEG_INFINITY, DVec2::max);
    let mut old = 0;
    for row in 0..now.id.len() {
        let id = now.id[row];
        while old < before.id.len() && before.id[old] < id {
            old += 1;
        }
        if before.id.get(old) != Some(&id) {
            continue;
        }
        let on_level = now.level[row] == line.level || before.level[old] == line.level;
        let (from, to) = (before.at[old], now.at[row]);
        let far = from.max(to).cmplt(low).any() || from.min(to).cmpgt(high).any();
        if !on_level || far {
            continue;
        }
        if let Some(forward) = line.crossed(from, to) {
            crossed(Crossing {
                id,
                frame: now.number,
                forward,
            });
        }
    }
}

/// All crossings of a line, in order of time and id.
pub fn crossings(walks: &Trajectories, line: &CountingLine) -> Vec<Crossing> {
    let mut all = Vec::new();
    for i in 1..walks.len() {
        between(walks.frame(i - 1), walks.frame(i), line, |c| all.push(c));
    }
    all
}

/// The first crossing of everybody.
pub fn first_crossings(crossings: &[Crossing]) -> Vec<Crossing> {
    let mut seen = BTreeSet::new();
    let first = crossings.iter().filter(|c| seen.insert(c.id));
    first.copied().collect()
}

/// N-t: how many have passed by each frame, from first crossings.
pub fn n_t(walks: &Trajectories, first: &[Crossing]) -> Vec<u64> {
    let mut next = first.iter().peekable();
    let mut passed = 0;
    walks
        .frames()
        .map(|frame| {
            while next.next_if(|c| c.frame <= frame.number).is_some() {
                passed += 1;
            }
            passed
        })
        .collect()
}

/// Mean flow between the first and the last passer, persons per second: `(N - 1) / (t_N - t_1)`.
/// None for fewer than two, or if all pass at once.
pub fn mean_flow(first: &[Crossing], frame_rate: f64) -> Option<f64> {
    let (a, b) = (first.first()?, first.last()?);
    let seconds = (b.frame - a.frame) as f64 / frame_rate;
    (seconds > 0.0).then(|| (first.len() - 1) as f64 / seconds)
}

/// The largest flow in a sliding window of time, persons per second.
pub fn peak_flow(first: &[Crossing], frame_rate: f64, window: f64) -> f64 {
    let frames = (window * frame_rate).round().max(1.0) as u64;
    let mut oldest = 0;
    let mut most = 0;
    for (i, c) in first.iter().enumerate() {
        while c.frame - first[oldest].frame >= frames {
            oldest += 1;
        }
        most = most.max(i + 1 - oldest);
    }
    most as f64 * frame_rate / frames as f64
}

/// Flow in intervals of so many frames as PedPy's `compute_flow` has it: the first interval starts
/// with the first crossing, each one ends with its own last crossing, where the next starts.
pub fn flow_in_intervals(walks: &Trajectories, first: &[Crossing], frames: u64) -> Vec<f64> {
    let counts = n_t(walks, first);
    let Some(begin) = first.first().map(|c| c.frame) else {
        return Vec::new();
    };
    let number = |i: usize| walks.frame(i).number;
    let last = walks.len().checked_sub(1).map_or(0, number);
    let (mut before, mut passed_before) = (begin, 0);
    let mut flows = Vec::new();
    let mut frame = begin + frames.max(1);
    while frame < last {
        let passed = counts[(frame - number(0)) as usize];
        if passed != passed_before {
            let reached = first[passed as usize - 1].frame + 1;
            let share = (passed - passed_before) as f64 / (reached - before) as f64;
            flows.push(share * walks.frame_rate());
            (before, passed_before) = (reached, passed);
        }
        frame += frames.max(1);
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn gate() -> CountingLine {
        CountingLine::new("gate", 0, vec![v(0.0, -1.0), v(0.0, 1.0)])
    }

    #[test]
    fn a_way_that_ends_on_the_line_counts_when_it_goes_on() {
        let line = gate();
        assert_eq!(line.crossed(v(-1.0, 0.0), v(1.0, 0.5)), Some(true));
        assert_eq!(line.crossed(v(1.0, 0.0), v(-1.0, 0.0)), Some(false));
        assert_eq!(line.crossed(v(-1.0, 0.0), v(0.0, 0.0)), None);
        assert_eq!(line.crossed(v(0.0, 0.0), v(1.0, 0.0)), Some(true));
        assert_eq!(line.crossed(v(-1.0, 1.1), v(1.0, 1.1)), None);
        assert_eq!(line.crossed(v(-1.0, 1.0), v(1.0, 1.0)), Some(true));
        assert_eq!(line.crossed(v(-2.0, 0.0), v(-1.0, 0.0)), None);
        assert_eq!(line.crossed(v(0.0, 0.0), v(0.0, 0.0)), None);
    }

    /// People 1 m apart on a string walk at 1 m/s through the gate, 10 frames a second.
    fn string(people: u64) -> Trajectories {
        let mut rows = Vec::new();
        for id in 0..people {
            for frame in 0..200 {
                let x = -0.55 - id as f64 + frame as f64 * 0.1;
                rows.push((id, frame, v(x, 0.0), 0));
            }
        }
        Trajectories::from_rows(10.0, rows).unwrap()
    }

    #[test]
    fn a_string_of_people_flows_at_one_a_second() {
        let walks = string(10);
        let first = first_crossings(&crossings(&walks, &gate()));
        assert_eq!(first.len(), 10);
        assert_eq!(
            first[0],
            Crossing {
                id: 0,
                frame: 6,
                forward: true
            }
        );
        assert_eq!(mean_flow(&first, 10.0), Some(1.0));
        assert_eq!(peak_flow(&first, 10.0, 5.0), 1.0);
        let counts = n_t(&walks, &first);
        assert_eq!(
            (counts[5], counts[6], counts[16], counts[199]),
            (0, 1, 2, 10)
        );
        // Frames 6 to 56 hold six crossings; PedPy divides by 51 frames.
        let flows = flow_in_intervals(&walks, &first, 50);
        assert!((flows[0] - 6.0 / 5.1).abs() < 1e-12, "{flows:?}");
    }

    #[test]
    fn turning_back_counts_once_in_n_t_and_other_floors_never() {
        let xs = [-0.5, 0.5, -0.5, 0.5];
        let rows = |level: u16| {
            let rows = xs.iter().enumerate();
            rows.map(move |(f, x)| (1, f as u64, v(*x, 0.0), level))
                .collect::<Vec<_>>()
        };
        let walks = Trajectories::from_rows(1.0, rows(0)).unwrap();
        let all = crossings(&walks, &gate());
        assert_eq!(all.iter().filter(|c| c.forward).count(), 2);
        assert_eq!(first_crossings(&all).len(), 1);
        let upstairs = Trajectories::from_rows(1.0, rows(1)).unwrap();
        assert!(crossings(&upstairs, &gate()).is_empty());
    }
}
