//! How far a walker sees the crowd (van Toll, Cook, Geraerts 2012, section 2.2).

use throng_core::EdgeId;

use super::Terms;

/// What the crowd costs is counted only as far as a walker sees: where more than `limit` has been
/// paid, the crowd counts for nothing; an edge that straddles the limit is split there.
///
/// What has been paid at the end of an edge never falls if more was paid at its beginning, and
/// grows at least by the edge's base price: searches stay exact.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    /// Cost up to which the crowd is seen; infinite for everything.
    pub limit: f64,
}

impl Horizon {
    /// Everything is seen.
    pub const NONE: Horizon = Horizon {
        limit: f64::INFINITY,
    };

    /// Whether anything is out of sight.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.limit < f64::INFINITY
    }

    /// Whether a point is out of sight at which this much has been paid.
    #[inline]
    pub fn hides(self, paid: f64) -> bool {
        paid > self.limit
    }

    /// What has been paid at the end of an edge.
    #[inline(always)]
    pub fn pay(self, terms: &Terms<'_>, paid: f64, edge: EdgeId) -> f64 {
        self.pay_at(terms, paid, edge, terms.cost(edge), 1.0)
    }

    /// What has been paid at the end of a part of an edge that is wide enough, whatever the edge.
    #[inline(always)]
    pub fn pay_part(self, terms: &Terms<'_>, paid: f64, edge: EdgeId, share: f64) -> f64 {
        self.pay_at(terms, paid, edge, terms.cost_of_part(edge), share)
    }

    #[inline(always)]
    fn pay_at(self, terms: &Terms<'_>, paid: f64, edge: EdgeId, cost: f64, share: f64) -> f64 {
        let full = cost * share;
        let seen = self.limit - paid;
        // What is closed stays closed, seen or not.
        if full > seen && full.is_finite() {
            let base = terms.base_of_part(edge) * share;
            return if seen <= 0.0 {
                paid + base
            } else {
                self.limit + base * (1.0 - seen / full)
            };
        }
        paid + full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::route::tests::lattice;
    use throng_core::EdgePrices;

    #[test]
    fn an_edge_is_split_where_sight_ends() {
        let map = lattice(3, 1, |_, _| true);
        let prices = EdgePrices {
            base: vec![2.0; map.edges()],
            crowd: vec![3.0; map.edges()],
        };
        let terms = Terms::edges(&map, &[], 0.0, &prices, 2.0, 1.0);
        let horizon = Horizon { limit: 10.0 };
        // All seen: 2 + 2 x 3.
        assert_eq!(horizon.pay(&terms, 2.0, 0), 10.0);
        // Half of it seen.
        assert_eq!(horizon.pay(&terms, 6.0, 0), 10.0 + 1.0);
        assert_eq!(horizon.pay(&terms, 10.0, 0), 12.0);
        assert_eq!(horizon.pay(&terms, 11.0, 0), 13.0);
        assert_eq!(horizon.pay_part(&terms, 11.0, 0, 0.5), 12.0);
        assert_eq!(Horizon::NONE.pay(&terms, 11.0, 0), 19.0);
        assert!(!horizon.hides(10.0) && horizon.hides(10.1));
    }
}
