//! Charts of a finished run.

use throng::{
    core::math,
    measure::{
        counting_lines, evacuation,
        flow::{crossings, first_crossings, mean_flow},
        voronoi::{self, CutOff},
    },
};

use super::{NoPlot, need_plan, nothing, walks};
use crate::{
    draw::{
        Drawn,
        chart::{Axis, Chart, Labels, round_step},
        colours::{self, CROWDS, cividis},
    },
    output::finished::Finished,
};

/// Voronoi cells of about so many people are made for speed against density.
const CELLS: usize = 60_000;
/// Most lines in one chart of flows.
const LINES: usize = 8;

/// Weidmann's speed at a density, m/s: `1.34 (1 - exp(-1.913 (1/rho - 1/5.4)))` (Weidmann,
/// "Transporttechnik der Fussgaenger", ETH Zurich, 1993).
pub fn weidmann(density: f64) -> f64 {
    let shape = 1.0 / density.max(1e-9) - 1.0 / 5.4;
    (1.34 * (1.0 - math::exp(-1.913 * shape))).max(0.0)
}

/// People walking and arrived over time.
pub fn counts(run: &Finished) -> Result<Drawn, NoPlot> {
    if run.counts.is_empty() {
        return nothing("metrics.csv has no line: the run was shorter than metrics.every");
    }
    let most = run.counts.iter().map(|c| c.spawned.max(c.walking));
    let most = most.fold(1.0, f64::max);
    let key = [
        ("walking".to_owned(), CROWDS[0]),
        ("arrived".to_owned(), CROWDS[1]),
        ("came".to_owned(), colours::PALE_INK),
    ];
    let end = run.counts.last().map_or(1.0, |c| c.time).max(run.seconds());
    let mut chart = Chart::new(
        Labels {
            title: &format!("{}: people over time", run.scenario.name),
            subtitle: &format!(
                "{} came, {} arrived, {} still walking at the end",
                run.metric("spawned"),
                run.metric("arrived"),
                run.metric("walking")
            ),
            x: "time, s",
            y: "persons",
        },
        Axis::until(end, 10),
        Axis::counting(most, 7),
        &key,
    )?;
    let series = |value: fn(&crate::output::finished::Counts) -> f64, at_end: u64| {
        let mut points: Vec<(f64, f64)> = run.counts.iter().map(|c| (c.time, value(c))).collect();
        // The last sample may be before the end.
        if points.last().is_some_and(|p| p.0 < run.seconds()) {
            points.push((run.seconds(), at_end as f64));
        }
        points
    };
    let came = series(|c| c.spawned, run.metric("spawned"));
    let arrived = series(|c| c.arrived, run.metric("arrived"));
    let walking = series(|c| c.walking, run.metric("walking"));
    chart.line(&came, 2.0, colours::PALE_INK.faint(0.7));
    chart.line(&arrived, 3.0, CROWDS[1]);
    chart.line(&walking, 3.0, CROWDS[0]);
    Ok(chart.finish()?)
}

/// Histogram of the time that people spent in the scene.
pub fn travel_times(run: &Finished) -> Result<Drawn, NoPlot> {
    let walks = &walks(run)?.walks;
    let end = walks.len() - 1;
    // Who is there in the last frame has left only if nobody walks at the end.
    let all_left = run.metric("walking") == 0;
    let mut times: Vec<f64> = walks
        .people()
        .into_iter()
        .filter(|(_, _, last)| *last < end || all_left)
        .map(|(_, first, last)| (last - first + 1) as f64 / walks.frame_rate())
        .collect();
    if times.is_empty() {
        return nothing("nobody left before the end of the run");
    }
    times.sort_unstable_by(f64::total_cmp);
    let rank = |share: f64| {
        let i = (share * times.len() as f64).ceil() as usize;
        times[i.clamp(1, times.len()) - 1]
    };
    let most = times[times.len() - 1];
    let width = round_step((most / 25.0).max(1.0 / walks.frame_rate()));
    let bins = (most / width).floor() as usize + 1;
    let mut counts = vec![0u32; bins];
    for t in &times {
        counts[((t / width) as usize).min(bins - 1)] += 1;
    }
    let tallest = counts.iter().copied().max().unwrap_or(1);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let mut chart = Chart::new(
        Labels {
            title: &format!("{}: travel times", run.scenario.name),
            subtitle: &format!(
                "{} people who left, from their first to their last frame: mean {mean:.1} s, 5 to \
                 95 %: {:.1} to {:.1} s",
                times.len(),
                rank(0.05),
                rank(0.95)
            ),
            x: "time in the scene, s",
            y: &format!("persons per {width} s"),
        },
        Axis::until(bins as f64 * width, 10),
        Axis::counting(f64::from(tallest) * 1.12, 7),
        &[],
    )?;
    let gap = width * 0.04;
    for (i, count) in counts.iter().enumerate() {
        let from = i as f64 * width;
        if *count > 0 {
            let (low, high) = ((from + gap, 0.0), (from + width - gap, f64::from(*count)));
            chart.bar(low, high, CROWDS[0]);
        }
    }
    let median = format!("median {:.1} s", rank(0.5));
    chart.mark(rank(0.5), &median, 0, CROWDS[1]);
    Ok(chart.finish()?)
}

