//! Who counts as a neighbour: the approximate vision of Ricks and Egbert ("A whole surface
//! approach to crowd simulation on arbitrary topologies", section 4), and walls in between.
//!
//! On a flat ground everybody within reach is seen unless a wall stands between. Elsewhere a body
//! is a stack of three spheres (feet, waist, head), and a pair is told apart from people on
//! other floors by what the one could see of the other. On floor plans with heights bodies stand
//! upright, on curved surfaces along the normal.

use glam::{IVec3, Vec2, Vec3};
use throng_core::{CellIndex, GroundView, Wall};

/// Height of a body over its radius where nothing is said: 1.8 m for 0.24 m.
const HEIGHT_PER_RADIUS: f32 = 7.5;
/// Radius of the disc at somebody's feet over the height: between a stride and the height.
const DISC_PER_HEIGHT: f32 = 0.6;

/// Bodies whose axes have a larger product than this stand side by side, with a smaller one than
/// [`OPPOSED`] head to head.
const PARALLEL: f32 = 0.9;
const OPPOSED: f32 = -0.5;

/// The rules of relevance. Lengths derive from the agents, so one set serves all surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevance {
    /// Whether people out of sight (other floors, behind the curve) are left out.
    pub vision: bool,
    /// Whether walls hide people behind them.
    pub occlusion: bool,
    /// How far below one's feet a head may be and still be seen, in body heights.
    pub tolerance: f32,
    /// How much farther below it may be per metre away: stairs and globes fall off.
    pub lean: f32,
    /// Radius of the disc at a neighbour's feet that hides it from below, metres; by default
    /// between stride and height of the neighbour.
    pub disc: Option<f32>,
    /// Whether being seen by either counts for both; otherwise a pair of whom only one sees the
    /// other is non-reciprocal.
    pub symmetric: bool,
}

impl Default for Relevance {
    fn default() -> Relevance {
        Relevance {
            vision: true,
            occlusion: true,
            tolerance: 0.05,
            lean: 0.2,
            disc: None,
            symmetric: true,
        }
    }
}

/// A body standing on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Where it stands.
    pub feet: Vec3,
    /// Up from the surface under its feet.
    pub up: Vec3,
    /// The way the body points: up, or straight up on floor plans.
    pub axis: Vec3,
    /// Its height, metres.
    pub height: f32,
}

impl Body {
    /// The height of a body of this radius where nothing else is known.
    pub fn height_of(radius: f32) -> f32 {
        radius * HEIGHT_PER_RADIUS
    }

    /// The top of the head.
    #[inline]
    pub fn head(&self) -> Vec3 {
        self.feet + self.axis * self.height
    }

    /// Halfway up.
    #[inline]
    pub fn waist(&self) -> Vec3 {
        self.feet + self.axis * (0.5 * self.height)
    }

    /// The vector between the nearest two of the spheres of two stacks (feet, waist, head), from
    /// this body to the other. Of equally near ones the lowest.
    #[inline]
    pub fn nearest(&self, other: &Body) -> Vec3 {
        let between = other.feet - self.feet;
        let (own_half, other_half) = (
            self.axis * (0.5 * self.height),
            other.axis * (0.5 * other.height),
        );
        let mut best = between;
        let mut least = between.length_squared();
        // Side by side and nearly parallel the nearest spheres are those of the same height: half
        // a body up or down only adds to the distance.
        let level = between.dot(self.axis).abs() * 4.0 <= self.height.min(other.height)
            && between.dot(other.axis).abs() * 4.0 <= self.height.min(other.height);
        if level && self.axis.dot(other.axis) > PARALLEL && self.height == other.height {
            if self.axis == other.axis {
                return between;
            }
            let apart = other_half - own_half;
            for v in [between + apart, between + apart * 2.0] {
                let squared = v.length_squared();
                if squared < least * 0.999_99 {
                    (best, least) = (v, squared);
                }
            }
            return best;
        }
        for own in 0..3 {
            (best, least) = nearer_sphere(between - own_half * own as f32, other_half, best, least);
        }
        best
    }

