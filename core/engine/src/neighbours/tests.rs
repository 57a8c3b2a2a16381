//! The grid against the definition: every pair looked at.

use glam::{DVec2, DVec3, Vec2, Vec3};
use throng_core::{
    AgentsView, Frame, GroundView, Location, MOVER, MoverView, NON_RECIPROCAL, NONE, Perception,
    SAME_GROUP,
    random::Stream,
    random::{Purpose, mix},
};
use throng_kit::{
    Ground, Walk,
    environment::{Door, Environment, Floor, Mesh, Polygon},
};

use super::{NeighbourBuffer, NeighbourGrid};
use crate::relevance::{Body, wall_crosses};

/// Agents as columns.
#[derive(Clone, Default)]
struct Crowd {
    id: Vec<u64>,
    location: Vec<Location>,
    frame: Vec<Frame>,
    velocity: Vec<Vec2>,
    radius: Vec<f32>,
    group: Vec<u32>,
    tier: Vec<u8>,
    ones: Vec<f32>,
    nones: Vec<u32>,
    height: Vec<f32>,
}

impl Crowd {
    fn add(&mut self, location: Location, frame: Frame, velocity: Vec2) {
        let n = self.id.len() as u64;
        self.id.push(mix(n) >> 8);
        self.location.push(location);
        self.frame.push(frame);
        self.velocity.push(velocity);
        self.radius.push(0.2 + (n % 7) as f32 * 0.01);
        self.group.push(if n.is_multiple_of(3) {
            NONE
        } else {
            (n % 5) as u32
        });
        self.tier.push((n % 2) as u8);
        self.ones.push(1.0);
        self.nones.push(NONE);
        self.height.push(1.8);
    }

    fn view(&self, flat: bool) -> AgentsView<'_> {
        AgentsView {
            id: &self.id,
            location: &self.location,
            frame: if flat { &[] } else { &self.frame },
            velocity: &self.velocity,
            heading: &self.velocity,
            preferred: &self.velocity,
            radius: &self.radius,
            speed: &self.ones,
            mass: &self.ones,
            lane: &self.ones,
            weight: &self.ones,
            class: &self.nones,
            goal: &self.nones,
            target: &self.location,
            region: &self.nones,
            tier: &self.tier,
            group: &self.group,
        }
    }

    /// Everybody's neighbours: distance, id, flags.
    fn gather(
        &self,
        grid: &NeighbourGrid,
        ground: GroundView<'_>,
        perception: Perception,
        kth: &mut [f32],
    ) -> Vec<Vec<(f32, u64, u8)>> {
        let rows: Vec<u32> = (0..self.id.len() as u32).collect();
        let mut out = NeighbourBuffer::default();
        let mut all = Vec::new();
        for (rows, kth) in rows.chunks(37).zip(kth.chunks_mut(37)) {
            grid.gather(
                ground,
                &self.view(ground.flat),
                rows,
                perception,
                &[],
                kth,
                0.4,
                &mut out,
            );
            let found = out.rows();
            for (id, radius) in found.id.iter().zip(found.radius) {
                // Movers are not among the agents.
                if let Some(other) = self.id.iter().position(|other| other == id) {
                    assert_eq!(*radius, self.radius[other]);
                }
            }
            for i in 0..rows.len() {
                let row = found.start[i] as usize..found.start[i + 1] as usize;
                all.push(
                    row.map(|n| (found.seen[n].offset.length(), found.id[n], found.flags[n]))
                        .collect(),
                );
            }
        }
        all
    }
}

fn square(side: f64) -> Environment {
    let corners = [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]];
    Environment {
        floors: vec![Floor {
            name: "floor".into(),
            z: 0.0,
            walkable: vec![Polygon {
                outer: corners.map(DVec2::from).to_vec(),
                holes: Vec::new(),
            }],
            solid: Vec::new(),
            thin_walls: Vec::new(),
        }],
        ..Environment::default()
    }
}

