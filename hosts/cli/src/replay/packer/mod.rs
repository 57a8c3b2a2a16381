//! Blocks of frames: where everybody was, packed so that a page can open any block alone.
//!
//! A block holds up to [`FRAMES`] frames. Everybody in it has one stretch of frames. The first
//! place of a stretch is a keyframe, then follows one difference, then second differences (the
//! change of the difference). Speeds are first differences. All of them are [`entropy`] numbers,
//! person by person and frame by frame: x, y, the height if there are heights, and the speed,
//! which the places foretell. What they follow is their context, see [`walk`]. Columns that rarely
//! change are their first values and a list of changes. The page's `format.js` reads what is
//! written here.
//!
//! [`entropy`]: super::entropy

#[cfg(test)]
pub mod reading;
mod walk;

use glam::Vec3;
use walk::{AXIS_CONTEXTS, SPEED_CONTEXTS, put_walk, small};

use super::{
    bytes::{signed, varint},
    entropy::Numbers,
};

/// Side of the lattice that places are rounded to, metres.
pub const QUANTUM: f32 = 0.02;
/// Step that speeds are rounded to, metres per second.
pub const SPEED_QUANTUM: f32 = 0.1;
/// Step that velocities of the detailed are rounded to, metres per second.
pub const VELOCITY_QUANTUM: f32 = 0.05;
/// Most frames of a block.
pub const FRAMES: usize = 100;
/// A block with so many places is closed, if it has [`LEAST_FRAMES`].
const PLACES: usize = 1_200_000;
const LEAST_FRAMES: usize = 10;
/// Contexts of a velocity of the detailed.
const DETAIL_CONTEXTS: usize = 16;
/// Columns that rarely change: storey, tier, what it does, goal.
pub const SLOW: usize = 4;

/// One person in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Number in the order of first appearance.
    pub serial: u32,
    /// Where it is, metres.
    pub at: Vec3,
    /// Its speed, metres per second.
    pub speed: f32,
    /// Storey, tier, what it does, goal + 1.
    pub slow: [u32; SLOW],
}

/// Velocity and preferred velocity in world directions, metres per second.
pub type Detail = [Vec3; 2];

#[derive(Clone, Copy, Debug)]
struct Row {
    slot: u32,
    /// Place and speed in steps of their quanta.
    values: [f32; 4],
}

#[derive(Clone, Debug)]
struct Stretch {
    serial: u32,
    first: u32,
    count: u32,
    initial: [u32; SLOW],
    now: [u32; SLOW],
}

/// The block at hand.
#[derive(Debug, Default)]
pub struct Packer {
    heights: bool,
    frames: usize,
    rows: Vec<Row>,
    stretches: Vec<Stretch>,
    /// Slot of each serial in this block, from `first_serial` on.
    slot_of: Vec<u32>,
    first_serial: u32,
    changes: Vec<[u32; 4]>,
    detailed: Vec<u32>,
    details: Vec<(u32, Detail)>,
    seen: Vec<u8>,
    seen_count: u64,
    movers: Vec<u8>,
}

const NOWHERE: u32 = u32::MAX;

/// What a value is in steps of a quantum.
fn steps(value: f32, quantum: f32) -> i32 {
    (value / quantum).round() as i32
}

