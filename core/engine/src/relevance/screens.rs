//! Walls that hide people behind them where the ground is not flat.

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::Vec3;
use throng_core::{GroundView, Wall};

use super::{Body, ScreenIndex, wall_distance_bound, walls::any_wall};

/// A wall as something that hides people: what does not depend on who looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Screen {
    pub foot: Vec3,
    pub along: Vec3,
    /// The wall's squared length.
    pub length: f32,
    pub up: Vec3,
    /// Across the wall, of any length.
    pub normal: Vec3,
}

impl Screen {
    /// Nothing for an obstacle that is nowhere.
    pub fn of(ground: &GroundView<'_>, wall: &Wall) -> Option<Screen> {
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
    pub(super) walls: Vec<(u32, f32)>,
    /// The same walls.
    screens: Vec<Screen>,
    /// For each of them who may be behind it, as bits by place; places that are 64 apart share one.
    behind: Vec<u64>,
}

/// How far somebody looks.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// Between the waists of two bodies at most, metres.
    pub distance: f32,
    /// Height of the tallest body, metres.
    pub tallest: f32,
    /// Height of the lowest waist that is looked at, or of the own.
    pub low: f32,
    /// Height of the highest.
    pub high: f32,
}

impl Sight {
    /// Whether a wall of a plan, whose foot is at a height, stands in any of the heights between
    /// the waists.
    #[inline]
    fn meets(&self, foot: f32) -> bool {
        !self.is_above(foot) && !self.is_below(foot)
    }

    /// Whether all waists are above such a wall.
    #[inline]
    pub(super) fn is_above(&self, foot: f32) -> bool {
        !(foot + self.tallest >= self.low - hair(foot))
    }

    /// Whether all waists are below its foot.
    #[inline]
    pub(super) fn is_below(&self, foot: f32) -> bool {
        !(foot <= self.high + hair(foot))
    }
}

/// More than heights are rounded by.
fn hair(height: f32) -> f32 {
    0.01 + 1e-5 * height.abs()
}

impl Screens {
    /// Lists the standing walls that come within the distance of a body's waist, and of those of a
    /// plan the ones in whose height somebody is looked at.
    pub fn list(&mut self, ground: &GroundView<'_>, index: &ScreenIndex, own: &Body, sight: Sight) {
        self.walls.clear();
        self.screens.clear();
        self.behind.clear();
        let Sight {
            distance, tallest, ..
        } = sight;
        // From the waist to the feet, and from the wall's edge to its foot.
        let around = distance + 1.5 * tallest;
        if wall_distance_bound(ground, own.feet) > around {
            return;
        }
        let waist = own.waist();
        let limit = distance * distance * 1.000_1;
        if let Some(walls) = index.near(ground, waist, &sight) {
            for &w in walls {
                let screen = &index.screens[w as usize];
                let squared = screen.squared_from(ground.plan, waist, tallest);
                // A wall of no length gives no number, which is not farther.
                if !(squared > limit) && ground.stands(&ground.walls[w as usize]) {
                    self.walls.push((w, squared));
                    self.screens.push(*screen);
                }
            }
            self.behind.resize(self.walls.len(), u64::MAX);
            return;
        }
        let half = Vec3::splat(distance + tallest);
        any_wall(&ground.wall_index, waist - half, waist + half, |w| {
            let wall = &ground.walls[w as usize];
            if let Some(screen) = Screen::of(ground, wall)
                && (!ground.plan || sight.meets(screen.foot.z))
            {
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
        self.behind.resize(self.walls.len(), u64::MAX);
    }

    /// Leaves out the walls that have all others on the own side: none of them is between. The
    /// others' waists are in columns of eight, of which the last are filled with the own; `behind`
    /// gets for each eight who is not on the own side of all walls, as bits.
    #[inline(always)]
    pub fn leave_out<S: Simd>(
        &mut self,
        simd: S,
        own: Vec3,
        waists: &[[[f32; 8]; 3]],
        behind: &mut Vec<u32>,
    ) {
        behind.clear();
        behind.resize(waists.len(), 0);
        let mut kept = 0;
        for i in 0..self.screens.len() {
            let screen = &self.screens[i];
            // A hair on either side, more than is rounded.
            let hair = 1e-4 * screen.length.sqrt();
            let here = (own - screen.foot).dot(screen.normal);
            // Turned so that the own side is the positive one.
            let normal = if here < 0.0 {
                -screen.normal
            } else {
                screen.normal
            };
            // Who stands in the wall's line may be behind it for anybody.
            let beyond = if here.abs() > hair {
                hair
            } else {
                f32::INFINITY
            };
            let mut between = 0;
            for (eight, ([x, y, z], behind)) in waists.iter().zip(&mut *behind).enumerate() {
                let side = (f32x8::load_array_ref(simd, x) - screen.foot.x) * normal.x
                    + (f32x8::load_array_ref(simd, y) - screen.foot.y) * normal.y
                    + (f32x8::load_array_ref(simd, z) - screen.foot.z) * normal.z;
                // What is no number counts as behind.
                let these = !side.simd_gt(beyond).to_bitmask() as u32 & 0xff;
                *behind |= these;
                between |= u64::from(these) << (eight * 8 % 64);
            }
            if between == 0 {
                continue;
            }
            self.screens[kept] = self.screens[i];
            self.walls[kept] = self.walls[i];
            self.behind[kept] = between;
            kept += 1;
        }
        self.screens.truncate(kept);
        self.walls.truncate(kept);
        self.behind.truncate(kept);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.walls.is_empty()
    }

    /// Whether one of them lies between the waists of two bodies. Walls are as high as the taller
    /// body. Give the two in the same order whoever looks, and the other's place among the waists of
    /// [`Screens::leave_out`].
    pub fn between(&self, ground: &GroundView<'_>, own: &Body, other: &Body, place: usize) -> bool {
        let theirs = 1u64 << (place % 64);
        let height = own.height.max(other.height);
        let from = own.waist();
        let way = other.waist() - from;
        let above = own.up + other.up;
        let limit = way.length_squared() * 1.000_1;
        let walls = self.walls.iter().zip(&self.screens);
        walls.zip(&self.behind).any(|((wall, screen), behind)| {
            behind & theirs != 0
                && !(wall.1 > limit)
                && screen.hides(ground.plan, from, way, above, height)
        })
    }
}

/// Up at a wall's foot; nothing at an obstacle that is nowhere.
#[inline]
pub(super) fn up_at(ground: &GroundView<'_>, wall: &Wall) -> Option<Vec3> {
    if ground.plan {
        return Some(Vec3::Z);
    }
    ground.normals.get(wall.triangle as usize).copied()
}
