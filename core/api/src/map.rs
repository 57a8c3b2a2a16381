//! A navigation map as plain arrays: graph, gates, regions.

use glam::{Vec2, Vec3};

use crate::place::{CellId, EdgeId, Location, NONE, NodeId, RegionId, TriangleId};

/// A segment that an agent passes, in its direction of travel. A waypoint is a gate of no width.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Gate {
    /// Left end.
    pub left: Vec3,
    /// The point in between that a lone walker would aim for.
    pub middle: Vec3,
    /// Right end.
    pub right: Vec3,
    /// The triangle under `middle`.
    pub triangle: TriangleId,
    /// [`Gate::LEFT_WALL`], [`Gate::RIGHT_WALL`]: only wall ends shrink by the radius.
    pub flags: u32,
}

impl Gate {
    /// The left end is a wall.
    pub const LEFT_WALL: u32 = 1;
    /// The right end is a wall.
    pub const RIGHT_WALL: u32 = 2;

    /// A gate of no width.
    pub fn waypoint(at: Location) -> Gate {
        Gate {
            left: at.point,
            middle: at.point,
            right: at.point,
            triangle: at.triangle,
            flags: 0,
        }
    }

    /// The same gate walked the other way.
    pub fn reversed(self) -> Gate {
        Gate {
            left: self.right,
            right: self.left,
            flags: (self.flags & Gate::LEFT_WALL) << 1 | (self.flags & Gate::RIGHT_WALL) >> 1,
            ..self
        }
    }
}

/// A stretch of an edge within one crowd cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct EdgePiece {
    /// The crowd cell.
    pub cell: CellId,
    /// Metres walked in it.
    pub length: f32,
    /// Direction of travel in the cell's frame, as an angle in 1/65536 turns.
    pub angle: u16,
}

/// Where a place hangs on the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Attachment {
    /// The node to go through, or [`NONE`] if the place cannot reach any. If the place hangs on an
    /// edge it is the wider end, towards which the clearance never falls: a body that fits where
    /// the place is may go that way even if the whole edge is too narrow for it.
    pub node: NodeId,
    /// The edge that the place was retracted to, or [`NONE`] if it hangs on `node` alone.
    pub edge: EdgeId,
    /// How far along `edge`, in [0, 1].
    pub along: f32,
    /// Metres from the place to the point of the graph.
    pub distance: f32,
}

impl Attachment {
    /// A place that hangs on nothing.
    pub const NOWHERE: Attachment = Attachment {
        node: NONE,
        edge: NONE,
        along: 0.0,
        distance: f32::INFINITY,
    };
}

/// A navigation map: a graph in compressed rows with gates and regions. Arrays of one group have
/// equal lengths; optional groups may be empty.
#[derive(Clone, Debug, Default)]
pub struct NavMap {
    /// Place of each node.
    pub node_place: Vec<Location>,
    /// Region of each node, or [`NONE`].
    pub node_region: Vec<RegionId>,
    /// `edge_start[n]..edge_start[n + 1]` are the edges that leave node n.
    pub edge_start: Vec<u32>,
    /// Node where each edge begins.
    pub edge_from: Vec<NodeId>,
    /// Node where each edge ends.
    pub edge_to: Vec<NodeId>,
    /// The edge the other way, or [`NONE`].
    pub edge_twin: Vec<EdgeId>,
    /// Metres.
    pub edge_length: Vec<f32>,
    /// Least distance to a real wall along the edge, metres: a wider disc does not fit.
    pub edge_clearance: Vec<f32>,
    /// The door that an edge passes, or [`NO_DOOR`](crate::NO_DOOR). Empty if no edge does.
    pub edge_door: Vec<u16>,
    /// `gate_start[e]..gate_start[e + 1]` are the gates of edge e. Empty if the map makes its
    /// gates in [`NavRepresentation::emit_gates`](crate::NavRepresentation::emit_gates).
    pub gate_start: Vec<u32>,
    /// Gates, in the direction of travel.
    pub gates: Vec<Gate>,
    /// `piece_start[e]..piece_start[e + 1]` are the crowd-cell pieces of edge e when crowd cells
    /// are the regions. Empty: half of the edge lies in the region of each of its ends.
    pub piece_start: Vec<u32>,
    /// Pieces of edges.
    pub pieces: Vec<EdgePiece>,
    /// Area of each region, square metres.
    pub region_area: Vec<f32>,
    /// A place inside each region.
    pub region_place: Vec<Location>,
    /// `region_ring_start[r]..region_ring_start[r + 1]` are the outline points of region r.
    /// Empty if the map draws its regions otherwise.
    pub region_ring_start: Vec<u32>,
    /// Outline points.
    pub region_ring: Vec<Vec3>,
    /// Mean spacing of nodes where the map is dense enough to interpolate a field, else 0.
    pub dense_spacing: f32,
    /// Grows by one with every edit.
    pub revision: u32,
}

