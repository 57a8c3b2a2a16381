//! Bodies of a ground that is not flat in columns, and a first look at eight of them at a time.
//!
//! The first look is generous by its rounding: whoever passes it is measured exactly, so what is
//! found does not depend on the instruction set.

use core::ops::Range;

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*, u32x8};

use super::{grid::Standing, rank::LANES};
use crate::relevance::{Body, Relevance, WELL_WITHIN};

/// How much nearer the first look may take somebody to be, as a share of the squared distance of
/// feet and in square metres.
const SHARE: f32 = 1e-5;
const HAIR: f32 = 1e-3;

/// Bodies in columns, in the order of the grid's entries. All reach `2 * LANES` beyond the last.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    /// From the feet to the waist.
    half: [Vec<f32>; 3],
    up: [Vec<f32>; 3],
    height: Vec<f32>,
}

impl Bodies {
    /// Copies them from the rows.
    pub fn fill(&mut self, standing: &[Standing]) {
        let Bodies {
            x,
            y,
            z,
            half: [hx, hy, hz],
            up: [ux, uy, uz],
            height,
        } = self;
        let mut columns = [x, y, z, hx, hy, hz, ux, uy, uz, height];
        for column in &mut columns {
            column.resize(standing.len() + 2 * LANES, 0.0);
        }
        for (i, s) in standing.iter().enumerate() {
            let (feet, up) = (s.body.feet, s.body.up);
            let half = s.body.axis * (0.5 * s.body.height);
            let numbers = [
                feet.x,
                feet.y,
                feet.z,
                half.x,
                half.y,
                half.z,
                up.x,
                up.y,
                up.z,
                s.body.height,
            ];
            for (column, number) in columns.iter_mut().zip(numbers) {
                column[i] = number;
            }
        }
    }
}

/// Who looks, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    feet: [f32; 3],
    half: [f32; 3],
    up: [f32; 3],
    height: f32,
    /// The height of those who may be beside; no number if nobody may.
    beside: f32,
    /// The height if the body points along its up, else no number.
    straight: f32,
    half_squared: f32,
    half_up: f32,
    limit: f32,
    plan: bool,
    /// How far above or below anybody may be on a plan, metres.
    view: f32,
    /// Whoever stands like this one and is farther above or below it is out of sight.
    storey: f32,
    vision: bool,
    symmetric: bool,
    tolerance: f32,
    lean: f32,
}

/// What a first look at eight bodies gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance<S: Simd> {
    /// Those who stand beside the one who looks ([`Body::beside`]), within the distance and in
    /// view: nothing more is to be asked of them.
    pub beside: mask32x8<S>,
    /// Squared distance of their feet, which is that of their bodies.
    pub squared: f32x8<S>,
    /// Others who may be within the distance and in view, as bits.
    pub maybe: u32,
}

impl Look {
    /// A look of a body at those whose nearest spheres are within a distance. On a plan all are
    /// upright.
    pub fn new(body: &Body, distance: f32, relevance: &Relevance, plan: bool) -> Look {
        let half = body.axis * (0.5 * body.height);
        // How far a head may be below the feet of somebody who sees it; with a hair for rounding.
        let below = (relevance.tolerance * body.height + relevance.lean * distance)
            / (1.0 - relevance.lean);
        let bounded = relevance.vision && relevance.lean < 1.0;
        // Else not even heads above one's feet need be in view.
        let usual = relevance.tolerance >= 0.0 && relevance.lean >= 0.0;
        let height_if = |so: bool| if so { body.height } else { f32::NAN };
        Look {
            feet: body.feet.into(),
            half: half.into(),
            up: body.up.into(),
            height: body.height,
            beside: height_if(usual),
            straight: height_if(body.axis == body.up),
            half_squared: half.length_squared(),
            half_up: half.dot(body.up),
            limit: distance * distance,
            plan,
            view: f32::INFINITY,
            storey: if bounded {
                (body.height.max(0.0) + below) * 1.01
            } else {
                f32::INFINITY
            },
            vision: relevance.vision,
            symmetric: relevance.symmetric,
            tolerance: relevance.tolerance,
            lean: relevance.lean,
        }
    }

