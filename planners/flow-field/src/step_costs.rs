//! What the steps of a stencil cost a route class.

use throng_core::{NONE, NodeId};
use throng_kit::search::Terms;

use crate::{
    field::Saved,
    sight::{Sight, has_fences},
    stencil::{Slot, Stencil, back, length},
};

/// What a metre out of a place that is too narrow costs, as a multiple of the least price.
const WAY_OUT: f64 = 4.0;
/// Steps within which a place that is too narrow finds a roomy one.
const NARROW: usize = 4;

/// What the steps of a stencil cost one class.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCosts {
    /// The steps that may be walked from each slot, one bit each.
    pub(crate) open: Vec<u8>,
    /// No metre costs less; every one this much if `each` is empty.
    pub(crate) metre: f64,
    /// Whether the four straight steps about every diagonal one may be walked, and all steps both
    /// ways: then many steps need not be looked at.
    pub(crate) regular: bool,
    /// Cost of each step in its direction of travel, infinite where it may not be walked; empty if
    /// every metre costs the same.
    pub(crate) each: Vec<[f32; 8]>,
    /// Steps out of slots that are too narrow, those nearest to roomy ones first, with their costs.
    pub(crate) ways_out: Vec<(Slot, u8, f32)>,
    /// Whether no wall between slots stands free of everything else: see [`has_fences`].
    pub(crate) solid: bool,
    /// What slots see of each other, where every metre costs the same and steps are `regular`.
    pub(crate) sight: Option<Sight>,
}

impl StepCosts {
    /// The costs of a stencil's steps on given terms.
    pub fn on(stencil: &Stencil, terms: &Terms<'_>) -> StepCosts {
        let map = terms.map;
        let slots = stencil.slots();
        let mut costs = StepCosts {
            open: vec![0; slots],
            metre: terms.least_base,
            regular: false,
            each: vec![[f32::INFINITY; 8]; slots],
            ways_out: Vec::new(),
            solid: true,
            sight: None,
        };
        let mut plain = stencil.level;
        let expected: [f32; 8] =
            core::array::from_fn(|k| (terms.least_base * length(k, stencil.spacing)) as f32);
        for e in 0..map.edges() {
            let step = usize::from(stencil.step_of_edge[e]);
            let cost = terms.cost(e as u32) as f32;
            if cost.is_finite() {
                let slot = stencil.slot[map.edge_from[e] as usize] as usize;
                costs.each[slot][step] = cost;
                costs.open[slot] |= 1 << step;
                plain &= (cost - expected[step]).abs() <= 1e-5 * expected[step];
            }
        }
        let mut symmetric = true;
        costs.regular = !stencil.jumps();
        for slot in 0..slots {
            let open = costs.open[slot];
            for k in (0..8).filter(|k| open >> k & 1 == 1) {
                let there = stencil.after(slot as Slot, k) as usize;
                symmetric &= costs.open[there] >> back(k) & 1 == 1;
                if k % 2 == 1 && costs.regular {
                    // Both ways round the square: by the step before and the step after.
                    let (one, two) = ((k + 7) % 8, (k + 1) % 8);
                    let corner = (slot as i32 + stencil.offset[one]) as usize;
                    costs.regular &= open >> one & open >> two & costs.open[corner] >> two & 1 == 1;
                }
            }
        }
        costs.regular &= symmetric;
        costs.find_ways_out(stencil, terms);
        if plain && symmetric {
            costs.each = Vec::new();
        }
        costs.look(stencil);
        costs
    }

    /// Finds out again what is not saved.
    pub(crate) fn look(&mut self, stencil: &Stencil) {
        self.solid = !has_fences(&self.open, stencil.stride);
        if self.each.is_empty() {
            self.sight = Sight::of(stencil, &self.open, self.regular);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let sight = self.sight.as_ref().map_or(0, Sight::bytes);
        self.open.len() + self.each.len() * 32 + self.ways_out.len() * 12 + sight
    }

    /// A body that fits where it stands may be nearest to a node that is too close to a wall:
    /// from there steps lead to roomier nodes, but none lead back.
    fn find_ways_out(&mut self, stencil: &Stencil, terms: &Terms<'_>) {
        let map = terms.map;
        let narrow = |open: &[u8], slot: usize| open[slot] == 0 && stencil.steps[slot] != 0;
        let mut left: Vec<usize> = (0..stencil.slots())
            .filter(|s| narrow(&self.open, *s))
            .collect();
        let mut reached = vec![false; if left.is_empty() { 0 } else { stencil.slots() }];
        for level in 0..NARROW {
            let found = self.ways_out.len();
            left.retain(|&slot| {
                let before = self.ways_out.len();
                for e in map.edges_of(stencil.node[slot]) {
                    let k = usize::from(stencil.step_of_edge[e]);
                    let there = stencil.slot[map.edge_to[e] as usize] as usize;
                    let roomy = if level == 0 {
                        self.open[there] != 0
                    } else {
                        reached[there]
                    };
                    if roomy && map.is_open(e as u32, terms.door_open()) {
                        let cost = WAY_OUT * terms.least_base * length(k, stencil.spacing);
                        self.ways_out.push((slot as Slot, k as u8, cost as f32));
                    }
                }
                self.ways_out.len() == before
            });
            for way in &self.ways_out[found..] {
                reached[way.0 as usize] = true;
            }
        }
    }

    /// The slots to begin at for a goal of these nodes, and what is left to pay there: the nodes
    /// themselves, or, where none of them is roomy enough to enter, the roomy ones nearest to them.
    pub(crate) fn seeds(&self, stencil: &Stencil, goal: &[NodeId]) -> Vec<(Slot, f32)> {
        let slots = goal.iter().map(|n| stencil.slot_of(*n));
        let mut found: Vec<Slot> = slots.filter(|s| *s != NONE).collect();
        if found.iter().all(|s| self.open[*s as usize] == 0) {
            let mut seen = found.clone();
            for level in 0..=NARROW {
                let roomy = |s: &Slot| self.open[*s as usize] != 0;
                if found.iter().any(roomy) {
                    found.retain(roomy);
                    let metres = level as f64 * f64::from(stencil.spacing);
                    let cost = (WAY_OUT * self.metre * metres) as f32;
                    return found.into_iter().map(|s| (s, cost)).collect();
                }
                let mut next = Vec::new();
                for &slot in &found {
                    let steps = stencil.steps[slot as usize];
                    for k in (0..8).filter(|k| steps >> k & 1 == 1) {
                        let there = stencil.after(slot, k);
                        if !seen.contains(&there) {
                            seen.push(there);
                            next.push(there);
                        }
                    }
                }
                if next.is_empty() {
                    break;
                }
                found = next;
            }
            found = goal.iter().map(|n| stencil.slot_of(*n)).collect();
            found.retain(|s| *s != NONE);
        }
        found.into_iter().map(|s| (s, 0.0)).collect()
    }

    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        out.extend((self.open.len() as u64).to_le_bytes());
        out.extend(&self.open);
        out.extend(self.metre.to_le_bytes());
        out.push(u8::from(self.regular) | u8::from(!self.each.is_empty()) << 1);
        out.extend((self.ways_out.len() as u64).to_le_bytes());
        for (slot, step, cost) in &self.ways_out {
            out.extend(slot.to_le_bytes());
            out.push(*step);
            out.extend(cost.to_le_bytes());
        }
        let costs = self.each.as_flattened().iter();
        out.extend(costs.flat_map(|cost| cost.to_le_bytes()));
    }

