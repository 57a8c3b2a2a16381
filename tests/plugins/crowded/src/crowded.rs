//! Lod `crowded`: full detail where many people are in one region.
//!
//! People are counted per region and smoothed over time; the smoothed counts are the state that a
//! resumed run needs. Who has full detail keeps it until the count has fallen well below.

use core::ops::Range;

use throng_core::{Capabilities, LodPolicy, StateError, World, math, options, register};

options! {
    /// Full detail where it is crowded.
    pub struct Crowded {
        /// Persons in a region from which on it has full detail.
        persons: f32 = 3.0, "", 0.0..=1000.0;
        /// Share of that at which full detail ends.
        keep: f32 = 0.5, "", 0.0..=1.0;
        /// Time over which counts are smoothed.
        smoothing: f32 = 2.0, "s", 0.01..=600.0;
    }
    state { counts: Vec<f32>, now: Vec<u32> }
}

#[typetag::serde(name = "crowded")]
impl LodPolicy for Crowded {
    fn reads_regions(&self) -> bool {
        true
    }

    fn prepare(&mut self, world: &World<'_>) {
        let regions = world.map.regions();
        self.counts.resize(regions, 0.0);
        self.now.clear();
        self.now.resize(regions, 0);
        for &region in world.agents.region {
            if let Some(count) = self.now.get_mut(region as usize) {
                *count += 1;
            }
        }
        let kept = math::exp(-world.dt / self.smoothing);
        for (count, now) in self.counts.iter_mut().zip(&self.now) {
            *count = *count * kept + *now as f32 * (1.0 - kept);
        }
    }

    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        for (row, level) in rows.zip(out) {
            let region = world.agents.region[row] as usize;
            let count = self.counts.get(region).copied().unwrap_or(0.0);
            let tier = usize::from(world.agents.tier[row]);
            let detailed = world.tier_levels.get(tier) == Some(&0);
            let least = self.persons * if detailed { self.keep } else { 1.0 };
            *level = u8::from(count < least);
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        for count in &self.counts {
            out.extend_from_slice(&count.to_le_bytes());
        }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        let (counts, rest) = saved.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(StateError {
                strategy: "lod/crowded".into(),
                reason: format!("{} bytes are no numbers", saved.len()),
            });
        }
        self.counts = counts.iter().map(|b| f32::from_le_bytes(*b)).collect();
        Ok(())
    }
}

register! {
    Lod "crowded" => Crowded,
    about: "Full detail where many people are in one region.",
    when: "As an example of a policy in a crate of its own.",
    when_not: "Somebody watches a place: that is roi.",
    growth: "Time grows with agents and regions; one number per region.",
    paper: "",
    needs: Capabilities::REGIONS,
    offers: Capabilities::NONE,
}
