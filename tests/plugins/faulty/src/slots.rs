//! Maps, planners, policies and groups `faulty`: what else the border must survive.

use core::ops::Range;

use glam::{Vec2, Vec3};
use throng_core::{
    Attachment, Capabilities, Gate, GlobalPlanner, GroupBehavior, GroupChunk, GroupOut, Location,
    LodPolicy, NavError, NavMap, NavRepresentation, PlanRequest, RouteSink, Scratch, Site, World,
    choices, options, register,
};

choices! {
    /// What the map does.
    pub enum Draft {
        /// One node for everything.
        Well = "well",
        /// Panics when it is built.
        Panic = "panic",
        /// Finds the ground unsuitable.
        Error = "error",
        /// An edge to a node that is not there.
        Edge = "edge",
        /// A node that is nowhere.
        Nan = "nan",
        /// A region that is not there for every place.
        Region = "region",
        /// Attaches to a node that is not there.
        Attach = "attach",
        /// Does not say where places are attached.
        Idle = "idle",
    }
}

options! {
    /// One node for everything, or something worse.
    pub struct FaultyNav {
        /// What it does.
        deed: Draft = Draft::Well;
    }
}

#[typetag::serde(name = "faulty")]
impl NavRepresentation for FaultyNav {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        match self.deed {
            Draft::Panic => panic!("no such ground"),
            Draft::Error => {
                return Err(NavError::Unsuitable {
                    reason: "too flat for me".into(),
                });
            }
            _ => {}
        }
        let [a, b, c] = site.ground.corners(0);
        let point = match self.deed {
            Draft::Nan => Vec3::NAN,
            _ => (a + b + c) / 3.0,
        };
        map.node_place = vec![Location { point, triangle: 0 }];
        map.node_region = vec![0];
        map.edge_start = vec![0, 0];
        map.region_area = vec![site.ground.areas.iter().sum()];
        map.region_place = map.node_place.clone();
        if self.deed == Draft::Edge {
            map.edge_start = vec![0, 1];
            map.edge_from = vec![0];
            map.edge_to = vec![7];
            map.edge_twin = vec![throng_core::NONE];
            map.edge_length = vec![1.0];
            map.edge_clearance = vec![1.0];
        }
        Ok(())
    }

    fn attach(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [Attachment]) {
        let node = match self.deed {
            Draft::Idle => return,
            Draft::Attach => 12,
            _ => 0,
        };
        out.fill(Attachment {
            node,
            distance: 0.0,
            ..Attachment::NOWHERE
        });
    }

    fn region_of(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], out: &mut [u32]) {
        out.fill(if self.deed == Draft::Region { 9 } else { 0 });
    }
}

choices! {
    /// What the planner does.
    pub enum Way {
        /// Goes straight there.
        Well = "well",
        /// Panics when it plans.
        Panic = "panic",
        /// A way of no length.
        Nan = "nan",
        /// Edges that the map does not have.
        Edges = "edges",
        /// A gate at infinity.
        Gate = "gate",
        /// Answers no request.
        Idle = "idle",
        /// Answers every request twice.
        Twice = "twice",
    }
}

options! {
    /// Goes straight there, or somewhere worse.
    pub struct FaultyPlanner {
        /// What it does.
        deed: Way = Way::Well;
    }
}

#[typetag::serde(name = "faulty")]
impl GlobalPlanner for FaultyPlanner {
    fn plan(
        &self,
        _: &World<'_>,
        requests: &[PlanRequest],
        _: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        for request in requests {
            let length = request.from.point.distance(request.to.point);
            let mut gate = Gate::waypoint(request.to);
            match self.deed {
                Way::Well => routes.push_gates([gate], length, length),
                Way::Panic => panic!("lost the way"),
                Way::Nan => routes.push_gates([gate], f32::NAN, length),
                Way::Edges => routes.push_edges([4_000_000], length, length),
                Way::Gate => {
                    gate.middle = Vec3::INFINITY;
                    routes.push_gates([gate], length, length);
                }
                Way::Idle => {}
                Way::Twice => {
                    routes.push_gates([gate], length, length);
                    routes.push_gates([gate], length, length);
                }
            }
        }
    }
}

choices! {
    /// What the policy does.
    pub enum Level {
        /// Everybody at level 0.
        Well = "well",
        /// Panics.
        Panic = "panic",
        /// Says nothing.
        Idle = "idle",
    }
}

options! {
    /// Everybody at level 0, or nobody.
    pub struct FaultyLod {
        /// What it does.
        deed: Level = Level::Well;
    }
}

#[typetag::serde(name = "faulty")]
impl LodPolicy for FaultyLod {
    fn classify(&self, _: &World<'_>, _: Range<usize>, out: &mut [u8]) {
        match self.deed {
            Level::Well => out.fill(0),
            Level::Panic => panic!("no level is right"),
            Level::Idle => {}
        }
    }
}

choices! {
    /// What the group does.
    pub enum Huddle {
        /// Walks as guided.
        Well = "well",
        /// Panics.
        Panic = "panic",
        /// A NaN for everybody.
        Nan = "nan",
    }
}

options! {
    /// Walks as guided, or not.
    pub struct FaultyGroup {
        /// What it does.
        deed: Huddle = Huddle::Well;
    }
}

#[typetag::serde(name = "faulty")]
impl GroupBehavior for FaultyGroup {
    fn adjust(&self, _: &World<'_>, _: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
        match self.deed {
            Huddle::Well => {}
            Huddle::Panic => panic!("we part here"),
            Huddle::Nan => out.preferred.fill(Vec2::NAN),
        }
    }
}

register! {
    Nav "faulty" => FaultyNav,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Constant.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}

register! {
    Planner "faulty" => FaultyPlanner,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Time grows with the requests.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::ROUTES,
}

register! {
    Lod "faulty" => FaultyLod,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Time grows with the agents.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

register! {
    Group "faulty" => FaultyGroup,
    about: "Misbehaves on demand.",
    when: "The border is tested.",
    when_not: "Anything else is done.",
    growth: "Time grows with the agents.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}
