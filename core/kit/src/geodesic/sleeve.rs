//! Locally shortest paths by iterative correction (Martinez, Velho, Carvalho 2005).
//!
//! A path is kept as the sleeve of triangles that it passes. Correcting the crossings of its sides
//! until nothing moves pulls it tight within the sleeve: the same string that a funnel over the
//! unfolded triangles finds at once. A tight path bends only at vertices. Where it bends, and the
//! surface on the far side of the vertex is less than half a turn, going round that side is
//! shorter: the sleeve is laid over there and the path pulled again, until no bend can be
//! shortened.

use glam::DVec2;
use throng_core::NONE;

use super::surface::{On, Spot, Surface};

/// Bends that would gain less than this angle are left, radians.
const STRAIGHT: f64 = 1e-7;
/// The string touches a vertex that it passes at less than this angle, radians.
const TOUCH: f64 = 1e-9;
/// A round that shortens the path by less than this share is the last.
const LEAST_GAIN: f64 = 1e-13;
/// Rounds of corrections at the most; each is one pulling.
const MOST_ROUNDS: usize = 400;

/// A path that has been pulled tight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Straightened {
    /// Its length.
    pub length: f64,
    /// Rounds of corrections.
    pub rounds: usize,
}

/// A side that is passed, laid out in the plane.
#[derive(Clone, Copy, Debug)]
struct Portal {
    left: DVec2,
    right: DVec2,
    left_point: u32,
    right_point: u32,
    /// Along the side from its first corner: that is on the left.
    first_is_left: bool,
}

/// A vertex where the tight path bends.
#[derive(Clone, Copy, Debug)]
struct Bend {
    /// The portal it is an end of.
    portal: usize,
    at: DVec2,
    point: u32,
    left: bool,
}

/// Straightens paths, reusing its memory.
#[derive(Debug, Default)]
pub struct Sleeve {
    /// Sides left through, as `triangle * 3 + side`.
    codes: Vec<u32>,
    new_codes: Vec<u32>,
    portals: Vec<Portal>,
    bends: Vec<Bend>,
    first_triangle: u32,
}

impl Sleeve {
    /// Pulls a path tight: appends its places from start to end, both included. Nothing if two
    /// places that follow each other have no triangle in common.
    pub fn straighten(
        &mut self,
        surface: &Surface,
        path: &[Spot],
        out: &mut Vec<Spot>,
    ) -> Option<Straightened> {
        if !self.lay_along(surface, path) {
            return None;
        }
        let (from, to) = (*path.first()?, *path.last()?);
        let mut shortest = f64::INFINITY;
        for rounds in 1.. {
            let (mut start, mut end) = self.unfold(surface, from, to);
            self.pull(start, end);
            let length = self.length(start, end);
            let shorter = length < shortest * (1.0 - LEAST_GAIN);
            if !shorter && rounds > 1 {
                // Bends that rounding turns over and back again: the path before was as good.
                core::mem::swap(&mut self.codes, &mut self.new_codes);
                (start, end) = self.unfold(surface, from, to);
                self.pull(start, end);
            }
            shortest = length.min(shortest);
            if !shorter || rounds >= MOST_ROUNDS || !self.turn_over(surface, start, end) {
                let length = self.walk(surface, from, to, start, end, out);
                return Some(Straightened { length, rounds });
            }
        }
        None
    }

    /// Length of the string in the plane.
    fn length(&self, start: DVec2, end: DVec2) -> f64 {
        let (mut at, mut length) = (start, 0.0);
        for aim in self.bends.iter().map(|b| b.at).chain([end]) {
            length += at.distance(aim);
            at = aim;
        }
        length
    }

