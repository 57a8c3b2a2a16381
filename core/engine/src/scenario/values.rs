//! Values that scenarios write in more than one way: distributions, places, areas, floors.

use glam::DVec2;
use throng_core::random::Stream;

use crate::diagnostics::SourcePlace;

/// A number, or what it is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always this.
    Fixed(f64),
    /// Evenly between two bounds.
    Uniform {
        /// Least value.
        low: f64,
        /// Largest value.
        high: f64,
    },
    /// Normal, cut off at two bounds.
    Normal {
        /// Mean before cutting off.
        mean: f64,
        /// Standard deviation before cutting off.
        sd: f64,
        /// Least value.
        low: f64,
        /// Largest value.
        high: f64,
    },
}

impl Distribution {
    /// Draws a value within [`Distribution::bounds`].
    ///
    /// A normal value out of bounds is drawn again; after 64 misses, which only bounds far from
    /// the mean cause, it is drawn evenly between the bounds.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        match *self {
            Distribution::Fixed(value) => value,
            Distribution::Uniform { low, high } => stream.range(low, high),
            Distribution::Normal {
                mean,
                sd,
                low,
                high,
            } => {
                for _ in 0..64 {
                    let value = mean + sd * stream.normal();
                    if (low..=high).contains(&value) {
                        return value;
                    }
                }
                stream.range(low, high)
            }
        }
    }

    /// The least and the largest value that can be drawn.
    pub fn bounds(&self) -> (f64, f64) {
        match *self {
            Distribution::Fixed(value) => (value, value),
            Distribution::Uniform { low, high } | Distribution::Normal { low, high, .. } => {
                (low, high)
            }
        }
    }

    /// The value, if it is always the same.
    pub fn fixed(&self) -> Option<f64> {
        let (low, high) = self.bounds();
        (low == high).then_some(low)
    }
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution::Fixed(0.0)
    }
}

impl From<f64> for Distribution {
    fn from(value: f64) -> Distribution {
        Distribution::Fixed(value)
    }
}

/// A place as a scenario writes it: [x, y] in plan, or [x, y, z].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// In plan, metres.
    pub plan: DVec2,
    /// Its height, metres; without one, the floor says.
    pub z: Option<f64>,
}

/// A region: a named area, a place, or a polygon.
#[derive(Clone, Debug, PartialEq)]
pub enum AreaRef {
    /// An area of the scenario or of its environment.
    Name(String),
    /// A place.
    Point(Point),
    /// A polygon in plan.
    Shape(Vec<DVec2>),
}

impl Default for AreaRef {
    fn default() -> AreaRef {
        AreaRef::Point(Point::default())
    }
}

/// Where people walk to.
#[derive(Clone, Debug, PartialEq)]
pub enum Goals {
    /// A random place of the ground.
    Random,
    /// The place opposite to the start, through the middle of the source's area.
    Opposite,
    /// These regions.
    Regions(Vec<AreaRef>),
}

impl Default for Goals {
    fn default() -> Goals {
        Goals::Regions(Vec::new())
    }
}

/// A floor of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FloorRef {
    /// By its place in the list, from 0.
    Index(usize),
    /// By its name.
    Name(String),
}

impl Default for FloorRef {
    fn default() -> FloorRef {
        FloorRef::Index(0)
    }
}

/// A strategy, or a scene generator, as a scenario chooses it.
#[derive(Clone, Debug, Default)]
pub struct StrategySpec {
    /// Its id.
    pub kind: String,
    /// Its options without `kind`; after loading every option, defaults included.
    pub table: toml::Table,
    /// Where its kind was written.
    pub place: SourcePlace,
}

impl StrategySpec {
    /// A strategy with its default options.
    pub fn new(kind: impl Into<String>) -> StrategySpec {
        StrategySpec {
            kind: kind.into(),
            ..StrategySpec::default()
        }
    }
}

impl PartialEq for StrategySpec {
    /// Where it was written is no part of what it says.
    fn eq(&self, other: &StrategySpec) -> bool {
        self.kind == other.kind && self.table == other.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::random::Purpose;

    #[test]
    fn draws_stay_within_bounds_and_have_the_mean() {
        let mut stream = Stream::new(1, 0, Purpose::Profile, 0);
        let speed = Distribution::Normal {
            mean: 1.34,
            sd: 0.26,
            low: 0.5,
            high: 2.2,
        };
        let n = 20_000;
        let mut sum = 0.0;
        for _ in 0..n {
            let value = speed.draw(&mut stream);
            assert!((0.5..=2.2).contains(&value));
            sum += value;
        }
        assert!((sum / f64::from(n) - 1.34).abs() < 0.01);
        assert_eq!(Distribution::Fixed(3.0).draw(&mut stream), 3.0);
        let far = Distribution::Normal {
            mean: 0.0,
            sd: 0.1,
            low: 50.0,
            high: 51.0,
        };
        assert!((50.0..=51.0).contains(&far.draw(&mut stream)));
        assert_eq!(far.bounds(), (50.0, 51.0));
        assert_eq!(far.fixed(), None);
    }
}
