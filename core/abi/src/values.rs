//! Plain values that cross the border: vectors, places, neighbours, walls, texts.

/// Two numbers in an agent's tangent plane, or of a cell's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec2 {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
}

/// A disc in plan within which a walker stays in its region.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Room {
    /// Its centre.
    pub centre: Vec2,
    /// Its radius, metres; 0 where nothing is known.
    pub radius: f32,
}

/// Three numbers in space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec3 {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
    /// Along z.
    pub z: f32,
}

/// Three numbers in space, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct DVec3 {
    /// Along x.
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// Along z.
    pub z: f64,
}

/// A place on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Location {
    /// The point, in metres from the ground's origin.
    pub point: Vec3,
    /// The triangle that the point lies on; 2^32 - 1 for nowhere.
    pub triangle: u32,
}

/// A neighbour in the agent's tangent plane, the agent at (0, 0).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Neighbour {
    /// Offset to the neighbour, metres.
    pub offset: Vec2,
    /// The neighbour's velocity (not relative), metres per second.
    pub velocity: Vec2,
}

/// A wall near an agent, in its tangent plane. The free side is on the left of `a` to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct NearWall {
    /// Where it begins.
    pub a: Vec2,
    /// Where it ends.
    pub b: Vec2,
    /// Unit direction of the wall that ends at `a`, or zero.
    pub before: Vec2,
    /// Unit direction of the wall that begins at `b`, or zero.
    pub after: Vec2,
    /// 1: the corner at `a` juts into the free space. 2: so does the one at `b`. 4: an obstacle
    /// that maps ignore.
    pub flags: u32,
    /// Index of the wall in the ground's list.
    pub wall: u32,
}

/// The tangent frame of an agent: its x axis and the side of the surface that it walks on. Its y
/// axis is `handedness` times the triangle's normal, cross x.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Frame {
    /// Unit tangent, the x axis.
    pub x: Vec3,
    /// 1 on the side that the triangle's normal points to, -1 on the other.
    pub handedness: f32,
}

/// A segment that an agent passes, in its direction of travel. A waypoint has no width.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Gate {
    /// Left end.
    pub left: Vec3,
    /// The point in between that a lone walker would aim for.
    pub middle: Vec3,
    /// Right end.
    pub right: Vec3,
    /// The triangle under `middle`.
    pub triangle: u32,
    /// 1: the left end is a wall. 2: the right end is one. Only wall ends shrink by the radius.
    pub flags: u32,
}

/// A stretch of an edge within one crowd cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct EdgePiece {
    /// The crowd cell.
    pub cell: u32,
    /// Metres walked in it.
    pub length: f32,
    /// Direction of travel in the cell's frame, as an angle in 1/65536 turns.
    pub angle: u16,
}

/// Where a place hangs on the graph of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Attachment {
    /// The node to go through, or 2^32 - 1 if none can be reached. Of an edge it is the wider end.
    pub node: u32,
    /// The edge that the place hangs on, or 2^32 - 1 if it hangs on `node` alone.
    pub edge: u32,
    /// How far along `edge`, from 0 to 1.
    pub along: f32,
    /// Metres from the place to the graph.
    pub distance: f32,
}

/// Agents that share prices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct RouteClass {
    /// Index of the profile.
    pub profile: u32,
    /// Desired speed, metres per second.
    pub speed: f32,
    /// Weight of the crowd part of a price.
    pub weight: f32,
    /// Radius that must fit, metres.
    pub radius: f32,
}

/// Bytes that somebody else owns: a text, options, saved state.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bytes {
    /// The first byte; not read if `count` is 0.
    pub data: *const u8,
    /// How many.
    pub count: usize,
}

// SAFETY: it is a pointer that is only read, through `get`, whose caller vouches for it.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// Lends these bytes; valid while they are.
    pub const fn of(bytes: &[u8]) -> Bytes {
        Bytes {
            data: bytes.as_ptr(),
            count: bytes.len(),
        }
    }

    /// The bytes.
    ///
    /// # Safety
    /// `data` points to `count` bytes that stay unchanged for `'a`, or `count` is 0.
    pub unsafe fn get<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise is that of `rows`.
        unsafe { rows(self.data, self.count) }
    }
}

/// An array of the other side, empty if the pointer is null or the count 0.
///
/// # Safety
/// Unless null or empty, `data` is aligned and points to `count` values that stay unchanged for
/// `'a`.
pub unsafe fn rows<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        &[]
    } else {
        // SAFETY: not null, and the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts(data, count) }
    }
}

/// An array of the other side to write to, empty if the pointer is null or the count 0.
///
/// # Safety
/// Unless null or empty, `data` is aligned and points to `count` values that nobody else reads or
/// writes for `'a`.
pub unsafe fn rows_mut<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if data.is_null() || count == 0 {
        &mut []
    } else {
        // SAFETY: not null, and the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(data, count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_arrays_are_empty() {
        // SAFETY: null or empty arrays are never read.
        unsafe {
            assert!(rows::<u32>(core::ptr::null(), 7).is_empty());
            assert!(rows::<u32>(core::ptr::dangling(), 0).is_empty());
            assert!(rows_mut::<f32>(core::ptr::null_mut(), 7).is_empty());
            assert_eq!(Bytes::of(b"abc").get(), b"abc");
        }
    }

    #[test]
    fn sizes_are_fixed() {
        assert_eq!(size_of::<Vec2>(), 8);
        assert_eq!(size_of::<Vec3>(), 12);
        assert_eq!(size_of::<Location>(), 16);
        assert_eq!(size_of::<Neighbour>(), 16);
        assert_eq!(size_of::<NearWall>(), 40);
        assert_eq!(size_of::<RouteClass>(), 16);
        assert_eq!(size_of::<DVec3>(), 24);
        assert_eq!(size_of::<Frame>(), 16);
        assert_eq!(size_of::<Gate>(), 44);
        assert_eq!(size_of::<EdgePiece>(), 12);
        assert_eq!(size_of::<Attachment>(), 16);
        assert_eq!(size_of::<Bytes>(), 2 * size_of::<usize>());
    }
}
