//! `throng nav`: a map alone.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use serde::Serialize;
use throng::{
    Simulation,
    core::{NavMap, Slot},
    environment::Environment,
};

use super::{Changes, site::load_site};
use crate::{
    console::{self, Table, number},
    draw::draw_map,
    failure::Failure,
    output::map_export::{geojson, wavefront},
};

/// Arguments of `nav`.
#[derive(Debug, Args)]
pub struct NavArgs {
    /// A scenario, or an environment file alone.
    #[arg(value_name = "SCENARIO|FILE")]
    file: PathBuf,
    /// The map to draw; by default the scenario's.
    #[arg(long, value_name = "ID")]
    nav: Option<String>,
    #[command(flatten)]
    changes: Changes,
    /// Draw it as SVG (or as PNG, if the name ends so).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write edges and regions as GeoJSON, or the surface as OBJ if the name ends so.
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Write every stage from a picture of heights to the ground into this folder, as PNG.
    #[arg(long, value_name = "DIR")]
    stages: Option<PathBuf>,
}

/// The document.
#[derive(Debug, Serialize)]
struct Measured {
    nav: String,
    nodes: usize,
    directed_edges: usize,
    regions: usize,
    walkable_area: f64,
    covered_area: f64,
    components: usize,
    min_clearance: Option<f64>,
    build_ms: f64,
    bytes: usize,
    /// Figures of this kind of map alone.
    #[serde(flatten)]
    further: serde_json::Map<String, serde_json::Value>,
    notices: Vec<String>,
}

/// Draws and measures it.
pub fn nav(args: &NavArgs, json: bool) -> Result<(), Failure> {
    let mut loaded = load_site(&args.file, &args.changes, &[("nav", args.nav.as_deref())])?;
    // People have no part in a map, and sources may lack a way.
    loaded.scenario.sources.clear();
    let spec = loaded.scenario.nav.clone();
    let registry = loaded.registry.clone();
    let floor_names: Vec<String> = loaded
        .environment
        .floors
        .iter()
        .map(|f| f.name.clone())
        .collect();
    let name = loaded.scenario.name.clone();
    let written = match &args.stages {
        Some(folder) => write_stages(folder, &loaded.environment)?,
        None => Vec::new(),
    };
    let simulation = Simulation::from_loaded(loaded, 0)?;
    console::notices(simulation.notices());

    let map = simulation.map();
    let measured = Measured {
        build_ms: build_ms(&simulation, &registry, &spec.kind, &spec.table)?,
        nav: spec.kind,
        nodes: map.nodes(),
        directed_edges: map.edges(),
        regions: map.regions(),
        walkable_area: simulation.place().ground.walkable_area(),
        covered_area: map.covered_area(),
        components: components(map),
        min_clearance: map
            .edge_clearance
            .iter()
            .copied()
            .reduce(f32::min)
            .map(f64::from),
        bytes: map.bytes() + simulation.parts().nav.bytes(),
        further: simulation
            .parts()
            .nav
            .measures(&simulation.place().site())
            .into_iter()
            .map(|(name, value)| (name.to_owned(), figure(value)))
            .collect(),
        notices: simulation.notices().to_vec(),
    };
    if let Some(file) = &args.svg {
        let title = format!("{name}: {}", measured.nav);
        let subtitle = format!(
            "{} nodes, {} directed edges, {} regions",
            measured.nodes, measured.directed_edges, measured.regions
        );
        let png = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("png"));
        let drawn = draw_map(&simulation, &title, &subtitle, &floor_names, !png)?;
        let bytes = match drawn.svg {
            Some(text) => text.into_bytes(),
            None => drawn.png,
        };
        write(file, &bytes)?;
    }
    if let Some(file) = &args.export {
        let obj = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("obj"));
        let text = if obj {
            wavefront(simulation.ground(), map)
        } else {
            geojson(&simulation).to_string()
        };
        write(file, text.as_bytes())?;
    }
    if json {
        console::out_json(&measured);
    } else {
        console::out(&measured.table());
        for file in args.svg.iter().chain(&args.export).chain(&written) {
            console::out(&format!("wrote {}", file.display()));
        }
    }
    Ok(())
}

