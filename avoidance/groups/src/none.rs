//! Group `none`: members of a group walk as if they were alone.

use throng_core::{Capabilities, GroupBehavior, GroupChunk, GroupOut, World, options, register};

options! {
    /// Leaves everybody's wish as it is.
    pub struct NoGroups {}
}

#[typetag::serde(name = "none")]
impl GroupBehavior for NoGroups {
    fn adjust(&self, _: &World<'_>, _: &GroupChunk<'_>, _: &mut GroupOut<'_>) {}

    fn active(&self) -> bool {
        false
    }
}

register! {
    Group "none" => NoGroups,
    about: "Members of a group walk as if they were alone.",
    when: "There are no groups, or they are only to be counted.",
    when_not: "Members should stay together on their way.",
    growth: "Nothing: the stage is skipped.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_is_skipped() {
        assert!(!NoGroups::default().active());
    }
}
