//! What the density experiments share: the paper's scenes and its walkers.

use throng::Simulation;

use super::Study;
use crate::{
    draw::{Caption, Drawn, Tracks, draw_run},
    failure::Failure,
};

/// The paper that all of them are from.
pub const PAPER: &str = "van Toll, Cook, Geraerts: Real-time density-based crowd simulation, 2012 (one core of a \
     2.5 GHz Xeon E5420)";

/// Walkers as in the paper: discs of 0.24 m at 1.4 m/s, slowed in proportion to the density, in
/// lanes of their own; no avoidance.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The scene's id.
    pub scene: &'static str,
    /// Weight of the crowd in prices.
    pub weight: f64,
    /// Whether densities are kept at all.
    pub densities: bool,
    /// Seconds between two plans of a walker, if any.
    pub replan: Option<f64>,
    /// Metres that the crowd is seen, if not everywhere.
    pub horizon: Option<f64>,
    /// When a search with a horizon ends.
    pub halt: &'static str,
    /// The avoidance model.
    pub avoidance: &'static str,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk {
            scene: "blocks",
            weight: 1.0,
            densities: true,
            replan: None,
            horizon: None,
            halt: "exact",
            avoidance: "none",
        }
    }
}

impl Walk {
    /// The scenario without its sources.
    pub fn scenario(&self) -> String {
        let Walk {
            scene,
            weight,
            halt,
            avoidance,
            ..
        } = self;
        let (cost, law) = if self.densities {
            ("density", "linear")
        } else {
            ("distance", "none")
        };
        let replan = self.replan.map_or(String::new(), |s| {
            format!("[replan]\nevery = {s:?}\nevents = []\n")
        });
        let horizon = self
            .horizon
            .map_or(String::new(), |d| format!("horizon = {d:?}\n"));
        format!(
            "name = \"{scene}\"\nseed = 7\ndt = 0.1\nduration = 100000.0\n\
             [environment]\ngenerate = \"{scene}\"\n\
             [nav]\nkind = \"ecm\"\n\
             [planner]\nkind = \"astar\"\nhalt = \"{halt}\"\n{horizon}\
             [cost]\nkind = \"{cost}\"\nweight = {weight:?}\n\
             [follow]\nkind = \"indicative\"\n\
             [avoidance]\nkind = \"{avoidance}\"\n\
             [metrics]\nevery = 10.0\n{replan}\
             [profile.walker]\nradius = 0.24\nspeed = 1.4\nmax_speed = 1.4\n\
             offset = {{ uniform = [-1.0, 1.0] }}\nspeed_law = \"{law}\"\n"
        )
    }

    /// The scenario with so many walkers from random places to random places, all at once and on
    /// top of each other where there is no room.
    pub fn everywhere(&self, walkers: u64) -> String {
        format!(
            "{}[[source]]\narea = \"everywhere\"\ncount = {walkers}\ngoals = \"random\"\n\
             profile = \"walker\"\noverlap = true\n",
            self.scenario()
        )
    }
}

/// What is gathered for a picture while a simulation runs.
pub fn tracks(simulation: &Simulation) -> Tracks {
    let floors: Vec<String> = (0..8).map(|floor| format!("floor {floor}")).collect();
    Tracks::new(simulation, simulation.scenario(), &floors)
}

/// Draws what was gathered.
pub fn picture(
    study: &mut Study,
    name: &str,
    title: &str,
    simulation: &Simulation,
    tracks: &Tracks,
) -> Result<(), Failure> {
    let caption = Caption {
        title: title.to_owned(),
        subtitle: format!(
            "{:.0} s, {} walking, {} arrived",
            simulation.time(),
            simulation.agents().len(),
            simulation.metrics().arrived
        ),
        sources: vec!["walkers".into()],
    };
    let drawn: Drawn = draw_run(simulation, tracks, &caption, false)?;
    study.picture(name, &drawn)
}

/// Middle of some times.
pub fn median(times: &mut [f64]) -> f64 {
    if times.is_empty() {
        return f64::NAN;
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Mean of some numbers.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
