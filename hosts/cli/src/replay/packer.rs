//! Blocks of frames: where everybody was, packed so that a page can open any block alone.
//!
//! A block holds up to [`FRAMES`] frames. Everybody in it has one stretch of frames. The first
//! place of a stretch is a keyframe, then follows one difference, then second differences (the
//! change of the difference). Two of them share a byte, which deflate packs better than one each:
//! those of x and y, or two in a row of heights and of speeds. [`ESCAPE`] stands where they do not
//! fit; the numbers themselves then are in a list of their own. Columns that rarely change are their first values
//! and a list of changes. The page's `format.js` reads what is written here.

use glam::Vec3;

use super::bytes::{signed, varint};

/// Side of the lattice that places are rounded to, metres.
pub const QUANTUM: f32 = 0.02;
/// Step that speeds are rounded to, metres per second.
pub const SPEED_QUANTUM: f32 = 0.1;
/// Step that velocities of the detailed are rounded to, metres per second.
pub const VELOCITY_QUANTUM: f32 = 0.05;
/// Most frames of a block.
pub const FRAMES: usize = 50;
/// A block with so many places is closed, if it has [`LEAST_FRAMES`].
const PLACES: usize = 600_000;
const LEAST_FRAMES: usize = 10;
/// A guess that misses by no more steps than this is taken as it is: 1.5 cm of 2 cm. Half of a
/// walk's second differences are the rounding of places alone, and fall away.
const NEAR_ENOUGH: f32 = 0.75;
/// Largest difference of either sign that fits: two of them make 225 values.
const FITS: i32 = 7;
/// The byte of two differences of which one does not fit.
const ESCAPE: u8 = 255;
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

    /// The bytes of the block; the next one begins empty.
    pub fn close(&mut self) -> Vec<u8> {
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
        let values = self.by_person();
        let x = self.differences(&values, 0, 2, &mut out);
        let y = self.differences(&values, 1, 2, &mut out);
        put_pairs(x.into_iter().zip(y), &mut out);
        if self.heights {
            put_row(&self.differences(&values, 2, 2, &mut out), &mut out);
        }
        // Speeds change in jumps: their differences are not carried on.
        put_row(&self.differences(&values, 3, 1, &mut out), &mut out);
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

    /// Writes the keyframes of a column, and gives the differences that follow them.
    fn differences(
        &self,
        values: &[[f32; 4]],
        column: usize,
        order: u32,
        out: &mut Vec<u8>,
    ) -> Vec<i32> {
        let mut changes = Vec::with_capacity(values.len());
        let mut key = 0;
        for (s, start) in self.stretches.iter().zip(self.starts()) {
            let own = &values[start..start + s.count as usize];
            // What the reader has: guesses go on from there, so that misses do not add up.
            let (mut at, mut pace) = (0i32, 0i32);
            for (i, value) in own.iter().enumerate() {
                let value = value[column];
                if i == 0 {
                    // Keyframes: the difference to the one before in the list.
                    at = value.round() as i32;
                    signed(out, i64::from(at) - i64::from(key));
                    key = at;
                    continue;
                }
                let guess = at.saturating_add(pace);
                let miss = value - guess as f32;
                let change = if miss.abs() <= NEAR_ENOUGH {
                    0
                } else {
                    miss.round() as i32
                };
                changes.push(change);
                let now = guess.saturating_add(change);
                pace = if order == 2 {
                    now.saturating_sub(at)
                } else {
                    0
                };
                at = now;
            }
        }
        changes
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
        for person in columns.iter().flatten() {
            let mut before = 0i8;
            for value in person {
                out.push(value.wrapping_sub(before) as u8);
                before = *value;
            }
        }
    }
}

/// Writes two differences to the byte.
fn put_pairs(pairs: impl Iterator<Item = (i32, i32)>, out: &mut Vec<u8>) {
    let mut escapes = Vec::new();
    for (a, b) in pairs {
        if a.abs() <= FITS && b.abs() <= FITS {
            out.push(((a + FITS) * (2 * FITS + 1) + b + FITS) as u8);
        } else {
            out.push(ESCAPE);
            signed(&mut escapes, i64::from(a));
            signed(&mut escapes, i64::from(b));
        }
    }
    varint(out, escapes.len() as u64);
    out.append(&mut escapes);
}

