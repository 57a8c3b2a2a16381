//! Checks of slot `cost`, on a random crowd over cells of which one has no area.

use throng_core::{
    AREA_UNIT, CostModel, CrowdView, PriceContext, Prices, RouteClass, SPEED_UNIT,
    random::{Purpose, Stream},
};
use throng_engine::registry::Strategy;

use super::{Report, Unmet, Verdict, edges, ensure, make, no_fault, steady};

const CELLS: usize = 40;
const CLASSES: [RouteClass; 3] = [
    RouteClass {
        profile: 0,
        speed: 1.3,
        weight: 1.0,
        radius: 0.24,
    },
    RouteClass {
        profile: 1,
        speed: 0.7,
        weight: 0.0,
        radius: 0.3,
    },
    RouteClass {
        profile: 0,
        speed: 2.0,
        weight: 3.0,
        radius: 0.2,
    },
];

/// Puts a cost model to its checks: *bounds* (prices finite, positive, the crowd part capped, with
/// every option at its ends), *order* (of the classes), *repeat* (the next time, from another
/// instance), *state* (saved and loaded again it goes on with the same prices; state that is cut
/// short is refused or taken, never a panic), *memory*.
pub(super) fn check(strategy: &Strategy, report: &mut Report) {
    let new = |table: &toml::Table| -> Result<Box<dyn CostModel>, Unmet> {
        let made = make(strategy, table)?.into_cost();
        made.ok_or_else(|| Unmet::Failed("it fills another slot".into()))
    };
    let defaults = toml::Table::new();
    report.add("bounds", || {
        for table in edges(strategy) {
            let mut model = new(&table)?;
            for epoch in 0..3 {
                let crowd = Crowd::random(epoch);
                model.observe(&crowd.view(), 1.0);
                for class in CLASSES {
                    bounds(&crowd.price(&*model, class)).map_err(|reason| {
                        let options = table.to_string().replace('\n', " ");
                        Unmet::Failed(format!("{options}epoch {epoch}: {reason}"))
                    })?;
                }
                no_fault(model.fault())?;
            }
        }
        Ok(())
    });
    report.add("order", || {
        let (mut model, crowd) = (new(&defaults)?, Crowd::random(1));
        model.observe(&crowd.view(), 1.0);
        let first = CLASSES.map(|class| crowd.price(&*model, class));
        for (class, first) in CLASSES.into_iter().zip(&first).rev() {
            ensure!(
                same(first, &crowd.price(&*model, class)),
                "the prices of a class depend on which class was asked for before"
            );
        }
        Ok(())
    });
    report.add("repeat", || {
        let (mut a, mut b) = (new(&defaults)?, new(&defaults)?);
        for epoch in 0..4 {
            let crowd = Crowd::random(epoch);
            a.observe(&crowd.view(), 1.5);
            b.observe(&crowd.view(), 1.5);
            let first = crowd.price(&*a, CLASSES[0]);
            ensure!(
                same(&first, &crowd.price(&*a, CLASSES[0])),
                "epoch {epoch}: the same question gives other prices"
            );
            ensure!(
                same(&first, &crowd.price(&*b, CLASSES[0])),
                "epoch {epoch}: two instances that saw the same give other prices"
            );
        }
        Ok(())
    });
    report.add("state", || state(&|| new(&defaults)));
    report.add_alone("memory", || {
        let (mut model, crowd) = (new(&defaults)?, Crowd::random(2));
        let mut prices = Prices::default();
        steady(|| {
            model.observe(&crowd.view(), 1.0);
            model.price(&crowd.context(CLASSES[0]), &mut prices);
        })
    });
}

