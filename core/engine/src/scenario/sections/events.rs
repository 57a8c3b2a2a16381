//! Keys of where people are held up and of what happens when: goals with queues, timed events.

use super::LONGEST;
use crate::scenario::{
    codec::{Checks, Keys, Section},
    codecs::{Area, ListOf, NAME, Place, Spread, Whole, number, word},
    model::{EventAction, EventSpec, GoalSpec, OnPeople},
};

impl Default for GoalSpec {
    fn default() -> GoalSpec {
        GoalSpec {
            area: String::new(),
            serve: None,
            servers: 1,
            queue: Vec::new(),
            spacing: 0.8,
            wait: None,
            release: None,
        }
    }
}

impl Section for GoalSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let time = || Spread(number(0.0, LONGEST));
        keys.must(
            "area",
            "The named area that it is.",
            "",
            NAME,
            &mut self.area,
        );
        let about = "Time that serving one person takes; the others wait for their turn.";
        keys.maybe("serve", about, "s", time(), &mut self.serve);
        let about = "How many are served at a time.";
        keys.one("servers", about, "", Whole(1, 1000), &mut self.servers);
        let about = "The line along which people stand, its head first, going on straight behind \
                     its end; without one they wait inside the area.";
        keys.some("queue", about, "m", ListOf(Place), &mut self.queue);
        let about = "Distance between two places to stand.";
        keys.one("spacing", about, "m", number(0.3, 20.0), &mut self.spacing);
        let about = "Time that each waits in the area before going on.";
        keys.maybe("wait", about, "s", time(), &mut self.wait);
        let about = "Name under which an event lets everybody who waits here go on.";
        keys.maybe("release", about, "", NAME, &mut self.release);
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let waits = checks.has("wait") || checks.has("release");
        if checks.has("serve") == waits {
            let message = if waits {
                "people are served, or they wait: not both"
            } else {
                "missing: what people do here"
            };
            checks.complain("", message, "serve, or wait and release");
        }
        let useless = [
            ("servers", self.servers != 1),
            ("queue", checks.has("queue")),
        ];
        for (key, given) in useless {
            if given && waits && !checks.has("serve") {
                checks.complain(key, "nobody is served here", "serve = seconds beside it");
            }
        }
        if checks.has("queue") && checks.length("queue") == 1 {
            checks.complain("queue", "one point is no line", "two points or more");
        }
    }
}

impl Default for EventSpec {
    fn default() -> EventSpec {
        EventSpec {
            at: 0.0,
            action: EventAction::Open(String::new()),
        }
    }
}

impl Section for EventSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let (mut open, mut close, mut remove, mut release) = (None, None, None, None);
        let mut on_people = None;
        match &self.action {
            EventAction::Open(door) if door.is_empty() => {}
            EventAction::Open(door) => open = Some(door.clone()),
            EventAction::Close(door, how) => {
                close = Some(door.clone());
                on_people = Some(*how);
            }
            EventAction::Release(name) => release = Some(name.clone()),
            EventAction::Remove(area) => remove = Some(area.clone()),
        }
        keys.must("at", "When.", "s", number(0.0, LONGEST), &mut self.at);
        keys.maybe("open", "The door that opens.", "", NAME, &mut open);
        keys.maybe("close", "The door that closes.", "", NAME, &mut close);
        let about = "What a closing door does about people in it; by default it waits for them.";
        keys.maybe("on_people", about, "", word::<OnPeople>(), &mut on_people);
        let about = "Whom it lets go on: those at goals with this release.";
        keys.maybe("release", about, "", NAME, &mut release);
        let about = "The region in which everybody is removed.";
        keys.maybe("remove", about, "m", Area, &mut remove);
        self.action = match (open, close, remove, release) {
            (Some(door), ..) => EventAction::Open(door),
            (_, Some(door), ..) => EventAction::Close(door, on_people.unwrap_or(OnPeople::Wait)),
            (_, _, Some(area), _) => EventAction::Remove(area),
            (_, _, _, Some(name)) => EventAction::Release(name),
            _ => EventAction::Open(String::new()),
        };
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let actions = ["open", "close", "release", "remove"];
        let given = actions.iter().filter(|key| checks.has(key)).count();
        if given != 1 {
            let message = format!("{given} things to do");
            checks.complain("", message, "one of open, close, release, remove");
        }
        if checks.has("on_people") && !checks.has("close") {
            checks.complain(
                "on_people",
                "no door closes here",
                "close = a door beside it",
            );
        }
    }
}
