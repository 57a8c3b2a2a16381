//! The shapes of the traits, proved by strategies that need all of them.
//!
//! Each strategy here is small and test-only; each uses a shape that one of the five systems
//! stands on: memory and pushing, tiers with a guide of their own, curved and one-sided surfaces,
//! route classes, prices by direction, doors.

use std::ops::Range;

use glam::{DVec2, Vec2, Vec3};
use throng::{
    Event, Simulation, Spot,
    environment::{Door, Environment, Floor, Polygon},
    snapshot::invariants,
};
use throng_core::{register, *};
use throng_kit::Walk;

throng_core::options! {
    /// One node and one region for the whole ground: a map for any surface.
    pub struct Whole {}
}

register! {
    Nav "whole" => Whole,
    about: "One node for everything.",
    when: "in tests", when_not: "elsewhere", growth: "constant", paper: "",
    needs: Capabilities::NONE, offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}

#[typetag::serde(name = "whole")]
impl NavRepresentation for Whole {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let [a, b, c] = site.ground.corners(0);
        map.node_place = vec![Location {
            point: (a + b + c) / 3.0,
            triangle: 0,
        }];
        map.node_region = vec![0];
        map.edge_start = vec![0, 0];
        map.region_area = vec![site.ground.areas.iter().sum()];
        map.region_place = map.node_place.clone();
        Ok(())
    }
    fn attach(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [Attachment]) {
        out.fill(Attachment {
            node: 0,
            edge: NONE,
            along: 0.0,
            distance: 0.0,
        });
    }
    fn region_of(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [u32]) {
        out.fill(0);
    }
}

throng_core::options! {
    /// Walks to an intermediate waypoint kept in memory, and pushes overlapping bodies apart.
    pub struct Detour {
        /// Seconds that a waypoint is kept.
        keep: f32 = 1.0, "s", 0.1..=10.0;
    }
}

register! {
    Avoidance "detour" => Detour,
    about: "Keeps a waypoint and pushes.",
    when: "in tests", when_not: "elsewhere", growth: "linear", paper: "",
    needs: Capabilities::NONE, offers: Capabilities::NONE,
}

#[typetag::serde(name = "detour")]
impl LocalAvoidance for Detour {
    fn perception(&self) -> Perception {
        Perception {
            reach: 2.0,
            most: 4,
            wall_reach: 1.0,
        }
    }
    fn pushes(&self) -> bool {
        true
    }
    fn memory(&self) -> Memory {
        Memory {
            scalars: &["left", "taken"],
            tangents: &["way"],
            locations: &["origin"],
        }
    }
    fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
        for i in 0..chunk.len() {
            let left = &mut out.memory.scalars[2 * i];
            *left -= chunk.dt;
            let near = chunk
                .neighbours_of(i)
                .find(|&n| chunk.neighbours.seen[n].offset.length() < 1.2);
            if let (true, Some(n)) = (*left <= 0.0, near) {
                // Aside, to the side away from the neighbour.
                let offset = chunk.neighbours.seen[n].offset;
                let side = if chunk.preferred[i].perp_dot(offset) > 0.0 {
                    -1.0
                } else {
                    1.0
                };
                out.memory.tangents[i] = chunk.preferred[i].perp() * side;
                *left = self.keep;
                out.memory.scalars[2 * i + 1] += 1.0;
            }
            let way = if out.memory.scalars[2 * i] > 0.0 {
                out.memory.tangents[i]
            } else {
                Vec2::ZERO
            };
            out.velocity[i] = (chunk.preferred[i] + way).clamp_length_max(chunk.max_speed[i]);
            for n in chunk.neighbours_of(i) {
                let offset = chunk.neighbours.seen[n].offset;
                let deep = chunk.radius[i] + chunk.neighbours.radius[n] - offset.length();
                if deep > 0.0 {
                    let away = offset.normalize_or(if chunk.id[i] < chunk.neighbours.id[n] {
                        Vec2::X
                    } else {
                        -Vec2::X
                    });
                    out.push[i] -= away * (deep / 2.0);
                }
            }
        }
    }
}

throng_core::options! {
    /// Guides everybody to the east, or round the z axis off the plan, whatever their route.
    pub struct Eastward {}
}

