//! Fields over small lattices, against searches of the graph and straight lines.

use super::*;
use crate::{routes::Dense, stencil::tests::lattice};
use throng_core::{EdgePrices, NONE, NavMap, NodeId};
use throng_kit::search::{DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree};

/// A field by node.
struct Grown {
    cost: Vec<f32>,
    next: Vec<NodeId>,
    way: Vec<Vec2>,
}

fn grown(map: &NavMap, terms: &Terms<'_>, expansion: Expansion, goal: NodeId) -> Grown {
    let stencil = Stencil::of(map).unwrap();
    let costs = StepCosts::on(&stencil, terms);
    let mut field = Field::default();
    let goal = costs.seeds(&stencil, &[goal]);
    Expander::default().grow(&stencil, &costs, expansion, &goal, &mut field);
    let slots = || stencil.slot.iter().map(|s| *s as usize);
    let node = |s: usize| {
        let next = field.next_of(&stencil, s as Slot);
        stencil.node.get(next as usize)
    };
    Grown {
        cost: slots().map(|s| field.cost[s]).collect(),
        next: slots().map(|s| node(s).copied().unwrap_or(NONE)).collect(),
        way: slots().map(|s| field.way[s].unit()).collect(),
    }
}

const BOTH: [Expansion; 2] = [Expansion::Dijkstra, Expansion::ThetaStar];

/// Rooms of 40 x 30 cells with blocks scattered by a fixed rule, sparse and dense.
fn cluttered() -> impl Iterator<Item = NavMap> {
    (0..6).map(|seed| {
        lattice(40, 30, |x, y| {
            let mixed = (x * 73 + y * 151 + seed * 977 + x * y * 7 + x * x * 3) % 97;
            let clear = (15..20).contains(&x) && y < 3;
            clear || mixed >= 7 + 4 * seed && !(x == 25 && y > 4)
        })
    })
}

fn tree(map: &NavMap, terms: &Terms<'_>, goal: NodeId) -> Vec<f32> {
    let mut tree = DistanceTree::default();
    distance_tree(
        terms,
        &[(goal, 0.0)],
        Toward::Sources,
        &Incoming::of(map),
        &mut SearchScratch::default(),
        &mut tree,
    );
    tree.cost
}

fn assert_same(found: &[f32], wanted: &[f32], tolerance: f32) {
    for (node, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let same = found == wanted || (found - wanted).abs() <= tolerance * wanted;
        assert!(same, "{node}: {found} {wanted}");
    }
}

fn goal_of(map: &NavMap) -> NodeId {
    let at = |p: &throng_core::Location| (p.point.x, p.point.y) == (17.5, 0.5);
    map.node_place.iter().position(at).unwrap() as NodeId
}

#[test]
fn dijkstra_costs_are_those_of_the_graph() {
    for map in cluttered() {
        let terms = Terms::lengths(&map, &[], 0.0);
        let goal = goal_of(&map);
        let field = grown(&map, &terms, Expansion::Dijkstra, goal);
        assert_same(&field.cost, &tree(&map, &terms, goal), 3e-7);
        assert!(field.cost.iter().filter(|c| c.is_finite()).count() > 300);
    }
}

#[test]
fn goals_with_something_left_to_pay_are_walked_to_where_that_is_cheaper() {
    for map in cluttered() {
        let terms = Terms::lengths(&map, &[], 0.0);
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &terms);
        let goals = [
            (goal_of(&map), 9.3),
            (0, 0.0),
            (map.nodes() as NodeId - 1, 4.0),
        ];
        let mut field = Field::default();
        let seeds = goals.map(|(node, left)| (stencil.slot_of(node), left));
        let mut expander = Expander::default();
        expander.grow(&stencil, &costs, Expansion::Dijkstra, &seeds, &mut field);
        let trees = goals.map(|(node, left)| (tree(&map, &terms, node), left));
        for node in 0..map.nodes() {
            let found = field.cost[stencil.slot[node] as usize];
            let wanted = trees.iter().map(|(tree, left)| tree[node] + left);
            let wanted = wanted.fold(f32::INFINITY, f32::min);
            // What is left is kept as a whole number of parts of a step.
            assert!(
                found == wanted || (found - wanted).abs() < 1e-3,
                "{found} {wanted}"
            );
        }
    }
}

