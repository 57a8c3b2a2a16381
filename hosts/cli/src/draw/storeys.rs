//! The floors of a ground side by side: which triangle is drawn in which panel.

use glam::Vec2;
use throng::core::GroundView;

/// One panel: a floor with the stairs that begin on it.
#[derive(Clone, Debug)]
pub struct Storey {
    /// Its name, or "" if it is the only one.
    pub name: String,
    /// Low corner, local coordinates.
    pub low: Vec2,
    /// High corner.
    pub high: Vec2,
}

/// All panels, and where triangles belong.
#[derive(Clone, Debug)]
pub struct Storeys {
    /// The panels.
    pub storeys: Vec<Storey>,
    /// The panel of each triangle.
    pub of_triangle: Vec<u16>,
}

/// Levels less than this apart are one, metres.
const STOREY: f32 = 2.0;
/// Most levels that are told apart.
const MOST_STOREYS: usize = 64;

impl Storeys {
    /// The panels of a ground with so many floors; stairs belong to the floor at their foot.
    pub fn of(ground: GroundView<'_>, floors: usize, names: &[String]) -> Storeys {
        let count = floors.clamp(1, usize::from(u16::MAX));
        let mut height = vec![f32::INFINITY; count];
        for (t, floor) in ground.floors.iter().enumerate() {
            if let Some(z) = height.get_mut(usize::from(*floor)) {
                *z = z.min(
                    ground
                        .corners(t as u32)
                        .iter()
                        .fold(f32::INFINITY, |l, c| l.min(c.z)),
                );
            }
        }
        // A stair's foot is the lowest point of all its triangles.
        let last = ground.floors.iter().copied().max().unwrap_or(0);
        let mut foot = vec![f32::INFINITY; usize::from(last) + 1];
        for (t, floor) in ground.floors.iter().enumerate() {
            let low = ground
                .corners(t as u32)
                .iter()
                .fold(f32::INFINITY, |l, c| l.min(c.z));
            let z = &mut foot[usize::from(*floor)];
            *z = z.min(low);
        }
        let panel = |floor: u16| -> u16 {
            if usize::from(floor) < count {
                return floor;
            }
            let z = foot[usize::from(floor)];
            let nearest =
                (0..count).min_by(|a, b| (height[*a] - z).abs().total_cmp(&(height[*b] - z).abs()));
            nearest.unwrap_or(0) as u16
        };
        let of_triangle: Vec<u16> = ground.floors.iter().map(|f| panel(*f)).collect();
        Storeys::of_panels(ground, of_triangle, count, names)
    }

    /// The panels of a mesh that lies in levels one above the other, as the storeys of a building
    /// do; slopes belong to the level at their foot. One panel if there are no such levels.
    pub fn by_level(ground: GroundView<'_>) -> Storeys {
        let lowest = |t: usize| {
            let corners = ground.corners(t as u32);
            corners.iter().fold(f32::INFINITY, |low, c| low.min(c.z))
        };
        let level = |t: usize| ground.normals[t].z > 0.999;
        let count = ground.triangles.len();
        let mut heights: Vec<f32> = (0..count).filter(|t| level(*t)).map(lowest).collect();
        heights.sort_by(f32::total_cmp);
        heights.dedup_by(|next, kept| *next - *kept < STOREY);
        heights.truncate(MOST_STOREYS);
        let storeys = heights.len().max(1);
        let panel = |t: usize| {
            let z = lowest(t) + STOREY / 2.0;
            heights.partition_point(|h| *h <= z).saturating_sub(1) as u16
        };
        let of_triangle = (0..count).map(panel).collect();
        Storeys::of_panels(ground, of_triangle, storeys, &[])
    }

    fn of_panels(
        ground: GroundView<'_>,
        of_triangle: Vec<u16>,
        count: usize,
        names: &[String],
    ) -> Storeys {
        let mut storeys: Vec<Storey> = (0..count)
            .map(|i| Storey {
                name: match names.get(i) {
                    _ if count == 1 => String::new(),
                    Some(name) if !name.is_empty() => name.clone(),
                    _ => format!("floor {i}"),
                },
                low: Vec2::INFINITY,
                high: Vec2::NEG_INFINITY,
            })
            .collect();
        for (t, panel) in of_triangle.iter().enumerate() {
            for corner in ground.corners(t as u32) {
                let storey = &mut storeys[usize::from(*panel)];
                storey.low = storey.low.min(corner.truncate());
                storey.high = storey.high.max(corner.truncate());
            }
        }
        for storey in &mut storeys {
            if !storey.low.is_finite() || !storey.high.is_finite() {
                storey.low = Vec2::ZERO;
                storey.high = Vec2::ONE;
            }
        }
        Storeys {
            storeys,
            of_triangle,
        }
    }

    /// The panel of a triangle.
    pub fn panel(&self, triangle: u32) -> usize {
        let panel = self.of_triangle.get(triangle as usize);
        panel.map_or(0, |p| usize::from(*p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::Ground;

    #[test]
    fn a_building_of_one_mesh_is_drawn_storey_by_storey() {
        let options = toml::from_str("storeys = 4").unwrap();
        let scene = throng::scenes::generate("building", &options).unwrap();
        let ground = Ground::from_environment(&scene).unwrap();
        let storeys = Storeys::by_level(ground.view());
        assert_eq!(storeys.storeys.len(), 4);
        let top = (0..ground.view().triangles.len() as u32).max_by(|a, b| {
            let height = |t: &u32| ground.view().corners(*t).iter().map(|c| c.z).sum::<f32>();
            height(a).total_cmp(&height(b))
        });
        assert_eq!(storeys.panel(top.unwrap()), 3);
    }
}
