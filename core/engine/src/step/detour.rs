//! Stage `detour`: round things that maps do not know.
//!
//! Obstacles are for bodies alone: a route may lead straight through one, and avoidance, which
//! looks a second or two ahead, would stop in front of it. So whoever has one on the straight way
//! to the point walked to heads for the corner past which the way round is shorter.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use throng_core::{Frame, Gate, GroundView, Location, NONE, Wall, math};
use throng_kit::Walk;

use crate::{
    agents::Doing,
    follow::WINDOW,
    memory::CHUNK,
    parts::Parts,
    state::{ChunkScratch, Guided, Place, State, Work},
};

/// How far ahead obstacles are seen, metres.
pub(crate) const AHEAD: f32 = 4.0;
/// Who is nearer to an obstacle may be on the way round it, metres.
const AT_HAND: f32 = 1.0;
/// Where those who are led by a field go on to behind an obstacle, metres ahead.
const BEYOND: f32 = 6.0;
/// Room left to a corner beside the radius, metres.
const MARGIN: f32 = 0.15;
/// Most sides of an obstacle that are looked at.
const MOST_SIDES: usize = 256;

/// Turns preferred velocities that lead into an obstacle past its nearer end, and routes that lead
/// through one on to where they come out of it.
pub fn round_obstacles(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    let Some(obstacles) = &place.obstacles else {
        return;
    };
    let site = place.site();
    let ground = site.ground;
    let mut tracks = std::mem::take(&mut state.agents.track);
    let mut marks = std::mem::take(&mut state.agents.mark);
    let (a, routes, map, pool) = (&state.agents, &state.routes, &state.map, &work.pool);
    let led = &work.led;
    let is_led = |row: usize| led.get(row).is_some_and(|led| *led != 0);
    work.guided
        .par_chunks_mut(CHUNK)
        .zip(tracks.par_chunks_mut(CHUNK))
        .zip(marks.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, ((guided, tracks), marks))| {
            pool.with(|scratch| {
                let ChunkScratch {
                    walls,
                    follow,
                    aim: ring,
                    ..
                } = scratch;
                for (i, out) in guided.iter_mut().enumerate() {
                    let row = chunk * CHUNK + i;
                    let speed = out.preferred.length();
                    if a.doing[row] != Doing::Walking || speed < 1e-3 {
                        continue;
                    }
                    let (at, radius) = (a.location[row], a.radius[row]);
                    let sides = obstacles.about(at.point);
                    if sides.is_empty() {
                        continue;
                    }
                    // On a plane they are looked at before walls are looked for: few concern
                    // anybody.
                    if ground.flat {
                        let about = sides.iter().map(|&side| {
                            let wall = &ground.walls[side as usize];
                            let offset = |p: Vec3| (p - at.point).truncate();
                            (offset(wall.a), offset(wall.b), side)
                        });
                        let hit = first_hit(about.clone(), out.aim, radius);
                        if hit.is_none() && (is_led(row) || beside(about).is_none()) {
                            continue;
                        }
                    }
                    let frame = if ground.flat {
                        Frame::FLAT
                    } else {
                        a.frame[row]
                    };
                    walls.clear();
                    ground.walls_near(at, frame, AHEAD, walls);
                    walls.retain(|w| w.flags & u32::from(Wall::OBSTACLE) != 0);
                    let walls = || walls.iter().map(|w| (w.a, w.b, w.wall));
                    let hit = first_hit(walls(), out.aim, radius);
                    // What is beside says something only of the gates of a route.
                    let at_hand = || beside(walls()).filter(|_| !is_led(row));
                    let Some(first) = hit.or_else(at_hand) else {
                        continue;
                    };
                    let normal = ground.normals[at.triangle as usize];
                    let offset = |p: Vec3| frame.offset(normal, p - at.point);
                    corners_of(&ground, first, offset, ring);
                    let open = |p: Vec2| {
                        let point = at.point + frame.to_world(normal, p);
                        let there = ground.locate(point).filter(|l| {
                            let off = l.point - point;
                            (off - normal * off.dot(normal)).length() < 0.05
                        });
                        // A squeeze of a tenth is no reason to go the long way.
                        there.is_some_and(|l| ground.distance_to_wall(l, radius) >= 0.9 * radius)
                    };
                    let track = &mut tracks[i];
                    if is_led(row) {
                        // A field leads on beyond the obstacle; the gates of a route that it
                        // does not keep to say nothing.
                        let far = out.aim.normalize_or_zero() * BEYOND;
                        let way = hit.and_then(|_| way_round(ring, far, radius, open));
                        if let Some(way) = way {
                            *out = Guided {
                                preferred: way.normalize_or_zero() * speed,
                                aim: way,
                            };
                        }
                        continue;
                    }
                    let gates = &mut follow.gates;
                    routes.gates_ahead(track, &*parts.nav, &site, map, WINDOW, gates);
                    let blocked = |p: Vec2| first_hit(walls(), p, radius).is_some();
                    // What counts is where the route enters the obstacle: who is halfway round it
                    // must not turn back to what it left behind.
                    let enters = |g: &Gate| is_within(ring, offset(g.middle), radius);
                    let begin = gates.iter().position(enters).or_else(|| {
                        hit?;
                        gates.iter().position(|g| blocked(offset(g.middle)))
                    });
                    if hit.is_none() && begin.is_none() {
                        continue;
                    }
                    let beyond = begin.map_or(gates.len(), |b| b + 1);
                    let later = || gates.iter().enumerate().skip(beyond);
                    let free = later().find(|(_, gate)| {
                        let there = Location {
                            point: gate.middle,
                            triangle: gate.triangle,
                        };
                        !blocked(offset(gate.middle)) && ground.sees(at, there)
                    });
                    let way = match free.map(|(k, gate)| (k, offset(gate.middle))) {
                        Some((k, way)) => {
                            routes.skip(track, k, &*parts.nav, &site, map, gates);
                            marks[i] = track.mark();
                            Some(way)
                        }
                        None => {
                            let outside = |p: &Vec2| !is_within(ring, *p, radius);
                            let end = offset(a.target[row].point);
                            let aims = later().map(|(_, gate)| offset(gate.middle));
                            let goal = aims.chain([end]).find(outside).unwrap_or(out.aim);
                            way_round(ring, goal, radius, open)
                        }
                    };
                    if let Some(way) = way {
                        *out = Guided {
                            preferred: way.normalize_or_zero() * speed,
                            aim: way,
                        };
                    }
                }
            });
        });
    state.agents.track = tracks;
    state.agents.mark = marks;
}

