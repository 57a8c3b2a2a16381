//! The ground as geodesics see it: exact points, side lengths, and what lies about each corner.

use glam::{DVec2, DVec3};
use throng_core::{GroundView, Location, NO_DOOR, NONE, math};

/// Where on its triangle a place lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Within it.
    Inside,
    /// On a side, by its index.
    Side(u32),
    /// At a corner, by its point (see [`Surface::point`]).
    Point(u32),
}

/// A place on a surface, not rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The triangle.
    pub triangle: u32,
    /// The point, metres from the ground's origin.
    pub at: DVec3,
    /// Where on the triangle.
    pub on: On,
}

/// A surface of triangles.
///
/// A *point* is a corner with the triangles about it that hang together over passable sides. A
/// vertex where two parts of a surface merely touch is two points: nobody walks from one part to
/// the other through it.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    across: Vec<[u32; 3]>,
    /// Per side: its length, and the opposite corner with the side along x.
    shape: Vec<[(f64, DVec2); 3]>,
    /// Angle of each corner, radians.
    corner_angle: Vec<[f64; 3]>,
    point: Vec<[u32; 3]>,
    fan_start: Vec<u32>,
    /// `triangle * 3 + corner`, in order about the point; from rim to rim where there is one.
    fan: Vec<u32>,
    place: Vec<DVec3>,
    rim: Vec<bool>,
    angle: Vec<f64>,
    door_open: Vec<u8>,
    grain: f64,
}

/// Beyond a full turn by this much, shortest paths may turn about a point.
const SADDLE: f64 = 1e-9;

impl Surface {
    /// The surface of a ground, with its doors as they are now.
    pub fn new(ground: &GroundView<'_>) -> Surface {
        let count = ground.triangles.len();
        let vertices: Vec<DVec3> = if ground.exact.is_empty() {
            ground.vertices.iter().map(|v| v.as_dvec3()).collect()
        } else {
            ground.exact.to_vec()
        };
        let mut across = vec![[NONE; 3]; count];
        let mut shape = Vec::with_capacity(count);
        for t in 0..count {
            for s in 0..3 {
                across[t][s] = ground.passage(t as u32, s);
            }
            let c = ground.triangles[t].map(|v| vertices[v as usize]);
            shape.push(core::array::from_fn(|s| {
                let (a, b, p) = (c[s], c[(s + 1) % 3], c[(s + 2) % 3]);
                let length = (b - a).length();
                let along = (b - a) / length;
                let x = (p - a).dot(along);
                (length, DVec2::new(x, along.cross(p - a).length()))
            }));
        }
        let mut surface = Surface {
            vertices,
            triangles: ground.triangles.to_vec(),
            across,
            shape,
            point: vec![[NONE; 3]; count],
            corner_angle: vec![[0.0; 3]; count],
            fan_start: vec![0],
            door_open: ground.door_open.to_vec(),
            // Places come as f32 about the origin.
            grain: f64::from(ground.grain) * 2.0,
            ..Surface::default()
        };
        let leaf = |t: usize, s: usize| ground.side_door[t][s] != NO_DOOR;
        for t in 0..count {
            for k in 0..3 {
                if surface.point[t][k] == NONE {
                    surface.gather_fan(t, k, leaf);
                }
            }
        }
        surface
    }

