//! Codecs of lists and tables.

use core::marker::PhantomData;

use serde_json::json;

use crate::{
    registry::Registry,
    scenario::{
        codec::{Codec, Reader, Section, describe_section, read_section, write_section},
        node::Node,
    },
};

/// A list.
pub(crate) struct ListOf<C>(pub C);

impl<T, C: Codec<T>> Codec<Vec<T>> for ListOf<C> {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Vec<T>> {
        let items = reader.items(node, path)?;
        let read: Vec<T> = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| self.0.read(item, reader, &format!("{path}[{i}]")))
            .collect();
        Some(read)
    }

    fn write(&self, value: &Vec<T>) -> toml::Value {
        value
            .iter()
            .map(|v| self.0.write(v))
            .collect::<Vec<_>>()
            .into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        json!({ "type": "array", "items": self.0.schema(registry) })
    }
}

/// A table that is a section.
pub(crate) struct TableOf<S>(PhantomData<S>);

/// A table that is the section `S`.
pub(crate) const fn table<S>() -> TableOf<S> {
    TableOf(PhantomData)
}

impl<S: Section + Clone> Codec<S> for TableOf<S> {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<S> {
        read_section(node, reader, path)
    }

    fn write(&self, value: &S) -> toml::Value {
        write_section(value).into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        describe_section::<S>(registry)
    }
}
