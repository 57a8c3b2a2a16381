//! Sides of obstacles by squares seen from above: nobody looks for them where there are none.

use glam::{Vec2, Vec3};
use throng_core::{GroundView, Wall};
use throng_kit::lattice::Lattice;

/// Side of a square, metres; larger on grounds that would have too many.
const SQUARE: f32 = 2.0;
/// Squares are not made smaller to have more of them than this.
const MOST_SQUARES: usize = 1 << 22;

/// What stands on a ground that maps do not know.
#[derive(Clone, Debug)]
pub struct Obstacles {
    squares: Lattice,
    /// Where the sides of each square begin.
    first: Vec<u32>,
    /// Indices of walls.
    sides: Vec<u32>,
}

impl Obstacles {
    /// Those of a ground, to be found within a reach; nothing if there are none.
    pub fn of(ground: &GroundView<'_>, reach: f32) -> Option<Obstacles> {
        let walls = ground.walls.iter().enumerate();
        let obstacles: Vec<(usize, &Wall)> = walls
            .filter(|(_, wall)| wall.flags & Wall::OBSTACLE != 0)
            .collect();
        if obstacles.is_empty() {
            return None;
        }
        let squares = squares_over(ground);
        // Half a diagonal is 0.71 squares; the rest is for rounding.
        let near = reach + 0.75 * squares.cell;
        let mut listed = Vec::new();
        for (side, wall) in obstacles {
            let (a, b) = (wall.a.truncate(), wall.b.truncate());
            let (left, low) = squares.column_row(a.min(b) - near);
            let (right, high) = squares.column_row(a.max(b) + near);
            for row in low..=high {
                for column in left..=right {
                    if distance(squares.centre(column, row), a, b) <= near {
                        listed.push((row * squares.width + column, side as u32));
                    }
                }
            }
        }
        listed.sort_unstable();
        let mut first = vec![0; squares.squares() + 1];
        for (square, _) in &listed {
            first[*square as usize + 1] += 1;
        }
        for square in 1..first.len() {
            first[square] += first[square - 1];
        }
        let sides = listed.into_iter().map(|(_, side)| side).collect();
        Some(Obstacles {
            squares,
            first,
            sides,
        })
    }

    /// All sides within the reach of a point, and others.
    #[inline]
    pub fn about(&self, at: Vec3) -> &[u32] {
        let square = self.squares.square_of(at.truncate()) as usize;
        &self.sides[self.first[square] as usize..self.first[square + 1] as usize]
    }
}

fn squares_over(ground: &GroundView<'_>) -> Lattice {
    let low = Lattice::low_corner(ground);
    let mut cell = SQUARE;
    while cell < 1e9 {
        match Lattice::over(ground, cell, low) {
            Ok(squares) if squares.squares() <= MOST_SQUARES => return squares,
            _ => cell *= 2.0,
        }
    }
    Lattice {
        cell,
        width: 1,
        height: 1,
        ..Lattice::default()
    }
}

/// From a point to a side, seen from above.
fn distance(from: Vec2, a: Vec2, b: Vec2) -> f32 {
    let way = b - a;
    let along = ((from - a).dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
    (a + way * along).distance(from)
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Obstacle, Polygon},
    };

    use super::*;

    #[test]
    fn no_side_within_reach_is_left_out() {
        let polygon =
            |low: [f64; 2], high: [f64; 2]| Polygon::rectangle(DVec2::from(low), DVec2::from(high));
        let mut environment = Environment {
            floors: vec![Floor {
                name: "floor".into(),
                z: 0.0,
                walkable: vec![polygon([0.0, 0.0], [60.0, 40.0])],
                solid: Vec::new(),
                thin_walls: Vec::new(),
            }],
            ..Environment::default()
        };
        let bare = Ground::from_environment(&environment).unwrap();
        assert!(Obstacles::of(&bare.view(), 4.0).is_none());
        for (low, high) in [([10.0, 10.0], [11.0, 30.0]), ([41.3, 5.2], [47.9, 5.6])] {
            environment.obstacles.push(Obstacle {
                floor: 0,
                shape: polygon(low, high),
            });
        }
        let ground = Ground::from_environment(&environment).unwrap();
        let view = ground.view();
        let obstacles = Obstacles::of(&view, 4.0).unwrap();
        let mut empty = 0;
        for i in 0..=600 {
            for j in 0..=400 {
                let at = Vec3::new(i as f32, j as f32, 0.0) / 10.0 - view.origin.as_vec3();
                let about = obstacles.about(at);
                empty += usize::from(about.is_empty());
                for (side, wall) in view.walls.iter().enumerate() {
                    let far = distance(at.truncate(), wall.a.truncate(), wall.b.truncate());
                    if wall.flags & Wall::OBSTACLE != 0 && far <= 4.0 {
                        assert!(about.contains(&(side as u32)), "{at}: {side}");
                    } else if wall.flags & Wall::OBSTACLE == 0 {
                        assert!(!about.contains(&(side as u32)));
                    }
                }
            }
        }
        assert!(empty > 100_000, "{empty}");
    }
}
