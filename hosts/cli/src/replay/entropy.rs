//! Small whole numbers packed by how often they come after what: range asymmetric numeral systems
//! (Duda, *Asymmetric numeral systems*, 2013, arXiv:1311.2540, section 3.3; the byte-wise form of
//! Giesen, *Interleaved entropy coders*, 2014, arXiv:1402.3392).
//!
//! Each number is told with a context, which is something that the reader knows already. Per
//! context the share of each number is written once, in steps of 1 / 2^[`BITS`]; a number with
//! share p then takes about -log2 p bits. The state x lies in [2^23, 2^31). Coding a number of
//! share f / 2^BITS whose steps begin at c maps x to (x / f) 2^BITS + x mod f + c; reading turns
//! that around, so that numbers are coded from the last to the first.

use super::bytes::{signed, varint};

/// Largest number of either sign that has a symbol; others stand in a list of their own.
pub const FITS: i32 = 15;
/// Symbols: the numbers that fit, and the one that says that the number stands in the list.
pub const SYMBOLS: usize = 2 * FITS as usize + 2;
const ESCAPE: u16 = SYMBOLS as u16 - 1;
/// Shares of a context add up to 2 to this power.
pub const BITS: u32 = 11;
/// Least state; the largest is 256 times as large.
const LOW: u32 = 1 << 23;

/// Numbers as they come.
#[derive(Debug)]
pub struct Numbers {
    contexts: usize,
    /// Context and symbol.
    coded: Vec<u16>,
    escapes: Vec<u8>,
}

impl Numbers {
    /// None yet, of so many contexts: no more than 2,047.
    pub fn new(contexts: usize) -> Numbers {
        debug_assert!(contexts * SYMBOLS <= usize::from(u16::MAX));
        Numbers {
            contexts,
            coded: Vec::new(),
            escapes: Vec::new(),
        }
    }

    /// Adds a number in a context.
    pub fn add(&mut self, context: usize, number: i32) {
        let symbol = if number.unsigned_abs() <= FITS.unsigned_abs() {
            (number + FITS) as u16
        } else {
            signed(&mut self.escapes, i64::from(number));
            ESCAPE
        };
        self.coded.push(context as u16 * SYMBOLS as u16 + symbol);
    }

    /// Writes the shares, the list of numbers without a symbol, and the code with its length.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut counts = vec![0u32; self.contexts * SYMBOLS];
        self.coded.iter().for_each(|s| counts[usize::from(*s)] += 1);
        counts.chunks_mut(SYMBOLS).for_each(share_out);
        // A table of one context: the symbols that occur as a mask, then their shares.
        for shares in counts.chunks(SYMBOLS) {
            let mask = shares
                .iter()
                .rev()
                .fold(0, |m, s| m << 1 | u64::from(*s > 0));
            varint(out, mask);
            let there = shares.iter().filter(|s| **s > 0);
            there.for_each(|s| varint(out, u64::from(*s)));
        }
        varint(out, self.escapes.len() as u64);
        out.extend_from_slice(&self.escapes);
        let code = self.code(&counts);
        varint(out, code.len() as u64);
        out.extend_from_slice(&code);
    }

    fn code(&self, shares: &[u32]) -> Vec<u8> {
        let mut begins = vec![0; shares.len()];
        for context in 0..self.contexts {
            let mut sum = 0;
            for at in context * SYMBOLS..(context + 1) * SYMBOLS {
                begins[at] = sum;
                sum += shares[at];
            }
        }
        let (mut state, mut code) = (LOW, Vec::new());
        for symbol in self.coded.iter().rev() {
            let (share, begin) = (shares[usize::from(*symbol)], begins[usize::from(*symbol)]);
            while u64::from(state) >= u64::from(share) << (31 - BITS) {
                code.push(state as u8);
                state >>= 8;
            }
            state = ((state / share) << BITS) + state % share + begin;
        }
        code.extend(state.to_le_bytes());
        code.reverse();
        code
    }
}

/// Turns counts into shares that add up to 2^[`BITS`], each of what occurs at least 1.
fn share_out(counts: &mut [u32]) {
    let total: u64 = counts.iter().map(|c| u64::from(*c)).sum();
    if total == 0 {
        return;
    }
    let whole = 1u64 << BITS;
    let mut sum = 0;
    for count in counts.iter_mut().filter(|c| **c > 0) {
        *count = ((u64::from(*count) * whole + total / 2) / total).max(1) as u32;
        sum += i64::from(*count);
    }
    // What is missing or too much goes to or comes from the largest, where it matters least.
    while sum != whole as i64 {
        let Some(largest) = counts.iter_mut().max() else {
            return;
        };
        let wanted = i64::from(*largest) + whole as i64 - sum;
        let now = wanted.max(i64::from(*largest).div_euclid(2)).max(1);
        sum += now - i64::from(*largest);
        *largest = now as u32;
    }
}

