//! The nearest relevant neighbours of a chunk of agents.
//!
//! The search begins with the distance of the k-th neighbour last time, plus what one can
//! have walked since, and grows until it has found k or reached the model's own reach. Whatever
//! it began with, it finds the same.

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use glam::{Vec2, Vec3};
use throng_core::{
    AgentsView, Frame, GroundView, NON_RECIPROCAL, NONE, Neighbour, Perception, SAME_GROUP,
};

use super::{
    buffer::NeighbourBuffer,
    curved::Look,
    grid::{Entry, NeighbourGrid},
    rank::{BESIDE, LANES},
    stacks::{Between, all, dot, minus},
    storeys::View,
};
use crate::relevance::{Screens, Sight};

/// How much farther to look when too few were found.
pub(super) const GROWTH: f32 = 1.5;

impl NeighbourGrid {
    /// A distance within which no standing wall is, on a ground that is not flat; at most `limit`.
    pub fn clear_distance(&self, ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
        self.screens.clear_distance(ground, at, limit)
    }

    /// Finds for each row of a chunk the nearest relevant neighbours, at most `perception.most`
    /// within `perception.reach`.
    ///
    /// `clear` has a distance per row within which no wall is, or is empty: not known. `kth` has a
    /// number per row of the chunk, kept by the caller from step to step: the distance of the last
    /// neighbour found, or anything (infinity) if there is none. It saves time and never changes
    /// the result. `max_step` is how much farther to look at first: what one can have walked
    /// since. Two who part go twice as far, but of the last of several neighbours that is rare.
    pub fn gather(
        &self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        rows: &[u32],
        perception: Perception,
        clear: &[f32],
        kth: &mut [f32],
        max_step: f32,
        out: &mut NeighbourBuffer,
    ) {
        let search = Search {
            grid: self,
            ground,
            reach: perception.reach,
            most: perception.most as usize,
            guess: self.guess(perception.most as usize),
            max_step,
        };
        if search.most == 0 || !(search.reach > 0.0) {
            out.clear(rows.len());
            return;
        }
        out.begin();
        let level = Level::new();
        if ground.flat {
            dispatch!(level, simd => search.flat_rows(simd, rows, clear, kth, out));
        } else {
            dispatch!(level, simd => search.curved_rows(simd, agents, rows, clear, kth, out));
        }
    }
}

/// What is the same for all agents of a chunk.
pub(super) struct Search<'a> {
    pub grid: &'a NeighbourGrid,
    pub ground: GroundView<'a>,
    pub reach: f32,
    pub most: usize,
    guess: f32,
    pub max_step: f32,
}

