//! What avoidance sees of a chunk of agents, and what it answers.

use glam::Vec2;

use crate::{ground::NearWall, place::Location};

/// A neighbour in the agent's tangent plane, the agent at (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Neighbour {
    /// Offset to the neighbour, metres.
    pub offset: Vec2,
    /// The neighbour's velocity (not relative), metres per second.
    pub velocity: Vec2,
}

/// The neighbour walks in the same group.
pub const SAME_GROUP: u8 = 1;
/// The neighbour will not avoid us: a car, somebody who does not see us or avoids nobody.
pub const NON_RECIPROCAL: u8 = 2;
/// The neighbour is a mover (a vehicle), not an agent.
pub const MOVER: u8 = 4;

/// Neighbours in compressed rows, nearest first; ties by stable id.
#[derive(Clone, Copy, Debug)]
pub struct NeighbourRows<'a> {
    /// `start[i]..start[i + 1]` are the neighbours of agent i of the chunk.
    pub start: &'a [u32],
    /// Offset and velocity.
    pub seen: &'a [Neighbour],
    /// Radius, metres.
    pub radius: &'a [f32],
    /// [`SAME_GROUP`], [`NON_RECIPROCAL`], [`MOVER`].
    pub flags: &'a [u8],
    /// Stable id of the neighbour, for breaking ties.
    pub id: &'a [u64],
}

/// Walls in compressed rows.
#[derive(Clone, Copy, Debug)]
pub struct WallRows<'a> {
    /// `start[i]..start[i + 1]` are the walls near agent i of the chunk.
    pub start: &'a [u32],
    /// The walls.
    pub walls: &'a [NearWall],
}

/// How far an avoidance model looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perception {
    /// Neighbours within this distance, metres; 0 asks for none.
    pub reach: f32,
    /// At most so many, the nearest.
    pub most: u32,
    /// Walls within this distance, metres; 0 asks for none.
    pub wall_reach: f32,
}

impl Perception {
    /// Sees nothing.
    pub const BLIND: Perception = Perception {
        reach: 0.0,
        most: 0,
        wall_reach: 0.0,
    };
}

/// The names of the memory columns that a strategy keeps per agent. The core owns, sorts,
/// transports, checkpoints and digests them. They start at zero ([`Location::NOWHERE`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Numbers.
    pub scalars: &'static [&'static str],
    /// Vectors in the agent's tangent plane: carried with its frame.
    pub tangents: &'static [&'static str],
    /// Places on the ground.
    pub locations: &'static [&'static str],
}

impl Memory {
    /// Keeps nothing.
    pub const NONE: Memory = Memory {
        scalars: &[],
        tangents: &[],
        locations: &[],
    };

    /// Whether there is nothing to keep.
    pub fn is_none(&self) -> bool {
        self.scalars.is_empty() && self.tangents.is_empty() && self.locations.is_empty()
    }
}

/// Memory of a chunk, agent by agent: entry `i * columns + c` is column c of agent i.
#[derive(Debug, Default)]
pub struct MemoryRows<'a> {
    /// Numbers.
    pub scalars: &'a mut [f32],
    /// Tangent vectors.
    pub tangents: &'a mut [Vec2],
    /// Places.
    pub locations: &'a mut [Location],
}

/// The agents of one call to `steer`: equal lengths, frozen state.
#[derive(Clone, Copy, Debug)]
pub struct SteerChunk<'a> {
    /// Seconds that the answer will hold: the tier's period times the time step.
    pub dt: f32,
    /// Step of the simulation.
    pub step: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Stable ids.
    pub id: &'a [u64],
    /// How often the agent's tier has steered it, for models that alternate.
    pub tick: &'a [u32],
    /// Velocity, in the agent's frame.
    pub velocity: &'a [Vec2],
    /// Unit direction the agent faces, in its frame.
    pub heading: &'a [Vec2],
    /// Preferred velocity, in the agent's frame.
    pub preferred: &'a [Vec2],
    /// Offset to the point walked to, in the agent's frame.
    pub target: &'a [Vec2],
    /// Radius, metres.
    pub radius: &'a [f32],
    /// The agent may not walk faster than this now, metres per second.
    pub max_speed: &'a [f32],
    /// Mass, kilograms.
    pub mass: &'a [f32],
    /// Neighbours.
    pub neighbours: NeighbourRows<'a>,
    /// Walls.
    pub walls: WallRows<'a>,
}

impl SteerChunk<'_> {
    /// How many agents.
    #[inline]
    pub fn len(&self) -> usize {
        self.velocity.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.velocity.is_empty()
    }

    /// The range of agent i's neighbours.
    #[inline]
    pub fn neighbours_of(&self, agent: usize) -> core::ops::Range<usize> {
        self.neighbours.start[agent] as usize..self.neighbours.start[agent + 1] as usize
    }

    /// The walls near agent i.
    #[inline]
    pub fn walls_of(&self, agent: usize) -> &[NearWall] {
        &self.walls.walls[self.walls.start[agent] as usize..self.walls.start[agent + 1] as usize]
    }
}

/// Where `steer` writes.
#[derive(Debug)]
pub struct SteerOut<'a> {
    /// New velocities in the agents' frames; every entry must be written.
    pub velocity: &'a mut [Vec2],
    /// Displacements that push bodies apart, metres; zero on entry, capped by the core. Empty
    /// unless the model [pushes](crate::LocalAvoidance::pushes).
    pub push: &'a mut [Vec2],
    /// Not 0 for those whose velocity is not free of collisions; 0 on entry. Empty unless the model
    /// [keeps apart](crate::LocalAvoidance::keeps_apart).
    pub pressed: &'a mut [u8],
    /// The model's memory.
    pub memory: MemoryRows<'a>,
}
