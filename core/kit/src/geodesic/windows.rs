//! Exact distances from one place, by windows of light through the sides of the triangles.
//!
//! A window is an interval of a side that is lit straight from an unfolded source (Chen and Han
//! 1990). Windows are taken nearest first and thrown away where a vertex already known to be
//! nearer outshines them (Xin and Wang 2009): with v a corner of the triangle it left, and B the
//! end of the window farther from v, d(v) + |vB| < d + |IB| means that every way through the
//! window is longer than one through v. Of the windows that light the same corner of a triangle
//! the nearest keeps its light; the others lose what crosses its ray to the corner. Vertices with
//! more than a full turn about them, and those on the rim, become sources of their own.
//!
//! All windows are kept, so that further targets of the same source cost no second search, and
//! paths are traced back along their parents.

use glam::DVec2;
use throng_core::NONE;

use super::surface::{On, Spot, Surface};
use crate::search::{Entry, Heap};

/// Relative slack of comparisons between distances.
const SLACK: f64 = 1e-11;
/// Windows narrower than this share of their side are dropped.
const NARROW: f64 = 1e-12;
/// Marks a window's parent as a point, not a window.
const POINT: u32 = 1 << 31;
/// The source itself.
const SOURCE: u32 = NONE;

/// An interval of a side that is lit straight, seen from the triangle the light enters.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// `triangle * 3 + side` entered.
    side: u32,
    /// The window it came through, a point with [`POINT`], or [`SOURCE`].
    parent: u32,
    /// The next window through the same side, or NONE.
    next: u32,
    /// Distance of the unfolded source from the true one.
    behind: f64,
    /// The unfolded source: along the side, and how far before it.
    source: DVec2,
    from: f64,
    to: f64,
}

impl Window {
    /// Where the line from the source to a point beyond crosses the side.
    #[inline]
    fn crossing(&self, beyond: DVec2) -> f64 {
        let share = self.source.y / (beyond.y + self.source.y).max(f64::MIN_POSITIVE);
        self.source.x + (beyond.x - self.source.x) * share
    }

    #[inline]
    fn distance(&self, beyond: DVec2) -> f64 {
        let (x, y) = (beyond.x - self.source.x, beyond.y + self.source.y);
        self.behind + (x * x + y * y).sqrt()
    }

    fn lights(&self, crossing: f64, length: f64) -> bool {
        let slack = SLACK * length;
        crossing >= self.from - slack && crossing <= self.to + slack
    }
}

/// What has lit a corner best, through the side opposite to it.
#[derive(Clone, Copy, Debug)]
struct Brightest {
    distance: f64,
    crossing: f64,
}

/// Where a path arrives: what lights it.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    distance: f64,
    /// As [`Window::parent`].
    by: u32,
}

/// The windows of one source, grown as far as questions have needed.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    source: Option<Spot>,
    distance: Vec<f64>,
    by: Vec<u32>,
    windows: Vec<Window>,
    through: Vec<u32>,
    brightest: Vec<Brightest>,
    queue: Heap,
}

impl Windows {
    /// The exact distance between two places, or nothing if no way joins them. The light of the
    /// last source is kept: many targets of one source cost one search.
    pub fn distance(&mut self, surface: &Surface, from: Spot, to: Spot) -> Option<f64> {
        self.arrive(surface, from, to).map(|a| a.distance)
    }

    /// The shortest path between two places: appends its places from start to end (both
    /// included) and gives its length.
    pub fn path(
        &mut self,
        surface: &Surface,
        from: Spot,
        to: Spot,
        out: &mut Vec<Spot>,
    ) -> Option<f64> {
        let arrival = self.arrive(surface, from, to)?;
        let first = out.len();
        out.push(to);
        self.trace_back(surface, to, arrival.by, out);
        out.push(from);
        out[first..].reverse();
        Some(arrival.distance)
    }

    /// The shortest path from a place to the source, once everything [is lit](Windows::all):
    /// appends its places, both ends included, and gives its length.
    pub fn path_to_source(
        &self,
        surface: &Surface,
        from: Spot,
        out: &mut Vec<Spot>,
    ) -> Option<f64> {
        let source = self.source?;
        let best = match from.on {
            On::Point(point) => Arrival {
                distance: self.distance[point as usize],
                by: self.by[point as usize],
            },
            _ => {
                let mut best = self.straight(surface, source, from);
                self.look(surface, from, &mut [NONE; 3], &mut best);
                best
            }
        };
        if !best.distance.is_finite() {
            return None;
        }
        out.push(from);
        self.trace_back(surface, from, best.by, out);
        out.push(source);
        Some(best.distance)
    }

