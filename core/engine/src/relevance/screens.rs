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
    /// Who is farther aside, in lengths of the normal, is surely on that side.
    pub aside: f32,
}

impl Screen {
    /// Nothing for an obstacle that is nowhere.
    pub fn of(ground: &GroundView<'_>, wall: &Wall) -> Option<Screen> {
        let up = up_at(ground, wall)?;
        let along = wall.b - wall.a;
        let length = along.length_squared();
        Some(Screen {
            foot: wall.a,
            along,
            length,
            up,
            normal: along.cross(up),
            // More than is rounded.
            aside: 1e-4 * length.sqrt(),
        })
    }

    /// Which of others may be on another side of the wall than somebody, as bits; those who are 64
    /// apart share one.
    #[inline(always)]
    fn behind<S: Simd>(&self, simd: S, own: Vec3, others: &[[[f32; 8]; 3]]) -> u64 {
        let here = (own - self.foot).dot(self.normal);
        // Turned so that the own side is the positive one.
        let normal = if here < 0.0 {
            -self.normal
        } else {
            self.normal
        };
        // Who stands in the wall's line may have anybody behind it.
        let beyond = if here.abs() > self.aside {
            self.aside
        } else {
            f32::INFINITY
        };
        let mut behind = 0;
        for (eight, [x, y, z]) in others.iter().enumerate() {
            let side = (f32x8::load_array_ref(simd, x) - self.foot.x) * normal.x
                + (f32x8::load_array_ref(simd, y) - self.foot.y) * normal.y
                + (f32x8::load_array_ref(simd, z) - self.foot.z) * normal.z;
            // What is no number counts as behind.
            let these = !side.simd_gt(beyond).to_bitmask() & 0xff;
            behind |= these << (eight * 8 % 64);
        }
        behind
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
    pub fn hides(&self, plan: bool, from: Vec3, way: Vec3, above: Vec3, height: f32) -> bool {
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

/// A wall that may hide somebody from one body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hiding {
    screen: Screen,
    /// Squared distance from the body's waist.
    squared: f32,
    /// Who may be behind it, as bits by place; places that are 64 apart share one.
    behind: u64,
}

/// The walls that may hide somebody from one body.
#[derive(Clone, Debug, Default)]
pub struct Screens {
    hiding: Vec<Hiding>,
    /// Who may be behind any of them.
    behind: u64,
    /// Walls to look at where there is no index.
    found: Vec<u32>,
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
    /// Lists the standing walls that come within the distance of a body's waist, of those of a plan
    /// the ones in whose height somebody is looked at, unless they have all others on the own side:
    /// then they are between none of them. The others' waists are in columns of eight, of which the
    /// last are filled with the own.
    #[inline(always)]
    pub fn list<S: Simd>(
        &mut self,
        simd: S,
        ground: &GroundView<'_>,
        index: &ScreenIndex,
        own: &Body,
        sight: Sight,
        others: &[[[f32; 8]; 3]],
    ) {
        self.hiding.clear();
        self.behind = 0;
        // From the waist to the feet, and from the wall's edge to its foot.
        let around = sight.distance + 1.5 * sight.tallest;
        if wall_distance_bound(ground, own.feet) > around {
            return;
        }
        let waist = own.waist();
        if let Some(walls) = index.near(ground, waist, &sight) {
            for &w in walls {
                let screen = &index.screens[w as usize];
                let behind = screen.behind(simd, waist, others);
                if behind != 0 {
                    self.add(
                        ground,
                        &ground.walls[w as usize],
                        screen,
                        waist,
                        &sight,
                        behind,
                    );
                }
            }
            return;
        }
        self.look_for(ground, waist, &sight);
        for i in 0..self.found.len() {
            let wall = &ground.walls[self.found[i] as usize];
            if let Some(screen) = Screen::of(ground, wall)
                && (!ground.plan || sight.meets(screen.foot.z))
            {
                let behind = screen.behind(simd, waist, others);
                if behind != 0 {
                    self.add(ground, wall, &screen, waist, &sight, behind);
                }
            }
        }
    }

    /// Adds a wall that stands if it is within the distance.
    fn add(
        &mut self,
        ground: &GroundView<'_>,
        wall: &Wall,
        screen: &Screen,
        waist: Vec3,
        sight: &Sight,
        behind: u64,
    ) {
        let squared = screen.squared_from(ground.plan, waist, sight.tallest);
        let limit = sight.distance * sight.distance * 1.000_1;
        // A wall of no length gives no number, which is not farther.
        if !(squared > limit) && ground.stands(wall) {
            self.hiding.push(Hiding {
                screen: *screen,
                squared,
                behind,
            });
            self.behind |= behind;
        }
    }

    /// Finds the walls about a place in the ground's own index, each once.
    #[cold]
    fn look_for(&mut self, ground: &GroundView<'_>, waist: Vec3, sight: &Sight) {
        self.found.clear();
        let half = Vec3::splat(sight.distance + sight.tallest);
        any_wall(&ground.wall_index, waist - half, waist + half, |w| {
            self.found.push(w);
            false
        });
        // A long wall is listed in several cells.
        self.found.sort_unstable();
        self.found.dedup();
    }

    /// Whether somebody at a place among the others may be behind one of them.
    #[inline]
    pub fn may_hide(&self, place: usize) -> bool {
        self.behind >> (place % 64) & 1 == 1
    }

    /// Whether one of them lies between the waists of two bodies. Walls are as high as the taller
    /// body. Give the two in the same order whoever looks, and the other's place among the others of
    /// [`Screens::list`].
    pub fn between(&self, ground: &GroundView<'_>, own: &Body, other: &Body, place: usize) -> bool {
        let theirs = 1u64 << (place % 64);
        let height = own.height.max(other.height);
        let from = own.waist();
        let way = other.waist() - from;
        let above = own.up + other.up;
        let limit = way.length_squared() * 1.000_1;
        self.hiding.iter().any(|wall| {
            wall.behind & theirs != 0
                && !(wall.squared > limit)
                && wall.screen.hides(ground.plan, from, way, above, height)
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
