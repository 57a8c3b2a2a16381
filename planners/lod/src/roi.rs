//! Lod `roi`: regions of interest say how closely each place is simulated.
//!
//! Yersin, Maim, Morini and Thalmann 2008, sections 3 and 4.2. A region is a position, a radius
//! and a level; any number of them, anywhere, changed while running by commands, carried by a
//! mover or by the camera. Where regions overlap the lowest level counts. With a camera the view
//! comes first: what it does not see has the level `unseen`, whatever the regions say; the rest
//! of what it sees has the level `outside`, as has everything else without a camera.
//!
//! By default people are sorted one by one by where they stand; `by = "region"` sorts whole
//! regions of the map by their centres, as the paper does with the vertices of its graph. Either
//! way a level is left only `margin` metres beyond the border at which it was entered, so that
//! nobody on a border changes to and fro.
//!
//! Section 7 names the limit of fields in narrow jammed places: there they are a waste. With
//! `jam` set, narrow regions of the map that hold more persons per square metre lose a level of
//! detail until they hold less than half of it.

use core::ops::Range;

use glam::Vec3;
use throng_core::{
    Capabilities, Location, LodPolicy, NONE, NavMap, RegionOfInterest, StateError, World, options,
    register,
};

throng_core::choices! {
    /// What is sorted.
    pub enum By {
        /// Every agent, by where it stands.
        Agent = "agent",
        /// Whole regions of the map, by their centres.
        Region = "region",
    }
}

options! {
    /// Levels by regions of interest and by what a camera sees.
    pub struct Roi {
        /// Level of places in no region of interest (and in view, where there is a camera).
        outside: u8 = 1, "", 0..=255;
        /// Level of what the camera does not see.
        unseen: u8 = 2, "", 0..=255;
        /// How far beyond a border somebody keeps the level had inside.
        margin: f32 = 1.0, "m", 0.0..=100.0;
        /// What is sorted: agents by their places, or regions of the map by their centres.
        by: By = By::Agent;
        /// Persons per square metre from which a narrow region of the map loses a level; 0 never.
        jam: f32 = 0.0, "1/m2", 0.0..=10.0;
        /// Half the width up to which a region of the map is narrow.
        narrow: f32 = 1.5, "m", 0.0..=100.0;
    }
    state {
        /// Level of each region of the map, in use with `by = "region"`.
        levels: Vec<u8>,
        /// Which regions of the map are narrow, and the revision of the map that this is of.
        is_narrow: Vec<bool>,
        revision: Option<u32>,
        /// Which narrow regions are jammed now.
        jammed: Vec<u8>,
        persons: Vec<u32>,
    }
}

/// Agents that are looked at together before one by one.
const TOGETHER: usize = 64;

/// The lowest level that the regions of interest ask for at a point.
fn level_of(interest: &[RegionOfInterest], at: Vec3, had: Option<u8>, margin: f32) -> Option<u8> {
    let mut best: Option<u8> = None;
    for region in interest {
        let level = region.level.min(255) as u8;
        let kept = if had == Some(level) { margin } else { 0.0 };
        let reach = region.radius + kept;
        if at.distance_squared(region.at) < reach * reach && best.is_none_or(|b| level < b) {
            best = Some(level);
        }
    }
    best
}

impl Roi {
    /// The level of a point for somebody who had one so far.
    fn level(&self, world: &World<'_>, at: Vec3, had: Option<u8>) -> u8 {
        if let Some(camera) = &world.camera {
            let margin = if had == Some(self.unseen) {
                0.0
            } else {
                self.margin
            };
            if !camera.sees(at, margin) {
                return self.unseen;
            }
        }
        level_of(world.interest, at, had, self.margin).unwrap_or(self.outside)
    }