    /// Makes the sleeve of a path.
    fn lay_along(&mut self, surface: &Surface, path: &[Spot]) -> bool {
        self.codes.clear();
        let Some(first) = path.first() else {
            return false;
        };
        let mut now = NONE;
        self.first_triangle = first.triangle;
        for pair in path.windows(2) {
            let mut common = NONE;
            let mut in_now = [false; 2];
            surface.triangles_at(&pair[0], |t| in_now[0] |= t == now);
            surface.triangles_at(&pair[1], |t| in_now[1] |= t == now);
            if now != NONE && in_now == [true, true] {
                continue;
            }
            surface.triangles_at(&pair[0], |t| {
                if common == NONE {
                    surface.triangles_at(&pair[1], |u| {
                        if u == t && common == NONE {
                            common = t;
                        }
                    });
                }
            });
            if common == NONE {
                return false;
            }
            if now == NONE {
                self.first_triangle = common;
            } else if !connect(surface, now, common, pair[0], &mut self.codes) {
                return false;
            }
            now = common;
        }
        self.drop_returns(surface);
        true
    }

    /// Takes out where the sleeve leaves a triangle and comes straight back.
    fn drop_returns(&mut self, surface: &Surface) {
        let mut kept = 0;
        for i in 0..self.codes.len() {
            let code = self.codes[i];
            if kept > 0 {
                let last = self.codes[kept - 1];
                if surface.across(last / 3, last as usize % 3) == code {
                    kept -= 1;
                    continue;
                }
            }
            self.codes[kept] = code;
            kept += 1;
        }
        self.codes.truncate(kept);
    }

    /// Lays the sleeve out in the plane; gives start and end there.
    fn unfold(&mut self, surface: &Surface, from: Spot, to: Spot) -> (DVec2, DVec2) {
        self.portals.clear();
        let mut triangle = self.first_triangle;
        let mut corners = surface.laid_out(triangle, 0);
        let mut mirrored = false;
        let start = locate(surface, triangle, &corners, from);
        for &code in &self.codes {
            let (t, s) = (code / 3, code as usize % 3);
            debug_assert_eq!(t, triangle);
            let (a, b) = (corners[s], corners[(s + 1) % 3]);
            let (pa, pb) = (surface.point(t, s), surface.point(t, (s + 1) % 3));
            // The left end, walking out of a triangle that lies counter-clockwise, is the second.
            self.portals.push(if mirrored {
                Portal {
                    left: a,
                    right: b,
                    left_point: pa,
                    right_point: pb,
                    first_is_left: true,
                }
            } else {
                Portal {
                    left: b,
                    right: a,
                    left_point: pb,
                    right_point: pa,
                    first_is_left: false,
                }
            });
            let beyond = surface.across(t, s);
            let (u, r) = (beyond / 3, beyond as usize % 3);
            let same = surface.same_way(t, s, beyond);
            let (first, second) = if same { (a, b) } else { (b, a) };
            if same {
                mirrored = !mirrored;
            }
            let x = (second - first).normalize_or_zero();
            let up = if mirrored { -x.perp() } else { x.perp() };
            let apex = surface.apex(u, r);
            corners[r] = first;
            corners[(r + 1) % 3] = second;
            corners[(r + 2) % 3] = first + x * apex.x + up * apex.y;
            triangle = u;
        }
        (start, locate(surface, triangle, &corners, to))
    }