impl Search<'_> {
    /// The distance to begin with.
    #[inline(always)]
    pub(super) fn hint(&self, kth: f32) -> f32 {
        if kth > 0.0 && kth <= self.reach {
            kth + self.max_step
        } else {
            self.guess
        }
    }

    /// The neighbours of a chunk of rows on a ground that is not flat.
    #[inline(always)]
    fn curved_rows<S: Simd>(
        &self,
        simd: S,
        agents: &AgentsView<'_>,
        rows: &[u32],
        clear: &[f32],
        kth: &mut [f32],
        out: &mut NeighbourBuffer,
    ) {
        for (i, (&row, kth)) in rows.iter().zip(kth).enumerate() {
            if let Some(own) = self.entry_of(row) {
                let normal = self.ground.normals[agents.location[row as usize].triangle as usize];
                let frame = agents.frame_of(row as usize);
                out.reserve(self.most);
                // Walls stand upright on plans: none is between those who are nearer, seen from above.
                let clear = clear.get(i).copied().filter(|_| self.ground.plan);
                let open =
                    clear.map_or(-1.0, |clear| if clear > 0.0 { clear * clear } else { -1.0 });
                *kth = self.curved(simd, own, self.hint(*kth), open, frame, normal, out);
            }
            out.end_row();
        }
    }

    #[inline(always)]
    fn curved<S: Simd>(
        &self,
        simd: S,
        own: usize,
        hint: f32,
        open: f32,
        frame: Frame,
        normal: Vec3,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let standing = &grid.standing[own];
        // Upright bodies are never nearer than their feet seen from above; others may lean
        // towards each other: who looks is somewhere between its feet and its head, the other
        // anywhere about its feet.
        let (feet, head) = (standing.body.feet, standing.body.head());
        let lean = if self.ground.plan { 0.0 } else { grid.tallest };
        let mut distance = hint.min(self.reach);
        loop {
            let body = &standing.body;
            let (low, high, view) = if self.ground.plan {
                let view = grid.view_of(body, distance);
                let storey = Vec3::Z * (view.all - distance);
                (feet - storey, feet + storey, view)
            } else {
                (feet.min(head), feet.max(head), View::ENDLESS)
            };
            let look = Look::new(
                body,
                distance,
                &grid.relevance,
                &grid.bodies,
                Between::Towards,
            )
            .within(view.all);
            out.about.clear();
            grid.runs_in_view(
                low,
                high,
                distance + lean,
                feet.z,
                view,
                // Inlined, or it would leave the instruction set of the caller.
                #[inline(always)]
                |run| out.about.add(simd, &look, &grid.bodies, own, run),
            );
            out.about.end();
            out.candidates.clear();
            for first in (0..out.about.len()).step_by(LANES) {
                let (entries, given) = out.about.eight(simd, first);
                let measured = look.measure(simd, &grid.bodies, entries, given);
                out.candidates.add(simd, entries, &measured);
            }
            let found = out.candidates.len();
            let last = distance >= self.reach;
            if found >= self.most || last {
                out.candidates
                    .rank(simd, found, |e| grid.entries[(e & !BESIDE) as usize].id);
                let first = out.used;
                let farthest = self.take_visible(simd, own, open, frame, normal, out);
                if out.used - first == self.most {
                    return farthest.sqrt();
                }
                if last {
                    return self.reach;
                }
                out.used = first;
            }
            distance = (distance * GROWTH).min(self.reach);
        }
    }

    /// Writes the first of the ranked candidates that no wall hides; gives the squared distance of
    /// the last. Whoever is beside the one who looks, within a distance whose square is `open`, is
    /// hidden by none.
    #[inline(always)]
    fn take_visible<S: Simd>(
        &self,
        simd: S,
        own: usize,
        open: f32,
        frame: Frame,
        normal: Vec3,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let (standing, group) = (&grid.standing[own], grid.entries[own].group);
        // Walls are listed when the first is met whom one may hide.
        let (mut listed, mut walled) = (false, false);
        let first = out.used;
        let end = first + self.most;
        let (mut world, mut taken) = (World::default(), [0; LANES]);
        let mut farthest = 0.0;
        for place in 0..out.candidates.len() {
            let (squared, e) = out.candidates.ranked(place);
            let (beside, e) = (e & BESIDE != 0, e & !BESIDE);
            let (other, entry) = (&grid.standing[e as usize], &grid.entries[e as usize]);
            if !(beside && squared <= open) {
                if !listed {
                    (listed, walled) = (true, self.list_screens(simd, own, out));
                }
                let behind = walled && out.screens.may_hide(place);
                if behind && self.hidden(own, e as usize, place, &out.screens) {
                    continue;
                }
            }
            let one_sided =
                !grid.relevance.symmetric && grid.relevance.relation(&standing.body, &other.body).1;
            let lane = (out.used - first) % LANES;
            world.set(lane, out.candidates.to(place), other.velocity);
            taken[lane] = e;
            out.radius[out.used] = entry.radius;
            let one_sided = NON_RECIPROCAL * u8::from(one_sided);
            out.flags[out.used] = one_sided | grid.flags[e as usize] | same_group(group, entry);
            out.id[out.used] = entry.id;
            out.used += 1;
            farthest = squared;
            if lane + 1 == LANES {
                let these = &mut out.seen[out.used - LANES..out.used];
                self.project(simd, own, frame, normal, &world, &taken, these);
            }
            if out.used == end {
                break;
            }
        }
        let left = (out.used - first) % LANES;
        if left > 0 {
            let these = &mut out.seen[out.used - left..out.used];
            self.project(simd, own, frame, normal, &world, &taken, these);
        }
        farthest
    }

    /// Neighbours as seen in the tangent plane of somebody: directions by projection, lengths as in
    /// space.
    #[inline(always)]
    fn project<S: Simd>(
        &self,
        simd: S,
        own: usize,
        frame: Frame,
        normal: Vec3,
        world: &World,
        taken: &[u32; LANES],
        out: &mut [Neighbour],
    ) {
        let (x, y) = (frame.x, frame.y(normal));
        // The operations of [`Frame::offset`]. A macro rather than a closure: a call would leave
        // the instruction set.
        macro_rules! laid_flat {
            ($vectors:expr) => {{
                let [wx, wy, wz] = $vectors;
                let wx = f32x8::load_array_ref(simd, wx);
                let wy = f32x8::load_array_ref(simd, wy);
                let wz = f32x8::load_array_ref(simd, wz);
                let along = wx * x.x + wy * x.y + wz * x.z;
                let left = wx * y.x + wy * y.y + wz * y.z;
                let length = wx * wx + wy * wy + wz * wz;
                let seen = along * along + left * left;
                let longer = (length / seen).sqrt();
                let (flat, zero) = (seen.simd_gt(1e-12), f32x8::splat(simd, 0.0));
                let along: [f32; LANES] = flat.select(along * longer, zero).into();
                let left: [f32; LANES] = flat.select(left * longer, zero).into();
                (along, left)
            }};
        }
        let (ox, oy) = laid_flat!(&world.offset);
        let (vx, vy) = laid_flat!(&world.velocity);
        for (lane, out) in out.iter_mut().enumerate() {
            *out = Neighbour {
                offset: Vec2::new(ox[lane], oy[lane]),
                velocity: Vec2::new(vx[lane], vy[lane]),
            };
            if out.offset == Vec2::ZERO {
                let between = Vec3::from(world.offset.map(|column| column[lane]));
                let [own, other] = [own, taken[lane] as usize].map(|e| &self.grid.standing[e]);
                let feet = frame.offset(normal, other.body.feet - own.body.feet);
                // Straight above or below: some direction, so that the distance is not lost.
                let some = feet.try_normalize().unwrap_or(Vec2::X);
                out.offset = some * between.length();
            }
        }
    }

    /// Lists the walls that may hide a candidate; says whether there may be any.
    #[inline(always)]
    fn list_screens<S: Simd>(&self, simd: S, own: usize, out: &mut NeighbourBuffer) -> bool {
        let grid = self.grid;
        if !grid.relevance.occlusion || self.ground.walls.is_empty() {
            return false;
        }
        let body = &grid.standing[own].body;
        let waist = all(simd, body.waist());
        let (mut low, mut high) = (waist[2], waist[2]);
        let mut farthest = f32x8::splat(simd, 0.0);
        out.waists.clear();
        for first in (0..out.candidates.len()).step_by(LANES) {
            // The last are filled with the own.
            let mut entries = [own as u32; LANES];
            let left = out.candidates.len() - first;
            for (lane, entry) in entries.iter_mut().enumerate().take(left) {
                *entry = out.candidates.ranked(first + lane).1 & !BESIDE;
            }
            let theirs = grid.bodies.eight(simd, &entries).waist();
            let apart = minus(theirs, waist);
            farthest = farthest.max(dot(apart, apart));
            (low, high) = (low.min(theirs[2]), high.max(theirs[2]));
            let [x, y, z] = theirs;
            out.waists.push([x.into(), y.into(), z.into()]);
        }
        let [farthest, low, high]: [[f32; LANES]; 3] = [farthest.into(), low.into(), high.into()];
        let sight = Sight {
            distance: farthest.into_iter().fold(0.0, f32::max).sqrt(),
            tallest: grid.tallest,
            low: low.into_iter().fold(f32::INFINITY, f32::min),
            high: high.into_iter().fold(f32::NEG_INFINITY, f32::max),
        };
        let (ground, index) = (&self.ground, &grid.screens);
        out.screens
            .list(simd, ground, index, body, sight, &out.waists);
        true
    }

    /// Whether a wall is between two entries, the same for both.
    fn hidden(&self, own: usize, other: usize, place: usize, screens: &Screens) -> bool {
        let (mut a, mut b) = (own, other);
        if self.grid.entries[a].id > self.grid.entries[b].id {
            core::mem::swap(&mut a, &mut b);
        }
        let body = |e: usize| &self.grid.standing[e].body;
        screens.between(&self.ground, body(a), body(b), place)
    }
}

/// The flag of a neighbour of somebody in this group.
#[inline(always)]
pub(super) fn same_group(group: u32, other: &Entry) -> u8 {
    SAME_GROUP * u8::from((other.group == group) & (group != NONE))
}

/// Offsets and velocities of up to eight neighbours in world directions, in columns.
#[derive(Default)]
struct World {
    offset: [[f32; LANES]; 3],
    velocity: [[f32; LANES]; 3],
}

impl World {
    #[inline(always)]
    fn set(&mut self, lane: usize, offset: Vec3, velocity: Vec3) {
        for (axis, (offset, velocity)) in
            (offset.to_array().into_iter().zip(velocity.to_array())).enumerate()
        {
            self.offset[axis][lane] = offset;
            self.velocity[axis][lane] = velocity;
        }
    }
}
