//! The sub-steps of eight agents at once.

use fearless_simd::{Simd, f32x8, prelude::*};
use throng_core::math;
use throng_kit::lanes::{exp, greater, lesser};

use super::{
    Form, SocialForce,
    groups::{Bodies, Own, Walls, Work},
};

/// Distance below which a direction is not computed, metres.
const TINY: f32 = 1e-6;
/// Speed up to which a neighbour is taken to mirror our coming nearer, metres per second.
const MIRRORED: f32 = 0.3;
/// Argument below which the exponential counts as zero.
const UNFELT: f32 = -14.0;

/// The 2x2 system of a sub-step: `matrix * v = right`, the matrix symmetric.
struct System<S: Simd> {
    xx: f32x8<S>,
    xy: f32x8<S>,
    yy: f32x8<S>,
    rx: f32x8<S>,
    ry: f32x8<S>,
}

impl<S: Simd> System<S> {
    /// Adds `press` along the unit vector n, a stiffness along n and a rubbing across it against
    /// something that moves at (vx, vy).
    #[inline(always)]
    fn add(
        &mut self,
        n: (f32x8<S>, f32x8<S>),
        press: f32x8<S>,
        stiff: f32x8<S>,
        rub: f32x8<S>,
        v: (f32x8<S>, f32x8<S>),
    ) {
        let extra = stiff - rub;
        let (ex, ey) = (extra * n.0, extra * n.1);
        self.xx += rub + ex * n.0;
        self.xy += ex * n.1;
        self.yy += rub + ey * n.1;
        let along = press + extra * (n.0 * v.0 + n.1 * v.1);
        self.rx += rub * v.0 + along * n.0;
        self.ry += rub * v.1 + along * n.1;
    }

    #[inline(always)]
    fn solve(self) -> (f32x8<S>, f32x8<S>) {
        let per = 1.0 / (self.xx * self.yy - self.xy * self.xy);
        (
            (self.yy * self.rx - self.xy * self.ry) * per,
            (self.xx * self.ry - self.xy * self.rx) * per,
        )
    }
}

/// What acts between an agent and a body or a wall.
struct Contact<S: Simd> {
    n: (f32x8<S>, f32x8<S>),
    press: f32x8<S>,
    stiff: f32x8<S>,
    rub: f32x8<S>,
}

/// The options as vectors.
pub struct Constants<S: Simd> {
    strength: f32x8<S>,
    per_range: f32x8<S>,
    stiffness: f32x8<S>,
    friction: f32x8<S>,
    zero: f32x8<S>,
    cos_sight: f32,
}

impl<S: Simd> Constants<S> {
    #[inline(always)]
    pub fn new(simd: S, model: &SocialForce) -> Constants<S> {
        let constant = |value: f32| f32x8::splat(simd, value);
        Constants {
            strength: constant(model.strength),
            per_range: constant(1.0 / model.range),
            stiffness: constant(model.stiffness),
            friction: constant(model.friction),
            zero: constant(0.0),
            cos_sight: math::cos(model.sight.to_radians()),
        }
    }

    /// Pressing and rubbing of bodies that overlap by so much, and the exponential repulsion.
    #[inline(always)]
    fn circular(&self, simd: S, overlap: f32x8<S>, felt: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
        let argument = overlap * self.per_range;
        let repulsion = self.strength * felt * exp(simd, argument);
        let repulsion = argument.simd_gt(UNFELT).select(repulsion, self.zero);
        (repulsion, repulsion * self.per_range)
    }

    #[inline(always)]
    fn touch(
        &self,
        n: (f32x8<S>, f32x8<S>),
        overlap: f32x8<S>,
        repulsion: (f32x8<S>, f32x8<S>),
        there: f32x8<S>,
    ) -> Contact<S> {
        let pressed = overlap.simd_gt(self.zero) & there.simd_gt(self.zero);
        let depth = pressed.select(overlap, self.zero);
        Contact {
            n,
            press: repulsion.0 + self.stiffness * depth,
            stiff: repulsion.1 + pressed.select(self.stiffness, self.zero),
            rub: self.friction * depth,
        }
    }
}

/// Moves a group through its step.
#[inline(always)]
pub fn run<S: Simd>(
    simd: S,
    model: &SocialForce,
    constants: &Constants<S>,
    work: &mut Work,
    steps: u32,
    dt: f32,
) {
    let h = if dt > 1e-6 { dt } else { 1e-6 } / steps as f32;
    let Work {
        own, bodies, walls, ..
    } = work;
    substep::<S, true>(simd, model, constants, own, bodies, walls, h, 0.0);
    for step in 1..steps {
        let passed = h * step as f32;
        substep::<S, false>(simd, model, constants, own, bodies, walls, h, passed);
    }
}