    /// Finds the narrow regions of a new map: those where no edge has more room.
    fn look_at_map(&mut self, map: &NavMap) {
        if self.revision == Some(map.revision) && self.is_narrow.len() == map.regions() {
            return;
        }
        self.revision = Some(map.revision);
        let mut widest = vec![0.0f32; map.regions()];
        for e in 0..map.edges() {
            for node in [map.edge_from[e], map.edge_to[e]] {
                let region = map.node_region[node as usize];
                if region != NONE {
                    let wide = &mut widest[region as usize];
                    *wide = wide.max(map.edge_clearance[e]);
                }
            }
        }
        self.is_narrow = widest.iter().map(|w| *w <= self.narrow).collect();
        self.jammed.resize(map.regions(), 0);
    }

    /// Counts people per region and notes which narrow ones are jammed.
    fn look_at_crowd(&mut self, world: &World<'_>) {
        self.persons.clear();
        self.persons.resize(world.map.regions(), 0);
        for &region in world.agents.region {
            if let Some(count) = self.persons.get_mut(region as usize) {
                *count += 1;
            }
        }
        for (r, jammed) in self.jammed.iter_mut().enumerate() {
            let area = world.map.region_area[r].max(1e-3);
            let density = self.persons[r] as f32 / area;
            // One person in a tiny region is no jam.
            let limit = if *jammed == 0 {
                self.jam
            } else {
                self.jam / 2.0
            };
            *jammed = u8::from(self.is_narrow[r] && self.persons[r] > 1 && density > limit);
        }
    }

    /// Sorts agents one by one.
    fn classify_each(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        for (row, out) in rows.zip(out) {
            let region = world.agents.region[row] as usize;
            let at = world.agents.location[row].point;
            *out = match self.levels.get(region) {
                Some(&level) if self.by == By::Region => level,
                _ => {
                    let tier = usize::from(world.agents.tier[row]);
                    self.level(world, at, world.tier_levels.get(tier).copied())
                }
            };
            if self.jammed.get(region).is_some_and(|j| *j != 0) {
                *out = out.saturating_add(1);
            }
        }
    }

    /// Whether nobody at these places is in a region or keeps its level, as far as the box about
    /// them tells: agents are sorted by place, so most boxes lie far from all regions.
    fn are_outside(&self, world: &World<'_>, places: &[Location]) -> bool {
        if self.reads_regions() || world.camera.is_some() {
            return false;
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for place in places {
            low = low.min(place.point);
            high = high.max(place.point);
        }
        world.interest.iter().all(|region| {
            let reach = (region.radius + self.margin) * 1.001;
            region.at.clamp(low, high).distance_squared(region.at) > reach * reach
        })
    }
}

#[typetag::serde(name = "roi")]
impl LodPolicy for Roi {
    fn prepare(&mut self, world: &World<'_>) {
        if !self.reads_regions() {
            return;
        }
        self.look_at_map(world.map);
        if self.jam > 0.0 {
            self.look_at_crowd(world);
        }
        if self.by == By::Region {
            let mut levels = core::mem::take(&mut self.levels);
            levels.resize(world.map.regions(), self.outside);
            for (level, place) in levels.iter_mut().zip(&world.map.region_place) {
                *level = self.level(world, place.point, Some(*level));
            }
            self.levels = levels;
        }
    }

