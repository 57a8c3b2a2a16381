//! Where places are: the outlines of regions, looked up from the last one or through a grid.
//!
//! A point is in a region if a ray from it to the right crosses the outline an odd number of
//! times. Neighbours share the very bits of their common side and every side is looked at from
//! its lower end, so a point on a border is in exactly one of them.

use glam::{DVec2, Vec2};
use throng_core::{GroundView, Hold, Location, NONE, RegionId, Room};

use super::{
    axis::{Axis, Edge},
    layers::{Layers, NOBODY},
};

/// The outlines of all regions and how to find them.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    outlines: Vec<Outline>,
    /// Where walkers stay in each, and the regions across its four cuts.
    holds: Vec<Hold>,
    grids: Vec<Grid>,
    /// The layers that the ground of each floor may belong to.
    layers_of: Vec<[u16; 2]>,
}

/// The sides of an outline that are cuts; the other two are walls.
const CUTS: [usize; 4] = [0, 2, 3, 5];
/// All of them, as bits of [`Hold::sides`].
const ALL_SIDES: u32 = 0b1111;
/// Which of them the regions of [`beside`] are behind.
const CUT_OF: [usize; 4] = [3, 2, 0, 1];
/// Regions that are looked at one behind the other before all of a neighbourhood are.
const HOPS: usize = 4;
/// Where on the way to the next cut a disc has its centre: not quite in the middle, so that it
/// reaches back beyond its walker.
const HALF_WAY: f64 = 0.48;
/// Cuts farther ahead than this are not looked for, metres.
const AHEAD: f64 = 16.0;
/// Two cuts that meet at less than this angle outside of the region, as a cosine, or are shorter
/// than this, metres: a step may end behind both.
const OPEN: (f64, f64) = (0.5, 0.3);

/// What is known of where a place is.
struct Here {
    layers: [u16; 2],
    /// The stair under it, or [`NOBODY`].
    stair: u16,
}

impl Here {
    const ONE_LAYER: Here = Here {
        layers: [0; 2],
        stair: NOBODY,
    };
}

/// Six corners, coordinates apart.
#[derive(Clone, Copy, Debug)]
struct Outline {
    x: [f64; 6],
    y: [f64; 6],
    layer: u16,
    stair: u16,
}

impl Outline {
    fn of(edge: &Edge) -> Outline {
        let ring = edge.outline();
        Outline {
            x: ring.map(|p| p.x),
            y: ring.map(|p| p.y),
            layer: edge.layer,
            stair: edge.stair,
        }
    }

    /// Whether it can hold places there. Where two stairs share a footprint only one is meant.
    #[inline(always)]
    fn may_be(&self, here: &Here) -> bool {
        (self.layer == here.layers[0] || self.layer == here.layers[1])
            && (here.stair == NOBODY || self.stair == NOBODY || self.stair == here.stair)
    }

    #[inline(always)]
    fn has(&self, p: DVec2) -> bool {
        let mut inside = false;
        for i in 0..6 {
            let j = if i == 5 { 0 } else { i + 1 };
            let (ax, ay, bx, by) = (self.x[i], self.y[i], self.x[j], self.y[j]);
            // From the lower end, whichever way the side is listed.
            let up = by > ay;
            let (lx, ly, hx, hy) = if up {
                (ax, ay, bx, by)
            } else {
                (bx, by, ax, ay)
            };
            let level = (ly > p.y) != (hy > p.y);
            let left = (hx - lx) * (p.y - ly) - (hy - ly) * (p.x - lx) > 0.0;
            inside ^= level & left;
        }
        inside
    }

    fn corner(&self, i: usize) -> DVec2 {
        DVec2::new(self.x[i], self.y[i])
    }

    /// The lines that the four cuts lie on. Where the two at an end leave a hollow in the region
    /// who is on the right side of one of them is in it still, else of both.
    fn hold(&self, beside: &[RegionId; 4]) -> Hold {
        // What single precision may be off, and a little.
        let size = self
            .x
            .iter()
            .chain(&self.y)
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        let grain = 1e-3 + 2e-6 * size;
        let (mut normals, mut from) = ([Vec2::ZERO; 4], [-1e6; 4]);
        let mut across = [NONE; 4];
        for (next, cut) in beside.iter().zip(CUT_OF) {
            across[cut] = *next;
        }
        for (i, side) in CUTS.into_iter().enumerate() {
            let a = self.corner(side);
            let way = self.corner((side + 1) % 6) - a;
            // Cuts into a corner have no length: nobody leaves there.
            if let Some(inward) = way.perp().try_normalize()
                && way.length() > 1e-6
            {
                normals[i] = inward.as_vec2();
                from[i] = (normals[i].as_dvec2().dot(a) + grain) as f32;
            }
        }
        let hollow = [0, 3].map(|middle| {
            let before = self.corner((middle + 5) % 6) - self.corner(middle);
            let after = self.corner((middle + 1) % 6) - self.corner(middle);
            let (short, cosine) = (
                before.length().min(after.length()),
                before.dot(after) / (before.length() * after.length()).max(1e-300),
            );
            after.perp_dot(before) < 0.0 && short > OPEN.1 && cosine < OPEN.0
        });
        Hold::new(normals, from, across, hollow)
    }

