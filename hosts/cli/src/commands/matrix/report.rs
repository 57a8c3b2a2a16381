//! Which combinations are good and why: ranks, the front of speed against quality, the page.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};
use throng::{
    core::{Slot, math},
    scenario::Scenario,
};

use super::{Outcome, Ran, Row, title};
use crate::{
    console::{Table, number},
    replay::escaped,
};

/// What quality means, for whoever reads the table.
const QUALITY: &str = "\
quality, 0 to 100, is the mean of four shares: arrivals against the row with the most; the least \
mean travel time, of rows with at least half the most arrivals, against this one's (mean speed where \
nobody arrives); people in no pair that overlaps; looks that found nobody stalled";

/// A column that has a best value.
struct Column {
    name: &'static str,
    of: fn(&Scored) -> f64,
    larger: bool,
}

const COLUMNS: [Column; 8] = [
    Column {
        name: "quality",
        of: |s| s.quality,
        larger: true,
    },
    Column {
        name: "arrived",
        of: |s| s.ran.arrivals as f64,
        larger: true,
    },
    Column {
        name: "speed",
        of: |s| s.ran.mean_speed,
        larger: true,
    },
    Column {
        name: "path",
        of: |s| arrivals_only(s, s.ran.mean_path),
        larger: false,
    },
    Column {
        name: "time",
        of: |s| arrivals_only(s, s.ran.travel_time),
        larger: false,
    },
    Column {
        name: "overlaps",
        of: |s| s.ran.overlaps,
        larger: false,
    },
    Column {
        name: "stalled",
        of: |s| s.ran.stalled,
        larger: false,
    },
    Column {
        name: "ms/step",
        of: |s| s.ran.ms_per_step,
        larger: false,
    },
];

/// A mean over those who arrived means little where few do.
fn arrivals_only(scored: &Scored, value: f64) -> f64 {
    if scored.enough { value } else { f64::NAN }
}

/// A row that ran, with its score.
struct Scored {
    ids: Vec<(Slot, String)>,
    ran: Ran,
    quality: f64,
    /// Whether half as many arrive as in the best row.
    enough: bool,
    front: bool,
}

impl Scored {
    fn name(&self) -> String {
        words(&self.ids)
    }
}

fn words(ids: &[(Slot, String)]) -> String {
    let ids: Vec<&str> = ids.iter().map(|i| i.1.as_str()).collect();
    ids.join(" ")
}

/// A slot's strategy and how its rows did.
struct Effect {
    slot: Slot,
    id: String,
    rows: usize,
    quality: f64,
    ms_per_step: f64,
}

/// All rows, the best first.
pub struct Report {
    rows: Vec<Scored>,
    others: Vec<Row>,
}

impl Report {
    /// Scores and ranks rows.
    pub fn new(rows: Vec<Row>) -> Report {
        let mut scored = Vec::new();
        let mut others = Vec::new();
        for row in rows {
            match row.outcome {
                Outcome::Ran(ran) => scored.push(Scored {
                    ids: row.combination,
                    ran,
                    quality: 0.0,
                    enough: false,
                    front: false,
                }),
                _ => others.push(row),
            }
        }
        score(&mut scored);
        scored.sort_by(|a, b| {
            b.quality
                .total_cmp(&a.quality)
                .then(a.name().cmp(&b.name()))
        });
        front(&mut scored);
        Report {
            rows: scored,
            others,
        }
    }

    fn best(&self, column: &Column) -> f64 {
        let values = self.rows.iter().map(column.of).filter(|v| v.is_finite());
        match column.larger {
            true => values.fold(f64::NEG_INFINITY, f64::max),
            false => values.fold(f64::INFINITY, f64::min),
        }
    }

    /// The cells of a row, the best of each column marked.
    fn cells(&self, row: &Scored, best: &[f64]) -> Vec<(String, bool)> {
        let r = &row.ran;
        let texts = [
            format!("{:.1}", row.quality),
            format!("{}/{}", r.arrivals, r.spawned),
            number(r.mean_speed),
            number(r.mean_path),
            number(r.travel_time),
            number(r.overlaps),
            format!("{:.1} %", 100.0 * r.stalled),
            number(r.ms_per_step),
        ];
        texts
            .into_iter()
            .zip(COLUMNS.iter().zip(best))
            .map(|(text, (column, best))| (text, (column.of)(row) == *best))
            .collect()
    }

