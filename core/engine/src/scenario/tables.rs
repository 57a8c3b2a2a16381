//! Codecs of the tables that are more than a list of keys: cost, environment, follow, profiles.

use serde_json::json;
use throng_core::registry::Slot;

use super::{
    codec::{Codec, Keys, Reader, Section, describe_section, join, read_section, write_section},
    codecs::{number, positive},
    model::{CostSpec, EnvironmentSource, EnvironmentSpec, FollowSpec, Profile},
    node::{Node, Value},
    strategy::{StrategyOf, options_schema, read_options, slot_schema},
    values::StrategySpec,
};
use crate::{
    diagnostics::Diagnostic,
    registry::{Registry, default_value},
};

/// The keys of `[cost]` that belong to the engine.
pub(crate) const COST_KEYS: &[&str] = &["weight", "every", "cell", "pool"];

/// What the engine keeps of `[cost]`.
#[derive(Clone)]
struct CostKeys {
    weight: f64,
    every: f64,
    cell: Option<f64>,
    pool: Option<f64>,
}

impl Default for CostKeys {
    fn default() -> CostKeys {
        let CostSpec {
            weight,
            every,
            cell,
            pool,
            ..
        } = CostSpec::default();
        CostKeys {
            weight,
            every,
            cell,
            pool,
        }
    }
}

impl Section for CostKeys {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Weight w of the crowd part, for profiles that name none.";
        keys.one("weight", about, "", number(0.0, 1e6), &mut self.weight);
        let about = "Time between two sets of prices.";
        keys.one("every", about, "s", positive(1e6), &mut self.every);
        let about = "Side of crowd cells of their own; by default they are the map's regions.";
        keys.maybe("cell", about, "m", number(0.05, 1e4), &mut self.cell);
        let about = "Regions below this area share a crowd cell with their neighbours; 0 for none. Left out: 1 on sparse maps, 0 on dense ones.";
        keys.maybe("pool", about, "m2", number(0.0, 1e6), &mut self.pool);
    }
}

/// The `[cost]` table: the model's options beside the engine's keys.
pub(crate) struct CostCodec;

const COST_MODEL: StrategyOf = StrategyOf {
    slot: Slot::Cost,
    defaults: true,
    others: COST_KEYS,
};

impl Codec<CostSpec> for CostCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<CostSpec> {
        let own = match &node.value {
            Value::Table(entries) => {
                let mut own = entries.clone();
                own.retain(|e| COST_KEYS.contains(&e.key.as_str()));
                own
            }
            _ => Vec::new(),
        };
        let own = Node {
            value: Value::Table(own),
            origin: node.origin.clone(),
        };
        let keys: CostKeys = read_section(&own, reader, path)?;
        let model = COST_MODEL.read(node, reader, path)?;
        Some(CostSpec {
            model,
            weight: keys.weight,
            every: keys.every,
            cell: keys.cell,
            pool: keys.pool,
        })
    }

    fn write(&self, value: &CostSpec) -> toml::Value {
        let mut written = COST_MODEL.write(&value.model);
        let own = write_section(&CostKeys {
            weight: value.weight,
            every: value.every,
            cell: value.cell,
            pool: value.pool,
        });
        if let toml::Value::Table(table) = &mut written {
            table.extend(own);
        }
        written
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        let own = describe_section::<CostKeys>(registry);
        let own = own["properties"].as_object().cloned().unwrap_or_default();
        slot_schema(registry, Slot::Cost, &own)
    }

    fn absent(&self, value: &mut CostSpec, reader: &mut Reader<'_>, path: &str) {
        COST_MODEL.absent(&mut value.model, reader, path);
    }
}

/// The `[environment]` table: a file, layers, or a generator with its options.
pub(crate) struct EnvironmentCodec;