    /// The string from start to end within the portals (a funnel).
    fn pull(&mut self, start: DVec2, end: DVec2) {
        self.bends.clear();
        let count = self.portals.len();
        let (mut apex, mut left, mut right) = (start, start, start);
        let (mut left_at, mut right_at) = (0, 0);
        let mut i = 0;
        while i <= count {
            let (new_left, new_right) = match self.portals.get(i) {
                Some(portal) => (portal.left, portal.right),
                None => (end, end),
            };
            let area = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
            // What the string touches is a bend, if only of half a turn: the far side of the
            // vertex may be less.
            let touch = |a: DVec2, b: DVec2, c: DVec2| TOUCH * a.distance(b) * a.distance(c);
            if apex == right || area(apex, right, new_right) > touch(apex, right, new_right) {
                if apex == right
                    || apex == left
                    || area(apex, left, new_right) < -touch(apex, left, new_right)
                {
                    (right, right_at) = (new_right, i);
                } else {
                    self.bend_at(left_at, true);
                    apex = left;
                    i = left_at + 1;
                    (right, left_at, right_at) = (apex, i - 1, i - 1);
                    continue;
                }
            }
            if apex == left || area(apex, left, new_left) < -touch(apex, left, new_left) {
                if apex == left
                    || apex == right
                    || area(apex, right, new_left) > touch(apex, right, new_left)
                {
                    (left, left_at) = (new_left, i);
                } else {
                    self.bend_at(right_at, false);
                    apex = right;
                    i = right_at + 1;
                    (left, left_at, right_at) = (apex, i - 1, i - 1);
                    continue;
                }
            }
            i += 1;
        }
    }

    fn bend_at(&mut self, portal: usize, left: bool) {
        // Beyond the last portal is the end itself.
        let Some(p) = self.portals.get(portal) else {
            return;
        };
        let (at, point) = if left {
            (p.left, p.left_point)
        } else {
            (p.right, p.right_point)
        };
        if self.bends.last().is_none_or(|b| b.at != at) {
            self.bends.push(Bend {
                portal,
                at,
                point,
                left,
            });
        }
    }

    /// Lays the sleeve over the far side of bends where that is shorter. Whether any was.
    fn turn_over(&mut self, surface: &Surface, start: DVec2, end: DVec2) -> bool {
        self.new_codes.clear();
        let mut copied = 0;
        let mut any = false;
        for b in 0..self.bends.len() {
            let bend = self.bends[b];
            if surface.is_rim(bend.point) {
                continue;
            }
            let before = match b {
                0 => start,
                _ => self.bends[b - 1].at,
            };
            let after = self.bends.get(b + 1).map_or(end, |next| next.at);
            let (p, q) = (before - bend.at, after - bend.at);
            let inner = throng_core::math::atan2(p.perp_dot(q).abs(), p.dot(q));
            // Tight: the sleeve's side of the bend is at least half a turn.
            let within = core::f64::consts::TAU - inner;
            if surface.angle(bend.point) - within >= core::f64::consts::PI - STRAIGHT {
                continue;
            }
            // Portals that the vertex is an end of.
            let ends = |portal: &Portal| {
                let point = if bend.left {
                    portal.left_point
                } else {
                    portal.right_point
                };
                point == bend.point
            };
            let (mut low, mut high) = (bend.portal, bend.portal);
            while low > 0 && ends(&self.portals[low - 1]) {
                low -= 1;
            }
            while high + 1 < self.portals.len() && ends(&self.portals[high + 1]) {
                high += 1;
            }
            if low < copied {
                continue;
            }
            let beyond = self.codes[high];
            let last = surface.across(beyond / 3, beyond as usize % 3) / 3;
            self.new_codes.extend_from_slice(&self.codes[copied..low]);
            let mark = self.new_codes.len();
            if other_way(
                surface,
                bend.point,
                self.codes[low],
                last,
                &mut self.new_codes,
            ) {
                copied = high + 1;
                any = true;
            } else {
                self.new_codes.truncate(mark);
                copied = low;
            }
        }
        if any {
            self.new_codes.extend_from_slice(&self.codes[copied..]);
            core::mem::swap(&mut self.codes, &mut self.new_codes);
            self.drop_returns(surface);
        }
        any
    }

