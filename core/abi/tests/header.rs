//! The C header is generated from this crate, committed, current, and taken by both compilers.

use std::{collections::HashMap, fs, path::Path, process::Command};

use throng_abi::*;

/// Types that nothing else leads to: what `void *table` and the data symbol point to.
const ROOTS: [&str; 7] = [
    "Plugin",
    "NavTable",
    "PlannerTable",
    "CostTable",
    "AvoidanceTable",
    "LodTable",
    "GroupTable",
];

/// Constants by module, with the names that they have in C.
const CONSTANTS: [(&str, &[&str]); 10] = [
    ("HABIT", &["ALTERNATES", "KEEPS_APART"]),
    (
        "STATUS",
        &["OK", "ERROR", "PANIC", "FAULT", "UNSUITABLE", "UNSUPPORTED"],
    ),
    (
        "SLOT",
        &["NAV", "PLANNER", "COST", "AVOIDANCE", "LOD", "GROUP"],
    ),
    ("THREADS", &["MANY", "ONE_AT_A_TIME"]),
    ("UNWINDING", &["NONE", "CAUGHT", "ABORTS"]),
    (
        "CAPABILITY",
        &[
            "GRAPH",
            "REGIONS",
            "DENSE",
            "PLAN_GROUND",
            "ROUTES",
            "GUIDES",
            "DIRECTIONAL",
            "DENSITY",
            "FLOW",
            "MESH",
        ],
    ),
    ("TRACE_END", &["REACHED", "WALL", "LOST"]),
    ("CHANGE", &["ADD_SOLID", "REMOVE_SOLID"]),
    ("ROUTE_KIND", &["EDGES", "GATES", "MISSING"]),
    (
        "NO_ROUTE",
        &[
            "FOUND",
            "START_OFF_MAP",
            "GOAL_OFF_MAP",
            "UNCONNECTED",
            "TOO_NARROW",
            "LIMIT",
            "FAILED",
        ],
    ),
];

fn generate() -> String {
    let magic = MAGIC.map(|byte| byte.to_string()).join(", ");
    let symbol = String::from_utf8_lossy(&SYMBOL[..SYMBOL.len() - 1]);
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        cpp_compat: true,
        include_guard: Some("THRONG_H".into()),
        line_length: 100,
        documentation_style: cbindgen::DocumentationStyle::C99,
        usize_is_size_t: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        header: Some(introduction()),
        after_includes: Some(format!(
            "\n/* The first bytes of the data symbol. */\n#define THRONG_MAGIC {{{magic}}}\n\n\
             /* A literal as ThrongBytes. */\n#define THRONG_TEXT(literal) \\\n    \
             {{(const uint8_t *)(literal), sizeof(literal) - 1}}\n\n\
             /* Makes the data symbol, a `const ThrongPlugin {symbol}`, visible to the host. */\n\
             #ifdef _WIN32\n#define THRONG_EXPORT __declspec(dllexport)\n#else\n\
             #define THRONG_EXPORT __attribute__((visibility(\"default\")))\n#endif\n"
        )),
        ..cbindgen::Config::default()
    };
    config.export.prefix = Some("Throng".into());
    config.export.renaming_overrides_prefixing = true;
    config.export.include = ROOTS.map(String::from).to_vec();
    config.export.rename = CONSTANTS
        .iter()
        .flat_map(|(module, names)| {
            names
                .iter()
                .map(move |name| ((*name).to_owned(), format!("THRONG_{module}_{name}")))
        })
        .chain([("ABI_VERSION".to_owned(), "THRONG_ABI_VERSION".to_owned())])
        .collect::<HashMap<_, _>>();
    let mut text = Vec::new();
    cbindgen::Builder::new()
        .with_crate(env!("CARGO_MANIFEST_DIR"))
        .with_config(config)
        .generate()
        .unwrap()
        .write(&mut text);
    plain(&String::from_utf8(text).unwrap())
}

/// The first comment: what the file is, and the rules of the border as this crate states them.
fn introduction() -> String {
    let mut text = String::from(
        "// The tables through which strategies in C and C++ meet Throng.\n//\n// Generated from \
         core/abi by its test `header`: do not edit. Types have the prefix Throng, values\n// of a \
         field the prefix THRONG_ and that of their kind.\n//\n",
    );
    let source = include_str!("../src/lib.rs").lines();
    let rules = source.skip_while(|line| !line.contains("# Rules of the border"));
    for line in rules.map_while(|line| line.strip_prefix("//!")) {
        text += &format!("//{}\n", line.replace("# Rules", "Rules"));
    }
    text.trim_end().to_owned()
}

