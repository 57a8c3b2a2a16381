//! The user's list of libraries that may be loaded, each with its SHA-256.
//!
//! It has the form that `sha256sum` writes, so that `sha256sum libshun.so >> plugins.sha256` adds a
//! line: 64 hexadecimal digits, a space, a space or an asterisk, and a path, relative to the list.
//! Empty lines and lines that begin with `#` say nothing.

use std::{
    fs,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{error::PluginError, file};

/// Lists longer than this are refused unread, bytes.
const LARGEST: u64 = 1 << 20;

/// Why a list could not be used: the user mends it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AllowListError {
    /// The file cannot be read.
    #[error("the list {}: cannot be read: {reason}", list.display())]
    Unreadable {
        /// The list.
        list: PathBuf,
        /// Why.
        reason: String,
    },
    /// Anybody could add a line.
    #[error(
        "the list {}: everybody may write to {}, so it is not believed; take that right away \
         (chmod o-w)",
        list.display(), open.display()
    )]
    WorldWritable {
        /// The list.
        list: PathBuf,
        /// The file or folder that is open to everybody.
        open: PathBuf,
    },
    /// A line that makes no sense.
    #[error("{}:{line}: {reason}", list.display())]
    Line {
        /// The list.
        list: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// Expected and found.
        reason: String,
    },
}

/// The libraries that the user has listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    list: PathBuf,
    entries: Vec<Listed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    library: PathBuf,
    hash: String,
    line: usize,
}

impl AllowList {
    /// Reads a list.
    pub fn read(list: &Path) -> Result<AllowList, AllowListError> {
        let unreadable = |reason: String| AllowListError::Unreadable {
            list: list.to_owned(),
            reason,
        };
        let real = list.canonicalize().map_err(|e| unreadable(e.to_string()))?;
        let metadata = fs::metadata(&real).map_err(|e| unreadable(e.to_string()))?;
        if !metadata.is_file() {
            return Err(unreadable("it is not a file".into()));
        }
        if metadata.len() > LARGEST {
            return Err(unreadable(format!(
                "it has {} bytes, at most {LARGEST} are expected",
                metadata.len()
            )));
        }
        if let Some(open) = file::writable_by_all(&real) {
            return Err(AllowListError::WorldWritable {
                list: list.to_owned(),
                open,
            });
        }
        let text = fs::read_to_string(&real).map_err(|e| unreadable(e.to_string()))?;
        let folder = real.parent().unwrap_or(Path::new(""));
        AllowList::parse(&text, list, folder)
    }

    /// Reads the text of a list whose relative paths start from `folder`.
    fn parse(text: &str, list: &Path, folder: &Path) -> Result<AllowList, AllowListError> {
        let mut entries: Vec<Listed> = Vec::new();
        for (number, text) in text.lines().enumerate() {
            let line = number + 1;
            let wrong = |reason: String| AllowListError::Line {
                list: list.to_owned(),
                line,
                reason,
            };
            let text = text.trim_end_matches('\r');
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let (hash, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
            if hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(wrong(format!(
                    "{hash:?} is no SHA-256: 64 hexadecimal digits are expected, then two spaces \
                     and a path, as sha256sum writes them"
                )));
            }
            let path = rest.strip_prefix("  ").or_else(|| rest.strip_prefix(" *"));
            let Some(path) = path.filter(|p| !p.is_empty()) else {
                return Err(wrong(
                    "a path is expected after the hash and two spaces, as sha256sum writes them"
                        .into(),
                ));
            };
            let library = real(&folder.join(path));
            let hash = hash.to_ascii_lowercase();
            if let Some(first) = entries.iter().find(|e| e.library == library) {
                return Err(wrong(format!(
                    "{path} is listed in line {} already",
                    first.line
                )));
            }
            entries.push(Listed {
                library,
                hash,
                line,
            });
        }
        Ok(AllowList {
            list: list.to_owned(),
            entries,
        })
    }

    /// Whether a library, its path resolved, is listed with this hash.
    pub(super) fn check(&self, library: &Path, found: &str) -> Result<(), PluginError> {
        match self.entries.iter().find(|e| e.library == library) {
            None => Err(PluginError::NotListed {
                library: library.to_owned(),
                list: self.list.clone(),
                found: found.to_owned(),
            }),
            Some(listed) if listed.hash != found => Err(PluginError::OtherHash {
                library: library.to_owned(),
                list: self.list.clone(),
                line: listed.line,
                expected: listed.hash.clone(),
                found: found.to_owned(),
            }),
            Some(_) => Ok(()),
        }
    }
}

/// The path with links resolved; one that leads nowhere stays as it is.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AllowList, String> {
        AllowList::parse(text, Path::new("p.sha256"), Path::new("/nowhere"))
            .map_err(|e| e.to_string())
    }

    #[test]
    fn lines_are_those_of_sha256sum() {
        let (a, b) = ("ab".repeat(32), "CD".repeat(32));
        let list = parse(&format!("# ours\n\n{a}  lib/x y.so\r\n{b} *z.so\n")).unwrap();
        assert_eq!(
            list.check(Path::new("/nowhere/lib/x y.so"), &a).ok(),
            Some(())
        );
        let lower = b.to_ascii_lowercase();
        assert_eq!(
            list.check(Path::new("/nowhere/z.so"), &lower).ok(),
            Some(())
        );
        let other = list.check(Path::new("/nowhere/z.so"), &a).unwrap_err();
        let words = format!("/nowhere/z.so: its SHA-256 is {a}, p.sha256:4 expects {lower}");
        assert_eq!(other.to_string(), words);
        let missing = list.check(Path::new("/nowhere/q.so"), &a).unwrap_err();
        assert!(missing.to_string().contains("p.sha256 does not name it"));
        assert!(missing.to_string().contains(&format!("{a}  /nowhere/q.so")));
    }

    #[test]
    fn other_lines_are_refused_with_their_number() {
        let hash = "ab".repeat(32);
        for (text, words) in [
            ("x.so\n".to_owned(), "p.sha256:1: \"x.so\" is no SHA-256"),
            (format!("\n{}  x.so", &hash[1..]), "p.sha256:2: "),
            (hash.clone(), "p.sha256:1: a path is expected"),
            (format!("{hash} x.so"), "p.sha256:1: a path is expected"),
            (
                format!("{hash}  x.so\n{hash}  x.so"),
                "p.sha256:2: x.so is listed in line 1 already",
            ),
        ] {
            let refused = parse(&text).unwrap_err();
            assert!(refused.starts_with(words), "{refused}");
        }
    }
}
