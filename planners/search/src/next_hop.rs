//! Planner `next-hop`: the next gate is looked up in a table (Akaydin 2010, section 3.1.3.3).
//!
//! For every target and node the table holds the edge to leave by, so planning an agent's next
//! step takes the same time whatever the map and the distance. Ways are found by Dijkstra's
//! algorithm from each target or by Floyd and Warshall's over all pairs, to all nodes or to the
//! goals alone. On maps of cells with a gate per edge (`adaptive-grid`) it guides by a field of
//! directions towards the next gate; on any other map routes are read from the table and
//! followed.
//!
//! The table is made again when doors change, and for changed prices once a period.

mod field;
mod lanes;
mod table;

pub use field::{CellBoxes, FieldKind, Walker};
pub use table::{Hops, Method};

use glam::Vec2;
use throng_core::{
    Attachment, Capabilities, EdgeId, GlobalPlanner, GuideChunk, GuideOut, Location, Memory, NONE,
    NoRoute, NodeId, PlanRequest, PlannerError, RouteSink, Scratch, StateError, World, choices,
    options, register,
};
use throng_kit::search::{
    Connectivity, Heuristic, Horizon, Incoming, RouteQuery, SearchScratch, Terms, find_route,
};

use crate::astar::roomier;
use lanes::{Batch, Onward};
use table::{take, take_u64};

choices! {
    /// What the table leads to.
    pub enum Targets {
        /// The goals that agents have; places of one's own are searched for.
        Goals = "goals",
        /// Every node.
        All = "all",
    }
}

options! {
    /// A table of next gates.
    pub struct NextHop {
        /// How shortest ways are found.
        method: Method = Method::Dijkstra;
        /// What the table leads to.
        targets: Targets = Targets::Goals;
        /// Which way an agent walks inside a cell, on maps of cells with gates.
        field: FieldKind = FieldKind::Continuous;
        /// Least time from making the table to making it anew when prices change; 0 for every new
        /// set of prices.
        every: f32 = 10.0, "s", 0.0..=86400.0;
        /// Most memory of the table and of making it.
        limit: f32 = 256.0, "MB", 0.001..=1000000.0;
    }
    state {
        known: Option<Known>,
        tables: Vec<Table>,
        epoch: u64,
        began: u64,
        /// Which goals and classes agents have; kept for its memory alone.
        wanted: Vec<bool>,
    }
}

register! {
    Planner "next-hop" => NextHop,
    about: "The next gate of any agent is looked up in a table of next edges to every goal.",
    when: "Very many agents on a map of few nodes (adaptive-grid, ecm, nav-graph): guiding one costs the same whatever the distance.",
    when_not: "Dense maps and very many targets (a byte for every pair of node and target; refused above the limit), prices that change all the time.",
    growth: "Making the table: a search over the nodes per target and route class; then a constant per agent and step. A byte per node, target and class.",
    paper: "Akaydin: Adaptive grids: an approach for real-time crowd simulation, M.S. thesis, Bilkent University 2010",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES.and(Capabilities::GUIDES),
}

/// What was found out about the map, for one revision and state of its doors.
#[derive(Clone, Debug)]
struct Known {
    connectivity: Connectivity,
    heuristic: Heuristic,
    incoming: Incoming,
    boxes: Option<CellBoxes>,
}

/// The table of one route class.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    class: u32,
    /// Row of each target (a goal, or a node), or NONE.
    row: Vec<u32>,
    hops: Hops,
}

/// What a thread keeps from batch to batch.
#[derive(Debug, Default)]
struct Workspace {
    search: SearchScratch,
    near: Vec<NodeId>,
    edges: Vec<EdgeId>,
    /// Places of which the cell is not known: which number of [`Kept`] it is, and of whom.
    lost: Vec<u32>,
    places: Vec<Location>,
    hints: Vec<u32>,
    cells: Vec<u32>,
    /// Walkers whose ways are worked out together.
    batch: Batch,
}

