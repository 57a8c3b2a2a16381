//! The linear programs of ORCA for sixteen agents at once.
//!
//! Lanes never mix: masks keep each lane's work its own, and a lane that is done is carried
//! along unchanged. So an agent's answer has the same bits in whatever company it is solved.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};

use super::lanes::{Planes, any, greater, lesser};

/// Half-planes that miss by less are met, metres per second: the rounding of a velocity that
/// lies on an earlier line.
const SLACK: f32 = 1e-6;

/// Lines whose directions differ by less (as a sine) are parallel.
const PARALLEL: f32 = 1e-5;

/// Half-planes whose squared normal is less are the filling of a lane that has none there.
const GIVEN: f32 = 1e-5;

/// What a program seeks.
#[derive(Clone, Copy)]
pub struct Wish<S: Simd> {
    /// First component of the velocity to come near, or of the unit direction to go far along.
    pub x: f32x16<S>,
    /// Second component.
    pub y: f32x16<S>,
}

/// What a program found.
#[derive(Clone, Copy)]
pub struct Found<S: Simd> {
    /// First component of the velocity.
    pub x: f32x16<S>,
    /// Second component.
    pub y: f32x16<S>,
    /// Lanes whose half-planes leave nothing; their velocity is the one before the half-plane
    /// that could not be met.
    pub failed: mask32x16<S>,
    /// The index of that half-plane.
    pub failed_at: f32x16<S>,
}

/// The second program: within the disc of `max_speed` and the half-planes, taken one by one, the
/// velocity nearest to the wish or, with `ALONG`, the farthest in the wish's direction. Where
/// all points of a line are equally far along, the one nearest to `tie`.
#[inline(always)]
pub fn nearest<S: Simd, const ALONG: bool>(
    simd: S,
    planes: &[Planes],
    max_speed: f32x16<S>,
    wish: Wish<S>,
    tie: Wish<S>,
    active: mask32x16<S>,
) -> Found<S> {
    let zero = f32x16::splat(simd, 0.0);
    let speed_squared = max_speed * max_speed;
    let (mut x, mut y);
    if ALONG {
        (x, y) = (wish.x * max_speed, wish.y * max_speed);
    } else {
        let wished_squared = wish.x * wish.x + wish.y * wish.y;
        let too_fast = wished_squared.simd_gt(speed_squared);
        let factor = too_fast.select(max_speed / wished_squared.sqrt(), f32x16::splat(simd, 1.0));
        (x, y) = (wish.x * factor, wish.y * factor);
    }
    let mut failed = mask32x16::splat(simd, false);
    let mut failed_at = zero;
    for (i, plane) in planes.iter().enumerate() {
        let (nx, ny, offset) = (
            plane.x.load(simd),
            plane.y.load(simd),
            plane.offset.load(simd),
        );
        let missed = active & !failed & (nx * x + ny * y).simd_lt(offset - SLACK);
        if !any(missed) {
            continue;
        }
        // The first program: the best point of this line. Points of it are
        // `offset * n + t * e` with `e` a quarter turn left of `n`.
        let (ex, ey) = (-ny, nx);
        let room = speed_squared - offset * offset;
        let mut nothing = room.simd_lt(zero);
        let half = greater(room, zero).sqrt();
        let (mut low, mut high) = (-half, half);
        for other in &planes[..i] {
            let (ox, oy, oo) = (
                other.x.load(simd),
                other.y.load(simd),
                other.offset.load(simd),
            );
            let slope = ox * ex + oy * ey;
            let rest = oo - offset * (ox * nx + oy * ny);
            let t = rest / slope;
            let (rising, falling) = (slope.simd_gt(PARALLEL), slope.simd_lt(-PARALLEL));
            low = greater(rising.select(t, low), low);
            high = lesser(falling.select(t, high), high);
            nothing |= !rising & !falling & rest.simd_gt(SLACK);
        }
        nothing |= low.simd_gt(high);
        let along = wish.x * ex + wish.y * ey;
        let t = if ALONG {
            let level = (along * along).simd_lt(PARALLEL * PARALLEL);
            let tied = lesser(greater(tie.x * ex + tie.y * ey, low), high);
            level.select(tied, along.simd_gt(zero).select(high, low))
        } else {
            lesser(greater(along, low), high)
        };
        let moved = missed & !nothing;
        x = moved.select(offset * nx + t * ex, x);
        y = moved.select(offset * ny + t * ey, y);
        let lost = missed & nothing;
        failed_at = lost.select(f32x16::splat(simd, i as f32), failed_at);
        failed |= lost;
    }
    Found {
        x,
        y,
        failed,
        failed_at,
    }
}

/// The third program, for lanes whose second one failed (section 5.3 of the paper): the velocity
/// whose worst miss of a soft half-plane is least, within the hard ones and the disc. Normals and
/// offsets of soft ones may be scaled by what missing them counts. `from` is what the second
/// program left; `projected` is scratch.
#[inline(always)]
pub fn least_miss<S: Simd>(
    simd: S,
    hard: &[Planes],
    soft: &[Planes],
    max_speed: f32x16<S>,
    preferred: Wish<S>,
    from: Found<S>,
    projected: &mut Vec<Planes>,
) -> Wish<S> {
    let zero = f32x16::splat(simd, 0.0);
    let hard_count = hard.len() as f32;
    // The walls alone always allow standing still; only rounding can make them fail.
    let at_wall = from.failed & from.failed_at.simd_lt(hard_count);
    let (mut x, mut y) = (at_wall.select(zero, from.x), at_wall.select(zero, from.y));
    let mut worst = zero;
    projected.clear();
    projected.extend_from_slice(hard);
    for (i, plane) in soft.iter().enumerate() {
        let (nx, ny, offset) = (
            plane.x.load(simd),
            plane.y.load(simd),
            plane.offset.load(simd),
        );
        let reached = from.failed_at.simd_le(hard_count + i as f32);
        let need = from.failed & reached & (offset - (nx * x + ny * y)).simd_gt(worst);
        if !any(need) {
            continue;
        }
        // Where an earlier half-plane is missed no more than this one: again a half-plane.
        projected.truncate(hard.len());
        for other in &soft[..i] {
            let (ox, oy) = (other.x.load(simd), other.y.load(simd));
            let (dx, dy) = (ox - nx, oy - ny);
            let squared = dx * dx + dy * dy;
            let given = (ox * ox + oy * oy).simd_gt(GIVEN);
            // The same direction: whichever asks more was met by keeping `worst`.
            let differs = given & squared.simd_gt(PARALLEL * PARALLEL);
            let length = squared.sqrt();
            let mut between = Planes::OPEN;
            between.x.store(differs.select(dx / length, zero));
            between.y.store(differs.select(dy / length, zero));
            let offset = (other.offset.load(simd) - offset) / length;
            between
                .offset
                .store(differs.select(offset, -f32x16::splat(simd, 1.0)));
            projected.push(between);
        }
        let length = (nx * nx + ny * ny).sqrt();
        let wish = Wish {
            x: nx / length,
            y: ny / length,
        };
        let found = nearest::<S, true>(simd, projected, max_speed, wish, preferred, need);
        // Fails only by rounding: then the velocity at hand is as good.
        let better = need & !found.failed;
        x = better.select(found.x, x);
        y = better.select(found.y, y);
        worst = need.select(offset - (nx * x + ny * y), worst);
    }
    Wish { x, y }
}
