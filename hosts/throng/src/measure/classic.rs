//! Classic density and speed: heads counted in an area.
//!
//! `rho(t) = N / A(M)` and `v(t) = (1 / N) sum of v_i(t)`, over the `N` people inside the
//! measuring area `M`; method C of Steffen & Seyfried, Physica A 389 (2010) 1902-1910, and
//! `compute_classic_density` and `compute_mean_speed_per_frame` of PedPy. It jumps by `1 / A(M)`
//! whenever somebody comes or goes: see [`voronoi`](super::voronoi) for less scatter.

use glam::DVec2;

use super::{Frame, MeasuringArea, Trajectories};

/// Persons per square metre in an area at one time.
pub fn density(frame: Frame<'_>, area: &MeasuringArea) -> f64 {
    let rows = frame.at.iter().zip(frame.level);
    let inside = rows.filter(|(at, level)| area.holds(**at, **level)).count();
    inside as f64 / area.square_metres.max(f64::MIN_POSITIVE)
}

/// Mean speed of the people in an area at one time, m/s; none if nobody with a speed is there.
pub fn speed(frame: Frame<'_>, velocities: &[Option<DVec2>], area: &MeasuringArea) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for row in 0..frame.id.len() {
        if let Some(v) = velocities[row].filter(|_| area.holds(frame.at[row], frame.level[row])) {
            sum += v.length();
            count += 1;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Density of every frame.
pub fn density_series(walks: &Trajectories, area: &MeasuringArea) -> Vec<f64> {
    walks.frames().map(|frame| density(frame, area)).collect()
}

/// Speed of every frame; `velocities` are those of [`speed::velocities`](super::speed).
pub fn speed_series(
    walks: &Trajectories,
    velocities: &[Option<DVec2>],
    area: &MeasuringArea,
) -> Vec<Option<f64>> {
    (0..walks.len())
        .map(|i| speed(walks.frame(i), &velocities[walks.first_row(i)..], area))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::environment::Polygon;

    #[test]
    fn two_of_three_on_the_right_floor_and_inside() {
        let area = MeasuringArea::new(
            "a",
            0,
            Polygon::rectangle(DVec2::ZERO, DVec2::new(2.0, 4.0)),
        );
        let at = |x: f64| DVec2::new(x, 1.0);
        let rows = vec![
            (1, 0, at(0.5), 0),
            (2, 0, at(1.5), 0),
            (3, 0, at(2.5), 0),
            (4, 0, at(1.0), 1),
        ];
        let walks = Trajectories::from_rows(1.0, rows).unwrap();
        let velocities: Vec<_> = [1.0, 2.0, 9.0, 9.0]
            .map(|v| Some(DVec2::new(0.0, v)))
            .to_vec();
        assert_eq!(density_series(&walks, &area), [0.25]);
        assert_eq!(speed_series(&walks, &velocities, &area), [Some(1.5)]);
        let empty = MeasuringArea::new(
            "b",
            0,
            Polygon::rectangle(DVec2::splat(9.0), DVec2::splat(10.0)),
        );
        assert_eq!(speed_series(&walks, &velocities, &empty), [None]);
    }
}
