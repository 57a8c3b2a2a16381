//! Well-known text: one or several geometries, as JuPedSim and GIS tools write them.
//!
//! POLYGON, MULTIPOLYGON and TRIANGLE are walkable, LINESTRING, LINEARRING and MULTILINESTRING
//! are thin walls, GEOMETRYCOLLECTION is the sum of its parts, points are left out with a
//! notice. Several geometries may follow each other, apart by space, `;` or `,`. The prefix
//! `SRID=4326;` makes coordinates longitude and latitude. A third coordinate that is the same
//! in the whole geometry is its floor's height.

use glam::DVec2;
use throng_kit::environment::Environment;

use crate::error::{Fault, Place};
use crate::floors::{FloorKey, Heights};
use crate::options::ReadOptions;
use crate::plan::{Form, Kind, Plan, Shape};
use crate::projection::Reference;
use crate::repairs::Repair;

/// Collections nested deeper than this are refused.
const DEEPEST: usize = 64;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = Reader {
        bytes,
        at: 0,
        geometries: 0,
        counted_to: 0,
        line: 1,
        plan: Plan {
            closing_point: true,
            ..Plan::new(options)
        },
    };
    loop {
        while reader.eat(b';') || reader.eat(b',') {}
        if reader.peek().is_none() {
            break;
        }
        reader.geometry(0)?;
    }
    reader.plan.finish(options)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    geometries: usize,
    /// The line of a byte, counted on from there.
    counted_to: usize,
    line: usize,
    plan: Plan,
}

/// A list of points with the heights they had.
struct Points {
    points: Vec<DVec2>,
    heights: Heights,
}

impl Reader<'_> {
    fn place(&self, at: usize) -> Place {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n');
        Place::LineColumn(line, at - start.map_or(0, |start| start + 1) + 1)
    }

    /// The line of a byte that lies behind those asked for before.
    fn line_of(&mut self, at: usize) -> usize {
        let passed = &self.bytes[self.counted_to..at];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted_to = at;
        self.line
    }

    fn refuse<T>(&self, at: usize, reason: String, fix: &str) -> Result<T, Fault> {
        Err(Fault::malformed(self.place(at), reason, fix))
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Fault> {
        if self.eat(wanted) {
            return Ok(());
        }
        let found = match self.peek() {
            Some(byte) => format!("`{}`", byte.escape_ascii()),
            None => "the end of the file".to_string(),
        };
        self.refuse(
            self.at,
            format!("`{}` is missing before {found}", char::from(wanted)),
            "close every bracket and put a comma between points",
        )
    }

    /// The next run of letters and digits, in capitals.
    fn word(&mut self) -> String {
        self.peek();
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
            .unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length.min(40)]).to_ascii_uppercase()
    }

    fn geometry(&mut self, depth: usize) -> Result<(), Fault> {
        self.peek();
        let start = self.at;
        if depth > DEEPEST {
            return self.refuse(
                start,
                format!("collections are nested deeper than {DEEPEST}"),
                "write the geometries one after the other",
            );
        }
        let mut tag = self.word();
        if tag == "SRID" && self.eat(b'=') {
            let code = self.word();
            self.plan.reference = match code.as_str() {
                "4326" | "4258" | "4269" => Reference::Geographic,
                "" | "0" => Reference::Unnamed,
                _ => Reference::Plane,
            };
            self.eat(b';');
            tag = self.word();
        }
        let mut third_is_height = true;
        for suffix in ["ZM", "Z", "M"] {
            let stem = tag.strip_suffix(suffix).filter(|stem| is_tag(stem));
            if let Some(stem) = stem {
                third_is_height = suffix != "M";
                tag = stem.to_string();
                break;
            }
        }
        let before_suffix = self.at;
        match self.word().as_str() {
            "Z" | "ZM" => {}
            "M" => third_is_height = false,
            _ => self.at = before_suffix,
        }
        let before_body = self.at;
        let empty = self.word() == "EMPTY";
        if !empty {
            self.at = before_body;
        }
        if !is_tag(&tag) {
            return self.refuse(
                start,
                format!("`{tag}` is no geometry that can be read"),
                "use POLYGON, MULTIPOLYGON, LINESTRING, MULTILINESTRING or GEOMETRYCOLLECTION",
            );
        }
        if tag == "GEOMETRYCOLLECTION" {
            if empty {
                return Ok(());
            }
            self.expect(b'(')?;
            if self.eat(b')') {
                return Ok(());
            }
            loop {
                self.geometry(depth + 1)?;
                if !self.eat(b',') {
                    return self.expect(b')');
                }
            }
        }
        self.geometries += 1;
        let line = self.line_of(start);
        let feature = format!("geometry {} (line {line})", self.geometries);
        if empty {
            self.plan.repairs.note(Repair::Empty, &feature);
            return Ok(());
        }
        match tag.as_str() {
            "POINT" | "MULTIPOINT" => {
                self.skip_brackets()?;
                self.plan.repairs.note(Repair::Point, &feature);
            }
            "LINESTRING" | "LINEARRING" => {
                let line = self.points(third_is_height)?;
                self.line(feature, line);
            }
            "MULTILINESTRING" => {
                let lines = self.list(|reader| reader.points(third_is_height))?;
                for line in lines {
                    self.line(feature.clone(), line);
                }
            }
            "POLYGON" | "TRIANGLE" => {
                let rings = self.list(|reader| reader.points(third_is_height))?;
                self.polygon(feature, rings);
            }
            _ => {
                let polygons =
                    self.list(|reader| reader.list(|reader| reader.points(third_is_height)))?;
                let several = polygons.len() > 1;
                for (part, rings) in polygons.into_iter().enumerate() {
                    let feature = if several {
                        format!("{feature}, part {}", part + 1)
                    } else {
                        feature.clone()
                    };
                    self.polygon(feature, rings);
                }
            }
        }
        Ok(())
    }

    /// Passes over one bracketed body.
    fn skip_brackets(&mut self) -> Result<(), Fault> {
        self.expect(b'(')?;
        let mut depth = 1_usize;
        while depth > 0 {
            match self.peek() {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return self.expect(b')'),
            }
            self.at += 1;
        }
        Ok(())
    }

    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.expect(b'(')?;
        let mut items = Vec::new();
        loop {
            items.push(item(self)?);
            if !self.eat(b',') {
                self.expect(b')')?;
                return Ok(items);
            }
        }
    }

    fn points(&mut self, third_is_height: bool) -> Result<Points, Fault> {
        let mut heights = Heights::default();
        let points = self.list(|reader| {
            let x = reader.number()?;
            let y = reader.number()?;
            let mut extra = 0;
            while !matches!(reader.peek(), Some(b',' | b')') | None) {
                let value = reader.number()?;
                if extra == 0 && third_is_height {
                    heights.add(value);
                }
                extra += 1;
                if extra > 2 {
                    return reader.refuse(
                        reader.at,
                        "a point has more than four numbers".to_string(),
                        "put a comma between points",
                    );
                }
            }
            Ok(DVec2::new(x, y))
        })?;
        Ok(Points { points, heights })
    }

    fn number(&mut self) -> Result<f64, Fault> {
        self.peek();
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))
            .unwrap_or(rest.len());
        let text = String::from_utf8_lossy(&rest[..length]);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.at += length;
                Ok(value)
            }
            _ => {
                let shown: String = text.chars().take(40).collect();
                self.refuse(
                    start,
                    format!("`{shown}` is not a finite number"),
                    "give each point as two numbers",
                )
            }
        }
    }

    fn line(&mut self, feature: String, line: Points) {
        let floor = self.floor(&feature, &line.heights);
        self.plan.shapes.push(Shape {
            feature,
            name: None,
            kind: Kind::Wall,
            floor,
            form: Form::Line(line.points),
        });
    }

    fn polygon(&mut self, feature: String, rings: Vec<Points>) {
        let mut heights = Heights::default();
        for ring in &rings {
            heights.merge(&ring.heights);
        }
        let floor = self.floor(&feature, &heights);
        let rings = rings.into_iter().map(|ring| ring.points).collect();
        self.plan.shapes.push(Shape {
            feature,
            name: None,
            kind: Kind::Walkable,
            floor,
            form: Form::Polygon(rings),
        });
    }

    fn floor(&mut self, feature: &str, heights: &Heights) -> FloorKey {
        FloorKey {
            name: None,
            z: heights.common(feature, &mut self.plan),
        }
    }
}

