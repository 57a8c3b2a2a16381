//! Group `leader-follower`: followers keep level with their leader and walk beside it.
//!
//! Yersin, Maim, Morini and Thalmann 2008, section 5. The first member of a group leads. With
//! d the way from follower to leader along the leader's forward direction (equation 5):
//!
//! * d above `band` (the follower is behind): the follower speeds up; in a pair the leader slows.
//! * d below `-band` (the follower is ahead): the reverse.
//! * in between both take the same speed: in a pair the mean of the two, else the leader's.
//!
//! In groups of more than two the leader keeps its pace. Followers walk to points beside the one
//! that their leader walks to; who cannot see its place there (a wall is in between, or a gate is
//! too narrow to be passed side by side) walks to its own point, which leads the same way.
//!
//! The paper adjusts speeds after avoidance; here it is before, so that every avoidance model
//! respects groups, unless `speeds = "after"` asks for the paper's order. Either way waypoints
//! are set before avoidance and intermediate ones are never edited. At tiers of low detail, where
//! nobody avoids, members simply have the leader's speed.

use glam::Vec2;
use throng_core::{
    Capabilities, Frame, GroupBehavior, GroupChunk, GroupOut, NONE, World, options, register,
};
use throng_kit::{Walk, ground::TraceEnd};

throng_core::choices! {
    /// When speeds change.
    pub enum Speeds {
        /// Before avoidance, which then respects them.
        Before = "before",
        /// After avoidance, as in the paper: what it chose is made faster or slower.
        After = "after",
    }
}

options! {
    /// Followers keep level with their leader and beside it.
    pub struct LeaderFollower {
        /// How far a follower may be ahead or behind before speeds change.
        band: f32 = 0.5, "m", 0.0..=10.0;
        /// Speed of who catches up, as a share of the wanted one.
        hurry: f32 = 1.3, "", 1.0..=3.0;
        /// Speed of who waits, as a share of the wanted one.
        linger: f32 = 0.6, "", 0.0..=1.0;
        /// Distance between two who walk side by side.
        spacing: f32 = 0.8, "m", 0.1..=5.0;
        /// Whether speeds change before avoidance or after it.
        speeds: Speeds = Speeds::Before;
        /// Level of detail from which members have the leader's speed and nothing else changes.
        plain_from: u8 = 2, "", 0..=255;
    }
}

/// A leader's point farther than this is taken to lie so far ahead of it, metres: who walks to a
/// place beside a far one comes no nearer to its leader for long.
const AHEAD: f32 = 3.0;

/// What a member does about its distance: shares of the wanted speed for follower and leader.
fn shares(options: &LeaderFollower, behind: f32) -> (f32, f32) {
    if behind > options.band {
        (options.hurry, options.linger)
    } else if behind < -options.band {
        (options.linger, options.hurry)
    } else {
        (1.0, 1.0)
    }
}

/// The place beside the leader of the follower with `rank` others to its right, of `count`: how
/// many places to the left (negative: to the right).
fn place_beside(rank: usize, count: usize) -> f32 {
    let right = count / 2;
    if rank < right {
        rank as f32 - right as f32
    } else {
        rank as f32 - right as f32 + 1.0
    }
}

/// A tangent vector of one agent in the frame of another.
fn carried(world: &World<'_>, from: usize, to: usize, vector: Vec2) -> Vec2 {
    let ground = &world.site.ground;
    if ground.flat {
        return vector;
    }
    let normal = |row: usize| ground.normals[world.agents.location[row].triangle as usize];
    let in_space = world.agents.frame_of(from).to_world(normal(from), vector);
    world.agents.frame_of(to).to_tangent(normal(to), in_space)
}

/// The offset from one agent to another, in the frame of the first.
fn between(world: &World<'_>, from: usize, to: usize) -> Vec2 {
    let (a, ground) = (&world.agents, &world.site.ground);
    let way = a.location[to].point - a.location[from].point;
    if ground.flat {
        return way.truncate();
    }
    let normal = ground.normals[a.location[from].triangle as usize];
    a.frame_of(from).offset(normal, way)
}