impl Measured {
    fn table(&self) -> String {
        let mut table = Table::new(["", ""]);
        let mut line = |name: &str, value: String| table.row([format!("  {name}"), value]);
        line("nodes", self.nodes.to_string());
        line("directed edges", self.directed_edges.to_string());
        line("regions", self.regions.to_string());
        line(
            "walkable area",
            format!("{} m2", number(self.walkable_area)),
        );
        line("covered area", format!("{} m2", number(self.covered_area)));
        line("components", self.components.to_string());
        let clearance = self
            .min_clearance
            .map_or("-".into(), |c| format!("{c:.4} m"));
        line("least clearance", clearance);
        line("build", format!("{} ms", number(self.build_ms)));
        line("memory", format!("{:.2} MB", self.bytes as f64 / 1e6));
        for (name, value) in &self.further {
            line(
                &name.replace('_', " "),
                number(value.as_f64().unwrap_or(f64::NAN)),
            );
        }
        format!("nav {}\n{}", self.nav, table.render())
    }
}

/// The time that the map alone takes, measured on a second one.
fn build_ms(
    simulation: &Simulation,
    registry: &throng::Registry,
    id: &str,
    options: &toml::Table,
) -> Result<f64, Failure> {
    let made = registry
        .find(Slot::Nav, id)
        .ok_or_else(|| Failure::input(format!("there is no nav {id:?}")))?
        .create(options)
        .map_err(|e| Failure::input(format!("nav {id:?}: {e}")))?;
    let mut strategy = made
        .into_nav()
        .ok_or_else(|| Failure::input(format!("{id:?} is no map")))?;
    let site = simulation.place().site();
    let mut map = NavMap::default();
    let began = Instant::now();
    strategy
        .build(&site, &mut map)
        .map_err(|e| Failure::input(format!("nav {id:?}: {e}")))?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

/// Parts of the graph that nothing joins.
fn components(map: &NavMap) -> usize {
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            let up = parent[parent[node as usize] as usize];
            parent[node as usize] = up;
            node = up;
        }
        node
    }
    let mut parent: Vec<u32> = (0..map.nodes() as u32).collect();
    let mut count = map.nodes();
    for e in 0..map.edges() {
        let a = root(&mut parent, map.edge_from[e]);
        let b = root(&mut parent, map.edge_to[e]);
        if a != b {
            parent[a as usize] = b;
            count -= 1;
        }
    }
    count
}

/// A figure as a whole number where it is one.
fn figure(value: f64) -> serde_json::Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// Writes the stages of an environment that was made from a picture of heights.
fn write_stages(folder: &Path, environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    let Some(picture) = &environment.heights else {
        return Err(Failure::input(
            "--stages needs a picture of heights: environment.file = \"….png\" with \
             environment.height_map, or a scene drawn = \"height-map\"",
        ));
    };
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::input(format!("{} cannot be made: {e}", folder.display())))?;
    let greys = picture.greys.iter().map(|g| (g >> 8) as u8).collect();
    // What is ground in the end depends on areas as well: the cells have it.
    let cells = environment.cells.as_ref();
    let stages = throng::height_stages(picture, |x, row| {
        cells.is_some_and(|c| c.walkable[(c.height - 1 - row) * c.width + x])
    });
    let mut written = Vec::new();
    for (name, pixels) in [("0-heights", greys)].into_iter().chain(stages.pictures()) {
        let file = folder.join(format!("{name}.png"));
        write(&file, &grey_png(picture.width, picture.height, &pixels)?)?;
        written.push(file);
    }
    Ok(written)
}

/// A grey picture as PNG.
fn grey_png(width: usize, height: usize, greys: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut pixmap = tiny_skia::Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| Failure::input("a picture without pixels"))?;
    for (pixel, grey) in pixmap.data_mut().chunks_exact_mut(4).zip(greys) {
        pixel.copy_from_slice(&[*grey, *grey, *grey, 255]);
    }
    pixmap.encode_png().map_err(Failure::run)
}

fn write(file: &PathBuf, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, bytes)
        .map_err(|e| Failure::input(format!("{} cannot be written: {e}", file.display())))
}
