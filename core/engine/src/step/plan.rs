//! Stage `plan`: who needs a route, and the planner's answers.

use std::sync::Mutex;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use throng_core::{
    Attachment, Frame, Gate, GroundView, Location, NONE, PlanRequest, RouteKind, RouteRow,
    RouteSink,
    random::{Purpose, Stream},
};
use throng_kit::{Walk, ground::TraceEnd};

use crate::{
    agents::{AgentId, Agents, Doing, Patience},
    command::Event,
    flows::{Ask, Flows, Look},
    memory::CHUNK,
    metrics::Metrics,
    parts::Parts,
    scenario::{Replan, ReplanEvent},
    state::{Place, ScratchPool, State, Work},
    track::TrackKind,
};

/// Requests in one call to a planner. Fixed, so that batches never depend on the threads.
const BATCH: usize = 16;
/// Batches answered before their answers are adopted.
const ROUND: usize = 128;
/// Steps between two looks at whether an agent still sees the point it walks to.
const SIGHT_EVERY: u64 = 16;

/// A wall within this distance keeps a walker on a curved surface, or on a route of gates over
/// several storeys, from where it wants to go, metres.
const AT_HAND: f32 = 2.0;

/// Why an agent wants a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    /// It has none.
    Missing = 0,
    /// Its route is broken: a door closed, or it was pushed off it.
    Broken = 1,
    /// Something changed that may offer a better one.
    Event = 2,
    /// Its time has come.
    #[default]
    Period = 3,
}

/// A wish for a route, with its order of service.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    why: Want,
    id: u64,
    row: u32,
}

/// What the stage keeps from step to step.
#[derive(Debug, Default)]
pub struct Planning {
    wishes: Vec<Wish>,
    /// Set when a door opened or closed since the last step.
    pub doors_changed: bool,
    /// Route sets, where agents choose among alternatives.
    pub flows: Flows,
    asks: Vec<Ask>,
    /// Those of them who were not led or pushed to where they are.
    lone: Vec<Ask>,
    sink: RouteSink,
    gates: Vec<Gate>,
}

/// Crowd part of the rest of a route as a share of its base part, and both.
fn crowding(state: &State, place: &Place, parts: &Parts, row: usize) -> Option<(f32, f32, f32)> {
    let track = &state.agents.track[row];
    let table = prices_of(state, parts, row) as usize;
    let prices = state.pricing.prices.get(table)?;
    if prices.uniform.is_some() {
        return None;
    }
    if track.kind == TrackKind::Gates {
        return crowding_of_gates(state, place, parts, row, table);
    }
    let edges = state.routes.edges_ahead(track);
    if edges.is_empty() {
        return None;
    }
    let per_edge = &state.pricing.edges[table];
    // The crowd beyond the horizon counts for nothing, now as when the route was planned.
    let seen = edges.len() - (track.invisible as usize).min(edges.len());
    let (mut base, mut crowd) = (0.0f32, 0.0f32);
    for (i, &e) in edges.iter().enumerate() {
        base += per_edge.base[e as usize];
        if i < seen {
            crowd += per_edge.crowd[e as usize];
        }
    }
    Some((crowd / base.max(1e-6), base, crowd))
}

/// The same for a route of gates: straight walks from middle to middle.
fn crowding_of_gates(
    state: &State,
    place: &Place,
    parts: &Parts,
    row: usize,
    table: usize,
) -> Option<(f32, f32, f32)> {
    let a = &state.agents;
    let world = state.world(place.site(), &*parts.nav);
    let gates = state.routes.own_gates_ahead(&a.track[row]);
    let middles = gates.iter().map(|gate| Location {
        point: gate.middle,
        triangle: gate.triangle,
    });
    let (mut base, mut crowd) = (0.0f32, 0.0f32);
    let mut at = a.location[row];
    for next in middles.chain([a.target[row]]) {
        // Pushed aside, an agent may not see its next gate: that piece is left out.
        if let Some(price) = world.segment_price(table, at, next) {
            base += price.base;
            crowd += price.crowd;
        }
        at = next;
    }
    Some((crowd / base.max(1e-6), base, crowd))
}