    fn reads_regions(&self) -> bool {
        self.by == By::Region || self.jam > 0.0
    }

    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        for (first, out) in rows.step_by(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
            let together = first..first + out.len();
            let places = world.agents.location.get(together.clone());
            if places.is_some_and(|places| self.are_outside(world, places)) {
                out.fill(self.outside);
            } else {
                self.classify_each(world, together, out);
            }
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        for part in [&self.levels, &self.jammed] {
            out.extend_from_slice(&(part.len() as u64).to_le_bytes());
            out.extend_from_slice(part);
        }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        let damaged = || StateError {
            strategy: "roi".into(),
            reason: "its levels are cut short".into(),
        };
        let mut rest = saved;
        for part in [&mut self.levels, &mut self.jammed] {
            let (head, tail) = rest.split_at_checked(8).ok_or_else(damaged)?;
            let count = head.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
            let (values, tail) = tail
                .split_at_checked(count.min(usize::MAX as u64) as usize)
                .ok_or_else(damaged)?;
            part.clear();
            part.extend_from_slice(values);
            rest = tail;
        }
        Ok(())
    }
}

register! {
    Lod "roi" => Roi,
    about: "Levels by regions of interest and by what a camera sees.",
    when: "Only some places are watched or matter: they get the dear strategies, the rest cheap ones.",
    when_not: "Every part of the crowd matters alike.",
    growth: "Linear in agents times regions of interest, a few nanoseconds each.",
    paper: "Yersin, Maim, Morini, Thalmann 2008: Real-time crowd motion planning",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use throng_core::CameraView;

    fn region(x: f32, radius: f32, level: u32) -> RegionOfInterest {
        RegionOfInterest {
            at: Vec3::new(x, 0.0, 0.0),
            radius,
            level,
        }
    }

    #[test]
    fn the_lowest_level_counts_and_borders_are_sticky() {
        let interest = [region(0.0, 10.0, 1), region(2.0, 3.0, 0)];
        let at = |x: f32| Vec3::new(x, 0.0, 0.0);
        assert_eq!(level_of(&interest, at(4.0), None, 1.0), Some(0));
        assert_eq!(level_of(&interest, at(5.5), None, 1.0), Some(1));
        assert_eq!(level_of(&interest, at(5.5), Some(0), 1.0), Some(0));
        assert_eq!(level_of(&interest, at(6.5), Some(0), 1.0), Some(1));
        assert_eq!(level_of(&interest, at(10.5), Some(1), 1.0), Some(1));
        assert_eq!(level_of(&interest, at(10.5), Some(2), 1.0), None);
    }

    #[test]
    fn a_camera_sees_a_cone_as_far_as_it_sees() {
        let camera = CameraView {
            at: Vec3::ZERO,
            direction: Vec2::X,
            half_angle_cosine: core::f32::consts::FRAC_1_SQRT_2,
            far: 20.0,
        };
        let at = |x: f32, y: f32| Vec3::new(x, y, 5.0);
        assert!(camera.sees(at(10.0, 9.0), 0.0));
        assert!(!camera.sees(at(10.0, 11.0), 0.0));
        // The edge of the view runs at 45 degrees: 1 m aside of it is 1.41 m along y.
        assert!(camera.sees(at(10.0, 11.3), 1.0));
        assert!(!camera.sees(at(10.0, 11.5), 1.0));
        assert!(!camera.sees(at(20.5, 0.0), 0.0));
        assert!(camera.sees(at(20.5, 0.0), 1.0));
        assert!(!camera.sees(at(-3.0, 0.0), 1.0));
    }

    #[test]
    fn narrow_regions_are_those_without_room() {
        let map = NavMap {
            node_region: vec![0, 1, 2],
            edge_from: vec![0, 1],
            edge_to: vec![1, 2],
            edge_clearance: vec![5.0, 0.6],
            edge_length: vec![1.0; 2],
            region_area: vec![1.0; 3],
            ..NavMap::default()
        };
        let mut roi = Roi::default();
        // No edges_to check is needed to see who is narrow.
        roi.look_at_map(&map);
        assert_eq!(roi.is_narrow, [false, false, true]);
    }

    #[test]
    fn what_it_keeps_is_taken_back() {
        let roi = Roi {
            levels: vec![0, 1, 2],
            jammed: vec![1, 0, 0],
            ..Roi::default()
        };
        let mut saved = Vec::new();
        roi.save(&mut saved);
        let mut again = Roi::default();
        again.load(&saved).unwrap();
        assert_eq!(
            (again.levels, again.jammed),
            (roi.levels.clone(), roi.jammed.clone())
        );
        assert!(Roi::default().load(&saved[..9]).is_err());
    }
}
