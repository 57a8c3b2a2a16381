//! Goals that hold people up: desks with queues, and waiting areas.
//!
//! Somebody who comes to such a goal joins it and is given a place to stand: the next one of a
//! queue, or a free one of the area. People walk to their places with the usual avoidance and are
//! never put there. Where people are served, `servers` of them are at a time, in the order in
//! which they joined; where they wait, each stays for its time or until it is released. Then they
//! go on with their journey.

mod places;

use throng_core::{
    GroundView, Location, NONE,
    random::{Purpose, Stream},
};
use throng_kit::Walk;

use crate::{
    agents::{AgentId, Agents, Doing, Hasher},
    areas::Area,
    checkpoint::{CheckpointError, Reader, Writer},
    scenario::Distribution,
    track::{Routes, TrackKind},
};

pub(crate) use places::{desks_in, places_along, places_in};

/// Who sees the tail of a queue from this near joins it, metres.
const JOIN: f32 = 2.0;
/// Nearer to its place nobody walks on, metres.
const AT_PLACE: f32 = 0.12;
/// Who was pushed so far off its place walks back, metres.
const OFF_PLACE: f32 = 0.35;
/// From so near a desk one is served, metres.
const AT_DESK: f32 = 0.5;
/// Who is on the way to a queue follows its tail when that has moved so far, metres.
const TAIL_MOVED: f32 = 1.0;
/// Steps between two looks whether somebody still sees its place.
const SIGHT_EVERY: u64 = 16;

/// What happens at a goal that holds people up.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// People are served, so many at a time.
    Serve {
        /// Seconds for one of them.
        seconds: Distribution,
        /// How many at a time.
        servers: u32,
    },
    /// People wait.
    Wait {
        /// Seconds for each; without it only a release ends the waiting.
        seconds: Option<Distribution>,
    },
}

/// Somebody at a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Member {
    /// Who.
    pub id: u64,
    /// The step at which it joined.
    pub joined: u64,
    /// The step at which it goes on; `u64::MAX` while that is open.
    pub until: u64,
    /// Index of its place, or NONE while there is none for it.
    pub place: u32,
    /// Index of the desk at which it is served, or NONE.
    pub desk: u32,
}

/// What was measured at a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HoldFigures {
    /// People whose waiting has ended.
    pub visits: u64,
    /// Steps that they waited, summed: until they were served, or until they went on.
    pub waited: u64,
    /// Steps that the one waited who waited longest.
    pub longest_wait: u64,
    /// Most people who waited at a time.
    pub longest_queue: u64,
}

/// A goal that holds people up.
#[derive(Clone, Debug)]
pub struct Hold {
    /// The area that it is.
    pub area: u32,
    /// What happens there.
    pub service: Service,
    /// The word that lets everybody go on.
    pub release: Option<String>,
    /// Where people stand: along the queue, or all over the area.
    pub places: Vec<Location>,
    /// Where they are served; empty if that is where they stand.
    pub desks: Vec<Location>,
    /// What was measured.
    pub figures: HoldFigures,
    members: Vec<Member>,
    taken: Vec<bool>,
}

impl Hold {
    /// A goal where nobody is yet. Desks make the places a queue.
    pub fn new(
        area: u32,
        service: Service,
        release: Option<String>,
        places: Vec<Location>,
        desks: Vec<Location>,
    ) -> Hold {
        Hold {
            taken: vec![false; places.len()],
            area,
            service,
            release,
            places,
            desks,
            figures: HoldFigures::default(),
            members: Vec::new(),
        }
    }

    /// Whether people are served here; otherwise they only wait.
    pub fn serves(&self) -> bool {
        matches!(self.service, Service::Serve { .. })
    }

    /// Whether people stand in line.
    pub fn is_queue(&self) -> bool {
        !self.desks.is_empty()
    }

    /// People there, those who are being served included.
    pub fn present(&self) -> usize {
        self.members.len()
    }

    /// Those who wait, in order.
    fn waiting(&self) -> impl Iterator<Item = &Member> {
        let serves = self.serves();
        self.members
            .iter()
            .filter(move |m| !serves || m.until == u64::MAX)
    }

    /// Where the next one in the queue will stand.
    fn tail(&self) -> Option<Location> {
        let queued = self.members.iter().filter(|m| m.desk == NONE).count();
        let last = self.places.len().checked_sub(1)?;
        self.is_queue().then(|| self.places[queued.min(last)])
    }

