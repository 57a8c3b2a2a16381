//! Polygons added and removed: the updated map is that of a rebuild, and most of it stays.

mod common;

use common::{Built, built, floor, rectangle};
use glam::DVec2;
use throng_core::{
    Change, NONE, NavRepresentation,
    random::{Purpose, Stream},
};
use throng_kit::{
    Ground,
    environment::{Environment, Polygon},
};

fn city(seed: u64) -> Environment {
    let mut s = Stream::new(seed, 0, Purpose::Strategy, 0);
    let mut solid = Vec::new();
    for i in 0..64 {
        let low = DVec2::new(f64::from(i % 8), f64::from(i / 8)) * 12.0;
        let size = DVec2::new(s.range(3.0, 8.0), s.range(3.0, 8.0));
        let at = low + DVec2::new(s.range(0.5, 3.0), s.range(0.5, 3.0));
        solid.push(Polygon::new(vec![
            at,
            at + DVec2::new(size.x, s.range(-0.4, 0.4)),
            at + size,
            at + DVec2::new(s.range(-0.4, 0.4), size.y),
        ]));
    }
    floor(vec![rectangle(0.0, 0.0, 96.0, 96.0)], solid)
}

/// Length, clearance, area and both ends of every region's edge, sorted.
fn edges_of(b: &Built) -> Vec<[f32; 7]> {
    let mut rows: Vec<[f32; 7]> = (0..b.map.edges())
        .filter(|&e| (e as u32) < b.map.edge_twin[e])
        .map(|e| {
            let at = |n: u32| b.map.node_place[n as usize].point;
            let (mut p, mut q) = (at(b.map.edge_from[e]), at(b.map.edge_to[e]));
            if (p.x, p.y) > (q.x, q.y) {
                (p, q) = (q, p);
            }
            let area = b.map.region_area[b.map.pieces[e].cell as usize];
            [
                p.x,
                p.y,
                q.x,
                q.y,
                b.map.edge_length[e],
                b.map.edge_clearance[e],
                area,
            ]
        })
        .collect();
    rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
    rows
}

fn edited(old: &Built, environment: &Environment, change: &Change) -> (Built, throng_core::Remap) {
    let ground = Ground::from_environment(environment).unwrap();
    let (mut nav, mut map) = (old.nav.clone(), old.map.clone());
    let site = throng_core::Site {
        ground: ground.view(),
        file_cells: None,
        seed: 0,
    };
    let remap = nav.edit(&site, change, &mut map).unwrap();
    map.check().unwrap();
    assert_eq!(map.revision, old.map.revision + 1);
    (Built { ground, map, nav }, remap)
}

fn same(a: &Built, b: &Built) {
    let (a, b) = (edges_of(a), edges_of(b));
    assert_eq!(a.len(), b.len());
    let mut left: Vec<[f32; 7]> = b;
    for row in a {
        // Ends that differ in their last bits sort differently: look for the nearest.
        let at = left.iter().position(|other| {
            row.iter()
                .zip(other)
                .all(|(p, q)| (p - q).abs() < 1e-4 * (1.0 + p.abs()))
        });
        let at = at.unwrap_or_else(|| panic!("{row:?} is not in the rebuilt map"));
        left.swap_remove(at);
    }
}

#[test]
fn adding_and_removing_equals_a_rebuild() {
    for seed in 0..6 {
        let plain = city(seed);
        let before = built(&plain);
        let mut s = Stream::new(seed, 9, Purpose::Strategy, 0);
        let at = DVec2::new(s.range(20.0, 70.0), s.range(20.0, 70.0));
        let ring = vec![
            at,
            at + DVec2::new(1.5, 0.2),
            at + DVec2::new(1.7, 1.1),
            at + DVec2::new(0.2, 1.4),
        ];
        let mut more = plain.clone();
        more.floors[0].solid.push(Polygon::new(ring.clone()));
        let rebuilt = built(&more);
        let origin = before.ground.view().origin.truncate();
        let local: Vec<glam::Vec2> = ring.iter().map(|p| (*p - origin).as_vec2()).collect();
        let add = Change::AddSolid {
            ring: local.clone(),
            floor: 0,
        };
        let (after, remap) = edited(&before, &more, &add);
        same(&after, &rebuilt);
        let kept = remap.regions.iter().filter(|r| **r != NONE).count();
        assert!(
            kept * 10 > remap.regions.len() * 8,
            "{kept} of {}",
            remap.regions.len()
        );
        for (old, &new) in remap.edges.iter().enumerate() {
            if new != NONE {
                let (a, b) = (
                    before.map.node_place[before.map.edge_to[old] as usize].point,
                    after.map.node_place[after.map.edge_to[new as usize] as usize].point,
                );
                assert!(a.distance(b) < 1e-5);
            }
        }
        let remove = Change::RemoveSolid {
            ring: local,
            floor: 0,
        };
        let (back, _) = edited(&after, &plain, &remove);
        same(&back, &before);
    }
}

#[test]
fn polygons_across_others_equal_a_rebuild() {
    for seed in 10..16 {
        let plain = city(seed);
        let before = built(&plain);
        let mut s = Stream::new(seed, 9, Purpose::Strategy, 0);
        let at = DVec2::new(s.range(10.0, 70.0), s.range(10.0, 70.0));
        let size = DVec2::new(s.range(4.0, 16.0), s.range(4.0, 16.0));
        let ring = vec![at, at + size * DVec2::new(1.0, 0.1), at + size];
        let mut more = plain.clone();
        more.floors[0].solid.push(Polygon::new(ring.clone()));
        let origin = before.ground.view().origin.truncate();
        let ring: Vec<glam::Vec2> = ring.iter().map(|p| (*p - origin).as_vec2()).collect();
        let add = Change::AddSolid {
            ring: ring.clone(),
            floor: 0,
        };
        let (after, _) = edited(&before, &more, &add);
        same(&after, &built(&more));
        let (back, _) = edited(&after, &plain, &Change::RemoveSolid { ring, floor: 0 });
        same(&back, &before);
    }
}