    /// Lists the corners about a new point. The posts of doors stay apart even while they are
    /// open, so that points do not change with them.
    fn gather_fan(&mut self, triangle: usize, corner: usize, leaf: impl Fn(usize, usize) -> bool) {
        let id = self.rim.len() as u32;
        // Turn one way to the rim (or once round), then list the way back. Winding may change on
        // the way, so it is the side entered by that tells where to go on.
        let mut step = (triangle, corner, corner);
        let mut rim = false;
        for _ in 0..=self.triangles.len() {
            let (t, k, entered) = step;
            match self.through(t, k, other_side(k, entered), &leaf) {
                Some((u, j, _)) if (u, j) == (triangle, corner) => break,
                Some(next) => step = next,
                None => {
                    rim = true;
                    break;
                }
            }
        }
        let (t, k, entered) = step;
        let first = (t, k);
        let mut step = (t, k, other_side(k, entered));
        let mut angle = 0.0;
        for _ in 0..=self.triangles.len() {
            let (t, k, entered) = step;
            self.point[t][k] = id;
            self.fan.push((t * 3 + k) as u32);
            self.corner_angle[t][k] = self.measure_corner(t, k);
            angle += self.corner_angle[t][k];
            match self.through(t, k, other_side(k, entered), &leaf) {
                Some((u, j, _)) if (u, j) == first => break,
                Some(next) => step = next,
                None => break,
            }
        }
        self.fan_start.push(self.fan.len() as u32);
        self.place
            .push(self.vertices[self.triangles[triangle][corner] as usize]);
        self.rim.push(rim);
        self.angle.push(angle);
    }

    /// Passes a side about the vertex at a corner: triangle, corner and side beyond it.
    fn through(
        &self,
        t: usize,
        corner: usize,
        side: usize,
        leaf: &impl Fn(usize, usize) -> bool,
    ) -> Option<(usize, usize, usize)> {
        let code = self.across[t][side];
        if code == NONE || leaf(t, side) {
            return None;
        }
        let (u, r) = (code as usize / 3, code as usize % 3);
        let vertex = self.triangles[t][corner];
        let j = if self.triangles[u][r] == vertex {
            r
        } else {
            (r + 1) % 3
        };
        Some((u, j, r))
    }

    fn measure_corner(&self, t: usize, k: usize) -> f64 {
        let c = self.triangles[t].map(|v| self.vertices[v as usize]);
        let (p, q) = (c[(k + 1) % 3] - c[k], c[(k + 2) % 3] - c[k]);
        math::atan2(p.cross(q).length(), p.dot(q))
    }

    /// The angle of a corner, `triangle * 3 + corner`, radians.
    #[inline]
    pub fn corner_angle(&self, code: u32) -> f64 {
        self.corner_angle[code as usize / 3][code as usize % 3]
    }

    /// How many triangles.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// How many points.
    pub fn points(&self) -> usize {
        self.rim.len()
    }

    /// Whether it was made of a ground with these doors.
    pub fn holds_for(&self, ground: &GroundView<'_>) -> bool {
        self.triangles.len() == ground.triangles.len() && self.door_open == ground.door_open
    }

    /// The point at a corner of a triangle.
    #[inline]
    pub fn point(&self, triangle: u32, corner: usize) -> u32 {
        self.point[triangle as usize][corner]
    }

    /// Where a point is.
    #[inline]
    pub fn place(&self, point: u32) -> DVec3 {
        self.place[point as usize]
    }

    /// Whether a point lies on the rim of the surface.
    #[inline]
    pub fn is_rim(&self, point: u32) -> bool {
        self.rim[point as usize]
    }

    /// The angle of surface about a point, radians.
    #[inline]
    pub fn angle(&self, point: u32) -> f64 {
        self.angle[point as usize]
    }

    /// Whether a shortest path may turn at a point.
    #[inline]
    pub fn bends(&self, point: u32) -> bool {
        self.rim[point as usize] || self.angle[point as usize] > core::f64::consts::TAU + SADDLE
    }

    /// The corners about a point as `triangle * 3 + corner`, in order.
    #[inline]
    pub fn fan(&self, point: u32) -> &[u32] {
        let p = point as usize;
        &self.fan[self.fan_start[p] as usize..self.fan_start[p + 1] as usize]
    }

    /// What lies across a side, as `triangle * 3 + side`, or NONE.
    #[inline]
    pub fn across(&self, triangle: u32, side: usize) -> u32 {
        self.across[triangle as usize][side]
    }

