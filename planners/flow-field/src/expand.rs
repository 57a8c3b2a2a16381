//! Growing a field backwards from its goal over a stencil.
//!
//! Open slots wait in buckets by cost, not in a heap. Dijkstra's algorithm with buckets no wider
//! than the cheapest step settles every slot at its exact cost (Denardo and Fox 1979). Costs are
//! those of travel: expanding from s to its neighbour m pays the step from m to s.
//!
//! Every slot walks straight to its `next`, an earlier slot in its sight. That a slot m sees the
//! next t of a neighbour is known without looking if both neighbours between which the line from m
//! to t passes walk straight to t too. Where that cannot be said, at the rims of shadows, the line
//! is followed from cell to cell, or the slot walks to a neighbour.
//!
//! `octile` is for one price everywhere on one floor, `uniform` for one price on several floors,
//! both with what `lines` sees; `priced` is for steps of different prices. Over steps on one floor
//! slots walk to neighbours, and have directions at any angle all the same.

mod lines;
mod octile;
mod priced;
#[cfg(test)]
mod tests;
mod uniform;

use fearless_simd::Level;
use glam::Vec2;
use throng_core::choices;

use crate::{
    field::{Field, Way},
    stencil::{STEPS, Slot, Stencil, step_towards},
    step_costs::StepCosts,
};

choices! {
    /// How fields grow.
    pub enum Expansion {
        /// Dijkstra's algorithm over the map's steps: costs are those of the graph.
        Dijkstra = "dijkstra",
        /// Lazy theta*: costs are those of straight lines at any angle, never dearer than the
        /// graph's.
        ThetaStar = "theta-star",
    }
}

/// Where a slot walks to, as columns and rows from itself in 16 bits each.
type Leap = u32;

/// Smaller ones are none.
const SETTLED: Leap = 16;
/// To stay: the slot is a goal.
const STAY: Leap = 0x8000_8000;

/// The leaps of the eight steps, to be added to others.
const LEAP: [Leap; 8] = {
    let mut leaps = [0; 8];
    let mut k = 0;
    while k < 8 {
        let [x, y] = STEPS[k];
        leaps[k] = (x as u32).wrapping_add((y as u32) << 16);
        k += 1;
    }
    leaps
};

#[inline(always)]
fn columns_rows(leap: Leap) -> (i32, i32) {
    (
        (leap & 0xFFFF) as i32 - 0x8000,
        (leap >> 16) as i32 - 0x8000,
    )
}

/// The direction of a leap.
#[inline(always)]
fn way_of(leap: Leap) -> Way {
    let (x, y) = columns_rows(leap);
    let line = Vec2::new(x as f32, y as f32);
    let line = line * (1.0 / line.length_squared().sqrt());
    let nowhere = (leap < SETTLED) | (leap == STAY);
    Way::along(if nowhere { Vec2::ZERO } else { line })
}

/// Most buckets; entries beyond the last wait in it.
const BUCKETS: usize = 1024;

/// Grows fields, reusing its memory.
#[derive(Debug, Default)]
pub struct Expander {
    buckets: Vec<Vec<Slot>>,
    octile: octile::Memory,
    uniform: uniform::Memory,
    lines: lines::Memory,
    priced: priced::Memory,
}

impl Expander {
    /// Grows a field towards `goal`: slots and what is left to pay there.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        expansion: Expansion,
        goal: &[(Slot, f32)],
        out: &mut Field,
    ) {
        let theta = expansion == Expansion::ThetaStar;
        self.buckets.resize_with(BUCKETS, Vec::new);
        let lines = &mut self.lines;
        if let Some(sight) = costs.sight.as_ref().filter(|_| theta) {
            let level = Level::new();
            self.octile
                .grow_lines(stencil, costs, sight, goal, lines, level, out);
        } else if costs.sight.is_some() {
            self.octile.grow(stencil, costs, goal, out);
        } else if costs.each.is_empty() {
            let buckets = &mut self.buckets;
            self.uniform
                .grow(stencil, costs, theta, goal, buckets, lines, out);
        } else {
            self.priced
                .grow(stencil, costs, theta, goal, &mut self.buckets, out);
        }
        // Nothing leads through slots that are too narrow, so they are seen to last.
        for out_of in costs.ways_out.chunk_by(|a, b| a.0 == b.0) {
            let s = out_of[0].0 as usize;
            if out.cost[s].is_finite() {
                continue;
            }
            for &(slot, step, cost) in out_of {
                let next = stencil.after(slot, usize::from(step));
                let through = out.cost[next as usize] + cost;
                if through < out.cost[s] {
                    out.cost[s] = through;
                    if let Some(known) = out.next.get_mut(s) {
                        *known = next;
                    }
                    let [x, y] = STEPS[usize::from(step)];
                    out.way[s] = Way::along(Vec2::new(x as f32, y as f32).normalize());
                }
            }
        }
    }
}

/// The two steps between which a line leaves a slot, and how near it is to the second.
#[derive(Clone, Copy)]
struct Between {
    straight: usize,
    diagonal: usize,
    /// Columns and rows, whichever are more and fewer.
    long: i32,
    short: i32,
}

impl Between {
    #[inline(always)]
    fn of((x, y): (i32, i32)) -> Between {
        let (ax, ay) = (x.abs(), y.abs());
        let across = ax >= ay;
        let (long, short) = if across { (ax, ay) } else { (ay, ax) };
        let straight = if across {
            step_towards(x, 0)
        } else {
            step_towards(0, y)
        };
        let diagonal = if short == 0 {
            straight
        } else {
            step_towards(x, y)
        };
        Between {
            straight,
            diagonal,
            long,
            short,
        }
    }

    /// 0 along the straight step, 1 along the diagonal one.
    #[inline(always)]
    fn share(&self) -> f32 {
        self.short as f32 / self.long as f32
    }
}

/// Whether the line of a leap is free: every step that it takes from cell to cell. A line through
/// a corner of cells needs the diagonal step.
#[inline(always)]
pub(crate) fn is_free(
    open: &[u8],
    offset: &[i32; 8],
    slot: Slot,
    far: usize,
    (x, y): (i32, i32),
) -> bool {
    let (wide, tall) = (x.abs(), y.abs());
    let (across, up, both) = (step_towards(x, 0), step_towards(0, y), step_towards(x, y));
    let mut at = slot as usize;
    // The line meets column c at (2 c + 1) / (2 wide) of its length, and rows likewise.
    let (mut to_column, mut to_row) = (tall, wide);
    while at != far {
        let step = match to_column.cmp(&to_row) {
            core::cmp::Ordering::Less => across,
            core::cmp::Ordering::Equal => both,
            core::cmp::Ordering::Greater => up,
        };
        if open[at] >> step & 1 == 0 {
            return false;
        }
        if step != up {
            to_column += 2 * tall;
        }
        if step != across {
            to_row += 2 * wide;
        }
        at = (at as i32 + offset[step]) as usize;
    }
    true
}
