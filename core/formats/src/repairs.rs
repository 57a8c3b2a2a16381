//! What was repaired in a drawing, told once per kind.

use std::collections::BTreeMap;

/// What was repaired, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    Closed,
    Repeated,
    Winding,
    CrossesItself,
    RingsMeet,
    HoleOutside,
    HoleInHole,
    DroppedFlat,
    DroppedSliver,
    ThinWall,
    ShortLine,
    Unnamed,
    DoorEnds,
    HeightsDiffer,
    Point,
    Empty,
}

impl Repair {
    fn tells(self) -> &'static str {
        match self {
            Repair::Closed => "the ring was open and was closed",
            Repair::Repeated => "repeated points were merged",
            Repair::Winding => "the ring winds against the right-hand rule and was turned round",
            Repair::CrossesItself => {
                "the outline touches or crosses itself and was read by the even-odd rule"
            }
            Repair::RingsMeet => "holes that touch or cross other rings were merged and cut out",
            Repair::HoleOutside => "a hole outside the outline was dropped",
            Repair::HoleInHole => "a hole inside another hole was dropped",
            Repair::DroppedFlat => "it encloses no area and was dropped",
            Repair::DroppedSliver => "it is thinner than 1 mm and was dropped",
            Repair::ThinWall => "a solid or hole thinner than 1 mm was kept as a thin wall",
            Repair::ShortLine => "a line without length was dropped",
            Repair::DoorEnds => "a door is one segment: its first and last points were taken",
            Repair::HeightsDiffer => "its third coordinates differ and were left out",
            Repair::Point => "it is a point and was left out",
            Repair::Empty => "it has no geometry and was left out",
            Repair::Unnamed => "it has no name and got one from its number",
        }
    }
}

/// Repairs by kind, with the features they were made in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs {
    features: BTreeMap<Repair, Vec<String>>,
}

impl Repairs {
    const MOST_NAMES: usize = 6;

    pub(crate) fn note(&mut self, repair: Repair, feature: &str) {
        let features = self.features.entry(repair).or_default();
        if features.last().is_none_or(|last| last != feature) {
            features.push(feature.to_string());
        }
    }

    /// One line per kind of repair, naming the first few features.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.features
            .iter()
            .map(|(repair, features)| {
                let shown = features.len().min(Repairs::MOST_NAMES);
                let names = features[..shown].join(", ");
                let tells = repair.tells();
                match features.len() - shown {
                    0 => format!("{names}: {tells}"),
                    more => format!("{names} and {more} more: {tells}"),
                }
            })
            .collect()
    }
}