    /// The length of a side.
    #[inline]
    pub fn side_length(&self, triangle: u32, side: usize) -> f64 {
        self.shape[triangle as usize][side].0
    }

    /// The corner opposite to a side, with the side along x from (0, 0).
    #[inline]
    pub fn apex(&self, triangle: u32, side: usize) -> DVec2 {
        self.shape[triangle as usize][side].1
    }

    /// The three corners of a triangle in the plane, with one of its sides along x: those at its
    /// two ends and the one opposite.
    #[inline]
    pub fn laid_out(&self, triangle: u32, side: usize) -> [DVec2; 3] {
        let (length, apex) = self.shape[triangle as usize][side];
        [DVec2::ZERO, DVec2::new(length, 0.0), apex]
    }

    /// A corner of a triangle in space.
    #[inline]
    pub fn corner(&self, triangle: u32, corner: usize) -> DVec3 {
        self.vertices[self.triangles[triangle as usize][corner] as usize]
    }

    /// Whether the sides on both sides of a passage run the same way, which they do where the
    /// winding changes; `code` is `triangle * 3 + side`.
    #[inline]
    pub fn same_way(&self, triangle: u32, side: usize, code: u32) -> bool {
        self.triangles[triangle as usize][side]
            == self.triangles[code as usize / 3][code as usize % 3]
    }

    /// A point on a side.
    pub fn on_side(&self, triangle: u32, side: usize, along: f64) -> DVec3 {
        let (a, b) = (
            self.corner(triangle, side),
            self.corner(triangle, (side + 1) % 3),
        );
        a.lerp(
            b,
            (along / self.side_length(triangle, side)).clamp(0.0, 1.0),
        )
    }

    /// A place of the ground, at a corner or on a side if it is there but for rounding.
    pub fn spot(&self, at: Location) -> Spot {
        let triangle = at.triangle;
        let point = at.point.as_dvec3();
        let c: [DVec3; 3] = core::array::from_fn(|k| self.corner(triangle, k));
        for k in 0..3 {
            let reach = self.grain.max(3.0 * ulp(c[k]));
            if c[k].distance_squared(point) <= reach * reach {
                return Spot {
                    triangle,
                    at: c[k],
                    on: On::Point(self.point(triangle, k)),
                };
            }
        }
        let flat = self.flatten(triangle, 0, point);
        for s in 0..3 {
            let a = self.laid_out(triangle, 0);
            let turned = [a[s], a[(s + 1) % 3]];
            let way = turned[1] - turned[0];
            let length = way.length();
            let inward = way.perp_dot(flat - turned[0]) / length;
            let reach = self.grain.max(3.0 * ulp(point));
            if inward <= reach {
                let along = ((flat - turned[0]).dot(way) / length).clamp(0.0, length);
                return Spot {
                    triangle,
                    at: self.on_side(triangle, s, along),
                    on: On::Side(s as u32),
                };
            }
        }
        Spot {
            triangle,
            at: self.raise(triangle, 0, flat),
            on: On::Inside,
        }
    }

    /// A point of a triangle's plane with one of its sides along x.
    pub fn flatten(&self, triangle: u32, side: usize, point: DVec3) -> DVec2 {
        let (a, b, p) = (
            self.corner(triangle, side),
            self.corner(triangle, (side + 1) % 3),
            self.corner(triangle, (side + 2) % 3),
        );
        let x = (b - a) / self.side_length(triangle, side);
        let up = (p - a) - x * x.dot(p - a);
        let y = up / up.length();
        DVec2::new((point - a).dot(x), (point - a).dot(y))
    }

    /// The inverse of [`Surface::flatten`].
    pub fn raise(&self, triangle: u32, side: usize, flat: DVec2) -> DVec3 {
        let (a, b, p) = (
            self.corner(triangle, side),
            self.corner(triangle, (side + 1) % 3),
            self.corner(triangle, (side + 2) % 3),
        );
        let x = (b - a) / self.side_length(triangle, side);
        let up = (p - a) - x * x.dot(p - a);
        a + x * flat.x + up / up.length() * flat.y
    }

