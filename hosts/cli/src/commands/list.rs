//! `throng list`: every strategy and scene, one line each.

use clap::Args;
use serde_json::json;
use throng::{core::Slot, engine::registry::nearest};

use super::plugins::PluginArgs;
use crate::{
    console::{self, Table},
    failure::Failure,
};

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only this slot: nav, planner, cost, avoidance, lod, group, or scene.
    #[arg(value_name = "SLOT")]
    slot: Option<String>,
    #[command(flatten)]
    plugins: PluginArgs,
}

/// The slot of this name, or what was meant.
pub fn slot_named(name: &str) -> Result<Slot, Failure> {
    Slot::from_name(name).ok_or_else(|| {
        let known = Slot::ALL.map(Slot::name);
        let meant =
            nearest(name, known).map_or_else(String::new, |n| format!("; did you mean {n:?}?"));
        Failure::input(format!(
            "there is no slot {name:?}; allowed: {}, scene{meant}",
            known.join(", ")
        ))
    })
}

/// Lists them.
pub fn list(args: &ListArgs, json: bool) -> Result<(), Failure> {
    let registry = args.plugins.registry()?;
    let (slot, scenes) = match args.slot.as_deref() {
        None => (None, true),
        Some("scene" | "scenes") => (None, true),
        Some(name) => (Some(slot_named(name)?), false),
    };
    let only_scenes = scenes && args.slot.is_some();
    let strategies: Vec<_> = registry
        .strategies()
        .iter()
        .filter(|s| !only_scenes && slot.is_none_or(|slot| s.slot == slot))
        .collect();
    if json {
        let listed: Vec<_> = strategies
            .iter()
            .map(|s| {
                json!({
                    "slot": s.slot.name(), "id": s.id, "about": s.about,
                    "origin": s.origin, "version": s.version, "library_hash": s.hash,
                })
            })
            .collect();
        let mut document = json!({ "strategies": listed });
        if scenes {
            let listed: Vec<_> = registry
                .generators()
                .iter()
                .map(|g| json!({ "id": g.id, "about": g.about }))
                .collect();
            document["scenes"] = listed.into();
        }
        console::out_json(&document);
        return Ok(());
    }
    let mut table = Table::new(["slot", "id", "what it is", "from"]);
    for s in &strategies {
        let about = s.about.trim_end_matches('.').to_owned();
        table.row([
            s.slot.name().to_owned(),
            s.id.clone(),
            about,
            s.origin.clone(),
        ]);
    }
    let mut text = if only_scenes {
        String::new()
    } else {
        table.render()
    };
    if scenes {
        if !text.is_empty() {
            text.push_str("\nScenes for environment.generate:\n");
        }
        let mut table = Table::new(["scene", "what it draws"]);
        for scene in registry.generators() {
            let about = scene.about.split(';').next().unwrap_or_default();
            table.row([scene.id.clone(), about.to_owned()]);
        }
        text += &table.render();
    }
    console::out(&text);
    if args.slot.is_none() {
        console::err(
            "More about one of them: throng describe avoidance/orca, throng describe scene/square",
        );
    }
    Ok(())
}
