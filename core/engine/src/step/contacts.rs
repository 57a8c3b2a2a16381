//! Keeping bodies apart: the last word on velocities before anybody moves.
//!
//! A model chooses for each agent alone and does not know what the others will do now. Where it
//! finds no velocity free of collisions it marks the agent as pressed, and the velocities of all
//! who are at hand there are changed together, as little as it takes that no two bodies that are
//! apart overlap after the move, and none enters a wall: the projection of Bertrand Maury and
//! Juliette Venel, "A discrete contact model for crowd motion", ESAIM: Mathematical Modelling and
//! Numerical Analysis 45, 2011. With `n` the direction from one to the other and `gap` what is
//! between them, `(v_own - v_other) . n <= gap / dt` for every pair (their equation of admissible
//! velocities); solved pair by pair in a fixed order, the pushes of former rounds taken into
//! account, until nothing moves any more.
//!
//! The rule needs no more than this: who follows somebody may go as fast as that one does, who is
//! in the way is pushed, and a crowd that turns as a whole is not stopped, as it is if everybody
//! keeps to its own half of the gap.
//!
//! On surfaces what a model takes for free in the tangent plane need not be so beyond an edge: there
//! the contacts of everybody are listed, with the change of distances in space, and looked at again
//! where the ground leads those who move on.

use glam::{Vec2, Vec3};
use throng_core::{
    Frame, GroundView, MOVER, NON_RECIPROCAL, NONE, NearWall, NeighbourRows, Perception,
};
use throng_kit::Walk;

use super::avoid::{Move, blend_steps, blended};
use crate::{
    agents::{AgentId, Agents},
    memory::CHUNK,
    neighbours::{NeighbourBuffer, NeighbourGrid},
    state::{Place, State, Steered, Work, speed_factor},
};

/// Rounds over all contacts at most in a wave. With many more a packed crowd is as hard as stone and
/// comes loose later, with fewer bodies overlap.
const MOST_ROUNDS: u32 = 20;
/// Pairs that approach faster than they may by less are done, metres per second.
const TOLERANCE: f32 = 2e-3;
/// Those who overlap already part at this speed at most, metres per second: faster looks like a
/// blow.
const PARTING: f32 = 0.3;
/// Waves of those who are pushed by others who are pushed.
const MOST_WAVES: u32 = 4;
/// Directions whose squares add up to less lead across the ground.
const LEAST_SLOPE: f32 = 0.05;
/// How often contacts are looked at again where the ground bends under the feet.
const MOST_BENDS: u32 = 8;
/// Bodies that overlap by less after a move over a bend are left so, metres.
const GRAZE: f32 = 1e-3;
/// Neighbours that can be so near that one may run into them.
const MOST_AT_HAND: u32 = 16;

/// Two bodies, or a body and something that yields to nobody, that may meet within a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Row of the one who is pressed.
    own: u32,
    /// Row of the other, or NONE for walls, vehicles and those who avoid nobody.
    other: u32,
    /// Direction to the other in the own frame; of unit length, shorter where the other does not
    /// lie in the tangent plane.
    towards: Vec2,
    /// Direction back, in the other's frame.
    back: Vec2,
    /// The sum of the two speeds towards each other may not be more.
    fastest: f32,
    /// How much of it each changes its velocity along its direction for an excess of one.
    share: f32,
    /// What has been taken from it so far, metres per second.
    taken: f32,
}

impl Contact {
    /// How much faster than they may the two approach each other.
    #[inline]
    fn excess(&self, steered: &[Steered]) -> f32 {
        let own = steered[self.own as usize].velocity.dot(self.towards);
        let other = match self.other {
            NONE => 0.0,
            other => steered[other as usize].velocity.dot(self.back),
        };
        own + other - self.fastest
    }

    /// Takes the excess from both, or gives back what was taken before and is not needed any
    /// more. Says how much that was.
    #[inline]
    fn part(&mut self, steered: &mut [Steered]) -> f32 {
        let taken = (self.taken + self.excess(steered)).max(0.0);
        let change = taken - self.taken;
        if change == 0.0 {
            return 0.0;
        }
        self.taken = taken;
        steered[self.own as usize].velocity -= self.towards * (change * self.share);
        if self.other != NONE {
            steered[self.other as usize].velocity -= self.back * (change * self.share);
        }
        change.abs()
    }
}

