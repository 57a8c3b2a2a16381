//! Small writings: numbers of few bytes, deflate, base64.

use std::io::{self, Write};

use flate2::{Compression, write::ZlibEncoder};

/// Writes a number with 7 bits to the byte, low ones first.
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes a number of either sign: 0, -1, 1, -2, … become 0, 1, 2, 3, …
pub fn signed(out: &mut Vec<u8>, value: i64) {
    varint(out, (value << 1 ^ value >> 63) as u64);
}

/// The bytes deflated, with the header of zlib.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Deflated::default();
    packed.add(bytes);
    packed.finish()
}

/// Bytes deflated as they come.
#[derive(Debug)]
pub struct Deflated(ZlibEncoder<Vec<u8>>);

impl Default for Deflated {
    fn default() -> Deflated {
        Deflated(ZlibEncoder::new(Vec::new(), Compression::new(6)))
    }
}

impl Deflated {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        // Writing to memory cannot fail.
        let _ = self.0.write_all(bytes);
    }

    /// Bytes so far, those still on their way not counted.
    pub fn len(&self) -> usize {
        self.0.get_ref().len()
    }

    /// All of them.
    pub fn finish(self) -> Vec<u8> {
        self.0.finish().unwrap_or_default()
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes as base64 (RFC 4648, with padding).
pub fn base64(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::with_capacity(4096);
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - part.len()));
        for i in 0..4 {
            text.push(if i <= part.len() {
                DIGITS[(word >> (18 - 6 * i) & 63) as usize]
            } else {
                b'='
            });
        }
        if text.len() >= 4092 {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_the_standard_has_it() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            base64(plain.as_bytes(), &mut out).unwrap();
            assert_eq!(out, coded.as_bytes());
        }
    }

    #[test]
    fn numbers_of_few_bytes() {
        let mut out = Vec::new();
        varint(&mut out, 300);
        signed(&mut out, -1);
        signed(&mut out, 64);
        assert_eq!(out, [0xAC, 0x02, 1, 0x80, 0x01]);
    }
}
