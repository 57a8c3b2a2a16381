//! Half-planes of allowed velocities beside other agents, for sixteen agents at once.
//!
//! The velocity obstacle of a neighbour is a cone with a round front (van den Berg and others,
//! section 3). `u` is the least change of the relative velocity that leaves it; each of the two
//! takes its share of it, half when both avoid each other (section 4, equation 5), all of it when
//! the neighbour avoids nobody. In terms of the unit normal `n` of the boundary nearest to the
//! relative velocity, the half-plane is `n . v >= n . v_own + share * (u . n)`.

use fearless_simd::{Simd, f32x4, f32x16, mask32x16, prelude::*};
use throng_core::{NON_RECIPROCAL, NeighbourRows, SAME_GROUP, random::mix};

use super::lanes::{LANES, Planes, Row, any, greater};

/// The agents of sixteen lanes.
#[derive(Clone, Copy)]
pub struct Own<S: Simd> {
    /// First component of the velocity.
    pub vx: f32x16<S>,
    /// Second component.
    pub vy: f32x16<S>,
    /// Radius.
    pub radius: f32x16<S>,
}

/// Who is nearer than this is at hand, metres.
pub const CONTACT: f32 = 0.05;

/// What half-planes depend on beside agents and neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Collisions within this time are avoided, seconds.
    pub horizon: f32,
    /// Length of the step, seconds.
    pub dt: f32,
    /// See [`Orca::contact_share`](super::Orca::contact_share).
    pub contact_share: f32,
    /// Share of the horizon that counts within a group.
    pub companions: f32,
}

/// Where the neighbours of sixteen lanes are in the chunk's rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spans {
    /// First entry of each lane.
    pub first: [u32; LANES],
    /// Entries of each lane.
    pub count: [u32; LANES],
}

impl Spans {
    /// Entries of the lane that has most.
    pub fn longest(&self) -> usize {
        self.count.iter().fold(0, |most, &c| most.max(c)) as usize
    }
}

/// The neighbours of the same rank of sixteen agents.
struct Seen<S: Simd> {
    px: f32x16<S>,
    py: f32x16<S>,
    vx: f32x16<S>,
    vy: f32x16<S>,
    radius: f32x16<S>,
    share: f32x16<S>,
    /// Of the same group as we, if anybody is.
    companion: Option<mask32x16<S>>,
}

/// Turns four records (x, y, z, w) into four columns.
#[inline(always)]
fn columns<S: Simd>(r: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (a, b) = (r[0].zip_low(r[2]), r[0].zip_high(r[2]));
    let (c, d) = (r[1].zip_low(r[3]), r[1].zip_high(r[3]));
    [a.zip_low(c), a.zip_high(c), b.zip_low(d), b.zip_high(d)]
}

/// The neighbours of a chunk of agents, and what they have in common.
#[derive(Clone, Copy)]
pub struct Near<'a> {
    rows: NeighbourRows<'a>,
    /// The radius of all, if they have one.
    one_radius: Option<f32>,
    /// Whether all avoid us too.
    reciprocal: bool,
    /// Whether none is of our group.
    strangers: bool,
}

impl<'a> Near<'a> {
    /// Looks for what they have in common.
    #[inline(always)]
    pub fn new<S: Simd>(simd: S, rows: &NeighbourRows<'a>) -> Near<'a> {
        let (radii, flags) = (rows.radius, rows.flags);
        let first_radius = radii.first().copied().unwrap_or(0.0);
        let (whole, rest) = radii.as_chunks::<LANES>();
        let mut differ = mask32x16::splat(simd, false);
        for some in whole {
            differ |= f32x16::load_array_ref(simd, some).simd_ne(first_radius);
        }
        let same = !any(differ) && rest.iter().all(|r| *r == first_radius);
        let (whole, rest) = flags.as_chunks::<LANES>();
        let all_flags = whole.iter().fold(0, |all, f| all | u128::from_le_bytes(*f));
        let none = |flag: u8| {
            let wanted = u128::from_le_bytes([flag; LANES]);
            all_flags & wanted == 0 && rest.iter().all(|f| f & flag == 0)
        };
        Near {
            rows: *rows,
            one_radius: same.then_some(first_radius),
            reciprocal: none(NON_RECIPROCAL),
            strangers: none(SAME_GROUP),
        }
    }

    /// The neighbours of one rank, whatever stands there for lanes that have fewer.
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, spans: &Spans, rank: u32) -> Seen<S> {
        let rows = &self.rows;
        let last = rows.seen.len() - 1;
        let (seen, radii, flags) = (
            &rows.seen[..=last],
            &rows.radius[..=last],
            &rows.flags[..=last],
        );
        let at: [usize; LANES] =
            core::array::from_fn(|lane| ((spans.first[lane] + rank) as usize).min(last));
        let record = |lane: usize| {
            let (p, v) = (seen[at[lane]].offset, seen[at[lane]].velocity);
            f32x4::load_array(simd, [p.x, p.y, v.x, v.y])
        };
        let four = |first: usize| columns(core::array::from_fn(|lane| record(first + lane)));
        let (a, b, c, d) = (four(0), four(4), four(8), four(12));
        let column = |i: usize| a[i].combine(b[i]).combine(c[i].combine(d[i]));
        let radius = match self.one_radius {
            Some(radius) => f32x16::splat(simd, radius),
            None => f32x16::load_array(simd, core::array::from_fn(|lane| radii[at[lane]])),
        };
        let share = |lane: usize| match flags[at[lane]] & NON_RECIPROCAL {
            0 => 0.5,
            _ => 1.0,
        };
        let share = if self.reciprocal {
            f32x16::splat(simd, 0.5)
        } else {
            f32x16::load_array(simd, core::array::from_fn(share))
        };
        let companion = (!self.strangers).then(|| {
            let bit = |lane: usize| u64::from(flags[at[lane]] & SAME_GROUP != 0) << lane;
            let bits = (0..LANES).fold(0, |all, lane| all | bit(lane));
            mask32x16::from_bitmask(simd, bits)
        });
        Seen {
            px: column(0),
            py: column(1),
            vx: column(2),
            vy: column(3),
            radius,
            share,
            companion,
        }
    }
}

