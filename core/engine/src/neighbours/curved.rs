//! Bodies of a ground that is not flat, looked at eight at a time: a first look at places leaves
//! out most of those who are too far, a second measures the others.
//!
//! The first look is generous by its rounding. The second has the very operations of [`Body`] and
//! [`Relevance`], so what is found depends neither on the first nor on the instruction set.

use core::ops::Range;

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*, u32x8};
use glam::Vec3;

use super::{grid::Standing, rank::LANES};
use crate::relevance::{Body, DISC_PER_HEIGHT, OPPOSED, PARALLEL, Relevance, SAME, WELL_WITHIN};

/// How much nearer the first look may take somebody to be, as a share of the squared distance and
/// in square metres.
const SHARE: f32 = 1e-5;
const HAIR: f32 = 1e-3;

/// Bodies in the order of the grid's entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    /// Feet on a plan, else waists, in columns that reach `2 * LANES` beyond the last.
    places: [Vec<f32>; 3],
    /// Feet, height, up and nothing.
    records: Vec<[f32; LANES]>,
    plan: bool,
    tallest: f32,
}

impl Bodies {
    /// Copies them from the rows. On a plan all are upright.
    pub fn fill(&mut self, standing: &[Standing], plan: bool, tallest: f32) {
        (self.plan, self.tallest) = (plan, tallest);
        for column in &mut self.places {
            column.resize(standing.len() + 2 * LANES, 0.0);
        }
        self.records.resize(standing.len(), [0.0; LANES]);
        let [xs, ys, zs] = &mut self.places;
        let columns = xs.iter_mut().zip(ys).zip(zs).zip(&mut self.records);
        for ((((x, y), z), record), Standing { body, .. }) in columns.zip(standing) {
            let place = if plan { body.feet } else { body.waist() };
            [*x, *y, *z] = place.to_array();
            let (feet, up) = (body.feet, body.up);
            *record = [feet.x, feet.y, feet.z, body.height, up.x, up.y, up.z, 0.0];
        }
    }
}

/// Entries that may be near somebody.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    // Longer than `count` by at least `LANES`, so that whole vectors can be written and read.
    entries: Vec<u32>,
    count: usize,
}

impl About {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds those of a run that a first look at places does not leave out; not the entry itself
    /// who looks.
    #[inline(always)]
    pub fn add<S: Simd>(
        &mut self,
        simd: S,
        look: &Look,
        bodies: &Bodies,
        own: usize,
        run: Range<usize>,
    ) {
        let need = self.count + run.len() + 2 * LANES;
        if self.entries.len() < need {
            self.entries.resize(need.next_power_of_two(), 0);
        }
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut first = run.start;
        while first < run.end {
            let entry = lanes + first as u32;
            let about = look.about(simd, bodies, first..run.end) & entry.simd_ne(own as u32);
            let room = self.count..self.count + LANES;
            entry.compress(about).store_slice(&mut self.entries[room]);
            self.count += about.to_bitmask().count_ones() as usize;
            first += LANES;
        }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Eight from some on, and how many of them there are.
    #[inline(always)]
    pub fn eight(&self, first: usize) -> (&[u32; LANES], usize) {
        let eight = self.entries[first..].first_chunk().unwrap_or(&[0; LANES]);
        (eight, (self.count - first).min(LANES))
    }
}

/// A vector in each of eight lanes.
type Vectors<S> = [f32x8<S>; 3];

// Functions rather than closures below: they must not leave the instruction set of the caller.

#[inline(always)]
fn all<S: Simd>(simd: S, v: Vec3) -> Vectors<S> {
    [
        f32x8::splat(simd, v.x),
        f32x8::splat(simd, v.y),
        f32x8::splat(simd, v.z),
    ]
}

#[inline(always)]
fn dot<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn plus<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn minus<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn times<S: Simd>(a: Vectors<S>, by: f32x8<S>) -> Vectors<S> {
    [a[0] * by, a[1] * by, a[2] * by]
}

#[inline(always)]
fn any<S: Simd>(mask: mask32x8<S>) -> bool {
    mask.to_bitmask() != 0
}

/// The nearest spheres so far.
#[derive(Clone, Copy)]
struct Nearest<S: Simd> {
    to: Vectors<S>,
    squared: f32x8<S>,
}

impl<S: Simd> Nearest<S> {
    /// Takes other spheres where they are nearer.
    #[inline(always)]
    fn or(&mut self, to: Vectors<S>) {
        let squared = dot(to, to);
        let nearer = squared.simd_lt(self.squared * SAME);
        self.take(nearer, Nearest { to, squared });
    }

