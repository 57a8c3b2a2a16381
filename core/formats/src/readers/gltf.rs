//! glTF 2 meshes, `.gltf` and `.glb`.
//!
//! All triangles of the default scene (or of the only one, or of all nodes where there is no
//! scene) are one mesh, with the nodes' transforms applied; points and lines are passed over,
//! and so are materials, skins, morphs and animations. Buffers may be in the file, in a `data:`
//! address or in a file of the same folder. Compressed meshes are refused.

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, DVec3};
use gltf::json;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::mesh::{Mode, Semantic};
use gltf::json::validation::Checked;
use throng_kit::environment::{Environment, Mesh};

use crate::error::{Fault, Place};
use crate::options::ReadOptions;
use crate::surface;

/// Gives the bytes of a file that lies beside the one being read.
pub(crate) type Sibling<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Extensions that change nothing about where the triangles are.
const HARMLESS: [&str; 3] = ["KHR_materials_", "KHR_texture_", "KHR_mesh_quantization"];

pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
    sibling: Sibling<'_>,
) -> Result<Environment, Fault> {
    let (text, blob) = if bytes.starts_with(b"glTF") {
        binary_chunks(bytes)?
    } else {
        (bytes, None)
    };
    let root: json::Root = json::deserialize::from_slice(text).map_err(|error| {
        let reason = error.to_string();
        Fault::malformed(
            match (error.line(), bytes.starts_with(b"glTF")) {
                (0, _) | (_, true) => Place::File,
                (line, false) => Place::LineColumn(line, error.column()),
            },
            format!("its JSON is not a glTF document: {reason}"),
            "export the scene again as glTF 2.0",
        )
    })?;
    if let Some(extension) = root
        .extensions_required
        .iter()
        .find(|name| !HARMLESS.iter().any(|harmless| name.starts_with(harmless)))
    {
        return Err(Fault::malformed(
            Place::Feature(format!("extension {extension}")),
            "the file cannot be read without it and it is not supported",
            "export the scene without compression and special extensions",
        ));
    }
    let buffers = buffers(&root, blob, sibling)?;
    let total: usize = buffers.iter().map(|buffer| buffer.len()).sum();
    // Instances may repeat a mesh, but memory stays in proportion to the file.
    let most = (1 << 20) + bytes.len() + total;
    let mut gatherer = Gatherer {
        root: &root,
        buffers,
        most,
        budget: most,
        mesh: Mesh::default(),
        skipped: 0,
    };
    gatherer.scene()?;
    let mut notices = Vec::new();
    if gatherer.skipped > 0 {
        notices.push(format!(
            "{} primitives are points or lines and were left out",
            gatherer.skipped
        ));
    }
    surface::environment(gatherer.mesh, notices, options)
}

/// The JSON text and the binary chunk of a `.glb`.
fn binary_chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let word = |at: usize| -> Option<usize> {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
    };
    let cut_short = |at: usize| {
        Fault::malformed(
            Place::Byte(at),
            format!("the file of {} bytes is cut short", bytes.len()),
            "export the scene again",
        )
    };
    match word(4) {
        Some(2) => {}
        Some(version) => {
            return Err(Fault::malformed(
                Place::Byte(4),
                format!("it is of glTF version {version}"),
                "export the scene as glTF 2.0",
            ));
        }
        None => return Err(cut_short(4)),
    }
    let length = word(8).ok_or_else(|| cut_short(8))?;
    if length > bytes.len() {
        return Err(cut_short(8));
    }
    let (mut text, mut blob) = (None, None);
    let mut at = 12;
    while at + 8 <= length {
        let size = word(at).ok_or_else(|| cut_short(at))?;
        let chunk = bytes
            .get(at + 8..(at + 8).saturating_add(size))
            .ok_or_else(|| cut_short(at))?;
        match &bytes[at + 4..at + 8] {
            b"JSON" if text.is_none() => text = Some(chunk),
            b"BIN\0" if blob.is_none() => blob = Some(chunk),
            _ => {}
        }
        at += 8 + size;
    }
    match text {
        Some(text) => Ok((text, blob)),
        None => Err(cut_short(12)),
    }
}

