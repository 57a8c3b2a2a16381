//! Cost `congestion`: walking against or through a crowd costs, walking with it does not
//! (Pentheny 2015, congestion maps).
//!
//! A metre costs 1 + penalty. With `ideal` the direction of travel times the class's own desired
//! speed, `aggregate` the crowd's mean velocity and `density` its density in the cell, the
//! penalty is, in the chapter's Listing 17.1,
//!
//! ```text
//! c = dot(ideal, aggregate) / |ideal|^2;  0 if c >= 1, else (1 - c) density
//! ```
//!
//! and in the form of its text (17.4), which the listing contradicts,
//! |ideal - aggregate| / |ideal| * density. Both are 0 where nobody is and never negative, so a
//! heuristic on the base part stays admissible; a crowd that stands costs its density in either.
//!
//! **Kernel.** A person counts in the crowd cell that holds its centre, with its whole area and
//! its area times its velocity: a box as wide as the cell. `cost.cell` sets that width apart from
//! the map's cells. **Averaging.** Area and momentum are averaged over time by an exponential
//! window; the mean velocity is their quotient, so moments with many people count for more. The
//! density is that of now.

use glam::Vec2;
use throng_core::{
    AREA_UNIT, Capabilities, CostModel, CrowdView, PriceContext, Prices, SPEED_UNIT, StateError,
    choices, math, options, register,
};

use crate::columns::{read_columns, write_columns};

choices! {
    /// How the crowd's motion counts.
    pub enum Form {
        /// Its part along the direction of travel (Listing 17.1).
        Projection = "projection",
        /// The length of the difference of velocities (17.4).
        Difference = "difference",
    }
}

choices! {
    /// What density is measured in.
    pub enum Unit {
        /// The share of the cell's area that bodies cover.
        Share = "share",
        /// Persons per square metre.
        Persons = "persons",
    }
}

options! {
    /// A metre costs 1 and a penalty for the crowd that is in the way.
    pub struct Congestion {
        /// How the crowd's motion counts.
        form: Form = Form::Projection;
        /// What density is measured in.
        unit: Unit = Unit::Share;
        /// Time over which the crowd's velocity is averaged; 0 takes that of now.
        averaging: f32 = 2.0, "s", 0.0..=600.0;
        /// Time slices of predicted prices, for planners that ask when an agent gets somewhere
        /// (theta-star); 1 predicts nothing. The density of later slices goes on as it has
        /// changed of late, less and less so.
        slices: u32 = 1, "", 1..=32;
        /// Length of a time slice.
        slice: f32 = 5.0, "s", 0.1..=600.0;
    }
    state {
        /// Averaged area and momentum of each cell, square metres and metres per second.
        area: Vec<f32>,
        momentum_x: Vec<f32>,
        momentum_y: Vec<f32>,
        /// Area occupied at the last look, and how fast it changes, per second.
        last: Vec<f32>,
        rate: Vec<f32>,
    }
}

/// Speeds below this are taken for it, metres per second.
const LEAST_SPEED: f32 = 0.01;
/// Seconds over which a change is taken to go on.
const LASTS: f32 = 15.0;