/// The gaps between sixteen agents and their neighbours of one rank, metres; whatever stands there
/// for lanes that have fewer.
#[inline(always)]
pub fn gaps<S: Simd>(simd: S, near: &Near<'_>, spans: &Spans, own: Own<S>, rank: u32) -> f32x16<S> {
    let seen = near.load(simd, spans, rank);
    (seen.px * seen.px + seen.py * seen.py).sqrt() - own.radius - seen.radius
}

/// Appends one row of half-planes per rank of neighbours.
#[inline(always)]
pub fn agent_planes<S: Simd>(
    simd: S,
    near: &Near<'_>,
    spans: &Spans,
    ids: &[u64],
    own: Own<S>,
    terms: Terms,
    planes: &mut Vec<Planes>,
) {
    let longest = spans.longest() as u32;
    let zero = f32x16::splat(simd, 0.0);
    let (per_horizon, per_step) = (
        f32x16::splat(simd, 1.0 / terms.horizon),
        f32x16::splat(simd, 1.0 / terms.dt),
    );
    let contact_share = f32x16::splat(simd, terms.contact_share);
    let counts = f32x16::load_array(simd, spans.count.map(|c| c as f32));
    for rank in 0..longest {
        let seen = near.load(simd, spans, rank);
        let (px, py) = (seen.px, seen.py);
        let (rx, ry) = (own.vx - seen.vx, own.vy - seen.vy);
        let reach = own.radius + seen.radius;
        let (distance_squared, reach_squared) = (px * px + py * py, reach * reach);
        // Bodies that overlap are to part within this step, not within the horizon.
        let overlap = distance_squared.simd_le(reach_squared);
        let per_horizon = match seen.companion {
            Some(companion) => companion.select(per_horizon / terms.companions, per_horizon),
            None => per_horizon,
        };
        let rate = overlap.select(per_step, per_horizon);
        let (wx, wy) = (rx - px * rate, ry - py * rate);
        let w_squared = wx * wx + wy * wy;
        let towards = wx * px + wy * py;
        let round = overlap
            | (towards.simd_lt(zero) & (towards * towards).simd_gt(reach_squared * w_squared));
        // One root for both cases: the length of w at the round front, else that of a leg.
        let gap = distance_squared - reach_squared;
        let root = round.select(w_squared, greater(gap, zero)).sqrt();
        // The leg on whose side the relative velocity is; the right one on the axis, for both of
        // a pair, so that they turn to different sides.
        let left = (px * wy - py * wx).simd_gt(zero);
        let signed_leg = left.select(root, -root);
        let (leg_x, leg_y) = (
            -(px * reach + py * signed_leg),
            px * signed_leg - py * reach,
        );
        let scale = 1.0 / round.select(root, distance_squared);
        let mut nx = round.select(wx, leg_x) * scale;
        let mut ny = round.select(wy, leg_y) * scale;

        let counted = counts.simd_gt(rank as f32);
        let lost = counted & overlap & w_squared.simd_lt(1e-12);
        if any(lost) {
            let (mut x, mut y) = (Row::default(), Row::default());
            x.store(nx);
            y.store(ny);
            for (lane, id) in ids.iter().enumerate() {
                if lost.test(lane) {
                    let other = near.rows.id[(spans.first[lane] + rank) as usize];
                    [x.0[lane], y.0[lane]] = parting(*id, other);
                }
            }
            (nx, ny) = (x.load(simd), y.load(simd));
        }

        let change = round.select(reach * rate - root, -(nx * rx + ny * ry));
        // Who is at hand may have no room to do its part.
        let at_hand = reach + CONTACT;
        let closing = distance_squared.simd_lt(at_hand * at_hand) & change.simd_gt(zero);
        let share = greater(closing.select(contact_share, seen.share), seen.share);
        let offset = nx * own.vx + ny * own.vy + share * change;
        // Numbers too large to square say nothing.
        let length = nx * nx + ny * ny;
        let sound = counted
            & length.simd_gt(0.5)
            & length.simd_lt(2.0)
            & offset.simd_lt(1e9)
            & offset.simd_gt(-1e9);
        let mut row = Planes::OPEN;
        row.x.store(sound.select(nx, zero));
        row.y.store(sound.select(ny, zero));
        row.offset
            .store(sound.select(offset, -f32x16::splat(simd, 1.0)));
        planes.push(row);
    }
}

/// A unit direction for two agents in the same place with the same velocity: drawn from both
/// ids, opposite for the two.
fn parting(own: u64, other: u64) -> [f32; 2] {
    let pair = mix(own.min(other).wrapping_add(mix(own.max(other))));
    // A rational point of the circle: no transcendental function needed.
    let t = (pair >> 40) as f32 / (1u64 << 24) as f32;
    let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
    let sign = if own < other { -1.0 } else { 1.0 };
    match pair & 3 {
        0 => [sign * c, sign * s],
        1 => [-sign * s, sign * c],
        2 => [-sign * c, -sign * s],
        _ => [sign * s, -sign * c],
    }
}
