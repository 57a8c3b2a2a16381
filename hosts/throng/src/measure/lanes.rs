//! Lane order of two-way traffic.
//!
//! For everybody `i` count who walks the same way (`n_l`, itself included) and who walks the other
//! way (`n_o`) in its lane, a strip of a width along the axis of the traffic. The order parameter
//! is the mean over everybody of
//!
//! `phi_i = ((n_l - n_o) / (n_l + n_o))^2`
//!
//! (Rex & Loewen, "Lane formation in oppositely charged colloids driven by an electric field",
//! Physical Review E 75, 051402, 2007; for pedestrians Nowak & Schadschneider, Physical Review E
//! 85, 066128, 2012). It is 1 where everybody in a strip walks the same way. Few people in a strip
//! have some order by chance, so the expectation `phi_0` over random directions is told with it,
//! and `(phi - phi_0) / (1 - phi_0)` is 0 for a mixed and 1 for a laned crowd.
//!
//! Lanes in long corridors end and drift aside, so that a strip from end to end mixes several of
//! them; [`order_within`] looks at a length of the strip about each person.

use glam::DVec2;

use super::Frame;

/// Half the width of a lane, metres: about three quarters of a body, as Rex & Loewen have it.
pub const HALF_WIDTH: f64 = 0.375;
/// Least share of the fewer ones, so that traffic counts as two-way.
const LEAST_SHARE: f64 = 0.1;
/// Who is slower than this walks no way, metres per second.
const LEAST_SPEED: f64 = 0.1;
/// Least share of the motion along one axis.
const LEAST_ALONG: f64 = 0.8;

/// Lane order at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// The order parameter, from 0 to 1.
    pub order: f64,
    /// What it would be on average with the same people in random directions.
    pub by_chance: f64,
}

impl Order {
    /// The order beyond chance: 0 mixed, 1 laned.
    pub fn beyond_chance(&self) -> f64 {
        if self.by_chance < 1.0 {
            (self.order - self.by_chance) / (1.0 - self.by_chance)
        } else {
            0.0
        }
    }
}

/// The axis along which people move, a unit vector; none if they move every way.
pub fn axis(velocities: &[DVec2]) -> Option<DVec2> {
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for v in velocities {
        xx += v.x * v.x;
        xy += v.x * v.y;
        yy += v.y * v.y;
    }
    let (mean, half) = ((xx + yy) / 2.0, (xx - yy) / 2.0);
    let spread = (half * half + xy * xy).sqrt();
    if !(mean > 0.0 && (mean + spread) / (2.0 * mean) >= LEAST_ALONG) {
        return None;
    }
    // Of the two equal forms of the eigenvector the one that does not cancel.
    let along = if half >= 0.0 {
        DVec2::new(half + spread, xy)
    } else {
        DVec2::new(xy, spread - half)
    };
    Some(along.normalize_or(DVec2::X))
}

/// Lane order of people at some places with some velocities; none unless at least a tenth of four
/// or more people walk against the others along one axis.
pub fn order(at: &[DVec2], velocities: &[DVec2], half_width: f64) -> Option<Order> {
    order_within(at, velocities, half_width, f64::INFINITY)
}

/// The same with strips that end so far before and behind each person.
pub fn order_within(
    at: &[DVec2],
    velocities: &[DVec2],
    half_width: f64,
    half_length: f64,
) -> Option<Order> {
    let axis = axis(velocities)?;
    let across = axis.perp();
    // Sorted across the axis, a strip is a range.
    let mut people: Vec<(f64, f64, bool)> = at
        .iter()
        .zip(velocities)
        .map(|(p, v)| (p.dot(across), p.dot(axis), v.dot(axis) > 0.0))
        .collect();
    people.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let n = people.len();
    let ahead = people.iter().filter(|p| p.2).count();
    if n < 4 || (ahead.min(n - ahead) as f64) < LEAST_SHARE * n as f64 {
        return None;
    }
    let mut running = Vec::with_capacity(n + 1);
    running.push(0usize);
    for p in &people {
        running.push(running[running.len() - 1] + usize::from(p.2));
    }
    let (mut sum, mut chance) = (0.0, 0.0);
    let (mut low, mut high) = (0, 0);
    for (place, along, forward) in &people {
        while place - people[low].0 > half_width {
            low += 1;
        }
        while high < n && people[high].0 - place <= half_width {
            high += 1;
        }
        let (all, with_axis) = if half_length.is_finite() {
            let near = people[low..high].iter();
            near.filter(|p| (p.1 - along).abs() <= half_length)
                .fold((0, 0), |(all, with), p| (all + 1, with + usize::from(p.2)))
        } else {
            (high - low, running[high] - running[low])
        };
        let (all, with_axis) = (all as f64, with_axis as f64);
        let like = if *forward { with_axis } else { all - with_axis };
        let excess = (2.0 * like - all) / all;
        sum += excess * excess;
        // The others of the strip, drawn without putting back from the rest of the crowd.
        let kin = if *forward { ahead } else { n - ahead } as f64 - 1.0;
        let (rest, others) = ((n - 1) as f64, all - 1.0);
        let share = kin / rest;
        let finite = if rest > 1.0 {
            (rest - others) / (rest - 1.0)
        } else {
            0.0
        };
        let mean = 1.0 + others * (2.0 * share - 1.0);
        let variance = 4.0 * others * share * (1.0 - share) * finite;
        chance += (mean * mean + variance) / (all * all);
    }
    Some(Order {
        order: sum / n as f64,
        by_chance: chance / n as f64,
    })
}