    /// Takes others in some lanes.
    #[inline(always)]
    fn take(&mut self, lanes: mask32x8<S>, other: Nearest<S>) {
        self.squared = lanes.select(other.squared, self.squared);
        for (own, other) in self.to.iter_mut().zip(other.to) {
            *own = lanes.select(other, *own);
        }
    }

    /// Takes the spheres of a stack that begins `to` away, with its halves once and twice over,
    /// where they are nearer.
    #[inline(always)]
    fn or_stack(&mut self, to: Vectors<S>, [none, half, whole]: [Vectors<S>; 3]) {
        self.or(plus(to, none));
        self.or(plus(to, half));
        self.or(plus(to, whole));
    }
}

/// Which vector between two bodies is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Between {
    /// [`Body::nearest`].
    Nearest,
    /// [`Body::towards`].
    Towards,
}

/// Who looks, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    body: Body,
    relevance: Relevance,
    between: Between,
    limit: f32,
    /// Feet on a plan, else the waist.
    place: Vec3,
    /// Square of how far the places of those may be who are near enough.
    about: f32,
    /// How far above or below anybody may be on a plan, metres.
    view: f32,
}

/// Eight bodies, measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured<S: Simd> {
    /// Those within the distance and in view.
    pub near: mask32x8<S>,
    /// Those of them who stand beside the one who looks ([`Body::beside`]).
    pub beside: mask32x8<S>,
    /// The vector to each, and its square.
    pub to: [f32x8<S>; 3],
    pub squared: f32x8<S>,
}

impl Look {
    /// A look of a body at those whose spheres are within a distance.
    pub fn new(
        body: &Body,
        distance: f32,
        relevance: &Relevance,
        bodies: &Bodies,
        between: Between,
    ) -> Look {
        let place = if bodies.plan { body.feet } else { body.waist() };
        // Upright bodies are never nearer than their feet seen from above.
        let about = if bodies.plan {
            distance
        } else {
            distance + 0.5 * (body.height.max(0.0) + bodies.tallest)
        };
        Look {
            body: *body,
            relevance: *relevance,
            between,
            limit: distance * distance,
            place,
            about: about * about,
            view: f32::INFINITY,
        }
    }

    /// The same look on a plan where nobody farther above or below is in view.
    pub fn within(self, view: f32) -> Look {
        Look { view, ..self }
    }

    /// Which of the first eight of a run of bodies may be within the distance.
    #[inline(always)]
    pub fn about<S: Simd>(&self, simd: S, bodies: &Bodies, run: Range<usize>) -> mask32x8<S> {
        let eight = run.start..run.start + LANES;
        let [xs, ys, zs] = &bodies.places;
        let dx = f32x8::from_slice(simd, &xs[eight.clone()]) - self.place.x;
        let dy = f32x8::from_slice(simd, &ys[eight.clone()]) - self.place.y;
        let dz = f32x8::from_slice(simd, &zs[eight]) - self.place.z;
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let given = lanes.simd_lt(run.len() as u32);
        let (plane, rise) = (dx * dx + dy * dy, dz * dz);
        let rounding = (plane + rise) * SHARE + HAIR;
        if bodies.plan {
            given & (plane - rounding).simd_le(self.about) & dz.abs().simd_le(self.view)
        } else {
            given & (plane + rise - rounding).simd_le(self.about)
        }
    }