    /// Distances to all points of the surface, infinite where there is no way.
    pub fn all(&mut self, surface: &Surface, from: Spot) -> &[f64] {
        self.begin(surface, from);
        while let Some(entry) = self.queue.pop() {
            self.take(surface, entry);
        }
        &self.distance
    }

    /// Forgets the last source, so that no answer depends on what was asked before.
    pub fn forget(&mut self) {
        self.source = None;
    }

    /// How many windows there are.
    pub fn len(&self) -> usize {
        self.windows.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.windows.capacity() * size_of::<Window>()
            + self.brightest.capacity() * size_of::<Brightest>()
            + (self.distance.capacity() * 3 + self.through.capacity()) * 4
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Lights the surroundings of a source, unless it is the one already lit.
    fn begin(&mut self, surface: &Surface, from: Spot) {
        if self.source == Some(from) && self.distance.len() == surface.points() {
            return;
        }
        self.source = Some(from);
        self.distance.clear();
        self.distance.resize(surface.points(), f64::INFINITY);
        self.by.clear();
        self.by.resize(surface.points(), SOURCE);
        self.windows.clear();
        self.queue.clear();
        let sides = surface.triangles() * 3;
        self.through.clear();
        self.through.resize(sides, NONE);
        self.brightest.clear();
        self.brightest.resize(
            sides,
            Brightest {
                distance: f64::INFINITY,
                crossing: 0.0,
            },
        );
        if let On::Point(point) = from.on {
            self.distance[point as usize] = 0.0;
            self.light_from(surface, point);
            return;
        }
        surface.triangles_at(&from, |triangle| {
            for k in 0..3 {
                let point = surface.point(triangle, k);
                let distance = surface.corner(triangle, k).distance(from.at);
                self.reach(surface, point, distance, SOURCE);
            }
        });
        surface.triangles_at(&from, |triangle| {
            for side in 0..3 {
                let flat = surface.flatten(triangle, side, from.at);
                // The side it lies on lights nothing; the triangle beyond is lit by itself.
                if flat.y > SLACK * surface.side_length(triangle, side) {
                    let length = surface.side_length(triangle, side);
                    self.pass(
                        surface, triangle, side, flat, 0.0, 0.0, length, SOURCE, None,
                    );
                }
            }
        });
    }

    fn arrive(&mut self, surface: &Surface, from: Spot, to: Spot) -> Option<Arrival> {
        self.begin(surface, from);
        if let On::Point(point) = to.on {
            let p = point as usize;
            while let Some(entry) = self.queue.pop() {
                if entry.key() >= self.distance[p] {
                    self.queue.push(entry);
                    break;
                }
                self.take(surface, entry);
            }
            let best = Arrival {
                distance: self.distance[p],
                by: self.by[p],
            };
            return best.distance.is_finite().then_some(best);
        }
        let mut best = self.straight(surface, from, to);
        let mut seen = [NONE; 3];
        loop {
            self.look(surface, to, &mut seen, &mut best);
            let Some(entry) = self.queue.pop() else { break };
            if entry.key() >= best.distance {
                self.queue.push(entry);
                break;
            }
            self.take(surface, entry);
        }
        best.distance.is_finite().then_some(best)
    }

    /// The straight way between two places of one triangle.
    fn straight(&self, surface: &Surface, from: Spot, to: Spot) -> Arrival {
        let mut best = Arrival {
            distance: f64::INFINITY,
            by: SOURCE,
        };
        surface.triangles_at(&from, |triangle| {
            if triangle == to.triangle {
                best.distance = from.at.distance(to.at);
            }
        });
        best
    }

    /// Looks at what lights a place within a triangle: the corners, and the windows through its
    /// sides that have not been `seen`.
    fn look(&self, surface: &Surface, to: Spot, seen: &mut [u32; 3], best: &mut Arrival) {
        for s in 0..3 {
            let head = self.through[to.triangle as usize * 3 + s];
            if head != seen[s] {
                let target = surface.flatten(to.triangle, s, to.at);
                let length = surface.side_length(to.triangle, s);
                let mut w = head;
                while w != seen[s] {
                    let window = &self.windows[w as usize];
                    if window.lights(window.crossing(target), length) {
                        let distance = window.distance(target);
                        if distance < best.distance {
                            *best = Arrival { distance, by: w };
                        }
                    }
                    w = window.next;
                }
                seen[s] = head;
            }
            let point = surface.point(to.triangle, s);
            let distance =
                self.distance[point as usize] + surface.corner(to.triangle, s).distance(to.at);
            if distance < best.distance {
                let by = POINT | point;
                *best = Arrival { distance, by };
            }
        }
    }

    /// Notes a distance of a point if it is the least so far.
    fn reach(&mut self, surface: &Surface, point: u32, distance: f64, by: u32) {
        let p = point as usize;
        if distance < self.distance[p] {
            self.distance[p] = distance;
            self.by[p] = by;
            if surface.bends(point) {
                self.queue.push(Entry::new(distance, 0.0, POINT | point));
            }
        }
    }

    fn take(&mut self, surface: &Surface, entry: Entry) {
        let id = entry.node();
        if id & POINT != 0 {
            let point = id & !POINT;
            if entry.key() <= self.distance[point as usize] {
                self.light_from(surface, point);
            }
        } else {
            self.spread(surface, id);
        }
    }

    /// A point becomes a source.
    fn light_from(&mut self, surface: &Surface, point: u32) {
        let behind = self.distance[point as usize];
        for &code in surface.fan(point) {
            let (triangle, k) = (code / 3, code as usize % 3);
            let side = (k + 1) % 3;
            for other in [side, (side + 1) % 3] {
                let to = surface.point(triangle, other);
                let edge = if other == side { k } else { (k + 2) % 3 };
                let distance = behind + surface.side_length(triangle, edge);
                self.reach(surface, to, distance, POINT | point);
            }
            let length = surface.side_length(triangle, side);
            let apex = surface.apex(triangle, side);
            let parent = POINT | point;
            self.pass(
                surface, triangle, side, apex, behind, 0.0, length, parent, None,
            );
        }
    }

    /// Lets a window shine through its triangle.
    fn spread(&mut self, surface: &Surface, id: u32) {
        let window = self.windows[id as usize];
        let (triangle, side) = (window.side / 3, window.side as usize % 3);
        // What has become known since it was opened may outshine it.
        if self.is_outshone(surface, &window) {
            return;
        }
        let [_, end, apex] = surface.laid_out(triangle, side);
        let length = end.x;
        let crossing = window.crossing(apex);
        let distance = window.distance(apex);
        if window.lights(crossing, length) {
            let corner = surface.point(triangle, (side + 2) % 3);
            self.reach(surface, corner, distance, id);
        }
        let (mut left_to, mut right_from) = (window.to.min(crossing), window.from.max(crossing));
        let brightest = &mut self.brightest[window.side as usize];
        if distance < brightest.distance {
            if window.lights(crossing, length) {
                *brightest = Brightest { distance, crossing };
            }
        } else if crossing < brightest.crossing {
            right_from = right_from.max(brightest.crossing);
        } else if crossing > brightest.crossing {
            left_to = left_to.min(brightest.crossing);
        }
        let source = DVec2::new(window.source.x, -window.source.y);
        // Through the side at the beginning of the entered one, whose corner is (0, 0).
        if left_to > window.from {
            let hit = |x: f64| hit(source, x, DVec2::ZERO, apex);
            let (near, far) = (hit(window.from), hit(left_to));
            let along = apex.length();
            // That side runs from the apex to the corner.
            let (a, b) = ((1.0 - far) * along, (1.0 - near) * along);
            let seen = seen_from(source, apex, DVec2::ZERO);
            let shade = Shade {
                corner: surface.point(triangle, (side + 1) % 3),
                at: end,
                end: apex * near,
                from: source,
            };
            let out = (side + 2) % 3;
            self.pass(
                surface,
                triangle,
                out,
                seen,
                window.behind,
                a,
                b,
                id,
                Some(shade),
            );
        }
        if right_from < window.to {
            let hit = |x: f64| hit(source, x, end, apex);
            let (near, far) = (hit(window.to), hit(right_from));
            let along = apex.distance(end);
            let seen = seen_from(source, end, apex);
            let shade = Shade {
                corner: surface.point(triangle, side),
                at: DVec2::ZERO,
                end: end.lerp(apex, near),
                from: source,
            };
            let out = (side + 1) % 3;
            let (a, b) = (near * along, far * along);
            self.pass(
                surface,
                triangle,
                out,
                seen,
                window.behind,
                a,
                b,
                id,
                Some(shade),
            );
        }
    }

    /// Opens a window through a side of a triangle, unless it is outshone. The source and the
    /// interval are those of the triangle that is left.
    fn pass(
        &mut self,
        surface: &Surface,
        triangle: u32,
        side: usize,
        source: DVec2,
        behind: f64,
        from: f64,
        to: f64,
        parent: u32,
        shade: Option<Shade>,
    ) {
        let code = surface.across(triangle, side);
        let length = surface.side_length(triangle, side);
        if code == NONE || to - from <= NARROW * length || source.y <= NARROW * length {
            return;
        }
        let mut window = Window {
            side: code,
            parent,
            next: NONE,
            behind,
            source,
            from,
            to,
        };
        if !surface.same_way(triangle, side, code) {
            window.source.x = length - source.x;
            (window.from, window.to) = (length - to, length - from);
        }
        window.from = window.from.max(0.0);
        window.to = window.to.min(length);
        if let Some(shade) = shade {
            let straight = behind + shade.from.distance(shade.end);
            let round = self.distance[shade.corner as usize] + shade.at.distance(shade.end);
            if round < straight * (1.0 - SLACK) {
                return;
            }
        }
        if self.is_outshone(surface, &window) {
            return;
        }
        let near = window.source.x.clamp(window.from, window.to) - window.source.x;
        let key = behind + (near * near + window.source.y * window.source.y).sqrt();
        let id = self.windows.len() as u32;
        debug_assert!(id < POINT);
        let head = &mut self.through[code as usize];
        window.next = *head;
        *head = id;
        self.windows.push(window);
        self.queue.push(Entry::new(key, 0.0, id));
    }

    /// Whether ways through the ends of its side are shorter all over a window.
    fn is_outshone(&self, surface: &Surface, window: &Window) -> bool {
        let (triangle, side) = (window.side / 3, window.side as usize % 3);
        let length = surface.side_length(triangle, side);
        let first = self.distance[surface.point(triangle, side) as usize];
        let last = self.distance[surface.point(triangle, (side + 1) % 3) as usize];
        let end = |x: f64| window.distance(DVec2::new(x, 0.0)) * (1.0 - SLACK);
        first + window.to < end(window.to) || last + length - window.from < end(window.from)
    }

    /// Appends the places of the way back to the source, without the source.
    fn trace_back(&self, surface: &Surface, target: Spot, by: u32, out: &mut Vec<Spot>) {
        let mut by = by;
        // The point aimed at, in the triangle of the window `by`.
        let mut at = None;
        let mut triangle = target.triangle;
        let mut point = match target.on {
            On::Point(point) => Some(point),
            _ => None,
        };
        while by != SOURCE {
            if by & POINT != 0 {
                let p = by & !POINT;
                let code = surface.fan(p)[0];
                triangle = code / 3;
                out.push(Spot {
                    triangle,
                    at: surface.place(p),
                    on: On::Point(p),
                });
                by = self.by[p as usize];
                (at, point) = (None, Some(p));
                continue;
            }
            let window = &self.windows[by as usize];
            let (t, side) = (window.side / 3, window.side as usize % 3);
            let aim = at.unwrap_or_else(|| match point {
                Some(_) => surface.apex(t, side),
                None => surface.flatten(triangle, side, target.at),
            });
            let x = window.crossing(aim).clamp(window.from, window.to);
            out.push(Spot {
                triangle: t,
                at: surface.on_side(t, side, x),
                on: On::Side(side as u32),
            });
            // The same point seen from the triangle that the light left.
            let code = surface.across(t, side);
            let (left, out_side) = (code / 3, code as usize % 3);
            let length = surface.side_length(t, side);
            let x = if surface.same_way(t, side, code) {
                x
            } else {
                length - x
            };
            by = window.parent;
            if by != SOURCE && by & POINT == 0 {
                let parent = self.windows[by as usize].side as usize % 3;
                let laid = surface.laid_out(left, parent);
                let corner = |k: usize| laid[(k + 3 - parent) % 3];
                let (a, b) = (corner(out_side), corner((out_side + 1) % 3));
                at = Some(a.lerp(b, x / length));
            }
        }
    }
}

/// A corner of the triangle that light leaves, which may outshine it: what crosses the line from
/// the corner to the near end of the window.
struct Shade {
    corner: u32,
    at: DVec2,
    end: DVec2,
    from: DVec2,
}

/// Where the ray from a source through (x, 0) meets the line from a to b, as a share of it.
fn hit(source: DVec2, x: f64, a: DVec2, b: DVec2) -> f64 {
    let ray = DVec2::new(x - source.x, -source.y);
    let side = b - a;
    let turn = ray.perp_dot(side);
    if turn.abs() <= f64::MIN_POSITIVE {
        return 1.0;
    }
    ((source - a).perp_dot(ray) / side.perp_dot(ray)).clamp(0.0, 1.0)
}

/// A source before the side from a to b: along it, and its distance from it.
fn seen_from(source: DVec2, a: DVec2, b: DVec2) -> DVec2 {
    let side = b - a;
    let length = side.length();
    let way = source - a;
    DVec2::new(way.dot(side) / length, side.perp_dot(way).abs() / length)
}

#[cfg(test)]
mod tests {
    use super::super::surface::tests::cuboid;
    use super::*;
    use crate::{Ground, Walk, environment::Mesh};
    use glam::{DVec3, Vec3};

