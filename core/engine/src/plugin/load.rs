//! Opens a library, checks what it says of itself, and makes registry entries of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use throng_abi::{
    ABI_VERSION, AvoidanceTable, Bytes, CostTable, Descriptor, MAGIC, Plugin, SYMBOL, status,
    threads, unwinding,
};
use throng_core::{Slot, options::OptionSpec, registry::Capabilities};

use super::{
    avoidance::ForeignAvoidance,
    cost::ForeignCost,
    error::PluginError,
    file, host,
    instance::{Kind, ending, with_call},
    schema,
};
use crate::registry::{AnyStrategy, CreateError, Factory, Strategy};

/// Most strategies of one library.
const MOST_STRATEGIES: u32 = 1000;
/// Longest text of a descriptor, bytes.
const MOST_TEXT: usize = 1 << 20;

/// A library that was loaded.
#[derive(Debug)]
pub struct Library {
    /// Its file, with links resolved.
    pub path: PathBuf,
    /// SHA-256 of the file, hexadecimal digits.
    pub hash: String,
    /// Its strategies, to be [registered](crate::registry::Registry::register).
    pub strategies: Vec<Strategy>,
}

/// Loads a library: all of its strategies or, with the reason, none.
///
/// The path is taken as it is, relative to the current folder if it is relative; nothing is
/// searched for. The library stays loaded for the life of the process. Its initialisers run when
/// it is opened: callers ask the user first.
pub fn load(path: &Path) -> Result<Library, PluginError> {
    // An absolute path keeps the system's loader from searching its own folders.
    let path = path
        .canonicalize()
        .map_err(|source| PluginError::Unreadable {
            library: path.to_owned(),
            source,
        })?;
    let hash = file::inspect(&path)?;
    host::connect();
    let plugin = open(&path)?;
    let strategies = strategies(&path, &hash, plugin)?;
    Ok(Library {
        path,
        hash,
        strategies,
    })
}

/// Opens the library for good and checks its data symbol.
fn open(path: &Path) -> Result<&'static Plugin, PluginError> {
    let library = || path.to_owned();
    let not_a_plugin = |reason: String| PluginError::NotAPlugin {
        library: library(),
        reason,
    };
    let symbol = String::from_utf8_lossy(&SYMBOL[..SYMBOL.len() - 1]);
    #[cfg(unix)]
    let opened = {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // All symbols now: a missing one is an error here, not a crash at the first call.
        // SAFETY: the file is a whole library for this machine; that its initialisers behave is
        // what the user vouches for by naming it.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
    };
    #[cfg(not(unix))]
    // SAFETY: as above.
    let opened = unsafe { libloading::Library::new(path) };
    let opened = opened.map_err(|error| PluginError::Refused {
        library: library(),
        reason: error.to_string(),
    })?;
    // SAFETY: the symbol is only taken as an address; what lies there is checked below.
    let found = unsafe { opened.get::<*const Plugin>(SYMBOL) }
        .map(|symbol| *symbol)
        .ok()
        .filter(|pointer| !pointer.is_null());
    // Never unloaded: thread-local destructors and threads of the library may outlive its use.
    core::mem::forget(opened);
    let Some(plugin) = found else {
        return Err(not_a_plugin(format!("it has no symbol {symbol}")));
    };
    if !plugin.is_aligned() {
        return Err(not_a_plugin(format!("its symbol {symbol} is not aligned")));
    }
    // SAFETY: the address of a data symbol; the name is reserved for a table that begins with
    // magic, size and version, and no more is read before those are right.
    let (magic, size, version) = unsafe {
        (
            (&raw const (*plugin).magic).read(),
            (&raw const (*plugin).size).read(),
            (&raw const (*plugin).version).read(),
        )
    };
    if magic != MAGIC {
        return Err(not_a_plugin(format!(
            "its symbol {symbol} begins with \"{}\", expected \"{}\"",
            magic.escape_ascii(),
            MAGIC.escape_ascii()
        )));
    }
    if version != ABI_VERSION {
        return Err(PluginError::OtherVersion {
            library: library(),
            expected: ABI_VERSION,
            found: version,
        });
    }
    if (size as usize) < size_of::<Plugin>() {
        return Err(not_a_plugin(format!(
            "its symbol {symbol} has {size} bytes, expected {} or more",
            size_of::<Plugin>()
        )));
    }
    // SAFETY: magic, version and size are right, and the library is never unloaded.
    let plugin: &'static Plugin = unsafe { &*plugin };
    match plugin.unwinding {
        unwinding::NONE | unwinding::CAUGHT => Ok(plugin),
        unwinding::ABORTS => Err(PluginError::AbortsOnPanic { library: library() }),
        other => Err(not_a_plugin(format!(
            "it says {other} of what a panic does, expected 0, 1 or 2"
        ))),
    }
}

