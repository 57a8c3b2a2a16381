//! Problems of a user's input, each with its place: file, line, column, value, what is allowed.

use core::{fmt, ops::Range};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// A text that places point into.
#[derive(Default)]
pub struct SourceText {
    /// Its name: the path of the file as the user gave it.
    pub name: String,
    /// The text.
    pub text: String,
}

impl fmt::Debug for SourceText {
    /// Its name alone: texts are long and places many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SourceText").field(&self.name).finish()
    }
}

/// Where a value was written.
#[derive(Clone, Debug, Default)]
pub enum SourcePlace {
    /// Nowhere: it is a default, or the program made it.
    #[default]
    Default,
    /// In a file.
    File {
        /// The file.
        source: Arc<SourceText>,
        /// Bytes of its text.
        span: Range<usize>,
    },
    /// On the command line, as `--set key=value`.
    Set(Arc<str>),
}

impl SourcePlace {
    /// Line and column of its start, both from 1, the column in characters; none outside a file.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let SourcePlace::File { source, span } = self else {
            return None;
        };
        let before = &source.text.as_bytes()[..span.start.min(source.text.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        // Continuation bytes of UTF-8 are no characters of their own.
        let column = before[line_start..]
            .iter()
            .filter(|&&b| b & 0xC0 != 0x80)
            .count()
            + 1;
        Some((line, column))
    }

    /// Orders places: files by position, then the command line.
    fn rank(&self) -> (u8, usize) {
        match self {
            SourcePlace::Default => (0, 0),
            SourcePlace::File { span, .. } => (1, span.start),
            SourcePlace::Set(_) => (2, 0),
        }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourcePlace::Default => f.write_str("default"),
            SourcePlace::File { source, .. } => {
                let (line, column) = self.line_column().unwrap_or((1, 1));
                write!(f, "{}:{line}:{column}", source.name)
            }
            SourcePlace::Set(text) => write!(f, "--set {text}"),
        }
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing runs until it is mended.
    Error,
    /// It runs; the user should know.
    Warning,
}

/// One problem.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub place: SourcePlace,
    /// The key at fault, such as `tier[1].avoidance.tau`; "" for a whole file.
    pub key: String,
    /// The value found there, as written, or "".
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// What is allowed, or "".
    pub allowed: String,
    /// The nearest known name.
    pub nearest: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(place: SourcePlace, key: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            place,
            key: key.into(),
            value: String::new(),
            message: message.into(),
            allowed: String::new(),
            nearest: None,
        }
    }

    /// A warning at a place.
    pub fn warning(place: SourcePlace, key: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(place, key, message)
        }
    }

    /// The same with the value found.
    pub fn found(mut self, value: impl Into<String>) -> Self {
        self.value = clipped(&value.into(), 80);
        self
    }

    /// The same with what is allowed.
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// The same with the nearest known name.
    pub fn nearest(mut self, name: Option<&str>) -> Self {
        self.nearest = name.map(str::to_owned);
        self
    }

    /// Key, value and message: what stands in the first line.
    fn title(&self) -> String {
        match (self.key.as_str(), self.value.as_str()) {
            ("", "") => self.message.clone(),
            ("", value) => format!("{value}: {}", self.message),
            (key, "") => format!("{key}: {}", self.message),
            (key, value) => format!("{key} = {value}: {}", self.message),
        }
    }

    /// The problem as JSON: `severity`, `file`, `line`, `column`, `key`, `value`, `message`,
    /// `allowed`, `nearest`.
    pub fn to_json(&self) -> serde_json::Value {
        let file = match &self.place {
            SourcePlace::File { source, .. } => Some(source.name.clone()),
            SourcePlace::Set(text) => Some(format!("--set {text}")),
            SourcePlace::Default => None,
        };
        let place = self.place.line_column();
        serde_json::json!({
            "severity": match self.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "file": file,
            "line": place.map(|p| p.0),
            "column": place.map(|p| p.1),
            "key": self.key,
            "value": self.value,
            "message": self.message,
            "allowed": self.allowed,
            "nearest": self.nearest,
        })
    }

    fn render(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let label = self
            .nearest
            .as_ref()
            .map(|n| format!("did you mean {n:?}?"));
        let mut group: Group<'_> = Group::with_title(level.primary_title(self.title()));
        match &self.place {
            SourcePlace::Default => {}
            SourcePlace::Set(text) => {
                let line = format!("--set {}", clipped(text, 120));
                let span = "--set ".len()..line.len();
                let mark = AnnotationKind::Primary.span(span).label(label.clone());
                group = group.element(Snippet::source(line).line_numbering(false).annotation(mark));
            }
            SourcePlace::File { source, span } => {
                let (line, column) = self.place.line_column().unwrap_or((1, 1));
                let (shown, marked, cut) = excerpt(&source.text, span.clone());
                let mark = AnnotationKind::Primary.span(marked).label(label.clone());
                let name = source.name.as_str();
                let mut snippet = Snippet::source(shown).line_start(line).annotation(mark);
                // The column of a snippet is counted from its start: a cut line's is given.
                if cut {
                    group = group.element(Origin::path(name).line(line).char_column(column));
                } else {
                    snippet = snippet.path(name);
                }
                group = group.element(snippet);
            }
        }
        if !self.allowed.is_empty() {
            group = group.element(Level::HELP.message(format!("allowed: {}", self.allowed)));
        }
        if matches!(self.place, SourcePlace::Default)
            && let Some(label) = label
        {
            group = group.element(Level::HELP.message(label));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    /// One line: place, key, value, message, what is allowed, nearest name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.place, SourcePlace::Default) {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.title())?;
        if !self.allowed.is_empty() {
            write!(f, "; allowed: {}", self.allowed)?;
        }
        if let Some(name) = &self.nearest {
            write!(f, "; did you mean {name:?}?")?;
        }
        Ok(())
    }
}

