//! Loads scenarios: text, `--set`, all problems together, paths that stay where they may.

use std::{
    fs,
    io::Read,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    codec::{Codec, Reader, read_section},
    codecs::{ListOf, NAME},
    model::{EnvironmentSource, Scenario},
    node::{self, Node, Texts},
    provenance::Provenance,
    set,
};
use crate::{
    diagnostics::{Diagnostic, Diagnostics, Severity, SourcePlace, SourceText},
    registry::Registry,
};

/// Scenario files longer than this are refused unread.
const LARGEST_FILE: u64 = 64 << 20;

/// How to load a scenario.
#[derive(Clone, Debug)]
pub struct LoadOptions<'a> {
    /// The strategies that it may name.
    pub registry: &'a Registry,
    /// Changes as `key=value`, such as `nav.kind=grid`, `tier[1].period=2`, `source.0.count=5`.
    pub sets: Vec<String>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Whether files outside the scenario's folder may be read.
    pub allow_outside: bool,
    /// Whether the host brings the environment, so that the text need not name one.
    pub own_environment: bool,
    /// The folder that relative paths start from; by default that of the scenario's file.
    pub folder: Option<PathBuf>,
}

/// A dynamic library that a scenario names.
#[derive(Clone, Debug)]
pub struct NamedPlugin {
    /// Its path; a relative one starts from the scenario's folder.
    pub path: PathBuf,
    /// Where it is written.
    pub place: SourcePlace,
    /// The key there, such as `plugins[0]`.
    pub key: String,
    /// The path as it is written.
    pub written: String,
}

impl NamedPlugin {
    /// Why it cannot be used, with its place.
    pub fn problem(&self, reason: impl core::fmt::Display) -> Diagnostics {
        Diagnostics::from(
            Diagnostic::error(self.place.clone(), &*self.key, reason.to_string())
                .found(format!("{:?}", self.written)),
        )
    }
}

impl<'a> LoadOptions<'a> {
    /// Loads as written.
    pub fn new(registry: &'a Registry) -> LoadOptions<'a> {
        LoadOptions {
            registry,
            sets: Vec::new(),
            seed: None,
            allow_outside: false,
            own_environment: false,
            folder: None,
        }
    }

    /// The same with a change `key=value`.
    pub fn set(mut self, change: impl Into<String>) -> LoadOptions<'a> {
        self.sets.push(change.into());
        self
    }

    fn texts(&self, source: SourceText) -> Texts {
        let mut sets: Vec<Arc<str>> = self.sets.iter().map(|s| s.as_str().into()).collect();
        sets.extend(self.seed.map(|seed| format!("seed={seed}").into()));
        Texts {
            source: Arc::new(source),
            sets,
            own_environment: self.own_environment,
        }
    }
}

impl Scenario {
    /// Loads a scenario from its file. Every problem is reported; no other file is opened.
    pub fn load(path: &Path, options: &LoadOptions<'_>) -> Result<Scenario, Diagnostics> {
        let source = read_file(path)?;
        let mut options = options.clone();
        if options.folder.is_none() {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            options.folder = Some(folder.unwrap_or(Path::new(".")).to_path_buf());
        }
        Self::parse_source(source, &options)
    }

    /// Loads a scenario from its text; `name` stands for the file in messages.
    pub fn parse(
        text: &str,
        name: &str,
        options: &LoadOptions<'_>,
    ) -> Result<Scenario, Diagnostics> {
        let source = SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        Self::parse_source(source, options)
    }