/// Clumps of people, some in the same place.
fn clumps(ground: GroundView<'_>, side: f64, count: usize, seed: u64) -> Crowd {
    let mut draw = Stream::new(seed, 0, Purpose::Start, 0);
    let mut crowd = Crowd::default();
    let mut centre = DVec2::ZERO;
    for i in 0..count {
        if i % 40 == 0 {
            centre = DVec2::new(draw.range(2.0, side - 2.0), draw.range(2.0, side - 2.0));
        }
        let spread = if i % 3 == 0 { 0.5 } else { 2.0 };
        let mut p = centre + DVec2::new(draw.range(-spread, spread), draw.range(-spread, spread));
        if i % 11 == 0 {
            // On a lattice: equal distances.
            p = p.round();
        }
        let point = (p.extend(0.0) - ground.origin).as_vec3();
        let velocity = Vec2::new(draw.unit(), draw.unit());
        crowd.add(Location { point, triangle: 0 }, Frame::FLAT, velocity);
        if i % 50 == 0 {
            crowd.add(Location { point, triangle: 0 }, Frame::FLAT, velocity);
        }
    }
    crowd
}

/// The definition on a flat ground.
fn all_pairs_flat(
    crowd: &Crowd,
    ground: &GroundView<'_>,
    perception: Perception,
) -> Vec<Vec<(f32, u64, u8)>> {
    let point = |i: usize| crowd.location[i].point;
    (0..crowd.id.len())
        .map(|i| {
            let mut near: Vec<(f32, u64, u8)> = (0..crowd.id.len())
                .filter(|&j| j != i)
                .filter_map(|j| {
                    let d = (point(j) - point(i)).truncate();
                    let (p, q) = if crowd.id[i] < crowd.id[j] {
                        (point(i), point(j))
                    } else {
                        (point(j), point(i))
                    };
                    let hidden = ground
                        .walls
                        .iter()
                        .any(|w| ground.stands(w) && wall_crosses(w, p, q));
                    let squared = d.x * d.x + d.y * d.y;
                    let same = crowd.group[i] == crowd.group[j] && crowd.group[i] != NONE;
                    let flags = if same { SAME_GROUP } else { 0 }
                        | if crowd.tier[j] == 1 {
                            NON_RECIPROCAL
                        } else {
                            0
                        };
                    (squared <= perception.reach * perception.reach && !hidden).then_some((
                        squared,
                        crowd.id[j],
                        flags,
                    ))
                })
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            near.truncate(perception.most as usize);
            near
        })
        .collect()
}

fn same(ours: &[Vec<(f32, u64, u8)>], expected: &[Vec<(f32, u64, u8)>]) {
    for (i, (a, b)) in ours.iter().zip(expected).enumerate() {
        let ids = |v: &[(f32, u64, u8)]| v.iter().map(|n| (n.1, n.2)).collect::<Vec<_>>();
        assert_eq!(ids(a), ids(b), "agent {i}: {a:?} {b:?}");
    }
}

const LOOKS: [(f32, u32); 5] = [(5.0, 10), (5.0, 1), (1.0, 30), (12.0, 64), (0.3, 4)];

#[test]
fn finds_what_all_pairs_give_whatever_the_hint() {
    let mut environment = square(40.0);
    environment.floors[0].thin_walls = vec![
        vec![
            DVec2::new(5.0, 5.0),
            DVec2::new(30.0, 12.0),
            DVec2::new(31.0, 30.0),
        ],
        vec![DVec2::new(2.0, 20.0), DVec2::new(20.0, 20.0)],
    ];
    let ground = Ground::from_environment(&environment).unwrap();
    let ground = ground.view();
    assert!(ground.flat);
    let mut crowd = clumps(ground, 40.0, 600, 3);
    let mut grid = NeighbourGrid::default();
    for (reach, most) in LOOKS {
        let perception = Perception {
            reach,
            most,
            wall_reach: 0.0,
        };
        let mut kth = vec![f32::INFINITY; crowd.id.len()];
        for round in 0..3 {
            grid.rebuild(
                ground,
                &crowd.view(true),
                &crowd.height,
                &[],
                reach,
                &[true, false],
            );
            let expected = all_pairs_flat(&crowd, &ground, perception);
            same(
                &crowd.gather(&grid, ground, perception, &mut kth),
                &expected,
            );
            let mut odd: Vec<f32> = (0..kth.len())
                .map(|i| [0.0, 1e-9, f32::NAN, -1.0, 1e9, reach][i % 6])
                .collect();
            same(
                &crowd.gather(&grid, ground, perception, &mut odd),
                &expected,
            );
            for (i, l) in crowd.location.iter_mut().enumerate() {
                let step = Vec3::new(
                    ((i * 7 + round) % 5) as f32 - 2.0,
                    ((i * 3) % 5) as f32 - 2.0,
                    0.0,
                );
                l.point += step * 0.05;
            }
        }
    }
}