/// How many numbers an agent keeps.
const KEPT: usize = 6;
/// What an agent keeps: its cell, its target's cell, and the target and the revision of the map
/// that this is the cell of. Cells count from 1: 0 is not known, -1 is none.
type Kept = [f32; KEPT];
const OWN: usize = 0;
const TARGET: usize = 1;

/// A cell as it is kept.
#[inline]
fn cell_of(kept: f32) -> u32 {
    if kept >= 1.0 { kept as u32 - 1 } else { NONE }
}

#[typetag::serde(name = "next-hop")]
impl GlobalPlanner for NextHop {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let workspace = scratch.get::<Workspace>();
        for request in requests {
            if let Err(why) = self.answer(world, request, workspace, routes) {
                routes.push_missing(why);
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let doors = world.site.ground.door_open;
        let holds = |k: &Known| k.connectivity.holds_for(world.map, doors);
        if !self.known.as_ref().is_some_and(holds) {
            let loaded = self.known.is_none();
            self.learn(world);
            if !loaded || self.tables.iter().any(|t| !t.hops.is_of(world.map)) {
                self.tables.clear();
            }
        }
        let period = (f64::from(self.every) / f64::from(world.dt)).round() as u64;
        if !self.tables.is_empty()
            && world.epoch != self.epoch
            && world.step >= self.began + period
            && world.prices.iter().any(|p| p.uniform.is_none())
        {
            self.tables.clear();
        }
        self.make_missing(world)
    }

    fn guides(&self) -> bool {
        true
    }

    fn leads(&self) -> bool {
        self.boxes().is_some()
    }

    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        scratch: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let Some(boxes) = self.boxes() else {
            out.follow_route.fill(1);
            return;
        };
        let workspace = scratch.get::<Workspace>();
        let (kept, _) = out.memory.scalars.as_chunks_mut::<KEPT>();
        workspace.find_cells(world, boxes, chunk.rows, kept);
        let batch = &mut workspace.batch;
        batch.clear();
        for (i, &row) in chunk.rows.iter().enumerate() {
            let row = row as usize;
            let kept = &out.memory.scalars.as_chunks::<KEPT>().0[i];
            match self.ahead(world, boxes, row, kept, chunk.dt, i, batch) {
                Ahead::Batch if !batch.is_full() => {}
                Ahead::Batch => self.lead_batch(world, boxes, chunk, batch, out),
                Ahead::Way(way) => lead(world, row, i, way, out),
                Ahead::Route => out.follow_route[i] = 1,
            }
        }
        self.lead_batch(world, boxes, chunk, batch, out);
    }

