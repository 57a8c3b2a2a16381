//! Where snapshots are kept: a folder `NAME.snapshots` beside the scenario `NAME.toml`.
//!
//! ```text
//! hall.toml
//! hall.snapshots/star__default.snap          one small text per case of the star
//! hall.snapshots/star__avoidance=none.snap
//! hall.snapshots/matrix__grid.snap           one line per combination, one file per map
//! hall.snapshots/digests.txt                 exact bits, and the builds that made them
//! hall.snapshots/.recorded/                  tracks of the accepted runs, not for version control
//! ```
//!
//! The `.snap` files have the form of the crate `insta`: a header between two lines of three
//! dashes, then the text. So a `cargo test` through insta and `throng snapshot` share them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use thiserror::Error;

use super::track::Track;

/// Width of the names in a matrix.
const NAMES: usize = 50;

/// Why snapshots could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error(
        "{path}:{line}: {reason}; take the file back from version control, or delete it and run \
         with --accept"
    )]
    Damaged {
        /// Which.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The folder of a scenario's snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// Everything that is stored: the text of each case of the star, the line of each combination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Texts by name.
    pub texts: BTreeMap<String, String>,
    /// Exact bits.
    pub digests: Digests,
}

impl Stored {
    /// The builds that made the exact bits.
    pub fn builds(&self) -> BTreeSet<&str> {
        self.digests.values().map(|d| d.build.as_str()).collect()
    }
}

/// Exact bits of accepted runs, by name. Who accepts a part of them with another build leaves the
/// others as they were.
pub type Digests = BTreeMap<String, Digest>;

/// Exact bits of an accepted run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The build that made it ([`build`]).
    pub build: String,
    /// Sum of the digests of all seeds.
    pub bits: u64,
    /// 16 bits of the digest after each step of the first seed.
    pub trace: Vec<u16>,
}

/// Whether a name is that of a combination of a matrix, not of a case of a star.
pub fn is_matrix(name: &str) -> bool {
    name.contains(' ')
}

/// The name of the file that a case is in, without its ending.
pub fn file_of(name: &str) -> String {
    match name.split_once(' ') {
        Some((nav, _)) => format!("matrix__{nav}"),
        None => format!("star__{name}"),
    }
}

/// A line of a matrix.
pub fn matrix_line(name: &str, line: &str) -> String {
    format!("{name:NAMES$} {line}\n")
}

/// A hash of bytes, to tell files from each other.
pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|w| u64::from_le_bytes(*w));
    let rest = rest.iter().map(|b| u64::from(*b));
    let mix = |h: u64, w: u64| throng_core::random::mix(h ^ w);
    words.chain(rest).fold(bytes.len() as u64, mix)
}

/// The build that runs: version, target and a hash of the program, so that digests are compared
/// exactly where the same code made them.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let program = std::env::current_exe().and_then(fs::read);
        let hash = program.map_or(0, |bytes| hash_bytes(&bytes));
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "{version} {}-{} {hash:016x}",
            std::env::consts::ARCH,
            std::env::consts::OS
        )
    })
}