/// Metres within which two gates count as the same turn of a route.
const SAME_TURN: f32 = 0.5;

/// Whether two routes of gates turn at the same places, seen from their end.
fn same_gates(old: &[Gate], new: &[Gate]) -> bool {
    let near = |(a, b): (&Gate, &Gate)| a.middle.distance(b.middle) < SAME_TURN;
    old.is_empty() == new.is_empty() && old.iter().rev().zip(new.iter().rev()).all(near)
}

/// Index of the prices that an agent plans with.
fn prices_of(state: &State, parts: &Parts, row: usize) -> u32 {
    let tier = &parts.tiers[state.agents.tier[row] as usize];
    state.agents.class[row] * parts.costs.len() as u32 + tier.cost as u32
}

/// Whether an agent sees the point it walks to; the trusting take it that only a wall at hand is
/// in the way.
pub(super) fn sees(ground: &GroundView<'_>, from: Location, corner: Vec3, trusting: bool) -> bool {
    if ground.flat {
        // Nearly all the way: the point itself may lie on a wall.
        let way = (corner - from.point).truncate() * 0.999;
        return ground.trace(from, Frame::FLAT, way, &mut |_| {}) == TraceEnd::Reached;
    }
    // On a closed surface nothing can come between; what curves away is still walked to.
    if ground.walls.is_empty() {
        return true;
    }
    let Some(corner) = ground.locate(corner) else {
        return true;
    };
    match ground.trace_to(from, corner, &mut |_| {}) {
        TraceEnd::Reached => true,
        // Over a curved surface the straight line is a guess: only a wall at hand counts.
        TraceEnd::Wall { at, .. } if !ground.plan || trusting => {
            at.point.distance(from.point) > AT_HAND
        }
        TraceEnd::Lost if !ground.plan => true,
        _ => false,
    }
}

impl Planning {
    /// Collects wishes, within the budget, and puts the answers on the agents' tracks.
    pub fn run(
        &mut self,
        place: &Place,
        parts: &Parts,
        policy: &Replan,
        state: &mut State,
        work: &mut Work,
        metrics: &mut Metrics,
        events: &mut Vec<Event>,
    ) {
        self.collect(place, parts, policy, state, &work.pool);
        if let Some(budget) = policy.budget.filter(|b| (*b as usize) < self.wishes.len()) {
            self.wishes.sort_unstable_by_key(|w| (w.why, w.id));
            metrics.postponed_requests += (self.wishes.len() - budget as usize) as u64;
            self.wishes.truncate(budget as usize);
        }
        self.doors_changed = false;
        if self.wishes.is_empty() {
            return;
        }
        self.wishes.sort_unstable_by_key(|w| w.id);
        work.requests.clear();
        for wish in &self.wishes {
            let (row, a) = (wish.row as usize, &state.agents);
            work.requests.push(PlanRequest {
                from: a.location[row],
                to: a.target[row],
                agent: wish.row,
                goal: a.goal[row],
                prices: prices_of(state, parts, row),
                class: a.class[row],
                from_region: a.region[row],
                radius: a.radius[row],
                weight: a.weight[row],
                speed: a.speed[row],
            });
        }
        metrics.requests += work.requests.len() as u64;
        if policy.alternatives > 1 {
            self.take_from_sets(place, parts, policy, state, work, metrics, events);
            if self.wishes.is_empty() {
                state.routes.compact(&mut state.agents);
                return;
            }
        }
        state.routes.publish(&state.agents);
        // In rounds, so that answers waiting to be adopted stay few.
        let most = ROUND.min(work.requests.len().div_ceil(BATCH));
        if work.sinks.len() < most {
            work.sinks.resize_with(most, Default::default);
        }
        for first in (0..work.requests.len()).step_by(ROUND * BATCH) {
            let last = work.requests.len().min(first + ROUND * BATCH);
            let world = state.world(place.site(), &*parts.nav);
            let planner = &parts.planners[0].strategy;
            let pool = &work.pool;
            work.sinks
                .par_iter_mut()
                .zip(work.requests[first..last].par_chunks(BATCH))
                .for_each(|(sink, batch)| {
                    sink.clear();
                    pool.with(|scratch| {
                        scratch
                            .planner
                            .resize_with(parts.planners.len(), Default::default);
                        planner.plan(&world, batch, &mut scratch.planner[0], sink);
                    });
                    // A planner that forgets a request has failed it.
                    while sink.rows.len() < batch.len() {
                        sink.push_missing(throng_core::NoRoute::Failed);
                    }
                });
            let answered = first..last;
            self.adopt(answered, place, parts, policy, state, work, metrics, events);
        }
        state.routes.compact(&mut state.agents);
    }

