//! Everything that a step reads and commits to, apart from the strategies.

use std::sync::{Arc, Mutex};

use glam::{DVec3, Vec2, Vec3};
use throng_core::{
    CameraView, EdgePrices, FileCellsView, Goal, GroundView, GroupsView, Location, MoverView, NONE,
    NavMap, NavRepresentation, NearWall, NodeId, Prices, RegionOfInterest, Room, RouteSink,
    Scratch, Site, World, math,
};
use throng_kit::{CrowdCells, Ground, Walk};

use crate::{
    agents::Agents,
    areas::Area,
    classes::{Classes, ProfileBins},
    command::Spot,
    crowd::CrowdState,
    follow::FollowScratch,
    holds::Holds,
    memory::{MemoryBuffer, MemoryStore},
    metrics::TierClock,
    mover::Mover,
    neighbours::{NeighbourBuffer, NeighbourGrid},
    obstacles::Obstacles,
    step::{contacts::Contacts, plan::Wish},
    track::Routes,
    walking::WalkingDistances,
};

/// The cells of an input file, in local coordinates.
#[derive(Clone, Debug, Default)]
pub struct SiteCells {
    /// Low corner of cell (0, 0).
    pub low: Vec2,
    /// Side of a cell, metres.
    pub cell: f32,
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// 1 where walkable.
    pub walkable: Vec<u8>,
}

/// The ground with what came with it: doors change, the rest does not.
#[derive(Clone, Debug)]
pub struct Place {
    /// The ground; simulations may share it until a door of theirs changes.
    pub ground: Arc<Ground>,
    /// The file's own cells.
    pub cells: Option<Arc<SiteCells>>,
    /// Named areas; goals are indices into it.
    pub areas: Vec<Area>,
    /// The whole ground as one area.
    pub everywhere: Area,
    /// The part of the ground that each triangle belongs to; empty if it is all one.
    pub part: Vec<u32>,
    /// What stands on the ground that maps do not know, if anything does.
    pub obstacles: Option<Arc<Obstacles>>,
    /// Seed of the run.
    pub seed: u64,
}

impl Place {
    /// What maps are drawn over.
    pub fn site(&self) -> Site<'_> {
        Site {
            ground: self.ground.view(),
            file_cells: self.cells.as_ref().map(|c| FileCellsView {
                low: c.low,
                cell: c.cell,
                width: c.width,
                height: c.height,
                walkable: &c.walkable,
            }),
            seed: self.seed,
        }
    }

    /// The place of a spot in world coordinates; nothing if the plan has no ground there.
    pub fn locate(&self, spot: Spot) -> Option<Location> {
        let ground = self.ground.view();
        match spot {
            Spot::Plan(x, y) => {
                let local = (DVec3::new(x, y, 0.0) - ground.origin).truncate().as_vec2();
                if ground.plan {
                    ground.locate_plan(local, None)
                } else {
                    ground.locate(local.extend(-ground.origin.z as f32))
                }
            }
            Spot::Space(point) => ground.locate((point - ground.origin).as_vec3()),
        }
    }

    /// The nearest place of the ground to a spot.
    pub fn nearest(&self, spot: Spot) -> Option<Location> {
        self.locate(spot).or_else(|| {
            let ground = self.ground.view();
            let point = match spot {
                Spot::Plan(x, y) => DVec3::new(x, y, ground.origin.z),
                Spot::Space(point) => point,
            };
            ground.locate((point - ground.origin).as_vec3())
        })
    }

    /// World coordinates of a place.
    pub fn world_point(&self, place: Location) -> DVec3 {
        self.ground.view().origin + place.point.as_dvec3()
    }
}

/// A region of interest: where it is, or the mover that it travels with.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interest {
    /// Its name, for commands.
    pub name: String,
    /// Its centre when it travels with nobody.
    pub at: Vec3,
    /// Its radius, metres.
    pub radius: f32,
    /// Its level.
    pub level: u32,
    /// Index of the mover that carries it.
    pub mover: Option<usize>,
    /// Whether the camera carries it: `at` is metres ahead and to the left of it.
    pub camera: bool,
}

