//! PLY meshes, text or binary of either byte order.
//!
//! The element `vertex` with the properties x, y, z and the element `face` with the list
//! `vertex_indices` (or `vertex_index`) are read, `tristrips` too; other elements and
//! properties are passed over. Corners keep their numbers.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use crate::error::{Fault, Place};
use crate::options::ReadOptions;
use crate::surface;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn named(name: &str) -> Option<Number> {
        Some(match name {
            "char" | "int8" => Number::I8,
            "uchar" | "uint8" => Number::U8,
            "short" | "int16" => Number::I16,
            "ushort" | "uint16" => Number::U16,
            "int" | "int32" => Number::I32,
            "uint" | "uint32" => Number::U32,
            "float" | "float32" => Number::F32,
            "double" | "float64" => Number::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::F64 => 8,
        }
    }
}

#[derive(Clone, Debug)]
struct Property {
    name: String,
    count: Option<Number>,
    value: Number,
}

#[derive(Clone, Debug)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Encoding {
    Text,
    Little,
    Big,
}

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let (encoding, elements, body, header_lines) = header(bytes)?;
    let mut values = Values {
        encoding,
        bytes,
        at: body,
        line: header_lines + 1,
    };
    // Every element takes a byte or a line break at least.
    let declared: u64 = elements.iter().map(|element| element.count as u64).sum();
    if declared > (bytes.len() - body.min(bytes.len())) as u64 + 1 {
        return Err(Fault::malformed(
            Place::Line(header_lines),
            format!(
                "the header declares {declared} elements and {} bytes follow",
                bytes.len() - body.min(bytes.len())
            ),
            "the file is cut short: export the mesh again",
        ));
    }
    let mut mesh = Mesh::default();
    for element in &elements {
        for number in 0..element.count {
            match element.name.as_str() {
                "vertex" => vertex(element, &mut values, &mut mesh)?,
                "face" => face(element, number, &mut values, &mut mesh)?,
                "tristrips" => strips(element, number, &mut values, &mut mesh)?,
                _ => {
                    for property in &element.properties {
                        values.property(property, |_| {})?;
                    }
                }
            }
        }
    }
    surface::environment(mesh, Vec::new(), options)
}

fn header(bytes: &[u8]) -> Result<(Encoding, Vec<Element>, usize, usize), Fault> {
    let bad = |line: usize, reason: String| {
        Err(Fault::malformed(
            Place::Line(line),
            reason,
            "export the mesh again as PLY 1.0",
        ))
    };
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut at = 0;
    let mut number = 0;
    loop {
        let Some(end) = bytes[at..].iter().position(|b| *b == b'\n' || *b == b'\r') else {
            return bad(number + 1, "the header has no `end_header`".to_string());
        };
        let line = String::from_utf8_lossy(&bytes[at..at + end]);
        at += end + 1;
        if bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        number += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return bad(1, "it does not begin with `ply`".to_string()),
            [] | ["comment" | "obj_info", ..] => {}
            ["format", kind, _] => {
                encoding = Some(match kind {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    other => return bad(number, format!("unknown format `{other}`")),
                });
            }
            ["element", name, count] => {
                let Ok(count) = count.parse::<u32>() else {
                    return bad(number, format!("`{count}` is not a number of elements"));
                };
                elements.push(Element {
                    name: name.to_string(),
                    count: count as usize,
                    properties: Vec::new(),
                });
            }
            ["property", ref kind @ .., name] => {
                let (count, value) = match *kind {
                    ["list", count, value] => (Some(Number::named(count)), Number::named(value)),
                    [value] => (None, Number::named(value)),
                    _ => return bad(number, format!("`{line}` is no property")),
                };
                let (Some(value), Some(element)) = (value, elements.last_mut()) else {
                    return bad(
                        number,
                        format!("`{line}` has an unknown type or no element"),
                    );
                };
                let count = match count {
                    None => None,
                    Some(Some(Number::F32 | Number::F64)) | Some(None) => {
                        return bad(number, format!("`{line}` counts in no whole number"));
                    }
                    Some(known) => known,
                };
                element.properties.push(Property {
                    name: name.to_string(),
                    count,
                    value,
                });
            }
            ["end_header"] => break,
            _ => {
                let start: String = line.chars().take(40).collect();
                return bad(number, format!("`{start}` is no header line"));
            }
        }
    }
    let Some(encoding) = encoding else {
        return bad(number, "the header has no `format`".to_string());
    };
    if let Some(empty) = elements
        .iter()
        .find(|element| element.properties.is_empty() && element.count > 0)
    {
        return bad(
            number,
            format!("the element `{}` has no property", empty.name),
        );
    }
    for wanted in ["x", "y", "z"] {
        let found = elements.iter().any(|element| {
            element.name == "vertex"
                && element
                    .properties
                    .iter()
                    .any(|property| property.name == wanted && property.count.is_none())
        });
        if !found {
            return bad(number, format!("the element `vertex` has no `{wanted}`"));
        }
    }
    Ok((encoding, elements, at, number))
}