fn buffers(
    root: &json::Root,
    blob: Option<&[u8]>,
    sibling: Sibling<'_>,
) -> Result<Vec<Vec<u8>>, Fault> {
    let mut all = Vec::with_capacity(root.buffers.len());
    for (index, buffer) in root.buffers.iter().enumerate() {
        let refuse = |reason: String| {
            Fault::malformed(
                Place::Feature(format!("buffer {index}")),
                reason,
                "export the scene again, best as one .glb file",
            )
        };
        let bytes = match (&buffer.uri, blob) {
            (None, Some(blob)) if index == 0 => blob.to_vec(),
            (None, _) => return Err(refuse("its bytes are nowhere in the file".to_string())),
            (Some(uri), _) if uri.starts_with("data:") => uri
                .split_once(";base64,")
                .and_then(|(_, text)| from_base64(text))
                .ok_or_else(|| refuse("its data address is not in base64".to_string()))?,
            (Some(uri), _) => sibling(uri).map_err(refuse)?,
        };
        if (bytes.len() as u64) < buffer.byte_length.0 {
            return Err(refuse(format!(
                "it declares {} bytes and has {}",
                buffer.byte_length.0,
                bytes.len()
            )));
        }
        all.push(bytes);
    }
    Ok(all)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut word, mut bits) = (0_u32, 0);
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        word = (word << 6 | u32::from(six)) & 0xfff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    Some(bytes)
}

struct Gatherer<'a> {
    root: &'a json::Root,
    buffers: Vec<Vec<u8>>,
    /// Most elements of one list.
    most: usize,
    /// Corners and triangles that may still be added.
    budget: usize,
    mesh: Mesh,
    skipped: usize,
}

