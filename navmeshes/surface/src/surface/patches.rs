//! Regions of similar area: leaves gathered about seeds, nearest first.

use throng_core::{Location, NONE, RegionId};
use throng_kit::search::{Entry, Heap};

use super::refine::Refined;

/// Regions below this share of the wanted area are given to a neighbour.
const LEAST: f64 = 0.4;

/// Region of each cell (NONE for those cut further), areas and a place in each.
pub(super) fn gather(refined: &Refined, wanted: f32) -> (Vec<RegionId>, Vec<f32>, Vec<Location>) {
    let wanted = f64::from(wanted);
    let count = refined.cells.len();
    let pairs = refined.neighbours();
    let row = |cell: u32| {
        let first = pairs.partition_point(|p| p[0] < cell);
        pairs[first..].iter().take_while(move |p| p[0] == cell)
    };
    let mut region = vec![NONE; count];
    let mut areas: Vec<f64> = Vec::new();
    let mut seeds: Vec<u32> = Vec::new();
    let mut heap = Heap::default();
    for seed in (0..count).filter(|&c| refined.is_leaf(c)) {
        if region[seed] != NONE {
            continue;
        }
        let id = areas.len() as RegionId;
        let middle = refined.centre(seed);
        let mut area = 0.0;
        heap.clear();
        heap.push(Entry::new(0.0, 0.0, seed as u32));
        while let Some(entry) = heap.pop() {
            let cell = entry.node();
            if region[cell as usize] != NONE {
                continue;
            }
            region[cell as usize] = id;
            area += refined.area(cell as usize);
            if area >= wanted {
                break;
            }
            for pair in row(cell) {
                if region[pair[1] as usize] == NONE {
                    let far = refined.centre(pair[1] as usize).distance(middle);
                    heap.push(Entry::new(far, 0.0, pair[1]));
                }
            }
        }
        areas.push(area);
        seeds.push(seed as u32);
    }
    merge_small(refined, &pairs, wanted * LEAST, &mut region, &mut areas);
    number(refined, region, &areas, &seeds)
}

/// Gives what is left between larger regions to the smallest of them that it touches.
fn merge_small(
    refined: &Refined,
    pairs: &[[u32; 2]],
    least: f64,
    region: &mut [RegionId],
    areas: &mut [f64],
) {
    // To whom each region goes.
    let mut heir: Vec<RegionId> = (0..areas.len() as RegionId).collect();
    let mut touching: Vec<[RegionId; 2]> = pairs
        .iter()
        .map(|p| p.map(|cell| region[cell as usize]))
        .filter(|[a, b]| a != b)
        .collect();
    touching.sort_unstable();
    touching.dedup();
    let root = |heir: &[RegionId], mut r: RegionId| {
        while heir[r as usize] != r {
            r = heir[r as usize];
        }
        r
    };
    for small in 0..areas.len() as RegionId {
        let own = root(&heir, small);
        if own != small || areas[small as usize] >= least {
            continue;
        }
        let first = touching.partition_point(|t| t[0] < small);
        let neighbours = touching[first..].iter().take_while(|t| t[0] == small);
        let smallest = neighbours
            .map(|t| root(&heir, t[1]))
            .filter(|&r| r != small)
            .min_by(|a, b| {
                let by = areas[*a as usize].total_cmp(&areas[*b as usize]);
                by.then(a.cmp(b))
            });
        if let Some(into) = smallest {
            heir[small as usize] = into;
            areas[into as usize] += areas[small as usize];
            areas[small as usize] = 0.0;
        }
    }
    for cell in (0..region.len()).filter(|&c| refined.is_leaf(c)) {
        region[cell] = root(&heir, region[cell]);
    }
}

fn number(
    refined: &Refined,
    mut region: Vec<RegionId>,
    areas: &[f64],
    seeds: &[u32],
) -> (Vec<RegionId>, Vec<f32>, Vec<Location>) {
    let mut new_id = vec![NONE; areas.len()];
    let (mut kept, mut places) = (Vec::new(), Vec::new());
    for (old, &area) in areas.iter().enumerate() {
        if area > 0.0 {
            new_id[old] = kept.len() as RegionId;
            kept.push(area as f32);
            let seed = seeds[old] as usize;
            places.push(Location {
                point: refined.centre(seed).as_vec3(),
                triangle: refined.cells[seed].triangle,
            });
        }
    }
    for r in region.iter_mut().filter(|r| **r != NONE) {
        *r = new_id[*r as usize];
    }
    (region, kept, places)
}
