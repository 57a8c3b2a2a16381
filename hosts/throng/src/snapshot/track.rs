//! Where everybody was after each step of a run, and where two runs part.

use std::collections::HashMap;

use glam::{DVec3, IVec3};
use throng_engine::Simulation;

use super::study::fold;

/// Places are kept to this, metres.
pub const GRAIN: f64 = 0.01;

/// Somebody after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who.
    pub id: u64,
    /// 16 bits of the hash of everything that the agent is.
    pub hash: u16,
    /// Where, world coordinates in [`GRAIN`]s.
    pub at: IVec3,
}

impl Seen {
    /// Where, world coordinates in metres.
    pub fn point(&self) -> DVec3 {
        self.at.as_dvec3() * GRAIN
    }
}

/// Everybody after each step, by ascending id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// The steps, the first one first.
    pub steps: Vec<Vec<Seen>>,
}

/// Where two runs part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parting {
    /// The first step after which they differ, counted from 1.
    pub step: u64,
    /// The agent with the least id of those that differ then; nobody if the crowd is the same to
    /// the kept bits.
    pub agent: Option<u64>,
    /// How many differ then.
    pub agents: usize,
    /// Where it was and is, metres.
    pub was: Option<DVec3>,
    /// Where it is now.
    pub now: Option<DVec3>,
}

impl Track {
    /// Takes what there is after a step.
    pub fn observe(&mut self, sim: &Simulation) {
        let a = sim.agents();
        let mut seen: Vec<Seen> = (0..a.len())
            .map(|row| Seen {
                id: a.id[row],
                hash: fold(sim.state().hash_row(row)),
                at: (sim.world_point(a.location[row]) / GRAIN)
                    .round()
                    .as_ivec3(),
            })
            .collect();
        seen.sort_unstable_by_key(|s| s.id);
        self.steps.push(seen);
    }

    /// Where two runs part, if they do.
    pub fn parting(was: &Track, now: &Track) -> Option<Parting> {
        let most = was.steps.len().max(now.steps.len());
        (0..most).find_map(|i| {
            let (old, new) = (was.steps.get(i), now.steps.get(i));
            let (old, new) = (old.map_or(&[][..], |s| s), new.map_or(&[][..], |s| s));
            if old == new {
                return None;
            }
            let of = |list: &[Seen], id: u64| list.iter().find(|s| s.id == id).copied();
            let mut ids: Vec<u64> = old.iter().chain(new).map(|s| s.id).collect();
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|&id| of(old, id) != of(new, id));
            let agent = ids.first().copied();
            let at = |list: &[Seen]| agent.and_then(|id| of(list, id)).map(|s| s.point());
            Some(Parting {
                step: i as u64 + 1,
                agent,
                agents: ids.len(),
                was: at(old),
                now: at(new),
            })
        })
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut last: HashMap<u64, IVec3> = HashMap::new();
        put(&mut out, self.steps.len() as u64);
        for step in &self.steps {
            put(&mut out, step.len() as u64);
            let mut before = 0;
            for seen in step {
                put(&mut out, seen.id - before);
                before = seen.id;
                out.extend(seen.hash.to_le_bytes());
                let from = last.insert(seen.id, seen.at).unwrap_or_default();
                for v in (seen.at.wrapping_sub(from)).to_array() {
                    put(&mut out, u64::from((v << 1 ^ v >> 31) as u32));
                }
            }
        }
        out
    }

    /// From bytes; nothing if they are damaged.
    pub fn decode(mut bytes: &[u8]) -> Option<Track> {
        let from = &mut bytes;
        let mut last: HashMap<u64, IVec3> = HashMap::new();
        let count = take(from)?;
        let mut steps = Vec::new();
        for _ in 0..count {
            let people = take(from)?;
            let mut step = Vec::new();
            let mut id = 0u64;
            for _ in 0..people {
                id = id.checked_add(take(from)?)?;
                let (hash, rest) = from.split_first_chunk::<2>()?;
                *from = rest;
                let mut way = [0; 3];
                for v in &mut way {
                    let z = u32::try_from(take(from)?).ok()?;
                    *v = (z >> 1) as i32 ^ -((z & 1) as i32);
                }
                let at = last.entry(id).or_default();
                *at = at.wrapping_add(IVec3::from_array(way));
                step.push(Seen {
                    id,
                    hash: u16::from_le_bytes(*hash),
                    at: *at,
                });
            }
            steps.push(step);
        }
        from.is_empty().then_some(Track { steps })
    }
}

fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track() -> Track {
        let seen = |id, hash, x, y| Seen {
            id,
            hash,
            at: IVec3::new(x, y, -3),
        };
        Track {
            steps: vec![
                vec![seen(0, 1, 100, -200), seen(1 << 33, 2, 5, 6)],
                vec![seen(0, 3, 110, -190), seen(1 << 33, 4, 5, 6)],
                vec![seen(1 << 33, 5, i32::MAX, i32::MIN)],
            ],
        }
    }

    #[test]
    fn bytes_give_the_track_back_and_damage_gives_nothing() {
        let bytes = track().encode();
        assert_eq!(Track::decode(&bytes), Some(track()));
        for n in 0..bytes.len() {
            assert_eq!(Track::decode(&bytes[..n]), None);
        }
    }

    #[test]
    fn runs_part_at_the_first_step_and_agent_that_differ() {
        let (was, mut now) = (track(), track());
        assert_eq!(Track::parting(&was, &now), None);
        now.steps[2][0].hash ^= 1;
        let parting = Track::parting(&was, &now).unwrap();
        assert_eq!((parting.step, parting.agent), (3, Some(1 << 33)));
        now.steps[1][0].at.x += 7;
        let parting = Track::parting(&was, &now).unwrap();
        assert_eq!((parting.step, parting.agent), (2, Some(0)));
        let stood = parting.was.unwrap();
        assert!(
            stood.distance(DVec3::new(1.1, -1.9, -0.03)) < 1e-9,
            "{stood}"
        );
        now.steps.truncate(1);
        assert_eq!(Track::parting(&was, &now).unwrap().step, 2);
    }
}