    /// Measures the bodies of so many of eight entries.
    #[inline(always)]
    pub fn measure<S: Simd>(
        &self,
        simd: S,
        bodies: &Bodies,
        (entries, count): (&[u32; LANES], usize),
    ) -> Measured<S> {
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let given = lanes.simd_lt(count as u32);
        let [fx, fy, fz, height, ux, uy, uz, _] = transposed(simd, bodies, &entries[..count]);
        let (feet, up) = ([fx, fy, fz], [ux, uy, uz]);
        let own_up = all(simd, self.body.up);
        let to = minus(feet, all(simd, self.body.feet));
        let squared = dot(to, to);
        let same_height = height.simd_eq(self.body.height);
        let (rise, quarter) = (dot(to, own_up).abs(), self.body.height);
        // [`Body::beside`], of bodies that are upright or point along their up.
        let level = if bodies.plan {
            let theirs = dot(to, up).abs();
            let well_within = self.body.height * WELL_WITHIN;
            (to[2].abs() * 4.0).simd_le(quarter)
                & rise.simd_le(well_within * self.body.up.z)
                & theirs.simd_le(uz * well_within)
        } else {
            ux.simd_eq(own_up[0])
                & uy.simd_eq(own_up[1])
                & uz.simd_eq(own_up[2])
                & (rise * 4.0).simd_le(quarter)
        };
        let beside = given & level & same_height & self.sees_beside(simd);
        let mut nearest = Nearest { to, squared };
        let others = given & !beside;
        let mut in_view = beside;
        if any(others) {
            let axis = if bodies.plan { all(simd, Vec3::Z) } else { up };
            let stack = Stack {
                feet,
                up,
                axis,
                height,
            };
            let measured = self.nearest(simd, &stack, to, squared);
            nearest.take(others, measured);
            let near = others & nearest.squared.simd_le(self.limit);
            in_view |= self.in_view(simd, &stack, near);
        }
        let near = in_view & nearest.squared.simd_le(self.limit);
        Measured {
            near,
            beside,
            to: nearest.to,
            squared: nearest.squared,
        }
    }

    /// Whether those beside are seen without a look: not even heads above one's feet need be in
    /// view of unusual rules.
    #[inline(always)]
    fn sees_beside<S: Simd>(&self, simd: S) -> mask32x8<S> {
        let usual = self.relevance.tolerance >= 0.0 && self.relevance.lean >= 0.0;
        mask32x8::splat(simd, usual)
    }

    /// [`Body::nearest`] or [`Body::towards`].
    #[inline(always)]
    fn nearest<S: Simd>(
        &self,
        simd: S,
        other: &Stack<S>,
        between: Vectors<S>,
        squared: f32x8<S>,
    ) -> Nearest<S> {
        let own = &self.body;
        let (axis, tall) = (all(simd, own.axis), f32x8::splat(simd, own.height));
        let own_half = all(simd, own.axis * (0.5 * own.height));
        let half = times(other.axis, other.height * 0.5);
        let mut best = Nearest {
            to: between,
            squared,
        };
        let along = dot(axis, other.axis);
        let parallel = along.simd_gt(PARALLEL);
        let lower = tall.min(other.height);
        let side_by_side = parallel
            & other.height.simd_eq(tall)
            & (dot(between, axis).abs() * 4.0).simd_le(lower)
            & (dot(between, other.axis).abs() * 4.0).simd_le(lower);
        if any(side_by_side) {
            let mut level = best;
            let apart = minus(half, own_half);
            level.or(plus(between, apart));
            level.or(plus(between, times(apart, f32x8::splat(simd, 2.0))));
            best.take(side_by_side, level);
        }
        if any(!side_by_side) {
            let [none, twice] = [0.0, 2.0].map(|by| f32x8::splat(simd, by));
            let stack = [times(half, none), half, times(half, twice)];
            let mut any_level = Nearest {
                to: between,
                squared,
            };
            any_level.or_stack(between, stack);
            // Who leans towards the other stands at its feet ([`Body::towards`]).
            let at_feet = along.simd_ge(OPPOSED) & along.simd_lt(PARALLEL);
            let mut whole = any_level;
            whole.or_stack(minus(between, own_half), stack);
            whole.or_stack(minus(between, times(own_half, twice)), stack);
            if self.between == Between::Towards {
                whole.take(at_feet, any_level);
            }
            best.take(!side_by_side, whole);
        }
        best
    }

