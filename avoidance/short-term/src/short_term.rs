//! Avoidance `short-term`: cells ahead are looked into, an intermediate waypoint leads round.
//!
//! Yersin, Maim, Morini and Thalmann 2008, Algorithm 1, section 4.4. Three vectors of cells lie
//! ahead of a pedestrian: front, left and right (equations 2 to 4), the longer the faster it
//! walks. On even ticks of its tier people are registered in cells; on odd ticks it avoids:
//!
//! 1. *Emergency check*, in the two first rows of all three vectors: whoever is nearer than beta
//!    is pushed apart, both alike, and the intermediate waypoint is dropped. Nobody walks further
//!    into another than there is room until the next check, two ticks later: at walking pace two
//!    who meet would be through each other by then.
//! 2. *Security check*, in the front cells from the second on: the first one with somebody in it,
//!    `f[i]`, gives an intermediate waypoint in `l[i-1]` or `r[i-1]` and slows the walker down.
//!
//! Which side: the one that is no U-turn if only one is none (condition 1, against the point
//! walked to); else the side *away* from the neighbour (condition 2). As printed, condition 2
//! steers into the neighbour in a right-handed frame. Members of the same group get no security
//! check. Cells whose centres lie behind a wall are inactive and skipped.
//!
//! How it fits the step here: the cells are those of the walker's own frame (its cell in the
//! middle of them, the rows along its heading), so that they work on any map and any surface;
//! registration is where a neighbour was one tick ago; pushing is the displacement that models
//! may give, in gather form: one is pushed by whoever is in one's cells or has one in its own, so
//! that order does not matter. The paper gives no numbers for beta, the length of the vectors and
//! the slow-down: beta is the sum of the radii and `gap`, the vectors reach as far as one walks in
//! `look` seconds, `slow` and `recover` say how much and how long.
//!
//! Taken out of the paper's "for each pedestrian in the front cells": those whom one does not
//! come nearer to (`all` puts them back), else everybody would sidestep whoever walks ahead.

use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Memory, NON_RECIPROCAL, NearWall, Perception, SAME_GROUP,
    Scratch, SteerChunk, SteerOut, options, register,
};

/// Longest vectors of cells, in cells.
const MOST_CELLS: i32 = 8;
/// Neighbours looked at.
const MOST_NEIGHBOURS: u32 = 16;
/// Numbers kept per agent: seconds left of the waypoint, share of the wanted speed walked at.
const SCALARS: usize = 2;
/// Vectors kept per agent: offset of the waypoint, the last push, the velocity that others bar.
const TANGENTS: usize = 3;
/// Times that the velocity is held back from each of those nearby in turn.
const BAR_ROUNDS: usize = 2;
/// Share of the speed that who comes takes, with which one steps past it.
const PAST: f32 = 0.5;

options! {
    /// Waypoints round people ahead, pushing apart when that was too late.
    pub struct ShortTerm {
        /// Side of a cell.
        cell: f32 = 1.0, "m", 0.2..=10.0;
        /// How far ahead the vectors of cells reach, in seconds of walking.
        look: f32 = 2.0, "s", 0.1..=20.0;
        /// Beta: bodies nearer than this gap are pushed apart.
        gap: f32 = 0.05, "m", 0.0..=2.0;
        /// Share of the wanted speed that remains while somebody is in the front cells.
        slow: f32 = 0.75, "", 0.05..=1.0;
        /// Time in which the whole speed comes back.
        recover: f32 = 1.0, "s", 0.01..=60.0;
        /// Time in which the velocity turns most of the way to an intermediate waypoint.
        turn: f32 = 0.4, "s", 0.01..=10.0;
        /// Whether to evade those too whom one does not come nearer to, as the paper does.
        all: bool = false;
    }
}

/// The row and column of cells that an offset lies in; the columns are 1 left, 0 front, -1 right.
#[inline]
fn cell_of(offset: Vec2, forward: Vec2, side: f32) -> (i32, i32) {
    let along = offset.dot(forward);
    let left = forward.perp_dot(offset);
    (nearest(along / side), nearest(left / side))
}

