//! Places on the ground and the frames that agents carry with them.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// Index of a triangle of the ground.
pub type TriangleId = u32;
/// Index of a directed edge of a navigation map.
pub type EdgeId = u32;
/// Index of a node of a navigation map.
pub type NodeId = u32;
/// Index of a region of a navigation map.
pub type RegionId = u32;
/// Index of a crowd cell.
pub type CellId = u32;
/// "No such thing" for every index type above.
pub const NONE: u32 = u32::MAX;

/// A place on the ground: a triangle and a point of it, in metres from the ground's origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C)]
pub struct Location {
    /// The point, relative to [`GroundView::origin`](crate::GroundView::origin).
    pub point: Vec3,
    /// The triangle that the point lies on.
    pub triangle: TriangleId,
}

impl Location {
    /// A location that is nowhere: what a failed look-up leaves behind.
    pub const NOWHERE: Location = Location {
        point: Vec3::ZERO,
        triangle: NONE,
    };

    /// Whether this is a place at all.
    #[inline]
    pub fn is_somewhere(self) -> bool {
        self.triangle != NONE
    }
}

/// The tangent frame of an agent: its own x axis, and whether it walks on the front of the mesh.
///
/// The frame is carried by parallel transport: crossing from one triangle to the next rotates it
/// about their common side. Velocities and other tangent vectors are kept as two components in
/// this frame, so they are carried with it. On a flat floor the frame is the world's x and y.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C)]
pub struct Frame {
    /// Unit tangent, the x axis.
    pub x: Vec3,
    /// +1 on the side the triangle's normal points to, -1 on the other (after once round a
    /// Moebius strip).
    pub handedness: f32,
}

impl Frame {
    /// The frame of flat floors.
    pub const FLAT: Frame = Frame {
        x: Vec3::X,
        handedness: 1.0,
    };

    /// A frame on a triangle with this unit normal: the world's x axis laid into the plane, or y
    /// where x is the normal.
    pub fn on(normal: Vec3) -> Frame {
        let along = Vec3::X - normal * normal.x;
        let along = if along.length_squared() > 1e-4 {
            along
        } else {
            Vec3::Y - normal * normal.y
        };
        Frame {
            x: along.normalize(),
            handedness: 1.0,
        }
    }

    /// The agent's up: away from the surface it stands on.
    #[inline]
    pub fn up(&self, normal: Vec3) -> Vec3 {
        normal * self.handedness
    }

    /// The y axis: 90 degrees to the left of x, seen from the agent's own up.
    #[inline]
    pub fn y(&self, normal: Vec3) -> Vec3 {
        self.up(normal).cross(self.x)
    }

    /// A tangent vector in world directions.
    #[inline]
    pub fn to_world(&self, normal: Vec3, tangent: Vec2) -> Vec3 {
        self.x * tangent.x + self.y(normal) * tangent.y
    }

    /// The tangent part of a world vector, in this frame.
    #[inline]
    pub fn to_tangent(&self, normal: Vec3, world: Vec3) -> Vec2 {
        Vec2::new(world.dot(self.x), world.dot(self.y(normal)))
    }

    /// The offset to another place as avoidance sees it: direction from the projection to the
    /// tangent plane, length the distance in space (Ricks and Egbert, section 4).
    #[inline]
    pub fn offset(&self, normal: Vec3, world: Vec3) -> Vec2 {
        let flat = self.to_tangent(normal, world);
        let (length, seen) = (world.length_squared(), flat.length_squared());
        if seen > 1e-12 {
            flat * (length / seen).sqrt()
        } else {
            Vec2::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_frame_is_the_world() {
        let v = Vec2::new(3.0, -2.0);
        assert_eq!(Frame::FLAT.to_world(Vec3::Z, v), Vec3::new(3.0, -2.0, 0.0));
        assert_eq!(
            Frame::FLAT.to_tangent(Vec3::Z, Vec3::new(3.0, -2.0, 7.0)),
            v
        );
    }

    #[test]
    fn offset_keeps_the_length_in_space() {
        let o = Frame::FLAT.offset(Vec3::Z, Vec3::new(3.0, 0.0, 4.0));
        assert_eq!(o, Vec2::new(5.0, 0.0));
        assert_eq!(Frame::FLAT.offset(Vec3::Z, Vec3::Z), Vec2::ZERO);
    }

    #[test]
    fn every_normal_has_a_frame() {
        for n in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, Vec3::ONE.normalize()] {
            let f = Frame::on(n);
            assert!(f.x.dot(n).abs() < 1e-6 && (f.x.length() - 1.0).abs() < 1e-6);
        }
    }
}
