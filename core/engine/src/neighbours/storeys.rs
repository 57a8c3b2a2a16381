//! Who stands how high on a plan with storeys, so that those out of view are not looked at.

use core::ops::Range;

use glam::IVec3;

use super::grid::{NeighbourGrid, Standing};
use crate::relevance::Body;

/// Whoever's up is at least this upright stands on level ground.
const LEVEL: f32 = 0.999;

/// How far above or below somebody's feet another's may be who is in view, metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Anybody's.
    pub all: f32,
    /// Those of somebody on level ground.
    level: f32,
}

impl View {
    /// Where nobody is left out.
    pub const ENDLESS: View = View {
        all: f32::INFINITY,
        level: f32::INFINITY,
    };
}

/// Lowest and highest feet of some; nobody's at first.
#[derive(Clone, Copy, Debug)]
struct Heights(f32, f32);

impl Heights {
    const NOBODY: Heights = Heights(f32::INFINITY, f32::NEG_INFINITY);

    fn add(&mut self, height: f32) {
        *self = Heights(self.0.min(height), self.1.max(height));
    }

    /// Whether any of them may be so near in height.
    #[inline(always)]
    fn come_within(self, height: f32, view: f32) -> bool {
        self.0 - height <= view && height - self.1 <= view
    }
}

/// Heights and slopes of all, by the entries of the grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Storeys {
    /// How steeply the steepest ground under anybody's feet rises, and the same of those on level
    /// ground: sine and cosine.
    steepest: (f32, f32),
    level: (f32, f32),
    /// How many of the entries before one are not on level ground, and the line of cells of each.
    /// Empty where cells are hashed.
    of_entry: Vec<(u32, u32)>,
    /// By line of cells: everybody's heights, and those on level ground.
    lines: Vec<[Heights; 2]>,
}

impl Storeys {
    /// Looks at everybody. There are as many cells as `size` says, none if they are hashed.
    pub fn fill(&mut self, standing: &[Standing], start: &[u32], size: IVec3) {
        self.of_entry.clear();
        self.lines.clear();
        let (mut steepest, mut level) = (1.0_f32, 1.0_f32);
        for Standing { body, .. } in standing {
            steepest = steepest.min(body.up.z);
            if body.up.z >= LEVEL {
                level = level.min(body.up.z);
            }
        }
        let with_sine = |cosine: f32| ((1.0 - cosine * cosine).max(0.0).sqrt(), cosine);
        (self.steepest, self.level) = (with_sine(steepest), with_sine(level));
        let mut sloped = 0;
        for line in 0..size.y * size.z {
            let [first, end] = [line, line + 1].map(|l| start[(l * size.x) as usize] as usize);
            let mut heights = [Heights::NOBODY; 2];
            for Standing { body, .. } in &standing[first..end] {
                self.of_entry.push((sloped, line as u32));
                heights[0].add(body.feet.z);
                if body.up.z >= LEVEL {
                    heights[1].add(body.feet.z);
                } else {
                    sloped += 1;
                }
            }
            self.lines.push(heights);
        }
        self.of_entry.push((sloped, 0));
    }

    /// Whether somebody at a height may have any of a run of entries of one line in view.
    #[inline(always)]
    pub fn sees(&self, height: f32, view: View, run: &Range<usize>) -> bool {
        let (Some(&(before, line)), Some(&(after, _))) =
            (self.of_entry.get(run.start), self.of_entry.get(run.end))
        else {
            return true;
        };
        let Some(heights) = self.lines.get(line as usize) else {
            return true;
        };
        if before == after {
            heights[1].come_within(height, view.level)
        } else {
            heights[0].come_within(height, view.all)
        }
    }
}

impl NeighbourGrid {
    /// How far above or below on a plan those may be who are within a distance of somebody.
    #[inline]
    pub(super) fn view_of(&self, body: &Body, distance: f32) -> View {
        let all = self.in_view(distance, self.storeys.steepest);
        let level = if body.up.z >= LEVEL {
            self.in_view(distance, self.storeys.level)
        } else {
            all
        };
        View { all, level }
    }

    /// How far above or below on a plan somebody's feet may be who is within a distance: as far as
    /// spheres are, or as [`Relevance::sees`](crate::relevance::Relevance::sees) can be true for
    /// either where no ground is steeper than a sine and cosine say.
    #[inline]
    fn in_view(&self, distance: f32, (sine, cosine): (f32, f32)) -> f32 {
        let r = &self.relevance;
        let tallest = self.tallest;
        let spheres = distance + tallest;
        if !(r.vision && cosine > r.lean + 0.1 && r.lean >= 0.0) {
            return spheres;
        }
        let aside = sine * distance;
        let above = (1.001 * tallest + aside) / cosine + (tallest - self.shortest);
        let falls = r.tolerance.max(0.0) * tallest + r.lean * distance + aside;
        let below = tallest + falls / (cosine - r.lean);
        (above.max(below) * 1.001 + 0.01).min(spheres)
    }
}
