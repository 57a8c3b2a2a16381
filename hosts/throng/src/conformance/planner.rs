//! Checks of slot `planner`, on requests between places of the rooms.

use throng_core::{
    NONE, PlanRequest, RouteKind, RouteSink, Scratch,
    random::{Purpose, Stream},
};
use throng_engine::{Registry, registry::Strategy};

use super::{Report, Verdict, ensure, no_fault, scene, steady};
use crate::Simulation;

/// Puts a planner to its checks: *bounds* (every request answered, no way shorter than a straight
/// one, costs finite), *order* (alone and in batches, forwards and backwards), *repeat*, *memory*.
pub(super) fn check(registry: &Registry, strategy: &Strategy, report: &mut Report) {
    let ready = scene::simulation(registry, strategy, 1).and_then(|mut sim| {
        sim.step().map_err(|e| e.to_string())?;
        Ok(sim)
    });
    let sim = match ready {
        Ok(sim) => sim,
        Err(unmet) => return report.add("prepare", || Err(unmet)),
    };
    let requests = requests(&sim);
    report.add("bounds", || bounds(&sim, &requests));
    report.add("order", || order(&sim, &requests));
    report.add("repeat", || {
        let mut again = scene::simulation(registry, strategy, 1)?;
        again.step().map_err(|e| e.to_string())?;
        let (first, second) = (answers(&sim, &requests), answers(&again, &requests));
        ensure!(first == second, "another instance gives other routes");
        Ok(())
    });
    report.add_alone("memory", || {
        let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
        steady(|| sim.plan_batch(&requests[..10], &mut scratch, &mut sink))
    });
    report.add("fault", || {
        no_fault(sim.parts().planners[0].strategy.fault())
    });
}

fn requests(sim: &Simulation) -> Vec<PlanRequest> {
    let ground = sim.ground();
    let mut s = Stream::new(6, 0, Purpose::Strategy, 0);
    let mut draw = || sim.place().everywhere.draw(ground, &mut s, 64);
    (0..50)
        .filter_map(|i| {
            Some(PlanRequest {
                from: draw()?,
                to: draw()?,
                agent: NONE,
                goal: NONE,
                prices: 0,
                class: 0,
                from_region: NONE,
                radius: 0.05 * (i % 5) as f32,
                weight: 1.0,
                speed: 1.3,
            })
        })
        .collect()
}

/// Kind, length, cost and gates of every answer, as bits.
fn answers(sim: &Simulation, requests: &[PlanRequest]) -> Vec<(RouteKind, u32, u32, u32)> {
    let mut sink = RouteSink::default();
    sim.plan_batch(requests, &mut Scratch::default(), &mut sink);
    let row = |r: &throng_core::RouteRow| (r.kind, r.length.to_bits(), r.cost.to_bits(), r.count);
    sink.rows.iter().map(row).collect()
}

fn bounds(sim: &Simulation, requests: &[PlanRequest]) -> Verdict {
    let answers = answers(sim, requests);
    ensure!(
        answers.len() == requests.len(),
        "{} requests have {} answers",
        requests.len(),
        answers.len()
    );
    let mut found = 0;
    for (i, ((kind, length, cost, _), request)) in answers.iter().zip(requests).enumerate() {
        if matches!(kind, RouteKind::Missing(_)) {
            continue;
        }
        found += 1;
        let straight = request.from.point.distance(request.to.point);
        let (length, cost) = (f32::from_bits(*length), f32::from_bits(*cost));
        ensure!(
            length >= straight - 1e-2,
            "request {i}: a way of {length} m between places {straight} m apart"
        );
        ensure!(
            cost.is_finite() && cost >= 0.0,
            "request {i}: its cost is {cost}"
        );
    }
    ensure!(
        2 * found > requests.len(),
        "only {found} of {} requests in connected rooms have a way",
        requests.len()
    );
    Ok(())
}

fn order(sim: &Simulation, requests: &[PlanRequest]) -> Verdict {
    let together = answers(sim, requests);
    let backwards: Vec<PlanRequest> = requests.iter().rev().copied().collect();
    let mut mirrored = answers(sim, &backwards);
    mirrored.reverse();
    ensure!(
        mirrored == together,
        "requests in reverse order have other answers"
    );
    for (i, request) in requests.iter().enumerate() {
        let alone = answers(sim, &[*request]);
        ensure!(
            alone.first() == together.get(i),
            "request {i}: {:?} alone, {:?} in a batch",
            alone.first(),
            together.get(i)
        );
    }
    Ok(())
}
