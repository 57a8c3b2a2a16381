//! How far goals are on foot, for choosing the nearest one.
//!
//! A distance tree over the map's graph for every goal and profile that is asked for, grown when
//! first asked and again when a door or the map has changed. A planner that needs no map walks
//! straight: then the straight line is the distance.

use throng_core::{Attachment, Goal, Location, NONE, NavMap, NavRepresentation, NodeId, Site};
use throng_kit::search::{DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree};

/// Distances to goals, kept while map and doors stay as they are.
#[derive(Debug, Default)]
pub struct WalkingDistances {
    by_map: bool,
    revision: u32,
    doors: Vec<u8>,
    incoming: Option<Incoming>,
    /// Goal, profile and the distances of all nodes.
    trees: Vec<(u32, u32, Vec<f32>)>,
    scratch: SearchScratch,
}

/// The map as it is now.
#[derive(Clone, Copy)]
pub(crate) struct Chart<'a> {
    pub site: Site<'a>,
    pub nav: &'a dyn NavRepresentation,
    pub map: &'a NavMap,
    pub goals: &'a [Goal],
    pub nodes: &'a [NodeId],
}

impl WalkingDistances {
    /// Distances over the map, or straight ones.
    pub fn new(by_map: bool) -> WalkingDistances {
        WalkingDistances {
            by_map,
            ..WalkingDistances::default()
        }
    }

    /// Metres from a place to a goal for bodies of this radius; infinite where no way is.
    pub(crate) fn metres_to(
        &mut self,
        chart: &Chart<'_>,
        goal: u32,
        profile: u32,
        radius: f32,
        from: Location,
    ) -> f32 {
        let Some(area) = chart.goals.get(goal as usize) else {
            return f32::INFINITY;
        };
        let straight = area.anchor.point.distance(from.point);
        if !self.by_map || chart.map.nodes() == 0 {
            return straight;
        }
        let tree = self.tree(chart, goal, profile, radius);
        let mut attached = [Attachment::NOWHERE];
        chart
            .nav
            .attach(&chart.site, chart.map, &[from], &[NONE], &mut attached);
        let [at] = attached;
        let on_graph = if at.edge != NONE {
            let e = at.edge as usize;
            let length = chart.map.edge_length[e];
            let from = tree[chart.map.edge_from[e] as usize] + at.along * length;
            let to = tree[chart.map.edge_to[e] as usize] + (1.0 - at.along) * length;
            from.min(to)
        } else if at.node != NONE {
            tree[at.node as usize]
        } else {
            f32::INFINITY
        };
        on_graph + at.distance
    }

    fn tree(&mut self, chart: &Chart<'_>, goal: u32, profile: u32, radius: f32) -> &[f32] {
        let doors = chart.site.ground.door_open;
        if self.revision != chart.map.revision || self.incoming.is_none() {
            self.revision = chart.map.revision;
            self.incoming = None;
            self.trees.clear();
        }
        if self.doors != doors {
            self.doors.clear();
            self.doors.extend_from_slice(doors);
            self.trees.clear();
        }
        let known = |t: &(u32, u32, Vec<f32>)| t.0 == goal && t.1 == profile;
        let index = self.trees.iter().position(known).unwrap_or_else(|| {
            let incoming = self.incoming.get_or_insert_with(|| Incoming::of(chart.map));
            let area = chart.goals[goal as usize];
            let nodes = area.first_node as usize..(area.first_node + area.nodes) as usize;
            let sources: Vec<(NodeId, f32)> =
                chart.nodes[nodes].iter().map(|n| (*n, 0.0)).collect();
            let mut tree = DistanceTree::default();
            distance_tree(
                &Terms::lengths(chart.map, doors, radius),
                &sources,
                Toward::Sources,
                incoming,
                &mut self.scratch,
                &mut tree,
            );
            self.trees.push((goal, profile, tree.cost));
            self.trees.len() - 1
        });
        &self.trees[index].2
    }
}