fn bounds(prices: &Prices) -> Result<(), String> {
    let least = prices.least_base;
    if !(least > 0.0 && least.is_finite()) {
        return Err(format!("its least base price is {least}, expected above 0"));
    }
    if prices.uniform.is_none() {
        let rows = CELLS * (prices.directions * prices.slices) as usize;
        if prices.base.len() != rows || prices.crowd.len() != rows {
            return Err(format!(
                "it wrote {} base and {} crowd prices, expected {rows} each",
                prices.base.len(),
                prices.crowd.len()
            ));
        }
    }
    for (at, (base, crowd)) in prices.base.iter().zip(&prices.crowd).enumerate() {
        if !(*base >= least && base.is_finite()) {
            return Err(format!(
                "base price {at} is {base}, expected finite and at least {least}"
            ));
        }
        let most = base * Prices::MOST_CROWD;
        if !(0.0..=most).contains(crowd) {
            return Err(format!("crowd price {at} is {crowd}, expected 0 to {most}"));
        }
    }
    Ok(())
}

fn same(a: &Prices, b: &Prices) -> bool {
    let bits = |p: &Prices| -> Vec<u32> {
        let numbers = p.base.iter().chain(&p.crowd).chain(&p.uniform);
        let numbers = numbers.chain([&p.least_base, &p.slice_seconds]);
        numbers.map(|n| n.to_bits()).collect()
    };
    bits(a) == bits(b)
        && (a.directions, a.slices, &a.blocked) == (b.directions, b.slices, &b.blocked)
}

fn state(new: &dyn Fn() -> Result<Box<dyn CostModel>, Unmet>) -> Verdict {
    let mut whole = new()?;
    for epoch in 0..3 {
        whole.observe(&Crowd::random(epoch).view(), 1.0);
    }
    let mut saved = Vec::new();
    whole.save(&mut saved);
    let mut resumed = new()?;
    resumed.load(&saved).map_err(|e| e.to_string())?;
    for epoch in 3..5 {
        let crowd = Crowd::random(epoch);
        whole.observe(&crowd.view(), 1.0);
        resumed.observe(&crowd.view(), 1.0);
        ensure!(
            same(
                &crowd.price(&*whole, CLASSES[0]),
                &crowd.price(&*resumed, CLASSES[0])
            ),
            "saved after epoch 2 and loaded again, epoch {epoch} has other prices"
        );
    }
    let mut broken = new()?;
    if !saved.is_empty() && broken.load(&saved[..saved.len() - 1]).is_ok() {
        broken.price(
            &Crowd::random(0).context(CLASSES[0]),
            &mut Prices::default(),
        );
    }
    Ok(())
}

/// A crowd drawn at random over cells.
struct Crowd {
    area: Vec<f32>,
    occupied: Vec<i64>,
    persons: Vec<i32>,
    momentum: Vec<i64>,
}

impl Crowd {
    fn random(seed: u64) -> Crowd {
        let mut s = Stream::new(8 + seed, 0, Purpose::Strategy, 0);
        let area = (0..CELLS)
            .map(|i| if i == 7 { 0.0 } else { 0.1 + s.unit() * 5.0 })
            .collect();
        let persons: Vec<i32> = (0..CELLS as i32)
            .map(|i| (i + seed as i32 * 5) % 9)
            .collect();
        let occupied: Vec<i64> = persons
            .iter()
            .map(|p| i64::from(*p) * AREA_UNIT as i64 / 4)
            .collect();
        let momentum = occupied
            .iter()
            .map(|o| (*o as f64 * SPEED_UNIT * (s.unit_f64() * 2.0 - 1.0)) as i64)
            .collect();
        Crowd {
            area,
            occupied,
            persons,
            momentum,
        }
    }

    fn view(&self) -> CrowdView<'_> {
        CrowdView {
            area: &self.area,
            axis: &[],
            occupied: &self.occupied,
            persons: &self.persons,
            momentum_x: &self.momentum,
            momentum_y: &self.momentum,
        }
    }

    fn context(&self, class: RouteClass) -> PriceContext<'_> {
        PriceContext {
            crowd: self.view(),
            cell_speed: &[],
            cell_length: &[],
            class,
            time: 3.0,
        }
    }

    fn price(&self, model: &dyn CostModel, class: RouteClass) -> Prices {
        let mut prices = Prices::default();
        model.price(&self.context(class), &mut prices);
        prices
    }
}
