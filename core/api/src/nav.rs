//! Slot `nav`: a map drawn over the ground.

use core::fmt::Debug;

use glam::{Vec2, Vec3, Vec4};

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

/// Where a walker is in its region still, by four lines in plan that its sides lie on.
///
/// Nobody walks through walls, so a region is left through its other sides only. A step straight
/// across such a side ends beyond the side's line: who is on the right sides of the lines has not
/// left. One cache line, so that asking costs no more than reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Hold {
    /// Unit normals of the lines, x, towards the region.
    pub normal_x: Vec4,
    /// The same, y.
    pub normal_y: Vec4,
    /// How far along its normal a point must be to be on the right side of each line for sure.
    pub from: Vec4,
    /// The bit of a number is set if who is on the right sides of the lines with a bit in that
    /// number, and of no other, is in the region.
    pub held: u16,
}

impl Hold {
    /// The lines on whose right side a point is for sure, a bit each.
    #[inline(always)]
    pub fn sides(&self, p: Vec2) -> u32 {
        let along = self.normal_x * p.x + self.normal_y * p.y;
        along.cmpgt(self.from).bitmask()
    }

    /// How far a walker that was in the region, and walked straight on since, can walk on before it
    /// leaves it, metres; not above 0 if it may have left.
    #[inline(always)]
    pub fn room(&self, p: Vec2) -> f32 {
        let inside = self.normal_x * p.x + self.normal_y * p.y - self.from;
        let right = inside.cmpgt(Vec4::ZERO);
        // Who is beyond a line and still in the region does not leave it there.
        let nearest = Vec4::select(right, inside, Vec4::INFINITY).min_element();
        let held = self.held >> right.bitmask() & 1 != 0;
        if held { nearest } else { 0.0 }
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
