//! Cars in a town, each in a region of interest of its own.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    roi::{TIERS, Town, pace},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "roi-cars",
    about: "5,000 people and 1 to 3 cars, each with a region of interest of 10 or 15 m and \
            discomfort ahead: steps per second, and how near people come to the cars with and \
            without that discomfort.",
    source: "Yersin et al. 2008, section 6: 15 to 30 frames per second with 1 to 3 visible cars \
             and regions of 10 to 15 m, rendering included; people flee from before the cars",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "cars",
        "5,000 people, 12 flows, cells of 3 m",
        [
            Column::new("cars", ""),
            Column::new("radius of regions", "m"),
            Column::new("discomfort", ""),
            Column::new("people at level 0", ""),
            Column::new("steps", "1/s"),
            Column::new("bodies under cars", "per car and s"),
        ],
    );
    let cars = study.size(vec![1, 2, 3], vec![2]);
    for &count in &cars {
        for radius in [10.0, 15.0] {
            for discomfort in [0.0, 30.0] {
                study.progress(&format!(
                    "{count} cars, {radius} m, discomfort {discomfort}"
                ));
                let mut more = TIERS.to_owned();
                for car in 0..count {
                    // Round the ring road, one after the other.
                    let start = f64::from(car) * 20.0;
                    more += &format!(
                        "[[mover]]\nname = \"car {car}\"\n\
                         track = [[{0}, 4], [196, 4], [196, 196], [4, 196], [4, 4], [{0}, 4]]\n\
                         speed = 5.0\nradius = 1.2\nloop = true\ndiscomfort = {discomfort:.1}\n\
                         [[roi]]\nmover = \"car {car}\"\nradius = {radius:.1}\n",
                        10.0 + start
                    );
                }
                let town = Town {
                    side: 200.0,
                    buildings: 30,
                    flows: 12,
                    people: study.size(5_000, 1_000),
                    cell: 3.0,
                    more,
                    planner: "kind = \"astar\"".into(),
                };
                let (mut under, mut looks) = (0u64, 0u64);
                let pace = pace(study, &town.scenario(), |simulation| {
                    for car in simulation.world().movers {
                        looks += 1;
                        let bodies = simulation.agents().location.iter();
                        let near = |p: glam::Vec3| (p - car.at).truncate().length() < car.radius;
                        under += bodies.filter(|b| near(b.point)).count() as u64;
                    }
                })?;
                table.row([
                    json!(count),
                    json!(radius),
                    json!(discomfort),
                    json!(pace.inside),
                    json!(pace.steps_per_second),
                    json!(under as f64 / (looks.max(1) as f64 * 0.1)),
                ]);
            }
        }
    }
    study.table(table)
}
