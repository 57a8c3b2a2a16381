//! Splits segments at their crossings on an integer grid, so that they meet only in end points.
//!
//! Snap rounding (Hobby 1999, "Practical segment intersection with finite precision output"):
//! every end point and every rounded crossing makes a hot pixel, and every segment through a hot
//! pixel is bent to its centre. Coordinates within +-2^28 keep every predicate exact in `i64`.

use std::cmp::Ordering;

use glam::I64Vec2;

/// A segment between grid points, with the caller's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Segment {
    /// Where it begins.
    pub a: [i64; 2],
    /// Where it ends.
    pub b: [i64; 2],
    /// The caller's label, inherited by the pieces.
    pub label: u32,
}

/// Pair tests and list entries after which the input is refused.
const WORK_LIMIT: usize = 400_000_000;
/// Crossings after which the input is refused.
const CROSSING_LIMIT: usize = 8_000_000;

/// The pieces of the segments, or `None` where the input has too many crossings to be handled.
pub(crate) fn arrange(mut segments: Vec<Segment>) -> Option<Vec<Segment>> {
    segments.retain(|s| s.a != s.b);
    // One round is enough in exact arithmetic; the second one confirms it.
    for _ in 0..6 {
        let pieces = round(&segments)?;
        if pieces.len() == segments.len() {
            return Some(pieces);
        }
        segments = pieces;
    }
    Some(segments)
}

fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (I64Vec2::from(b) - I64Vec2::from(a)).perp_dot(I64Vec2::from(c) - I64Vec2::from(a))
}

/// Uniform cells over the segments' bounds.
struct Cells {
    low: [i64; 2],
    side: i64,
    size: [i64; 2],
}

impl Cells {
    fn over(segments: &[Segment]) -> Cells {
        let mut low = [i64::MAX; 2];
        let mut high = [i64::MIN; 2];
        for p in segments.iter().flat_map(|s| [s.a, s.b]) {
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1);
        let across = (((segments.len() as f64).sqrt() * 2.0) as i64).clamp(1, 1024);
        let mut side = (extent / across + 1).max(4);
        loop {
            let entries: i64 = segments
                .iter()
                .map(|s| (s.a[0] - s.b[0]).abs() / side + (s.a[1] - s.b[1]).abs() / side + 3)
                .sum();
            if entries < 20_000_000 || side > extent {
                break;
            }
            side *= 2;
        }
        Cells {
            low,
            side,
            size: [0, 1].map(|k| (high[k] - low[k]) / side + 1),
        }
    }

    fn count(&self) -> usize {
        (self.size[0] * self.size[1]) as usize
    }

    fn of(&self, p: [i64; 2]) -> usize {
        let [x, y] = [0, 1].map(|k| ((p[k] - self.low[k]) / self.side).clamp(0, self.size[k] - 1));
        (y * self.size[0] + x) as usize
    }

    /// Calls `visit` with every cell within one grid unit of the segment.
    fn along(&self, s: &Segment, mut visit: impl FnMut(usize)) {
        let (p, q) = if s.a[1] <= s.b[1] {
            (s.a, s.b)
        } else {
            (s.b, s.a)
        };
        let clamp = |v: i64, k: usize| v.div_euclid(self.side).clamp(0, self.size[k] - 1);
        let rows = clamp(p[1] - 1 - self.low[1], 1)..=clamp(q[1] + 1 - self.low[1], 1);
        let slope = if q[1] == p[1] {
            0.0
        } else {
            (q[0] - p[0]) as f64 / (q[1] - p[1]) as f64
        };
        for row in rows {
            let bottom = (self.low[1] + row * self.side - 2).clamp(p[1], q[1]);
            let top = (self.low[1] + (row + 1) * self.side + 2).clamp(p[1], q[1]);
            let (left, right) = if q[1] == p[1] {
                (p[0].min(q[0]), p[0].max(q[0]))
            } else {
                let x0 = p[0] as f64 + slope * (bottom - p[1]) as f64;
                let x1 = p[0] as f64 + slope * (top - p[1]) as f64;
                (x0.min(x1).floor() as i64, x0.max(x1).ceil() as i64)
            };
            let columns = clamp(left - 2 - self.low[0], 0)..=clamp(right + 2 - self.low[0], 0);
            for column in columns {
                visit((row * self.size[0] + column) as usize);
            }
        }
    }
}

/// Lists by cell, in compressed rows.
struct Rows {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    fn new(cells: usize, fill: impl Fn(&mut dyn FnMut(usize, u32))) -> Rows {
        let mut start = vec![0u32; cells + 1];
        fill(&mut |cell, _| start[cell + 1] += 1);
        for c in 0..cells {
            start[c + 1] += start[c];
        }
        let mut next = start.clone();
        let mut items = vec![0u32; start[cells] as usize];
        fill(&mut |cell, item| {
            items[next[cell] as usize] = item;
            next[cell] += 1;
        });
        Rows { start, items }
    }

    fn of(&self, cell: usize) -> &[u32] {
        &self.items[self.start[cell] as usize..self.start[cell + 1] as usize]
    }
}

