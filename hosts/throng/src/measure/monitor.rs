//! The measures of a run taken while it runs, in memory that does not grow with its length.
//!
//! Frames come one by one. Crossings of lines are looked for between all of them; areas, speeds
//! and lanes are sampled at an interval, of which Voronoi cells may skip some where the crowd in
//! named areas is large (the report tells the largest interval).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::DVec2;
use serde::Serialize;
use throng_core::GroundView;

use super::{
    CountingLine, MeasuringArea, Snapshot, classic,
    flow::{self, Crossing},
    lanes,
    speed::{self, Border, usual_window},
    voronoi::{self, CutOff},
};

/// About so many Voronoi cells are made for a sample; with more, samples become rarer.
const CELLS: usize = 3000;
/// Width of a bin of speeds, metres per second.
const SPEED_BIN: f64 = 0.01;
/// Bins of speeds; the last one takes everything above.
const SPEED_BINS: usize = 1001;
/// Seconds of the window in which the largest flow is looked for.
const FLOW_WINDOW: f64 = 10.0;
/// People of whom first crossings of a line are kept.
const MOST_CROSSERS: usize = 4_000_000;

/// A mean over samples and the largest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanAndPeak {
    /// Mean over samples.
    pub mean: f64,
    /// Largest sample.
    pub peak: f64,
    /// When that was, seconds.
    pub peak_at_s: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Series {
    sum: f64,
    count: u64,
    peak: f64,
    peak_at: f64,
}

impl Series {
    fn add(&mut self, value: f64, time: f64) {
        if self.count == 0 || value > self.peak {
            (self.peak, self.peak_at) = (value, time);
        }
        self.sum += value;
        self.count += 1;
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    fn both(&self) -> MeanAndPeak {
        MeanAndPeak {
            mean: self.mean().unwrap_or(0.0),
            peak: self.peak,
            peak_at_s: self.peak_at,
        }
    }
}

/// Density and speed in a named area. Means of densities are over all samples, empty ones too;
/// means of speeds over those with somebody there.
#[derive(Clone, Debug, Serialize)]
pub struct AreaReport {
    /// Its floor.
    pub level: u16,
    /// Its walkable part, square metres.
    pub area_m2: f64,
    /// Persons per square metre, heads counted.
    pub classic_density_per_m2: MeanAndPeak,
    /// Persons per square metre, Voronoi.
    pub voronoi_density_per_m2: MeanAndPeak,
    /// Mean speed of the people inside, m/s.
    pub classic_speed_m_s: Option<f64>,
    /// Voronoi speed: the integral of speed over the area by its size, m/s.
    pub voronoi_speed_m_s: Option<f64>,
    /// The same by the part of the area that cells cover, m/s.
    pub voronoi_speed_where_covered_m_s: Option<f64>,
}

/// Flow through a named line or door.
#[derive(Clone, Debug, Serialize)]
pub struct LineReport {
    /// Its floor.
    pub level: u16,
    /// Its length, metres.
    pub width_m: f64,
    /// People who passed, each counted once.
    pub persons: u64,
    /// Crossings from the left to the right of the line.
    pub forward: u64,
    /// Crossings from the right to the left.
    pub backward: u64,
    /// When the first one passed, seconds.
    pub first_s: Option<f64>,
    /// When the last one passed for the first time, seconds.
    pub last_s: Option<f64>,
    /// `(N - 1) / (last - first)`, persons per second.
    pub flow_per_s: Option<f64>,
    /// The same per metre of width.
    pub specific_flow_per_m_s: Option<f64>,
    /// Largest flow in 10 s, persons per second.
    pub peak_flow_per_s: f64,
}

/// Mean and percentiles of everybody's speed at the samples, m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SpeedReport {
    /// Speeds measured.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
}

/// Order of two-way traffic, the mean over samples that had any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LaneReport {
    /// Order parameter, from 0 to 1.
    pub order: f64,
    /// Its expectation for random directions.
    pub by_chance: f64,
    /// Order beyond chance: 0 mixed, 1 laned.
    pub beyond_chance: f64,
    /// Samples with two-way traffic.
    pub samples: u64,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Seconds between two samples.
    pub every_s: f64,
    /// Largest number of seconds between two samples with Voronoi cells.
    pub voronoi_every_s: f64,
    /// Speeds are over so many seconds before and after.
    pub speed_window_s: f64,
    /// Largest distance of a corner of a Voronoi cell, metres.
    pub voronoi_cut_off_m: f64,
    /// Why areas and lines are not measured, where they are not.
    pub note: Option<String>,
    /// By name.
    pub areas: BTreeMap<String, AreaReport>,
    /// By name, doors too.
    pub lines: BTreeMap<String, LineReport>,
    /// Of everybody, in plan.
    pub individual_speed_m_s: SpeedReport,
    /// None without two-way traffic.
    pub lanes: Option<LaneReport>,
}

