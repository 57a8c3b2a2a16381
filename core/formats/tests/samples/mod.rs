//! Small good files of every format, made by code.
#![allow(dead_code)] // Each test uses some of them.

use std::io::Cursor;

/// A GeoJSON FeatureCollection of features given as text.
pub fn collection(features: &[String]) -> Vec<u8> {
    let features = features.join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#).into_bytes()
}

/// A GeoJSON feature.
pub fn feature(properties: &str, kind: &str, coordinates: &str) -> String {
    format!(
        r#"{{"type":"Feature","properties":{properties},"geometry":{{"type":"{kind}","coordinates":{coordinates}}}}}"#
    )
}

/// A GeoJSON file of one polygon named hall.
pub fn polygon(coordinates: &str) -> Vec<u8> {
    collection(&[feature(r#"{"name":"hall"}"#, "Polygon", coordinates)])
}

/// A 20 m square with a hall's worth of everything.
pub fn geojson() -> Vec<u8> {
    let square = "[[[0,0],[20,0],[20,20],[0,20],[0,0]],[[5,5],[5,6],[6,6],[6,5],[5,5]]]";
    collection(&[
        feature(r#"{"name":"hall","z":0}"#, "Polygon", square),
        feature(r#"{"name":"upper","z":4}"#, "Polygon", square),
        feature(
            r#"{"kind":"door","name":"d"}"#,
            "LineString",
            "[[10,0],[10,2]]",
        ),
        feature(
            r#"{"kind":"connection","name":"s","from":0,"to":4,"speed":0.5}"#,
            "Polygon",
            "[[[12,12],[14,12],[14,16],[12,16],[12,12]]]",
        ),
    ])
}

pub fn wkt() -> Vec<u8> {
    b"GEOMETRYCOLLECTION (POLYGON ((0 0, 10 0, 10 5, 0 5, 0 0)), LINESTRING (5 0, 5 4))".to_vec()
}

pub fn svg_with(body: &str) -> Vec<u8> {
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{body}</svg>"#)
        .into_bytes()
}

pub fn svg() -> Vec<u8> {
    svg_with(
        r##"<style>.thick { stroke: red; fill: none } rect.solid { fill: #123 }</style><defs><rect id="block" width="2" height="2"/></defs>
        <path class="walkable" d="M0 0 H40 V20 C 30 18 10 22 0 20 Z"/>
        <g transform="rotate(10 5 5)"><circle id="solid-1" cx="10" cy="10" r="2"/></g>
        <use href="#block" x="12" y="4" class="solid"/>
        <line id="door:a" x1="20" y1="0" x2="20" y2="2" stroke="red"/>"##,
    )
}

pub fn map() -> Vec<u8> {
    b"type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n..GS\n".to_vec()
}

pub fn png() -> Vec<u8> {
    let greys: Vec<u8> = (0..48).map(|i| if i % 7 == 0 { 0 } else { 255 }).collect();
    let picture = image::GrayImage::from_raw(8, 6, greys).unwrap();
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

pub fn obj() -> Vec<u8> {
    b"v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 2 1 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 1 4 3 2\n"
        .to_vec()
}

const CORNERS: [[f32; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [3.0, 0.0, 0.5],
    [3.0, 3.0, 0.0],
    [0.0, 3.0, 0.5],
];
const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

pub fn ply_head(format: &str, vertices: u64, faces: u64) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
         property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

pub fn ply_text() -> Vec<u8> {
    let mut text = ply_head("ascii", 4, 2);
    for [x, y, z] in CORNERS {
        text += &format!("{x} {y} {z}\n");
    }
    (text + "3 0 1 2\n3 0 2 3\n").into_bytes()
}

pub fn ply_binary() -> Vec<u8> {
    let mut bytes = ply_head("binary_little_endian", 4, 2).into_bytes();
    bytes.extend(CORNERS.iter().flatten().flat_map(|v| v.to_le_bytes()));
    for triangle in TRIANGLES {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|i| (*i as i32).to_le_bytes()));
    }
    bytes
}

pub fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(2_u32.to_le_bytes());
    for triangle in TRIANGLES {
        bytes.extend([0; 12]);
        for corner in triangle {
            bytes.extend(CORNERS[corner].iter().flat_map(|v| v.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn stl_text() -> Vec<u8> {
    let mut text = "solid roof\n".to_string();
    for triangle in TRIANGLES {
        text += "facet normal 0 0 1\nouter loop\n";
        for corner in triangle {
            let [x, y, z] = CORNERS[corner];
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid roof\n").into_bytes()
}

pub fn gltf_blob() -> Vec<u8> {
    let mut blob: Vec<u8> = CORNERS
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    blob.extend(
        TRIANGLES
            .iter()
            .flatten()
            .flat_map(|i| (*i as u16).to_le_bytes()),
    );
    blob
}

/// The JSON of a scene; `buffer` is put into its only buffer.
pub fn gltf_json(buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"translation":[10,2,0]}},{{"mesh":0,"scale":[3,1,3]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
          {{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},
          {{"buffer":0,"byteOffset":48,"byteLength":12}}],
        "buffers":[{{"byteLength":60{buffer}}}]}}"#
    )
}

pub fn glb() -> Vec<u8> {
    glb_with(&gltf_json(""))
}

pub fn glb_with(json: &str) -> Vec<u8> {
    let blob = gltf_blob();
    let mut text = json.as_bytes().to_vec();
    while !text.len().is_multiple_of(4) {
        text.push(b' ');
    }
    let mut bytes = b"glTF".to_vec();
    let total = 12 + 8 + text.len() + 8 + blob.len();
    for word in [2, total as u32, text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend((blob.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(blob);
    bytes
}

/// Every sample with the name it is read under.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.geojson", geojson()),
        ("a.wkt", wkt()),
        ("a.svg", svg()),
        ("a.map", map()),
        ("a.png", png()),
        ("a.obj", obj()),
        ("text.ply", ply_text()),
        ("binary.ply", ply_binary()),
        ("text.stl", stl_text()),
        ("binary.stl", stl_binary()),
        ("a.glb", glb()),
    ]
}
