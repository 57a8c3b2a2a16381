//! What a person sees: text and tables on stdout, notices and progress on stderr.

use std::{
    io::{IsTerminal, Write, stderr, stdout},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

/// Sends logs to stderr; `RUST_LOG` chooses how many.
pub fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(coloured_err())
        .init();
}

/// Whether stderr takes colours: a terminal, and `NO_COLOR` is not set.
pub fn coloured_err() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Prints text on stdout. A reader that has gone away is no failure.
pub fn out(text: &str) {
    let _ = writeln!(stdout(), "{}", text.trim_end());
}

/// Prints a JSON document on stdout.
pub fn out_json(document: &impl Serialize) {
    let text = serde_json::to_string_pretty(document);
    out(&text.unwrap_or_else(|e| format!("{{\"error\": {:?}}}", e.to_string())));
}

/// Prints text on stderr.
pub fn err(text: &str) {
    let _ = writeln!(stderr(), "{}", text.trim_end());
}

/// Prints what was repaired or assumed.
pub fn notices<'a>(notices: impl IntoIterator<Item = &'a String>) {
    for notice in notices {
        err(&format!("note: {notice}"));
    }
}

/// A table of plain text: numbers to the right, words to the left.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Table {
        Table {
            rows: vec![headings.into_iter().map(str::to_owned).collect()],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The text, without headings if they are all empty.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, c: usize| row.get(c).cloned().unwrap_or_default();
        let width = |c: usize| {
            let widths = self.rows.iter().map(|row| cell(row, c).chars().count());
            widths.max().unwrap_or(0)
        };
        let is_number = |text: &str| {
            text.is_empty()
                || text == "-"
                || text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        };
        let right: Vec<bool> = (0..columns)
            .map(|c| {
                self.rows.len() > 1 && self.rows[1..].iter().all(|row| is_number(&cell(row, c)))
            })
            .collect();
        let mut text = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            if i == 0 && row.iter().all(String::is_empty) {
                continue;
            }
            let mut line = String::new();
            for (c, right) in right.iter().enumerate() {
                let value = cell(row, c);
                let gap = " ".repeat(width(c) - value.chars().count());
                let between = if c == 0 { "" } else { "  " };
                line += &if *right {
                    format!("{between}{gap}{value}")
                } else {
                    format!("{between}{value}{gap}")
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// A number with as many decimals as tell something.
pub fn number(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".into(),
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 1.0 || v == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// How far a run has come, on stderr: a bar on a terminal, plain lines elsewhere.
#[derive(Debug)]
pub struct Progress {
    shown: Shown,
    began: Instant,
    first_step: u64,
    last_shown: Instant,
    total: u64,
}

#[derive(Debug)]
enum Shown {
    Nothing,
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    /// Starts at a step of so many.
    pub fn new(step: u64, total: u64, quiet: bool) -> Progress {
        let shown = if quiet {
            Shown::Nothing
        } else if stderr().is_terminal() {
            let bar =
                ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            Shown::Bar(bar)
        } else {
            Shown::Lines
        };
        let now = Instant::now();
        Progress {
            shown,
            began: now,
            first_step: step,
            last_shown: now,
            total,
        }
    }

    /// Shows a step, if it is time.
    pub fn show(&mut self, step: u64, seconds: f64, dt: f64, agents: usize) {
        let pause = match self.shown {
            Shown::Nothing => return,
            Shown::Bar(_) => Duration::from_millis(100),
            Shown::Lines => Duration::from_secs(2),
        };
        if self.last_shown.elapsed() < pause {
            return;
        }
        self.last_shown = Instant::now();
        let rate = (step - self.first_step) as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
        let message = format!(
            "{seconds:.1} s simulated, {agents} agents, {rate:.0} steps/s, {:.1} x real time",
            rate * dt
        );
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                bar.set_position(step);
                bar.set_message(message);
            }
            Shown::Lines => err(&format!("step {step} of {}: {message}", self.total)),
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Shown::Bar(bar) = self.shown {
            bar.finish_and_clear();
        }
    }
}

/// How many of many things are done, on stderr: a bar on a terminal, plain lines elsewhere.
#[derive(Debug)]
pub struct Counting {
    what: String,
    shown: Shown,
    last: Mutex<Instant>,
}

impl Counting {
    /// Counts something.
    pub fn new(what: &str, quiet: bool) -> Counting {
        let shown = if quiet {
            Shown::Nothing
        } else if stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(8));
            let style = ProgressStyle::with_template("{bar:32} {pos} of {len}, {eta} left  {msg}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(what.to_owned());
            Shown::Bar(bar)
        } else {
            Shown::Lines
        };
        Counting {
            what: what.to_owned(),
            shown,
            last: Mutex::new(Instant::now()),
        }
    }

    /// Shows how many of how many are done, if it is time.
    pub fn show(&self, done: usize, of: usize) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
            }
            Shown::Lines => {
                let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= Duration::from_secs(2) {
                    *last = Instant::now();
                    err(&format!("{}: {done} of {of} done", self.what));
                }
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Shown::Bar(bar) = self.shown {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut table = Table::new(["name", "count"]);
        table.row(["a".into(), "7".into()]);
        table.row(["long".into(), "1234".into()]);
        assert_eq!(table.render(), "name  count\na         7\nlong   1234\n");
    }
}
