//! Avoidance `none`: everybody walks as it prefers, through others if need be.

use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, options, register,
};

options! {
    /// The velocity is the preferred one. Walls still stop bodies: the step sees to it.
    pub struct NoAvoidance {}
}

#[typetag::serde(name = "none")]
impl LocalAvoidance for NoAvoidance {
    fn perception(&self) -> Perception {
        Perception::BLIND
    }

    fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
        out.velocity.copy_from_slice(chunk.preferred);
    }
}

register! {
    Avoidance "none" => NoAvoidance,
    about: "Everybody walks at the preferred velocity and sees nobody.",
    when: "Only routes matter, or for far tiers where nobody looks.",
    when_not: "Bodies should not overlap.",
    growth: "Linear in agents and next to nothing: neighbours are not even looked for.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use throng_core::{MemoryRows, NeighbourRows, WallRows};

    #[test]
    fn walks_as_preferred() {
        let preferred = [Vec2::new(1.0, -0.5), Vec2::ZERO, Vec2::new(0.0, 2.0)];
        let chunk = SteerChunk {
            dt: 0.1,
            step: 0,
            seed: 0,
            id: &[0, 1, 2],
            tick: &[0; 3],
            velocity: &[Vec2::ONE; 3],
            heading: &[Vec2::X; 3],
            preferred: &preferred,
            target: &[Vec2::ZERO; 3],
            radius: &[0.2; 3],
            max_speed: &[2.0; 3],
            mass: &[80.0; 3],
            neighbours: NeighbourRows {
                start: &[0; 4],
                seen: &[],
                radius: &[],
                flags: &[],
                id: &[],
            },
            walls: WallRows {
                start: &[0; 4],
                walls: &[],
            },
        };
        let mut velocity = [Vec2::NAN; 3];
        let mut out = SteerOut {
            velocity: &mut velocity,
            push: &mut [],
            pressed: &mut [],
            memory: MemoryRows::default(),
        };
        NoAvoidance::default().steer(&chunk, &mut Scratch::default(), &mut out);
        assert_eq!(velocity, preferred);
        assert_eq!(NoAvoidance::default().perception(), Perception::BLIND);
    }
}