    /// Reads what [`StepCosts::save`] wrote; nothing if it is damaged.
    pub(crate) fn load(saved: &mut Saved<'_>) -> Option<StepCosts> {
        let slots = usize::try_from(saved.u64()?).ok()?;
        let open = saved.bytes(slots)?.to_vec();
        let metre = f64::from_bits(saved.u64()?);
        let flags = saved.bytes(1)?[0];
        let mut ways_out = Vec::new();
        for _ in 0..saved.u64()? {
            let way = saved.bytes(9)?;
            let four = |at: usize| [way[at], way[at + 1], way[at + 2], way[at + 3]];
            let (slot, step) = (u32::from_le_bytes(four(0)), way[4]);
            if slot as usize >= slots || step >= 8 {
                return None;
            }
            ways_out.push((slot, step, f32::from_le_bytes(four(5))));
        }
        let rows = if flags & 2 == 0 { 0 } else { slots };
        let (costs, _) = saved.bytes(rows.checked_mul(32)?)?.as_chunks::<4>();
        let (costs, _) = costs.as_chunks::<8>();
        let read = |eight: &[[u8; 4]; 8]| eight.map(f32::from_le_bytes);
        Some(StepCosts {
            open,
            metre,
            regular: flags & 1 != 0,
            each: costs.iter().map(read).collect(),
            ways_out,
            solid: true,
            sight: None,
        })
    }

    /// How much two sets of costs differ, as the mean of the relative changes of their steps.
    pub fn change(&self, other: &StepCosts) -> f64 {
        if self.open != other.open || self.each.len() != other.each.len() {
            return f64::INFINITY;
        }
        if self.each.is_empty() {
            return (self.metre - other.metre).abs() / self.metre.min(other.metre).max(1e-9);
        }
        let (mut sum, mut count) = (0.0, 0_u64);
        for (a, b) in self
            .each
            .as_flattened()
            .iter()
            .zip(other.each.as_flattened())
        {
            if a.is_finite() && b.is_finite() {
                sum += f64::from((a - b).abs() / a.min(*b).max(1e-9));
                count += 1;
            }
        }
        sum / count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::tests::lattice;

    #[test]
    fn costs_are_told_apart_and_come_back() {
        let map = lattice(5, 4, |x, y| (x, y) != (2, 1));
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.0));
        assert!(costs.each.is_empty() && costs.regular && costs.metre == 1.0);
        let mut saved = Vec::new();
        costs.save(&mut saved);
        let mut loaded = StepCosts::load(&mut Saved(&saved)).unwrap();
        loaded.look(&stencil);
        assert_eq!(loaded, costs);
        assert_eq!(costs.change(&loaded), 0.0);
        // Too wide for every edge.
        let narrow = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.9));
        assert!(narrow.open.iter().all(|o| *o == 0));
        assert_eq!(costs.change(&narrow), f64::INFINITY);
        saved.clear();
        narrow.save(&mut saved);
        let mut loaded = StepCosts::load(&mut Saved(&saved)).unwrap();
        loaded.look(&stencil);
        assert_eq!(loaded, narrow);
        assert_eq!(StepCosts::load(&mut Saved(&saved[..40])), None);
    }

    #[test]
    fn narrow_places_can_be_left_and_not_entered() {
        let mut map = lattice(5, 1, |_, _| true);
        // Nodes 0 and 1 are too close to a wall.
        map.edge_clearance = vec![0.1, 0.1, 0.1, 0.5, 0.1, 0.5, 0.5, 0.5];
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.3));
        let slot = |n: u32| stencil.slot_of(n);
        assert_eq!(costs.ways_out, [(slot(1), 0, 4.0), (slot(0), 0, 4.0)]);
        assert_eq!(costs.open[slot(2) as usize], 1);
        // A goal in there is walked to as far as there is room.
        assert_eq!(costs.seeds(&stencil, &[0]), [(slot(2), 8.0)]);
        assert_eq!(costs.seeds(&stencil, &[3]), [(slot(3), 0.0)]);
    }
}
