//! Good files cut, changed and glued at random: whatever comes out, reading ends without panic,
//! and what is read is finite and has indices in range.

mod samples;

use std::time::{Duration, Instant};

use throng_formats::{ReadOptions, read_bytes};
use throng_kit::environment::Environment;

/// A small generator with the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

const GLUE: [&[u8]; 16] = [
    b"1e308",
    b"-1e9",
    b"NaN",
    b"0",
    b"[",
    b"]",
    b"(",
    b")",
    b"<g>",
    b"\0",
    b"\xff\xff\xff\xff",
    b"-1",
    b"4294967295",
    b"{",
    b"\"",
    b"EMPTY",
];

fn mutated(sample: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] = dice.below(256) as u8,
            2 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            3 => {
                let piece = GLUE[dice.below(GLUE.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            4 => {
                let end = (at + dice.below(24)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + dice.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn assert_sound(env: &Environment, context: &str) {
    let floors = env.floors.len();
    assert!(
        floors > 0 || env.mesh.is_some(),
        "{context}: nothing to walk on"
    );
    for floor in &env.floors {
        assert!(!floor.walkable.is_empty(), "{context}: empty floor");
        for polygon in floor.walkable.iter().chain(&floor.solid) {
            assert!(polygon.outer.len() > 2, "{context}");
            assert!(
                polygon
                    .outer
                    .iter()
                    .chain(polygon.holes.iter().flatten())
                    .all(|p| p.is_finite()),
                "{context}"
            );
        }
        assert!(
            floor.thin_walls.iter().all(|wall| wall.len() > 1),
            "{context}"
        );
    }
    if let Some(mesh) = &env.mesh {
        assert!(mesh.vertices.iter().all(|v| v.is_finite()), "{context}");
        let count = mesh.vertices.len();
        assert!(
            mesh.triangles
                .iter()
                .flatten()
                .all(|corner| (*corner as usize) < count),
            "{context}"
        );
    }
    assert!(
        env.areas.iter().all(|area| area.floor < floors),
        "{context}"
    );
    assert!(
        env.doors.iter().all(|door| door.floor < floors),
        "{context}"
    );
    assert!(
        env.connections
            .iter()
            .all(|c| c.from < floors && c.to < floors && c.from != c.to),
        "{context}"
    );
}

#[test]
fn every_sample_is_read() {
    for (name, bytes) in samples::all() {
        let env = read_bytes(name, &bytes, &ReadOptions::default()).unwrap();
        assert_sound(&env, name);
    }
}

#[test]
fn every_prefix_ends() {
    for (name, bytes) in samples::all() {
        for length in 0..bytes.len() {
            if let Ok(env) = read_bytes(name, &bytes[..length], &ReadOptions::default()) {
                assert_sound(&env, &format!("{name} cut to {length}"));
            }
        }
    }
}

#[test]
fn random_changes_end() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for (name, sample) in samples::all() {
        let (mut read, mut refused) = (0, 0);
        for round in 0..1500 {
            let bytes = mutated(&sample, &mut dice);
            let start = Instant::now();
            match read_bytes(name, &bytes, &ReadOptions::default()) {
                Ok(env) => {
                    assert_sound(&env, &format!("{name}, round {round}"));
                    read += 1;
                }
                Err(error) => {
                    assert!(error.to_string().starts_with(name), "{error}");
                    refused += 1;
                }
            }
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "{name}, round {round}: takes too long"
            );
        }
        assert!(
            read > 0 && refused > 0,
            "{name}: {read} read, {refused} refused"
        );
    }
}
