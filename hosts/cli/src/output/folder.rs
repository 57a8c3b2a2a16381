//! A run's folder: files appear in it whole or not at all.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// How the names of a run's files begin: nothing else is ever taken away.
const OURS: [&str; 7] = [
    "checkpoint-",
    "metrics.",
    "picture.",
    "replay.",
    "scenario.resolved.",
    "summary.",
    "trajectories.",
];

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, if it is not there.
    pub fn create(path: &Path) -> Result<Folder, Failure> {
        let shown = path.display();
        fs::create_dir_all(path)
            .map_err(|e| Failure::input(format!("the folder {shown} cannot be made: {e}")))?;
        let folder = Folder {
            path: path.to_path_buf(),
        };
        // What a run left that was killed.
        folder.sweep();
        Ok(folder)
    }

    /// Takes every file away that will never be whole.
    pub fn sweep(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let whole = name.strip_prefix('.').and_then(|n| n.strip_suffix(".part"));
            if whole.is_some_and(|n| OURS.iter().any(|ours| n.starts_with(ours))) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of it is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The temporary name that a file has until it is whole.
    pub fn part(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}.part"))
    }

    /// Writes a file in one go.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let part = self.part(name);
        let written = File::create(&part)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        match written {
            Ok(()) => self.finish(name),
            Err(e) => {
                self.abandon(name);
                Err(self.failed(name, e))
            }
        }
    }

    /// Opens the temporary file of a name for writing bit by bit.
    pub fn open(&self, name: &str) -> Result<BufWriter<File>, Failure> {
        File::create(self.part(name))
            .map(BufWriter::new)
            .map_err(|e| self.failed(name, e))
    }

    /// Gives a file its name: it is whole.
    pub fn finish(&self, name: &str) -> Result<(), Failure> {
        fs::rename(self.part(name), self.file(name)).map_err(|e| self.failed(name, e))
    }

    /// Takes the temporary file of a name away.
    pub fn abandon(&self, name: &str) {
        let _ = fs::remove_file(self.part(name));
    }

    /// A failure to write a file.
    pub fn failed(&self, name: &str, why: impl std::fmt::Display) -> Failure {
        Failure::run(format!(
            "{} cannot be written: {why}. Files that are in the folder are whole",
            self.file(name).display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::create(&home.path().join("a/b")).unwrap();
        let mut file = folder.open("x.csv").unwrap();
        file.write_all(b"1").unwrap();
        assert!(!folder.file("x.csv").exists());
        file.flush().unwrap();
        folder.finish("x.csv").unwrap();
        assert_eq!(fs::read(folder.file("x.csv")).unwrap(), b"1");
        folder.write("x.csv", b"2").unwrap();
        assert_eq!(fs::read(folder.file("x.csv")).unwrap(), b"2");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
