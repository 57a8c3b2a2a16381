//! How good a partition is: seed count, sizes, aspect ratios, and the error of its distances
//! (Akaydin 2010, section 4.2).

use std::{cmp::Reverse, collections::BinaryHeap};

use throng_core::NONE;

use super::{
    grow::{Partition, Rect},
    join::{Join, Metric, length},
    sheet::{Direction, Sheet},
};

/// The figures of one partition and metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Rectangles.
    pub seeds: usize,
    /// Mean cells of a rectangle.
    pub mean_size: f64,
    /// Mean of the longer side over the shorter one.
    pub mean_aspect: f64,
    /// Mean square error of distances, square cells (equation 4.1).
    pub mse: f64,
    /// Cells taken by the last sweep.
    pub swept: usize,
}

/// The true distances on the regular grid of a sheet to the cell in its middle.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The cell in the middle, or the free one nearest to it; [`NONE`] if none is free.
    pub target: u32,
    /// Steps of 1 and the root of 2 to it from each cell, no corner cut; infinite without a way.
    pub distance: Vec<f32>,
}

impl Truth {
    /// Walks the regular grid once.
    pub fn of(sheet: &Sheet) -> Truth {
        let target = middle(sheet);
        let mut distance = vec![f32::INFINITY; sheet.len()];
        if target == NONE {
            return Truth { target, distance };
        }
        let mut open = BinaryHeap::new();
        distance[target as usize] = 0.0;
        open.push(Reverse((0_u32, target)));
        while let Some(Reverse((key, cell))) = open.pop() {
            let so_far = f32::from_bits(key);
            if so_far > distance[cell as usize] {
                continue;
            }
            let mut relax = |next: u32, step: f32| {
                let through = so_far + step;
                if through < distance[next as usize] {
                    distance[next as usize] = through;
                    // Bits of numbers that are not negative sort like them.
                    open.push(Reverse((through.to_bits(), next)));
                }
            };
            use Direction::{East, North, South, West};
            for (one, other) in [(East, South), (South, West), (West, North), (North, East)] {
                let (first, second) = (sheet.beyond(cell, one), sheet.beyond(cell, other));
                if let Some(next) = first {
                    relax(next, 1.0);
                }
                if let (Some(first), Some(second)) = (first, second)
                    && let Some(corner) = sheet.beyond(first, other)
                    && sheet.beyond(second, one) == Some(corner)
                {
                    relax(corner, core::f32::consts::SQRT_2);
                }
            }
        }
        Truth { target, distance }
    }
}

/// The free cell nearest to the middle of a sheet.
fn middle(sheet: &Sheet) -> u32 {
    let (x, y) = (i64::from(sheet.width / 2), i64::from(sheet.height / 2));
    let free = (0..sheet.len() as u32).filter(|&c| sheet.is_free(c));
    let off = |cell: u32| {
        let (row, column) = (cell / sheet.width, cell % sheet.width);
        let (right, down) = (i64::from(column) - x, i64::from(row) - y);
        right * right + down * down
    };
    free.min_by_key(|&c| (off(c), c)).unwrap_or(NONE)
}

impl Measures {
    /// Measures a partition against the truth.
    pub fn of(
        sheet: &Sheet,
        partition: &Partition,
        joins: &[Join],
        metric: Metric,
        truth: &Truth,
    ) -> Measures {
        let seeds = partition.seeds.len();
        let mean = |of: &dyn Fn(&Rect) -> f64| {
            partition.seeds.iter().map(of).sum::<f64>() / seeds.max(1) as f64
        };
        let lengths: Vec<f64> = joins
            .iter()
            .map(|join| length(sheet, partition, join, metric))
            .collect();
        let found = match truth.target {
            NONE => Vec::new(),
            target => distances(seeds, joins, &lengths, partition.owner[target as usize]),
        };
        let mut sum = 0.0;
        for (cell, &owner) in partition.owner.iter().enumerate() {
            let Some(&on_graph) = found.get(owner as usize) else {
                continue;
            };
            let error = on_graph - f64::from(truth.distance[cell]);
            if error.is_finite() {
                sum += error * error;
            }
        }
        Measures {
            seeds,
            mean_size: mean(&|s| s.area() as f64),
            mean_aspect: mean(&Rect::aspect),
            mse: sum / sheet.len().max(1) as f64,
            swept: partition.swept,
        }
    }
}

