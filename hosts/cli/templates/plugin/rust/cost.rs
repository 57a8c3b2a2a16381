//! Cost `__id__`: crowded metres cost more.

use throng_core::{Capabilities, CostModel, PriceContext, Prices, options, register};

options! {
    /// Crowded metres cost more.
    pub struct __Type__ {
        /// Further price of a metre where bodies cover the whole ground.
        factor: f32 = 5.0, "", 0.0..=1000.0;
    }
}

#[typetag::serde(name = "__id__")]
impl CostModel for __Type__ {
    fn crowd_needs(&self) -> Capabilities {
        Capabilities::DENSITY
    }

    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        out.resize(cells, 1, 1);
        out.blocked.clear();
        out.base.fill(1.0);
        out.least_base = 1.0;
        for cell in 0..cells {
            let density = context.crowd.density(cell as u32).min(1.0);
            out.crowd[cell] = self.factor * density;
        }
    }
}

register! {
    Cost "__id__" => __Type__,
    about: "Crowded metres cost more.",
    when: "As a start for a model of your own.",
    when_not: "Figures of a published model are wanted.",
    growth: "Time and memory grow with the crowd cells.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