#[test]
fn the_quick_search_finds_the_same_among_alike_and_unlike_who_leave_the_box() {
    let ground = Ground::from_environment(&square(40.0)).unwrap();
    let ground = GroundView {
        walls: &[],
        ..ground.view()
    };
    for alike in [true, false] {
        let mut crowd = clumps(ground, 40.0, 300, 5);
        if alike {
            crowd.radius.fill(0.25);
            crowd.group.fill(NONE);
            crowd.tier.fill(0);
        }
        let mut grid = NeighbourGrid::default();
        grid.relevance.occlusion = false;
        for (reach, most) in LOOKS {
            let perception = Perception {
                reach,
                most,
                wall_reach: 0.0,
            };
            let mut kth = vec![f32::INFINITY; crowd.id.len()];
            for round in 0..5 {
                let view = crowd.view(true);
                grid.rebuild(ground, &view, &crowd.height, &[], reach, &[true, false]);
                assert_eq!(grid.alike, alike.then_some(0.25));
                same(
                    &crowd.gather(&grid, ground, perception, &mut kth),
                    &all_pairs_flat(&crowd, &ground, perception),
                );
                for (i, l) in crowd.location.iter_mut().enumerate() {
                    let (x, y) = ((i * 7 + round) % 5, (i * 3) % 5);
                    l.point += Vec3::new(x as f32 - 2.0, y as f32 - 2.0, 0.0) * 0.3;
                }
            }
        }
    }
}

#[test]
fn order_of_rows_does_not_matter() {
    let ground = Ground::from_environment(&square(30.0)).unwrap();
    let ground = ground.view();
    let crowd = clumps(ground, 30.0, 300, 8);
    let perception = Perception {
        reach: 4.0,
        most: 8,
        wall_reach: 0.0,
    };
    let mut grid = NeighbourGrid::default();
    grid.rebuild(
        ground,
        &crowd.view(true),
        &crowd.height,
        &[],
        4.0,
        &[true, false],
    );
    let n = crowd.id.len();
    let first = crowd.gather(&grid, ground, perception, &mut vec![0.0; n]);
    let mut turned = crowd.clone();
    turned.id.reverse();
    turned.location.reverse();
    turned.velocity.reverse();
    turned.group.reverse();
    turned.tier.reverse();
    grid.rebuild(
        ground,
        &turned.view(true),
        &turned.height,
        &[],
        4.0,
        &[true, false],
    );
    let mut second = turned.gather(&grid, ground, perception, &mut vec![0.0; n]);
    second.reverse();
    assert_eq!(first, second);
}

#[test]
fn a_scattered_crowd_is_hashed_and_the_same() {
    let ground = Ground::from_environment(&square(50_000.0)).unwrap();
    let ground = ground.view();
    let crowd = clumps(ground, 50_000.0, 500, 4);
    let mut grid = NeighbourGrid::default();
    let perception = Perception {
        reach: 5.0,
        most: 10,
        wall_reach: 0.0,
    };
    let n = crowd.id.len();
    for _ in 0..3 {
        grid.rebuild(
            ground,
            &crowd.view(true),
            &crowd.height,
            &[],
            5.0,
            &[true, false],
        );
        let expected = all_pairs_flat(&crowd, &ground, perception);
        same(
            &crowd.gather(&grid, ground, perception, &mut vec![0.0; n]),
            &expected,
        );
    }
}

