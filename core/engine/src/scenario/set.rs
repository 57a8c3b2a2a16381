//! `--set key=value`: changes to the tree of a scenario before it is read.

use std::sync::Arc;

use throng_core::registry::Slot;
use toml::de::DeValue;

use super::{
    node::{Entry, Node, Origin, Texts, Value},
    strategy::default_kind,
    tables::COST_KEYS,
};
use crate::diagnostics::{Diagnostic, Diagnostics, SourcePlace};

/// One step of a key: a name, or a place in a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Name(String),
    Index(usize),
}

/// Most steps of a key: no scenario nests deeper, and walks down the tree stay shallow.
const DEEPEST: usize = 32;

/// The steps of a key such as `tier[1].avoidance.tau` or `source.0.count`.
pub(crate) fn steps(key: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in key.split('.') {
        let (name, mut indices) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        let name = name.trim().trim_matches('"');
        if name.is_empty() {
            return None;
        }
        match name.parse::<usize>() {
            Ok(index) if !steps.is_empty() => steps.push(Step::Index(index)),
            _ => steps.push(Step::Name(name.to_owned())),
        }
        while !indices.is_empty() && steps.len() <= DEEPEST {
            let (inner, rest) = indices.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(inner.trim().parse().ok()?));
            indices = rest;
        }
        if steps.len() > DEEPEST {
            return None;
        }
    }
    Some(steps)
}

/// Applies the n-th `--set`, given as `key=value`.
fn apply_one(root: &mut Node, n: usize, text: &str) -> Result<Vec<Entry>, String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("write it as key=value, such as nav.kind=grid")?;
    let steps = steps(key.trim())
        .ok_or("the key is made of names and places in lists, such as tier[1].period")?;
    // What is no TOML value is a word: nav.kind=grid needs no quotes.
    let value = value.trim();
    let node = match DeValue::parse(value) {
        Ok(parsed) => Node::from_parsed(&parsed, &|_| Origin::Set(n)),
        Err(_) => Node {
            value: Value::Text(value.to_owned()),
            origin: Origin::Set(n),
        },
    };
    let mut dropped = Vec::new();
    put(root, &steps, node, n, key.trim(), &mut dropped)?;
    Ok(dropped)
}

/// Takes out the options that the file gives to a kind which is being replaced.
fn drop_options(entries: &mut Vec<Entry>, key: &str, new: &Node) -> Vec<Entry> {
    let (tag, kept): (&str, &[&str]) = match key {
        "environment.generate" => ("generate", &[]),
        "cost.kind" => ("kind", COST_KEYS),
        // All ways of following have the same options.
        _ if key.ends_with("follow.kind") => return Vec::new(),
        _ if key.ends_with(".kind") => ("kind", &[]),
        _ => return Vec::new(),
    };
    let text = |node: &Node| match &node.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    let slot = key.strip_suffix(".kind").and_then(Slot::from_name);
    let old = entries
        .iter()
        .find(|e| e.key == tag)
        .and_then(|e| text(&e.node))
        .or_else(|| slot.map(|slot| default_kind(slot).to_owned()));
    if old.is_none() || old == text(new) {
        return Vec::new();
    }
    let belongs = |e: &mut Entry| {
        matches!(e.node.origin, Origin::File(_)) && e.key != tag && !kept.contains(&e.key.as_str())
    };
    entries.extract_if(.., belongs).collect()
}

