//! Gates between neighbouring rectangles, and the three lengths of the way through one.

use throng_core::{NO_DOOR, NONE, choices};

use super::{
    grow::Partition,
    sheet::{Direction, Sheet},
};

choices! {
    /// How far two neighbouring seeds are apart.
    pub enum Metric {
        /// Round the corners of a wall, or straight where the centres see each other.
        Snd = "snd",
        /// Along the rows and columns.
        Manhattan = "manhattan",
        /// Straight, whatever is in between.
        Euclidean = "euclidean",
    }
}

/// A stretch of the border between two rectangles that can be walked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The seed on its west or north.
    pub a: u32,
    /// The seed on its east or south.
    pub b: u32,
    /// From `a` to `b`: [`Direction::East`] or [`Direction::South`].
    pub direction: Direction,
    /// The column or row that begins at the border.
    pub line: u32,
    /// First row or column of the stretch.
    pub from: u32,
    /// The one after its last.
    pub to: u32,
    /// The door in it, or [`NO_DOOR`].
    pub door: u16,
}

impl Join {
    /// Its two ends: x along the columns, y along the rows, in cells.
    pub fn ends(&self) -> [[f64; 2]; 2] {
        let line = f64::from(self.line);
        [self.from, self.to].map(|at| match self.direction {
            Direction::East | Direction::West => [line, f64::from(at)],
            Direction::South | Direction::North => [f64::from(at), line],
        })
    }
}

/// The gates of a partition, by their first seed, each stretch once.
pub fn joins(sheet: &Sheet, partition: &Partition) -> Vec<Join> {
    let mut found = Vec::new();
    for (a, rect) in partition.seeds.iter().enumerate() {
        for direction in [Direction::East, Direction::South] {
            let east = direction == Direction::East;
            let (line, first, end) = if east {
                (rect.column + rect.columns, rect.row, rect.row + rect.rows)
            } else {
                (
                    rect.row + rect.rows,
                    rect.column,
                    rect.column + rect.columns,
                )
            };
            if line >= if east { sheet.width } else { sheet.height } {
                continue;
            }
            let mut run: Option<Join> = None;
            for at in first..end {
                let (cell, next) = if east {
                    (sheet.cell(at, line - 1), sheet.cell(at, line))
                } else {
                    (sheet.cell(line - 1, at), sheet.cell(line, at))
                };
                let b = partition.owner[next as usize];
                let door = match sheet.beyond(cell, direction) {
                    Some(_) => Some(NO_DOOR),
                    None if sheet.doors.is_empty() => None,
                    None => sheet.doors.get(&(cell, direction)).copied(),
                };
                let here = door.filter(|_| b != NONE).map(|door| (b, door));
                match (&mut run, here) {
                    (Some(join), Some((b, door))) if join.b == b && join.door == door => {
                        join.to = at + 1;
                    }
                    _ => {
                        found.extend(run.take());
                        run = here.map(|(b, door)| Join {
                            a: a as u32,
                            b,
                            direction,
                            line,
                            from: at,
                            to: at + 1,
                            door,
                        });
                    }
                }
            }
            found.extend(run);
        }
    }
    found
}

/// Length of the way between the centres of two seeds through a gate, in cells.
///
/// Manhattan and shortest navigable distance are lengths of walks that exist, so they are never
/// shorter than the shortest one.
pub fn length(sheet: &Sheet, partition: &Partition, join: &Join, metric: Metric) -> f64 {
    let a = partition.seeds[join.a as usize].centre();
    let b = partition.seeds[join.b as usize].centre();
    let straight = apart(a, b);
    match metric {
        Metric::Euclidean => straight,
        Metric::Manhattan => manhattan(a, b, join),
        Metric::Snd if sheet.sees(a, b) => straight,
        Metric::Snd => round_corners(a, b, join.ends()),
    }
}

pub(super) fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

/// Along rows and columns through a gate: a detour only where a thin wall leaves part of a border.
pub(super) fn manhattan(a: [f64; 2], b: [f64; 2], join: &Join) -> f64 {
    let axis = usize::from(join.direction == Direction::East);
    let (low, high) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
    let (from, to) = (f64::from(join.from), f64::from(join.to));
    let detour = (low - to).max(from - high).max(0.0);
    (a[0] - b[0]).abs() + (a[1] - b[1]).abs() + 2.0 * detour
}

/// By the nearer end of a gate.
pub(super) fn round_corners(a: [f64; 2], b: [f64; 2], ends: [[f64; 2]; 2]) -> f64 {
    let [one, other] = ends.map(|end| apart(a, end) + apart(end, b));
    one.min(other)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            grow::{Rules, grow},
            sheet::tests::drawn,
        },
        *,
    };
    use throng_core::random::{Purpose, Stream};

    #[test]
    fn an_l_has_one_gate_and_three_lengths() {
        // The first seed is the top row of 5 (2 rows), the second the leg of 2 x 4 below its left.
        let sheet = drawn(&[".....", ".....", "..###", "..###", "..###", "..###"]);
        let random = &mut Stream::new(1, 0, Purpose::Strategy, 0);
        let partition = grow(&sheet, &Rules::default(), random);
        assert_eq!(partition.seeds.len(), 2);
        let joins = joins(&sheet, &partition);
        let [join] = joins[..] else {
            panic!("{joins:?}")
        };
        assert_eq!((join.direction, join.line), (Direction::South, 2));
        assert_eq!((join.from, join.to), (0, 2));
        // Centres (2.5, 1) and (1, 4).
        let of = |metric| length(&sheet, &partition, &join, metric);
        assert_eq!(of(Metric::Manhattan), 4.5);
        assert!((of(Metric::Euclidean) - 11.25_f64.sqrt()).abs() < 1e-12);
        // The line passes y = 2 at x = 2 exactly: the corner is touched, so they see each other.
        assert_eq!(of(Metric::Snd), of(Metric::Euclidean));
        let longer = drawn(&["........", "........", "..######", "..######"]);
        let partition = grow(&longer, &Rules::default(), random);
        let join = super::joins(&longer, &partition)[0];
        let snd = length(&longer, &partition, &join, Metric::Snd);
        assert!(
            (snd - (5.0_f64.sqrt() + 2.0_f64.sqrt())).abs() < 1e-12,
            "{snd}"
        );
    }

    #[test]
    fn a_thin_wall_parts_a_border() {
        let mut sheet = drawn(&["....", "....", "...."]);
        // A wall between the columns 1 and 2 in the middle row.
        sheet.bits[5] &= !Sheet::EAST;
        let rect = |column| super::super::grow::Rect {
            row: 0,
            column,
            rows: 3,
            columns: 2,
        };
        let partition = Partition {
            owner: (0..12).map(|c| u32::from(c % 4 > 1)).collect(),
            seeds: vec![rect(0), rect(2)],
            swept: 0,
        };
        let joins = joins(&sheet, &partition);
        assert_eq!(joins.len(), 2);
        assert_eq!((joins[0].from, joins[0].to), (0, 1));
        assert_eq!((joins[1].from, joins[1].to), (2, 3));
        let way = length(&sheet, &partition, &joins[0], Metric::Manhattan);
        assert_eq!(way, 3.0, "up half a cell and down again");
        let snd = length(&sheet, &partition, &joins[0], Metric::Snd);
        assert!((snd - 2.0 * 1.25_f64.sqrt()).abs() < 1e-12);
    }
}
