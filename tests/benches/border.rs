//! The price of the border: a strategy linked against the same one loaded, 10,000 agents.
//!
//! `cargo bench -p throng-tests --bench border [-- [instructions|times] AGENTS STEPS ROUNDS]`. For
//! every slot the sample strategy of `tests/plugins` runs linked and loaded on one thread.
//! Instructions are counted by callgrind, of `STEPS` whole steps of the simulation (a run of twice
//! as many, less a run of that many, so that building and loading drop out); without valgrind they
//! are left out. Times are medians of the steps of runs that take turns, so that a noisy machine
//! is noisy for both. The digests of both runs must be equal.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use throng::{Registry, Simulation, core::Slot, engine::plugin, scenes};

#[path = "../plugins/crowded/src/crowded.rs"]
mod crowded;
#[path = "../plugins/facets/src/facets.rs"]
mod facets;
#[path = "../plugins/huddle/src/huddle.rs"]
mod huddle;
#[path = "../plugins/shun/src/shun.rs"]
mod shun;
#[allow(unused_imports, reason = "its tests have no harness here")]
#[path = "../plugins/sidestep/src/sidestep.rs"]
mod sidestep;
#[path = "../plugins/sighted/src/sighted.rs"]
mod sighted;

const CASES: [(Slot, &str, &str); 7] = [
    (
        Slot::Avoidance,
        "sidestep",
        "[avoidance]\nkind = 'sidestep'\n[planner]\nkind = 'direct'\n",
    ),
    (Slot::Cost, "shun", "[cost]\nkind = 'shun'\nevery = 0.5\n"),
    (
        Slot::Planner,
        "sighted",
        "[planner]\nkind = 'sighted'\nfarthest = 10000.0\n",
    ),
    (
        Slot::Planner,
        "sighted",
        "[planner]\nkind = 'sighted'\nfarthest = 10000.0\nguides = true\n",
    ),
    (Slot::Nav, "facets", "[nav]\nkind = 'facets'\n"),
    (
        Slot::Lod,
        "crowded",
        "[lod]\nkind = 'crowded'\n[planner]\nkind = 'direct'\n[[tier]]\nlevel = 0\n\
         [[tier]]\nlevel = 1\nperiod = 2\n",
    ),
    (
        Slot::Group,
        "huddle",
        "[group]\nkind = 'huddle'\n[planner]\nkind = 'direct'\n",
    ),
];

