//! Evacuation curve: how many have left by when.
//!
//! Somebody has left at the first frame after the last one that it is seen in; who is still there
//! in the last frame has not. The usual description of egress (Gwynne & Rosenbaum, "Employing the
//! hydraulic model in assessing emergency movement", SFPE Handbook, 5th edition, chapter 59).

use super::Trajectories;

/// The curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Everybody who was ever there.
    pub people: u64,
    /// How many have left by each frame.
    pub left: Vec<u64>,
    times: Vec<f64>,
}

impl Curve {
    /// The first time at which a share of everybody has left, seconds; none if it never has.
    pub fn time_until(&self, share: f64) -> Option<f64> {
        let wanted = (share * self.people as f64).ceil().max(1.0) as u64;
        let found = self.left.iter().position(|left| *left >= wanted)?;
        Some(self.times[found])
    }
}

/// The evacuation curve of some trajectories.
pub fn curve(walks: &Trajectories) -> Curve {
    let mut left = vec![0; walks.len()];
    let people = walks.people();
    for (_, _, last) in &people {
        if let Some(gone) = left.get_mut(last + 1) {
            *gone += 1;
        }
    }
    for i in 1..left.len() {
        left[i] += left[i - 1];
    }
    Curve {
        people: people.len() as u64,
        left,
        times: (0..walks.len()).map(|i| walks.time(i)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn people_who_leave_one_after_the_other() {
        // Person i is seen until frame 10 i, of ten; the last stays to the end.
        let mut rows = Vec::new();
        for id in 1..=10u64 {
            rows.extend((0..=10 * id).map(|frame| (id, frame, DVec2::ZERO, 0)));
        }
        let c = curve(&Trajectories::from_rows(10.0, rows).unwrap());
        assert_eq!(c.people, 10);
        assert_eq!((c.left[10], c.left[11], c.left[100]), (0, 1, 9));
        assert_eq!(c.time_until(0.5), Some(5.1));
        assert_eq!(c.time_until(0.9), Some(9.1));
        assert_eq!(c.time_until(1.0), None);
    }
}