#[test]
fn directions_beside_slanted_walls_are_those_of_straight_lines() {
    let near = |p: Vec2, a: Vec2, b: Vec2, width: f32| {
        let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        p.distance(a + (b - a) * along) < width
    };
    let wall = |p: Vec2| {
        near(p, Vec2::new(10.0, 20.0), Vec2::new(60.0, 36.0), 2.0)
            || near(p, Vec2::new(20.0, 80.0), Vec2::new(44.0, 46.0), 1.5)
            || p.distance(Vec2::new(66.0, 62.0)) < 14.0
    };
    let map = lattice(96, 96, |x, y| {
        // No wall at the cell's corners, sides and middle.
        let parts = (0..9).map(|k| Vec2::new((k % 3) as f32, (k / 3) as f32) / 2.0);
        !parts
            .into_iter()
            .any(|part| wall(Vec2::new(x as f32, y as f32) + part))
    });
    let terms = Terms::lengths(&map, &[], 0.0);
    let at = |p: &throng_core::Location| (p.point.x, p.point.y) == (88.5, 10.5);
    let goal = map.node_place.iter().position(at).unwrap() as NodeId;
    let [graph, theta] = BOTH.map(|expansion| grown(&map, &terms, expansion, goal));
    let stencil = Stencil::of(&map).unwrap();
    let (mut off, mut off_at_walls, mut at_walls) = (0, 0, 0);
    for (node, (a, b)) in graph.way.iter().zip(&theta.way).enumerate() {
        let differ = usize::from(node != goal as usize && a.dot(*b) < 0.98);
        if stencil.steps[stencil.slot[node] as usize] == u8::MAX {
            off += differ;
        } else {
            // In the corners of a wall's steps a front has nowhere else to come from.
            off_at_walls += differ;
            at_walls += 1;
        }
    }
    assert!(off * 250 < map.nodes(), "{off} of {}", map.nodes());
    assert!(
        off_at_walls * 8 < at_walls,
        "{off_at_walls} of {at_walls} at walls"
    );
}

#[test]
fn narrow_steps_are_left_out_whatever_their_pattern() {
    for mut map in cluttered() {
        let goal = goal_of(&map);
        for e in 0..map.edges() {
            let (a, b) = (map.edge_from[e], map.edge_to[e]);
            let wide = (a.min(b) * 31 + a.max(b) * 17) % 5 != 0 || a == goal || b == goal;
            map.edge_clearance[e] = if wide { 0.5 } else { 0.1 };
        }
        let terms = Terms::lengths(&map, &[], 0.3);
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &terms);
        assert!(costs.each.is_empty() && !costs.regular);
        let field = grown(&map, &terms, Expansion::Dijkstra, goal);
        let wanted = tree(&map, &terms, goal);
        for (found, wanted) in field.cost.iter().zip(&wanted) {
            // Slots without any step get out of the narrow place.
            let out = wanted.is_infinite() && found.is_finite();
            assert!(out || found == wanted || (found - wanted).abs() <= 3e-7 * wanted);
        }
    }
}

