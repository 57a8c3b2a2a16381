//! The crowd on crowd cells: occupied area and momentum as fixed-point integers.
//!
//! Every agent remembers what it has put on which cell, takes that back and puts on its new
//! share. Integers add up the same in any order, so threads and row order change no bit, and the
//! sums equal a recount exactly.

use std::sync::atomic::{AtomicI32, AtomicI64, Ordering::Relaxed};

use glam::{Vec2, Vec3};
use throng_core::{AREA_UNIT, CrowdView, NONE, SPEED_UNIT};

use crate::checkpoint::{CheckpointError, Reader, Writer};

/// Sums per crowd cell. They are written through atomics while agents are taken in, and read as
/// plain columns after [`CrowdState::publish`].
#[derive(Debug, Default)]
pub struct CrowdState {
    area: Vec<f32>,
    axis: Vec<Vec3>,
    now: Vec<Now>,
    momentum_now: [Vec<AtomicI64>; 2],
    occupied: Vec<i64>,
    persons: Vec<i32>,
    momentum: [Vec<i64>; 2],
}

/// Who is on a cell now. What is read together lies together.
#[derive(Debug)]
#[repr(C, align(16))]
struct Now {
    occupied: AtomicI64,
    persons: AtomicI32,
    /// What a square metre is of the cell.
    per_area: f32,
}

impl Now {
    fn new(area: f32, occupied: i64, persons: i32) -> Now {
        Now {
            occupied: AtomicI64::new(occupied),
            persons: AtomicI32::new(persons),
            per_area: 1.0 / area.max(1e-9),
        }
    }
}

/// What a disc of this radius, moving so, puts on a cell: area, and momentum along x and y.
pub fn share_of(radius: f32, velocity: Vec2) -> [i64; 3] {
    let area = (std::f64::consts::PI * f64::from(radius) * f64::from(radius) * AREA_UNIT) as i64;
    let momentum = |v: f32| (f64::from(v) * SPEED_UNIT) as i64 * area;
    [area, momentum(velocity.x), momentum(velocity.y)]
}

impl CrowdState {
    /// An empty crowd on cells of these areas; `axis` is each cell's x axis, or empty.
    pub fn new(area: Vec<f32>, axis: Vec<Vec3>) -> CrowdState {
        let cells = area.len();
        let zeros = || (0..cells).map(|_| AtomicI64::new(0)).collect::<Vec<_>>();
        CrowdState {
            now: area.iter().map(|&area| Now::new(area, 0, 0)).collect(),
            area,
            axis,
            momentum_now: [zeros(), zeros()],
            occupied: vec![0; cells],
            persons: vec![0; cells],
            momentum: [vec![0; cells], vec![0; cells]],
        }
    }

    /// How many cells.
    pub fn cells(&self) -> usize {
        self.area.len()
    }

    /// The x axis of a cell.
    pub fn axis(&self, cell: u32) -> Vec3 {
        self.axis.get(cell as usize).copied().unwrap_or(Vec3::X)
    }

    fn add(&self, cell: u32, share: [i64; 3], sign: i64) {
        if cell == NONE {
            return;
        }
        let c = cell as usize;
        self.now[c].occupied.fetch_add(sign * share[0], Relaxed);
        self.now[c].persons.fetch_add(sign as i32, Relaxed);
        // Without flow nobody has any.
        if share[1] != 0 || share[2] != 0 {
            self.momentum_now[0][c].fetch_add(sign * share[1], Relaxed);
            self.momentum_now[1][c].fetch_add(sign * share[2], Relaxed);
        }
    }

    /// The same as [`CrowdState::shift`] of shares without momentum, on the only thread: nobody
    /// else writes between reading and writing, and no bus is locked.
    #[inline]
    pub fn shift_alone(&self, from: u32, old: i64, to: u32, new: i64) {
        for (cell, area, person) in [(from, -old, -1), (to, new, 1)] {
            if let Some(Now {
                occupied, persons, ..
            }) = self.now.get(cell as usize)
            {
                occupied.store(occupied.load(Relaxed) + area, Relaxed);
                persons.store(persons.load(Relaxed) + person, Relaxed);
            }
        }
    }

    /// An agent's share moves from its old cell to its new one; NONE is outside of all cells.
    /// Any thread, any order.
    #[inline]
    pub fn shift(&self, from: u32, old: [i64; 3], to: u32, new: [i64; 3]) {
        if from == to {
            if old == new || from == NONE {
                return;
            }
            let c = from as usize;
            if old[0] != new[0] {
                self.now[c].occupied.fetch_add(new[0] - old[0], Relaxed);
            }
            self.momentum_now[0][c].fetch_add(new[1] - old[1], Relaxed);
            self.momentum_now[1][c].fetch_add(new[2] - old[2], Relaxed);
            return;
        }
        self.add(from, old, -1);
        self.add(to, new, 1);
    }

    /// The share of a cell's area that others than one agent cover now.
    #[inline]
    pub fn share_of_others(&self, cell: u32, own: [i64; 3]) -> f32 {
        let Some(now) = self.now.get(cell as usize) else {
            return 0.0;
        };
        let others = (now.occupied.load(Relaxed) - own[0]) as f32 / AREA_UNIT as f32;
        others * now.per_area
    }

    /// Persons to a square metre of a cell now, without one who stands there.
    #[inline]
    pub fn persons_beside_one(&self, cell: u32) -> f32 {
        let Some(now) = self.now.get(cell as usize) else {
            return 0.0;
        };
        (now.persons.load(Relaxed) - 1) as f32 * now.per_area
    }