    /// The vector to another body that avoidance goes by: [`Body::nearest`] for bodies side by side
    /// or head to head. Of bodies that lean towards each other at the foot of a wall the other alone
    /// is a stack, and who looks stands at its feet (equation 10): there two stacks would cross
    /// wherever both are nearer to the edge than they are tall, each would see the other now before
    /// and now behind itself, and streams over the edge would stand.
    #[inline]
    pub fn towards(&self, other: &Body) -> Vec3 {
        if !(OPPOSED..PARALLEL).contains(&self.axis.dot(other.axis)) {
            return self.nearest(other);
        }
        let between = other.feet - self.feet;
        let half = other.axis * (0.5 * other.height);
        nearer_sphere(between, half, between, between.length_squared()).0
    }
}

/// The best of a vector and those to the three spheres of a stack that begins `to` away, with its
/// squared length.
#[inline]
fn nearer_sphere(to: Vec3, half: Vec3, mut best: Vec3, mut least: f32) -> (Vec3, f32) {
    for level in 0..3 {
        let v = to + half * level as f32;
        let squared = v.length_squared();
        // Rounding must not prefer heads over feet on a flat floor.
        if squared < least * 0.999_99 {
            (best, least) = (v, squared);
        }
    }
    (best, least)
}

impl Relevance {
    /// Whether the first can see the second.
    pub fn sees(&self, own: &Body, other: &Body) -> bool {
        let (own_head, other_head) = (own.head(), other.head());
        let gaze = other_head - own_head;
        let rise = gaze.dot(own.up);
        if rise > 0.0 {
            if rise > own.height * 1.001 {
                return false;
            }
            let disc = self.disc.unwrap_or(DISC_PER_HEIGHT * other.height);
            if through_disc(own_head, other_head, other.feet, other.up, disc) {
                return false;
            }
        }
        let from_feet = other_head - own.feet;
        let fall = -from_feet.dot(own.up);
        fall <= self.tolerance * own.height + self.lean * from_feet.length()
    }

    /// Whether the second is a neighbour of the first, and whether the first must then do all
    /// the avoiding.
    pub fn relation(&self, own: &Body, other: &Body) -> (bool, bool) {
        if !self.vision {
            return (true, false);
        }
        let (seen, seeing) = (self.sees(own, other), self.sees(other, own));
        if self.symmetric {
            (seen || seeing, false)
        } else {
            (seen, !seeing)
        }
    }
}

/// Whether a straight line comes up through a disc.
fn through_disc(from: Vec3, to: Vec3, centre: Vec3, normal: Vec3, radius: f32) -> bool {
    let (start, end) = ((from - centre).dot(normal), (to - centre).dot(normal));
    if start >= 0.0 || end <= 0.0 {
        return false;
    }
    let at = from + (to - from) * (start / (start - end));
    at.distance_squared(centre) < radius * radius
}

/// A lower bound on the distance from a place on the ground to any wall.
#[inline]
pub fn wall_distance_bound(ground: &GroundView<'_>, point: Vec3) -> f32 {
    if ground.walls.is_empty() {
        return f32::INFINITY;
    }
    let index = &ground.wall_index;
    let c = if index.size.z == 1 {
        // As below, without the height: almost everybody in every step.
        let cell = |at: f32, low: f32, size: i32| {
            (((at - low) / index.cell) as i32).clamp(0, size.max(1) - 1)
        };
        let y = cell(point.y, index.low.y, index.size.y);
        y * index.size.x + cell(point.x, index.low.x, index.size.x)
    } else {
        let c = index.cell_of(point);
        (c.z * index.size.y + c.y) * index.size.x + c.x
    };
    let rings = ground.wall_rings.get(c as usize).copied().unwrap_or(0);
    (f32::from(rings) - 1.0) * index.cell
}

/// A distance within which no standing wall is. On a flat ground it is looked for more closely
/// where [`wall_distance_bound`] cannot tell whether one is within `limit`.
#[inline]
pub fn clear_distance(ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
    let bound = wall_distance_bound(ground, at);
    if bound > limit || !ground.flat {
        bound
    } else {
        nearest_wall(ground, at, limit).max(bound)
    }
}

/// The distance of the nearest standing wall, at most `limit`, less its rounding.
fn nearest_wall(ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
    let mut nearest = limit * limit;
    any_wall(&ground.wall_index, at - limit, at + limit, |w| {
        let wall = &ground.walls[w as usize];
        let squared = squared_distance(wall, at.truncate());
        if !(squared >= nearest) && ground.stands(wall) {
            // A wall of no length gives no number: it may be here.
            nearest = if squared >= 0.0 { squared } else { 0.0 };
        }
        false
    });
    nearest.sqrt() * 0.999_9
}