    /// Answers from route sets, in the order of ids: each who is sent along a path makes it less
    /// attractive to the next. Wishes that no set answers are left to the planner.
    fn take_from_sets(
        &mut self,
        place: &Place,
        parts: &Parts,
        policy: &Replan,
        state: &mut State,
        work: &mut Work,
        metrics: &mut Metrics,
        events: &mut Vec<Event>,
    ) {
        let site = place.site();
        let mut flows = std::mem::take(&mut self.flows);
        let mut sink = std::mem::take(&mut self.sink);
        let mut gates = std::mem::take(&mut self.gates);
        flows.refresh(&state.map, site.ground.door_open);
        flows.count(state);
        self.attach(place, parts, state, &work.requests);
        let lone = self.wishes.iter().zip(&self.asks);
        let lone = lone.filter(|(wish, _)| {
            wish.why != Want::Broken && !state.agents.track[wish.row as usize].left
        });
        self.lone.clear();
        self.lone.extend(lone.map(|(_, ask)| *ask));
        flows.prepare(&state.map, policy, &self.lone);
        let mut left = 0;
        for i in 0..self.wishes.len() {
            let (wish, request, ask) = (self.wishes[i], work.requests[i], self.asks[i]);
            let row = wish.row as usize;
            let look = Look {
                ground: site.ground,
                state,
                table: request.prices as usize,
                weight: request.weight,
            };
            let guided = state.agents.track[row].left;
            let path = if guided || wish.why == Want::Broken {
                // Where it was led or pushed it goes on: no route that begins behind its back.
                let mut onward =
                    |edges: &[u32]| leads_on(place, parts, state, row, edges, &mut gates);
                let known = if guided {
                    own_rest(state, row, ask.ends[0].node, &mut onward, &mut sink)
                        .or_else(|| flows.through(&look, &ask, &mut onward, &mut sink))
                } else {
                    None
                };
                known.or_else(|| {
                    let longest = flows.longest_onward(&state.map, &ask);
                    flows.prepare(&state.map, policy, &[ask]);
                    let path = flows
                        .choose(&look, &ask, &mut sink)
                        .filter(|_| sink.rows[0].length <= longest && onward(&sink.edges));
                    path.or_else(|| {
                        let (map, onward) = (&state.map, &mut onward);
                        let ahead = flows.ahead(map, &ask, longest, onward, &mut sink);
                        ahead.then_some(NONE)
                    })
                })
            } else {
                flows.choose(&look, &ask, &mut sink)
            };
            match path {
                Some(path) => {
                    let adopted = adopt_one(
                        wish,
                        &sink.rows[0],
                        &sink,
                        place,
                        parts,
                        policy,
                        state,
                        &work.pool,
                        metrics,
                        events,
                    );
                    if adopted {
                        state.agents.track[row].flow = path;
                    }
                }
                None => {
                    self.wishes[left] = wish;
                    work.requests[left] = request;
                    left += 1;
                }
            }
        }
        self.wishes.truncate(left);
        work.requests.truncate(left);
        self.flows = flows;
        self.sink = sink;
        self.gates = gates;
    }

