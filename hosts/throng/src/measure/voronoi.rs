//! Voronoi density and speed: everybody has the ground that is nearer to them than to others.
//!
//! The cell `V_i` of a person is the ground nearer to it than to anybody else on its floor, within
//! a cut-off distance and not beyond walls: of what walls leave, the part that the person stands
//! in. Density is `1 / A(V_i)` on the cell, so in a measuring area `M`
//!
//! `rho(t) = (1 / A(M)) sum of A(V_i and M) / A(V_i)`
//!
//! `v(t) = (1 / A(M)) sum of v_i A(V_i and M)`
//!
//! (Steffen & Seyfried, Physica A 389 (2010) 1902-1910, method D; the cut-off of Liddle et al.,
//! "Microscopic insights into pedestrian motion through a bottleneck, resolving spatial and
//! temporal variations", arXiv:1105.1532, 2011). The same as `compute_voronoi_density` and
//! `compute_voronoi_speed` of PedPy. Where cells do not cover all of `M` the speed is too small:
//! [`Sample::speed_where_covered`] divides by the covered part instead.
//!
//! A cell is cut from the cut-off polygon by the bisectors with people within twice the cut-off,
//! nearest first, and then spread over the triangles of the ground from the one under the person.

use glam::DVec2;
use rayon::prelude::*;
use throng_core::{GroundView, NONE};
use throng_kit::{Walk, polygon::signed_area};

use super::{
    Frame, MeasuringArea, Trajectories,
    convex::{cut, cut_to_triangle, shared_area},
};

/// The largest extent of a cell: a regular polygon about the person, a corner to the east.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutOff {
    /// Distance of its corners, metres.
    pub radius: f64,
    /// Its corners. PedPy's `quad_segments` is a quarter of them.
    pub corners: u32,
}

impl Default for CutOff {
    fn default() -> CutOff {
        CutOff {
            radius: 1.0,
            corners: 12,
        }
    }
}

/// The ground of one person: convex pieces side by side.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Its row in the frame.
    pub row: usize,
    /// Its area, square metres.
    pub square_metres: f64,
    /// Its pieces, metres.
    pub pieces: Vec<Vec<DVec2>>,
}

impl Cell {
    /// Persons per square metre on it.
    pub fn density(&self) -> f64 {
        1.0 / self.square_metres
    }

    /// Square metres that it shares with a measuring area.
    pub fn shared_with(&self, area: &MeasuringArea) -> f64 {
        let near = self.pieces.iter().filter(|piece| !area.misses(piece));
        near.map(|piece| shared_area(piece, &area.shape)).sum()
    }
}

/// People in squares as wide as the reach of a bisector, so that nine hold all that matter.
struct Squares {
    low: DVec2,
    side: f64,
    width: usize,
    height: usize,
    start: Vec<u32>,
    rows: Vec<u32>,
}

impl Squares {
    fn new(at: &[DVec2], side: f64) -> Squares {
        let low = at.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = at.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let (low, high) = if at.is_empty() {
            (DVec2::ZERO, DVec2::ZERO)
        } else {
            (low, high)
        };
        // Far strays make squares larger, never more than a few per person.
        let most = 4.0 * (at.len() as f64 + 16.0);
        let mut side = side;
        while ((high - low) / side + 1.0).element_product() > most {
            side *= 2.0;
        }
        let size = ((high - low) / side).floor() + 1.0;
        let mut squares = Squares {
            low,
            side,
            width: size.x as usize,
            height: size.y as usize,
            start: Vec::new(),
            rows: vec![0; at.len()],
        };
        squares.start = vec![0; squares.width * squares.height + 1];
        for p in at {
            let (x, y) = squares.square(*p);
            squares.start[y * squares.width + x + 1] += 1;
        }
        for i in 1..squares.start.len() {
            squares.start[i] += squares.start[i - 1];
        }
        let mut next = squares.start.clone();
        for (row, p) in at.iter().enumerate() {
            let (x, y) = squares.square(*p);
            let slot = &mut next[y * squares.width + x];
            squares.rows[*slot as usize] = row as u32;
            *slot += 1;
        }
        squares
    }

    fn square(&self, p: DVec2) -> (usize, usize) {
        let scaled = (p - self.low) / self.side;
        (
            (scaled.x as usize).min(self.width - 1),
            (scaled.y as usize).min(self.height - 1),
        )
    }

    fn near(&self, p: DVec2) -> impl Iterator<Item = usize> + '_ {
        let (x, y) = self.square(p);
        let columns = x.saturating_sub(1)..(x + 2).min(self.width);
        (y.saturating_sub(1)..(y + 2).min(self.height)).flat_map(move |y| {
            let row = y * self.width;
            let range = self.start[row + columns.start]..self.start[row + columns.end];
            self.rows[range.start as usize..range.end as usize]
                .iter()
                .map(|r| *r as usize)
        })
    }
}

