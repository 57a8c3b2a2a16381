//! Avoidance `__id__`: slows down for whoever is in its way.

use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, options, register,
};

options! {
    /// Slows down for whoever is in its way.
    pub struct __Type__ {
        /// Gap between bodies at which it begins to slow down.
        distance: f32 = 0.8, "m", 0.01..=5.0;
    }
}

#[typetag::serde(name = "__id__")]
impl LocalAvoidance for __Type__ {
    fn perception(&self) -> Perception {
        Perception {
            reach: self.distance + 1.0,
            most: 8,
            wall_reach: 0.0,
        }
    }

    fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
        for i in 0..chunk.len() {
            let wish = chunk.preferred[i].clamp_length_max(chunk.max_speed[i]);
            let way = wish.normalize_or_zero();
            let mut share: f32 = 1.0;
            for n in chunk.neighbours_of(i) {
                let offset = chunk.neighbours.seen[n].offset;
                let width = chunk.radius[i] + chunk.neighbours.radius[n];
                if offset.dot(way) > 0.0 && offset.perp_dot(way).abs() < width {
                    let gap = offset.length() - width;
                    share = share.min(gap / self.distance);
                }
            }
            // Nobody stops for good: two who wait for each other would.
            out.velocity[i] = wish * share.max(0.2);
        }
    }
}

register! {
    Avoidance "__id__" => __Type__,
    about: "Slows down for whoever is in its way.",
    when: "As a start for a model of your own.",
    when_not: "Bodies are to stay apart: nobody steps aside.",
    growth: "Time grows with agents and neighbours; no memory.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
