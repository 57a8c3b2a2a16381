//! The agents as columns, with stable generational ids.

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{AgentsView, Frame, Location, NONE, random::mix};

use crate::{
    checkpoint::{CheckpointError, Reader, Writer},
    track::{Mark, Track},
};

/// Stable id of an agent: the slot in the low half, its generation in the high half.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct AgentId(pub u64);

impl AgentId {
    fn new(slot: u32, generation: u32) -> AgentId {
        AgentId(u64::from(generation) << 32 | u64::from(slot))
    }

    /// The slot that the id names; it is reused after the agent has gone.
    pub fn slot(self) -> u32 {
        self.0 as u32
    }

    /// How often the slot had been used before.
    pub fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Doing {
    /// Waits before setting off (premovement).
    Waiting = 0,
    /// Walks to its goal.
    #[default]
    Walking = 1,
    /// Stays at its goal.
    Staying = 2,
    /// Walks at the velocity that a command gave.
    Overridden = 3,
}

/// Counters and clocks of an agent that no strategy sees.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Step of its birth.
    pub born: u64,
    /// Step at which it sets off.
    pub sets_off: u64,
    /// Step at which it began to walk to its present goal.
    pub leg_began: u64,
    /// Where it was when last asked whether it stalls.
    pub stall_from: [f32; 3],
    /// The source that it came from.
    pub source: u32,
    /// Which goal of its source's list it walks to.
    pub leg: u32,
    /// How often its route changed.
    pub switches: u32,
    /// Step of its last change of tier.
    pub tier_since: u64,
    /// The goal that holds it up, or NONE.
    pub hold: u32,
    /// Whether it moved less than a shoulder's width in the last window.
    pub stalled: bool,
    /// Index of its profile.
    pub profile: u16,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            born: 0,
            sets_off: 0,
            leg_began: 0,
            stall_from: [0.0; 3],
            source: 0,
            leg: 0,
            switches: 0,
            tier_since: 0,
            hold: NONE,
            stalled: false,
            profile: 0,
        }
    }
}

/// Clocks of the replan policy's hysteresis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// Seconds for which the crowd ahead has stayed above the threshold.
    pub above: f32,
    /// Seconds for which it has stayed below.
    pub below: f32,
}

/// A disc in plan within which an agent's region and crowd cell cannot have changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settled {
    /// Its centre.
    pub at: Vec2,
    /// Its radius, metres.
    pub slack: f32,
    /// The floor that this holds on, where there are several.
    pub floor: u16,
}

/// A column whatever it holds.
trait Column: Send {
    /// Swaps every row with the row named for it, in order.
    fn swap_rows(&mut self, swaps: &[u32]);
}

impl<T: Send> Column for Vec<T> {
    fn swap_rows(&mut self, swaps: &[u32]) {
        for (row, &from) in swaps.iter().enumerate() {
            self.swap(row, from as usize);
        }
    }
}

/// Bits of a sort key that one pass of sorting looks at.
const DIGIT: u32 = 11;

