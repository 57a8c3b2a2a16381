//! The questions that can be asked of a ground.

use glam::{DVec3, Vec2, Vec3};
use throng_core::{Frame, GroundView, Location, NearWall};

use super::advance::{self, Advanced};
use super::trace::{self, TraceEnd, TracePiece};
use super::{locate, near};

/// Finding places, moving bodies, tracing lines and listing walls on a [`GroundView`].
///
/// Points are local (metres from the ground's origin) unless a name says otherwise. No method
/// panics, whatever the numbers; a location that is nowhere or not of this ground is answered
/// with nothing or with itself. All answers are the same bits on every platform.
pub trait Walk {
    /// The place on the ground nearest to a point. `None` only for a point that is not finite.
    fn locate(&self, point: Vec3) -> Option<Location>;

    /// The place right below or above a point seen in plan, its boundary included (to within
    /// four grains); `None` off the ground. Of several places the one with the lowest floor
    /// index counts (on surfaces that are no floor plan, the highest), then the lowest triangle.
    fn locate_plan(&self, xy: Vec2, floor: Option<u16>) -> Option<Location>;

    /// The place nearest to a point seen in plan, on one floor or on any.
    fn nearest_plan(&self, xy: Vec2, floor: Option<u16>) -> Option<Location>;

    /// The place nearest to a point that lies near `hint`: a short walk where that finds it,
    /// else as [`Walk::locate`].
    fn relocate(&self, hint: Location, point: Vec3) -> Option<Location>;

    /// Moves a disc by a displacement in tangent coordinates of its frame.
    ///
    /// The displacement is unfolded over the sides it crosses; at standing walls and obstacles
    /// the rest slides along. The centre stays at least `radius` from them if it was so before;
    /// if not, it gets no nearer. The path is swept: nothing is jumped over, however long.
    fn advance(&self, from: Location, frame: Frame, displacement: Vec2, radius: f32) -> Advanced;

    /// What [`Walk::advance`] gives as the new place in the simplest case: on a flat ground, with
    /// no wall within `clear` metres, the frame that of flat floors and the end of the step well
    /// within the triangle of its start. `None` where that cannot be told at once. `length` is
    /// that of the displacement.
    fn steps_in_place(
        &self,
        from: Location,
        displacement: Vec2,
        length: f32,
        radius: f32,
        clear: f32,
    ) -> Option<Location>;

    /// The new place after a step on a flat ground with no wall in its reach, as
    /// [`Walk::advance`] gives it there.
    fn walks_in_the_open(&self, from: Location, displacement: Vec2) -> Location;

    /// A distance within which no wall is, door leaves and obstacles included whether they stand
    /// or not; at most `limit`, and 0 at once where the ground is not flat.
    fn free_distance(&self, from: Location, limit: f32) -> f32;

    /// [`Walk::advance`] for many. All slices have the length of `out`; the rest is ignored.
    fn advance_batch(
        &self,
        from: &[Location],
        frames: &[Frame],
        displacements: &[Vec2],
        radii: &[f32],
        out: &mut [Advanced],
    );

    /// Walks straight (a geodesic) as a point, calling `visit` for every piece in a triangle.
    /// Obstacles do not stop it; corners may be touched.
    fn trace(
        &self,
        from: Location,
        frame: Frame,
        displacement: Vec2,
        visit: &mut dyn FnMut(TracePiece),
    ) -> TraceEnd;

    /// Walks straight towards a place: seen from above on floor plans, else along the section
    /// with the plane through both points and the normal at `from`. Obstacles do not stop it.
    fn trace_to(&self, from: Location, to: Location, visit: &mut dyn FnMut(TracePiece))
    -> TraceEnd;

    /// Whether the straight walk from `a` arrives at `b`.
    fn sees(&self, a: Location, b: Location) -> bool;

    /// Whether a disc can make the straight walk: no standing wall nearer than `radius`.
    /// Distances are those seen from above on floor plans, in space on other surfaces.
    fn sees_with_radius(&self, a: Location, b: Location, radius: f32) -> bool;

    /// Whether a disc can make the straight walk and it is not longer than `longest`: see
    /// [`Walk::sees_with_radius`].
    fn walks_straight(&self, a: Location, b: Location, radius: f32, longest: f32) -> bool;

    /// Appends the standing walls and obstacles within `reach` that face the agent and can be
    /// reached over the surface within it, in ascending order, in tangent coordinates.
    fn walls_near(&self, at: Location, frame: Frame, reach: f32, out: &mut Vec<NearWall>);

