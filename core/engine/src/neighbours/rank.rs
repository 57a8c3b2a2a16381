//! Candidates in order of distance, then stable id.

/// Up to this many candidates are ranked by comparing all with all, without branches.
const FEW: usize = 64;

/// Places found near an agent: squared distance and entry of the grid.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    distance: Vec<f32>,
    entry: Vec<u32>,
    count: usize,
    order: Vec<u32>,
}

impl Candidates {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Makes room for so many more (and for what ranking fills up).
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        let need = self.count + more + FEW;
        if self.distance.len() < need {
            let need = need.next_power_of_two();
            self.distance.resize(need, 0.0);
            self.entry.resize(need, 0);
            self.order.resize(need, 0);
        }
    }

    /// Adds an entry if `wanted`, without a branch. Room must have been made.
    #[inline(always)]
    pub fn offer(&mut self, squared: f32, entry: u32, wanted: bool) {
        self.distance[self.count] = squared;
        self.entry[self.count] = entry;
        self.count += usize::from(wanted);
    }

    /// A run of the grid's entries: those within a squared distance of a point, but for one.
    #[inline]
    pub fn offer_run(
        &mut self,
        first: u32,
        xs: &[f32],
        ys: &[f32],
        at: (f32, f32),
        limit: f32,
        own: u32,
    ) {
        self.reserve(xs.len());
        let mut count = self.count;
        let distance = &mut self.distance[count..count + xs.len()];
        let entry = &mut self.entry[count..count + xs.len()];
        let begin = count;
        for (i, (x, y)) in xs.iter().zip(ys).enumerate() {
            let (dx, dy) = (x - at.0, y - at.1);
            let squared = dx * dx + dy * dy;
            let e = first + i as u32;
            distance[count - begin] = squared;
            entry[count - begin] = e;
            count += usize::from((squared <= limit) & (e != own));
        }
        self.count = count;
    }

    /// The squared distance and entry of a place in the order of [`Candidates::rank`].
    #[inline]
    pub fn ranked(&self, place: usize) -> (f32, u32) {
        let i = self.order[place] as usize;
        (self.distance[i], self.entry[i])
    }

    /// Puts the nearest `most` candidates in order (all, if fewer); `id` breaks ties.
    #[inline]
    pub fn rank(&mut self, most: usize, id: impl Fn(u32) -> u64) {
        let ordered = match self.count {
            0 => true,
            1..=16 => self.rank_few::<16>(most),
            17..=24 => self.rank_few::<24>(most),
            25..=32 => self.rank_few::<32>(most),
            33..=48 => self.rank_few::<48>(most),
            49..=FEW => self.rank_few::<FEW>(most),
            _ => false,
        };
        if !ordered {
            self.rank_many(most, id);
        }
    }

    /// Counts for each candidate how many are nearer: its place. False if two are equally near.
    #[inline]
    fn rank_few<const N: usize>(&mut self, most: usize) -> bool {
        let count = self.count;
        self.distance[count..N].fill(f32::INFINITY);
        let distance: &[f32; N] = match self.distance[..N].try_into() {
            Ok(distance) => distance,
            Err(_) => return false,
        };
        let mut nearer = [0u32; N];
        for &other in &distance[..count] {
            for i in 0..N {
                nearer[i] += u32::from(other < distance[i]);
            }
        }
        // Equally near ones share a place and leave the next one open; one place more than
        // wanted is looked at, for ties across the end.
        const OPEN: u32 = u32::MAX;
        let looked = count.min(most.saturating_add(1));
        let order = &mut self.order[..N];
        order[..looked].fill(OPEN);
        for (i, &place) in nearer[..count].iter().enumerate() {
            order[place as usize] = i as u32;
        }
        order[..looked].iter().all(|&i| i != OPEN)
    }

    fn rank_many(&mut self, most: usize, id: impl Fn(u32) -> u64) {
        let Candidates {
            distance,
            entry,
            count,
            order,
        } = self;
        let order = &mut order[..*count];
        for (i, place) in order.iter_mut().enumerate() {
            *place = i as u32;
        }
        let key = |&i: &u32| (distance[i as usize].to_bits(), id(entry[i as usize]));
        if most < order.len() {
            order.select_nth_unstable_by_key(most, key);
            order[..most].sort_unstable_by_key(key);
        } else {
            order.sort_unstable_by_key(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_core::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn few_and_many_agree_with_a_sort() {
        let mut draw = Stream::new(4, 0, Purpose::Strategy, 0);
        let mut candidates = Candidates::default();
        for round in 0..2_000 {
            let count = draw.below(90);
            // Few different distances: many ties.
            let kinds = if round % 2 == 0 { 1 << 20 } else { 9 };
            let most = draw.below(20);
            let mut all = Vec::new();
            candidates.clear();
            candidates.reserve(count);
            for e in 0..count as u32 {
                let squared = draw.below(kinds) as f32;
                candidates.offer(squared, e, true);
                candidates.offer(0.0, e, false);
                all.push((squared, u64::from(e * 7919 % 1009), e));
            }
            let ids: Vec<u64> = all.iter().map(|a| a.1).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            candidates.rank(most, |e| ids[e as usize]);
            for (place, expected) in all.iter().take(most).enumerate() {
                assert_eq!(candidates.ranked(place), (expected.0, expected.2));
            }
        }
    }
}
