//! A small font of strokes, so that pictures need no font file.
//!
//! A glyph is a list of polylines on a grid: x from `0`, y from `a` (4 below the baseline) over
//! `e` (the baseline) and `m` (small letters) to `q` (capitals).

use glam::Vec2;

/// Height of capitals in grid units.
const CAPITALS: f32 = 12.0;
/// Space between two letters, grid units.
const GAP: f32 = 3.4;

const GLYPHS: &[(char, &str)] = &[
    ('A', "0e4q8e 1h7h"),
    ('B', "0e0q5q7p8n7l5k0k 5k7j8h7f5e0e"),
    ('C', "8o7p5q3q1p0n0h1f3e5e7f8g"),
    ('D', "0e0q4q7p8m8i7f4e0e"),
    ('E', "7q0q0e7e 0k6k"),
    ('F', "7q0q0e 0k6k"),
    ('G', "8o7p5q3q1p0n0h1f3e5e7f8h8k5k"),
    ('H', "0e0q 8e8q 0k8k"),
    ('I', "0e0q"),
    ('J', "5q5h4f2e1e0f0g"),
    ('K', "0e0q 8q0j 3l8e"),
    ('L', "0q0e6e"),
    ('M', "0e0q4h8q8e"),
    ('N', "0e0q8e8q"),
    ('O', "3q1p0n0h1f3e5e7f8h8n7p5q3q"),
    ('P', "0e0q5q7p8n7l5k0k"),
    ('Q', "3q1p0n0h1f3e5e7f8h8n7p5q3q 5h8d"),
    ('R', "0e0q5q7p8n7l5k0k 4k8e"),
    ('S', "8o7p5q3q1p0n1l3k5k7j8h7f5e3e1f0g"),
    ('T', "0q8q 4q4e"),
    ('U', "0q0h1f3e5e7f8h8q"),
    ('V', "0q4e8q"),
    ('W', "0q2e5n8e:q"),
    ('X', "0q8e 0e8q"),
    ('Y', "0q4k8q 4k4e"),
    ('Z', "0q8q0e8e"),
    ('a', "6m6e 6k5l4m2m1l0j0g1f2e4e5f6g"),
    ('b', "0q0e 0k1l2m4m5l6j6g5f4e2e1f0g"),
    ('c', "6k5l4m2m1l0j0g1f2e4e5f6g"),
    ('d', "6q6e 6k5l4m2m1l0j0g1f2e4e5f6g"),
    ('e', "0i6i6j5l4m2m1l0j0g1f2e4e6f"),
    ('f', "4q3q2o2e 0m4m"),
    ('g', "6m6c5b4a2a1b 6k5l4m2m1l0j0g1f2e4e5f6g"),
    ('h', "0q0e 0j2l3m5m6k6e"),
    ('i', "0m0e 0p0q"),
    ('j', "2m2c1a0a 2p2q"),
    ('k', "0q0e 5m0h 2j5e"),
    ('l', "0q0e"),
    ('m', "0m0e 0j1l3m4m5k5e 5j6l8m9m:k:e"),
    ('n', "0m0e 0j2l3m5m6k6e"),
    ('o', "2m1l0j0g1f2e4e5f6g6j5l4m2m"),
    ('p', "0m0a 0k1l2m4m5l6j6g5f4e2e1f0g"),
    ('q', "6m6a 6k5l4m2m1l0j0g1f2e4e5f6g"),
    ('r', "0m0e 0j1l2m4m"),
    ('s', "5l4m1m0l0k1j4i5h5f4e1e0f"),
    ('t', "2p2g3e4e 0m4m"),
    ('u', "0m0g1e3e5f6h 6m6e"),
    ('v', "0m3e6m"),
    ('w', "0m2e4l6e8m"),
    ('x', "0m6e 0e6m"),
    ('y', "0m3e 6m3e1a0a"),
    ('z', "0m6m0e6e"),
    ('0', "3q1p0n0h1f3e4e6f7h7n6p4q3q"),
    ('1', "0n3q3e"),
    ('2', "0n1p3q4q6p7n7m0e7e"),
    ('3', "0o2q5q7o7m5k3k 5k7i7g5e2e0g"),
    ('4', "5e5q0h7h"),
    ('5', "6q1q0k2l4l6k7i7g6f4e2e0f"),
    ('6', "6p4q3q1p0m0h1f3e4e6f7h7i6k4l3l1k0i"),
    ('7', "0q7q3e"),
    ('8', "3q1p0n1l3k4k6l7n6p4q3q 3k1j0h1f3e4e6f7h6j4k"),
    ('9', "1f3e4e6f7i7n6p4q3q1p0n0m1k3j4j6k7m"),
    ('.', "0e0f"),
    (',', "1f1e0c"),
    (':', "0e0f 0k0l"),
    (';', "1f1e0c 1k1l"),
    ('-', "0j5j"),
    ('_', "0d7d"),
    ('+', "0j6j 3g3m"),
    ('=', "0h6h 0l6l"),
    ('/', "0c6q"),
    ('\\', "0q6c"),
    ('|', "0c0q"),
    ('(', "2q0n0h2c"),
    (')', "0q2n2h0c"),
    ('[', "2q0q0c2c"),
    (']', "0q2q2c0c"),
    ('{', "3q2q1p1l0j1h1d2c3c"),
    ('}', "0q1q2p2l3j2h2d1c0c"),
    ('%', "8q0e 1q0p0n1m2m3n3p2q1q 6i5h5f6e7e8f8h7i6i"),
    ('\'', "0q0n"),
    ('"', "0q0n 2q2n"),
    ('!', "0q0i 0e0f"),
    ('?', "0o1q4q6o6m3k3i 3e3f"),
    ('*', "3o3i 0n6j 6n0j"),
    ('#', "2e3q 5e6q 0i8i 0m8m"),
    ('<', "6m0j6g"),
    ('>', "0m6j0g"),
    ('&', "8e1n1p2q3q4p4n0i0g1f3e5e8i"),
    ('@', "6h6l4m3l3i4h6h8h8n6p2p0n0g2e6e"),
    ('~', "0i1k2k4i5i6k"),
    ('^', "0m3q6m"),
    ('·', "0j0k"),
    ('×', "0l5g 0g5l"),
    ('²', "0p1q2q3p3o0l3l"),
    ('→', "0j8j 5m8j5g"),
];

