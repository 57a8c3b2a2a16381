//! Route classes: agents that shared products treat as one.

use throng_core::RouteClass;

/// Bins of one quantity of a profile: shared products take the middle of a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// How many bins.
    pub count: u32,
    /// The value that stands for all when there is one bin.
    pub typical: f64,
}

impl Bins {
    fn index(&self, value: f64) -> u32 {
        if self.count <= 1 || self.high <= self.low {
            return 0;
        }
        let share = (value - self.low) / (self.high - self.low);
        ((share * f64::from(self.count)) as u32).min(self.count - 1)
    }

    fn middle(&self, index: u32) -> f64 {
        if self.count <= 1 || self.high <= self.low {
            return self.typical;
        }
        self.low + (self.high - self.low) * (f64::from(index) + 0.5) / f64::from(self.count)
    }

    fn top(&self, index: u32) -> f64 {
        if self.count <= 1 || self.high <= self.low {
            return self.high;
        }
        self.low + (self.high - self.low) * f64::from(index + 1) / f64::from(self.count)
    }
}

/// How a profile's agents are binned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileBins {
    /// By speed.
    pub speed: Bins,
    /// By weight of the crowd part.
    pub weight: Bins,
    /// By radius; a class must let its widest member through.
    pub radius: Bins,
}

/// The classes in use, made on first use and counted.
#[derive(Debug, Default)]
pub struct Classes {
    keys: Vec<[u32; 4]>,
    table: Vec<RouteClass>,
    limit: usize,
}

/// More classes than allowed.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{needed} route classes are in use, above the limit of {limit}: lower the bins in [classes] or raise classes.limit"
)]
pub struct TooManyClasses {
    /// How many were needed.
    pub needed: usize,
    /// How many are allowed.
    pub limit: usize,
}

impl Classes {
    /// No classes yet, at most `limit`.
    pub fn new(limit: usize) -> Classes {
        Classes {
            limit,
            ..Classes::default()
        }
    }

    /// The class of an agent of a profile.
    pub fn class_of(
        &mut self,
        profile: u32,
        bins: &ProfileBins,
        speed: f32,
        weight: f32,
        radius: f32,
    ) -> Result<u32, TooManyClasses> {
        let key = [
            profile,
            bins.speed.index(f64::from(speed)),
            bins.weight.index(f64::from(weight)),
            bins.radius.index(f64::from(radius)),
        ];
        if let Some(found) = self.keys.iter().position(|k| *k == key) {
            return Ok(found as u32);
        }
        if self.keys.len() >= self.limit {
            return Err(TooManyClasses {
                needed: self.keys.len() + 1,
                limit: self.limit,
            });
        }
        self.keys.push(key);
        self.table.push(RouteClass {
            profile,
            speed: bins.speed.middle(key[1]) as f32,
            weight: bins.weight.middle(key[2]) as f32,
            radius: bins.radius.top(key[3]) as f32,
        });
        Ok(self.keys.len() as u32 - 1)
    }

    /// The classes.
    pub fn table(&self) -> &[RouteClass] {
        &self.table
    }

    /// Keys of the classes, for checkpoints.
    pub(crate) fn keys(&self) -> &[[u32; 4]] {
        &self.keys
    }

    /// Forgets all classes.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.table.clear();
    }

    /// Makes the class of a saved key.
    pub(crate) fn restore_key(&mut self, key: [u32; 4], bins: &ProfileBins) {
        self.keys.push(key);
        self.table.push(RouteClass {
            profile: key[0],
            speed: bins.speed.middle(key[1]) as f32,
            weight: bins.weight.middle(key[2]) as f32,
            radius: bins.radius.top(key[3]) as f32,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(count: u32) -> ProfileBins {
        let b = |low, high| Bins {
            low,
            high,
            count,
            typical: (low + high) / 2.0,
        };
        ProfileBins {
            speed: b(1.0, 2.0),
            weight: b(0.0, 1.0),
            radius: b(0.2, 0.4),
        }
    }

    #[test]
    fn one_bin_is_one_class() {
        let mut c = Classes::new(8);
        for speed in [1.0, 1.3, 2.0] {
            assert_eq!(c.class_of(0, &bins(1), speed, 0.5, 0.3).unwrap(), 0);
        }
        assert_eq!(c.table()[0].speed, 1.5);
        assert_eq!(c.table()[0].radius, 0.4);
        assert_eq!(c.class_of(1, &bins(1), 1.0, 0.5, 0.3).unwrap(), 1);
    }

    #[test]
    fn too_many_are_refused_with_the_number() {
        let mut c = Classes::new(2);
        c.class_of(0, &bins(4), 1.0, 0.0, 0.2).unwrap();
        c.class_of(0, &bins(4), 1.9, 0.0, 0.2).unwrap();
        let e = c.class_of(0, &bins(4), 1.5, 0.0, 0.2).unwrap_err();
        assert_eq!((e.needed, e.limit), (3, 2));
    }
}
