//! Whether there is any way between two nodes, and how wide the widest one is.

use throng_core::{EdgeId, NONE, NavMap, NodeId};

/// The widest way between any two nodes of a map under one state of its doors.
///
/// Edges are joined from the widest to the narrowest into a forest by size, each link marked
/// with the clearance at which it was made. Trees are at most log2(nodes) deep, so a question is
/// answered by climbing a few links: goals that cannot be reached need no search. One-way edges
/// count both ways, so that "no way" is always true and "a way" may still be one-way.
#[derive(Clone, Debug, Default)]
pub struct Connectivity {
    parent: Vec<NodeId>,
    width: Vec<f32>,
    components: usize,
    least: f32,
    door_open: Vec<u8>,
    revision: u32,
    edges: usize,
}

impl Connectivity {
    /// Builds it for a map and a state of its doors.
    pub fn new(map: &NavMap, door_open: &[u8]) -> Connectivity {
        let nodes = map.nodes();
        let mut links: Vec<u64> = (0..map.edges() as EdgeId)
            .filter(|&e| {
                let twin = map.edge_twin[e as usize];
                (twin == NONE || e < twin) && map.is_open(e, door_open)
            })
            .map(|e| {
                // Descending clearance: bits of numbers that are not negative sort like them.
                let clearance = map.edge_clearance[e as usize].max(0.0);
                u64::from(!clearance.to_bits()) << 32 | u64::from(e)
            })
            .collect();
        links.sort_unstable();
        let mut parent: Vec<NodeId> = (0..nodes as NodeId).collect();
        let mut width = vec![f32::INFINITY; nodes];
        let mut size = vec![1_u32; nodes];
        let mut short = parent.clone();
        let mut components = nodes;
        for link in links {
            let e = link as u32 as usize;
            let (a, b) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
            let (a, b) = (root(&mut short, a), root(&mut short, b));
            if a == b {
                continue;
            }
            let (small, large) = if (size[a], a) < (size[b], b) {
                (a, b)
            } else {
                (b, a)
            };
            parent[small] = large as NodeId;
            short[small] = large as NodeId;
            width[small] = map.edge_clearance[e].max(0.0);
            size[large] += size[small];
            components -= 1;
        }
        Connectivity {
            parent,
            width,
            components,
            least: map
                .edge_clearance
                .iter()
                .fold(f32::INFINITY, |least, &c| least.min(c)),
            door_open: door_open.to_vec(),
            revision: map.revision,
            edges: map.edges(),
        }
    }

    /// Whether it was built for this map, whatever the state of its doors.
    pub fn is_of(&self, map: &NavMap) -> bool {
        self.revision == map.revision
            && self.parent.len() == map.nodes()
            && self.edges == map.edges()
    }

    /// Whether it was built for this map with its doors in this state.
    pub fn holds_for(&self, map: &NavMap, door_open: &[u8]) -> bool {
        self.is_of(map) && self.door_open == door_open
    }

    /// How many parts the map falls into.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The least clearance of any edge.
    pub fn least_clearance(&self) -> f32 {
        self.least
    }

    /// The least clearance of the widest way between two nodes, or `None` if nothing connects
    /// them.
    pub fn widest(&self, a: NodeId, b: NodeId) -> Option<f32> {
        let depth = |mut n: NodeId| {
            let mut steps = 0;
            while self.parent[n as usize] != n {
                n = self.parent[n as usize];
                steps += 1;
            }
            steps
        };
        let (mut a, mut b) = (a, b);
        let (mut above_a, mut above_b) = (depth(a), depth(b));
        let mut least = f32::INFINITY;
        while a != b {
            if above_a == 0 && above_b == 0 {
                return None;
            }
            let (climb, above) = if above_a >= above_b {
                (&mut a, &mut above_a)
            } else {
                (&mut b, &mut above_b)
            };
            least = least.min(self.width[*climb as usize]);
            *climb = self.parent[*climb as usize];
            *above -= 1;
        }
        Some(least)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.parent.capacity() + self.width.capacity()) * 4
    }
}

/// The root of a node, halving the way to it.
fn root(short: &mut [NodeId], mut n: usize) -> usize {
    while short[n] as usize != n {
        short[n] = short[short[n] as usize];
        n = short[n] as usize;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::route::tests::lattice;

    #[test]
    fn a_narrow_bridge_bounds_the_width_between_its_banks() {
        // Two 3 x 3 rooms joined through column 3, row 1 alone.
        let mut map = lattice(7, 3, |x, y| x != 3 || y == 1);
        for e in 0..map.edges() {
            let x = |n: u32| map.node_place[n as usize].point.x;
            let crosses = x(map.edge_from[e]) == 3.0 || x(map.edge_to[e]) == 3.0;
            map.edge_clearance[e] = if crosses { 0.3 } else { 2.0 };
        }
        let c = Connectivity::new(&map, &[]);
        assert_eq!(c.components(), 1);
        let at = |x: f32, y: f32| {
            (0..map.nodes() as u32)
                .find(|&n| map.node_place[n as usize].point.truncate() == glam::Vec2::new(x, y))
                .unwrap()
        };
        assert_eq!(c.widest(at(0.0, 0.0), at(2.0, 2.0)), Some(2.0));
        assert_eq!(c.widest(at(0.0, 0.0), at(6.0, 2.0)), Some(0.3));
        assert_eq!(c.widest(at(5.0, 0.0), at(5.0, 0.0)), Some(f32::INFINITY));
    }

    #[test]
    fn a_closed_door_parts_the_map() {
        let mut map = lattice(3, 1, |_, _| true);
        map.edge_door = vec![throng_core::NO_DOOR; map.edges()];
        for e in 0..map.edges() {
            if map.edge_from[e].max(map.edge_to[e]) == 2 {
                map.edge_door[e] = 0;
            }
        }
        let open = Connectivity::new(&map, &[1]);
        let closed = Connectivity::new(&map, &[0]);
        assert!(open.widest(0, 2).is_some() && open.components() == 1);
        assert!(closed.widest(0, 2).is_none() && closed.components() == 2);
        assert!(closed.widest(0, 1).is_some());
        assert!(closed.holds_for(&map, &[0]) && !closed.holds_for(&map, &[1]));
    }
}