    fn memory(&self) -> Memory {
        Memory {
            scalars: &["cell", "target cell", "x", "y", "z", "revision"],
            ..Memory::NONE
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        out.extend(self.epoch.to_le_bytes());
        out.extend(self.began.to_le_bytes());
        out.extend((self.tables.len() as u64).to_le_bytes());
        for table in &self.tables {
            out.extend(u64::from(table.class).to_le_bytes());
            out.extend((table.row.len() as u64).to_le_bytes());
            out.extend(table.row.iter().flat_map(|r| r.to_le_bytes()));
            table.hops.save(out);
        }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.known = None;
        self.read(saved).ok_or_else(|| StateError {
            strategy: "next-hop".into(),
            reason: "its table is cut short or damaged".into(),
        })
    }
}

/// Metres ahead at which a guided agent aims.
const AIM: f32 = 2.0;

impl Workspace {
    /// Finds the cells of a chunk's agents and of their targets. Most are where they were: only
    /// who has left a cell's box, and whose target is another, is looked up.
    fn find_cells(
        &mut self,
        world: &World<'_>,
        boxes: &CellBoxes,
        rows: &[u32],
        kept: &mut [Kept],
    ) {
        let (a, floors) = (&world.agents, world.site.ground.floors);
        self.lost.clear();
        self.places.clear();
        for (i, (&row, kept)) in rows.iter().zip(kept.iter_mut()).enumerate() {
            let (at, target) = (a.location[row as usize], a.target[row as usize]);
            let floor = floors
                .get(at.triangle as usize)
                .copied()
                .unwrap_or(u16::MAX);
            if !boxes.holds(cell_of(kept[OWN]), at.point.truncate(), floor) {
                self.lost.push((i * KEPT + OWN) as u32);
                self.places.push(at);
            }
            let [x, y, z] = target.point.to_array();
            let of = [x, y, z, world.map.revision as f32];
            if kept[TARGET] == 0.0 || kept[TARGET + 1..] != of {
                kept[TARGET + 1..].copy_from_slice(&of);
                self.lost.push((i * KEPT + TARGET) as u32);
                self.places.push(target);
            }
        }
        if self.lost.is_empty() {
            return;
        }
        self.hints.clear();
        self.hints.resize(self.lost.len(), NONE);
        self.cells.clear();
        self.cells.resize(self.lost.len(), NONE);
        let found = &mut self.cells;
        world
            .nav
            .region_of(&world.site, world.map, &self.places, &self.hints, found);
        for ((&lost, &cell), place) in self.lost.iter().zip(found.iter()).zip(&self.places) {
            let known = (cell as usize) < world.map.nodes();
            let (i, column) = (lost as usize / KEPT, lost as usize % KEPT);
            if column == OWN {
                // Between the cells and a wall, who has just left a cell is still in it: the
                // nearest one may lead back to where it came from.
                let at = place.point.truncate();
                let floor = floors.get(place.triangle as usize);
                let floor = floor.copied().unwrap_or(u16::MAX);
                let radius = a.radius[rows[i] as usize];
                if !boxes.holds(cell, at, floor)
                    && boxes.is_beside(cell_of(kept[i][OWN]), at, floor, radius)
                {
                    continue;
                }
            }
            kept[i][column] = if known { (cell + 1) as f32 } else { -1.0 };
        }
    }
}

/// What an agent has ahead.
enum Ahead {
    /// A gate: its way is worked out with those of others.
    Batch,
    /// This way, as a share of its speed.
    Way(Vec2),
    /// What the table does not know.
    Route,
}

/// Leads an agent, the `i`-th of a chunk, this way in plan.
#[inline(always)]
fn lead(world: &World<'_>, row: usize, i: usize, way: Vec2, out: &mut GuideOut<'_>) {
    let (a, ground) = (&world.agents, &world.site.ground);
    let way = if ground.flat {
        way
    } else {
        let normal = ground.normals[a.location[row].triangle as usize];
        let rise = -way.dot(normal.truncate()) / normal.z.max(0.05);
        let tangent = a.frame_of(row).to_tangent(normal, way.extend(rise));
        tangent.normalize_or_zero() * way.length()
    };
    out.preferred[i] = way * a.speed[row];
    out.target[i] = way * AIM;
}

impl NextHop {
    /// The map's cells, if it is one that people are led over.
    fn boxes(&self) -> Option<&CellBoxes> {
        self.known.as_ref()?.boxes.as_ref()
    }

    /// What an agent, the `i`-th of a chunk, has ahead.
    #[inline(always)]
    fn ahead(
        &self,
        world: &World<'_>,
        boxes: &CellBoxes,
        row: usize,
        kept: &Kept,
        dt: f32,
        i: usize,
        batch: &mut Batch,
    ) -> Ahead {
        let a = &world.agents;
        let [cell, target_cell] = [kept[OWN], kept[TARGET]].map(cell_of);
        let (at, target) = (a.location[row].point, a.target[row].point);
        if cell == target_cell && cell != NONE {
            let rest = (target - at).truncate();
            let distance = rest.length();
            if distance < 1e-6 {
                return Ahead::Way(Vec2::ZERO);
            }
            // Not past the target.
            let step = a.speed[row] * dt;
            return Ahead::Way(rest * ((step / distance).min(1.0) / step.max(1e-6)));
        }
        let Some((table, to)) = self.row(a.goal[row], a.class[row], target_cell) else {
            return Ahead::Route;
        };
        let hops = &self.tables[table].hops;
        let walker = Walker {
            at: at.truncate(),
            radius: a.radius[row],
            target: target.truncate(),
        };
        let here = Onward {
            table: table as u32,
            row: to,
            cell,
        };
        if boxes.put(hops, here, &walker, i as u32, batch) {
            return Ahead::Batch;
        }
        match boxes.way(hops, to, cell, self.field, &walker) {
            Vec2::ZERO => Ahead::Route,
            way => Ahead::Way(way),
        }
    }

