//! Which format a file is in, by its name and by what it begins with.

use crate::error::FormatError;

/// A format that a reader exists for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// GeoJSON drawings.
    GeoJson,
    /// Well-known text.
    Wkt,
    /// SVG drawings.
    Svg,
    /// MovingAI grid maps.
    MovingAi,
    /// PNG pictures.
    Png,
    /// Wavefront meshes.
    Obj,
    /// PLY meshes.
    Ply,
    /// STL meshes.
    Stl,
    /// glTF scenes.
    Gltf,
}

impl Format {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Format::GeoJson => "GeoJSON",
            Format::Wkt => "WKT",
            Format::Svg => "SVG",
            Format::MovingAi => "MovingAI map",
            Format::Png => "PNG",
            Format::Obj => "OBJ",
            Format::Ply => "PLY",
            Format::Stl => "STL",
            Format::Gltf => "glTF",
        }
    }

    /// The cargo feature that its reader is behind.
    pub fn feature(self) -> &'static str {
        match self {
            Format::GeoJson => "geojson",
            Format::Wkt => "wkt",
            Format::Svg => "svg",
            Format::MovingAi => "movingai",
            Format::Png => "png",
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Stl => "stl",
            Format::Gltf => "gltf",
        }
    }

    /// The format that a file name's ending stands for.
    pub fn by_name(name: &str) -> Option<Format> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "geojson" => Format::GeoJson,
            "wkt" => Format::Wkt,
            "svg" => Format::Svg,
            "map" => Format::MovingAi,
            "png" => Format::Png,
            "obj" => Format::Obj,
            "ply" => Format::Ply,
            "stl" => Format::Stl,
            "gltf" | "glb" => Format::Gltf,
            _ => return None,
        })
    }

    /// The format whose signature the content bears; `None` where nothing is certain.
    pub fn by_content(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(b"\x89PNG") {
            return Some(Format::Png);
        }
        if bytes.starts_with(b"glTF") {
            return Some(Format::Gltf);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Format::Ply);
        }
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let start = &start[..start.len().min(4096)];
        let text = String::from_utf8_lossy(start);
        let text = text.trim_start();
        if text.starts_with('{') {
            return if text.contains("\"asset\"") && !text.contains("\"Feature") {
                Some(Format::Gltf)
            } else {
                Some(Format::GeoJson)
            };
        }
        if text.starts_with('<') {
            return text.contains("<svg").then_some(Format::Svg);
        }
        if text.starts_with("type octile") || text.starts_with("type tile") {
            return Some(Format::MovingAi);
        }
        if text.starts_with("solid") && text.contains("facet") {
            return Some(Format::Stl);
        }
        let upper = text.get(..24.min(text.len())).map(str::to_ascii_uppercase);
        let upper = upper.unwrap_or_default();
        const WKT: [&str; 8] = [
            "SRID=",
            "POLYGON",
            "MULTI",
            "LINESTRING",
            "LINEARRING",
            "GEOMETRYCOLLECTION",
            "POINT",
            "TRIANGLE",
        ];
        if WKT.iter().any(|word| upper.starts_with(word)) {
            return Some(Format::Wkt);
        }
        let is_obj = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .take(50)
            .any(|line| {
                line.starts_with("v ") && {
                    let mut numbers = line.split_whitespace().skip(1);
                    numbers.clone().count() >= 3 && numbers.all(|word| word.parse::<f64>().is_ok())
                }
            });
        is_obj.then_some(Format::Obj)
    }

    /// The format by name, checked against the content, or by content alone.
    pub(crate) fn of(name: &str, bytes: &[u8]) -> Result<Format, FormatError> {
        let found = Format::by_content(bytes);
        match (Format::by_name(name), found) {
            (Some(named), Some(found)) if named != found && !found.is_guess() => {
                Err(FormatError::Unrecognised {
                    file: name.to_string(),
                    reason: format!(
                        "it is named as {} and its content is {}",
                        named.name(),
                        found.name()
                    ),
                    fix: "give it the ending of its content".to_string(),
                })
            }
            (Some(named), _) => Ok(named),
            (None, Some(found)) => Ok(found),
            (None, None) => Err(FormatError::Unrecognised {
                file: name.to_string(),
                reason: if bytes.is_empty() {
                    "it is empty".to_string()
                } else {
                    "neither its name nor its content tells its format".to_string()
                },
                fix: "end its name in .geojson, .wkt, .svg, .map, .png, .obj, .ply, .stl, .gltf \
                      or .glb"
                    .to_string(),
            }),
        }
    }

    /// Whether the content's signature may turn up in a file of another format.
    fn is_guess(self) -> bool {
        matches!(self, Format::Obj | Format::Stl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let cases: [(&[u8], Option<Format>); 10] = [
            (b"\x89PNG\r\n", Some(Format::Png)),
            (b"glTF\x02\0\0\0", Some(Format::Gltf)),
            (b"ply\nformat ascii 1.0\n", Some(Format::Ply)),
            (b" {\"type\":\"FeatureCollection\"", Some(Format::GeoJson)),
            (b"{\"asset\":{\"version\":\"2.0\"}}", Some(Format::Gltf)),
            (b"<?xml version='1.0'?><svg/>", Some(Format::Svg)),
            (b"type octile\nheight 1", Some(Format::MovingAi)),
            (b"multipolygon (((", Some(Format::Wkt)),
            (b"# hi\nv 0 0 1\n", Some(Format::Obj)),
            (b"nothing much", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Format::by_content(bytes), expected);
        }
    }

    #[test]
    fn a_wrong_ending_is_refused() {
        let error = Format::of("plan.svg", b"\x89PNG\r\n").unwrap_err();
        assert!(error.to_string().contains("content is PNG"));
        assert_eq!(Format::of("plan.json", b"{}").unwrap(), Format::GeoJson);
    }
}