/// The line where a span begins, cut to a readable width, the span within it, and whether the
/// line's start was cut off.
fn excerpt(text: &str, span: Range<usize>) -> (String, Range<usize>, bool) {
    const WIDTH: usize = 160;
    let start = floor_boundary(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let line_end = line_start + text[line_start..line_end].trim_end_matches('\r').len();
    let start = start.min(line_end);
    let end = floor_boundary(text, span.end).clamp(start, line_end);
    let (from, to) = if line_end - line_start <= WIDTH {
        (line_start, line_end)
    } else {
        let from = floor_boundary(text, start.saturating_sub(WIDTH / 2)).max(line_start);
        (from, floor_boundary(text, from + WIDTH).min(line_end))
    };
    // Control characters would disturb a terminal and the widths; each becomes one space.
    let shown: String = text[from..to]
        .chars()
        .map(|c| {
            if c.is_control() && c.len_utf8() == 1 {
                ' '
            } else {
                c
            }
        })
        .collect();
    let marked = start.min(to) - from..end.min(to) - from;
    (shown, marked, from > line_start)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text cut to so many characters.
fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Problems of one input, all of them together.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// More problems than this are counted, not kept.
    pub const MOST: usize = 100;

    /// Adds a problem.
    pub fn push(&mut self, problem: Diagnostic) {
        if self.items.len() < Self::MOST {
            self.items.push(problem);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds all problems of another list.
    pub fn extend(&mut self, other: Diagnostics) {
        self.left_out += other.left_out;
        for problem in other.items {
            self.push(problem);
        }
    }

    /// The problems kept.
    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// How many more there were.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }

    /// Puts them in the order of the file, what came from the command line last.
    pub fn sort(&mut self) {
        self.items.sort_by_key(|d| d.place.rank());
    }

    /// The text for a person, with the lines at fault, coloured or plain.
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut text = self
            .items
            .iter()
            .map(|d| d.render(&renderer))
            .collect::<Vec<_>>()
            .join("\n\n");
        if self.left_out > 0 {
            text.push_str(&format!("\n\n{} more problems left out", self.left_out));
        }
        text
    }

    /// The problems as a JSON array.
    pub fn to_json(&self) -> serde_json::Value {
        self.items.iter().map(Diagnostic::to_json).collect()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(problem: Diagnostic) -> Diagnostics {
        Diagnostics {
            items: vec![problem],
            left_out: 0,
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, span: Range<usize>) -> SourcePlace {
        SourcePlace::File {
            source: Arc::new(SourceText {
                name: "a.toml".into(),
                text: text.into(),
            }),
            span,
        }
    }

    #[test]
    fn columns_count_characters() {
        let p = place("a = 1\nname = \"ä\", x = 2\n", 18..19);
        assert_eq!(p.line_column(), Some((2, 12)));
        assert_eq!(p.to_string(), "a.toml:2:12");
    }

    #[test]
    fn a_problem_shows_its_line_and_what_is_allowed() {
        let p = Diagnostic::error(
            place("[nav]\nkind = \"gird\"\n", 13..19),
            "nav.kind",
            "unknown",
        )
        .found("\"gird\"")
        .allowed("ecm, grid")
        .nearest(Some("grid"));
        assert_eq!(
            p.to_string(),
            "a.toml:2:8: nav.kind = \"gird\": unknown; allowed: ecm, grid; did you mean \"grid\"?"
        );
        let shown = Diagnostics::from(p).to_string();
        for part in [
            "a.toml:2:8",
            "kind = \"gird\"",
            "^^^^^^ did you mean",
            "allowed: ecm, grid",
        ] {
            assert!(shown.contains(part), "{part:?} is not in\n{shown}");
        }
    }

    #[test]
    fn any_span_of_any_text_can_be_shown() {
        let long = "ä\t".repeat(500);
        for text in ["", "\r\n\r\n", "a\u{7}b", "\u{feff}x = 1", long.as_str()] {
            for start in 0..text.len().min(40) + 3 {
                for end in [0, start, start + 1, start + 500] {
                    let p = Diagnostic::error(place(text, start..end), "k", "m").nearest(Some("n"));
                    assert!(Diagnostics::from(p).render(true).contains('m'));
                }
            }
        }
    }
}