/// Distances over the graph from one seed to all.
pub(super) fn distances(seeds: usize, joins: &[Join], lengths: &[f64], from: u32) -> Vec<f64> {
    let mut start = vec![0_u32; seeds + 1];
    for join in joins {
        start[join.a as usize + 1] += 1;
        start[join.b as usize + 1] += 1;
    }
    for s in 0..seeds {
        start[s + 1] += start[s];
    }
    let mut next = start.clone();
    let mut beside = vec![(0_u32, 0.0_f64); joins.len() * 2];
    for (join, &length) in joins.iter().zip(lengths) {
        for (one, other) in [(join.a, join.b), (join.b, join.a)] {
            beside[next[one as usize] as usize] = (other, length);
            next[one as usize] += 1;
        }
    }
    let mut distance = vec![f64::INFINITY; seeds];
    let mut open = BinaryHeap::new();
    if let Some(first) = distance.get_mut(from as usize) {
        *first = 0.0;
        open.push(Reverse((0_u64, from)));
    }
    while let Some(Reverse((key, seed))) = open.pop() {
        let (s, so_far) = (seed as usize, f64::from_bits(key));
        if so_far > distance[s] {
            continue;
        }
        for &(other, length) in &beside[start[s] as usize..start[s + 1] as usize] {
            let through = so_far + length;
            if through < distance[other as usize] {
                distance[other as usize] = through;
                open.push(Reverse((through.to_bits(), other)));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::{
        super::{join::joins, quadtree::quadtree, sheet::tests::drawn},
        *,
    };

    #[test]
    fn figures_of_a_small_quadtree() {
        let sheet = drawn(&["....", "....", "..#.", "...."]);
        let partition = quadtree(&sheet);
        let truth = Truth::of(&sheet);
        // The cell in the middle (2, 2) is taken: the nearest above it is the target.
        assert_eq!(truth.target, 6);
        assert_eq!(truth.distance[6], 0.0);
        assert_eq!(truth.distance[15], 1.0 + 1.0 + 1.0);
        let joins = joins(&sheet, &partition);
        let measures = Measures::of(&sheet, &partition, &joins, Metric::Euclidean, &truth);
        assert_eq!(measures.seeds, 6);
        assert_eq!(measures.mean_size, 15.0 / 6.0);
        assert_eq!(measures.mean_aspect, 1.0);
        let by_hand: f64 = {
            let graph = distances(
                6,
                &joins,
                &joins
                    .iter()
                    .map(|j| length(&sheet, &partition, j, Metric::Euclidean))
                    .collect::<Vec<_>>(),
                partition.owner[6],
            );
            (0..16)
                .filter(|c| partition.owner[*c] != NONE)
                .map(|c| {
                    let error = graph[partition.owner[c] as usize] - f64::from(truth.distance[c]);
                    error * error
                })
                .sum::<f64>()
                / 16.0
        };
        assert_eq!(measures.mse, by_hand);
    }

    #[test]
    fn cells_of_one_each_are_right_but_for_diagonals() {
        // Where no step is diagonal, distances over cells of one each are the true ones.
        let sheet = drawn(&[".......", "######.", "......."]);
        let partition = Partition {
            owner: (0..21)
                .scan(0, |next, c| {
                    Some(if sheet.is_free(c) {
                        *next += 1;
                        *next - 1
                    } else {
                        NONE
                    })
                })
                .collect(),
            seeds: (0..21)
                .filter(|&c| sheet.is_free(c))
                .map(|c| Rect {
                    row: c / 7,
                    column: c % 7,
                    rows: 1,
                    columns: 1,
                })
                .collect(),
            swept: 0,
        };
        let joins = joins(&sheet, &partition);
        let truth = Truth::of(&sheet);
        for metric in [Metric::Snd, Metric::Manhattan, Metric::Euclidean] {
            let measures = Measures::of(&sheet, &partition, &joins, metric, &truth);
            assert!(measures.mse < 1e-9, "{metric}: {}", measures.mse);
        }
    }
}
