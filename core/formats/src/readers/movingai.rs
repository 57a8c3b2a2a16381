//! MovingAI grid maps (`.map`).
//!
//! Four header lines (`type octile`, `height H`, `width W`, `map`), then H rows of W letters.
//! `.`, `G` and `S` are walkable; `@`, `O`, `T` and `W` are not. The letter x of row y covers
//! [x, x+1] x [y, y+1] times `cell`, so y grows with the rows as the coordinates of `.scen`
//! files do, and a picture of the map drawn with y up is upside down.

use glam::DVec2;
use throng_kit::environment::{Environment, FileCells};

use crate::cells::{self, MOST_CELLS};
use crate::error::{Fault, Place};
use crate::options::ReadOptions;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let mut lines = bytes
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    let (mut width, mut height) = (None, None);
    let mut header_lines = 0;
    loop {
        let Some((number, line)) = lines.next() else {
            return Err(Fault::malformed(
                Place::Line(header_lines),
                "the header ends without the line `map`",
                "begin with `type octile`, `height H`, `width W`, `map`",
            ));
        };
        header_lines = number;
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_whitespace();
        match (words.next(), words.next()) {
            (Some("map"), None) => break,
            (Some("type"), Some("octile" | "tile")) | (None, _) => {}
            (Some("height"), Some(value)) => height = Some(side(value, number)?),
            (Some("width"), Some(value)) => width = Some(side(value, number)?),
            _ => {
                let start: String = text.chars().take(40).collect();
                return Err(Fault::malformed(
                    Place::Line(number),
                    format!("`{start}` is not a header line of a map"),
                    "begin with `type octile`, `height H`, `width W`, `map`",
                ));
            }
        }
    }
    let (Some(width), Some(height)) = (width, height) else {
        return Err(Fault::malformed(
            Place::Line(header_lines),
            "the header lacks `width` or `height`",
            "give both before the line `map`",
        ));
    };
    let count = match width.checked_mul(height) {
        Some(count) if count <= MOST_CELLS => count,
        _ => {
            return Err(Fault::too_large(
                Place::Line(header_lines),
                format!("it declares {width} x {height} cells, more than {MOST_CELLS}"),
                "cut the map into parts",
            ));
        }
    };
    if count > bytes.len() {
        return Err(Fault::malformed(
            Place::Line(header_lines),
            format!(
                "it declares {width} x {height} cells and has only {} bytes",
                bytes.len()
            ),
            "correct `width` and `height`, or restore the missing rows",
        ));
    }
    let mut walkable = Vec::with_capacity(count);
    for row in 0..height {
        let Some((number, line)) = lines.next() else {
            return Err(Fault::malformed(
                Place::Line(header_lines + row),
                format!("it ends after {row} of {height} rows"),
                "correct `height`, or restore the missing rows",
            ));
        };
        if line.len() != width {
            return Err(Fault::malformed(
                Place::Line(number),
                format!("the row has {} letters instead of {width}", line.len()),
                "make every row as long as `width`",
            ));
        }
        for (column, byte) in line.iter().enumerate() {
            walkable.push(match byte {
                b'.' | b'G' | b'S' => true,
                b'@' | b'O' | b'T' | b'W' => false,
                other => {
                    return Err(Fault::malformed(
                        Place::LineColumn(number, column + 1),
                        format!("`{}` is no terrain", other.escape_ascii()),
                        "use . G S for walkable and @ O T W for blocked",
                    ));
                }
            });
        }
    }
    let mut notices = Vec::new();
    if let Some((number, _)) = lines.find(|(_, line)| !line.trim_ascii().is_empty()) {
        notices.push(format!(
            "line {number}: what follows the {height} declared rows was left out"
        ));
    }
    let cells = FileCells {
        low: DVec2::ZERO,
        cell: options.cell * options.scale,
        width,
        height,
        walkable,
    };
    cells::environment(cells, notices)
}

fn side(value: &str, line: usize) -> Result<usize, Fault> {
    match value.parse::<usize>() {
        Ok(side) if side > 0 => Ok(side),
        _ => Err(Fault::malformed(
            Place::Line(line),
            format!("`{value}` is not a number of cells"),
            "give a whole number above 0",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_y_and_cells_have_a_size() {
        let text = b"type octile\nheight 2\nwidth 3\nmap\n.G@\nTSW\n";
        let options = ReadOptions {
            cell: 2.0,
            ..ReadOptions::default()
        };
        let env = read(text, &options).unwrap();
        let cells = env.cells.unwrap();
        assert_eq!((cells.width, cells.height, cells.cell), (3, 2, 2.0));
        assert_eq!(cells.walkable, [true, true, false, false, true, false]);
        let outer = &env.floors[0].walkable[0].outer;
        assert!(outer.contains(&DVec2::ZERO) && outer.contains(&DVec2::new(4.0, 4.0)));
        assert!(!outer.contains(&DVec2::new(0.0, 4.0)));
    }
}
