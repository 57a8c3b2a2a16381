//! Nav `nav-graph`: discs of free space are the vertices, gates where two overlap the edges.
//!
//! Pettre, Laumond and Thalmann's navigation graphs, as Yersin, Maim, Morini and Thalmann 2008
//! build on them (section 3): a vertex is a cylinder of walkable space, an edge the gate by which
//! one walks from one to the next. Any ground will do: floors, stacked layers, uneven terrain,
//! and surfaces that are no floor plan.
//!
//! Construction: the ground is sampled; the clearance of a sample is the radius of the largest
//! free disc about it. Starting where there is most room, every sample that no disc covers yet
//! gets the largest disc that covers it, moved uphill in clearance as long as it does. Discs
//! whose circles cross get a gate along their common chord, if it can be walked through. Samples
//! next to each other whose discs do not hang together get a disc in between, so that the graph
//! is connected where the ground is.
//!
//! Two points of the same disc see each other, so a walk from gate to gate is always straight and
//! free. Regions are the discs, every sample going to the disc that it is deepest in: their areas
//! are those of the ground covered, each part once.

mod choose;
mod gates;
mod samples;

use glam::{Vec2, Vec3};
use throng_core::{
    Attachment, Capabilities, GroundView, Location, NONE, NavError, NavMap, NavRepresentation,
    RegionId, Room, Site, options, register,
};
use throng_kit::{Walk, crowd_cells::regular_slack};

use choose::{Disc, choose};
use samples::{Buckets, Samples};

options! {
    /// Discs of free space and the gates between them.
    pub struct NavGraph {
        /// Largest radius of a disc.
        largest: f32 = 6.0, "m", 0.2..=1000.0;
        /// Least radius of a disc: narrower places are left out.
        least: f32 = 0.2, "m", 0.02..=10.0;
        /// Share of the ground that discs are to cover; where it is reached no more are laid but
        /// those that join parts.
        coverage: f32 = 0.975, "", 0.5..=1.0;
        /// Distance between the samples that discs must cover; coarser where there would be more
        /// than three million.
        sampling: f32 = 0.25, "m", 0.05..=10.0;
    }
    state {
        samples: Samples,
        /// The disc that each sample is deepest in, or the nearest.
        region_of_sample: Vec<RegionId>,
        /// The same by squares, on a ground of one floor; empty elsewhere.
        region_of_square: Vec<RegionId>,
        /// Whether the outlines of discs are regular in plan.
        round: bool,
        radius: Vec<f32>,
        discs: Buckets,
    }
}

register! {
    Nav "nav-graph" => NavGraph,
    about: "Discs of free space as vertices, gates where two overlap as edges.",
    when: "Large scenes of any kind (layers, terrain, surfaces) that few vertices should cover; regions of interest by vertices.",
    when_not: "Exact clearances and shortest ways matter (ecm), or a field needs dense nodes (grid).",
    growth: "Building is linear in walkable area over sampling squared; a vertex per few square metres up to tens.",
    paper: "Pettre, Laumond, Thalmann 2005; Yersin, Maim, Morini, Thalmann 2008: Real-time crowd motion planning",
    needs: Capabilities::NONE,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}

#[typetag::serde(name = "nav-graph")]
impl NavRepresentation for NavGraph {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        if !(self.least <= self.largest) {
            return Err(NavError::Unsuitable {
                reason: format!(
                    "the least radius of a disc, {} m, is above the largest, {} m",
                    self.least, self.largest
                ),
            });
        }
        let all_open = vec![1; site.ground.door_open.len()];
        let ground = GroundView {
            door_open: &all_open,
            ..site.ground
        };
        let samples = Samples::over(&ground, self.sampling)?;
        let chosen = choose(&ground, &samples, self.least, self.largest, self.coverage);
        if chosen.discs.is_empty() {
            return Err(NavError::Unsuitable {
                reason: format!(
                    "no disc of radius {} m fits anywhere: choose a smaller least radius",
                    self.least
                ),
            });
        }
        self.draw(&ground, samples, chosen, map);
        Ok(())
    }

    fn attach(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        _: &[RegionId],
        out: &mut [Attachment],
    ) {
        for (place, attachment) in places.iter().zip(out) {
            *attachment = self.attach_one(&site.ground, map, *place);
        }
    }

    fn region_of(
        &self,
        site: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        _: &[RegionId],
        out: &mut [RegionId],
    ) {
        for (place, region) in places.iter().zip(out) {
            *region = self.region_at(&site.ground, *place);
        }
    }

    fn room_in(
        &self,
        map: &NavMap,
        places: &[Location],
        _: &[Vec2],
        regions: &[RegionId],
        out: &mut [Room],
    ) -> bool {
        if !self.round {
            return false;
        }
        for ((place, &region), room) in places.iter().zip(regions).zip(out) {
            let (centre, r) = (place.point.truncate(), region as usize);
            *room = Room {
                centre,
                radius: self.radius.get(r).map_or(0.0, |&radius| {
                    let middle = map.region_place[r].point.truncate();
                    let ring =
                        map.region_ring_start[r] as usize..map.region_ring_start[r + 1] as usize;
                    regular_slack(&map.region_ring[ring], middle, radius, centre)
                }),
            };
        }
        true
    }

    fn bytes(&self) -> usize {
        let regions = self.region_of_sample.capacity() + self.region_of_square.capacity();
        self.samples.bytes() + regions * 4 + self.discs.bytes()
    }
}