#[test]
fn movers_are_seen_and_see_nobody() {
    let ground = Ground::from_environment(&square(20.0)).unwrap();
    let ground = ground.view();
    let mut crowd = Crowd::default();
    let at = |x: f32| Location {
        point: Vec3::new(x, 0.0, 0.0),
        triangle: 0,
    };
    crowd.add(at(0.0), Frame::FLAT, Vec2::X);
    crowd.add(Location::NOWHERE, Frame::FLAT, Vec2::X);
    let car = MoverView {
        at: Vec3::new(0.0, 3.0, 0.0),
        velocity: Vec3::new(0.0, -4.0, 0.0),
        radius: 1.2,
        discomfort: 0.0,
    };
    let mut grid = NeighbourGrid::default();
    grid.rebuild(ground, &crowd.view(true), &[], &[car], 5.0, &[true, false]);
    let perception = Perception {
        reach: 5.0,
        most: 10,
        wall_reach: 0.0,
    };
    let mut out = NeighbourBuffer::default();
    grid.gather(
        ground,
        &crowd.view(true),
        &[0, 1],
        perception,
        &[],
        &mut [0.0; 2],
        0.1,
        &mut out,
    );
    let rows = out.rows();
    assert_eq!(
        rows.start,
        [0, 1, 1],
        "who is nowhere sees nobody and is not seen"
    );
    assert_eq!(rows.seen[0].offset, Vec2::new(0.0, 3.0));
    assert_eq!(rows.seen[0].velocity, Vec2::new(0.0, -4.0));
    assert_eq!(
        (rows.flags[0], rows.radius[0]),
        (MOVER | NON_RECIPROCAL, 1.2)
    );
    assert_eq!(
        grid.overlapping_pairs(ground, &crowd.view(true), 0.0),
        (0, 0.0)
    );
}

#[test]
fn a_closed_door_hides_and_an_open_one_does_not() {
    let mut environment = square(20.0);
    let points = |list: &[[f64; 2]]| list.iter().map(|&p| DVec2::from(p)).collect::<Vec<_>>();
    environment.floors[0].thin_walls = vec![
        points(&[[10.0, 0.0], [10.0, 9.0]]),
        points(&[[10.0, 11.0], [10.0, 20.0]]),
    ];
    environment.doors.push(Door {
        name: "door".into(),
        floor: 0,
        ends: [DVec2::new(10.0, 9.0), DVec2::new(10.0, 11.0)],
        open: true,
    });
    let mut ground = Ground::from_environment(&environment).unwrap();
    let perception = Perception {
        reach: 5.0,
        most: 10,
        wall_reach: 0.0,
    };
    for open in [true, false, true] {
        ground.set_door(0, open);
        let view = ground.view();
        let mut crowd = Crowd::default();
        for p in [[9.0, 10.0], [11.0, 10.0], [9.0, 7.0], [11.0, 7.0]] {
            let point = (DVec2::from(p).extend(0.0) - view.origin).as_vec3();
            crowd.add(view.locate(point).unwrap(), Frame::FLAT, Vec2::ZERO);
        }
        let mut grid = NeighbourGrid::default();
        grid.rebuild(view, &crowd.view(true), &[], &[], 5.0, &[true, false]);
        let seen = crowd.gather(&grid, view, perception, &mut [0.0; 4]);
        let sees = |a: usize, b: usize| seen[a].iter().any(|n| n.1 == crowd.id[b]);
        assert_eq!(sees(0, 1), open);
        assert_eq!(sees(1, 0), open);
        assert!(!sees(2, 3) && !sees(3, 2), "the wall beside the door");
        assert!(sees(0, 2) && sees(1, 3));
    }
}

