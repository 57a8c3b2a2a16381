//! What cost models save: columns of numbers of equal length.

use throng_core::StateError;

/// Appends columns of equal length.
pub(crate) fn write_columns<const N: usize>(columns: [&Vec<f32>; N], out: &mut Vec<u8>) {
    out.extend((columns[0].len() as u64).to_le_bytes());
    for column in columns {
        out.extend(column.iter().flat_map(|value| value.to_le_bytes()));
    }
}

/// Reads what [`write_columns`] wrote.
pub(crate) fn read_columns<const N: usize>(
    strategy: &str,
    saved: &[u8],
) -> Result<[Vec<f32>; N], StateError> {
    let damaged = || StateError {
        strategy: strategy.into(),
        reason: "its saved columns are cut short".into(),
    };
    let (length, rest) = saved.split_first_chunk::<8>().ok_or_else(damaged)?;
    let length = u64::from_le_bytes(*length) as usize;
    if length.checked_mul(4 * N) != Some(rest.len()) {
        return Err(damaged());
    }
    let (values, _) = rest.as_chunks::<4>();
    Ok(core::array::from_fn(|column| {
        values[column * length..(column + 1) * length]
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect()
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glam::Vec2;
    use throng_core::{AREA_UNIT, CrowdView, PriceContext, RouteClass, SPEED_UNIT};

    /// Cells of 2 square metres with given densities, three persons where there are any.
    pub(crate) struct Crowd {
        area: Vec<f32>,
        occupied: Vec<i64>,
        persons: Vec<i32>,
        momentum: [Vec<i64>; 2],
    }

    impl Crowd {
        pub fn new(densities: &[f32], velocity: Vec2) -> Crowd {
            let occupied: Vec<i64> = densities
                .iter()
                .map(|d| (f64::from(*d) * 2.0 * AREA_UNIT) as i64)
                .collect();
            let momentum = |v: f32| -> Vec<i64> {
                let speed = (f64::from(v) * SPEED_UNIT) as i64;
                occupied.iter().map(|o| o * speed).collect()
            };
            Crowd {
                area: vec![2.0; densities.len()],
                persons: densities.iter().map(|d| 3 * i32::from(*d > 0.0)).collect(),
                momentum: [momentum(velocity.x), momentum(velocity.y)],
                occupied,
            }
        }

        pub fn view(&self) -> CrowdView<'_> {
            CrowdView {
                area: &self.area,
                axis: &[],
                occupied: &self.occupied,
                persons: &self.persons,
                momentum_x: &self.momentum[0],
                momentum_y: &self.momentum[1],
            }
        }
    }

    pub(crate) fn context(crowd: &Crowd, speed: f32) -> PriceContext<'_> {
        PriceContext {
            crowd: crowd.view(),
            cell_speed: &[],
            cell_length: &[],
            class: RouteClass {
                profile: 0,
                speed,
                weight: 1.0,
                radius: 0.24,
            },
            time: 0.0,
        }
    }

    #[test]
    fn columns_come_back_and_damage_is_found() {
        let (a, b) = (vec![1.0, -2.5], vec![0.0, f32::MAX]);
        let mut saved = Vec::new();
        write_columns([&a, &b], &mut saved);
        assert_eq!(read_columns::<2>("test", &saved).unwrap(), [a, b]);
        for end in 0..saved.len() {
            assert!(read_columns::<2>("test", &saved[..end]).is_err());
        }
        assert!(read_columns::<3>("test", &saved).is_err());
    }
}
