//! Experiments: what the papers measured, run again here, our figures beside theirs.
//!
//! One file an experiment, named as it is called (`_` for `-`), with a constant `EXPERIMENT` that
//! [`ALL`] lists. An experiment gets a [`Study`]: it asks it how large to be, runs scenarios
//! through it, and hands it tables, pictures and remarks; the study writes them and shows them.

mod adaptive;
mod adaptive_agents;
mod adaptive_study;
mod avoidance_bottleneck;
mod avoidance_fundamental;
mod avoidance_lanes;
mod avoidance_models;
mod congestion_coarseness;
mod congestion_oscillation;
mod congestion_sparse;
mod congestion_together;
mod congestion_two_openings;
mod density;
mod density_overhead;
mod density_realtime;
mod density_replanning;
mod density_scaling;
mod density_stairs;
mod density_variety;
mod flow_scaling;
mod groups_cohesion;
mod orca_scaling;
mod roi;
mod roi_camera;
mod roi_cars;
mod roi_scaling;
mod roi_vs_potential;
mod study;
mod surface_improvements;
mod surface_planners;
mod surface_stalling;
mod surface_swirl;
mod surface_table;
mod surfaces;
mod trial;
mod walks;

pub use study::{Column, Grid, Study};

use crate::failure::Failure;

/// An experiment that can be asked for by name.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, one sentence.
    pub about: &'static str,
    /// The paper whose figures stand beside ours, or what ours are compared with.
    pub source: &'static str,
    /// Does it.
    pub run: fn(&mut Study) -> Result<(), Failure>,
}

/// Every experiment, sorted by name.
pub const ALL: &[Experiment] = &[
    adaptive_agents::EXPERIMENT,
    adaptive_study::EXPERIMENT,
    avoidance_bottleneck::EXPERIMENT,
    avoidance_fundamental::EXPERIMENT,
    avoidance_lanes::EXPERIMENT,
    avoidance_models::EXPERIMENT,
    congestion_coarseness::EXPERIMENT,
    congestion_oscillation::EXPERIMENT,
    congestion_sparse::EXPERIMENT,
    congestion_together::EXPERIMENT,
    congestion_two_openings::EXPERIMENT,
    density_overhead::EXPERIMENT,
    density_realtime::EXPERIMENT,
    density_replanning::EXPERIMENT,
    density_scaling::EXPERIMENT,
    density_stairs::EXPERIMENT,
    density_variety::EXPERIMENT,
    flow_scaling::EXPERIMENT,
    groups_cohesion::EXPERIMENT,
    orca_scaling::EXPERIMENT,
    roi_camera::EXPERIMENT,
    roi_cars::EXPERIMENT,
    roi_scaling::EXPERIMENT,
    roi_vs_potential::EXPERIMENT,
    surface_improvements::EXPERIMENT,
    surface_planners::EXPERIMENT,
    surface_stalling::EXPERIMENT,
    surface_swirl::EXPERIMENT,
    surface_table::EXPERIMENT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_have_a_file_each() {
        assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/experiment");
        for experiment in ALL {
            let stem = experiment.name.replace('-', "_");
            let found = folder.join(format!("{stem}.rs")).exists() || folder.join(&stem).is_dir();
            assert!(found, "{} has no file {stem}.rs", experiment.name);
            assert!(experiment.about.ends_with('.'), "{}", experiment.name);
        }
    }
}