    fn between(mesh: &Mesh, a: DVec3, b: DVec3) -> f64 {
        let ground = Ground::from_mesh(mesh).unwrap();
        let view = ground.view();
        let surface = Surface::new(&view);
        let spot = |p: DVec3| surface.spot(view.locate(view.from_world(p)).unwrap());
        let mut path = Vec::new();
        let length = Windows::default()
            .path(&surface, spot(a), spot(b), &mut path)
            .unwrap();
        let walked: f64 = path.windows(2).map(|w| w[0].at.distance(w[1].at)).sum();
        assert!(
            (walked - length).abs() < 1e-9 * length.max(1.0),
            "{walked} {length}"
        );
        length
    }

    #[test]
    fn corner_to_corner_of_a_box_whatever_the_triangles() {
        // Unfolded over the two faces that share its longest edge: sqrt((1 + 2)^2 + 3^2).
        let size = DVec3::new(1.0, 2.0, 3.0);
        for cuts in [1, 2, 3, 5, 8] {
            let found = between(&cuboid(size, cuts), DVec3::ZERO, size);
            assert!((found - 18_f64.sqrt()).abs() < 1e-6, "{cuts}: {found}");
        }
    }

    #[test]
    fn the_spider_goes_over_five_walls() {
        // Dudeney's room of 30 x 12 x 12: from 1 below the ceiling to 1 above the floor in 40.
        let room = cuboid(DVec3::new(30.0, 12.0, 12.0), 6);
        let spider = DVec3::new(0.0, 6.0, 11.0);
        let fly = DVec3::new(30.0, 6.0, 1.0);
        let found = between(&room, spider, fly);
        assert!((found - 40.0).abs() < 1e-5, "{found}");
    }