/// Lists the standing walls of a flat ground within a distance of a place; says whether there
/// are any.
pub fn list_walls(ground: &GroundView<'_>, at: Vec3, distance: f32, walls: &mut Vec<u32>) -> bool {
    walls.clear();
    let limit = distance * distance * 1.000_1;
    any_wall(&ground.wall_index, at - distance, at + distance, |w| {
        let wall = &ground.walls[w as usize];
        // A wall of no length gives no number, which is not farther.
        if !(squared_distance(wall, at.truncate()) > limit) && ground.stands(wall) {
            walls.push(w);
        }
        false
    });
    !walls.is_empty()
}

/// The squared distance of a wall seen from above; no number if it has no length.
#[inline]
fn squared_distance(wall: &Wall, p: Vec2) -> f32 {
    let a = wall.a.truncate();
    let along = wall.b.truncate() - a;
    let t = (p - a).dot(along) / along.length_squared();
    let near = a + along * t.clamp(0.0, 1.0);
    near.distance_squared(p)
}

/// Whether the line of sight between two places on a flat ground meets a wall. Give the two in
/// the same order whoever looks, and both get the same answer.
pub fn wall_crosses(wall: &Wall, from: Vec3, to: Vec3) -> bool {
    let (p, q) = (from.truncate(), to.truncate());
    let (a, b) = (wall.a.truncate(), wall.b.truncate());
    let d = q - p;
    // Ends on the line of sight count to one side, so that nothing is seen between two walls
    // that meet there.
    if (d.perp_dot(a - p) >= 0.0) == (d.perp_dot(b - p) >= 0.0) {
        return false;
    }
    let side = |point: Vec2| (b - a).perp_dot(point - a);
    let (before, behind) = (side(p), side(q));
    (before > 0.0 && behind < 0.0) || (before < 0.0 && behind > 0.0)
}

/// A wall as something that hides people: what does not depend on who looks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Screen {
    foot: Vec3,
    along: Vec3,
    /// The wall's squared length.
    length: f32,
    up: Vec3,
    /// Across the wall, of any length.
    normal: Vec3,
}

impl Screen {
    /// Nothing for an obstacle that is nowhere.
    fn of(ground: &GroundView<'_>, wall: &Wall) -> Option<Screen> {
        let up = up_at(ground, wall)?;
        let along = wall.b - wall.a;
        Some(Screen {
            foot: wall.a,
            along,
            length: along.length_squared(),
            up,
            normal: along.cross(up),
        })
    }

    /// Squared distance of a place from the wall's rectangle, as high above its foot as a body may
    /// be, and as deep below it where there are walkers on the back of the surface.
    #[inline]
    fn squared_from(&self, plan: bool, at: Vec3, tallest: f32) -> f32 {
        let to = at - self.foot;
        let share = to.dot(self.along) / self.length;
        let deepest = if plan { 0.0 } else { -tallest };
        let rise = to.dot(self.up).clamp(deepest, tallest);
        let near = self.along * share.clamp(0.0, 1.0) + self.up * rise;
        near.distance_squared(to)
    }

    /// Whether the wall is met on the way between two waists.
    #[inline]
    fn hides(&self, plan: bool, from: Vec3, way: Vec3, above: Vec3, height: f32) -> bool {
        let slope = way.dot(self.normal);
        let rest = self.foot - from;
        let ahead = rest.dot(self.normal);
        // Most are met before the one or behind the other: nothing is divided for them.
        if !(ahead * slope > 0.0 && ahead.abs() < slope.abs()) {
            return false;
        }
        let at = way * (ahead / slope) - rest;
        let s = at.dot(self.along) / self.length;
        // Whoever walks on the back of the surface meets the wall's lower half.
        let rise = at.dot(self.up);
        let rise = if !plan && self.up.dot(above) < 0.0 {
            -rise
        } else {
            rise
        };
        (0.0..=1.0).contains(&s) && (0.0..=height).contains(&rise)
    }
}

/// The walls that may hide somebody from one body, with how far they are.
#[derive(Clone, Debug, Default)]
pub struct Screens {
    /// Wall and squared distance from the body's waist.
    walls: Vec<(u32, f32)>,
    /// The same walls.
    screens: Vec<Screen>,
}

