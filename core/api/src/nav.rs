//! Slot `nav`: a map drawn over the ground.

use core::fmt::Debug;

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

use crate::{
    error::NavError,
    map::{Attachment, Change, Gate, NavMap, Remap, Site},
    place::{EdgeId, Location, RegionId},
};

/// A disc in plan within which a walker stays in its region.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Room {
    /// Its centre.
    pub centre: Vec2,
    /// Its radius, metres; 0 where nothing is known.
    pub radius: f32,
}

/// Where a walker is in its region still, by four lines in plan that its sides lie on, and where
/// it gets across them.
///
/// Nobody walks through walls, so a region is left through its other sides only, two at either
/// end. A step straight across such a side ends beyond the side's line: who is on the right sides
/// of the lines has not left. One cache line, so that asking costs no more than reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Hold {
    /// Unit normals of the lines, x, towards the region.
    normal_x: Vec4,
    /// The same, y.
    normal_y: Vec4,
    /// How far along its normal a point must be to be on the right side of each line for sure.
    from: Vec4,
    /// The regions across; the highest bit of the first two says that an end is hollow.
    across: [u32; 4],
}

impl Hold {
    /// The bits of a region across a line; all of them where there is none.
    const REGION: u32 = u32::MAX >> 1;
    /// Regions that one step may lead through.
    const HOPS: usize = 4;

    /// Four lines: their unit normals towards the region, how far along them a point must be to be
    /// on the right side for sure, and the regions across, [`NONE`](crate::NONE) where there is
    /// none. The first and the last line are those of one end, the others of the other end. Where
    /// an end is hollow, who is on the right side of one of its lines is in the region still, else
    /// of both.
    pub fn new(
        normals: [Vec2; 4],
        from: [f32; 4],
        across: [RegionId; 4],
        hollow: [bool; 2],
    ) -> Hold {
        let mut across = across.map(|region| region.min(Self::REGION));
        for (across, hollow) in across.iter_mut().zip(hollow) {
            *across |= u32::from(hollow) << 31;
        }
        Hold {
            normal_x: Vec4::from_array(normals.map(|n| n.x)),
            normal_y: Vec4::from_array(normals.map(|n| n.y)),
            from: Vec4::from_array(from),
            across,
        }
    }

    /// The region across a line, or [`NONE`](crate::NONE).
    #[inline(always)]
    pub fn across(&self, line: usize) -> RegionId {
        match self.across[line] & Self::REGION {
            Self::REGION => crate::NONE,
            region => region,
        }
    }

    /// How far a point is on the right side of each line.
    #[inline(always)]
    fn inside(&self, p: Vec2) -> Vec4 {
        self.normal_x * p.x + self.normal_y * p.y - self.from
    }

    /// The lines on whose right side a point is for sure, a bit each.
    #[inline(always)]
    pub fn sides(&self, p: Vec2) -> u32 {
        self.inside(p).cmpgt(Vec4::ZERO).bitmask()
    }

    /// How far a walker that was in the region, and walked straight on since, can walk on before it
    /// leaves it, metres; not above 0 if it may have left.
    #[inline(always)]
    pub fn room(&self, p: Vec2) -> f32 {
        self.least(self.inside(p))
    }

    /// The distance to the end that is left first.
    #[inline(always)]
    fn least(&self, inside: Vec4) -> f32 {
        let other = inside.wzyx();
        let (both, one) = (inside.min(other), inside.max(other));
        // Nobody can foretell which: by bits, not by branches.
        let end = |i: usize| {
            let hollow = (self.across[i] as i32 >> 31) as u32;
            f32::from_bits(one[i].to_bits() & hollow | both[i].to_bits() & !hollow)
        };
        end(0).min(end(1))
    }

