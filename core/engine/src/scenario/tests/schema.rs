//! The JSON Schema has every key, every strategy and every option.

use super::*;
use crate::scenario::json_schema;

#[test]
fn every_key_and_strategy_is_described() {
    let schema = json_schema(&registry());
    let keys = schema["properties"].as_object().unwrap();
    let everything: toml::Table = toml::from_str(EVERYTHING).unwrap();
    for key in everything.keys() {
        let about = keys.get(key).and_then(|k| k["description"].as_str());
        assert!(about.is_some_and(|a| !a.is_empty()), "{key}");
    }
    assert_eq!(schema["properties"]["dt"]["default"], 0.1);
    assert_eq!(schema["properties"]["dt"]["maximum"], 1.0);
    assert_eq!(schema["properties"]["nav"]["$ref"], "#/$defs/nav");
    let forms = schema["$defs"]["nav"]["oneOf"].as_array().unwrap();
    assert_eq!(
        forms[0]["enum"],
        serde_json::json!(["adaptive-grid", "grid"])
    );
    assert_eq!(forms[1]["required"], serde_json::json!(["kind"]));
    let cell = &forms[2]["properties"]["cell"];
    assert_eq!(cell["minimum"], 0.05);
    assert_eq!(cell["description"], "Side of a cell. [m]");
    let corner = &forms[2]["properties"]["corner"];
    assert_eq!(corner["enum"], serde_json::json!(["forbidden", "allowed"]));
    let cost = &schema["properties"]["cost"]["oneOf"][1]["properties"];
    assert_eq!(cost["weight"]["minimum"], 0.0);
    assert_eq!(cost["factor"]["maximum"], 100.0);
    let square = &schema["properties"]["environment"]["oneOf"][1];
    assert_eq!(square["properties"]["side"]["default"], 10.0);
    let area = &schema["properties"]["area"]["items"];
    assert_eq!(area["required"], serde_json::json!(["name", "shape"]));
}
