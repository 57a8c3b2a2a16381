//! Group behaviour `__id__`: members drift towards the middle of their group.

use throng_core::{Capabilities, GroupBehavior, GroupChunk, GroupOut, NONE, World, options, register};

options! {
    /// Members drift towards the middle of their group.
    pub struct __Type__ {
        /// Share of the distance to the middle that is walked in a second.
        pull: f32 = 0.3, "1/s", 0.0..=5.0;
    }
}

#[typetag::serde(name = "__id__")]
impl GroupBehavior for __Type__ {
    fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
        let agents = &world.agents;
        for (i, row) in chunk.rows.clone().enumerate() {
            let group = agents.group[row];
            if group == NONE {
                continue;
            }
            let [first, end] = [0, 1].map(|k| chunk.groups.start[group as usize + k] as usize);
            let members = &chunk.groups.member[first..end];
            let places = members.iter().map(|m| agents.location[*m as usize].point);
            let middle = places.sum::<glam::Vec3>() / members.len().max(1) as f32;
            let here = agents.location[row];
            let normal = world.site.ground.normals[here.triangle as usize];
            let away = agents.frame_of(row).to_tangent(normal, middle - here.point);
            let wish = out.preferred[i] + away * self.pull;
            out.preferred[i] = wish.clamp_length_max(agents.speed[row]);
        }
    }
}

register! {
    Group "__id__" => __Type__,
    about: "Members drift towards the middle of their group.",
    when: "As a start for a behaviour of your own.",
    when_not: "Groups are to walk side by side.",
    growth: "Time grows with the members of groups, squared; no memory.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