    fn record_wait(&mut self, steps: u64) {
        let f = &mut self.figures;
        f.visits += 1;
        f.waited += steps;
        f.longest_wait = f.longest_wait.max(steps);
    }

    /// Forgets those who have left by themselves.
    fn prune(&mut self, agents: &Agents, index: u32) {
        let taken = &mut self.taken;
        let queue = !self.desks.is_empty();
        self.members.retain(|m| {
            let row = agents.row(AgentId(m.id));
            let stays = row.is_some_and(|r| agents.record[r].hold == index);
            if !stays && !queue && m.place != NONE {
                taken[m.place as usize] = false;
            }
            stays
        });
    }

    /// Takes those out whose time is over.
    fn finish(&mut self, step: u64, done: &mut Vec<u64>) {
        let mut at = 0;
        while at < self.members.len() {
            let m = self.members[at];
            if m.until > step {
                at += 1;
                continue;
            }
            self.members.remove(at);
            if !self.is_queue() && m.place != NONE {
                self.taken[m.place as usize] = false;
            }
            if !self.serves() {
                self.record_wait(step - m.joined);
            }
            done.push(m.id);
        }
    }

    /// Takes somebody in.
    fn join(&mut self, id: u64, clock: &Clock) {
        let until = match &self.service {
            Service::Wait {
                seconds: Some(wait),
            } => clock.step + clock.draw(wait, id),
            _ => u64::MAX,
        };
        self.members.push(Member {
            id,
            joined: clock.step,
            until,
            place: NONE,
            desk: NONE,
        });
    }

    /// Gives everybody a place: in a queue by rank, elsewhere a free one for good.
    fn assign(&mut self, clock: &Clock) {
        if self.is_queue() {
            let Service::Serve { servers, .. } = self.service else {
                return;
            };
            let mut rank = 0;
            for i in 0..self.members.len() {
                if self.members[i].desk != NONE {
                    continue;
                }
                let free = (0..servers).find(|d| self.members.iter().all(|m| m.desk != *d));
                let m = &mut self.members[i];
                if let Some(desk) = free {
                    (m.desk, m.place) = (desk, NONE);
                    continue;
                }
                let place = if rank < self.places.len() {
                    rank as u32
                } else {
                    NONE
                };
                rank += 1;
                m.place = place;
            }
            return;
        }
        let mut free = self.taken.iter().filter(|t| !**t).count();
        for m in &mut self.members {
            if m.place != NONE || free == 0 {
                continue;
            }
            let mut draw = Stream::new(clock.seed, m.id, Purpose::Goal, m.joined | 1 << 63);
            let nth = draw.below(free);
            let places = self.taken.iter().enumerate().filter(|(_, t)| !**t);
            if let Some(place) = places.map(|(p, _)| p).nth(nth) {
                self.taken[place] = true;
                m.place = place as u32;
                free -= 1;
            }
        }
    }

    /// Begins to serve those whose turn it is and who are there.
    fn serve(&mut self, clock: &Clock, agents: &Agents) {
        let Service::Serve { seconds, servers } = self.service.clone() else {
            return;
        };
        let mut served = 0;
        for i in 0..self.members.len() {
            let m = self.members[i];
            if self.is_queue() {
                if m.desk == NONE || m.until != u64::MAX {
                    continue;
                }
                let at = self.desks[m.desk as usize].point;
                let row = agents.row(AgentId(m.id));
                let near =
                    |r: usize| agents.location[r].point.distance_squared(at) <= AT_DESK * AT_DESK;
                if !row.is_some_and(near) {
                    continue;
                }
            } else {
                served += 1;
                if served > servers {
                    return;
                }
                if m.until != u64::MAX {
                    continue;
                }
            }
            self.members[i].until = clock.step + clock.draw(&seconds, m.id).max(1);
            self.record_wait(clock.step - m.joined);
        }
    }

    /// Where somebody is to stand, if there is a place for it.
    fn place_of(&self, member: &Member) -> Option<Location> {
        match (member.desk, member.place) {
            (NONE, NONE) => None,
            (NONE, place) => Some(self.places[place as usize]),
            (desk, _) => Some(self.desks[desk as usize]),
        }
    }
}

/// What time and chance a stage has.
struct Clock {
    step: u64,
    dt: f64,
    seed: u64,
}