    /// Distance to the nearest standing wall or obstacle, at most `reach`.
    fn distance_to_wall(&self, at: Location, reach: f32) -> f32;

    /// Distance to the nearest standing wall that maps know of (no obstacle), at most `reach`.
    fn clearance(&self, at: Location, reach: f32) -> f32;

    /// A frame to begin with: the world's x and y on flat grounds.
    fn frame_at(&self, at: Location) -> Frame;

    /// World coordinates of a place.
    fn to_world(&self, at: Location) -> DVec3;

    /// Local coordinates of a world point.
    #[allow(clippy::wrong_self_convention)]
    fn from_world(&self, world: DVec3) -> Vec3;

    /// The place seen in plan, local coordinates.
    fn plan_of(&self, at: Location) -> Vec2;
}

impl Walk for GroundView<'_> {
    fn locate(&self, point: Vec3) -> Option<Location> {
        locate::nearest(self, point)
    }

    fn locate_plan(&self, xy: Vec2, floor: Option<u16>) -> Option<Location> {
        locate::below(self, xy, floor)
    }

    fn nearest_plan(&self, xy: Vec2, floor: Option<u16>) -> Option<Location> {
        locate::nearest_plan(self, xy, floor)
    }

    fn relocate(&self, hint: Location, point: Vec3) -> Option<Location> {
        locate::relocate(self, hint, point)
    }

    #[inline]
    fn advance(&self, from: Location, frame: Frame, displacement: Vec2, radius: f32) -> Advanced {
        advance::advance(self, from, frame, displacement, radius)
    }

    #[inline]
    fn steps_in_place(
        &self,
        from: Location,
        displacement: Vec2,
        length: f32,
        radius: f32,
        clear: f32,
    ) -> Option<Location> {
        advance::steps_in_place(self, from, displacement, length, radius, clear)
    }

    fn walks_in_the_open(&self, from: Location, displacement: Vec2) -> Location {
        advance::walks_in_the_open(self, from, displacement)
    }

    fn free_distance(&self, from: Location, limit: f32) -> f32 {
        advance::free_distance(self, from, limit)
    }

    fn advance_batch(
        &self,
        from: &[Location],
        frames: &[Frame],
        displacements: &[Vec2],
        radii: &[f32],
        out: &mut [Advanced],
    ) {
        let inputs = from.iter().zip(frames).zip(displacements).zip(radii);
        for (slot, (((from, frame), displacement), radius)) in out.iter_mut().zip(inputs) {
            *slot = advance::advance(self, *from, *frame, *displacement, *radius);
        }
    }

    fn trace(
        &self,
        from: Location,
        frame: Frame,
        displacement: Vec2,
        visit: &mut dyn FnMut(TracePiece),
    ) -> TraceEnd {
        trace::geodesic(self, from, frame, displacement, visit)
    }

    fn trace_to(
        &self,
        from: Location,
        to: Location,
        visit: &mut dyn FnMut(TracePiece),
    ) -> TraceEnd {
        trace::straight(self, from, to, &mut |piece| {
            visit(piece);
            true
        })
    }

    fn sees(&self, a: Location, b: Location) -> bool {
        trace::straight(self, a, b, &mut |_| true) == TraceEnd::Reached
    }

    fn sees_with_radius(&self, a: Location, b: Location, radius: f32) -> bool {
        near::walks_straight(self, a, b, radius, f32::INFINITY)
    }

    fn walks_straight(&self, a: Location, b: Location, radius: f32, longest: f32) -> bool {
        near::walks_straight(self, a, b, radius, longest)
    }

    fn walls_near(&self, at: Location, frame: Frame, reach: f32, out: &mut Vec<NearWall>) {
        near::walls_near(self, at, frame, reach, out);
    }

    fn distance_to_wall(&self, at: Location, reach: f32) -> f32 {
        near::distance(self, at, reach, true)
    }

    fn clearance(&self, at: Location, reach: f32) -> f32 {
        near::distance(self, at, reach, false)
    }

    fn frame_at(&self, at: Location) -> Frame {
        match self.normals.get(at.triangle as usize) {
            Some(normal) if !self.flat => Frame::on(*normal),
            _ => Frame::FLAT,
        }
    }

    #[inline]
    fn to_world(&self, at: Location) -> DVec3 {
        self.origin + at.point.as_dvec3()
    }

    #[inline]
    fn from_world(&self, world: DVec3) -> Vec3 {
        (world - self.origin).as_vec3()
    }

    #[inline]
    fn plan_of(&self, at: Location) -> Vec2 {
        at.point.truncate()
    }
}