register! {
    Planner "eastward" => Eastward,
    about: "To the east.",
    when: "in tests", when_not: "elsewhere", growth: "constant", paper: "",
    needs: Capabilities::NONE, offers: Capabilities::GUIDES.and(Capabilities::ROUTES),
}

#[typetag::serde(name = "eastward")]
impl GlobalPlanner for Eastward {
    fn plan(
        &self,
        _: &World<'_>,
        requests: &[PlanRequest],
        _: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        for r in requests {
            let length = r.from.point.distance(r.to.point);
            routes.push_gates([], length, length);
        }
    }
    fn guides(&self) -> bool {
        true
    }
    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        _: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        for (i, &row) in chunk.rows.iter().enumerate() {
            let row = row as usize;
            let (at, ground) = (world.agents.location[row], &world.site.ground);
            let way = if ground.plan {
                Vec2::X
            } else {
                let round = Vec3::Z.cross(at.point + ground.origin.as_vec3());
                let normal = ground.normals[at.triangle as usize];
                let tangent = world.agents.frame_of(row).to_tangent(normal, round);
                tangent.normalize_or_zero()
            };
            out.preferred[i] = way * world.agents.speed[row];
            out.target[i] = way;
            out.follow_route[i] = 0;
        }
    }
}

throng_core::options! {
    /// Level 0 inside a region of interest, 1 outside.
    pub struct Inside {}
}

register! {
    Lod "inside" => Inside,
    about: "Level 0 inside a region of interest.",
    when: "in tests", when_not: "elsewhere", growth: "linear", paper: "",
    needs: Capabilities::NONE, offers: Capabilities::NONE,
}

#[typetag::serde(name = "inside")]
impl LodPolicy for Inside {
    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        for (row, level) in rows.zip(out) {
            let at = world.agents.location[row].point;
            let inside = world.interest.iter().any(|r| at.distance(r.at) < r.radius);
            *level = u8::from(!inside);
        }
    }
}

throng_core::options! {
    /// Walking west costs more than walking east.
    pub struct Headwind {
        /// Price of a metre due west beyond that of a metre due east.
        force: f32 = 4.0, "", 0.0..=100.0;
    }
}

register! {
    Cost "headwind" => Headwind,
    about: "West is dear.",
    when: "in tests", when_not: "elsewhere", growth: "linear in cells", paper: "",
    needs: Capabilities::NONE, offers: Capabilities::DIRECTIONAL,
}

#[typetag::serde(name = "headwind")]
impl CostModel for Headwind {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        out.resize(cells, 8, 1);
        out.base.fill(1.0);
        out.least_base = 1.0;
        for c in 0..cells {
            for d in 0..8 {
                let west = (1.0 - math::cos(d as f32 / 8.0 * core::f32::consts::TAU)) / 2.0;
                out.crowd[c * 8 + d] = self.force * west;
            }
        }
    }
}

