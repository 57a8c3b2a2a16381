//! Route choice and route switches.
//!
//! A choice is told by lines across the routes (doors, lanes): everybody counts for the line that
//! it crosses first. Who crosses one of them and later another one has switched. Switches of plans
//! that never show in the path are counted by the engine (`route_switches` of the metrics). Shares
//! per route are what van Toll, Cook and Geraerts, *Real-time density-based crowd simulation*,
//! Computer Animation and Virtual Worlds 23, 2012, show of their crowds.

use std::collections::BTreeMap;

use super::{CountingLine, Trajectories, flow};

/// How people divided themselves over some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// For each line, who crossed it before any other one.
    pub first: Vec<u64>,
    /// Changes from one line to another, over all people.
    pub switches: u64,
}

/// The choice of everybody who crossed any of the lines.
pub fn choice(walks: &Trajectories, lines: &[CountingLine]) -> Choice {
    let mut visits: BTreeMap<u64, Vec<(u64, usize)>> = BTreeMap::new();
    for (i, line) in lines.iter().enumerate() {
        for c in flow::crossings(walks, line) {
            visits.entry(c.id).or_default().push((c.frame, i));
        }
    }
    let mut found = Choice {
        first: vec![0; lines.len()],
        switches: 0,
    };
    for visited in visits.values_mut() {
        visited.sort_unstable();
        found.first[visited[0].1] += 1;
        let changes = visited.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        found.switches += changes.count() as u64;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn two_doors_and_one_who_changes_its_mind() {
        let door =
            |x: f64| CountingLine::new("d", 0, vec![DVec2::new(x, 0.0), DVec2::new(x + 1.0, 0.0)]);
        let at = DVec2::new;
        let rows = vec![
            (1, 0, at(0.5, -1.0), 0),
            (1, 1, at(0.5, 1.0), 0),
            (2, 0, at(5.5, -1.0), 0),
            (2, 1, at(5.5, 1.0), 0),
            (3, 0, at(0.5, -1.0), 0),
            (3, 1, at(0.5, 1.0), 0),
            (3, 2, at(5.5, 1.0), 0),
            (3, 3, at(5.5, -1.0), 0),
        ];
        let walks = Trajectories::from_rows(1.0, rows).unwrap();
        let found = choice(&walks, &[door(0.0), door(5.0)]);
        assert_eq!(found.first, [2, 1]);
        assert_eq!(found.switches, 1);
    }
}