    /// Leads those of a batch, and empties it.
    fn lead_batch(
        &self,
        world: &World<'_>,
        boxes: &CellBoxes,
        chunk: &GuideChunk<'_>,
        batch: &mut Batch,
        out: &mut GuideOut<'_>,
    ) {
        let next = |on: Onward| {
            let hops = &self.tables[on.table as usize].hops;
            boxes.border(hops, on.row, on.cell).map(|(_, gate)| gate)
        };
        let ways = batch.ways(self.field, next);
        for (&i, way) in batch.who[..batch.count].iter().zip(ways) {
            let i = i as usize;
            lead(world, chunk.rows[i] as usize, i, way, out);
        }
        batch.clear();
    }

    /// The table and row of an agent's target.
    #[inline]
    fn row(&self, goal: u32, class: u32, target: NodeId) -> Option<(usize, u32)> {
        let table = self.tables.iter().position(|t| t.class == class)?;
        let target = match self.targets {
            Targets::Goals => goal,
            Targets::All => target,
        };
        let row = self.tables[table].row.get(target as usize)?;
        (*row != NONE).then_some((table, *row))
    }

    fn learn(&mut self, world: &World<'_>) {
        let connectivity = Connectivity::new(world.map, world.site.ground.door_open);
        match &mut self.known {
            Some(known) if known.connectivity.is_of(world.map) => {
                known.connectivity = connectivity;
            }
            known => {
                *known = Some(Known {
                    connectivity,
                    heuristic: Heuristic::of(world.map),
                    incoming: Incoming::of(world.map),
                    boxes: boxes_of(world),
                });
            }
        }
    }

    /// Makes the rows of targets and classes in use that have none.
    fn make_missing(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let (classes, goals) = (world.classes.len(), world.goals.len());
        let all = self.targets == Targets::All;
        let columns = if all { 1 } else { goals };
        let mut wanted = core::mem::take(&mut self.wanted);
        wanted.clear();
        wanted.resize(classes * columns, false);
        let mut missing = false;
        for (&goal, &class) in world.agents.goal.iter().zip(world.agents.class) {
            let column = if all { 0 } else { goal as usize };
            if column < columns
                && let Some(slot) = wanted.get_mut(class as usize * columns + column)
                && !*slot
            {
                *slot = true;
                let target = if all { 0 } else { goal };
                missing |= self.row(target, class, 0).is_none();
            }
        }
        let made = if missing {
            self.make(world, &wanted, columns)
        } else {
            Ok(())
        };
        self.wanted = wanted;
        made
    }