/// A sphere by splitting an octahedron.
fn globe(radius: f64, splits: usize) -> Mesh {
    let mut vertices = vec![
        DVec3::X,
        DVec3::Y,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 1, 4],
        [1, 2, 4],
        [2, 3, 4],
        [3, 0, 4],
        [1, 0, 5],
        [2, 1, 5],
        [3, 2, 5],
        [0, 3, 5],
    ];
    for _ in 0..splits {
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |p: u32, q: u32| {
                vertices.push((vertices[p as usize] + vertices[q as usize]).normalize());
                vertices.len() as u32 - 1
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let vertices = vertices.into_iter().map(|v| v * radius).collect();
    Mesh {
        vertices,
        triangles,
    }
}

#[test]
fn on_a_globe_the_definition_holds_too() {
    let ground = Ground::from_mesh(&globe(8.0, 4)).unwrap();
    let ground = ground.view();
    assert!(!ground.flat && !ground.plan);
    let mut draw = Stream::new(2, 0, Purpose::Start, 0);
    let mut crowd = Crowd::default();
    for _ in 0..400 {
        let v = Vec3::new(draw.unit() - 0.5, draw.unit() - 0.5, draw.unit() - 0.5);
        let location = ground.locate(v.normalize_or(Vec3::X) * 8.0).unwrap();
        crowd.add(location, ground.frame_at(location), Vec2::X);
    }
    let mut grid = NeighbourGrid::default();
    for symmetric in [true, false] {
        grid.relevance.symmetric = symmetric;
        grid.rebuild(
            ground,
            &crowd.view(false),
            &crowd.height,
            &[],
            5.0,
            &[true, false],
        );
        let perception = Perception {
            reach: 5.0,
            most: 10,
            wall_reach: 0.0,
        };
        let bodies: Vec<Body> = (0..crowd.id.len())
            .map(|i| {
                let l = crowd.location[i];
                let up = crowd.frame[i].up(ground.normals[l.triangle as usize]);
                Body {
                    feet: l.point,
                    up,
                    axis: up,
                    height: 1.8,
                }
            })
            .collect();
        let expected: Vec<Vec<(f32, u64, u8)>> = (0..bodies.len())
            .map(|i| {
                let mut near: Vec<_> = (0..bodies.len())
                    .filter(|&j| j != i)
                    .filter_map(|j| {
                        let squared = bodies[i].towards(&bodies[j]).length_squared();
                        let (relevant, one_sided) = grid.relevance.relation(&bodies[i], &bodies[j]);
                        let same = crowd.group[i] == crowd.group[j] && crowd.group[i] != NONE;
                        let flags = if same { SAME_GROUP } else { 0 }
                            | if crowd.tier[j] == 1 || one_sided {
                                NON_RECIPROCAL
                            } else {
                                0
                            };
                        (squared <= 25.0 && relevant).then_some((squared, crowd.id[j], flags))
                    })
                    .collect();
                near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                near.truncate(10);
                near
            })
            .collect();
        let n = crowd.id.len();
        let mut kth = vec![f32::INFINITY; n];
        for _ in 0..2 {
            let ours = crowd.gather(&grid, ground, perception, &mut kth);
            same(&ours, &expected);
            // Lengths as in space.
            for (a, b) in ours.iter().flatten().zip(expected.iter().flatten()) {
                assert!((a.0 - b.0.sqrt()).abs() < 1e-3);
            }
        }
        assert!(expected.iter().map(Vec::len).sum::<usize>() > 1_000);
    }
}

#[test]
fn heads_between_floor_and_ceiling_come_near() {
    // Two sheets 3 m apart, walked on from between.
    let sheet = |z: f64| {
        [[-20.0, -20.0], [20.0, -20.0], [20.0, 20.0], [-20.0, 20.0]]
            .map(|p| DVec2::from(p).extend(z))
    };
    let vertices = [sheet(0.0), sheet(3.0)].concat();
    let mesh = Mesh {
        vertices,
        triangles: vec![[0, 1, 2], [0, 2, 3], [6, 5, 4], [7, 6, 4]],
    };
    let ground = Ground::from_mesh(&mesh).unwrap();
    let ground = ground.view();
    let mut crowd = Crowd::default();
    let origin = ground.origin.as_vec3();
    for p in [Vec3::ZERO, Vec3::new(1.0, 0.0, 3.0)] {
        let location = ground.locate(p - origin).unwrap();
        crowd.add(location, ground.frame_at(location), Vec2::ZERO);
    }
    let mut grid = NeighbourGrid::default();
    grid.rebuild(
        ground,
        &crowd.view(false),
        &crowd.height,
        &[],
        5.0,
        &[true, false],
    );
    let perception = Perception {
        reach: 5.0,
        most: 10,
        wall_reach: 0.0,
    };
    let seen = crowd.gather(&grid, ground, perception, &mut [0.0; 2]);
    // Our head at 1.8 m, theirs at 1.2 m, our waist at 0.9 m: 0.3 m up and 1 m away.
    let expected = (1.0_f32 + 0.09).sqrt();
    assert!((seen[0][0].0 - expected).abs() < 1e-5, "{seen:?}");
    assert_eq!(seen[1].len(), 1);
}

#[test]
fn overlaps_circles_and_density_are_those_of_all_pairs() {
    let ground = Ground::from_environment(&square(15.0)).unwrap();
    let ground = ground.view();
    let crowd = clumps(ground, 15.0, 400, 12);
    let mut grid = NeighbourGrid::default();
    grid.rebuild(
        ground,
        &crowd.view(true),
        &crowd.height,
        &[],
        1.0,
        &[true, false],
    );
    let (mut pairs, mut deepest) = (0, 0.0_f32);
    let distance = |i: usize, j: usize| crowd.location[i].point.distance(crowd.location[j].point);
    for i in 0..crowd.id.len() {
        for j in 0..i {
            let depth = crowd.radius[i] + crowd.radius[j] - distance(i, j);
            if depth > 0.005 {
                pairs += 1;
                deepest = deepest.max(depth);
            }
        }
    }
    assert!(pairs > 100);
    assert_eq!(
        grid.overlapping_pairs(ground, &crowd.view(true), 0.005),
        (pairs, deepest)
    );
    let mut rows = Vec::new();
    let centre = crowd.location[5].point;
    grid.agents_in_circle(centre + Vec3::Z * 9.0, 2.0, &mut rows);
    let expected: Vec<u32> = (0..crowd.id.len() as u32)
        .filter(|&i| distance(i as usize, 5) <= 2.0)
        .collect();
    assert_eq!(rows, expected);
    let area = std::f64::consts::PI * 2.25;
    let counts: Vec<usize> = (0..crowd.id.len())
        .map(|i| {
            (0..crowd.id.len())
                .filter(|&j| distance(i, j) <= 1.5)
                .count()
        })
        .collect();
    let (sum, peak) = grid.local_density(ground, &crowd.view(true));
    assert!((sum - counts.iter().sum::<usize>() as f64 / area).abs() < 1e-6);
    assert!((f64::from(peak) - *counts.iter().max().unwrap() as f64 / area).abs() < 1e-4);
    // In one look as in two.
    assert_eq!(
        grid.overlaps_and_density(ground, &crowd.view(true), 0.005),
        ((pairs, deepest), (sum, peak))
    );
}

#[test]
fn an_empty_crowd_is_no_trouble() {
    let ground = Ground::from_environment(&square(15.0)).unwrap();
    let ground = ground.view();
    let crowd = Crowd::default();
    let mut grid = NeighbourGrid::default();
    grid.rebuild(ground, &crowd.view(true), &[], &[], 0.0, &[true, false]);
    assert_eq!(
        grid.overlapping_pairs(ground, &crowd.view(true), 0.0),
        (0, 0.0)
    );
    let mut rows = Vec::new();
    grid.agents_in_circle(Vec3::ZERO, 100.0, &mut rows);
    assert!(rows.is_empty());
    let mut out = NeighbourBuffer::default();
    out.clear(3);
    assert_eq!(out.rows().start, [0; 4]);
}

#[test]
fn stairs_and_floors_of_a_building() {
    use throng_kit::environment::Connection;
    let mut environment = square(30.0);
    let mut upper = environment.floors[0].clone();
    upper.z = 3.0;
    upper.name = "upper".into();
    upper.thin_walls = vec![vec![DVec2::new(22.0, 5.0), DVec2::new(22.0, 25.0)]];
    environment.floors.push(upper);
    environment.connections.push(Connection {
        name: "stair".into(),
        from: 0,
        to: 1,
        lower: [DVec2::new(10.0, 10.0), DVec2::new(10.0, 14.0)],
        upper: [DVec2::new(16.0, 10.0), DVec2::new(16.0, 14.0)],
        speed: 0.6,
    });
    let ground = Ground::from_environment(&environment).unwrap();
    let ground = ground.view();
    assert!(ground.plan && !ground.flat);
    let place = |p: [f64; 3]| {
        ground
            .locate((DVec3::from(p) - ground.origin).as_vec3())
            .unwrap()
    };
    let mut crowd = Crowd::default();
    for p in [
        [9.5, 12.0, 0.0],
        [12.0, 12.0, 1.0],
        [14.0, 12.0, 2.0],
        [16.5, 12.0, 3.0],
        [16.5, 12.5, 0.0],
        [9.0, 13.0, 3.0],
        [21.0, 20.0, 3.0],
        [23.0, 20.0, 3.0],
        [21.0, 20.0, 0.0],
        [23.0, 20.0, 0.0],
    ] {
        let location = place(p);
        crowd.add(location, ground.frame_at(location), Vec2::ZERO);
    }
    let mut grid = NeighbourGrid::default();
    grid.rebuild(
        ground,
        &crowd.view(false),
        &crowd.height,
        &[],
        5.0,
        &[true, false],
    );
    let perception = Perception {
        reach: 5.0,
        most: 10,
        wall_reach: 0.0,
    };
    let seen = crowd.gather(&grid, ground, perception, &mut [0.0; 10]);
    let sees = |a: usize, b: usize| seen[a].iter().any(|n| n.1 == crowd.id[b]);
    // The foot of the stair, two people on it, its head: each sees the next ones.
    for (a, b) in [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)] {
        assert!(sees(a, b) && sees(b, a), "{a} {b}");
    }
    // The same place in plan, another floor.
    assert!(!sees(3, 4) && !sees(4, 3));
    assert!(!sees(0, 5) && !sees(5, 0));
    // A wall on the upper floor, none below it.
    assert!(!sees(6, 7) && !sees(7, 6));
    assert!(sees(8, 9) && sees(9, 8));
}