#[typetag::serde(name = "congestion")]
impl CostModel for Congestion {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        let slices = self.slices.max(1);
        out.resize(cells, 8, slices);
        out.slice_seconds = self.slice;
        out.blocked.clear();
        out.least_base = 1.0;
        let ideal = ways(context.class.speed.max(LEAST_SPEED));
        for slice in 0..slices as usize {
            // The middle of the slice, except that now is now.
            let ahead = match slice {
                0 => 0.0,
                s => (s as f32 + 0.5) * self.slice,
            };
            let growth = LASTS * (1.0 - math::exp(-ahead / LASTS));
            for cell in 0..cells {
                let factor = context.cell_speed.get(cell).copied().unwrap_or(1.0);
                let base = 1.0 / factor.clamp(LEAST_SPEED, 1.0);
                let density = self.density(&context.crowd, cell, growth);
                let first = (slice * cells + cell) * 8;
                out.base[first..first + 8].fill(base);
                let crowd = &mut out.crowd[first..first + 8];
                if density <= 0.0 {
                    crowd.fill(0.0);
                    continue;
                }
                let aggregate = self.aggregate(&context.crowd, cell);
                for (price, ideal) in crowd.iter_mut().zip(ideal) {
                    let penalty = penalty(self.form, ideal, aggregate, density);
                    *price = base * penalty.min(Prices::MOST_CROWD);
                }
            }
        }
    }

    fn crowd_needs(&self) -> Capabilities {
        Capabilities::DENSITY.and(Capabilities::FLOW)
    }

    fn observe(&mut self, crowd: &CrowdView<'_>, seconds: f32) {
        let cells = crowd.cells();
        let fresh = self.area.len() != cells;
        for column in [
            &mut self.area,
            &mut self.momentum_x,
            &mut self.momentum_y,
            &mut self.last,
            &mut self.rate,
        ] {
            column.resize(cells, 0.0);
        }
        let part = if fresh || self.averaging <= 0.0 {
            1.0
        } else {
            1.0 - math::exp(-seconds / self.averaging)
        };
        let area = 1.0 / AREA_UNIT;
        let momentum = area / SPEED_UNIT;
        let mean = |old: &mut f32, sum: i64, unit: f64| {
            *old += ((sum as f64 * unit) as f32 - *old) * part;
        };
        for cell in 0..cells {
            mean(&mut self.area[cell], crowd.occupied[cell], area);
            mean(&mut self.momentum_x[cell], crowd.momentum_x[cell], momentum);
            mean(&mut self.momentum_y[cell], crowd.momentum_y[cell], momentum);
            if self.slices > 1 {
                let now = (crowd.occupied[cell] as f64 * area) as f32;
                let rate = if fresh || seconds <= 0.0 {
                    0.0
                } else {
                    (now - self.last[cell]) / seconds
                };
                self.rate[cell] += (rate - self.rate[cell]) * part;
                self.last[cell] = now;
            }
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        let motion = [&self.momentum_x, &self.momentum_y];
        write_columns(
            [&self.area, motion[0], motion[1], &self.last, &self.rate],
            out,
        );
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        [
            self.area,
            self.momentum_x,
            self.momentum_y,
            self.last,
            self.rate,
        ] = read_columns("congestion", saved)?;
        Ok(())
    }
}

register! {
    Cost "congestion" => Congestion,
    about: "A metre costs 1 and the crowd's density there, as far as the crowd does not walk along.",
    when: "People should leave a jam for a free way but not shun those who walk the same way as they do.",
    when_not: "The time to the goal matters more than what is in the way (density prices delay), or cells are smaller than a person: set cost.cell to 1 m or more.",
    growth: "Time in the cells, 8 directions and as many slices each, per class and epoch, and in the agents once a step; 20 bytes a cell, 64 a cell, class and slice.",
    paper: "Pentheny: Advanced techniques for robust, efficient crowds, Game AI Pro 2, 2015",
    needs: Capabilities::REGIONS,
    offers: Capabilities::DIRECTIONAL,
}

/// The eight directions of prices, times a speed.
pub(crate) fn ways(speed: f32) -> [Vec2; 8] {
    core::array::from_fn(|d| {
        let angle = d as f32 * core::f32::consts::FRAC_PI_4;
        Vec2::new(math::cos(angle), math::sin(angle)) * speed
    })
}

/// What a metre costs beyond its length for who wants to walk at `ideal` through a crowd of this
/// mean velocity and density.
pub fn penalty(form: Form, ideal: Vec2, aggregate: Vec2, density: f32) -> f32 {
    let speed = ideal.length();
    if speed <= 0.0 || density <= 0.0 {
        return 0.0;
    }
    match form {
        Form::Projection => {
            let along = ideal.dot(aggregate) / (speed * speed);
            (1.0 - along).max(0.0) * density
        }
        Form::Difference => (ideal - aggregate).length() / speed * density,
    }
}

impl Congestion {
    /// The density of a cell once its change has gone on for `growth` seconds.
    fn density(&self, crowd: &CrowdView<'_>, cell: usize, growth: f32) -> f32 {
        let now = match self.unit {
            Unit::Share => crowd.density(cell as u32),
            Unit::Persons => crowd.persons_per_area(cell as u32),
        };
        let (rate, last) = (self.rate.get(cell), self.last.get(cell));
        match (rate, last) {
            (Some(&rate), Some(&last)) if growth > 0.0 && last > 0.0 => {
                now * (1.0 + rate * growth / last).clamp(0.0, 4.0)
            }
            _ => now,
        }
    }

