//! `throng path`: route queries alone.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use glam::{DVec2, DVec3};
use serde::Serialize;
use throng::{
    Simulation, Spot,
    core::{Gate, NONE, PlanRequest, RouteKind, RouteSink, Scratch},
};
use throng_kit::funnel::pulled_length;

use super::{Changes, site::load_site};
use crate::{
    console::{self, Table, number},
    failure::Failure,
};

/// Rows shown to a person.
const SHOWN: usize = 20;

/// Arguments of `path`.
#[derive(Debug, Args)]
pub struct PathArgs {
    /// An environment file, or a scenario.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The map.
    #[arg(long, value_name = "ID")]
    nav: Option<String>,
    /// The planner.
    #[arg(long, value_name = "ID")]
    planner: Option<String>,
    #[command(flatten)]
    changes: Changes,
    /// Where the route begins: x,y or x,y,z.
    #[arg(
        long,
        value_name = "X,Y[,Z]",
        requires = "to",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    from: Option<String>,
    /// Where it ends.
    #[arg(
        long,
        value_name = "X,Y[,Z]",
        requires = "from",
        allow_hyphen_values = true
    )]
    to: Option<String>,
    /// A table of queries: CSV with x1,y1,x2,y2 or six columns, or a MovingAI .scen.
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Radius of the body; 0 for a point.
    #[arg(
        long,
        value_name = "R",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    radius: f32,
}

