//! A loaded planner behind the ordinary trait.

use core::ffi::c_void;
use std::sync::Arc;

use glam::Vec2;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{
    self as abi, ABI_VERSION, GuideIn, GuideOut as AbiGuideOut, PlannerProfile, PlannerTable,
    RouteSink as AbiRouteSink, Status, route_kind, rows, status,
};
use throng_core::{
    Gate, GlobalPlanner, GuideChunk, GuideOut, Memory, NONE, NavMap, NoRoute, PlanRequest,
    PlannerError, RouteKind, RouteRow, RouteSink, Scratch, StateError, World,
};

use super::{
    columns::{Mender, lent, lent_mut, memory, memory_fits},
    instance::{Instance, Kind, UNEQUAL, ending, with_call},
    scratch::ForeignScratch,
    site::shielded,
    world::{Stamps, with_world},
};
use crate::registry::CreateError;

/// Longest route, in edges or gates.
const MOST_ENTRIES: usize = 1 << 24;

/// A planner from a library.
#[derive(Debug)]
pub struct ForeignPlanner {
    instance: Instance,
    table: &'static PlannerTable,
    stamps: Stamps,
    guides: bool,
    memory: Memory,
}

impl ForeignPlanner {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static PlannerTable,
        options: &toml::Table,
    ) -> Result<ForeignPlanner, CreateError> {
        let instance = Instance::create(kind, options)?;
        let wrong = |reason: String| CreateError::failed(format!("{kind}: {reason}"));
        let mut profile = PlannerProfile {
            size: size_of::<PlannerProfile>() as u32,
            version: ABI_VERSION,
            guides: 0,
            scalar_count: 0,
            tangent_count: 0,
            location_count: 0,
            names: core::ptr::null(),
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
        if profile.guides != 0 && table.guide.is_none() {
            return Err(wrong("it says that it guides, but has no guide".into()));
        }
        let counts = [
            profile.scalar_count,
            profile.tangent_count,
            profile.location_count,
        ];
        // SAFETY: the library lends as many names as it counts, while the instance lives.
        let memory = unsafe { memory(counts, profile.names) }.map_err(wrong)?;
        Ok(ForeignPlanner {
            instance,
            table,
            stamps: Stamps::default(),
            guides: profile.guides != 0,
            memory,
        })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }

    /// Fails every request that has no answer yet.
    fn fail_rest(routes: &mut RouteSink, wanted: usize) {
        while routes.rows.len() < wanted {
            routes.push_missing(NoRoute::Failed);
        }
    }
}

/// Answers as they come in, behind the table that a library is given.
struct Answers<'a> {
    routes: &'a mut RouteSink,
    /// Rows that were there before, and rows that there are to be.
    before: usize,
    wanted: usize,
    map: &'a NavMap,
    triangles: usize,
    /// Bad answers: the first one, and how many.
    wrong: Option<(usize, String)>,
    count: u64,
}

impl Answers<'_> {
    /// Takes one answer, or says what is wrong with it.
    fn take(&mut self, row: &abi::RouteRow, edges: &[u32], gates: &[Gate]) -> Result<(), String> {
        let range = row.first as usize..row.first as usize + row.count as usize;
        if range.len() > MOST_ENTRIES {
            return Err(format!("it has {} entries", range.len()));
        }
        let (kind, first) = match row.kind {
            route_kind::EDGES => {
                let route = edges
                    .get(range)
                    .ok_or("its edges are not among those given")?;
                let most = self.map.edges();
                if let Some(edge) = route.iter().find(|edge| **edge as usize >= most) {
                    return Err(format!("it has edge {edge}, the map has {most}"));
                }
                let broken = route.windows(2).find(|pair| {
                    self.map.edge_to[pair[0] as usize] != self.map.edge_from[pair[1] as usize]
                });
                if let Some(pair) = broken {
                    return Err(format!("edge {} does not lead to {}", pair[0], pair[1]));
                }
                let first = self.routes.edges.len();
                self.routes.edges.extend_from_slice(route);
                (RouteKind::Edges, first)
            }
            route_kind::GATES => {
                let route = gates
                    .get(range)
                    .ok_or("its gates are not among those given")?;
                if let Some(at) = route
                    .iter()
                    .position(|gate| !gate_is_good(gate, self.triangles))
                {
                    return Err(format!("its gate {at} is {:?}", route[at]));
                }
                let first = self.routes.gates.len();
                self.routes.gates.extend_from_slice(route);
                (RouteKind::Gates, first)
            }
            route_kind::MISSING => {
                let why = NoRoute::ALL
                    .into_iter()
                    .find(|why| *why as u32 == row.why)
                    .ok_or_else(|| format!("there is no reason number {}", row.why))?;
                self.routes.push_missing(why);
                return Ok(());
            }
            other => return Err(format!("there is no kind of route number {other}")),
        };
        // What was copied for a row that is refused lies unused until the next batch.
        if row.into != NONE && row.into as usize >= self.map.edges() {
            return Err(format!("it ends on edge {}, which is not there", row.into));
        }
        if row.invisible > row.count {
            return Err(format!(
                "{} of {} entries are invisible",
                row.invisible, row.count
            ));
        }
        if !(row.length.is_finite() && row.length >= 0.0 && row.cost.is_finite()) {
            return Err(format!(
                "its length is {}, its cost {}",
                row.length, row.cost
            ));
        }
        self.routes.rows.push(RouteRow {
            kind,
            first: first as u32,
            count: row.count,
            invisible: row.invisible,
            into: row.into,
            length: row.length,
            cost: row.cost,
        });
        Ok(())
    }
}