fn is_tag(word: &str) -> bool {
    matches!(
        word,
        "POINT"
            | "MULTIPOINT"
            | "LINESTRING"
            | "LINEARRING"
            | "MULTILINESTRING"
            | "POLYGON"
            | "TRIANGLE"
            | "MULTIPOLYGON"
            | "GEOMETRYCOLLECTION"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(text: &str) -> Environment {
        read(text.as_bytes(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_collection_as_jupedsim_writes_it() {
        let found = env("GEOMETRYCOLLECTION (POLYGON ((0 0, 10 0, 10 5, 0 5, 0 0), \
             (2 2, 3 2, 3 3, 2 3, 2 2)), LINESTRING (5 0, 5 4))");
        let floor = &found.floors[0];
        assert_eq!(floor.walkable[0].outer.len(), 4);
        assert_eq!(floor.walkable[0].holes.len(), 1);
        assert_eq!(
            floor.thin_walls,
            [vec![DVec2::new(5.0, 0.0), DVec2::new(5.0, 4.0)]]
        );
        assert!(found.notices.is_empty(), "{:?}", found.notices);
    }

    #[test]
    fn several_geometries_and_heights() {
        let found = env(
            "polygon z ((0 0 3, 4 0 3, 4 4 3, 0 0 3));\nMULTIPOLYGONZ (((0 0 0, 9 0 0, 9 9 0, \
             0 0 0)), ((20 0 0, 29 0 0, 29 9 0, 20 0 0)))\nPOINT M (1 2 3)",
        );
        let heights: Vec<f64> = found.floors.iter().map(|floor| floor.z).collect();
        assert_eq!(heights, [0.0, 3.0]);
        assert_eq!(found.floors[0].walkable.len(), 2);
        assert!(found.notices[0].contains("geometry 3 (line 3): it is a point"));
    }

    #[test]
    fn errors_name_line_and_column() {
        let fault = read(b"POLYGON ((0 0,\n 1 x, 0 0))", &ReadOptions::default()).unwrap_err();
        let message = fault.in_file("a.wkt").to_string();
        assert!(
            message.starts_with("a.wkt, line 2, column 4: `x`"),
            "{message}"
        );
    }
}