#[derive(Debug, Default)]
struct Inside {
    classic: Series,
    classic_speed: Series,
    voronoi: Series,
    voronoi_speed: Series,
    covered_speed: Series,
}

#[derive(Debug, Default)]
struct Passed {
    seen: BTreeSet<u64>,
    first: Vec<Crossing>,
    forward: u64,
    backward: u64,
}

/// Takes the measures.
#[derive(Debug)]
pub struct Monitor {
    areas: Vec<(MeasuringArea, Inside)>,
    lines: Vec<(CountingLine, Passed)>,
    frame_rate: f64,
    every: u64,
    window: usize,
    cut_off: CutOff,
    frames: VecDeque<Snapshot>,
    spare: Vec<Snapshot>,
    voronoi_stride: u64,
    samples: u64,
    speeds: Vec<u64>,
    speed_sum: f64,
    lane_order: Series,
    lane_chance: Series,
    velocities: Vec<Option<DVec2>>,
    plan: bool,
}

impl Monitor {
    /// Measures in these areas and at these lines; a sample every so many frames.
    pub fn new(
        areas: Vec<MeasuringArea>,
        lines: Vec<CountingLine>,
        frame_rate: f64,
        every: u64,
        plan: bool,
    ) -> Monitor {
        Monitor {
            areas: areas.into_iter().map(|a| (a, Inside::default())).collect(),
            lines: lines.into_iter().map(|l| (l, Passed::default())).collect(),
            frame_rate,
            every: every.max(1),
            window: usual_window(frame_rate),
            cut_off: CutOff::default(),
            frames: VecDeque::new(),
            spare: Vec::new(),
            voronoi_stride: 1,
            samples: 0,
            speeds: vec![0; SPEED_BINS],
            speed_sum: 0.0,
            lane_order: Series::default(),
            lane_chance: Series::default(),
            velocities: Vec::new(),
            plan,
        }
    }

