//! What is wrong is reported: all of it, each with its place, value, what is allowed, and the
//! nearest name.

use super::*;

/// A scenario's start that is right; a case's own text follows from line 3 on.
const HEAD: &str = "environment = { generate = 'square' }\nname = 'x'\n";

/// Text after `HEAD`, changes, and the lines expected.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const CASES: &[Case] = &[
    (
        "nme = 'y'\n",
        &[],
        &[
            "s.toml:3:1: nme = \"y\": unknown key; allowed: name, seed, dt, duration, plugins, environment, nav, planner, replan, cost, avoidance, follow, group, lod, tier, roi, camera, obstacle, area, line, door, profile, source, goal, mover, event, metrics, neighbours, classes, record, snapshot; did you mean \"name\"?",
        ],
    ),
    (
        "[snapshot]\nstep = 3\nseeds = 0\nvary = { nav = ['gird'] }\ntolerance = { speed = -1 }\n",
        &[],
        &[
            "s.toml:4:1: snapshot.step = 3: unknown key; allowed: steps, agents, seeds, vary, tolerance; did you mean \"steps\"?",
            "s.toml:5:9: snapshot.seeds = 0: out of range; allowed: 1 to 1000, whole",
            "s.toml:6:17: snapshot.vary.nav[0] = \"gird\": unknown nav strategy; allowed: adaptive-grid, grid; did you mean \"grid\"?",
            "s.toml:7:23: snapshot.tolerance.speed = -1: out of range; allowed: 0 to 1000000000",
        ],
    ),
    (
        "dt = 0\n",
        &[],
        &["s.toml:3:6: dt = 0: out of range; allowed: 0.0001 to 1"],
    ),
    (
        "dt = nan\nduration = inf\nseed = -1\n",
        &[],
        &[
            "s.toml:3:6: dt = nan: out of range; allowed: 0.0001 to 1",
            "s.toml:4:12: duration = inf: out of range; allowed: above 0, up to 10000000",
            "s.toml:5:8: seed = -1: out of range; allowed: 0 to 9223372036854775807, whole",
        ],
    ),
    (
        "dt = '0.1'\nseed = 1.5\nduration = [1]\n",
        &[],
        &[
            "s.toml:3:6: dt = \"0.1\": text where a number is wanted; allowed: 0.0001 to 1",
            "s.toml:4:8: seed = 1.5: a number where a whole number is wanted; allowed: 0 to 9223372036854775807, whole",
            "s.toml:5:12: duration = [1]: a list where a number is wanted; allowed: above 0, up to 10000000",
        ],
    ),
    (
        "seed = 99999999999999999999\n",
        &[],
        &[
            "s.toml:3:8: seed = 99999999999999999999: a date or a number beyond 64 bits where a whole number is wanted; allowed: 0 to 9223372036854775807, whole",
        ],
    ),
    (
        "dt = 0.0001\nduration = 1000001\n",
        &[],
        &[
            "s.toml:4:12: duration = 1000001: 10000010000 steps of 0.0001 s; allowed: up to 1e9 steps",
        ],
    ),
    (
        "duration = 1979-05-27\n",
        &[],
        &[
            "s.toml:3:12: duration = 1979-05-27: a date or a number beyond 64 bits where a number is wanted; allowed: above 0, up to 10000000",
        ],
    ),
    (
        "[nav]\nkind = 'gird'\n",
        &[],
        &[
            "s.toml:4:8: nav.kind = \"gird\": unknown nav strategy; allowed: adaptive-grid, grid; did you mean \"grid\"?",
        ],
    ),
    (
        "[nav]\nkind = 'ecm'\ncell = -1\n",
        &[],
        &["s.toml:4:8: nav.kind = \"ecm\": unknown nav strategy; allowed: adaptive-grid, grid"],
    ),
    (
        "[nav]\nkind = 3\n",
        &[],
        &[
            "s.toml:4:8: nav.kind = 3: a whole number where an id is wanted; allowed: adaptive-grid, grid",
        ],
    ),
    (
        "nav = 3\n",
        &[],
        &[
            "s.toml:3:7: nav = 3: a whole number where a strategy is wanted; allowed: an id, or a table with kind",
        ],
    ),
    (
        "[nav]\ncel = 0.5\nkind = 'grid'\n",
        &[],
        &[
            "s.toml:4:1: nav.cel = 0.5: unknown option of nav grid; allowed: cell, exact, count, byte, corner, label, on, horizon; did you mean \"cell\"?",
        ],
    ),
    (
        "[nav]\ncell = 0.01\ncount = 10\non = 1\ncorner = 'alowed'\nlabel = 1\nexact = 'x'\n",
        &[],
        &[
            "s.toml:4:8: nav.cell = 0.01: out of range; allowed: 0.05 to 10 m",
            "s.toml:5:9: nav.count = 10: out of range; allowed: 1 to 9, whole",
            "s.toml:6:6: nav.on = 1: a whole number where true or false is wanted; allowed: true or false",
            "s.toml:7:10: nav.corner = \"alowed\": unknown word; allowed: forbidden, allowed; did you mean \"allowed\"?",
            "s.toml:8:9: nav.label = 1: a whole number where text is wanted; allowed: text",
            "s.toml:9:9: nav.exact = \"x\": text where a number is wanted; allowed: 0 to 1",
        ],
    ),
    (
        "[nav]\ncount = 2.5\n",
        &[],
        &[
            "s.toml:4:9: nav.count = 2.5: a number where a whole number is wanted; allowed: 1 to 9, whole",
        ],
    ),
    (
        "[nav]\nbyte = 300\n",
        &[],
        &["s.toml:4:8: nav.byte = 300: invalid value: integer `300`, expected u8"],
    ),
    (
        "[[tier]]\nlevel = 0\n[[tier]]\nlevel = 1\navoidance = { kind = 'orca', horizon = 0 }\n",
        &[],
        &["s.toml:7:40: tier[1].avoidance.horizon = 0: out of range; allowed: 0.1 to 60 s"],
    ),
    (
        "[[tier]]\nlevel = 0\navoidance = { horizon = 1 }\nguide = 'a-star'\nfollow = 'seak'\n",
        &[],
        &[
            "s.toml:5:13: tier[0].avoidance.kind: missing: which strategy; allowed: none, orca",
            "s.toml:6:9: tier[0].guide.kind = \"a-star\": unknown planner strategy; allowed: astar, flow-field; did you mean \"astar\"?",
            "s.toml:7:10: tier[0].follow = \"seak\": unknown word; allowed: gates, indicative, seek, linear; did you mean \"seek\"?",
        ],
    ),
    (
        "[[tier]]\nperiod = 0\n",
        &[],
        &[
            "s.toml:3:1: tier[0].level: missing: the level that it is for",
            "s.toml:4:10: tier[0].period = 0: out of range; allowed: 1 to 10000, whole",
        ],
    ),
    (
        "[[tier]]\nlevel = 1\n[[tier]]\nlevel = 1\n",
        &[],
        &[
            "s.toml:6:9: tier[1].level = 1: another tier has this level; allowed: one tier per level",
        ],
    ),
    (
        "[[tier]]\nlevel = 0\n[[tier]]\nlevel = 300\n[[roi]]\nat = [1, 2]\nradius = 3\nlevel = 7\n",
        &[],
        &[
            "s.toml:6:9: tier[1].level = 300: out of range; allowed: 0 to 255, whole",
            "s.toml:10:9: roi[0].level = 7: no tier has this level; allowed: 0",
        ],
    ),
    (
        "[[roi]]\nmover = 'bus'\nradius = 3\n",
        &[],
        &[
            "s.toml:4:9: roi[0].mover = \"bus\": there are no movers; allowed: the name of a [[mover]]",
        ],
    ),
    (
        "[cost]\nweight = -1\nfactor = 200\nevry = 1\n",
        &[],
        &[
            "s.toml:4:10: cost.weight = -1: out of range; allowed: 0 to 1000000",
            "s.toml:5:10: cost.factor = 200: out of range; allowed: 0 to 100",
            "s.toml:6:1: cost.evry = 1: unknown option of cost distance; allowed: factor, weight, every, cell, pool; did you mean \"every\"?",
        ],
    ),
    (
        "[replan]\nevents = ['door', 'dor']\nevery = 0\nhysteresis = { hold = { uniform = [3, 1] }, treshold = 1 }\n",
        &[],
        &[
            "s.toml:4:19: replan.events[1] = \"dor\": unknown word; allowed: door, price, stalled; did you mean \"door\"?",
            "s.toml:5:9: replan.every = 0: out of range; allowed: above 0, up to 10000000",
            "s.toml:6:35: replan.hysteresis.hold = [3, 1]: least above largest; allowed: least <= largest",
            "s.toml:6:45: replan.hysteresis.treshold = 1: unknown key; allowed: threshold, hold, clear; did you mean \"threshold\"?",
        ],
    ),
    (
        "[profile.adult]\nradius = { normal = [0.2, 0.1] }\nspeed = { uniform = [-1, 1] }\nmass = 'heavy'\noffset = 2\nheight = { gamma = [1, 2] }\n",
        &[],
        &[
            "s.toml:4:21: profile.adult.radius = [0.2, 0.1]: not these numbers; allowed: [mean, sd, least, largest]",
            "s.toml:5:21: profile.adult.speed = [-1, 1]: bounds out of range; allowed: 0 to 100",
            "s.toml:6:8: profile.adult.mass = \"heavy\": text where a number or a distribution is wanted; allowed: a number, {uniform=[a,b]} or {normal=[mean,sd,min,max]}",
            "s.toml:7:10: profile.adult.offset = 2: out of range; allowed: -1 to 1",
            "s.toml:8:12: profile.adult.height.gamma = [1, 2]: unknown distribution; allowed: uniform, normal",
        ],
    ),
    (
        "[profile.adult]\nmass = { normal = [80, -1, 50, 90] }\nspeed = {}\nspeed_law = 'liner'\n",
        &[],
        &[
            "s.toml:4:19: profile.adult.mass = [80, -1, 50, 90]: a negative sd; allowed: sd 0 and more",
            "s.toml:5:9: profile.adult.speed = {…}: not one distribution; allowed: a number, {uniform=[a,b]} or {normal=[mean,sd,min,max]}",
            "s.toml:6:13: profile.adult.speed_law = \"liner\": unknown word; allowed: none, linear, weidmann; did you mean \"linear\"?",
        ],
    ),
    (
        "[[source]]\narea = 'bottom'\n",
        &[],
        &[
            "s.toml:3:1: source[0].goals: missing: where they walk to: named areas, places, polygons, \"random\", or \"opposite\" (through the middle of their own area)",
            "s.toml:3:1: source[0].count: missing: how many people; allowed: rate, count or hold",
        ],
    ),
    (
        "[[source]]\narea = [1]\ncount = 0\ngoals = []\nprofile = 'adlt'\nstart = 5\nstop = 4\nat_goal = 'vanish'\n",
        &[],
        &[
            "s.toml:4:8: source[0].area = [1]: no place; allowed: [x, y] or [x, y, z], up to 1e9 m",
            "s.toml:5:9: source[0].count = 0: out of range; allowed: 1 to 10000000, whole",
            "s.toml:6:9: source[0].goals = []: no goals; allowed: \"random\", \"opposite\", or a list of names, places [x, y] and polygons",
            "s.toml:7:11: source[0].profile = \"adlt\": unknown profile; allowed: adult; did you mean \"adult\"?",
            "s.toml:9:8: source[0].stop = 4: not after its start; allowed: above 5",
            "s.toml:10:11: source[0].at_goal = \"vanish\": unknown word; allowed: remove, keep, again",
        ],
    ),
    (
        "[[source]]\narea = [[0, 0], [1, 0]]\ncount = 1\ngoals = [['a', 1]]\ngroups = { sizes = [0, 0] }\n",
        &[],
        &[
            "s.toml:4:8: source[0].area = [[0, 0], [1, 0]]: too few points; allowed: 3 different points or more",
            "s.toml:6:10: source[0].goals[0] = [\"a\", 1]: no place; allowed: [x, y] or [x, y, z], up to 1e9 m",
            "s.toml:7:20: source[0].groups.sizes = [0, 0]: no size has a weight; allowed: one weight above 0 or more",
        ],
    ),
    (
        "[[source]]\narea = true\ncount = 20000000\ngoals = 7\npremovement = -1\n",
        &[],
        &[
            "s.toml:4:8: source[0].area = true: true or false where a region is wanted; allowed: a name, a place [x, y] or a polygon [[x, y], ...]",
            "s.toml:5:9: source[0].count = 20000000: out of range; allowed: 1 to 10000000, whole",
            "s.toml:6:9: source[0].goals = 7: no goals; allowed: \"random\", \"opposite\", or a list of names, places [x, y] and polygons",
            "s.toml:7:15: source[0].premovement = -1: out of range; allowed: 0 to 10000000",
        ],
    ),
    (
        "source = 3\n",
        &[],
        &["s.toml:3:10: source = 3: a whole number where a list is wanted"],
    ),
    (
        "source = [3]\n",
        &[],
        &["s.toml:3:11: source[0] = 3: a whole number where a table is wanted"],
    ),
    (
        "[[area]]\nname = 'a'\nshape = [[0, 0], [1, 0], [1, inf]]\n[[area]]\nname = ''\nshape = [[0, 0], [1, 0], [0, 0]]\n",
        &[],
        &[
            "s.toml:5:26: area[0].shape[2] = [1, inf]: no point; allowed: [x, y], up to 1e9 m",
            "s.toml:7:8: area[1].name = \"\": empty, too long or unprintable; allowed: 1 to 1000 bytes of printable text",
            "s.toml:8:9: area[1].shape = [[0, 0], [1, 0], [0, 0]]: too few points; allowed: 3 different points or more",
        ],
    ),
    (
        "[[area]]\nname = 'a'\nshape = [[0, 0], [1, 0], [1, 1]]\n[[area]]\nname = 'a'\nshape = [[0, 0], [1, 0], [1, 1]]\n[[area]]\nname = 'random'\nshape = [[0, 0], [1, 0], [1, 1]]\n",
        &[],
        &[
            "s.toml:7:8: area[1].name = \"a\": another area has this name; allowed: a name of its own",
            "s.toml:10:8: area[2].name = \"random\": this word in goals means a random place; allowed: another name",
        ],
    ),
    (
        "[[door]]\nname = 'd'\nends = [[1, 1], [1, 1]]\nfloor = -1\n[[line]]\nname = 'l'\npoints = [[1, 1]]\n",
        &[],
        &[
            "s.toml:5:8: door[0].ends = [[1, 1], [1, 1]]: no segment; allowed: two different points, [[x, y], [x, y]]",
            "s.toml:6:9: door[0].floor = -1: out of range; allowed: 0 to 9999, whole",
            "s.toml:9:10: line[0].points = [[1, 1]]: too few points; allowed: 2 different points or more",
        ],
    ),
    (
        "[[roi]]\nradius = 5\n[[roi]]\nmover = 'caar'\nradius = 5\n[[mover]]\nname = 'car'\ntrack = []\nspeed = 3\n",
        &[],
        &[
            "s.toml:3:1: roi[0].at: missing: where it is; allowed: at = [x, y], or mover = a name, or camera = true",
            "s.toml:6:9: roi[1].mover = \"caar\": unknown mover; allowed: car; did you mean \"car\"?",
            "s.toml:10:9: mover[0].track = []: no place; allowed: one place or more",
        ],
    ),
    (
        "[[event]]\nat = 3\n[[event]]\nat = 3\nopen = 'a'\nclose = 'b'\n",
        &[],
        &[
            "s.toml:3:1: event[0]: 0 things to do; allowed: one of open, close, release, remove",
            "s.toml:5:1: event[1]: 2 things to do; allowed: one of open, close, release, remove",
        ],
    ),
    (
        "[[goal]]\narea = 'a'\n[[goal]]\narea = 'b'\nserve = 5\nwait = 3\n[[goal]]\narea = 'b'\nwait = 3\nqueue = [[1, 1]]\nrelease = 'go'\n[[event]]\nat = 1\nrelease = 'goo'\non_people = 'move'\n",
        &[],
        &[
            "s.toml:3:1: goal[0]: missing: what people do here; allowed: serve, or wait and release",
            "s.toml:5:1: goal[1]: people are served, or they wait: not both; allowed: serve, or wait and release",
            "s.toml:10:8: goal[2].area = \"b\": another goal has this area; allowed: one goal per area",
            "s.toml:12:9: goal[2].queue = [[1, 1]]: nobody is served here; allowed: serve = seconds beside it",
            "s.toml:12:9: goal[2].queue = [[1, 1]]: one point is no line; allowed: two points or more",
            "s.toml:16:11: event[0].release = \"goo\": unknown release of a goal; allowed: go; did you mean \"go\"?",
            "s.toml:17:13: event[0].on_people = \"move\": no door closes here; allowed: close = a door beside it",
        ],
    ),
    (
        "[record]\nformats = ['sqlit']\n[metrics]\nevery = 0\n[classes]\nspeed_bins = 65\n[neighbours]\nrelevance = 'yes'\n",
        &[],
        &[
            "s.toml:4:12: record.formats[0] = \"sqlit\": unknown word; allowed: sqlite, text, csv; did you mean \"sqlite\"?",
            "s.toml:6:9: metrics.every = 0: out of range; allowed: above 0, up to 1000000",
            "s.toml:8:14: classes.speed_bins = 65: out of range; allowed: 1 to 64, whole",
            "s.toml:10:13: neighbours.relevance = \"yes\": text where true or false is wanted; allowed: true, false",
        ],
    ),
    (
        "[nav\nkind = 'grid'\nx = \n",
        &[],
        &["s.toml:3:5: unclosed table, expected `]`"],
    ),
    ("name = 'again'\n", &[], &["s.toml:3:1: duplicate key"]),
    (
        "",
        &["nav.kind=gird"],
        &[
            "--set nav.kind=gird: nav.kind = \"gird\": unknown nav strategy; allowed: adaptive-grid, grid; did you mean \"grid\"?",
        ],
    ),
    (
        "",
        &["nav.cell=100", "dt=2", "tier[0].level=300"],
        &[
            "--set dt=2: dt = 2: out of range; allowed: 0.0001 to 1",
            "--set nav.cell=100: nav.cell = 100: out of range; allowed: 0.05 to 10 m",
            "--set tier[0].level=300: tier[0].level = 300: out of range; allowed: 0 to 255, whole",
        ],
    ),
    (
        "",
        &["environment.generate=sqare"],
        &[
            "--set environment.generate=sqare: environment.generate = \"sqare\": unknown scene generator; allowed: square; did you mean \"square\"?",
        ],
    ),
    (
        "",
        &["environment.side=0"],
        &["--set environment.side=0: environment.side = 0: out of range; allowed: 1 to 1000 m"],
    ),
    (
        "",
        &["environment.file=a.geojson"],
        &[
            "--set environment.file=a.geojson: environment.file = \"a.geojson\": cannot be given beside environment.generate; allowed: one of file, generate, layers",
        ],
    ),
    (
        "",
        &["follow.kind=gate", "follow.reach=0"],
        &[
            "--set follow.kind=gate: follow.kind = \"gate\": unknown word; allowed: gates, indicative, seek, linear; did you mean \"gates\"?",
            "--set follow.reach=0: follow.reach = 0: out of range; allowed: 0.01 to 100",
        ],
    ),
    (
        "",
        &["environment={file='../a.geojson'}"],
        &[
            "--set environment={file='../a.geojson'}: environment.file = \"../a.geojson\": leaves the scenario's folder; allowed: a path inside the scenario's folder, unless --allow-outside is given",
        ],
    ),
    (
        "",
        &["environment={file='/etc/passwd'}"],
        &[
            "--set environment={file='/etc/passwd'}: environment.file = \"/etc/passwd\": leaves the scenario's folder; allowed: a path inside the scenario's folder, unless --allow-outside is given",
        ],
    ),
    (
        "",
        &["environment={layers=[{file='a/../../b.wkt'}, {z=1}]}"],
        &[
            "--set environment={layers=[{file='a/../../b.wkt'}, {z=1}]}: environment.layers[1].file: missing: its file, relative to the scenario",
            "--set environment={layers=[{file='a/../../b.wkt'}, {z=1}]}: environment.layers[0].file = \"a/../../b.wkt\": leaves the scenario's folder; allowed: a path inside the scenario's folder, unless --allow-outside is given",
        ],
    ),
    (
        "",
        &["environment={}"],
        &[
            "--set environment={}: environment: missing: what the ground is made from; allowed: one of file, generate, layers",
        ],
    ),
    (
        "",
        &["environment={layers=[]}"],
        &[
            "--set environment={layers=[]}: environment.layers = []: no layer; allowed: one layer or more",
        ],
    ),
    (
        "",
        &["environment={file='a', up='w', scale=0, threshold=256, cel=1}"],
        &[
            "--set environment={file='a', up='w', scale=0, threshold=256, cel=1}: environment.up = \"w\": unknown word; allowed: z, y, x",
            "--set environment={file='a', up='w', scale=0, threshold=256, cel=1}: environment.scale = 0: out of range; allowed: 0.000000001 to 1000000000",
            "--set environment={file='a', up='w', scale=0, threshold=256, cel=1}: environment.threshold = 256: out of range; allowed: 1 to 255, whole",
            "--set environment={file='a', up='w', scale=0, threshold=256, cel=1}: environment.cel = 1: unknown key; allowed: file, layers, connections, up, scale, cell, metres_per_pixel, threshold, heights, height_map, projected, render; did you mean \"cell\"?",
        ],
    ),
    (
        "",
        &["environment={file='a', connections=[{from=0, to=1, lower=[[0,0],[1,0]], speed=2}]}"],
        &[
            "--set environment={file='a', connections=[{from=0, to=1, lower=[[0,0],[1,0]], speed=2}]}: environment.connections[0].upper: missing: its end on the floor to",
            "--set environment={file='a', connections=[{from=0, to=1, lower=[[0,0],[1,0]], speed=2}]}: environment.connections[0].speed = 2: out of range; allowed: 0.01 to 1",
        ],
    ),
    (
        "",
        &["name="],
        &[
            "--set name=: name = \"\": empty, too long or unprintable; allowed: 1 to 1000 bytes of printable text",
        ],
    ),
    (
        "",
        &["seed"],
        &["--set seed: write it as key=value, such as nav.kind=grid"],
    ),
];

#[test]
fn every_problem_is_reported_at_its_place() {
    let mut report = String::new();
    for (text, sets, expected) in CASES {
        let found: Vec<String> = match parse(&format!("{HEAD}{text}"), sets) {
            Ok(_) => vec!["nothing is wrong".into()],
            Err(problems) => problems.items().iter().map(ToString::to_string).collect(),
        };
        if found != *expected {
            report += &format!("\n{text}\n{sets:?}\n{}\n", found.join("\n"));
        }
    }
    assert!(report.is_empty(), "other problems than expected:{report}");
}