    /// Where a walker is that was in the region `at`, and in one straight step got to a point where
    /// that region does not hold it any more, and its room there. Nothing if that is not certain.
    ///
    /// It left through the side of a line that it is beyond now, into the region there. In that one
    /// it walked straight on: if it is on the near side of the line that it came across and held,
    /// it has not left it.
    #[inline]
    pub fn follow(holds: &[Hold], mut at: RegionId, p: Vec2) -> Option<(RegionId, f32)> {
        let mut hold = holds.get(at as usize)?;
        for _ in 0..Self::HOPS {
            let wrong = !hold.sides(p) & 0b1111;
            let next = hold.across[wrong.trailing_zeros() as usize & 3] & Self::REGION;
            let there = holds.get(next as usize)?;
            let inside = there.inside(p);
            let near = inside.cmpgt(Vec4::ZERO).bitmask();
            if wrong & !hold.leading_to(next) | there.leading_to(at) & !near != 0 {
                return None;
            }
            let room = there.least(inside);
            if room > 0.0 {
                return Some((next, room));
            }
            (at, hold) = (next, there);
        }
        None
    }

    /// The lines with a region across, a bit each.
    #[inline(always)]
    fn leading_to(&self, region: RegionId) -> u32 {
        (0..4).fold(0, |bits, i| {
            bits | u32::from(self.across[i] & Self::REGION == region) << i
        })
    }
}

