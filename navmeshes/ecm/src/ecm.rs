//! Nav `ecm`: the Explicit Corridor Map (Geraerts 2010; van Toll, Cook, Geraerts 2012).
//!
//! The graph is the medial axis of the walkable space, exact: all points with two nearest wall
//! points or more, straight between two walls or two corners and parabolic between a wall and a
//! corner. Every vertex is joined to its nearest wall points; these cuts divide the ground into
//! regions, one about each edge, hexagons with straight sides. Stairs join layers: each is cut in
//! its middle, where the axis is that of its flanks alone. Clearance belongs to edges, so one map
//! serves every radius.

mod arc;
mod axis;
mod check;
mod draw;
mod edit;
mod layers;
mod regions;
mod voronoi;

use glam::{Vec2, Vec3};
use throng_core::{
    Attachment, Capabilities, Change, EdgeId, Gate, GroundView, Hold, Location, NONE, NavError,
    NavMap, NavRepresentation, RegionId, Remap, Room, Site, options, register,
};

use axis::{Axis, Raw};
use draw::{Heights, Ways};
use layers::Layers;
use regions::Regions;
use voronoi::{Turn, Undrawn};

/// How the walls are turned in turn until the diagram is right: quarters, and radians beyond them.
const TURNS: [(u8, f64); 9] = [
    (0, 0.0),
    (1, 0.0),
    (2, 0.0),
    (3, 0.0),
    (0, 0.0137),
    (1, -0.0291),
    (2, 0.0733),
    (3, 0.1931),
    (0, -0.4127),
];

options! {
    /// The medial axis with closest points: exact, sparse, one map for every radius.
    pub struct Ecm {
        /// Time that the Voronoi diagram of one floor may take before the build is given up.
        seconds: f64 = 60.0, "s", 0.001..=86400.0;
    }
    state {
        drawing: Drawing,
        regions: Regions,
        ways: Ways,
        /// Floors of the ground in each layer.
        floors: Vec<Vec<u16>>,
    }
}

/// The walls of each layer in whole numbers, as the diagram is drawn over them: for comparisons.
pub fn wall_lines(ground: &GroundView<'_>) -> Vec<Vec<[i32; 4]>> {
    let layers = Layers::of(ground).straightened().layers;
    let line = |w: &layers::Wall| [w.a[0], w.a[1], w.b[0], w.b[1]];
    let lines = layers.iter().map(|l| l.walls.iter().map(line).collect());
    lines.collect()
}

/// Layers, their diagrams, and the axis made of them.
#[derive(Clone, Debug, Default)]
struct Drawing {
    layers: Layers,
    raws: Vec<Raw>,
    axis: Axis,
}

impl Drawing {
    fn new(layers: &Layers, turn: Turn, seconds: f64) -> Result<Drawing, Undrawn> {
        let raws = axis::draw(layers, turn, seconds)?;
        Ok(Drawing {
            axis: axis::assemble(layers, &raws)?,
            raws,
            layers: layers.clone(),
        })
    }
}

register! {
    Nav "ecm" => Ecm,
    about: "Explicit Corridor Map: exact medial axis with nearest wall points, one region per edge.",
    when: "Floors and stacked layers of any shape, bodies of different width on one map, crowd density per region.",
    when_not: "Curved surfaces and meshes with storeys above each other; maps that change every second.",
    growth: "Build n log n in wall segments, some 25 us each; about two edges and one kilobyte a segment; routes search junctions only.",
    paper: "van Toll, Cook, Geraerts: Real-time density-based crowd simulation, 2012",
    needs: Capabilities::PLAN_GROUND,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}

