//! `throng new plugin NAME`: a project of a strategy in a dynamic library.
//!
//! The files are templates in `hosts/cli/templates/plugin`; words between two underscores on each
//! side are filled in.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use serde_json::json;
use throng::core::Slot;

use crate::{commands::list::slot_named, console, failure::Failure};

/// What is to be written.
#[derive(Debug, Args)]
pub struct PluginProject {
    /// The strategy's id, also the name of the folder: lowercase letters, digits and hyphens.
    name: String,
    /// The slot it fills: nav, planner, cost, avoidance, lod or group.
    #[arg(long, value_name = "SLOT")]
    slot: String,
    /// The language; C for avoidance and cost.
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    lang: Language,
    /// Where a Rust project finds Throng's crates, which are not published: a folder with Throng's
    /// sources, or the address of a git repository. By default the sources that this program was
    /// built from.
    #[arg(long, value_name = "PATH|URL")]
    throng: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Rust,
    C,
}

/// A file of a project: its path, and its template.
type File = (&'static str, &'static str);

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/templates/plugin/",
            $path
        ))
    };
}

const RUST: [File; 6] = [
    ("Cargo.toml", template!("rust/Cargo.toml.txt")),
    (".gitignore", template!("rust/gitignore.txt")),
    ("README.md", template!("rust/README.md")),
    ("scenario.toml", template!("rust/scenario.toml")),
    ("src/lib.rs", template!("rust/lib.rs")),
    ("tests/conformance.rs", template!("rust/conformance.rs")),
];

fn strategy_in_rust(slot: Slot) -> &'static str {
    match slot {
        Slot::Nav => template!("rust/nav.rs"),
        Slot::Planner => template!("rust/planner.rs"),
        Slot::Cost => template!("rust/cost.rs"),
        Slot::Avoidance => template!("rust/avoidance.rs"),
        Slot::Lod => template!("rust/lod.rs"),
        Slot::Group => template!("rust/group.rs"),
    }
}

const C: [File; 4] = [
    ("Makefile", template!("c/Makefile.txt")),
    (".gitignore", template!("c/gitignore.txt")),
    ("README.md", template!("c/README.md")),
    ("scenario.toml", template!("rust/scenario.toml")),
];

/// The border in C, as it is generated in core/abi: the project has a copy of its own.
const HEADER: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../core/abi/include/throng.h"
));

fn strategy_in_c(slot: Slot) -> Option<&'static str> {
    match slot {
        Slot::Cost => Some(template!("c/cost.c")),
        Slot::Avoidance => Some(template!("c/avoidance.c")),
        _ => None,
    }
}

/// Writes the project; a folder that is there is never touched.
pub fn new(project: &PluginProject, json: bool) -> Result<(), Failure> {
    let slot = slot_named(&project.slot)?;
    let id = project.name.as_str();
    check_id(slot, id)?;
    let source = match project.lang {
        Language::Rust => Some(Source::of(project.throng.as_deref())?),
        Language::C => None,
    };
    let words = Words::new(slot, id, project.lang, source.as_ref());
    let mut files: Vec<(String, String)> = Vec::new();
    match project.lang {
        Language::Rust => {
            files.extend(RUST.map(|(path, text)| (path.to_owned(), words.fill(text))));
            let strategy = words.fill(strategy_in_rust(slot));
            files.push((format!("src/{}.rs", words.stem), strategy));
            if let Some(lock) = source.as_ref().and_then(Source::lock) {
                files.push(("Cargo.lock".to_owned(), lock));
            }
        }
        Language::C => {
            let Some(strategy) = strategy_in_c(slot) else {
                return Err(Failure::input(format!(
                    "there is no start in C for slot {}; there is for avoidance and cost, and in \
                     Rust for every slot",
                    slot.name()
                )));
            };
            files.extend(C.map(|(path, text)| (path.to_owned(), words.fill(text))));
            files.push((format!("{}.c", words.stem), words.fill(strategy)));
            files.push(("throng.h".to_owned(), HEADER.to_owned()));
        }
    }
    let folder = Path::new(id);
    write(folder, &files)?;
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    if json {
        console::out_json(&json!({
            "folder": folder, "files": names, "library": words.library,
            "slot": slot.name(), "id": id,
        }));
        return Ok(());
    }
    let (build, test) = match project.lang {
        Language::Rust => ("cargo build", "cargo test"),
        Language::C => ("make", "make test"),
    };
    console::out(&format!(
        "wrote {id}/ with {}\n\ncd {id}\n{build}\nthrong conform {library}\nthrong run \
         scenario.toml --allow-plugins\n{test}",
        names.join(", "),
        library = words.library,
    ));
    Ok(())
}

