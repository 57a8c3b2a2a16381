//! Commands of the host and timed events of the scenario, applied at the start of a step.

use glam::Vec2;
use throng_core::{Location, NONE};
use throng_kit::Walk;

use super::{RunError, Simulation};
use crate::{
    agents::{AgentId, Doing},
    command::{Command, Destination, Event},
    scenario::{EventAction, OnPeople},
    state::{Camera, Interest},
};

impl Simulation {
    pub(super) fn fire_events(&mut self) {
        let (time, dt) = (self.state.time(), f64::from(self.state.dt));
        for i in 0..self.scenario.events.len() {
            let event = &self.scenario.events[i];
            if !(event.at > time - dt / 2.0 && event.at <= time + dt / 2.0) {
                continue;
            }
            match event.action.clone() {
                EventAction::Open(door) => self.open_door(&door),
                EventAction::Close(door, how) => self.close_door(&door, how),
                EventAction::Release(word) => self.release(&word),
                EventAction::Remove(_) => {
                    if let Some(area) = self.event_areas[i] {
                        for row in (0..self.state.agents.len()).rev() {
                            let at = self.state.agents.location[row];
                            let ground = self.place.ground.view();
                            if self.place.areas[area as usize].contains(ground, at) {
                                self.remove_row(row);
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn remove_row(&mut self, row: usize) {
        let source = self.state.agents.record[row].source as usize;
        if let Some(source) = self.sources.get_mut(source) {
            source.alive -= 1;
        }
        self.metrics.removed += 1;
        self.state.remove_row(row);
    }

    fn release(&mut self, word: &str) {
        if !self.state.holds.release(word, self.state.step) {
            let why = format!("no goal is released by \"{word}\"");
            self.events.push(Event::Refused(why));
        }
    }

    pub(super) fn apply_commands(&mut self) -> Result<(), RunError> {
        if self.queue.is_empty() {
            return Ok(());
        }
        let queue = std::mem::take(&mut self.queue);
        for command in &queue {
            self.apply(command)?;
            self.log.push((self.state.step, command.clone()));
        }
        Ok(())
    }

    pub(super) fn destination(&self, destination: &Destination) -> Result<(u32, Location), String> {
        match destination {
            Destination::Nowhere => Ok((NONE, Location::NOWHERE)),
            Destination::Spot(spot) => match self.place.nearest(*spot) {
                Some(at) => Ok((NONE, at)),
                None => Err(format!("no ground at {spot:?}")),
            },
            Destination::Area(name) => {
                let index = self.place.areas.iter().position(|a| a.name == *name);
                match index {
                    Some(i) => Ok((i as u32, self.place.areas[i].anchor)),
                    None => Err(format!("there is no area \"{name}\"")),
                }
            }
        }
    }

    pub(super) fn send(&mut self, row: usize, goal: u32, target: Location) {
        let step = self.state.step;
        let a = &mut self.state.agents;
        a.goal[row] = goal;
        a.target[row] = target;
        a.record[row].leg_began = step;
        a.record[row].hold = NONE;
        a.doing[row] = if target.is_somewhere() {
            Doing::Walking
        } else {
            Doing::Staying
        };
        self.state.routes.drop_route(&mut self.state.agents, row);
    }

    pub(super) fn apply(&mut self, command: &Command) -> Result<(), RunError> {
        let row_of = |sim: &Simulation, id: AgentId| {
            sim.state
                .agents
                .row(id)
                .ok_or_else(|| format!("agent {} is not there", id.0))
        };
        let done: Result<(), String> = match command {
            Command::Add(new) => {
                let profile = self
                    .scenario
                    .profiles
                    .iter()
                    .position(|p| new.profile.is_empty() || p.name == new.profile);
                match (
                    profile,
                    self.place.nearest(new.at),
                    self.destination(&new.goal),
                ) {
                    (None, _, _) => Err(format!("there is no profile \"{}\"", new.profile)),
                    (_, None, _) => Err(format!("no ground at {:?}", new.at)),
                    (_, _, Err(why)) => Err(why),
                    (Some(profile), Some(at), Ok((goal, target))) => {
                        let (row, id) = self.spawner.add_one(
                            &self.scenario,
                            &self.place,
                            &mut self.state,
                            at,
                            profile,
                        )?;
                        self.metrics.spawned += 1;
                        self.send(row, goal, target);
                        self.events.push(Event::Added(id));
                        Ok(())
                    }
                }
            }
            Command::Remove(id) => row_of(self, *id).map(|row| self.remove_row(row)),
            Command::Teleport(id, spot) => row_of(self, *id).and_then(|row| {
                let at = self
                    .place
                    .nearest(*spot)
                    .ok_or_else(|| format!("no ground at {spot:?}"))?;
                let frame = self.place.ground.view().frame_at(at);
                let a = &mut self.state.agents;
                a.location[row] = at;
                a.before[row] = at;
                a.frame[row] = frame;
                a.velocity[row] = Vec2::ZERO;
                a.kth[row] = f32::INFINITY;
                a.forget_place(row);
                self.state.routes.drop_route(&mut self.state.agents, row);
                Ok(())
            }),
            Command::SetGoal(id, to) => row_of(self, *id).and_then(|row| {
                let (goal, target) = self.destination(to)?;
                self.send(row, goal, target);
                Ok(())
            }),
            Command::OverrideVelocity(id, velocity) => row_of(self, *id).map(|row| {
                let a = &mut self.state.agents;
                match velocity {
                    Some(v) => {
                        let limit = a.max_speed[row];
                        a.record[row].hold = NONE;
                        a.doing[row] = Doing::Overridden;
                        a.preferred[row] = v.clamp_length_max(limit);
                    }
                    None => {
                        a.doing[row] = Doing::Walking;
                        self.state.routes.drop_route(&mut self.state.agents, row);
                    }
                }
            }),
            Command::SetInterest {
                name,
                at,
                radius,
                level,
            } => match self.place.nearest(*at) {
                None => Err(format!("no ground at {at:?}")),
                Some(place) => {
                    self.state.interest.retain(|i| i.name != *name);
                    if *radius > 0.0 {
                        self.state.interest.push(Interest {
                            name: name.clone(),
                            at: place.point,
                            radius: *radius,
                            level: *level,
                            mover: None,
                            camera: false,
                        });
                    }
                    Ok(())
                }
            },
            Command::SetCamera {
                at,
                toward,
                angle,
                far,
            } => {
                let places = (self.place.nearest(*at), self.place.nearest(*toward));
                let camera = match places {
                    (Some(at), Some(to)) => Camera::toward(at.point, to.point, *angle, *far),
                    _ => None,
                };
                match camera {
                    None => Err(format!("no camera at {at:?} can look towards {toward:?}")),
                    some => {
                        self.state.camera = some;
                        Ok(())
                    }
                }
            }
            Command::RemoveCamera => {
                self.state.camera = None;
                Ok(())
            }
            Command::SetDoor { name, open } => {
                match open {
                    true => self.open_door(name),
                    false => self.close_door(name, OnPeople::Wait),
                }
                Ok(())
            }
            Command::CloseDoorAtOnce(name) => {
                self.close_door(name, OnPeople::Move);
                Ok(())
            }
            Command::Release(word) => {
                self.release(word);
                Ok(())
            }
            Command::AddMover(mover) => {
                self.state.movers.push(mover.clone());
                Ok(())
            }
        };
        if let Err(why) = done {
            self.events.push(Event::Refused(why));
        }
        Ok(())
    }
}