impl Gatherer<'_> {
    fn scene(&mut self) -> Result<(), Fault> {
        let root = self.root;
        let scene = root
            .scene
            .map(|scene| scene.value())
            .or((!root.scenes.is_empty()).then_some(0));
        let tops: Vec<usize> = match scene {
            Some(index) => match root.scenes.get(index) {
                Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
                None => return Err(missing("scene", index)),
            },
            None if root.nodes.is_empty() => {
                for index in 0..root.meshes.len() {
                    self.place(index, DMat4::IDENTITY)?;
                }
                return Ok(());
            }
            None => {
                let mut is_child = vec![false; root.nodes.len()];
                let children = root.nodes.iter().filter_map(|node| node.children.as_ref());
                for child in children.flatten() {
                    if let Some(flag) = is_child.get_mut(child.value()) {
                        *flag = true;
                    }
                }
                (0..root.nodes.len()).filter(|i| !is_child[*i]).collect()
            }
        };
        let mut seen = vec![false; root.nodes.len()];
        let mut open: Vec<(usize, DMat4)> = tops
            .into_iter()
            .rev()
            .map(|top| (top, DMat4::IDENTITY))
            .collect();
        while let Some((index, above)) = open.pop() {
            let Some(node) = root.nodes.get(index) else {
                return Err(missing("node", index));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(Fault::malformed(
                    Place::Feature(format!("node {index}")),
                    "it hangs below itself or below two others",
                    "export the scene again: nodes must be a tree",
                ));
            }
            let transform = above * local_transform(node);
            if let Some(mesh) = node.mesh {
                self.place(mesh.value(), transform)?;
            }
            for child in node.children.iter().flatten().rev() {
                open.push((child.value(), transform));
            }
        }
        Ok(())
    }

    fn place(&mut self, index: usize, transform: DMat4) -> Result<(), Fault> {
        let root = self.root;
        let Some(mesh) = root.meshes.get(index) else {
            return Err(missing("mesh", index));
        };
        let mut start_of: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let feature = format!("mesh {index}, primitive {number}");
            let mode = match primitive.mode {
                Checked::Valid(mode) => mode,
                Checked::Invalid => {
                    return Err(Fault::malformed(
                        Place::Feature(feature),
                        "its mode is unknown",
                        "export the scene again as glTF 2.0",
                    ));
                }
            };
            if !matches!(
                mode,
                Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan
            ) {
                self.skipped += 1;
                continue;
            }
            let Some(positions) = primitive
                .attributes
                .get(&Checked::Valid(Semantic::Positions))
            else {
                self.skipped += 1;
                continue;
            };
            let (start, count) = match start_of.get(&positions.value()) {
                Some(known) => *known,
                None => {
                    let numbers = self.accessor(positions.value(), Type::Vec3, &feature)?;
                    let start = self.mesh.vertices.len();
                    self.spend(numbers.len() / 3, &feature)?;
                    self.mesh.vertices.extend(
                        numbers
                            .chunks_exact(3)
                            .map(|p| transform.project_point3(DVec3::new(p[0], p[1], p[2]))),
                    );
                    let added = (start, numbers.len() / 3);
                    start_of.insert(positions.value(), added);
                    added
                }
            };
            let corners: Vec<usize> = match primitive.indices {
                Some(indices) => self
                    .accessor(indices.value(), Type::Scalar, &feature)?
                    .into_iter()
                    .map(|index| index as usize)
                    .collect(),
                None => (0..count).collect(),
            };
            if let Some(bad) = corners.iter().find(|corner| **corner >= count) {
                return Err(Fault::malformed(
                    Place::Feature(feature),
                    format!("it uses corner {bad} of {count}"),
                    "export the scene again",
                ));
            }
            let triangles: Vec<[usize; 3]> = match mode {
                Mode::Triangles => corners
                    .chunks_exact(3)
                    .map(|three| [three[0], three[1], three[2]])
                    .collect(),
                Mode::TriangleStrip => corners
                    .windows(3)
                    .enumerate()
                    .map(|(i, w)| [w[i % 2], w[1 - i % 2], w[2]])
                    .collect(),
                _ => corners
                    .windows(2)
                    .skip(1)
                    .map(|w| [corners[0], w[0], w[1]])
                    .collect(),
            };
            self.spend(triangles.len(), &feature)?;
            self.mesh.triangles.extend(
                triangles
                    .into_iter()
                    .map(|triangle| triangle.map(|corner| (start + corner) as u32)),
            );
        }
        Ok(())
    }

    fn spend(&mut self, amount: usize, feature: &str) -> Result<(), Fault> {
        match self.budget.checked_sub(amount) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(Fault::too_large(
                Place::Feature(feature.to_string()),
                "with it the scene repeats its meshes far beyond the size of the file",
                "keep one copy of the ground in the scene",
            )),
        }
    }

    /// The numbers of an accessor, all components in a row.
    fn accessor(&self, index: usize, wanted: Type, feature: &str) -> Result<Vec<f64>, Fault> {
        let refuse = |reason: String| {
            Err(Fault::malformed(
                Place::Feature(format!("{feature}, accessor {index}")),
                reason,
                "export the scene again as glTF 2.0",
            ))
        };
        let Some(accessor) = self.root.accessors.get(index) else {
            return Err(missing("accessor", index));
        };
        let (kind, Checked::Valid(component)) = (&accessor.type_, &accessor.component_type) else {
            return refuse("its component type is unknown".to_string());
        };
        if *kind != Checked::Valid(wanted) {
            return refuse(format!("it is not of the type {wanted:?}"));
        }
        let component = component.0;
        let width = if wanted == Type::Vec3 { 3 } else { 1 };
        // What has no view is zeros, which no file size bounds.
        if accessor.count.0 > self.most as u64 {
            return refuse(format!(
                "it declares {} elements, more than the file can hold",
                accessor.count.0
            ));
        }
        let count = accessor.count.0 as usize;
        let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
        let mut numbers = match accessor.buffer_view {
            Some(view) => match self.numbers(view.value(), offset, count, width, component) {
                Some(numbers) => numbers,
                None => return refuse("it reaches beyond its buffer".to_string()),
            },
            None => vec![0.0; count * width],
        };
        if let Some(sparse) = &accessor.sparse {
            let Checked::Valid(index_type) = sparse.indices.component_type else {
                return refuse("its sparse indices have an unknown type".to_string());
            };
            let changed = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
            let places = self.numbers(
                sparse.indices.buffer_view.value(),
                sparse.indices.byte_offset.0,
                changed,
                1,
                index_type.0,
            );
            let values = self.numbers(
                sparse.values.buffer_view.value(),
                sparse.values.byte_offset.0,
                changed,
                width,
                component,
            );
            let (Some(places), Some(values)) = (places, values) else {
                return refuse("its sparse part reaches beyond its buffer".to_string());
            };
            for (place, value) in places.iter().zip(values.chunks_exact(width)) {
                let start = *place as usize * width;
                match numbers.get_mut(start..start + width) {
                    Some(target) => target.copy_from_slice(value),
                    None => return refuse(format!("its sparse part changes element {place}")),
                }
            }
        }
        if accessor.normalized {
            let largest = match component {
                ComponentType::I8 => 127.0,
                ComponentType::U8 => 255.0,
                ComponentType::I16 => 32767.0,
                ComponentType::U16 => 65535.0,
                ComponentType::U32 | ComponentType::F32 => 1.0,
            };
            for number in &mut numbers {
                *number = (*number / largest).max(if largest > 1.0 { -1.0 } else { f64::MIN });
            }
        }
        Ok(numbers)
    }

    fn numbers(
        &self,
        view: usize,
        offset: u64,
        count: usize,
        width: usize,
        component: ComponentType,
    ) -> Option<Vec<f64>> {
        let view = self.root.buffer_views.get(view)?;
        let buffer = self.buffers.get(view.buffer.value())?;
        let low = usize::try_from(view.byte_offset.map_or(0, |offset| offset.0)).ok()?;
        let length = usize::try_from(view.byte_length.0).ok()?;
        let bytes = buffer.get(low..low.checked_add(length)?)?;
        let bytes = bytes.get(usize::try_from(offset).ok()?..)?;
        let size = component.size();
        let element = size * width;
        let stride = view.byte_stride.map_or(element, |stride| stride.0);
        if stride < element {
            return None;
        }
        if count > 0 {
            let end = (count - 1).checked_mul(stride)?.checked_add(element)?;
            if end > bytes.len() {
                return None;
            }
        }
        let mut numbers = Vec::with_capacity(count * width);
        for start in (0..count).map(|i| i * stride) {
            for raw in bytes[start..start + element].chunks_exact(size) {
                numbers.push(match (component, raw) {
                    (ComponentType::I8, [a]) => f64::from(*a as i8),
                    (ComponentType::U8, [a]) => f64::from(*a),
                    (ComponentType::I16, [a, b]) => f64::from(i16::from_le_bytes([*a, *b])),
                    (ComponentType::U16, [a, b]) => f64::from(u16::from_le_bytes([*a, *b])),
                    (ComponentType::U32, [a, b, c, d]) => {
                        f64::from(u32::from_le_bytes([*a, *b, *c, *d]))
                    }
                    (_, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
                    _ => return None,
                });
            }
        }
        Some(numbers)
    }
}