/// One linearly implicit sub-step, `passed` seconds after the beginning of the step.
#[inline(always)]
fn substep<S: Simd, const FIRST: bool>(
    simd: S,
    model: &SocialForce,
    constants: &Constants<S>,
    own: &mut Own,
    bodies: &mut [Bodies],
    walls: &[Walls],
    h: f32,
    passed: f32,
) {
    let zero = constants.zero;
    let one = f32x8::splat(simd, 1.0);
    let (x, y) = (own.x.load(simd), own.y.load(simd));
    let (vx, vy) = (own.vx.load(simd), own.vy.load(simd));
    let (wish_x, wish_y) = (own.wish_x.load(simd), own.wish_y.load(simd));
    let mass = own.mass.load(simd);
    let inertia = mass * (1.0 / h);
    let drive = mass * (1.0 / model.relaxation);
    let mut system = System {
        xx: inertia + drive,
        xy: zero,
        yy: inertia + drive,
        rx: inertia * vx + drive * wish_x,
        ry: inertia * vy + drive * wish_y,
    };
    let elliptical = model.form == Form::Elliptical;
    let (from_x, from_y) = (own.from_x.load(simd), own.from_y.load(simd));
    // How we have left the way that we were on.
    let (left_x, left_y) = (x - from_x * passed, y - from_y * passed);
    let per_mass = 0.5 * h / mass;
    let nearest = f32x8::splat(simd, -MIRRORED * passed);
    for body in bodies {
        let (bx, by) = (body.vx.load(simd), body.vy.load(simd));
        let (reach, yields) = (body.reach.load(simd), body.yields.load(simd));
        let (dx, dy, ux, uy, scale, gives, given);
        if FIRST {
            // Nothing has moved yet; who yields mirrors.
            let mirrors = yields.simd_gt(zero);
            (dx, dy) = (x - body.x.load(simd), y - body.y.load(simd));
            ux = mirrors.select((bx + from_x) * 0.5, bx);
            uy = mirrors.select((by + from_y) * 0.5, by);
            scale = one + yields;
            (gives, given) = (zero, zero);
        } else {
            let (away_x, away_y) = (body.away_x.load(simd), body.away_y.load(simd));
            (gives, given) = (body.gives.load(simd), body.given.load(simd));
            let left = (left_x * away_x + left_y * away_y) * yields;
            // Away from it: it mirrors that. Towards it: so too, up to a small speed, and it gives
            // way.
            let apart = left.simd_ge(zero);
            let nearer = greater(left, nearest);
            let back = apart.select(greater(left, given), nearer + given * yields);
            let mirrors = (apart & left.simd_ge(given)) | (!apart & left.simd_gt(nearest));
            let mirrors = mirrors & yields.simd_gt(zero);
            let lost = apart.select(zero, gives * 0.5);
            dx = x - (body.x.load(simd) + bx * passed - away_x * back);
            dy = y - (body.y.load(simd) + by * passed - away_y * back);
            scale = mirrors.select(one + one, one);
            ux = mirrors.select((bx + from_x) * 0.5 - away_x * lost, bx - away_x * gives);
            uy = mirrors.select((by + from_y) * 0.5 - away_y * lost, by - away_y * gives);
        }
        let distance = greater(dx * dx + dy * dy, f32x8::splat(simd, TINY * TINY)).sqrt();
        let per = 1.0 / distance;
        let n = (dx * per, dy * per);
        let overlap = reach - distance;
        let felt = body.felt.load(simd);
        let repulsion = if elliptical {
            let to = Offset {
                x: dx,
                y: dy,
                n,
                distance,
            };
            let (fx, fy) = stride_force(simd, model, &to, (bx, by), (wish_x, wish_y), constants);
            let (fx, fy) = (fx * mass * felt, fy * mass * felt);
            system.rx += fx;
            system.ry += fy;
            let along = greater(fx * n.0 + fy * n.1, zero);
            (zero, along * (1.0 / model.potential_range))
        } else {
            constants.circular(simd, overlap, felt)
        };
        let contact = constants.touch(n, overlap, repulsion, reach);
        system.add(
            n,
            contact.press,
            contact.stiff * scale * h,
            contact.rub * scale,
            (ux, uy),
        );
        if FIRST {
            body.away_x.store(n.0);
            body.away_y.store(n.1);
            body.pressed.store(contact.press);
        } else {
            let grown = greater(contact.press - body.pressed.load(simd), zero);
            let gives = gives + grown * per_mass * yields;
            body.gives.store(gives);
            body.given.store(given + gives * h);
        }
    }
    let radius = own.radius.load(simd);
    for wall in walls {
        let contact = beside_wall(simd, model, constants, wall, (x, y), radius, mass);
        let stiff = contact.stiff * f32x8::splat(simd, h);
        system.add(contact.n, contact.press, stiff, contact.rub, (zero, zero));
    }
    let (mut nx, mut ny) = system.solve();
    let cap = own.cap.load(simd);
    let squared = nx * nx + ny * ny;
    let fast = squared.simd_gt(cap * cap);
    let cut = cap / greater(squared, f32x8::splat(simd, 1e-12)).sqrt();
    nx = fast.select(nx * cut, nx);
    ny = fast.select(ny * cut, ny);
    own.vx.store(nx);
    own.vy.store(ny);
    own.x.store(x + nx * h);
    own.y.store(y + ny * h);
}