/// A camera that watches the crowd.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Camera {
    /// Where it is.
    pub at: Vec3,
    /// Unit direction that it looks in, in plan.
    pub direction: Vec2,
    /// The angle that it sees, degrees.
    pub angle: f32,
    /// How far it sees, metres.
    pub far: f32,
}

impl Camera {
    /// One at a place that looks towards another; nothing if they are the same.
    pub fn toward(at: Vec3, to: Vec3, angle: f32, far: f32) -> Option<Camera> {
        let direction = (to - at).truncate().try_normalize()?;
        (angle > 0.0 && far > 0.0).then_some(Camera {
            at,
            direction,
            angle: angle.min(360.0),
            far,
        })
    }

    /// What strategies see of it.
    pub fn view(&self) -> CameraView {
        CameraView {
            at: self.at,
            direction: self.direction,
            half_angle_cosine: math::cos(self.angle.to_radians() / 2.0),
            far: self.far,
        }
    }
}

/// Prices of every class and cost model, and where epochs stand.
#[derive(Debug, Default)]
pub struct Pricing {
    /// Table of class c and cost model m at `c * costs + m`.
    pub prices: Vec<Prices>,
    /// The same tables over edges.
    pub edges: Vec<EdgePrices>,
    /// Classes priced so far.
    pub classes: usize,
    /// Grows with every new set of prices.
    pub epoch: u64,
    /// Least speed factor in each crowd cell; empty if 1 everywhere.
    pub cell_speed: Vec<f32>,
    /// Metres of edges in each crowd cell.
    pub cell_length: Vec<f32>,
}

/// Everything that a step reads and commits to.
#[derive(Debug)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// The time step, seconds.
    pub dt: f32,
    /// Seed of the run.
    pub seed: u64,
    /// The map; simulations may share it.
    pub map: Arc<NavMap>,
    /// The agents.
    pub agents: Agents,
    /// Strategies' memory of the agents.
    pub memory: MemoryStore,
    /// The agents' routes.
    pub routes: Routes,
    /// Which crowd cells there are.
    pub cells: CrowdCells,
    /// The crowd on them.
    pub crowd: CrowdState,
    /// Whether anybody reads the crowd.
    pub crowd_in_use: bool,
    /// Whether anybody reads where it walks.
    pub flow_in_use: bool,
    /// Prices.
    pub pricing: Pricing,
    /// Route classes.
    pub classes: Classes,
    /// Bins of each profile.
    pub bins: Vec<ProfileBins>,
    /// Shared goals, one per area.
    pub goals: Vec<Goal>,
    /// Nodes of the goals.
    pub goal_nodes: Vec<NodeId>,
    /// The level that each tier is for.
    pub tier_levels: Vec<u8>,
    /// Regions of interest.
    pub interest: Vec<Interest>,
    /// What strategies see of them now.
    pub interest_now: Vec<RegionOfInterest>,
    /// The camera that watches.
    pub camera: Option<Camera>,
    /// Movers.
    pub movers: Vec<Mover>,
    /// What strategies see of them now.
    pub movers_now: Vec<MoverView>,
    /// `group_start[g]..group_start[g + 1]` of `group_member` are the rows of group g.
    pub group_start: Vec<u32>,
    /// Rows of members, leaders first.
    pub group_member: Vec<u32>,
    /// Groups made so far.
    pub groups: u32,
    /// Goals that hold people up.
    pub holds: Holds,
    /// How far goals are on foot.
    pub walking: WalkingDistances,
    /// Doors that close as soon as nobody stands in them.
    pub closing: Vec<u32>,
    /// Sum of the hashes of everybody who has gone, each as it was last: a run that ends empty
    /// still tells itself from others.
    pub departed: u64,
}

