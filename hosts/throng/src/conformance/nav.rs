//! Checks of slot `nav`, on rooms with walls between them.

use throng_core::{
    Attachment, Location, NONE,
    random::{Purpose, Stream},
};
use throng_engine::{Registry, registry::Strategy};

use super::{Report, Verdict, ensure, no_fault, scene, steady};
use crate::Simulation;

/// Share of the ground that a map must cover. Discs leave corners out.
const COVERED: f64 = 0.95;

/// Puts a map to its checks: *graph* (what the arrays promise each other), *coverage*, *places*
/// (every place has a region and an attachment, whatever the hint and the batch), *gates*,
/// *repeat*, *memory*.
pub(super) fn check(registry: &Registry, strategy: &Strategy, report: &mut Report) {
    let sim = match scene::simulation(registry, strategy, 1) {
        Ok(sim) => sim,
        Err(unmet) => return report.add("build", || Err(unmet)),
    };
    report.add("graph", || graph(&sim));
    report.add("coverage", || {
        let (covered, walkable) = (sim.map().covered_area(), scene::WALKABLE);
        ensure!(
            covered > COVERED * walkable && covered < 1.02 * walkable,
            "its regions cover {covered} m2 of {walkable} m2"
        );
        Ok(())
    });
    report.add("places", || places(&sim));
    report.add("gates", || gates(&sim));
    report.add("repeat", || {
        let again = scene::simulation(registry, strategy, 1)?;
        let (a, b) = (sim.map(), again.map());
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        ensure!(
            a.edge_to == b.edge_to && a.edge_from == b.edge_from,
            "built again it has other edges"
        );
        ensure!(
            bits(&a.edge_length) == bits(&b.edge_length)
                && bits(&a.edge_clearance) == bits(&b.edge_clearance),
            "built again its edges have other lengths or clearances"
        );
        Ok(())
    });
    report.add_alone("memory", || {
        let (places, none) = drawn(&sim, 50);
        let (site, map, nav) = (sim.place().site(), sim.map(), &sim.parts().nav);
        let mut regions = none.clone();
        let mut attached = vec![Attachment::NOWHERE; places.len()];
        let edges: Vec<u32> = (0..map.edges().min(50) as u32).collect();
        let mut gates = Vec::new();
        steady(|| {
            nav.region_of(&site, map, &places, &none, &mut regions);
            nav.attach(&site, map, &places, &none, &mut attached);
            gates.clear();
            nav.emit_gates(&site, map, &edges, &mut gates);
        })
    });
}

/// Places on the ground, and as many hints that say nothing.
fn drawn(sim: &Simulation, count: usize) -> (Vec<Location>, Vec<u32>) {
    let site = sim.place().site();
    let mut s = Stream::new(4, 0, Purpose::Strategy, 0);
    let places: Vec<Location> = (0..count)
        .filter_map(|_| sim.place().everywhere.draw(site.ground, &mut s, 16))
        .collect();
    let none = vec![NONE; places.len()];
    (places, none)
}

fn graph(sim: &Simulation) -> Verdict {
    let map = sim.map();
    map.check().map_err(|e| e.to_string())?;
    for e in 0..map.edges() {
        let twin = map.edge_twin[e];
        if twin != NONE {
            ensure!(
                map.edge_twin[twin as usize] == e as u32
                    && map.edge_from[twin as usize] == map.edge_to[e],
                "edge {e} has the twin {twin}, which does not lead back"
            );
        }
        let straight = map.node_place[map.edge_from[e] as usize]
            .point
            .distance(map.node_place[map.edge_to[e] as usize].point);
        ensure!(
            map.edge_length[e] >= straight - 1e-3,
            "edge {e} is {} m long, its ends are {straight} m apart",
            map.edge_length[e]
        );
        ensure!(
            map.edge_clearance[e] >= 0.0,
            "edge {e} has the clearance {}",
            map.edge_clearance[e]
        );
    }
    Ok(())
}

fn places(sim: &Simulation) -> Verdict {
    let (site, map, nav) = (sim.place().site(), sim.map(), &sim.parts().nav);
    let (places, none) = drawn(sim, 200);
    let mut regions = none.clone();
    nav.region_of(&site, map, &places, &none, &mut regions);
    let mut attached = vec![Attachment::NOWHERE; places.len()];
    nav.attach(&site, map, &places, &none, &mut attached);
    for (at, place) in places.iter().enumerate() {
        let point = place.point;
        ensure!(
            (regions[at] as usize) < map.regions(),
            "the place {point} has region {}, there are {}",
            regions[at],
            map.regions()
        );
        ensure!(
            (attached[at].node as usize) < map.nodes(),
            "the place {point} is attached to node {}, there are {}",
            attached[at].node,
            map.nodes()
        );
    }
    for shift in [0, 1, 7] {
        let hints: Vec<u32> = (0..places.len())
            .map(|i| regions[(i + shift) % places.len()])
            .collect();
        let (mut again, mut hung) = (none.clone(), attached.clone());
        nav.region_of(&site, map, &places, &hints, &mut again);
        nav.attach(&site, map, &places, &hints, &mut hung);
        ensure!(
            regions == again && attached == hung,
            "a hint changes the region or the attachment of a place"
        );
    }
    for (i, place) in places.iter().enumerate().take(20) {
        let mut one = [NONE];
        nav.region_of(&site, map, &[*place], &[NONE], &mut one);
        ensure!(
            one[0] == regions[i],
            "the place {} has region {} when asked alone, {} among others",
            place.point,
            one[0],
            regions[i]
        );
    }
    no_fault(nav.fault())
}

fn gates(sim: &Simulation) -> Verdict {
    let (site, map, nav) = (sim.place().site(), sim.map(), &sim.parts().nav);
    let edges: Vec<u32> = (0..map.edges().min(500) as u32).collect();
    let mut gates = Vec::new();
    nav.emit_gates(&site, map, &edges, &mut gates);
    if !map.gate_start.is_empty() {
        let mut own = Vec::new();
        map.append_gates(&edges, &mut own);
        ensure!(
            gates == own,
            "the map has gates, and emit_gates gives others: leave them out of the map"
        );
    }
    for (at, g) in gates.iter().enumerate() {
        ensure!(
            g.left.is_finite() && g.middle.is_finite() && g.right.is_finite(),
            "gate {at} is not finite"
        );
        ensure!(
            (g.triangle as usize) < site.ground.triangles.len(),
            "gate {at} lies on triangle {}, there are {}",
            g.triangle,
            site.ground.triangles.len()
        );
    }
    no_fault(nav.fault())
}