impl Codec<EnvironmentSpec> for EnvironmentCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<EnvironmentSpec> {
        let entries = reader.entries(node, path)?;
        let Some(generate) = node.get("generate") else {
            return read_section(node, reader, path);
        };
        let key = join(path, "generate");
        let registry = reader.registry;
        let known = registry.generators().iter().map(|g| g.id.as_str());
        let Value::Text(id) = &generate.value else {
            let allowed: Vec<_> = known.collect();
            reader.wrong_type(generate, &key, "a generator's id", &allowed.join(", "));
            return None;
        };
        let Some(generator) = registry.generator(id) else {
            reader.unknown_word(generate, &key, id, known, "scene generator");
            return None;
        };
        for other in ["file", "layers"] {
            if let Some(node) = node.get(other) {
                let message = "cannot be given beside environment.generate";
                reader.wrong(
                    node,
                    &join(path, other),
                    message,
                    "one of file, generate, layers",
                );
                return None;
            }
        }
        let unknown = format!("unknown option of the generator {id}");
        let options = &generator.options;
        let given = read_options(entries, options, &unknown, &["generate"], reader, path)?;
        let mut table = toml::Table::new();
        for option in options {
            let default = || default_value(option);
            if let Some(value) = given.get(option.name).cloned().or_else(default) {
                table.insert(option.name.to_owned(), value);
            }
        }
        Some(EnvironmentSpec {
            source: EnvironmentSource::Generate(StrategySpec {
                kind: id.clone(),
                table,
                place: reader.texts.place(&generate.origin),
            }),
            ..EnvironmentSpec::default()
        })
    }

    fn write(&self, value: &EnvironmentSpec) -> toml::Value {
        match &value.source {
            EnvironmentSource::Generate(spec) => {
                let mut table = toml::Table::new();
                table.insert("generate".into(), spec.kind.clone().into());
                table.extend(spec.table.clone());
                table.into()
            }
            _ => write_section(value).into(),
        }
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        let mut files = describe_section::<EnvironmentSpec>(registry);
        files["oneOf"] = json!([{ "required": ["file"] }, { "required": ["layers"] }]);
        let mut forms = vec![files];
        for generator in registry.generators() {
            let mut properties = options_schema(&generator.options);
            properties.insert("generate".into(), json!({ "const": generator.id }));
            forms.push(json!({
                "type": "object",
                "title": generator.id,
                "description": generator.about,
                "properties": properties,
                "required": ["generate"],
                "additionalProperties": false,
            }));
        }
        json!({ "oneOf": forms })
    }

    fn absent(&self, _: &mut EnvironmentSpec, reader: &mut Reader<'_>, path: &str) {
        if reader.texts.own_environment {
            return;
        }
        let message = "missing: what the ground is made from";
        let place = reader.texts.place(&super::node::Origin::File(0..0));
        reader.problems.push(
            Diagnostic::error(place, path, message)
                .allowed("a table [environment] with file, generate or layers"),
        );
    }
}

/// How routes are followed: a word, or a table with `kind`.
pub(crate) struct FollowCodec;

impl Codec<FollowSpec> for FollowCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<FollowSpec> {
        match &node.value {
            Value::Text(_) => Some(FollowSpec {
                kind: super::codecs::word().read(node, reader, path)?,
                ..FollowSpec::default()
            }),
            _ => read_section(node, reader, path),
        }
    }

    fn write(&self, value: &FollowSpec) -> toml::Value {
        write_section(value).into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        let table = describe_section::<FollowSpec>(registry);
        let word = table["properties"]["kind"].clone();
        json!({ "oneOf": [word, table] })
    }
}

/// Tables by name: `[profile.adult]`. The default profile is there whether written or not.
pub(crate) struct ProfilesCodec;

impl Codec<Vec<Profile>> for ProfilesCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Vec<Profile>> {
        let mut profiles = vec![Profile::default()];
        for entry in reader.entries(node, path)? {
            let key = join(path, &entry.key);
            if let Some(mut profile) = read_section::<Profile>(&entry.node, reader, &key) {
                profile.name.clone_from(&entry.key);
                profiles.retain(|p| p.name != profile.name);
                profiles.push(profile);
            }
        }
        profiles.sort_by(|a, b| a.name.cmp(&b.name));
        Some(profiles)
    }

    fn write(&self, value: &Vec<Profile>) -> toml::Value {
        let named = value
            .iter()
            .map(|p| (p.name.clone(), write_section(p).into()));
        named.collect::<toml::Table>().into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        json!({ "type": "object", "additionalProperties": describe_section::<Profile>(registry) })
    }
}
