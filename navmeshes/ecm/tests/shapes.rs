//! Closed forms: shapes whose medial axis is known.

mod common;

use common::{built, floor, rectangle};
use glam::DVec2;

#[test]
fn a_square_has_four_spokes() {
    let b = built(&floor(vec![rectangle(0.0, 0.0, 4.0, 4.0)], vec![]));
    assert_eq!((b.map.nodes(), b.map.edges(), b.map.regions()), (5, 8, 4));
    let centre = (0..5).find(|&n| b.map.edges_of(n).len() == 4).unwrap();
    let at = b.world(b.map.node_place[centre as usize].point);
    assert!(at.distance(DVec2::splat(2.0)) < 1e-6);
    for r in 0..4 {
        assert!((b.map.region_area[r] - 4.0).abs() < 1e-6);
    }
}

#[test]
fn a_corridor_has_a_spine_of_half_its_width() {
    let b = built(&floor(vec![rectangle(0.0, 0.0, 20.0, 4.0)], vec![]));
    assert_eq!(b.map.regions(), 5);
    let spine = (0..b.map.edges())
        .find(|&e| b.map.edge_clearance[e] > 1.0)
        .unwrap();
    assert!((b.map.edge_length[spine] - 16.0).abs() < 1e-5);
    assert!((b.map.edge_clearance[spine] - 2.0).abs() < 1e-6);
    assert!((b.map.covered_area() - 80.0).abs() < 1e-5);
}
