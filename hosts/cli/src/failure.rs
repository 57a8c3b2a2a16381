//! Why a command ends without having done its work, and the exit code that says so.

use std::fmt::Display;

use serde_json::{Value, json};
use throng::{
    BuildError, CheckpointError, LoadError, RunError, SimulationError, diagnostics::Diagnostics,
};

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The input is wrong: the user mends it. Exit code 2.
    Input(String),
    /// The scenario is wrong, with places. Exit code 2.
    Scenario(Diagnostics),
    /// The run failed. Exit code 1.
    Run(String),
    /// Everything is said already; the exit code.
    Told(u8),
    /// The run failed, and the document on stdout says so. Exit code 1.
    Reported(String),
}

impl Failure {
    /// The input is wrong.
    pub fn input(reason: impl Display) -> Failure {
        Failure::Input(reason.to_string())
    }

    /// The run failed.
    pub fn run(reason: impl Display) -> Failure {
        Failure::Run(reason.to_string())
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Told(code) => *code,
            Failure::Run(_) | Failure::Reported(_) => 1,
            Failure::Input(_) | Failure::Scenario(_) => 2,
        }
    }

    /// The text for a person.
    pub fn render(&self, coloured: bool) -> String {
        match self {
            Failure::Told(_) => String::new(),
            Failure::Scenario(problems) => problems.render(coloured),
            Failure::Input(reason) | Failure::Run(reason) | Failure::Reported(reason) => {
                let head = if coloured {
                    "\x1b[1;31merror\x1b[0m"
                } else {
                    "error"
                };
                format!("{head}: {reason}")
            }
        }
    }

    /// The document for a program.
    pub fn to_json(&self) -> Value {
        let (message, problems) = match self {
            Failure::Scenario(problems) => {
                let first = problems.items().first();
                let message = first.map_or_else(String::new, ToString::to_string);
                (message, problems.to_json())
            }
            Failure::Input(reason) | Failure::Run(reason) | Failure::Reported(reason) => {
                (reason.clone(), json!([]))
            }
            Failure::Told(_) => (String::new(), json!([])),
        };
        json!({ "error": message, "exit_code": self.code(), "problems": problems })
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Scenario(problems) => Failure::Scenario(problems),
            other => Failure::input(other),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::input(error)
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Failure {
        match error {
            SimulationError::Load(error) => error.into(),
            other => Failure::input(other),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Failure {
        Failure::input(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        Failure::run(error)
    }
}
