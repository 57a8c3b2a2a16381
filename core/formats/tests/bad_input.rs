//! Bad files, one row each: repaired with a notice that names the feature, or refused with the
//! reason. Nothing panics, hangs or takes memory out of proportion.

mod samples;

use std::time::{Duration, Instant};

use samples::{collection, feature, polygon};
use throng_formats::{FormatError, ReadOptions, read_bytes};

enum Outcome {
    /// Read, with a notice that holds all these pieces.
    Repaired(&'static [&'static str]),
    /// Read without any notice.
    Fine,
    /// Refused as broken, with these pieces in the message.
    Malformed(&'static [&'static str]),
    /// Refused as no ground, with these pieces in the message.
    Geometry(&'static [&'static str]),
    /// Refused as too large.
    TooLarge(&'static [&'static str]),
    /// Refused because the format is not told.
    Unrecognised(&'static [&'static str]),
}
use Outcome::*;

struct Case(&'static str, &'static str, Vec<u8>, Outcome);

const SQUARE: &str = "[[0,0],[10,0],[10,10],[0,10],[0,0]]";

fn drawings() -> Vec<Case> {
    let with_hole = |hole: &str| polygon(&format!("[{SQUARE},{hole}]"));
    let square = format!("[{SQUARE}]");
    let second = |properties: &str, kind: &str, coordinates: &str| {
        collection(&[
            feature(r#"{"name":"hall"}"#, "Polygon", &square),
            feature(properties, kind, coordinates),
        ])
    };
    let two_floors = |connection: &str, coordinates: &str| {
        collection(&[
            feature(r#"{"z":0}"#, "Polygon", &square),
            feature(r#"{"z":4}"#, "Polygon", &square),
            feature(connection, "Polygon", coordinates),
        ])
    };
    let mut cases = vec![
        Case("good", "a.geojson", polygon(&square), Fine),
        Case(
            "bow-tie",
            "a.geojson",
            polygon("[[[0,0],[4,4],[4,0],[0,4],[0,0]]]"),
            Repaired(&["feature 1 \"hall\"", "even-odd"]),
        ),
        Case(
            "pentagram",
            "a.geojson",
            polygon("[[[0,3],[10,3],[2,9],[5,0],[8,9],[0,3]]]"),
            Repaired(&["feature 1 \"hall\"", "even-odd"]),
        ),
        Case(
            "spike out of a square",
            "a.geojson",
            polygon("[[[0,0],[10,0],[30,0],[10,0],[10,10],[0,10],[0,0]]]"),
            Repaired(&["feature 1", "even-odd"]),
        ),
        Case(
            "outline passes one point twice",
            "a.geojson",
            polygon("[[[0,0],[5,5],[10,0],[10,10],[5,5],[0,10],[0,0]]]"),
            Repaired(&["touches or crosses itself"]),
        ),
        Case(
            "sliver alone",
            "a.geojson",
            polygon("[[[0,0],[10,0],[10,0.0001],[0,0]]]"),
            Geometry(&["floor \"0\"", "nothing on it can be walked on"]),
        ),
        Case(
            "sliver beside a square",
            "a.geojson",
            second(
                r#"{"name":"s"}"#,
                "Polygon",
                "[[[0,20],[10,20],[10,20.0001],[0,20]]]",
            ),
            Repaired(&["feature 2 \"s\"", "thinner than 1 mm"]),
        ),
        Case(
            "sliver as a solid",
            "a.geojson",
            second(
                r#"{"kind":"solid"}"#,
                "Polygon",
                "[[[2,5],[8,5],[8,5.0001],[2,5.0001],[2,5]]]",
            ),
            Repaired(&["feature 2", "kept as a thin wall"]),
        ),
        Case(
            "touching holes",
            "a.geojson",
            polygon(&format!(
                "[{SQUARE},[[2,2],[2,4],[4,4],[4,2],[2,2]],[[4,4],[4,6],[6,6],[6,4],[4,4]]]"
            )),
            Repaired(&["feature 1", "holes that touch"]),
        ),
        Case(
            "holes with a common side",
            "a.geojson",
            polygon(&format!(
                "[{SQUARE},[[2,2],[2,4],[4,4],[4,2],[2,2]],[[4,2],[4,4],[6,4],[6,2],[4,2]]]"
            )),
            Repaired(&["holes that touch"]),
        ),
        Case(
            "hole across the outline",
            "a.geojson",
            with_hole("[[5,5],[5,15],[6,15],[6,5],[5,5]]"),
            Repaired(&["holes that touch or cross"]),
        ),
        Case(
            "hole outside",
            "a.geojson",
            with_hole("[[20,20],[20,21],[21,21],[21,20],[20,20]]"),
            Repaired(&["hole outside the outline"]),
        ),
        Case(
            "hole in a hole",
            "a.geojson",
            polygon(&format!(
                "[{SQUARE},[[2,2],[2,8],[8,8],[8,2],[2,2]],[[4,4],[4,6],[6,6],[6,4],[4,4]]]"
            )),
            Repaired(&["hole inside another hole"]),
        ),
        Case(
            "hole over everything",
            "a.geojson",
            with_hole("[[0,0],[0,10],[10,10],[10,0],[0,0]]"),
            Geometry(&["nothing on it can be walked on"]),
        ),
        Case(
            "hole without area",
            "a.geojson",
            with_hole("[[2,2],[8,8],[2,2]]"),
            Repaired(&["kept as a thin wall"]),
        ),
        Case(
            "repeated points",
            "a.geojson",
            polygon("[[[0,0],[0,0],[10,0],[10,10],[10,10],[10,10.0000001],[0,10],[0,0]]]"),
            Repaired(&["feature 1 \"hall\"", "repeated points"]),
        ),
        Case(
            "wrong winding",
            "a.geojson",
            polygon("[[[0,0],[0,10],[10,10],[10,0],[0,0]]]"),
            Repaired(&["feature 1 \"hall\"", "right-hand rule"]),
        ),
        Case(
            "open ring",
            "a.geojson",
            polygon("[[[0,0],[10,0],[10,10],[0,10]]]"),
            Repaired(&["feature 1 \"hall\"", "was closed"]),
        ),
        Case(
            "two points as a polygon",
            "a.geojson",
            second(r#"{"name":"s"}"#, "Polygon", "[[[0,0],[5,5],[0,0]]]"),
            Repaired(&["feature 2 \"s\"", "no area"]),
        ),
        Case(
            "points on one line",
            "a.geojson",
            polygon("[[[0,0],[0.1,0.3],[0.2,0.6],[0.3,0.9],[0,0]]]"),
            Geometry(&["nothing on it"]),
        ),
        Case(
            "polygon without rings",
            "a.geojson",
            second(r#"{"name":"s"}"#, "Polygon", "[]"),
            Fine,
        ),
        Case(
            "empty ring",
            "a.geojson",
            second(r#"{"name":"s"}"#, "Polygon", "[[]]"),
            Repaired(&["feature 2 \"s\"", "no area"]),
        ),
        Case(
            "position of one number",
            "a.geojson",
            polygon("[[[0],[10,0],[10,10],[0,0]]]"),
            Malformed(&["feature 1 \"hall\""]),
        ),
        Case(
            "text as a coordinate",
            "a.geojson",
            polygon(r#"[[["0",0],[10,0],[10,10],[0,0]]]"#),
            Malformed(&["feature 1 \"hall\""]),
        ),
        Case(
            "NaN in JSON",
            "a.geojson",
            polygon("[[[NaN,0],[10,0],[10,10],[0,0]]]"),
            Malformed(&["line 1, column", "not JSON"]),
        ),
        Case(
            "number beyond f64",
            "a.geojson",
            polygon("[[[1e999,0],[10,0],[10,10],[0,0]]]"),
            Malformed(&["line 1, column", "out of range"]),
        ),
        Case(
            "one point at 1e9",
            "a.geojson",
            polygon("[[[0,0],[1e9,0],[10,10],[0,10],[0,0]]]"),
            Geometry(&["feature 1 \"hall\"", "`scale`"]),
        ),
        Case(
            "all points about 1e12",
            "a.geojson",
            polygon("[[[1e12,0],[1.00000000001e12,0],[1e12,9],[1e12,0]]]"),
            Geometry(&["from the origin"]),
        ),
        Case(
            "far offset of a map grid",
            "a.geojson",
            polygon("[[[4e8,5e8],[400000010,5e8],[400000010,500000010],[4e8,5e8]]]"),
            Fine,
        ),
        Case(
            "empty file",
            "a.geojson",
            Vec::new(),
            Malformed(&["it is empty"]),
        ),
        Case(
            "blanks only",
            "a.wkt",
            b" \n\t ".to_vec(),
            Malformed(&["it is empty"]),
        ),
        Case(
            "no features",
            "a.geojson",
            collection(&[]),
            Geometry(&["there is no shape"]),
        ),
        Case(
            "JSON of a list",
            "a.geojson",
            b"[1,2]".to_vec(),
            Malformed(&["not an object"]),
        ),
        Case(
            "JSON without type",
            "a.geojson",
            b"{}".to_vec(),
            Malformed(&["no `type`"]),
        ),
        Case(
            "unknown geometry",
            "a.geojson",
            br#"{"type":"Circle","coordinates":[0,0]}"#.to_vec(),
            Malformed(&["feature 1"]),
        ),
        Case(
            "features is no list",
            "a.geojson",
            br#"{"type":"FeatureCollection","features":{}}"#.to_vec(),
            Malformed(&["no list `features`"]),
        ),
        Case(
            "cut in the middle",
            "a.geojson",
            samples::geojson()[..200].to_vec(),
            Malformed(&["line 1, column", "not JSON"]),
        ),
        Case(
            "brackets without end",
            "a.geojson",
            format!(
                r#"{{"type":"Polygon","coordinates":{}"#,
                "[".repeat(200_000)
            )
            .into_bytes(),
            Malformed(&["recursion limit"]),
        ),
        Case(
            "feature without geometry",
            "a.geojson",
            collection(&[
                feature("{}", "Polygon", &square),
                r#"{"type":"Feature","properties":{"name":"x"},"geometry":null}"#.to_string(),
            ]),
            Repaired(&["feature 2 \"x\"", "no geometry"]),
        ),
        Case(
            "unknown kind",
            "a.geojson",
            second(r#"{"kind":"walkble","name":"w"}"#, "Polygon", &square),
            Malformed(&["feature 2 \"w\"", "walkble", "`walkable`"]),
        ),
        Case(
            "kind of another geometry",
            "a.geojson",
            second(r#"{"kind":"door"}"#, "Polygon", &square),
            Malformed(&["feature 2", "\"door\""]),
        ),
        Case(
            "area without a name",
            "a.geojson",
            second(
                r#"{"kind":"area"}"#,
                "Polygon",
                "[[[1,1],[2,1],[2,2],[1,1]]]",
            ),
            Repaired(&["feature 2", "has no name"]),
        ),
        Case(
            "door of one place",
            "a.geojson",
            second(
                r#"{"kind":"door","name":"d"}"#,
                "LineString",
                "[[1,1],[5,5],[1,1]]",
            ),
            Geometry(&["feature 2 \"d\"", "door is less than 1 mm"]),
        ),
        Case(
            "wall without length",
            "a.geojson",
            second("{}", "LineString", "[[1,1],[1,1]]"),
            Repaired(&["feature 2", "without length"]),
        ),
        Case(
            "points among polygons",
            "a.geojson",
            second(r#"{"name":"tree"}"#, "Point", "[1,1]"),
            Repaired(&["feature 2 \"tree\"", "point"]),
        ),
        Case(
            "only solids",
            "a.geojson",
            collection(&[feature(r#"{"kind":"solid"}"#, "Polygon", &square)]),
            Repaired(&["no walkable polygon", "1 m more"]),
        ),
        Case(
            "height as text",
            "a.geojson",
            collection(&[feature(r#"{"z":"high"}"#, "Polygon", &square)]),
            Malformed(&["feature 1", "`z`"]),
        ),
        Case(
            "two heights of one floor",
            "a.geojson",
            collection(&[
                feature(r#"{"floor":"a","z":0}"#, "Polygon", &square),
                feature(r#"{"floor":"a","z":4}"#, "Polygon", &square),
            ]),
            Geometry(&["feature 2", "at 0 m and at 4 m"]),
        ),
        Case(
            "stairs to nowhere",
            "a.geojson",
            two_floors(
                r#"{"kind":"connection","from":0,"to":9}"#,
                "[[[1,1],[2,1],[2,3],[1,3],[1,1]]]",
            ),
            Geometry(&["feature 3", "no floor \"9\""]),
        ),
        Case(
            "stairs of three corners",
            "a.geojson",
            two_floors(
                r#"{"kind":"connection","from":0,"to":4}"#,
                "[[[1,1],[2,1],[2,3],[1,1]]]",
            ),
            Geometry(&["feature 3", "4 corners, not 3"]),
        ),
        Case(
            "stairs with corners out of order",
            "a.geojson",
            two_floors(
                r#"{"kind":"connection","from":0,"to":4}"#,
                "[[[1,1],[2,3],[2,1],[1,3],[1,1]]]",
            ),
            Geometry(&["feature 3", "not convex"]),
        ),
        Case(
            "stairs faster than walking",
            "a.geojson",
            two_floors(
                r#"{"kind":"connection","from":0,"to":4,"speed":2}"#,
                "[[[1,1],[2,1],[2,3],[1,3],[1,1]]]",
            ),
            Geometry(&["`speed` is 2"]),
        ),
        Case(
            "longitude and latitude",
            "a.geojson",
            polygon(
                "[[[8.68141,50.10222],[8.68241,50.10222],[8.68241,50.10322],[8.68141,50.10222]]]",
            ),
            Repaired(&["longitude and latitude", "metres"]),
        ),
        Case(
            "a reference that does not fit",
            "a.wkt",
            b"SRID=4326;POLYGON ((0 0, 500 0, 500 500, 0 0))".to_vec(),
            Geometry(&["no longitudes and latitudes"]),
        ),
        Case(
            "two doors of one name",
            "a.geojson",
            collection(&[
                feature("{}", "Polygon", &square),
                feature(
                    r#"{"kind":"door","name":"d"}"#,
                    "LineString",
                    "[[5,0],[5,5]]",
                ),
                feature(
                    r#"{"kind":"door","name":"d"}"#,
                    "LineString",
                    "[[5,5],[5,7],[5,10]]",
                ),
            ]),
            Repaired(&["several doors are called \"d\""]),
        ),
        Case(
            "a picture named as a drawing",
            "a.geojson",
            samples::png(),
            Unrecognised(&["named as GeoJSON", "content is PNG"]),
        ),
        Case(
            "nothing known",
            "notes.txt",
            b"buy milk".to_vec(),
            Unrecognised(&["neither its name nor its content"]),
        ),
        // Well-known text.
        Case(
            "NaN in WKT",
            "a.wkt",
            b"POLYGON ((0 0, nan 0, 1 1, 0 0))".to_vec(),
            Malformed(&["line 1, column 16", "`nan`"]),
        ),
        Case(
            "infinity in WKT",
            "a.wkt",
            b"POLYGON ((0 0, 1e999 0, 1 1, 0 0))".to_vec(),
            Malformed(&["line 1, column 16", "not a finite number"]),
        ),
        Case(
            "bracket not closed",
            "a.wkt",
            b"POLYGON ((0 0, 1 0, 1 1, 0 0)".to_vec(),
            Malformed(&["`)` is missing before the end"]),
        ),
        Case(
            "comma forgotten",
            "a.wkt",
            b"POLYGON ((0 0 1 0 1 1, 0 0))".to_vec(),
            Malformed(&["more than four numbers"]),
        ),
        Case(
            "curve in WKT",
            "a.wkt",
            b"CURVEPOLYGON (CIRCULARSTRING (0 0, 4 0, 0 0))".to_vec(),
            Malformed(&["`CURVEPOLYGON`"]),
        ),
        Case(
            "collections nested beyond reason",
            "a.wkt",
            "GEOMETRYCOLLECTION (".repeat(100_000).into_bytes(),
            Malformed(&["nested deeper than 64"]),
        ),
        Case(
            "open ring in WKT",
            "a.wkt",
            b"POLYGON ((0 0, 9 0, 9 9))".to_vec(),
            Repaired(&["geometry 1 (line 1)", "was closed"]),
        ),
        Case(
            "heights that differ",
            "a.wkt",
            b"POLYGON Z ((0 0 0, 9 0 1, 9 9 2, 0 0 0))".to_vec(),
            Repaired(&["geometry 1 (line 1)", "third coordinates"]),
        ),
        Case(
            "empty polygon in WKT",
            "a.wkt",
            b"POLYGON EMPTY".to_vec(),
            Geometry(&["no shape"]),
        ),
    ];
    let zigzag: Vec<String> = (0..3000)
        .map(|i| {
            format!(
                "{} {}",
                if i % 2 == 0 { 0 } else { 1000 },
                (i * 7919) % 3001
            )
        })
        .collect();
    cases.push(Case(
        "a tangle of millions of crossings",
        "a.wkt",
        format!("POLYGON (({}, {}))", zigzag.join(", "), zigzag[0]).into_bytes(),
        Geometry(&["geometry 1", "tangle"]),
    ));
    cases
}

fn svgs() -> Vec<Case> {
    let svg = samples::svg_with;
    let mut laughs = r#"<g id="l0"><rect width="1" height="1"/></g>"#.to_string();
    for level in 1..12 {
        let uses = format!(r##"<use href="#l{}"/>"##, level - 1).repeat(10);
        laughs += &format!(r#"<g id="l{level}">{uses}</g>"#);
    }
    vec![
        Case(
            "SVG cut in the middle",
            "a.svg",
            samples::svg()[..300].to_vec(),
            Malformed(&["a.svg, line 3:", "never closed"]),
        ),
        Case(
            "SVG groups nested beyond reason",
            "a.svg",
            svg(&"<g>".repeat(50_000)),
            Malformed(&["nested deeper than 128"]),
        ),
        Case(
            "SVG copies of copies",
            "a.svg",
            svg(&laughs),
            TooLarge(&["500000 elements"]),
        ),
        Case(
            "SVG copy of itself",
            "a.svg",
            svg(r##"<rect class="walkable" width="9" height="9"/><g id="a"><use href="#a"/></g>"##),
            Fine,
        ),
        Case(
            "SVG that shows another file",
            "a.svg",
            svg(
                r#"<rect class="walkable" width="9" height="9"/><image href="/etc/hostname" width="9" height="9"/>"#,
            ),
            Repaired(&["1 texts and pictures were left out"]),
        ),
        Case(
            "SVG entities",
            "a.svg",
            b"<!DOCTYPE svg [<!ENTITY a \"x\">]><svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            Malformed(&["entities"]),
        ),
        Case(
            "SVG without shapes",
            "a.svg",
            svg("<text>hi</text>"),
            Geometry(&["no shape"]),
        ),
        Case(
            "SVG path with a broken end",
            "a.svg",
            svg(r#"<path id="walkable" d="M0 0 H9 V9 H0 Z M nonsense"/>"#),
            Fine,
        ),
        Case(
            "SVG rectangle without size",
            "a.svg",
            svg(
                r#"<rect id="walkable" width="9" height="9"/><rect id="solid" width="0" height="4"/>"#,
            ),
            Repaired(&["<rect> \"solid\" in line 1", "left out"]),
        ),
        Case(
            "SVG bow-tie",
            "a.svg",
            svg(r#"<path id="walkable" d="M0 0 L9 9 V0 L0 9 Z"/>"#),
            Repaired(&["<path> \"walkable\" in line 1", "even-odd"]),
        ),
        Case(
            "SVG coordinates beyond f32",
            "a.svg",
            svg(
                r#"<rect class="walkable" width="9" height="9"/><path class="solid" d="M0 0 H1e39 V9 Z"/>"#,
            ),
            Repaired(&["<path> in line 1", "left out"]),
        ),
        Case(
            "SVG shapes without names",
            "a.svg",
            svg(r#"<rect width="9" height="9"/><line x1="1" y1="1" x2="2" y2="2" stroke="red"/>"#),
            Repaired(&["1 filled shapes without a name"]),
        ),
        Case(
            "XML that is no SVG",
            "a.svg",
            b"<html><body/></html>".to_vec(),
            Malformed(&["its root is <html>"]),
        ),
        Case(
            "SVG in another encoding",
            "a.svg",
            b"<svg xmlns='http://www.w3.org/2000/svg'><desc>\xe9</desc></svg>".to_vec(),
            Malformed(&["byte 46", "UTF-8"]),
        ),
    ]
}

fn grids() -> Vec<Case> {
    let map = |text: &str| text.as_bytes().to_vec();
    let png = samples::png();
    let mut huge = png.clone();
    huge[16..20].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    huge[20..24].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    fix_crc(&mut huge);
    let mut hollow = png.clone();
    hollow[16..20].copy_from_slice(&5000_u32.to_be_bytes());
    hollow[20..24].copy_from_slice(&5000_u32.to_be_bytes());
    fix_crc(&mut hollow);
    vec![
        Case(
            "map of billions of cells",
            "a.map",
            map("type octile\nheight 99999999\nwidth 99999999\nmap\n...\n"),
            TooLarge(&["99999999 x 99999999"]),
        ),
        Case(
            "map that declares more than it has",
            "a.map",
            map("type octile\nheight 3000\nwidth 3000\nmap\n...\n"),
            Malformed(&["has only"]),
        ),
        Case(
            "map with a short row",
            "a.map",
            map("type octile\nheight 2\nwidth 3\nmap\n...\n..\n"),
            Malformed(&["line 6", "2 letters instead of 3"]),
        ),
        Case(
            "map with a missing row",
            "a.map",
            map("type octile\nheight 3\nwidth 3\nmap\n...\n...\n"),
            Malformed(&["instead of 3"]),
        ),
        Case(
            "map with a strange letter",
            "a.map",
            map("type octile\nheight 1\nwidth 3\nmap\n.?.\n"),
            Malformed(&["line 5, column 2", "`?`"]),
        ),
        Case(
            "map without free cells",
            "a.map",
            map("type octile\nheight 1\nwidth 3\nmap\n@@@\n"),
            Geometry(&["none of its 3 x 1 cells"]),
        ),
        Case(
            "map with a negative width",
            "a.map",
            map("type octile\nheight 1\nwidth -3\nmap\n...\n"),
            Malformed(&["line 3", "`-3`"]),
        ),
        Case(
            "map with rows too many",
            "a.map",
            map("type octile\nheight 1\nwidth 3\nmap\n...\n...\n"),
            Repaired(&["line 6", "left out"]),
        ),
        Case(
            "PNG cut short",
            "a.png",
            png[..png.len() - 20].to_vec(),
            Malformed(&["cannot be decoded"]),
        ),
        Case(
            "PNG of a header",
            "a.png",
            png[..20].to_vec(),
            Malformed(&["cannot be decoded"]),
        ),
        Case(
            "PNG of 2^62 pixels",
            "a.png",
            huge,
            TooLarge(&["pixels are more than"]),
        ),
        Case(
            "PNG of pixels that are not there",
            "a.png",
            hollow,
            Malformed(&["declares 5000 x 5000 pixels"]),
        ),
        Case(
            "text as PNG",
            "a.png",
            b"not a picture".to_vec(),
            Malformed(&["cannot be decoded"]),
        ),
    ]
}

fn meshes() -> Vec<Case> {
    let text = |text: &str| text.as_bytes().to_vec();
    let (stl, ply, glb) = (samples::stl_binary(), samples::ply_binary(), samples::glb());
    let mut stl_count = stl.clone();
    stl_count[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut stl_nan = stl.clone();
    stl_nan[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut stl_more = stl.clone();
    stl_more.extend([7; 120]);
    let json = |from: &str, to: &str| samples::glb_with(&samples::gltf_json("").replace(from, to));
    let embedded = |buffer: &str| samples::gltf_json(buffer).into_bytes();
    vec![
        Case(
            "OBJ with NaN",
            "a.obj",
            text("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"),
            Malformed(&["line 2", "`nan`"]),
        ),
        Case(
            "OBJ with an index too high",
            "a.obj",
            text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
            Malformed(&["line 4", "`9`", "3 corners"]),
        ),
        Case(
            "OBJ with index 0",
            "a.obj",
            text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n"),
            Malformed(&["line 4", "`0`"]),
        ),
        Case(
            "OBJ with a face of two corners",
            "a.obj",
            text("v 0 0 0\nv 1 0 0\nf 1 2\n"),
            Malformed(&["line 3", "2 corners"]),
        ),
        Case(
            "OBJ without faces",
            "a.obj",
            text("v 0 0 0\n"),
            Malformed(&["no face"]),
        ),
        Case(
            "OBJ with flat triangles",
            "a.obj",
            text("v 0 0 0\nv 4 0 0\nv 0 4 0\nv 8 0 0\nf 1 2 3\nf 1 2 4\n"),
            Repaired(&["1 of 2 triangles have no area"]),
        ),
        Case(
            "OBJ of flat triangles only",
            "a.obj",
            text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
            Geometry(&["no triangle with an area"]),
        ),
        Case(
            "OBJ at 1e12",
            "a.obj",
            text("v 0 0 0\nv 1e12 0 0\nv 0 1 0\nf 1 2 3\n"),
            Geometry(&["vertex 2", "`scale`"]),
        ),
        Case(
            "STL of 4 billion triangles",
            "a.stl",
            stl_count,
            Malformed(&["declares 4294967295 triangles and holds 2"]),
        ),
        Case(
            "STL cut short",
            "a.stl",
            stl[..150].to_vec(),
            Malformed(&["cut short"]),
        ),
        Case(
            "STL of a header",
            "a.stl",
            stl[..50].to_vec(),
            Malformed(&["header"]),
        ),
        Case(
            "STL with NaN",
            "a.stl",
            stl_nan,
            Malformed(&["triangle 1", "not finite"]),
        ),
        Case(
            "STL with bytes behind",
            "a.stl",
            stl_more,
            Repaired(&["left out"]),
        ),
        Case(
            "text STL cut short",
            "a.stl",
            samples::stl_text()[..90].to_vec(),
            Malformed(&["line"]),
        ),
        Case(
            "PLY cut short",
            "a.ply",
            ply[..ply.len() - 5].to_vec(),
            Malformed(&["byte"]),
        ),
        Case(
            "PLY of 4 billion corners",
            "a.ply",
            text(&samples::ply_head("binary_little_endian", 4_000_000_000, 1)),
            Malformed(&["declares 4000000001 elements"]),
        ),
        Case(
            "PLY with a list beyond the end",
            "a.ply",
            text(&(samples::ply_head("ascii", 1, 1) + "0 0 0\n4000000000 0 1 2\n")),
            Malformed(&["line 11", "a list of 4000000000 numbers"]),
        ),
        Case(
            "PLY with an index too high",
            "a.ply",
            text(&(samples::ply_head("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n")),
            Malformed(&["corner 7 of 3"]),
        ),
        Case(
            "PLY without end of header",
            "a.ply",
            text("ply\nformat ascii 1.0\nelement vertex 3\n"),
            Malformed(&["end_header"]),
        ),
        Case(
            "PLY without z",
            "a.ply",
            text(
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
            ),
            Malformed(&["no `z`"]),
        ),
        Case(
            "PLY with elements of no size",
            "a.ply",
            text(
                "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement ghost 4000000000\nend_header\n",
            ),
            Malformed(&["no property"]),
        ),
        Case(
            "GLB cut short",
            "a.glb",
            glb[..glb.len() - 9].to_vec(),
            Malformed(&["cut short"]),
        ),
        Case(
            "GLB of a header",
            "a.glb",
            glb[..14].to_vec(),
            Malformed(&["byte", "cut short"]),
        ),
        Case(
            "glTF accessor of 4 billion zeros",
            "a.glb",
            json(
                r#""bufferView":0,"componentType":5126,"count":4"#,
                r#""componentType":5126,"count":4000000000"#,
            ),
            Malformed(&["accessor 0", "more than the file can hold"]),
        ),
        Case(
            "glTF accessor beyond its buffer",
            "a.glb",
            json(r#""count":4,"#, r#""count":5,"#),
            Malformed(&["accessor 0", "beyond its buffer"]),
        ),
        Case(
            "glTF view beyond its buffer",
            "a.glb",
            json(r#""byteLength":48"#, r#""byteLength":48000"#),
            Malformed(&["beyond its buffer"]),
        ),
        Case(
            "glTF nodes in a ring",
            "a.glb",
            json(r#""mesh":0,"#, r#""mesh":0,"children":[0],"#),
            Malformed(&["node 0", "below itself"]),
        ),
        Case(
            "glTF mesh that is not there",
            "a.glb",
            json(r#""mesh":0"#, r#""mesh":3"#),
            Malformed(&["mesh 3", "does not exist"]),
        ),
        Case(
            "glTF compressed",
            "a.glb",
            json(
                r#""scene":0"#,
                r#""scene":0,"extensionsRequired":["KHR_draco_mesh_compression"]"#,
            ),
            Malformed(&["KHR_draco_mesh_compression"]),
        ),
        Case(
            "glTF with its buffer elsewhere",
            "a.gltf",
            embedded(r#","uri":"mesh.bin""#),
            Malformed(&["buffer 0", "bytes alone have no folder"]),
        ),
        Case(
            "glTF with a broken address",
            "a.gltf",
            embedded(r#","uri":"data:application/octet-stream;base64,!!!!""#),
            Malformed(&["buffer 0", "base64"]),
        ),
        Case(
            "glTF copies far beyond the file",
            "a.glb",
            copies_of_one_mesh(),
            TooLarge(&["far beyond the size of the file"]),
        ),
        Case(
            "glTF scaled to infinity",
            "a.glb",
            json(r#""scale":[3,1,3]"#, r#""scale":[3e38,3e38,3e38]"#),
            Geometry(&["vertex", "not finite or farther"]),
        ),
    ]
}

/// Ten thousand nodes that all draw one index list of ten thousand triangles.
fn copies_of_one_mesh() -> Vec<u8> {
    let nodes = vec![r#"{"mesh":0}"#; 10_000].join(",");
    let names: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
          {{"componentType":5123,"count":30000,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}}],"buffers":[{{"byteLength":48}}]}}"#,
        names.join(",")
    );
    samples::glb_with(&json)
}

/// Puts the right checksum behind a PNG's header.
fn fix_crc(png: &mut [u8]) {
    let mut crc = u32::MAX;
    for byte in &png[12..29] {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    png[29..33].copy_from_slice(&(!crc).to_be_bytes());
}

fn check(case: &Case) -> Result<(), String> {
    let Case(_, file, bytes, expected) = case;
    let start = Instant::now();
    let found = read_bytes(file, bytes, &ReadOptions::default());
    let took = start.elapsed();
    if took > Duration::from_secs(5) {
        return Err(format!("took {took:?}"));
    }
    let holds = |text: &str, pieces: &[&str]| pieces.iter().all(|piece| text.contains(piece));
    let refused = |pieces: &[&str], right: fn(&FormatError) -> bool| match &found {
        Err(error) if right(error) && holds(&error.to_string(), pieces) => Ok(()),
        Err(error) => Err(format!("refused otherwise: {error:?}: {error}")),
        Ok(env) => Err(format!("read, with {:?}", env.notices)),
    };
    match expected {
        Repaired(pieces) => match &found {
            Ok(env) if env.notices.iter().any(|notice| holds(notice, pieces)) => Ok(()),
            Ok(env) => Err(format!("read, with {:?}", env.notices)),
            Err(error) => Err(format!("refused: {error}")),
        },
        Fine => match &found {
            Ok(env) if env.notices.is_empty() => Ok(()),
            Ok(env) => Err(format!("read, with {:?}", env.notices)),
            Err(error) => Err(format!("refused: {error}")),
        },
        Malformed(pieces) => refused(pieces, |e| matches!(e, FormatError::Malformed { .. })),
        Geometry(pieces) => refused(pieces, |e| matches!(e, FormatError::Geometry { .. })),
        TooLarge(pieces) => refused(pieces, |e| matches!(e, FormatError::TooLarge { .. })),
        Unrecognised(pieces) => refused(pieces, |e| matches!(e, FormatError::Unrecognised { .. })),
    }
}

#[test]
fn every_case_has_its_outcome() {
    let cases: Vec<Case> = [drawings(), svgs(), grids(), meshes()]
        .into_iter()
        .flatten()
        .collect();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{} ({}): {}", case.0, case.1, check(case).err()?)))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
