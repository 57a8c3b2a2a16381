//! Fields whose solution is known.

use glam::{DVec2, Vec2};
use throng_core::Location;
use throng_kit::{
    Ground, Walk,
    environment::{Environment, Floor, Polygon},
};

use super::{
    cells::Cells,
    crowd::Crowd,
    solve::{Costs, Field, upwind},
};

#[test]
fn the_upwind_equation_has_its_known_roots() {
    // Two equal neighbours: phi + c / sqrt 2.
    let both = upwind(1.0, 1.0, 1.0, 1.0);
    assert!((both - (1.0 + core::f32::consts::FRAC_1_SQRT_2)).abs() < 1e-6);
    // One axis alone.
    assert_eq!(upwind(2.0, 0.5, f32::INFINITY, 1.0), 2.5);
    assert_eq!(upwind(f32::INFINITY, 1.0, 3.0, 0.25), 3.25);
    // A neighbour too far up to have come from.
    assert_eq!(upwind(0.0, 1.0, 5.0, 1.0), 1.0);
    // Costs by direction: ((phi - 0) / 1)^2 + ((phi - 0) / 2)^2 = 1.
    let uneven = upwind(0.0, 1.0, 0.0, 2.0);
    assert!((uneven - (1.0f32 / 1.25).sqrt()).abs() < 1e-6);
}

/// A room of 20 by 20 m with cells of 0.5 m and nobody in it.
struct Room {
    ground: Ground,
    cells: Cells,
    active: Vec<u32>,
    crowd: Crowd,
}

impl Room {
    fn new(solid: Vec<Polygon>) -> Room {
        let floor = Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(20.0))],
            solid,
            ..Floor::default()
        };
        let environment = Environment {
            floors: vec![floor],
            ..Environment::default()
        };
        let ground = Ground::from_environment(&environment).unwrap();
        let cells = Cells::on(&ground.view(), 0, 0.5).unwrap();
        let count = cells.len();
        let mut crowd = Crowd::default();
        crowd.discomfort = vec![0.0; count];
        crowd.free = vec![[1.0; 4]; count];
        crowd.flow = vec![[0.0; 4]; count];
        crowd.slope = vec![[1.0; 4]; count];
        Room {
            active: (0..count as u32).collect(),
            ground,
            cells,
            crowd,
        }
    }

    fn place(&self, x: f32, y: f32) -> Location {
        let view = self.ground.view();
        let local = Vec2::new(x, y) - view.origin.truncate().as_vec2();
        view.locate_plan(local, None).unwrap()
    }

    fn cell(&self, x: f32, y: f32) -> u32 {
        self.cells.of(&self.ground.view(), self.place(x, y))
    }

    fn solve(&self, goal: (f32, f32), weights: [f32; 3]) -> Field {
        self.solve_for(goal, weights, None)
    }

    fn solve_for(&self, goal: (f32, f32), weights: [f32; 3], wanted: Option<&[u32]>) -> Field {
        let (mut field, mut costs) = (Field::default(), Costs::default());
        let seeds = [(self.cell(goal.0, goal.1), 0.0)];
        // Every cell is active: slots are cells.
        let (cells, active) = (&self.cells, &self.active);
        costs.renew(cells, active, active, &self.crowd, weights, 1.0);
        field.solve(&costs, &self.crowd, &seeds, wanted);
        field
    }
}

#[test]
fn an_empty_room_has_the_distance_as_potential() {
    let room = Room::new(vec![]);
    // Length and time both weigh 1 at 1 m/s: two per metre.
    let field = room.solve((10.25, 10.25), [1.0, 1.0, 1.0]);
    for (x, y) in [(1.0, 10.0), (18.0, 18.0), (3.0, 15.0), (10.0, 1.0)] {
        let cell = room.cell(x, y);
        let centre = room.cells.place[cell as usize].point;
        let goal = room.place(10.25, 10.25).point;
        let exact = 2.0 * centre.distance(goal);
        let found = field.potential(cell);
        assert!(
            (found - exact).abs() < 0.08 * exact + 0.1,
            "({x}, {y}): {found} instead of {exact}"
        );
        let way = field.at(cell).unwrap();
        let straight = (goal - centre).truncate().normalize();
        assert!(way.way.dot(straight) > 0.97, "({x}, {y}): {way:?}");
        assert!((way.share - 1.0).abs() < 1e-4);
    }
}

#[test]
fn walls_are_walked_round() {
    let wall = Polygon::rectangle(DVec2::new(9.0, 0.0), DVec2::new(11.0, 15.0));
    let room = Room::new(vec![wall]);
    let field = room.solve((15.25, 2.25), [1.0, 0.0, 0.0]);
    // Up to (9, 15), along to (11, 15), down to the goal.
    let from = room.place(5.25, 2.25).point.truncate();
    let origin = room.ground.view().origin.truncate().as_vec2();
    let corner = |x: f32, y: f32| Vec2::new(x, y) - origin;
    let goal = room.place(15.25, 2.25).point.truncate();
    let exact = from.distance(corner(9.0, 15.0)) + 2.0 + corner(11.0, 15.0).distance(goal);
    let found = field.potential(room.cell(5.25, 2.25));
    assert!((found - exact).abs() < 0.08 * exact, "{found}, {exact}");
    assert!(field.at(room.cell(8.0, 10.0)).unwrap().way.y > 0.8);
}