    /// Appends the places of the tight path and gives its length.
    fn walk(
        &self,
        surface: &Surface,
        from: Spot,
        to: Spot,
        start: DVec2,
        end: DVec2,
        out: &mut Vec<Spot>,
    ) -> f64 {
        out.push(from);
        let mut length = 0.0;
        let mut at = start;
        let mut next = 0;
        let bends = self.bends.iter().map(|b| (b.at, Some(*b)));
        for (aim, bend) in bends.chain([(end, None)]) {
            let until = bend.map_or(self.portals.len(), |b| b.portal);
            for i in next..until {
                let p = &self.portals[i];
                // Ends of the straight piece are places of their own.
                if p.left == at || p.right == at || p.left == aim || p.right == aim {
                    continue;
                }
                let (way, side) = (aim - at, p.right - p.left);
                let turn = way.perp_dot(side);
                if turn.abs() <= f64::MIN_POSITIVE {
                    continue;
                }
                let share = (way.perp_dot(at - p.left) / way.perp_dot(side)).clamp(0.0, 1.0);
                let along = if p.first_is_left { share } else { 1.0 - share };
                let (t, s) = (self.codes[i] / 3, self.codes[i] as usize % 3);
                out.push(Spot {
                    triangle: t,
                    at: surface.on_side(t, s, along * surface.side_length(t, s)),
                    on: On::Side(s as u32),
                });
            }
            next = until.max(next);
            length += at.distance(aim);
            if let Some(bend) = bend {
                out.push(Spot {
                    triangle: surface.fan(bend.point)[0] / 3,
                    at: surface.place(bend.point),
                    on: On::Point(bend.point),
                });
            }
            at = aim;
        }
        out.push(to);
        length
    }
}

/// Where a place of a triangle is when its corners are laid out in the plane.
fn locate(surface: &Surface, triangle: u32, corners: &[DVec2; 3], spot: Spot) -> DVec2 {
    if let On::Point(point) = spot.on {
        for k in 0..3 {
            if surface.point(triangle, k) == point {
                return corners[k];
            }
        }
    }
    let flat = surface.flatten(triangle, 0, spot.at);
    let [_, b, c] = surface.laid_out(triangle, 0);
    // Weights of the corners, which hold wherever the triangle is laid.
    let third = flat.y / c.y;
    let second = (flat.x - c.x * third) / b.x;
    corners[0] * (1.0 - second - third) + corners[1] * second + corners[2] * third
}

/// Appends the sides to pass from one triangle at a place to another.
fn connect(surface: &Surface, from: u32, to: u32, at: Spot, codes: &mut Vec<u32>) -> bool {
    match at.on {
        On::Inside => from == to,
        On::Side(_) => {
            for s in 0..3 {
                let code = surface.across(from, s);
                if code != NONE && code / 3 == to {
                    codes.push(from * 3 + s as u32);
                    return true;
                }
            }
            from == to
        }
        On::Point(point) => {
            let fan = surface.fan(point);
            let find = |t: u32| fan.iter().position(|code| code / 3 == t);
            let (Some(i), Some(j)) = (find(from), find(to)) else {
                return false;
            };
            let n = fan.len();
            let forward = (j + n - i) % n;
            let up = if surface.is_rim(point) {
                j >= i
            } else {
                // The lesser angle; corners are much alike.
                let turned = |steps: usize, up: bool| -> f64 {
                    (1..steps)
                        .map(|k| {
                            let code = fan[if up { i + k } else { i + n - k } % n];
                            surface.corner_angle(code)
                        })
                        .sum()
                };
                turned(forward, true) <= turned(n - forward, false)
            };
            let steps = match (surface.is_rim(point), up) {
                (true, true) => j - i,
                (true, false) => i - j,
                (false, true) => forward,
                (false, false) => n - forward,
            };
            if i == j {
                return true;
            }
            round(surface, fan, i, steps, up, codes)
        }
    }
}