impl State {
    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.step as f64 * f64::from(self.dt)
    }

    /// Members of the groups.
    pub fn groups_view(&self) -> GroupsView<'_> {
        GroupsView {
            start: &self.group_start,
            member: &self.group_member,
        }
    }

    /// The frozen world that strategies read.
    pub fn world<'a>(&'a self, site: Site<'a>, nav: &'a dyn NavRepresentation) -> World<'a> {
        World {
            time: self.time(),
            step: self.step,
            dt: self.dt,
            seed: self.seed,
            site,
            map: &self.map,
            nav,
            crowd: self.crowd.view(),
            cells: &self.cells,
            prices: &self.pricing.prices,
            edge_prices: &self.pricing.edges,
            classes: self.classes.table(),
            goals: &self.goals,
            goal_nodes: &self.goal_nodes,
            agents: self.agents.view(site.ground.flat),
            routes: self.routes.view(),
            tier_levels: &self.tier_levels,
            interest: &self.interest_now,
            movers: &self.movers_now,
            camera: self.camera.as_ref().map(Camera::view),
            epoch: self.pricing.epoch,
        }
    }

    /// Sum of the agents' hashes, those gone included: the same in any row order.
    pub fn digest(&self) -> u64 {
        let begin = self.departed.wrapping_add(self.step);
        let begin = begin.wrapping_add(self.holds.digest());
        (0..self.agents.len()).fold(begin, |sum, row| sum.wrapping_add(self.hash_row(row)))
    }

    /// Hash of everything that one agent is, its memory included: digests are sums of these.
    pub fn hash_row(&self, row: usize) -> u64 {
        let mut hasher = crate::agents::Hasher::new(self.agents.hash_row(row));
        self.memory.hash_row(row, &mut hasher);
        hasher.finish()
    }

    /// Takes an agent out of the crowd, its route and its row.
    pub fn remove_row(&mut self, row: usize) {
        self.departed = self
            .departed
            .wrapping_add(throng_core::random::mix(self.hash_row(row) ^ self.step));
        let (cell, share) = (self.agents.cell[row], self.agents.share[row]);
        self.crowd.shift(cell, share, NONE, [0; 3]);
        self.routes.drop_route(&mut self.agents, row);
        self.agents.remove(row);
        self.memory.remove(row);
    }

    /// Lists the members of every group by row, in the order of their ids: the first leads.
    pub fn list_groups(&mut self) {
        let groups = self.groups as usize;
        self.group_start.clear();
        self.group_start.resize(groups + 1, 0);
        for &g in &self.agents.group {
            if g != NONE {
                self.group_start[g as usize + 1] += 1;
            }
        }
        for g in 0..groups {
            self.group_start[g + 1] += self.group_start[g];
        }
        self.group_member.clear();
        self.group_member
            .resize(self.group_start[groups] as usize, NONE);
        for (row, &g) in self.agents.group.iter().enumerate() {
            if g == NONE {
                continue;
            }
            let range =
                self.group_start[g as usize] as usize..self.group_start[g as usize + 1] as usize;
            let members = &mut self.group_member[range];
            let filled = members.iter().position(|m| *m == NONE).unwrap_or(0);
            members[filled] = row as u32;
            let mut at = filled;
            while at > 0
                && self.agents.id[members[at] as usize] < self.agents.id[members[at - 1] as usize]
            {
                members.swap(at, at - 1);
                at -= 1;
            }
        }
    }
}

/// What the avoidance stage decided for an agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steered {
    /// Velocity in the agent's frame.
    pub velocity: Vec2,
    /// Displacement that pushes bodies apart.
    pub push: Vec2,
    /// A distance from where it stands within which no wall stands; 0 where nobody asked.
    pub clear: f32,
}

/// What the guiding stage decided for an agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guided {
    /// Preferred velocity.
    pub preferred: Vec2,
    /// Offset to the point walked to.
    pub aim: Vec2,
}

