//! Questions that a host asks between steps.

use glam::DVec3;
use throng_core::{NONE, NoRoute, PlanRequest, RouteKind, RouteSink, Scratch};
use throng_kit::{Walk, funnel::pull};

use crate::{agents::AgentId, command::Spot, neighbours::NeighbourGrid, simulation::Simulation};

/// A route found for a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Corners from start to end, world coordinates, as a lone walker would pass them.
    pub points: Vec<DVec3>,
    /// Length as planned, metres.
    pub length: f64,
    /// Price as planned.
    pub cost: f64,
    /// Gates passed.
    pub gates: usize,
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No ground at a point.
    #[error("there is no ground at ({0}, {1})")]
    OffGround(f64, f64),
    /// No route.
    #[error("{}", .0.reason())]
    NoRoute(NoRoute),
}

impl Simulation {
    /// A route between two spots for a body of this radius, with the base planner and the prices
    /// of the first route class.
    pub fn path(&self, from: Spot, to: Spot, radius: f32) -> Result<Path, QueryError> {
        let place = |spot: Spot| {
            self.locate(spot).ok_or(match spot {
                Spot::Plan(x, y) => QueryError::OffGround(x, y),
                Spot::Space(p) => QueryError::OffGround(p.x, p.y),
            })
        };
        let request = PlanRequest {
            from: place(from)?,
            to: place(to)?,
            agent: NONE,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius,
            weight: self.scenario.cost.weight as f32,
            speed: 1.34,
        };
        let mut sink = RouteSink::default();
        self.plan_batch(&[request], &mut Scratch::default(), &mut sink);
        let row = &sink.rows[0];
        let mut gates = Vec::new();
        match row.kind {
            RouteKind::Missing(why) => return Err(QueryError::NoRoute(why)),
            RouteKind::Gates => gates.extend_from_slice(&sink.gates),
            RouteKind::Edges => {
                let site = self.place.site();
                self.parts
                    .nav
                    .emit_gates(&site, &self.state.map, &sink.edges, &mut gates);
                if row.into != NONE {
                    let entry = self
                        .parts
                        .nav
                        .gate_at(&site, &self.state.map, row.into, 0.0);
                    gates.extend(entry);
                }
            }
        }
        let (start, end) = (request.from.point, request.to.point);
        let mut points = vec![start];
        if self.ground().plan {
            let mut corners = Vec::new();
            pull(
                &gates,
                start.truncate(),
                end.truncate(),
                radius,
                &mut corners,
            );
            points.extend(corners.iter().map(|c| {
                let height = gates.get(c.opening).map_or(end.z, |g| g.middle.z);
                c.point.extend(height)
            }));
        } else {
            points.extend(gates.iter().map(|g| g.middle));
        }
        points.push(end);
        let origin = self.ground().origin;
        Ok(Path {
            points: points.iter().map(|p| origin + p.as_dvec3()).collect(),
            length: f64::from(row.length),
            cost: f64::from(row.cost),
            gates: gates.len(),
        })
    }

    /// Answers a batch of requests with the base planner. Prices are those of the last step;
    /// before the first step every metre costs 1.
    pub fn plan_batch(
        &self,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        sink: &mut RouteSink,
    ) {
        sink.clear();
        let mut world = self.state.world(self.place.site(), &*self.parts.nav);
        let mut plain = throng_core::Prices::default();
        plain.set_uniform(1.0);
        let plain = [plain];
        if world.prices.is_empty() {
            world.prices = &plain;
        }
        self.parts.planners[0]
            .strategy
            .plan(&world, requests, scratch, sink);
        while sink.rows.len() < requests.len() {
            sink.push_missing(NoRoute::Failed);
        }
    }

    /// The nearest walkable point.
    pub fn nearest_walkable(&self, spot: Spot) -> Option<DVec3> {
        self.place.nearest(spot).map(|at| self.world_point(at))
    }

    /// Whether a straight walk between two spots meets no wall.
    pub fn line_of_sight(&self, from: Spot, to: Spot) -> bool {
        match (self.locate(from), self.locate(to)) {
            (Some(a), Some(b)) => self.ground().sees(a, b),
            _ => false,
        }
    }

    /// Agents within a distance of a spot, nearest first.
    pub fn agents_within(&self, spot: Spot, radius: f64) -> Vec<AgentId> {
        let Some(at) = self.place.nearest(spot) else {
            return Vec::new();
        };
        let limit = (radius * radius) as f32;
        let a = &self.state.agents;
        let mut found: Vec<(f32, u64)> = (0..a.len())
            .map(|row| (a.location[row].point.distance_squared(at.point), a.id[row]))
            .filter(|(d, _)| *d <= limit)
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, id)| AgentId(id)).collect()
    }

    /// Persons per square metre within a distance of a spot.
    pub fn density(&self, spot: Spot, radius: f64) -> f64 {
        self.agents_within(spot, radius).len() as f64 / (std::f64::consts::PI * radius * radius)
    }

    /// Everybody as they are now, sorted for questions about neighbours and density.
    pub fn neighbour_grid(&self) -> NeighbourGrid {
        let (ground, a) = (self.place.ground.view(), &self.state.agents);
        let reach = |p: &crate::parts::AvoidancePart| p.perception.reach;
        let reach = self.parts.avoidances.iter().map(reach).fold(1.0, f32::max);
        let mut grid = NeighbourGrid::default();
        grid.relevance = self.work.grid.relevance;
        let view = a.view(ground.flat);
        let (movers, reciprocal) = (&self.state.movers_now, &self.work.reciprocal);
        grid.rebuild(ground, &view, &a.height, movers, reach, reciprocal);
        grid
    }

    /// Where an agent is and was one step earlier, for drawing between steps.
    pub fn positions(&self, id: AgentId) -> Option<(DVec3, DVec3)> {
        let row = self.state.agents.row(id)?;
        let a = &self.state.agents;
        Some((
            self.world_point(a.before[row]),
            self.world_point(a.location[row]),
        ))
    }
}
