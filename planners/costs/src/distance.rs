//! Cost `distance`: every metre costs the same, or the time it takes where stairs slow down.

use throng_core::{Capabilities, CostModel, PriceContext, Prices, options, register};

options! {
    /// A metre costs 1; on stairs and ramps that slow walking to a share f of its speed, 1 / f.
    pub struct Distance {}
}

#[typetag::serde(name = "distance")]
impl CostModel for Distance {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let slowest = context.cell_speed.iter().copied().fold(1.0, f32::min);
        if slowest >= 1.0 {
            out.set_uniform(1.0);
            return;
        }
        let cells = context.crowd.cells();
        out.resize(cells, 1, 1);
        out.blocked.clear();
        out.crowd.fill(0.0);
        out.least_base = 1.0;
        for (cell, base) in out.base.iter_mut().enumerate() {
            let factor = context.cell_speed.get(cell).copied().unwrap_or(1.0);
            *base = 1.0 / factor.clamp(0.01, 1.0);
        }
    }
}

register! {
    Cost "distance" => Distance,
    about: "Every metre costs the same; slow stairs cost the time they take.",
    when: "Shortest routes are wanted, or as the plain case to compare others with.",
    when_not: "People should avoid crowds: use a cost model that reads them.",
    growth: "Priced once; no time per step, no memory unless there are stairs.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::{CrowdView, RouteClass};

    fn context<'a>(area: &'a [f32], cell_speed: &'a [f32]) -> PriceContext<'a> {
        PriceContext {
            crowd: CrowdView {
                area,
                axis: &[],
                occupied: &[],
                persons: &[],
                momentum_x: &[],
                momentum_y: &[],
            },
            cell_speed,
            cell_length: &[],
            class: RouteClass {
                profile: 0,
                speed: 1.3,
                weight: 1.0,
                radius: 0.2,
            },
            time: 0.0,
        }
    }

    #[test]
    fn floors_are_uniform() {
        let mut prices = Prices::default();
        Distance::default().price(&context(&[1.0; 3], &[]), &mut prices);
        assert_eq!(prices.uniform, Some(1.0));
        Distance::default().price(&context(&[1.0; 3], &[1.0; 3]), &mut prices);
        assert_eq!(prices.uniform, Some(1.0));
        assert!(Distance::default().is_static());
    }

    #[test]
    fn stairs_cost_their_time() {
        let mut prices = Prices::default();
        Distance::default().price(&context(&[1.0; 3], &[1.0, 0.5, 1.0]), &mut prices);
        assert_eq!(prices.uniform, None);
        assert_eq!(prices.metre(1, 123), (2.0, 0.0));
        assert_eq!(prices.metre(0, 0), (1.0, 0.0));
        assert_eq!(prices.least_base, 1.0);
    }
}