    /// Makes the tables of the wanted targets and of those that had one.
    fn make(
        &mut self,
        world: &World<'_>,
        wanted: &[bool],
        columns: usize,
    ) -> Result<(), PlannerError> {
        let (classes, goals) = (world.classes.len(), world.goals.len());
        let all = self.targets == Targets::All;
        let rows_of = |class: usize| -> Vec<u32> {
            let known = self.tables.iter().find(|t| t.class == class as u32);
            let has = |target: usize| {
                known.is_some_and(|t| t.row.get(target).is_some_and(|r| *r != NONE))
            };
            if all {
                let used = wanted[class] || known.is_some();
                return (0..if used { world.map.nodes() as u32 } else { 0 }).collect();
            }
            (0..goals as u32)
                .filter(|&g| wanted[class * columns + g as usize] || has(g as usize))
                .collect()
        };
        let rows: Vec<Vec<u32>> = (0..classes).map(rows_of).collect();
        let count: usize = rows.iter().map(Vec::len).sum();
        let needed = Hops::bytes_needed(world.map, count, self.method);
        let limit = (f64::from(self.limit) * 1e6) as u64;
        tracing::info!(
            targets = count,
            nodes = world.map.nodes(),
            bytes = needed,
            "next-hop makes its table"
        );
        if needed > limit {
            return Err(PlannerError::TooLarge {
                what: format!(
                    "next-hop: bytes of a table of {count} targets by {} nodes (coarser cells, \
                     targets = \"goals\" or planner.limit help)",
                    world.map.nodes()
                ),
                needed,
                limit,
            });
        }
        let Some(known) = &self.known else {
            return Ok(());
        };
        if self.tables.is_empty() {
            self.epoch = world.epoch;
            self.began = world.step;
        }
        let models = world.prices.len() / classes.max(1);
        let mut tables = Vec::with_capacity(classes);
        for (class, targets) in rows.iter().enumerate().filter(|r| !r.1.is_empty()) {
            let c = &world.classes[class];
            let terms = Terms::new(world, class * models, c.weight, c.radius)
                .nowhere_narrower_than(known.connectivity.least_clearance());
            let sets: Vec<Vec<NodeId>> = targets
                .iter()
                .map(|&t| if all { vec![t] } else { goal_nodes(world, t) })
                .collect();
            let mut row = vec![NONE; if all { world.map.nodes() } else { goals }];
            for (r, &target) in targets.iter().enumerate() {
                row[target as usize] = r as u32;
            }
            tables.push(Table {
                class: class as u32,
                row,
                hops: Hops::new(&terms, &known.incoming, &sets, self.method),
            });
        }
        self.tables = tables;
        Ok(())
    }

    fn answer(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) -> Result<(), NoRoute> {
        let mut attached = [Attachment::NOWHERE; 2];
        let places = [request.from, request.to];
        let hints = [request.from_region, NONE];
        world
            .nav
            .attach(&world.site, world.map, &places, &hints, &mut attached);
        if attached[0].node == NONE {
            return Err(NoRoute::StartOffMap);
        }
        if attached[1].node == NONE {
            return Err(NoRoute::GoalOffMap);
        }
        let prices = request.prices as usize;
        let terms = Terms::new(world, prices, request.weight, request.radius);
        let near = &mut workspace.near;
        let from = roomier(world, &terms, request.from, attached[0], near);
        let to = roomier(world, &terms, request.to, attached[1], near);
        workspace.edges.clear();
        let (mut node, mut length, mut cost) = (from.node, 0.0, 0.0);
        // Places that hang on edges, and targets that the table does not know, are searched for.
        let on_edges = from.edge != NONE || to.edge != NONE;
        let row = self.row(request.goal, request.class, to.node);
        if let (Some((table, row)), false) = (row, on_edges) {
            let hops = &self.tables[table].hops;
            while node != to.node {
                let edge = hops.next(world.map, row, node);
                if edge == NONE {
                    break;
                }
                workspace.edges.push(edge);
                length += f64::from(world.map.edge_length[edge as usize]);
                cost += terms.cost_of_part(edge);
                node = world.map.edge_to[edge as usize];
            }
        }
        let mut into = NONE;
        if node != to.node || on_edges {
            let rest = RouteQuery {
                terms,
                from: if workspace.edges.is_empty() {
                    from
                } else {
                    Attachment {
                        node,
                        ..Attachment::NOWHERE
                    }
                },
                to,
                heuristic: self
                    .known
                    .as_ref()
                    .map_or(Heuristic::STRAIGHT, |k| k.heuristic),
                greed: 1.0,
                most_expansions: 0,
                horizon: Horizon::NONE,
                old_tail: &[],
            };
            let found = match find_route(&rest, &mut workspace.search) {
                Err(NoRoute::Unconnected) if request.radius > 0.0 => {
                    let point = Terms::new(world, prices, request.weight, 0.0);
                    let rest = RouteQuery {
                        terms: point,
                        ..rest
                    };
                    return Err(match find_route(&rest, &mut workspace.search) {
                        Ok(_) => NoRoute::TooNarrow,
                        Err(why) => why,
                    });
                }
                other => other?,
            };
            length += found.length;
            cost += found.cost;
            into = found.into;
            workspace.edges.extend_from_slice(workspace.search.route());
        }
        let beside = f64::from(from.distance) + f64::from(to.distance);
        if workspace.edges.is_empty() {
            let straight = f64::from(request.from.point.distance(request.to.point));
            if beside > straight && from.node == to.node && !on_edges {
                let price = straight * terms.least_base;
                routes.push_edges([], straight as f32, price as f32);
                return Ok(());
            }
        }
        let metre = if length > 0.0 {
            cost / length
        } else {
            terms.least_base
        };
        let edges = workspace.edges.iter().copied();
        let (length, cost) = (length + beside, cost + beside * metre);
        routes.push_edges_into(edges, into, length as f32, cost as f32);
        Ok(())
    }