    /// Which of some are neighbours ([`Relevance::relation`]).
    #[inline(always)]
    fn in_view<S: Simd>(&self, simd: S, other: &Stack<S>, asked: mask32x8<S>) -> mask32x8<S> {
        let r = &self.relevance;
        if !r.vision || !any(asked) {
            return asked;
        }
        let own = Stack {
            feet: all(simd, self.body.feet),
            up: all(simd, self.body.up),
            axis: all(simd, self.body.axis),
            height: f32x8::splat(simd, self.body.height),
        };
        let seen = asked & sees(r, simd, &own, other);
        let unseen = asked & !seen;
        if r.symmetric && any(unseen) {
            return seen | unseen & sees(r, simd, other, &own);
        }
        seen
    }
}

/// A body in each lane.
struct Stack<S: Simd> {
    feet: Vectors<S>,
    up: Vectors<S>,
    axis: Vectors<S>,
    height: f32x8<S>,
}

impl<S: Simd> Stack<S> {
    #[inline(always)]
    fn head(&self) -> Vectors<S> {
        plus(self.feet, times(self.axis, self.height))
    }
}

/// [`Relevance::sees`].
#[inline(always)]
fn sees<S: Simd>(r: &Relevance, simd: S, own: &Stack<S>, other: &Stack<S>) -> mask32x8<S> {
    let (own_head, head) = (own.head(), other.head());
    let rise = dot(minus(head, own_head), own.up);
    let mut hidden = rise.simd_gt(own.height * 1.001);
    let above = rise.simd_gt(0.0);
    if any(above & !hidden) {
        let disc = r.disc.map_or(other.height * DISC_PER_HEIGHT, |disc| {
            f32x8::splat(simd, disc)
        });
        hidden |= through_disc(own_head, head, other.feet, other.up, disc);
    }
    let from_feet = minus(head, own.feet);
    let fall = dot(from_feet, own.up) * -1.0;
    let most = own.height * r.tolerance + dot(from_feet, from_feet).sqrt() * r.lean;
    !(above & hidden) & fall.simd_le(most)
}

/// Whether straight lines come up through discs.
#[inline(always)]
fn through_disc<S: Simd>(
    from: Vectors<S>,
    to: Vectors<S>,
    centre: Vectors<S>,
    normal: Vectors<S>,
    radius: f32x8<S>,
) -> mask32x8<S> {
    let start = dot(minus(from, centre), normal);
    let end = dot(minus(to, centre), normal);
    let upwards = !(start.simd_ge(0.0) | end.simd_le(0.0));
    if !any(upwards) {
        return upwards;
    }
    let at = plus(from, times(minus(to, from), start / (start - end)));
    let off = minus(at, centre);
    upwards & dot(off, off).simd_lt(radius * radius)
}

