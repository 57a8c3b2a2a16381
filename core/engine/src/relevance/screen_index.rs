//! The walls that may hide somebody, listed by place.

use core::ops::Range;

use glam::{IVec3, Vec3};
use throng_core::{GroundView, NO_DOOR};

use super::{
    screens::{Screen, Sight, up_at},
    wall_distance_bound,
};

/// For every place the walls that may hide somebody near it: one short list a place, where the
/// ground's own index would be asked for some hundred cells.
#[derive(Clone, Debug, Default)]
pub struct ScreenIndex {
    /// What it was made of.
    made_of: Option<MadeOf>,
    /// What came to too many entries: not tried again in every step.
    too_much: Option<MadeOf>,
    /// Walls that may hide somebody.
    around: Cells,
    /// Walls within [`CLOSE`], if it may be asked.
    close: Option<Cells>,
    /// All walls of the ground; those that are nowhere are in no list.
    pub(super) screens: Vec<Screen>,
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
/// Walls that models look for are mostly not farther, metres.
const CLOSE: f32 = 3.1;
/// On plans whose normals rise less somewhere a wall may be close seen from above and far above.
const STEEP: f32 = 0.5;

/// Lists of walls by cells of space.
#[derive(Clone, Debug, Default)]
struct Cells {
    low: Vec3,
    size: IVec3,
    start: Vec<u32>,
    walls: Vec<u32>,
    /// Heights of the feet of these walls.
    feet: Vec<f32>,
}

/// A wall and the box of places that it is listed for.
type Listed = (u32, Vec3, Vec3);

impl Cells {
    /// Nothing if there are no boxes, or too many entries.
    fn of(ground: &GroundView<'_>, boxes: &[Listed]) -> Option<Cells> {
        let (low, high) = boxes
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), b| {
                (low.min(b.1), high.max(b.2))
            });
        let cells = ((high - low) * (1.0 / SCREEN_CELL)).floor() + Vec3::ONE;
        if boxes.is_empty() || cells.element_product() > MOST_ENTRIES as f32 {
            return None;
        }
        let count = cells.element_product() as usize;
        let mut of = Cells {
            low,
            size: cells.as_ivec3(),
            start: vec![0u32; count + 1],
            walls: Vec::new(),
            feet: Vec::new(),
        };
        let mut entries = 0;
        for &(_, low, high) in boxes {
            for place in of.places(low, high) {
                of.start[place + 1] += 1;
                entries += 1;
            }
            if entries > MOST_ENTRIES {
                return None;
            }
        }
        for c in 0..count {
            of.start[c + 1] += of.start[c];
        }
        let mut next = of.start.clone();
        of.walls.resize(entries, 0);
        for &(w, low, high) in boxes {
            for place in of.places(low, high) {
                of.walls[next[place] as usize] = w;
                next[place] += 1;
            }
        }
        let foot = |w: &u32| ground.walls[*w as usize].a.z;
        of.feet = of.walls.iter().map(foot).collect();
        Some(of)
    }

    /// Leaves out walls that are, seen from above, exactly where another of the cell is and always
    /// stands: the storeys of a building have most of theirs in common.
    fn seen_from_above(mut self, ground: &GroundView<'_>) -> Cells {
        let line = |w: u32| {
            let wall = &ground.walls[w as usize];
            [wall.a.x, wall.a.y, wall.b.x, wall.b.y].map(f32::to_bits)
        };
        let mut order: Vec<u32> = (0..ground.walls.len() as u32).collect();
        order.sort_unstable_by_key(|&w| (line(w), w));
        // The first wall of the same line, and the last cell in which one of that line was met.
        let mut same = vec![0u32; order.len()];
        for (i, &w) in order.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| order[i]);
            let before = before.filter(|&before| line(before) == line(w));
            same[w as usize] = before.map_or(w, |before| same[before as usize]);
        }
        let mut met = vec![usize::MAX; order.len()];
        let (mut kept, mut first) = (0, 0);
        for cell in 0..self.start.len() - 1 {
            let end = self.start[cell + 1] as usize;
            for i in first..end {
                let w = self.walls[i];
                let stays = ground.walls[w as usize].door == NO_DOOR;
                if stays && met[same[w as usize] as usize] == cell {
                    continue;
                }
                if stays {
                    met[same[w as usize] as usize] = cell;
                }
                (self.walls[kept], self.feet[kept]) = (w, self.feet[i]);
                kept += 1;
            }
            first = end;
            self.start[cell + 1] = kept as u32;
        }
        self.walls.truncate(kept);
        self.feet.truncate(kept);
        self
    }

    /// The cells of a box.
    fn places(&self, low: Vec3, high: Vec3) -> impl Iterator<Item = usize> + use<> {
        let (from, to, size) = (self.cell_of(low), self.cell_of(high), self.size);
        (from.z..=to.z).flat_map(move |z| {
            (from.y..=to.y).flat_map(move |y| {
                (from.x..=to.x).map(move |x| ((z * size.y + y) * size.x + x) as usize)
            })
        })
    }

    fn cell_of(&self, point: Vec3) -> IVec3 {
        let cell = ((point - self.low) * (1.0 / SCREEN_CELL)).as_ivec3();
        cell.clamp(IVec3::ZERO, self.size - IVec3::ONE)
    }

    /// The walls listed for a place.
    fn at(&self, point: Vec3) -> &[u32] {
        &self.walls[self.range_at(point)]
    }

    fn range_at(&self, point: Vec3) -> Range<usize> {
        let cell = self.cell_of(point);
        let place = ((cell.z * self.size.y + cell.y) * self.size.x + cell.x) as usize;
        self.start[place] as usize..self.start[place + 1] as usize
    }

    /// Those of them that stand in the heights of a sight, if they are listed by height.
    fn at_heights(&self, point: Vec3, sight: &Sight) -> &[u32] {
        let range = self.range_at(point);
        let (feet, walls) = (&self.feet[range.clone()], &self.walls[range]);
        // Counted in lanes, without branches: lists are too short to be halved again and again.
        let (mut first, mut end) = (0u32, 0u32);
        for &foot in feet {
            first += u32::from(sight.is_above(foot));
            end += u32::from(!sight.is_below(foot));
        }
        &walls[first as usize..end.max(first) as usize]
    }
}

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
        let boxes = |margin: &dyn Fn(Vec3) -> Vec3| -> Vec<Listed> {
            (0u32..)
                .zip(ground.walls)
                .filter_map(|(w, wall)| {
                    let margin = margin(up_at(ground, wall)?);
                    let (low, high) = (wall.a.min(wall.b) - margin, wall.a.max(wall.b) + margin);
                    (low.is_finite() && high.is_finite()).then_some((w, low, high))
                })
                .collect()
        };
        let reach = made_of.distance * 1.001;
        let mut around = boxes(&|up| up.abs() * made_of.tallest + reach);
        if ground.plan {
            // By height.
            let foot = |w: u32| ground.walls[w as usize].a.z;
            around.sort_by(|a, b| foot(a.0).total_cmp(&foot(b.0)));
        }
        let Some(around) = Cells::of(ground, &around) else {
            return;
        };
        self.around = around;
        let steep = ground.plan && ground.normals.iter().any(|n| n.z < STEEP);
        let close = || Cells::of(ground, &boxes(&|_| Vec3::splat(CLOSE * 1.001)));
        self.close = if steep { None } else { close() };
        if ground.plan {
            self.close = self.close.take().map(|close| close.seen_from_above(ground));
        }
        let nowhere = Screen {
            foot: Vec3::NAN,
            along: Vec3::ZERO,
            length: 0.0,
            up: Vec3::Z,
            normal: Vec3::ZERO,
            aside: 0.0,
        };
        self.screens.clear();
        let screens = ground.walls.iter();
        let screens = screens.map(|w| Screen::of(ground, w).unwrap_or(nowhere));
        self.screens.extend(screens);
        self.made_of = Some(made_of);
    }

    /// All walls whose rectangles come within the distance of a sight from a place, on plans in its
    /// heights, and others, each once; or nothing if it was not made for such distances.
    pub(super) fn near(&self, ground: &GroundView<'_>, at: Vec3, sight: &Sight) -> Option<&[u32]> {
        let made_of = self.made_of?;
        let fits = sight.distance <= made_of.distance && sight.tallest <= made_of.tallest;
        fits.then(|| match ground.plan {
            true => self.around.at_heights(at, sight),
            false => self.around.at(at),
        })
    }

    /// A distance within which no standing wall is, at most `limit`: seen from above on floor
    /// plans, in space elsewhere.
    pub fn clear_distance(&self, ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
        let bound = wall_distance_bound(ground, at);
        if bound > limit {
            return bound;
        }
        let close = self.close.as_ref().filter(|_| limit <= CLOSE);
        let walls = match (self.made_of, close) {
            (Some(_), Some(close)) => close.at(at),
            (Some(made_of), None) if limit <= made_of.distance => self.around.at(at),
            _ => return bound,
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

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use crate::relevance::{Body, Screens, Sight};

    use super::*;

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
                .step_by(5)
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
            let sight = |distance: f32| Sight {
                distance,
                tallest: 1.8,
                low: f32::NEG_INFINITY,
                high: f32::INFINITY,
            };
            let (mut with, mut without) = (Screens::default(), Screens::default());
            let level = Level::new();
            for own in &bodies {
                for other in &bodies {
                    let apart = own.feet.distance(other.feet);
                    if apart >= 4.5 {
                        continue;
                    }
                    let unlisted = ScreenIndex::default();
                    // The same whoever lists, and from which index.
                    let seen = [
                        (own, other, &index),
                        (own, other, &unlisted),
                        (other, own, &index),
                    ]
                    .map(|(from, to, index)| {
                        let waists = [to.waist().to_array().map(|number| [number; 8])];
                        let screens = if index.made_of.is_some() {
                            &mut with
                        } else {
                            &mut without
                        };
                        dispatch!(level, simd => {
                            screens.list(simd, &ground, index, from, sight(5.0), &waists);
                        });
                        screens.may_hide(0) && screens.between(&ground, own, other, 0)
                    });
                    let plainly = ground.walls.iter().any(|wall| {
                        let screen = Screen::of(&ground, wall).unwrap();
                        let (from, to) = (own.waist(), other.waist());
                        let above = own.up + other.up;
                        screen.hides(ground.plan, from, to - from, above, 1.8)
                    });
                    assert_eq!(seen, [plainly; 3], "{own:?} {other:?}");
                    listed += usize::from(with.may_hide(0));
                    hidden += u32::from(plainly);
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
}
