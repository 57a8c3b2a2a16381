//! The sub-steps of eight agents at once.

use fearless_simd::{Simd, f32x8, prelude::*};
use throng_core::math;
use throng_kit::lanes::{exp, greater, lesser};

use super::{
    Form, SocialForce,
    groups::{Pull, Walls, Work},
};

/// Distance below which a direction is not computed, metres.
const TINY: f32 = 1e-6;
/// How far into the sub-step forces are taken: between the middle, of second order, and the end,
/// which damps what is too stiff.
const AHEAD: f32 = 0.7;
/// Net force, as a share of all forces on an agent, at which it is out of balance.
const UNBALANCED: f32 = 0.5;
/// What the unseen answers of a dense crowd count as mass, and most of it, in masses.
const CROWD_MASS: f32 = 0.05;
const MOST_CROWD_MASS: f32 = 2.0;

/// How often all others bound the way of a step, one after another: the second time mends what
/// they undid of each other's work.
const SWEEPS: u32 = 2;

/// The 2x2 system of a sub-step for the change of velocity: `matrix * dv = right`, the matrix
/// symmetric.
struct System<S: Simd> {
    xx: f32x8<S>,
    xy: f32x8<S>,
    yy: f32x8<S>,
    rx: f32x8<S>,
    ry: f32x8<S>,
}

impl<S: Simd> System<S> {
    /// Adds a force, how it falls per change of velocity along n and across it.
    #[inline(always)]
    fn add(
        &mut self,
        n: (f32x8<S>, f32x8<S>),
        force: (f32x8<S>, f32x8<S>),
        along: f32x8<S>,
        across: f32x8<S>,
    ) {
        let extra = along - across;
        let (ex, ey) = (extra * n.0, extra * n.1);
        self.xx += across + ex * n.0;
        self.xy += ex * n.1;
        self.yy += across + ey * n.1;
        self.rx += force.0;
        self.ry += force.1;
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

impl<S: Simd> Contact<S> {
    /// The force on somebody who moves at this velocity beside it.
    #[inline(always)]
    fn force(&self, velocity: (f32x8<S>, f32x8<S>)) -> (f32x8<S>, f32x8<S>) {
        let along = self.n.0 * velocity.0 + self.n.1 * velocity.1;
        let size = self.press + self.rub * along;
        (
            size * self.n.0 - self.rub * velocity.0,
            size * self.n.1 - self.rub * velocity.1,
        )
    }
}

/// The options as vectors.
pub struct Constants<S: Simd> {
    strength: f32x8<S>,
    per_range: f32x8<S>,
    stiffness: f32x8<S>,
    friction: f32x8<S>,
    /// Argument below which the exponential counts as zero.
    unfelt: f32x8<S>,
    most_crowd_mass: f32x8<S>,
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
            unfelt: constant(-model.cutoff),
            most_crowd_mass: constant(MOST_CROWD_MASS),
            zero: constant(0.0),
            cos_sight: math::cos(model.sight.to_radians()),
        }
    }