impl NavMap {
    /// How many nodes.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.node_place.len()
    }

    /// How many directed edges.
    #[inline]
    pub fn edges(&self) -> usize {
        self.edge_to.len()
    }

    /// How many regions.
    #[inline]
    pub fn regions(&self) -> usize {
        self.region_area.len()
    }

    /// The edges that leave a node.
    #[inline]
    pub fn edges_of(&self, node: NodeId) -> core::ops::Range<usize> {
        self.edge_start[node as usize] as usize..self.edge_start[node as usize + 1] as usize
    }

    /// Whether an edge is passable with these doors.
    #[inline]
    pub fn is_open(&self, edge: EdgeId, door_open: &[u8]) -> bool {
        match self.edge_door.get(edge as usize) {
            Some(&door) if door != crate::NO_DOOR => door_open[door as usize] != 0,
            _ => true,
        }
    }

    /// Appends the gates of consecutive edges: the map's own, or where it has none a waypoint at
    /// the end of each.
    pub fn append_gates(&self, edges: &[EdgeId], out: &mut Vec<Gate>) {
        out.reserve(edges.len());
        for &edge in edges {
            let e = edge as usize;
            match self.gate_start.get(e..e + 2) {
                Some(&[first, end]) => match &self.gates[first as usize..end as usize] {
                    // Nearly always there is one: copied without a call.
                    [gate] => out.push(*gate),
                    gates => out.extend_from_slice(gates),
                },
                _ => out.push(Gate::waypoint(self.node_place[self.edge_to[e] as usize])),
            }
        }
    }

    /// Area that the regions cover, square metres.
    pub fn covered_area(&self) -> f64 {
        self.region_area.iter().map(|a| f64::from(*a)).sum()
    }

    /// Bytes that the arrays hold.
    pub fn bytes(&self) -> usize {
        fn of<T>(v: &Vec<T>) -> usize {
            v.capacity() * size_of::<T>()
        }
        of(&self.node_place)
            + of(&self.node_region)
            + of(&self.edge_start)
            + of(&self.edge_from)
            + of(&self.edge_to)
            + of(&self.edge_twin)
            + of(&self.edge_length)
            + of(&self.edge_clearance)
            + of(&self.edge_door)
            + of(&self.gate_start)
            + of(&self.gates)
            + of(&self.piece_start)
            + of(&self.pieces)
            + of(&self.region_area)
            + of(&self.region_place)
            + of(&self.region_ring_start)
            + of(&self.region_ring)
    }

    /// Checks the invariants that the core relies on; maps from libraries pass through it.
    pub fn check(&self) -> Result<(), String> {
        let (nodes, edges, regions) = (self.nodes(), self.edges(), self.regions());
        let expect = |what: &str, found: usize, wanted: usize| {
            if found == wanted {
                Ok(())
            } else {
                Err(format!("{what} has {found} entries, expected {wanted}"))
            }
        };
        expect("node_region", self.node_region.len(), nodes)?;
        expect("edge_start", self.edge_start.len(), nodes + 1)?;
        expect("edge_from", self.edge_from.len(), edges)?;
        expect("edge_twin", self.edge_twin.len(), edges)?;
        expect("edge_length", self.edge_length.len(), edges)?;
        expect("edge_clearance", self.edge_clearance.len(), edges)?;
        expect("region_place", self.region_place.len(), regions)?;
        for (what, start, entries) in [
            ("gate_start", &self.gate_start, self.gates.len()),
            ("piece_start", &self.piece_start, self.pieces.len()),
        ] {
            if !start.is_empty() {
                expect(what, start.len(), edges + 1)?;
                expect(what, *start.last().unwrap_or(&0) as usize, entries)?;
            }
        }
        if self.edge_start.windows(2).any(|w| w[0] > w[1])
            || self.edge_start.last().map(|&e| e as usize) != Some(edges)
        {
            return Err("edge_start is not a row index of the edges".into());
        }
        for e in 0..edges {
            if self.edge_to[e] as usize >= nodes || self.edge_from[e] as usize >= nodes {
                return Err(format!("edge {e} names a node beyond {nodes}"));
            }
            let length = self.edge_length[e];
            if !(length.is_finite() && length >= 0.0) {
                return Err(format!("edge {e} has length {length}"));
            }
        }
        for (r, region) in self.node_region.iter().enumerate() {
            if *region != NONE && *region as usize >= regions {
                return Err(format!("node {r} names region {region} of {regions}"));
            }
        }
        Ok(())
    }
}

/// A change to the environment that a map may take without a rebuild.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// A solid polygon was added (plan coordinates, local, on a floor).
    AddSolid {
        /// Its ring.
        ring: Vec<Vec2>,
        /// Its floor.
        floor: u16,
    },
    /// A solid polygon was removed.
    RemoveSolid {
        /// Its ring.
        ring: Vec<Vec2>,
        /// Its floor.
        floor: u16,
    },
}

/// Where old ids went when a map was edited; [`NONE`] for those that are gone.
#[derive(Clone, Debug, Default)]
pub struct Remap {
    /// New id of each old edge.
    pub edges: Vec<EdgeId>,
    /// New id of each old region.
    pub regions: Vec<RegionId>,
}

/// The cells of an input file that is a grid itself (`.map`, PNG).
#[derive(Clone, Copy, Debug)]
pub struct FileCellsView<'a> {
    /// Low corner of cell (0, 0), local plan coordinates.
    pub low: Vec2,
    /// Side of a cell, metres.
    pub cell: f32,
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// 1 where walkable, row by row along y.
    pub walkable: &'a [u8],
}

/// What a map is drawn over.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The ground.
    pub ground: crate::GroundView<'a>,
    /// The file's own cells, where it is a grid.
    pub file_cells: Option<FileCellsView<'a>>,
    /// Seed of the run, for maps that draw lots.
    pub seed: u64,
}
