//! What an unfinished check has done already, kept beside the snapshots.
//!
//! The first line names the build and the study; a journal of others is thrown away. Every
//! further line is a combination and its outcome. A check that comes to its end removes it.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use super::{store::build, study::Outcome};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    build: String,
    study: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    name: String,
    outcome: Outcome,
}

/// The journal of a check.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<Option<fs::File>>,
    made_folder: bool,
}

impl Journal {
    /// Opens the journal in a folder, and tells what an earlier check of the same study by the
    /// same build has done. A folder that cannot be written to means no journal.
    pub fn open(folder: &Path, study: &str) -> (Journal, BTreeMap<String, Outcome>) {
        let path = folder.join(".unfinished");
        let head = Head {
            build: build().to_owned(),
            study: study.to_owned(),
        };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines();
        let ours = lines.next().and_then(|l| serde_json::from_str(l).ok()) == Some(head);
        let mut done = BTreeMap::new();
        let mut kept = String::new();
        if ours {
            // The last line may have been cut off.
            for text in lines {
                if let Ok(line) = serde_json::from_str::<Line>(text) {
                    kept += text;
                    kept.push('\n');
                    done.insert(line.name, line.outcome);
                }
            }
        }
        let made_folder = !folder.is_dir() && fs::create_dir_all(folder).is_ok();
        let begin = || {
            let mut file = fs::File::create(&path)?;
            let head = Head {
                build: build().to_owned(),
                study: study.to_owned(),
            };
            writeln!(file, "{}", serde_json::to_string(&head)?)?;
            file.write_all(kept.as_bytes())?;
            Ok::<_, std::io::Error>(file)
        };
        let file = Mutex::new(begin().ok());
        let journal = Journal {
            path,
            file,
            made_folder,
        };
        (journal, done)
    }

    /// Notes an outcome. What cannot be written is not resumed, and no more.
    pub fn note(&self, name: &str, outcome: &Outcome) {
        let line = Line {
            name: name.to_owned(),
            outcome: outcome.clone(),
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(file), Ok(text)) = (&mut *file, serde_json::to_string(&line)) {
            let _ = writeln!(file, "{text}");
        }
    }

    /// Throws it away: the check is whole.
    pub fn finish(self) {
        drop(self.file);
        let _ = fs::remove_file(&self.path);
        if let Some(folder) = self.path.parent().filter(|_| self.made_folder) {
            // Not empty is no failure: something was stored meanwhile.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_check_is_taken_up_by_the_same_study_alone() {
        let folder = std::env::temp_dir().join(format!("throng-journal-{}", std::process::id()));
        let refused = Outcome::Refused("x".into());
        let (journal, done) = Journal::open(&folder, "a");
        assert!(done.is_empty());
        journal.note("one", &refused);
        journal.note("two", &refused);
        drop(journal);
        // The last line was being written when the check was killed.
        let path = folder.join(".unfinished");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let (journal, done) = Journal::open(&folder, "a");
        assert_eq!(done.keys().collect::<Vec<_>>(), ["one"]);
        assert_eq!(done["one"], refused);
        journal.note("two", &refused);
        drop(journal);
        assert_eq!(Journal::open(&folder, "a").1.len(), 2);
        let (journal, done) = Journal::open(&folder, "b");
        assert!(done.is_empty());
        journal.finish();
        assert!(!path.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
