//! The same map linked and loaded: same arrays, same answers, same edits, to the bit.

use glam::{DVec2, Vec2, Vec3};
use throng_core::{
    Attachment, Change, Location, NONE, NavMap, NavRepresentation, Room, Site, Slot,
    random::{Purpose, Stream},
};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, Floor, Polygon},
};

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/facets.rs"]
mod facets;

/// A hall of 30 by 20 metres, with a block in it or without.
fn ground(blocks: &[DVec2]) -> Ground {
    Ground::from_environment(&Environment {
        floors: vec![Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(30.0, 20.0))],
            solid: blocks
                .iter()
                .map(|low| Polygon::rectangle(*low, *low + 2.0))
                .collect(),
            ..Floor::default()
        }],
        ..Environment::default()
    })
    .unwrap()
}

fn site(ground: &Ground) -> Site<'_> {
    Site {
        ground: ground.view(),
        file_cells: None,
        seed: 1,
    }
}

fn both() -> [Box<dyn NavRepresentation>; 2] {
    digest::registries(Slot::Nav, "facets").map(|registry| {
        let strategy = registry.find(Slot::Nav, "facets").unwrap().clone();
        let table = toml::from_str("narrowest = 0.5").unwrap();
        strategy.create(&table).unwrap().into_nav().unwrap()
    })
}

/// Everything that can be asked of a map, as text: equal texts are equal bits.
fn answers(nav: &dyn NavRepresentation, site: &Site<'_>, map: &NavMap) -> String {
    let mut random = Stream::new(7, 0, Purpose::Start, 0);
    let mut number = |low: f64, high: f64| random.range(low, high) as f32;
    let places: Vec<Location> = (0..300)
        .map(|_| {
            let at = Vec3::new(number(-15.0, 15.0), number(-10.0, 10.0), 0.0);
            site.ground.locate(at).unwrap()
        })
        .chain([Location::NOWHERE])
        .collect();
    let hints = vec![0; places.len()];
    let mut attached = vec![Attachment::NOWHERE; places.len()];
    nav.attach(site, map, &places, &hints, &mut attached);
    let mut regions = vec![NONE; places.len()];
    nav.region_of(site, map, &places, &hints, &mut regions);
    let edges: Vec<u32> = (0..map.edges() as u32).collect();
    let mut gates = Vec::new();
    nav.emit_gates(site, map, &edges, &mut gates);
    let at: Vec<_> = edges
        .iter()
        .map(|edge| nav.gate_at(site, map, *edge, 0.3))
        .collect();
    let mut lines = Vec::new();
    for edge in &edges {
        nav.edge_line(site, map, *edge, 0.01, &mut lines);
    }
    let (ways, mut room) = (
        vec![Vec2::X; places.len()],
        vec![Room::default(); places.len()],
    );
    let knows = nav.room_in(map, &places, &ways, &regions, &mut room);
    let measures = nav.measures(site);
    assert!(!gates.is_empty() && at.iter().all(Option::is_some) && measures.len() == 2);
    assert_eq!(nav.fault(), None);
    format!("{map:?} {attached:?} {regions:?} {gates:?} {at:?} {lines:?} {knows} {measures:?}")
}

#[test]
fn same_map_and_same_answers_before_and_after_an_edit() {
    let blocks = [DVec2::new(5.0, 5.0), DVec2::new(20.0, 12.0)];
    let (before, after) = (ground(&blocks[..1]), ground(&blocks));
    let [linked, loaded] = both().map(|mut nav| {
        let mut map = NavMap::default();
        nav.build(&site(&before), &mut map).unwrap();
        let first = answers(&*nav, &site(&before), &map);
        let ring = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        let change = Change::AddSolid {
            ring: ring.map(Vec2::from).to_vec(),
            floor: 0,
        };
        let remap = nav.edit(&site(&after), &change, &mut map).unwrap();
        assert_eq!(map.revision, 1);
        let second = answers(&*nav, &site(&after), &map);
        assert_ne!(first, second);
        assert!(nav.bytes() < 1 << 20);
        [first, second, format!("{remap:?}")]
    });
    assert_eq!(linked, loaded);
}