impl NavGraph {
    fn draw(
        &mut self,
        ground: &GroundView<'_>,
        samples: Samples,
        chosen: choose::Chosen,
        map: &mut NavMap,
    ) {
        let discs = &chosen.discs;
        let centres: Vec<Vec3> = discs.iter().map(|d| d.at.point).collect();
        self.discs = Buckets::of(&centres, self.largest.max(1.0), ground.plan);
        self.radius = discs.iter().map(|d| d.radius).collect();
        map.node_place = discs.iter().map(|d| d.at).collect();
        map.node_region = (0..discs.len() as RegionId).collect();
        map.region_place = map.node_place.clone();
        gates::write(discs, &chosen.links, map);
        map.region_area = vec![0.0; discs.len()];
        let mut region_of = chosen.disc_of_sample;
        for (s, region) in region_of.iter_mut().enumerate() {
            if *region == NONE {
                // No disc reaches it: it belongs to the nearest one, which is not larger for it.
                *region = self.nearest_disc(map, samples.place[s].point);
                continue;
            }
            let share = self.covered_share(ground, map, &samples, s);
            map.region_area[*region as usize] += samples.area[s] * share;
        }
        self.round = ground.flat;
        self.region_of_square = samples.by_square(ground, &region_of);
        self.region_of_sample = region_of;
        self.samples = samples;
        map.region_ring_start.push(0);
        for disc in discs {
            ring(ground, disc, &mut map.region_ring);
            map.region_ring_start.push(map.region_ring.len() as u32);
        }
    }

    /// How much of a sample's surroundings discs cover: samples at the rim of the discs count as
    /// far as points about them are inside.
    fn covered_share(
        &self,
        ground: &GroundView<'_>,
        map: &NavMap,
        samples: &Samples,
        sample: usize,
    ) -> f32 {
        let place = samples.place[sample];
        let deep = |point: Vec3| {
            let mut deepest = f32::NEG_INFINITY;
            self.discs.near(point, self.largest, |d| {
                let centre = map.node_place[d as usize].point;
                let inside =
                    self.radius[d as usize] - samples::distance(ground.plan, centre, point);
                deepest = deepest.max(inside);
            });
            deepest
        };
        let quarter = samples.spacing / 4.0;
        if deep(place.point) > 3.0 * quarter {
            return 1.0;
        }
        let frame = ground.frame_at(place);
        let (mut inside, mut all) = (0, 0);
        for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            let way = Vec2::new(x, y) * quarter;
            let Some(there) = gates::walk(ground, place, frame, way) else {
                continue;
            };
            all += 1;
            inside += u32::from(deep(there.point) >= 0.0);
        }
        if all == 0 {
            1.0
        } else {
            inside as f32 / all as f32
        }
    }

    /// The disc nearest to a point, by the distance to its rim.
    fn nearest_disc(&self, map: &NavMap, point: Vec3) -> RegionId {
        let mut best = (f32::INFINITY, NONE);
        let mut reach = self.largest;
        while best.1 == NONE && reach < 1e9 {
            self.discs.near(point, reach, |d| {
                let rim =
                    map.node_place[d as usize].point.distance(point) - self.radius[d as usize];
                if (rim, d) < best {
                    best = (rim, d);
                }
            });
            reach *= 4.0;
        }
        best.1
    }

    fn region_at(&self, ground: &GroundView<'_>, place: Location) -> RegionId {
        let square = self.samples.square_of(place);
        if let Some(&region) = square.and_then(|s| self.region_of_square.get(s))
            && region != NONE
            && place.is_somewhere()
        {
            return region;
        }
        match self.samples.of(ground, place) {
            Some(sample) => self.region_of_sample[sample],
            None => NONE,
        }
    }

    fn attach_one(&self, ground: &GroundView<'_>, map: &NavMap, place: Location) -> Attachment {
        let region = self.region_at(ground, place);
        if region == NONE {
            return Attachment::NOWHERE;
        }
        let to = |disc: RegionId| map.node_place[disc as usize];
        let mut node = region;
        if !ground.sees(place, to(region)) {
            // A sample across a thin wall, or beyond the discs: the deepest that is in sight.
            let mut best = (f32::INFINITY, NONE);
            self.discs.near(place.point, 2.0 * self.largest, |d| {
                let distance = to(d).point.distance(place.point);
                let share = distance / self.radius[d as usize];
                if (share, d) < best && ground.sees(place, to(d)) {
                    best = (share, d);
                }
            });
            if best.1 != NONE {
                node = best.1;
            }
        }
        Attachment {
            node,
            edge: NONE,
            along: 0.0,
            distance: place.point.distance(to(node).point),
        }
    }
}

/// The outline of a disc as a polygon in its tangent plane.
fn ring(ground: &GroundView<'_>, disc: &Disc, out: &mut Vec<Vec3>) {
    const CORNERS: u32 = 24;
    let frame = ground.frame_at(disc.at);
    let normal = ground.normals[disc.at.triangle as usize];
    for i in 0..CORNERS {
        let angle = i as f32 / CORNERS as f32 * core::f32::consts::TAU;
        let (sine, cosine) = (throng_core::math::sin(angle), throng_core::math::cos(angle));
        let way = Vec2::new(cosine, sine) * disc.radius;
        out.push(disc.at.point + frame.to_world(normal, way));
    }
}

#[cfg(test)]
mod tests;