    /// The mean velocity of the crowd about a cell.
    fn aggregate(&self, crowd: &CrowdView<'_>, cell: usize) -> Vec2 {
        match self.area.get(cell) {
            Some(&area) if area > 1e-6 => {
                Vec2::new(self.momentum_x[cell], self.momentum_y[cell]) / area
            }
            // Priced before anything was observed.
            _ => crowd.velocity(cell as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::{Crowd, context};

    const EAST: Vec2 = Vec2::new(1.25, 0.0);

    #[test]
    fn the_listing_and_the_text_have_their_known_values() {
        use Form::{Difference, Projection};
        // With the crowd, faster than it, against it, across it, and a crowd that stands.
        for (aggregate, projected, apart) in [
            (EAST, 0.0, 0.0),
            (EAST * 2.0, 0.0, 0.4),
            (-EAST, 0.8, 0.8),
            (EAST.perp(), 0.4, 0.4 * 2.0_f32.sqrt()),
            (Vec2::ZERO, 0.4, 0.4),
            (EAST * 0.5, 0.2, 0.2),
        ] {
            assert!((penalty(Projection, EAST, aggregate, 0.4) - projected).abs() < 1e-6);
            assert!((penalty(Difference, EAST, aggregate, 0.4) - apart).abs() < 1e-6);
        }
        for form in [Projection, Difference] {
            assert_eq!(penalty(form, Vec2::ZERO, EAST, 0.4), 0.0);
            assert_eq!(penalty(form, EAST, -EAST, 0.0), 0.0);
        }
        // A slow agent is carried along by a crowd that delays a fast one.
        assert_eq!(penalty(Projection, EAST * 0.5, EAST * 0.5, 0.4), 0.0);
        assert!(penalty(Projection, EAST, EAST * 0.5, 0.4) > 0.0);
    }

    #[test]
    fn cells_are_priced_by_direction() {
        let crowd = Crowd::new(&[0.0, 0.4], EAST);
        let mut model = Congestion::default();
        model.observe(&crowd.view(), 1.0);
        let mut prices = Prices::default();
        model.price(&context(&crowd, 1.25), &mut prices);
        assert_eq!((prices.directions, prices.least_base), (8, 1.0));
        assert_eq!(prices.metre(0, 0), (1.0, 0.0));
        let along = |angle: u16| prices.metre(1, angle).1;
        assert!(along(0) < 1e-3, "with the crowd: {}", along(0));
        assert!(
            (along(32768) - 0.8).abs() < 2e-3,
            "against: {}",
            along(32768)
        );
        assert!(
            (along(16384) - 0.4).abs() < 2e-3,
            "across: {}",
            along(16384)
        );
        let persons = Congestion {
            unit: Unit::Persons,
            ..model
        };
        persons.price(&context(&crowd, 1.25), &mut prices);
        // Three persons on 2 square metres.
        assert!((prices.metre(1, 32768).1 - 3.0).abs() < 1e-2);
    }

    #[test]
    fn later_slices_go_on_as_the_density_changes() {
        let (full, half) = (
            Crowd::new(&[0.4], Vec2::ZERO),
            Crowd::new(&[0.2], Vec2::ZERO),
        );
        let mut model = Congestion {
            slices: 3,
            averaging: 0.0,
            ..Congestion::default()
        };
        let mut prices = Prices::default();
        model.observe(&full.view(), 1.0);
        model.observe(&full.view(), 1.0);
        model.price(&context(&full, 1.25), &mut prices);
        assert_eq!((prices.slices, prices.slice_seconds), (3, 5.0));
        for slice in 0..3 {
            let crowd = prices.metre_at(0, 0, slice).1;
            assert!((crowd - 0.4).abs() < 1e-3, "steady: {crowd}");
        }
        // Half of them leave within a second: soon the cell will be empty.
        model.observe(&half.view(), 1.0);
        model.price(&context(&half, 1.25), &mut prices);
        assert!((prices.metre_at(0, 0, 0).1 - 0.2).abs() < 1e-3);
        assert_eq!(prices.metre_at(0, 0, 2).1, 0.0);
        let mut saved = Vec::new();
        model.save(&mut saved);
        let mut again = Congestion {
            slices: 3,
            ..Congestion::default()
        };
        again.load(&saved).unwrap();
        assert_eq!(again.rate, model.rate);
    }

    #[test]
    fn velocity_is_averaged_and_survives_a_checkpoint() {
        let (still, east) = (Crowd::new(&[0.4], Vec2::ZERO), Crowd::new(&[0.4], EAST));
        let mut model = Congestion::default();
        model.observe(&still.view(), 1.0);
        model.observe(&east.view(), 2.0);
        // One averaging time later the mean has come 1 - 1/e of the way.
        let mean = model.aggregate(&east.view(), 0);
        assert!((mean.x / EAST.x - 0.632).abs() < 2e-3, "{mean}");
        let mut saved = Vec::new();
        model.save(&mut saved);
        let mut again = Congestion::default();
        again.load(&saved).unwrap();
        assert_eq!(again.aggregate(&east.view(), 0), mean);
        assert!(again.load(&saved[..saved.len() - 1]).is_err());
        let mut now = Congestion {
            averaging: 0.0,
            ..Congestion::default()
        };
        now.observe(&still.view(), 1.0);
        now.observe(&east.view(), 1.0);
        assert!((now.aggregate(&east.view(), 0) - EAST).length() < 1e-3);
    }
}