fn cut_off_polygon(cut_off: &CutOff) -> Vec<DVec2> {
    let corners = cut_off.corners.max(3);
    (0..corners)
        .map(|k| {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(corners);
            let way = DVec2::new(throng_core::math::cos(turn), throng_core::math::sin(turn));
            way * cut_off.radius
        })
        .collect()
}

/// The cells of the people that are wanted, in the order of rows.
pub fn cells(
    ground: GroundView<'_>,
    frame: Frame<'_>,
    cut_off: &CutOff,
    wanted: impl Fn(usize) -> bool + Sync,
) -> Vec<Cell> {
    let about = cut_off_polygon(cut_off);
    let reach = 2.0 * cut_off.radius;
    let squares = Squares::new(frame.at, reach);
    let rows: Vec<usize> = (0..frame.id.len()).filter(|row| wanted(*row)).collect();
    rows.par_iter()
        .with_min_len(16)
        .filter_map(|&row| {
            let (at, level) = (frame.at[row], frame.level[row]);
            let mut near: Vec<(f64, DVec2)> = squares
                .near(at)
                .filter(|other| *other != row && frame.level[*other] == level)
                .map(|other| frame.at[other] - at)
                .map(|to| (to.length_squared(), to))
                .filter(|(d, _)| *d > 0.0 && *d < reach * reach)
                .collect();
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let (mut cell, mut spare) = (about.clone(), Vec::new());
            for (d, to) in near {
                let widest = cell.iter().map(|p| p.length_squared()).fold(0.0, f64::max);
                if d > 4.0 * widest {
                    break;
                }
                cut(&mut cell, &mut spare, to / 2.0, to);
            }
            let pieces = on_ground(ground, at, level, &cell);
            let square_metres: f64 = pieces.iter().map(|p| signed_area(p).abs()).sum();
            (square_metres > 1e-9).then_some(Cell {
                row,
                square_metres,
                pieces,
            })
        })
        .collect()
}

/// The part of a cell about a point that hangs together with it on one floor.
fn on_ground(ground: GroundView<'_>, at: DVec2, level: u16, cell: &[DVec2]) -> Vec<Vec<DVec2>> {
    let origin = ground.origin.truncate();
    let local = (at - origin).as_vec2();
    let Some(place) = ground.nearest_plan(local, Some(level)) else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    let mut seen = vec![place.triangle];
    let (mut next, mut spare) = (0, Vec::new());
    while let Some(&triangle) = seen.get(next) {
        next += 1;
        let corners = ground
            .corners(triangle)
            .map(|c| c.as_dvec3().truncate() + origin);
        let mut piece: Vec<DVec2> = cell.iter().map(|p| *p + at).collect();
        cut_to_triangle(&mut piece, &mut spare, corners);
        if piece.is_empty() {
            continue;
        }
        for side in 0..3 {
            let code = ground.passage(triangle, side);
            if code == NONE {
                continue;
            }
            let across = code / 3;
            // Only through a side that the cell reaches.
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            let inwards =
                (b - a).perp() * (corners[(side + 2) % 3] - a).dot((b - a).perp()).signum();
            let touches = piece
                .iter()
                .any(|p| (*p - a).dot(inwards) <= 1e-9 * inwards.length());
            if touches && ground.floors[across as usize] == level && !seen.contains(&across) {
                seen.push(across);
            }
        }
        pieces.push(piece);
    }
    pieces
}

/// Density and speed in one area at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Persons per square metre.
    pub density: f64,
    /// Speed by the definition above, m/s.
    pub speed: f64,
    /// Share of the area that cells cover.
    pub covered: f64,
}

impl Sample {
    /// Speed weighted by the ground of each person, m/s; none if nobody is near.
    pub fn speed_where_covered(&self) -> Option<f64> {
        (self.covered > 1e-9).then(|| self.speed / self.covered)
    }
}

/// What some cells say of an area. People without a velocity count for the density alone.
pub fn sample(cells: &[Cell], velocities: &[Option<DVec2>], area: &MeasuringArea) -> Sample {
    let mut sum = Sample::default();
    for cell in cells {
        let shared = cell.shared_with(area);
        sum.density += shared / cell.square_metres;
        if let Some(v) = velocities.get(cell.row).copied().flatten() {
            sum.speed += shared * v.length();
            sum.covered += shared;
        }
    }
    let size = area.square_metres.max(f64::MIN_POSITIVE);
    Sample {
        density: sum.density / size,
        speed: sum.speed / size,
        covered: sum.covered / size,
    }
}

