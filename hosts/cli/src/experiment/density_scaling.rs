//! How steps grow with the crowd and shrink with threads: section 3.6 of the paper.

use std::time::Instant;

use serde_json::json;
use throng::Simulation;

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk, median},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-scaling",
    about: "A step of up to 50,000 walkers on Blocks, by threads: section 3.6.",
    source: PAPER,
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut table = Grid::new(
        "scaling",
        "A step on Blocks with densities, no avoidance",
        [
            Column::new("walkers", ""),
            Column::new("threads", ""),
            Column::new("step", "ms"),
            Column::new("paper: step", "ms"),
            Column::new("per walker", "ns"),
            Column::new("times one thread", ""),
        ],
    );
    let sizes: &[u64] = study.size(&[10_000, 20_000, 50_000], &[1_000, 2_000]);
    for &walkers in sizes {
        let mut one_thread = None;
        for threads in [1, 2, 4] {
            if threads > cores.max(2) {
                continue;
            }
            study.progress(&format!("{walkers} walkers, {threads} threads"));
            study.threads = threads;
            let mut simulation = study.simulation(&Walk::default().everywhere(walkers))?;
            let ms = step_ms(&mut simulation, study.size(60, 20))?;
            let one = *one_thread.get_or_insert(ms);
            table.row([
                json!(walkers),
                json!(threads),
                json!(ms),
                match (walkers, threads) {
                    (50_000, 1) => json!(90.0),
                    (50_000, 4) => json!(30.0),
                    _ => serde_json::Value::Null,
                },
                json!(ms * 1e6 / walkers as f64),
                json!(one / ms),
            ]);
        }
    }
    study.table(table)?;
    study.remark(format!(
        "this machine has {cores} cores; 50,000 discs of 0.18 m2 fill 9,048 m2 of the 6,440 m2 \
         that Blocks leaves free, so they overlap by necessity, here as in the paper, which takes \
         90 ms on one core and 30 ms on four",
    ));
    Ok(())
}

/// The median step after a warm-up.
pub(super) fn step_ms(simulation: &mut Simulation, steps: usize) -> Result<f64, Failure> {
    for _ in 0..10 {
        simulation.step()?;
    }
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let began = Instant::now();
        simulation.step()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(median(&mut times))
}
