//! Avoidance and cost `faulty`: every way of being wrong that the border must survive.

use core::{
    hint::black_box,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use glam::{Vec2, Vec3};
use throng_core::{
    Capabilities, CostModel, CrowdView, LocalAvoidance, Location, Memory, Perception, PriceContext,
    Prices, Scratch, StateError, SteerChunk, SteerOut, choices,
    export::{Level, log, should_stop},
    options, register,
};

choices! {
    /// What the avoidance model does.
    pub enum Deed {
        /// Walks as preferred.
        Well = "well",
        /// Answers a NaN to agent 5.
        Nan = "nan",
        /// Answers an infinity to agent 5.
        Infinite = "infinite",
        /// Answers a speed that nobody walks.
        Huge = "huge",
        /// Writes no velocity for agent 5.
        Idle = "idle",
        /// Panics.
        Panic = "panic",
        /// Panics with something that is no text.
        OddPanic = "odd-panic",
        /// Indexes out of bounds.
        Bounds = "bounds",
        /// Spoils its memory of agent 5.
        Memory = "memory",
        /// Spoils a remembered place of agent 5.
        Place = "place",
        /// Pushes agent 5 to infinity.
        Push = "push",
        /// Reports a fault of its own.
        Report = "report",
        /// Panics when asked how far it looks.
        Profile = "profile",
        /// Looks a NaN far.
        Reach = "reach",
        /// Says in the log whether it should stop.
        Log = "log",
        /// Panics when it is made.
        Make = "make",
        /// Never returns from step 3, and does not listen.
        Endless = "endless",
        /// Works on in step 3 until it is asked to stop, and says so.
        Slow = "slow",
        /// Keeps memory from every call.
        Leak = "leak",
        /// Walks the faster the later in its chunk an agent comes.
        Order = "order",
        /// Walks otherwise every time.
        Moody = "moody",
    }
}

options! {
    /// Misbehaves on demand.
    pub struct FaultyAvoidance {
        /// What it does.
        deed: Deed = Deed::Well;
    }
}

const VICTIM: u64 = 5;
static STOPPED: AtomicBool = AtomicBool::new(false);
static TURN: AtomicU32 = AtomicU32::new(0);

#[typetag::serde(name = "faulty")]
impl LocalAvoidance for FaultyAvoidance {
    fn perception(&self) -> Perception {
        assert!(self.deed != Deed::Profile, "no profile today");
        let mut perception = Perception::BLIND;
        if self.deed == Deed::Reach {
            perception.reach = f32::NAN;
        }
        perception
    }

    fn pushes(&self) -> bool {
        true
    }

    fn memory(&self) -> Memory {
        assert!(self.deed != Deed::Make, "not to be made");
        Memory {
            scalars: &["mood", "grudge"],
            tangents: &["drift"],
            locations: &["home"],
        }
    }

    fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
        match self.deed {
            Deed::Panic => panic!("no more of this"),
            Deed::OddPanic => std::panic::panic_any(7_u8),
            Deed::Endless if chunk.step == 3 => loop {
                std::hint::black_box(());
            },
            Deed::Slow if chunk.step == 3 => {
                while !should_stop() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                STOPPED.store(true, Ordering::Relaxed);
            }
            // More than the threads beside it free between two looks; looked at, since the compiler
            // may leave out an allocation that nobody sees.
            Deed::Leak => drop(black_box(vec![chunk.step; 1 << 14].leak())),
            Deed::Log => log(Level::Warn, &format!("should stop: {}", should_stop())),
            _ => {}
        }
        for i in 0..chunk.len() {
            let victim = chunk.id[i] == VICTIM;
            if self.deed == Deed::Idle && victim {
                continue;
            }
            out.velocity[i] = chunk.preferred[i];
            match self.deed {
                Deed::Order => out.velocity[i] *= 1.0 / (1.0 + i as f32),
                Deed::Moody => {
                    let turn = TURN.fetch_add(1, Ordering::Relaxed) % 7;
                    out.velocity[i] *= 1.0 / (1.0 + turn as f32);
                }
                _ => {}
            }
            if !victim {
                continue;
            }
            match self.deed {
                Deed::Nan => out.velocity[i].y = f32::NAN,
                Deed::Infinite => out.velocity[i].x = f32::INFINITY,
                Deed::Huge => out.velocity[i].x = 3e9,
                Deed::Bounds => out.velocity[chunk.len() + i] = Vec2::ZERO,
                Deed::Memory => out.memory.scalars[i * 2 + 1] = f32::NAN,
                Deed::Place => {
                    out.memory.tangents[i] = Vec2::NAN;
                    out.memory.locations[i] = Location {
                        point: Vec3::INFINITY,
                        triangle: 0,
                    };
                }
                Deed::Push => out.push[i] = Vec2::INFINITY,
                _ => {}
            }
        }
    }

    fn fault(&self) -> Option<String> {
        match self.deed {
            Deed::Report => Some("I feel unwell".into()),
            Deed::Slow => STOPPED
                .swap(false, Ordering::Relaxed)
                .then(|| "stopped when it was asked to".into()),
            _ => None,
        }
    }
}

