//! The sink that a loaded map is drawn into, and the checks that it must pass.

use core::ffi::c_void;

use throng_abi::{self as abi, ABI_VERSION, MapSink, Status, rows, status};
use throng_core::{EdgePiece, Gate, GroundView, Location, NO_DOOR, NONE, NavMap, Remap};

use super::{planner::gate_is_good, site::shielded};

/// Most nodes, edges, gates, pieces, regions or outline points: ids are 32 bits.
const MOST: usize = u32::MAX as usize - 2;

/// A map as it is being drawn.
#[derive(Default)]
pub(super) struct Drawing {
    map: NavMap,
    remap: Option<Remap>,
    problem: Option<String>,
}

fn within(what: &str, have: usize, more: usize) -> Result<(), String> {
    match have.checked_add(more) {
        Some(all) if all <= MOST => Ok(()),
        _ => Err(format!("it has more than {MOST} {what}")),
    }
}

/// Appends the rows of `count.len()` things, `count` entries of each.
///
/// # Safety
/// Unless null, `entry` points to as many entries as `count` sums up to.
unsafe fn extend<T: Copy>(
    what: &str,
    start: &mut Vec<u32>,
    entries: &mut Vec<T>,
    count: &[u32],
    entry: *const T,
) -> Result<(), String> {
    let total: usize = count.iter().map(|n| *n as usize).sum();
    within(what, entries.len(), total)?;
    // SAFETY: the caller's promise.
    let given = unsafe { rows(entry, total) };
    if given.len() != total {
        return Err(format!("its {what} are not there"));
    }
    if start.is_empty() {
        start.push(0);
    }
    let mut end = entries.len() as u32;
    start.extend(count.iter().map(|n| {
        end += n;
        end
    }));
    entries.extend_from_slice(given);
    Ok(())
}

impl Drawing {
    /// The sink that a library is given; it writes here while this is borrowed.
    pub(super) fn sink(&mut self) -> MapSink {
        MapSink {
            size: size_of::<MapSink>() as u32,
            version: ABI_VERSION,
            context: core::ptr::from_mut(self).cast(),
            nodes: Some(nodes),
            edges: Some(edges),
            gates: Some(gates),
            pieces: Some(pieces),
            regions: Some(regions),
            rings: Some(rings),
            dense: Some(dense),
            remap: Some(remap),
        }
    }

    /// What went wrong while it was drawn.
    pub(super) fn problem(&mut self) -> Option<String> {
        self.problem.take()
    }

    /// The whole map and, if ids were mapped, where they went; or what is wrong with it.
    pub(super) fn finish(
        mut self,
        ground: &GroundView<'_>,
        revision: u32,
    ) -> Result<(NavMap, Option<Remap>), String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let map = &mut self.map;
        let nodes = map.nodes();
        let mut start = vec![0; nodes + 1];
        let mut last = 0;
        for (e, &from) in map.edge_from.iter().enumerate() {
            if from as usize >= nodes {
                return Err(format!("edge {e} begins at node {from} of {nodes}"));
            }
            if from < last {
                return Err(format!(
                    "edge {e} begins at node {from}, after one of node {last}: edges come in the \
                     order of the nodes where they begin"
                ));
            }
            last = from;
            start[from as usize + 1] += 1;
        }
        for n in 0..nodes {
            start[n + 1] += start[n];
        }
        map.edge_start = start;
        map.revision = revision;
        check(map, ground)?;
        Ok((self.map, self.remap))
    }

    fn take(context: *mut c_void, add: impl FnOnce(&mut Drawing) -> Result<(), String>) -> Status {
        // SAFETY: the context is the drawing of the call that is running.
        let drawing = unsafe { &mut *context.cast::<Drawing>() };
        shielded(|| match add(drawing) {
            Ok(()) => status::OK,
            Err(problem) => {
                drawing.problem.get_or_insert(problem);
                status::ERROR
            }
        })
    }
}