impl Screens {
    /// Lists the standing walls that come within a distance of a body's waist, for bodies that are
    /// no taller than `tallest`.
    pub fn list(
        &mut self,
        ground: &GroundView<'_>,
        index: &ScreenIndex,
        own: &Body,
        distance: f32,
        tallest: f32,
    ) {
        self.walls.clear();
        self.screens.clear();
        // From the waist to the feet, and from the wall's edge to its foot.
        let around = distance + 1.5 * tallest;
        if wall_distance_bound(ground, own.feet) > around {
            return;
        }
        let waist = own.waist();
        let limit = distance * distance * 1.000_1;
        if let Some(walls) = index.near(waist, distance, tallest) {
            for &w in walls {
                let screen = &index.screens[w as usize];
                let squared = screen.squared_from(ground.plan, waist, tallest);
                // A wall of no length gives no number, which is not farther.
                if !(squared > limit) && ground.stands(&ground.walls[w as usize]) {
                    self.walls.push((w, squared));
                    self.screens.push(*screen);
                }
            }
            return;
        }
        let half = Vec3::splat(distance + tallest);
        any_wall(&ground.wall_index, waist - half, waist + half, |w| {
            let wall = &ground.walls[w as usize];
            if let Some(screen) = Screen::of(ground, wall) {
                let squared = screen.squared_from(ground.plan, waist, tallest);
                if !(squared > limit) && ground.stands(wall) {
                    self.walls.push((w, squared));
                }
            }
            false
        });
        // A long wall is listed in several cells.
        self.walls.sort_unstable_by_key(|w| w.0);
        self.walls.dedup_by_key(|w| w.0);
        let screens = self.walls.iter();
        let screens = screens.filter_map(|w| Screen::of(ground, &ground.walls[w.0 as usize]));
        self.screens.extend(screens);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    /// Whether one of them lies between the waists of two bodies. Walls are as high as the taller
    /// body. Give the two in the same order whoever looks.
    pub fn between(&self, ground: &GroundView<'_>, own: &Body, other: &Body) -> bool {
        if self.walls.is_empty() {
            return false;
        }
        let height = own.height.max(other.height);
        let from = own.waist();
        let way = other.waist() - from;
        let above = own.up + other.up;
        let limit = way.length_squared() * 1.000_1;
        self.walls.iter().zip(&self.screens).any(|(wall, screen)| {
            !(wall.1 > limit) && screen.hides(ground.plan, from, way, above, height)
        })
    }
}

/// For every place the walls that may hide somebody near it: one short list a place, where the
/// ground's own index would be asked for some hundred cells.
#[derive(Clone, Debug, Default)]
pub struct ScreenIndex {
    /// What it was made of.
    made_of: Option<MadeOf>,
    /// What came to too many entries: not tried again in every step.
    too_much: Option<MadeOf>,
    low: Vec3,
    size: IVec3,
    start: Vec<u32>,
    walls: Vec<u32>,
    /// All walls of the ground; those that are nowhere are in no list.
    screens: Vec<Screen>,
}

/// What a [`ScreenIndex`] was made of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MadeOf {
    walls: usize,
    sum: u64,
    distance: f32,
    tallest: f32,
}

/// Edge of a cell, metres.
const SCREEN_CELL: f32 = 2.5;
/// More walls than these, or more entries, are left to the ground's index.
const MOST_SCREENS: usize = 20_000;
const MOST_ENTRIES: usize = 4_000_000;
/// Waists may be so much farther apart than feet on a curve.
const ON_A_CURVE: f32 = 1.15;

