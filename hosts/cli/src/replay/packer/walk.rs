//! How somebody goes on, number by number, each with the context that the reader knows.

use crate::replay::entropy::Numbers;

/// A guess that misses by no more steps than this is taken as it is: 1.5 cm of 2 cm. Half of a
/// walk's second differences are the rounding of places alone, and fall away.
const NEAR_ENOUGH: f32 = 0.75;
/// Contexts of a coordinate, and of speeds.
pub const AXIS_CONTEXTS: usize = 65;
pub const SPEED_CONTEXTS: usize = 112;

/// How large a change is: 0, 1, 2, or 3 for all others.
pub fn small(change: i32) -> usize {
    change.unsigned_abs().min(3) as usize
}

/// The context of a coordinate's change: the two before it, and the last one of another axis.
pub fn axis_context(frame: usize, before: [i32; 2], other: i32) -> usize {
    if frame == 1 {
        AXIS_CONTEXTS - 1
    } else {
        16 * small(before[0]) + 4 * small(before[1]) + small(other)
    }
}

/// The context of a speed's change: how far the distance walked is from the speed before, the
/// change before, and how much the walk turned.
pub fn speed_context(foretold: f64, speed: i32, before: i32, turned: u32) -> usize {
    let ahead = (foretold - f64::from(speed)).clamp(-3.0, 3.0) as i32;
    16 * (ahead + 3) as usize + 4 * small(before) + turned.min(3) as usize
}

/// The step to a value from a guess of it; 0 if the guess is near enough.
fn change(value: f32, guess: i32) -> i32 {
    let miss = value - guess as f32;
    if miss.abs() <= NEAR_ENOUGH {
        0
    } else {
        miss.round() as i32
    }
}

/// Tells how somebody goes on after the first of these places.
pub fn put_walk(values: &[[f32; 4]], axes: usize, pace_speed: u32, numbers: &mut Numbers) {
    // What the reader has: guesses go on from there, so that misses do not add up.
    let mut at: [i32; 4] = values[0].map(|v| v.round() as i32);
    let (mut pace, mut before) = ([0i32; 3], [[3; 2]; 3]);
    let mut speed_before = 3;
    for (frame, value) in values.iter().enumerate().skip(1) {
        let mut last = before[1][0];
        let (mut walked, mut turned) = (0.0, 0u32);
        for axis in 0..axes {
            let guess = at[axis].saturating_add(pace[axis]);
            let number = change(value[axis], guess);
            let context = axis_context(frame, before[axis], last);
            numbers.add(axis * AXIS_CONTEXTS + context, number);
            let now = guess.saturating_add(number);
            pace[axis] = now.saturating_sub(at[axis]);
            at[axis] = now;
            before[axis] = [number, before[axis][0]];
            last = number;
            walked += f64::from(pace[axis]) * f64::from(pace[axis]);
            turned = turned.saturating_add(number.unsigned_abs());
        }
        let foretold = (walked.sqrt() * f64::from(pace_speed) / 65_536.0 + 0.5).floor();
        let number = change(value[3], at[3]);
        let context = speed_context(foretold, at[3], speed_before, turned);
        numbers.add(axes * AXIS_CONTEXTS + context, number);
        at[3] = at[3].saturating_add(number);
        speed_before = number;
    }
}