/// Contacts of a move, and what it takes to find them.
#[derive(Debug, Default)]
pub struct Contacts {
    /// By chunk of the one who is pressed or was pushed.
    pub by_chunk: Vec<Vec<Contact>>,
    /// Rounds so far in this move.
    round: u32,
    /// The round in which somebody's velocity was last changed, or its contacts were listed.
    stirred: Vec<u32>,
    /// Where in its chunk the contacts of somebody begin, plus one; 0 for those who have none
    /// listed.
    listed: Vec<u32>,
    /// Rows of those whose contacts are to be listed.
    rows: Vec<u32>,
    kth: Vec<f32>,
    neighbours: NeighbourBuffer,
    walls: Vec<NearWall>,
    /// Where somebody ends who goes on like that, and the look at the bends that it is of.
    ends: Vec<(u32, Vec3)>,
}

/// What the contacts of somebody depend on beside what it sees.
#[derive(Clone, Copy, Debug)]
pub struct AtHand<'a> {
    /// The ground.
    pub ground: GroundView<'a>,
    /// Everybody.
    pub agents: &'a Agents,
    /// Largest speed of anybody, metres per second.
    pub fastest: f32,
    /// Length of the move, seconds.
    pub dt: f32,
}

impl AtHand<'_> {
    /// Lists what the agent in a row may run into: of its neighbours, which are entry `i` of the
    /// rows, and of its walls.
    pub fn list(
        &self,
        row: usize,
        rows: &NeighbourRows<'_>,
        i: usize,
        walls: &[NearWall],
        out: &mut Vec<Contact>,
    ) {
        let a = self.agents;
        let reach = (self.max_speed(row) + self.fastest) * self.dt;
        for n in rows.start[i] as usize..rows.start[i + 1] as usize {
            let offset = rows.seen[n].offset;
            // A hair more: nearly everybody is farther, and nobody's root has to be taken.
            let near = (reach + a.radius[row] + rows.radius[n]) * 1.001;
            if offset.length_squared() > near * near {
                continue;
            }
            let distance = offset.length();
            let gap = distance - a.radius[row] - rows.radius[n];
            // In one place: which way they part is the model's to say.
            if gap > reach || !(distance > 1e-5) {
                continue;
            }
            let towards = offset / distance;
            let mut contact = Contact {
                own: row as u32,
                other: NONE,
                towards,
                back: -towards,
                fastest: (gap / self.dt).max(-PARTING),
                share: 1.0,
                taken: 0.0,
            };
            let yields = rows.flags[n] & (MOVER | NON_RECIPROCAL) == 0;
            match yields.then(|| a.row(AgentId(rows.id[n]))).flatten() {
                Some(other) if self.ground.flat => {
                    contact.other = other as u32;
                    contact.share = 0.5;
                }
                Some(other) => match self.over_the_surface(row, other, reach) {
                    Some(between) => contact = between,
                    None => continue,
                },
                None => contact.fastest += rows.seen[n].velocity.dot(towards),
            }
            out.push(contact);
        }
        self.list_walls(row, walls, out);
    }

    /// The contact of two who stand on a ground that is not flat: of their feet, and as their
    /// distance in space changes.
    fn over_the_surface(&self, row: usize, other: usize, reach: f32) -> Option<Contact> {
        let a = self.agents;
        let between = a.location[other].point - a.location[row].point;
        let distance = between.length();
        let gap = distance - a.radius[row] - a.radius[other];
        if gap > reach || !(distance > 1e-5) {
            return None;
        }
        let in_plane = |row: usize, way: Vec3| {
            let normal = self.ground.normals[a.location[row].triangle as usize];
            a.frame[row].to_tangent(normal, way)
        };
        let towards = in_plane(row, between / distance);
        let back = in_plane(other, between / -distance);
        let weight = towards.length_squared() + back.length_squared();
        // Straight above each other nobody can do anything about it.
        (weight > LEAST_SLOPE).then(|| Contact {
            own: row as u32,
            other: other as u32,
            towards,
            back,
            fastest: (gap / self.dt).max(-PARTING),
            share: 1.0 / weight,
            taken: 0.0,
        })
    }

    fn max_speed(&self, row: usize) -> f32 {
        self.agents.max_speed[row] * speed_factor(&self.ground, &self.agents.location[row])
    }

    fn list_walls(&self, row: usize, walls: &[NearWall], out: &mut Vec<Contact>) {
        let reach = self.max_speed(row) * self.dt;
        for wall in walls {
            let along = wall.b - wall.a;
            let t = (-wall.a).dot(along) / along.length_squared().max(1e-12);
            let nearest = wall.a + along * t.clamp(0.0, 1.0);
            let distance = nearest.length();
            let gap = distance - self.agents.radius[row];
            if gap <= reach && distance > 1e-5 {
                out.push(Contact {
                    own: row as u32,
                    other: NONE,
                    towards: nearest / distance,
                    back: Vec2::ZERO,
                    fastest: (gap / self.dt).max(0.0),
                    share: 1.0,
                    taken: 0.0,
                });
            }
        }
    }
}

