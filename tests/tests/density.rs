//! Density-based crowds on corridor maps: lanes, smooth walking, spreading, the same bits.

use throng::Simulation;

fn simulation(text: &str, threads: usize) -> Simulation {
    Simulation::builder()
        .threads(threads)
        .text(text)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A scenario of the paper's walkers on a scene, without sources.
fn walkers(scene: &str, weight: f64, more: &str) -> String {
    format!(
        "name = \"density\"\nseed = 5\nduration = 1000.0\n\
         [environment]\n{scene}\n[nav]\nkind = \"ecm\"\n\
         [cost]\nkind = \"density\"\nweight = {weight:?}\n\
         [follow]\nkind = \"indicative\"\n[avoidance]\nkind = \"none\"\n\
         [profile.left]\nradius = 0.24\nspeed = 1.4\noffset = -1.0\nspeed_law = \"linear\"\n\
         [profile.middle]\nradius = 0.24\nspeed = 1.4\noffset = 0.0\nspeed_law = \"linear\"\n\
         [profile.right]\nradius = 0.24\nspeed = 1.4\noffset = 1.0\nspeed_law = \"linear\"\n\
         [profile.any]\nradius = 0.24\nspeed = 1.4\nspeed_law = \"linear\"\n\
         offset = {{ uniform = [-1.0, 1.0] }}\n{more}\n"
    )
}

fn one(profile: &str, area: &str, goal: &str) -> String {
    format!("[[source]]\narea = {area}\ncount = 1\ngoals = [{goal}]\nprofile = \"{profile}\"\n")
}

#[test]
fn lanes_lie_left_and_right_of_the_direction_of_travel() {
    let scene = "generate = \"corridor\"\nlength = 30.0\nwidth = 4.0";
    for (from, to, left_is_high) in [
        ("[1.0, 2.0]", "[29.0, 2.0]", true),
        ("[29.0, 2.0]", "[1.0, 2.0]", false),
    ] {
        let mut text = walkers(scene, 1.0, "");
        for profile in ["left", "middle", "right"] {
            text += &one(profile, from, to);
        }
        let mut sim = simulation(&text, 1);
        for _ in 0..100 {
            sim.step().unwrap();
        }
        let (agents, origin) = (sim.agents(), sim.ground().origin);
        assert_eq!(agents.len(), 3);
        for row in 0..3 {
            let x = f64::from(agents.location[row].point.x) + origin.x;
            let y = f64::from(agents.location[row].point.y) + origin.y;
            assert!(x > 10.0 && x < 20.0, "about half-way: {x}");
            let lane = f64::from(agents.lane[row]);
            let wanted = 2.0 - lane * 1.76 * if left_is_high { 1.0 } else { -1.0 };
            assert!((y - wanted).abs() < 0.15, "lane {lane}: {y}, not {wanted}");
        }
    }
}

#[test]
fn walking_is_smooth_and_arrives_in_every_lane() {
    walks_smoothly("ecm", &["left", "middle", "right"]);
    walks_smoothly("grid", &["left", "middle", "right"]);
}

/// Across Blocks in some lanes: everybody arrives and nobody turns sharply.
fn walks_smoothly(nav: &str, lanes: &[&str]) {
    for lane in lanes {
        let text = walkers("generate = \"blocks\"", 1.0, "")
            .replace("kind = \"ecm\"", &format!("kind = \"{nav}\""))
            + &one(lane, "[20.0, 5.0]", "[80.0, 95.0]");
        let mut sim = simulation(&text, 1);
        let mut last = glam::Vec2::ZERO;
        let mut sharpest = 0.0_f32;
        for _ in 0..2000 {
            sim.step().unwrap();
            if sim.agents().is_empty() {
                break;
            }
            let now = sim.agents().velocity[0];
            if last.length() > 0.5 && now.length() > 0.5 {
                sharpest = sharpest.max(last.angle_to(now).abs());
            }
            last = now;
        }
        assert_eq!(sim.metrics().arrived, 1, "{nav}, {lane}");
        let walked = sim.metrics().path_lengths[0];
        let straight = 108.0;
        assert!(walked < 1.5 * straight, "{nav}, {lane}: {walked} m");
        assert!(sharpest < 0.7, "{nav}, {lane}: turned {sharpest} in a step");
        assert_eq!(sim.metrics().stalled, 0, "{nav}, {lane}");
    }
}

/// Walkers in the passages of the first row of Blocks, left to right.
fn passages(weight: f64) -> ([u32; 5], f64) {
    // As in Table III: who minds nobody has no reason to plan again.
    let replan = if weight > 0.0 {
        "[replan]\nevery = 5.0"
    } else {
        ""
    };
    let text = walkers("generate = \"blocks\"", weight, replan)
        + "[[source]]\narea = \"bottom\"\nrate = 20.0\nstop = 60.0\ngoals = [\"top\"]\n\
           profile = \"any\"\noverlap = true\n";
    let mut sim = simulation(&text, 2);
    let mut counts = [0; 5];
    for _ in 0..1500 {
        sim.step().unwrap();
        let (a, origin) = (sim.agents(), sim.ground().origin);
        for row in 0..a.len() {
            let y = |p: &throng::core::Location| f64::from(p.point.y) + origin.y - 40.0;
            if y(&a.before[row]) < 0.0 && y(&a.location[row]) >= 0.0 {
                let x = f64::from(a.location[row].point.x) + origin.x;
                let between = [30.0, 42.5, 57.5, 70.0];
                counts[between.iter().filter(|b| x > **b).count()] += 1;
            }
        }
    }
    let m = sim.metrics();
    assert_eq!((m.wall_crossings, m.lost), (0, 0));
    let walked: f32 = m.path_lengths.iter().sum();
    let taken: f32 = m.travel_times.iter().sum();
    (counts, f64::from(walked / taken))
}

#[test]
fn prices_of_the_crowd_spread_it_and_make_it_faster() {
    let (blind, slow) = passages(0.0);
    let (minding, fast) = passages(5.0);
    let all = |counts: [u32; 5]| f64::from(counts.iter().sum::<u32>());
    let middle = |counts: [u32; 5]| f64::from(counts[2]) / all(counts);
    assert!(all(blind) > 300.0, "{blind:?}");
    assert!(middle(blind) > 0.75, "most take the middle: {blind:?}");
    assert_eq!(blind[0] + blind[4], 0, "nobody goes round: {blind:?}");
    assert!(middle(minding) < 0.6, "{blind:?} {minding:?}");
    assert!(
        f64::from(minding[0].min(minding[4])) > 0.05 * all(minding),
        "{minding:?}"
    );
    assert!(fast > slow, "{fast} m/s, {slow} m/s");
}

#[test]
fn regions_and_densities_are_those_of_a_recount() {
    const CITY: &str = "generate = \"city\"\nside = 120.0\npolygons = 20\nvertices = 180";
    let cases = [
        (CITY, "none", 1),
        (CITY, "orca", 2),
        ("generate = \"layers\"", "none", 1),
        ("generate = \"layers\"", "orca", 2),
        ("generate = \"village\"", "none", 2),
        ("generate = \"blocks\"", "social-force", 2),
    ];
    for (environment, avoidance, threads) in cases {
        let text = walkers(environment, 1.0, "")
            .replace("kind = \"none\"", &format!("kind = \"{avoidance}\""))
            .replace("weight = 1.0", "weight = 1.0\npool = 0.0")
            + "[[source]]\narea = \"everywhere\"\ncount = 300\ngoals = \"random\"\n\
               profile = \"any\"\noverlap = true\nat_goal = \"again\"\n";
        let mut sim = simulation(&text, threads);
        for step in 0..150 {
            sim.step().unwrap();
            let (a, map) = (sim.agents(), sim.map());
            // Regions are looked up before everybody moves.
            let mut found = vec![throng::core::NONE; a.len()];
            let nav = &sim.parts().nav;
            nav.region_of(
                &sim.place().site(),
                map,
                &a.before,
                &found.clone(),
                &mut found,
            );
            assert_eq!(a.region, found, "{environment}, {avoidance}, step {step}");
            if step % 10 != 0 {
                continue;
            }
            let mut persons = vec![0; map.regions()];
            let mut occupied = vec![0; map.regions()];
            for (row, region) in found.iter().enumerate() {
                persons[*region as usize] += 1;
                occupied[*region as usize] += a.share[row][0];
            }
            let world = sim.world();
            assert_eq!(world.crowd.persons, persons, "{avoidance}, step {step}");
            assert_eq!(world.crowd.occupied, occupied, "{avoidance}, step {step}");
        }
    }
}

#[test]
fn a_lone_walker_is_never_stopped_by_its_own_density() {
    // The village has regions smaller than one disc.
    let mut text = walkers("generate = \"village\"", 1.0, "");
    text += "[[source]]\narea = \"everywhere\"\ncount = 1\ngoals = \"random\"\n\
             profile = \"middle\"\nat_goal = \"again\"\n";
    let mut sim = simulation(&text, 1);
    for step in 0..2000 {
        sim.step().unwrap();
        let speed = sim.agents().preferred[0].length();
        assert!(
            step < 20 || speed > 0.2 || sim.metrics().arrivals > 0,
            "{step}: {speed} m/s"
        );
    }
    assert!(sim.metrics().arrivals > 1);
    assert_eq!(sim.metrics().stalled, 0);
}

#[test]
fn horizons_and_halts_keep_their_bits_over_threads_and_checkpoints() {
    for halt in ["exact", "paper"] {
        let text = walkers(
            "generate = \"city\"\nside = 150.0\npolygons = 30\nvertices = 260",
            5.0,
            &format!(
                "[replan]\nevery = 2.0\nevents = [\"price\"]\n\
                 [planner]\nkind = \"astar\"\nhorizon = 40.0\nhalt = \"{halt}\""
            ),
        ) + "[[source]]\narea = \"everywhere\"\ncount = 400\ngoals = \"random\"\n\
             profile = \"any\"\noverlap = true\n";
        let run = |threads: usize, cut: Option<usize>| {
            let mut sim = simulation(&text, threads);
            for step in 0..80 {
                if Some(step) == cut {
                    let saved = sim.snapshot();
                    sim = simulation(&text, 2);
                    sim.restore(&saved).unwrap();
                }
                sim.step().unwrap();
            }
            (sim.digest(), sim.metrics().requests)
        };
        let (digest, requests) = run(1, None);
        assert!(requests > 2_000, "{requests}");
        for threads in [2, 5] {
            assert_eq!(run(threads, None).0, digest, "{halt}, {threads} threads");
        }
        assert_eq!(run(1, Some(33)).0, digest, "{halt}, resumed");
    }
}