/// The records of up to eight entries, in columns.
#[inline(always)]
fn transposed<S: Simd>(simd: S, bodies: &Bodies, entries: &[u32]) -> [f32x8<S>; LANES] {
    let mut rows = [f32x8::splat(simd, 0.0); LANES];
    for (row, &entry) in rows.iter_mut().zip(entries) {
        *row = f32x8::load_array_ref(simd, &bodies.records[entry as usize]);
    }
    // Interleaving the halves of a table of eight by eight three times turns it over.
    for _ in 0..3 {
        let [a, b, c, d, e, f, g, h] = rows;
        let (a, e) = a.interleave(e);
        let (b, f) = b.interleave(f);
        let (c, g) = c.interleave(g);
        let (d, h) = d.interleave(h);
        rows = [a, e, b, f, c, g, d, h];
    }
    rows
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use throng_core::random::{Purpose, Stream};

    use super::*;

    /// What the two looks make of a run of at most eight bodies: who may be near, who is, who is
    /// beside, and the vectors.
    fn looks(look: &Look, bodies: &Bodies, run: Range<usize>) -> ([u32; 3], [[f32; LANES]; 4]) {
        let mut entries = [0; LANES];
        for (entry, i) in entries.iter_mut().zip(run.clone()) {
            *entry = i as u32;
        }
        let count = run.len();
        dispatch!(Level::new(), simd => {
            let about = look.about(simd, bodies, run);
            let measured = look.measure(simd, bodies, (&entries, count));
            let [x, y, z] = measured.to;
            (
                [about, measured.near, measured.beside].map(|mask| mask.to_bitmask() as u32),
                [x.into(), y.into(), z.into(), measured.squared.into()],
            )
        })
    }

    /// Many on floors above each other, on one wall, and leaning anywhere.
    fn crowd(draw: &mut Stream, plan: bool) -> Vec<Standing> {
        let mut number = |low: f32, high: f32| low + (high - low) * draw.unit();
        let stand = |i: usize| {
            let up = Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
            let up = if plan { up.with_z(1.5) } else { up };
            let up = up.try_normalize().unwrap_or(Vec3::Z);
            let (level, up) = match i % 4 {
                0 => (number(-6.0, 6.0), up),
                1 if !plan => (number(-6.0, 6.0), Vec3::X),
                2 if !plan => {
                    let steep = Vec3::new(number(-0.3, 0.3), number(-0.3, 0.3), 1.0);
                    (number(-0.5, 0.5), steep.normalize())
                }
                _ => ((number(-2.0, 2.0).round() * 1.7), Vec3::Z),
            };
            Standing {
                body: Body {
                    feet: Vec3::new(number(-6.0, 6.0), number(-6.0, 6.0), level),
                    up,
                    axis: if plan { Vec3::Z } else { up },
                    height: if i.is_multiple_of(5) {
                        number(1.2, 2.0)
                    } else {
                        1.8
                    },
                },
                velocity: Vec3::ZERO,
            }
        };
        (0..400).map(stand).collect()
    }

    #[test]
    fn the_looks_find_whom_bodies_and_relevance_name() {
        let mut draw = Stream::new(11, 0, Purpose::Strategy, 0);
        let usual = Relevance::default();
        let one_sided = Relevance {
            symmetric: false,
            disc: Some(0.7),
            ..usual
        };
        let blind = Relevance {
            vision: false,
            ..usual
        };
        let strict = Relevance {
            tolerance: -0.5,
            ..usual
        };
        for plan in [false, true] {
            let standing = crowd(&mut draw, plan);
            let tallest = standing.iter().fold(0.0, |t: f32, s| t.max(s.body.height));
            let mut bodies = Bodies::default();
            bodies.fill(&standing, plan, tallest);
            let (mut kept, mut right, mut sure) = (0, 0, 0);
            for (relevance, between) in [
                (usual, Between::Towards),
                (one_sided, Between::Nearest),
                (blind, Between::Towards),
                (strict, Between::Nearest),
            ] {
                for own in standing.iter().take(100).map(|own| &own.body) {
                    let distance = 3.0;
                    let look = Look::new(own, distance, &relevance, &bodies, between);
                    for first in (0..standing.len()).step_by(LANES) {
                        let run = first..standing.len().min(first + LANES);
                        let ([about, near, beside], [x, y, z, squared]) =
                            looks(&look, &bodies, run.clone());
                        for i in run {
                            let (lane, other) = (i - first, &standing[i].body);
                            let is_set = |bits: u32| bits >> lane & 1 == 1;
                            let exact = match between {
                                Between::Nearest => own.nearest(other),
                                Between::Towards => own.towards(other),
                            };
                            let wanted = exact.length_squared() <= distance * distance
                                && relevance.relation(own, other).0;
                            assert_eq!(is_set(near), wanted, "{own:?} {other:?}");
                            assert!(is_set(about) || !wanted, "{own:?} {other:?}");
                            kept += u32::from(is_set(about));
                            let to = Vec3::new(x[lane], y[lane], z[lane]);
                            assert_eq!(to, exact, "{own:?} {other:?}");
                            assert_eq!(squared[lane].to_bits(), exact.length_squared().to_bits());
                            right += u32::from(wanted);
                            if is_set(beside) {
                                assert!(own.beside(other), "{own:?} {other:?}");
                                sure += u32::from(wanted);
                            }
                        }
                    }
                }
            }
            assert!(right > 1_000 && kept < right * 9, "{kept} {right}");
            assert!(sure > 200, "{sure}");
        }
    }
}
