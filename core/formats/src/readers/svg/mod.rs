//! SVG drawings: shapes named by id, class, data or layer.
//!
//! One unit of the picture's `viewBox` is `scale` metres (its printed `width` and `height` do
//! not matter). y points up: the picture's lower left corner stays where the viewBox begins, so
//! with `viewBox="0 0 W H"` it is (0, 0) and a point (x, y) of the file becomes (x, H - y);
//! without viewBox and height it becomes (x, -y).
//!
//! A shape is what it, or the nearest group around it, is called in `id`, `data-kind`,
//! `inkscape:label` or one of its classes:
//!
//! | name | meaning |
//! |---|---|
//! | `walkable` | can be walked on |
//! | `solid`, `obstacle` | taken out of the walkable space |
//! | `avoid` | avoided by bodies, ignored by maps |
//! | `wall` | thin walls along its lines |
//! | `area:NAME` | a named area |
//! | `door:NAME`, `door:NAME:closed` | a segment that can be closed |
//! | `line:NAME` | a named line for counting |
//! | `ignore` | not part of the plan |
//!
//! `-` and `_` may stand for `:`, and numbers that drawing programs append to make ids unique
//! (`solid-3`, `wall12`) are passed over for the kinds that have no names. Shapes without such
//! a name: filled closed ones are walkable, other lines are walls. Curves are replaced by chords
//! within `curve_tolerance`. Texts and pictures are left out.

mod flatten;
mod names;
mod prepare;

use glam::DVec2;
use throng_kit::environment::Environment;
use usvg::roxmltree;

use self::flatten::flattened;
use self::names::Role;
use self::prepare::Prepared;
use crate::error::{Fault, Place};
use crate::floors::FloorKey;
use crate::options::ReadOptions;
use crate::plan::{Form, Kind, Plan, Shape};
use crate::projection::Reference;

/// Elements nested deeper than this are refused.
const DEEPEST: usize = 128;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(Fault::malformed(
            Place::File,
            "it is compressed (SVGZ)",
            "save it as plain SVG",
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::malformed(
            Place::Byte(error.valid_up_to()),
            "it is not UTF-8 text",
            "save it as plain SVG in UTF-8",
        )
    })?;
    let text = without_doctype(text)?;
    check_depth(&text)?;
    let document = parse(&text)?;
    let prepared = Prepared::of(&text, &document)?;
    let document = parse(&prepared.text)?;
    let tree = usvg::Tree::from_xmltree(&document, &without_pictures()).map_err(|error| {
        Fault::malformed(
            Place::File,
            format!("it cannot be drawn: {error}"),
            "save it as plain SVG",
        )
    })?;
    let mut walker = Walker {
        prepared: &prepared,
        flip: prepared.flip,
        tolerance: options.curve_tolerance / options.scale,
        plan: Plan {
            reference: Reference::Plane,
            ..Plan::new(options)
        },
        unnamed_fills: 0,
        unnamed_lines: 0,
        seen: vec![false; prepared.elements.len()],
    };
    walker.group(tree.root(), None)?;
    walker.finish(options)
}

/// Pictures are not looked at: their addresses may lead to any file.
fn without_pictures() -> usvg::Options<'static> {
    usvg::Options {
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..usvg::Options::default()
    }
}

fn parse(text: &str) -> Result<roxmltree::Document<'_>, Fault> {
    roxmltree::Document::parse(text).map_err(|error| {
        // The parser gives no place for a missing end.
        let place = match error {
            roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
                Place::Line(text.lines().count())
            }
            _ => Place::LineColumn(error.pos().row as usize, error.pos().col as usize),
        };
        Fault::malformed(
            place,
            format!("it is not well-formed XML: {error}"),
            "save it as plain SVG",
        )
    })
}

/// The text with a plain DOCTYPE blanked out; one that declares entities is refused.
fn without_doctype(text: &str) -> Result<String, Fault> {
    let Some(start) = text.find("<!DOCTYPE") else {
        return Ok(text.to_string());
    };
    let end = text[start..].find('>').map(|end| start + end + 1);
    match end {
        Some(end) if !text[start..end].contains('[') => {
            let blank: String = text[start..end]
                .chars()
                .map(|c| if c == '\n' { '\n' } else { ' ' })
                .collect();
            Ok(format!("{}{blank}{}", &text[..start], &text[end..]))
        }
        _ => Err(Fault::malformed(
            Place::Line(text[..start].lines().count().max(1)),
            "its DOCTYPE declares entities",
            "save it as plain SVG, without entities",
        )),
    }
}

