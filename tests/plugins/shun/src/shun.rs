//! Cost `shun`: crowded metres cost more, and more again against the stream.
//!
//! Density and velocity of every cell are smoothed over time, so that a group that passes does
//! not turn everybody round. The smoothed columns are the state that a resumed run needs.

use throng_core::{
    Capabilities, CostModel, CrowdView, PriceContext, Prices, StateError, math, options, register,
};

options! {
    /// Shuns crowds and counterflow.
    pub struct Shun {
        /// Price of a metre where bodies cover the whole ground.
        factor: f32 = 5.0, "", 0.0..=1000.0;
        /// Further price of a metre against a stream of 1 m/s, times density.
        counterflow: f32 = 2.0, "", 0.0..=1000.0;
        /// Time over which the crowd is smoothed.
        smoothing: f32 = 10.0, "s", 0.0..=3600.0;
    }
    state { smoothed: Vec<[f32; 3]> }
}

const DIRECTIONS: u32 = 8;

#[typetag::serde(name = "shun")]
impl CostModel for Shun {
    fn crowd_needs(&self) -> Capabilities {
        Capabilities::DENSITY.and(Capabilities::FLOW)
    }

    fn observe(&mut self, crowd: &CrowdView<'_>, seconds: f32) {
        let kept = if self.smoothing > 0.0 && self.smoothed.len() == crowd.cells() {
            math::exp(-seconds / self.smoothing)
        } else {
            0.0
        };
        self.smoothed.resize(crowd.cells(), [0.0; 3]);
        for (cell, smoothed) in self.smoothed.iter_mut().enumerate() {
            let velocity = crowd.velocity(cell as u32);
            let now = [crowd.density(cell as u32), velocity.x, velocity.y];
            for (old, new) in smoothed.iter_mut().zip(now) {
                *old = *old * kept + new * (1.0 - kept);
            }
        }
    }

    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        let directions = if self.counterflow > 0.0 {
            DIRECTIONS
        } else {
            1
        };
        out.resize(cells, directions, 1);
        out.blocked.clear();
        out.base.fill(1.0);
        out.least_base = 1.0;
        for cell in 0..cells {
            let [density, x, y] = self.smoothed.get(cell).copied().unwrap_or_default();
            let density = density.min(1.0);
            for direction in 0..directions {
                let angle = direction as f32 * (core::f32::consts::TAU / DIRECTIONS as f32);
                let along = x * math::cos(angle) + y * math::sin(angle);
                let against = if directions == 1 {
                    0.0
                } else {
                    (-along).max(0.0)
                };
                out.crowd[cell * directions as usize + direction as usize] =
                    density * (self.factor + self.counterflow * against);
            }
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        for value in self.smoothed.as_flattened() {
            out.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        let (numbers, rest) = saved.as_chunks::<4>();
        let numbers: Vec<f32> = numbers.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (cells, more) = numbers.as_chunks::<3>();
        if !rest.is_empty() || !more.is_empty() || numbers.iter().any(|n| !n.is_finite()) {
            return Err(StateError {
                strategy: "cost/shun".into(),
                reason: format!("{} bytes are no rows of three numbers", saved.len()),
            });
        }
        self.smoothed = cells.to_vec();
        Ok(())
    }
}

register! {
    Cost "shun" => Shun,
    about: "Crowded metres cost more, and more again against the stream.",
    when: "As an example of a model in a crate of its own.",
    when_not: "Figures of a published model are wanted.",
    growth: "Time and memory grow with the cells.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::DIRECTIONAL,
}