fn check_id(slot: Slot, id: &str) -> Result<(), Failure> {
    let parts = || id.split('-');
    let plain = |part: &str| {
        let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        !part.is_empty() && part.bytes().all(word)
    };
    if !parts().all(plain) || !id.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err(Failure::input(format!(
            "{id:?} is no id: lowercase letters, digits and single hyphens, a letter first, such \
             as keep-left"
        )));
    }
    // Words that Rust keeps for itself, and crates that the project depends on.
    const TAKEN: [&str; 44] = [
        "as",
        "async",
        "await",
        "break",
        "const",
        "continue",
        "core",
        "crate",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "fn",
        "for",
        "gen",
        "glam",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "match",
        "mod",
        "move",
        "mut",
        "pub",
        "ref",
        "return",
        "self",
        "static",
        "std",
        "struct",
        "super",
        "test",
        "throng",
        "throng-core",
        "trait",
        "true",
        "try",
        "type",
        "typetag",
        "unsafe",
        "use",
    ];
    if TAKEN.contains(&id) || ["where", "while", "yield"].contains(&id) {
        return Err(Failure::input(format!(
            "{id:?} cannot be the name of a crate; choose another"
        )));
    }
    if let Some(known) = throng::registry().find(slot, id) {
        return Err(Failure::input(format!(
            "there is a {} {id} in {} already; choose another name",
            slot.name(),
            known.origin
        )));
    }
    Ok(())
}

/// Where Throng's crates come from.
enum Source {
    Folder(PathBuf),
    Git(String),
}

impl Source {
    fn of(asked: Option<&str>) -> Result<Source, Failure> {
        let git = |text: &str| text.contains("://") || text.starts_with("git@");
        if let Some(url) = asked.filter(|text| git(text)) {
            if url.contains(['"', '\\', '\n']) {
                return Err(Failure::input(format!(
                    "--throng {url}: this is no address"
                )));
            }
            return Ok(Source::Git(url.to_owned()));
        }
        // The workspace that this program was compiled in, if it is still there.
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = asked.map_or(built_from, PathBuf::from);
        let known = folder
            .canonicalize()
            .ok()
            .filter(|f| f.join("core/api/Cargo.toml").is_file())
            .filter(|f| f.join("hosts/throng/Cargo.toml").is_file());
        known.map(Source::Folder).ok_or_else(|| {
            Failure::input(match asked {
                Some(asked) => format!(
                    "--throng {asked}: there are no sources of Throng (core/api and hosts/throng)"
                ),
                None => "the sources that this program was built from are gone: say with --throng \
                         where Throng's crates are, a folder with its sources or a git address"
                    .to_owned(),
            })
        })
    }

    fn dependency(&self, folder: &str) -> String {
        match self {
            Source::Folder(root) => {
                let path = root.join(folder);
                format!(
                    "path = {}",
                    toml::Value::from(path.to_string_lossy().as_ref())
                )
            }
            Source::Git(url) => format!("git = {}", toml::Value::from(url.as_str())),
        }
    }

    fn whence(&self) -> String {
        match self {
            Source::Folder(root) => format!("the sources in {}", root.display()),
            Source::Git(url) => format!("the git repository {url}"),
        }
    }