#[typetag::serde(name = "ecm")]
impl NavRepresentation for Ecm {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let ground = &site.ground;
        if !ground.plan {
            return Err(NavError::Unsuitable {
                reason: "a medial axis needs a floor plan (floors, stairs, terrain); this ground \
                         has walls or ceilings to walk on: use nav.kind = \"surface\""
                    .into(),
            });
        }
        let drawing = self.draw(site, Layers::of(ground))?;
        self.take(site, drawing, map);
        Ok(())
    }

    fn attach(
        &self,
        site: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [Attachment],
    ) {
        for ((place, hint), attachment) in places.iter().zip(hints).zip(out) {
            *attachment = self.attach_one(site, *place, *hint);
        }
    }

    fn region_of(
        &self,
        site: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [RegionId],
    ) {
        self.regions.read_ahead(hints);
        for ((place, hint), region) in places.iter().zip(hints).zip(out) {
            *region = if place.is_somewhere() {
                self.regions.find(&site.ground, *place, *hint)
            } else {
                NONE
            };
        }
    }

    fn room_in(
        &self,
        _: &NavMap,
        places: &[Location],
        ways: &[Vec2],
        regions: &[RegionId],
        out: &mut [Room],
    ) -> bool {
        for (((place, way), region), room) in places.iter().zip(ways).zip(regions).zip(out) {
            *room = self.regions.room(*place, *way, *region);
        }
        true
    }

    fn holds(&self) -> &[Hold] {
        self.regions.holds()
    }

    fn gate_at(&self, site: &Site<'_>, map: &NavMap, edge: EdgeId, along: f32) -> Option<Gate> {
        let e = edge as usize;
        if along <= 0.0 {
            let twin = *map.edge_twin.get(e)?;
            return Some(map.gates.get(twin as usize)?.reversed());
        }
        if along >= 1.0 {
            return map.gates.get(e).copied();
        }
        let (of, back) = self.on_axis(map, edge)?;
        let share = f64::from(if back { 1.0 - along } else { along });
        let at = of.arc.at(share);
        let heights = Heights::over(&site.ground, &self.floors);
        let mut feet = of
            .arc
            .things()
            .map(|t| heights.point(t.foot(at), of.layer, of.stair));
        if back {
            feet.reverse();
        }
        Some(draw::gate_at(heights.place(at, of.layer, of.stair), feet))
    }

    fn edge_line(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        edge: EdgeId,
        tolerance: f32,
        out: &mut Vec<Vec3>,
    ) {
        let Some((of, back)) = self.on_axis(map, edge) else {
            return;
        };
        let first = out.len();
        let heights = Heights::over(&site.ground, &self.floors);
        let tolerance = f64::from(tolerance.max(1e-4));
        of.arc.sample(tolerance, |p| {
            out.push(heights.point(p, of.layer, of.stair))
        });
        if back {
            out[first..].reverse();
        }
    }

    fn edit(&mut self, site: &Site<'_>, _: &Change, map: &mut NavMap) -> Result<Remap, NavError> {
        let exact = Layers::of(&site.ground);
        let layers = exact.straightened();
        let local = edit::redraw(&self.drawing, &layers, self.seconds);
        let local =
            local.filter(|d| check::fault(&site.ground, &d.layers, &d.axis, true).is_none());
        let drawing = match local {
            Some(drawing) => drawing,
            None => self.draw(site, exact)?,
        };
        let (before, ways) = (self.drawing.axis.clone(), self.ways.clone());
        let revision = map.revision + 1;
        *map = NavMap {
            revision,
            ..NavMap::default()
        };
        self.take(site, drawing, map);
        Ok(edit::remap(&before, &ways, &self.drawing.axis, &self.ways))
    }

    fn bytes(&self) -> usize {
        self.drawing.axis.edges.capacity() * size_of::<axis::Edge>()
            + self.drawing.axis.nodes.capacity() * 18
            + self.ways.capacity() * 8
            + self.regions.bytes()
    }
}

impl Ecm {
    /// Draws the axis until it passes every check, over walls turned a little more each time.
    fn draw(&self, site: &Site<'_>, exact: Layers) -> Result<Drawing, NavError> {
        let straight = exact.straightened();
        // Perhaps a straightened wall touches another: then as they are.
        let turns = TURNS.map(|(quarters, angle)| Turn { quarters, angle });
        let tries = turns.map(|turn| (&straight, turn)).into_iter();
        let tries = tries.chain(turns.map(|turn| (&exact, turn)));
        let mut faults = Vec::new();
        for (layers, turn) in tries {
            let fault = match Drawing::new(layers, turn, self.seconds) {
                Ok(drawing) => {
                    match check::fault(&site.ground, layers, &drawing.axis, !turn.is_exact()) {
                        None => return Ok(drawing),
                        Some(fault) => fault,
                    }
                }
                Err(Undrawn::Again(fault)) => fault,
                Err(Undrawn::Never(error)) => return Err(error),
            };
            faults.push(fault);
        }
        let shown = |fault: Option<&String>| fault.cloned().unwrap_or_default();
        Err(NavError::Unsuitable {
            reason: format!(
                "no correct medial axis was found in {} tries (first: {}; last: {}): look for \
                 walls that nearly touch, storeys above each other in one mesh, or use nav.kind = \
                 \"grid\"",
                faults.len(),
                shown(faults.first()),
                shown(faults.last()),
            ),
        })
    }

    /// Makes the map and the looking-up structures of a drawing.
    fn take(&mut self, site: &Site<'_>, drawing: Drawing, map: &mut NavMap) {
        let ground = &site.ground;
        self.floors = drawing.layers.floors();
        let heights = Heights::over(ground, &self.floors);
        self.ways = draw::fill(ground, &heights, &drawing.axis, map);
        self.regions = Regions::of(ground, &drawing.layers, &drawing.axis);
        self.drawing = drawing;
    }

    /// The edge of the axis that a directed edge runs along, and whether it runs back.
    fn on_axis(&self, map: &NavMap, edge: EdgeId) -> Option<(&axis::Edge, bool)> {
        let region = map.pieces.get(edge as usize)?.cell as usize;
        let of = self.drawing.axis.edges.get(region)?;
        Some((of, self.ways[region][0] != edge))
    }

    fn attach_one(&self, site: &Site<'_>, place: Location, hint: RegionId) -> Attachment {
        if !place.is_somewhere() {
            return Attachment::NOWHERE;
        }
        let region = self.regions.find(&site.ground, place, hint);
        let Some(edge) = self.drawing.axis.edges.get(region as usize) else {
            return Attachment::NOWHERE;
        };
        let p = place.point.truncate().as_dvec2();
        let along = edge.arc.retract(p);
        Attachment {
            node: draw::wider_end(edge),
            edge: self.ways[region as usize][0],
            along: along as f32,
            distance: edge.arc.at(along).distance(p) as f32,
        }
    }
}
