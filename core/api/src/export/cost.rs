//! Glue of slot `cost`: a [`CostModel`] behind a [`CostTable`].

use core::{cell::RefCell, ffi::c_void, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, Bytes, Call, CostProfile, CostTable, Sink, Status, rows, rows_mut,
    status,
};

use super::{
    describe::Export,
    guard::guard,
    held::{self, Held},
};
use crate::{CostModel, CrowdView, PriceContext, Prices, RouteClass, Slot};

/// A cost model as a line of [`export_plugin!`](crate::export_plugin).
pub const fn cost<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: CostModel + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Cost,
        id,
        version,
        origin,
        create: held::create::<T, ()>,
        destroy: held::destroy::<T, ()>,
        effective: held::effective::<T, ()>,
        table: table::<T>,
    }
}

struct Glue<T>(PhantomData<T>);

impl<T: CostModel + 'static> Glue<T> {
    const TABLE: CostTable = CostTable {
        size: size_of::<CostTable>() as u32,
        version: ABI_VERSION,
        profile: Some(profile::<T>),
        price: Some(price::<T>),
        observe: Some(observe::<T>),
        save: Some(save::<T>),
        load: Some(load::<T>),
    };
}

fn table<T: CostModel + 'static>() -> *const c_void {
    let table: &'static CostTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

unsafe extern "C" fn profile<T: CostModel>(
    call: *const Call,
    instance: *const c_void,
    out: *mut CostProfile,
) -> Status {
    // SAFETY: an instance of `create`; the host lends the profile to be filled.
    unsafe {
        guard(call, || {
            let strategy = &(*instance.cast::<Held<T, ()>>()).strategy;
            *out = CostProfile {
                size: size_of::<CostProfile>() as u32,
                version: ABI_VERSION,
                crowd_needs: strategy.crowd_needs().0,
                is_static: u32::from(strategy.is_static()),
                reserved: 0,
            };
            Ok(None)
        })
    }
}

/// The crowd as the strategy sees it.
///
/// # Safety
/// The host lends columns of the length stated, or null ones, for `'a`.
pub(super) unsafe fn crowd_view<'a>(crowd: &abi::Crowd) -> CrowdView<'a> {
    let n = crowd.cells;
    // SAFETY: the caller's promise; layouts are asserted in `layout`.
    unsafe {
        CrowdView {
            area: rows(crowd.area, n),
            axis: rows(crowd.axis.cast(), n),
            occupied: rows(crowd.occupied, n),
            persons: rows(crowd.persons, n),
            momentum_x: rows(crowd.momentum_x, n),
            momentum_y: rows(crowd.momentum_y, n),
        }
    }
}

unsafe extern "C" fn price<T: CostModel>(
    call: *const Call,
    instance: *const c_void,
    context: *const abi::PriceIn,
    out: *mut abi::PriceOut,
) -> Status {
    // SAFETY: an instance of `create`; the host lends tables and arrays until the call returns.
    unsafe {
        guard(call, || {
            let strategy = &(*instance.cast::<Held<T, ()>>()).strategy;
            let crowd = crowd_view(&*(*context).crowd);
            let cells = crowd.cells();
            let class = (*context).route_class;
            // An earlier host's table ends before the last column.
            let whole = (*context).size as usize >= size_of::<abi::PriceIn>();
            let context = PriceContext {
                crowd,
                cell_speed: rows((*context).cell_speed, cells),
                cell_length: if whole {
                    rows((*context).cell_length, cells)
                } else {
                    &[]
                },
                class: RouteClass {
                    profile: class.profile,
                    speed: class.speed,
                    weight: class.weight,
                    radius: class.radius,
                },
                time: (*context).time,
            };
            let mut prices = PRICES.take();
            last_prices(&*out, &mut prices);
            strategy.price(&context, &mut prices);
            let handed = hand_over(&prices, cells, out);
            PRICES.set(prices);
            handed?;
            Ok(strategy.fault())
        })
    }
}