impl Contacts {
    /// Lists the contacts of those who were pushed and have none listed; says whether there are
    /// any.
    fn follow(&mut self, grid: &NeighbourGrid, at_hand: &AtHand<'_>) -> bool {
        self.rows.clear();
        self.rows.reserve(CHUNK);
        let all = self.by_chunk.iter().flatten();
        let pushed = all.filter(|c| c.taken > 0.0 && c.other != NONE);
        let pushed = pushed.map(|c| c.other);
        self.rows
            .extend(pushed.filter(|&row| self.listed[row as usize] == 0));
        if self.rows.is_empty() {
            return false;
        }
        self.rows.sort_unstable();
        self.rows.dedup();
        let (ground, a) = (at_hand.ground, at_hand.agents);
        let widest = self.rows.iter().map(|&row| a.radius[row as usize]);
        let widest = widest.fold(0.0, f32::max);
        let step = at_hand.fastest * at_hand.dt;
        let sight = Perception {
            reach: widest + grid.widest() + 2.0 * step,
            most: MOST_AT_HAND,
            wall_reach: 0.0,
        };
        self.kth.clear();
        self.kth.resize(self.rows.len(), f32::INFINITY);
        grid.gather(
            ground,
            &a.view(ground.flat),
            &self.rows,
            sight,
            &[],
            &mut self.kth,
            step,
            &mut self.neighbours,
        );
        self.walls.clear();
        self.walls.reserve(MOST_AT_HAND as usize);
        let rows = core::mem::take(&mut self.rows);
        for (i, &row) in rows.iter().enumerate() {
            let row = row as usize;
            self.walls.clear();
            let frame = if ground.flat {
                Frame::FLAT
            } else {
                a.frame[row]
            };
            let reach = a.radius[row] + step;
            ground.walls_near(a.location[row], frame, reach, &mut self.walls);
            let seen = self.neighbours.rows();
            let chunk = row / CHUNK;
            let contacts = &mut self.by_chunk[chunk];
            make_room(contacts);
            let first = contacts.len();
            at_hand.list(row, &seen, i, &self.walls, contacts);
            self.take_in(chunk, first);
            // Who has none is not to be asked again.
            self.listed[row] = self.listed[row].max(first as u32 + 1);
        }
        self.rows = rows;
        true
    }

    /// Readies the contacts that were listed for so many agents.
    fn begin(&mut self, agents: usize) {
        self.round = 1;
        self.listed.resize(agents, 0);
        self.stirred.resize(agents, 0);
        for chunk in 0..self.by_chunk.len() {
            self.take_in(chunk, 0);
        }
    }

