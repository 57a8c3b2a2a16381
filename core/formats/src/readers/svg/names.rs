//! What names of shapes and groups stand for.

use usvg::roxmltree;

use crate::plan::Kind;

/// What a name makes of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Role {
    Named { kind: Kind, name: Option<String> },
    Ignore,
}

pub(super) fn role_of_name(text: &str) -> Option<Role> {
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

pub(super) fn role_of_element(element: roxmltree::Node<'_, '_>) -> Option<Role> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_drawing_programs_are_passed_over() {
        let kind = |text: &str| match role_of_name(text) {
            Some(Role::Named { kind, name }) => Some((kind, name)),
            _ => None,
        };
        assert_eq!(kind("Solid-12"), Some((Kind::Solid, None)));
        assert_eq!(kind("wall7"), Some((Kind::Wall, None)));
        assert_eq!(kind("wall-paper"), None);
        assert_eq!(
            kind("area_gate 3"),
            Some((Kind::Area, Some("gate 3".to_string())))
        );
        assert_eq!(
            kind("door:A:closed"),
            Some((Kind::Door { open: false }, Some("A".to_string())))
        );
        assert_eq!(kind("path4521"), None);
    }
}