    /// Freezes the sums for reading.
    pub fn publish(&mut self) {
        fn copy(from: &mut [AtomicI64], to: &mut [i64]) {
            for (a, b) in from.iter_mut().zip(to) {
                *b = *a.get_mut();
            }
        }
        copy(&mut self.momentum_now[0], &mut self.momentum[0]);
        copy(&mut self.momentum_now[1], &mut self.momentum[1]);
        let published = self.occupied.iter_mut().zip(&mut self.persons);
        for (now, (occupied, persons)) in self.now.iter_mut().zip(published) {
            (*occupied, *persons) = (*now.occupied.get_mut(), *now.persons.get_mut());
        }
    }

    /// Writes the sums and the published columns.
    pub(crate) fn save(&self, out: &mut Writer) {
        let plain = |v: &[AtomicI64]| v.iter().map(|a| a.load(Relaxed)).collect::<Vec<_>>();
        let occupied = self.now.iter().map(|now| now.occupied.load(Relaxed));
        out.column(&occupied.collect::<Vec<_>>());
        let persons = self.now.iter().map(|now| now.persons.load(Relaxed));
        out.column(&persons.collect::<Vec<_>>());
        out.column(&plain(&self.momentum_now[0]));
        out.column(&plain(&self.momentum_now[1]));
        out.column(&self.occupied);
        out.column(&self.persons);
        out.column(&self.momentum[0]);
        out.column(&self.momentum[1]);
    }

    /// Reads what [`CrowdState::save`] wrote, for the cells of `like`.
    pub(crate) fn load(
        like: &CrowdState,
        from: &mut Reader<'_>,
    ) -> Result<CrowdState, CheckpointError> {
        let atomic = |v: Vec<i64>| v.into_iter().map(AtomicI64::new).collect::<Vec<_>>();
        let (occupied, persons): (Vec<i64>, Vec<i32>) = (from.column()?, from.column()?);
        let counted = [occupied.len(), persons.len()];
        let now = like.area.iter().zip(occupied.into_iter().zip(persons));
        let loaded = CrowdState {
            area: like.area.clone(),
            axis: like.axis.clone(),
            now: now.map(|(area, (o, p))| Now::new(*area, o, p)).collect(),
            momentum_now: [atomic(from.column()?), atomic(from.column()?)],
            occupied: from.column()?,
            persons: from.column()?,
            momentum: [from.column()?, from.column()?],
        };
        let lengths = [
            counted[0],
            counted[1],
            loaded.momentum_now[0].len(),
            loaded.momentum_now[1].len(),
            loaded.occupied.len(),
            loaded.persons.len(),
            loaded.momentum[0].len(),
            loaded.momentum[1].len(),
        ];
        if lengths.iter().any(|l| *l != like.area.len()) {
            return Err(CheckpointError::Damaged("crowd cells differ"));
        }
        Ok(loaded)
    }

    /// The published columns.
    pub fn view(&self) -> CrowdView<'_> {
        CrowdView {
            area: &self.area,
            axis: &self.axis,
            occupied: &self.occupied,
            persons: &self.persons,
            momentum_x: &self.momentum[0],
            momentum_y: &self.momentum[1],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.area.len() * (4 + 6 * 8 + 8) + self.axis.len() * 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::random::{Purpose, Stream};

    #[test]
    fn incremental_sums_equal_a_recount() {
        for seed in 0..200 {
            let mut rng = Stream::new(seed, 0, Purpose::Strategy, 0);
            let cells = 1 + rng.below(9) as u32;
            let mut crowd = CrowdState::new(vec![1.0; cells as usize], vec![]);
            let mut agents = vec![(NONE, [0i64; 3]); 20];
            for _ in 0..200 {
                let agent = &mut agents[rng.below(20)];
                let cell = match rng.below(cells as usize + 1) as u32 {
                    c if c == cells => NONE,
                    c => c,
                };
                let velocity = Vec2::new(rng.unit() * 9.0 - 4.0, rng.unit() * 9.0 - 4.0);
                let share = share_of(0.1 + rng.unit(), velocity);
                crowd.shift(agent.0, agent.1, cell, share);
                *agent = (cell, share);
            }
            crowd.publish();
            let fresh = CrowdState::new(vec![1.0; cells as usize], vec![]);
            for (cell, share) in agents {
                fresh.shift(NONE, [0; 3], cell, share);
            }
            let mut fresh = fresh;
            fresh.publish();
            let (a, b) = (crowd.view(), fresh.view());
            assert_eq!(a.occupied, b.occupied);
            assert_eq!(a.persons, b.persons);
            assert_eq!(a.momentum_x, b.momentum_x);
            assert_eq!(a.momentum_y, b.momentum_y);
        }
    }

    #[test]
    fn one_disc_gives_its_area_and_velocity() {
        let mut crowd = CrowdState::new(vec![2.0], vec![]);
        crowd.shift(NONE, [0; 3], 0, share_of(0.5, Vec2::new(1.25, -0.5)));
        crowd.publish();
        let view = crowd.view();
        assert!((view.density(0) - std::f32::consts::PI * 0.25 / 2.0).abs() < 1e-5);
        assert!((view.velocity(0) - Vec2::new(1.25, -0.5)).length() < 1e-3);
        assert_eq!(view.persons_per_area(0), 0.5);
    }
}
