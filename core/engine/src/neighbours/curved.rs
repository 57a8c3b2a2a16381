//! Bodies of a ground that is not flat, looked at eight at a time: a first look at places leaves
//! out most of those who are too far, a second measures the others.
//!
//! The first look is generous by its rounding. The second has the very operations of [`Body`] and
//! [`Relevance`], so what is found depends neither on the first nor on the instruction set.

use core::ops::Range;

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*, u32x8};
use glam::Vec3;

use super::{
    grid::Standing,
    rank::LANES,
    stacks::{Between, Nearest, Stacks, all, any, dot, minus},
};
use crate::relevance::{Body, Relevance, WELL_WITHIN};

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

    /// The bodies of eight entries.
    #[inline(always)]
    pub fn eight<S: Simd>(&self, simd: S, entries: &[u32; LANES]) -> Stacks<S> {
        let mut rows = [f32x8::splat(simd, 0.0); LANES];
        for (row, &entry) in rows.iter_mut().zip(entries) {
            *row = f32x8::load_array_ref(simd, &self.records[entry as usize]);
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
        let [x, y, z, height, up_x, up_y, up_z, _] = rows;
        let up = [up_x, up_y, up_z];
        Stacks {
            feet: [x, y, z],
            up,
            axis: if self.plan { all(simd, Vec3::Z) } else { up },
            height,
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

    /// Ends the list with some entry that exists, for lanes that are read beyond its end.
    #[inline(always)]
    pub fn end(&mut self) {
        let end = self.count + LANES;
        if self.entries.len() < end {
            self.entries.resize(end, 0);
        }
        self.entries[self.count..end].fill(0);
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Eight from some on, and which of them there are.
    #[inline(always)]
    pub fn eight<S: Simd>(&self, simd: S, first: usize) -> (&[u32; LANES], mask32x8<S>) {
        let eight = self.entries[first..].first_chunk().unwrap_or(&[0; LANES]);
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        (eight, lanes.simd_lt((self.count - first) as u32))
    }
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
    /// The vector to each.
    pub between: Nearest<S>,
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

    /// Measures the bodies of those of eight entries that are given.
    #[inline(always)]
    pub fn measure<S: Simd>(
        &self,
        simd: S,
        bodies: &Bodies,
        entries: &[u32; LANES],
        given: mask32x8<S>,
    ) -> Measured<S> {
        let (own, others) = (Stacks::all(simd, &self.body), bodies.eight(simd, entries));
        let to = minus(others.feet, own.feet);
        let feet = Nearest {
            to,
            squared: dot(to, to),
        };
        let rise = dot(to, own.up).abs();
        // [`Body::beside`], of bodies that are upright or point along their up.
        let level = if bodies.plan {
            let theirs = dot(to, others.up).abs();
            let well_within = own.height * WELL_WITHIN;
            (to[2].abs() * 4.0).simd_le(own.height)
                & rise.simd_le(well_within * own.up[2])
                & theirs.simd_le(well_within * others.up[2])
        } else {
            let [x, y, z] = others.up;
            x.simd_eq(own.up[0])
                & y.simd_eq(own.up[1])
                & z.simd_eq(own.up[2])
                & (rise * 4.0).simd_le(own.height)
        };
        // By other rules not even heads above one's feet need be in view.
        let usual = self.relevance.tolerance >= 0.0 && self.relevance.lean >= 0.0;
        let same = others.height.simd_eq(own.height) & mask32x8::splat(simd, usual);
        let beside = given & level & same;
        let mut measured = Measured {
            near: beside & feet.squared.simd_le(self.limit),
            beside,
            between: feet,
        };
        let rest = given & !beside;
        if any(rest) {
            let nearest = own.nearest(simd, &others, feet, self.between, rest);
            let near = rest & nearest.squared.simd_le(self.limit);
            measured.near |= own.relates(simd, &self.relevance, &others, near);
            measured.between.take(rest, nearest);
        }
        measured
    }
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
        let given = !(u64::MAX << run.len());
        dispatch!(Level::new(), simd => {
            let about = look.about(simd, bodies, run);
            let measured = look.measure(simd, bodies, &entries, mask32x8::from_bitmask(simd, given));
            let [x, y, z] = measured.between.to;
            (
                [about, measured.near, measured.beside].map(|mask| mask.to_bitmask() as u32),
                [x.into(), y.into(), z.into(), measured.between.squared.into()],
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