/// The nearest of these sides that a body of this radius would touch on the straight way.
fn first_hit(
    sides: impl Iterator<Item = (Vec2, Vec2, u32)>,
    aim: Vec2,
    radius: f32,
) -> Option<u32> {
    let far = aim.length();
    if far < 1e-3 {
        return None;
    }
    let ahead = aim / far;
    let mut hit: Option<(f32, u32)> = None;
    for (a, b, side) in sides {
        let (a, b) = (turned(a, ahead), turned(b, ahead));
        if let Some(near) = first_touch(a, b, radius)
            && near < far
            && hit.is_none_or(|(best, _)| near < best)
        {
            hit = Some((near, side));
        }
    }
    hit.map(|(_, side)| side)
}

/// The side that one stands beside, if it is at hand.
fn beside(sides: impl Iterator<Item = (Vec2, Vec2, u32)>) -> Option<u32> {
    let near = |a: Vec2, b: Vec2| {
        let way = b - a;
        let along = (-a.dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
        (a + way * along).length()
    };
    sides
        .map(|(a, b, side)| (near(a, b), side))
        .filter(|(far, _)| *far < AT_HAND)
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, side)| side)
}

/// The corners of the obstacle that a side belongs to.
fn corners_of(
    ground: &GroundView<'_>,
    first: u32,
    offset: impl Fn(Vec3) -> Vec2,
    ring: &mut Vec<Vec2>,
) {
    ring.clear();
    let mut side = first;
    while let Some(wall) = ground.walls.get(side as usize)
        && ring.len() < MOST_SIDES
    {
        ring.push(offset(wall.a));
        side = wall.next;
        if side == first || side == NONE {
            ring.extend((side == NONE).then(|| offset(wall.b)));
            break;
        }
    }
}

/// Whether a point lies in a ring or nearer to it than a radius.
fn is_within(ring: &[Vec2], p: Vec2, radius: f32) -> bool {
    let mut odd = false;
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x {
            odd = !odd;
        }
        let way = b - a;
        let along = ((p - a).dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
        if (a + way * along).distance_squared(p) < radius * radius {
            return true;
        }
    }
    odd
}