/// Buffers of one chunk at work, reused.
#[derive(Debug, Default)]
pub struct ChunkScratch {
    /// Rows of the agents at work.
    pub rows: Vec<u32>,
    /// The same within their chunk.
    pub local: Vec<u32>,
    /// Stable ids.
    pub id: Vec<u64>,
    /// Ticks.
    pub tick: Vec<u32>,
    /// Velocities.
    pub velocity: Vec<Vec2>,
    /// Headings.
    pub heading: Vec<Vec2>,
    /// Preferred velocities.
    pub preferred: Vec<Vec2>,
    /// Offsets to the points walked to.
    pub aim: Vec<Vec2>,
    /// Radii.
    pub radius: Vec<f32>,
    /// Largest speeds.
    pub max_speed: Vec<f32>,
    /// Masses.
    pub mass: Vec<f32>,
    /// Distances of the k-th neighbours.
    pub kth: Vec<f32>,
    /// Distances within which no wall is.
    pub clear: Vec<f32>,
    /// Who looks about in this tick.
    pub looking: Vec<bool>,
    /// Rows of those who do.
    pub some_rows: Vec<u32>,
    /// The same counted from the chunk's first row.
    pub some_local: Vec<u32>,
    /// Their distances within which no wall is.
    pub some_clear: Vec<f32>,
    /// Answers: velocities.
    pub out_velocity: Vec<Vec2>,
    /// Answers: pushes.
    pub out_push: Vec<Vec2>,
    /// Answers: who is pressed.
    pub out_pressed: Vec<u8>,
    /// Answers: who follows the route.
    pub follow_route: Vec<u8>,
    /// Neighbours.
    pub neighbours: NeighbourBuffer,
    /// Walls.
    pub walls: Vec<NearWall>,
    /// Where the walls of each agent begin.
    pub wall_start: Vec<u32>,
    /// The strategy's memory.
    pub memory: MemoryBuffer,
    /// Gates ahead.
    pub follow: FollowScratch,
    /// Scratch of each avoidance model.
    pub avoidance: Vec<Scratch>,
    /// Scratch of each planner.
    pub planner: Vec<Scratch>,
    /// Wishes for routes.
    pub wishes: Vec<Wish>,
    /// Whose regions are looked up.
    pub regions: Regions,
}

/// Agents of a chunk whose regions are looked up.
#[derive(Debug, Default)]
pub struct Regions {
    /// Their rows within the chunk.
    pub local: Vec<u32>,
    /// Rows of those who were followed, and where to.
    pub followed: Vec<(u32, u32)>,
    /// Where they are.
    pub places: Vec<Location>,
    /// Where they walk.
    pub ways: Vec<Vec2>,
    /// Where they were seen last.
    pub hints: Vec<u32>,
    /// The answers.
    pub found: Vec<u32>,
    /// Discs in which they are there still.
    pub room: Vec<Room>,
}

/// Chunk buffers that are free, shared by the threads.
#[derive(Debug, Default)]
pub struct ScratchPool(Mutex<Vec<ChunkScratch>>);

impl ScratchPool {
    /// Runs `work` with a free buffer.
    pub fn with<R>(&self, work: impl FnOnce(&mut ChunkScratch) -> R) -> R {
        let lock = || {
            self.0
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
        };
        let mut scratch = lock().pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }
}

/// Buffers of the step, reused from step to step.
#[derive(Debug, Default)]
pub struct Work {
    /// Guiding.
    pub guided: Vec<Guided>,
    /// Whose next gate is known, as of guiding: nobody's track has to be read to learn it.
    pub gated: Vec<u8>,
    /// 1 for those whom a planner's own guidance leads, not their route.
    pub led: Vec<u8>,
    /// Preferred velocities before groups.
    pub before_groups: Vec<Vec2>,
    /// Points walked to before groups.
    pub aims_before_groups: Vec<Vec2>,
    /// Avoidance.
    pub steered: Vec<Steered>,
    /// Who may run into whom within the move.
    pub contacts: Contacts,
    /// Largest speed of anybody, metres per second.
    pub fastest: f32,
    /// Moves that the last step was cut into; 0 if that is not known.
    pub moves: u32,
    /// Who has arrived and who waits, as [`crate::step::advance::THERE`] and its kin.
    pub arrived: Vec<u8>,
    /// Who goes on from a goal that held it up.
    pub done: Vec<u64>,
    /// Levels.
    pub levels: Vec<u8>,
    /// Gates ahead of somebody who leaves a guide.
    pub gates: Vec<throng_core::Gate>,
    /// Requests of this step.
    pub requests: Vec<throng_core::PlanRequest>,
    /// Answers, one sink per batch.
    pub sinks: Vec<RouteSink>,
    /// Where neighbours are.
    pub grid: NeighbourGrid,
    /// Chunk buffers.
    pub pool: ScratchPool,
    /// What tiers cost in this step, where there are several.
    pub tier_clocks: Vec<TierClock>,
    /// Which tiers' agents avoid at all.
    pub reciprocal: Vec<bool>,
}

/// Speed factor of a triangle (stairs).
#[inline]
pub fn speed_factor(ground: &GroundView<'_>, place: &Location) -> f32 {
    ground.speed[place.triangle as usize]
}
