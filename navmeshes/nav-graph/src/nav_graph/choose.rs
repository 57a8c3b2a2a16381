//! Which discs cover the ground, largest first, and which of them hang together.

use std::collections::BTreeMap;

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{GroundView, Location, NONE, RegionId};
use throng_kit::Walk;

use super::gates::{self, Link};
use super::samples::{Buckets, Samples, distance};

/// A sample counts as covered this deep inside a disc, as a share of its radius.
const DEEP: f32 = 0.97;
/// A new disc covers the sample that it is for this deep: gates to its neighbours are wide then.
const COVERS: f32 = 0.8;
/// Clearances that differ by less than this share count as equal: then spreading out decides.
const EQUAL: f32 = 0.02;

/// A disc of free space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub at: Location,
    /// Its radius, metres.
    pub radius: f32,
}

/// The discs of a ground.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The discs.
    pub discs: Vec<Disc>,
    /// Gates between them.
    pub links: Vec<Link>,
    /// The disc that each sample is deepest in, or NONE.
    pub disc_of_sample: Vec<RegionId>,
}

struct Choice<'a> {
    ground: &'a GroundView<'a>,
    samples: &'a Samples,
    buckets: Buckets,
    discs: Vec<Disc>,
    /// Depth of each sample in its disc: distance to the centre over the radius.
    depth: Vec<f32>,
    disc_of: Vec<RegionId>,
    largest: f32,
    /// Area of the samples in discs.
    covered: f64,
    /// Discs by cells of plan or space, for looking up those near a place.
    placed: BTreeMap<[i32; 3], Vec<u32>>,
}

/// Whether a place lies on the sheet of ground that a disc is on.
fn same_sheet(ground: &GroundView<'_>, centre: Location, place: Location) -> bool {
    if ground.flat || centre.triangle == place.triangle {
        return true;
    }
    let level = (centre.point.z - place.point.z).abs() < 0.01;
    let floors = ground.floors;
    let same_floor = floors[centre.triangle as usize] == floors[place.triangle as usize];
    ground.plan && level && same_floor || ground.sees(centre, place)
}

impl Choice<'_> {
    fn cell(&self, at: Location) -> [i32; 3] {
        let p = at.point / self.largest;
        let z = if self.ground.plan { 0.0 } else { p.z };
        [p.x, p.y, z].map(|c| c.floor() as i32)
    }

    fn apart(&self, a: Location, b: Location) -> f32 {
        distance(self.ground.plan, a.point, b.point)
    }

    /// Lists the centres of the discs so far that are within three times the largest radius.
    fn discs_near(&self, at: Location, out: &mut Vec<Location>) {
        out.clear();
        let [x, y, z] = self.cell(at);
        let deep = if self.ground.plan { 0 } else { 3 };
        for dz in -deep..=deep {
            for dy in -3..=3 {
                for dx in -3..=3 {
                    let here = self.placed.get(&[x + dx, y + dy, z + dz]);
                    let discs = here.into_iter().flatten();
                    out.extend(discs.map(|&d| self.discs[d as usize].at));
                }
            }
        }
    }

    fn add(&mut self, disc: Disc) {
        let id = self.discs.len() as u32;
        self.discs.push(disc);
        self.placed.entry(self.cell(disc.at)).or_default().push(id);
        let (ground, samples) = (self.ground, self.samples);
        let (depth, disc_of) = (&mut self.depth, &mut self.disc_of);
        let covered = &mut self.covered;
        self.buckets.near(disc.at.point, disc.radius, |s| {
            let place = samples.place[s as usize];
            let deep = distance(ground.plan, place.point, disc.at.point) / disc.radius;
            if deep < depth[s as usize] && same_sheet(ground, disc.at, place) {
                if disc_of[s as usize] == NONE {
                    *covered += f64::from(samples.area[s as usize]);
                }
                depth[s as usize] = deep;
                disc_of[s as usize] = id;
            }
        });
    }

    /// Moves a disc uphill in clearance while it still covers what it is for, `reach` at most.
    fn uphill(&self, start: Disc, covers: Location, reach: f32) -> Disc {
        let mut best = start;
        let mut step = self.samples.spacing;
        while step > self.samples.spacing / 16.0 && best.radius < self.largest {
            let frame = self.ground.frame_at(best.at);
            let mut found = best;
            for (x, y) in [
                (1, 0),
                (1, 1),
                (0, 1),
                (-1, 1),
                (-1, 0),
                (-1, -1),
                (0, -1),
                (1, -1),
            ] {
                let way = Vec2::new(x as f32, y as f32).normalize() * step;
                let Some(at) = gates::walk(self.ground, best.at, frame, way) else {
                    continue;
                };
                let radius = self.ground.clearance(at, self.largest);
                let near =
                    self.apart(at, covers) <= COVERS * radius && self.apart(at, start.at) <= reach;
                if near && radius > found.radius * 1.001 {
                    found = Disc { at, radius };
                }
            }
            if found == best {
                step /= 2.0;
            } else {
                best = found;
            }
        }
        best
    }
}