/// N-t of every named line and door.
pub fn flow(run: &Finished) -> Result<Drawn, NoPlot> {
    need_plan(run)?;
    let walks = &walks(run)?.walks;
    let lines = counting_lines(&run.environment, run.ground.view());
    if lines.is_empty() {
        return nothing("the scenario has no [[line]] and no door");
    }
    let rate = walks.frame_rate();
    let mut passed: Vec<(usize, Vec<f64>, Option<f64>)> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| {
            let first = first_crossings(&crossings(walks, line));
            let times = first.iter().map(|c| c.frame as f64 / rate).collect();
            (i, times, mean_flow(&first, rate))
        })
        .filter(|(_, times, _): &(_, Vec<f64>, _)| !times.is_empty())
        .collect();
    if passed.is_empty() {
        return nothing(format!("nobody passed any of the {} lines", lines.len()));
    }
    let used = passed.len();
    passed.sort_by_key(|(i, times, _)| (std::cmp::Reverse(times.len()), *i));
    passed.truncate(LINES);
    let key: Vec<_> = passed
        .iter()
        .enumerate()
        .map(|(k, (i, times, flow))| {
            let line = &lines[*i];
            let flow = flow.map_or_else(String::new, |f| {
                format!(", {f:.2} /s, {:.2} /(m s)", f / line.length())
            });
            let words = format!("{}: {}{flow}", line.name, persons(times.len()));
            (words, CROWDS[k % CROWDS.len()])
        })
        .collect();
    let most = passed[0].1.len() as f64;
    let among = if used > passed.len() {
        format!(", the {} of {used} most used lines", passed.len())
    } else {
        String::new()
    };
    let mut chart = Chart::new(
        Labels {
            title: &format!("{}: flow through lines", run.scenario.name),
            subtitle: &format!(
                "N-t: everybody counts when first across; flow between first and last{among}"
            ),
            x: "time, s",
            y: "persons who have passed",
        },
        Axis::until(run.seconds().max(walks.time(walks.len() - 1)), 10),
        Axis::counting(most, 7),
        &key,
    )?;
    for (k, (_, times, _)) in passed.iter().enumerate() {
        let mut points = vec![(0.0, 0.0)];
        for (n, t) in times.iter().enumerate() {
            points.push((*t, n as f64 + 1.0));
        }
        points.push((chart.x.high, times.len() as f64));
        chart.staircase(&points, 2.5, CROWDS[k % CROWDS.len()]);
    }
    Ok(chart.finish()?)
}

fn persons(count: usize) -> String {
    match count {
        1 => "1 person".to_owned(),
        n => format!("{n} persons"),
    }
}

/// People who have left over time.
pub fn evacuation(run: &Finished) -> Result<Drawn, NoPlot> {
    let walks = &walks(run)?.walks;
    let curve = evacuation::curve(walks);
    let mut points: Vec<(f64, f64)> = curve
        .left
        .iter()
        .enumerate()
        .map(|(i, left)| (walks.time(i), *left as f64))
        .collect();
    // The last ones may leave after the last frame.
    if run.metric("walking") == 0 {
        points.push((
            run.seconds().max(walks.time(walks.len() - 1)),
            curve.people as f64,
        ));
    }
    let left = points.last().map_or(0.0, |p| p.1);
    if left == 0.0 {
        return nothing("nobody left before the end of the run");
    }
    let people = curve.people as f64;
    let mut chart = Chart::new(
        Labels {
            title: &format!("{}: evacuation curve", run.scenario.name),
            subtitle: &format!("{left} of {people} people left"),
            x: "time, s",
            y: "share of all people who have left, %",
        },
        Axis::until(points.last().map_or(1.0, |p| p.0), 10),
        Axis {
            low: 0.0,
            high: 100.0,
            step: 20.0,
        },
        &[],
    )?;
    let shares: Vec<(f64, f64)> = points.iter().map(|p| (p.0, 100.0 * p.1 / people)).collect();
    chart.staircase(&shares, 3.0, CROWDS[0]);
    for (share, words) in [(0.5, "half"), (0.9, "90 %"), (1.0, "all")] {
        let wanted = (share * people).ceil();
        if let Some(p) = points.iter().find(|p| p.1 >= wanted) {
            let words = format!("{words}: {:.1} s", p.0);
            chart.spot(p.0, 100.0 * p.1 / people, &words, CROWDS[1]);
        }
    }
    Ok(chart.finish()?)
}

