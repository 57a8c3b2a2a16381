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

use std::collections::BTreeMap;

use glam::{DAffine2, DVec2};
use throng_kit::environment::Environment;
use usvg::roxmltree;
use usvg::tiny_skia_path::PathSegment;

use crate::error::{Fault, Place};
use crate::options::ReadOptions;
use crate::plan::{FloorKey, Form, Kind, Plan, Shape};

/// Elements nested deeper than this are refused.
const DEEPEST: usize = 128;
/// Elements after all `use` have been resolved.
const MOST_ELEMENTS: usize = 500_000;
/// Chords of one curve.
const MOST_CHORDS: f64 = 10_000.0;

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
    let tree = usvg::Tree::from_xmltree(&document, &usvg::Options::default()).map_err(|error| {
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
        plan: Plan::new(),
        unnamed_fills: 0,
        unnamed_lines: 0,
        seen: vec![false; prepared.elements.len()],
        left_out: 0,
    };
    walker.group(tree.root(), None)?;
    walker.finish(options)
}

fn parse(text: &str) -> Result<roxmltree::Document<'_>, Fault> {
    roxmltree::Document::parse(text).map_err(|error| {
        let at = error.pos();
        Fault::malformed(
            Place::LineColumn(at.row as usize, at.col as usize),
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

/// What a name makes of a shape.
#[derive(Clone, Debug, PartialEq)]
enum Role {
    Named { kind: Kind, name: Option<String> },
    Ignore,
}

fn role_of_name(text: &str) -> Option<Role> {
    let text = text.trim();
    let split = text.find([':', '-', '_']);
    let (word, rest) = match split {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    let word = word.to_ascii_lowercase();
    let unnamed = |kind: Kind| {
        let is_number = rest.bytes().all(|byte| byte.is_ascii_digit());
        let after_colon = split.is_some_and(|at| text.as_bytes()[at] == b':');
        (is_number || after_colon).then_some(Role::Named { kind, name: None })
    };
    let named = |kind: Kind, name: &str| {
        Some(Role::Named {
            kind,
            name: (!name.is_empty()).then(|| name.to_string()),
        })
    };
    match word.as_str() {
        "area" => named(Kind::Area, rest),
        "line" if !rest.is_empty() => named(Kind::Line, rest),
        "door" => {
            let closed = [":closed", "-closed", "_closed"]
                .iter()
                .find_map(|ending| rest.strip_suffix(ending));
            named(
                Kind::Door {
                    open: closed.is_none(),
                },
                closed.unwrap_or(rest),
            )
        }
        _ => {
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            match stem {
                "walkable" => unnamed(Kind::Walkable),
                "solid" | "obstacle" => unnamed(Kind::Solid),
                "avoid" => unnamed(Kind::Avoid),
                "wall" | "walls" => unnamed(Kind::Wall),
                "ignore" => Some(Role::Ignore),
                _ => None,
            }
        }
    }
}

fn role_of_element(element: roxmltree::Node<'_, '_>) -> Option<Role> {
    let label = element
        .attributes()
        .find(|attribute| {
            attribute.name() == "label"
                && attribute
                    .namespace()
                    .is_some_and(|space| space.contains("inkscape"))
        })
        .map(|attribute| attribute.value());
    let single = [
        element.attribute("data-kind"),
        element.attribute("id"),
        label,
    ];
    single
        .into_iter()
        .flatten()
        .find_map(role_of_name)
        .or_else(|| {
            element
                .attribute("class")?
                .split_whitespace()
                .find_map(role_of_name)
        })
}

/// One shape or `use` of the file.
struct Element {
    label: String,
    role: Option<Role>,
    /// Drawn with an open outline by its tag (`line`, `polyline`).
    open: bool,
    /// Lies in `defs` and the like: drawn only where it is used.
    template: bool,
}

/// The text with an id for every shape, and what the ids stand for.
struct Prepared {
    text: String,
    elements: Vec<Element>,
    by_id: BTreeMap<String, usize>,
    flip: f64,
}

const SHAPES: [&str; 8] = [
    "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use",
];
const TEMPLATES: [&str; 5] = ["defs", "symbol", "clipPath", "mask", "pattern"];

impl Prepared {
    fn of(text: &str, document: &roxmltree::Document<'_>) -> Result<Prepared, Fault> {
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err(Fault::malformed(
                Place::Line(1),
                format!("its root is <{}>, not <svg>", root.tag_name().name()),
                "save it as plain SVG",
            ));
        }
        check_uses(document)?;
        let mut elements = Vec::new();
        let mut by_id = BTreeMap::new();
        // Places in the text, what to take out there and what to put in.
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        let mut roles: BTreeMap<usize, Option<Role>> = BTreeMap::new();
        let targets: BTreeMap<&str, roxmltree::Node<'_, '_>> = document
            .descendants()
            .filter_map(|node| Some((node.attribute("id")?, node)))
            .rev()
            .collect();
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let inherited = node
                .parent_element()
                .and_then(|parent| roles.get(&parent.id().get_usize()).cloned().flatten());
            let role = role_of_element(node).or(inherited);
            roles.insert(node.id().get_usize(), role.clone());
            let tag = node.tag_name().name();
            if !SHAPES.contains(&tag) {
                continue;
            }
            let role = role.or_else(|| role_of_element(*targets.get(href(node)?)?));
            let name = node.attribute("id").unwrap_or("");
            let line = document.text_pos_at(node.range().start).row;
            let index = elements.len();
            elements.push(Element {
                label: match name {
                    "" => format!("<{tag}> in line {line}"),
                    name => format!("<{tag}> \"{name}\" in line {line}"),
                },
                role,
                open: matches!(tag, "line" | "polyline"),
                template: node
                    .ancestors()
                    .any(|above| TEMPLATES.contains(&above.tag_name().name())),
            });
            if !name.is_empty() && !by_id.contains_key(name) {
                by_id.insert(name.to_string(), index);
                continue;
            }
            let fresh = format!("throng-shape-{index}");
            by_id.insert(fresh.clone(), index);
            match node.attribute_node("id") {
                Some(attribute) => edits.push((attribute.range_value(), fresh)),
                None => {
                    let at = end_of_tag_name(text, node.range().start);
                    edits.push((at..at, format!(" id=\"{fresh}\"")));
                }
            }
        }
        let view_box: Vec<f64> = root
            .attribute("viewBox")
            .map(|value| {
                value
                    .split([' ', ',', '\n', '\t', '\r'])
                    .filter(|word| !word.is_empty())
                    .filter_map(|word| word.parse().ok())
                    .collect()
            })
            .unwrap_or_default();
        let height = root
            .attribute("height")
            .and_then(|height| height.trim_end_matches("px").trim().parse::<f64>().ok());
        let flip = match (view_box.as_slice(), height) {
            ([_, y, _, h], _) => 2.0 * y + h,
            (_, Some(height)) => height,
            _ => 0.0,
        };
        if !flip.is_finite() {
            return Err(Fault::malformed(
                Place::Line(1),
                "its viewBox is not finite",
                "give the viewBox four plain numbers",
            ));
        }
        // Without them a unit of the file stays a unit.
        for name in ["viewBox", "width", "height"] {
            if let Some(attribute) = root.attribute_node(name) {
                edits.push((attribute.range(), String::new()));
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut edited = String::with_capacity(text.len() + 32 * edits.len());
        let mut at = 0;
        for (range, put) in edits {
            edited.push_str(&text[at..range.start]);
            edited.push_str(&put);
            at = range.end;
        }
        edited.push_str(&text[at..]);
        Ok(Prepared {
            text: edited,
            elements,
            by_id,
            flip,
        })
    }
}

fn end_of_tag_name(text: &str, start: usize) -> usize {
    let rest = &text[start + 1..];
    let length = rest
        .find(|c: char| c.is_whitespace() || c == '/' || c == '>')
        .unwrap_or(rest.len());
    start + 1 + length
}

fn href<'a>(node: roxmltree::Node<'a, '_>) -> Option<&'a str> {
    node.attributes()
        .find(|attribute| attribute.name() == "href")
        .and_then(|attribute| attribute.value().strip_prefix('#'))
}

/// Refuses `use` elements that multiply each other beyond reason.
fn check_uses(document: &roxmltree::Document<'_>) -> Result<(), Fault> {
    let targets: BTreeMap<&str, roxmltree::Node<'_, '_>> = document
        .descendants()
        .filter_map(|node| Some((node.attribute("id")?, node)))
        .collect();
    // Sizes of resolved elements; 0 while one is being resolved.
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let size = expanded(document.root_element(), &targets, &mut sizes, 0)?;
    if size > MOST_ELEMENTS {
        return Err(Fault::too_large(
            Place::File,
            format!("with every <use> in place it has more than {MOST_ELEMENTS} elements"),
            "draw fewer copies",
        ));
    }
    Ok(())
}

fn expanded<'a, 'input>(
    node: roxmltree::Node<'a, 'input>,
    targets: &BTreeMap<&str, roxmltree::Node<'a, 'input>>,
    sizes: &mut BTreeMap<usize, usize>,
    depth: usize,
) -> Result<usize, Fault> {
    if let Some(known) = sizes.get(&node.id().get_usize()) {
        return Ok(*known);
    }
    if depth > 2 * DEEPEST {
        return Err(Fault::malformed(
            Place::File,
            "its <use> elements refer to each other too deeply",
            "draw the shapes themselves",
        ));
    }
    sizes.insert(node.id().get_usize(), 0);
    let mut size = 1_usize;
    if node.tag_name().name() == "use"
        && let Some(target) = href(node).and_then(|id| targets.get(id))
    {
        size = size.saturating_add(expanded(*target, targets, sizes, depth + 1)?);
    }
    for child in node.children().filter(roxmltree::Node::is_element) {
        size = size.saturating_add(expanded(child, targets, sizes, depth + 1)?);
    }
    sizes.insert(node.id().get_usize(), size);
    Ok(size)
}

struct Walker<'a> {
    prepared: &'a Prepared,
    flip: f64,
    tolerance: f64,
    plan: Plan,
    unnamed_fills: usize,
    unnamed_lines: usize,
    seen: Vec<bool>,
    left_out: usize,
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
                usvg::Node::Image(_) | usvg::Node::Text(_) => self.left_out += 1,
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
        if self.left_out > 0 {
            notices.push(format!(
                "{} texts and pictures were left out",
                self.left_out
            ));
        }
        self.plan.finish(options)
    }
}

struct Contour {
    points: Vec<DVec2>,
    closed: bool,
}

/// A 32-bit number with the digits it was written with: 0.1 and not 0.10000000149.
fn as_written(value: f32) -> f64 {
    format!("{value}").parse().unwrap_or(f64::from(value))
}

fn flattened(path: &usvg::Path, flip: f64, tolerance: f64) -> Vec<Contour> {
    let t = path.abs_transform();
    let transform =
        DAffine2::from_cols_array(&[t.sx, t.ky, t.kx, t.sy, t.tx, t.ty].map(as_written));
    let place = |p: usvg::tiny_skia_path::Point| {
        let q = transform.transform_point2(DVec2::new(as_written(p.x), as_written(p.y)));
        DVec2::new(q.x, flip - q.y)
    };
    let mut contours: Vec<Contour> = Vec::new();
    let mut points: Vec<DVec2> = Vec::new();
    let mut finish = |points: &mut Vec<DVec2>, closed: bool| {
        if points.len() > 1 {
            contours.push(Contour {
                points: std::mem::take(points),
                closed,
            });
        }
        points.clear();
    };
    for segment in path.data().segments() {
        let from = points.last().copied().unwrap_or_default();
        match segment {
            PathSegment::MoveTo(p) => {
                finish(&mut points, false);
                points.push(place(p));
            }
            PathSegment::LineTo(p) => points.push(place(p)),
            PathSegment::QuadTo(b, c) => {
                let (b, c) = (place(b), place(c));
                // A quadratic is the cubic with these control points.
                let first = from + 2.0 / 3.0 * (b - from);
                let second = c + 2.0 / 3.0 * (b - c);
                add_cubic(&mut points, from, first, second, c, tolerance);
            }
            PathSegment::CubicTo(b, c, d) => {
                let (b, c, d) = (place(b), place(c), place(d));
                add_cubic(&mut points, from, b, c, d, tolerance);
            }
            PathSegment::Close => {
                let start = points.first().copied();
                finish(&mut points, true);
                // A path may go on from where the closed one began.
                points.extend(start);
            }
        }
    }
    finish(&mut points, false);
    contours
}

/// Chords within the tolerance: with n of them the error is below the second differences
/// times 3 / (4 n^2) (Wang's bound).
fn add_cubic(points: &mut Vec<DVec2>, a: DVec2, b: DVec2, c: DVec2, d: DVec2, tolerance: f64) {
    let bend = (a - 2.0 * b + c).length().max((b - 2.0 * c + d).length());
    let count = (0.75 * bend / tolerance).sqrt().ceil();
    let count = if count.is_finite() {
        count.clamp(1.0, MOST_CHORDS) as usize
    } else {
        1
    };
    for step in 1..=count {
        let t = step as f64 / count as f64;
        let s = 1.0 - t;
        points.push(if step == count {
            d
        } else {
            s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::signed_area;

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
