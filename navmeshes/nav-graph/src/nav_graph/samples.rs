//! Samples of the ground: places with the area that each stands for, found by place.

use glam::{IVec3, Vec2, Vec3};
use throng_core::{GroundView, Location, NONE, NavError};
use throng_kit::lattice::{Cover, Lattice, entry_of};

/// Most samples; more would be coarser.
const MOST: f32 = 3e6;

/// Distance between two points: in plan on floor plans, in space elsewhere.
#[inline]
pub fn distance(plan: bool, a: Vec3, b: Vec3) -> f32 {
    if plan {
        a.truncate().distance(b.truncate())
    } else {
        a.distance(b)
    }
}

/// Points in cubes of space.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    low: Vec3,
    cell: f32,
    size: IVec3,
    plan: bool,
    start: Vec<u32>,
    items: Vec<u32>,
    points: Vec<Vec3>,
}

impl Buckets {
    /// Sorts points into cubes of about this side. In plan, heights do not matter.
    pub fn of(points: &[Vec3], cell: f32, plan: bool) -> Buckets {
        let flat = |p: &Vec3| if plan { p.truncate().extend(0.0) } else { *p };
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in points {
            low = low.min(flat(p));
            high = high.max(flat(p));
        }
        if points.is_empty() {
            (low, high) = (Vec3::ZERO, Vec3::ZERO);
        }
        let mut cell = cell.max(1e-3);
        let size = loop {
            let size = ((high - low) / cell).floor() + 1.0;
            if size.x * size.y * size.z < 8e6 {
                break size.as_ivec3();
            }
            cell *= 2.0;
        };
        let mut buckets = Buckets {
            low,
            cell,
            size,
            plan,
            start: vec![0; (size.x * size.y * size.z) as usize + 1],
            items: vec![0; points.len()],
            points: points.to_vec(),
        };
        let cells: Vec<usize> = points
            .iter()
            .map(|p| buckets.index(buckets.at(*p)))
            .collect();
        for &c in &cells {
            buckets.start[c + 1] += 1;
        }
        for c in 1..buckets.start.len() {
            buckets.start[c] += buckets.start[c - 1];
        }
        let mut next = buckets.start.clone();
        for (i, &c) in cells.iter().enumerate() {
            buckets.items[next[c] as usize] = i as u32;
            next[c] += 1;
        }
        buckets
    }

    fn at(&self, point: Vec3) -> IVec3 {
        let point = if self.plan {
            point.truncate().extend(self.low.z)
        } else {
            point
        };
        ((point - self.low) / self.cell)
            .floor()
            .as_ivec3()
            .clamp(IVec3::ZERO, self.size - 1)
    }

    fn index(&self, c: IVec3) -> usize {
        ((c.z * self.size.y + c.y) * self.size.x + c.x) as usize
    }

    /// Visits the points within a distance, cube by cube, in a fixed order.
    pub fn near(&self, point: Vec3, reach: f32, mut visit: impl FnMut(u32)) {
        let (low, high) = (self.at(point - reach), self.at(point + reach));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let c = self.index(IVec3::new(x, y, z));
                    let range = self.start[c] as usize..self.start[c + 1] as usize;
                    for &item in &self.items[range] {
                        if distance(self.plan, self.points[item as usize], point) <= reach {
                            visit(item);
                        }
                    }
                }
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.start.capacity() + self.items.capacity()) * 4 + self.points.capacity() * 12
    }
}

/// Places all over the ground.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Where.
    pub place: Vec<Location>,
    /// Square metres that each stands for.
    pub area: Vec<f32>,
    /// Distance between two next to each other.
    pub spacing: f32,
    /// Floor plans: squares with an entry per floor.
    squares: Option<(Lattice, Vec<u32>, Vec<u16>)>,
    /// Other surfaces: the samples of each triangle.
    of_triangle: Vec<u32>,
}

impl Samples {
    /// Samples a ground.
    pub fn over(ground: &GroundView<'_>, spacing: f32) -> Result<Samples, NavError> {
        let area: f32 = ground.areas.iter().sum();
        let spacing = spacing.max((area / MOST).sqrt());
        if ground.plan {
            let lattice = Lattice::over(ground, spacing, Lattice::low_corner(ground))?;
            let cover = Cover::new(ground, &lattice);
            return Ok(Samples {
                place: cover.place,
                area: cover.area,
                spacing,
                squares: Some((lattice, cover.start, cover.floor)),
                of_triangle: Vec::new(),
            });
        }
        let mut samples = Samples {
            spacing,
            of_triangle: vec![0],
            ..Samples::default()
        };
        for t in 0..ground.triangles.len() as u32 {
            samples.add_triangle(ground, t);
            samples.of_triangle.push(samples.place.len() as u32);
        }
        Ok(samples)
    }

