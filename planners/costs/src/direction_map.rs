//! Cost `direction-map`: walking as others have walked is cheap (Jansen and Sturtevant 2008).
//!
//! Every cell learns a direction vector DV, the running mean of the unit moves MV of those who
//! walk through it: DV <- (1 - alpha) DV + alpha MV for every move. A step from cell a to cell b
//! costs 1 + w_max / 4 (2 - DV_a MV - DV_b MV), so a metre of direction MV in one cell costs
//! 1 + w_max / 2 (1 - DV MV). Density plays no part: where a few have walked counts as where many
//! have, and what was learned stays until others walk differently.
//!
//! The crowd is known per cell and epoch, so the moves of an epoch are learned at once: n persons
//! of mean velocity v make n |v| t / s moves over a cell of side s, each worth v over `speed`
//! (opposite streams cancel).
//!
//! **What is theirs and what is ours.** Of the paper only the first page was at hand, but the
//! authors' program is public (HOG2, `WeightedMap2DEnvironment`): it learns by the same rule, from no
//! direction at first, and adds the same w_max / 4 (2 - DV_a MV - DV_b MV) to the length of a step,
//! except that cells where nobody has walked yet add nothing. Here they add what their DV of 0 says,
//! as the formula has it: half of w_max, so that people keep to where others went their way. Ours
//! are too: the price of a metre instead of a step (they agree for a step half in each cell),
//! learning once an epoch from the mean of a cell instead of move by move, and that slow moves count
//! for less. Pentheny's chapter (17.7) gives no formula, only what to expect: motion with the flow is
//! encouraged, sparse groups are walked round, change is followed slowly. That a queue is joined and
//! not left for a free opening follows from it: its people move the right way, and how many there
//! are does not count.

use glam::Vec2;
use throng_core::{
    Capabilities, CostModel, CrowdView, PriceContext, Prices, StateError, math, options, register,
};

use crate::{
    columns::{read_columns, write_columns},
    congestion::ways,
};

options! {
    /// A metre costs least in the direction in which others have walked.
    pub struct DirectionMap {
        /// What a metre against the learned direction costs beyond its length.
        w_max: f32 = 2.0, "", 0.0..=100.0;
        /// How much one move through a cell counts against all before it.
        alpha: f32 = 0.1, "", 0.001..=1.0;
        /// Speed of a move that counts in full.
        speed: f32 = 1.3, "m/s", 0.1..=10.0;
    }
    state {
        /// The learned direction of each cell.
        learned_x: Vec<f32>,
        learned_y: Vec<f32>,
    }
}

#[typetag::serde(name = "direction-map")]
impl CostModel for DirectionMap {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        out.resize(cells, 8, 1);
        out.blocked.clear();
        out.least_base = 1.0;
        let moves = ways(1.0);
        for cell in 0..cells {
            let factor = context.cell_speed.get(cell).copied().unwrap_or(1.0);
            let base = 1.0 / factor.clamp(0.01, 1.0);
            let learned = self.learned(cell);
            for (d, way) in moves.iter().enumerate() {
                let against = (1.0 - learned.dot(*way)).max(0.0);
                out.base[cell * 8 + d] = base;
                out.crowd[cell * 8 + d] = base * 0.5 * self.w_max * against;
            }
        }
    }

    fn crowd_needs(&self) -> Capabilities {
        Capabilities::FLOW
    }

    fn observe(&mut self, crowd: &CrowdView<'_>, seconds: f32) {
        self.learned_x.resize(crowd.cells(), 0.0);
        self.learned_y.resize(crowd.cells(), 0.0);
        let kept = math::ln((1.0 - self.alpha).max(1e-6));
        for cell in 0..crowd.cells() {
            let velocity = crowd.velocity(cell as u32);
            let (walked, area) = (velocity.length() * seconds, crowd.area[cell]);
            if walked <= 0.0 || area <= 0.0 {
                continue;
            }
            let moves = crowd.persons[cell] as f32 * walked / area.sqrt();
            let part = 1.0 - math::exp(moves * kept);
            let mean = (velocity / self.speed).clamp_length_max(1.0);
            let learned = self.learned(cell);
            let learned = learned + (mean - learned) * part;
            (self.learned_x[cell], self.learned_y[cell]) = (learned.x, learned.y);
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        write_columns([&self.learned_x, &self.learned_y], out);
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        [self.learned_x, self.learned_y] = read_columns("direction-map", saved)?;
        Ok(())
    }
}

register! {
    Cost "direction-map" => DirectionMap,
    about: "A metre costs less in the direction in which others have walked there, however few.",
    when: "Lanes and one-way habits should form and last; as the comparison that congestion maps are measured by.",
    when_not: "People should react to what is there now: what was learned fades only as others walk differently, and sparse groups are shunned like dense ones.",
    growth: "Time in the cells, 8 directions each, per class and epoch; 8 bytes a cell, 64 a cell and class.",
    paper: "Jansen, Sturtevant: Direction maps for cooperative pathfinding, AIIDE 2008",
    needs: Capabilities::REGIONS,
    offers: Capabilities::DIRECTIONAL,
}

impl DirectionMap {
    fn learned(&self, cell: usize) -> Vec2 {
        match (self.learned_x.get(cell), self.learned_y.get(cell)) {
            (Some(&x), Some(&y)) => Vec2::new(x, y),
            _ => Vec2::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::{Crowd, context};

    #[test]
    fn a_step_costs_what_the_paper_says() {
        // Cell 0 has learned east, cell 1 north; a step of a metre is half in each.
        let model = DirectionMap {
            learned_x: vec![1.0, 0.0],
            learned_y: vec![0.0, 1.0],
            ..DirectionMap::default()
        };
        let mut prices = Prices::default();
        model.price(
            &context(&Crowd::new(&[0.0; 2], Vec2::ZERO), 1.3),
            &mut prices,
        );
        for (angle, way) in [(0, Vec2::X), (16384, Vec2::Y), (32768, -Vec2::X)] {
            let metre = |cell| {
                let (base, crowd) = prices.metre(cell, angle);
                base + crowd
            };
            let paper = 1.0 + 0.25 * model.w_max * (2.0 - Vec2::X.dot(way) - Vec2::Y.dot(way));
            assert!(((metre(0) + metre(1)) / 2.0 - paper).abs() < 1e-5);
        }
        assert_eq!(prices.least_base, 1.0);
    }

    #[test]
    fn moves_are_learned_and_stay() {
        let east = Crowd::new(&[0.3], Vec2::new(1.3, 0.0));
        let mut model = DirectionMap::default();
        // Three persons over a cell of sqrt(2) m in one second.
        model.observe(&east.view(), 1.0);
        let moves = 3.0 * 1.3 / 2.0_f64.sqrt();
        let wanted = 1.0 - math::exp(moves * math::ln(0.9_f64));
        assert!((f64::from(model.learned(0).x) - wanted).abs() < 1e-3);
        let learned = model.learned(0);
        model.observe(&Crowd::new(&[0.0], Vec2::ZERO).view(), 100.0);
        assert_eq!(model.learned(0), learned);
        // Few teach as much as many, only more slowly.
        for _ in 0..200 {
            model.observe(&east.view(), 1.0);
        }
        assert!((model.learned(0) - Vec2::X).length() < 1e-3);
        let mut saved = Vec::new();
        model.save(&mut saved);
        let mut again = DirectionMap::default();
        again.load(&saved).unwrap();
        assert_eq!(again.learned(0), model.learned(0));
    }
}