/// The strokes of a glyph and its width, grid units; a box for a character that it lacks.
fn strokes(letter: char) -> (Vec<Vec<Vec2>>, f32) {
    if letter == ' ' {
        return (Vec::new(), 3.0);
    }
    let found = GLYPHS.iter().find(|g| g.0 == letter);
    let written = found.map_or("0e0q6q6e0e", |g| g.1);
    let lines: Vec<Vec<Vec2>> = written
        .split(' ')
        .map(|line| {
            line.as_bytes()
                .chunks_exact(2)
                .map(|p| {
                    let (x, y) = (i32::from(p[0]), i32::from(p[1]));
                    Vec2::new((x - 0x30) as f32, (y - 0x65) as f32)
                })
                .collect()
        })
        .collect();
    let width = lines.iter().flatten().map(|p| p.x).fold(0.0, f32::max);
    (lines, width)
}

/// The strokes of a text whose capitals are so high, from a point on its baseline, y downwards.
pub fn text_strokes(text: &str, at: Vec2, height: f32) -> Vec<Vec<Vec2>> {
    let unit = height / CAPITALS;
    let mut x = at.x;
    let mut all = Vec::new();
    for letter in text.chars() {
        let (lines, width) = strokes(letter);
        for line in lines {
            let point = |p: &Vec2| Vec2::new(x + p.x * unit, at.y - p.y * unit);
            all.push(line.iter().map(point).collect());
        }
        x += (width + GAP) * unit;
    }
    all
}

/// How wide a text is.
pub fn text_width(text: &str, height: f32) -> f32 {
    let units: f32 = text.chars().map(|c| strokes(c).1 + GAP).sum();
    (units - GAP).max(0.0) * height / CAPITALS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_letter_is_there_and_on_the_grid() {
        let lacking: Vec<char> = (' '..='~')
            .filter(|c| *c != ' ' && !"$`".contains(*c) && !GLYPHS.iter().any(|g| g.0 == *c))
            .collect();
        assert!(lacking.is_empty(), "no glyph for {lacking:?}");
        for (letter, written) in GLYPHS {
            let (lines, width) = strokes(*letter);
            assert!(width <= 10.0, "{letter} is {width} wide");
            for line in &lines {
                assert!(line.len() >= 2, "{letter}: a stroke has two points");
                let on_grid = |p: &Vec2| p.x >= 0.0 && (-4.0..=12.0).contains(&p.y);
                assert!(line.iter().all(on_grid), "{letter}: {written}");
            }
        }
    }

    #[test]
    fn texts_are_as_wide_as_their_letters() {
        assert_eq!(text_width("HH", 12.0), 8.0 + GAP + 8.0);
        let right = text_strokes("HH", Vec2::ZERO, 12.0)
            .iter()
            .flatten()
            .map(|p| p.x)
            .fold(0.0, f32::max);
        assert_eq!(right, text_width("HH", 12.0));
    }
}