    /// Every triangle that a place lies on: about its point, on both sides of its side, or one.
    pub fn triangles_at(&self, spot: &Spot, mut visit: impl FnMut(u32)) {
        match spot.on {
            On::Inside => visit(spot.triangle),
            On::Side(side) => {
                visit(spot.triangle);
                let code = self.across(spot.triangle, side as usize);
                if code != NONE {
                    visit(code / 3);
                }
            }
            On::Point(point) => self.fan(point).iter().for_each(|code| visit(code / 3)),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.vertices.capacity() * 24
            + self.triangles.capacity() * (12 + 12 + 12 + 24 + 72)
            + self.fan.capacity() * 4
            + self.rim.capacity() * (1 + 8 + 24 + 4)
    }
}

/// Spacing of `f32` coordinates at a point.
fn ulp(p: DVec3) -> f64 {
    p.abs().max_element() * f64::from(f32::EPSILON)
}

/// Of the two sides at a corner, the one that is not `side`.
fn other_side(corner: usize, side: usize) -> usize {
    if side == corner {
        (corner + 2) % 3
    } else {
        corner
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Ground, environment::Mesh};

    /// A box of these sides with each face cut into `cuts` squares along each edge.
    pub fn cuboid(size: DVec3, cuts: u32) -> Mesh {
        let mut mesh = Mesh::default();
        for axis in 0..3 {
            for high in [false, true] {
                let base = mesh.vertices.len() as u32;
                for j in 0..=cuts {
                    for i in 0..=cuts {
                        let (u, v) = (
                            f64::from(i) / f64::from(cuts),
                            f64::from(j) / f64::from(cuts),
                        );
                        let mut p = DVec3::ZERO;
                        p[axis] = f64::from(u8::from(high));
                        p[(axis + 1) % 3] = u;
                        p[(axis + 2) % 3] = v;
                        mesh.vertices.push(p * size);
                    }
                }
                for j in 0..cuts {
                    for i in 0..cuts {
                        let at = |i: u32, j: u32| base + j * (cuts + 1) + i;
                        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                        let faces = if (i + j) % 2 == 0 {
                            [[a, b, c], [a, c, d]]
                        } else {
                            [[a, b, d], [b, c, d]]
                        };
                        for [p, q, r] in faces {
                            mesh.triangles
                                .push(if high { [p, q, r] } else { [p, r, q] });
                        }
                    }
                }
            }
        }
        mesh
    }

    #[test]
    fn corners_of_a_cube_have_three_right_angles() {
        let ground = Ground::from_mesh(&cuboid(DVec3::ONE, 1)).unwrap();
        let surface = Surface::new(&ground.view());
        assert_eq!(surface.points(), 8);
        for p in 0..8 {
            assert!((surface.angle(p) - 1.5 * core::f64::consts::PI).abs() < 1e-12);
            assert!(!surface.is_rim(p) && !surface.bends(p));
        }
    }

    #[test]
    fn places_at_corners_and_on_sides_are_known_as_such() {
        let ground = Ground::from_mesh(&cuboid(DVec3::new(0.15, 0.1, 0.12), 3)).unwrap();
        let (view, surface) = (ground.view(), Surface::new(&ground.view()));
        for (t, corners) in view.triangles.iter().enumerate() {
            let c = corners.map(|v| view.vertices[v as usize]);
            let spot = |point| {
                surface.spot(Location {
                    point,
                    triangle: t as u32,
                })
            };
            assert_eq!(spot(c[1]).on, On::Point(surface.point(t as u32, 1)));
            assert_eq!(spot(c[1].lerp(c[2], 0.4)).on, On::Side(1));
            assert_eq!(spot((c[0] + c[1] + c[2]) / 3.0).on, On::Inside);
        }
    }
}
