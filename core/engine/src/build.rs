//! From a scenario and its environment to a simulation ready to step.

use std::sync::Arc;

use glam::{DVec2, Vec2, Vec3};
use thiserror::Error;
use throng_core::{
    Attachment, Capabilities, Frame, Goal, GroundView, NONE, NavError, NavMap, NavRepresentation,
    PlannerError, Site, Slot,
};
use throng_kit::{
    CrowdCells, Ground, Walk,
    environment::{Connection, Door, Environment, NamedArea, NamedLine, Obstacle, Polygon},
};

use crate::{
    areas::{Area, Shape},
    classes::{Bins, Classes, ProfileBins, TooManyClasses},
    command::Spot,
    crowd::CrowdState,
    follow::Follow,
    holds::{Hold, Holds, Service, desks_in, places_along, places_in},
    memory::MemoryStore,
    mover::Mover,
    obstacles::Obstacles,
    parts::{AvoidancePart, CostPart, Parts, PlannerPart, Tier},
    registry::{AnyStrategy, Refusal, Registry},
    scenario::{
        AreaRef, Distribution, EventAction, FloorRef, Goals, Point, Profile, Scenario, SourceSpec,
        SpeedLaw, StrategySpec,
    },
    source::Source,
    state::{Camera, Interest, Place, SiteCells, State},
    step::detour,
    walking::WalkingDistances,
};