/// Whether a gate can be walked through.
pub(super) fn gate_is_good(gate: &Gate, triangles: usize) -> bool {
    gate.left.is_finite()
        && gate.middle.is_finite()
        && gate.right.is_finite()
        && (gate.triangle as usize) < triangles
}

unsafe extern "C" fn append(
    context: *mut c_void,
    row: *const abi::RouteRow,
    count: usize,
    edge: *const u32,
    edges: usize,
    gate: *const abi::Gate,
    gates: usize,
) -> Status {
    // SAFETY: the context is the answers of the `plan` that is running; the library lends the
    // arrays, whose layouts throng-core asserts.
    let (answers, rows, edges, gates) = unsafe {
        let answers = &mut *context.cast::<Answers<'_>>();
        (
            answers,
            rows(row, count),
            rows(edge, edges),
            rows::<Gate>(gate.cast(), gates),
        )
    };
    shielded(|| {
        if answers.routes.rows.len() + rows.len() > answers.wanted {
            return status::ERROR;
        }
        for row in rows {
            if let Err(reason) = answers.take(row, edges, gates) {
                let request = answers.routes.rows.len() - answers.before;
                answers.wrong.get_or_insert((request, reason));
                answers.count += 1;
                answers.routes.push_missing(NoRoute::Failed);
            }
        }
        status::OK
    })
}