    /// The same look on a plan where nobody farther above or below is in view.
    pub fn within(self, view: f32) -> Look {
        Look { view, ..self }
    }

    /// What can be told of the first eight of a run of bodies.
    #[inline(always)]
    pub fn at<S: Simd>(&self, simd: S, bodies: &Bodies, run: Range<usize>) -> Glance<S> {
        let eight = run.start..run.start + LANES;
        // Macros rather than closures: a call would leave the instruction set.
        macro_rules! load {
            ($column:expr) => {
                f32x8::from_slice(simd, &$column[eight.clone()])
            };
        }
        let (bx, by, bz) = (
            load!(bodies.x) - self.feet[0],
            load!(bodies.y) - self.feet[1],
            load!(bodies.z) - self.feet[2],
        );
        let bb = bx * bx + by * by + bz * bz;
        let rounding = bb * SHARE + HAIR;
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let given = lanes.simd_lt(run.len() as u32);
        // Upright bodies are never nearer than their feet seen from above.
        let about = if self.plan {
            given & (bx * bx + by * by - rounding).simd_le(self.limit) & bz.abs().simd_le(self.view)
        } else {
            given
        };
        let nobody = about & !about;
        let mut glance = Glance {
            beside: nobody,
            squared: bb,
            maybe: 0,
        };
        if about.to_bitmask() == 0 {
            return glance;
        }
        let [ux, uy, uz] = self.up;
        let [vx, vy, vz] = &bodies.up;
        let (vx, vy, vz) = (load!(vx), load!(vy), load!(vz));
        let height = load!(bodies.height);
        let bu = bx * ux + by * uy + bz * uz;
        let same_up = vx.simd_eq(ux) & vy.simd_eq(uy) & vz.simd_eq(uz);
        let rise = bu.abs();
        // [`Body::beside`], of bodies that are upright or point along their up.
        let level = if self.plan {
            let bv = bx * vx + by * vy + bz * vz;
            (bz.abs() * 4.0).simd_le(self.beside)
                & rise.simd_le(self.height * WELL_WITHIN * uz)
                & bv.abs().simd_le(vz * (self.height * WELL_WITHIN))
        } else {
            same_up & (rise * 4.0).simd_le(self.beside)
        };
        let level = level & height.simd_eq(self.beside);
        let apart = same_up & height.simd_eq(self.straight) & rise.simd_gt(self.storey);
        glance.beside = about & level & bb.simd_le(self.limit);
        let rest = about & !level & !apart;
        if rest.to_bitmask() == 0 {
            return glance;
        }
        let [hx, hy, hz] = &bodies.half;
        let (qx, qy, qz) = (load!(hx), load!(hy), load!(hz));
        let [px, py, pz] = self.half;
        let bq = bx * qx + by * qy + bz * qz;
        let bp = bx * px + by * py + bz * pz;
        let pq = qx * px + qy * py + qz * pz;
        let qq = qx * qx + qy * qy + qz * qz;
        // Sphere i of the one is (b + j q - i p) from sphere j of the other.
        let pp = f32x8::splat(simd, self.half_squared);
        let zero = f32x8::splat(simd, 0.0);
        macro_rules! own_levels {
            ($s:expr) => {{
                let s = $s;
                zero.min(pp - s).min(pp * 4.0 - s * 2.0)
            }};
        }
        let feet = bb + own_levels!(bp * 2.0);
        let waist = bb + bq * 2.0 + qq + own_levels!((bp + pq) * 2.0);
        let head = bb + bq * 4.0 + qq * 4.0 + own_levels!((bp + pq * 2.0) * 2.0);
        let squared = feet.min(waist).min(head);
        let near = (squared - rounding).simd_le(self.limit) & rest;
        if !self.vision {
            glance.maybe = near.to_bitmask() as u32;
            return glance;
        }
        let qu = qx * ux + qy * uy + qz * uz;
        let rise = bu + qu * 2.0 - 2.0 * self.half_up;
        let fall = (bu + qu * 2.0) * -1.0;
        let far = (bb + bq * 4.0 + qq * 4.0).max(zero).sqrt();
        let seen = (rise - rounding).simd_le(self.height * 1.001)
            & (fall - rounding).simd_le(far * self.lean + self.tolerance * self.height);
        let visible = if self.symmetric {
            let bv = bx * vx + by * vy + bz * vz;
            let qv = qx * vx + qy * vy + qz * vz;
            let pv = vx * px + vy * py + vz * pz;
            let rise = (bv + qv * 2.0 - pv * 2.0) * -1.0;
            let fall = bv - pv * 2.0;
            let far = (bb - bp * 4.0 + pp * 4.0).max(zero).sqrt();
            let seeing = (rise - rounding).simd_le(height * 1.001)
                & (fall - rounding).simd_le(far * self.lean + height * self.tolerance);
            seen | seeing
        } else {
            seen
        };
        glance.maybe = (near & visible).to_bitmask() as u32;
        glance
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use glam::Vec3;
    use throng_core::random::{Purpose, Stream};

    use super::*;

    /// What a first look takes, as bits: for sure, and perhaps.
    fn glance(look: &Look, bodies: &Bodies, run: Range<usize>) -> (u32, [f32; LANES], u32) {
        dispatch!(Level::new(), simd => {
            let glance = look.at(simd, bodies, run);
            (glance.beside.to_bitmask() as u32, glance.squared.into(), glance.maybe)
        })
    }

    #[test]
    fn the_first_look_misses_nobody_and_leaves_out_most_others() {
        let mut draw = Stream::new(11, 0, Purpose::Strategy, 0);
        let mut number = |low: f32, high: f32| low + (high - low) * draw.unit();
        for plan in [false, true] {
            let mut standing: Vec<Standing> = Vec::new();
            for i in 0..400 {
                let up = Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
                let up = if plan { up.with_z(1.5) } else { up };
                let up = up.try_normalize().unwrap_or(Vec3::Z);
                // Many on floors above each other, and on one wall.
                let (level, up) = match i % 4 {
                    0 => (number(-6.0, 6.0), up),
                    1 if !plan => (number(-6.0, 6.0), Vec3::X),
                    _ => ((number(-2.0, 2.0).round() * 1.7), Vec3::Z),
                };
                standing.push(Standing {
                    body: Body {
                        feet: Vec3::new(number(-6.0, 6.0), number(-6.0, 6.0), level),
                        up,
                        axis: if plan { Vec3::Z } else { up },
                        height: if i % 5 == 0 { number(1.2, 2.0) } else { 1.8 },
                    },
                    velocity: Vec3::ZERO,
                });
            }
            let mut bodies = Bodies::default();
            bodies.fill(&standing);
            let (mut kept, mut right, mut sure) = (0, 0, 0);
            for symmetric in [true, false] {
                let relevance = Relevance {
                    symmetric,
                    ..Relevance::default()
                };
                for own in standing.iter().take(100) {
                    let distance = 3.0;
                    let look = Look::new(&own.body, distance, &relevance, plan);
                    for first in (0..standing.len()).step_by(LANES) {
                        let (beside, squared, maybe) =
                            glance(&look, &bodies, first..standing.len());
                        assert_eq!(beside & maybe, 0);
                        for i in first..standing.len().min(first + LANES) {
                            let other = &standing[i].body;
                            let exact = own.body.towards(other).length_squared();
                            let wanted = exact <= distance * distance
                                && relevance.relation(&own.body, other).0;
                            let taken = (beside | maybe) >> (i - first) & 1 == 1;
                            assert!(taken || !wanted, "{own:?} {other:?}");
                            if beside >> (i - first) & 1 == 1 {
                                assert!(wanted, "{own:?} {other:?}");
                                assert!(own.body.beside(other), "{own:?} {other:?}");
                                assert_eq!(squared[i - first].to_bits(), exact.to_bits());
                                sure += 1;
                            }
                            kept += u32::from(taken);
                            right += u32::from(wanted);
                        }
                    }
                }
            }
            // All that the first look does not know is the disc at the feet.
            assert!(right > 500 && kept < right * 3 / 2, "{kept} {right}");
            assert!(sure > 200, "{sure}");
        }
    }
}