    /// Takes in what was listed in a chunk from some contact on, each pair once.
    fn take_in(&mut self, chunk: usize, from: usize) {
        let mut kept = from;
        for i in from..self.by_chunk[chunk].len() {
            let contact = self.by_chunk[chunk][i];
            let listed = &mut self.listed[contact.own as usize];
            if *listed == 0 {
                *listed = kept as u32 + 1;
            }
            if contact.other != NONE && self.lists(contact.other, contact.own) {
                continue;
            }
            self.stirred[contact.own as usize] = self.round;
            self.by_chunk[chunk][kept] = contact;
            kept += 1;
        }
        self.by_chunk[chunk].truncate(kept);
    }

    /// Whether somebody's contacts that were taken in have another among them.
    fn lists(&self, row: u32, other: u32) -> bool {
        let Some(first) = self.listed[row as usize].checked_sub(1) else {
            return false;
        };
        let theirs = self.by_chunk[row as usize / CHUNK][first as usize..].iter();
        theirs
            .take_while(|c| c.own == row)
            .any(|c| c.other == other)
    }

    /// Looks where the ground leads those who are near each other, and lets them approach more
    /// slowly whom it would lead into each other: the directions of the contacts hold for straight
    /// moves, and over an edge nobody moves straight. Says whether there were any.
    fn foresee(&mut self, look: u32, at_hand: &AtHand<'_>, steered: &[Steered]) -> bool {
        let (ground, a) = (at_hand.ground, at_hand.agents);
        self.ends.resize(steered.len(), (0, Vec3::ZERO));
        let mut found = false;
        for contact in self.by_chunk.iter_mut().flatten() {
            if contact.other == NONE {
                continue;
            }
            let [own, other] = [contact.own, contact.other].map(|row| {
                let row = row as usize;
                if self.ends[row].0 != look {
                    let Steered { velocity, push, .. } = steered[row];
                    let step = velocity * at_hand.dt + push;
                    let moved = ground.advance(a.location[row], a.frame[row], step, a.radius[row]);
                    self.ends[row] = (look, moved.to.point);
                }
                self.ends[row].1
            });
            let (row, beside) = (contact.own as usize, contact.other as usize);
            let now = a.location[row].point.distance(a.location[beside].point);
            let least = now.min(a.radius[row] + a.radius[beside]);
            let short = least - own.distance(other);
            if short > GRAZE {
                found = true;
                contact.fastest -= short / at_hand.dt;
                self.stirred[row] = self.round;
            }
        }
        found
    }

    /// Goes over the contacts until nobody is pushed any more: over those of people whose
    /// velocities have changed since.
    fn settle(&mut self, steered: &mut [Steered]) {
        for _ in 0..MOST_ROUNDS {
            let since = self.round;
            self.round += 1;
            let mut still = true;
            for contact in self.by_chunk.iter_mut().flatten() {
                let (own, other) = (contact.own as usize, contact.other as usize);
                let alone = contact.other == NONE;
                let at_rest = self.stirred[own] < since && (alone || self.stirred[other] < since);
                if at_rest || contact.part(steered) < TOLERANCE {
                    continue;
                }
                still = false;
                self.stirred[own] = self.round;
                if !alone {
                    self.stirred[other] = self.round;
                }
            }
            if still {
                break;
            }
        }
    }
}

/// Room for the contacts of a chunk that has its first: more is rarely needed.
pub fn make_room(contacts: &mut Vec<Contact>) {
    if contacts.capacity() == 0 {
        contacts.reserve(CHUNK);
    }
}