/// Lane order of a frame on one floor; people who stand or have no velocity do not count.
pub fn in_frame(frame: Frame<'_>, velocities: &[Option<DVec2>], level: u16) -> Option<Order> {
    let rows = (0..frame.id.len()).filter(|row| frame.level[*row] == level);
    let (at, moving): (Vec<DVec2>, Vec<DVec2>) = rows
        .filter_map(|row| Some((frame.at[row], velocities.get(row).copied().flatten()?)))
        .filter(|(_, v)| v.length() >= LEAST_SPEED)
        .unzip();
    order(&at, &moving, HALF_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    /// Four rows a metre apart, ten people in each; `forward` tells who walks to the right.
    fn corridor(forward: impl Fn(usize, usize) -> bool) -> (Vec<DVec2>, Vec<DVec2>) {
        let people = (0..40).map(|i| (i / 10, i % 10));
        people
            .map(|(row, i)| {
                let speed = if forward(row, i) { 1.0 } else { -1.0 };
                (v(i as f64, row as f64), v(speed, 0.0))
            })
            .unzip()
    }

    #[test]
    fn lanes_are_one_and_mixture_is_none() {
        let (at, moving) = corridor(|row, _| row % 2 == 0);
        let laned = order(&at, &moving, HALF_WIDTH).unwrap();
        assert_eq!(laned.order, 1.0);
        assert_eq!(laned.beyond_chance(), 1.0);
        let (at, moving) = corridor(|_, i| i % 2 == 0);
        let mixed = order(&at, &moving, HALF_WIDTH).unwrap();
        assert_eq!(mixed.order, 0.0);
        assert!(mixed.beyond_chance() < 0.0);
    }

    #[test]
    fn lanes_that_end_have_order_within_their_length_only() {
        // Four rows of two lanes each, one behind the other and opposite.
        let (at, moving) = corridor(|row, i| (row + i / 5) % 2 == 0);
        let whole = order(&at, &moving, HALF_WIDTH).unwrap();
        assert_eq!(whole.order, 0.0);
        let near = order_within(&at, &moving, HALF_WIDTH, 1.5).unwrap();
        // Beside the seam two of three walk the same way, elsewhere all: (8 + 2 / 9) / 10.
        assert!((near.order - (8.0 + 2.0 / 9.0) / 10.0).abs() < 1e-12);
        assert!(near.beyond_chance() > 0.5);
        let far = order_within(&at, &moving, HALF_WIDTH, 100.0).unwrap();
        assert!((far.by_chance - whole.by_chance).abs() < 1e-12);
    }

    #[test]
    fn chance_is_what_shuffling_gives() {
        // Every assignment of two ways to the strip {0, 1} of the people 0, 1, 2, 3 by hand: in
        // pairs a strip is laned (1) for 2 of 6 choices of two forward ones, else 0.
        let at = [v(0.0, 0.0), v(3.0, 0.1), v(0.0, 5.0), v(3.0, 5.1)];
        let moving = [v(1.0, 0.0), v(1.0, 0.0), v(-1.0, 0.0), v(-1.0, 0.0)];
        let found = order(&at, &moving, HALF_WIDTH).unwrap();
        assert_eq!(found.order, 1.0);
        assert!((found.by_chance - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn one_way_and_every_way_have_no_order() {
        let (at, moving) = corridor(|_, _| true);
        assert_eq!(order(&at, &moving, HALF_WIDTH), None);
        let moving: Vec<DVec2> = (0..40)
            .map(|i| if i % 2 == 0 { v(1.0, 0.0) } else { v(0.0, 1.0) })
            .collect();
        assert_eq!(order(&at, &moving, HALF_WIDTH), None);
        assert_eq!(order(&[], &[], HALF_WIDTH), None);
        let upright = axis(&[v(0.1, 1.0), v(-0.1, -1.0)]).unwrap();
        assert!(upright.dot(v(0.1, 1.0).normalize()).abs() > 1.0 - 1e-12);
    }
}