    fn read(&mut self, mut saved: &[u8]) -> Option<()> {
        let saved = &mut saved;
        self.tables.clear();
        let (epoch, began) = (take_u64(saved)?, take_u64(saved)?);
        let mut tables = Vec::new();
        for _ in 0..take_u64(saved)? {
            let class = u32::try_from(take_u64(saved)?).ok()?;
            let rows = usize::try_from(take_u64(saved)?).ok()?;
            let (words, _) = take(saved, rows.checked_mul(4)?)?.as_chunks::<4>();
            let row: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
            let hops = Hops::load(saved)?;
            let in_range = |r: &u32| *r == NONE || (*r as usize) < hops.rows();
            if !row.iter().all(in_range) {
                return None;
            }
            tables.push(Table { class, row, hops });
        }
        (self.epoch, self.began, self.tables) = (epoch, began, tables);
        Some(())
    }
}

/// The map's cells as boxes, if it is one of cells small enough to be kept as numbers.
fn boxes_of(world: &World<'_>) -> Option<CellBoxes> {
    let (map, floors) = (world.map, world.site.ground.floors);
    let mut boxes = CellBoxes::of(map).filter(|_| map.nodes() < 1 << 24)?;
    let nodes = map.nodes();
    let mut regions = vec![NONE; nodes];
    let hints = regions.clone();
    world
        .nav
        .region_of(&world.site, map, &map.node_place, &hints, &mut regions);
    boxes.set_floors((0..nodes).map(|n| {
        // A centre that lies on another floor says nothing about its box.
        let own = regions[n] as usize == n;
        let floor = floors.get(map.node_place[n].triangle as usize);
        floor.copied().filter(|_| own)
    }));
    Some(boxes)
}

/// The nodes of a goal.
fn goal_nodes(world: &World<'_>, goal: u32) -> Vec<NodeId> {
    let goal = &world.goals[goal as usize];
    let first = goal.first_node as usize;
    let nodes = world.goal_nodes.get(first..first + goal.nodes as usize);
    nodes.unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use throng_core::{AgentsView, Goal, RouteClass};

    use super::*;
    use crate::{Astar, test_world::TestWorld};

    #[test]
    fn routes_cost_what_those_of_astar_do() {
        let mut test = TestWorld::new(12, 9, |x, y| (x * 7 + y * 5) % 6 != 0 || x == 0 || y == 8);
        test.crowd(|at| if at.x > 6.0 { 2.0 } else { 0.0 });
        let requests: Vec<PlanRequest> =
            (0..8).map(|i| test.request((0, i), (11, 8 - i))).collect();
        test.with(|world| {
            let (mut ours, mut theirs) = (RouteSink::default(), RouteSink::default());
            let mut hop = NextHop {
                targets: Targets::All,
                ..NextHop::default()
            };
            hop.prepare(world).unwrap();
            hop.tables = vec![Table {
                class: 0,
                row: (0..world.map.nodes() as u32).collect(),
                hops: Hops::new(
                    &Terms::new(world, 0, 1.0, 0.2),
                    &Incoming::of(world.map),
                    &(0..world.map.nodes() as u32)
                        .map(|n| vec![n])
                        .collect::<Vec<_>>(),
                    Method::Dijkstra,
                ),
            }];
            hop.plan(world, &requests, &mut Scratch::default(), &mut ours);
            let mut astar = Astar::default();
            astar.prepare(world).unwrap();
            astar.plan(world, &requests, &mut Scratch::default(), &mut theirs);
            for (a, b) in ours.rows.iter().zip(&theirs.rows) {
                assert_eq!(
                    core::mem::discriminant(&a.kind),
                    core::mem::discriminant(&b.kind)
                );
                if a.cost.is_finite() {
                    assert!((a.cost - b.cost).abs() < 1e-3, "{} {}", a.cost, b.cost);
                }
            }
            let mut saved = Vec::new();
            hop.save(&mut saved);
            let mut other = NextHop {
                targets: Targets::All,
                ..NextHop::default()
            };
            other.load(&saved).unwrap();
            assert_eq!(other.tables, hop.tables);
            assert!(other.load(&saved[..saved.len() - 1]).is_err());
        });
    }

    #[test]
    fn changed_prices_are_taken_up_once_a_period() {
        // Two ways round a wall, the lower one shorter.
        let mut test = TestWorld::new(9, 7, |x, y| !(1..8).contains(&x) || !(2..=4).contains(&y));
        let node = |test: &TestWorld, cell| {
            let at = test.place(cell).point;
            let near = |n: &usize| test.map.node_place[*n].point.distance(at) < 0.1;
            (0..test.map.nodes()).find(near).unwrap() as NodeId
        };
        let (from, goal) = (node(&test, (0, 2)), node(&test, (8, 2)));
        let mut hop = NextHop::default();
        let mut leaves_by = |test: &TestWorld, epoch: u64, step: u64| {
            test.with(|world| {
                let class = RouteClass {
                    profile: 0,
                    speed: 1.3,
                    weight: 1.0,
                    radius: 0.2,
                };
                let world = World {
                    epoch,
                    step,
                    classes: &[class],
                    goals: &[Goal {
                        anchor: world.map.node_place[goal as usize],
                        first_node: 0,
                        nodes: 1,
                    }],
                    goal_nodes: &[goal],
                    agents: AgentsView {
                        goal: &[0],
                        class: &[0],
                        ..world.agents
                    },
                    ..*world
                };
                hop.prepare(&world).unwrap();
                let (table, row) = hop.row(0, 0, goal).unwrap();
                let hops = &hop.tables[table].hops;
                let edge = hops.next(world.map, row, from) as usize;
                let at = |n: NodeId| world.map.node_place[n as usize].point.y;
                at(world.map.edge_to[edge]) - at(from)
            })
        };
        assert!(leaves_by(&test, 0, 7) < 0.0);
        test.crowd(|at| if at.y < 2.0 { 9.0 } else { 0.0 });
        // The period is 10 s of 0.1 s each.
        assert!(leaves_by(&test, 1, 8) < 0.0);
        assert!(leaves_by(&test, 2, 106) < 0.0);
        assert!(leaves_by(&test, 3, 107) > 0.0);
        // The same prices are no reason to make it again.
        leaves_by(&test, 3, 300);
        assert_eq!((hop.epoch, hop.began), (3, 107));
    }
}