impl Packer {
    /// An empty block, with heights or without.
    pub fn new(heights: bool) -> Packer {
        Packer {
            heights,
            ..Packer::default()
        }
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether the block should be closed before another frame.
    pub fn is_full(&self) -> bool {
        self.frames >= FRAMES || (self.rows.len() >= PLACES && self.frames >= LEAST_FRAMES)
    }

    /// Adds a person to the frame at hand.
    pub fn add(&mut self, sample: &Sample) {
        let slot = self.slot(sample);
        let stretch = &mut self.stretches[slot as usize];
        stretch.count += 1;
        for column in 0..SLOW {
            let value = sample.slow[column];
            if stretch.now[column] != value {
                stretch.now[column] = value;
                let change = [self.frames as u32, slot, column as u32, value];
                self.changes.push(change);
            }
        }
        self.rows.push(Row {
            slot,
            values: (sample.at / QUANTUM)
                .extend(sample.speed / SPEED_QUANTUM)
                .to_array(),
        });
    }

    /// Adds the velocities of a person who is detailed; in every frame of a block or in none.
    pub fn add_detail(&mut self, serial: u32, detail: Detail) {
        let Some(slot) = self.known_slot(serial) else {
            return;
        };
        if self.stretches[slot as usize].count == 1 {
            self.detailed.push(slot);
        }
        self.details.push((slot, detail));
    }

    /// Adds whom somebody sees in the frame at hand.
    pub fn add_seen(&mut self, serial: u32, seen: &[u32]) {
        self.seen_count += 1;
        varint(&mut self.seen, self.frames as u64);
        varint(&mut self.seen, u64::from(serial));
        varint(&mut self.seen, seen.len() as u64);
        for other in seen {
            signed(&mut self.seen, i64::from(*other) - i64::from(serial));
        }
    }

    /// Adds the place of a mover to the frame at hand; in the same order in every frame.
    pub fn add_mover(&mut self, at: Vec3) {
        for value in at.to_array() {
            signed(&mut self.movers, i64::from(steps(value, QUANTUM)));
        }
    }

    /// Ends the frame at hand.
    pub fn end_frame(&mut self) {
        self.frames += 1;
    }

    fn known_slot(&self, serial: u32) -> Option<u32> {
        let at = serial.checked_sub(self.first_serial)? as usize;
        self.slot_of.get(at).copied().filter(|s| *s != NOWHERE)
    }

    fn slot(&mut self, sample: &Sample) -> u32 {
        if let Some(slot) = self.known_slot(sample.serial) {
            return slot;
        }
        if self.stretches.is_empty() {
            self.first_serial = sample.serial;
        }
        if sample.serial < self.first_serial {
            let more = (self.first_serial - sample.serial) as usize;
            self.slot_of
                .splice(0..0, std::iter::repeat_n(NOWHERE, more));
            self.first_serial = sample.serial;
        }
        let at = (sample.serial - self.first_serial) as usize;
        if at >= self.slot_of.len() {
            self.slot_of.resize(at + 1, NOWHERE);
        }
        let slot = self.stretches.len() as u32;
        self.slot_of[at] = slot;
        self.stretches.push(Stretch {
            serial: sample.serial,
            first: self.frames as u32,
            count: 0,
            initial: sample.slow,
            now: sample.slow,
        });
        slot
    }

    /// The bytes of the block, whose frames are so many seconds apart; the next one begins empty.
    pub fn close(&mut self, interval: f64) -> Vec<u8> {
        let mut out = Vec::new();
        let people = self.stretches.len();
        varint(&mut out, self.frames as u64);
        varint(&mut out, people as u64);
        let mut before = 0;
        for s in &self.stretches {
            signed(&mut out, i64::from(s.serial) - before);
            before = i64::from(s.serial);
        }
        self.stretches
            .iter()
            .for_each(|s| varint(&mut out, u64::from(s.first)));
        self.stretches
            .iter()
            .for_each(|s| varint(&mut out, u64::from(s.count)));
        for column in 0..SLOW {
            self.stretches
                .iter()
                .for_each(|s| varint(&mut out, u64::from(s.initial[column])));
        }
        varint(&mut out, self.changes.len() as u64);
        for change in &self.changes {
            change.iter().for_each(|v| varint(&mut out, u64::from(*v)));
        }
        self.put_walks(interval, &mut out);
        self.put_details(&mut out);
        varint(&mut out, self.seen_count);
        varint(&mut out, self.seen.len() as u64);
        out.extend_from_slice(&self.seen);
        out.extend_from_slice(&self.movers);
        *self = Packer::new(self.heights);
        out
    }

    /// Where the values of each slot begin when they stand person by person.
    fn starts(&self) -> Vec<usize> {
        let mut sum = 0;
        let begin = |s: &Stretch| {
            sum += s.count as usize;
            sum - s.count as usize
        };
        self.stretches.iter().map(begin).collect()
    }

    fn by_person(&self) -> Vec<[f32; 4]> {
        let mut next = self.starts();
        let mut values = vec![[0.0; 4]; self.rows.len()];
        for row in &self.rows {
            let at = &mut next[row.slot as usize];
            values[*at] = row.values;
            *at += 1;
        }
        values
    }

    /// Writes places and speeds: the keyframes column by column, then how everybody goes on.
    fn put_walks(&self, interval: f64, out: &mut Vec<u8>) {
        let axes = if self.heights { 3 } else { 2 };
        let (values, starts) = (self.by_person(), self.starts());
        let columns: &[usize] = if self.heights {
            &[0, 1, 2, 3]
        } else {
            &[0, 1, 3]
        };
        for column in columns {
            let mut before = 0;
            for start in &starts {
                let key = values[*start][*column].round() as i32;
                signed(out, i64::from(key) - before);
                before = i64::from(key);
            }
        }
        // Steps of speed that a step of the lattice in a frame makes, in 65,536ths.
        let pace_speed = f64::from(QUANTUM) / interval / f64::from(SPEED_QUANTUM);
        let pace_speed = (pace_speed * 65_536.0).round().clamp(0.0, 4e9) as u32;
        varint(out, u64::from(pace_speed));
        let mut numbers = Numbers::new(axes * AXIS_CONTEXTS + SPEED_CONTEXTS);
        for (stretch, start) in self.stretches.iter().zip(starts) {
            let own = &values[start..start + stretch.count as usize];
            put_walk(own, axes, pace_speed, &mut numbers);
        }
        numbers.write(out);
    }

    fn put_details(&self, out: &mut Vec<u8>) {
        varint(out, self.detailed.len() as u64);
        self.detailed
            .iter()
            .for_each(|s| varint(out, u64::from(*s)));
        let byte = |v: f32| steps(v, VELOCITY_QUANTUM).clamp(-127, 127) as i8;
        let axes = if self.heights { 3 } else { 2 };
        let mut columns: Vec<Vec<Vec<i8>>> = vec![Vec::new(); 2 * axes];
        let mut place_of = vec![NOWHERE; self.stretches.len()];
        for (place, slot) in self.detailed.iter().enumerate() {
            place_of[*slot as usize] = place as u32;
        }
        columns
            .iter_mut()
            .for_each(|c| c.resize(self.detailed.len(), Vec::new()));
        for (slot, detail) in &self.details {
            let place = place_of[*slot as usize];
            if place == NOWHERE {
                continue;
            }
            for which in 0..2 {
                for axis in 0..axes {
                    columns[which * axes + axis][place as usize].push(byte(detail[which][axis]));
                }
            }
        }
        let mut numbers = Numbers::new(2 * DETAIL_CONTEXTS);
        for (column, people) in columns.iter().enumerate() {
            let base = column / axes * DETAIL_CONTEXTS;
            for person in people {
                let (mut before, mut changes) = (0, [3, 3]);
                for value in person {
                    let change = i32::from(*value) - before;
                    let context = base + 4 * small(changes[0]) + small(changes[1]);
                    numbers.add(context, change);
                    before = i32::from(*value);
                    changes = [change, changes[0]];
                }
            }
        }
        numbers.write(out);
    }
}

#[cfg(test)]
mod tests {
    use super::{reading::Reader, *};

