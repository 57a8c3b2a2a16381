//! Descriptors: what a library says of its strategies, taken from their registrations.

use core::ffi::c_void;
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_abi::{ABI_VERSION, Bytes, Call, Descriptor, Sink, Status, threads};

use super::guard::{guard, report};
use crate::{
    options::{OptionKind, OptionSpec},
    registry::{Slot, builtin},
};

/// One line of [`export_plugin!`](crate::export_plugin).
#[derive(Clone, Copy, Debug)]
pub struct Export {
    pub(super) slot: Slot,
    pub(super) id: &'static str,
    pub(super) version: &'static str,
    pub(super) origin: &'static str,
    pub(super) create: unsafe extern "C" fn(*const Call, Bytes, *mut *mut c_void) -> Status,
    pub(super) destroy: unsafe extern "C" fn(*mut c_void),
    pub(super) effective: unsafe extern "C" fn(*const Call, *const c_void, *const Sink) -> Status,
    pub(super) table: fn() -> *const c_void,
}

/// The descriptors of a library, made when first asked for.
#[derive(Debug)]
pub struct Descriptors(OnceLock<Result<Vec<Descriptor>, String>>);

impl Descriptors {
    /// None yet.
    #[expect(clippy::new_without_default, reason = "only ever a static")]
    pub const fn new() -> Descriptors {
        Descriptors(OnceLock::new())
    }
}

/// The `describe` function of a library.
///
/// # Safety
/// `call` is the host's call that is running now.
pub unsafe fn describe(
    descriptors: &'static Descriptors,
    exports: &[Export],
    call: *const Call,
    index: u32,
) -> *const Descriptor {
    let mut found = core::ptr::null();
    // SAFETY: the caller's promise.
    unsafe {
        guard(call, || {
            let made = descriptors
                .0
                .get_or_init(|| exports.iter().map(descriptor).collect());
            match made {
                Ok(all) => match all.get(index as usize) {
                    Some(one) => found = one,
                    None => report(call, &format!("there is no strategy number {index}")),
                },
                Err(reason) => report(call, reason),
            }
            Ok(None)
        });
    }
    found
}

fn descriptor(export: &Export) -> Result<Descriptor, String> {
    let Some(entry) = builtin()
        .into_iter()
        .find(|e| e.slot == export.slot && e.id == export.id)
    else {
        return Err(format!(
            "{}/{} is exported but not registered: register! it under the same slot and id",
            export.slot.name(),
            export.id
        ));
    };
    let text = |t: &'static str| Bytes::of(t.as_bytes());
    // Descriptors live as long as the process, and so does their one made text.
    let schema: &'static str = schema(&(entry.options)()).leak();
    Ok(Descriptor {
        size: size_of::<Descriptor>() as u32,
        version: ABI_VERSION,
        slot: export.slot as u32,
        threads: threads::MANY,
        id: text(entry.id),
        strategy_version: text(export.version),
        origin: text(export.origin),
        about: text(entry.about),
        when: text(entry.when),
        when_not: text(entry.when_not),
        growth: text(entry.growth),
        paper: text(entry.paper),
        options: text(schema),
        needs: entry.needs.0,
        offers: entry.offers.0,
        create: Some(export.create),
        destroy: Some(export.destroy),
        effective: Some(export.effective),
        table: (export.table)(),
    })
}

/// A JSON object whose keys stay in the order given: options are listed as declared.
struct InOrder(Vec<(String, Value)>);

impl Serialize for InOrder {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[derive(Serialize)]
struct Schema {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "additionalProperties")]
    additional: bool,
    properties: InOrder,
}

/// Options as JSON Schema.
fn schema(options: &[OptionSpec]) -> String {
    let schema = Schema {
        kind: "object",
        additional: false,
        properties: InOrder(
            options
                .iter()
                .map(|o| (o.name.to_string(), Value::Object(property(o))))
                .collect(),
        ),
    };
    serde_json::to_string(&schema).unwrap_or_default()
}

fn property(option: &OptionSpec) -> Map<String, Value> {
    let mut property = Map::new();
    let mut put = |key: &str, value: Value| property.insert(key.to_string(), value);
    put("description", json!(option.about));
    if !option.unit.is_empty() {
        put("unit", json!(option.unit));
    }
    // What is no JSON (an infinity) stays a text, as a scenario writes it.
    put(
        "default",
        serde_json::from_str(&option.default).unwrap_or_else(|_| json!(option.default)),
    );
    match &option.kind {
        OptionKind::Number { min, max } => {
            put("type", json!("number"));
            if min.is_finite() {
                put("minimum", json!(min));
            }
            if max.is_finite() {
                put("maximum", json!(max));
            }
        }
        OptionKind::Integer { min, max } => {
            put("type", json!("integer"));
            if *min != i64::MIN {
                put("minimum", json!(min));
            }
            if *max != i64::MAX {
                put("maximum", json!(max));
            }
        }
        OptionKind::Switch => {
            put("type", json!("boolean"));
        }
        OptionKind::Choice(words) => {
            put("type", json!("string"));
            put("enum", json!(words));
        }
        OptionKind::Text => {
            put("type", json!("string"));
        }
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_keeps_the_order_and_the_bounds() {
        let option = |name, kind, default: &str| OptionSpec {
            name,
            about: "What it does.".into(),
            unit: "m",
            kind,
            default: default.into(),
        };
        let text = schema(&[
            option("z", OptionKind::Number { min: 0.0, max: 2.5 }, "0.5"),
            option(
                "a",
                OptionKind::Integer {
                    min: 1,
                    max: i64::MAX,
                },
                "3",
            ),
            option("m", OptionKind::Choice(&["left", "right"]), "\"left\""),
        ]);
        assert!(text.find("\"z\"") < text.find("\"a\""), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        let properties = &value["properties"];
        assert_eq!(properties["z"]["maximum"], json!(2.5));
        assert_eq!(properties["a"]["default"], json!(3));
        assert!(properties["a"].get("maximum").is_none());
        assert_eq!(properties["m"]["enum"], json!(["left", "right"]));
        assert_eq!(properties["m"]["default"], json!("left"));
    }
}
