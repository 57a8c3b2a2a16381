//! What moved between a stored snapshot and a run.

use serde::Serialize;
use throng_engine::scenario::ToleranceSpec;

use super::{figures, study::Outcome};

/// A figure that moved further than it may.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// The figure, or what else differs: "bits", "outcome", "run".
    pub figure: String,
    /// What is stored.
    pub was: String,
    /// What was seen now.
    pub now: String,
    /// By how much; none where it is no number.
    pub by: Option<f64>,
    /// How far it might have moved.
    pub allowed: f64,
    /// Whether it stayed within the spread of the seeds.
    pub within_spread: bool,
}

/// How a combination stands to what is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The same, to the last bit where the same build made both.
    Equal,
    /// The same figures by another build, whose bits differ.
    OtherBits,
    /// Not stored yet.
    New,
    /// Something moved.
    Changed(Vec<Move>),
    /// Stored, and no such combination is there any more.
    Missing,
    /// It broke an invariant or failed.
    Failed(String),
}

impl Verdict {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::OtherBits => "other bits",
            Verdict::New => "new",
            Verdict::Changed(_) => "changed",
            Verdict::Missing => "missing",
            Verdict::Failed(_) => "failed",
        }
    }

    /// Whether it is a difference that can be accepted.
    pub fn differs(&self) -> bool {
        matches!(self, Verdict::New | Verdict::Changed(_) | Verdict::Missing)
    }
}

/// Compares a stored text with an outcome. `bits` are the stored digest and whether the build
/// that runs now made it.
pub fn compare(
    stored: Option<&str>,
    outcome: &Outcome,
    matrix: bool,
    tolerance: &ToleranceSpec,
    bits: Option<(u64, bool)>,
) -> Verdict {
    if let Outcome::Broken(why) = outcome {
        return Verdict::Failed(why.clone());
    }
    let text = if matrix {
        outcome.line()
    } else {
        outcome.text()
    };
    let (Some(stored), Some(now)) = (stored, text) else {
        return Verdict::New;
    };
    let mut moves = texts(stored, &now, tolerance);
    let digest = match outcome {
        Outcome::Ran(figures) => figures.bits,
        _ => 0,
    };
    match bits {
        Some((was, true)) if was != digest => moves.push(Move {
            figure: "bits".into(),
            was: format!("{was:016x}"),
            now: format!("{digest:016x}"),
            by: None,
            allowed: 0.0,
            within_spread: false,
        }),
        Some((was, false)) if was != digest && moves.is_empty() => return Verdict::OtherBits,
        _ => {}
    }
    match moves.is_empty() {
        true => Verdict::Equal,
        false => Verdict::Changed(moves),
    }
}

/// What differs between two texts beyond the tolerances.
pub fn texts(was: &str, now: &str, tolerance: &ToleranceSpec) -> Vec<Move> {
    if was.split_whitespace().eq(now.split_whitespace()) {
        return Vec::new();
    }
    let plain = |figure: &str, was: &str, now: &str| Move {
        figure: figure.into(),
        was: was.into(),
        now: now.into(),
        by: None,
        allowed: 0.0,
        within_spread: false,
    };
    let first = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    let (Some(old), Some(new)) = (figures::read(was, tolerance), figures::read(now, tolerance))
    else {
        let said = |text: &str| match figures::read(text, tolerance) {
            Some(_) => "it ran".to_owned(),
            None => first(text),
        };
        return vec![plain("outcome", &said(was), &said(now))];
    };
    let mut moves = Vec::new();
    // A star says first what was run; a line of a matrix has figures alone.
    if was.contains('\n') {
        for (a, b) in was.lines().zip(now.lines()).take(2).filter(|(a, b)| a != b) {
            moves.push(plain("run", a, b));
        }
    }
    for a in &old {
        let Some(b) = new.iter().find(|b| b.name == a.name) else {
            moves.push(plain(&a.name, &a.written, "not seen"));
            continue;
        };
        let place = a.values.len() > 2;
        let by = match place {
            true => {
                let pairs = a.values.iter().zip(&b.values);
                pairs.map(|(p, q)| (q - p).powi(2)).sum::<f64>().sqrt()
            }
            false => b.values[0] - a.values[0],
        };
        let spread = if place { 0.0 } else { a.values[1] };
        let same = a.written == b.written;
        if !same && (by.abs() > a.tolerance + 1e-9 || (a.tolerance == 0.0 && by != 0.0)) {
            moves.push(Move {
                by: Some(by),
                allowed: a.tolerance,
                within_spread: spread > 0.0 && by.abs() <= spread,
                ..plain(&a.name, &a.written, &b.written)
            });
        }
    }
    for b in new.iter().filter(|b| !old.iter().any(|a| a.name == b.name)) {
        moves.push(plain(&b.name, "not seen", &b.written));
    }
    moves
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} -> {}", self.figure, self.was, self.now)?;
        if let Some(by) = self.by {
            write!(f, " ({by:+.3}")?;
            if self.allowed > 0.0 {
                write!(f, ", {} allowed", self.allowed)?;
            }
            if self.within_spread {
                write!(f, ", within the spread of the seeds")?;
            }
            write!(f, ")")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "arrivals   3  speed 1.35  nearer  1.20  gap -0.07  overlaps  0.5  stalled   0 %";

    #[test]
    fn figures_move_or_stay_within_their_tolerance() {
        let now = LINE.replace("1.35", "1.37").replace("-0.07", "0.01");
        let none = ToleranceSpec::default();
        let moves = texts(LINE, &now, &none);
        let names: Vec<&str> = moves.iter().map(|m| m.figure.as_str()).collect();
        assert_eq!(names, ["speed", "gap"]);
        assert!((moves[0].by.unwrap() - 0.02).abs() < 1e-9);
        let some = ToleranceSpec {
            speed: 0.02,
            gap: 0.05,
            ..none
        };
        let moves = texts(LINE, &now, &some);
        assert_eq!(moves.len(), 1);
        assert_eq!(
            moves[0].to_string(),
            "gap: -0.07 -> 0.01 (+0.080, 0.05 allowed)"
        );
    }

    #[test]
    fn what_ran_and_what_was_refused_differ() {
        let none = ToleranceSpec::default();
        let moves = texts(LINE, "refused: no mesh", &none);
        assert_eq!(moves[0].to_string(), "outcome: it ran -> refused: no mesh");
        assert!(texts("refused: a", "refused: a", &none).is_empty());
        assert_eq!(texts("refused: a", "refused: b", &none).len(), 1);
    }

    #[test]
    fn bits_count_on_the_same_build_alone() {
        let none = ToleranceSpec::default();
        let refused = Outcome::Refused("x".into());
        let of = |bits| compare(Some("refused: x"), &refused, true, &none, bits);
        assert_eq!(of(Some((0, true))), Verdict::Equal);
        assert_eq!(of(Some((5, false))), Verdict::OtherBits);
        assert!(matches!(of(Some((5, true))), Verdict::Changed(_)));
        assert_eq!(compare(None, &refused, true, &none, None), Verdict::New);
        let broken = Outcome::Broken("y".into());
        let verdict = compare(Some("refused: x"), &broken, true, &none, None);
        assert_eq!(verdict, Verdict::Failed("y".into()));
    }
}