fn missing(what: &str, index: usize) -> Fault {
    Fault::malformed(
        Place::Feature(format!("{what} {index}")),
        "it is used and does not exist",
        "export the scene again",
    )
}

fn local_transform(node: &json::Node) -> DMat4 {
    if let Some(matrix) = node.matrix {
        return DMat4::from_cols_array(&matrix.map(f64::from));
    }
    let three = |values: Option<[f32; 3]>, usual: f64| {
        values.map_or(DVec3::splat(usual), |v| DVec3::from_array(v.map(f64::from)))
    };
    let rotation = node.rotation.map_or(DQuat::IDENTITY, |q| {
        let q = DQuat::from_array(q.0.map(f64::from));
        if q.length_squared() > 0.0 && q.is_finite() {
            q.normalize()
        } else {
            DQuat::IDENTITY
        }
    });
    DMat4::from_scale_rotation_translation(
        three(node.scale, 1.0),
        rotation,
        three(node.translation, 0.0),
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A unit square in the plane y = 0 as `.glb`, moved by its node, drawn as a strip.
    pub(crate) fn glb() -> Vec<u8> {
        let corners: [[f32; 3]; 4] = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
        ];
        let mut blob: Vec<u8> = corners
            .iter()
            .flatten()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        for index in [0_u16, 1, 2, 3] {
            blob.extend(index.to_le_bytes());
        }
        let text = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
            "nodes":[{"children":[1],"translation":[10,2,0]},{"mesh":0,"scale":[3,1,3]}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":5}]}],
            "accessors":[
              {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
               "min":[0,0,0],"max":[1,0,1]},
              {"bufferView":1,"componentType":5123,"count":4,"type":"SCALAR"}],
            "bufferViews":[{"buffer":0,"byteLength":48},
              {"buffer":0,"byteOffset":48,"byteLength":8}],
            "buffers":[{"byteLength":56}]}"#;
        pack(text, &blob)
    }

    pub(crate) fn pack(text: &str, blob: &[u8]) -> Vec<u8> {
        let mut text = text.as_bytes().to_vec();
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

    #[test]
    fn nodes_move_and_stretch_the_floor() {
        let none = |_: &str| Err("no folder".to_string());
        let env = read(&glb(), &ReadOptions::default(), &none).unwrap();
        let floor = &env.floors[0];
        assert_eq!(floor.z, 2.0);
        let mut outer = floor.walkable[0].outer.clone();
        outer.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let expected = [(10.0, -3.0), (10.0, 0.0), (13.0, -3.0), (13.0, 0.0)];
        let found: Vec<(f64, f64)> = outer.iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn base64_of_all_lengths() {
        assert_eq!(from_base64("TWFu").unwrap(), b"Man");
        assert_eq!(from_base64("TWE=").unwrap(), b"Ma");
        assert_eq!(from_base64("TQ==").unwrap(), b"M");
        assert_eq!(from_base64("T!"), None);
    }
}
