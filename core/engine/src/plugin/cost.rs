//! A loaded cost model behind the ordinary trait.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{
    ABI_VERSION, CostProfile, CostTable, Crowd, PriceIn, PriceOut, RouteClass, Status, status,
};
use throng_core::{CostModel, CrowdView, PriceContext, Prices, StateError, registry::Capabilities};

use super::{
    columns::{column, lent},
    instance::{Instance, Key, Kind, UNEQUAL, ending, with_call},
};
use crate::registry::CreateError;

/// Most time slices that a model may return.
const MOST_SLICES: u32 = 1024;
/// Most price entries in all: 1 GB of them.
const MOST_ENTRIES: usize = 1 << 27;

/// A cost model from a library.
#[derive(Debug)]
pub struct ForeignCost {
    instance: Instance,
    table: &'static CostTable,
    crowd_needs: Capabilities,
    is_static: bool,
}

impl ForeignCost {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static CostTable,
        options: &toml::Table,
    ) -> Result<ForeignCost, CreateError> {
        let instance = Instance::create(kind, options)?;
        let wrong = |reason: String| CreateError::failed(format!("{kind}: {reason}"));
        let mut profile = CostProfile {
            size: size_of::<CostProfile>() as u32,
            version: ABI_VERSION,
            crowd_needs: 0,
            is_static: 0,
            reserved: 0,
        };
        let ask = table
            .profile
            .ok_or_else(|| wrong("it has no profile".into()))?;
        let (status, said) = with_call(|call| {
            // SAFETY: the instance is of this table's strategy; the profile lives until the call
            // returns.
            unsafe { ask(call, instance.pointer(), &mut profile) }
        });
        if status != status::OK {
            return Err(wrong(format!("its profile {}", ending(status, &said))));
        }
        let crowd_needs = Capabilities(profile.crowd_needs);
        let readable = Capabilities::DENSITY.and(Capabilities::FLOW);
        if !readable.has(crowd_needs) {
            return Err(wrong(format!(
                "it wants {:#x} of the crowd; density ({:#x}) and flow ({:#x}) are there",
                crowd_needs.0,
                Capabilities::DENSITY.0,
                Capabilities::FLOW.0
            )));
        }
        Ok(ForeignCost {
            instance,
            table,
            crowd_needs,
            is_static: profile.is_static != 0,
        })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }

    /// Mends prices that no search could use, and logs the first of them.
    fn check(&self, key: Key, prices: &mut Prices) {
        let positive = |price: f32| price.is_finite() && price > 0.0;
        if let Some(uniform) = prices.uniform {
            if !positive(uniform) {
                self.wrong(key, format!("its uniform price is {uniform}"), 1);
                prices.set_uniform(1.0);
            }
        } else {
            let per_slice = prices.base.len() / (prices.slices as usize).max(1);
            let directions = prices.directions as usize;
            let (mut first, mut count) = (None, 0);
            for at in 0..prices.base.len() {
                let (base, crowd) = (prices.base[at], prices.crowd[at]);
                // Comparisons with a NaN are false, so it counts as wrong.
                let good = (base > 0.0)
                    & (base < f32::INFINITY)
                    & (crowd >= 0.0)
                    & (crowd <= base * Prices::MOST_CROWD);
                if !good {
                    let cell = at % per_slice / directions;
                    let said = || format!("the price of cell {cell} is {base} + {crowd}");
                    first.get_or_insert_with(said);
                    count += 1;
                    let base = if positive(base) { base } else { 1.0 };
                    let most = base * Prices::MOST_CROWD;
                    let crowd = if crowd >= 0.0 { crowd.min(most) } else { 0.0 };
                    (prices.base[at], prices.crowd[at]) = (base, crowd);
                }
            }
            if let Some(text) = first {
                self.wrong(key, text, count);
            }
        }
        let least = prices
            .uniform
            .unwrap_or_else(|| prices.base.iter().copied().fold(f32::INFINITY, f32::min));
        let bound = prices.least_base;
        if !(positive(bound) && bound <= least) && least.is_finite() {
            let text = format!("its least base price is {bound}, a cell has {least}");
            self.wrong(key, text, 1);
            prices.least_base = least;
        }
    }

    fn wrong(&self, key: Key, text: String, count: u64) {
        let rule = "prices are finite, base above 0, crowd from 0 to 10,000 times base";
        self.instance.fault(key, &format!("{text}; {rule}"), count);
    }
}

/// The crowd as a library sees it; nothing if its columns have unequal lengths.
pub(super) fn crowd_table(crowd: &CrowdView<'_>) -> Option<Crowd> {
    let cells = crowd.cells();
    Some(Crowd {
        size: size_of::<Crowd>() as u32,
        version: ABI_VERSION,
        cells,
        area: column(crowd.area, cells)?,
        axis: column(crowd.axis, cells)?,
        occupied: column(crowd.occupied, cells)?,
        persons: column(crowd.persons, cells)?,
        momentum_x: column(crowd.momentum_x, cells)?,
        momentum_y: column(crowd.momentum_y, cells)?,
    })
}

/// Room for prices, behind the table that a library is given.
struct Room<'a> {
    prices: &'a mut Prices,
    cells: usize,
}

