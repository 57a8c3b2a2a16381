//! Opens a library, checks what it says of itself, and makes registry entries of it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use throng_abi::{
    ABI_VERSION, AvoidanceTable, Bytes, CostTable, Descriptor, GroupTable, LodTable, MAGIC,
    NavTable, PlannerTable, Plugin, SYMBOL, status, threads, unwinding,
};
use throng_core::{Slot, options::OptionSpec, registry::Capabilities};

use super::{
    allow::AllowList,
    avoidance::ForeignAvoidance,
    cost::ForeignCost,
    error::PluginError,
    file,
    group::ForeignGroup,
    host, image,
    instance::{Instance, Kind, ending, with_call},
    lod::ForeignLod,
    nav::ForeignNav,
    planner::ForeignPlanner,
    schema,
    watch::{self, Label},
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
    load_if(path, |_, _| Ok(()))
}

/// The same for a library that the user's list must name, with the hash of its file.
pub fn load_listed(path: &Path, list: &AllowList) -> Result<Library, PluginError> {
    load_if(path, |library, hash| list.check(library, hash))
}

fn load_if(
    path: &Path,
    permit: impl FnOnce(&Path, &str) -> Result<(), PluginError>,
) -> Result<Library, PluginError> {
    // An absolute path keeps the system's loader from searching its own folders.
    let real = path
        .canonicalize()
        .map_err(|source| PluginError::Unreadable {
            library: path.to_owned(),
            source,
        })?;
    // Whoever may change a link on the way may change what it leads to.
    let way = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Some(open) = way.parent().and_then(file::writable_by_all) {
        return Err(PluginError::WorldWritable {
            library: path.to_owned(),
            open,
        });
    }
    let checked = file::inspect(&real)?;
    permit(&real, &checked.hash)?;
    host::connect();
    let plugin = open(&real, &checked)?;
    let strategies = strategies(&real, &checked.hash, plugin)?;
    Ok(Library {
        path: real,
        hash: checked.hash,
        strategies,
    })
}

/// Opens the library for good and checks its data symbol. The same bytes are opened once.
fn open(path: &Path, checked: &file::Checked) -> Result<&'static Plugin, PluginError> {
    static OPENED: Mutex<BTreeMap<String, &'static Plugin>> = Mutex::new(BTreeMap::new());
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(plugin) = opened.get(&checked.hash) {
        return Ok(plugin);
    }
    let label = Label::new(&path.display().to_string());
    let library = {
        let _call = watch::enter(label);
        image::open(path, checked)?
    };
    let plugin = entry(path, library)?;
    opened.insert(checked.hash.clone(), plugin);
    Ok(plugin)
}

fn entry(path: &Path, opened: libloading::Library) -> Result<&'static Plugin, PluginError> {
    let library = || path.to_owned();
    let not_a_plugin = |reason: String| PluginError::NotAPlugin {
        library: library(),
        reason,
    };
    let symbol = String::from_utf8_lossy(&SYMBOL[..SYMBOL.len() - 1]);
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
    let _call = watch::enter(Label::new(&path.display().to_string()));
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
    let known = Capabilities::ALL.0;
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
    // SAFETY: the descriptor's slot says which table it points to.
    let functions = unsafe { SlotTable::of(slot, descriptor) }?;
    let options = schema::options(text("option schema", descriptor.options)?)?;
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
        options: options.clone(),
        origin: path.display().to_string(),
        version: own("version", descriptor.strategy_version)?,
        hash: Some(hash.to_owned()),
        factory: Arc::new(Loaded {
            options,
            kind: Arc::new(Kind {
                library: path.to_owned(),
                slot,
                id: id.to_owned(),
                label: Label::new(&format!("{}: {}/{id}", path.display(), slot.name())),
                descriptor,
            }),
            functions,
        }),
    })
}

/// The table of a library. One that is smaller, made before the last functions were appended, is
/// copied with nothing in their places.
///
/// # Safety
/// `pointer` is null, misaligned or points to a table that begins with size and version and lives
/// as long as the process. `T` is a table of functions: two numbers and optional pointers.
unsafe fn table<T>(pointer: *const T) -> Result<&'static T, String> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err("its table of functions is missing or not aligned".into());
    }
    // SAFETY: the caller's promise.
    let [size, version] = unsafe { pointer.cast::<[u32; 2]>().read() };
    let (size, whole) = (size as usize, size_of::<T>());
    // Functions are pointers, one after the other.
    if version != ABI_VERSION || size < 8 || !(size - 8).is_multiple_of(size_of::<usize>()) {
        return Err(format!(
            "its table has version {version} and {size} bytes, expected version {ABI_VERSION} and \
             {whole}"
        ));
    }
    if size >= whole {
        // SAFETY: the size is right, and the rest is the caller's promise.
        return Ok(unsafe { &*pointer });
    }
    let mut grown = Box::new(core::mem::MaybeUninit::<T>::zeroed());
    // SAFETY: both have `size` bytes or more and are apart; zero is no function, and the numbers
    // were copied.
    Ok(unsafe {
        core::ptr::copy_nonoverlapping(pointer.cast::<u8>(), grown.as_mut_ptr().cast(), size);
        &*Box::leak(grown).as_ptr()
    })
}