/// A crowd of this many on a square, in small groups, who cross it to and fro.
fn simulation(case: usize, agents: u64, libraries: Option<&Path>) -> Simulation {
    let (slot, id, choice) = CASES[case];
    let side = (agents as f64 * 4.0).sqrt();
    let (near, far) = (side * 0.45, side * 0.55);
    let mut text = format!("name = 'border'\nseed = 5\n[replan]\nevery = 5.0\n{choice}");
    if !choice.contains("[nav]") {
        text += "[nav]\nkind = 'grid'\ncell = 2.0\n";
    }
    if !choice.contains("[cost]") {
        text += "[cost]\nkind = 'density'\n";
    }
    for (name, low, high) in [("west", 1.0, near), ("east", far, side - 1.0)] {
        let top = side - 1.0;
        text += &format!(
            "[[area]]\nname = '{name}'\nshape = [[{low}, 1], [{high}, 1], [{high}, {top}], [{low}, {top}]]\n"
        );
    }
    for (from, to) in [("west", "east"), ("east", "west")] {
        text += &format!(
            "[[source]]\narea = '{from}'\ncount = {}\ngoals = ['{to}', '{from}']\nchoose = 'order'\n\
             at_goal = 'again'\ngroups = {{ sizes = [0, 1, 1] }}\n",
            agents / 2
        );
    }
    let linked = throng::registry();
    let registry = match libraries {
        None => linked,
        Some(folder) => {
            let mut loaded = Registry::empty();
            let others = linked.strategies().iter();
            let others = others.filter(|s| (s.slot, s.id.as_str()) != (slot, id));
            loaded.register(others.cloned()).unwrap();
            let file = format!(
                "{}throng_plugin_{id}{}",
                std::env::consts::DLL_PREFIX,
                std::env::consts::DLL_SUFFIX
            );
            let library = plugin::load(&folder.join(file)).unwrap_or_else(|e| panic!("{e}"));
            loaded.register(library.strategies).unwrap();
            loaded
        }
    };
    let mut options = toml::Table::new();
    options.insert("side".into(), side.into());
    let scene = scenes::generate("square", &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::builder()
        .threads(1)
        .world_with(scene, &text, registry)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Builds the sample libraries as this program was built, and gives their folder.
fn build() -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--release"]);
    for (_, id, _) in CASES {
        command.args(["-p", &format!("throng-plugin-{id}")]);
    }
    assert!(command.status().unwrap().success());
    // target/release/deps/border-…
    let program = std::env::current_exe().unwrap();
    program.parent().unwrap().parent().unwrap().to_owned()
}

/// Instructions of a run, counted by callgrind; nothing without valgrind.
fn instructions(case: usize, agents: u64, steps: u64, libraries: Option<&Path>) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args([
            "run",
            &case.to_string(),
            &agents.to_string(),
            &steps.to_string(),
        ])
        .args(libraries);
    let output = command.output().ok()?;
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    // ==1== Collected : 123456
    let line = told.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    if arguments.first().is_some_and(|a| a == "run") {
        let number = |at: usize| arguments[at].parse::<u64>().unwrap();
        let libraries = arguments.get(4).map(Path::new);
        let mut sim = simulation(number(1) as usize, number(2), libraries);
        for _ in 0..number(3) {
            sim.step().unwrap();
        }
        return;
    }
    let only = arguments.first().map(String::as_str);
    let (counting, timing) = (only != Some("times"), only != Some("instructions"));
    let mut numbers = arguments.iter().filter_map(|a| a.parse::<u64>().ok());
    let mut number = |otherwise: u64| numbers.next().unwrap_or(otherwise);
    let (agents, steps, rounds) = (number(10_000), number(5), number(3));
    let folder = build();
    let both = [None, Some(folder.as_path())];
    println!("{agents} agents, {steps} steps, one thread");
    println!(
        "strategy                   instructions: linked      loaded     more   ms: linked loaded"
    );
    for (case, (slot, id, choice)) in CASES.into_iter().enumerate() {
        let guiding = if choice.contains("guides") {
            " guiding"
        } else {
            ""
        };
        let mut line = format!("{:25}", format!("{}/{id}{guiding}", slot.name()));
        let counts = both.map(|libraries| {
            let count = |steps| instructions(case, agents, steps, libraries);
            counting.then(|| Some(count(steps * 2)? - count(steps)?))?
        });
        line += &match counts {
            [Some(a), Some(b)] => {
                let more = (b as f64 / a as f64 - 1.0) * 100.0;
                format!(" {a:>20} {b:>11} {more:>+7.2} %")
            }
            _ => format!("{:43}", " not counted"),
        };
        if timing {
            let mut times = [const { Vec::new() }; 2];
            let mut digests = [0; 2];
            for _ in 0..rounds {
                for which in 0..2 {
                    let mut sim = simulation(case, agents, both[which]);
                    for _ in 0..steps {
                        sim.step().unwrap();
                    }
                    for _ in 0..steps * 2 {
                        let began = Instant::now();
                        sim.step().unwrap();
                        times[which].push(began.elapsed().as_secs_f64() * 1e3);
                    }
                    digests[which] = sim.digest();
                }
            }
            assert_eq!(digests[0], digests[1], "the bits differ");
            let [linked, loaded] = times.map(median);
            line += &format!(" {linked:>11.2} {loaded:>6.2}");
        }
        println!("{line}");
    }
}
