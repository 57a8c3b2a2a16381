//! Growing fields from owned copies of what they depend on, beside the simulation or at once.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use throng_core::NodeId;

use crate::{
    expand::{Expander, Expansion},
    field::Field,
    stencil::Stencil,
    step_costs::StepCosts,
};

/// Fields being grown beside the simulation.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    pub ready_at: u64,
    pub pairs: Vec<(u32, u32)>,
    pub fields: Grown,
}

/// What a thread is growing, or has grown.
#[derive(Clone, Debug)]
pub(crate) struct Grown(Arc<Mutex<Handle>>);

#[derive(Debug)]
pub(crate) enum Handle {
    Running(JoinHandle<Vec<Arc<Field>>>),
    Done(Vec<Arc<Field>>),
}

impl Grown {
    /// Those of a thread, or ready ones.
    pub fn new(handle: Handle) -> Grown {
        Grown(Arc::new(Mutex::new(handle)))
    }

    /// The fields, once they are there.
    pub fn wait(&self) -> Vec<Arc<Field>> {
        let mut handle = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let fields = match core::mem::replace(&mut *handle, Handle::Done(Vec::new())) {
            Handle::Running(thread) => thread.join().unwrap_or_default(),
            Handle::Done(fields) => fields,
        };
        *handle = Handle::Done(fields.clone());
        fields
    }
}

/// What a field is grown from, owned, so that it can be grown beside the simulation.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub stencil: Arc<Stencil>,
    pub costs: Arc<StepCosts>,
    pub goals: Vec<NodeId>,
}

/// Grows one field.
pub(crate) fn carry_out(
    expander: &mut Expander,
    expansion: Expansion,
    order: &Order,
) -> Arc<Field> {
    let mut field = Field::default();
    let Order {
        stencil,
        costs,
        goals,
    } = order;
    let goal = costs.seeds(stencil, goals);
    expander.grow(stencil, costs, expansion, &goal, &mut field);
    Arc::new(field)
}

/// Grows fields on threads of its own: those of the simulation may wait for the result.
pub(crate) fn grow_all(expansion: Expansion, orders: &[Order]) -> Vec<Arc<Field>> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut expander = Expander::default();
        let mut grown = Vec::new();
        loop {
            let at = next.fetch_add(1, Relaxed);
            match orders.get(at) {
                Some(order) => grown.push((at, carry_out(&mut expander, expansion, order))),
                None => return grown,
            }
        }
    };
    let mut fields: Vec<Arc<Field>> = orders.iter().map(|_| Arc::default()).collect();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(orders.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(grown) => all.extend(grown),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for (at, field) in all {
            fields[at] = field;
        }
    });
    fields
}
