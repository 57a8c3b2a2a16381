//! Cost `density`: the time that a metre takes in the crowd (van Toll, Cook, Geraerts 2012).
//!
//! An edge e costs t_min(e) + w t_delay(e), with t_min = |e| / v_max and
//! t_delay = |e| rho / (v_max (1 - rho)); rho is the share of a cell's area that discs occupy.
//! So a metre has base price 1 / v_max and crowd price rho / (v_max (1 - rho)), capped at a
//! finite multiple of the base: a full cell is dear, never impassable. v_max is the desired speed
//! of the class, times what stairs leave of it.
//!
//! Beyond the paper, `flow` turns the delay with the stream: a crowd that walks along delays
//! less than one that stands, one that comes towards more.

use glam::Vec2;
use throng_core::{Capabilities, CostModel, PriceContext, Prices, math, options, register};

options! {
    /// Seconds per metre, longer in dense cells.
    pub struct Density {
        /// The delay of a full cell, as a multiple of its time when empty: what infinity is cut to.
        most_delay: f32 = 1000.0, "", 1.0..=10000.0;
        /// Densities of cells whose edges are shorter than this count in proportion to their
        /// length, so that one person in a tiny region makes no jam of it; 0 for all alike.
        full_length: f32 = 0.0, "m", 0.0..=1000.0;
        /// How much of the delay depends on where the crowd walks: at 1 a crowd that walks along
        /// at full speed delays nobody, and one that comes towards delays twice.
        flow: f32 = 0.0, "", 0.0..=1.0;
    }
}

/// Walking speeds below this are taken for it, metres per second: prices stay finite.
const LEAST_SPEED: f32 = 0.01;

#[typetag::serde(name = "density")]
impl CostModel for Density {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        let directions = if self.flow > 0.0 { 8 } else { 1 };
        out.resize(cells, directions, 1);
        out.blocked.clear();
        let v_max = context.class.speed.max(LEAST_SPEED);
        out.least_base = 1.0 / v_max;
        let ways: [Vec2; 8] = core::array::from_fn(|d| {
            let angle = d as f32 * core::f32::consts::FRAC_PI_4;
            Vec2::new(math::cos(angle), math::sin(angle))
        });
        for cell in 0..cells {
            let factor = context.cell_speed.get(cell).copied().unwrap_or(1.0);
            let base = 1.0 / (v_max * factor.clamp(LEAST_SPEED, 1.0));
            let delay = self.delay(self.density(context, cell));
            if directions == 1 {
                out.base[cell] = base;
                out.crowd[cell] = base * delay;
                continue;
            }
            let stream = context.crowd.velocity(cell as u32) / v_max;
            for (d, way) in ways.iter().enumerate() {
                let against = 1.0 - self.flow * stream.dot(*way).clamp(-1.0, 1.0);
                out.base[cell * 8 + d] = base;
                out.crowd[cell * 8 + d] = base * (delay * against).min(self.most_delay);
            }
        }
    }

    fn crowd_needs(&self) -> Capabilities {
        if self.flow > 0.0 {
            Capabilities::DENSITY.and(Capabilities::FLOW)
        } else {
            Capabilities::DENSITY
        }
    }
}

register! {
    Cost "density" => Density,
    about: "Time per metre, longer in dense cells: the shortest way at weight 0, the fastest at 1, the emptiest above.",
    when: "People know or see where it is crowded and spread over the ways there are; give each its own weight.",
    when_not: "Cells are smaller than a few persons (a fine grid): set cost.cell to 2 m or so; or nobody can know of the crowd ahead.",
    growth: "A division per cell, class and epoch; 8 of them with flow.",
    paper: "van Toll, Cook, Geraerts: Real-time density-based crowd simulation, 2012",
    needs: Capabilities::REGIONS,
    offers: Capabilities::NONE,
}

impl Density {
    fn density(&self, context: &PriceContext<'_>, cell: usize) -> f32 {
        let density = context.crowd.density(cell as u32);
        match context.cell_length.get(cell) {
            Some(&length) if length < self.full_length => density * length / self.full_length,
            _ => density,
        }
    }

