//! An SVG text made ready: every shape gets an id by which it is known again once drawn.

use std::collections::BTreeMap;

use usvg::roxmltree;

use super::names::{Role, role_of_element};
use crate::error::{Fault, Place};

/// Elements after all `use` have been resolved.
const MOST_ELEMENTS: usize = 500_000;

/// One shape or `use` of the file.
pub(super) struct Element {
    pub(super) label: String,
    pub(super) role: Option<Role>,
    /// Drawn with an open outline by its tag (`line`, `polyline`).
    pub(super) open: bool,
    /// Lies in `defs` and the like: drawn only where it is used.
    pub(super) template: bool,
}

/// The text with an id for every shape, and what the ids stand for.
pub(super) struct Prepared {
    pub(super) text: String,
    pub(super) elements: Vec<Element>,
    pub(super) by_id: BTreeMap<String, usize>,
    /// Texts and pictures.
    pub(super) left_out: usize,
    /// What y is taken from to point up.
    pub(super) flip: f64,
}

const SHAPES: [&str; 8] = [
    "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use",
];
const TEMPLATES: [&str; 5] = ["defs", "symbol", "clipPath", "mask", "pattern"];

impl Prepared {
    pub(super) fn of(text: &str, document: &roxmltree::Document<'_>) -> Result<Prepared, Fault> {
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
        let mut left_out = 0;
        // Nodes come in the order of the text, so lines are counted once.
        let (mut line, mut counted_to) = (1, 0);
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
            left_out += usize::from(matches!(tag, "text" | "image"));
            if !SHAPES.contains(&tag) {
                continue;
            }
            let role = role.or_else(|| role_of_element(*targets.get(href(node)?)?));
            let name = node.attribute("id").unwrap_or("");
            let start = node.range().start;
            line += text[counted_to..start].matches('\n').count();
            counted_to = start;
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
            left_out,
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
    if depth > 2 * super::DEEPEST {
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