impl Store {
    /// The folder beside a scenario, or of its name in another folder.
    pub fn of(scenario: &Path, inside: Option<&Path>) -> Store {
        let stem = scenario.file_stem().unwrap_or_default().to_string_lossy();
        let folder = inside.unwrap_or_else(|| scenario.parent().unwrap_or(Path::new("")));
        Store {
            folder: folder.join(format!("{stem}.snapshots")),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads everything; a folder that is not there has nothing.
    pub fn load(&self) -> Result<Stored, StoreError> {
        let mut stored = Stored::default();
        let listed = match fs::read_dir(&self.folder) {
            Ok(listed) => listed,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(stored),
            Err(e) => return Err(failed(&self.folder, e)),
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in listed {
            paths.push(entry.map_err(|e| failed(&self.folder, e))?.path());
        }
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name == "digests.txt" {
                stored.digests = parse_digests(&path, &read(&path)?)?;
                continue;
            }
            let Some(stem) = name.strip_suffix(".snap") else {
                continue;
            };
            let text = read(&path)?;
            let (first, body) = without_header(&text);
            if let Some(case) = stem.strip_prefix("star__") {
                let text = body.trim_end().to_owned() + "\n";
                stored.texts.insert(case.to_owned(), text);
            } else if stem.starts_with("matrix__") {
                for (i, line) in body.lines().enumerate().filter(|l| !l.1.trim().is_empty()) {
                    let (case, rest) = split_line(line).ok_or_else(|| StoreError::Damaged {
                        path: path.display().to_string(),
                        line: first + i,
                        reason: "four ids and what was seen were expected".into(),
                    })?;
                    stored.texts.insert(case, rest);
                }
            }
        }
        Ok(stored)
    }

    /// Writes everything that differs from what is there; files of cases that are no more go.
    pub fn save(&self, stored: &Stored, source: &str) -> Result<(), StoreError> {
        fs::create_dir_all(&self.folder).map_err(|e| failed(&self.folder, e))?;
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for (name, text) in &stored.texts {
            let file = files.entry(file_of(name) + ".snap").or_default();
            match is_matrix(name) {
                true => *file += &matrix_line(name, text),
                false => *file += text,
            }
        }
        for (file, body) in &files {
            let path = self.folder.join(file);
            let old = fs::read_to_string(&path).unwrap_or_default();
            // Whatever wrote it, its header is kept while the text is the same.
            if old.is_empty() || without_header(&old).1.trim_end() != body.trim_end() {
                write(
                    &path,
                    format!("---\nsource: {source}\n---\n{body}").as_bytes(),
                )?;
            }
        }
        for entry in fs::read_dir(&self.folder).map_err(|e| failed(&self.folder, e))? {
            let path = entry.map_err(|e| failed(&self.folder, e))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let ours = name.starts_with("star__") || name.starts_with("matrix__");
            if ours && name.ends_with(".snap") && !files.contains_key(&*name) {
                fs::remove_file(&path).map_err(|e| failed(&path, e))?;
            }
        }
        self.sweep_tracks(stored);
        write(
            &self.folder.join("digests.txt"),
            digests_text(stored).as_bytes(),
        )
    }

    fn track_file(&self, name: &str) -> PathBuf {
        let name = name.replace(' ', "+");
        self.folder.join(".recorded").join(name + ".track")
    }

    /// Makes the place where tracks are kept; before any is.
    pub fn open_tracks(&self) -> Result<(), StoreError> {
        let folder = self.folder.join(".recorded");
        fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
        write(&folder.join(".gitignore"), b"*\n")
    }

    /// Bytes of the tracks that are kept.
    pub fn recorded(&self) -> u64 {
        let listed = fs::read_dir(self.folder.join(".recorded"));
        let sizes = listed.into_iter().flatten().flatten();
        sizes
            .filter_map(|e| e.metadata().ok())
            .map(|m| m.len())
            .sum()
    }

    /// Removes the tracks of combinations that are no more.
    fn sweep_tracks(&self, stored: &Stored) {
        let kept: BTreeSet<PathBuf> = (stored.digests.keys())
            .map(|name| self.track_file(name))
            .collect();
        let listed = fs::read_dir(self.folder.join(".recorded"));
        for path in listed.into_iter().flatten().flatten().map(|e| e.path()) {
            if path.extension().is_some_and(|e| e == "track") && !kept.contains(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Keeps the track of an accepted run whose digest is `bits`.
    /// Gives the bytes it takes.
    pub fn save_track(&self, name: &str, bits: u64, track: &Track) -> Result<u64, StoreError> {
        let path = self.track_file(name);
        let mut bytes = bits.to_le_bytes().to_vec();
        bytes.extend(track.encode());
        write(&path, &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Whether the track of an accepted run is there.
    pub fn has_track(&self, name: &str, bits: u64) -> bool {
        let mut head = [0; 8];
        fs::File::open(self.track_file(name))
            .and_then(|mut f| io::Read::read_exact(&mut f, &mut head))
            .is_ok_and(|()| u64::from_le_bytes(head) == bits)
    }

    /// The track of the accepted run whose digest is `bits`.
    pub fn load_track(&self, name: &str, bits: u64) -> Option<Track> {
        let bytes = fs::read(self.track_file(name)).ok()?;
        let (head, rest) = bytes.split_first_chunk::<8>()?;
        (u64::from_le_bytes(*head) == bits).then(|| Track::decode(rest))?
    }
}

/// One part for each build, each with its runs by name.
fn digests_text(stored: &Stored) -> String {
    let mut text =
        "# combination: digest, and 16 bits of it after each step in base 64\n".to_owned();
    for build in stored.builds() {
        let _ = writeln!(text, "build {build}");
        for (name, digest) in stored.digests.iter().filter(|(_, d)| d.build == build) {
            let trace = base64(&digest.trace);
            let _ = writeln!(text, "{name}: {:016x} {trace}", digest.bits);
        }
    }
    text
}

fn parse_digests(path: &Path, text: &str) -> Result<Digests, StoreError> {
    let mut digests = Digests::new();
    let mut build = "";
    for (i, line) in text.lines().enumerate() {
        if let Some(named) = line.strip_prefix("build ") {
            build = named;
        } else if !line.starts_with('#') && !line.is_empty() {
            let read = || {
                let (name, rest) = line.split_once(": ")?;
                let (bits, trace) = rest.split_once(' ').unwrap_or((rest, ""));
                let digest = Digest {
                    build: build.to_owned(),
                    bits: u64::from_str_radix(bits, 16).ok()?,
                    trace: unbase64(trace)?,
                };
                Some((name.to_owned(), digest))
            };
            let (name, digest) = read().ok_or_else(|| StoreError::Damaged {
                path: path.display().to_string(),
                line: i + 1,
                reason: "a name, a digest and the steps were expected".into(),
            })?;
            digests.insert(name, digest);
        }
    }
    Ok(digests)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three digits of 6 bits for each number.
fn base64(trace: &[u16]) -> String {
    let digit = |v: u16| char::from(DIGITS[usize::from(v & 63)]);
    let three = |v: &u16| [digit(*v >> 12), digit(*v >> 6), digit(*v)];
    trace.iter().flat_map(three).collect()
}

fn unbase64(text: &str) -> Option<Vec<u16>> {
    let digit = |b: &u8| DIGITS.iter().position(|d| d == b).map(|v| v as u16);
    let number = |c: &[u8]| match c {
        [a, b, c] => Some(digit(a)? << 12 | digit(b)? << 6 | digit(c)?),
        _ => None,
    };
    text.as_bytes().chunks(3).map(number).collect()
}

/// The number of the first line after the header, and what follows.
fn without_header(text: &str) -> (usize, &str) {
    let Some(rest) = text.strip_prefix("---\n") else {
        return (1, text);
    };
    match rest.find("\n---\n") {
        Some(end) => {
            let head = &rest[..end + 1];
            (head.lines().count() + 3, &rest[end + 5..])
        }
        None => (1, text),
    }
}

/// The name and the rest of a line of a matrix.
fn split_line(line: &str) -> Option<(String, String)> {
    let mut rest = line;
    let mut ids = Vec::new();
    for _ in 0..4 {
        let (id, after) = rest.trim_start().split_once(' ')?;
        ids.push(id);
        rest = after;
    }
    Some((ids.join(" "), rest.trim().to_owned()))
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::File {
        path: path.display().to_string(),
        source,
    }
}

fn read(path: &Path) -> Result<String, StoreError> {
    fs::read_to_string(path).map_err(|e| failed(path, e))
}

/// Writes a file under another name first: a reader finds the old one or the new one whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    fs::write(&beside, bytes).map_err(|e| failed(&beside, e))?;
    fs::rename(&beside, path).map_err(|e| failed(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_files() {
        assert_eq!(file_of("avoidance=none"), "star__avoidance=none");
        assert_eq!(file_of("grid astar distance orca"), "matrix__grid");
        let store = Store::of(Path::new("a/hall.toml"), None);
        assert_eq!(store.folder(), Path::new("a/hall.snapshots"));
        let store = Store::of(Path::new("a/hall.toml"), Some(Path::new("b")));
        assert_eq!(store.folder(), Path::new("b/hall.snapshots"));
    }

    #[test]
    fn headers_are_skipped_and_lines_split() {
        let text = "---\nsource: a.rs\nexpression: x\n---\nbody\nmore\n";
        assert_eq!(without_header(text), (5, "body\nmore\n"));
        assert_eq!(without_header("body"), (1, "body"));
        let line = matrix_line("grid astar distance orca", "refused: a  b");
        let expected = ("grid astar distance orca".into(), "refused: a  b".into());
        assert_eq!(split_line(line.trim_end()), Some(expected));
        assert_eq!(split_line("a b c"), None);
    }

    #[test]
    fn digests_are_read_back() {
        let digest = |build: &str, bits, trace: &[u16]| Digest {
            build: build.into(),
            bits,
            trace: trace.to_vec(),
        };
        let digests = Digests::from([
            (
                "grid astar".into(),
                digest("1 x", u64::MAX - 3, &[0, 1, 0xffff, 0x1234]),
            ),
            ("nav=ecm".into(), digest("0 y", 7, &[])),
            ("nav=grid".into(), digest("1 x", 8, &[5])),
        ]);
        let stored = Stored {
            digests: digests.clone(),
            ..Stored::default()
        };
        let text = digests_text(&stored);
        assert_eq!(text.matches("build ").count(), 2, "{text}");
        assert_eq!(parse_digests(Path::new("d"), &text).unwrap(), digests);
        let error = parse_digests(Path::new("d"), "build x\nwrong\n").unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("d:2:") && error.contains("--accept"),
            "{error}"
        );
    }
}
