//! Stalled share: how often people have hardly moved.
//!
//! Everybody is looked at every `seconds` after it was first seen; a look finds it stalled if it
//! is nearer than `metres` to where it was at the look before. Throng's own criterion is less
//! than a shoulder's width, 0.45 m, in 5 s, after Ricks and Egbert, *A whole surface approach to
//! crowd simulation on arbitrary topologies*.

use super::Trajectories;

/// The share of looks that find somebody stalled; none without any look.
pub fn share(walks: &Trajectories, seconds: f64, metres: f64) -> Option<f64> {
    let frames = ((seconds * walks.frame_rate()).round() as usize).max(1);
    let (mut looks, mut stalled) = (0u64, 0u64);
    for (id, first, last) in walks.people() {
        let mut before = None;
        for i in (first..=last).step_by(frames) {
            let frame = walks.frame(i);
            let now = frame.row_of(id).map(|row| frame.at[row]);
            if let (Some(a), Some(b)) = (before, now) {
                looks += 1;
                stalled += u64::from(glam::DVec2::distance(a, b) < metres);
            }
            before = now;
        }
    }
    (looks > 0).then(|| stalled as f64 / looks as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn one_walks_one_stands_one_stops_half_way() {
        let mut rows = Vec::new();
        for frame in 0..=100u64 {
            let t = frame as f64 / 10.0;
            rows.push((1, frame, DVec2::new(t, 0.0), 0));
            rows.push((2, frame, DVec2::new(0.0, 5.0), 0));
            rows.push((3, frame, DVec2::new(t.min(5.0), 9.0), 0));
        }
        let walks = Trajectories::from_rows(10.0, rows).unwrap();
        // Two looks each: none, both and the second one.
        assert_eq!(share(&walks, 5.0, 0.45), Some(0.5));
        assert_eq!(share(&walks, 50.0, 0.45), None);
    }
}