/// Checks everything that the core relies on and a library may have wrong.
fn check(map: &NavMap, ground: &GroundView<'_>) -> Result<(), String> {
    let (edges, regions) = (map.edges(), map.regions());
    let triangles = ground.triangles.len();
    for (what, start, rows) in [
        ("gates", &map.gate_start, edges),
        ("pieces", &map.piece_start, edges),
        ("outlines", &map.region_ring_start, regions),
    ] {
        if !start.is_empty() && start.len() != rows + 1 {
            return Err(format!(
                "{what} are given for {} of {rows}",
                start.len() - 1
            ));
        }
    }
    map.check()?;
    if map.nodes() == 0 || regions == 0 {
        return Err(format!(
            "it has {} nodes and {regions} regions",
            map.nodes()
        ));
    }
    let good = |at: &Location| at.point.is_finite() && (at.triangle as usize) < triangles;
    let first_bad = |places: &[Location]| places.iter().position(|at| !good(at));
    if let Some(n) = first_bad(&map.node_place) {
        return Err(format!("node {n} is at {:?}", map.node_place[n]));
    }
    if let Some(r) = first_bad(&map.region_place) {
        return Err(format!("region {r} is at {:?}", map.region_place[r]));
    }
    for e in 0..edges {
        let (twin, clearance) = (map.edge_twin[e], map.edge_clearance[e]);
        if twin != NONE && twin as usize >= edges {
            return Err(format!("edge {e} has twin {twin} of {edges}"));
        }
        if clearance.is_nan() || clearance < 0.0 {
            return Err(format!("edge {e} has clearance {clearance}"));
        }
        let door = map.edge_door.get(e).copied().unwrap_or(NO_DOOR);
        if door != NO_DOOR && usize::from(door) >= ground.door_open.len() {
            return Err(format!("edge {e} passes door {door}, which is not there"));
        }
    }
    if let Some(g) = map.gates.iter().position(|g| !gate_is_good(g, triangles)) {
        return Err(format!("gate {g} is {:?}", map.gates[g]));
    }
    let bad =
        |p: &EdgePiece| p.cell as usize >= regions || !(p.length.is_finite() && p.length >= 0.0);
    if let Some(p) = map.pieces.iter().position(bad) {
        return Err(format!("piece {p} is {:?}", map.pieces[p]));
    }
    let bad = |area: &f32| !(area.is_finite() && *area >= 0.0);
    if let Some(r) = map.region_area.iter().position(bad) {
        return Err(format!("region {r} has area {}", map.region_area[r]));
    }
    if let Some(p) = map.region_ring.iter().position(|p| !p.is_finite()) {
        return Err(format!("outline point {p} is {}", map.region_ring[p]));
    }
    if !(map.dense_spacing.is_finite() && map.dense_spacing >= 0.0) {
        return Err(format!("its spacing is {}", map.dense_spacing));
    }
    Ok(())
}

unsafe extern "C" fn nodes(
    context: *mut c_void,
    count: usize,
    place: *const abi::Location,
    region: *const u32,
) -> Status {
    // SAFETY: the library lends `count` entries; layouts are asserted in throng-core.
    let (places, regions) = unsafe { (rows::<Location>(place.cast(), count), rows(region, count)) };
    Drawing::take(context, |drawing| {
        if [places.len(), regions.len()] != [count; 2] {
            return Err("its nodes are not there".into());
        }
        within("nodes", drawing.map.nodes(), count)?;
        drawing.map.node_place.extend_from_slice(places);
        drawing.map.node_region.extend_from_slice(regions);
        Ok(())
    })
}