/// Refuses deep nesting before any parser descends into it.
fn check_depth(text: &str) -> Result<(), Fault> {
    let (mut depth, mut line) = (0_usize, 1);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        line += rest[..start].matches('\n').count();
        rest = &rest[start..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(begin, _)| rest.starts_with(begin));
        let length = match skipped {
            Some((_, end)) => rest.find(end).map(|at| at + end.len()),
            None => tag_length(rest),
        };
        let Some(length) = length else {
            // The parser says what is missing.
            return Ok(());
        };
        let tag = &rest[..length];
        if skipped.is_none() {
            if tag.starts_with("</") {
                depth = depth.saturating_sub(1);
            } else if !tag.ends_with("/>") && !tag.starts_with("<!") {
                depth += 1;
            }
        }
        if depth > DEEPEST {
            return Err(Fault::malformed(
                Place::Line(line),
                format!("elements are nested deeper than {DEEPEST}"),
                "ungroup the drawing",
            ));
        }
        line += tag.matches('\n').count();
        rest = &rest[length..];
    }
    Ok(())
}

/// Bytes up to the `>` that is outside quotation marks.
fn tag_length(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

struct Walker<'a> {
    prepared: &'a Prepared,
    flip: f64,
    tolerance: f64,
    plan: Plan,
    unnamed_fills: usize,
    unnamed_lines: usize,
    seen: Vec<bool>,
}

