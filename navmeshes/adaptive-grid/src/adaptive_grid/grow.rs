//! Algorithm 1: seeds grow as rectangles over free cells until nothing grows, and new seeds start
//! beside those that are done.
//!
//! Alone it misses cells: parts without an initial seed, the whole rim of a size-capped seed if
//! all of it is free, a free cell that follows a free one round a corner. So a last sweep seeds
//! what is left, row by row, and says how many cells came to it.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use throng_core::{NONE, choices, random::Stream};

use super::sheet::{Direction, Sheet};

choices! {
    /// Which seed grows next.
    pub enum QueueKind {
        /// The one that has waited longest.
        Fifo = "fifo",
        /// The one that came last: each grows until it is done.
        Stack = "stack",
        /// The smallest.
        MinHeap = "min-heap",
        /// The largest.
        MaxHeap = "max-heap",
    }
}

choices! {
    /// Where the first seeds are.
    pub enum Seeding {
        /// One, in the first free cell by rows from the top.
        Single = "single",
        /// Every free cell on the border of the image.
        Border = "border",
        /// So many free cells drawn by lot.
        Random = "random",
        /// Free cells whose row and column are both multiples of a period.
        Sampled = "sampled",
    }
}

choices! {
    /// How far a seed grows in one turn.
    pub enum Expansion {
        /// One row or column.
        One = "1d",
        /// One column and one row.
        Two = "2d",
    }
}

choices! {
    /// Which direction is tried first.
    pub enum Order {
        /// East, south, west, north.
        Clockwise = "clockwise",
        /// East, north, west, south.
        CounterClockwise = "counter-clockwise",
        /// East, west, south, north.
        Horizontal = "horizontal",
        /// South, north, east, west.
        Vertical = "vertical",
    }
}

impl Order {
    fn directions(self) -> [Direction; 4] {
        use Direction::{East, North, South, West};
        match self {
            Order::Clockwise => [East, South, West, North],
            Order::CounterClockwise => [East, North, West, South],
            Order::Horizontal => [East, West, South, North],
            Order::Vertical => [South, North, East, West],
        }
    }
}

/// How seeds are set and grown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    /// Which seed grows next.
    pub queue: QueueKind,
    /// Where the first seeds are.
    pub seeding: Seeding,
    /// How many, for [`Seeding::Random`].
    pub count: u32,
    /// The period of [`Seeding::Sampled`], cells.
    pub period: u32,
    /// How far a seed grows in one turn.
    pub expansion: Expansion,
    /// Which direction is tried first.
    pub order: Order,
    /// Whether a seed goes on with the direction after its last one, instead of the first.
    pub memory: bool,
    /// Most cells of a seed; 0 for no limit.
    pub most: u32,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Its top row.
    pub row: u32,
    /// Its left column.
    pub column: u32,
    /// How many rows.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
}

impl Rect {
    /// Cells in it.
    pub fn area(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// The longer side over the shorter one.
    pub fn aspect(&self) -> f64 {
        let (rows, columns) = (f64::from(self.rows), f64::from(self.columns));
        rows.max(columns) / rows.min(columns)
    }

    /// Its centre: x along the columns, y along the rows, in cells.
    pub fn centre(&self) -> [f64; 2] {
        [
            f64::from(self.column) + f64::from(self.columns) / 2.0,
            f64::from(self.row) + f64::from(self.rows) / 2.0,
        ]
    }
}

/// Rectangles that hold every free cell of a sheet exactly once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// The seed of each cell, or [`NONE`].
    pub owner: Vec<u32>,
    /// The rectangles.
    pub seeds: Vec<Rect>,
    /// Cells that the last sweep had to take.
    pub swept: usize,
}

/// Partitions a sheet by growing seeds.
pub fn grow(sheet: &Sheet, rules: &Rules, random: &mut Stream) -> Partition {
    let mut growth = Growth {
        sheet,
        rules,
        order: rules.order.directions(),
        queue: Queue::new(rules.queue),
        owner: vec![NONE; sheet.len()],
        seeds: Vec::new(),
        blocked: Vec::new(),
        last: Vec::new(),
        rim: Vec::new(),
    };
    for cell in first_cells(sheet, rules, random) {
        growth.seed(cell);
    }
    growth.run();
    let (mut swept, mut from) = (0, 0);
    while let Some(left) =
        (from..sheet.len() as u32).find(|&c| sheet.is_free(c) && growth.owner[c as usize] == NONE)
    {
        let known = growth.seeds.len();
        growth.seed(left);
        growth.run();
        let taken = growth.seeds[known..].iter().map(Rect::area);
        swept += taken.sum::<u64>() as usize;
        from = left + 1;
    }
    Partition {
        owner: growth.owner,
        seeds: growth.seeds,
        swept,
    }
}