unsafe extern "C" fn edges(
    context: *mut c_void,
    count: usize,
    from: *const u32,
    to: *const u32,
    twin: *const u32,
    length: *const f32,
    clearance: *const f32,
    door: *const u16,
) -> Status {
    // SAFETY: the library lends `count` entries.
    let (ends, numbers, doors) = unsafe {
        (
            [from, to, twin].map(|column| rows(column, count)),
            [length, clearance].map(|column| rows(column, count)),
            rows(door, count),
        )
    };
    Drawing::take(context, |drawing| {
        if ends.iter().any(|c| c.len() != count) || numbers.iter().any(|c| c.len() != count) {
            return Err("its edges are not there".into());
        }
        let map = &mut drawing.map;
        let before = map.edges();
        within("edges", before, count)?;
        map.edge_from.extend_from_slice(ends[0]);
        map.edge_to.extend_from_slice(ends[1]);
        map.edge_twin.extend_from_slice(ends[2]);
        map.edge_length.extend_from_slice(numbers[0]);
        map.edge_clearance.extend_from_slice(numbers[1]);
        if !doors.is_empty() || !map.edge_door.is_empty() {
            map.edge_door.resize(before, NO_DOOR);
            map.edge_door.extend_from_slice(doors);
            map.edge_door.resize(before + count, NO_DOOR);
        }
        Ok(())
    })
}

unsafe extern "C" fn gates(
    context: *mut c_void,
    edges: usize,
    count: *const u32,
    gate: *const abi::Gate,
) -> Status {
    // SAFETY: the library lends `edges` counts and as many gates as they sum up to; layouts are
    // asserted in throng-core.
    unsafe {
        let count = rows(count, edges);
        Drawing::take(context, |drawing| {
            let map = &mut drawing.map;
            let (start, all) = (&mut map.gate_start, &mut map.gates);
            extend::<Gate>("gates", start, all, count, gate.cast())
        })
    }
}

unsafe extern "C" fn pieces(
    context: *mut c_void,
    edges: usize,
    count: *const u32,
    piece: *const abi::EdgePiece,
) -> Status {
    // SAFETY: as in `gates`.
    unsafe {
        let count = rows(count, edges);
        Drawing::take(context, |drawing| {
            let map = &mut drawing.map;
            let (start, all) = (&mut map.piece_start, &mut map.pieces);
            extend::<EdgePiece>("pieces", start, all, count, piece.cast())
        })
    }
}

unsafe extern "C" fn regions(
    context: *mut c_void,
    count: usize,
    area: *const f32,
    place: *const abi::Location,
) -> Status {
    // SAFETY: as in `nodes`.
    let (areas, places) = unsafe { (rows(area, count), rows::<Location>(place.cast(), count)) };
    Drawing::take(context, |drawing| {
        if [areas.len(), places.len()] != [count; 2] {
            return Err("its regions are not there".into());
        }
        within("regions", drawing.map.regions(), count)?;
        drawing.map.region_area.extend_from_slice(areas);
        drawing.map.region_place.extend_from_slice(places);
        Ok(())
    })
}

unsafe extern "C" fn rings(
    context: *mut c_void,
    regions: usize,
    count: *const u32,
    point: *const abi::Vec3,
) -> Status {
    // SAFETY: as in `gates`.
    unsafe {
        let count = rows(count, regions);
        Drawing::take(context, |drawing| {
            let map = &mut drawing.map;
            let (start, all) = (&mut map.region_ring_start, &mut map.region_ring);
            extend::<glam::Vec3>("outline points", start, all, count, point.cast())
        })
    }
}

unsafe extern "C" fn dense(context: *mut c_void, spacing: f32) -> Status {
    Drawing::take(context, |drawing| {
        drawing.map.dense_spacing = spacing;
        Ok(())
    })
}

