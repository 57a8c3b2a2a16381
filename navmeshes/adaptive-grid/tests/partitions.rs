//! Partitions of random images: every free cell in one rectangle, whatever the rules; lengths of
//! edges against the shortest walks.

use proptest::prelude::*;
use throng_core::{
    NONE,
    random::{Purpose, Stream},
};
use throng_nav_adaptive_grid::{
    Expansion, Join, Metric, Order, Partition, QueueKind, Rules, Seeding, Sheet, grow, joins,
    length, quadtree,
};

fn image() -> impl Strategy<Value = (u32, u32, Vec<bool>)> {
    (1_u32..24, 1_u32..24, 0.0..0.6_f64, any::<u64>()).prop_map(|(width, height, share, seed)| {
        let mut random = Stream::new(seed, 0, Purpose::Strategy, 0);
        // Blocks of a few cells, as buildings are, and single ones.
        let mut free = vec![true; (width * height) as usize];
        while (free.iter().filter(|f| !**f).count() as f64) < share * free.len() as f64 {
            let (x, y) = (random.below(width as usize), random.below(height as usize));
            let (w, h) = (1 + random.below(5), 1 + random.below(5));
            for r in y..(y + h).min(height as usize) {
                for c in x..(x + w).min(width as usize) {
                    free[r * width as usize + c] = false;
                }
            }
        }
        (width, height, free)
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    let queue = prop_oneof![
        Just(QueueKind::Fifo),
        Just(QueueKind::Stack),
        Just(QueueKind::MinHeap),
        Just(QueueKind::MaxHeap)
    ];
    let seeding = prop_oneof![
        Just(Seeding::Single),
        Just(Seeding::Border),
        Just(Seeding::Random),
        Just(Seeding::Sampled)
    ];
    let order = prop_oneof![
        Just(Order::Clockwise),
        Just(Order::CounterClockwise),
        Just(Order::Horizontal),
        Just(Order::Vertical)
    ];
    let two = prop_oneof![Just(Expansion::One), Just(Expansion::Two)];
    let most = prop_oneof![Just(0_u32), 1_u32..30];
    (
        queue,
        seeding,
        order,
        two,
        any::<bool>(),
        most,
        1_u32..40,
        1_u32..9,
    )
        .prop_map(
            |(queue, seeding, order, expansion, memory, most, count, period)| Rules {
                queue,
                seeding,
                count,
                period,
                expansion,
                order,
                memory,
                most,
            },
        )
}

fn check(sheet: &Sheet, partition: &Partition, most: u32) {
    let mut owner = vec![NONE; sheet.len()];
    for (s, seed) in partition.seeds.iter().enumerate() {
        assert!(most == 0 || seed.area() <= u64::from(most));
        for r in seed.row..seed.row + seed.rows {
            for c in seed.column..seed.column + seed.columns {
                let cell = sheet.cell(r, c) as usize;
                assert!(sheet.is_free(cell as u32), "a wall in seed {s}");
                assert_eq!(owner[cell], NONE, "two seeds in one cell");
                owner[cell] = s as u32;
            }
        }
    }
    assert_eq!(owner, partition.owner);
    for cell in 0..sheet.len() as u32 {
        assert_eq!(sheet.is_free(cell), owner[cell as usize] != NONE);
    }
    assert!(partition.swept <= sheet.free_cells());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_free_cell_is_in_one_rectangle((width, height, free) in image(), rules in rules()) {
        let sheet = Sheet::of_image(width, height, &free);
        let random = || Stream::new(5, 0, Purpose::Strategy, 0);
        let partition = grow(&sheet, &rules, &mut random());
        check(&sheet, &partition, rules.most);
        prop_assert_eq!(&partition, &grow(&sheet, &rules, &mut random()));
        let squares = quadtree(&sheet);
        check(&sheet, &squares, 0);
    }

    #[test]
    fn two_of_three_metrics_never_underestimate((width, height, free) in image(), rules in rules()) {
        let sheet = Sheet::of_image(width, height, &free);
        let mut random = Stream::new(5, 0, Purpose::Strategy, 0);
        let partition = grow(&sheet, &rules, &mut random);
        let corners = Corners::of(&sheet);
        for join in joins(&sheet, &partition).iter().take(12) {
            let [a, b] = [join.a, join.b].map(|s| partition.seeds[s as usize].centre());
            let shortest = corners.shortest(&sheet, a, b);
            let of = |metric| length(&sheet, &partition, join, metric);
            prop_assert!(of(Metric::Snd) >= shortest - 1e-9, "snd {} {shortest}", of(Metric::Snd));
            prop_assert!(of(Metric::Manhattan) >= shortest - 1e-9);
            prop_assert!(of(Metric::Euclidean) <= shortest + 1e-9);
        }
    }
}

/// The corners of walls that shortest walks turn at.
struct Corners(Vec<[f64; 2]>);

impl Corners {
    fn of(sheet: &Sheet) -> Corners {
        let free = |r: i64, c: i64| {
            let inside =
                r >= 0 && c >= 0 && r < i64::from(sheet.height) && c < i64::from(sheet.width);
            inside && sheet.is_free(sheet.cell(r as u32, c as u32))
        };
        let mut found = Vec::new();
        for r in 0..=i64::from(sheet.height) {
            for c in 0..=i64::from(sheet.width) {
                let about = [(r - 1, c - 1), (r - 1, c), (r, c - 1), (r, c)];
                if about.iter().filter(|(r, c)| free(*r, *c)).count() == 3 {
                    found.push([c as f64, r as f64]);
                }
            }
        }
        Corners(found)
    }

    /// The shortest walk over a visibility graph, by brute force.
    fn shortest(&self, sheet: &Sheet, a: [f64; 2], b: [f64; 2]) -> f64 {
        let mut points = vec![a, b];
        points.extend(&self.0);
        let apart =
            |p: [f64; 2], q: [f64; 2]| ((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)).sqrt();
        let mut distance = vec![f64::INFINITY; points.len()];
        let mut done = vec![false; points.len()];
        distance[0] = 0.0;
        while let Some(at) = (0..points.len())
            .filter(|i| !done[*i] && distance[*i].is_finite())
            .min_by(|i, j| distance[*i].total_cmp(&distance[*j]))
        {
            if at == 1 {
                break;
            }
            done[at] = true;
            for other in 0..points.len() {
                if !done[other]
                    && distance[at] + apart(points[at], points[other]) < distance[other]
                    && sees(sheet, points[at], points[other])
                {
                    distance[other] = distance[at] + apart(points[at], points[other]);
                }
            }
        }
        distance[1]
    }
}

/// Whether a segment meets no wall, told from every wall one by one: independent of the sheet's
/// own walk over cells, but for pairs of walls that touch in a corner.
fn sees(sheet: &Sheet, a: [f64; 2], b: [f64; 2]) -> bool {
    let blocked = |row: u32, column: u32| {
        let (low, high) = (
            [f64::from(column) + 1e-9, f64::from(row) + 1e-9],
            [f64::from(column) + 1.0 - 1e-9, f64::from(row) + 1.0 - 1e-9],
        );
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for axis in 0..2 {
            let way = b[axis] - a[axis];
            if way.abs() < 1e-12 {
                if a[axis] <= low[axis] || a[axis] >= high[axis] {
                    return false;
                }
                continue;
            }
            let (s, t) = ((low[axis] - a[axis]) / way, (high[axis] - a[axis]) / way);
            first = first.max(s.min(t));
            last = last.min(s.max(t));
        }
        first < last
    };
    let apart = (0..sheet.height)
        .flat_map(|r| (0..sheet.width).map(move |c| (r, c)))
        .all(|(r, c)| sheet.is_free(sheet.cell(r, c)) || !blocked(r, c));
    apart && sheet.sees(a, b)
}

#[test]
fn the_straight_metric_underestimates_round_a_corner() {
    // A long strip and a leg below its end: the straight line between the centres cuts the wall.
    let width = 12;
    let free: Vec<bool> = (0..6)
        .flat_map(|r| (0..width).map(move |c| r < 2 || c < 2))
        .collect();
    let sheet = Sheet::of_image(width as u32, 6, &free);
    let mut random = Stream::new(5, 0, Purpose::Strategy, 0);
    let partition = grow(&sheet, &Rules::default(), &mut random);
    let found: Vec<Join> = joins(&sheet, &partition);
    let of = |metric| length(&sheet, &partition, &found[0], metric);
    let [a, b] = [found[0].a, found[0].b].map(|s| partition.seeds[s as usize].centre());
    let shortest = Corners::of(&sheet).shortest(&sheet, a, b);
    assert!(of(Metric::Euclidean) < shortest - 0.1);
    assert!((of(Metric::Snd) - shortest).abs() < 1e-9);
    assert!(of(Metric::Manhattan) > shortest + 0.1);
}

#[test]
fn different_seeds_of_the_run_give_different_partitions() {
    let free = vec![true; 64 * 64];
    let sheet = Sheet::of_image(64, 64, &free);
    let rules = Rules {
        seeding: Seeding::Random,
        count: 20,
        ..Rules::default()
    };
    let of = |seed| {
        grow(
            &sheet,
            &rules,
            &mut Stream::new(seed, 0, Purpose::Strategy, 0),
        )
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