    /// How each strategy of each slot did, the slot that matters most first.
    fn effects(&self) -> Vec<Vec<Effect>> {
        let mut of: BTreeMap<(Slot, &str), (usize, f64, f64)> = BTreeMap::new();
        for row in &self.rows {
            for (slot, id) in &row.ids {
                let sum = of.entry((*slot, id)).or_default();
                sum.0 += 1;
                sum.1 += row.quality;
                sum.2 += row.ran.ms_per_step;
            }
        }
        let mut slots: Vec<Vec<Effect>> = Vec::new();
        for ((slot, id), (rows, quality, ms)) in of {
            let effect = Effect {
                slot,
                id: id.to_owned(),
                rows,
                quality: quality / rows as f64,
                ms_per_step: ms / rows as f64,
            };
            match slots.last_mut().filter(|s| s[0].slot == slot) {
                Some(list) => list.push(effect),
                None => slots.push(vec![effect]),
            }
        }
        for list in &mut slots {
            list.sort_by(|a, b| b.quality.total_cmp(&a.quality));
        }
        let range = |list: &Vec<Effect>| {
            let last = list.last().map_or(0.0, |e| e.quality);
            list.first().map_or(0.0, |e| e.quality) - last
        };
        slots.sort_by(|a, b| range(b).total_cmp(&range(a)));
        slots
    }

    /// What the table shows, in sentences.
    fn explained(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(first) = self.rows.first() else {
            return lines;
        };
        let fastest = self
            .rows
            .iter()
            .min_by(|a, b| a.ran.ms_per_step.total_cmp(&b.ran.ms_per_step));
        lines.push(format!(
            "best quality: {} ({:.1})",
            first.name(),
            first.quality
        ));
        if let Some(fastest) = fastest {
            let ms = number(fastest.ran.ms_per_step);
            lines.push(format!("fastest: {} ({ms} ms/step)", fastest.name()));
        }
        let front: Vec<String> = self
            .rows
            .iter()
            .filter(|r| r.front)
            .map(|r| {
                let ms = number(r.ran.ms_per_step);
                format!("{} ({:.1}, {ms} ms)", r.name(), r.quality)
            })
            .collect();
        lines.push(format!(
            "front of speed against quality, no row is better in both: {}",
            front.join("; ")
        ));
        for list in self.effects().iter().filter(|l| l.len() > 1) {
            let each: Vec<String> = list
                .iter()
                .map(|e| {
                    let ms = number(e.ms_per_step);
                    format!("{} {:.1} ({} rows, {ms} ms)", e.id, e.quality, e.rows)
                })
                .collect();
            lines.push(format!(
                "mean quality by {}: {}",
                list[0].slot.name(),
                each.join(", ")
            ));
        }
        lines.push(QUALITY.to_owned());
        lines
    }

    /// Why rows did not run, one line for each reason.
    fn refusals(&self) -> Vec<String> {
        let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &self.others {
            let reason = match &row.outcome {
                Outcome::Refused { refused } => format!("refused: {refused}"),
                Outcome::Failed { failed } => format!("failed: {failed}"),
                Outcome::Ran(_) => continue,
            };
            reasons
                .entry(reason)
                .or_default()
                .push(words(&row.combination));
        }
        reasons
            .into_iter()
            .map(|(reason, rows)| match rows.as_slice() {
                [one] => format!("{reason}: {one}"),
                rows => format!("{reason}: {} and {} more", rows[0], rows.len() - 1),
            })
            .collect()
    }