unsafe extern "C" fn remap(
    context: *mut c_void,
    edges: usize,
    edge: *const u32,
    regions: usize,
    region: *const u32,
) -> Status {
    // SAFETY: the library lends as many ids as it says.
    let (edges, regions) = unsafe { (rows(edge, edges), rows(region, regions)) };
    Drawing::take(context, |drawing| {
        drawing.remap = Some(Remap {
            edges: edges.to_vec(),
            regions: regions.to_vec(),
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use throng_kit::{
        Ground, Walk,
        environment::{Environment, Floor, Polygon},
    };

    use super::*;

    fn ground() -> Ground {
        Ground::from_environment(&Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(
                    glam::DVec2::ZERO,
                    glam::DVec2::new(4.0, 2.0),
                )],
                ..Floor::default()
            }],
            ..Environment::default()
        })
        .unwrap()
    }

    /// Two nodes and an edge each way, with `spoil` done to the arrays first.
    fn draw(spoil: impl Fn(&mut NavMap)) -> Result<NavMap, String> {
        let ground = ground();
        let view = ground.view();
        let at = |x: f32| view.locate(glam::Vec3::new(x, 0.0, 0.0)).unwrap();
        let mut wanted = NavMap {
            node_place: vec![at(-1.0), at(1.0)],
            node_region: vec![0, 0],
            edge_from: vec![0, 1],
            edge_to: vec![1, 0],
            edge_twin: vec![1, 0],
            edge_length: vec![2.0; 2],
            edge_clearance: vec![1.0; 2],
            region_area: vec![8.0],
            region_place: vec![at(0.0)],
            ..NavMap::default()
        };
        spoil(&mut wanted);
        let mut drawing = Drawing::default();
        let sink = drawing.sink();
        let context = sink.context;
        let m = &wanted;
        let (n, e) = (m.node_place.len(), m.edge_from.len());
        // SAFETY: the drawing lives on; all arrays are as long as said.
        let all = unsafe {
            [
                nodes(
                    context,
                    n,
                    m.node_place.as_ptr().cast(),
                    m.node_region.as_ptr(),
                ),
                edges(
                    context,
                    e,
                    m.edge_from.as_ptr(),
                    m.edge_to.as_ptr(),
                    m.edge_twin.as_ptr(),
                    m.edge_length.as_ptr(),
                    m.edge_clearance.as_ptr(),
                    if m.edge_door.is_empty() {
                        core::ptr::null()
                    } else {
                        m.edge_door.as_ptr()
                    },
                ),
                regions(
                    context,
                    m.region_area.len(),
                    m.region_area.as_ptr(),
                    m.region_place.as_ptr().cast(),
                ),
            ]
        };
        assert_eq!(all, [status::OK; 3]);
        let given = [2];
        if !m.gates.is_empty() {
            // SAFETY: as above; two gates for the first edge, and none for the second.
            let told = unsafe { gates(context, 1, given.as_ptr(), m.gates.as_ptr().cast()) };
            assert_eq!(told, status::OK);
        }
        drawing.finish(&view, 3).map(|(map, _)| map)
    }

    #[test]
    fn rows_are_counted_and_the_revision_kept() {
        let map = draw(|_| {}).unwrap();
        assert_eq!(map.edge_start, [0, 1, 2]);
        assert!(map.edge_door.is_empty() && map.gate_start.is_empty());
        assert_eq!(map.revision, 3);
    }

    #[test]
    fn what_is_wrong_is_named() {
        type Case = (&'static str, fn(&mut NavMap));
        let cases: [Case; 12] = [
            ("edge 1 begins at node 0, after", |m| {
                m.edge_from = vec![1, 0]
            }),
            ("edge 1 begins at node 7 of 2", |m| m.edge_from[1] = 7),
            ("names a node beyond", |m| m.edge_to[0] = 2),
            ("has length NaN", |m| m.edge_length[1] = f32::NAN),
            ("edge 0 has clearance NaN", |m| {
                m.edge_clearance[0] = f32::NAN
            }),
            ("edge 0 has twin 9 of 2", |m| m.edge_twin[0] = 9),
            ("door 4, which is not there", |m| m.edge_door = vec![4, 4]),
            ("node 1 is at", |m| m.node_place[1].point.x = f32::INFINITY),
            ("node 0 is at", |m| m.node_place[0].triangle = 99),
            ("names region 5 of 1", |m| m.node_region[0] = 5),
            ("region 0 has area -1", |m| m.region_area[0] = -1.0),
            ("gates are given for 1 of 2", |m| {
                m.gates = vec![Gate::waypoint(m.node_place[0]); 2];
            }),
        ];
        for (words, spoil) in cases {
            let reason = draw(spoil).unwrap_err();
            assert!(reason.contains(words), "{words}: {reason}");
        }
    }
}