/// A map drawn over the ground: graph, gates and regions.
///
/// **Purpose.** Turns the ground into something that can be searched, and says where any place
/// hangs on it. Walls and physics are the ground's business: changing the map never changes them.
///
/// **When not.** A different way of searching is a [`GlobalPlanner`](crate::GlobalPlanner), a
/// different price a [`CostModel`](crate::CostModel).
///
/// **Call order.** `build` once; then `attach`, `region_of` and `emit_gates` as often as wanted,
/// in any order; `edit` between steps.
///
/// **Threads.** `build` and `edit` run alone; the others run on many threads at once.
///
/// **Determinism.** The same site gives the same arrays, bit for bit. Answers depend on the
/// arguments alone; a hint may change the time taken, never the answer.
///
/// **Failure.** An unsuitable ground is an error of `build` that says what would do. A place off
/// the map attaches to the nearest part of it.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// One node in the middle of everything.
///     pub struct Dot {}
/// }
///
/// #[typetag::serde(name = "dot")]
/// impl NavRepresentation for Dot {
///     fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
///         let point = site.ground.vertices[0];
///         map.node_place = vec![Location { point, triangle: 0 }];
///         map.node_region = vec![0];
///         map.edge_start = vec![0, 0];
///         map.region_area = vec![site.ground.areas.iter().sum()];
///         map.region_place = map.node_place.clone();
///         Ok(())
///     }
///     fn attach(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [Attachment]) {
///         out.fill(Attachment { node: 0, ..Attachment::NOWHERE });
///     }
///     fn region_of(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [u32]) {
///         out.fill(0);
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait NavRepresentation: Debug + Send + Sync {
    /// Draws the map into the empty arrays of `map`; looking-up structures stay in `self`.
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError>;

    /// Where places hang on the graph. `hints` are regions where each was last seen, or NONE.
    fn attach(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [Attachment],
    );

    /// The region of each place; the nearest one off the map's coverage.
    fn region_of(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [RegionId],
    );

    /// Appends the gates of consecutive edges of a route. The default appends those of the map.
    ///
    /// A map that has gates ([`NavMap::gate_start`] is not empty) must give these and no others:
    /// whoever has the arrays at hand does not ask.
    fn emit_gates(&self, site: &Site<'_>, map: &NavMap, edges: &[EdgeId], out: &mut Vec<Gate>) {
        let _ = site;
        map.append_gates(edges, out);
    }

    /// For each place, which lies in the region given with it, a disc in plan: as long as who
    /// stands there walks within it, it is in that region still. `ways` are where each walks (any
    /// length, or nowhere), so that the disc may lie ahead. Answers whether it filled `out`; if
    /// not, the distance to the region's outline is taken.
    fn room_in(
        &self,
        map: &NavMap,
        places: &[Location],
        ways: &[Vec2],
        regions: &[RegionId],
        out: &mut [Room],
    ) -> bool {
        let _ = (map, places, ways, regions, out);
        false
    }

    /// Where walkers stay in each region, if the map knows: then [`room_in`] is not asked. For
    /// maps that are linked; the border to loaded ones has discs only.
    ///
    /// [`room_in`]: NavRepresentation::room_in
    fn holds(&self) -> &[Hold] {
        &[]
    }

    /// The gate across an edge after a share of its length, in its direction of travel; `None`
    /// on maps whose edges have no width.
    fn gate_at(&self, site: &Site<'_>, map: &NavMap, edge: EdgeId, along: f32) -> Option<Gate> {
        let _ = (site, map, edge, along);
        None
    }

    /// Appends the points of an edge's line between its two nodes, so that straight pieces stay
    /// within `tolerance` metres of it. The default appends the middles of its gates.
    fn edge_line(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        edge: EdgeId,
        tolerance: f32,
        out: &mut Vec<Vec3>,
    ) {
        let _ = (site, tolerance);
        let e = edge as usize;
        if let (Some(&first), Some(&end)) = (map.gate_start.get(e), map.gate_start.get(e + 1)) {
            let gates = &map.gates[first as usize..end as usize];
            out.extend(gates.iter().map(|gate| gate.middle));
        }
    }

    /// Takes a change without a rebuild, giving a new revision of `map`.
    fn edit(
        &mut self,
        site: &Site<'_>,
        change: &Change,
        map: &mut NavMap,
    ) -> Result<Remap, NavError> {
        let _ = (site, change, map);
        Err(NavError::Unsupported("this map is rebuilt instead"))
    }

    /// Figures of this kind of map beside those that every map has, by name: `throng nav` shows
    /// them. May take as long as `build`.
    fn measures(&self, site: &Site<'_>) -> Vec<(&'static str, f64)> {
        let _ = site;
        Vec::new()
    }

    /// Bytes held beside the map's arrays.
    fn bytes(&self) -> usize {
        0
    }

    /// What went wrong inside, if anything did since it was last asked (libraries report here).
    fn fault(&self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NONE;

    /// Three regions of a corridor along x, 4 m each, between walls at y = -1 and 1.
    fn corridor() -> [Hold; 3] {
        let of = |region: u32| {
            let (low, high) = (region as f32 * 4.0, region as f32 * 4.0 + 4.0);
            let before = if region == 0 { NONE } else { region - 1 };
            let after = if region == 2 { NONE } else { region + 1 };
            Hold::new(
                [Vec2::X, Vec2::NEG_X, Vec2::NEG_X, Vec2::X],
                [low + 0.01, 0.01 - high, 0.01 - high, low + 0.01],
                [before, after, after, before],
                [false; 2],
            )
        };
        [of(0), of(1), of(2)]
    }

    #[test]
    fn room_is_the_distance_to_the_nearer_end() {
        let [_, hold, _] = corridor();
        assert!((hold.room(Vec2::new(5.0, 0.3)) - 0.99).abs() < 1e-5);
        assert!((hold.room(Vec2::new(7.5, 0.3)) - 0.49).abs() < 1e-5);
        assert!(hold.room(Vec2::new(8.1, 0.0)) <= 0.0);
        assert!(hold.room(Vec2::new(4.005, 0.0)) <= 0.0, "not for sure");
        assert_eq!((hold.across(0), hold.across(2)), (0, 2));
        assert_eq!(corridor()[0].across(3), NONE);
    }

    #[test]
    fn a_hollow_end_is_left_beyond_both_of_its_lines() {
        let across = [7, NONE, NONE, 8];
        let lines = [Vec2::X, Vec2::ZERO, Vec2::ZERO, Vec2::Y];
        let hold = |hollow| Hold::new(lines, [0.0, -1e6, -1e6, 0.0], across, hollow);
        let aside = Vec2::new(2.0, -1.0);
        assert!(hold([false, false]).room(aside) <= 0.0);
        assert_eq!(hold([true, false]).room(aside), 2.0);
        assert!(hold([true, false]).room(Vec2::new(-0.1, -0.1)) <= 0.0);
    }

    #[test]
    fn walkers_are_followed_over_several_sides_and_not_beyond_the_last() {
        let holds = corridor();
        let follow = |at, x| Hold::follow(&holds, at, Vec2::new(x, 0.5)).map(|found| found.0);
        assert_eq!(follow(0, 4.5), Some(1));
        assert_eq!(follow(0, 8.5), Some(2), "through the one between");
        assert_eq!(follow(2, 3.0), Some(0));
        assert_eq!(follow(0, 13.0), None);
        assert_eq!(
            follow(0, 4.001),
            None,
            "on the side itself it may be in either"
        );
        assert_eq!(follow(9, 1.0), None);
    }
}
