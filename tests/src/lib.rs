//! What the tests share: scenes of a few agents, and the tree they look at.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A bundled scenario.
pub fn scenario(name: &str) -> PathBuf {
    root().join("tests/scenarios").join(name)
}

/// Two streams that cross in the open, with a crowd-free price.
pub const CROSSING: &str = r#"
name = "crossing"
seed = 3
duration = 30.0
[environment]
generate = "crossing"
[[source]]
area = "w"
count = 30
goals = ["e"]
[[source]]
area = "s"
count = 30
goals = ["n"]
"#;

/// A storey above another, with people going both ways over the stairs.
pub const STOREYS: &str = r#"
name = "storeys"
seed = 5
duration = 60.0
[environment]
generate = "two-storey"
[[source]]
area = "ground-1"
count = 12
goals = ["upper-5"]
[[source]]
area = "upper-2"
count = 12
goals = ["ground-6"]
"#;
