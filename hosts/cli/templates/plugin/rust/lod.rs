//! Level of detail `__id__`: level 0 around a point, level 1 elsewhere.

use std::ops::Range;

use glam::Vec2;
use throng_core::{Capabilities, LodPolicy, World, options, register};

options! {
    /// Level 0 around a point of the plan, level 1 elsewhere.
    pub struct __Type__ {
        /// East of the point.
        x: f32 = 0.0, "m", -1e6..=1e6;
        /// North of the point.
        y: f32 = 0.0, "m", -1e6..=1e6;
        /// How far level 0 reaches.
        radius: f32 = 10.0, "m", 0.0..=1e6;
    }
}

#[typetag::serde(name = "__id__")]
impl LodPolicy for __Type__ {
    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        // Places are kept relative to the ground's own origin.
        let origin = world.site.ground.origin.truncate().as_vec2();
        let point = Vec2::new(self.x, self.y) - origin;
        for (row, level) in rows.zip(out) {
            let at = world.agents.location[row].point.truncate();
            *level = u8::from(at.distance(point) > self.radius);
        }
    }
}

register! {
    Lod "__id__" => __Type__,
    about: "Level 0 around a point, level 1 elsewhere.",
    when: "As a start for a policy of your own.",
    when_not: "The point moves: regions of interest do.",
    growth: "Time grows with the agents; no memory.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