/// The answer to one query.
#[derive(Debug, Serialize)]
struct Answer {
    found: bool,
    length: Option<f64>,
    walked: Option<f64>,
    cost: Option<f64>,
    gates: usize,
    micros: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// All answers together.
#[derive(Debug, Serialize)]
struct Totals {
    queries: usize,
    found: usize,
    length: f64,
    walked: f64,
    micros_median: f64,
    micros_p95: f64,
    micros_total: f64,
}

/// The document.
#[derive(Debug, Serialize)]
struct Answers {
    nav: String,
    planner: String,
    queries: Vec<Answer>,
    totals: Totals,
}

/// Finds the routes.
pub fn path(args: &PathArgs, json: bool) -> Result<(), Failure> {
    if !(args.radius.is_finite() && args.radius >= 0.0) {
        return Err(Failure::input(format!(
            "--radius {}: allowed is 0 or more",
            args.radius
        )));
    }
    let chosen = [
        ("nav", args.nav.as_deref()),
        ("planner", args.planner.as_deref()),
    ];
    let mut loaded = load_site(&args.file, &args.changes, &chosen)?;
    loaded.scenario.sources.clear();
    let environment = &loaded.scenario.environment;
    let cell = environment.cell * environment.scale;
    let asked = match (&args.from, &args.to, &args.queries) {
        (Some(from), Some(to), _) => vec![(spot(from, "--from")?, spot(to, "--to")?)],
        (_, _, Some(file)) => queries(file, cell)?,
        _ => {
            return Err(Failure::input(
                "what to find: --from X,Y --to X,Y, or --queries FILE",
            ));
        }
    };
    let (nav, planner) = (
        loaded.scenario.nav.kind.clone(),
        loaded.scenario.planner.kind.clone(),
    );
    let mut simulation = Simulation::from_loaded(loaded, 0)?;
    console::notices(simulation.notices());
    // An empty step lets the planner prepare what its queries share.
    simulation.step()?;

    let mut search = Search::default();
    let queries: Vec<Answer> = asked
        .iter()
        .map(|(from, to)| search.answer(&simulation, *from, *to, args.radius))
        .collect();
    let totals = totals(&queries);
    let answers = Answers {
        nav,
        planner,
        queries,
        totals,
    };
    if json {
        console::out_json(&answers);
    } else {
        console::out(&answers.table());
    }
    Ok(())
}

/// Buffers that queries share.
#[derive(Default)]
struct Search {
    scratch: Scratch,
    sink: RouteSink,
    gates: Vec<Gate>,
}

impl Search {
    fn answer(&mut self, simulation: &Simulation, from: Spot, to: Spot, radius: f32) -> Answer {
        let missing = |reason: String, micros: f64| Answer {
            found: false,
            length: None,
            walked: None,
            cost: None,
            gates: 0,
            micros,
            reason: Some(reason),
        };
        let (Some(start), Some(end)) = (simulation.locate(from), simulation.locate(to)) else {
            let off = if simulation.locate(from).is_none() {
                from
            } else {
                to
            };
            return missing(format!("there is no ground at {}", shown(off)), 0.0);
        };
        let request = PlanRequest {
            from: start,
            to: end,
            agent: NONE,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius,
            weight: simulation.scenario().cost.weight as f32,
            speed: 1.34,
        };
        let began = Instant::now();
        simulation.plan_batch(&[request], &mut self.scratch, &mut self.sink);
        let row = self.sink.rows[0];
        self.gates.clear();
        match row.kind {
            RouteKind::Missing(why) => {
                let micros = began.elapsed().as_secs_f64() * 1e6;
                return missing(why.reason().into(), micros);
            }
            RouteKind::Gates => self.gates.extend_from_slice(&self.sink.gates),
            RouteKind::Edges => {
                let (nav, site) = (&simulation.parts().nav, simulation.place().site());
                nav.emit_gates(&site, simulation.map(), &self.sink.edges, &mut self.gates);
                if row.into != NONE {
                    let entry = nav.gate_at(&site, simulation.map(), row.into, 0.0);
                    self.gates.extend(entry);
                }
            }
        }
        let micros = began.elapsed().as_secs_f64() * 1e6;
        let walked = if simulation.ground().plan {
            pulled_length(&self.gates, start.point, end.point, radius)
        } else {
            let mut length = 0.0;
            let mut at = start.point;
            for next in self.gates.iter().map(|g| g.middle).chain([end.point]) {
                length += at.distance(next);
                at = next;
            }
            length
        };
        // Where gates have width the route is the string through them, not the graph's edges.
        let map = simulation.map();
        let wide = simulation.ground().plan
            && map.dense_spacing == 0.0
            && row.kind == RouteKind::Edges
            && self.gates.iter().all(|g| g.left != g.right);
        Answer {
            found: true,
            length: Some(f64::from(if wide { walked } else { row.length })),
            walked: Some(f64::from(walked)),
            cost: Some(f64::from(row.cost)),
            gates: self.gates.len(),
            micros,
            reason: None,
        }
    }
}

fn totals(queries: &[Answer]) -> Totals {
    let mut micros: Vec<f64> = queries.iter().map(|q| q.micros).collect();
    micros.sort_by(f64::total_cmp);
    let rank = |p: f64| {
        let at = (p * micros.len() as f64).ceil() as usize;
        micros.get(at.max(1) - 1).copied().unwrap_or(0.0)
    };
    Totals {
        queries: queries.len(),
        found: queries.iter().filter(|q| q.found).count(),
        length: queries.iter().filter_map(|q| q.length).sum(),
        walked: queries.iter().filter_map(|q| q.walked).sum(),
        micros_median: rank(0.5),
        micros_p95: rank(0.95),
        micros_total: micros.iter().sum(),
    }
}

impl Answers {
    fn table(&self) -> String {
        let mut table = Table::new(["query", "length", "walked", "cost", "gates", "micros", ""]);
        for (i, q) in self.queries.iter().enumerate().take(SHOWN) {
            let value = |v: Option<f64>| v.map_or("-".to_owned(), |v| format!("{v:.4}"));
            table.row([
                (i + 1).to_string(),
                value(q.length),
                value(q.walked),
                value(q.cost),
                q.gates.to_string(),
                number(q.micros),
                q.reason.clone().unwrap_or_default(),
            ]);
        }
        let t = &self.totals;
        let rest = match self.queries.len() {
            n if n > SHOWN => format!("and {} more (all of them: --json)\n", n - SHOWN),
            _ => String::new(),
        };
        format!(
            "nav {}, planner {}\n{}{rest}{} of {} found, {} m in all, {} us a query (median)",
            self.nav,
            self.planner,
            table.render(),
            t.found,
            t.queries,
            number(t.length),
            number(t.micros_median)
        )
    }
}

fn shown(spot: Spot) -> String {
    match spot {
        Spot::Plan(x, y) => format!("({x}, {y})"),
        Spot::Space(p) => format!("({}, {}, {})", p.x, p.y, p.z),
    }
}

fn numbers(text: &str, separator: char) -> Option<Vec<f64>> {
    text.split(separator)
        .map(|part| part.trim().parse::<f64>().ok().filter(|v| v.is_finite()))
        .collect()
}

fn spot(text: &str, what: &str) -> Result<Spot, Failure> {
    match numbers(text, ',').as_deref() {
        Some(&[x, y]) => Ok(Spot::Plan(x, y)),
        Some(&[x, y, z]) => Ok(Spot::Space(DVec3::new(x, y, z))),
        _ => Err(Failure::input(format!(
            "{what} {text}: write it as x,y or x,y,z"
        ))),
    }
}

/// The queries of a file.
fn queries(file: &Path, cell: f64) -> Result<Vec<(Spot, Spot)>, Failure> {
    let name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::input(format!("{name} cannot be read: {e}")))?;
    let scen = file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("scen"));
    let parsed = if scen {
        scen_queries(&text, cell)
    } else {
        csv_queries(&text)
    };
    let found = parsed.map_err(|(line, why)| Failure::input(format!("{name}:{line}: {why}")))?;
    if found.is_empty() {
        return Err(Failure::input(format!("{name} has no queries")));
    }
    Ok(found)
}