    fn distance_squared(&self, p: DVec2) -> f64 {
        let sides = (0..6).map(|side| self.side_squared(side, p));
        sides.fold(f64::INFINITY, f64::min)
    }

    #[inline(always)]
    fn side_squared(&self, side: usize, p: DVec2) -> f64 {
        self.on_side(side, p).distance_squared(p)
    }

    /// The nearest point of a side.
    #[inline(always)]
    fn on_side(&self, side: usize, p: DVec2) -> DVec2 {
        let next = if side == 5 { 0 } else { side + 1 };
        let a = DVec2::new(self.x[side], self.y[side]);
        let way = DVec2::new(self.x[next], self.y[next]) - a;
        let along = (p - a).dot(way) / way.length_squared().max(1e-300);
        a + way * along.clamp(0.0, 1.0)
    }

    /// How far ahead of a point the first of the four cuts is, at most [`AHEAD`] metres.
    #[inline(always)]
    fn cut_ahead(&self, p: DVec2, way: DVec2) -> f64 {
        let mut nearest = AHEAD;
        for side in CUTS {
            let next = if side == 5 { 0 } else { side + 1 };
            let a = DVec2::new(self.x[side], self.y[side]) - p;
            let b = DVec2::new(self.x[next], self.y[next]) - p;
            // Its ends lie on either side of the way.
            let (left, right) = (way.perp_dot(a), way.perp_dot(b));
            if left * right <= 0.0 && left != right {
                let along = way.dot(a + (b - a) * (left / (left - right)));
                if along >= 0.0 && along < nearest {
                    nearest = along;
                }
            }
        }
        nearest
    }

    /// Squared distance to the nearest of the four cuts; the other two sides are walls.
    #[inline(always)]
    fn cuts_squared(&self, p: DVec2) -> f64 {
        let [a, b, c, d] = CUTS.map(|side| self.side_squared(side, p));
        a.min(b).min(c.min(d))
    }

    /// The nearest point of the four cuts.
    #[inline(always)]
    fn nearest_cut(&self, p: DVec2) -> DVec2 {
        let [a, b, c, d] = CUTS.map(|side| self.on_side(side, p));
        let nearer = |a: DVec2, b: DVec2| {
            if b.distance_squared(p) < a.distance_squared(p) {
                b
            } else {
                a
            }
        };
        nearer(nearer(a, b), nearer(c, d))
    }
}

/// A grid over a layer whose cells list the regions that may reach into them.
#[derive(Clone, Debug, Default)]
struct Grid {
    low: DVec2,
    per_metre: f64,
    width: usize,
    height: usize,
    start: Vec<u32>,
    items: Vec<RegionId>,
}

