//! Asserts that this crate's types lie in memory as those of `throng-abi`: arrays of the one are
//! lent as arrays of the other.

use core::mem::{align_of, offset_of, size_of};

use throng_abi as abi;

macro_rules! same {
    ($own:ty, $table:ty $(, $field:ident)*) => {
        const _: () = {
            assert!(size_of::<$own>() == size_of::<$table>());
            assert!(align_of::<$own>() == align_of::<$table>());
            $(assert!(offset_of!($own, $field) == offset_of!($table, $field));)*
        };
    };
}

same!(glam::Vec2, abi::Vec2, x, y);
same!(glam::Vec3, abi::Vec3, x, y, z);
same!(glam::DVec3, abi::DVec3, x, y, z);
same!(crate::Location, abi::Location, point, triangle);
same!(crate::Room, abi::Room, centre, radius);
same!(crate::Frame, abi::Frame, x, handedness);
same!(crate::Neighbour, abi::Neighbour, offset, velocity);
same!(
    crate::NearWall,
    abi::NearWall,
    a,
    b,
    before,
    after,
    flags,
    wall
);
same!(
    crate::RouteClass,
    abi::RouteClass,
    profile,
    speed,
    weight,
    radius
);
same!(crate::Gate, abi::Gate, left, middle, right, triangle, flags);
same!(crate::EdgePiece, abi::EdgePiece, cell, length, angle);
same!(
    crate::Attachment,
    abi::Attachment,
    node,
    edge,
    along,
    distance
);
same!(
    crate::Wall,
    abi::Wall,
    a,
    b,
    triangle,
    previous,
    next,
    door,
    flags
);
same!(crate::Goal, abi::Goal, anchor, first_node, nodes);
same!(crate::RegionOfInterest, abi::Interest, at, radius, level);
same!(
    crate::MoverView,
    abi::Mover,
    at,
    velocity,
    radius,
    discomfort
);
same!(
    crate::CameraView,
    abi::Camera,
    at,
    direction,
    half_angle_cosine,
    far
);
same!(crate::SegmentPrice, abi::SegmentPrice, base, crowd, length);
same!(
    crate::PlanRequest,
    abi::PlanRequest,
    from,
    to,
    agent,
    goal,
    prices,
    from_region,
    radius,
    weight,
    speed
);

const _: () = {
    assert!(offset_of!(crate::PlanRequest, class) == offset_of!(abi::PlanRequest, route_class));
    assert!(crate::Capabilities::GRAPH.0 == abi::capability::GRAPH);
    assert!(crate::Capabilities::REGIONS.0 == abi::capability::REGIONS);
    assert!(crate::Capabilities::DENSE.0 == abi::capability::DENSE);
    assert!(crate::Capabilities::PLAN_GROUND.0 == abi::capability::PLAN_GROUND);
    assert!(crate::Capabilities::ROUTES.0 == abi::capability::ROUTES);
    assert!(crate::Capabilities::GUIDES.0 == abi::capability::GUIDES);
    assert!(crate::Capabilities::DIRECTIONAL.0 == abi::capability::DIRECTIONAL);
    assert!(crate::Capabilities::DENSITY.0 == abi::capability::DENSITY);
    assert!(crate::Capabilities::FLOW.0 == abi::capability::FLOW);
    assert!(crate::Capabilities::MESH.0 == abi::capability::MESH);
};