/// Why a simulation could not be built.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The ground could not be made: the environment must be mended.
    #[error("environment: {0}")]
    Ground(#[from] throng_kit::GroundError),
    /// The map could not be drawn: another map or another environment.
    #[error("nav \"{id}\": {source}")]
    Nav {
        /// The map.
        id: String,
        /// Why.
        source: NavError,
    },
    /// A planner cannot serve this world.
    #[error("planner: {0}")]
    Planner(#[from] PlannerError),
    /// Strategies that do not go together.
    #[error("{0}")]
    Refused(Refusal),
    /// A strategy that is not there or cannot be made.
    #[error("{slot} \"{id}\": {reason}")]
    Strategy {
        /// Its slot.
        slot: &'static str,
        /// Its id.
        id: String,
        /// Why.
        reason: String,
    },
    /// Something that the scenario names is not in the environment.
    #[error("{0}")]
    Missing(String),
    /// Too many route classes.
    #[error(transparent)]
    Classes(#[from] TooManyClasses),
    /// Threads could not be started.
    #[error("threads: {0}")]
    Threads(String),
}

fn strategy(
    registry: &Registry,
    slot: Slot,
    spec: &StrategySpec,
) -> Result<AnyStrategy, BuildError> {
    let fail = |reason: String| BuildError::Strategy {
        slot: slot.name(),
        id: spec.kind.clone(),
        reason,
    };
    let entry = registry.find(slot, &spec.kind).ok_or_else(|| {
        fail(match registry.suggest(slot, &spec.kind) {
            Some(near) => format!("no such strategy; did you mean \"{near}\"?"),
            None => "no such strategy".into(),
        })
    })?;
    entry.create(&spec.table).map_err(|e| fail(e.to_string()))
}

macro_rules! make {
    ($registry:expr, $slot:ident, $spec:expr, $into:ident) => {
        strategy($registry, Slot::$slot, $spec)?
            .$into()
            .ok_or_else(|| BuildError::Strategy {
                slot: Slot::$slot.name(),
                id: $spec.kind.clone(),
                reason: "fills another slot".into(),
            })?
    };
}

/// Makes every strategy that the scenario names and declares its memory.
pub(crate) fn make_parts(
    scenario: &Scenario,
    registry: &Registry,
    nav: Arc<dyn NavRepresentation>,
    memory: &mut MemoryStore,
) -> Result<Parts, BuildError> {
    let planner = |spec: &StrategySpec, memory: &mut MemoryStore| {
        let strategy = make!(registry, Planner, spec, into_planner);
        Ok::<_, BuildError>(PlannerPart {
            memory: memory.declare(&strategy.memory()),
            guides: strategy.guides(),
            strategy,
        })
    };
    let every = ((scenario.cost.every / scenario.dt).round() as u64).max(1);
    let cost = |spec: &StrategySpec| {
        let strategy = make!(registry, Cost, spec, into_cost);
        Ok::<_, BuildError>(CostPart {
            is_static: strategy.is_static(),
            strategy,
            every,
        })
    };
    let avoidance = |spec: &StrategySpec, memory: &mut MemoryStore| {
        let strategy = make!(registry, Avoidance, spec, into_avoidance);
        Ok::<_, BuildError>(AvoidancePart {
            memory: memory.declare(&strategy.memory()),
            perception: strategy.perception(),
            pushes: strategy.pushes(),
            keeps_apart: strategy.keeps_apart(),
            alternates: strategy.alternates(),
            strategy,
        })
    };
    let mut parts = Parts {
        nav,
        planners: vec![planner(&scenario.planner, memory)?],
        costs: vec![cost(&scenario.cost.model)?],
        avoidances: vec![avoidance(&scenario.avoidance, memory)?],
        lod: make!(registry, Lod, &scenario.lod, into_lod),
        group: make!(registry, Group, &scenario.group, into_group),
        tiers: Vec::new(),
    };
    if scenario.replan.hysteresis.is_some() && parts.planners[0].guides {
        return Err(BuildError::Strategy {
            slot: Slot::Planner.name(),
            id: scenario.planner.kind.clone(),
            reason: "replan.hysteresis keeps agents on routes of their own, but this planner \
                     guides all agents of a class by one field: leave hysteresis out, or choose \
                     a planner of routes such as astar"
                .into(),
        });
    }
    let base = Tier {
        level: 0,
        period: 1,
        cost: 0,
        guide: 0,
        avoidance: 0,
        follow: Follow::from(&scenario.follow),
    };
    if scenario.tiers.is_empty() {
        parts.tiers.push(base);
    }
    for spec in &scenario.tiers {
        let mut tier = Tier {
            level: spec.level,
            period: spec.period.max(1),
            ..base
        };
        if let Some(given) = &spec.cost {
            parts.costs.push(cost(given)?);
            tier.cost = parts.costs.len() - 1;
        }
        if let Some(given) = &spec.guide {
            parts.planners.push(planner(given, memory)?);
            tier.guide = parts.planners.len() - 1;
        }
        if let Some(given) = &spec.avoidance {
            parts.avoidances.push(avoidance(given, memory)?);
            tier.avoidance = parts.avoidances.len() - 1;
        }
        if let Some(given) = &spec.follow {
            tier.follow = Follow::from(given);
        }
        parts.tiers.push(tier);
    }
    Ok(parts)
}

/// Refuses strategies that do not go together on this ground.
pub(crate) fn check_combination(
    scenario: &Scenario,
    registry: &Registry,
    plan_ground: bool,
) -> Result<(), BuildError> {
    let ground = if plan_ground {
        Capabilities::PLAN_GROUND
    } else {
        Capabilities::NONE
    };
    let cells = match scenario.cost.cell {
        Some(_) => Capabilities::REGIONS,
        None => Capabilities::NONE,
    };
    let combination = scenario.combination(ground.and(cells));
    registry
        .compatible(&combination)
        .map_err(BuildError::Refused)
}

/// Something that a key names is not there: said with the key's place in the file.
fn missing(scenario: &Scenario, key: &str, message: String) -> BuildError {
    BuildError::Missing(scenario.provenance.error(key, message).to_string())
}

fn floor_index(
    scenario: &Scenario,
    floor: &FloorRef,
    environment: &Environment,
    key: &str,
) -> Result<usize, BuildError> {
    let floors = environment.floors.len().max(1);
    match floor {
        FloorRef::Index(i) if *i < floors => Ok(*i),
        FloorRef::Index(i) => Err(missing(
            scenario,
            key,
            format!("there is no floor {i}: the environment has {floors}, counted from 0"),
        )),
        FloorRef::Name(name) => {
            let known = || environment.floors.iter().map(|f| f.name.as_str());
            known().position(|f| f == name).ok_or_else(|| {
                let message = format!(
                    "there is no floor \"{name}\"; the environment has {:?}",
                    known().collect::<Vec<_>>()
                );
                missing(scenario, key, message)
            })
        }
    }
}

/// Adds what the scenario itself draws to the environment: connections, areas, lines, doors and
/// obstacles.
pub fn merge_environment(
    scenario: &Scenario,
    mut environment: Environment,
) -> Result<Environment, BuildError> {
    for (i, c) in scenario.environment.connections.iter().enumerate() {
        let key = |end: &str| format!("environment.connections[{i}].{end}");
        environment.connections.push(Connection {
            name: c.name.clone(),
            from: floor_index(scenario, &c.from, &environment, &key("from"))?,
            to: floor_index(scenario, &c.to, &environment, &key("to"))?,
            lower: c.lower,
            upper: c.upper,
            speed: c.speed,
        });
    }
    for (i, a) in scenario.areas.iter().enumerate() {
        environment.areas.push(NamedArea {
            name: a.name.clone(),
            floor: floor_index(
                scenario,
                &a.floor,
                &environment,
                &format!("area[{i}].floor"),
            )?,
            shape: Polygon::new(a.shape.clone()),
        });
    }
    for (i, l) in scenario.lines.iter().enumerate() {
        environment.lines.push(NamedLine {
            name: l.name.clone(),
            floor: floor_index(
                scenario,
                &l.floor,
                &environment,
                &format!("line[{i}].floor"),
            )?,
            points: l.points.clone(),
        });
    }
    for (i, d) in scenario.doors.iter().enumerate() {
        environment.doors.push(Door {
            name: d.name.clone(),
            floor: floor_index(
                scenario,
                &d.floor,
                &environment,
                &format!("door[{i}].floor"),
            )?,
            ends: d.ends,
            open: d.open,
        });
    }
    for (i, o) in scenario.obstacles.iter().enumerate() {
        environment.obstacles.push(Obstacle {
            floor: floor_index(
                scenario,
                &o.floor,
                &environment,
                &format!("obstacle[{i}].floor"),
            )?,
            shape: Polygon::new(o.shape.clone()),
        });
    }
    Ok(environment)
}

/// Builds the ground and its named areas.
pub(crate) fn make_place(
    scenario: &Scenario,
    environment: &Environment,
) -> Result<Place, BuildError> {
    let ground = Ground::from_environment(environment)?;
    let origin = ground.view().origin.truncate();
    let cells = environment.cells.as_ref().map(|c| {
        Arc::new(SiteCells {
            low: (c.low - origin).as_vec2(),
            cell: c.cell as f32,
            width: c.width as u32,
            height: c.height as u32,
            walkable: c.walkable.iter().map(|&w| u8::from(w)).collect(),
        })
    });
    let everywhere = Area::new(
        "everywhere",
        Shape::Everywhere,
        ground.view(),
        scenario.seed,
    )
    .ok_or_else(|| BuildError::Missing("the environment has no walkable ground".into()))?;
    let mut place = Place {
        part: parts_of(&ground.view()),
        obstacles: Obstacles::of(&ground.view(), detour::AHEAD).map(Arc::new),
        ground: Arc::new(ground),
        cells,
        everywhere,
        areas: Vec::new(),
        seed: scenario.seed,
    };
    for a in &environment.areas {
        let shape = polygon_shape(&a.shape, a.floor, origin);
        let area = Area::new(&a.name, shape, place.ground.view(), scenario.seed);
        place.areas.push(area.ok_or_else(|| {
            BuildError::Missing(format!("area \"{}\" has no walkable ground in it", a.name))
        })?);
    }
    Ok(place)
}

/// The part of the ground that each triangle belongs to, doors open; empty if it is all one.
fn parts_of(ground: &GroundView<'_>) -> Vec<u32> {
    let mut part = vec![NONE; ground.triangles.len()];
    let mut parts = 0;
    let mut open = Vec::new();
    for first in 0..part.len() as u32 {
        if part[first as usize] != NONE {
            continue;
        }
        part[first as usize] = parts;
        open.push(first);
        while let Some(t) = open.pop() {
            for code in ground.across[t as usize] {
                if code != NONE && part[code as usize / 3] == NONE {
                    part[code as usize / 3] = parts;
                    open.push(code / 3);
                }
            }
        }
        parts += 1;
    }
    if parts == 1 { Vec::new() } else { part }
}

fn polygon_shape(polygon: &Polygon, floor: usize, origin: DVec2) -> Shape {
    let local = |ring: &[DVec2]| ring.iter().map(|p| (*p - origin).as_vec2()).collect();
    Shape::Polygon {
        floor: floor as u16,
        rings: std::iter::once(local(&polygon.outer))
            .chain(polygon.holes.iter().map(|h| local(h)))
            .collect(),
    }
}

/// Index of the area that a reference stands for, made if it is no name. `key` is where the
/// scenario says it.
pub(crate) fn area_index(
    scenario: &Scenario,
    place: &mut Place,
    reference: &AreaRef,
    floor: &FloorRef,
    environment: &Environment,
    reach: f64,
    key: &str,
) -> Result<u32, BuildError> {
    let origin = place.ground.view().origin;
    let shape = match reference {
        AreaRef::Name(name) => {
            if let Some(found) = place.areas.iter().position(|a| a.name == *name) {
                return Ok(found as u32);
            }
            if name == "everywhere" {
                place.areas.push(place.everywhere.clone());
                return Ok(place.areas.len() as u32 - 1);
            }
            let known: Vec<_> = place.areas.iter().map(|a| a.name.as_str()).collect();
            let near = crate::registry::nearest(name, known.iter().copied())
                .map_or(String::new(), |n| format!("; did you mean \"{n}\"?"));
            let there = if known.is_empty() {
                "there is only".into()
            } else {
                format!("there are {}, and", known.join(", "))
            };
            let message = format!(
                "there is no area \"{name}\" in the scenario or its environment{near} ({there} \"everywhere\")"
            );
            return Err(missing(scenario, key, message));
        }
        AreaRef::Point(point) => {
            let on_floor = floor_index(scenario, floor, environment, key)?;
            Shape::Ball {
                centre: local_point(place, *point, on_floor),
                radius: reach as f32,
            }
        }
        AreaRef::Shape(ring) => {
            let on_floor = floor_index(scenario, floor, environment, key)?;
            polygon_shape(&Polygon::new(ring.clone()), on_floor, origin.truncate())
        }
    };
    let area = Area::new(key, shape, place.ground.view(), place.seed)
        .ok_or_else(|| missing(scenario, key, "there is no walkable ground here".into()))?;
    place.areas.push(area);
    Ok(place.areas.len() as u32 - 1)
}

/// A scenario's point in local coordinates: its height from the floor below it if it has none.
pub(crate) fn local_point(place: &Place, point: Point, floor: usize) -> Vec3 {
    let ground = place.ground.view();
    let xy = (point.plan - ground.origin.truncate()).as_vec2();
    match point.z {
        Some(z) => xy.extend((z - ground.origin.z) as f32),
        None if ground.plan => ground
            .locate_plan(xy, Some(floor as u16))
            .map_or(xy.extend(0.0), |p| p.point),
        None => xy.extend(-ground.origin.z as f32),
    }
}

/// Whether a track in plan passes over ground anywhere.
fn touches_ground(place: &Place, track: &[Point]) -> bool {
    /// Places looked at along a leg.
    const LOOKS: u32 = 1000;
    let there = |at: DVec2| place.locate(Spot::Plan(at.x, at.y)).is_some();
    let along = |ends: &[Point]| {
        let (a, b) = (ends[0].plan, ends[1].plan);
        (0..=LOOKS).any(|k| there(a.lerp(b, f64::from(k) / f64::from(LOOKS))))
    };
    track.iter().any(|p| there(p.plan)) || track.windows(2).any(along)
}

/// What a scenario asks for that comes to nothing, one sentence each.
pub(crate) fn without_effect(
    scenario: &Scenario,
    place: &Place,
    parts: &Parts,
    state: &State,
) -> Vec<String> {
    let mut notices = Vec::new();
    let mut note = |key: &str, message: &str| {
        let problem = scenario.provenance.error(key, message.to_owned());
        notices.push(problem.to_string());
    };
    let (lod, tiers) = (&scenario.lod.kind, scenario.tiers.len());
    let interest = &scenario.interest;
    if parts.lod.constant().is_some() && !interest.is_empty() {
        note(
            "roi[0]",
            &format!("no effect with lod.kind = \"{lod}\"; lod.kind = \"roi\" reads it"),
        );
    } else if parts.lod.constant().is_some() && tiers > 1 {
        note(
            "tier[1]",
            &format!("lod.kind = \"{lod}\" gives everybody the same tier; \"roi\" does not"),
        );
    } else if !interest.is_empty() && tiers == 0 {
        note(
            "roi[0]",
            "no effect: there is no [[tier]] to tell its people from others",
        );
    }
    for (i, region) in state.interest.iter().enumerate() {
        let carried = region.mover.is_some() || region.camera;
        let ground = place.ground.view();
        let near = ground.locate(region.at);
        let reaches = near.is_some_and(|to| to.point.distance(region.at) <= region.radius);
        if !carried && !reaches {
            note(
                &format!("roi[{i}].at"),
                "nobody can be in it until it is moved: no ground is within its radius",
            );
        }
    }
    let alone = |source: &SourceSpec| source.group_sizes.iter().skip(1).all(|w| *w <= 0.0);
    if parts.group.active() && scenario.sources.iter().all(alone) {
        note(
            "group.kind",
            "no source makes groups; groups = { sizes = [...] } in a [[source]] does",
        );
    }
    notices
}

/// Goals as strategies see them: every area, with the nodes of the map that lie in it.
pub(crate) fn make_goals(
    place: &Place,
    nav: &dyn NavRepresentation,
    map: &NavMap,
) -> (Vec<Goal>, Vec<u32>) {
    let site = place.site();
    let mut nodes = Vec::new();
    let mut goals = Vec::new();
    for area in &place.areas {
        let first = nodes.len();
        if area.shape != Shape::Everywhere {
            for (n, at) in map.node_place.iter().enumerate() {
                if area.contains(site.ground, *at) {
                    nodes.push(n as u32);
                }
            }
        }
        if nodes.len() == first {
            let mut out = [Attachment::NOWHERE];
            nav.attach(&site, map, &[area.anchor], &[NONE], &mut out);
            if out[0].node != NONE {
                nodes.push(out[0].node);
            }
        }
        goals.push(Goal {
            anchor: area.anchor,
            first_node: first as u32,
            nodes: (nodes.len() - first) as u32,
        });
    }
    (goals, nodes)
}

/// Bins of a profile for route classes.
pub(crate) fn profile_bins(scenario: &Scenario, profile: &Profile) -> ProfileBins {
    let bins = |d: &Distribution, count: u32| {
        let (low, high) = d.bounds();
        let typical = match *d {
            Distribution::Normal { mean, .. } => mean.clamp(low, high),
            _ => (low + high) / 2.0,
        };
        Bins {
            low,
            high,
            count,
            typical,
        }
    };
    let weight = profile
        .weight
        .unwrap_or(Distribution::Fixed(scenario.cost.weight));
    ProfileBins {
        speed: bins(&profile.speed, scenario.classes.speed_bins),
        weight: bins(&weight, scenario.classes.weight_bins),
        radius: bins(&profile.radius, scenario.classes.radius_bins),
    }
}

/// Regions of sparse maps below this area are pooled unless the scenario says otherwise, square
/// metres: about five persons shoulder to shoulder.
const POOL: f64 = 1.0;

/// A map with its strategy.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub nav: Arc<dyn NavRepresentation>,
    pub map: Arc<NavMap>,
}

/// Draws the map that a scenario names.
pub(crate) fn draw_map(
    spec: &StrategySpec,
    registry: &Registry,
    place: &Place,
) -> Result<Drawn, BuildError> {
    let mut nav = make!(registry, Nav, spec, into_nav);
    let mut map = NavMap::default();
    let nav_error = |source| BuildError::Nav {
        id: spec.kind.clone(),
        source,
    };
    nav.build(&place.site(), &mut map).map_err(nav_error)?;
    map.check()
        .map_err(|reason| nav_error(NavError::Unsuitable { reason }))?;
    Ok(Drawn {
        nav: nav.into(),
        map: Arc::new(map),
    })
}

/// Builds everything that hangs on the map.
pub(crate) fn make_state(
    scenario: &Scenario,
    registry: &Registry,
    place: &Place,
    holds: Vec<Hold>,
    parts: &Parts,
    map: Arc<NavMap>,
    memory: MemoryStore,
) -> Result<State, BuildError> {
    let site: Site<'_> = place.site();
    let nav_error = |source| BuildError::Nav {
        id: scenario.nav.kind.clone(),
        source,
    };
    let cells = match scenario.cost.cell {
        Some(size) => CrowdCells::squares(&site.ground, size as f32, &map).map_err(nav_error)?,
        // Nodes of a dense map are no places to pool: its cells are alike and meant to be small.
        None if map.dense_spacing > 0.0 && scenario.cost.pool.is_none() => CrowdCells::regions(),
        None => CrowdCells::pooled(&map, scenario.cost.pool.unwrap_or(POOL) as f32),
    };
    // On a floor plan all cells share the world's x axis; elsewhere each has its own.
    let axes = if site.ground.plan {
        Vec::new()
    } else {
        let places = cells.places(&map).iter();
        places
            .map(|p| Frame::on(site.ground.normals[p.triangle as usize]).x)
            .collect()
    };
    let flow_in_use = parts
        .costs
        .iter()
        .any(|c| c.strategy.crowd_needs().has(Capabilities::FLOW));
    let crowd_in_use = parts
        .costs
        .iter()
        .any(|c| c.strategy.crowd_needs() != Capabilities::NONE)
        || scenario
            .profiles
            .iter()
            .any(|p| p.speed_law != SpeedLaw::None)
        || parts.lod.reads_regions()
        || scenario.replan.alternatives > 1;
    let crowd = CrowdState::new(cells.areas(&map).to_vec(), axes);
    let (goals, goal_nodes) = make_goals(place, &*parts.nav, &map);
    for (i, mover) in scenario.movers.iter().enumerate() {
        if !touches_ground(place, &mover.track) {
            return Err(missing(
                scenario,
                &format!("mover[{i}].track"),
                "it passes no ground; allowed: places in the scene, or on the way through it"
                    .into(),
            ));
        }
    }
    let movers: Vec<Mover> = scenario
        .movers
        .iter()
        .map(|m| Mover {
            name: m.name.clone(),
            track: m.track.iter().map(|p| p.plan).collect(),
            speed: m.speed,
            radius: m.radius as f32,
            again: m.looped,
            discomfort: m.discomfort as f32,
            start: m.start,
        })
        .collect();
    let interest = scenario
        .interest
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let mover = match &r.mover {
                None => None,
                Some(name) => {
                    Some(movers.iter().position(|m| m.name == *name).ok_or_else(|| {
                        missing(
                            scenario,
                            &format!("roi[{i}].mover"),
                            format!("there is no mover \"{name}\""),
                        )
                    })?)
                }
            };
            let at = match mover.is_some() || r.camera {
                true => {
                    let offset: Vec2 = r.at.plan.as_vec2();
                    offset.extend(r.at.z.unwrap_or(0.0) as f32)
                }
                false => local_point(place, r.at, 0),
            };
            Ok(Interest {
                name: format!("roi {i}"),
                at,
                radius: r.radius as f32,
                level: u32::from(r.level),
                mover,
                camera: r.camera,
            })
        })
        .collect::<Result<_, BuildError>>()?;
    let camera = scenario.camera.as_ref().and_then(|c| {
        let (at, to) = (local_point(place, c.at, 0), local_point(place, c.toward, 0));
        Camera::toward(at, to, c.angle as f32, c.far as f32)
    });
    let base = registry.find(Slot::Planner, &scenario.planner.kind);
    let by_map = base.is_some_and(|p| p.needs != Capabilities::NONE);
    Ok(State {
        step: 0,
        dt: scenario.dt as f32,
        seed: scenario.seed,
        memory,
        agents: Default::default(),
        routes: Default::default(),
        crowd,
        crowd_in_use,
        flow_in_use,
        pricing: crate::state::Pricing {
            cell_speed: cells.speeds(&site.ground, &map),
            cell_length: cells.lengths(&map),
            ..Default::default()
        },
        cells,
        classes: Classes::new(scenario.classes.limit as usize),
        bins: scenario
            .profiles
            .iter()
            .map(|p| profile_bins(scenario, p))
            .collect(),
        goals,
        goal_nodes,
        tier_levels: parts.tiers.iter().map(|t| t.level).collect(),
        interest,
        interest_now: Vec::new(),
        camera,
        movers,
        movers_now: Vec::new(),
        group_start: vec![0],
        group_member: Vec::new(),
        groups: 0,
        holds: Holds::new(holds, place.areas.len()),
        walking: WalkingDistances::new(by_map),
        closing: Vec::new(),
        departed: 0,
        map,
    })
}