/// Starts the library and reads its descriptors.
fn strategies(
    path: &Path,
    hash: &str,
    plugin: &'static Plugin,
) -> Result<Vec<Strategy>, PluginError> {
    let failed = |reason: String| PluginError::Failed {
        library: path.to_owned(),
        reason,
    };
    let (Some(start), Some(count), Some(describe)) = (plugin.start, plugin.count, plugin.describe)
    else {
        return Err(failed("a function of its symbol is missing".into()));
    };
    // SAFETY: the symbol was checked; this is the first call, as the contract wants it.
    let (status, said) = with_call(|call| unsafe { start(call) });
    if status != status::OK {
        return Err(failed(format!("its start {}", ending(status, &said))));
    }
    // SAFETY: the library has started.
    let count = unsafe { count() };
    if count == 0 || count > MOST_STRATEGIES {
        return Err(failed(format!(
            "it counts {count} strategies, expected 1 to {MOST_STRATEGIES}"
        )));
    }
    let mut strategies: Vec<Strategy> = Vec::new();
    for index in 0..count {
        // SAFETY: the library has started and the index is below its count.
        let (descriptor, said) = with_call(|call| unsafe { describe(call, index) });
        if descriptor.is_null() || !descriptor.is_aligned() {
            return Err(failed(format!(
                "it has no descriptor for strategy {index}: {}",
                said.trim()
            )));
        }
        let bad = |strategy: &str, reason: String| PluginError::BadDescriptor {
            library: path.to_owned(),
            strategy: strategy.to_owned(),
            reason,
        };
        // SAFETY: not null and aligned; the contract has it begin with size and version.
        let (size, version) = unsafe {
            (
                (&raw const (*descriptor).size).read(),
                (&raw const (*descriptor).version).read(),
            )
        };
        if version != ABI_VERSION || (size as usize) < size_of::<Descriptor>() {
            return Err(bad(
                &format!("number {index}"),
                format!(
                    "its descriptor has version {version} and {size} bytes, expected version \
                     {ABI_VERSION} and {} or more",
                    size_of::<Descriptor>()
                ),
            ));
        }
        // SAFETY: version and size are right, and descriptors live as long as the process.
        let descriptor: &'static Descriptor = unsafe { &*descriptor };
        let id = text("id", descriptor.id).map_err(|e| bad(&format!("number {index}"), e))?;
        let strategy = strategy(path, hash, id, descriptor).map_err(|e| bad(id, e))?;
        if strategies
            .iter()
            .any(|s| (s.slot, &s.id) == (strategy.slot, &strategy.id))
        {
            return Err(bad(id, "the library has it twice".into()));
        }
        strategies.push(strategy);
    }
    Ok(strategies)
}

fn text(what: &str, bytes: Bytes) -> Result<&'static str, String> {
    if bytes.count > MOST_TEXT || (bytes.count > 0 && bytes.data.is_null()) {
        return Err(format!("its {what} is no text: {} bytes", bytes.count));
    }
    // SAFETY: texts of a descriptor are the library's and live as long as the process.
    core::str::from_utf8(unsafe { bytes.get() }).map_err(|_| format!("its {what} is not UTF-8"))
}