/// The cells of the first seeds, in order.
fn first_cells(sheet: &Sheet, rules: &Rules, random: &mut Stream) -> Vec<u32> {
    let free = |cell: &u32| sheet.is_free(*cell);
    let (width, height) = (sheet.width, sheet.height);
    if sheet.is_empty() {
        return Vec::new();
    }
    match rules.seeding {
        Seeding::Single => (0..sheet.len() as u32).find(free).into_iter().collect(),
        Seeding::Border => {
            let top = (0..width).map(|c| sheet.cell(0, c));
            let right = (1..height).map(|r| sheet.cell(r, width - 1));
            let bottom = (0..width - 1).rev().map(|c| sheet.cell(height - 1, c));
            let left = (1..height.max(2) - 1).rev().map(|r| sheet.cell(r, 0));
            let mut cells: Vec<u32> = top.chain(right).collect();
            if height > 1 {
                cells.extend(bottom);
            }
            if width > 1 {
                cells.extend(left);
            }
            cells.retain(free);
            cells
        }
        Seeding::Random => {
            let mut cells: Vec<u32> = (0..sheet.len() as u32).filter(free).collect();
            let count = (rules.count as usize).min(cells.len());
            for i in 0..count {
                let other = i + random.below(cells.len() - i);
                cells.swap(i, other);
            }
            cells.truncate(count);
            cells
        }
        Seeding::Sampled => {
            let step = rules.period.max(1) as usize;
            (0..height)
                .step_by(step)
                .flat_map(|r| (0..width).step_by(step).map(move |c| (r, c)))
                .map(|(r, c)| sheet.cell(r, c))
                .filter(free)
                .collect()
        }
    }
}

/// The seeds that may still grow.
enum Queue {
    Fifo(VecDeque<u32>),
    Stack(Vec<u32>),
    /// By size, or by size below zero; of equal ones the first seeded.
    Heap(BinaryHeap<Reverse<(i64, u32)>>, i64),
}

impl Queue {
    fn new(kind: QueueKind) -> Queue {
        match kind {
            QueueKind::Fifo => Queue::Fifo(VecDeque::new()),
            QueueKind::Stack => Queue::Stack(Vec::new()),
            QueueKind::MinHeap => Queue::Heap(BinaryHeap::new(), 1),
            QueueKind::MaxHeap => Queue::Heap(BinaryHeap::new(), -1),
        }
    }

    fn push(&mut self, seed: u32, area: u64) {
        match self {
            Queue::Fifo(queue) => queue.push_back(seed),
            Queue::Stack(stack) => stack.push(seed),
            Queue::Heap(heap, sign) => heap.push(Reverse((*sign * area as i64, seed))),
        }
    }

    fn pop(&mut self) -> Option<u32> {
        match self {
            Queue::Fifo(queue) => queue.pop_front(),
            Queue::Stack(stack) => stack.pop(),
            Queue::Heap(heap, _) => heap.pop().map(|Reverse((_, seed))| seed),
        }
    }
}

struct Growth<'a> {
    sheet: &'a Sheet,
    rules: &'a Rules,
    order: [Direction; 4],
    queue: Queue,
    owner: Vec<u32>,
    seeds: Vec<Rect>,
    /// A bit for each direction that a seed can never grow in again: what is taken stays taken,
    /// and a longer side has the same cell beyond it.
    blocked: Vec<u8>,
    /// Where in the order each seed goes on: along the columns, along the rows, and over both.
    last: Vec<[u8; 3]>,
    rim: Vec<u32>,
}

