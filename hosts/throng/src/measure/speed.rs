//! Individual speed: the way made in a window of time about a frame.
//!
//! With `n` frames before and after and `f` frames a second,
//!
//! `v_i(t) = |x_i(t + n/f) - x_i(t - n/f)| / (2 n / f)`
//!
//! as in Steffen & Seyfried, "Methods for measuring pedestrian density, flow, speed and direction
//! with minimal scatter", Physica A 389 (2010) 1902-1910, and in PedPy.

use glam::DVec2;
use rayon::prelude::*;

use super::{Frame, Trajectories};

/// What happens where a person was not yet or is no longer there at an end of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// There is no speed (PedPy: `BORDER_EXCLUDE`).
    Exclude,
    /// That half of the window is left out (PedPy: `BORDER_SINGLE_SIDED`).
    OneSided,
}

/// The velocity of a row of `now`; the other two frames are `frames` before and after it.
pub fn velocity(
    past: Option<Frame<'_>>,
    now: Frame<'_>,
    future: Option<Frame<'_>>,
    row: usize,
    half_window: f64,
    border: Border,
) -> Option<DVec2> {
    let place = |frame: Option<Frame<'_>>| {
        let frame = frame?;
        frame.row_of(now.id[row]).map(|r| frame.at[r])
    };
    let (before, after) = (place(past), place(future));
    match (before, after, border) {
        (Some(a), Some(b), _) => Some((b - a) / (2.0 * half_window)),
        (Some(a), None, Border::OneSided) => Some((now.at[row] - a) / half_window),
        (None, Some(b), Border::OneSided) => Some((b - now.at[row]) / half_window),
        _ => None,
    }
}

/// The velocity of every row, aligned with the rows of the trajectories.
pub fn velocities(walks: &Trajectories, n: usize, border: Border) -> Vec<Option<DVec2>> {
    let n = n.max(1);
    let half = n as f64 / walks.frame_rate();
    let mut all = vec![None; walks.rows()];
    let mut rest = all.as_mut_slice();
    let mut parts = Vec::with_capacity(walks.len());
    for i in 0..walks.len() {
        let (part, after) = rest.split_at_mut(walks.frame(i).id.len());
        parts.push((i, part));
        rest = after;
    }
    parts.into_par_iter().for_each(|(i, part)| {
        let past = i.checked_sub(n).map(|p| walks.frame(p));
        let future = (i + n < walks.len()).then(|| walks.frame(i + n));
        for (row, out) in part.iter_mut().enumerate() {
            *out = velocity(past, walks.frame(i), future, row, half, border);
        }
    });
    all
}

/// Frames in about half a second, at least one: a window that evens out steps, not stops.
pub fn usual_window(frame_rate: f64) -> usize {
    ((0.5 * frame_rate).round() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_and_quickening_walks() {
        // x = t^2 / 2 at 10 frames a second: the central difference of a parabola is exact.
        let x = |frame: u64| 0.5 * (frame as f64 / 10.0) * (frame as f64 / 10.0);
        let rows = (0..=20).map(|f| (1, f, DVec2::new(x(f), 0.0), 0)).collect();
        let walks = Trajectories::from_rows(10.0, rows).unwrap();
        let v = velocities(&walks, 5, Border::Exclude);
        assert_eq!(v[4], None);
        assert!((v[10].unwrap().x - 1.0).abs() < 1e-12);
        assert_eq!(v[16], None);
        let v = velocities(&walks, 5, Border::OneSided);
        // From t = 0 to 0.5: 0.125 m in 0.5 s.
        assert!((v[0].unwrap().x - 0.25).abs() < 1e-12);
        assert!((v[20].unwrap().x - 1.75).abs() < 1e-12);
        assert_eq!((usual_window(1.0), usual_window(10.0)), (1, 5));
    }
}