/// `cargo test --release -p throng-engine search_speed -- --ignored --nocapture`
#[test]
#[ignore = "prints times"]
fn search_speed() {
    for count in [10_000, 100_000] {
        let side = (count as f64 / 0.5).sqrt();
        let ground = Ground::from_environment(&square(side)).unwrap();
        let ground = ground.view();
        let mut draw = Stream::new(1, 0, Purpose::Start, 0);
        let mut points: Vec<DVec2> = (0..count)
            .map(|_| DVec2::new(draw.unit_f64(), draw.unit_f64()) * side)
            .collect();
        points.sort_by_key(|p| ((p.y / 4.0) as i32, (p.x * 1000.0) as i32));
        let mut crowd = Crowd::default();
        for p in points {
            let point = (p.extend(0.0) - ground.origin).as_vec3();
            crowd.add(Location { point, triangle: 0 }, Frame::FLAT, Vec2::X);
        }
        let perception = Perception {
            reach: 5.0,
            most: 10,
            wall_reach: 0.0,
        };
        let rows: Vec<u32> = (0..count as u32).collect();
        let mut kth = vec![f32::INFINITY; count];
        let mut grid = NeighbourGrid::default();
        let mut out = NeighbourBuffer::default();
        let (mut sort, mut search) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..30 {
            let began = std::time::Instant::now();
            grid.rebuild(ground, &crowd.view(true), &[], &[], 5.0, &[true, false]);
            sort = sort.min(began.elapsed().as_secs_f64());
            let began = std::time::Instant::now();
            for (rows, kth) in rows.chunks(256).zip(kth.chunks_mut(256)) {
                let view = crowd.view(true);
                let clear = [f32::INFINITY; 256];
                grid.gather(ground, &view, rows, perception, &clear, kth, 0.28, &mut out);
            }
            search = search.min(began.elapsed().as_secs_f64());
        }
        let each = 1e9 / count as f64;
        let (sort, search) = (sort * each, search * each);
        println!("{count} agents: sort {sort:.0} ns, search {search:.0} ns per agent");
    }
}