/// Writes differences that follow each other, two to the byte, the last one with a 0 if need be.
fn put_row(changes: &[i32], out: &mut Vec<u8>) {
    let pairs = changes.chunks(2);
    put_pairs(pairs.map(|p| (p[0], p.get(1).copied().unwrap_or(0))), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what the packer writes, as the page does.
    struct Reader<'a>(&'a [u8]);

    impl Reader<'_> {
        fn varint(&mut self) -> u64 {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = self.0[0];
                self.0 = &self.0[1..];
                value |= u64::from(byte & 127) << shift;
                if byte < 128 {
                    return value;
                }
                shift += 7;
            }
        }
        fn signed(&mut self) -> i64 {
            let value = self.varint();
            (value >> 1) as i64 ^ -((value & 1) as i64)
        }
        fn take(&mut self, count: usize) -> &[u8] {
            let (part, rest) = self.0.split_at(count);
            self.0 = rest;
            part
        }
        fn keys(&mut self, people: usize) -> Vec<i64> {
            let mut key = 0;
            let mut next = || {
                key += self.signed();
                key
            };
            (0..people).map(|_| next()).collect()
        }
        fn pairs(&mut self, count: usize) -> Vec<(i64, i64)> {
            let codes = self.take(count).to_vec();
            let length = self.varint() as usize;
            let escapes = self.take(length).to_vec();
            let mut escapes = Reader(&escapes);
            let both = |code: &u8| match *code {
                ESCAPE => (escapes.signed(), escapes.signed()),
                code => (i64::from(code) / 15 - 7, i64::from(code) % 15 - 7),
            };
            codes.iter().map(both).collect()
        }
    }

    fn walked(
        keys: &[i64],
        counts: &[usize],
        mut changes: impl Iterator<Item = i64>,
        second: bool,
    ) -> Vec<Vec<i64>> {
        let stretch = |(key, count): (&i64, &usize)| {
            let (mut values, mut pace) = (vec![*key], 0);
            for i in 1..*count {
                let now = values[i - 1] + pace + changes.next().unwrap();
                if second {
                    pace = now - values[i - 1];
                }
                values.push(now);
            }
            values
        };
        keys.iter().zip(counts).map(stretch).collect()
    }

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
                }
            }
            packer.end_frame();
        }
        let bytes = packer.close();
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
        let codes = counts.iter().sum::<usize>() - people;
        let (x, y) = (reader.keys(people), reader.keys(people));
        let pairs = reader.pairs(codes);
        let x = walked(&x, &counts, pairs.iter().map(|p| p.0), true);
        let y = walked(&y, &counts, pairs.iter().map(|p| p.1), true);
        let speed = reader.keys(people);
        let pairs = reader.pairs(codes.div_ceil(2));
        let row = pairs.iter().flat_map(|p| [p.0, p.1]);
        let speed = walked(&speed, &counts, row, false);
        for (slot, person) in [0u32, 2, 1].into_iter().enumerate() {
            for i in 0..counts[slot] {
                let frame = i + if person == 1 { 3 } else { 0 };
                let wanted = place(person, frame);
                let found = Vec3::new(x[slot][i] as f32, y[slot][i] as f32, 0.0) * QUANTUM;
                assert!(
                    (found - wanted).abs().max_element() <= 0.76 * QUANTUM,
                    "person {person}, frame {frame}: {found} is not {wanted}"
                );
                let found = speed[slot][i] as f32 * SPEED_QUANTUM;
                assert!((found - 0.11 * frame as f32).abs() <= 0.76 * SPEED_QUANTUM);
            }
        }
    }

    #[test]
    fn who_walks_steadily_costs_next_to_nothing() {
        let mut packer = Packer::new(false);
        for frame in 0..50 {
            packer.add(&Sample {
                serial: 0,
                at: Vec3::new(0.267 * frame as f32, 0.0, 0.0),
                speed: 1.335,
                slow: [0; SLOW],
            });
            packer.end_frame();
        }
        assert!(packer.is_full());
        let bytes = packer.close();
        let kept = bytes.iter().filter(|b| **b == 112).count();
        assert!(
            kept > 40,
            "only {kept} of 74 pairs were guessed near enough"
        );
    }
}