fn vertex(element: &Element, values: &mut Values<'_>, mesh: &mut Mesh) -> Result<(), Fault> {
    let place = values.place();
    let mut point = DVec3::NAN;
    for property in &element.properties {
        let axis = match property.name.as_str() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => {
                values.property(property, |_| {})?;
                continue;
            }
        };
        values.property(property, |value| point[axis] = value)?;
    }
    if !point.is_finite() {
        return Err(Fault::malformed(
            place,
            format!("vertex {} is not finite", mesh.vertices.len() + 1),
            "export the mesh again",
        ));
    }
    mesh.vertices.push(point);
    Ok(())
}

fn index_list(
    element: &Element,
    names: [&str; 2],
    number: usize,
    values: &mut Values<'_>,
) -> Result<Vec<i64>, Fault> {
    let place = values.place();
    let mut indices = None;
    for property in &element.properties {
        if property.count.is_some() && names.contains(&property.name.as_str()) {
            let mut list = Vec::new();
            values.property(property, |value| list.push(value as i64))?;
            indices = Some(list);
        } else {
            values.property(property, |_| {})?;
        }
    }
    indices.ok_or_else(|| {
        Fault::malformed(
            place,
            format!("{} {} has no list `{}`", element.name, number + 1, names[0]),
            "export the mesh again as PLY 1.0",
        )
    })
}

fn in_range(index: i64, place: &Place, mesh: &Mesh) -> Result<u32, Fault> {
    match u32::try_from(index) {
        Ok(corner) if (corner as usize) < mesh.vertices.len() => Ok(corner),
        _ => Err(Fault::malformed(
            place.clone(),
            format!(
                "it uses corner {index} of {} given before it",
                mesh.vertices.len()
            ),
            "export the mesh again, with the vertices before the faces",
        )),
    }
}

