//! Pictures of a finished run: [`maps`] show where, [`charts`] when and how much, [`film`] moves.

mod charts;
mod film;
mod maps;

use crate::{draw::Drawn, failure::Failure, output::finished::Finished};

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Density on the plan: the mean over the run and the largest.
    Density,
    /// Mean speed on the plan.
    Speed,
    /// Paths on the plan, coloured by source.
    Paths,
    /// Speed against density, with Weidmann's curve.
    SpeedDensity,
    /// Histogram of the time that people spent in the scene.
    TravelTimes,
    /// People walking and arrived over time.
    Counts,
    /// People who have passed each named line or door over time (N-t).
    Flow,
    /// People who have left over time.
    Evacuation,
    /// The run as a moving picture.
    Gif,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 9] = [
        Kind::Density,
        Kind::Speed,
        Kind::Paths,
        Kind::SpeedDensity,
        Kind::TravelTimes,
        Kind::Counts,
        Kind::Flow,
        Kind::Evacuation,
        Kind::Gif,
    ];

    /// Whether it needs trajectories.
    pub fn needs_walks(self) -> bool {
        self != Kind::Counts
    }
}

/// A finished file.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its name without an ending.
    pub name: &'static str,
    /// PNG and SVG, or a GIF.
    pub body: Body,
}

/// What a plot is.
#[derive(Clone, Debug)]
pub enum Body {
    /// A picture.
    Picture(Drawn),
    /// A moving picture, GIF bytes.
    Film(Vec<u8>),
}

/// Why there is no plot.
#[derive(Debug)]
pub enum NoPlot {
    /// The run has nothing of the kind to show.
    Nothing(String),
    /// It went wrong.
    Failed(Failure),
}

impl From<Failure> for NoPlot {
    fn from(failure: Failure) -> NoPlot {
        NoPlot::Failed(failure)
    }
}

fn nothing<T>(why: impl Into<String>) -> Result<T, NoPlot> {
    Err(NoPlot::Nothing(why.into()))
}

/// Draws a kind of picture.
pub fn plot(run: &Finished, kind: Kind) -> Result<Vec<Plot>, NoPlot> {
    let picture = |name: &'static str, drawn: Drawn| Plot {
        name,
        body: Body::Picture(drawn),
    };
    Ok(match kind {
        Kind::Density => {
            let (mean, peak) = maps::density(run)?;
            vec![picture("density-mean", mean), picture("density-peak", peak)]
        }
        Kind::Speed => vec![picture("speed", maps::speed(run)?)],
        Kind::Paths => vec![picture("paths", maps::paths(run)?)],
        Kind::SpeedDensity => vec![picture("speed-density", charts::speed_density(run)?)],
        Kind::TravelTimes => vec![picture("travel-times", charts::travel_times(run)?)],
        Kind::Counts => vec![picture("counts", charts::counts(run)?)],
        Kind::Flow => vec![picture("flow", charts::flow(run)?)],
        Kind::Evacuation => vec![picture("evacuation", charts::evacuation(run)?)],
        Kind::Gif => vec![Plot {
            name: "run",
            body: Body::Film(film::film(run)?),
        }],
    })
}

/// The trajectories of a run, or why there are none.
fn walks(run: &Finished) -> Result<&crate::output::finished::Walks, NoPlot> {
    match &run.walks {
        Some(walks) if !walks.walks.is_empty() => Ok(walks),
        Some(_) => nothing("nobody was recorded"),
        None => nothing(
            "the folder has no trajectories.sqlite or trajectories.txt: run with \
             record.formats = [\"sqlite\"]",
        ),
    }
}

/// Refuses grounds that have no plan.
fn need_plan(run: &Finished) -> Result<(), NoPlot> {
    if run.ground.view().plan {
        return Ok(());
    }
    nothing(
        "the ground is a curved mesh, and this picture is a floor plan: picture.png and \
         replay.html show the run in space",
    )
}
