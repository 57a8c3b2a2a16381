//! Walking speed against density in a corridor, by model.

use serde_json::{Value, json};
use throng::core::math;

use super::{
    Column, Experiment, Grid, Study,
    trial::{models, simulation},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "avoidance-fundamental",
    about: "Speed against density of people walking one way through a corridor 1.8 m wide whose \
            exit is narrowed step by step.",
    source: "real people in such a corridor (Juelich): 1.35 m/s at 0.63 persons per m², 1.20 at \
             1.12, 0.33 at 3.10; Weidmann 1993",
    run,
};

/// Arrivals per second and width of the exit: denser and denser.
const SETTINGS: [(f64, f64); 9] = [
    (0.6, 1.8),
    (1.2, 1.8),
    (2.0, 1.8),
    (3.0, 1.8),
    (3.0, 1.4),
    (3.0, 1.2),
    (3.0, 1.0),
    (3.0, 0.8),
    (3.0, 0.6),
];
const WIDTH: f64 = 1.8;
/// Where speed and density are measured, along the corridor.
const MEASURED: (f32, f32) = (15.0, 19.0);

fn run(study: &mut Study) -> Result<(), Failure> {
    let columns = [
        Column::new("model", ""),
        Column::new("arrivals", "1/s"),
        Column::new("exit", "m"),
        Column::new("density", "1/m²"),
        Column::new("speed", "m/s"),
        Column::new("flow", "1/(m s)"),
        Column::new("Weidmann's speed there", "m/s"),
        Column::new("real speed there", "m/s"),
    ];
    let mut table = Grid::new("fundamental", "Speed against density, one way", columns);
    for model in models() {
        for (i, &(rate, exit)) in SETTINGS.iter().enumerate() {
            if study.quick && i % 3 != 0 {
                continue;
            }
            study.progress(&format!("{model}, {rate}/s, exit {exit} m"));
            let (density, speed) = measure(study, &model, rate, exit)?;
            table.row([
                json!(model),
                json!(rate),
                json!(exit),
                json!(density),
                speed.map_or(Value::Null, |s| json!(s)),
                speed.map_or(Value::Null, |s| json!(s * density)),
                json!(weidmann(density)),
                real(density).map_or(Value::Null, |s| json!(s)),
            ]);
        }
    }
    study.table(table)?;
    study.remark(
        "density is persons in the 4 m before the exit's metre over their area, speed their mean, \
         from 20 s on; real speeds are interpolated between three measured points. Where a model \
         alone walks faster than people at a density, `speed_law = \"weidmann\"` of a profile \
         slows it",
    );
    Ok(())
}

fn measure(
    study: &Study,
    model: &str,
    rate: f64,
    exit: f64,
) -> Result<(f64, Option<f64>), Failure> {
    let seconds = study.size(90.0, 40.0);
    let scenario = format!(
        r#"
        name = "fundamental"
        seed = 11
        dt = 0.1
        duration = {seconds:.1}
        [environment]
        generate = "bottleneck"
        length = 20.0
        width = {WIDTH}
        opening = {exit}
        thickness = 0.4
        beyond = 8.0
        [nav]
        kind = "ecm"
        [profile.adult]
        radius = 0.2
        [[source]]
        area = [[0.0, 0.0], [6.0, 0.0], [6.0, {WIDTH}], [0.0, {WIDTH}]]
        rate = {rate:.2}
        goals = ["exit"]
        "#
    );
    let mut sim = simulation(study, &scenario, model, &[])?;
    let (mut people, mut looks, mut speeds) = (0u64, 0u64, 0.0);
    while sim.time() < seconds - 1e-9 && !sim.is_over() {
        sim.step()?;
        if sim.time() < 20.0 || !sim.steps().is_multiple_of(5) {
            continue;
        }
        looks += 1;
        let agents = sim.agents();
        for row in 0..agents.len() {
            let x = sim.world_point(agents.location[row]).x as f32;
            if x >= MEASURED.0 && x < MEASURED.1 {
                people += 1;
                speeds += f64::from(agents.velocity[row].x);
            }
        }
    }
    let area = f64::from(MEASURED.1 - MEASURED.0) * WIDTH;
    let density = people as f64 / (looks.max(1) as f64 * area);
    Ok((density, (people > 0).then(|| speeds / people as f64)))
}

/// Weidmann 1993: speed at a density.
fn weidmann(density: f64) -> f64 {
    if density <= 0.0 {
        return 1.34;
    }
    (1.34 * (1.0 - math::exp(-1.913 * (1.0 / density - 1.0 / 5.4)))).max(0.0)
}

/// Speeds of real people, between the measured densities.
fn real(density: f64) -> Option<f64> {
    const POINTS: [(f64, f64); 3] = [(0.63, 1.35), (1.12, 1.20), (3.10, 0.33)];
    POINTS.windows(2).find_map(|pair| {
        let [(d0, v0), (d1, v1)] = [pair[0], pair[1]];
        (density >= d0 && density <= d1).then(|| v0 + (v1 - v0) * (density - d0) / (d1 - d0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weidmann_has_his_capacity_at_1_75() {
        assert!((weidmann(1.75) * 1.75 - 1.225).abs() < 0.01);
        assert_eq!(weidmann(6.0), 0.0);
        assert_eq!(weidmann(0.0), 1.34);
    }

    #[test]
    fn real_speeds_are_interpolated() {
        assert_eq!(real(1.12), Some(1.20));
        assert_eq!(real(0.1), None);
    }
}