/// Changes the velocities of those who would run into each other.
pub fn keep_apart(place: &Place, state: &State, work: &mut Work, now: Move) {
    let (steered, contacts) = (&mut work.steered, &mut work.contacts);
    if contacts.by_chunk.iter().all(Vec::is_empty) {
        return;
    }
    contacts.begin(steered.len());
    let ground = place.ground.view();
    let at_hand = AtHand {
        ground,
        agents: &state.agents,
        fastest: work.fastest,
        dt: now.dt,
    };
    contacts.settle(steered);
    for _ in 0..MOST_WAVES {
        if !contacts.follow(&work.grid, &at_hand) {
            break;
        }
        contacts.settle(steered);
    }
    if !ground.flat {
        for look in 1..=MOST_BENDS {
            if !contacts.foresee(look, &at_hand, steered) {
                break;
            }
            contacts.settle(steered);
        }
    }
    let blend_steps = blend_steps(state.dt);
    let mut bound = |row: u32| {
        let row = row as usize;
        let velocity = steered[row]
            .velocity
            .clamp_length_max(at_hand.max_speed(row));
        steered[row].velocity = blended(state, row, velocity, blend_steps, now.dt);
    };
    for contact in contacts.by_chunk.iter().flatten() {
        for row in [contact.own, contact.other] {
            if row == NONE {
                continue;
            }
            contacts.listed[row as usize] = 0;
            contacts.stirred[row as usize] = 0;
            if let Some((look, _)) = contacts.ends.get_mut(row as usize) {
                *look = 0;
            }
            if contact.taken > 0.0 {
                bound(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steered(velocities: &[Vec2]) -> Vec<Steered> {
        velocities
            .iter()
            .map(|&velocity| Steered {
                velocity,
                ..Steered::default()
            })
            .collect()
    }

    fn settle(steered: &mut [Steered], contacts: Vec<Contact>) {
        let mut all = Contacts {
            by_chunk: vec![contacts],
            ..Contacts::default()
        };
        all.begin(steered.len());
        for _ in 0..MOST_WAVES {
            all.settle(steered);
        }
    }

    fn pair(own: u32, other: u32, towards: Vec2, fastest: f32) -> Contact {
        Contact {
            own,
            other,
            towards,
            back: -towards,
            fastest,
            share: 0.5,
            taken: 0.0,
        }
    }

    #[test]
    fn two_who_meet_stop_where_they_touch() {
        let mut all = steered(&[Vec2::X, -Vec2::X]);
        settle(&mut all, vec![pair(0, 1, Vec2::X, 0.4)]);
        assert!((all[0].velocity - Vec2::X * 0.2).length() < 1e-5, "{all:?}");
        assert!((all[1].velocity + Vec2::X * 0.2).length() < 1e-5, "{all:?}");
    }

    #[test]
    fn who_follows_goes_as_fast_as_the_one_ahead() {
        let mut all = steered(&[Vec2::X, Vec2::new(0.9, 0.3)]);
        settle(&mut all, vec![pair(0, 1, Vec2::X, 0.2)]);
        assert_eq!(all[0].velocity, Vec2::X);
        assert_eq!(all[1].velocity, Vec2::new(0.9, 0.3));
    }

    #[test]
    fn nobody_is_pushed_into_a_wall() {
        // A wall, then two in a row who touch, the second pushing.
        let mut all = steered(&[Vec2::ZERO, -Vec2::X]);
        let wall = Contact {
            back: Vec2::ZERO,
            share: 1.0,
            ..pair(0, NONE, -Vec2::X, 0.0)
        };
        settle(&mut all, vec![wall, pair(1, 0, -Vec2::X, 0.0)]);
        for one in &all {
            assert!(one.velocity.length() < 0.02, "{all:?}");
        }
    }

    /// In a row of five that is pressed from both ends the whole comes to rest; sideways motion is
    /// nobody's business.
    #[test]
    fn pushes_go_through_a_row() {
        let mut velocities = [Vec2::new(0.0, 0.5); 5];
        velocities[0].x = 1.0;
        velocities[4].x = -1.0;
        let mut all = steered(&velocities);
        settle(
            &mut all,
            (0..4).map(|i| pair(i, i + 1, Vec2::X, 0.0)).collect(),
        );
        for one in all {
            assert!((one.velocity - Vec2::new(0.0, 0.5)).length() < 0.02);
        }
    }

    #[test]
    fn what_was_taken_too_much_is_given_back() {
        // The middle one is pushed off by the first pair before the second frees it.
        let mut all = steered(&[Vec2::X, Vec2::ZERO, Vec2::X * 2.0]);
        settle(
            &mut all,
            vec![pair(0, 1, Vec2::X, 0.0), pair(1, 2, Vec2::X, 0.0)],
        );
        assert!((all[0].velocity.x - 0.5).abs() < 1e-3);
        assert!((all[1].velocity.x - 0.5).abs() < 1e-3);
        assert_eq!(all[2].velocity.x, 2.0);
    }
}
