//! A loaded group behaviour behind the ordinary trait.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{ABI_VERSION, GroupIn, GroupOut as AbiGroupOut, GroupProfile, GroupTable, status};
use throng_core::{GroupBehavior, GroupChunk, GroupOut, World};

use super::{
    columns::{Mender, lent, lent_mut},
    instance::{Instance, Kind, UNEQUAL, ending, with_call},
    world::{Stamps, with_world},
};
use crate::registry::CreateError;

/// A group behaviour from a library.
#[derive(Debug)]
pub struct ForeignGroup {
    instance: Instance,
    table: &'static GroupTable,
    stamps: Stamps,
    active: bool,
}

impl ForeignGroup {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static GroupTable,
        options: &toml::Table,
    ) -> Result<ForeignGroup, CreateError> {
        let instance = Instance::create(kind, options)?;
        let wrong = |reason: String| CreateError::failed(format!("{kind}: {reason}"));
        let mut profile = GroupProfile {
            size: size_of::<GroupProfile>() as u32,
            version: ABI_VERSION,
            active: 1,
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
        Ok(ForeignGroup {
            instance,
            table,
            stamps: Stamps::default(),
            active: profile.active != 0,
        })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }

    /// Whether all arrays have the lengths that the border promises.
    fn fits(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &GroupOut<'_>) -> bool {
        let agents = world.agents.len();
        let start = chunk.groups.start;
        chunk.rows.start <= chunk.rows.end
            && chunk.rows.end <= agents
            && [chunk.guided.len(), chunk.aims.len()] == [agents; 2]
            && [out.preferred.len(), out.target.len()] == [chunk.rows.len(); 2]
            && start.last().copied().unwrap_or(0) as usize <= chunk.groups.member.len()
    }
}

#[typetag::serde(name = "@foreign-group")]
impl GroupBehavior for ForeignGroup {
    fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
        let ids = world.agents.id.get(chunk.rows.clone()).unwrap_or_default();
        let key = (world.step, ids.iter().copied().min().unwrap_or(0));
        let Some(adjust) = self.table.adjust.filter(|_| self.fits(world, chunk, out)) else {
            self.instance.fault(key, UNEQUAL, 1);
            return;
        };
        if chunk.rows.is_empty() || chunk.groups.start.is_empty() {
            return;
        }
        let given = GroupIn {
            size: size_of::<GroupIn>() as u32,
            version: ABI_VERSION,
            first: chunk.rows.start,
            count: chunk.rows.len(),
            groups: chunk.groups.start.len() - 1,
            start: lent(chunk.groups.start),
            members: chunk.groups.member.len(),
            member: lent(chunk.groups.member),
            agents: chunk.guided.len(),
            guided: lent(chunk.guided),
            aim: lent(chunk.aims),
        };
        let answer = AbiGroupOut {
            size: size_of::<AbiGroupOut>() as u32,
            version: ABI_VERSION,
            preferred: lent_mut(out.preferred),
            target: lent_mut(out.target),
        };
        let done = with_world(world, &self.stamps, |table| {
            self.instance.call(key, |call, instance| {
                // SAFETY: the instance is this table's; `fits` and `with_world` have checked the
                // lengths, and throng-core asserts the layouts; all arrays are borrowed until the
                // call returns.
                unsafe { adjust(call, instance, table, &given, &answer) }
            })
        });
        match done {
            Some(true) => {
                let mender = Mender {
                    instance: &self.instance,
                    step: world.step,
                    id: |agent: usize| ids[agent],
                };
                mender.mend_vectors(out.preferred, "preferred velocity");
                mender.mend_vectors(out.target, "target");
            }
            // What guiding gave stands.
            _ => {
                out.preferred
                    .copy_from_slice(&chunk.guided[chunk.rows.clone()]);
                out.target.copy_from_slice(&chunk.aims[chunk.rows.clone()]);
                if done.is_none() {
                    self.instance.fault(key, UNEQUAL, 1);
                }
            }
        }
    }

    fn active(&self) -> bool {
        self.active
    }

    fn fault(&self) -> Option<String> {
        self.instance.take_fault()
    }
}

impl Serialize for ForeignGroup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignGroup {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}