    /// rho / (1 - rho), cut to what is allowed.
    fn delay(&self, density: f32) -> f32 {
        if density >= 1.0 {
            return self.most_delay;
        }
        (density / (1.0 - density)).clamp(0.0, self.most_delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::{AREA_UNIT, CrowdView, RouteClass, SPEED_UNIT};

    /// Cells of 2 square metres with these densities; all discs move at `velocity`.
    fn priced(model: &Density, densities: &[f32], velocity: Vec2, lengths: &[f32]) -> Prices {
        let cells = densities.len();
        let occupied: Vec<i64> = densities
            .iter()
            .map(|d| (f64::from(*d) * 2.0 * AREA_UNIT) as i64)
            .collect();
        let momentum = |v: f32| -> Vec<i64> {
            let speed = (f64::from(v) * SPEED_UNIT) as i64;
            occupied.iter().map(|o| o * speed).collect()
        };
        let (x, y) = (momentum(velocity.x), momentum(velocity.y));
        let context = PriceContext {
            crowd: CrowdView {
                area: &vec![2.0; cells],
                axis: &[],
                occupied: &occupied,
                persons: &vec![0; cells],
                momentum_x: &x,
                momentum_y: &y,
            },
            cell_speed: &[],
            cell_length: lengths,
            class: RouteClass {
                profile: 0,
                speed: 1.25,
                weight: 1.0,
                radius: 0.24,
            },
            time: 0.0,
        };
        let mut prices = Prices::default();
        model.price(&context, &mut prices);
        prices
    }

    #[test]
    fn a_metre_costs_its_time_and_its_delay() {
        let prices = priced(&Density::default(), &[0.0, 0.5, 0.75], Vec2::ZERO, &[]);
        assert_eq!(prices.metre(0, 0), (0.8, 0.0));
        // Half full: as long again. Three quarters full: three times as long again.
        assert_eq!(prices.metre(1, 0), (0.8, 0.8));
        assert_eq!(prices.metre(2, 0), (0.8, 2.4));
        assert_eq!(prices.least_base, 0.8);
        assert!(!Density::default().is_static());
    }

    #[test]
    fn full_cells_stay_finite_and_free_for_those_who_do_not_mind() {
        let prices = priced(&Density::default(), &[1.0, 7.0, 0.99999], Vec2::ZERO, &[]);
        for cell in 0..3 {
            let (base, crowd) = prices.metre(cell, 0);
            assert_eq!((base, crowd), (0.8, 800.0));
            assert_eq!(base + 0.0 * crowd, 0.8);
        }
    }

    #[test]
    fn stairs_take_their_time() {
        let model = Density::default();
        let occupied = [AREA_UNIT as i64; 2];
        let context = PriceContext {
            crowd: CrowdView {
                area: &[2.0; 2],
                axis: &[],
                occupied: &occupied,
                persons: &[1; 2],
                momentum_x: &[0; 2],
                momentum_y: &[0; 2],
            },
            cell_speed: &[1.0, 0.5],
            cell_length: &[],
            class: RouteClass {
                profile: 0,
                speed: 1.0,
                weight: 1.0,
                radius: 0.24,
            },
            time: 0.0,
        };
        let mut prices = Prices::default();
        model.price(&context, &mut prices);
        assert_eq!(prices.metre(0, 0), (1.0, 1.0));
        assert_eq!(prices.metre(1, 0), (2.0, 2.0));
        assert_eq!(prices.least_base, 1.0);
    }

    #[test]
    fn short_edges_count_for_less() {
        let model = Density {
            full_length: 2.0,
            ..Density::default()
        };
        let prices = priced(&model, &[0.5, 0.5, 0.5], Vec2::ZERO, &[2.0, 1.0, 9.0]);
        assert_eq!(prices.metre(0, 0).1, 0.8);
        assert!((prices.metre(1, 0).1 - 0.8 * 0.25 / 0.75).abs() < 1e-6);
        assert_eq!(prices.metre(2, 0).1, 0.8);
    }

    #[test]
    fn with_the_stream_it_is_quicker_than_against_it() {
        let model = Density {
            flow: 1.0,
            ..Density::default()
        };
        let prices = priced(&model, &[0.5], Vec2::new(1.25, 0.0), &[]);
        let (along, across, towards) = (
            prices.metre(0, 0).1,
            prices.metre(0, 16384).1,
            prices.metre(0, 32768).1,
        );
        assert!(along.abs() < 1e-3 && (towards - 1.6).abs() < 1e-3);
        assert!((across - 0.8).abs() < 1e-3);
        assert!(model.crowd_needs().has(Capabilities::FLOW));
    }
}
