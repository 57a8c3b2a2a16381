//! A field that ends at the node nearest to a goal keeps people there: on coarse maps that node
//! lies outside the goal.

use throng::Simulation;

#[test]
fn people_guided_by_a_potential_field_reach_goals_without_a_node() {
    let mut sim = Simulation::from_text(
        r#"
        name = "corridor"
        [environment]
        generate = "corridor"
        length = 20.0
        width = 4.0
        [nav]
        kind = "adaptive-grid"
        [planner]
        kind = "potential-field"
        [[source]]
        area = "left"
        count = 6
        goals = ["right"]
        "#,
    )
    .unwrap();
    while sim.time() < 40.0 && !sim.is_over() {
        sim.step().unwrap();
    }
    assert_eq!(sim.metrics().arrived, 6);
}