    /// Cuts a triangle into equal ones about as large as squares of the spacing.
    fn add_triangle(&mut self, ground: &GroundView<'_>, triangle: u32) {
        let [a, b, c] = ground.corners(triangle);
        let area = ground.areas[triangle as usize];
        let parts = (area.sqrt() / self.spacing).ceil().clamp(1.0, 512.0) as u32;
        let (u, v) = ((b - a) / parts as f32, (c - a) / parts as f32);
        let share = area / (parts * parts) as f32;
        for i in 0..parts {
            for j in 0..parts - i {
                let corner = a + u * i as f32 + v * j as f32;
                self.push(corner + (u + v) / 3.0, triangle, share);
                if i + j + 1 < parts {
                    self.push(corner + (u + v) * (2.0 / 3.0), triangle, share);
                }
            }
        }
    }

    fn push(&mut self, point: Vec3, triangle: u32, area: f32) {
        self.place.push(Location { point, triangle });
        self.area.push(area);
    }

    /// The sample of a place.
    pub fn of(&self, ground: &GroundView<'_>, place: Location) -> Option<usize> {
        if let Some((lattice, start, floor)) = &self.squares {
            let on_floor = *ground.floors.get(place.triangle as usize)?;
            let at: Vec2 = place.point.truncate();
            let entry = entry_of(lattice, start, floor, at, on_floor);
            return (entry != NONE).then_some(entry as usize);
        }
        let t = place.triangle as usize;
        let range = *self.of_triangle.get(t)? as usize..*self.of_triangle.get(t + 1)? as usize;
        range.min_by(|&a, &b| {
            let to = |s: usize| self.place[s].point.distance_squared(place.point);
            to(a).total_cmp(&to(b))
        })
    }

    /// The square that a place lies in, on floor plans.
    #[inline]
    pub fn square_of(&self, place: Location) -> Option<usize> {
        let (lattice, ..) = self.squares.as_ref()?;
        Some(lattice.square_of(place.point.truncate()) as usize)
    }

    /// What each square's only sample has, NONE in squares without one: on a ground of one floor
    /// nothing else has to be read to find it. Empty elsewhere.
    pub fn by_square(&self, ground: &GroundView<'_>, of_sample: &[u32]) -> Vec<u32> {
        let Some((_, start, _)) = self.squares.as_ref().filter(|_| ground.floor_count == 1) else {
            return Vec::new();
        };
        start
            .windows(2)
            .map(
                |ends| match &of_sample[ends[0] as usize..ends[1] as usize] {
                    [only] => *only,
                    _ => NONE,
                },
            )
            .collect()
    }

    /// Visits pairs of samples next to each other, whatever is between them.
    pub fn pairs(&self, ground: &GroundView<'_>, mut visit: impl FnMut(usize, usize)) {
        if let Some((lattice, start, _)) = &self.squares {
            let entries = |square: u32| start[square as usize]..start[square as usize + 1];
            for row in 0..lattice.height {
                for column in 0..lattice.width {
                    let square = row * lattice.width + column;
                    let mut with = |other: u32| {
                        for a in entries(square) {
                            for b in entries(other) {
                                if a != b {
                                    visit(a as usize, b as usize);
                                }
                            }
                        }
                    };
                    with(square);
                    if column + 1 < lattice.width {
                        with(square + 1);
                    }
                    if row + 1 < lattice.height {
                        with(square + lattice.width);
                    }
                }
            }
            return;
        }
        let range = |t: usize| self.of_triangle[t] as usize..self.of_triangle[t + 1] as usize;
        for t in 0..ground.triangles.len() {
            for s in range(t).skip(1) {
                visit(s - 1, s);
            }
            for across in ground.across[t] {
                let other = (across / 3) as usize;
                if across != NONE && other < t {
                    let (a, b) = (range(t), range(other));
                    let nearest = a
                        .flat_map(|a| b.clone().map(move |b| (a, b)))
                        .min_by(|x, y| {
                            let apart = |p: &(usize, usize)| {
                                let (a, b) = (self.place[p.0].point, self.place[p.1].point);
                                a.distance_squared(b)
                            };
                            apart(x).total_cmp(&apart(y))
                        });
                    if let Some((a, b)) = nearest {
                        visit(a, b);
                    }
                }
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let squares = self.squares.as_ref();
        self.place.capacity() * 16
            + self.area.capacity() * 4
            + squares.map_or(0, |(_, start, floor)| {
                start.capacity() * 4 + floor.capacity() * 2
            })
            + self.of_triangle.capacity() * 4
    }
}