impl Walker<'_> {
    /// Walks the drawing; inside a `use`, ids are lost and `used` is its element.
    fn group(&mut self, group: &usvg::Group, used: Option<usize>) -> Result<(), Fault> {
        for node in group.children() {
            match node {
                usvg::Node::Group(inner) => {
                    let used = self.prepared.by_id.get(inner.id()).copied().or(used);
                    self.group(inner, used)?;
                }
                usvg::Node::Path(path) => {
                    let element = self.prepared.by_id.get(path.id()).copied().or(used);
                    if let Some(index) = element {
                        self.path(path, index)?;
                    }
                }
                usvg::Node::Image(_) | usvg::Node::Text(_) => {}
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &usvg::Path, index: usize) -> Result<(), Fault> {
        self.seen[index] = true;
        let element = &self.prepared.elements[index];
        let feature = element.label.clone();
        let role = element.role.clone();
        if role == Some(Role::Ignore) || (role.is_none() && !path.is_visible()) {
            return Ok(());
        }
        let contours = flattened(path, self.flip, self.tolerance);
        let filled = path.fill().is_some() && !element.open;
        let (kind, name) = match role {
            Some(Role::Named { kind, name }) => (kind, name),
            _ if filled && contours.iter().any(|contour| contour.points.len() > 2) => {
                self.unnamed_fills += 1;
                (Kind::Walkable, None)
            }
            _ => {
                self.unnamed_lines += 1;
                (Kind::Wall, None)
            }
        };
        let as_lines = matches!(kind, Kind::Wall | Kind::Door { .. } | Kind::Line);
        let mut push = |form: Form| {
            self.plan.shapes.push(Shape {
                feature: feature.clone(),
                name: name.clone(),
                kind: kind.clone(),
                floor: FloorKey::default(),
                form,
            });
        };
        if as_lines {
            for mut contour in contours {
                if contour.closed {
                    contour.points.extend(contour.points.first().copied());
                }
                push(Form::Line(contour.points));
            }
        } else {
            let even_odd = path
                .fill()
                .is_some_and(|fill| fill.rule() == usvg::FillRule::EvenOdd);
            let contours: Vec<Vec<DVec2>> =
                contours.into_iter().map(|contour| contour.points).collect();
            if !contours.is_empty() {
                push(Form::Region { contours, even_odd });
            }
        }
        Ok(())
    }

    fn finish(mut self, options: &ReadOptions) -> Result<Environment, Fault> {
        let unseen: Vec<&str> = self
            .prepared
            .elements
            .iter()
            .zip(&self.seen)
            .filter(|(element, seen)| {
                !**seen && !element.template && matches!(element.role, Some(Role::Named { .. }))
            })
            .map(|(element, _)| element.label.as_str())
            .collect();
        let notices = &mut self.plan.notices;
        for label in unseen.iter().take(6) {
            notices.push(format!(
                "{label}: nothing of it is drawn (no size, broken data or display none) and it \
                 was left out"
            ));
        }
        if unseen.len() > 6 {
            notices.push(format!("{} more are not drawn either", unseen.len() - 6));
        }
        if self.unnamed_fills > 0 {
            notices.push(format!(
                "{} filled shapes without a name such as `solid` were taken as walkable",
                self.unnamed_fills
            ));
        }
        if self.unnamed_lines > 0 {
            notices.push(format!(
                "{} lines without a name such as `door:A` were taken as walls",
                self.unnamed_lines
            ));
        }
        if self.prepared.left_out > 0 {
            notices.push(format!(
                "{} texts and pictures were left out",
                self.prepared.left_out
            ));
        }
        self.plan.finish(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rings::signed_area;

    fn env(body: &str) -> Environment {
        let text = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/x"
                width="210mm" height="100mm" viewBox="0 0 40 20">{body}</svg>"#
        );
        read(text.as_bytes(), &ReadOptions::default())
            .map_err(|fault| fault.in_file("a.svg").to_string())
            .unwrap()
    }

    #[test]
    fn names_give_kinds_and_y_points_up() {
        let found = env(
            r##"<rect id="walkable" width="40" height="20" x="0" y="0" fill="#eee"/>
            <g class="solid" transform="translate(10 0)"><rect x="0.1" y="2" width="3" height="1"/>
            </g>
            <g inkscape:label="area:exit"><path d="M0,0 h4 v4 h-4 z"/></g>
            <line id="door:north" x1="20" y1="0" x2="20" y2="2"/>
            <polyline data-kind="line:count" points="1,1 2,2 3,1" fill="none"/>
            <path class="thin wall" d="M30 0 V10"/>"##,
        );
        assert!(found.notices.is_empty(), "{:?}", found.notices);
        let floor = &found.floors[0];
        assert_eq!(signed_area(&floor.walkable[0].outer), 800.0);
        assert!(
            floor.solid[0].outer.contains(&DVec2::new(10.1, 18.0)),
            "{:?}",
            floor.solid
        );
        assert_eq!(found.areas[0].name, "exit");
        assert!(found.areas[0].shape.outer.contains(&DVec2::new(0.0, 16.0)));
        assert_eq!(found.doors[0].name, "north");
        assert_eq!(
            found.doors[0].ends,
            [DVec2::new(20.0, 20.0), DVec2::new(20.0, 18.0)]
        );
        assert_eq!(found.lines[0].points.len(), 3);
        assert_eq!(
            floor.thin_walls,
            [vec![DVec2::new(30.0, 20.0), DVec2::new(30.0, 10.0)]]
        );
    }

    #[test]
    fn curves_stay_within_a_centimetre() {
        let found = env(r#"<circle cx="10" cy="10" r="5"/>"#);
        let ring = &found.floors[0].walkable[0].outer;
        let centre = DVec2::new(10.0, 10.0);
        for (i, p) in ring.iter().enumerate() {
            let middle = 0.5 * (*p + ring[(i + 1) % ring.len()]);
            assert!((p.distance(centre) - 5.0).abs() < 0.003);
            assert!((middle.distance(centre) - 5.0).abs() < 0.01);
        }
        assert!(ring.len() < 80, "{}", ring.len());
    }

    #[test]
    fn fill_rules_and_uses() {
        let found = env(r##"<defs><rect id="block" width="2" height="2"/></defs>
            <path id="walkable1" fill-rule="evenodd" d="M0 0H20V20H0Z M5 5H10V10H5Z"/>
            <use href="#block" x="12" y="4" class="solid"/><use href="#block" x="30" class="solid"/>"##);
        let floor = &found.floors[0];
        assert_eq!(floor.walkable[0].holes.len(), 1);
        assert_eq!(floor.solid.len(), 2);
        assert!(floor.solid[0].outer.contains(&DVec2::new(12.0, 14.0)));
    }
}