/// Samples of every frame in an area; `velocities` are those of
/// [`speed::velocities`](super::speed::velocities).
pub fn series(
    ground: GroundView<'_>,
    walks: &Trajectories,
    velocities: &[Option<DVec2>],
    area: &MeasuringArea,
    cut_off: &CutOff,
) -> Vec<Sample> {
    (0..walks.len())
        .into_par_iter()
        .map(|i| {
            let frame = walks.frame(i);
            let near = |row: usize| area.within(frame.at[row], frame.level[row], cut_off.radius);
            let cells = cells(ground, frame, cut_off, near);
            sample(&cells, &velocities[walks.first_row(i)..], area)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn room(walkable: Vec<Polygon>, solid: Vec<Polygon>) -> Ground {
        let floor = Floor {
            walkable,
            solid,
            ..Floor::default()
        };
        Ground::from_environment(&Environment {
            floors: vec![floor],
            ..Environment::default()
        })
        .unwrap()
    }

    fn frame_of(at: &[DVec2]) -> Trajectories {
        let rows = at.iter().enumerate();
        let rows = rows.map(|(i, p)| (i as u64, 0, *p, 0)).collect();
        Trajectories::from_rows(1.0, rows).unwrap()
    }

    #[test]
    fn a_lattice_has_the_density_of_its_spacing() {
        // 20 x 20 people 0.5 m apart, 4 persons per square metre.
        let at: Vec<DVec2> = (0..400)
            .map(|i| {
                v(
                    0.25 + 0.5 * f64::from(i % 20),
                    0.25 + 0.5 * f64::from(i / 20),
                )
            })
            .collect();
        let ground = room(vec![Polygon::rectangle(v(0.0, 0.0), v(10.0, 10.0))], vec![]);
        let walks = frame_of(&at);
        let velocities = vec![Some(v(1.2, 0.0)); 400];
        let area = MeasuringArea::on_ground(
            "m",
            0,
            Polygon::rectangle(v(2.1, 3.3), v(5.6, 7.4)),
            ground.view(),
        );
        assert!((area.square_metres - 3.5 * 4.1).abs() < 1e-5);
        let s = series(
            ground.view(),
            &walks,
            &velocities,
            &area,
            &CutOff::default(),
        )[0];
        assert!((s.density - 4.0).abs() < 1e-4, "{s:?}");
        assert!((s.speed - 1.2).abs() < 1e-4, "{s:?}");
        assert!((s.covered - 1.0).abs() < 1e-4, "{s:?}");
    }

    #[test]
    fn two_share_a_room_by_their_bisector() {
        let ground = room(vec![Polygon::rectangle(v(0.0, 0.0), v(3.0, 1.0))], vec![]);
        let walks = frame_of(&[v(0.5, 0.5), v(1.5, 0.5)]);
        let wide = CutOff {
            radius: 10.0,
            corners: 12,
        };
        let cells = cells(ground.view(), walks.frame(0), &wide, |_| true);
        let areas: Vec<f64> = cells.iter().map(|c| c.square_metres).collect();
        assert!((areas[0] - 1.0).abs() < 1e-6 && (areas[1] - 2.0).abs() < 1e-6);
    }

    #[test]
    fn alone_the_cut_off_is_the_cell_and_walls_end_it() {
        let ground = room(
            vec![Polygon::rectangle(v(0.0, 0.0), v(20.0, 20.0))],
            // A wall 0.2 m thick with open ends far away.
            vec![Polygon::rectangle(v(5.0, 2.0), v(5.2, 18.0))],
        );
        let walks = frame_of(&[v(15.0, 10.0), v(4.8, 10.0)]);
        let cells = cells(ground.view(), walks.frame(0), &CutOff::default(), |_| true);
        // A regular polygon of 12 corners at 1 m: 3 square metres.
        assert!((cells[0].square_metres - 3.0).abs() < 1e-5);
        assert!((cells[0].density() - 1.0 / 3.0).abs() < 1e-5);
        // Beyond the wall there is ground within the cut-off, but it does not hang together:
        // only what is left of x = 5 counts.
        let expected = {
            let mut left: Vec<DVec2> = cut_off_polygon(&CutOff::default());
            cut(&mut left, &mut Vec::new(), v(0.2, 0.0), v(1.0, 0.0));
            signed_area(&left)
        };
        assert!((cells[1].square_metres - expected).abs() < 1e-5);
    }

    #[test]
    fn people_on_top_of_each_other_and_far_strays_are_taken() {
        let ground = room(vec![Polygon::rectangle(v(0.0, 0.0), v(9.0, 9.0))], vec![]);
        let walks = frame_of(&[v(4.0, 4.0), v(4.0, 4.0), v(1e7, -1e7)]);
        let cells = cells(ground.view(), walks.frame(0), &CutOff::default(), |_| true);
        assert!(cells.len() >= 2);
        assert!((cells[0].square_metres - 3.0).abs() < 1e-5);
    }
}