type Parsed = Result<Vec<(Spot, Spot)>, (usize, String)>;

fn csv_queries(text: &str) -> Parsed {
    let mut found = Vec::new();
    let mut first = true;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let heading = std::mem::take(&mut first) && numbers(line, ',').is_none();
        if heading {
            continue;
        }
        found.push(match numbers(line, ',').as_deref() {
            Some(&[a, b, c, d]) => (Spot::Plan(a, b), Spot::Plan(c, d)),
            Some(&[a, b, c, d, e, f]) => (
                Spot::Space(DVec3::new(a, b, c)),
                Spot::Space(DVec3::new(d, e, f)),
            ),
            _ => return Err((i + 1, "a query is x1,y1,x2,y2 or x1,y1,z1,x2,y2,z2".into())),
        });
    }
    Ok(found)
}

/// Columns: bucket, map, width, height, start x and y, goal x and y, optimal length. Cell (x, y)
/// covers [x, x + 1] x [y, y + 1] cells; queries go from centre to centre.
fn scen_queries(text: &str, cell: f64) -> Parsed {
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("version") {
            continue;
        }
        let columns: Vec<&str> = line.split_whitespace().collect();
        let wrong = || {
            (
                i + 1,
                "a line has nine columns: bucket, map, width, height, start, goal, length"
                    .to_owned(),
            )
        };
        // Names of maps may hold spaces: the numbers are counted from the end.
        let tail = columns.len().checked_sub(5).ok_or_else(wrong)?;
        let at = |k: usize| columns[tail + k].parse::<u32>().map_err(|_| wrong());
        let centre = |x: u32, y: u32| {
            let p = (DVec2::new(f64::from(x), f64::from(y)) + 0.5) * cell;
            Spot::Plan(p.x, p.y)
        };
        found.push((centre(at(0)?, at(1)?), centre(at(2)?, at(3)?)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_takes_a_heading_and_both_widths() {
        let four = csv_queries("x1,y1,x2,y2\n1,2,3,4\n\n# note\n5,6,7,-8.5\n").unwrap();
        assert_eq!(four.len(), 2);
        assert_eq!(four[1], (Spot::Plan(5.0, 6.0), Spot::Plan(7.0, -8.5)));
        let six = csv_queries("1,2,3,4,5,6").unwrap();
        assert_eq!(six[0].1, Spot::Space(DVec3::new(4.0, 5.0, 6.0)));
        assert_eq!(csv_queries("1,2,3,4\n1,2,3\n").unwrap_err().0, 2);
        assert_eq!(csv_queries("1,2,3,4\n1,2,x,4\n").unwrap_err().0, 2);
    }

    #[test]
    fn scen_lines_are_cell_centres() {
        let text = "version 1\n0\ta map.map\t49\t49\t1\t11\t1\t12\t1.00000000\n";
        let found = scen_queries(text, 2.0).unwrap();
        assert_eq!(found, [(Spot::Plan(3.0, 23.0), Spot::Plan(3.0, 25.0))]);
        assert_eq!(scen_queries("version 1\n1 2 3\n", 1.0).unwrap_err().0, 2);
    }
}