impl Room<'_> {
    fn lend(&mut self, out: &mut PriceOut) {
        let prices = &mut *self.prices;
        out.directions = prices.directions;
        out.slices = prices.slices;
        out.entries = prices.base.len();
        out.base = prices.base.as_mut_ptr();
        out.crowd = prices.crowd.as_mut_ptr();
        out.blocked_words = prices.blocked.len();
        out.blocked = prices.blocked.as_mut_ptr();
    }
}

unsafe extern "C" fn resize(
    out: *mut PriceOut,
    directions: u32,
    slices: u32,
    blocks: u32,
) -> Status {
    // SAFETY: the library hands back the table of the running call, whose context is the room
    // that `price` keeps until the call returns.
    let (out, room) = unsafe { (&mut *out, &mut *(*out).context.cast::<Room<'_>>()) };
    let entries = room
        .cells
        .checked_mul(directions as usize)
        .and_then(|n| n.checked_mul(slices as usize));
    if !matches!(directions, 1 | 8)
        || !(1..=MOST_SLICES).contains(&slices)
        || entries.is_none_or(|n| n > MOST_ENTRIES)
    {
        return status::ERROR;
    }
    room.prices.resize(room.cells, directions, slices);
    let words = if blocks == 0 {
        0
    } else {
        room.cells.div_ceil(64)
    };
    room.prices.blocked.resize(words, 0);
    room.lend(out);
    out.is_uniform = 0;
    status::OK
}

#[typetag::serde(name = "@foreign-cost")]
impl CostModel for ForeignCost {
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let class = context.class;
        // Classes are priced at once; their numbers order what goes wrong.
        let key = (
            u64::from(class.profile) << 32 | u64::from(class.speed.to_bits()),
            u64::from(class.weight.to_bits()) << 32 | u64::from(class.radius.to_bits()),
        );
        let cells = context.crowd.cells();
        let crowd = crowd_table(&context.crowd)
            .filter(|_| [0, cells].contains(&context.cell_speed.len()))
            .filter(|_| [0, cells].contains(&context.cell_length.len()));
        let (Some(crowd), Some(price)) = (crowd, self.table.price) else {
            self.instance.fault(key, UNEQUAL, 1);
            out.set_uniform(1.0);
            return;
        };
        let given = PriceIn {
            size: size_of::<PriceIn>() as u32,
            version: ABI_VERSION,
            crowd: &crowd,
            cell_speed: lent(context.cell_speed),
            time: context.time,
            route_class: RouteClass {
                profile: class.profile,
                speed: class.speed,
                weight: class.weight,
                radius: class.radius,
            },
            cell_length: lent(context.cell_length),
        };
        // Prices of the last epoch are for as many cells as there were then.
        let shape = out.directions as usize * out.slices as usize;
        if out.uniform.is_none()
            && (out.base.len(), out.crowd.len()) != (cells * shape, cells * shape)
        {
            *out = Prices::default();
        }
        let mut answer = PriceOut {
            size: size_of::<PriceOut>() as u32,
            version: ABI_VERSION,
            context: core::ptr::null_mut(),
            resize: Some(resize),
            directions: 0,
            slices: 0,
            slice_seconds: out.slice_seconds,
            least_base: out.least_base,
            is_uniform: u32::from(out.uniform.is_some()),
            uniform: out.uniform.unwrap_or(0.0),
            entries: 0,
            base: core::ptr::null_mut(),
            crowd: core::ptr::null_mut(),
            blocked_words: 0,
            blocked: core::ptr::null_mut(),
        };
        let mut room = Room { prices: out, cells };
        room.lend(&mut answer);
        answer.context = (&raw mut room).cast();
        let done = self.instance.call(key, |call, instance| {
            // SAFETY: the instance is this table's; `crowd_table` has checked the lengths, and
            // throng-core asserts the layouts; all arrays and the room live until the call
            // returns, and nothing else touches them.
            unsafe { price(call, instance, &given, &mut answer) }
        });
        let out = room.prices;
        if !done {
            out.set_uniform(1.0);
            return;
        }
        if answer.is_uniform != 0 {
            out.set_uniform(answer.uniform);
        } else if out.uniform.is_some()
            || out.base.len() != cells * out.directions as usize * out.slices as usize
        {
            self.wrong(key, "it wrote no prices".into(), 1);
            out.set_uniform(1.0);
            return;
        }
        out.slice_seconds = answer.slice_seconds;
        out.least_base = answer.least_base;
        if out.slices > 1 && !(out.slice_seconds.is_finite() && out.slice_seconds > 0.0) {
            let text = format!("its time slices last {} seconds", out.slice_seconds);
            self.wrong(key, text, 1);
            out.slice_seconds = 1.0;
        }
        self.check(key, out);
    }

    fn crowd_needs(&self) -> Capabilities {
        self.crowd_needs
    }

    fn is_static(&self) -> bool {
        self.is_static
    }

    fn observe(&mut self, crowd: &CrowdView<'_>, seconds: f32) {
        let Some(observe) = self.table.observe else {
            return;
        };
        let Some(crowd) = crowd_table(crowd) else {
            self.instance.fault((0, 0), UNEQUAL, 1);
            return;
        };
        self.instance.call((0, 0), |call, instance| {
            // SAFETY: as in `price`; `&mut self` keeps other calls out.
            unsafe { observe(call, instance, &crowd, seconds) }
        });
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.instance.save(self.table.save, out);
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.instance.load(self.table.load, saved)
    }

    fn fault(&self) -> Option<String> {
        self.instance.take_fault()
    }
}

impl Serialize for ForeignCost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignCost {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}