#[test]
fn priced_steps_pay_for_the_direction_of_travel() {
    for map in cluttered() {
        // Steps east are dear, steps west are not.
        let mut prices = EdgePrices::default();
        for e in 0..map.edges() {
            let place = |n: u32| map.node_place[n as usize].point;
            let way = place(map.edge_to[e]) - place(map.edge_from[e]);
            prices.base.push(map.edge_length[e]);
            prices.crowd.push(if way.x > 0.0 {
                3.0 * map.edge_length[e]
            } else {
                0.0
            });
        }
        let terms = Terms::edges(&map, &[], 0.0, &prices, 1.0, 1.0);
        let goal = goal_of(&map);
        let field = grown(&map, &terms, Expansion::Dijkstra, goal);
        assert_same(&field.cost, &tree(&map, &terms, goal), 1e-5);
        let theta = grown(&map, &terms, Expansion::ThetaStar, goal);
        for (ours, graph) in theta.cost.iter().zip(&field.cost) {
            assert!(
                ours <= graph || ours - graph <= 1e-5 * graph,
                "{ours} {graph}"
            );
        }
    }
    let open = lattice(9, 3, |_, _| true);
    let mut prices = EdgePrices::default();
    for e in 0..open.edges() {
        let place = |n: u32| open.node_place[n as usize].point;
        let way = place(open.edge_to[e]) - place(open.edge_from[e]);
        prices.base.push(open.edge_length[e]);
        prices.crowd.push(if way.x > 0.0 { 3.0 } else { 0.0 });
    }
    let terms = Terms::edges(&open, &[], 0.0, &prices, 1.0, 1.0);
    for expansion in BOTH {
        // The goal is in the middle of the row: from the west it is dear to reach.
        let field = grown(&open, &terms, expansion, 13);
        assert!(field.cost[9] > 15.9, "{expansion}: {}", field.cost[9]);
        assert!((field.cost[17] - 4.0).abs() < 1e-4, "{expansion}");
    }
}