    #[test]
    fn a_hole_is_gone_round() {
        // A square ring: outer half 3, inner half 1. From (-2, 0) to (2, 0) past (-1, 1), (1, 1).
        let mut mesh = Mesh::default();
        for j in -3..=3 {
            for i in -3..=3 {
                mesh.vertices
                    .push(DVec3::new(f64::from(i), f64::from(j), 0.0));
            }
        }
        for j in 0..6_u32 {
            for i in 0..6_u32 {
                if (2..4).contains(&i) && (2..4).contains(&j) {
                    continue;
                }
                let a = j * 7 + i;
                mesh.triangles.push([a, a + 1, a + 8]);
                mesh.triangles.push([a, a + 8, a + 7]);
            }
        }
        let found = between(&mesh, DVec3::new(-2.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0));
        assert!((found - (2.0 + 2.0 * 2_f64.sqrt())).abs() < 1e-6, "{found}");
    }

    #[test]
    fn two_parts_have_no_way_between_them() {
        let mut mesh = cuboid(DVec3::ONE, 2);
        let mut other = cuboid(DVec3::ONE, 2);
        let base = mesh.vertices.len() as u32;
        other.vertices.iter_mut().for_each(|v| *v += DVec3::X * 5.0);
        mesh.vertices.extend(other.vertices);
        mesh.triangles
            .extend(other.triangles.iter().map(|t| t.map(|v| v + base)));
        let ground = Ground::from_mesh(&mesh).unwrap();
        let (view, surface) = (ground.view(), Surface::new(&ground.view()));
        let spot = |x: f64| {
            let local = view.from_world(DVec3::new(x, 0.3, 0.0));
            surface.spot(view.locate(local + Vec3::ZERO).unwrap())
        };
        let mut windows = Windows::default();
        assert_eq!(windows.distance(&surface, spot(0.2), spot(5.2)), None);
        assert!(windows.distance(&surface, spot(0.2), spot(0.7)).is_some());
    }
}
