//! A folder in which projects are written, built, run and tested as their authors would.
//!
//! Cargo takes Throng's crates for others when a project of its own asks for them, and compiles them
//! again. What it compiles is kept beside the build that runs this test, so that it does so once;
//! libraries appear in the project's own `target`, as always.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The sources of Throng.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// The folder and where one stands in it.
pub struct Workshop {
    home: tempfile::TempDir,
    folder: PathBuf,
}

impl Workshop {
    pub fn new() -> Workshop {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap();
        // Nobody waits for these programs to run, but for them to be built.
        let settings = "[profile.dev]\nopt-level = 0\ndebug = false\nincremental = false\n";
        std::fs::create_dir(folder.join(".cargo")).unwrap();
        std::fs::write(folder.join(".cargo/config.toml"), settings).unwrap();
        Workshop { home, folder }
    }

    /// Where one stands.
    pub fn folder(&self) -> &Path {
        assert!(self.home.path().exists());
        &self.folder
    }

    /// Goes somewhere.
    pub fn go(&mut self, to: &str) {
        self.folder = self.folder.join(to).canonicalize().unwrap();
    }

    /// Does what a line for a shell says, and expects it to work; gives what it printed.
    pub fn follow(&mut self, line: &str) -> String {
        if let Some(to) = line.strip_prefix("cd ") {
            self.go(to);
            return String::new();
        }
        let (code, said) = self.run(line);
        assert_eq!(code, Some(0), "{line}: {said}");
        said
    }

    /// Does what a line says; exit code and everything printed.
    pub fn run(&self, line: &str) -> (Option<i32>, String) {
        let throng = Path::new(env!("CARGO_BIN_EXE_throng"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = vec![throng.parent().unwrap().to_owned()];
        folders.extend(std::env::split_paths(&path));
        let built = std::env::current_exe().unwrap();
        // target/debug/deps/this: three up is where cargo keeps what it builds.
        let built = built.ancestors().nth(3).unwrap().join("projects");
        let out = Command::new("sh")
            .args(["-c", line])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("CARGO_BUILD_BUILD_DIR", built)
            .env("CARGO_NET_OFFLINE", "true")
            .env("NO_COLOR", "1")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_BUILD_TARGET_DIR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [out.stdout, out.stderr].concat();
        (
            out.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }
}
