//! Fields where steps have prices of their own, in their directions of travel.
//!
//! Of the places that its neighbours walk to a slot takes the one by which the way is cheapest over
//! straight lines, or a neighbour. The line integral to a place that both neighbours walk to
//! between which the line passes is made of theirs, so it costs the same for near and far lines.
//! Otherwise prices are added up from cell to cell.
//!
//! Dijkstra's algorithm settles by and reports costs over the map's steps. Theta* settles by and
//! reports costs over straight lines: a slot waits with the least cost by a step from a settled
//! neighbour and looks for its line once, when its turn comes (lazily: Nash, Koenig, Tovey 2010).
//! A step to a neighbour is always among what it chooses from, so it never costs more than over
//! the map's steps.

use throng_core::NONE;

use super::{BUCKETS, Between, LEAP, Leap, SETTLED, STAY, columns_rows, way_of};
use crate::{
    field::Field,
    stencil::{Slot, Stencil, back, length, step_towards},
    step_costs::StepCosts,
};

/// Instead of the step by which a slot was reached: it is a goal.
const GOAL: Leap = 9;

/// Places that neighbours walk to of which sight is looked for.
const TRIES: usize = 4;

/// What is known of a slot while a field grows, together, because it is asked for together.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The bits of the cost by which the slot waits: it is not negative, so they are in order.
    cost: u32,
    /// Where it walks to; below [`SETTLED`] the step by which it was reached, and 1.
    leap: Leap,
    /// Cost over straight lines once it is settled.
    value: f32,
}

const UNKNOWN: Mark = Mark {
    cost: u32::MAX,
    leap: 0,
    value: 0.0,
};

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(super) struct Memory {
    marks: Vec<Mark>,
}

impl Memory {
    /// Grows a field.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        theta: bool,
        goal: &[(Slot, f32)],
        buckets: &mut [Vec<Slot>],
        out: &mut Field,
    ) {
        let slots = stencil.slots();
        self.marks.clear();
        self.marks.resize(slots, UNKNOWN);
        out.cost.clear();
        out.cost.resize(slots, f32::INFINITY);
        out.next.clear();
        out.next.resize(slots, NONE);
        let mut lines = Lines {
            stencil,
            open: &costs.open,
            each: &costs.each,
            solid: costs.solid,
            metre: costs.metre as f32,
            marks: &mut self.marks,
            out,
        };
        if theta {
            lines.sweep::<true>(goal, buckets);
        } else {
            lines.sweep::<false>(goal, buckets);
        }
        out.way.clear();
        out.way
            .extend(self.marks.iter().map(|mark| way_of(mark.leap)));
    }
}

/// A field under way: what settled slots walk to and pay.
struct Lines<'a> {
    stencil: &'a Stencil,
    open: &'a [u8],
    each: &'a [[f32; 8]],
    /// Whether no wall stands free between slots.
    solid: bool,
    /// No metre costs less.
    metre: f32,
    marks: &'a mut [Mark],
    out: &'a mut Field,
}

