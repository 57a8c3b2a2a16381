//! `throng describe`: a strategy or a scene in full.

use clap::Args;
use serde_json::{Value, json};
use throng::core::options::OptionSpec;
use throng::engine::registry::nearest;

use super::{list::slot_named, plugins::PluginArgs};
use crate::{
    console::{self, Table},
    failure::Failure,
};

/// Arguments of `describe`.
#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// What, such as avoidance/orca or scene/square.
    #[arg(value_name = "SLOT/ID")]
    what: String,
    #[command(flatten)]
    plugins: PluginArgs,
}

fn option_json(option: &OptionSpec) -> Value {
    json!({
        "name": option.name, "about": option.about, "unit": option.unit,
        "allowed": option.allowed(), "default": option.default,
    })
}

fn option_table(options: &[OptionSpec]) -> String {
    if options.is_empty() {
        return "No options.\n".into();
    }
    let mut table = Table::new(["option", "default", "unit", "allowed", "meaning"]);
    for option in options {
        table.row([
            option.name.to_owned(),
            option.default.clone(),
            option.unit.to_owned(),
            option.allowed(),
            option.about.clone(),
        ]);
    }
    format!("\n{}", table.render())
}

/// Describes it.
pub fn describe(args: &DescribeArgs, json: bool) -> Result<(), Failure> {
    let registry = args.plugins.registry()?;
    let Some((slot, id)) = args.what.split_once('/') else {
        let known = registry
            .strategies()
            .iter()
            .filter(|s| s.id == args.what)
            .map(|s| format!("{}/{}", s.slot.name(), s.id));
        let meant: Vec<_> = known.collect();
        let hint = if meant.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", meant.join(" or "))
        };
        return Err(Failure::input(format!(
            "{:?} is not of the form SLOT/ID, such as avoidance/orca{hint}",
            args.what
        )));
    };
    if slot == "scene" || slot == "scenes" {
        let scene = registry.generator(id).ok_or_else(|| {
            let known = registry.generators().iter().map(|g| g.id.as_str());
            unknown("scene", id, known.collect())
        })?;
        if json {
            let options: Vec<_> = scene.options.iter().map(option_json).collect();
            let about = &scene.about;
            console::out_json(&json!({
                "slot": "scene", "id": scene.id, "about": about, "options": options,
            }));
        } else {
            let use_it = format!("Use it: environment.generate = \"{}\"\n", scene.id);
            let options = option_table(&scene.options);
            console::out(&format!(
                "scene {}: {}\n{use_it}{options}",
                scene.id, scene.about
            ));
        }
        return Ok(());
    }
    let slot = slot_named(slot)?;
    let strategy = registry.find(slot, id).ok_or_else(|| {
        let known = registry.of(slot).map(|s| s.id.as_str());
        unknown(slot.name(), id, known.collect())
    })?;
    if json {
        let options: Vec<_> = strategy.options.iter().map(option_json).collect();
        console::out_json(&json!({
            "slot": slot.name(), "id": strategy.id, "about": strategy.about,
            "when": strategy.when, "when_not": strategy.when_not, "growth": strategy.growth,
            "paper": strategy.paper, "needs": strategy.needs.names(),
            "offers": strategy.offers.names(), "origin": strategy.origin,
            "version": strategy.version, "library_hash": strategy.hash, "options": options,
        }));
        return Ok(());
    }
    let mut text = format!("{} {}: {}\n", slot.name(), strategy.id, strategy.about);
    let mut table = Table::new(["", ""]);
    let lines = [
        ("when", strategy.when.clone()),
        ("when not", strategy.when_not.clone()),
        ("grows", strategy.growth.clone()),
        ("paper", strategy.paper.clone()),
        ("needs", strategy.needs.names().join(", ")),
        ("offers", strategy.offers.names().join(", ")),
        ("from", strategy.origin.clone()),
        ("version", strategy.version.clone()),
        ("SHA-256", strategy.hash.clone().unwrap_or_default()),
    ];
    for (name, value) in lines.into_iter().filter(|(_, value)| !value.is_empty()) {
        table.row([name.to_owned(), value]);
    }
    text += &table.render();
    text += &option_table(&strategy.options);
    console::out(&text);
    Ok(())
}

fn unknown(slot: &str, id: &str, known: Vec<&str>) -> Failure {
    let meant = nearest(id, known.iter().copied())
        .map_or_else(String::new, |n| format!("; did you mean {slot}/{n}?"));
    Failure::input(format!(
        "there is no {slot} {id:?}; known are {}{meant}",
        known.join(", ")
    ))
}