    /// A frame to fill with rows sorted by id and to hand to [`Monitor::observe`].
    pub fn blank(&mut self) -> Snapshot {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes the next frame; frames come in order, one number after the other.
    pub fn observe(&mut self, ground: GroundView<'_>, frame: Snapshot) {
        if !self.plan {
            return;
        }
        if let Some(before) = self.frames.back() {
            for (line, passed) in &mut self.lines {
                flow::between(before.view(), frame.view(), line, |c| passed.take(c));
            }
        }
        self.frames.push_back(frame);
        // The frame in the middle has its future now.
        if self.frames.len() > self.window {
            self.sample(ground, self.frames.len() - 1 - self.window, true);
        }
        while self.frames.len() > 2 * self.window {
            self.spare.extend(self.frames.pop_front());
        }
    }

    /// Samples a frame of those kept, if it is one to sample.
    fn sample(&mut self, ground: GroundView<'_>, index: usize, future: bool) {
        let now = self.frames[index].view();
        if !now.number.is_multiple_of(self.every) {
            return;
        }
        let view = |i: usize| self.frames.get(i).map(Snapshot::view);
        let past = index.checked_sub(self.window).and_then(view);
        let future = if future {
            view(index + self.window)
        } else {
            None
        };
        let half = self.window as f64 / self.frame_rate;
        self.velocities.clear();
        for row in 0..now.id.len() {
            let v = speed::velocity(past, now, future, row, half, Border::OneSided);
            if let Some(v) = v {
                let bin = (v.length() / SPEED_BIN).round() as usize;
                self.speeds[bin.min(SPEED_BINS - 1)] += 1;
                self.speed_sum += v.length();
            }
            self.velocities.push(v);
        }
        let (time, velocities) = (now.number as f64 / self.frame_rate, &self.velocities);
        let levels: BTreeSet<u16> = now.level.iter().copied().collect();
        for level in levels {
            if let Some(order) = lanes::in_frame(now, velocities, level) {
                self.lane_order.add(order.order, time);
                self.lane_chance.add(order.by_chance, time);
            }
        }
        for (area, inside) in &mut self.areas {
            inside.classic.add(classic::density(now, area), time);
            if let Some(speed) = classic::speed(now, velocities, area) {
                inside.classic_speed.add(speed, time);
            }
        }
        let turn = self.samples;
        self.samples += 1;
        if self.areas.is_empty() || !turn.is_multiple_of(self.voronoi_stride) {
            return;
        }
        let radius = self.cut_off.radius;
        let near = |row: usize| {
            let mut areas = self.areas.iter();
            areas.any(|(area, _)| area.within(now.at[row], now.level[row], radius))
        };
        let cells = voronoi::cells(ground, now, &self.cut_off, near);
        while cells.len() > CELLS * self.voronoi_stride as usize {
            self.voronoi_stride *= 2;
        }
        for (area, inside) in &mut self.areas {
            let sample = voronoi::sample(&cells, velocities, area);
            inside.voronoi.add(sample.density, time);
            if let Some(speed) = sample.speed_where_covered() {
                inside.voronoi_speed.add(sample.speed, time);
                inside.covered_speed.add(speed, time);
            }
        }
    }

    /// What was measured, when no frame is left.
    pub fn finish(mut self, ground: GroundView<'_>) -> Report {
        // The last frames have no future.
        for index in self.frames.len().saturating_sub(self.window)..self.frames.len() {
            self.sample(ground, index, false);
        }
        let every_s = self.every as f64 / self.frame_rate;
        let note =
            (!self.plan).then(|| "measured in plan, and this ground is no floor plan".to_owned());
        Report {
            every_s,
            voronoi_every_s: every_s * self.voronoi_stride as f64,
            speed_window_s: self.window as f64 / self.frame_rate,
            voronoi_cut_off_m: self.cut_off.radius,
            note,
            individual_speed_m_s: self.speed_report(),
            lanes: self.lane_report(),
            areas: self
                .areas
                .iter()
                .map(|(area, inside)| {
                    (
                        key(&area.name, area.level, &self.areas),
                        inside.report(area),
                    )
                })
                .collect(),
            lines: self
                .lines
                .iter()
                .map(|(line, passed)| {
                    let twice = self
                        .lines
                        .iter()
                        .filter(|(l, _)| l.name == line.name)
                        .count()
                        > 1;
                    let name = numbered(&line.name, line.level, twice);
                    (name, passed.report(line, self.frame_rate))
                })
                .collect(),
        }
    }

    fn speed_report(&self) -> SpeedReport {
        let count: u64 = self.speeds.iter().sum();
        if count == 0 {
            return SpeedReport::default();
        }
        let rank = |share: f64| {
            let wanted = ((share * count as f64).ceil() as u64).max(1);
            let mut seen = 0;
            let found = self.speeds.iter().position(|c| {
                seen += c;
                seen >= wanted
            });
            found.unwrap_or(SPEED_BINS - 1) as f64 * SPEED_BIN
        };
        SpeedReport {
            count,
            mean: self.speed_sum / count as f64,
            p5: rank(0.05),
            p50: rank(0.5),
            p95: rank(0.95),
        }
    }

    fn lane_report(&self) -> Option<LaneReport> {
        let (order, by_chance) = (self.lane_order.mean()?, self.lane_chance.mean()?);
        Some(LaneReport {
            order,
            by_chance,
            beyond_chance: lanes::Order { order, by_chance }.beyond_chance(),
            samples: self.lane_order.count,
        })
    }
}

/// A name that is unique among areas of several floors.
fn key(name: &str, level: u16, areas: &[(MeasuringArea, Inside)]) -> String {
    numbered(
        name,
        level,
        areas.iter().filter(|(a, _)| a.name == name).count() > 1,
    )
}

fn numbered(name: &str, level: u16, twice: bool) -> String {
    if twice {
        format!("{name} (floor {level})")
    } else {
        name.to_owned()
    }
}

impl Inside {
    fn report(&self, area: &MeasuringArea) -> AreaReport {
        AreaReport {
            level: area.level,
            area_m2: area.square_metres,
            classic_density_per_m2: self.classic.both(),
            voronoi_density_per_m2: self.voronoi.both(),
            classic_speed_m_s: self.classic_speed.mean(),
            voronoi_speed_m_s: self.voronoi_speed.mean(),
            voronoi_speed_where_covered_m_s: self.covered_speed.mean(),
        }
    }
}

impl Passed {
    fn take(&mut self, crossing: Crossing) {
        if crossing.forward {
            self.forward += 1;
        } else {
            self.backward += 1;
        }
        if self.first.len() < MOST_CROSSERS && self.seen.insert(crossing.id) {
            self.first.push(crossing);
        }
    }