#[test]
fn open_ground_has_straight_directions_at_any_angle() {
    let map = lattice(40, 30, |_, _| true);
    let terms = Terms::lengths(&map, &[], 0.0);
    for expansion in BOTH {
        let field = grown(&map, &terms, expansion, 5 * 40 + 7);
        let goal = map.node_place[5 * 40 + 7].point;
        for (node, place) in map.node_place.iter().enumerate() {
            let way = (goal - place.point).truncate();
            let wanted = way.normalize_or_zero();
            let apart = (field.way[node] - wanted).length();
            // Fronts over steps are round only a few steps from the goal.
            let most = match expansion {
                Expansion::ThetaStar => 5e-5,
                Expansion::Dijkstra if way.length() < 10.0 => 0.062,
                Expansion::Dijkstra => 0.045,
            };
            assert!(apart < most, "{expansion} {way}: {apart}");
            let square = way.x == 0.0 || way.y == 0.0 || way.x.abs() == way.y.abs();
            assert!(apart < 5e-4 || !square, "{expansion} {way}: {apart}");
            if expansion == Expansion::ThetaStar {
                assert!((field.cost[node] - way.length()).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn theta_costs_lie_between_the_line_and_the_graph() {
    for map in cluttered() {
        let terms = Terms::lengths(&map, &[], 0.0);
        let goal = goal_of(&map);
        let graph = grown(&map, &terms, Expansion::Dijkstra, goal);
        let theta = grown(&map, &terms, Expansion::ThetaStar, goal);
        let at = map.node_place[goal as usize].point;
        let mut shorter = 0;
        for node in 0..map.nodes() {
            if graph.cost[node].is_infinite() {
                assert_eq!(theta.next[node], NONE);
                continue;
            }
            let line = map.node_place[node].point.distance(at);
            assert!(theta.cost[node] >= line - 1e-3);
            let (ours, theirs) = (theta.cost[node], graph.cost[node]);
            assert!(ours <= theirs * (1.0 + 1e-5), "{node}: {ours} {theirs}");
            shorter += usize::from(ours < theirs * 0.99);
        }
        assert!(shorter > map.nodes() / 4, "{shorter} of {}", map.nodes());
    }
}

#[test]
fn every_node_sees_its_next_and_gets_nearer() {
    for map in cluttered() {
        let stencil = Stencil::of(&map).unwrap();
        let terms = Terms::lengths(&map, &[], 0.0);
        let goal = goal_of(&map) as usize;
        for expansion in BOTH {
            let field = grown(&map, &terms, expansion, goal as NodeId);
            let place = |node: usize| map.node_place[node].point.truncate();
            for node in (0..map.nodes()).filter(|n| field.cost[*n].is_finite() && *n != goal) {
                let next = field.next[node] as usize;
                let mut end = next;
                for _ in 0..map.nodes() {
                    end = field.next[end] as usize;
                }
                assert_eq!(end, goal, "{expansion}: from {node} the goal is reached");
                // Walk the line in small steps and look where it is.
                let (a, b) = (place(node), place(next));
                let steps = (a.distance(b) * 20.0) as usize;
                for i in 0..=steps {
                    let at = a + (b - a) * (i as f32 / steps.max(1) as f32);
                    let (slot, _) = stencil.slot_at(at);
                    let free = stencil.node[slot as usize] != NONE;
                    assert!(free, "{expansion} {a} to {b} at {at}");
                }
                // The direction leads towards what is next, not away from it.
                let along = field.way[node].dot((b - a).normalize());
                assert!(along > 0.9, "{expansion} {a} to {b}: {}", field.way[node]);
            }
        }
    }
}

#[test]
fn theta_star_goes_round_a_crowd() {
    let map = lattice(41, 41, |_, _| true);
    let mut prices = EdgePrices::default();
    for e in 0..map.edges() {
        let middle = (map.node_place[map.edge_from[e] as usize].point
            + map.node_place[map.edge_to[e] as usize].point)
            / 2.0;
        let inside = middle.truncate().distance(Vec2::splat(20.5)) < 8.0;
        prices.base.push(map.edge_length[e]);
        prices.crowd.push(if inside {
            9.0 * map.edge_length[e]
        } else {
            0.0
        });
    }
    let terms = Terms::edges(&map, &[], 0.0, &prices, 1.0, 1.0);
    let goal = (20 * 41 + 40) as NodeId;
    let field = grown(&map, &terms, Expansion::ThetaStar, goal);
    // From the far side: round the disc of radius 8 the way is 2 * 18.3 + 8 * 0.82 long or so.
    let there = 20 * 41;
    assert!(field.cost[there] < 46.0, "{}", field.cost[there]);
    assert!(field.way[there].y.abs() > 0.2, "{}", field.way[there]);
    let graph = grown(&map, &terms, Expansion::Dijkstra, goal);
    assert!(field.cost[there] < graph.cost[there] * 1.001);
}

#[test]
fn floors_above_each_other_are_reached_by_their_stairs() {
    // A strip of 12 cells that turns back and ends above itself.
    let mut map = lattice(12, 1, |_, _| true);
    let turn = [[6.5, 1.5], [5.5, 1.5], [4.5, 0.5], [3.5, 0.5], [2.5, 0.5]];
    for (place, [x, y]) in map.node_place[7..].iter_mut().zip(turn) {
        place.point = glam::Vec3::new(x, y, 3.0);
    }
    for e in 0..map.edges() {
        let (a, b) = (map.edge_from[e], map.edge_to[e]);
        if (a.min(b), a.max(b)) == (8, 9) {
            map.edge_length[e] = 2.0_f64.sqrt() as f32;
        }
    }
    let terms = Terms::lengths(&map, &[], 0.0);
    for expansion in BOTH {
        let field = grown(&map, &terms, expansion, 0);
        let length = field.cost[11];
        assert!(length > 9.5 && length < 11.4143, "{expansion}: {length}");
        assert!(field.way[5].x < -0.9 && field.way[11].x > 0.9);
        let mut at = 11;
        for _ in 0..12 {
            at = field.next[at] as usize;
        }
        assert_eq!(at, 0);
    }
}

/// Rooms behind walls that pass between cells, with doors in them, and pillars.
fn walled(seed: i32) -> NavMap {
    let mixed = |a: i32, b: i32, c: i32| {
        let sum = (a * 7919 + b * 104_729 + c * 1_299_709 + seed * 15_485_863) as u32;
        let sum = (sum ^ sum >> 15).wrapping_mul(0x2C1B_3C6D);
        (sum ^ sum >> 12).wrapping_mul(0x297A_2D39) >> 16
    };
    let mut map = lattice(64, 48, |x, y| {
        (x, y) == (20, 20) || mixed(x, y, 0) % 100 >= 3 * (seed as u32 % 4)
    });
    let walls = |x: i32, y: i32| (x % 9 == 4) & (mixed(x, y / 2, 1) % 5 != 0);
    // Short walls that stand free, on every other map.
    let right_of = |x: i32, y: i32| walls(x, y) || seed % 2 == 0 && mixed(x, y, 3) % 31 == 0;
    let above = |x: i32, y: i32| walls(y + 2, x) || seed % 2 == 0 && mixed(x, y, 4) % 29 == 0;
    for e in 0..map.edges() {
        let cell = |n: u32| {
            let p = map.node_place[n as usize].point;
            (p.x as i32, p.y as i32)
        };
        let ((ax, ay), (bx, by)) = (cell(map.edge_from[e]), cell(map.edge_to[e]));
        let (x, y) = (ax.min(bx), ay.min(by));
        let wall = match (ax != bx, ay != by) {
            (true, false) => right_of(x, y),
            (false, true) => above(x, y),
            _ => right_of(x, y) || right_of(x, y + 1) || above(x, y) || above(x + 1, y),
        };
        map.edge_clearance[e] = if wall { 0.1 } else { 0.5 };
    }
    map
}

/// A crowd in the middle of a map, dearest to walk against eastwards.
fn crowded(map: &NavMap) -> EdgePrices {
    let mut prices = EdgePrices::default();
    for e in 0..map.edges() {
        let [from, to] = [map.edge_from[e], map.edge_to[e]]
            .map(|node| map.node_place[node as usize].point.truncate());
        let inside = from.midpoint(to).distance(Vec2::new(32.0, 24.0)) < 14.0;
        let against = 0.4 + 0.3 * (to - from).normalize().x;
        let length = map.edge_length[e];
        prices.base.push(length);
        prices
            .crowd
            .push(if inside { against * length } else { 0.0 });
    }
    prices
}

#[test]
fn ways_past_thin_walls_and_through_doors_are_free_and_cost_what_the_graph_says() {
    let (mut lines, mut fenced) = ([[0; 2]; 2], 0);
    for map in (0..16).map(walled) {
        let prices = crowded(&map);
        let terms = [
            Terms::lengths(&map, &[], 0.3),
            Terms::edges(&map, &[], 0.3, &prices, 1.0, 1.0),
        ];
        let at = |p: &throng_core::Location| (p.point.x, p.point.y) == (20.5, 20.5);
        let goal = map.node_place.iter().position(at).unwrap() as NodeId;
        let stencil = Stencil::of(&map).unwrap();
        let mut expander = Expander::default();
        for (terms, lines) in terms.iter().zip(&mut lines) {
            let costs = StepCosts::on(&stencil, terms);
            fenced += usize::from(!costs.solid);
            let wanted = tree(&map, terms, goal);
            for (expansion, lines) in BOTH.into_iter().zip(lines) {
                let mut field = Field::default();
                let seeds = costs.seeds(&stencil, &[goal]);
                expander.grow(&stencil, &costs, expansion, &seeds, &mut field);
                let dense = Dense {
                    stencil: &stencil,
                    costs: &costs,
                    field: &field,
                    expansion,
                };
                *lines += check_lines(&dense, goal, &wanted);
            }
        }
    }
    let lines = lines.as_flattened();
    assert!(lines.iter().all(|l| *l > 500), "{lines:?} lines are long");
    assert!(
        fenced > 8 && fenced < 32,
        "{fenced} have walls that stand free"
    );
}

/// Checks that all ways are free, lead to the goal and cost what is wanted, or less at any angle.
/// Gives the number of long lines.
fn check_lines(dense: &Dense<'_>, goal: NodeId, wanted: &[f32]) -> usize {
    let Dense {
        stencil,
        costs,
        field,
        expansion,
    } = *dense;
    let place = |slot: Slot| (slot as i32 % stencil.stride, slot as i32 / stencil.stride);
    let mut long = 0;
    for (node, &wanted) in wanted.iter().enumerate() {
        let slot = stencil.slot[node];
        let (found, next) = (field.cost[slot as usize], dense.ahead(slot));
        if wanted.is_infinite() || node == goal as usize {
            continue;
        }
        assert!(found <= wanted * (1.0 + 1e-5), "{found} {wanted}");
        assert!(expansion == Expansion::ThetaStar || found >= wanted * (1.0 - 1e-5));
        let (mut end, mut turns) = (next, 0);
        while end != stencil.slot_of(goal) {
            end = dense.ahead(end);
            turns += 1;
            assert!(turns < 200, "{expansion}: from {node} the goal is reached");
        }
        let ((x, y), (to_x, to_y)) = (place(slot), place(next));
        let line = (to_x - x, to_y - y);
        let free = is_free(&costs.open, &stencil.offset, slot, next as usize, line);
        assert!(free, "{expansion}: {x} {y} does not see {to_x} {to_y}");
        long += usize::from(line.0.abs().max(line.1.abs()) > 7);
    }
    long
}

/// A larger map with blocks, pillars and rooms, on which lines are long.
fn built(seed: i32) -> NavMap {
    lattice(160, 120, |x, y| {
        let mixed = (x / 11 * 73 + y / 9 * 151 + seed * 977 + x / 11 * (y / 9) * 7) % 13;
        let block = mixed < 3 && x % 11 > 2 && y % 9 > 3;
        let pillar = (x * 31 + y * 17 + seed * 5) % 211 == 0;
        let wall = y % 40 == 20 && x % 37 > 5 || x % 53 == 30 && y % 29 > 4;
        (x, y) == (17, 0) || !(block || pillar || seed % 2 == 1 && wall)
    })
}

#[test]
fn lines_are_free_and_costs_theirs_on_larger_maps() {
    for map in (0..6).map(built) {
        let terms = Terms::lengths(&map, &[], 0.0);
        let goal = goal_of(&map);
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &terms);
        let mut field = Field::default();
        let seeds = costs.seeds(&stencil, &[goal]);
        let expansion = Expansion::ThetaStar;
        Expander::default().grow(&stencil, &costs, expansion, &seeds, &mut field);
        let dense = Dense {
            stencil: &stencil,
            costs: &costs,
            field: &field,
            expansion,
        };
        let long = check_lines(&dense, goal, &tree(&map, &terms, goal));
        assert!(long > 5000, "{long}");
        let at = |slot: Slot| (slot as i32 % stencil.stride, slot as i32 / stencil.stride);
        for &slot in &stencil.slot {
            let cost = field.cost[slot as usize];
            let next = field.next_of(&stencil, slot);
            if cost.is_infinite() || next == slot {
                continue;
            }
            let ((x, y), (to_x, to_y)) = (at(slot), at(next));
            let line = (((to_x - x).pow(2) + (to_y - y).pow(2)) as f32).sqrt();
            let onward = field.cost[next as usize];
            // Slots mended later may leave a little to gain to those who walk to them.
            let left = cost - line - onward;
            assert!(
                (-1e-3..4.0).contains(&left),
                "{x} {y}: {cost} {line} {onward}"
            );
        }
    }
}

#[test]
fn fields_have_the_same_bits_on_every_instruction_set() {
    for map in (0..4)
        .map(built)
        .chain(cluttered())
        .chain((0..4).map(walled))
    {
        let terms = Terms::lengths(&map, &[], 0.3);
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &terms);
        let goal = costs.seeds(&stencil, &[map.nodes() as NodeId / 2]);
        let grown = |level| {
            let mut field = Field::default();
            let (mut octile, mut lines) = (octile::Memory::default(), lines::Memory::default());
            let sight = costs.sight.as_ref().unwrap();
            octile.grow_lines(
                &stencil, &costs, sight, &goal, &mut lines, level, &mut field,
            );
            field
        };
        let best = grown(Level::new());
        let reached = best.cost.iter().filter(|c| c.is_finite()).count();
        assert!(reached > 300, "{reached}");
        assert_eq!(best, grown(Level::baseline()));
        assert_eq!(best, grown(Level::fallback()));
    }
}
