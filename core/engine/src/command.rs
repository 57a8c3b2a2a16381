//! Commands that hosts queue, and events that the simulation reports.

use glam::{DVec3, Vec2};
use serde::{Deserialize, Serialize};

use crate::agents::AgentId;

/// A place in world coordinates: x and y on a floor plan, x, y and z elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Spot {
    /// A point of the plan; the lowest floor that is there.
    Plan(f64, f64),
    /// A point in space; the nearest place of the ground.
    Space(DVec3),
}

/// A new agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewAgent {
    /// Where it starts.
    pub at: Spot,
    /// Where it goes.
    pub goal: Destination,
    /// The name of its profile; "" for the first one.
    pub profile: String,
}

/// Where somebody goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Destination {
    /// A named area.
    Area(String),
    /// A point.
    Spot(Spot),
    /// Nowhere: stays.
    Nowhere,
}

/// A change asked for from outside. Commands are applied at the start of the next step, in the
/// order in which they were queued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Command {
    /// Adds an agent.
    Add(NewAgent),
    /// Removes an agent.
    Remove(AgentId),
    /// Puts an agent somewhere else.
    Teleport(AgentId, Spot),
    /// Sends an agent somewhere else.
    SetGoal(AgentId, Destination),
    /// Makes an agent walk at this velocity (world x and y, or its own frame off the plan);
    /// `None` hands it back.
    OverrideVelocity(AgentId, Option<Vec2>),
    /// Adds or moves a region of interest by name.
    SetInterest {
        /// Its name.
        name: String,
        /// Its centre.
        at: Spot,
        /// Its radius, metres; 0 removes it.
        radius: f32,
        /// Its level.
        level: u32,
    },
    /// Puts the camera somewhere and turns it.
    SetCamera {
        /// Where it is.
        at: Spot,
        /// A place that it looks towards.
        toward: Spot,
        /// The angle that it sees, degrees.
        angle: f32,
        /// How far it sees, metres.
        far: f32,
    },
    /// Takes the camera away.
    RemoveCamera,
    /// Opens a door, or closes it as soon as nobody stands in it.
    SetDoor {
        /// Its name.
        name: String,
        /// Whether it is to be open.
        open: bool,
    },
    /// Closes a door at once; people in it are moved to the side that they are nearer to.
    CloseDoorAtOnce(String),
    /// Lets everybody go on who waits at a goal with this release.
    Release(String),
    /// Adds a mover.
    AddMover(crate::mover::Mover),
}

/// Something that happened in a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// An agent was added.
    Added(AgentId),
    /// An agent reached its goal.
    Arrived(AgentId),
    /// An agent has no way to its goal; the reason in words.
    Unreachable(AgentId, &'static str),
    /// An agent changed its tier.
    TierChanged {
        /// Who.
        agent: AgentId,
        /// From which level.
        from: u8,
        /// To which level.
        to: u8,
    },
    /// An agent entered a named area.
    EnteredArea {
        /// Who.
        agent: AgentId,
        /// Index of the area.
        area: u32,
    },
    /// A command could not be carried out; why.
    Refused(String),
}
