//! STL meshes, text or binary.
//!
//! A file whose length is exactly that of its declared binary triangles is binary, even if it
//! begins with `solid`. Corners at the same place become one. Normals are passed over.

use std::collections::BTreeMap;

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use crate::error::{Fault, Place};
use crate::options::ReadOptions;
use crate::surface;

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Whether the length fits the triangles that a binary file declares at byte 80.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    declared_triangles(bytes)
        .is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * u64::from(count))
}

fn declared_triangles(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let text = bytes.trim_ascii_start().starts_with(b"solid")
        && !is_binary(bytes)
        && (bytes.len() < HEADER || bytes.windows(5).take(4096).any(|w| w == b"facet"));
    let mut welder = Welder::default();
    let mut notices = Vec::new();
    if text {
        read_text(bytes, &mut welder, &mut notices)?;
    } else {
        read_binary(bytes, &mut welder, &mut notices)?;
    }
    surface::environment(welder.mesh, notices, options)
}

fn read_binary(bytes: &[u8], welder: &mut Welder, notices: &mut Vec<String>) -> Result<(), Fault> {
    let Some(count) = declared_triangles(bytes) else {
        return Err(Fault::malformed(
            Place::Byte(bytes.len()),
            format!("it ends within the {HEADER} bytes of an STL header"),
            "export the mesh again",
        ));
    };
    let whole = (bytes.len() - HEADER) / RECORD;
    if (count as usize) > whole {
        return Err(Fault::malformed(
            Place::Byte(80),
            format!("it declares {count} triangles and holds {whole}: it is cut short"),
            "export the mesh again",
        ));
    }
    if (count as usize) < whole {
        notices.push(format!(
            "it declares {count} triangles; the bytes after them were left out"
        ));
    }
    for (index, record) in bytes[HEADER..]
        .chunks_exact(RECORD)
        .take(count as usize)
        .enumerate()
    {
        let mut numbers = record[12..48]
            .chunks_exact(4)
            .map(|four| f64::from(f32::from_le_bytes([four[0], four[1], four[2], four[3]])));
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        let corners = [(); 3].map(|()| DVec3::new(next(), next(), next()));
        if corners.iter().any(|corner| !corner.is_finite()) {
            return Err(Fault::malformed(
                Place::Byte(HEADER + RECORD * index),
                format!("triangle {} has a corner that is not finite", index + 1),
                "export the mesh again",
            ));
        }
        welder.triangle(corners);
    }
    Ok(())
}

fn read_text(bytes: &[u8], welder: &mut Welder, notices: &mut Vec<String>) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners: Vec<DVec3> = Vec::new();
    let (mut in_facet, mut ended) = (false, false);
    let mut last_line = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        last_line = number;
        let mut words = line.split_whitespace();
        match words.next().unwrap_or("") {
            "outer" => corners.clear(),
            "vertex" => {
                let mut coordinate = || {
                    let word = words.next().unwrap_or("");
                    match word.parse::<f64>() {
                        Ok(value) if value.is_finite() => Ok(value),
                        _ => Err(Fault::malformed(
                            Place::Line(number),
                            format!(
                                "`{}` is not a finite number",
                                word.chars().take(40).collect::<String>()
                            ),
                            "write `vertex x y z` with three numbers",
                        )),
                    }
                };
                corners.push(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
            }
            "endloop" => {
                let [a, b, c] = corners[..] else {
                    return Err(Fault::malformed(
                        Place::Line(number),
                        format!("a loop of {} corners", corners.len()),
                        "give each facet three `vertex` lines",
                    ));
                };
                welder.triangle([a, b, c]);
                corners.clear();
            }
            "facet" => in_facet = true,
            "endfacet" => in_facet = false,
            "solid" => ended = false,
            "endsolid" => ended = true,
            "" => {}
            other => {
                return Err(Fault::malformed(
                    Place::Line(number),
                    format!(
                        "`{}` is no line of a text STL",
                        other.chars().take(40).collect::<String>()
                    ),
                    "export the mesh again",
                ));
            }
        }
    }
    if in_facet {
        return Err(Fault::malformed(
            Place::Line(last_line),
            "it ends within a facet: it is cut short",
            "export the mesh again",
        ));
    }
    if !ended {
        notices.push(format!(
            "line {last_line}: it ends without `endsolid` and may be cut short"
        ));
    }
    Ok(())
}

/// Makes corners at the same place one.
#[derive(Default)]
struct Welder {
    mesh: Mesh,
    known: BTreeMap<[u64; 3], u32>,
}

impl Welder {
    fn triangle(&mut self, corners: [DVec3; 3]) {
        let triangle = corners.map(|corner| {
            // Adding zero makes -0 the same as 0.
            let key = corner.to_array().map(|value| (value + 0.0).to_bits());
            *self.known.entry(key).or_insert_with(|| {
                self.mesh.vertices.push(corner);
                self.mesh.vertices.len() as u32 - 1
            })
        });
        self.mesh.triangles.push(triangle);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid that is binary all the same".to_vec();
        bytes.resize(80, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            for value in triangle.iter().flatten() {
                bytes.extend(value.to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    const SQUARE: [[[f32; 3]; 3]; 2] = [
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0]],
        [[0.0, 0.0, -0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]],
    ];

    #[test]
    fn binary_and_text_agree() {
        let from_binary = read(&binary(&SQUARE), &ReadOptions::default()).unwrap();
        let mut text = "solid square\n".to_string();
        for triangle in SQUARE {
            text += " facet normal 0 0 1\n  outer loop\n";
            for [x, y, z] in triangle {
                text += &format!("   vertex {x} {y} {z}\n");
            }
            text += "  endloop\n endfacet\n";
        }
        text += "endsolid square\n";
        let from_text = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(from_binary, from_text);
        assert_eq!(from_text.floors[0].walkable[0].outer.len(), 4);
    }
}
