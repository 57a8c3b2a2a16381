//! What a caller may say about a file that the file does not say itself.

use throng_kit::environment::{HeightRules, Polygon};

/// Which axis of a mesh file points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// Plan coordinates are (y, z).
    X,
    /// Plan coordinates are (x, -z).
    Y,
    /// Plan coordinates are (x, y).
    Z,
}

/// Options of reading; the defaults suit a file in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Metres per unit of the file; multiplies `cell` and `metres_per_pixel` too. [m per unit; 1e-9 to 1e9; 1]
    pub scale: f64,
    /// Side of a cell of a MovingAI map. [m; 1e-9 to 1e9; 1]
    pub cell: f64,
    /// Side of a pixel of a PNG. [m; 1e-9 to 1e9; 1]
    pub metres_per_pixel: f64,
    /// A PNG's pixel darker than this is a wall. [grey level; 1 to 255; 128]
    pub threshold: u8,
    /// Reads a PNG as a height map: metres between black and white. [m; -1e5 to 1e5; none]
    pub heights: Option<f64>,
    /// Finds the walls in a PNG of heights and reads it as a floor plan. [rules; any; none]
    pub height_map: Option<HeightRules>,
    /// Shapes in metres that must be ground: parts of a height map that one of them meets are
    /// kept, however small. [polygons; any; none]
    pub grounds: Vec<Polygon>,
    /// The up axis of a mesh; by default a mesh flat within 1 mm along an axis is a floor seen
    /// along that axis, and any other keeps its file's coordinates. [axis; X, Y, Z; by flatness]
    pub up: Option<Up>,
    /// Whether coordinates are metres already (`true`) or longitude and latitude in degrees
    /// (`false`); by default decided by the rule in [`crate::projection`]. [bool; true or false; by rule]
    pub projected: Option<bool>,
    /// Curves are replaced by chords no farther away than this. [m; 1e-9 to 1e9; 0.01]
    pub curve_tolerance: f64,
    /// Files longer than this are refused unread. [bytes; any; 1 GiB]
    pub largest_file: u64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            scale: 1.0,
            cell: 1.0,
            metres_per_pixel: 1.0,
            threshold: 128,
            heights: None,
            height_map: None,
            grounds: Vec::new(),
            up: None,
            projected: None,
            curve_tolerance: 0.01,
            largest_file: 1 << 30,
        }
    }
}

impl ReadOptions {
    /// The first option out of range: name, value, what is allowed.
    pub(crate) fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        let positive = [
            ("scale", self.scale),
            ("cell", self.cell),
            ("metres_per_pixel", self.metres_per_pixel),
            ("curve_tolerance", self.curve_tolerance),
        ];
        for (name, value) in positive {
            if !(1e-9..=1e9).contains(&value) {
                return Some((
                    name,
                    value.to_string(),
                    "give a number between 1e-9 and 1e9",
                ));
            }
        }
        if self.threshold == 0 {
            return Some(("threshold", "0".to_string(), "give 1 to 255"));
        }
        if let Some(rules) = self.height_map
            && !(0.0..=1.0).contains(&rules.edge)
        {
            return Some((
                "height_map.edge",
                rules.edge.to_string(),
                "give a share between 0 and 1",
            ));
        }
        if let Some(heights) = self.heights
            && !(-1e5..=1e5).contains(&heights)
        {
            return Some((
                "heights",
                heights.to_string(),
                "give metres between -1e5 and 1e5",
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_named() {
        assert_eq!(ReadOptions::default().fault(), None);
        let zero = ReadOptions {
            scale: 0.0,
            ..ReadOptions::default()
        };
        assert_eq!(zero.fault().map(|fault| fault.0), Some("scale"));
        let nan = ReadOptions {
            heights: Some(f64::NAN),
            ..ReadOptions::default()
        };
        assert_eq!(nan.fault().map(|fault| fault.0), Some("heights"));
    }
}