impl ScreenIndex {
    /// Makes it anew if the walls or the lengths have changed.
    pub fn refresh(&mut self, ground: &GroundView<'_>, reach: f32, tallest: f32) {
        let walls = ground.walls;
        if walls.is_empty() || walls.len() > MOST_SCREENS {
            self.made_of = None;
            return;
        }
        let mut sum = 0u64;
        for w in walls {
            for p in [w.a, w.b] {
                let place = u64::from(p.x.to_bits()) << 32 | u64::from(p.y.to_bits());
                sum = (sum.rotate_left(5) ^ place ^ u64::from(p.z.to_bits()) << 13)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
        let made_of = MadeOf {
            walls: walls.len(),
            sum,
            distance: reach * ON_A_CURVE,
            tallest,
        };
        if self.made_of != Some(made_of) && self.too_much != Some(made_of) {
            self.make(ground, made_of);
            self.too_much = self.made_of.is_none().then_some(made_of);
        }
    }

    fn make(&mut self, ground: &GroundView<'_>, made_of: MadeOf) {
        self.made_of = None;
        let boxes: Vec<(u32, Vec3, Vec3)> = (0u32..)
            .zip(ground.walls)
            .filter_map(|(w, wall)| {
                let up = up_at(ground, wall)?.abs() * made_of.tallest;
                let margin = up + made_of.distance * 1.001;
                let (low, high) = (wall.a.min(wall.b) - margin, wall.a.max(wall.b) + margin);
                (low.is_finite() && high.is_finite()).then_some((w, low, high))
            })
            .collect();
        let (low, high) = boxes
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), b| {
                (low.min(b.1), high.max(b.2))
            });
        let cells = ((high - low) / SCREEN_CELL).floor() + Vec3::ONE;
        if boxes.is_empty() || cells.element_product() > MOST_ENTRIES as f32 {
            return;
        }
        self.low = low;
        self.size = cells.as_ivec3();
        let cells_of = |low: Vec3, high: Vec3| {
            let (from, to) = (self.cell_of(low), self.cell_of(high));
            (from.z..=to.z).flat_map(move |z| {
                (from.y..=to.y).flat_map(move |y| (from.x..=to.x).map(move |x| IVec3::new(x, y, z)))
            })
        };
        let count = cells.element_product() as usize;
        let mut start = vec![0u32; count + 1];
        let mut entries = 0;
        for &(_, low, high) in &boxes {
            for cell in cells_of(low, high) {
                start[self.place(cell) + 1] += 1;
                entries += 1;
            }
            if entries > MOST_ENTRIES {
                return;
            }
        }
        for c in 0..count {
            start[c + 1] += start[c];
        }
        let mut next = start.clone();
        let mut walls = vec![0; entries];
        for &(w, low, high) in &boxes {
            for cell in cells_of(low, high) {
                let slot = &mut next[self.place(cell)];
                walls[*slot as usize] = w;
                *slot += 1;
            }
        }
        (self.start, self.walls) = (start, walls);
        let nowhere = Screen {
            foot: Vec3::NAN,
            along: Vec3::ZERO,
            length: 0.0,
            up: Vec3::Z,
            normal: Vec3::ZERO,
        };
        self.screens.clear();
        let screens = ground.walls.iter();
        let screens = screens.map(|w| Screen::of(ground, w).unwrap_or(nowhere));
        self.screens.extend(screens);
        self.made_of = Some(made_of);
    }

    fn cell_of(&self, point: Vec3) -> IVec3 {
        let cell = ((point - self.low) / SCREEN_CELL).as_ivec3();
        cell.clamp(IVec3::ZERO, self.size - IVec3::ONE)
    }

    fn place(&self, cell: IVec3) -> usize {
        ((cell.z * self.size.y + cell.y) * self.size.x + cell.x) as usize
    }

    /// All walls whose rectangles come within a distance of a place, and others, each once; or
    /// nothing if it was not made for such distances.
    fn near(&self, at: Vec3, distance: f32, tallest: f32) -> Option<&[u32]> {
        let made_of = self.made_of?;
        if distance > made_of.distance || tallest > made_of.tallest {
            return None;
        }
        let place = self.place(self.cell_of(at));
        let row = self.start[place] as usize..self.start[place + 1] as usize;
        Some(&self.walls[row])
    }

