//! Route sets in checkpoints.

use throng_core::NONE;
use throng_kit::search::Branch;

use super::{Flows, Key, Path};
use crate::checkpoint::{CheckpointError, Reader, Writer};

fn save_key(key: &Key, out: &mut Writer) {
    out.value(key.to);
    out.value(key.radius);
    out.value(key.side);
    for axis in key.cell {
        out.value(axis);
    }
}

fn load_key(from: &mut Reader<'_>) -> Result<Key, CheckpointError> {
    Ok(Key {
        to: from.value()?,
        radius: from.value()?,
        side: from.value()?,
        cell: [from.value()?, from.value()?, from.value()?],
    })
}

impl Flows {
    /// Writes the sets, so that a resumed run has the same.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.value(self.revision);
        out.column(&self.doors);
        out.value(self.counted);
        out.column(&self.loads);
        out.value(self.paths.len() as u64);
        for path in &self.paths {
            out.column(&path.edges);
            out.value(path.into);
            out.value(path.length);
            out.value(path.area);
            out.value(path.to);
            out.value(path.radius);
            let column = |of: fn(&Branch) -> u32| path.branches.iter().map(of).collect::<Vec<_>>();
            out.column(&column(|b| b.node));
            out.column(&column(|b| b.edge));
            out.column(&column(|b| b.left.to_bits()));
        }
        out.value(self.asked.len() as u64);
        for key in &self.asked {
            save_key(key, out);
        }
        out.value(self.count as u64);
        for (key, sets) in &self.sets {
            for paths in sets {
                save_key(key, out);
                out.column(paths);
            }
        }
    }

    /// Reads what [`Flows::save`] wrote, of a map with so many edges.
    pub(crate) fn load(from: &mut Reader<'_>, edges: usize) -> Result<Flows, CheckpointError> {
        let mut flows = Flows {
            revision: from.value()?,
            doors: from.column()?,
            counted: from.value()?,
            loads: from.column()?,
            ..Flows::default()
        };
        let damaged = Err(CheckpointError::Damaged("a route set is not of this map"));
        for p in 0..from.value::<u64>()? {
            let mut path = Path {
                edges: from.column()?,
                into: from.value()?,
                length: from.value()?,
                area: from.value()?,
                to: from.value()?,
                radius: from.value()?,
                branches: Vec::new(),
            };
            let [nodes, by, left]: [Vec<u32>; 3] = [from.column()?, from.column()?, from.column()?];
            let known = |e: &u32| (*e as usize) < edges;
            let known_or_none = |e: &u32| *e == NONE || known(e);
            if !path.edges.iter().all(known)
                || !known_or_none(&path.into)
                || !by.iter().all(known_or_none)
                || nodes.len() != by.len()
                || nodes.len() != left.len()
                || !nodes.is_sorted()
            {
                return damaged;
            }
            let columns = nodes.into_iter().zip(by).zip(left);
            path.branches = columns
                .map(|((node, edge), left)| Branch {
                    node,
                    edge,
                    left: f32::from_bits(left),
                })
                .collect();
            let goal = flows.to_goal.entry((path.to, path.radius)).or_default();
            goal.push(p as u32);
            flows.paths.push(path);
        }
        if flows.loads.len() > flows.paths.len() {
            return damaged;
        }
        for _ in 0..from.value::<u64>()? {
            flows.asked.insert(load_key(from)?);
        }
        for _ in 0..from.value::<u64>()? {
            let key = load_key(from)?;
            let paths: Vec<u32> = from.column()?;
            if paths.iter().any(|p| *p as usize >= flows.paths.len()) {
                return damaged;
            }
            flows.sets.entry(key).or_default().push(paths);
            flows.count += 1;
        }
        Ok(flows)
    }
}