#[typetag::serde(name = "@foreign-planner")]
impl GlobalPlanner for ForeignPlanner {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let agent = |request: &PlanRequest| world.agents.id.get(request.agent as usize).copied();
        let least = requests.iter().filter_map(agent).min().unwrap_or(0);
        let key = (world.step, least);
        let before = routes.rows.len();
        let wanted = before + requests.len();
        let (Some(plan), false) = (self.table.plan, requests.is_empty()) else {
            return;
        };
        let (new, free) = (self.table.new_scratch, self.table.free_scratch);
        let scratch = scratch.get::<ForeignScratch>().of(self.table, new, free);
        let mut answers = Answers {
            routes,
            before,
            wanted,
            map: world.map,
            triangles: world.site.ground.triangles.len(),
            wrong: None,
            count: 0,
        };
        let sink = AbiRouteSink {
            size: size_of::<AbiRouteSink>() as u32,
            version: ABI_VERSION,
            context: (&raw mut answers).cast(),
            append: Some(append),
        };
        let done = with_world(world, &self.stamps, |table| {
            self.instance.call(key, |call, instance| {
                // SAFETY: instance and scratch are this table's; `with_world` has checked the
                // lengths, and throng-core asserts the layouts; world, requests and answers are
                // borrowed until the call returns, and nothing else touches the answers.
                unsafe {
                    plan(
                        call,
                        instance,
                        scratch,
                        table,
                        lent(requests),
                        requests.len(),
                        &sink,
                    )
                }
            })
        });
        let Answers {
            routes,
            wrong,
            count,
            ..
        } = answers;
        let whose = |request: &PlanRequest| match agent(request) {
            Some(id) => format!("agent {id} at step {}", world.step),
            None => "a query".into(),
        };
        if let Some((at, reason)) = wrong {
            let request = &requests[at];
            let key = (world.step, agent(request).unwrap_or(0));
            let text = format!("{}: its route is wrong: {reason}", whose(request));
            self.instance.fault(key, &text, count);
        }
        match done {
            Some(true) if routes.rows.len() < wanted => {
                let answered = routes.rows.len() - before;
                let text = format!(
                    "{}: no route was written; {answered} of {} requests were answered",
                    whose(&requests[answered]),
                    requests.len()
                );
                self.instance.fault(key, &text, 1);
            }
            Some(true) => {}
            Some(false) => routes.rows.truncate(before),
            None => self.instance.fault(key, UNEQUAL, 1),
        }
        ForeignPlanner::fail_rest(routes, wanted);
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let Some(prepare) = self.table.prepare else {
            return Ok(());
        };
        let done = with_world(world, &self.stamps, |table| {
            self.instance.attempt((world.step, 0), |call, instance| {
                // SAFETY: as in `plan`; `&mut self` keeps other calls out.
                unsafe { prepare(call, instance, table) }
            })
        });
        match done {
            Some(Ok(())) => Ok(()),
            // Nothing to prepare is nothing wrong.
            Some(Err(refusal)) if refusal.status == status::UNSUPPORTED => Ok(()),
            Some(Err(refusal)) if refusal.status == status::UNSUITABLE => {
                Err(PlannerError::Unsuitable {
                    reason: refusal.said,
                })
            }
            Some(Err(refusal)) => Err(PlannerError::Failed(refusal.text)),
            None => Err(PlannerError::Failed(format!(
                "{}: {UNEQUAL}",
                self.instance.kind()
            ))),
        }
    }

    fn guides(&self) -> bool {
        self.guides
    }

    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        scratch: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let n = chunk.rows.len();
        let id = |agent: usize| world.agents.id.get(chunk.rows[agent] as usize).copied();
        let least = (0..n).filter_map(id).min().unwrap_or(0);
        let key = (world.step, least);
        let lengths = [
            out.preferred.len(),
            out.target.len(),
            out.follow_route.len(),
        ];
        let fits = lengths == [n; 3]
            && memory_fits(self.memory, &out.memory, n)
            && (0..n).all(|agent| id(agent).is_some());
        let Some(guide) = self.table.guide.filter(|_| fits) else {
            self.instance.fault(key, UNEQUAL, 1);
            out.follow_route.fill(1);
            return;
        };
        if n == 0 {
            return;
        }
        let (new, free) = (self.table.new_scratch, self.table.free_scratch);
        let scratch = scratch.get::<ForeignScratch>().of(self.table, new, free);
        let given = GuideIn {
            size: size_of::<GuideIn>() as u32,
            version: ABI_VERSION,
            agents: n,
            row: lent(chunk.rows),
            dt: chunk.dt,
            reserved: 0,
        };
        let answer = AbiGuideOut {
            size: size_of::<AbiGuideOut>() as u32,
            version: ABI_VERSION,
            preferred: lent_mut(out.preferred),
            target: lent_mut(out.target),
            follow_route: lent_mut(out.follow_route),
            scalars: lent_mut(out.memory.scalars),
            tangents: lent_mut(out.memory.tangents),
            locations: lent_mut(out.memory.locations),
        };
        let done = with_world(world, &self.stamps, |table| {
            self.instance.call(key, |call, instance| {
                // SAFETY: as in `plan`; the lengths of the answers were checked above.
                unsafe { guide(call, instance, scratch, table, &given, &answer) }
            })
        });
        if done != Some(true) {
            out.preferred.fill(Vec2::ZERO);
            out.target.fill(Vec2::ZERO);
            out.follow_route.fill(1);
            if done.is_none() {
                self.instance.fault(key, UNEQUAL, 1);
            }
        }
        let mender = Mender {
            instance: &self.instance,
            step: world.step,
            id: |agent: usize| world.agents.id[chunk.rows[agent] as usize],
        };
        mender.mend_vectors(out.preferred, "preferred velocity");
        mender.mend_vectors(out.target, "target");
        mender.mend_memory(self.memory, &mut out.memory);
    }

    fn memory(&self) -> Memory {
        self.memory
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

impl Serialize for ForeignPlanner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignPlanner {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}