    /// A distance within which no standing wall is, at most `limit`: seen from above on floor
    /// plans, in space elsewhere.
    pub fn clear_distance(&self, ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
        let bound = wall_distance_bound(ground, at);
        if bound > limit {
            return bound;
        }
        let Some(walls) = self.near(at, limit, 0.0) else {
            return bound;
        };
        let mut nearest = limit * limit;
        for &w in walls {
            let wall = &ground.walls[w as usize];
            let (mut to, mut along) = (at - wall.a, wall.b - wall.a);
            if ground.plan {
                (to.z, along.z) = (0.0, 0.0);
            }
            let share = (to.dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let squared = (along * share).distance_squared(to);
            if !(squared >= nearest) && ground.stands(wall) {
                // A wall of no length gives no number: it may be here.
                nearest = if squared >= 0.0 { squared } else { 0.0 };
            }
        }
        (nearest.sqrt() * 0.999_9).max(bound)
    }
}

/// Up at a wall's foot; nothing at an obstacle that is nowhere.
#[inline]
fn up_at(ground: &GroundView<'_>, wall: &Wall) -> Option<Vec3> {
    if ground.plan {
        return Some(Vec3::Z);
    }
    ground.normals.get(wall.triangle as usize).copied()
}

/// Whether a wall listed in the cells of a box passes a test.
fn any_wall(
    index: &CellIndex<'_>,
    low: Vec3,
    high: Vec3,
    mut test: impl FnMut(u32) -> bool,
) -> bool {
    let (low, high) = (index.cell_of(low), index.cell_of(high));
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            // Cells side by side list their walls one after another.
            let line = (z * index.size.y + y) * index.size.x;
            let first = index.start[(line + low.x) as usize] as usize;
            let end = index.start[(line + high.x) as usize + 1] as usize;
            if index.items[first..end].iter().any(|&w| test(w)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use throng_core::NO_DOOR;

    use super::*;

    fn standing(feet: [f32; 3], up: [f32; 3]) -> Body {
        let up = Vec3::from(up).normalize();
        Body {
            feet: feet.into(),
            up,
            axis: up,
            height: 1.8,
        }
    }

    /// On a floor plan: upright whatever the slope.
    fn upright(feet: [f32; 3], up: [f32; 3]) -> Body {
        Body {
            axis: Vec3::Z,
            ..standing(feet, up)
        }
    }

    fn both(a: &Body, b: &Body) -> [bool; 2] {
        let relevance = Relevance::default();
        [relevance.sees(a, b), relevance.sees(b, a)]
    }

    const UP: [f32; 3] = [0.0, 0.0, 1.0];
    const DOWN: [f32; 3] = [0.0, 0.0, -1.0];

    #[test]
    fn same_floor() {
        for x in [0.0, 0.1, 1.0, 5.0] {
            let (a, b) = (standing([0.0, 0.0, 0.0], UP), standing([x, 0.3, 0.0], UP));
            assert_eq!(both(&a, &b), [true, true]);
            // The spheres of one height are nearest, the feet of all.
            assert_eq!(a.nearest(&b), b.feet - a.feet);
        }
    }

    #[test]
    fn other_floor() {
        // At any distance that a reach of 5 m covers.
        for x in 0..50 {
            let x = x as f32 * 0.1;
            let below = standing([0.0, 0.0, 0.0], UP);
            let above = standing([x, 0.0, 3.0], UP);
            assert_eq!(both(&below, &above), [false, false], "{x}");
        }
    }

    #[test]
    fn stair_up_and_down() {
        // A stair of 30 degrees rises from (0, 0, 0) along x.
        let slope = 1.0 / 3.0_f32.sqrt();
        let normal = [-0.5, 0.0, 0.75_f32.sqrt()];
        let on_stair = |x: f32| upright([x, 0.0, x * slope], normal);
        for x in [0.5, 1.0, 2.0, 3.0] {
            let foot = upright([-0.5, 0.0, 0.0], UP);
            assert_eq!(both(&foot, &on_stair(x)), [true, true], "up {x}");
            let head = upright([4.5, 0.0, 4.0 * slope], UP);
            assert_eq!(both(&head, &on_stair(4.0 - x)), [true, true], "down {x}");
            assert_eq!(
                both(&on_stair(0.5), &on_stair(0.5 + x)),
                [true, true],
                "on it {x}"
            );
        }
    }

    #[test]
    fn globe() {
        // Round a globe of 8 m: up to 5 m along the surface in view, the far side not.
        let on_globe = |angle: f32| {
            let up = [
                throng_core::math::sin(angle),
                0.0,
                throng_core::math::cos(angle),
            ];
            standing(up.map(|c| c * 8.0), up)
        };
        for i in 1..=10 {
            let angle = i as f32 * 0.5 / 8.0;
            assert_eq!(
                both(&on_globe(0.0), &on_globe(angle)),
                [true, true],
                "{angle}"
            );
        }
        for angle in [1.5, 2.0, 3.1] {
            assert_eq!(
                both(&on_globe(0.0), &on_globe(angle)),
                [false, false],
                "{angle}"
            );
        }
    }

    #[test]
    fn floor_and_ceiling() {
        let floor = standing([0.0, 0.0, 0.0], UP);
        for x in [0.0, 0.5, 3.0] {
            let ceiling = standing([x, 0.0, 3.0], DOWN);
            assert_eq!(both(&floor, &ceiling), [true, true], "{x}");
        }
        // Back to back on the two sides of one slab: nobody sees through it.
        for x in [0.0, 0.5, 3.0] {
            let under = standing([x, 0.0, -0.2], DOWN);
            assert_eq!(both(&floor, &under), [false, false], "{x}");
        }
    }

    #[test]
    fn perpendicular_walls() {
        // In a room: on the floor, and on the wall x = 2.
        let (floor, wall) = (
            standing([0.0, 0.0, 0.0], UP),
            standing([2.0, 0.0, 1.0], [-1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&floor, &wall), [true, true]);
        // Heads meet although feet are 2.2 m apart.
        assert!(floor.nearest(&wall).length() < 0.25);
        // Who walks to the edge on the floor sees the other's head, above its feet, before it; who
        // comes down the wall sees the head of the one on the floor, not yet below.
        let near = |v: Vec3, to: [f32; 3]| v.distance(Vec3::from(to)) < 1e-5;
        assert!(near(floor.towards(&wall), [0.2, 0.0, 1.0]));
        assert!(near(wall.towards(&floor), [-2.0, 0.0, -0.1]));
        // Heads that meet between a floor and a ceiling do so for both.
        let ceiling = standing([0.5, 0.0, 3.4], DOWN);
        assert_eq!(floor.towards(&ceiling), floor.nearest(&ceiling));
        assert!(floor.towards(&ceiling).length() < 0.6);
        // Round the outer edge of a cube, both near it: in view; far from it: not.
        let (top, side) = (
            standing([-0.5, 0.0, 0.0], UP),
            standing([0.0, 0.0, -0.5], [1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&top, &side), [true, true]);
        let (top, side) = (
            standing([-3.0, 0.0, 0.0], UP),
            standing([0.0, 0.0, -3.0], [1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&top, &side), [false, false]);
    }

    #[test]
    fn one_sided_pairs_are_flagged_or_mutual() {
        // From the foot of a stair the other's head is more than a body above; from the stair,
        // whose own up leans back, the foot is in view.
        let below = upright([0.0, 0.0, 0.0], UP);
        let above = upright([4.5, 0.0, 2.0], [-1.0, 0.0, 2.0]);
        assert_eq!(both(&below, &above), [false, true]);
        let strict = Relevance {
            symmetric: false,
            ..Relevance::default()
        };
        assert_eq!(strict.relation(&above, &below), (true, true));
        assert!(!strict.relation(&below, &above).0);
        let mutual = Relevance::default();
        assert_eq!(mutual.relation(&above, &below), (true, false));
        assert_eq!(mutual.relation(&below, &above), (true, false));
    }

    fn wall(a: [f32; 3], b: [f32; 3]) -> Wall {
        Wall {
            a: a.into(),
            b: b.into(),
            triangle: 0,
            previous: throng_core::NONE,
            next: throng_core::NONE,
            door: NO_DOOR,
            flags: 0,
        }
    }

    #[test]
    fn clear_distances_are_those_of_the_nearest_wall() {
        use glam::DVec2;
        use throng_kit::environment::{Environment, Floor, Polygon};
        let fence = [(10.0, 10.0), (90.0, 14.0), (88.0, 40.0)];
        let floor = Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(100.0))],
            thin_walls: vec![fence.map(DVec2::from).to_vec()],
            ..Floor::default()
        };
        let environment = Environment {
            floors: vec![floor],
            ..Environment::default()
        };
        let ground = throng_kit::Ground::from_environment(&environment).unwrap();
        let ground = ground.view();
        let mut looked_closely = 0;
        for i in 0..2_000 {
            let (x, y) = ((i % 45) as f32 * 2.2, (i / 45) as f32 * 2.2);
            let at = Vec3::new(x + 0.3, y + 0.4, 0.0) - ground.origin.as_vec3();
            let nearest = ground
                .walls
                .iter()
                .map(|w| squared_distance(w, at.truncate()))
                .fold(f32::INFINITY, f32::min)
                .sqrt();
            let clear = clear_distance(&ground, at, 3.0);
            assert!(clear <= nearest, "{at} {clear} {nearest}");
            assert!(clear >= nearest.min(3.0) * 0.999, "{at} {clear} {nearest}");
            looked_closely += u32::from(wall_distance_bound(&ground, at) < clear);
        }
        assert!(looked_closely > 100);
    }

    /// A bent sheet of 20 m with a hole, lying or standing.
    fn sheet(standing: bool) -> throng_kit::Ground {
        use throng_kit::environment::{Environment, Mesh};
        let mut mesh = Mesh::default();
        for i in 0..=20u32 {
            for j in 0..=20u32 {
                let (x, y) = (f64::from(i), f64::from(j));
                let z = 0.02 * (x - 10.0) * (x - 10.0);
                mesh.vertices.push(match standing {
                    true => glam::DVec3::new(z, x, y),
                    false => glam::DVec3::new(x, y, z),
                });
                if i < 20 && j < 20 && !((8..12).contains(&i) && (6..9).contains(&j)) {
                    let at = |i: u32, j: u32| i * 21 + j;
                    let q = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    mesh.triangles
                        .extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                }
            }
        }
        let environment = Environment {
            mesh: Some(mesh),
            ..Environment::default()
        };
        throng_kit::Ground::from_environment(&environment).unwrap()
    }

    #[test]
    fn screens_are_the_same_with_and_without_their_index() {
        for standing in [false, true] {
            let ground = sheet(standing);
            let ground = ground.view();
            assert_eq!(ground.plan, !standing);
            let mut index = ScreenIndex::default();
            index.refresh(&ground, 5.0, 1.8);
            let (mut listed, mut hidden) = (0, 0);
            let bodies: Vec<Body> = (0..ground.triangles.len() as u32)
                .step_by(13)
                .map(|t| {
                    let [a, b, c] = ground.corners(t);
                    let up = ground.normals[t as usize];
                    Body {
                        feet: (a + b + c) / 3.0,
                        up,
                        axis: if ground.plan { Vec3::Z } else { up },
                        height: 1.8,
                    }
                })
                .collect();
            let (mut with, mut without) = (Screens::default(), Screens::default());
            for own in &bodies {
                for distance in [0.5, 2.0, 5.0] {
                    with.list(&ground, &index, own, distance, 1.8);
                    without.list(&ground, &ScreenIndex::default(), own, distance, 1.8);
                    assert_eq!(with.walls, without.walls);
                    listed += with.walls.len();
                }
                for other in &bodies {
                    if own.feet.distance(other.feet) < 4.5 {
                        let seen = [with.between(&ground, own, other), {
                            without.list(&ground, &index, other, 5.0, 1.8);
                            without.between(&ground, own, other)
                        }];
                        assert_eq!(seen[0], seen[1], "the same whoever lists");
                        hidden += u32::from(seen[0]);
                    }
                }
                let limit = 3.0;
                let clear = index.clear_distance(&ground, own.feet, limit);
                let nearest = (ground.walls.iter())
                    .map(|w| {
                        let (mut to, mut along) = (own.feet - w.a, w.b - w.a);
                        if ground.plan {
                            (to.z, along.z) = (0.0, 0.0);
                        }
                        let share = (to.dot(along) / along.length_squared()).clamp(0.0, 1.0);
                        (along * share).distance(to)
                    })
                    .fold(f32::INFINITY, f32::min);
                assert!(clear <= nearest, "{clear} {nearest}");
                assert!(clear >= nearest.min(limit) * 0.999, "{clear} {nearest}");
            }
            assert!(listed > 100 && hidden > 0, "{listed} {hidden}");
        }
    }

    #[test]
    fn wall_between_two_on_a_flat_floor() {
        let fence = wall([1.0, -1.0, 0.0], [1.0, 1.0, 0.0]);
        let from = Vec3::ZERO;
        let hides = |x: f32, y: f32| wall_crosses(&fence, from, Vec3::new(x, y, 0.0));
        assert!(hides(2.0, 0.0) && hides(2.0, 1.9));
        assert!(!hides(2.0, 2.1) && !hides(0.9, 0.0) && !hides(-2.0, 0.0));
        // Two walls that meet on the line of sight leave no gap.
        let (one, two) = (
            wall([1.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
            wall([1.0, 0.0, 0.0], [1.0, 1.0, 0.0]),
        );
        let to = Vec3::new(2.0, 0.0, 0.0);
        assert!(wall_crosses(&one, from, to) != wall_crosses(&two, from, to));
    }
}