impl Clock {
    /// Seconds drawn for somebody at this step, as steps.
    fn draw(&self, seconds: &Distribution, id: u64) -> u64 {
        let mut stream = Stream::new(self.seed, id, Purpose::Goal, self.step | 1 << 62);
        (seconds.draw(&mut stream).max(0.0) / self.dt).round() as u64
    }
}

/// All goals that hold people up.
#[derive(Debug, Default)]
pub struct Holds {
    /// The goals.
    pub all: Vec<Hold>,
    of_area: Vec<u32>,
    done: Vec<u64>,
    joining: Vec<(u32, f32, u64)>,
}

impl Holds {
    /// Goals over so many areas.
    pub fn new(all: Vec<Hold>, areas: usize) -> Holds {
        let mut of_area = vec![NONE; areas];
        for (h, hold) in all.iter().enumerate() {
            of_area[hold.area as usize] = h as u32;
        }
        Holds {
            all,
            of_area,
            ..Holds::default()
        }
    }

    /// The goal that an area is, or NONE.
    fn of_goal(&self, goal: u32) -> u32 {
        self.of_area.get(goal as usize).copied().unwrap_or(NONE)
    }

    /// Whether somebody who comes to this goal is held up.
    pub fn holds(&self, goal: u32) -> bool {
        self.of_goal(goal) != NONE
    }

    /// Where somebody walks to who sets off for a goal with a queue: its tail.
    pub fn approach(&self, goal: u32) -> Option<Location> {
        self.all.get(self.of_goal(goal) as usize)?.tail()
    }

    /// Lets everybody go on who waits for a word; false if no goal knows it.
    pub fn release(&mut self, word: &str, step: u64) -> bool {
        let mut known = false;
        for hold in &mut self.all {
            if hold.release.as_deref() == Some(word) {
                known = true;
                hold.members.iter_mut().for_each(|m| m.until = step);
            }
        }
        known
    }

    /// Ends what is over. Gives who goes on.
    pub(crate) fn finish(&mut self, step: u64, agents: &mut Agents) -> &[u64] {
        self.done.clear();
        for (h, hold) in self.all.iter_mut().enumerate() {
            hold.prune(agents, h as u32);
            hold.finish(step, &mut self.done);
        }
        for id in &self.done {
            if let Some(row) = agents.row(AgentId(*id)) {
                agents.record[row].hold = NONE;
            }
        }
        &self.done
    }

    /// Takes in who has come, moves queues up, begins to serve, and sends everybody to its place.
    /// Calls `arrived` for everybody who joins.
    pub(crate) fn settle(
        &mut self,
        step: u64,
        dt: f64,
        seed: u64,
        ground: GroundView<'_>,
        areas: &[Area],
        agents: &mut Agents,
        routes: &mut Routes,
        mut arrived: impl FnMut(&Agents, usize),
    ) {
        let clock = Clock { step, dt, seed };
        self.find_joining(step, dt, ground, areas, agents, routes);
        for &(h, _, id) in &self.joining {
            let Some(row) = agents.row(AgentId(id)) else {
                continue;
            };
            arrived(agents, row);
            self.all[h as usize].join(id, &clock);
            agents.record[row].hold = h;
            agents.goal[row] = NONE;
            agents.target[row] = agents.location[row];
            agents.doing[row] = Doing::Staying;
            agents.record[row].stalled = false;
            routes.drop_route(agents, row);
        }
        for hold in &mut self.all {
            hold.assign(&clock);
            hold.serve(&clock, agents);
            let waiting = hold.waiting().count() as u64;
            hold.figures.longest_queue = hold.figures.longest_queue.max(waiting);
            for m in &hold.members {
                let (Some(row), Some(place)) = (agents.row(AgentId(m.id)), hold.place_of(m)) else {
                    continue;
                };
                keep_at(place, row, step, ground, agents, routes);
            }
        }
    }

    /// Finds who joins which goal: nearest to the tail first. Those on the way to a queue follow
    /// its tail.
    fn find_joining(
        &mut self,
        step: u64,
        dt: f64,
        ground: GroundView<'_>,
        areas: &[Area],
        agents: &mut Agents,
        routes: &mut Routes,
    ) {
        let look = ((1.0 / dt).round() as u64).max(1);
        self.joining.clear();
        for row in 0..agents.len() {
            if agents.doing[row] != Doing::Walking || agents.record[row].hold != NONE {
                continue;
            }
            let h = self.of_goal(agents.goal[row]);
            let Some(hold) = self.all.get(h as usize) else {
                continue;
            };
            let (at, id) = (agents.location[row], agents.id[row]);
            let tail = hold.tail();
            let far = tail.map_or(0.0, |t| t.point.distance(at.point));
            let joins = areas[hold.area as usize].contains(ground, at)
                || tail.is_some_and(|t| far <= JOIN && ground.sees(at, t));
            if joins {
                self.joining.push((h, far, id));
            } else if let Some(tail) = tail
                && (step + (id & 0xFFFF_FFFF)).is_multiple_of(look)
                && agents.target[row].point.distance(tail.point) > TAIL_MOVED
            {
                agents.target[row] = tail;
                routes.drop_route(agents, row);
            }
        }
        self.joining
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    }