    /// Where those who want a route and their goals hang on the map.
    fn attach(&mut self, place: &Place, parts: &Parts, state: &State, requests: &[PlanRequest]) {
        let site = place.site();
        let nowhere = Ask {
            ends: [Attachment::NOWHERE; 2],
            radius: 0.0,
        };
        self.asks.clear();
        self.asks.resize(requests.len(), nowhere);
        let asks = self.asks.par_chunks_mut(CHUNK);
        asks.zip(requests.par_chunks(CHUNK))
            .for_each(|(asks, requests)| {
                for (ask, request) in asks.iter_mut().zip(requests) {
                    parts.nav.attach(
                        &site,
                        &state.map,
                        &[request.from, request.to],
                        &[request.from_region, NONE],
                        &mut ask.ends,
                    );
                    ask.radius = request.radius;
                }
            });
    }

    /// Lists who wants a route, in no order.
    fn collect(
        &mut self,
        place: &Place,
        parts: &Parts,
        policy: &Replan,
        state: &mut State,
        pool: &ScratchPool,
    ) {
        let Planning {
            wishes,
            doors_changed,
            ..
        } = self;
        wishes.clear();
        let mut patience = std::mem::take(&mut state.agents.patience);
        let state_now = &*state;
        let a = &state_now.agents;
        let ground = place.ground.view();
        let on = |event| policy.events.contains(&event);
        let (on_door, on_price, on_stall) = (
            on(ReplanEvent::Door),
            on(ReplanEvent::Price),
            on(ReplanEvent::Stalled),
        );
        let period = policy
            .every
            .map(|seconds| ((seconds / f64::from(state_now.dt)).round() as u64).max(1));
        let epoch_begins = parts
            .costs
            .iter()
            .any(|c| !c.is_static && state_now.step.is_multiple_of(c.every));
        let epoch = parts.costs[0].every as f32 * state_now.dt;
        let all_wishes = Mutex::new(wishes);
        let collect_chunk = |first: usize, patience: &mut [Patience], wishes: &mut Vec<Wish>| {
            for i in 0..patience.len() {
                let row = first + i;
                let (track, mark) = (&a.track[row], a.mark[row]);
                debug_assert_eq!(mark.without_aim(), track.mark(), "row {row}");
                if a.doing[row] != Doing::Walking {
                    continue;
                }
                let id = a.id[row];
                let mut wish = |why| {
                    wishes.push(Wish {
                        why,
                        id,
                        row: row as u32,
                    })
                };
                let kind = mark.kind();
                if kind == TrackKind::None {
                    wish(Want::Missing);
                    continue;
                }
                let turn = state_now.step + (id & 0xFFFF_FFFF);
                if kind == TrackKind::Unreachable {
                    if *doors_changed || period.is_some_and(|p| turn.is_multiple_of(p)) {
                        wish(Want::Missing);
                    }
                    continue;
                }
                if *doors_changed {
                    let shut = state
                        .routes
                        .edges_ahead(track)
                        .iter()
                        .any(|e| !state_now.map.is_open(*e, ground.door_open));
                    if shut {
                        wish(Want::Broken);
                        continue;
                    }
                    if on_door {
                        wish(Want::Event);
                        continue;
                    }
                }
                if mark.left() {
                    wish(Want::Broken);
                    continue;
                }
                // Pushed off its route: the point it walks to is out of sight.
                // Between the gates of a route a corner may stick out: who gets on gets round it.
                let trusting =
                    || kind == TrackKind::Gates && a.velocity[row].length() > 0.5 * a.speed[row];
                if !mark.stale()
                    && turn.is_multiple_of(SIGHT_EVERY)
                    && mark.has_turns()
                    && !sees(&ground, a.location[row], track.corner, trusting())
                {
                    wish(Want::Broken);
                    continue;
                }
                // On a curved ground the point may be in sight and yet not on this side of it: who
                // gets nowhere looks for its way anew.
                if (on_stall || !ground.plan)
                    && turn.is_multiple_of(SIGHT_EVERY)
                    && a.record[row].stalled
                {
                    wish(if ground.plan {
                        Want::Event
                    } else {
                        Want::Broken
                    });
                    continue;
                }
                if let Some(h) = &policy.hysteresis {
                    if !epoch_begins {
                        continue;
                    }
                    let mut draw = Stream::new(state_now.seed, id, Purpose::Replan, 0);
                    let threshold = h.threshold.draw(&mut draw) as f32;
                    let hold = h.hold.draw(&mut draw) as f32;
                    let clear = h.clear.draw(&mut draw) as f32;
                    let Some((share, _, _)) = crowding(state_now, place, parts, row) else {
                        continue;
                    };
                    let clock = &mut patience[i];
                    if share > threshold {
                        clock.above += epoch;
                        clock.below = 0.0;
                    } else {
                        clock.below += epoch;
                        clock.above = 0.0;
                    }
                    if clock.above > hold {
                        clock.above = 0.0;
                        wish(Want::Event);
                    } else if clock.below > clear && period.is_some() {
                        clock.below = 0.0;
                        wish(Want::Period);
                    }
                    continue;
                }
                if on_price
                    && epoch_begins
                    && let Some((_, base, crowd)) = crowding(state_now, place, parts, row)
                {
                    let left = track.remaining() as f32 / track.count.max(1) as f32;
                    let expected = track.cost * left;
                    let now = base + a.weight[row] * crowd;
                    if (now - expected).abs() > policy.change as f32 * expected.max(1e-6) {
                        wish(Want::Event);
                        continue;
                    }
                }
                if period.is_some_and(|p| {
                    turn.is_multiple_of(p) && state_now.step != a.record[row].leg_began
                }) {
                    wish(Want::Period);
                }
            }
        };
        patience
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, patience)| {
                pool.with(|scratch| {
                    scratch.wishes.clear();
                    collect_chunk(chunk * CHUNK, patience, &mut scratch.wishes);
                    if !scratch.wishes.is_empty() {
                        let mut all = all_wishes.lock().unwrap_or_else(|e| e.into_inner());
                        all.extend_from_slice(&scratch.wishes);
                    }
                });
            });
        state.agents.patience = patience;
    }

    fn adopt(
        &mut self,
        answered: std::ops::Range<usize>,
        place: &Place,
        parts: &Parts,
        policy: &Replan,
        state: &mut State,
        work: &mut Work,
        metrics: &mut Metrics,
        events: &mut Vec<Event>,
    ) {
        for (i, wish) in self.wishes[answered].iter().enumerate() {
            let sink = &work.sinks[i / BATCH];
            let answer = &sink.rows[i % BATCH];
            let pool = &work.pool;
            adopt_one(
                *wish, answer, sink, place, parts, policy, state, pool, metrics, events,
            );
        }
    }
}