/// From a neighbour to oneself.
struct Offset<S: Simd> {
    x: f32x8<S>,
    y: f32x8<S>,
    n: (f32x8<S>, f32x8<S>),
    distance: f32x8<S>,
}

/// Repulsion, per mass, by the ellipse of the other's next stride (Helbing and Molnar 1995,
/// equations 3, 4 and 8).
#[inline(always)]
fn stride_force<S: Simd>(
    simd: S,
    model: &SocialForce,
    to: &Offset<S>,
    velocity: (f32x8<S>, f32x8<S>),
    wish: (f32x8<S>, f32x8<S>),
    constants: &Constants<S>,
) -> (f32x8<S>, f32x8<S>) {
    let (sx, sy) = (velocity.0 * model.stride, velocity.1 * model.stride);
    let (ex, ey) = (to.x - sx, to.y - sy);
    let tiny = f32x8::splat(simd, TINY * TINY);
    let other = greater(ex * ex + ey * ey, tiny).sqrt();
    let sum = to.distance + other;
    let minor = sum * sum - sx * sx - sy * sy;
    // b, never less than a hand's breadth: on the stride itself the gradient has no bound.
    let b = greater(minor, f32x8::splat(simd, 0.01)).sqrt() * 0.5;
    let per_other = 1.0 / other;
    let per_sigma = 1.0 / model.potential_range;
    let size = exp(simd, b * -per_sigma) * (model.potential * per_sigma);
    let size = size * sum / (b * 4.0);
    let (fx, fy) = (
        size * (to.n.0 + ex * per_other),
        size * (to.n.1 + ey * per_other),
    );
    // Felt in full if the other is within the angle of sight about where we want to go.
    let length = (fx * fx + fy * fy).sqrt() * (wish.0 * wish.0 + wish.1 * wish.1).sqrt();
    let seen = (-(fx * wish.0 + fy * wish.1)).simd_ge(length * constants.cos_sight);
    let behind = f32x8::splat(simd, model.behind);
    let weight = seen.select(f32x8::splat(simd, 1.0), behind);
    (fx * weight, fy * weight)
}

/// The force of a wall (equation 3.3), at its nearest point. Ends that two walls share count once,
/// and not at all while the other wall has a nearer point.
#[inline(always)]
fn beside_wall<S: Simd>(
    simd: S,
    model: &SocialForce,
    constants: &Constants<S>,
    wall: &Walls,
    at: (f32x8<S>, f32x8<S>),
    radius: f32x8<S>,
    mass: f32x8<S>,
) -> Contact<S> {
    let zero = constants.zero;
    let (ax, ay) = (at.0 - wall.x.load(simd), at.1 - wall.y.load(simd));
    let (ux, uy) = (wall.along_x.load(simd), wall.along_y.load(simd));
    let length = wall.length.load(simd);
    let along = ax * ux + ay * uy;
    let before = ax * wall.before_x.load(simd) + ay * wall.before_y.load(simd);
    let past_end = along.simd_ge(length) & wall.joined.load(simd).simd_gt(zero);
    let past_begin = along.simd_le(zero) & before.simd_lt(zero);
    let side = ux * ay - uy * ax;
    let inner = along.simd_gt(zero) & along.simd_lt(length);
    let behind = inner & side.simd_lt(-1e-3);
    let ignored = past_end | past_begin | behind;
    let there = ignored.select(zero, wall.felt.load(simd));
    let foot = lesser(greater(along, zero), length);
    let (dx, dy) = (ax - ux * foot, ay - uy * foot);
    let squared = dx * dx + dy * dy;
    let tiny = f32x8::splat(simd, TINY * TINY);
    let distance = greater(squared, tiny).sqrt();
    let per = 1.0 / distance;
    // On the wall itself: away from it.
    let on = squared.simd_lt(tiny);
    let n = (on.select(-uy, dx * per), on.select(ux, dy * per));
    let overlap = there
        .simd_gt(zero)
        .select(radius - distance, f32x8::splat(simd, -1e3));
    let repulsion = if model.form == Form::Elliptical {
        let per_range = 1.0 / model.wall_range;
        let size = exp(simd, distance * -per_range) * (model.wall_potential * per_range);
        let size = size * mass * there;
        (size, size * per_range)
    } else {
        constants.circular(simd, overlap, there)
    };
    constants.touch(n, overlap, repulsion, there)
}