    /// Pressing and rubbing of bodies that overlap by so much, and the exponential repulsion.
    #[inline(always)]
    fn circular(&self, simd: S, overlap: f32x8<S>, felt: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
        let argument = overlap * self.per_range;
        let repulsion = self.strength * felt * exp(simd, argument);
        let repulsion = argument.simd_gt(self.unfelt).select(repulsion, self.zero);
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
    work.pulls.resize(work.bodies.len(), Pull::default());
    if steps > 1 {
        work.begun.clear();
        work.begun.extend_from_slice(&work.bodies);
    }
    for step in 0..steps {
        let held = substep(simd, model, constants, work, h, dt);
        // Where the others have gone is of no use after the last one.
        if step + 1 < steps {
            react(simd, work, h, (step == 0).then_some(held));
        }
    }
    if steps > 1 {
        stay_apart(simd, work, h * steps as f32);
    }
}

/// Bounds the way and the velocity of a group towards each of the others as they stood when the
/// step began: half of the gap, and what the other leaves behind.
#[inline(always)]
fn stay_apart<S: Simd>(simd: S, work: &mut Work, dt: f32) {
    let own = &mut work.own;
    let zero = f32x8::splat(simd, 0.0);
    let tiny = f32x8::splat(simd, TINY * TINY);
    let (mut x, mut y) = (own.x.load(simd), own.y.load(simd));
    let (mut vx, mut vy) = (own.vx.load(simd), own.vy.load(simd));
    for _ in 0..SWEEPS {
        for body in &work.begun {
            let (bx, by) = (body.x.load(simd), body.y.load(simd));
            let distance = greater(bx * bx + by * by, tiny).sqrt();
            let per = 1.0 / distance;
            let (nx, ny) = (bx * per, by * per);
            let left = (nx * body.vx.load(simd) + ny * body.vy.load(simd)) * dt;
            let gap = greater(distance - body.reach.load(simd), zero);
            let most = gap * 0.5 + greater(left, zero);
            let beyond = greater(nx * x + ny * y - most, zero);
            x -= nx * beyond;
            y -= ny * beyond;
            let beyond = greater(nx * vx + ny * vy - most * (1.0 / dt), zero);
            vx -= nx * beyond;
            vy -= ny * beyond;
        }
    }
    own.x.store(x);
    own.y.store(y);
    own.vx.store(vx);
    own.vy.store(vy);
}

/// One linearly implicit sub-step of the group; the share of the forces that is in balance.
#[inline(always)]
fn substep<S: Simd>(
    simd: S,
    model: &SocialForce,
    constants: &Constants<S>,
    work: &mut Work,
    h: f32,
    dt: f32,
) -> f32x8<S> {
    let Work {
        own,
        bodies,
        pulls,
        walls,
        ..
    } = work;
    let zero = constants.zero;
    let (x, y) = (own.x.load(simd), own.y.load(simd));
    let (vx, vy) = (own.vx.load(simd), own.vy.load(simd));
    let (wish_x, wish_y) = (own.wish_x.load(simd), own.wish_y.load(simd));
    let mass = own.mass.load(simd);
    let drive = mass * (1.0 / model.relaxation);
    let inert = mass * (1.0 / h) + drive * AHEAD;
    let (drive_x, drive_y) = (drive * (wish_x - vx), drive * (wish_y - vy));
    let mut system = System {
        xx: inert,
        xy: zero,
        yy: inert,
        rx: drive_x,
        ry: drive_y,
    };
    let mut all = (drive_x * drive_x + drive_y * drive_y).sqrt();
    let (mut stiffness, mut stiffest) = (zero, zero);
    let elliptical = model.form == Form::Elliptical;
    for (body, pull) in bodies.iter().zip(pulls.iter_mut()) {
        let (bx, by) = (body.vx.load(simd), body.vy.load(simd));
        let relative = (vx - bx, vy - by);
        let dx = x - body.x.load(simd) + relative.0 * (AHEAD * h);
        let dy = y - body.y.load(simd) + relative.1 * (AHEAD * h);
        let distance = greater(dx * dx + dy * dy, f32x8::splat(simd, TINY * TINY)).sqrt();
        let per = 1.0 / distance;
        let n = (dx * per, dy * per);
        let reach = body.reach.load(simd);
        let overlap = reach - distance;
        let felt = body.felt.load(simd);
        let mut aside = (zero, zero);
        let repulsion = if elliptical {
            let to = Offset {
                x: dx,
                y: dy,
                n,
                distance,
            };
            let (fx, fy) = stride_force(simd, model, &to, (bx, by), (wish_x, wish_y), constants);
            let (fx, fy) = (fx * mass * felt, fy * mass * felt);
            let along = fx * n.0 + fy * n.1;
            aside = (fx - along * n.0, fy - along * n.1);
            (along, greater(along, zero) * (1.0 / model.potential_range))
        } else {
            constants.circular(simd, overlap, felt)
        };
        let contact = constants.touch(n, overlap, repulsion, reach);
        let force = contact.force(relative);
        let force = (force.0 + aside.0, force.1 + aside.1);
        // Who yields answers our change of velocity by the opposite one.
        let both = body.yields.load(simd) + 1.0;
        let along = contact.stiff * both * (AHEAD * AHEAD * h);
        let across = contact.rub * both;
        system.add(n, force, along, across);
        all += contact.press;
        stiffness += repulsion.1;
        stiffest = greater(repulsion.1, stiffest);
        pull.x.store(force.0);
        pull.y.store(force.1);
        pull.n_x.store(n.0);
        pull.n_y.store(n.1);
        pull.along.store(along - across);
        pull.across.store(across);
        pull.press.store(contact.press);
    }
    let radius = own.radius.load(simd);
    let at = (x + vx * (AHEAD * h), y + vy * (AHEAD * h));
    for wall in walls.iter() {
        let contact = beside_wall(simd, model, constants, wall, at, radius, mass);
        let along = contact.stiff * (AHEAD * AHEAD * h);
        system.add(contact.n, contact.force((vx, vy)), along, contact.rub);
        all += contact.press;
    }
    // With one other nothing is unseen.
    let unseen = (stiffness - stiffest) * (dt * dt) / mass;
    let crowd = lesser(unseen * unseen * CROWD_MASS, constants.most_crowd_mass) * mass * (1.0 / h);
    system.xx += crowd;
    system.yy += crowd;
    let net = (system.rx * system.rx + system.ry * system.ry).sqrt();
    let unheld = net / (greater(all, f32x8::splat(simd, 1e-3)) * UNBALANCED);
    let held = greater(1.0 - unheld, zero);
    let (dx, dy) = system.solve();
    let (mut nx, mut ny) = (vx + dx, vy + dy);
    let cap = own.cap.load(simd);
    let squared = nx * nx + ny * ny;
    let fast = squared.simd_gt(cap * cap);
    let cut = cap / greater(squared, f32x8::splat(simd, 1e-12)).sqrt();
    nx = fast.select(nx * cut, nx);
    ny = fast.select(ny * cut, ny);
    let (dx, dy) = (nx - vx, ny - vy);
    own.vx.store(nx);
    own.vy.store(ny);
    own.dx.store(dx);
    own.dy.store(dy);
    own.x.store(x + (vx + dx * AHEAD) * h);
    own.y.store(y + (vy + dy * AHEAD) * h);
    held
}

/// Moves the others of a group through a sub-step: on, and pushed back by what pushed us. What was
/// in balance when the step began pushes nobody.
#[inline(always)]
fn react<S: Simd>(simd: S, work: &mut Work, h: f32, held: Option<f32x8<S>>) {
    let own = &work.own;
    let (dx, dy) = (own.dx.load(simd), own.dy.load(simd));
    let per_mass = h / own.mass.load(simd);
    for (body, pull) in work.bodies.iter_mut().zip(&work.pulls) {
        if let Some(held) = held {
            body.held.store(pull.press.load(simd) * held);
        }
        let n = (pull.n_x.load(simd), pull.n_y.load(simd));
        let across = pull.across.load(simd);
        let moved = n.0 * dx + n.1 * dy;
        let along = pull.along.load(simd) * moved + body.held.load(simd);
        let push = body.yields.load(simd) * per_mass;
        let gx = (along * n.0 + across * dx - pull.x.load(simd)) * push;
        let gy = (along * n.1 + across * dy - pull.y.load(simd)) * push;
        let (vx, vy) = (body.vx.load(simd), body.vy.load(simd));
        body.x.store(body.x.load(simd) + (vx + gx * AHEAD) * h);
        body.y.store(body.y.load(simd) + (vy + gy * AHEAD) * h);
        body.vx.store(vx + gx);
        body.vy.store(vy + gy);
    }
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
