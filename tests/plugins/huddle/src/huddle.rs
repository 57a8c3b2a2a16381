//! Group `huddle`: members are drawn to the middle of their group.
//!
//! The pull grows with the distance from the middle up to a limit, so that members who were held
//! up catch up and those ahead wait, while the group as a whole walks where its members want.

use glam::{Vec2, Vec3};
use throng_core::{
    Capabilities, GroupBehavior, GroupChunk, GroupOut, NONE, World, options, register,
};

options! {
    /// Draws members to the middle of their group.
    pub struct Huddle {
        /// Speed towards the middle for each metre away from it.
        pull: f32 = 0.3, "1/s", 0.0..=10.0;
        /// Largest speed towards the middle.
        most: f32 = 0.6, "m/s", 0.0..=10.0;
    }
}

#[typetag::serde(name = "huddle")]
impl GroupBehavior for Huddle {
    fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
        let agents = &world.agents;
        for (i, row) in chunk.rows.clone().enumerate() {
            let group = agents.group[row];
            if group == NONE || chunk.guided[row] == Vec2::ZERO {
                continue;
            }
            let (start, end) = (
                chunk.groups.start[group as usize] as usize,
                chunk.groups.start[group as usize + 1] as usize,
            );
            let members = &chunk.groups.member[start..end];
            let sum: Vec3 = members
                .iter()
                .map(|member| agents.location[*member as usize].point)
                .sum();
            let middle = sum / members.len() as f32;
            let at = agents.location[row];
            let normal = world.site.ground.normals[at.triangle as usize];
            let way = agents.frame_of(row).to_tangent(normal, middle - at.point);
            let pull = (way * self.pull).clamp_length_max(self.most);
            let wish = chunk.guided[row] + pull;
            out.preferred[i] = wish.clamp_length_max(agents.speed[row]);
            out.target[i] = chunk.aims[row] + pull;
        }
    }
}

register! {
    Group "huddle" => Huddle,
    about: "Draws members to the middle of their group.",
    when: "As an example of a behaviour in a crate of its own.",
    when_not: "Somebody leads: that is leader-follower.",
    growth: "Time grows with agents times members of a group.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