    /// The dynamic libraries that a scenario names; nothing else is read. A host loads them into
    /// its registry, if it is allowed to, before it loads the scenario.
    pub fn plugins_of(
        path: &Path,
        options: &LoadOptions<'_>,
    ) -> Result<Vec<NamedPlugin>, Diagnostics> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::plugins_in(read_file(path)?, folder, options)
    }

    /// The same for a scenario's text, whose relative paths start from `folder`.
    pub fn plugins_of_text(
        text: &str,
        name: &str,
        folder: &Path,
        options: &LoadOptions<'_>,
    ) -> Result<Vec<NamedPlugin>, Diagnostics> {
        let source = SourceText {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        Self::plugins_in(source, folder, options)
    }

    fn plugins_in(
        source: SourceText,
        folder: &Path,
        options: &LoadOptions<'_>,
    ) -> Result<Vec<NamedPlugin>, Diagnostics> {
        let texts = options.texts(source);
        let mut problems = Diagnostics::default();
        let root = tree(&texts, &mut problems)?;
        let mut reader = Reader {
            registry: options.registry,
            texts: &texts,
            problems: &mut problems,
        };
        let named = root
            .get("plugins")
            .and_then(|node| ListOf(NAME).read(node, &mut reader, "plugins"));
        // Other problems of the file are for `load` to report with all strategies known.
        let plugin = |(at, written): (usize, &String)| {
            let key = format!("plugins[{at}]");
            NamedPlugin {
                path: folder.join(written),
                place: texts.place(&root.deepest(&key).0.origin),
                key,
                written: written.clone(),
            }
        };
        let named = named.unwrap_or_default();
        Ok(named.iter().enumerate().map(plugin).collect())
    }

    fn parse_source(
        source: SourceText,
        options: &LoadOptions<'_>,
    ) -> Result<Scenario, Diagnostics> {
        let texts = options.texts(source);
        let mut problems = Diagnostics::default();
        let root = tree(&texts, &mut problems)?;
        let mut reader = Reader {
            registry: options.registry,
            texts: &texts,
            problems: &mut problems,
        };
        let mut scenario: Scenario = read_section(&root, &mut reader, "").unwrap_or_default();
        scenario.tiers.sort_by_key(|tier| tier.level);
        scenario.provenance = Provenance {
            root: Some(Arc::new(root)),
            texts,
            folder: options.folder.clone(),
            allow_outside: options.allow_outside,
            notices: Diagnostics::default(),
        };
        // Links are followed only when all is well otherwise: before that no file is looked at.
        let look = !problems.has_errors();
        for (key, file) in scenario.files() {
            let checked = scenario.check_path(&file, look);
            if let Err((message, allowed)) = checked {
                problems.push(scenario.provenance.error(&key, message).allowed(allowed));
            }
        }
        problems.sort();
        if problems.has_errors() {
            return Err(problems);
        }
        scenario.provenance.notices = problems;
        Ok(scenario)
    }

    /// The files that the environment names, each with its key.
    pub fn files(&self) -> Vec<(String, PathBuf)> {
        match &self.environment.source {
            EnvironmentSource::File(file) => vec![("environment.file".into(), file.clone())],
            EnvironmentSource::Layers(layers) => layers
                .iter()
                .enumerate()
                .map(|(i, layer)| (format!("environment.layers[{i}].file"), layer.file.clone()))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The path of a file that the scenario names, links resolved, if it may be opened.
    pub fn open_path(&self, file: &Path) -> Result<PathBuf, String> {
        self.check_path(file, true)
            .map_err(|(message, _)| format!("{}: {message}", file.display()))
    }

    fn check_path(&self, file: &Path, look: bool) -> Result<PathBuf, (String, &'static str)> {
        const INSIDE: &str = "a path inside the scenario's folder, unless --allow-outside is given";
        let folder = self.provenance.folder.as_deref();
        let outside = self.provenance.allow_outside;
        if !outside && !file.is_absolute() && climbs_out(file) {
            return Err(("leaves the scenario's folder".into(), INSIDE));
        }
        let Some(folder) = folder else {
            if !outside && file.is_absolute() {
                return Err(("leaves the scenario's folder".into(), INSIDE));
            }
            return Ok(file.to_path_buf());
        };
        let joined = folder.join(file);
        if !look {
            return Ok(joined);
        }
        let real = fs::canonicalize(&joined)
            .map_err(|error| (format!("cannot be found ({error})"), "a file that is there"))?;
        if !real.is_file() {
            return Err(("is no file".into(), "a file"));
        }
        let home = fs::canonicalize(folder)
            .map_err(|error| (format!("its folder cannot be found ({error})"), ""))?;
        if !outside && !real.starts_with(&home) {
            return Err(("leaves the scenario's folder".into(), INSIDE));
        }
        Ok(real)
    }
}

/// Whether a relative path climbs above where it starts.
fn climbs_out(path: &Path) -> bool {
    let mut depth = 0i64;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

fn tree(texts: &Texts, problems: &mut Diagnostics) -> Result<Node, Diagnostics> {
    let mut root = node::parse(&texts.source)?;
    set::apply(&mut root, texts, problems);
    Ok(root)
}

fn read_file(path: &Path) -> Result<SourceText, Diagnostics> {
    let name = path.display().to_string();
    let failed = |message: String| {
        let source = Arc::new(SourceText {
            name: name.clone(),
            text: String::new(),
        });
        let place = SourcePlace::File { source, span: 0..0 };
        Diagnostics::from(Diagnostic {
            severity: Severity::Error,
            ..Diagnostic::error(place, "", message)
        })
    };
    let found = fs::metadata(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
    if !found.is_file() {
        return Err(failed("is no file".into()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|e| failed(format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(failed(format!("is longer than {LARGEST_FILE} bytes")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceText {
            name: name.clone(),
            text,
        }),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = Arc::new(SourceText { name, text });
            let span = valid..valid + 1;
            let place = SourcePlace::File { source, span };
            Err(Diagnostic::error(place, "", "is no UTF-8 text").into())
        }
    }
}