/// Appends the sides passed when turning about a point by so many corners.
fn round(
    surface: &Surface,
    fan: &[u32],
    from: usize,
    steps: usize,
    up: bool,
    codes: &mut Vec<u32>,
) -> bool {
    let n = fan.len();
    let mut i = from;
    for _ in 0..steps {
        let j = if up { (i + 1) % n } else { (i + n - 1) % n };
        let (t, k) = (fan[i] / 3, fan[i] as usize % 3);
        let mut sides = [k, (k + 2) % 3];
        // With two triangles about a point both sides lead to the other one.
        if up {
            sides.swap(0, 1);
        }
        let side = sides.into_iter().find(|&s| {
            let code = surface.across(t, s);
            code != NONE && code / 3 == fan[j] / 3
        });
        match side {
            Some(side) => codes.push(t * 3 + side as u32),
            None => return false,
        }
        i = j;
    }
    true
}

/// Appends the sides that lead from the triangle of a code the other way about a point to a
/// triangle.
fn other_way(surface: &Surface, point: u32, leaves: u32, last: u32, codes: &mut Vec<u32>) -> bool {
    let fan = surface.fan(point);
    let n = fan.len();
    let first = leaves / 3;
    let find = |t: u32| fan.iter().position(|code| code / 3 == t);
    let (Some(i), Some(j)) = (find(first), find(last)) else {
        return false;
    };
    if i == j || n < 3 {
        return false;
    }
    let now = surface.across(first, leaves as usize % 3) / 3;
    let up = fan[(i + 1) % n] / 3 != now;
    let steps = if up { (j + n - i) % n } else { (i + n - j) % n };
    round(surface, fan, i, steps, up, codes)
}

#[cfg(test)]
mod tests {
    use super::super::{surface::tests::cuboid, windows::Windows};
    use super::*;
    use crate::{Ground, Walk};
    use glam::DVec3;

    #[test]
    fn a_path_over_edges_of_a_box_becomes_the_straight_one() {
        let size = DVec3::new(1.0, 2.0, 3.0);
        let ground = Ground::from_mesh(&cuboid(size, 4)).unwrap();
        let (view, surface) = (ground.view(), Surface::new(&ground.view()));
        let spot = |p: DVec3| surface.spot(view.locate(view.from_world(p)).unwrap());
        // Along the edges x, then y, then z.
        let mut path = Vec::new();
        for i in 0..=4 {
            path.push(spot(DVec3::new(0.25 * f64::from(i), 0.0, 0.0)));
        }
        for i in 1..=4 {
            path.push(spot(DVec3::new(1.0, 0.5 * f64::from(i), 0.0)));
        }
        for i in 1..=4 {
            path.push(spot(DVec3::new(1.0, 2.0, 0.75 * f64::from(i))));
        }
        let (mut sleeve, mut out) = (Sleeve::default(), Vec::new());
        let found = sleeve.straighten(&surface, &path, &mut out).unwrap();
        let exact = Windows::default()
            .distance(&surface, path[0], path[path.len() - 1])
            .unwrap();
        let walked: f64 = out.windows(2).map(|w| w[0].at.distance(w[1].at)).sum();
        assert!((walked - found.length).abs() < 1e-9, "{walked} {found:?}");
        assert!(found.length >= exact - 1e-9);
        // Straight over two faces, if not over the best two.
        assert!(
            found.length < 26_f64.sqrt() + 1e-6,
            "{found:?} against {exact}"
        );
    }

    #[test]
    fn within_one_triangle_the_path_is_its_chord() {
        let ground = Ground::from_mesh(&cuboid(DVec3::ONE, 1)).unwrap();
        let (view, surface) = (ground.view(), Surface::new(&ground.view()));
        let spot = |p: DVec3| surface.spot(view.locate(view.from_world(p)).unwrap());
        let (a, b) = (
            spot(DVec3::new(0.5, 0.1, 0.0)),
            spot(DVec3::new(0.9, 0.2, 0.0)),
        );
        let mut out = Vec::new();
        if a.triangle == b.triangle {
            let found = Sleeve::default().straighten(&surface, &[a, b], &mut out);
            assert!((found.unwrap().length - a.at.distance(b.at)).abs() < 1e-12);
            assert_eq!(out.len(), 2);
        }
    }
}
