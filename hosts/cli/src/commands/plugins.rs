//! What commands that may load dynamic libraries have in common: who may be loaded, and what
//! happens when a library does not return.

use std::{
    path::PathBuf,
    sync::{Mutex, Once, PoisonError},
    time::Duration,
};

use clap::Args;
use throng::{
    PluginPolicy, Registry,
    engine::plugin::{self, AllowList, Overdue},
};

use crate::{failure::Failure, output::Folder};

/// Which dynamic libraries are loaded.
#[derive(Clone, Debug, Args)]
pub struct PluginArgs {
    /// A dynamic library with further strategies. May be repeated. It is native code: it is
    /// loaded only with --allow-plugins or --plugin-list.
    #[arg(long = "plugin", value_name = "LIBRARY")]
    pub plugins: Vec<PathBuf>,
    #[command(flatten)]
    pub permission: Permission,
}

/// Whether libraries that are named may be loaded.
#[derive(Clone, Debug, Args)]
pub struct Permission {
    /// Load the dynamic libraries that the scenario or --plugin names. They are native code.
    #[arg(long)]
    pub allow_plugins: bool,
    /// Load them only if this file lists them with their SHA-256, as sha256sum writes it.
    #[arg(long, value_name = "FILE", conflicts_with = "allow_plugins")]
    pub plugin_list: Option<PathBuf>,
    #[command(flatten)]
    pub patience: Patience,
}

/// How long a library may take.
#[derive(Clone, Debug, Args)]
pub struct Patience {
    /// End the program if a call into a library does not return for so long.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60.0,
        allow_negative_numbers = true
    )]
    pub plugin_seconds: f64,
}

/// How long a library that was asked to stop may take to do so, at most.
const GRACE: Duration = Duration::from_secs(5);

/// The folder that the program is writing to.
static FOLDER: Mutex<Option<Folder>> = Mutex::new(None);

/// Says which folder must be left with whole files, should the program have to end.
pub fn writes_to(folder: &Folder) {
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.clone());
}

impl PluginArgs {
    /// The built-in strategies and those of the libraries named.
    pub fn registry(&self) -> Result<Registry, Failure> {
        Ok(throng::registry_with(
            &self.plugins,
            &self.permission.policy()?,
        )?)
    }
}

impl Permission {
    /// As the library takes it. Libraries are watched from here on.
    pub fn policy(&self) -> Result<PluginPolicy, Failure> {
        let policy = match (&self.plugin_list, self.allow_plugins) {
            (Some(list), _) => PluginPolicy::Listed(AllowList::read(list).map_err(Failure::input)?),
            (None, true) => PluginPolicy::Allow,
            (None, false) => return Ok(PluginPolicy::Refuse),
        };
        self.patience.watch()?;
        Ok(policy)
    }
}

impl Patience {
    /// Watches calls into libraries as long as the program runs.
    pub fn watch(&self) -> Result<(), Failure> {
        static ONCE: Once = Once::new();
        let seconds = self.plugin_seconds;
        let limit = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|limit| (0.1..=1e6).contains(&limit.as_secs_f64()))
            .ok_or_else(|| {
                Failure::input(format!(
                    "--plugin-seconds {seconds}: allowed are 0.1 to 1000000 seconds"
                ))
            })?;
        ONCE.call_once(|| {
            // For the life of the program.
            std::mem::forget(plugin::watch(limit, limit.min(GRACE), give_up));
        });
        Ok(())
    }
}

/// Ends the program. The thread that is in the library cannot be ended, and the one that waits for
/// it writes no files meanwhile.
fn give_up(overdue: Overdue) {
    let folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner);
    let files = match &*folder {
        Some(folder) => {
            folder.sweep();
            let shown = folder.path().display();
            format!(". The run failed; files in {shown} are whole")
        }
        None => String::new(),
    };
    let advice = "; --plugin-seconds gives it more time";
    let failure = Failure::run(format!("{overdue}{advice}{files}"));
    let json = std::env::args_os().any(|a| a == "--json");
    crate::report(&failure, json);
    std::process::exit(i32::from(failure.code()));
}