    /// The table and what it shows.
    pub fn text(&self) -> String {
        let slots = self.rows.first().map_or(&[][..], |r| &r.ids);
        let mut headings: Vec<&str> = slots.iter().map(|i| i.0.name()).collect();
        headings.extend(COLUMNS.iter().map(|c| c.name));
        headings.push("front");
        let mut table = Table::new(headings);
        let best: Vec<f64> = COLUMNS.iter().map(|c| self.best(c)).collect();
        for row in &self.rows {
            let ids = row.ids.iter().map(|i| i.1.clone());
            let cells = self.cells(row, &best).into_iter();
            let cells = cells.map(|(text, best)| if best { text + "*" } else { text + " " });
            let front = if row.front { "front" } else { "" };
            table.row(ids.chain(cells).chain([front.to_owned()]));
        }
        let mut text = table.render();
        text += "* best of its column\n";
        for line in self.explained().into_iter().chain(self.refusals()) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The document for a program.
    pub fn document(&self, scenario: &Scenario) -> Value {
        let mut rows = Vec::new();
        for row in &self.rows {
            let mut document = serde_json::to_value(&row.ran).unwrap_or_default();
            document["quality"] = json!(row.quality);
            document["front"] = json!(row.front);
            for (slot, id) in &row.ids {
                document[slot.name()] = id.as_str().into();
            }
            rows.push(document);
        }
        for row in &self.others {
            let mut document = serde_json::to_value(&row.outcome).unwrap_or_default();
            for (slot, id) in &row.combination {
                document[slot.name()] = id.as_str().into();
            }
            rows.push(document);
        }
        let effects: Vec<Value> = self
            .effects()
            .iter()
            .flatten()
            .map(|e| {
                json!({
                    "slot": e.slot.name(), "id": e.id, "rows": e.rows, "quality": e.quality,
                    "ms_per_step": e.ms_per_step,
                })
            })
            .collect();
        json!({
            "scenario": title(scenario), "combinations": rows, "effects": effects,
            "quality": QUALITY,
        })
    }

    /// The page.
    pub fn html(&self, scenario: &Scenario) -> String {
        let best: Vec<f64> = COLUMNS.iter().map(|c| self.best(c)).collect();
        let slots = self.rows.first().map_or(&[][..], |r| &r.ids);
        let mut head: String = slots.iter().map(|i| th(i.0.name())).collect();
        head += &COLUMNS.iter().map(|c| th(c.name)).collect::<String>();
        let mut body = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            let _ = write!(
                body,
                "<tr id=\"row-{i}\"{}>",
                if row.front { " class=\"front\"" } else { "" }
            );
            for (_, id) in &row.ids {
                let _ = write!(body, "<td>{}</td>", escaped(id));
            }
            for (text, best) in self.cells(row, &best) {
                let class = if best { " class=\"best\"" } else { "" };
                let _ = write!(body, "<td{class}>{text}</td>");
            }
            let watch = row.ran.replay.as_ref().map_or_else(String::new, |page| {
                format!("<a href=\"{}\">watch</a>", escaped(page))
            });
            let _ = writeln!(body, "<td>{watch}</td></tr>");
        }
        let said = self.explained().into_iter().chain(self.refusals());
        let said: String = said.map(|l| format!("<li>{}</li>", escaped(&l))).collect();
        include_str!("report.html")
            .replace("{title}", &escaped(title(scenario)))
            .replace("{rows}", &self.rows.len().to_string())
            .replace("{said}", &said)
            .replace("{chart}", &self.chart())
            .replace("{head}", &head)
            .replace("{body}", &body)
    }

    /// Speed against quality as a picture: a dot per row, the front joined.
    fn chart(&self) -> String {
        const SIZE: [f64; 2] = [760.0, 320.0];
        const EDGE: [f64; 2] = [56.0, 36.0];
        let ms = |r: &Scored| r.ran.ms_per_step.max(1e-6);
        let low = self.rows.iter().map(ms).fold(f64::INFINITY, f64::min);
        let high = self.rows.iter().map(ms).fold(0.0, f64::max);
        if !low.is_finite() {
            return String::new();
        }
        let least = self.rows.iter().map(|r| r.quality).fold(100.0, f64::min);
        let (low, high) = (low * 0.9, (high * 1.1).max(low * 1.01));
        let floor = (least - 2.0).max(0.0);
        let x = |v: f64| {
            EDGE[0] + math::ln(v / low) / math::ln(high / low) * (SIZE[0] - EDGE[0] - 12.0)
        };
        let y =
            |q: f64| 12.0 + (100.0 - q) / (100.0 - floor).max(1e-9) * (SIZE[1] - EDGE[1] - 12.0);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Speed against quality\">",
            SIZE[0], SIZE[1]
        );
        for i in 0..=4 {
            let q = floor + (100.0 - floor) * f64::from(i) / 4.0;
            let v = low * math::pow(high / low, f64::from(i) / 4.0);
            let _ = write!(
                svg,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" class=\"grid\"/><text x=\"{}\" y=\"{}\" class=\"right\">{q:.0}</text><text x=\"{}\" y=\"{}\" class=\"middle\">{}</text>",
                EDGE[0],
                SIZE[0] - 12.0,
                EDGE[0] - 6.0,
                y(q) + 4.0,
                x(v),
                SIZE[1] - EDGE[1] + 16.0,
                number(v),
                y = y(q),
            );
        }
        let mut front: Vec<&Scored> = self.rows.iter().filter(|r| r.front).collect();
        front.sort_by(|a, b| ms(a).total_cmp(&ms(b)));
        let points: Vec<String> = front
            .iter()
            .map(|r| format!("{:.1},{:.1}", x(ms(r)), y(r.quality)))
            .collect();
        let _ = write!(
            svg,
            "<polyline points=\"{}\" class=\"front\"/>",
            points.join(" ")
        );
        for (i, r) in self.rows.iter().enumerate() {
            let class = if r.front { "dot front" } else { "dot" };
            let _ = write!(
                svg,
                "<a href=\"#row-{i}\"><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" class=\"{class}\"><title>{}: quality {:.1}, {} ms/step</title></circle></a>",
                x(ms(r)),
                y(r.quality),
                escaped(&r.name()),
                r.quality,
                number(ms(r)),
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" class=\"middle\">ms per step</text><text x=\"14\" y=\"{mid}\" class=\"middle\" transform=\"rotate(-90 14 {mid})\">quality</text></svg>",
            (EDGE[0] + SIZE[0]) / 2.0,
            SIZE[1] - 4.0,
            mid = (SIZE[1] - EDGE[1]) / 2.0,
        );
        svg
    }
}

