//! Lod `uniform`: everybody is simulated in the same detail.

use core::ops::Range;

use throng_core::{Capabilities, LodPolicy, World, options, register};

options! {
    /// Everybody is at level 0.
    pub struct Uniform {}
}

#[typetag::serde(name = "uniform")]
impl LodPolicy for Uniform {
    fn classify(&self, _: &World<'_>, _: Range<usize>, out: &mut [u8]) {
        out.fill(0);
    }

    fn constant(&self) -> Option<u8> {
        Some(0)
    }
}

register! {
    Lod "uniform" => Uniform,
    about: "Everybody is simulated in the same detail.",
    when: "The crowd is small enough, or every part of it matters alike.",
    when_not: "Only some places are watched and the rest may be simpler: use a policy with regions of interest.",
    growth: "Nothing: the stage is skipped.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_at_level_0() {
        assert_eq!(Uniform::default().constant(), Some(0));
    }
}