fn face(
    element: &Element,
    number: usize,
    values: &mut Values<'_>,
    mesh: &mut Mesh,
) -> Result<(), Fault> {
    let place = values.place();
    let list = index_list(element, ["vertex_indices", "vertex_index"], number, values)?;
    let corners = list
        .into_iter()
        .map(|index| in_range(index, &place, mesh))
        .collect::<Result<Vec<u32>, Fault>>()?;
    let places: Vec<DVec3> = corners
        .iter()
        .map(|corner| mesh.vertices[*corner as usize])
        .collect();
    if corners.len() < 3 {
        return Err(Fault::malformed(
            place,
            format!("face {} has {} corners", number + 1, corners.len()),
            "give each face three corners or more",
        ));
    }
    let Some(triangles) = surface::triangulate_face(&places) else {
        return Err(Fault::too_large(
            place,
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

fn strips(
    element: &Element,
    number: usize,
    values: &mut Values<'_>,
    mesh: &mut Mesh,
) -> Result<(), Fault> {
    let place = values.place();
    let list = index_list(element, ["vertex_indices", "vertex_index"], number, values)?;
    for strip in list.split(|index| *index < 0) {
        for (step, three) in strip.windows(3).enumerate() {
            let mut triangle = [0; 3];
            for (corner, index) in triangle.iter_mut().zip(three) {
                *corner = in_range(*index, &place, mesh)?;
            }
            if step % 2 == 1 {
                triangle.swap(0, 1);
            }
            mesh.triangles.push(triangle);
        }
    }
    Ok(())
}

/// The numbers after the header, one by one.
struct Values<'a> {
    encoding: Encoding,
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Values<'_> {
    /// Where the next number is.
    fn place(&mut self) -> Place {
        match self.encoding {
            Encoding::Text => {
                self.skip_spaces();
                Place::Line(self.line)
            }
            _ => Place::Byte(self.at),
        }
    }

    fn skip_spaces(&mut self) {
        while let Some(byte) = self.bytes.get(self.at)
            && byte.is_ascii_whitespace()
        {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
    }

    fn property(&mut self, property: &Property, mut each: impl FnMut(f64)) -> Result<(), Fault> {
        let count = match property.count {
            None => 1,
            Some(kind) => {
                let place = self.place();
                let count = self.next(kind)?;
                let left = (self.bytes.len() - self.at) as f64;
                let size = match self.encoding {
                    Encoding::Text => 1.0,
                    _ => property.value.size() as f64,
                };
                if !(count >= 0.0 && count * size <= left) {
                    return Err(Fault::malformed(
                        place,
                        format!("a list of {count} numbers with {left} bytes left"),
                        "the file is cut short or wrong: export the mesh again",
                    ));
                }
                count as usize
            }
        };
        for _ in 0..count {
            each(self.next(property.value)?);
        }
        Ok(())
    }

    fn next(&mut self, kind: Number) -> Result<f64, Fault> {
        let cut_short = |place| {
            Fault::malformed(
                place,
                "it ends before all declared elements: it is cut short",
                "export the mesh again",
            )
        };
        if self.encoding == Encoding::Text {
            self.skip_spaces();
            let rest = &self.bytes[self.at..];
            let length = rest
                .iter()
                .position(|b| b.is_ascii_whitespace())
                .unwrap_or(rest.len());
            if length == 0 {
                return Err(cut_short(self.place()));
            }
            let word = String::from_utf8_lossy(&rest[..length]);
            self.at += length;
            return word.parse::<f64>().map_err(|_| {
                Fault::malformed(
                    self.place(),
                    format!(
                        "`{}` is not a number",
                        word.chars().take(40).collect::<String>()
                    ),
                    "export the mesh again",
                )
            });
        }
        let size = kind.size();
        let Some(raw) = self.bytes.get(self.at..self.at + size) else {
            return Err(cut_short(self.place()));
        };
        self.at += size;
        let mut eight = [0; 8];
        for (i, byte) in raw.iter().enumerate() {
            // Little-endian order whatever the file's.
            let place = if self.encoding == Encoding::Big {
                size - 1 - i
            } else {
                i
            };
            eight[place] = *byte;
        }
        let whole = u64::from_le_bytes(eight);
        Ok(match kind {
            Number::I8 => f64::from(whole as u8 as i8),
            Number::U8 => f64::from(whole as u8),
            Number::I16 => f64::from(whole as u16 as i16),
            Number::U16 => f64::from(whole as u16),
            Number::I32 => f64::from(whole as u32 as i32),
            Number::U32 => f64::from(whole as u32),
            Number::F32 => f64::from(f32::from_bits(whole as u32)),
            Number::F64 => f64::from_bits(whole),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn head(format: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment a roof\nelement vertex 4\nproperty float x\n\
             property uchar red\nproperty float y\nproperty float z\nelement face 2\n\
             property list uchar int vertex_indices\nend_header\n"
        )
    }

    const CORNERS: [[f32; 3]; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.5],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.5],
    ];

    pub(crate) fn binary(big: bool) -> Vec<u8> {
        let format = if big {
            "binary_big_endian"
        } else {
            "binary_little_endian"
        };
        let mut bytes = head(format).into_bytes();
        let mut push = |le: &[u8]| {
            let mut value = le.to_vec();
            if big {
                value.reverse();
            }
            bytes.extend(value);
        };
        for [x, y, z] in CORNERS {
            push(&x.to_le_bytes());
            push(&[200]);
            push(&y.to_le_bytes());
            push(&z.to_le_bytes());
        }
        for face in [[0_i32, 1, 2], [0, 2, 3]] {
            push(&[3]);
            for index in face {
                push(&index.to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn all_encodings_agree() {
        let mut text = head("ascii");
        for [x, y, z] in CORNERS {
            text += &format!("{x} 200 {y} {z}\n");
        }
        text += "3 0 1 2\n3 0 2 3\n";
        let from_text = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        for big in [false, true] {
            let from_binary = read(&binary(big), &ReadOptions::default()).unwrap();
            assert_eq!(from_binary, from_text);
        }
        let mesh = from_text.mesh.unwrap();
        assert_eq!(mesh.vertices[1], DVec3::new(1.0, 0.0, 0.5));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }
}
