//! The terms of a search: which edges may be walked, and what they cost.

use throng_core::{EdgeId, NONE, NavMap, NodeId, World};

/// A disc may be this much wider than a clearance, metres: both come out of f32 arithmetic.
const TOLERANCE: f32 = 1e-4;

/// What a walker may use and pays: the map, a table of prices, doors, its weight and radius.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The map.
    pub map: &'a NavMap,
    uniform: Option<f64>,
    base: &'a [f32],
    crowd: &'a [f32],
    blocked: &'a [u64],
    door_open: &'a [u8],
    weight: f64,
    radius: f32,
    checks_radius: bool,
    /// No metre costs less than this.
    pub least_base: f64,
}

impl<'a> Terms<'a> {
    /// Terms under a table of the world's prices, for a weight of the crowd part and a radius.
    pub fn new(world: &World<'a>, prices: usize, weight: f32, radius: f32) -> Terms<'a> {
        let mut terms = Terms::lengths(world.map, world.site.ground.door_open, radius);
        let Some(table) = world.prices.get(prices) else {
            return terms;
        };
        match (table.uniform, world.edge_prices.get(prices)) {
            (None, Some(edges)) => {
                terms.uniform = None;
                terms.base = &edges.base;
                terms.crowd = &edges.crowd;
                terms.weight = f64::from(weight);
            }
            (uniform, _) => {
                terms.uniform = Some(f64::from(uniform.unwrap_or(1.0)));
                terms.blocked = &table.blocked;
            }
        }
        terms.least_base = f64::from(table.least_base.max(0.0));
        terms
    }

    /// Terms under which a metre costs 1.
    pub fn lengths(map: &'a NavMap, door_open: &'a [u8], radius: f32) -> Terms<'a> {
        Terms {
            map,
            uniform: Some(1.0),
            base: &[],
            crowd: &[],
            blocked: &[],
            door_open,
            weight: 0.0,
            radius,
            checks_radius: radius > 0.0,
            least_base: 1.0,
        }
    }

    /// Terms under given prices of the map's edges, no metre cheaper than `least_base`.
    pub fn edges(
        map: &'a NavMap,
        door_open: &'a [u8],
        radius: f32,
        prices: &'a throng_core::EdgePrices,
        weight: f32,
        least_base: f32,
    ) -> Terms<'a> {
        Terms {
            uniform: None,
            base: &prices.base,
            crowd: &prices.crowd,
            weight: f64::from(weight),
            least_base: f64::from(least_base.max(0.0)),
            ..Terms::lengths(map, door_open, radius)
        }
    }

    /// The cost of an edge, or infinity where it may not be walked: too narrow, behind a closed
    /// door, or into a blocked cell.
    #[inline(always)]
    pub fn cost(&self, edge: EdgeId) -> f64 {
        if self.checks_radius && !self.fits(self.map.edge_clearance[edge as usize]) {
            return f64::INFINITY;
        }
        self.cost_of_part(edge)
    }

    /// The cost of an edge whose clearance does not matter, because only a part of it is walked
    /// that is known to be wide enough.
    #[inline(always)]
    pub fn cost_of_part(&self, edge: EdgeId) -> f64 {
        let e = edge as usize;
        if !self.map.is_open(edge, self.door_open) {
            return f64::INFINITY;
        }
        match self.uniform {
            Some(base) => {
                if !self.blocked.is_empty() && self.enters_blocked(e) {
                    return f64::INFINITY;
                }
                base * f64::from(self.map.edge_length[e])
            }
            // Integration prices edges into blocked cells at infinity.
            None => {
                let base = f64::from(self.base[e]);
                if self.weight == 0.0 {
                    base
                } else {
                    base + self.weight * f64::from(self.crowd[e])
                }
            }
        }
    }

    /// The cost of an edge without the crowd; infinite where it may not be walked.
    #[inline(always)]
    pub fn base(&self, edge: EdgeId) -> f64 {
        Terms {
            weight: 0.0,
            ..*self
        }
        .cost(edge)
    }

    /// The cost without the crowd of an edge whose clearance does not matter.
    #[inline(always)]
    pub fn base_of_part(&self, edge: EdgeId) -> f64 {
        Terms {
            weight: 0.0,
            ..*self
        }
        .cost_of_part(edge)
    }

    /// The crowd part of an edge, unweighted.
    #[inline]
    pub fn crowd(&self, edge: EdgeId) -> f64 {
        match self.uniform {
            Some(_) => 0.0,
            None => f64::from(self.crowd[edge as usize]),
        }
    }

    /// The same walker on another map with its own prices.
    pub(super) fn over(
        &self,
        map: &'a NavMap,
        prices: &'a throng_core::EdgePrices,
        least_clearance: f32,
    ) -> Terms<'a> {
        Terms {
            map,
            uniform: None,
            base: &prices.base,
            crowd: &prices.crowd,
            blocked: &[],
            door_open: &[],
            checks_radius: self.radius > 0.0 && !self.fits(least_clearance),
            ..*self
        }
    }

    /// Whether an edge leads into a blocked region; from inside one it may be left.
    fn enters_blocked(&self, edge: usize) -> bool {
        let region = |node: NodeId| self.map.node_region[node as usize];
        let into = region(self.map.edge_to[edge]);
        into != NONE
            && into != region(self.map.edge_from[edge])
            && self
                .blocked
                .get(into as usize / 64)
                .is_some_and(|word| word >> (into % 64) & 1 == 1)
    }

    /// The same terms, on a map none of whose edges is narrower than `least`: clearances need
    /// not be read if the radius fits everywhere.
    pub fn nowhere_narrower_than(mut self, least: f32) -> Terms<'a> {
        self.checks_radius &= !self.fits(least);
        self
    }

    /// The radius that must fit.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Whether a clearance leaves room for the radius.
    #[inline(always)]
    pub fn fits(&self, clearance: f32) -> bool {
        clearance + TOLERANCE >= self.radius
    }

    /// The state of the doors.
    pub fn door_open(&self) -> &'a [u8] {
        self.door_open
    }
}
