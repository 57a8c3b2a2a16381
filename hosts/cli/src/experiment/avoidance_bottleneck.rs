//! Flow through openings of different widths, by model.

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    trial::{models, simulation},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "avoidance-bottleneck",
    about: "Flow of a crowd through openings from 0.8 to 2.4 m wide, and how linear it is in the \
            width.",
    source: "real people (Juelich): flow grows linearly with the width, about 1.9 persons per \
             second and metre; 1.15 persons/s through a door of 0.5 m",
    run,
};

const SCENARIO: &str = include_str!("../../../../tests/scenarios/bottleneck.toml");

/// Width of a real door, metres, and the persons per second who passed it.
const REAL: (f64, f64) = (0.5, 1.15);

fn run(study: &mut Study) -> Result<(), Failure> {
    let widths: &[f64] = study.size(
        &[0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4],
        &[0.8, 1.6, 2.4],
    );
    let mut flows = Grid::new(
        "flow",
        "Flow through an opening",
        [
            Column::new("model", ""),
            Column::new("width", "m"),
            Column::new("flow", "1/s"),
            Column::new("flow per width", "1/(m s)"),
            Column::new("through", "persons"),
        ],
    );
    let mut fits = Grid::new(
        "fit",
        "Flow = slope * width + offset",
        [
            Column::new("model", ""),
            Column::new("slope", "1/(m s)"),
            Column::new("offset", "1/s"),
            Column::new("R²", ""),
        ],
    );
    for model in models() {
        let mut points = Vec::new();
        for &width in widths {
            study.progress(&format!("{model}, {width} m"));
            let people = study.size(150, 60);
            let times = passages(study, &model, width, people)?;
            let flow = steady_flow(&times);
            flows.row([
                json!(model),
                json!(width),
                flow.map_or(Value::Null, |f| json!(f)),
                flow.map_or(Value::Null, |f| json!(f / width)),
                json!(times.len()),
            ]);
            points.extend(flow.map(|f| (width, f)));
        }
        if let Some((slope, offset, fit)) = line(&points) {
            fits.row([json!(model), json!(slope), json!(offset), json!(fit)]);
        } else {
            fits.row([json!(model), Value::Null, Value::Null, Value::Null]);
        }
    }
    // Measured at a door (Juelich, by PedPy); how many passed is not told.
    let (width, flow) = REAL;
    flows.row([
        json!("real people"),
        json!(width),
        json!(flow),
        json!(flow / width),
        Value::Null,
    ]);
    study.table(flows)?;
    study.table(fits)?;
    study.remark(
        "flow is counted behind the opening between the passages of the first and the last fifth; \
         the avoidance model alone makes it: no speed falls with density by itself",
    );
    Ok(())
}

/// When each person arrived behind the opening.
fn passages(study: &Study, model: &str, width: f64, people: u64) -> Result<Vec<f64>, Failure> {
    let changes = [
        format!("environment.opening={width:.2}"),
        format!("source[0].count={people}"),
        "duration=240.0".to_owned(),
    ];
    let mut sim = simulation(study, SCENARIO, model, &changes)?;
    let mut times = Vec::new();
    while sim.time() < 240.0 - 1e-9 && !sim.is_over() {
        sim.step()?;
        while (times.len() as u64) < sim.metrics().arrived {
            times.push(sim.time());
        }
    }
    Ok(times)
}

/// Persons per second between the first and the last fifth.
fn steady_flow(times: &[f64]) -> Option<f64> {
    let (from, to) = (times.len() / 5, times.len() * 4 / 5);
    if to < from + 5 {
        return None;
    }
    let seconds = times[to] - times[from];
    (seconds > 0.0).then(|| (to - from) as f64 / seconds)
}

/// Least squares: slope, offset and the share of the variance explained.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let (mx, my) = points
        .iter()
        .fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in points {
        xx += (x - mx) * (x - mx);
        xy += (x - mx) * (y - my);
        yy += (y - my) * (y - my);
    }
    let slope = xy / xx;
    Some((slope, my - slope * mx, xy * xy / (xx * yy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let points: Vec<_> = (1..6)
            .map(|i| (f64::from(i), 2.0 * f64::from(i) - 0.5))
            .collect();
        let (slope, offset, fit) = line(&points).unwrap();
        assert!((slope - 2.0).abs() < 1e-12 && (offset + 0.5).abs() < 1e-12);
        assert!((fit - 1.0).abs() < 1e-12);
        assert!(line(&points[..2]).is_none());
    }

    #[test]
    fn steady_flow_leaves_out_both_ends() {
        let times: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.5).collect();
        assert!((steady_flow(&times).unwrap() - 2.0).abs() < 1e-12);
        assert!(steady_flow(&times[..5]).is_none());
    }
}