#[test]
fn those_who_look_find_the_same_where_the_unseen_are_left_out() {
    let ground = Ground::from_environment(&square(600.0)).unwrap();
    let ground = ground.view();
    let mut crowd = clumps(ground, 600.0, 3000, 7);
    let corner = ground.from_world(glam::DVec3::new(150.0, 150.0, 0.0));
    for (tier, at) in crowd.tier.iter_mut().zip(&crowd.location) {
        let inside = at.point.x < corner.x && at.point.y < corner.y;
        *tier = u8::from(!inside);
    }
    let lookers = |crowd: &Crowd, found: Vec<Vec<(f32, u64, u8)>>| {
        let rows = found.into_iter().zip(&crowd.tier);
        let of_lookers = rows.filter(|(_, tier)| **tier == 0);
        of_lookers.map(|(found, _)| found).collect::<Vec<_>>()
    };
    let mut grid = NeighbourGrid::default();
    for (reach, most) in LOOKS {
        let perception = Perception {
            reach,
            most,
            wall_reach: 0.0,
        };
        let mut kth = vec![f32::INFINITY; crowd.id.len()];
        let expected = lookers(&crowd, all_pairs_flat(&crowd, &ground, perception));
        assert!(expected.iter().any(|found| !found.is_empty()));
        for looks in [&[true, false][..], &[], &[true, false]] {
            grid.rebuild_for(
                ground,
                &crowd.view(true),
                &crowd.height,
                &[],
                reach,
                &[true, false],
                looks,
            );
            let left_out = crowd.id.len() - grid.entries.len();
            assert_eq!(left_out > crowd.id.len() / 2, !looks.is_empty());
            let found = crowd.gather(&grid, ground, perception, &mut kth);
            same(&lookers(&crowd, found), &expected);
        }
    }
}