#[test]
fn discomfort_and_counterflow_are_gone_round() {
    let mut room = Room::new(vec![]);
    // A strip of discomfort across the straight way, open at the top.
    for cell in 0..room.cells.len() {
        let at = room.cells.place[cell].point + room.ground.view().origin.as_vec3();
        if at.x > 9.0 && at.x < 11.0 && at.y < 14.0 {
            room.crowd.discomfort[cell] = 20.0;
        }
    }
    let field = room.solve((15.25, 8.25), [1.0, 1.0, 1.0]);
    let way = field.at(room.cell(8.25, 8.25)).unwrap().way;
    assert!(way.y > 0.5, "round the top: {way}");

    // A dense stream to the west in the way: the speed there is that of the stream, next to none.
    let mut room = Room::new(vec![]);
    for cell in 0..room.cells.len() {
        let at = room.cells.place[cell].point + room.ground.view().origin.as_vec3();
        for d in 0..4 {
            let next = room.cells.next[cell][d];
            if next != throng_core::NONE && at.y < 14.0 && at.x > 6.0 && at.x < 14.0 {
                room.crowd.free[cell][d] = 0.0;
                room.crowd.flow[cell][d] = if d == 2 { 1.0 } else { 0.0 };
            }
        }
    }
    let east = room.solve((17.25, 8.25), [0.0, 1.0, 0.0]);
    let west = room.solve((2.25, 8.25), [0.0, 1.0, 0.0]);
    let (against, with) = (
        east.potential(room.cell(4.25, 8.25)),
        west.potential(room.cell(15.25, 8.25)),
    );
    assert!(with < 14.0, "with the stream it is quick: {with} s");
    assert!(against > 15.0, "against it one goes round: {against} s");
    assert!(east.at(room.cell(5.25, 8.25)).unwrap().way.y > 0.3);
}

#[test]
fn what_is_asked_for_is_as_in_full() {
    let wall = Polygon::rectangle(DVec2::new(9.0, 0.0), DVec2::new(11.0, 15.0));
    let mut room = Room::new(vec![wall]);
    for cell in 0..room.cells.len() {
        for d in 0..4 {
            let uneven = (cell * 7 + d * 3) % 11;
            room.crowd.free[cell][d] = uneven as f32 / 11.0;
            room.crowd.flow[cell][d] = 0.3;
        }
    }
    let whole = room.solve((15.25, 2.25), [1.0, 1.0, 1.0]);
    let wanted: Vec<u32> = [(12.0, 4.0), (5.25, 12.25), (9.5, 16.0)]
        .map(|(x, y)| room.cell(x, y))
        .to_vec();
    let part = room.solve_for((15.25, 2.25), [1.0, 1.0, 1.0], Some(&wanted));
    for &cell in &wanted {
        assert!(whole.at(cell).is_some());
        assert_eq!(part.at(cell), whole.at(cell));
        assert_eq!(part.potential(cell), whole.potential(cell));
    }
    // Far behind the last of them nothing was solved.
    assert!(whole.at(room.cell(5.25, 2.25)).is_some());
    assert!(part.at(room.cell(5.25, 2.25)).is_none());
    let none = room.solve_for((15.25, 2.25), [1.0, 1.0, 1.0], Some(&[]));
    assert!(none.at(room.cell(15.25, 2.25)).is_none());
}

#[test]
fn people_weigh_most_in_their_own_cell() {
    let room = Room::new(vec![]);
    let view = room.ground.view();
    for (x, y) in [(5.3, 7.7), (5.0, 5.0), (3.25, 3.25)] {
        let at = room.place(x, y);
        let own = room.cells.of(&view, at);
        for (cell, weight) in room.cells.splat(&view, at, 2.0) {
            // Treuille et al., section 4.1: no less than 1/2^lambda at home, no more elsewhere.
            if cell == own {
                assert!(weight >= 0.25 - 1e-4, "({x}, {y}): {weight}");
            } else {
                assert!(weight <= 0.25 + 1e-4, "({x}, {y}): {weight}");
            }
        }
        let all: f32 = room.cells.about(&view, at).iter().map(|c| c.1).sum();
        assert!((all - 1.0).abs() < 1e-5);
    }
}

#[test]
fn fields_are_taken_back_as_they_were() {
    use super::{PotentialField, Set, subgoals};
    use throng_core::GlobalPlanner;
    let room = Room::new(vec![]);
    let planner = PotentialField {
        active: room.active.clone(),
        sets: vec![Set {
            goal: 3,
            class: 1,
            used: true,
            nodes: vec![1.0, f32::INFINITY],
            seeds: vec![],
            wanted: vec![],
            field: room.solve((10.25, 10.25), [1.0, 1.0, 1.0]),
        }],
        ..PotentialField::default()
    };
    let mut saved = Vec::new();
    planner.save(&mut saved);
    let mut again = PotentialField::default();
    again.load(&saved).unwrap();
    let cell = room.cell(3.0, 3.0);
    assert_eq!(again.sets[0].field.at(cell), planner.sets[0].field.at(cell));
    assert_eq!(again.sets[0].nodes, planner.sets[0].nodes);
    assert!(PotentialField::default().load(&saved[..40]).is_err());
    assert_eq!(subgoals::Reader(&[1, 0]).word(), None);
}