    /// A hash of who is where: part of the digest. 0 while nobody is held up.
    pub(crate) fn digest(&self) -> u64 {
        let mut sum = 0u64;
        for (h, hold) in self.all.iter().enumerate() {
            for (rank, m) in hold.members.iter().enumerate() {
                let mut hasher = Hasher::new(m.id ^ (h as u64) << 32);
                hasher.word(rank as u64);
                hasher.word(m.joined);
                hasher.word(m.until);
                hasher.word(u64::from(m.place) << 32 | u64::from(m.desk));
                sum = sum.wrapping_add(hasher.finish());
            }
        }
        sum
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.value(self.all.len() as u64);
        for hold in &self.all {
            out.column(&hold.members);
            let f = &hold.figures;
            out.value([f.visits, f.waited, f.longest_wait, f.longest_queue]);
        }
    }

    /// Reads what [`Holds::save`] wrote for goals like these.
    pub(crate) fn load(
        like: &Holds,
        from: &mut Reader<'_>,
    ) -> Result<Vec<(Vec<Member>, HoldFigures)>, CheckpointError> {
        if from.value::<u64>()? != like.all.len() as u64 {
            return Err(CheckpointError::Damaged("goals differ"));
        }
        like.all
            .iter()
            .map(|hold| {
                let members: Vec<Member> = from.column()?;
                let wrong = |index: u32, count: usize| index != NONE && index as usize >= count;
                if members
                    .iter()
                    .any(|m| wrong(m.place, hold.places.len()) || wrong(m.desk, hold.desks.len()))
                {
                    return Err(CheckpointError::Damaged(
                        "a place that a goal does not have",
                    ));
                }
                let [visits, waited, longest_wait, longest_queue] = from.value()?;
                let figures = HoldFigures {
                    visits,
                    waited,
                    longest_wait,
                    longest_queue,
                };
                Ok((members, figures))
            })
            .collect()
    }

    /// Takes back what [`Holds::load`] read.
    pub(crate) fn restore(&mut self, saved: Vec<(Vec<Member>, HoldFigures)>) {
        for (hold, (members, figures)) in self.all.iter_mut().zip(saved) {
            hold.taken.fill(false);
            if !hold.is_queue() {
                for m in members.iter().filter(|m| m.place != NONE) {
                    hold.taken[m.place as usize] = true;
                }
            }
            hold.members = members;
            hold.figures = figures;
        }
    }
}

/// Lets somebody stand at its place, or walk to it.
fn keep_at(
    place: Location,
    row: usize,
    step: u64,
    ground: GroundView<'_>,
    agents: &mut Agents,
    routes: &mut Routes,
) {
    let at = agents.location[row];
    let doing = agents.doing[row];
    if !matches!(doing, Doing::Walking | Doing::Staying) {
        return;
    }
    let away = at.point.distance_squared(place.point);
    let other = agents.target[row] != place;
    agents.target[row] = place;
    let near = if doing == Doing::Walking || other {
        AT_PLACE
    } else {
        OFF_PLACE
    };
    if away <= near * near {
        if doing == Doing::Walking {
            agents.doing[row] = Doing::Staying;
            routes.drop_route(agents, row);
        }
        return;
    }
    let blind = (step + (agents.id[row] & 0xFFFF_FFFF)).is_multiple_of(SIGHT_EVERY);
    if doing == Doing::Staying || other || blind {
        agents.doing[row] = Doing::Walking;
        let straight = ground.sees(at, place);
        let track = &agents.track[row];
        // Out of sight the planner finds the way; in sight it is the straight one.
        if straight || track.kind == TrackKind::Gates && track.count == 0 {
            routes.drop_route(agents, row);
        }
        if straight {
            agents.track[row].kind = TrackKind::Gates;
        }
        agents.note_track(row);
    }
}