fn th(name: &str) -> String {
    format!("<th>{}</th>", escaped(name))
}

/// Gives every row its quality.
fn score(rows: &mut [Scored]) {
    let most = rows.iter().map(|r| r.ran.arrivals).max().unwrap_or(0);
    let fastest = rows.iter().map(|r| r.ran.mean_speed).fold(0.0, f64::max);
    for row in rows.iter_mut() {
        row.enough = most > 0 && 2 * row.ran.arrivals >= most;
    }
    let least = rows
        .iter()
        .filter(|r| r.enough)
        .map(|r| r.ran.travel_time)
        .fold(f64::INFINITY, f64::min);
    for row in rows {
        let r = &row.ran;
        let arrivals = match most {
            0 => 1.0,
            most => r.arrivals as f64 / most as f64,
        };
        let haste = match (most, row.enough) {
            (0, _) => r.mean_speed / fastest.max(1e-9),
            (_, true) => least / r.travel_time.max(1e-9),
            (_, false) => 0.0,
        };
        // Two bodies in each pair that overlaps.
        let apart = 1.0 - (2.0 * r.overlaps / r.spawned.max(1) as f64).min(1.0);
        row.quality = 25.0 * (arrivals + haste.min(1.0) + apart + (1.0 - r.stalled));
    }
}

/// Marks the rows that no other is better than in both speed and quality.
fn front(rows: &mut [Scored]) {
    let all: Vec<(f64, f64)> = rows
        .iter()
        .map(|r| (r.ran.ms_per_step, r.quality))
        .collect();
    for (i, row) in rows.iter_mut().enumerate() {
        let (ms, quality) = all[i];
        row.front = !all
            .iter()
            .any(|(m, q)| *m <= ms && *q >= quality && (*m < ms || *q > quality));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, arrivals: u64, time: f64, overlaps: f64, ms: f64) -> Row {
        Row {
            combination: vec![(Slot::Avoidance, id.to_owned())],
            outcome: Outcome::Ran(Ran {
                spawned: 10,
                arrived: arrivals,
                arrivals,
                mean_speed: 1.0,
                travel_time: time,
                overlaps,
                ms_per_step: ms,
                ..Ran::default()
            }),
        }
    }

    #[test]
    fn the_best_is_first_and_the_front_has_no_row_that_another_beats_in_both() {
        let report = Report::new(vec![
            row("slow", 10, 20.0, 0.0, 5.0),
            row("beaten", 10, 25.0, 1.0, 6.0),
            row("quick", 10, 20.0, 1.0, 1.0),
            row("hasty", 2, 5.0, 0.0, 3.0),
        ]);
        let names: Vec<String> = report.rows.iter().map(Scored::name).collect();
        assert_eq!(names, ["slow", "quick", "beaten", "hasty"]);
        assert_eq!(report.rows[0].quality, 100.0);
        let front: Vec<String> = report
            .rows
            .iter()
            .filter(|r| r.front)
            .map(Scored::name)
            .collect();
        assert_eq!(front, ["slow", "quick"]);
        // Who lets two arrive is not the one that arrives soonest.
        assert_eq!(report.best(&COLUMNS[4]), 20.0);
        let text = report.text();
        assert!(text.contains("best quality: slow (100.0)"), "{text}");
        assert!(text.contains("100.0*"), "{text}");
    }

    #[test]
    fn where_nobody_arrives_speed_counts() {
        let report = Report::new(vec![row("a", 0, 0.0, 0.0, 1.0)]);
        assert_eq!(report.rows[0].quality, 100.0);
        assert!(report.html(&Scenario::default()).contains("<svg"));
    }
}