#[cfg(test)]
pub mod reading {
    //! Reads numbers as the page does.

    use super::*;
    use crate::replay::packer::reading::Reader;

    /// Numbers on their way out.
    pub struct Numbers {
        shares: Vec<u32>,
        escapes: Vec<u8>,
        used: usize,
        code: Vec<u8>,
        at: usize,
        state: u32,
    }

    impl Numbers {
        pub fn new(reader: &mut Reader<'_>, contexts: usize) -> Numbers {
            let mut shares = vec![0; contexts * SYMBOLS];
            for table in shares.chunks_mut(SYMBOLS) {
                let mask = reader.varint();
                for (symbol, share) in table.iter_mut().enumerate() {
                    if mask >> symbol & 1 == 1 {
                        *share = reader.varint() as u32;
                    }
                }
            }
            let length = reader.varint() as usize;
            let escapes = reader.take(length).to_vec();
            let length = reader.varint() as usize;
            let code = reader.take(length).to_vec();
            let state = u32::from_be_bytes(code[..4].try_into().unwrap());
            Numbers {
                shares,
                escapes,
                used: 0,
                code,
                at: 4,
                state,
            }
        }

        pub fn next(&mut self, context: usize) -> i32 {
            let table = &self.shares[context * SYMBOLS..(context + 1) * SYMBOLS];
            let step = self.state & ((1 << BITS) - 1);
            let (mut symbol, mut begin) = (0, 0);
            while step >= begin + table[symbol] {
                begin += table[symbol];
                symbol += 1;
            }
            self.state = table[symbol] * (self.state >> BITS) + step - begin;
            while self.state < LOW {
                self.state = self.state << 8 | u32::from(self.code[self.at]);
                self.at += 1;
            }
            if symbol as u16 != ESCAPE {
                return symbol as i32 - FITS;
            }
            let mut rest = Reader(&self.escapes[self.used..]);
            let number = rest.signed();
            self.used = self.escapes.len() - rest.0.len();
            number as i32
        }

        /// Whether everything was read and the state is the one that coding began with.
        pub fn is_done(&self) -> bool {
            (self.at, self.used, self.state) == (self.code.len(), self.escapes.len(), LOW)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::packer::reading::Reader;

    fn packed(numbers: &[(usize, i32)], contexts: usize) -> Vec<u8> {
        let mut packing = Numbers::new(contexts);
        numbers.iter().for_each(|(c, n)| packing.add(*c, *n));
        let mut out = Vec::new();
        packing.write(&mut out);
        out
    }

    #[test]
    fn numbers_come_back() {
        // Three contexts: one number alone, many, and rare ones beyond what fits.
        let value = |i: i32| match i % 3 {
            0 => (0, 4),
            1 => (1, (i * i / 7) % 31 - 15),
            _ if i % 50 == 2 => (2, i * 1000 - 3_000_000),
            _ => (2, i % 2),
        };
        let numbers: Vec<_> = (0..5000).map(value).collect();
        let bytes = packed(&numbers, 4);
        let mut reading = reading::Numbers::new(&mut Reader(&bytes), 4);
        for (context, number) in &numbers {
            assert_eq!(reading.next(*context), *number);
        }
        assert!(reading.is_done());
    }

    #[test]
    fn no_numbers_and_one() {
        for numbers in [&[][..], &[(0, -7)]] {
            let bytes = packed(numbers, 1);
            let mut reading = reading::Numbers::new(&mut Reader(&bytes), 1);
            for (context, number) in numbers {
                assert_eq!(reading.next(*context), *number);
            }
            assert!(reading.is_done());
        }
    }

    #[test]
    fn the_length_is_that_of_the_entropy() {
        // Shares of 1/2, 1/4, 1/8, 1/8: 1.75 bits a number.
        let of = |i: usize| [0, 0, 0, 0, 1, 1, -1, 2][i * 5 % 8];
        let numbers: Vec<_> = (0..80_000).map(|i| (0, of(i))).collect();
        let bits = 8 * packed(&numbers, 1).len();
        assert!((140_000..141_000).contains(&bits), "{bits} bits");
    }

    #[test]
    fn shares_add_up() {
        let rare = |i: usize| if i == 3 { 4_000_000 } else { u32::from(i < 30) };
        for counts in [
            vec![1; SYMBOLS],
            (0..SYMBOLS).map(rare).collect(),
            vec![3, 0, 1],
        ] {
            let mut shares = counts.clone();
            share_out(&mut shares);
            assert_eq!(shares.iter().sum::<u32>(), 1 << BITS);
            assert!(
                counts
                    .iter()
                    .zip(&shares)
                    .all(|(c, s)| (*c > 0) == (*s > 0))
            );
        }
    }
}