thread_local! {
    /// Prices until they are handed over, so that an epoch needs no new memory.
    static PRICES: RefCell<Prices> = RefCell::new(Prices::default());
}

/// The prices of the last epoch, as the host holds them.
///
/// # Safety
/// The arrays of `out` are the host's and as long as stated.
unsafe fn last_prices(out: &abi::PriceOut, prices: &mut Prices) {
    prices.directions = out.directions;
    prices.slices = out.slices;
    prices.slice_seconds = out.slice_seconds;
    prices.uniform = (out.is_uniform != 0).then_some(out.uniform);
    prices.least_base = out.least_base;
    prices.base.clear();
    prices.crowd.clear();
    prices.blocked.clear();
    // SAFETY: the caller's promise.
    unsafe {
        prices.base.extend_from_slice(rows(out.base, out.entries));
        prices.crowd.extend_from_slice(rows(out.crowd, out.entries));
        prices
            .blocked
            .extend_from_slice(rows(out.blocked, out.blocked_words));
    }
}

/// Gives the prices to the host.
///
/// # Safety
/// `out` is the host's table of the call that is running now.
unsafe fn hand_over(prices: &Prices, cells: usize, out: *mut abi::PriceOut) -> Result<(), String> {
    // SAFETY: the caller's promise; `resize` leaves arrays as long as it states, and only raw
    // accesses are made to the table while the host may change it.
    unsafe {
        if let Some(uniform) = prices.uniform {
            (*out).is_uniform = 1;
            (*out).uniform = uniform;
        } else {
            let entries = cells
                .checked_mul(prices.directions as usize)
                .and_then(|n| n.checked_mul(prices.slices as usize));
            if entries != Some(prices.base.len()) || entries != Some(prices.crowd.len()) {
                return Err(format!(
                    "prices have {} base and {} crowd entries; {cells} cells, {} directions and \
                     {} slices need their product",
                    prices.base.len(),
                    prices.crowd.len(),
                    prices.directions,
                    prices.slices
                ));
            }
            let Some(resize) = (*out).resize else {
                return Err("the host gave no room for prices".into());
            };
            let blocks = u32::from(!prices.blocked.is_empty());
            if resize(out, prices.directions, prices.slices, blocks) != status::OK {
                return Err(format!(
                    "the host refused prices with {} directions and {} slices",
                    prices.directions, prices.slices
                ));
            }
            rows_mut((*out).base, (*out).entries).copy_from_slice(&prices.base);
            rows_mut((*out).crowd, (*out).entries).copy_from_slice(&prices.crowd);
            let blocked = rows_mut((*out).blocked, (*out).blocked_words);
            for (i, word) in blocked.iter_mut().enumerate() {
                *word = prices.blocked.get(i).copied().unwrap_or(0);
            }
        }
        (*out).slice_seconds = prices.slice_seconds;
        (*out).least_base = prices.least_base;
    }
    Ok(())
}

unsafe extern "C" fn observe<T: CostModel>(
    call: *const Call,
    instance: *mut c_void,
    crowd: *const abi::Crowd,
    seconds: f32,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the crowd.
    unsafe {
        guard(call, || {
            let strategy = &mut (*instance.cast::<Held<T, ()>>()).strategy;
            strategy.observe(&crowd_view(&*crowd), seconds);
            Ok(strategy.fault())
        })
    }
}

unsafe extern "C" fn save<T: CostModel>(
    call: *const Call,
    instance: *const c_void,
    out: *const Sink,
) -> Status {
    // SAFETY: an instance of `create`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let mut bytes = Vec::new();
            (*instance.cast::<Held<T, ()>>()).strategy.save(&mut bytes);
            (*out).append(&bytes);
            Ok(None)
        })
    }
}

unsafe extern "C" fn load<T: CostModel>(
    call: *const Call,
    instance: *mut c_void,
    saved: Bytes,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the bytes.
    unsafe {
        guard(call, || {
            let strategy = &mut (*instance.cast::<Held<T, ()>>()).strategy;
            strategy.load(saved.get()).map_err(|e| e.reason)?;
            Ok(None)
        })
    }
}
