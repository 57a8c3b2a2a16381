//! `throng schema`: JSON Schema of scenario files.

use throng::scenario::json_schema;

use crate::{console, failure::Failure};

/// Prints the schema; with and without `--json` it is the same document.
pub fn schema() -> Result<(), Failure> {
    console::out_json(&json_schema(&throng::registry()));
    Ok(())
}