fn checked(sim: &mut Simulation, steps: u64) {
    for step in 0..steps {
        sim.step().unwrap();
        invariants(sim).unwrap_or_else(|e| panic!("step {step}: {e}"));
    }
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Polygon {
    Polygon::rectangle(DVec2::new(x0, y0), DVec2::new(x1, y1))
}

fn room(solid: Vec<Polygon>) -> Environment {
    Environment {
        floors: vec![Floor {
            walkable: vec![rectangle(0.0, 0.0, 20.0, 12.0)],
            solid,
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

fn simulate(environment: Environment, text: &str) -> Simulation {
    Simulation::builder()
        .threads(2)
        .world_with(environment, text, throng::registry())
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn memory_and_pushing() {
    let text = r#"
        name = "pushing"
        [avoidance]
        kind = "detour"
        [planner]
        kind = "direct"
        [[source]]
        area = [[1, 1], [4, 1], [4, 4], [1, 4]]
        count = 40
        overlap = true
        goals = [[[17, 8], [19, 8], [19, 11], [17, 11]]]
    "#;
    let mut sim = simulate(room(vec![]), text);
    checked(&mut sim, 1);
    let mut deepest = Vec::new();
    for _ in 0..60 {
        checked(&mut sim, 1);
        let a = sim.agents();
        let mut deep = 0.0f32;
        for i in 0..a.len() {
            for j in 0..i {
                let apart = a.location[i].point.distance(a.location[j].point);
                deep = deep.max(a.radius[i] + a.radius[j] - apart);
            }
        }
        deepest.push(deep);
    }
    assert!(deepest[0] > 0.2, "starts overlap: {}", deepest[0]);
    assert!(
        deepest[59] < deepest[0] / 2.0,
        "bodies are pushed apart: {deepest:?}"
    );
    // Memory lives through sorting, removal and a checkpoint.
    let saved = sim.snapshot();
    let mut again = simulate(room(vec![]), text);
    again.restore(&saved).unwrap();
    for _ in 0..120 {
        sim.step().unwrap();
        again.step().unwrap();
        assert_eq!(sim.digest(), again.digest());
    }
}

#[test]
fn a_tier_with_a_guide_of_its_own_in_a_moving_circle() {
    let text = r#"
        name = "tiers"
        seed = 2
        [avoidance]
        kind = "orca"
        [lod]
        kind = "inside"
        [[tier]]
        level = 0
        guide = { kind = "eastward" }
        [[tier]]
        level = 1
        period = 2
        avoidance = { kind = "none" }
        follow = "linear"
        [[mover]]
        name = "car"
        track = [[2, 6], [18, 6]]
        speed = 1.0
        radius = 0.5
        loop = true
        [[roi]]
        at = [0, 0]
        radius = 3.0
        level = 0
        mover = "car"
        [[source]]
        area = [[1, 1], [19, 1], [19, 3], [1, 3]]
        count = 30
        goals = [[[1, 10], [19, 10], [19, 11.5], [1, 11.5]]]
    "#;
    let mut sim = simulate(room(vec![]), text);
    let (mut entered, mut left, mut largest_jump) = (0, 0, 0.0f32);
    for _ in 0..400 {
        let before: Vec<(u64, Vec2)> = {
            let a = sim.agents();
            (0..a.len()).map(|r| (a.id[r], a.velocity[r])).collect()
        };
        checked(&mut sim, 1);
        let a = sim.agents();
        for event in sim.events() {
            if let Event::TierChanged { agent, from, to } = event {
                assert_ne!(from, to);
                entered += u32::from(*to == 0);
                left += u32::from(*to == 1);
                if let (Some(row), Some((_, v))) = (
                    (0..a.len()).find(|&r| a.id[r] == agent.0),
                    before.iter().find(|(id, _)| *id == agent.0),
                ) {
                    largest_jump = largest_jump.max(a.velocity[row].distance(*v));
                }
            }
        }
        for row in 0..a.len() {
            if a.tier[row] == 0 {
                assert!(a.preferred[row].y.abs() < 1e-6, "guided to the east inside");
            }
        }
    }
    assert!(entered > 3 && left > 3, "{entered} entered, {left} left");
    assert!(largest_jump <= 1.001, "velocity jumps by {largest_jump}");
    assert_eq!(sim.metrics().arrived + sim.agents().len() as u64, 30);
    // Without the circle everybody finds back to the route and arrives.
    sim.command(throng::Command::SetInterest {
        name: "roi 0".into(),
        at: Spot::Plan(1.0, 1.0),
        radius: 0.0,
        level: 0,
    });
    checked(&mut sim, 300);
    assert_eq!(sim.metrics().arrived, 30);
}

#[test]
fn a_crowd_on_a_closed_curved_mesh() {
    let text = r#"
        name = "globe"
        seed = 7
        duration = 20.0
        [environment]
        generate = "globe"
        [nav]
        kind = "whole"
        [planner]
        kind = "direct"
        [[source]]
        area = "everywhere"
        count = 100
        goals = "random"
        at_goal = "again"
    "#;
    let mut sim = Simulation::builder().threads(2).text(text).unwrap();
    checked(&mut sim, 300);
    assert!(
        sim.metrics().mean_speed() > 0.8,
        "{}",
        sim.metrics().mean_speed()
    );
    assert!(sim.metrics().stalled_share() < 0.1);
}

#[test]
fn a_moebius_strip_mirrors_who_goes_round() {
    let text = r#"
        name = "moebius"
        seed = 7
        duration = 20.0
        [environment]
        generate = "moebius"
        [nav]
        kind = "whole"
        [planner]
        kind = "eastward"
        [avoidance]
        kind = "none"
        [profile.adult]
        speed = 5.0
        max_speed = 5.0
        [[source]]
        area = "everywhere"
        count = 40
        goals = "random"
        at_goal = "again"
    "#;
    let mut sim = Simulation::builder().threads(2).text(text).unwrap();
    let mut mirrored = 0;
    for _ in 0..600 {
        checked(&mut sim, 1);
        let a = sim.agents();
        mirrored = mirrored.max(a.frame.iter().filter(|f| f.handedness < 0.0).count());
    }
    assert!(mirrored > 0, "somebody comes back mirrored");
    assert!(
        sim.metrics().mean_speed() > 2.0,
        "and keeps walking: {}",
        sim.metrics().mean_speed()
    );
}

/// A wall with a gap of 0.7 m at y = 2 and one of 3 m at y = 9.
fn two_gaps() -> Environment {
    room(vec![
        rectangle(9.5, -1.0, 10.5, 1.65),
        rectangle(9.5, 2.35, 10.5, 7.5),
        rectangle(9.5, 10.5, 10.5, 13.0),
    ])
}

#[test]
fn two_route_classes_on_one_map() {
    let text = r#"
        name = "classes"
        [nav]
        kind = "grid"
        cell = 0.25
        [profile.narrow]
        radius = 0.2
        [profile.wide]
        radius = 0.5
        [[source]]
        name = "narrow"
        area = [[1, 1], [5, 1], [5, 3], [1, 3]]
        count = 10
        profile = "narrow"
        goals = [[[15, 1], [19, 1], [19, 3], [15, 3]]]
        [[source]]
        name = "wide"
        area = [[1, 5], [5, 5], [5, 9], [1, 9]]
        count = 5
        profile = "wide"
        goals = [[[15, 1], [19, 1], [19, 3], [15, 3]]]
    "#;
    let mut sim = simulate(two_gaps(), text);
    sim.step().unwrap();
    assert_eq!(sim.state().classes.table().len(), 2);
    let (from, to) = (Spot::Plan(3.0, 2.0), Spot::Plan(17.0, 2.0));
    let narrow = sim.path(from, to, 0.2).unwrap().length;
    let wide = sim.path(from, to, 0.5).unwrap().length;
    assert!(
        (narrow - 14.0).abs() < 0.5,
        "straight through the gap: {narrow}"
    );
    assert!(wide > 18.0, "round by the wide gap: {wide}");
    assert!(
        sim.path(from, to, 2.0).is_err(),
        "nothing fits a disc of 4 m"
    );
    let mut through_wide_gap = 0;
    for _ in 0..500 {
        checked(&mut sim, 1);
        let a = sim.agents();
        for row in 0..a.len() {
            let p = sim.world_point(a.location[row]);
            if a.radius[row] > 0.4 && (p.x - 10.0).abs() < 0.5 {
                assert!(p.y > 7.0, "a wide body at {p}");
                through_wide_gap += 1;
            }
        }
    }
    assert!(through_wide_gap > 0);
    assert_eq!(sim.metrics().arrived, 15);
}

#[test]
fn prices_by_direction_on_edges_and_traced_segments() {
    let text = r#"
        name = "wind"
        [cost]
        kind = "headwind"
    "#;
    let mut sim = simulate(room(vec![]), text);
    sim.command(throng::Command::Add(throng::NewAgent {
        at: Spot::Plan(1.25, 6.25),
        goal: throng::Destination::Nowhere,
        profile: String::new(),
    }));
    sim.step().unwrap();
    let (w, e) = (Spot::Plan(1.25, 6.25), Spot::Plan(18.25, 6.25));
    let east = sim.path(w, e, 0.1).unwrap();
    let west = sim.path(e, w, 0.1).unwrap();
    assert!((east.cost - 17.0).abs() < 1e-3, "{east:?}");
    assert!((west.cost - 17.0 * 5.0).abs() < 1e-2, "{west:?}");
    // The same price over a straight walk that no edge follows.
    let world = sim.world();
    let a = sim.locate(Spot::Plan(2.0, 3.0)).unwrap();
    let b = sim.locate(Spot::Plan(17.0, 8.0)).unwrap();
    let there = world.segment_price(0, a, b).unwrap();
    let back = world.segment_price(0, b, a).unwrap();
    let length = a.point.distance(b.point);
    assert!((there.base - length).abs() < 1e-3 && (back.base - length).abs() < 1e-3);
    // 18.4 degrees off the axis: that part of the way from 0 to 4 (1 - cos 45) / 2.
    let off = math::atan(5.0f32 / 15.0).to_degrees() / 45.0 * (2.0 - 2.0 * 0.5f32.sqrt());
    assert!(
        (there.crowd - off * length).abs() < 0.01 * length,
        "nearly east: {there:?}"
    );
    assert!(
        (back.crowd - (4.0 - off) * length).abs() < 0.01 * length,
        "nearly west: {back:?}"
    );
}

#[test]
fn a_door_closes_and_opens() {
    let environment = || {
        let mut e = two_gaps();
        for (name, low, high) in [("small", 1.65, 2.35), ("large", 7.5, 10.5)] {
            e.doors.push(Door {
                name: name.into(),
                floor: 0,
                ends: [DVec2::new(10.0, low), DVec2::new(10.0, high)],
                open: true,
            });
        }
        e
    };
    let text = r#"
        name = "doors"
        [nav]
        kind = "grid"
        cell = 0.25
        [profile.adult]
        radius = 0.2
        [[source]]
        area = [[6, 1], [8, 1], [8, 5], [6, 5]]
        count = 12
        goals = [[[15, 1], [19, 1], [19, 3], [15, 3]]]
        [[event]]
        at = 0.0
        close = "small"
        [[event]]
        at = 0.0
        close = "large"
        [[event]]
        at = 20.0
        open = "large"
    "#;
    let mut sim = simulate(environment(), text);
    checked(&mut sim, 199);
    assert_eq!(sim.metrics().arrivals, 0, "both doors are closed");
    assert_eq!(sim.unreachable_now(), 12);
    let a = sim.agents();
    assert!((0..a.len()).all(|r| sim.world_point(a.location[r]).x < 10.0));
    checked(&mut sim, 400);
    assert_eq!(
        sim.metrics().arrived,
        12,
        "all go by the large door once it is open"
    );
}

#[test]
fn velocities_proposed_and_positions_committed() {
    let text = r#"
        name = "host"
        [planner]
        kind = "direct"
        [[source]]
        area = [[1, 1], [5, 1], [5, 11], [1, 11]]
        count = 20
        goals = [[[16, 1], [19, 1], [19, 11], [16, 11]]]
    "#;
    let mut theirs = simulate(room(vec![]), text);
    for _ in 0..200 {
        let proposed = theirs.propose().unwrap();
        assert!(theirs.propose().is_err(), "commit comes first");
        let positions: Vec<_> = proposed.iter().map(|p| p.at + p.velocity * 0.1).collect();
        theirs.commit(&positions).unwrap();
        invariants(&theirs).unwrap();
    }
    assert!(
        theirs.metrics().arrived >= 18,
        "{}",
        theirs.metrics().arrived
    );
    assert!(theirs.commit(&[]).is_err());
    let _ = (Vec3::ZERO, theirs.ground().locate(Vec3::ZERO));
}

throng_core::options! {
    /// Crowded metres cost more.
    pub struct Jam {
        /// Price of a metre at full density.
        factor: f32 = 40.0, "", 0.0..=1000.0;
    }
}

register! {
    Cost "jam" => Jam,
    about: "Density costs.",
    when: "in tests", when_not: "elsewhere", growth: "linear in cells", paper: "",
    needs: Capabilities::DENSITY, offers: Capabilities::NONE,
}

#[typetag::serde(name = "jam")]
impl CostModel for Jam {
    fn crowd_needs(&self) -> Capabilities {
        Capabilities::DENSITY
    }
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        out.resize(cells, 1, 1);
        out.base.fill(1.0);
        out.least_base = 1.0;
        for c in 0..cells {
            out.crowd[c] = self.factor * context.crowd.density(c as u32).min(1.0);
        }
    }
}

/// A wall with two equal gaps, and a crowd that could take either.
fn jammed(replan: &str) -> Simulation {
    let walls = vec![
        rectangle(9.5, -1.0, 10.5, 3.0),
        rectangle(9.5, 4.0, 10.5, 8.0),
        rectangle(9.5, 9.0, 10.5, 13.0),
    ];
    let text = format!(
        r#"
        name = "jam"
        seed = 4
        [cost]
        kind = "jam"
        every = 0.5
        cell = 1.0
        {replan}
        [[source]]
        area = [[1, 1], [7, 1], [7, 11], [1, 11]]
        count = 60
        goals = [[[15, 1], [19, 1], [19, 11], [15, 11]]]
        "#
    );
    simulate(room(walls), &text)
}

#[test]
fn the_replan_policy_by_period_by_price_and_with_hysteresis() {
    let run = |replan: &str| {
        let mut sim = jammed(replan);
        checked(&mut sim, 500);
        assert!(
            sim.metrics().arrived >= 40,
            "{replan}: {} arrived",
            sim.metrics().arrived
        );
        (sim.metrics().requests, sim.metrics().route_switches)
    };
    let never = run("");
    // Who was pushed out of sight of the route plans again unasked; nobody else does.
    assert!(never.0 < 2 * 60, "{never:?}");
    let often = run("[replan]\nevery = 1.0");
    assert!(often.0 > 3 * never.0, "{often:?} against {never:?}");
    assert!(often.1 > 2 * never.1, "{often:?} against {never:?}");
    let by_price = run("[replan]\nevents = [\"price\"]\nchange = 0.5");
    assert!(by_price.0 > never.0, "{by_price:?} against {never:?}");
    let patient =
        run("[replan]\nevery = 1.0\nhysteresis = { threshold = 2.0, hold = 3.0, clear = 5.0 }");
    assert!(
        patient.1 * 2 <= often.1,
        "hysteresis keeps people on their routes: {patient:?} against {often:?}"
    );
    // Thresholds and times of their own, drawn from ranges.
    let various = run(
        "[replan]\nevery = 1.0\n[replan.hysteresis]\nthreshold = { uniform = [1.5, 2.5] }\n\
         hold = { uniform = [2.0, 4.0] }\nclear = { uniform = [4.0, 6.0] }",
    );
    assert!(
        various.1 * 2 <= often.1 && various != patient,
        "{various:?} against {often:?} and {patient:?}"
    );
    // A budget puts requests off; everybody is served in the end.
    let mut sim = jammed("[replan]\nbudget = 7");
    checked(&mut sim, 1);
    assert_eq!(sim.metrics().requests, 7);
    assert_eq!(sim.metrics().postponed_requests, 53);
    checked(&mut sim, 20);
    assert_eq!(sim.metrics().requests, 60);
}

#[test]
fn the_crowd_on_its_cells_equals_a_recount() {
    let mut sim = jammed("");
    for _ in 0..30 {
        checked(&mut sim, 5);
        // The step at which an epoch begins publishes the sums of the places before it.
        let state = sim.state();
        let mut persons = vec![0; state.crowd.cells()];
        for (cell, share) in state.agents.cell.iter().zip(&state.agents.share) {
            assert!(share[0] > 0);
            persons[*cell as usize] += 1;
        }
        for (cell, count) in persons.iter().enumerate() {
            let others = state.crowd.persons_beside_one(cell as u32);
            let area = state.crowd.view().area[cell];
            let found = others * area + 1.0;
            assert!(
                (found - *count as f32).abs() < 1e-3,
                "cell {cell}: {found} of {count}"
            );
        }
    }
}

#[test]
fn entries_into_a_watched_area_are_reported() {
    let text = r#"
        name = "watched"
        [planner]
        kind = "direct"
        [[area]]
        name = "middle"
        shape = [[9, 0], [11, 0], [11, 12], [9, 12]]
        [[source]]
        area = [[1, 1], [5, 1], [5, 11], [1, 11]]
        count = 10
        goals = [[[16, 1], [19, 1], [19, 11], [16, 11]]]
    "#;
    let mut sim = simulate(room(vec![]), text);
    assert_eq!(sim.watch_area("nowhere"), None);
    let middle = sim.watch_area("middle").unwrap();
    let mut entered = 0;
    for _ in 0..250 {
        checked(&mut sim, 1);
        entered += sim
            .events()
            .iter()
            .filter(|e| matches!(e, Event::EnteredArea { area, .. } if *area == middle))
            .count();
    }
    assert_eq!(entered, 10);
    assert_eq!(sim.metrics().arrived, 10);
}
