//! A loaded level-of-detail policy behind the ordinary trait.

use core::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{ABI_VERSION, LodProfile, LodTable, status};
use throng_core::{LodPolicy, StateError, World};

use super::{
    columns::{Mender, lent_mut},
    instance::{Instance, Kind, UNEQUAL, ending, with_call},
    world::{Stamps, with_world},
};
use crate::registry::CreateError;

/// A level that no policy gives: what is still there afterwards was not written.
const UNWRITTEN: u8 = u8::MAX;

/// A level-of-detail policy from a library.
#[derive(Debug)]
pub struct ForeignLod {
    instance: Instance,
    table: &'static LodTable,
    stamps: Stamps,
    reads_regions: bool,
    constant: Option<u8>,
}

impl ForeignLod {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static LodTable,
        options: &toml::Table,
    ) -> Result<ForeignLod, CreateError> {
        let instance = Instance::create(kind, options)?;
        let wrong = |reason: String| CreateError::failed(format!("{kind}: {reason}"));
        let mut profile = LodProfile {
            size: size_of::<LodProfile>() as u32,
            version: ABI_VERSION,
            reads_regions: 0,
            constant: 256,
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
        if profile.constant > 256 || profile.constant == u32::from(UNWRITTEN) {
            return Err(wrong(format!(
                "its constant level is {}, expected 0 to 254, or 256 for none",
                profile.constant
            )));
        }
        Ok(ForeignLod {
            instance,
            table,
            stamps: Stamps::default(),
            reads_regions: profile.reads_regions != 0,
            constant: u8::try_from(profile.constant).ok(),
        })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }
}

#[typetag::serde(name = "@foreign-lod")]
impl LodPolicy for ForeignLod {
    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]) {
        let ids = world.agents.id.get(rows.clone()).unwrap_or_default();
        let key = (world.step, ids.iter().copied().min().unwrap_or(0));
        let Some(classify) = self.table.classify.filter(|_| ids.len() == out.len()) else {
            self.instance.fault(key, UNEQUAL, 1);
            out.fill(0);
            return;
        };
        if ids.is_empty() {
            return;
        }
        out.fill(UNWRITTEN);
        let done = with_world(world, &self.stamps, |world| {
            self.instance.call(key, |call, instance| {
                // SAFETY: the instance is this table's; `with_world` has checked the lengths, and
                // throng-core asserts the layouts; all arrays are borrowed until the call returns.
                unsafe {
                    let levels = lent_mut(out);
                    classify(call, instance, world, rows.start, ids.len(), levels)
                }
            })
        });
        match done {
            Some(true) => {
                let mender = Mender {
                    instance: &self.instance,
                    step: world.step,
                    id: |agent: usize| ids[agent],
                };
                mender.mend(
                    out,
                    1,
                    |level| *level != UNWRITTEN,
                    0,
                    |_, _| "its level was not written".into(),
                );
            }
            Some(false) => out.fill(0),
            None => {
                self.instance.fault(key, UNEQUAL, 1);
                out.fill(0);
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) {
        let Some(prepare) = self.table.prepare else {
            return;
        };
        let done = with_world(world, &self.stamps, |table| {
            self.instance.call((world.step, 0), |call, instance| {
                // SAFETY: as in `classify`; `&mut self` keeps other calls out.
                unsafe { prepare(call, instance, table) }
            })
        });
        if done.is_none() {
            self.instance.fault((world.step, 0), UNEQUAL, 1);
        }
    }

    fn reads_regions(&self) -> bool {
        self.reads_regions
    }

    fn constant(&self) -> Option<u8> {
        self.constant
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.instance.save(self.table.save, out);
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.stamps.renew();
        self.instance.load(self.table.load, saved)
    }

    fn fault(&self) -> Option<String> {
        self.instance.take_fault()
    }
}

impl Serialize for ForeignLod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignLod {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}