impl Lines<'_> {
    /// The slot at a leap's end.
    #[inline(always)]
    fn end(&self, slot: Slot, (x, y): (i32, i32)) -> usize {
        (slot as i32 + y * self.stencil.stride + x) as usize
    }

    /// Cost of a step in its direction of travel; infinite where it may not be walked.
    #[inline(always)]
    fn step(&self, slot: Slot, step: usize) -> f32 {
        self.each[slot as usize][step]
    }

    /// The slot a step away on the same floor.
    #[inline(always)]
    fn beside(&self, slot: Slot, step: usize) -> usize {
        (slot as i32 + self.stencil.offset[step]) as usize
    }

    /// Settles a goal.
    fn stay(&mut self, slot: Slot, cost: f32) {
        let s = slot as usize;
        self.marks[s].leap = STAY;
        self.marks[s].value = cost;
        self.out.next[s] = slot;
        self.out.cost[s] = cost;
    }

    /// Settles all slots in the order of costs over steps, or (`THETA`) over straight lines.
    fn sweep<const THETA: bool>(&mut self, goal: &[(Slot, f32)], buckets: &mut [Vec<Slot>]) {
        let stencil = self.stencil;
        // A hair narrower than the cheapest step, so that rounding settles nobody too early.
        let width = 0.999 * f64::from(self.metre).max(1e-12) * f64::from(stencil.spacing);
        let per_cost = (1.0 / width) as f32;
        let jumps = stencil.jumps();
        let mut waiting = 0;
        for &(slot, left) in goal {
            if let Some(mark) = self.marks.get_mut(slot as usize)
                && left.to_bits() < mark.cost
            {
                (mark.cost, mark.leap) = (left.to_bits(), GOAL);
                buckets[((left * per_cost) as usize).min(BUCKETS - 1)].push(slot);
                waiting += 1;
            }
        }
        let mut now = 0;
        let mut entries = Vec::new();
        while waiting > 0 {
            // Theta* may put slots into the bucket that is being emptied.
            while !buckets[now % BUCKETS].is_empty() {
                core::mem::swap(&mut entries, &mut buckets[now % BUCKETS]);
                waiting -= entries.len();
                for &slot in &entries {
                    let Mark { cost, leap, .. } = self.marks[slot as usize];
                    if leap >= SETTLED {
                        continue;
                    }
                    let mut paid = f32::from_bits(cost);
                    let bucket = (paid * per_cost) as usize;
                    if bucket > now {
                        buckets[bucket.min(now + BUCKETS - 1) % BUCKETS].push(slot);
                        waiting += 1;
                        continue;
                    }
                    if leap == GOAL {
                        self.stay(slot, paid);
                    } else {
                        let value = self.settle(slot, leap as usize - 1);
                        if THETA {
                            paid = value;
                        }
                        self.out.cost[slot as usize] = paid;
                    }
                    let mut ahead = stencil.steps[slot as usize];
                    while ahead != 0 {
                        let k = ahead.trailing_zeros() as usize;
                        ahead &= ahead - 1;
                        let other = if jumps {
                            stencil.after(slot, k)
                        } else {
                            self.beside(slot, k) as Slot
                        };
                        let through = paid + self.step(other, back(k));
                        let mark = &mut self.marks[other as usize];
                        if through.to_bits() < mark.cost
                            && mark.leap < SETTLED
                            && through < f32::INFINITY
                        {
                            (mark.cost, mark.leap) = (through.to_bits(), back(k) as Leap + 1);
                            let bucket = (through * per_cost) as usize;
                            let bucket = bucket.clamp(now, now + BUCKETS - 1);
                            buckets[bucket % BUCKETS].push(other);
                            waiting += 1;
                        }
                    }
                }
                entries.clear();
            }
            now += 1;
        }
    }

    /// Finds where a slot walks to whose turn has come and gives its cost over straight lines;
    /// `way` is the step by which it was reached.
    #[inline(always)]
    fn settle(&mut self, slot: Slot, way: usize) -> f32 {
        let stencil = self.stencil;
        let s = slot as usize;
        let parent = stencil.after(slot, way) as usize;
        if stencil.is_rim(slot) || stencil.is_rim(parent as Slot) {
            // Lines end where floors meet.
            let value = self.marks[parent].value + self.step(slot, way);
            self.marks[s].leap = STAY.wrapping_add(LEAP[way]);
            self.marks[s].value = value;
            self.out.next[s] = parent as Slot;
            return value;
        }
        let leap = self.marks[parent].leap.wrapping_add(LEAP[way]);
        let between = Between::of(columns_rows(leap));
        // Deep inside a region that walks to one place all neighbours agree.
        let (leap, value) = if self.shares(slot, leap, &between) {
            let value = self.reuse(slot, &between);
            self.or_step(slot, leap, value)
        } else {
            self.choose(slot)
        };
        self.marks[s].leap = leap;
        self.marks[s].value = value;
        self.out.next[s] = self.end(slot, columns_rows(leap)) as Slot;
        value
    }

    /// The cheapest way from a slot: straight to a place that one of its settled neighbours walks
    /// to, or to a neighbour.
    fn choose(&self, slot: Slot) -> (Leap, f32) {
        let mut best = (UNKNOWN.leap, f32::INFINITY);
        let mut by = 0;
        let mut open = self.open[slot as usize];
        while open != 0 {
            let k = open.trailing_zeros() as usize;
            open &= open - 1;
            let mark = self.marks[self.beside(slot, k)];
            let through = mark.value + self.step(slot, k);
            if mark.leap >= SETTLED && through < best.1 {
                best = (STAY.wrapping_add(LEAP[k]), through);
                by = k;
            }
        }
        if best.0 == UNKNOWN.leap {
            return best;
        }
        let first = self.on(slot, by);
        if let Some(value) = self.look(slot, first).filter(|v| *v <= best.1) {
            best = (first, value);
        }
        self.choose_other(slot, first, best)
    }

    /// The leap by way of a neighbour to where that walks to; lines end where floors meet.
    #[inline(always)]
    fn on(&self, slot: Slot, step: usize) -> Leap {
        let other = self.beside(slot, step);
        if self.stencil.is_rim(other as Slot) {
            STAY.wrapping_add(LEAP[step])
        } else {
            self.marks[other].leap.wrapping_add(LEAP[step])
        }
    }

    /// The cost over straight lines by a leap, or nothing where it is not free.
    #[inline(always)]
    fn look(&self, slot: Slot, leap: Leap) -> Option<f32> {
        let between = Between::of(columns_rows(leap));
        if self.shares(slot, leap, &between) {
            return Some(self.reuse(slot, &between));
        }
        self.follow(slot, leap, &between)
    }

    /// The better of a way and those to places that other neighbours walk to.
    #[inline(never)]
    fn choose_other(&self, slot: Slot, tried: Leap, known: (Leap, f32)) -> (Leap, f32) {
        let mut best = known;
        let mut found = [(f32::INFINITY, tried); 9];
        let mut count = 1;
        let mut open = self.open[slot as usize];
        while open != 0 {
            let k = open.trailing_zeros() as usize;
            open &= open - 1;
            if self.marks[self.beside(slot, k)].leap < SETTLED {
                continue;
            }
            let leap = self.on(slot, k);
            if !found[..count].iter().any(|f| f.1 == leap) {
                let (x, y) = columns_rows(leap);
                let far = self.end(slot, (x, y));
                let bound = self.marks[far].value + self.metre * self.metres(x, y);
                if bound < best.1 {
                    found[count] = (bound, leap);
                    count += 1;
                }
            }
        }
        for _ in 1..count.min(TRIES) {
            let least = (1..count).min_by(|a, b| found[*a].0.total_cmp(&found[*b].0));
            let least = least.unwrap_or(0);
            let (bound, leap) = found[least];
            if bound >= best.1 {
                break;
            }
            found[least].0 = f32::INFINITY;
            if let Some(value) = self.look(slot, leap)
                && value < best.1
            {
                best = (leap, value);
            }
        }
        best
    }

    /// The better of a way and the steps to settled neighbours.
    #[inline(always)]
    fn or_step(&self, slot: Slot, leap: Leap, value: f32) -> (Leap, f32) {
        let mut best = (leap, value);
        for k in 0..8 {
            let mark = &self.marks[self.beside(slot, k)];
            let through = mark.value + self.step(slot, k);
            if through < best.1 && mark.leap >= SETTLED {
                best = (STAY.wrapping_add(LEAP[k]), through);
            }
        }
        best
    }

    #[inline(always)]
    fn metres(&self, x: i32, y: i32) -> f32 {
        let (x, y) = (x as f32, y as f32);
        (x * x + y * y).sqrt() * self.stencil.spacing
    }

    /// Whether the neighbours between which the line of a leap passes walk to its end too, and
    /// nothing can stand between their lines.
    #[inline(always)]
    fn shares(&self, slot: Slot, leap: Leap, between: &Between) -> bool {
        let open = self.open[slot as usize];
        let walks = |k: usize| {
            let here = self.marks[self.beside(slot, k)].leap.wrapping_add(LEAP[k]);
            open >> k & 1 == 1 && (here == leap || leap == STAY.wrapping_add(LEAP[k]))
        };
        let along_steps = between.short == 0 || between.short == between.long;
        (self.solid || along_steps)
            && (between.short == between.long || walks(between.straight))
            && walks(between.diagonal)
    }

    /// The price of the first stretch of a line that leaves a slot, per metre.
    #[inline]
    fn price(&self, slot: Slot, between: &Between) -> f32 {
        let spacing = self.stencil.spacing;
        let price = |k: usize| self.step(slot, k) / length(k, spacing) as f32;
        let (a, b) = (price(between.straight), price(between.diagonal));
        match (a.is_finite(), b.is_finite()) {
            (true, true) => a + (b - a) * between.share(),
            (true, false) => a,
            (false, true) => b,
            // A line may end where no step leads on.
            (false, false) => self.metre,
        }
    }

    /// The cost by a leap that both neighbours make that it passes: the line integral is made of
    /// theirs.
    #[inline(always)]
    fn reuse(&self, slot: Slot, between: &Between) -> f32 {
        let share = between.share();
        // From the slot to the line between the two neighbours.
        let first = (1.0 + share * share).sqrt();
        let first = first * self.stencil.spacing * self.price(slot, between);
        let diagonal = self.marks[self.beside(slot, between.diagonal)].value;
        let straight = self.marks[self.beside(slot, between.straight)].value;
        if between.short == between.long {
            first + diagonal
        } else {
            first + straight + (diagonal - straight) * share
        }
    }

    /// Follows the line of a leap from cell to cell; gives the cost by it, or nothing where it is
    /// not free. A line through a corner of cells needs the diagonal step.
    fn follow(&self, slot: Slot, leap: Leap, between: &Between) -> Option<f32> {
        let (x, y) = columns_rows(leap);
        let far = self.end(slot, (x, y));
        let (wide, tall) = (x.abs(), y.abs());
        let (across, up, both) = (step_towards(x, 0), step_towards(0, y), step_towards(x, y));
        let offset = &self.stencil.offset;
        let whole = self.metres(x, y);
        let mut at = slot as usize;
        // The line meets column c at (2 c + 1) / (2 wide) of its length, and rows likewise.
        let (mut to_column, mut to_row) = (tall, wide);
        let (mut behind, mut integral) = (0.0, 0.0);
        let (mut columns, mut rows) = (0, 0);
        while at != far {
            let step = match to_column.cmp(&to_row) {
                core::cmp::Ordering::Less => across,
                core::cmp::Ordering::Equal => both,
                core::cmp::Ordering::Greater => up,
            };
            if self.open[at] >> step & 1 == 0 {
                return None;
            }
            let ahead = if to_column <= to_row {
                (2 * columns + 1) as f32 / (2 * wide) as f32
            } else {
                (2 * rows + 1) as f32 / (2 * tall) as f32
            };
            integral += (ahead - behind) * whole * self.price(at as Slot, between);
            behind = ahead;
            columns += i32::from(to_column <= to_row);
            rows += i32::from(to_column >= to_row);
            if step != up {
                to_column += 2 * tall;
            }
            if step != across {
                to_row += 2 * wide;
            }
            at = (at as i32 + offset[step]) as usize;
        }
        let last = (1.0 - behind) * whole * self.price(far as Slot, between);
        Some(self.marks[far].value + integral + last)
    }
}