#[typetag::serde(name = "leader-follower")]
impl GroupBehavior for LeaderFollower {
    fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
        for (i, row) in chunk.rows.clone().enumerate() {
            let group = world.agents.group[row];
            if group == NONE || out.preferred[i] == Vec2::ZERO {
                continue;
            }
            let range = chunk.groups.start[group as usize] as usize
                ..chunk.groups.start[group as usize + 1] as usize;
            let members = &chunk.groups.member[range];
            let Some((&leader, followers)) = members.split_first() else {
                continue;
            };
            let leader = leader as usize;
            if followers.is_empty() || chunk.guided[leader] == Vec2::ZERO {
                continue;
            }
            let goal = world.agents.goal[leader];
            if world.agents.goal[row] != goal {
                continue;
            }
            let after = self.speeds == Speeds::After;
            if row == leader {
                // In a pair the leader minds its follower too.
                if let [follower] = followers
                    && !after
                    && !self.is_plain(world, row)
                    && world.agents.goal[*follower as usize] == goal
                {
                    let behind = self.behind(world, leader, *follower as usize);
                    let (_, share) = shares(self, behind);
                    let speed = self.common(chunk, leader, *follower as usize, behind);
                    out.preferred[i] = out.preferred[i].normalize_or_zero() * speed * share;
                }
                continue;
            }
            if self.is_plain(world, row) {
                let speed = chunk.guided[leader].length();
                out.preferred[i] = out.preferred[i].normalize_or_zero() * speed;
                continue;
            }
            let behind = self.behind(world, leader, row);
            let (mut share, _) = shares(self, behind);
            let mut speed = if followers.len() == 1 {
                self.common(chunk, leader, row, behind)
            } else {
                chunk.guided[leader].length()
            };
            if after {
                (share, speed) = (1.0, chunk.guided[row].length());
            }
            if let Some(target) = self.target_of(world, chunk, leader, row, followers) {
                out.target[i] = target;
                out.preferred[i] = target;
            }
            out.preferred[i] = out.preferred[i].normalize_or_zero() * speed * share;
        }
    }

    fn paces(&self) -> bool {
        self.speeds == Speeds::After
    }

    fn pace(&self, world: &World<'_>, chunk: &GroupChunk<'_>, velocity: &mut [Vec2]) {
        let a = &world.agents;
        for (i, row) in chunk.rows.clone().enumerate() {
            let group = a.group[row];
            if group == NONE || velocity[i] == Vec2::ZERO || self.is_plain(world, row) {
                continue;
            }
            let range = chunk.groups.start[group as usize] as usize
                ..chunk.groups.start[group as usize + 1] as usize;
            let Some((&leader, followers)) = chunk.groups.member[range].split_first() else {
                continue;
            };
            let leader = leader as usize;
            // Whose distance counts: in a pair for both, else for the followers alone.
            let follower = match followers {
                [follower] => *follower as usize,
                _ if row == leader => continue,
                _ => row,
            };
            if a.goal[follower] != a.goal[leader] {
                continue;
            }
            let behind = self.behind(world, leader, follower);
            let (hurrying, leading) = shares(self, behind);
            let share = if row == leader { leading } else { hurrying };
            velocity[i] = if behind.abs() > self.band {
                velocity[i] * share
            } else if followers.len() == 1 {
                velocity[i].normalize_or_zero() * self.common(chunk, leader, follower, behind)
            } else {
                velocity[i].normalize_or_zero() * chunk.guided[leader].length()
            };
        }
    }
}

impl LeaderFollower {
    /// Whether the agent's tier is one of low detail.
    fn is_plain(&self, world: &World<'_>, row: usize) -> bool {
        let tier = usize::from(world.agents.tier[row]);
        world.tier_levels.get(tier).copied().unwrap_or(0) >= self.plain_from
    }

    /// How far a follower is behind its leader along the leader's forward direction (equation 5).
    fn behind(&self, world: &World<'_>, leader: usize, follower: usize) -> f32 {
        -between(world, leader, follower).dot(world.agents.heading[leader])
    }

    /// The speed of a pair before shares: the mean of both within the band, else each its own,
    /// which are those of the leader as groups share their speed.
    fn common(&self, chunk: &GroupChunk<'_>, leader: usize, follower: usize, behind: f32) -> f32 {
        let own = chunk.guided[leader].length();
        if behind.abs() <= self.band {
            (own + chunk.guided[follower].length()) / 2.0
        } else {
            own
        }
    }

    /// The offset to the follower's place beside the point that the leader walks to; nothing if
    /// the follower does not see it.
    fn target_of(
        &self,
        world: &World<'_>,
        chunk: &GroupChunk<'_>,
        leader: usize,
        row: usize,
        followers: &[u32],
    ) -> Option<Vec2> {
        let forward = chunk.guided[leader].try_normalize()?;
        let lateral = |member: usize| forward.perp_dot(between(world, leader, member));
        let own = lateral(row);
        let id = world.agents.id[row];
        // Places from right to left in the order in which they walk, so that nobody crosses.
        let rank = followers
            .iter()
            .filter(|&&other| {
                let other = other as usize;
                let there = lateral(other);
                other != row && (there < own || there == own && world.agents.id[other] < id)
            })
            .count();
        let beside = if followers.len() == 1 {
            if own >= 0.0 { 1.0 } else { -1.0 }
        } else {
            place_beside(rank, followers.len())
        };
        let ahead = chunk.aims[leader].clamp_length_max(AHEAD);
        let aim = ahead + forward.perp() * (beside * self.spacing);
        let way = carried(world, leader, row, aim) + between(world, row, leader);
        let ground = &world.site.ground;
        let frame = if ground.flat {
            Frame::FLAT
        } else {
            world.agents.frame_of(row)
        };
        let end = ground.trace(world.agents.location[row], frame, way, &mut |_| {});
        (end == TraceEnd::Reached && way.length_squared() > 1e-6).then_some(way)
    }
}

register! {
    Group "leader-follower" => LeaderFollower,
    about: "Followers keep level with the first member and walk beside it.",
    when: "Families, friends and other small groups that should stay together, at any tier.",
    when_not: "Large flocks: everybody would queue up beside one leader.",
    growth: "Linear in members; a traced line per follower and step.",
    paper: "Yersin, Maim, Morini, Thalmann 2008: Real-time crowd motion planning, section 5",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_decides_who_hurries() {
        let options = LeaderFollower::default();
        assert_eq!(
            shares(&options, 0.6),
            (1.3, 0.6),
            "behind: the follower hurries"
        );
        assert_eq!(shares(&options, -0.6), (0.6, 1.3), "ahead: it waits");
        assert_eq!(shares(&options, 0.4), (1.0, 1.0));
    }

    #[test]
    fn places_lie_on_both_sides_of_the_leader() {
        assert_eq!(place_beside(0, 1), 1.0);
        let of_two: Vec<f32> = (0..2).map(|rank| place_beside(rank, 2)).collect();
        assert_eq!(of_two, [-1.0, 1.0]);
        let of_four: Vec<f32> = (0..4).map(|rank| place_beside(rank, 4)).collect();
        assert_eq!(of_four, [-2.0, -1.0, 1.0, 2.0]);
    }
}
