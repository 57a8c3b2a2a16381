//! Planner `direct`: straight to the target, whatever is in between.

use throng_core::{
    Capabilities, GlobalPlanner, PlanRequest, RouteSink, Scratch, World, options, register,
};

options! {
    /// Every route is the straight line to its target; walls in between are run into.
    pub struct Direct {}
}

#[typetag::serde(name = "direct")]
impl GlobalPlanner for Direct {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        _: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        for request in requests {
            let length = request.from.point.distance(request.to.point);
            let table = world.prices.get(request.prices as usize);
            let metre = table.map_or(1.0, |p| p.uniform.unwrap_or(p.least_base));
            routes.push_gates([], length, length * metre);
        }
    }
}

register! {
    Planner "direct" => Direct,
    about: "Walks straight to the target and knows no map.",
    when: "Open places without walls, agents placed within sight of their goals, tests of avoidance.",
    when_not: "Anything stands between start and goal.",
    growth: "Constant per route; no memory.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::ROUTES,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;
    use throng_core::RouteKind;

    #[test]
    fn routes_are_straight_lines_of_no_gates() {
        let test = TestWorld::new(8, 6, |_, _| true);
        let mut routes = RouteSink::default();
        let request = test.request((0, 0), (3, 4));
        test.with(|world| {
            Direct::default().plan(world, &[request; 2], &mut Scratch::default(), &mut routes);
        });
        assert_eq!(routes.rows.len(), 2);
        let row = routes.rows[1];
        assert_eq!((row.kind, row.count), (RouteKind::Gates, 0));
        assert_eq!((row.length, row.cost), (5.0, 5.0));
    }
}