/// The offset to walk to on the shorter way round a ring to a goal, of those that are open.
fn way_round(ring: &[Vec2], goal: Vec2, radius: f32, open: impl Fn(Vec2) -> bool) -> Option<Vec2> {
    let ahead = goal.try_normalize()?;
    let room = radius + MARGIN;
    let (left, right) = extremes(ring, Vec2::ZERO, ahead)?;
    // Whoever looks back from the goal has left and right the other way round.
    let (back_left, back_right) = extremes(ring, goal, -ahead)?;
    let past = |corner: usize, out: f32| {
        let corner = *ring.get(corner)?;
        let away = corner.perp().normalize_or(ahead.perp()) * out;
        Some(corner + away * room)
    };
    // Whether one can pass a corner is a matter of the corner, not of where one stands: else one
    // would turn back and forth between two ends. The free side of a ring lies on its left.
    let passable = |corner: usize| {
        let around = [corner + ring.len() - 1, corner, corner + 1].map(|i| ring[i % ring.len()]);
        let clear = |from: Vec2, to: Vec2| {
            let out = (to - from).perp().normalize_or_zero();
            open(around[1] + out * room)
        };
        clear(around[0], around[1]) && clear(around[1], around[2])
    };
    let (by_left, by_right) = (past(left, 1.0)?, past(right, -1.0)?);
    let along = |from: usize, to: usize| -> f32 {
        let sides = (to + ring.len() - from) % ring.len();
        let side = |i: usize| ring[i % ring.len()].distance(ring[(i + 1) % ring.len()]);
        (from..from + sides).map(side).sum()
    };
    // With the obstacle on one's right one goes along its ring, on one's left against it.
    let to_goal = |corner: usize| ring[corner].distance(goal);
    let left_way = by_left.length() + along(left, back_right) + to_goal(back_right);
    let right_way = by_right.length() + along(back_left, right) + to_goal(back_left);
    let take_left = match (passable(left), passable(right)) {
        (true, false) => true,
        (false, true) => false,
        _ => left_way <= right_way,
    };
    let way = if take_left { by_left } else { by_right };
    (way.length_squared() > 1e-4).then_some(way)
}

/// The corners farthest to the left and to the right for somebody who stands and looks like this.
fn extremes(ring: &[Vec2], from: Vec2, ahead: Vec2) -> Option<(usize, usize)> {
    let turn = |i: usize| {
        let corner = ring[i] - from;
        math::atan2(ahead.perp_dot(corner), ahead.dot(corner))
    };
    let by_turn = |a: &usize, b: &usize| turn(*a).total_cmp(&turn(*b));
    let left = (0..ring.len()).max_by(by_turn)?;
    let right = (0..ring.len()).min_by(by_turn)?;
    Some((left, right))
}

/// A vector in coordinates in which `ahead` is the first axis.
fn turned(v: Vec2, ahead: Vec2) -> Vec2 {
    Vec2::new(ahead.dot(v), ahead.perp_dot(v))
}

/// How far along the first axis a side lies that comes within a radius of it, if it lies ahead.
fn first_touch(a: Vec2, b: Vec2, radius: f32) -> Option<f32> {
    let (mut from, mut to) = (0.0f32, 1.0f32);
    for (begin, way) in [(a.y + radius, b.y - a.y), (radius - a.y, a.y - b.y)] {
        // begin + t * way >= 0
        if way.abs() < 1e-9 {
            if begin < 0.0 {
                return None;
            }
        } else if way > 0.0 {
            from = from.max(-begin / way);
        } else {
            to = to.min(-begin / way);
        }
    }
    if from > to {
        return None;
    }
    let along = |t: f32| a.x + (b.x - a.x) * t;
    let near = along(from).min(along(to));
    (near.max(along(from).max(along(to))) > 0.0 && near > -radius).then_some(near.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_across_the_way_are_touched_and_others_not() {
        let v = Vec2::new;
        assert_eq!(first_touch(v(3.0, -1.0), v(3.0, 1.0), 0.25), Some(3.0));
        assert_eq!(first_touch(v(3.0, 0.3), v(3.0, 1.0), 0.25), None);
        assert_eq!(first_touch(v(3.0, 0.2), v(3.0, 1.0), 0.25), Some(3.0));
        assert_eq!(first_touch(v(-3.0, -1.0), v(-3.0, 1.0), 0.25), None);
        // A slanting side: the touch is where it enters the strip.
        let slant = first_touch(v(2.0, -1.0), v(4.0, 1.0), 0.5).unwrap();
        assert!((slant - 2.5).abs() < 1e-6);
    }

    #[test]
    fn the_shorter_way_round_a_bench_is_taken() {
        let v = Vec2::new;
        let bench = [v(2.0, -1.0), v(2.0, 4.0), v(3.0, 4.0), v(3.0, -1.0)];
        let way = way_round(&bench, v(5.0, 0.0), 0.25, |_| true).unwrap();
        // Past the corner at (2, -1) by the radius and the margin, at right angles to the way.
        let corner = v(2.0, -1.0);
        let expected = corner - corner.perp().normalize() * 0.4;
        assert!((way - expected).length() < 1e-6, "{way}");
        let other = way_round(&bench, v(5.0, 0.0), 0.25, |p| p.y > 0.0).unwrap();
        assert!(
            other.y > 4.0,
            "the other end where this one is closed: {other}"
        );
        // Beside a long bench, to a goal behind it and further back: the near corner is rounded,
        // though it lies behind the line across the way.
        let beside = bench.map(|c| c - v(1.6, -3.0));
        let back = way_round(&beside, v(3.0, -1.0), 0.25, |p| p.y > 3.0).unwrap();
        assert!(back.x < 0.3 && back.y > 6.9, "{back}");
        assert!(is_within(&bench, v(2.5, 0.0), 0.25) && is_within(&bench, v(1.9, 0.0), 0.25));
        assert!(!is_within(&bench, v(1.7, 0.0), 0.25));
    }
}