choices! {
    /// What the cost model does.
    pub enum Fee {
        /// Prices well.
        Well = "well",
        /// A NaN for cell 2.
        Nan = "nan",
        /// Base 0 for cell 2.
        Free = "free",
        /// A negative crowd part for cell 2.
        Gift = "gift",
        /// A crowd part beyond the cap for cell 2.
        Dear = "dear",
        /// A least base above a base.
        Bound = "bound",
        /// Arrays of the wrong length.
        Short = "short",
        /// Three directions.
        Directions = "directions",
        /// More time slices than anybody could keep.
        Slices = "slices",
        /// Slices of no length.
        Instant = "instant",
        /// One price everywhere, a negative one.
        Uniform = "uniform",
        /// Two slices, eight directions, and cell 2 closed.
        Full = "full",
        /// Panics when it prices.
        Panic = "panic",
        /// Panics when it observes.
        Blind = "blind",
        /// Panics when it saves and loads.
        Forgetful = "forgetful",
    }
}

options! {
    /// Misbehaves on demand.
    pub struct FaultyCost {
        /// What it does.
        fee: Fee = Fee::Well;
    }
}

#[typetag::serde(name = "faulty")]
impl CostModel for FaultyCost {
    fn crowd_needs(&self) -> Capabilities {
        Capabilities::DENSITY
    }

    fn observe(&mut self, _: &CrowdView<'_>, _: f32) {
        assert!(self.fee != Fee::Blind, "cannot see");
    }

    fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
        let cells = context.crowd.cells();
        let (directions, slices) = match self.fee {
            Fee::Panic => panic!("sold out"),
            Fee::Uniform => {
                out.set_uniform(-1.0);
                return;
            }
            Fee::Directions => (3, 1),
            Fee::Slices => (1, 5000),
            Fee::Instant => (1, 2),
            Fee::Full => (8, 2),
            _ => (1, 1),
        };
        out.resize(cells, directions, slices);
        out.base.fill(1.5);
        out.crowd.fill(0.25);
        out.least_base = 1.5;
        match self.fee {
            Fee::Nan => out.crowd[2] = f32::NAN,
            Fee::Free => out.base[2] = 0.0,
            Fee::Gift => out.crowd[2] = -1.0,
            Fee::Dear => out.crowd[2] = 1e6,
            Fee::Bound => out.least_base = 2.0,
            Fee::Short => out.base.truncate(cells - 1),
            Fee::Full => {
                out.slice_seconds = 20.0;
                out.blocked = vec![4];
                out.crowd[cells * 8 + 3] = 9.0;
            }
            _ => {}
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"half");
        assert!(self.fee != Fee::Forgetful, "what was it");
    }

    fn load(&mut self, _: &[u8]) -> Result<(), StateError> {
        assert!(self.fee != Fee::Forgetful, "what was it");
        Ok(())
    }
}

register! {
    Avoidance "faulty" => FaultyAvoidance,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Time grows with the agents.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

register! {
    Cost "faulty" => FaultyCost,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Time and memory grow with the cells.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