macro_rules! columns {
    ($($(#[$meta:meta])* $name:ident: $ty:ty = $fresh:expr;)*) => {
        /// The agents as columns of equal length. Row order carries no meaning.
        #[derive(Debug, Default)]
        pub struct Agents {
            $($(#[$meta])* pub $name: Vec<$ty>,)*
            /// Row of each slot, or NONE.
            row_of_slot: Vec<u32>,
            generation_of_slot: Vec<u32>,
            free_slots: Vec<u32>,
            order: Vec<u32>,
            swaps: Vec<u32>,
            /// Sort keys over rows, and the same while they are sorted.
            keyed: [Vec<u64>; 2],
        }

        impl Agents {
            fn push_row(&mut self) {
                $(self.$name.push($fresh);)*
            }

            fn swap_remove_row(&mut self, row: usize) {
                $(self.$name.swap_remove(row);)*
            }

            /// Brings the rows into `order` by swapping, so that no column needs a second one.
            fn apply_order(&mut self) {
                self.swaps.clear();
                for row in 0..self.order.len() {
                    // Follow the row to where earlier swaps have put it.
                    let mut from = self.order[row] as usize;
                    while from < row {
                        from = self.swaps[from] as usize;
                    }
                    self.swaps.push(from as u32);
                }
                let swaps = &self.swaps;
                let columns: &mut [&mut dyn Column] = &mut [$(&mut self.$name),*];
                columns
                    .par_iter_mut()
                    .for_each(|column| column.swap_rows(swaps));
            }

            /// Makes room, so that a steady step need not.
            pub fn reserve(&mut self, more: usize) {
                $(self.$name.reserve(more);)*
                self.order.reserve(self.id.len() + more);
                self.swaps.reserve(self.id.len() + more);
                for keyed in &mut self.keyed {
                    keyed.reserve(self.id.len() + more);
                }
            }

            /// Writes every column.
            pub(crate) fn save(&self, out: &mut Writer) {
                $(out.column(&self.$name);)*
                out.column(&self.generation_of_slot);
                out.column(&self.free_slots);
            }

            /// Reads what [`Agents::save`] wrote.
            pub(crate) fn load(from: &mut Reader<'_>) -> Result<Agents, CheckpointError> {
                let mut agents = Agents::default();
                $(agents.$name = from.column()?;)*
                let count = agents.id.len();
                if $(agents.$name.len() != count)||* {
                    return Err(CheckpointError::Damaged("columns of unequal length"));
                }
                let (generations, free) = (from.column()?, from.column()?);
                agents.restore_slots(generations, free);
                for (mark, track) in agents.mark.iter_mut().zip(&agents.track) {
                    *mark = track.mark();
                }
                Ok(agents)
            }

            /// Bytes that the columns hold.
            pub fn bytes(&self) -> usize {
                0 $(+ self.$name.capacity() * size_of::<$ty>())*
                    + (self.row_of_slot.capacity() + self.generation_of_slot.capacity()
                        + self.free_slots.capacity() + self.order.capacity()
                        + self.swaps.capacity()) * 4
                    + (self.keyed[0].capacity() + self.keyed[1].capacity()) * 8
            }
        }
    };
}

columns! {
    /// Stable ids.
    id: u64 = 0;
    /// Places.
    location: Location = Location::NOWHERE;
    /// Places one step earlier, for interpolation.
    before: Location = Location::NOWHERE;
    /// Frames.
    frame: Frame = Frame::FLAT;
    /// Velocities in the agents' frames.
    velocity: Vec2 = Vec2::ZERO;
    /// Unit directions faced.
    heading: Vec2 = Vec2::X;
    /// Preferred velocities.
    preferred: Vec2 = Vec2::ZERO;
    /// Offsets to the points walked to.
    aim: Vec2 = Vec2::ZERO;
    /// Radii, metres.
    radius: f32 = 0.24;
    /// Desired speeds, metres per second.
    speed: f32 = 1.34;
    /// Largest speeds, metres per second.
    max_speed: f32 = 1.34;
    /// Masses, kilograms.
    mass: f32 = 80.0;
    /// Heights, metres.
    height: f32 = 1.8;
    /// Lanes in [-1, 1].
    lane: f32 = 0.0;
    /// Weights of the crowd part.
    weight: f32 = 1.0;
    /// Route classes.
    class: u32 = 0;
    /// Shared goals, or NONE.
    goal: u32 = NONE;
    /// The place each walks to.
    target: Location = Location::NOWHERE;
    /// Regions of the map.
    region: u32 = NONE;
    /// Crowd cells.
    cell: u32 = NONE;
    /// Where regions and cells were looked up.
    settled: Settled = Settled::default();
    /// Metres to walk before a region can be left; not above 0 to see whether it was, minus
    /// infinity to look it up anew. A cache.
    room: f32 = f32::NEG_INFINITY;
    /// What each has put on its crowd cell: area and momentum in fixed point.
    share: [i64; 3] = [0; 3];
    /// Tiers.
    tier: u8 = 0;
    /// Groups, or NONE.
    group: u32 = NONE;
    /// How often the tier has steered.
    tick: u32 = 0;
    /// Distance of the k-th neighbour when last looked: a cache, not state.
    kth: f32 = f32::INFINITY;
    /// Metres within which no wall is, or less than 0: metres to walk before it is worth looking.
    /// A cache, not state.
    free: f32 = 0.0;
    /// Metres to walk before a gate or the goal can be reached; not above 0 to look. A cache.
    until: f32 = 0.0;
    /// What each does.
    doing: Doing = Doing::Walking;
    /// Metres walked.
    walked: f64 = 0.0;
    /// Where each is on its route.
    track: Track = Track::default();
    /// What every step asks of the tracks.
    mark: Mark = Mark::default();
    /// In plan, the point of the next gate that `linear` walks to, where the mark says that it is
    /// known: nobody's track has to be read for it.
    sought: Vec2 = Vec2::ZERO;
    /// Clocks of the replan policy.
    patience: Patience = Patience::default();
    /// Counters and clocks.
    record: Record = Record::default();
}

impl Agents {
    /// How many.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Adds a row with fresh values and a new id; the caller fills the columns.
    pub fn add(&mut self) -> (usize, AgentId) {
        let row = self.id.len();
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.row_of_slot.push(NONE);
            self.generation_of_slot.push(0);
            (self.row_of_slot.len() - 1) as u32
        });
        let id = AgentId::new(slot, self.generation_of_slot[slot as usize]);
        self.push_row();
        self.id[row] = id.0;
        self.row_of_slot[slot as usize] = row as u32;
        (row, id)
    }

    /// Removes a row; the last row takes its place.
    pub fn remove(&mut self, row: usize) {
        let slot = AgentId(self.id[row]).slot();
        self.swap_remove_row(row);
        if row < self.id.len() {
            let moved = AgentId(self.id[row]).slot();
            self.row_of_slot[moved as usize] = row as u32;
        }
        self.row_of_slot[slot as usize] = NONE;
        self.generation_of_slot[slot as usize] += 1;
        self.free_slots.push(slot);
    }

    /// Takes over what an agent's track says after another route was put on it.
    pub fn note_track(&mut self, row: usize) {
        self.mark[row] = self.track[row].mark();
        self.until[row] = 0.0;
    }

    /// Forgets what was found out about where an agent stands: it was moved, not walking.
    pub fn forget_place(&mut self, row: usize) {
        self.room[row] = f32::NEG_INFINITY;
        self.free[row] = 0.0;
        self.until[row] = 0.0;
    }

    /// The row of an agent that is still there.
    pub fn row(&self, id: AgentId) -> Option<usize> {
        let row = *self.row_of_slot.get(id.slot() as usize)?;
        (row != NONE && self.id[row as usize] == id.0).then_some(row as usize)
    }

    /// The slots whose turn it is in this step, each once in so many steps.
    pub fn slots_in_turn(&self, step: u64, every: u64) -> impl Iterator<Item = usize> + use<> {
        let first = (every - step % every) % every;
        (first as usize..self.row_of_slot.len()).step_by(every as usize)
    }

    /// The row of the agent in a slot, if there is one.
    pub fn row_of_slot(&self, slot: usize) -> Option<usize> {
        let row = *self.row_of_slot.get(slot)?;
        (row != NONE).then_some(row as usize)
    }

    /// Sorts the rows by a key, ties by id; gives the permutation (new row -> old row).
    pub fn sort_by_key(&mut self, key: impl Fn(&Location) -> u32) -> &[u32] {
        let [keyed, sorted] = &mut self.keyed;
        keyed.clear();
        keyed.extend(
            (0u64..)
                .zip(&self.location)
                .map(|(row, at)| u64::from(key(at)) << 32 | row),
        );
        sorted.resize(keyed.len(), 0);
        let all_bits = keyed.iter().fold(0, |bits, k| bits | k >> 32);
        // Digit by digit, the lowest first (radix sort).
        for shift in (0..u64::BITS - all_bits.leading_zeros()).step_by(DIGIT as usize) {
            let digit = |k: u64| (k >> (32 + shift)) as usize % (1 << DIGIT);
            let mut next = [0u32; (1 << DIGIT) + 1];
            for &k in keyed.iter() {
                next[digit(k) + 1] += 1;
            }
            for d in 0..1 << DIGIT {
                next[d + 1] += next[d];
            }
            for &k in keyed.iter() {
                let at = &mut next[digit(k)];
                sorted[*at as usize] = k;
                *at += 1;
            }
            std::mem::swap(keyed, sorted);
        }
        self.order.clear();
        self.order.extend(keyed.iter().map(|&k| k as u32));
        let mut first = 0;
        for same in keyed.chunk_by(|a, b| a >> 32 == b >> 32) {
            let rows = &mut self.order[first..first + same.len()];
            rows.sort_unstable_by_key(|&row| self.id[row as usize]);
            first += same.len();
        }
        self.apply_order();
        for (row, id) in self.id.iter().enumerate() {
            self.row_of_slot[AgentId(*id).slot() as usize] = row as u32;
        }
        &self.order
    }

    /// The columns that strategies read.
    pub fn view(&self, flat: bool) -> AgentsView<'_> {
        AgentsView {
            id: &self.id,
            location: &self.location,
            frame: if flat { &[] } else { &self.frame },
            velocity: &self.velocity,
            heading: &self.heading,
            preferred: &self.preferred,
            radius: &self.radius,
            speed: &self.speed,
            mass: &self.mass,
            lane: &self.lane,
            weight: &self.weight,
            class: &self.class,
            goal: &self.goal,
            target: &self.target,
            region: &self.region,
            tier: &self.tier,
            group: &self.group,
        }
    }

    /// Hash of everything that one agent is, by stable id: digests are sums of these.
    pub fn hash_row(&self, row: usize) -> u64 {
        let mut h = Hasher::new(self.id[row]);
        let l = &self.location[row];
        h.floats(&[l.point.x, l.point.y, l.point.z]);
        let (v, p) = (self.velocity[row], self.preferred[row]);
        h.floats(&[v.x, v.y, p.x, p.y]);
        let f = self.frame[row];
        h.floats(&[f.x.x, f.x.y, f.x.z, f.handedness]);
        h.word(u64::from(l.triangle) << 32 | u64::from(self.goal[row]));
        h.word(u64::from(self.tier[row]) << 32 | u64::from(self.track[row].remaining()));
        h.finish()
    }

    /// Takes slots back and finds the rows of the ids.
    fn restore_slots(&mut self, generations: Vec<u32>, free: Vec<u32>) {
        self.row_of_slot = vec![NONE; generations.len()];
        self.generation_of_slot = generations;
        self.free_slots = free;
        for (row, id) in self.id.iter().enumerate() {
            if let Some(slot) = self.row_of_slot.get_mut(AgentId(*id).slot() as usize) {
                *slot = row as u32;
            }
        }
    }
}

/// A running hash of words: order matters within an agent, not between agents.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(u64);

impl Hasher {
    /// Starts from a key.
    pub fn new(key: u64) -> Hasher {
        Hasher(mix(key ^ 0x51_7C_C1_B7_27_22_0A_95))
    }

    /// Takes in a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = mix(self.0.rotate_left(5) ^ word);
    }

    /// Takes in floats; both zeros count as one.
    #[inline]
    pub fn floats(&mut self, values: &[f32]) {
        for v in values {
            self.word(u64::from((v + 0.0).to_bits()));
        }
    }

    /// The hash.
    pub fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_outlive_sorting_and_removal() {
        let mut a = Agents::default();
        let ids: Vec<_> = (0..5).map(|_| a.add().1).collect();
        for (i, &id) in ids.iter().enumerate() {
            let row = a.row(id).unwrap();
            a.location[row].point.x = -(i as f32);
        }
        a.sort_by_key(|l| (l.point.x + 10.0) as u32);
        assert_eq!(a.location[a.row(ids[4]).unwrap()].point.x, -4.0);
        a.remove(a.row(ids[2]).unwrap());
        assert_eq!(a.row(ids[2]), None);
        assert_eq!(a.location[a.row(ids[0]).unwrap()].point.x, 0.0);
        let (_, again) = a.add();
        assert_eq!(again.slot(), ids[2].slot());
        assert_ne!(again, ids[2]);
        assert_eq!(a.row(ids[2]), None);
    }

    #[test]
    fn digest_does_not_depend_on_rows() {
        let sum = |a: &Agents| (0..a.len()).fold(0u64, |s, r| s.wrapping_add(a.hash_row(r)));
        let mut a = Agents::default();
        for i in 0..10 {
            let (row, _) = a.add();
            a.location[row].point.x = (i * 7 % 10) as f32;
        }
        let before = sum(&a);
        a.sort_by_key(|l| l.point.x as u32);
        assert_eq!(before, sum(&a));
    }
}