    /// Throng's own lock file: cargo keeps of it what the project needs.
    fn lock(&self) -> Option<String> {
        match self {
            Source::Folder(root) => fs::read_to_string(root.join("Cargo.lock")).ok(),
            Source::Git(_) => None,
        }
    }
}

/// What stands for the words in the templates.
struct Words {
    stem: String,
    library: String,
    pairs: Vec<(&'static str, String)>,
}

impl Words {
    fn new(slot: Slot, id: &str, language: Language, source: Option<&Source>) -> Words {
        let stem = id.replace('-', "_");
        let upper = |part: &str| {
            let mut letters = part.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        };
        let file = format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}");
        let library = match language {
            Language::Rust => format!("target/debug/{file}"),
            Language::C => file.clone(),
        };
        let (more, groups) = match slot {
            // What shows that the strategy is at work.
            Slot::Lod => ("\n[[tier]]\nlevel = 1\nperiod = 2\n", ""),
            Slot::Group => ("", "groups = { sizes = [0, 1, 1] }\n"),
            _ => ("", ""),
        };
        let dependency = |folder| source.map_or_else(String::new, |s| s.dependency(folder));
        let pairs = vec![
            ("__id__", id.to_owned()),
            ("__Type__", id.split('-').map(upper).collect()),
            ("__stem__", stem.clone()),
            ("__crate__", stem.clone()),
            ("__slot__", slot.name().to_owned()),
            ("__Slot__", upper(slot.name())),
            ("__file__", file),
            ("__library__", library.clone()),
            ("__more__\n", more.to_owned()),
            ("__groups__\n", groups.to_owned()),
            ("__core__", dependency("core/api")),
            ("__throng__", dependency("hosts/throng")),
            (
                "__whence__",
                source.map_or_else(String::new, Source::whence),
            ),
        ];
        Words {
            stem,
            library,
            pairs,
        }
    }

    fn fill(&self, template: &str) -> String {
        let fill = |text: String, (word, with): &(&str, String)| text.replace(word, with);
        self.pairs.iter().fold(template.to_owned(), fill)
    }
}

/// Writes every file into a new folder.
fn write(folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let shown = folder.display();
    fs::create_dir(folder)
        .map_err(|e| Failure::input(format!("the folder {shown} cannot be made: {e}")))?;
    for (name, text) in files {
        let path = folder.join(name);
        let written = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::File::create_new(&path))
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| Failure::run(format!("{} cannot be written: {e}", path.display())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_every_template_is_filled_in() {
        let source = Source::Git("https://example.org/throng".into());
        for slot in Slot::ALL {
            let words = Words::new(slot, "keep-left", Language::Rust, Some(&source));
            let texts = RUST.iter().map(|(_, text)| *text);
            for text in texts.chain([strategy_in_rust(slot)]) {
                let filled = words.fill(text);
                assert!(!filled.contains("__"), "{filled}");
            }
            let words = Words::new(slot, "keep-left", Language::C, None);
            let texts = C.iter().map(|(_, text)| *text);
            for text in texts.chain(strategy_in_c(slot)) {
                let filled = words.fill(text);
                assert!(!filled.contains("__"), "{filled}");
            }
        }
        let words = Words::new(Slot::Cost, "keep-left", Language::Rust, None);
        assert_eq!(
            words.fill("__Type__ __stem__ __Slot__"),
            "KeepLeft keep_left Cost"
        );
    }

    #[test]
    fn ids_that_no_crate_can_have_are_refused() {
        for id in [
            "",
            "Left",
            "keep--left",
            "-left",
            "9left",
            "keep_left",
            "match",
            "throng",
        ] {
            assert!(check_id(Slot::Avoidance, id).is_err(), "{id}");
        }
        assert!(check_id(Slot::Avoidance, "orca").is_err(), "built in");
        assert!(check_id(Slot::Cost, "orca").is_ok());
        assert!(check_id(Slot::Avoidance, "keep-left-2").is_ok());
    }
}