/// The text without the links of Rust's documentation.
fn plain(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = rest.find("](crate::") {
        plain += &rest[..at + 1];
        rest = &rest[at..];
        rest = &rest[rest.find(')').unwrap() + 1..];
    }
    plain += rest;
    plain.replace("[`", "`").replace("`]", "`")
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/include"))
}

#[test]
fn the_header_is_current() {
    let (file, wanted) = (folder().join("throng.h"), generate());
    if fs::read_to_string(&file).unwrap_or_default() != wanted {
        fs::create_dir_all(folder()).unwrap();
        fs::write(&file, wanted).unwrap();
        panic!("throng.h was stale and has been rewritten: look at it and run again");
    }
}

#[test]
fn every_constant_has_its_name() {
    let text = generate();
    for (module, names) in CONSTANTS {
        for name in names {
            let line = format!("#define THRONG_{module}_{name} ");
            assert!(text.contains(&line), "{line}");
        }
    }
    for line in text.lines().filter(|l| l.starts_with("#define ")) {
        assert!(line.starts_with("#define THRONG_"), "{line}");
    }
}

/// Sizes and last fields of the tables, as both compilers must see them.
fn layouts() -> String {
    let mut text = String::new();
    macro_rules! same {
        ($($table:ident . $last:ident),+ $(,)?) => {$(
            let (name, last) = (stringify!($table), stringify!($last));
            let (size, at) = (size_of::<$table>(), core::mem::offset_of!($table, $last));
            text += &format!("CHECK(sizeof(Throng{name}) == {size}, \"{name}\");\n");
            text += &format!("CHECK(offsetof(Throng{name}, {last}) == {at}, \"{name}.{last}\");\n");
        )+};
    }
    same!(
        Plugin.describe,
        Descriptor.table,
        Call.error,
        Host.log_level,
        Sink.append,
        Bytes.count,
        Location.triangle,
        NearWall.wall,
        Neighbour.velocity,
        Gate.flags,
        EdgePiece.angle,
        Attachment.distance,
        RouteClass.radius,
        AvoidanceProfile.names,
        SteerIn.wall,
        SteerOut.locations,
        AvoidanceTable.longest_step,
        CostProfile.is_static,
        Crowd.momentum_y,
        PriceIn.cell_length,
        PriceOut.blocked,
        CostTable.load,
        Ground.clearance,
        CellIndex.item,
        Wall.flags,
        TraceEnd.at,
        FileCells.walkable,
        Site.file_cells,
        Map.revision,
        MapSink.remap,
        NavTable.bytes,
        Change.ring,
        PlannerProfile.names,
        PlanRequest.speed,
        RouteRow.cost,
        RouteSink.append,
        GuideIn.dt,
        GuideOut.locations,
        PlannerTable.load,
        PriceView.edge_crowd,
        Agents.group,
        Goal.nodes,
        World.segment_price,
        LodProfile.constant,
        LodTable.load,
        GroupProfile.active,
        GroupIn.aim,
        GroupOut.target,
        GroupTable.adjust,
    );
    text
}

/// Compiles the header with checks of its layouts; a machine without this compiler skips it.
fn compile(variable: &str, compiler: &str, standard: &str, suffix: &str, check: &str) {
    let compiler = std::env::var(variable).unwrap_or_else(|_| compiler.into());
    let works = Command::new(&compiler).arg("--version").output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no compiler {compiler}");
        return;
    }
    let folder_of_test = tempfile::tempdir().unwrap();
    let source = folder_of_test.path().join(format!("check.{suffix}"));
    let text = format!(
        "#include \"throng.h\"\n#include <stddef.h>\n#define CHECK {check}\n{}\n\
         static const ThrongBytes TEXT = THRONG_TEXT(\"abc\");\n\
         static const uint8_t MAGIC[8] = THRONG_MAGIC;\n\
         int main(void) {{ return TEXT.count == 3 && MAGIC[0] == 'T' ? 0 : 1; }}\n",
        layouts()
    );
    fs::write(&source, text).unwrap();
    let program = folder_of_test.path().join("check");
    let output = Command::new(&compiler)
        .args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"])
        .arg(folder())
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {told}");
    assert!(Command::new(&program).status().unwrap().success());
}

#[test]
fn a_c_compiler_takes_the_header() {
    compile("CC", "cc", "-std=c11", "c", "_Static_assert");
}

#[test]
fn a_cpp_compiler_takes_the_header() {
    compile("CXX", "c++", "-std=c++17", "cpp", "static_assert");
}