    fn report(&self, line: &CountingLine, frame_rate: f64) -> LineReport {
        let time = |c: &Crossing| c.frame as f64 / frame_rate;
        let flow = flow::mean_flow(&self.first, frame_rate);
        LineReport {
            level: line.level,
            width_m: line.length(),
            persons: self.first.len() as u64,
            forward: self.forward,
            backward: self.backward,
            first_s: self.first.first().map(time),
            last_s: self.first.last().map(time),
            flow_per_s: flow,
            specific_flow_per_m_s: flow.map(|f| f / line.length()),
            peak_flow_per_s: flow::peak_flow(&self.first, frame_rate, FLOW_WINDOW),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Trajectories;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    /// A column of people 1 m apart walks at 1.5 m/s through a corridor, 4 frames a second.
    fn march() -> Trajectories {
        let mut rows = Vec::new();
        for id in 0..20u64 {
            for frame in 0..120u64 {
                let x = -(id as f64) + 1.5 * frame as f64 / 4.0;
                if (0.0..30.0).contains(&x) {
                    rows.push((id, frame, v(x, 1.0), 0));
                }
            }
        }
        Trajectories::from_rows(4.0, rows).unwrap()
    }

    #[test]
    fn frame_by_frame_is_the_same_as_all_at_once() {
        let ground = Ground::from_environment(&Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(v(-1.0, 0.0), v(31.0, 2.0))],
                ..Floor::default()
            }],
            ..Environment::default()
        })
        .unwrap();
        let ground = ground.view();
        let walks = march();
        let shape = Polygon::rectangle(v(10.0, 0.0), v(15.0, 2.0));
        let area = MeasuringArea::on_ground("m", 0, shape, ground);
        let line = CountingLine::new("l", 0, vec![v(20.1, 0.0), v(20.1, 2.0)]);
        let mut monitor = Monitor::new(vec![area.clone()], vec![line.clone()], 4.0, 1, true);
        for frame in walks.frames() {
            let mut taken = monitor.blank();
            taken.number = frame.number;
            taken.id = frame.id.to_vec();
            taken.at = frame.at.to_vec();
            taken.level = frame.level.to_vec();
            monitor.observe(ground, taken);
        }
        let report = monitor.finish(ground);
        let n = walks.len() as f64;
        let velocities = speed::velocities(&walks, 2, Border::OneSided);
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / n;
        let inside = &report.areas["m"];
        let classic = mean(classic::density_series(&walks, &area));
        assert!((inside.classic_density_per_m2.mean - classic).abs() < 1e-12);
        let cut = CutOff::default();
        let samples = voronoi::series(ground, &walks, &velocities, &area, &cut);
        let voronoi = mean(samples.iter().map(|s| s.density).collect());
        assert!((inside.voronoi_density_per_m2.mean - voronoi).abs() < 1e-12);
        // All at 1.5 m/s: five in 10 square metres while the column passes.
        assert!((inside.classic_density_per_m2.peak - 0.5).abs() < 1e-9);
        assert!((inside.classic_speed_m_s.unwrap() - 1.5).abs() < 1e-9);
        assert!((inside.voronoi_speed_where_covered_m_s.unwrap() - 1.5).abs() < 1e-9);
        assert!((report.individual_speed_m_s.mean - 1.5).abs() < 1e-9);
        let passed = &report.lines["l"];
        assert_eq!(
            (passed.persons, passed.forward, passed.backward),
            (20, 20, 0)
        );
        let first = flow::first_crossings(&flow::crossings(&walks, &line));
        assert_eq!(passed.flow_per_s, flow::mean_flow(&first, 4.0));
        assert!((passed.flow_per_s.unwrap() - 1.5).abs() < 0.03);
        assert_eq!(report.lanes, None);
    }
}