fn put(
    at: &mut Node,
    steps: &[Step],
    node: Node,
    n: usize,
    key: &str,
    dropped: &mut Vec<Entry>,
) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        *at = node;
        return Ok(());
    };
    let fresh = || Node {
        value: match rest.first() {
            Some(Step::Index(_)) => Value::List(Vec::new()),
            _ => Value::Table(Vec::new()),
        },
        origin: Origin::Set(n),
    };
    match (step, &mut at.value) {
        (Step::Name(name), value) => {
            // `nav = "grid"` is short for a table with its kind.
            if let Value::Text(_) = value {
                let kind = Node {
                    value: core::mem::replace(value, Value::Table(Vec::new())),
                    origin: at.origin.clone(),
                };
                *value = Value::Table(vec![Entry {
                    key: "kind".into(),
                    key_origin: at.origin.clone(),
                    node: kind,
                }]);
            }
            let Value::Table(entries) = value else {
                return Err(format!("{name} of {key} is looked for in what is no table"));
            };
            if rest.is_empty() {
                dropped.extend(drop_options(entries, key, &node));
            }
            let found = match entries.iter().position(|e| &e.key == name) {
                Some(found) => found,
                None => {
                    entries.push(Entry {
                        key: name.clone(),
                        key_origin: Origin::Set(n),
                        node: fresh(),
                    });
                    entries.len() - 1
                }
            };
            put(&mut entries[found].node, rest, node, n, key, dropped)
        }
        (Step::Index(index), Value::List(items)) => {
            if *index == items.len() {
                items.push(fresh());
            }
            let count = items.len();
            match items.get_mut(*index) {
                Some(item) => put(item, rest, node, n, key, dropped),
                None => Err(format!(
                    "there is no place {index} in a list of {count}: places count from 0"
                )),
            }
        }
        (Step::Index(index), _) => Err(format!(
            "place {index} of {key} is looked for in what is no list"
        )),
    }
}

/// Applies all of them in order; those that cannot be are reported.
pub(crate) fn apply(root: &mut Node, texts: &Texts, problems: &mut Diagnostics) {
    for (n, text) in texts.sets.iter().enumerate() {
        match apply_one(root, n, text) {
            Ok(dropped) => {
                for entry in dropped {
                    let place = texts.place(&entry.key_origin);
                    let message = format!("left out: --set {text} chose another kind");
                    problems.push(Diagnostic::warning(place, entry.key, message));
                }
            }
            Err(reason) => {
                problems.push(Diagnostic::error(
                    SourcePlace::Set(text.clone()),
                    "",
                    reason,
                ));
            }
        }
    }
}

/// The value as it was typed, where a `--set` gave a number or a switch and text is wanted.
pub(crate) fn typed_text(sets: &[Arc<str>], origin: &Origin) -> Option<String> {
    let Origin::Set(n) = origin else { return None };
    let (_, value) = sets.get(*n)?.split_once('=')?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceText;

    fn set(text: &str, sets: &[&str]) -> (toml::Value, Diagnostics) {
        let texts = Texts {
            own_environment: false,
            source: Arc::new(SourceText {
                name: "a.toml".into(),
                text: text.into(),
            }),
            sets: sets.iter().map(|&s| s.into()).collect(),
        };
        let mut root = super::super::node::parse(&texts.source).unwrap();
        let mut problems = Diagnostics::default();
        apply(&mut root, &texts, &mut problems);
        (root.to_toml(), problems)
    }

    #[test]
    fn values_are_replaced_added_and_appended() {
        let (value, problems) = set(
            "nav = 'grid'\ntier = [{level = 0}]\n",
            &[
                "nav.cell=0.5",
                "planner.kind=astar",
                "tier[0].level=2",
                "tier.1.level=3",
                "name=two words",
                "a.b[0].c=[1, 2]",
            ],
        );
        assert!(problems.is_empty(), "{problems}");
        let expected: toml::Table = toml::from_str(
            "nav = {kind='grid', cell=0.5}\nplanner={kind='astar'}\ntier=[{level=2},{level=3}]\n\
             name='two words'\na={b=[{c=[1,2]}]}",
        )
        .unwrap();
        assert_eq!(value, toml::Value::Table(expected));
    }

    #[test]
    fn what_cannot_be_set_is_said() {
        let wrong = [
            "nav",
            "=1",
            "tier[5].level=1",
            "dt.x=1",
            "nav[0]=1",
            "a[x]=1",
        ];
        let (_, problems) = set("dt = 0.1\nnav = {}\ntier = []\n", &wrong);
        assert_eq!(problems.items().len(), wrong.len(), "{problems}");
        assert!(problems.to_string().contains("--set tier[5].level=1"));
    }
}
