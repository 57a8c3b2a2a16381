//! Reads what the packer writes, as the page does.

use super::{DETAIL_CONTEXTS, walk::*};
use crate::replay::entropy::reading::Numbers;

/// Bytes on their way out.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn varint(&mut self) -> u64 {
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
    pub fn signed(&mut self) -> i64 {
        let value = self.varint();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }
    pub fn take(&mut self, count: usize) -> &[u8] {
        let (part, rest) = self.0.split_at(count);
        self.0 = rest;
        part
    }
    fn keys(&mut self, people: usize) -> Vec<i32> {
        let mut key = 0;
        let mut next = || {
            key += self.signed() as i32;
            key
        };
        (0..people).map(|_| next()).collect()
    }

    /// Places and speeds in steps of their quanta, by person and frame.
    pub fn walks(&mut self, counts: &[usize], axes: usize) -> Vec<Vec<[i32; 4]>> {
        let keys: Vec<Vec<i32>> = (0..=axes).map(|_| self.keys(counts.len())).collect();
        let pace_speed = self.varint() as f64;
        let mut numbers = Numbers::new(self, axes * AXIS_CONTEXTS + SPEED_CONTEXTS);
        let walk = |(person, count): (usize, &usize)| {
            let key = |column: usize| keys[column][person];
            let mut at = [
                key(0),
                key(1),
                if axes == 3 { key(2) } else { 0 },
                key(axes),
            ];
            let (mut walk, mut pace, mut before) = (vec![at], [0; 3], [[3; 2]; 3]);
            let mut speed_before = 3;
            for frame in 1..*count {
                let (mut last, mut walked, mut turned) = (before[1][0], 0.0, 0);
                for axis in 0..axes {
                    let context = axis_context(frame, before[axis], last);
                    last = numbers.next(axis * AXIS_CONTEXTS + context);
                    pace[axis] += last;
                    at[axis] += pace[axis];
                    before[axis] = [last, before[axis][0]];
                    walked += f64::from(pace[axis]).powi(2);
                    turned += last.unsigned_abs();
                }
                let foretold = (walked.sqrt() * pace_speed / 65_536.0 + 0.5).floor();
                let context = speed_context(foretold, at[3], speed_before, turned);
                speed_before = numbers.next(axes * AXIS_CONTEXTS + context);
                at[3] += speed_before;
                walk.push(at);
            }
            walk
        };
        let walks = counts.iter().enumerate().map(walk).collect();
        assert!(numbers.is_done());
        walks
    }

    /// Velocities of the detailed in steps of their quantum, by column and person.
    pub fn details(&mut self, counts: &[usize], axes: usize) -> Vec<Vec<Vec<i32>>> {
        let slots: Vec<usize> = (0..self.varint()).map(|_| self.varint() as usize).collect();
        let mut numbers = Numbers::new(self, 2 * DETAIL_CONTEXTS);
        let mut columns = Vec::new();
        for column in 0..2 * axes {
            let mut person = |slot: &usize| {
                let (mut now, mut changes) = (0, [3, 3]);
                let mut next = || {
                    let context = 4 * small(changes[0]) + small(changes[1]);
                    let change = numbers.next(column / axes * DETAIL_CONTEXTS + context);
                    changes = [change, changes[0]];
                    now += change;
                    now
                };
                (0..counts[*slot]).map(|_| next()).collect()
            };
            columns.push(slots.iter().map(&mut person).collect());
        }
        assert!(numbers.is_done());
        columns
    }
}