/// The registry's record of a loaded strategy.
pub(super) fn strategy(
    path: &Path,
    hash: &str,
    id: &str,
    descriptor: &'static Descriptor,
) -> Result<Strategy, String> {
    let well_formed = id.starts_with(|c: char| c.is_ascii_lowercase())
        && id
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !well_formed {
        return Err(format!(
            "the id {id:?} is not a lowercase letter followed by letters, digits and hyphens"
        ));
    }
    if !matches!(descriptor.threads, threads::MANY | threads::ONE_AT_A_TIME) {
        return Err(format!(
            "its thread rule is {}, expected 0 or 1",
            descriptor.threads
        ));
    }
    let functions = [
        descriptor.create.is_some(),
        descriptor.destroy.is_some(),
        descriptor.effective.is_some(),
        !descriptor.table.is_null(),
    ];
    if functions.contains(&false) {
        return Err("a function of its descriptor is missing".into());
    }
    let known = (1 << 9) - 1;
    for (what, bits) in [("needs", descriptor.needs), ("offers", descriptor.offers)] {
        if bits & !known != 0 {
            return Err(format!(
                "it {what} capabilities {:#x} that this program does not know",
                bits & !known
            ));
        }
    }
    let slot = Slot::ALL
        .into_iter()
        .find(|slot| *slot as u32 == descriptor.slot)
        .ok_or_else(|| format!("there is no slot number {}", descriptor.slot))?;
    let functions = match slot {
        // SAFETY: the descriptor's slot says which table it points to.
        Slot::Avoidance => SlotTable::Avoidance(unsafe { avoidance_table(descriptor) }?),
        // SAFETY: as above.
        Slot::Cost => SlotTable::Cost(unsafe { cost_table(descriptor) }?),
        other => {
            return Err(format!(
                "slot {} cannot be loaded from a library yet; avoidance and cost can",
                other.name()
            ));
        }
    };
    let own = |what, bytes| text(what, bytes).map(str::to_owned);
    Ok(Strategy {
        slot,
        id: id.to_owned(),
        about: own("description", descriptor.about)?,
        when: own("advice", descriptor.when)?,
        when_not: own("advice", descriptor.when_not)?,
        growth: own("growth", descriptor.growth)?,
        paper: own("paper", descriptor.paper)?,
        needs: Capabilities(descriptor.needs),
        offers: Capabilities(descriptor.offers),
        options: schema::options(text("option schema", descriptor.options)?)?,
        origin: path.display().to_string(),
        version: own("version", descriptor.strategy_version)?,
        hash: Some(hash.to_owned()),
        factory: Arc::new(Loaded {
            kind: Arc::new(Kind {
                library: path.to_owned(),
                slot,
                id: id.to_owned(),
                descriptor,
            }),
            functions,
        }),
    })
}

/// # Safety
/// `pointer` is null, misaligned or points to a table that begins with size and version and lives
/// as long as the process.
unsafe fn table<T>(pointer: *const T) -> Result<&'static T, String> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err("its table of functions is missing or not aligned".into());
    }
    // SAFETY: the caller's promise.
    let [size, version] = unsafe { pointer.cast::<[u32; 2]>().read() };
    if version != ABI_VERSION || (size as usize) < size_of::<T>() {
        return Err(format!(
            "its table has version {version} and {size} bytes, expected version {ABI_VERSION} and \
             {} or more",
            size_of::<T>()
        ));
    }
    // SAFETY: the size is right, and the rest is the caller's promise.
    Ok(unsafe { &*pointer })
}

/// # Safety
/// The descriptor is checked and of slot avoidance.
unsafe fn avoidance_table(
    descriptor: &'static Descriptor,
) -> Result<&'static AvoidanceTable, String> {
    // SAFETY: the caller's promise.
    let table: &'static AvoidanceTable = unsafe { table(descriptor.table.cast()) }?;
    if table.profile.is_none() || table.steer.is_none() {
        return Err("profile or steer is missing".into());
    }
    if table.new_scratch.is_some() != table.free_scratch.is_some() {
        return Err("of new_scratch and free_scratch only one is there".into());
    }
    Ok(table)
}

/// # Safety
/// The descriptor is checked and of slot cost.
unsafe fn cost_table(descriptor: &'static Descriptor) -> Result<&'static CostTable, String> {
    // SAFETY: the caller's promise.
    let table: &'static CostTable = unsafe { table(descriptor.table.cast()) }?;
    if table.profile.is_none() || table.price.is_none() {
        return Err("profile or price is missing".into());
    }
    if table.save.is_some() != table.load.is_some() {
        return Err("of save and load only one is there".into());
    }
    Ok(table)
}

#[derive(Clone, Copy, Debug)]
enum SlotTable {
    Avoidance(&'static AvoidanceTable),
    Cost(&'static CostTable),
}

/// Makes strategies of one kind from a library.
#[derive(Debug)]
struct Loaded {
    kind: Arc<Kind>,
    functions: SlotTable,
}

impl Factory for Loaded {
    fn create(&self, options: &toml::Table) -> Result<AnyStrategy, CreateError> {
        Ok(match self.functions {
            SlotTable::Avoidance(table) => AnyStrategy::Avoidance(Box::new(
                ForeignAvoidance::create(&self.kind, table, options)?,
            )),
            SlotTable::Cost(table) => {
                AnyStrategy::Cost(Box::new(ForeignCost::create(&self.kind, table, options)?))
            }
        })
    }

    fn effective(
        &self,
        options: &toml::Table,
        _: &[OptionSpec],
    ) -> Result<toml::Table, CreateError> {
        Ok(match self.functions {
            SlotTable::Avoidance(table) => ForeignAvoidance::create(&self.kind, table, options)?
                .options()
                .clone(),
            SlotTable::Cost(table) => ForeignCost::create(&self.kind, table, options)?
                .options()
                .clone(),
        })
    }
}
