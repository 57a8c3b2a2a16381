//! Wavefront OBJ meshes.
//!
//! `v` lines are corners and `f` lines faces of three or more of them (cut into triangles);
//! indices count from 1, or backwards from the latest corner when negative. Texture, normal,
//! material, group and free-form lines are passed over. Corners keep their numbers.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use crate::error::{Fault, Place};
use crate::options::ReadOptions;
use crate::surface;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
    let mut faces_seen = false;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let mut joined = String::new();
        let mut line = line;
        // A backslash at the end continues the line.
        while let Some(start) = line.trim_end().strip_suffix('\\') {
            joined.push_str(start);
            line = lines.next().map_or("", |(_, next)| next);
        }
        let whole = if joined.is_empty() {
            line
        } else {
            joined.push_str(line);
            &joined
        };
        let mut words = whole.split_whitespace();
        match words.next() {
            Some("v") => mesh.vertices.push(corner(words, number)?),
            Some("f") => {
                faces_seen = true;
                face(words, number, &mut mesh)?;
            }
            _ => {}
        }
    }
    if !faces_seen {
        return Err(Fault::malformed(
            Place::File,
            format!("it has {} corners and no face", mesh.vertices.len()),
            "export the mesh with its faces (lines that begin with `f`)",
        ));
    }
    surface::environment(mesh, Vec::new(), options)
}

fn corner<'a>(mut words: impl Iterator<Item = &'a str>, line: usize) -> Result<DVec3, Fault> {
    let mut coordinate = || {
        let word = words.next().unwrap_or("");
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(Fault::malformed(
                Place::Line(line),
                format!("`{}` is not a finite number", shortened(word)),
                "write `v x y z` with three numbers",
            )),
        }
    };
    Ok(DVec3::new(coordinate()?, coordinate()?, coordinate()?))
}

fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    line: usize,
    mesh: &mut Mesh,
) -> Result<(), Fault> {
    let count = mesh.vertices.len();
    let mut corners: Vec<u32> = Vec::new();
    for word in words.take_while(|word| !word.starts_with('#')) {
        let first = word.split('/').next().unwrap_or("");
        let index = match first.parse::<i64>() {
            Ok(value) if value > 0 => usize::try_from(value - 1).ok(),
            Ok(value) if value < 0 => usize::try_from(value.unsigned_abs())
                .ok()
                .and_then(|back| count.checked_sub(back)),
            _ => None,
        };
        match index.filter(|index| *index < count) {
            Some(index) => corners.push(index as u32),
            None => {
                return Err(Fault::malformed(
                    Place::Line(line),
                    format!(
                        "`{}` is none of the {count} corners given so far",
                        shortened(word)
                    ),
                    "list every `v` line before the faces that use it",
                ));
            }
        }
    }
    if corners.len() < 3 {
        return Err(Fault::malformed(
            Place::Line(line),
            format!("a face of {} corners", corners.len()),
            "give each face three corners or more",
        ));
    }
    let places: Vec<DVec3> = corners
        .iter()
        .map(|corner| mesh.vertices[*corner as usize])
        .collect();
    let Some(triangles) = surface::triangulate_face(&places) else {
        return Err(Fault::too_large(
            Place::Line(line),
            format!("the face of {} corners is too complicated", corners.len()),
            "triangulate the mesh when exporting it",
        ));
    };
    mesh.triangles.extend(
        triangles
            .into_iter()
            .map(|triangle| triangle.map(|i| corners[i])),
    );
    Ok(())
}

fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_all_kinds() {
        let text = b"# a pyramid\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 1e0\n\
            f 1/1/1 2/2 3//3 4\nf -5 -4 -1 # side\nf 2 3 \\\n5\n";
        let env = read(text, &ReadOptions::default()).unwrap();
        let mesh = env.mesh.unwrap();
        assert_eq!(mesh.vertices.len(), 5);
        assert_eq!(mesh.triangles.len(), 4);
        assert_eq!(mesh.triangles[2], [0, 1, 4]);
        assert_eq!(mesh.triangles[3], [1, 2, 4]);
    }
}