    fn place(person: u32, frame: usize) -> Vec3 {
        // The first walks a curve, the second stands, the third jumps far in frame 6.
        let f = frame as f32;
        match person {
            0 => Vec3::new(0.27 * f, 0.013 * f * f, 0.0),
            1 => Vec3::new(-3.333, 7.77, 0.0),
            _ => Vec3::new(if frame < 6 { f } else { 500.0 + f }, -f, 0.0),
        }
    }

    #[test]
    fn places_come_back_within_the_quantum() {
        let mut packer = Packer::new(false);
        // The second is born in frame 3, the third leaves after frame 8.
        let there = |person: u32, frame: usize| match person {
            1 => frame >= 3,
            2 => frame <= 8,
            _ => true,
        };
        for frame in 0..12 {
            for person in 0..3 {
                if there(person, frame) {
                    packer.add(&Sample {
                        serial: 40 - person,
                        at: place(person, frame),
                        speed: 0.11 * frame as f32,
                        slow: [0, u32::from(frame >= 5), 1, 300],
                    });
                    if person == 0 {
                        let x = ((frame * frame) as f32 - 50.0) * VELOCITY_QUANTUM;
                        packer.add_detail(40, [Vec3::X * x, Vec3::Y * -99.0]);
                    }
                }
            }
            packer.end_frame();
        }
        let bytes = packer.close(0.2);
        assert_eq!(packer.frames(), 0, "the next block begins empty");
        let mut reader = Reader(&bytes);
        assert_eq!(reader.varint(), 12);
        let people = reader.varint() as usize;
        let mut serial = 0;
        let serials: Vec<i64> = (0..people)
            .map(|_| {
                serial += reader.signed();
                serial
            })
            .collect();
        assert_eq!(serials, [40, 38, 39]);
        let first: Vec<u64> = (0..people).map(|_| reader.varint()).collect();
        let counts: Vec<usize> = (0..people).map(|_| reader.varint() as usize).collect();
        assert_eq!((first, &counts[..]), (vec![0, 0, 3], &[12, 9, 9][..]));
        let initial: Vec<u64> = (0..SLOW * people).map(|_| reader.varint()).collect();
        assert_eq!(initial, [0, 0, 0, 0, 0, 0, 1, 1, 1, 300, 300, 300]);
        let changes: Vec<u64> = (0..4 * reader.varint()).map(|_| reader.varint()).collect();
        assert_eq!(changes, [5, 0, 1, 1, 5, 2, 1, 1, 5, 1, 1, 1]);
        let walks = reader.walks(&counts, 2);
        let details = reader.details(&counts, 2);
        assert_eq!(
            details[0],
            [(0..12).map(|f| f * f - 50).collect::<Vec<i32>>()]
        );
        assert_eq!(details[3], [vec![-127; 12]]);
        for (slot, person) in [0u32, 2, 1].into_iter().enumerate() {
            for i in 0..counts[slot] {
                let frame = i + if person == 1 { 3 } else { 0 };
                let wanted = place(person, frame);
                let [x, y, _, speed] = walks[slot][i];
                let found = Vec3::new(x as f32, y as f32, 0.0) * QUANTUM;
                assert!(
                    (found - wanted).abs().max_element() <= 0.76 * QUANTUM,
                    "person {person}, frame {frame}: {found} is not {wanted}"
                );
                let found = speed as f32 * SPEED_QUANTUM;
                assert!((found - 0.11 * frame as f32).abs() <= 0.76 * SPEED_QUANTUM);
            }
        }
    }

    #[test]
    fn who_walks_steadily_costs_next_to_nothing() {
        let mut packer = Packer::new(false);
        for frame in 0..FRAMES {
            packer.add(&Sample {
                serial: 0,
                at: Vec3::new(0.267 * frame as f32, 0.0, 0.0),
                speed: 1.335,
                slow: [0; SLOW],
            });
            packer.end_frame();
        }
        assert!(packer.is_full());
        let bytes = packer.close(0.2);
        // One difference and second differences for x, nothing for y and the speed.
        assert!(bytes.len() < 700, "{} bytes", bytes.len());
    }
}