/// Sources with their areas and goals resolved; areas of their own are added to the place.
pub(crate) fn make_sources(
    scenario: &Scenario,
    environment: &Environment,
    place: &mut Place,
) -> Result<Vec<Source>, BuildError> {
    let mut sources = Vec::new();
    for (i, spec) in scenario.sources.iter().enumerate() {
        let area = area_index(
            scenario,
            place,
            &spec.area,
            &spec.floor,
            environment,
            0.5,
            &format!("source[{i}].area"),
        )?;
        let goals = match &spec.goals {
            Goals::Random | Goals::Opposite => None,
            Goals::Regions(list) => Some(
                list.iter()
                    .enumerate()
                    .map(|(g, goal)| {
                        area_index(
                            scenario,
                            place,
                            goal,
                            &spec.floor,
                            environment,
                            spec.reach,
                            &format!("source[{i}].goals[{g}]"),
                        )
                    })
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        let known = || scenario.profiles.iter().map(|p| p.name.as_str());
        let profile = known().position(|p| p == spec.profile).ok_or_else(|| {
            let message = format!(
                "there is no profile \"{}\"; there are {:?}",
                spec.profile,
                known().collect::<Vec<_>>()
            );
            missing(scenario, &format!("source[{i}].profile"), message)
        })?;
        sources.push(Source::new(spec.clone(), area, goals, profile));
    }
    Ok(sources)
}

/// Goals that hold people up, with their places to stand.
pub(crate) fn make_holds(
    scenario: &Scenario,
    environment: &Environment,
    place: &mut Place,
) -> Result<Vec<Hold>, BuildError> {
    let mut holds = Vec::new();
    for (i, spec) in scenario.goals.iter().enumerate() {
        let key = |name: &str| format!("goal[{i}].{name}");
        let index = area_index(
            scenario,
            place,
            &AreaRef::Name(spec.area.clone()),
            &FloorRef::default(),
            environment,
            0.5,
            &key("area"),
        )?;
        let area = &place.areas[index as usize];
        let ground = place.ground.view();
        let spacing = spec.spacing as f32;
        let no_room = |key: String, fix: &str| {
            let message = format!("there is no room to stand in \"{}\"; {fix}", spec.area);
            missing(scenario, &key, message)
        };
        let places;
        let mut desks = Vec::new();
        if spec.queue.is_empty() {
            places = places_in(area, ground, spacing);
            if places.is_empty() {
                return Err(no_room(key("area"), "draw it larger, at least 0.6 m wide"));
            }
        } else {
            let floor = match area.shape {
                Shape::Polygon { floor, .. } => usize::from(floor),
                _ => 0,
            };
            let mut line = Vec::new();
            for (p, point) in spec.queue.iter().enumerate() {
                let at = local_point(place, *point, floor);
                let found = ground.locate(at).filter(|l| l.point.distance(at) < 0.05);
                line.push(found.ok_or_else(|| {
                    let message = "there is no walkable ground here".into();
                    missing(scenario, &key(&format!("queue[{p}]")), message)
                })?);
            }
            places = places_along(&line, ground, spacing).map_err(|at| {
                let at = place.world_point(at);
                let message = format!(
                    "nobody can stand all along it: a wall is in the way or nearer than 0.25 m, \
                     before ({:.2}, {:.2})",
                    at.x, at.y
                );
                missing(scenario, &key("queue"), message)
            })?;
            desks = desks_in(area, ground, spec.servers);
            if desks.len() < spec.servers as usize {
                let fix = format!("{} servers need {0} places", spec.servers);
                return Err(no_room(key("servers"), &fix));
            }
        }
        let service = match spec.serve {
            Some(seconds) => Service::Serve {
                seconds,
                servers: spec.servers,
            },
            None => Service::Wait { seconds: spec.wait },
        };
        holds.push(Hold::new(
            index,
            service,
            spec.release.clone(),
            places,
            desks,
        ));
    }
    Ok(holds)
}

/// Events with their doors and areas checked.
pub(crate) fn check_events(
    scenario: &Scenario,
    environment: &Environment,
    place: &mut Place,
) -> Result<Vec<Option<u32>>, BuildError> {
    let mut areas = Vec::new();
    for (i, event) in scenario.events.iter().enumerate() {
        areas.push(match &event.action {
            EventAction::Open(door) | EventAction::Close(door, _) => {
                if place.ground.door_index(door).is_none() {
                    let message = format!(
                        "there is no door \"{door}\"; there are {:?}",
                        place.ground.door_names()
                    );
                    let what = match event.action {
                        EventAction::Open(_) => "open",
                        _ => "close",
                    };
                    return Err(missing(scenario, &format!("event[{i}].{what}"), message));
                }
                None
            }
            EventAction::Release(_) => None,
            EventAction::Remove(area) => Some(area_index(
                scenario,
                place,
                area,
                &FloorRef::default(),
                environment,
                0.5,
                &format!("event[{i}].remove"),
            )?),
        });
    }
    Ok(areas)
}