impl Grid {
    fn over(axis: &Axis, layer: usize) -> Grid {
        let edges = || {
            let of_layer = |e: &&Edge| usize::from(e.layer) == layer;
            axis.edges.iter().filter(of_layer)
        };
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut count = 0;
        for edge in edges() {
            for p in edge.outline() {
                (low, high) = (low.min(p), high.max(p));
            }
            count += 1;
        }
        if count == 0 {
            return Grid::default();
        }
        let size = (high - low).max(DVec2::splat(1e-3));
        let cell = (size.x * size.y / f64::from(count)).sqrt();
        let cell = cell.max(size.max_element() / 4096.0);
        let mut grid = Grid {
            low,
            per_metre: 1.0 / cell,
            width: (size.x / cell) as usize + 1,
            height: (size.y / cell) as usize + 1,
            start: Vec::new(),
            items: Vec::new(),
        };
        let mut entries: Vec<(u32, RegionId)> = Vec::new();
        for (r, edge) in axis.edges.iter().enumerate() {
            if usize::from(edge.layer) != layer {
                continue;
            }
            let ring = edge.outline();
            let halves = [
                [ring[0], ring[1], ring[2], ring[3]],
                [ring[3], ring[4], ring[5], ring[0]],
            ];
            for half in halves {
                let from = half.into_iter().fold(DVec2::INFINITY, DVec2::min);
                let to = half.into_iter().fold(DVec2::NEG_INFINITY, DVec2::max);
                let ((x0, y0), (x1, y1)) = (grid.cell(from), grid.cell(to));
                for y in y0..=y1 {
                    for x in x0..=x1 {
                        entries.push(((y * grid.width + x) as u32, r as RegionId));
                    }
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let cells = grid.width * grid.height;
        grid.start = vec![0; cells + 1];
        for (cell, _) in &entries {
            grid.start[*cell as usize + 1] += 1;
        }
        for c in 0..cells {
            grid.start[c + 1] += grid.start[c];
        }
        grid.items = entries.into_iter().map(|e| e.1).collect();
        grid
    }

    fn cell(&self, p: DVec2) -> (usize, usize) {
        let at = (p - self.low) * self.per_metre;
        (
            (at.x.max(0.0) as usize).min(self.width - 1),
            (at.y.max(0.0) as usize).min(self.height - 1),
        )
    }

    fn items(&self, x: usize, y: usize) -> &[RegionId] {
        let c = y * self.width + x;
        &self.items[self.start[c] as usize..self.start[c + 1] as usize]
    }
}

impl Regions {
    pub fn of(ground: &GroundView<'_>, layers: &Layers, axis: &Axis) -> Regions {
        let floors = ground
            .floors
            .iter()
            .max()
            .map_or(0, |f| usize::from(*f) + 1);
        let mut layers_of = vec![[u16::MAX; 2]; floors];
        for (l, layer) in layers.layers.iter().enumerate() {
            layers_of[usize::from(layer.floor)] = [l as u16; 2];
            for wall in &layer.walls {
                for owner in [wall.left, wall.right].into_iter().flatten() {
                    if let Some(of) = layers_of.get_mut(usize::from(owner))
                        && owner != layer.floor
                    {
                        if of[0] == u16::MAX {
                            *of = [l as u16; 2];
                        } else if of[0] != l as u16 {
                            of[1] = l as u16;
                        }
                    }
                }
            }
        }
        let outlines: Vec<Outline> = axis.edges.iter().map(Outline::of).collect();
        let beside = beside(axis);
        let holds = outlines.iter().zip(&beside);
        Regions {
            holds: holds
                .map(|(outline, beside)| outline.hold(beside))
                .collect(),
            outlines,
            grids: (0..layers.layers.len())
                .map(|l| Grid::over(axis, l))
                .collect(),
            layers_of,
        }
    }

    /// The region of a place: looked for in the hint and its neighbours first.
    #[inline]
    pub fn find(&self, ground: &GroundView<'_>, place: Location, hint: RegionId) -> RegionId {
        let p = place.point.truncate().as_dvec2();
        let here = if self.grids.len() == 1 {
            Here::ONE_LAYER
        } else {
            match ground.floors.get(place.triangle as usize) {
                Some(&floor) => Here {
                    layers: self.layers_of[usize::from(floor)],
                    stair: if floor < ground.floor_count {
                        NOBODY
                    } else {
                        floor
                    },
                },
                None => return NONE,
            }
        };
        let has = |r: RegionId| {
            let outline = &self.outlines[r as usize];
            outline.has(p) && outline.may_be(&here)
        };
        // Who is beyond a cut is most likely behind it, or behind that of a small region there.
        let (mut at, mut from) = (hint, NONE);
        for _ in 0..HOPS {
            let Some(hold) = self.holds.get(at as usize) else {
                break;
            };
            let sides = hold.sides(place.point.truncate());
            if sides == ALL_SIDES && has(at) {
                return at;
            }
            let mut ahead = NONE;
            for cut in CUT_OF {
                let next = hold.across(cut);
                if sides >> cut & 1 == 0 && next != NONE && next != from {
                    if has(next) {
                        return next;
                    }
                    ahead = if ahead == NONE { next } else { ahead };
                }
            }
            if sides != ALL_SIDES && has(at) {
                return at;
            }
            (at, from) = (ahead, at);
        }
        self.search(p, &here)
    }

    /// Reads the outlines about some regions, all at once: they lie far apart in memory, and one that
    /// comes from there would keep the next one waiting.
    pub fn read_ahead(&self, hints: &[RegionId]) {
        let of = |hint: &RegionId| self.holds.get(*hint as usize);
        let next = hints.iter().filter_map(of).flat_map(|hold| {
            let across = (0..4).map(|cut| hold.across(cut));
            across.filter_map(|next| self.outlines.get(next as usize))
        });
        std::hint::black_box(next.fold(0.0, |seen, outline| seen + outline.x[0] + outline.y[5]));
    }

    /// Where walkers stay in each region.
    pub fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// A disc in which a walker in a region is in it still: nobody leaves through a wall, so what
    /// counts are the cuts, and a disc without a cut is left before the region is. Behind a cut
    /// that the walker leaves it lies ahead, half-way to the next one.
    #[inline]
    pub fn room(&self, place: Location, way: Vec2, region: RegionId) -> Room {
        /// Left of every distance to allow for rounding, metres.
        const GRAIN: f64 = 1e-3;
        let p = place.point.truncate().as_dvec2();
        let disc = |centre: DVec2, squared: f64| Room {
            centre: centre.as_vec2(),
            radius: (squared.sqrt() - GRAIN).max(0.0) as f32,
        };
        match self.outlines.get(region as usize) {
            Some(outline) if outline.has(p) => {
                let cut = outline.nearest_cut(p);
                let (from_cut, squared) = (p - cut, p.distance_squared(cut));
                if from_cut.dot(way.as_dvec2()) > 0.0 && squared > GRAIN * GRAIN {
                    let away = from_cut / squared.sqrt();
                    let ahead = HALF_WAY * outline.cut_ahead(p, away);
                    let centre = p + away * ahead;
                    let there = outline.cuts_squared(centre);
                    let least = ahead + 2.0 * GRAIN;
                    if there > least * least {
                        return disc(centre, there);
                    }
                }
                disc(p, squared)
            }
            _ => disc(p, 0.0),
        }
    }

    /// The grids of the layers that a place may be on.
    fn grids_at(&self, here: &Here) -> impl Iterator<Item = &Grid> {
        let [one, two] = here.layers;
        let second = (two != one).then_some(two);
        [Some(one), second]
            .into_iter()
            .flatten()
            .filter_map(|l| self.grids.get(usize::from(l)))
            .filter(|grid| !grid.start.is_empty())
    }

    fn search(&self, p: DVec2, here: &Here) -> RegionId {
        for grid in self.grids_at(here) {
            let (x, y) = grid.cell(p);
            let has = |r: &&RegionId| {
                let outline = &self.outlines[**r as usize];
                outline.has(p) && outline.may_be(here)
            };
            if let Some(&found) = grid.items(x, y).iter().find(has) {
                return found;
            }
        }
        self.nearest(p, here)
    }

    /// The nearest region, for points on walls and off the ground.
    fn nearest(&self, p: DVec2, here: &Here) -> RegionId {
        let mut best = (f64::INFINITY, NONE);
        for grid in self.grids_at(here) {
            let (cx, cy) = grid.cell(p);
            for ring in 0..=grid.width.max(grid.height) {
                // Cells of this ring are at least so far, for a point in the middle cell.
                let far = (ring.saturating_sub(1)) as f64 / grid.per_metre;
                if best.0 < far * far {
                    break;
                }
                let rows = cy.saturating_sub(ring)..=(cy + ring).min(grid.height - 1);
                for y in rows {
                    let columns = cx.saturating_sub(ring)..=(cx + ring).min(grid.width - 1);
                    for x in columns {
                        if x.abs_diff(cx).max(y.abs_diff(cy)) != ring {
                            continue;
                        }
                        for &r in grid.items(x, y) {
                            let outline = &self.outlines[r as usize];
                            let distance = outline.distance_squared(p);
                            if (distance, r) < best && outline.may_be(here) {
                                best = (distance, r);
                            }
                        }
                    }
                }
            }
        }
        best.1
    }

    pub fn bytes(&self) -> usize {
        let grids: usize = self
            .grids
            .iter()
            .map(|g| (g.start.capacity() + g.items.capacity()) * 4)
            .sum();
        grids
            + self.outlines.capacity() * size_of::<Outline>()
            + self.holds.capacity() * size_of::<Hold>()
    }
}

/// Regions that share a cut from a node to one of its feet.
fn beside(axis: &Axis) -> Vec<[RegionId; 4]> {
    // By node and the bits of the foot: both sides of a cut have the same.
    let mut cuts: Vec<(u32, [u64; 2], u32)> = Vec::with_capacity(axis.edges.len() * 4);
    for (r, edge) in axis.edges.iter().enumerate() {
        for side in 0..2 {
            for end in 0..2 {
                let foot = edge.feet[side][end].to_array().map(f64::to_bits);
                cuts.push((edge.nodes[end], foot, (r * 4 + side * 2 + end) as u32));
            }
        }
    }
    cuts.sort_unstable();
    let mut beside = vec![[NONE; 4]; axis.edges.len()];
    for pair in cuts.windows(2) {
        let (a, b) = (pair[0].2 as usize, pair[1].2 as usize);
        if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && a / 4 != b / 4 {
            beside[a / 4][a % 4] = (b / 4) as RegionId;
            beside[b / 4][b % 4] = (a / 4) as RegionId;
        }
    }
    beside
}
