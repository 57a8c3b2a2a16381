//! Ricks and Egbert's table: 1,000 people on thirty surfaces, one set of parameters for all.

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    surfaces::{BUNNY, Crowd, MODELS, SURFACES, Surface, bunny, median, run as walk},
};
use crate::{
    draw::{Caption, Tracks, draw_run},
    failure::Failure,
};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "surface-table",
    about: "Frames per second, first plan, arrivals, collisions and stalling of 1,000 people on \
            every surface of the table, with social forces, RVO and ORCA on one thread.",
    source: "Ricks, Egbert 2014, table 1 (C#, one i7-2600): frames per second and seconds of the \
             first plan; section 5.3: median collision rates of 0.05 % and 0.009 %",
    run,
};

/// Surfaces of a quick look.
const QUICK: [&str; 4] = ["cube", "building 1", "Moebius", "globe"];
/// Surfaces whose pictures are kept.
const PICTURES: [&str; 6] = [
    "Moebius",
    "Olympic rings",
    "Stanford bunny",
    "tree",
    "building 1",
    "globe",
];

/// Ratios of one model over all surfaces.
#[derive(Default)]
struct Ratios {
    speed: Vec<f64>,
    plan: Vec<f64>,
    collisions: Vec<f64>,
    stalled: Vec<f64>,
}

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "surfaces",
        "1,000 people with random destinations, one thread",
        [
            Column::new("surface", ""),
            Column::new("triangles", ""),
            Column::new("area", "m2"),
            Column::new("model", ""),
            Column::new("frames", "1/s"),
            Column::new("the paper's", "1/s"),
            Column::new("ratio", ""),
            Column::new("first plan", "s"),
            Column::new("the paper's", "s"),
            Column::new("arrivals", ""),
            Column::new("collisions", "%"),
            Column::new("of bodies", "%"),
            Column::new("stalled", "%"),
            Column::new("unreachable", ""),
        ],
    );
    let seconds = study.size(30.0, 8.0);
    let own: Option<String> = bunny();
    let mut surfaces: Vec<(Surface, String)> = SURFACES
        .iter()
        .map(|s| (*s, s.environment.to_owned()))
        .collect();
    match own {
        Some(environment) => surfaces.insert(26, (BUNNY, environment)),
        None => study.remark("the Stanford bunny is left out: its file is not at hand"),
    }
    let mut ratios: [Ratios; 3] = Default::default();
    for (surface, environment) in &surfaces {
        let looked_at = !study.quick || !study.only.is_empty() || QUICK.contains(&surface.name);
        if !looked_at || !study.wants(surface.name) {
            continue;
        }
        for (m, (model, avoidance)) in MODELS.iter().enumerate() {
            study.progress(&format!("{} {model}", surface.name));
            let crowd = Crowd {
                environment,
                planner: String::new(),
                avoidance,
                agents: 1000,
            };
            let (simulation, out) = walk(&crowd, seconds)?;
            // Their only faster model stands beside both of ours that avoid by velocities.
            let theirs = match *model {
                "social-force" => surface.social_force,
                _ => surface.rvo,
            };
            // Said at once: the whole takes minutes.
            study.progress(&format!(
                "  {:.0} frames/s ({:.1} x), first plan {:.3} s ({:.2} x), {} arrivals, collisions \
                 {:.4} % ({:.4} %), stalled {:.3} %",
                out.fps,
                out.fps / theirs,
                out.first_plan,
                out.first_plan / surface.first_plan,
                out.arrivals,
                out.collisions * 100.0,
                out.body_collisions * 100.0,
                out.stalled * 100.0,
            ));
            let r = &mut ratios[m];
            r.speed.push(out.fps / theirs);
            r.plan.push(out.first_plan / surface.first_plan);
            r.collisions.push(out.collisions * 100.0);
            r.stalled.push(out.stalled * 100.0);
            table.row([
                json!(surface.name),
                json!(out.triangles),
                json!(out.area.round()),
                json!(model),
                json!(out.fps),
                json!(theirs),
                json!(out.fps / theirs),
                json!(out.first_plan),
                json!(surface.first_plan),
                json!(out.arrivals),
                json!(out.collisions * 100.0),
                json!(out.body_collisions * 100.0),
                json!(out.stalled * 100.0),
                json!(out.unreachable),
            ]);
            if *model == "orca" && PICTURES.contains(&surface.name) {
                let tracks = Tracks::new(&simulation, simulation.scenario(), &[]);
                let caption = Caption {
                    title: format!("{}, {} triangles", surface.name, out.triangles),
                    subtitle: format!("{:.0} s, 1,000 people, {model}", simulation.time()),
                    sources: Vec::new(),
                };
                let drawn = draw_run(&simulation, &tracks, &caption, false)?;
                let name = surface.name.to_lowercase().replace(' ', "-");
                study.picture(&name, &drawn)?;
            }
        }
    }
    study.table(table)?;
    summary(study, &ratios)
}

fn summary(study: &mut Study, ratios: &[Ratios; 3]) -> Result<(), Failure> {
    let mut table = Grid::new(
        "medians",
        "Over all surfaces",
        [
            Column::new("model", ""),
            Column::new("frames over the paper's, median", ""),
            Column::new("least", ""),
            Column::new("first plan over the paper's, median", ""),
            Column::new("largest", ""),
            Column::new("collisions, median", "%"),
            Column::new("the paper's", "%"),
            Column::new("stalled, median", "%"),
            Column::new("largest", "%"),
        ],
    );
    let theirs = [json!(0.05), json!(0.009), Value::Null];
    for (((model, _), r), theirs) in MODELS.iter().zip(ratios).zip(theirs) {
        let least = |v: &[f64]| v.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
        table.row([
            json!(model),
            json!(median(&r.speed)),
            json!(least(&r.speed)),
            json!(median(&r.plan)),
            json!(most(&r.plan)),
            json!(median(&r.collisions)),
            theirs,
            json!(median(&r.stalled)),
            json!(most(&r.stalled)),
        ]);
    }
    study.table(table)?;
    study.remark(
        "people have a radius of 0.24 m, walk at 1.34 m/s and are 1.8 m tall on every surface, edges of the \
         map are at most 4 m long; the paper does not say how large its surfaces are, ours give each \
         of the 1,000 about 10 m2 or more; \
         collisions are agent-steps in which feet overlap another's by more than 5 mm, of bodies \
         those in which any spheres do (feet, waist, head), looked at once a second; frames are \
         steps of 0.1 s without the first one, which plans for all",
    );
    Ok(())
}