/// The nearest whole number, halves away from zero.
#[inline]
fn nearest(x: f32) -> i32 {
    (x + if x < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// Whether a straight walk to an offset meets a wall, or ends with the body in one.
fn behind_wall(walls: &[NearWall], to: Vec2, radius: f32) -> bool {
    walls.iter().any(|wall| {
        let along = wall.b - wall.a;
        let (start, end) = (along.perp_dot(-wall.a), along.perp_dot(to - wall.a));
        let crosses = start >= 0.0
            && end < 0.0
            && to.perp_dot(wall.a) * to.perp_dot(wall.b) <= 0.0
            && to.length_squared() > 0.0;
        let share = (to - wall.a).dot(along) / along.length_squared().max(1e-12);
        let nearest = wall.a + along * share.clamp(0.0, 1.0);
        crosses || nearest.distance_squared(to) < radius * radius
    })
}

/// Somebody close by.
struct Near {
    /// Towards them.
    to: Vec2,
    /// Between the bodies, metres; negative where they overlap.
    room: f32,
    /// How much of what must be done one does oneself.
    share: f32,
}

impl ShortTerm {
    /// Cells in each vector for a speed.
    fn cells(&self, speed: f32) -> i32 {
        ((speed * self.look / self.cell).ceil() as i32).clamp(2, MOST_CELLS)
    }

    /// The intermediate waypoint round a neighbour in front cell `row`, or none if both sides are
    /// inactive.
    fn aside(
        &self,
        row: i32,
        neighbour: Vec2,
        forward: Vec2,
        target: Vec2,
        walls: &[NearWall],
        radius: f32,
    ) -> Option<Vec2> {
        let left = forward.perp() * self.cell;
        let ahead = forward * ((row - 1) as f32 * self.cell);
        let sides = [ahead + left, ahead - left];
        let active = sides.map(|way| !behind_wall(walls, way, radius));
        // Condition 1: no U-turn.
        let onward = sides.map(|way| target.dot(way) > 0.0);
        // Condition 2, to the side away from the neighbour; straight ahead, to the right.
        let away = usize::from(forward.perp_dot(neighbour) >= 0.0);
        let chosen = match onward {
            [true, false] => 0,
            [false, true] => 1,
            _ => away,
        };
        match active {
            [true, true] => Some(sides[chosen]),
            [true, false] => Some(sides[0]),
            [false, true] => Some(sides[1]),
            [false, false] => None,
        }
    }
}

#[typetag::serde(name = "short-term")]
impl LocalAvoidance for ShortTerm {
    fn perception(&self) -> Perception {
        // As far as a brisk walker's vectors reach.
        let reach = (self.cells(1.5) as f32 + 0.5) * self.cell;
        Perception {
            reach,
            most: MOST_NEIGHBOURS,
            // Walls farther on are met by other waypoints, if ever: looking for them is dear.
            wall_reach: (1.5 * self.cell).min(reach),
        }
    }

    fn pushes(&self) -> bool {
        true
    }

    fn alternates(&self) -> bool {
        true
    }

    fn memory(&self) -> Memory {
        Memory {
            scalars: &["waypoint left", "pace lost"],
            tangents: &["waypoint", "pushed", "barred"],
            locations: &[],
        }
    }

    fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
        for i in 0..chunk.len() {
            self.steer_one(chunk, i, out);
        }
    }
}

impl ShortTerm {
    /// The first front cell with somebody in it who counts, and that neighbour.
    fn first_ahead(
        &self,
        chunk: &SteerChunk<'_>,
        i: usize,
        forward: Vec2,
        wanted: f32,
        count: i32,
    ) -> Option<(i32, usize)> {
        let mut first: Option<(i32, usize)> = None;
        if !(wanted > 0.0) {
            return first;
        }
        let most = (count as f32 + 0.5) * self.cell;
        for n in chunk.neighbours_of(i) {
            let seen = &chunk.neighbours.seen[n];
            let registered = seen.offset - seen.velocity * chunk.dt;
            let along = registered.dot(forward);
            // Most are beside or behind.
            if along < 0.0 || along > most || forward.perp_dot(registered).abs() > self.cell {
                continue;
            }
            let (row, column) = cell_of(registered, forward, self.cell);
            let nearing = seen.velocity.dot(forward) < 0.9 * wanted;
            if column == 0
                && (1..=count).contains(&row)
                && (self.all || nearing)
                && chunk.neighbours.flags[n] & SAME_GROUP == 0
                && first.is_none_or(|f| row < f.0)
            {
                first = Some((row, n));
            }
        }
        first
    }

    /// A neighbour in the two first rows of the cells of either, if bodies and `gap` may meet within
    /// `until` seconds.
    #[inline]
    fn near(
        &self,
        chunk: &SteerChunk<'_>,
        i: usize,
        n: usize,
        forward: Vec2,
        until: f32,
    ) -> Option<Near> {
        let seen = &chunk.neighbours.seen[n];
        let bodies = chunk.radius[i] + chunk.neighbours.radius[n];
        let paces = chunk.max_speed[i] + seen.velocity.x.abs() + seen.velocity.y.abs();
        let least = bodies + self.gap + paces * until;
        let distance = seen.offset.length_squared();
        if distance > least * least {
            return None;
        }
        let (row, column) = cell_of(seen.offset, forward, self.cell);
        let mine = (0..=1).contains(&row) && column.abs() <= 1;
        let facing = seen.velocity.try_normalize().unwrap_or(-seen.offset);
        let (row, column) = cell_of(-seen.offset, facing, self.cell);
        let theirs = (0..=1).contains(&row) && column.abs() <= 1;
        if !(mine || theirs) {
            return None;
        }
        let first = chunk.id[i] < chunk.neighbours.id[n];
        let apart = if first { Vec2::X } else { Vec2::NEG_X };
        // Who avoids nobody moves nobody's half.
        let alone = chunk.neighbours.flags[n] & NON_RECIPROCAL != 0;
        Some(Near {
            to: seen.offset.try_normalize().unwrap_or(apart),
            room: distance.sqrt() - bodies,
            share: if alone { 1.0 } else { 0.5 },
        })
    }

    fn steer_one(&self, chunk: &SteerChunk<'_>, i: usize, out: &mut SteerOut<'_>) {
        let scalars = &mut out.memory.scalars[SCALARS * i..SCALARS * (i + 1)];
        let tangents = &mut out.memory.tangents[TANGENTS * i..TANGENTS * (i + 1)];
        let (mut left, mut lost) = (scalars[0], scalars[1]);
        let [mut waypoint, pushed, mut barred] = [tangents[0], tangents[1], tangents[2]];
        let dt = chunk.dt;
        let (preferred, radius) = (chunk.preferred[i], chunk.radius[i]);
        let wanted = preferred.length();
        let forward = chunk.heading[i];
        let target = if chunk.target[i] == Vec2::ZERO {
            preferred
        } else {
            chunk.target[i]
        };
        // The waypoint stays where it is while the walker goes on.
        waypoint -= chunk.velocity[i] * dt + pushed;
        left -= dt;
        lost = (lost - dt / self.recover).max(0.0);
        let mut push = Vec2::ZERO;
        let checks = chunk.tick[i] % 2 == 1;
        if checks {
            // Emergency check.
            for n in chunk.neighbours_of(i) {
                let Some(Near { to, room, share }) = self.near(chunk, i, n, forward, 0.0) else {
                    continue;
                };
                let deep = self.gap - room;
                if deep <= 0.0 {
                    continue;
                }
                push -= to * (deep * share);
                left = 0.0;
            }
            // Security check.
            let count = self.cells(wanted.max(chunk.velocity[i].length()));
            let ahead = self.first_ahead(chunk, i, forward, wanted, count);
            if let Some((row, n)) = ahead {
                let offset = chunk.neighbours.seen[n].offset;
                let walls = chunk.walls_of(i);
                if let Some(way) = self.aside(row, offset, forward, target, walls, radius)
                    && push == Vec2::ZERO
                {
                    waypoint = way;
                    // As long as walking there takes, and somewhat more.
                    left = 1.5 * way.length() / wanted.max(0.1);
                }
                lost = lost.max(1.0 - self.slow);
            }
        }
        let reached = waypoint.length_squared() < self.cell * self.cell / 4.0
            || waypoint.dot(preferred) <= 0.0;
        if reached {
            left = 0.0;
        }
        let mut velocity = preferred * (1.0 - lost);
        if left > 0.0 {
            let way = waypoint.normalize_or_zero() * (wanted * (1.0 - lost));
            let blend = (dt / self.turn).min(1.0);
            velocity = chunk.velocity[i] + (way - chunk.velocity[i]) * blend;
        }
        if checks {
            barred = Vec2::ZERO;
            let until = 2.0 * dt;
            for n in (0..BAR_ROUNDS).flat_map(|_| chunk.neighbours_of(i)) {
                let Some(Near { to, room, share }) = self.near(chunk, i, n, forward, until) else {
                    continue;
                };
                // One stands rather than walk into who comes, and takes its share of the room.
                let theirs = chunk.neighbours.seen[n].velocity.dot(to);
                let most = (room.max(0.0) * share / until + theirs).max(0.0);
                let back = (velocity.dot(to) - most).max(0.0);
                let mut change = to * -back;
                if theirs < 0.0 {
                    // Past who comes, on the side away from it.
                    let right = forward.perp_dot(to) >= 0.0;
                    change += if right { -to.perp() } else { to.perp() } * (PAST * back);
                }
                velocity += change;
                barred += change;
            }
        } else if barred != Vec2::ZERO {
            // As far as the last check let it.
            velocity = chunk.velocity[i];
        }
        out.velocity[i] = velocity.clamp_length_max(chunk.max_speed[i]);
        out.push[i] = push;
        scalars.copy_from_slice(&[left, lost]);
        // The core caps pushes at half a radius.
        let pushed = push.clamp_length_max(radius / 2.0);
        tangents.copy_from_slice(&[waypoint, pushed, barred]);
    }
}

register! {
    Avoidance "short-term" => ShortTerm,
    about: "Intermediate waypoints round people in the cells ahead, pushing apart in emergencies.",
    when: "Large crowds watched from some way off, tiers of low interest, beside fields that plan ahead.",
    when_not: "Dense crowds or narrow counterflows are watched closely: orca, social-force or predictive. Who meets at a door from both sides waits long for each other.",
    growth: "Linear in agents; every second tick does little.",
    paper: "Yersin, Maim, Morini, Thalmann 2008: Real-time crowd motion planning, Algorithm 1",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests;
