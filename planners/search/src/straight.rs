//! Prices of straight walks on one agent's terms.

use glam::Vec3;
use throng_core::{Departure, Location, PlanRequest, Prices, World};
use throng_kit::{Walk, ground::TraceEnd};

/// What straight walks cost the agent of one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Straight<'a, 'w> {
    world: &'a World<'w>,
    prices: usize,
    weight: f64,
    radius: f32,
    /// The price of every metre, where that is all that a walk costs.
    metre: Option<f64>,
    least_base: f64,
    speed: f32,
    /// Whether prices depend on the time of arrival.
    pub timed: bool,
}

impl<'a, 'w> Straight<'a, 'w> {
    pub fn new(world: &'a World<'w>, request: &PlanRequest) -> Straight<'a, 'w> {
        let table = world.prices.get(request.prices as usize);
        let plain = |t: &Prices| t.uniform.filter(|_| t.blocked.is_empty());
        let metre = table.map_or(Some(1.0), plain).map(f64::from);
        Straight {
            world,
            prices: request.prices as usize,
            weight: f64::from(request.weight),
            radius: request.radius,
            metre,
            least_base: table.map_or(1.0, |t| f64::from(t.least_base.max(0.0))),
            speed: request.speed.max(0.01),
            timed: table.is_some_and(|t| t.slices > 1 && t.uniform.is_none()),
        }
    }

    /// The price of a straight walk, or nothing where the agent cannot make it: the integral of
    /// base + w * crowd over its metres.
    pub fn price(&self, from: Location, to: Location) -> Option<f64> {
        self.price_after(0.0, from, to)
    }

    /// The same for a walk that begins after so many metres: prices of later times hold then,
    /// where there are any.
    pub fn price_after(&self, metres: f64, from: Location, to: Location) -> Option<f64> {
        let ground = &self.world.site.ground;
        if self.radius > 0.0 && !ground.sees_with_radius(from, to, self.radius) {
            return None;
        }
        match self.metre {
            Some(metre) if ground.flat => {
                let seen = self.radius > 0.0 || ground.sees(from, to);
                seen.then(|| metre * f64::from(from.point.distance(to.point)))
            }
            Some(metre) => {
                let mut length = 0.0;
                let end = ground.trace_to(from, to, &mut |piece| length += f64::from(piece.length));
                (end == TraceEnd::Reached).then_some(metre * length)
            }
            None => {
                let departure = if self.timed {
                    Departure {
                        seconds: metres as f32 / self.speed,
                        speed: self.speed,
                    }
                } else {
                    Departure::NOW
                };
                let price = self
                    .world
                    .segment_price_at(self.prices, from, to, departure)?;
                Some(f64::from(price.base) + self.weight * f64::from(price.crowd))
            }
        }
    }

    /// Whether every metre costs the same.
    pub fn is_uniform(&self) -> bool {
        self.metre.is_some()
    }

    /// What a walk between two points costs at least.
    #[inline]
    pub fn bound(&self, from: Vec3, to: Vec3) -> f64 {
        f64::from(from.distance(to)) * self.least_base
    }

    /// The length of the straight walk between two places that see each other.
    pub fn length(&self, from: Location, to: Location) -> f64 {
        let ground = &self.world.site.ground;
        let straight = f64::from(from.point.distance(to.point));
        if ground.flat {
            return straight;
        }
        let mut length = 0.0;
        ground.trace_to(from, to, &mut |piece| length += f64::from(piece.length));
        length.max(straight)
    }
}
