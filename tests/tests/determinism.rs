//! Same scenario, seed and commands: same bits, whatever the threads, and after resuming.
//!
//! A golden digest may change for these reasons only: a strategy's formula, default or order of
//! arithmetic was changed on purpose; the digest itself takes in something else; a scene's
//! generator was changed. Anything else is a bug to be found.

use throng::{Command, Simulation};
use throng_tests::{CROSSING, STOREYS};

fn run(text: &str, threads: usize, steps: u64) -> Vec<u64> {
    let mut sim = Simulation::builder()
        .threads(threads)
        .text(text)
        .unwrap_or_else(|e| panic!("{e}"));
    (0..steps)
        .map(|_| {
            sim.step().unwrap();
            sim.digest()
        })
        .collect()
}

#[test]
fn threads_change_no_bit() {
    for text in [CROSSING, STOREYS] {
        let one = run(text, 1, 60);
        for threads in [2, 3, 8] {
            assert_eq!(one, run(text, threads, 60), "{threads} threads");
        }
        assert_eq!(one, run(text, 1, 60), "repeated");
    }
}

#[test]
fn seeds_do_change_bits() {
    let other = CROSSING.replace("seed = 3", "seed = 4");
    assert_ne!(run(CROSSING, 1, 5), run(&other, 1, 5));
}

#[test]
fn golden_digests() {
    let digests: String = [("crossing", CROSSING), ("storeys", STOREYS)]
        .map(|(name, text)| {
            let all = run(text, 2, 100);
            format!("{name} {:016x} {:016x}\n", all[9], all[99])
        })
        .concat();
    insta::assert_snapshot!("golden_digests", digests);
}

#[test]
fn a_resumed_run_goes_on_with_the_same_bits() {
    for text in [CROSSING, STOREYS] {
        let whole = run(text, 2, 90);
        // The densest step: where most pairs of people are within 2 m.
        let mut sim = Simulation::builder().threads(1).text(text).unwrap();
        let mut densest = (0, 0);
        for step in 1..=60 {
            sim.step().unwrap();
            let a = sim.agents();
            let near = (0..a.len())
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .filter(|&(i, j)| a.location[i].point.distance(a.location[j].point) < 2.0)
                .count();
            densest = densest.max((near, step));
        }
        for cut in [1, 17, 43, densest.1] {
            let mut first = Simulation::builder().threads(1).text(text).unwrap();
            for _ in 0..cut {
                first.step().unwrap();
            }
            let saved = first.snapshot();
            let mut second = Simulation::builder().threads(3).text(text).unwrap();
            second.restore(&saved).unwrap();
            for (step, expected) in whole.iter().enumerate().skip(cut) {
                second.step().unwrap();
                assert_eq!(
                    second.digest(),
                    *expected,
                    "cut at {cut}, step {}",
                    step + 1
                );
            }
        }
    }
}

#[test]
fn commands_are_part_of_the_input() {
    let run = |shift: u64| {
        let mut sim = Simulation::builder().threads(2).text(CROSSING).unwrap();
        for step in 0..40 {
            if step == 10 + shift {
                let id = throng::AgentId(sim.agents().id[0]);
                sim.command(Command::Remove(id));
            }
            sim.step().unwrap();
        }
        (sim.digest(), sim.metrics().removed)
    };
    assert_eq!(run(0), run(0));
    assert_eq!(run(0).1, 1);
}

#[test]
fn damaged_checkpoints_are_refused_and_change_nothing() {
    let mut sim = Simulation::builder().threads(1).text(CROSSING).unwrap();
    for _ in 0..5 {
        sim.step().unwrap();
    }
    let saved = sim.snapshot();
    let before = sim.digest();
    for at in [0, 9, 40, saved.len() / 2, saved.len() - 3] {
        let mut bad = saved.clone();
        bad[at] ^= 0x55;
        assert!(sim.restore(&bad).is_err(), "byte {at}");
    }
    for cut in [0, 4, 100, saved.len() - 1] {
        assert!(sim.restore(&saved[..cut]).is_err(), "cut at {cut}");
    }
    assert_eq!(sim.digest(), before);
    let mut other = Simulation::builder().threads(1).text(STOREYS).unwrap();
    let refused = other.restore(&saved).unwrap_err().to_string();
    assert!(refused.contains("another scenario"), "{refused}");
}