#[derive(Clone, Copy, Debug)]
enum SlotTable {
    Nav(&'static NavTable),
    Planner(&'static PlannerTable),
    Cost(&'static CostTable),
    Avoidance(&'static AvoidanceTable),
    Lod(&'static LodTable),
    Group(&'static GroupTable),
}

impl SlotTable {
    /// The table of a descriptor, with what it cannot do without.
    ///
    /// # Safety
    /// The descriptor is checked and of this slot.
    unsafe fn of(slot: Slot, descriptor: &'static Descriptor) -> Result<SlotTable, String> {
        let pointer = descriptor.table;
        let have = |wanted: &[(&str, bool)]| match wanted.iter().find(|(_, there)| !there) {
            Some((name, _)) => Err(format!("{name} is missing")),
            None => Ok(()),
        };
        let both = |one: bool, other: bool, names: &str| match one == other {
            true => Ok(()),
            false => Err(format!("of {names} only one is there")),
        };
        // SAFETY: the caller's promise, for all of them.
        Ok(match slot {
            Slot::Nav => {
                let t: &'static NavTable = unsafe { table(pointer.cast()) }?;
                have(&[
                    ("build", t.build.is_some()),
                    ("attach", t.attach.is_some()),
                    ("region_of", t.region_of.is_some()),
                ])?;
                SlotTable::Nav(t)
            }
            Slot::Planner => {
                let t: &'static PlannerTable = unsafe { table(pointer.cast()) }?;
                have(&[("profile", t.profile.is_some()), ("plan", t.plan.is_some())])?;
                both(
                    t.new_scratch.is_some(),
                    t.free_scratch.is_some(),
                    "new_scratch and free_scratch",
                )?;
                both(t.save.is_some(), t.load.is_some(), "save and load")?;
                SlotTable::Planner(t)
            }
            Slot::Cost => {
                let t: &'static CostTable = unsafe { table(pointer.cast()) }?;
                have(&[
                    ("profile", t.profile.is_some()),
                    ("price", t.price.is_some()),
                ])?;
                both(t.save.is_some(), t.load.is_some(), "save and load")?;
                SlotTable::Cost(t)
            }
            Slot::Avoidance => {
                let t: &'static AvoidanceTable = unsafe { table(pointer.cast()) }?;
                have(&[
                    ("profile", t.profile.is_some()),
                    ("steer", t.steer.is_some()),
                ])?;
                both(
                    t.new_scratch.is_some(),
                    t.free_scratch.is_some(),
                    "new_scratch and free_scratch",
                )?;
                SlotTable::Avoidance(t)
            }
            Slot::Lod => {
                let t: &'static LodTable = unsafe { table(pointer.cast()) }?;
                have(&[
                    ("profile", t.profile.is_some()),
                    ("classify", t.classify.is_some()),
                ])?;
                both(t.save.is_some(), t.load.is_some(), "save and load")?;
                SlotTable::Lod(t)
            }
            Slot::Group => {
                let t: &'static GroupTable = unsafe { table(pointer.cast()) }?;
                have(&[
                    ("profile", t.profile.is_some()),
                    ("adjust", t.adjust.is_some()),
                ])?;
                SlotTable::Group(t)
            }
        })
    }
}

/// Makes strategies of one kind from a library.
#[derive(Debug)]
struct Loaded {
    kind: Arc<Kind>,
    options: Vec<OptionSpec>,
    functions: SlotTable,
}

impl Factory for Loaded {
    fn create(&self, options: &toml::Table) -> Result<AnyStrategy, CreateError> {
        schema::check(options, &self.options).map_err(|wrong| CreateError {
            reason: format!("{} ({})", wrong.reason, self.kind),
            ..wrong
        })?;
        let _call = watch::enter(self.kind.label);
        let kind = &self.kind;
        Ok(match self.functions {
            SlotTable::Nav(t) => AnyStrategy::Nav(Box::new(ForeignNav::create(kind, t, options)?)),
            SlotTable::Planner(t) => {
                AnyStrategy::Planner(Box::new(ForeignPlanner::create(kind, t, options)?))
            }
            SlotTable::Cost(t) => {
                AnyStrategy::Cost(Box::new(ForeignCost::create(kind, t, options)?))
            }
            SlotTable::Avoidance(t) => {
                AnyStrategy::Avoidance(Box::new(ForeignAvoidance::create(kind, t, options)?))
            }
            SlotTable::Lod(t) => AnyStrategy::Lod(Box::new(ForeignLod::create(kind, t, options)?)),
            SlotTable::Group(t) => {
                AnyStrategy::Group(Box::new(ForeignGroup::create(kind, t, options)?))
            }
        })
    }

    fn effective(
        &self,
        options: &toml::Table,
        _: &[OptionSpec],
    ) -> Result<toml::Table, CreateError> {
        // Made in full, so that what it says of itself is checked where the options are written.
        self.create(options)?;
        let _call = watch::enter(self.kind.label);
        Instance::create(&self.kind, options).map(|instance| instance.options().clone())
    }
}