/// Covers the samples of a ground with discs and links those that overlap.
pub fn choose(
    ground: &GroundView<'_>,
    samples: &Samples,
    least: f32,
    largest: f32,
    coverage: f32,
) -> Chosen {
    let clearance: Vec<f32> = samples
        .place
        .par_iter()
        .with_min_len(256)
        .map(|place| ground.clearance(*place, largest))
        .collect();
    let points: Vec<_> = samples.place.iter().map(|p| p.point).collect();
    let mut order: Vec<u32> = (0..samples.place.len() as u32).collect();
    // Coarse steps of clearance, so that open ground is swept and not sprinkled.
    let steps = |s: u32| -(clearance[s as usize] / (largest * 0.1)).floor() as i32;
    order.sort_by_key(|&s| (steps(s), s));
    let mut choice = Choice {
        ground,
        samples,
        buckets: Buckets::of(&points, (largest / 2.0).max(samples.spacing), ground.plan),
        discs: Vec::new(),
        depth: vec![f32::INFINITY; points.len()],
        disc_of: vec![NONE; points.len()],
        largest,
        covered: 0.0,
        placed: Default::default(),
    };
    let all: f64 = samples.area.iter().map(|a| f64::from(*a)).sum();
    let (mut candidates, mut placed) = (Vec::new(), Vec::new());
    for &p in &order {
        if choice.depth[p as usize] <= DEEP {
            continue;
        }
        // The rest are corners and slivers, for which many tiny discs would be needed.
        if choice.covered >= f64::from(coverage) * all {
            break;
        }
        let place = samples.place[p as usize];
        let mut best: Option<(f32, f32, u32)> = None;
        candidates.clear();
        choice.discs_near(place, &mut placed);
        choice.buckets.near(place.point, COVERS * largest, |q| {
            let radius = clearance[q as usize];
            let near = choice.apart(samples.place[q as usize], place);
            if radius >= least && near <= COVERS * radius {
                candidates.push(q);
            }
        });
        let widest = candidates
            .iter()
            .map(|&q| clearance[q as usize])
            .fold(0.0, f32::max);
        for &q in &candidates {
            let there = samples.place[q as usize];
            if clearance[q as usize] < widest * (1.0 - EQUAL) || !same_sheet(ground, there, place) {
                continue;
            }
            // Far from the others, so that few discs do.
            let lonely = placed.iter().map(|&other| choice.apart(other, there));
            let lonely = lonely.fold(2.0 * largest, f32::min);
            let key = (lonely, -choice.apart(there, place), q);
            if best.is_none_or(|b| (key.0, key.1) > (b.0, b.1)) {
                best = Some(key);
            }
        }
        let start = match best {
            Some((.., q)) => Disc {
                at: samples.place[q as usize],
                radius: clearance[q as usize],
            },
            None => Disc {
                at: place,
                radius: clearance[p as usize],
            },
        };
        let disc = choice.uphill(start, place, largest);
        if disc.radius >= least {
            choice.add(disc);
        }
    }
    let mut links = gates::links(ground, &choice.discs, 0, largest);
    for round in 0..5 {
        let first = choice.discs.len();
        if round == 0 {
            cover_gaps(&mut choice, &links, &clearance, least);
        } else {
            bridge(&mut choice, &links, least);
        }
        if choice.discs.len() == first && round > 0 {
            break;
        }
        links.extend(gates::links(ground, &choice.discs, first, largest));
    }
    Chosen {
        links: gates::worthwhile(links, choice.discs.len()),
        discs: choice.discs,
        disc_of_sample: choice.disc_of,
    }
}

/// Covers those parts of what is left uncovered that join discs which do not hang together.
fn cover_gaps(choice: &mut Choice<'_>, links: &[Link], clearance: &[f32], least: f32) {
    let (ground, samples) = (choice.ground, choice.samples);
    let mut sets = gates::Sets::new(choice.discs.len());
    for link in links {
        sets.join(link.a, link.b);
    }
    let mut gaps = gates::Sets::new(samples.place.len());
    let mut touches = Vec::new();
    samples.pairs(ground, |a, b| {
        let (da, db) = (choice.disc_of[a], choice.disc_of[b]);
        if (da == NONE || db == NONE) && ground.sees(samples.place[a], samples.place[b]) {
            match (da, db) {
                (NONE, NONE) => {
                    gaps.join(a as u32, b as u32);
                }
                (NONE, disc) => touches.push((a as u32, disc)),
                (disc, _) => touches.push((b as u32, disc)),
            }
        }
    });
    let mut touched: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (sample, disc) in touches {
        let roots = touched.entry(gaps.root(sample)).or_default();
        let root = sets.root(disc);
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    for s in 0..samples.place.len() {
        if choice.disc_of[s] != NONE || clearance[s] < least / 4.0 {
            continue;
        }
        let joins = touched.get(&gaps.root(s as u32));
        if joins.is_some_and(|roots| roots.len() > 1) {
            let (at, radius) = (samples.place[s], clearance[s]);
            let disc = choice.uphill(Disc { at, radius }, at, choice.largest);
            if disc.radius >= least {
                choice.add(disc);
            }
        }
    }
}

/// Adds discs at samples next to each other whose discs do not hang together.
fn bridge(choice: &mut Choice<'_>, links: &[Link], least: f32) {
    let mut sets = gates::Sets::new(choice.discs.len());
    for link in links {
        sets.join(link.a, link.b);
    }
    let roots: Vec<u32> = (0..choice.discs.len() as u32)
        .map(|d| sets.root(d))
        .collect();
    let mut apart = Vec::new();
    choice.samples.pairs(choice.ground, |a, b| {
        let (da, db) = (choice.disc_of[a], choice.disc_of[b]);
        if da != NONE && db != NONE && roots[da as usize] != roots[db as usize] {
            apart.push((a, b));
        }
    });
    for (a, b) in apart {
        let (pa, pb) = (choice.samples.place[a], choice.samples.place[b]);
        if !choice.ground.sees(pa, pb) {
            continue;
        }
        // A disc at each of the two, hardly moved: each overlaps its own disc and the other.
        for at in [pa, pb] {
            let radius = choice.ground.clearance(at, choice.largest);
            let reach = choice.samples.spacing / 4.0;
            let disc = choice.uphill(Disc { at, radius }, at, reach);
            if disc.radius >= least / 2.0 {
                choice.add(disc);
            }
        }
    }
}