/// Slower than this an agent's velocity does not say where it goes, metres per second.
const GOING: f32 = 0.3;

/// Which of some gates in a row an agent can go on from: it sees the gate, which does not lie behind
/// it (within an angle of this cosine of where it wants to, and of where it goes), and neither
/// does the next one.
pub(super) fn gates_onward<'a>(
    ground: &'a GroundView<'a>,
    agents: &Agents,
    row: usize,
    gates: &'a [Gate],
    cosine: f32,
) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
    let at = agents.location[row];
    let normal = ground.normals[at.triangle as usize];
    let world = |way: Vec2| agents.frame[row].to_world(normal, way);
    let wish = world(agents.preferred[row].normalize_or_zero());
    let velocity = agents.velocity[row];
    // Who is pushed against its wish goes where it wants to as soon as it can.
    let pushed = velocity.dot(agents.preferred[row]) < 0.0;
    let going = if velocity.length_squared() > GOING * GOING && !pushed {
        world(velocity.normalize())
    } else {
        wish
    };
    let nearest = move |gate: &Gate| {
        let (left, across) = (gate.left, gate.right - gate.left);
        let along = (at.point - left).dot(across) / across.length_squared().max(1e-9);
        // Not its very end, which may be a wall's.
        left + across * along.clamp(0.1, 0.9) - at.point
    };
    let behind = move |to: Vec3, cosine: f32| {
        let limit = cosine * to.length();
        to.dot(wish) < limit || to.dot(going) < limit
    };
    (0..gates.len()).filter(move |&i| {
        let to = nearest(&gates[i]);
        // A route that turns back at its next gate but one leads back, too.
        let then = gates.get(i + 1).map(nearest);
        !behind(to, cosine)
            && !then.is_some_and(|to| behind(to, 0.0))
            && sees(ground, at, at.point + to, false)
    })
}