/// Speed against density of individuals, with Weidmann's curve.
pub fn speed_density(run: &Finished) -> Result<Drawn, NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let (rows, frames) = (walks.walks.rows().max(1), walks.walks.len());
    let wanted = (frames * CELLS / rows).clamp(1, frames);
    let (frames, _) = walks.sampled(wanted);
    let ground = run.ground.view();
    let cut_off = CutOff::default();
    let mut samples: Vec<(f64, f64)> = Vec::new();
    for &i in &frames {
        let first = walks.walks.first_row(i);
        for cell in voronoi::cells(ground, walks.walks.frame(i), &cut_off, |_| true) {
            if let Some(v) = walks.velocities[first + cell.row] {
                samples.push((cell.density(), v.length()));
            }
        }
    }
    if samples.len() < 20 {
        return nothing("fewer than 20 speeds were recorded");
    }
    let high = |value: fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = samples.iter().map(value).collect();
        all.sort_unstable_by(f64::total_cmp);
        all[(all.len() * 999 / 1000).min(all.len() - 1)]
    };
    let x = Axis::covering(high(|s| s.0).clamp(2.0, 10.0), 10);
    let y = Axis::covering(high(|s| s.1).max(1.5), 8);
    let key = [
        ("median of this run".to_owned(), colours::INK),
        ("Weidmann 1993".to_owned(), CROWDS[1]),
    ];
    let mut chart = Chart::new(
        Labels {
            title: &format!("{}: speed against density", run.scenario.name),
            subtitle: &format!(
                "{} samples: speed over 1 s, density of the Voronoi cell, cut-off {} m",
                samples.len(),
                cut_off.radius
            ),
            x: "density, persons/m²",
            y: "speed, m/s",
        },
        x,
        y,
        &key,
    )?;
    let (columns, rows) = (60usize, 40usize);
    let mut counts = vec![0u32; columns * rows];
    for (density, speed) in &samples {
        let (cx, cy) = (density / x.high, speed / y.high);
        if cx < 1.0 && cy < 1.0 {
            let column = (cx * columns as f64) as usize;
            counts[(cy * rows as f64) as usize * columns + column] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let (dx, dy) = (x.high / columns as f64, y.high / rows as f64);
    for (i, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let (column, row) = ((i % columns) as f64, (i / columns) as f64);
        // Few beside many stay visible on a scale of roots.
        let share = (f64::from(*count) / f64::from(most)).sqrt() as f32;
        let (low, high) = (
            (column * dx, row * dy),
            ((column + 1.0) * dx, (row + 1.0) * dy),
        );
        chart.bar(low, high, cividis(share));
    }
    let curve: Vec<(f64, f64)> = (1..=200)
        .map(|i| f64::from(i) / 200.0 * x.high)
        .filter(|d| *d <= 5.4)
        .map(|d| (d, weidmann(d)))
        .collect();
    chart.line(&medians(&samples, x.high), 6.0, colours::GROUND);
    chart.line(&medians(&samples, x.high), 3.5, colours::INK);
    chart.line(&curve, 6.0, colours::GROUND);
    chart.line(&curve, 3.5, CROWDS[1]);
    let words = format!("{most}");
    chart.colour_bar("samples (square-root scale)", ["0", &words], cividis);
    Ok(chart.finish()?)
}

/// Median speeds in bins of density that have enough samples.
fn medians(samples: &[(f64, f64)], most: f64) -> Vec<(f64, f64)> {
    let bins = 24;
    let mut speeds: Vec<Vec<f64>> = vec![Vec::new(); bins];
    for (density, speed) in samples {
        if let Some(bin) = speeds.get_mut((density / most * bins as f64) as usize) {
            bin.push(*speed);
        }
    }
    let least = (samples.len() / 400).max(5);
    let middle = |i: usize| (i as f64 + 0.5) / bins as f64 * most;
    let enough = speeds
        .iter_mut()
        .enumerate()
        .filter(|(_, s)| s.len() >= least);
    enough
        .map(|(i, s)| {
            s.sort_unstable_by(f64::total_cmp);
            (middle(i), s[s.len() / 2])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weidmann_ends_at_the_jam_and_begins_free() {
        assert!((weidmann(0.01) - 1.34).abs() < 1e-9);
        assert_eq!(weidmann(5.4), 0.0);
        assert_eq!(weidmann(7.0), 0.0);
        // 1.34 (1 - exp(-1.913 (1/2 - 1/5.4))) by hand.
        assert!((weidmann(2.0) - 0.6062).abs() < 1e-3, "{}", weidmann(2.0));
    }

    #[test]
    fn medians_need_enough_samples() {
        let mut samples = vec![(1.0, 0.5); 10];
        samples.push((4.0, 2.0));
        let found = medians(&samples, 6.0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, 0.5);
    }
}