impl Growth<'_> {
    /// Sets a seed in a free cell unless it is taken.
    fn seed(&mut self, cell: u32) {
        if self.owner[cell as usize] != NONE {
            return;
        }
        let id = self.seeds.len() as u32;
        self.owner[cell as usize] = id;
        self.seeds.push(Rect {
            row: cell / self.sheet.width,
            column: cell % self.sheet.width,
            rows: 1,
            columns: 1,
        });
        self.blocked.push(0);
        self.last.push([3; 3]);
        self.queue.push(id, 1);
    }

    fn run(&mut self) {
        while let Some(seed) = self.queue.pop() {
            if self.expand(seed) {
                let area = self.seeds[seed as usize].area();
                self.queue.push(seed, area);
            } else {
                self.seed_beside(seed);
            }
        }
    }

    /// Grows a seed by one turn. Gives whether it grew.
    fn expand(&mut self, seed: u32) -> bool {
        let s = seed as usize;
        let (order, memory) = (self.order, self.rules.memory);
        let horizontal = |d: Direction| matches!(d, Direction::East | Direction::West);
        let first_of = |growth: &mut Self, slot: usize, wanted: &dyn Fn(Direction) -> bool| {
            let start = if memory {
                usize::from(growth.last[s][slot]) + 1
            } else {
                0
            };
            for i in 0..4 {
                let at = (start + i) % 4;
                if wanted(order[at]) && growth.try_direction(s, order[at]) {
                    growth.last[s][slot] = at as u8;
                    return true;
                }
            }
            false
        };
        match self.rules.expansion {
            Expansion::One => first_of(self, 2, &|_| true),
            Expansion::Two => {
                let across = horizontal(order[0]);
                let one = first_of(self, 0, &|d| horizontal(d) == across);
                let other = first_of(self, 1, &|d| horizontal(d) != across);
                one || other
            }
        }
    }

    /// Adds the row or column in a direction if all of it is free, open and not taken.
    fn try_direction(&mut self, s: usize, direction: Direction) -> bool {
        let bit = 1_u8 << direction as u8;
        if self.blocked[s] & bit != 0 {
            return false;
        }
        let sheet = self.sheet;
        let rect = self.seeds[s];
        let (length, along) = match direction {
            Direction::East | Direction::West => (rect.rows, sheet.width as usize),
            Direction::South | Direction::North => (rect.columns, 1),
        };
        let (row, column) = match direction {
            Direction::East => (rect.row, rect.column + rect.columns - 1),
            Direction::South => (rect.row + rect.rows - 1, rect.column),
            Direction::West | Direction::North => (rect.row, rect.column),
        };
        let next = sheet.cell(row, column);
        let most = u64::from(self.rules.most);
        let fits = most == 0 || rect.area() + u64::from(length) <= most;
        let side = match direction {
            Direction::East | Direction::West => Sheet::SOUTH,
            Direction::South | Direction::North => Sheet::EAST,
        };
        let free = fits
            && (0..length as usize).all(|i| {
                let cell = next + (i * along) as u32;
                sheet.beyond(cell, direction).is_some_and(|beyond| {
                    let b = beyond as usize;
                    self.owner[b] == NONE && (i + 1 == length as usize || sheet.bits[b] & side != 0)
                })
            });
        if !free {
            self.blocked[s] |= bit;
            return false;
        }
        let step = match direction {
            Direction::East => 1,
            Direction::South => sheet.width as i64,
            Direction::West => -1,
            Direction::North => -(sheet.width as i64),
        };
        for i in 0..length as usize {
            let cell = i64::from(next) + (i * along) as i64 + step;
            self.owner[cell as usize] = s as u32;
        }
        let rect = &mut self.seeds[s];
        match direction {
            Direction::East => rect.columns += 1,
            Direction::South => rect.rows += 1,
            Direction::West => (rect.column, rect.columns) = (rect.column - 1, rect.columns + 1),
            Direction::North => (rect.row, rect.rows) = (rect.row - 1, rect.rows + 1),
        }
        true
    }

    /// Sets a seed in every free cell of the rim that follows one that is not, clockwise.
    fn seed_beside(&mut self, seed: u32) {
        let rect = self.seeds[seed as usize];
        let (top, left) = (rect.row, rect.column);
        let (bottom, right) = (rect.row + rect.rows - 1, rect.column + rect.columns - 1);
        let mut rim = core::mem::take(&mut self.rim);
        rim.clear();
        let sheet = self.sheet;
        {
            let mut add = |row: u32, column: u32, direction: Direction| {
                let beyond = sheet.beyond(sheet.cell(row, column), direction);
                let free = beyond.filter(|c| self.owner[*c as usize] == NONE);
                rim.push(free.unwrap_or(NONE));
            };
            (left..=right).for_each(|c| add(top, c, Direction::North));
            (top..=bottom).for_each(|r| add(r, right, Direction::East));
            (left..=right)
                .rev()
                .for_each(|c| add(bottom, c, Direction::South));
            (top..=bottom)
                .rev()
                .for_each(|r| add(r, left, Direction::West));
        }
        let mut before = rim.last().copied().unwrap_or(NONE);
        for &cell in &rim {
            if cell != NONE && before == NONE {
                self.seed(cell);
            }
            before = cell;
        }
        self.rim = rim;
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sheet::tests::drawn, *};
    use throng_core::random::Purpose;

    fn stream() -> Stream {
        Stream::new(1, 0, Purpose::Strategy, 0)
    }

    fn rect(row: u32, column: u32, rows: u32, columns: u32) -> Rect {
        Rect {
            row,
            column,
            rows,
            columns,
        }
    }

    #[test]
    fn one_seed_fills_an_empty_room() {
        let sheet = drawn(&[".....", ".....", "....."]);
        for queue in [QueueKind::Fifo, QueueKind::Stack, QueueKind::MinHeap] {
            let rules = Rules {
                queue,
                ..Rules::default()
            };
            let partition = grow(&sheet, &rules, &mut stream());
            assert_eq!(partition.seeds, [rect(0, 0, 3, 5)]);
            assert_eq!(partition.swept, 0);
        }
    }

    #[test]
    fn a_seed_grows_east_first_and_seeds_start_beside_it() {
        // The first seed takes the top row up to the wall, then cannot go south.
        let sheet = drawn(&["..#.", "....", "#..."]);
        let partition = grow(&sheet, &Rules::default(), &mut stream());
        assert_eq!(partition.seeds[0], rect(0, 0, 2, 2));
        // Clockwise round it: east of its second row, then the cell south of its right column.
        assert_eq!(partition.seeds[1], rect(1, 2, 2, 2));
        assert!(
            partition
                .owner
                .iter()
                .zip(&sheet.bits)
                .all(|(owner, bits)| (*owner != NONE) == (*bits & Sheet::FREE != 0))
        );
    }

    #[test]
    fn memory_takes_turns_and_two_dimensions_keep_square() {
        let sheet = drawn(&["........"; 8]);
        let start = |rules: Rules, turns: usize| {
            let mut random = stream();
            let mut growth = Growth {
                sheet: &sheet,
                rules: &rules,
                order: rules.order.directions(),
                queue: Queue::new(rules.queue),
                owner: vec![NONE; sheet.len()],
                seeds: Vec::new(),
                blocked: Vec::new(),
                last: Vec::new(),
                rim: Vec::new(),
            };
            let _ = random.bits();
            growth.seed(sheet.cell(3, 3));
            (0..turns).for_each(|_| assert!(growth.expand(0)));
            growth.seeds[0]
        };
        let one = Rules::default();
        assert_eq!(start(one, 4), rect(3, 3, 1, 5), "depth first");
        let memory = Rules {
            memory: true,
            ..one
        };
        assert_eq!(start(memory, 4), rect(2, 2, 3, 3), "one turn each");
        let two = Rules {
            expansion: Expansion::Two,
            ..one
        };
        assert_eq!(start(two, 2), rect(3, 3, 3, 3));
        let both = Rules {
            memory: true,
            ..two
        };
        assert_eq!(start(both, 2), rect(2, 2, 3, 3));
        let vertical = Rules {
            order: Order::Vertical,
            ..one
        };
        assert_eq!(start(vertical, 2), rect(3, 3, 3, 1));
    }

    #[test]
    fn what_the_algorithm_misses_is_swept_and_counted() {
        // Two rooms, a seed in the first alone.
        let sheet = drawn(&["..#..", "..#.."]);
        let partition = grow(&sheet, &Rules::default(), &mut stream());
        assert_eq!(partition.seeds, [rect(0, 0, 2, 2), rect(0, 3, 2, 2)]);
        assert_eq!(partition.swept, 4);
        // A capped seed in the middle of free cells marks nothing.
        let sheet = drawn(&["....."; 5]);
        let rules = Rules {
            seeding: Seeding::Sampled,
            period: 2,
            most: 1,
            ..Rules::default()
        };
        let capped = Rules {
            seeding: Seeding::Single,
            most: 4,
            ..rules
        };
        for rules in [rules, capped] {
            let partition = grow(&sheet, &rules, &mut stream());
            assert!(partition.seeds.iter().all(|s| s.area() <= 4));
            assert!(!partition.owner.contains(&NONE));
        }
    }

    #[test]
    fn seedings_set_what_they_say() {
        let sheet = drawn(&["#....", ".....", "....#"]);
        let cells = |seeding, count, period| {
            let rules = Rules {
                seeding,
                count,
                period,
                ..Rules::default()
            };
            first_cells(&sheet, &rules, &mut stream())
        };
        assert_eq!(cells(Seeding::Single, 0, 0), [1]);
        assert_eq!(
            cells(Seeding::Border, 0, 0),
            [1, 2, 3, 4, 9, 13, 12, 11, 10, 5]
        );
        assert_eq!(cells(Seeding::Sampled, 0, 2), [2, 4, 10, 12]);
        let drawn = cells(Seeding::Random, 5, 0);
        assert_eq!(drawn.len(), 5);
        assert!(drawn.iter().all(|c| sheet.is_free(*c)));
        assert_eq!(drawn, cells(Seeding::Random, 5, 0));
        assert_eq!(cells(Seeding::Random, 500, 0).len(), 13);
    }
}