fn round(segments: &[Segment]) -> Option<Vec<Segment>> {
    if segments.is_empty() {
        return Some(Vec::new());
    }
    let cells = Cells::over(segments);
    let by_cell = Rows::new(cells.count(), |add| {
        for (i, s) in segments.iter().enumerate() {
            cells.along(s, |c| add(c, i as u32));
        }
    });
    let mut points: Vec<[i64; 2]> = segments.iter().flat_map(|s| [s.a, s.b]).collect();
    let mut work = 0usize;
    let mut sorted: Vec<(i64, i64, u32)> = Vec::new();
    for cell in 0..cells.count() {
        sorted.clear();
        sorted.extend(by_cell.of(cell).iter().map(|&i| {
            let s = &segments[i as usize];
            (s.a[0].min(s.b[0]), s.a[0].max(s.b[0]), i)
        }));
        sorted.sort_unstable();
        for (k, &(_, right, i)) in sorted.iter().enumerate() {
            for &(left, _, j) in &sorted[k + 1..] {
                work += 1;
                if left > right {
                    break;
                }
                if let Some(p) = crossing(&segments[i as usize], &segments[j as usize]) {
                    points.push(p);
                }
            }
            if work > WORK_LIMIT || points.len() > CROSSING_LIMIT {
                return None;
            }
        }
    }
    points.sort_unstable();
    points.dedup();
    let points_by_cell = Rows::new(cells.count(), |add| {
        for (i, p) in points.iter().enumerate() {
            add(cells.of(*p), i as u32);
        }
    });

    let mut pieces = Vec::with_capacity(segments.len());
    let mut through: Vec<(i64, [i64; 2])> = Vec::new();
    for s in segments {
        through.clear();
        let d = I64Vec2::from(s.b) - I64Vec2::from(s.a);
        let reach = d.x.abs() + d.y.abs();
        cells.along(s, |cell| {
            work += points_by_cell.of(cell).len();
            for &i in points_by_cell.of(cell) {
                let p = points[i as usize];
                let inside =
                    (0..2).all(|k| p[k] >= s.a[k].min(s.b[k]) && p[k] <= s.a[k].max(s.b[k]));
                if inside && through_pixel(d, reach, cross(s.a, s.b, p)) {
                    through.push((d.dot(I64Vec2::from(p) - I64Vec2::from(s.a)), p));
                }
            }
        });
        if work > WORK_LIMIT {
            return None;
        }
        through.sort_unstable();
        through.dedup();
        for pair in through.windows(2) {
            pieces.push(Segment {
                a: pair[0].1,
                b: pair[1].1,
                label: s.label,
            });
        }
    }
    Some(pieces)
}

/// The rounded point where two segments properly cross. Touching ones need none: the end point
/// is a hot pixel already.
fn crossing(s: &Segment, t: &Segment) -> Option<[i64; 2]> {
    if s.a[1].max(s.b[1]) < t.a[1].min(t.b[1]) || t.a[1].max(t.b[1]) < s.a[1].min(s.b[1]) {
        return None;
    }
    let (c, d) = (cross(s.a, s.b, t.a), cross(s.a, s.b, t.b));
    if c.signum() * d.signum() >= 0 {
        return None;
    }
    let (e, f) = (cross(t.a, t.b, s.a), cross(t.a, t.b, s.b));
    if e.signum() * f.signum() >= 0 {
        return None;
    }
    let (share, whole) = if e > f { (e, e - f) } else { (-e, f - e) };
    let (share, whole) = (i128::from(share), i128::from(whole));
    Some([0, 1].map(|k| {
        let off = i128::from(s.b[k] - s.a[k]) * share;
        s.a[k] + (2 * off + whole).div_euclid(2 * whole) as i64
    }))
}

/// Whether a line in direction `d` meets the pixel of a point at cross product `off` from it.
/// Pixels own their lower and left rim only, so that no line is bent to two centres at once.
fn through_pixel(d: I64Vec2, reach: i64, off: i64) -> bool {
    match (2 * off.abs()).cmp(&reach) {
        Ordering::Less => true,
        Ordering::Greater => false,
        // The line touches one corner of the pixel: the lower left one counts.
        Ordering::Equal => d.x.signum() * d.y.signum() < 0 && off.signum() == d.x.signum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(a: [i64; 2], b: [i64; 2], label: u32) -> Segment {
        Segment { a, b, label }
    }

    #[test]
    fn a_cross_becomes_four_pieces() {
        let pieces = arrange(vec![
            segment([-10, 0], [10, 0], 0),
            segment([0, -10], [0, 10], 1),
        ])
        .unwrap();
        assert_eq!(pieces.len(), 4);
        assert!(pieces.iter().all(|s| s.a == [0, 0] || s.b == [0, 0]));
    }

    #[test]
    fn touching_and_overlapping_segments_share_end_points() {
        let pieces = arrange(vec![
            segment([0, 0], [10, 0], 0),
            segment([5, 0], [15, 0], 1),
            segment([7, 0], [7, 9], 2),
        ])
        .unwrap();
        let of = |label| pieces.iter().filter(|s| s.label == label).count();
        assert_eq!((of(0), of(1), of(2)), (3, 3, 1));
    }

    #[test]
    fn random_segments_meet_only_in_end_points() {
        let mut state = 1u64;
        let mut next = |n: i64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as i64 % n
        };
        for span in [12, 60, 1 << 22] {
            let input: Vec<Segment> = (0..60)
                .map(|i| segment([next(span), next(span)], [next(span), next(span)], i))
                .collect();
            let pieces = arrange(input).unwrap();
            for (i, s) in pieces.iter().enumerate() {
                for t in &pieces[i + 1..] {
                    assert_eq!(crossing(s, t), None, "{s:?} {t:?}");
                }
            }
        }
    }
}