/// Cosine of the angle within which another route than its own must lead an agent on.
const ONWARD: f32 = 0.5;

/// Whether a way over edges leads an agent on, not back.
fn leads_on(
    place: &Place,
    parts: &Parts,
    state: &State,
    row: usize,
    edges: &[u32],
    gates: &mut Vec<Gate>,
) -> bool {
    let site = place.site();
    let first = &edges[..edges.len().min(3)];
    gates.clear();
    parts.nav.emit_gates(&site, &state.map, first, gates);
    gates.truncate(2);
    gates_onward(&site.ground, &state.agents, row, gates, ONWARD).next() == Some(0)
}

/// The rest of an agent's own route from a node on, if the route passes it.
fn own_rest(
    state: &State,
    row: usize,
    node: u32,
    mut onward: impl FnMut(&[u32]) -> bool,
    sink: &mut RouteSink,
) -> Option<u32> {
    let track = &state.agents.track[row];
    let ahead = state.routes.edges_ahead(track);
    let begins = |e: &u32| state.map.edge_from[*e as usize] == node;
    let first = ahead.iter().position(begins)?;
    if !onward(&ahead[first..]) {
        return None;
    }
    sink.clear();
    let rest = ahead[first..].iter().copied();
    sink.push_edges_into(rest, track.into, track.length, track.cost);
    Some(track.flow)
}

/// Puts an answer on an agent's track, unless what it has is as good. Gives whether it did.
fn adopt_one(
    wish: Wish,
    answer: &RouteRow,
    sink: &RouteSink,
    place: &Place,
    parts: &Parts,
    policy: &Replan,
    state: &mut State,
    pool: &ScratchPool,
    metrics: &mut Metrics,
    events: &mut Vec<Event>,
) -> bool {
    let row = wish.row as usize;
    let had_route = matches!(
        state.agents.track[row].kind,
        TrackKind::Edges | TrackKind::Gates
    );
    if let RouteKind::Missing(why) = answer.kind {
        if had_route && wish.why > Want::Broken {
            return false;
        }
        metrics.unreachable += u64::from(state.agents.track[row].kind != TrackKind::Unreachable);
        events.push(Event::Unreachable(
            AgentId(state.agents.id[row]),
            why.reason(),
        ));
    }
    if had_route {
        let new = &sink.edges[if answer.kind == RouteKind::Edges {
            answer.first as usize..(answer.first + answer.count) as usize
        } else {
            0..0
        }];
        let old = state.routes.edges_ahead(&state.agents.track[row]);
        let same = if answer.kind == RouteKind::Gates
            && state.agents.track[row].kind == TrackKind::Gates
        {
            let entries = answer.first as usize..(answer.first + answer.count) as usize;
            let old = state.routes.own_gates_ahead(&state.agents.track[row]);
            same_gates(old, &sink.gates[entries])
        } else {
            !new.is_empty() && old.ends_with(new) || !old.is_empty() && new.ends_with(old)
        };
        if same && wish.why > Want::Broken {
            return false;
        }
        // With hysteresis a new route must be worth leaving the old one for.
        if policy.hysteresis.is_some()
            && wish.why > Want::Broken
            && let Some((_, base, crowd)) = crowding(state, place, parts, row)
            && answer.cost >= base + state.agents.weight[row] * crowd
        {
            return false;
        }
        if !same {
            state.agents.record[row].switches += 1;
            metrics.route_switches += 1;
        }
    }
    let mut track = state.agents.track[row];
    state.routes.adopt(&mut track, answer, sink);
    pool.with(|scratch| {
        state.routes.load_gate(
            &mut track,
            &*parts.nav,
            &place.site(),
            &state.map,
            &mut scratch.follow.gates,
        );
    });
    state.agents.track[row] = track;
    state.agents.note_track(row);
    true
}
