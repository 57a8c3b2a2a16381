//! Shapes of a drawing gathered and made into an environment.
//!
//! The drawing formats only say what they found; here it is projected, scaled, checked,
//! cleaned and sorted onto floors, in the same way for all of them.

use glam::DVec2;
use throng_kit::environment::{Connection, Door, Environment, NamedArea, NamedLine, Obstacle};

use crate::clean::{self, Cleaned, Reading};
use crate::error::{Fault, Place};
use crate::floors::{FloorKey, Floors, fill_in_walkable};
use crate::options::ReadOptions;
use crate::projection::{Reference, TransverseMercator, looks_geographic};
use crate::repairs::{Repair, Repairs};
use crate::rings::{bounds, orientation};

/// Widest drawing, metres.
pub(crate) const WIDEST: f64 = 1e6;
/// Farthest coordinate, metres; beyond it f64 no longer tells micrometres apart.
pub(crate) const FARTHEST: f64 = 1e9;

/// What a shape is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Walkable,
    Solid,
    Area,
    Avoid,
    Wall,
    Door {
        open: bool,
    },
    Line,
    Connection {
        from: FloorKey,
        to: FloorKey,
        speed: f64,
    },
}

/// The drawn form of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// An outline and its holes.
    Polygon(Vec<Vec<DVec2>>),
    /// Contours whose inside is given by a fill rule.
    Region {
        contours: Vec<Vec<DVec2>>,
        even_odd: bool,
    },
    /// A polyline.
    Line(Vec<DVec2>),
}

impl Form {
    fn points(&self) -> impl Iterator<Item = &DVec2> {
        let (lines, single): (&[Vec<DVec2>], &[DVec2]) = match self {
            Form::Polygon(rings) => (rings, &[]),
            Form::Region { contours, .. } => (contours, &[]),
            Form::Line(points) => (&[], points),
        };
        lines.iter().flatten().chain(single)
    }

    fn points_mut(&mut self) -> impl Iterator<Item = &mut DVec2> {
        let (lines, single): (&mut [Vec<DVec2>], &mut [DVec2]) = match self {
            Form::Polygon(rings) => (rings, &mut []),
            Form::Region { contours, .. } => (contours, &mut []),
            Form::Line(points) => (&mut [], points),
        };
        lines.iter_mut().flatten().chain(single)
    }
}

/// One shape of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Its number and name, for messages.
    pub(crate) feature: String,
    pub(crate) name: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) floor: FloorKey,
    pub(crate) form: Form,
}

/// A drawing being gathered.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) notices: Vec<String>,
    pub(crate) repairs: Repairs,
    /// Metres per unit of the file.
    pub(crate) scale: f64,
    pub(crate) reference: Reference,
    /// Rings repeat their first point at the end by the format's rule.
    pub(crate) closing_point: bool,
    /// The format asks for counter-clockwise outlines.
    pub(crate) right_hand_rule: bool,
}

impl Plan {
    pub(crate) fn new(options: &ReadOptions) -> Plan {
        Plan {
            shapes: Vec::new(),
            notices: Vec::new(),
            repairs: Repairs::default(),
            scale: options.scale,
            reference: Reference::Unnamed,
            closing_point: false,
            right_hand_rule: false,
        }
    }

    /// Makes the environment.
    pub(crate) fn finish(mut self, options: &ReadOptions) -> Result<Environment, Fault> {
        if self.shapes.is_empty() {
            return Err(Fault::geometry(
                Place::File,
                "there is no shape in it",
                "draw at least one walkable polygon",
            ));
        }
        self.check_finite()?;
        self.project_and_scale(options)?;
        self.check_finite()?;
        self.check_extent()?;
        let mut floors = Floors::of(&self.shapes, &mut self.notices)?;
        let mut environment = Environment::default();
        let mut repairs = std::mem::take(&mut self.repairs);
        for index in 0..self.shapes.len() {
            self.place(index, &mut floors, &mut environment, &mut repairs)?;
        }
        self.notices.extend(repairs.notices());
        environment.floors = fill_in_walkable(floors.floors, &mut self.notices)?;
        let mut names: Vec<&str> = environment.doors.iter().map(|d| d.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            self.notices.push(format!(
                "several doors are called \"{}\": an event moves only the first of them",
                pair[0]
            ));
        }
        environment.notices = self.notices;
        Ok(environment)
    }

    fn check_finite(&self) -> Result<(), Fault> {
        for shape in &self.shapes {
            if let Some(bad) = shape.form.points().find(|p| !p.is_finite()) {
                return Err(Fault::geometry(
                    Place::Feature(shape.feature.clone()),
                    format!("the point ({}, {}) is not finite", bad.x, bad.y),
                    "give every coordinate as a plain number",
                ));
            }
        }
        Ok(())
    }

    fn project_and_scale(&mut self, options: &ReadOptions) -> Result<(), Fault> {
        let points: Vec<DVec2> = self
            .shapes
            .iter()
            .flat_map(|shape| shape.form.points().copied())
            .collect();
        let geographic = match (options.projected, self.reference) {
            (Some(projected), _) => !projected,
            (None, Reference::Geographic) => true,
            (None, Reference::Plane) => false,
            (None, Reference::Unnamed) => looks_geographic(&points),
        };
        if geographic && let Some((low, high)) = bounds(&points) {
            if low.x < -180.0 || high.x > 180.0 || low.y < -89.0 || high.y > 89.0 {
                return Err(Fault::geometry(
                    Place::File,
                    format!("({low}) to ({high}) are no longitudes and latitudes"),
                    "set `projected = true` if they are metres, or correct the `crs`",
                ));
            }
            let centre = 0.5 * (low + high);
            let map = TransverseMercator::about(centre);
            for point in self.shapes.iter_mut().flat_map(|s| s.form.points_mut()) {
                *point = map.project(*point);
            }
            self.notices.push(format!(
                "coordinates were taken as longitude and latitude and projected to metres about \
                 ({:.6}, {:.6}), which is now (0, 0); `projected = true` keeps them as metres",
                centre.x, centre.y
            ));
        }
        if options.scale != 1.0 {
            for point in self.shapes.iter_mut().flat_map(|s| s.form.points_mut()) {
                *point *= options.scale;
            }
        }
        Ok(())
    }

    fn check_extent(&self) -> Result<(), Fault> {
        let Some(first) = self.shapes.iter().find_map(|s| s.form.points().next()) else {
            return Ok(());
        };
        let (mut low, mut high) = (*first, *first);
        for shape in &self.shapes {
            for point in shape.form.points() {
                (low, high) = (low.min(*point), high.max(*point));
            }
            let far = low.abs().max(high.abs()).max_element();
            let across = (high - low).max_element();
            if !(0.0..=FARTHEST).contains(&far) || !(0.0..=WIDEST).contains(&across) {
                return Err(Fault::geometry(
                    Place::Feature(shape.feature.clone()),
                    format!(
                        "with it the drawing reaches from ({:.3e}, {:.3e}) to ({:.3e}, {:.3e}) m, \
                         more than {WIDEST:e} m across or {FARTHEST:e} m from the origin",
                        low.x, low.y, high.x, high.y
                    ),
                    "correct the point, or set `scale` to the metres per unit of the file",
                ));
            }
        }
        Ok(())
    }

    fn place(
        &mut self,
        index: usize,
        floors: &mut Floors,
        environment: &mut Environment,
        repairs: &mut Repairs,
    ) -> Result<(), Fault> {
        let shape = &self.shapes[index];
        let floor = floors.index_of(&shape.floor);
        let feature = shape.feature.as_str();
        if let Kind::Connection { from, to, speed } = &shape.kind {
            let ends = [floors.find(from, feature)?, floors.find(to, feature)?];
            let name = named(shape, "connection", environment.connections.len(), repairs);
            let connection = connection(shape, name, ends, *speed)?;
            environment.connections.push(connection);
            return Ok(());
        }
        if let Form::Line(points) = &shape.form {
            return self.place_line(index, points.clone(), floor, floors, environment, repairs);
        }
        let reading = Reading {
            feature,
            closing_point: self.closing_point,
            right_hand_rule: self.right_hand_rule,
            solid: matches!(shape.kind, Kind::Solid | Kind::Wall),
            hole_is_solid: matches!(shape.kind, Kind::Walkable | Kind::Wall),
        };
        let cleaned = match &shape.form {
            Form::Polygon(rings) => clean::polygon(rings, reading, repairs)?,
            Form::Region { contours, even_odd } => {
                clean::region(contours, *even_odd, reading, repairs)?
            }
            Form::Line(_) => Cleaned::default(),
        };
        let name = match shape.kind {
            Kind::Area => named(shape, "area", environment.areas.len(), repairs),
            _ => String::new(),
        };
        let target = &mut floors.floors[floor];
        match shape.kind {
            Kind::Walkable | Kind::Solid => target.thin_walls.extend(cleaned.slits),
            Kind::Wall => {
                target.thin_walls.extend(cleaned.slits);
                for polygon in cleaned.polygons {
                    for mut ring in std::iter::once(polygon.outer).chain(polygon.holes) {
                        ring.extend(ring.first().copied());
                        target.thin_walls.push(ring);
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        for polygon in cleaned.polygons {
            match &shape.kind {
                Kind::Walkable => target.walkable.push(polygon),
                Kind::Solid => target.solid.push(polygon),
                Kind::Area => environment.areas.push(NamedArea {
                    name: name.clone(),
                    floor,
                    shape: polygon,
                }),
                Kind::Avoid => environment.obstacles.push(Obstacle {
                    floor,
                    shape: polygon,
                }),
                _ => {}
            }
        }
        Ok(())
    }

    fn place_line(
        &mut self,
        index: usize,
        points: Vec<DVec2>,
        floor: usize,
        floors: &mut Floors,
        environment: &mut Environment,
        repairs: &mut Repairs,
    ) -> Result<(), Fault> {
        let shape = &self.shapes[index];
        let (points, merged) = clean::merge_repeated(&points, false);
        if points.len() < 2 {
            repairs.note(Repair::ShortLine, &shape.feature);
            return Ok(());
        }
        if merged {
            repairs.note(Repair::Repeated, &shape.feature);
        }
        match &shape.kind {
            Kind::Door { open } => {
                let name = named(shape, "door", environment.doors.len(), repairs);
                if points.len() > 2 {
                    repairs.note(Repair::DoorEnds, &shape.feature);
                }
                let ends = [points[0], points[points.len() - 1]];
                if ends[0].distance(ends[1]) < clean::SLIVER {
                    return Err(Fault::geometry(
                        Place::Feature(shape.feature.clone()),
                        "the door is less than 1 mm wide",
                        "draw it from one jamb to the other",
                    ));
                }
                environment.doors.push(Door {
                    name,
                    floor,
                    ends,
                    open: *open,
                });
            }
            Kind::Line => {
                let name = named(shape, "line", environment.lines.len(), repairs);
                environment.lines.push(NamedLine {
                    name,
                    floor,
                    points,
                });
            }
            _ => floors.floors[floor].thin_walls.push(points),
        }
        Ok(())
    }
}

fn named(shape: &Shape, noun: &str, count: usize, repairs: &mut Repairs) -> String {
    match &shape.name {
        Some(name) => name.clone(),
        None => {
            repairs.note(Repair::Unnamed, &shape.feature);
            format!("{noun}-{}", count + 1)
        }
    }
}

fn connection(
    shape: &Shape,
    name: String,
    [from, to]: [usize; 2],
    speed: f64,
) -> Result<Connection, Fault> {
    let refuse = |reason: String, fix: &str| {
        Err(Fault::geometry(
            Place::Feature(shape.feature.clone()),
            reason,
            fix,
        ))
    };
    let rings = match &shape.form {
        Form::Polygon(rings) => rings.as_slice(),
        Form::Region { contours, .. } => contours.as_slice(),
        Form::Line(points) => std::slice::from_ref(points),
    };
    let [ring] = rings else {
        return refuse(
            format!("a connection is one ring, not {}", rings.len()),
            "draw a quadrilateral: two points on `from`, then two on `to`",
        );
    };
    let (corners, _) = clean::merge_repeated(ring, true);
    let [a, b, c, d] = corners[..] else {
        return refuse(
            format!("a connection has 4 corners, not {}", corners.len()),
            "draw a quadrilateral: two points on `from`, then two on `to`",
        );
    };
    if from == to {
        return refuse(
            "the connection starts and ends on the same floor".to_string(),
            "give different floors as `from` and `to`",
        );
    }
    if !(speed > 0.0 && speed <= 1.0) {
        return refuse(
            format!("`speed` is {speed}"),
            "give a factor above 0 and up to 1",
        );
    }
    let turns = [(a, b, c), (b, c, d), (c, d, a), (d, a, b)]
        .map(|(p, q, r)| orientation(p, q, r).total_cmp(&0.0));
    if turns.iter().any(|turn| *turn != turns[0]) || turns[0].is_eq() {
        return refuse(
            "the connection's quadrilateral is not convex".to_string(),
            "list its corners in order around it: two on `from`, then two on `to`",
        );
    }
    Ok(Connection {
        name,
        from,
        to,
        lower: [a, b],
        upper: [d, c],
        speed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::environment::Polygon;

    fn rectangle(x: f64, y: f64, w: f64, h: f64) -> Form {
        Form::Polygon(vec![vec![
            DVec2::new(x, y),
            DVec2::new(x + w, y),
            DVec2::new(x + w, y + h),
            DVec2::new(x, y + h),
        ]])
    }

    fn shape(kind: Kind, floor: FloorKey, form: Form) -> Shape {
        Shape {
            feature: "feature 1".to_string(),
            name: None,
            kind,
            floor,
            form,
        }
    }

    fn at(z: f64) -> FloorKey {
        FloorKey {
            name: None,
            z: Some(z),
        }
    }

    fn called(name: &str) -> FloorKey {
        FloorKey {
            name: Some(name.to_string()),
            z: None,
        }
    }

    fn finish(shapes: Vec<Shape>) -> Result<Environment, String> {
        let plan = Plan {
            shapes,
            ..Plan::new(&ReadOptions::default())
        };
        plan.finish(&ReadOptions::default())
            .map_err(|fault| fault.in_file("f").to_string())
    }

    #[test]
    fn solids_alone_get_the_box_around_them() {
        let env = finish(vec![shape(
            Kind::Solid,
            FloorKey::default(),
            rectangle(10.0, 20.0, 4.0, 2.0),
        )])
        .unwrap();
        assert_eq!(
            env.floors[0].walkable,
            vec![Polygon::rectangle(
                DVec2::new(9.0, 19.0),
                DVec2::new(15.0, 23.0)
            )]
        );
        assert!(env.notices[0].contains("no walkable polygon"));
    }

    #[test]
    fn floors_are_sorted_and_found_by_name_or_height() {
        let mut stairs = shape(
            Kind::Connection {
                from: called("1"),
                to: at(-3.0),
                speed: 0.5,
            },
            FloorKey::default(),
            rectangle(4.0, 4.0, 2.0, 3.0),
        );
        stairs.name = Some("stairs".to_string());
        let env = finish(vec![
            shape(Kind::Walkable, called("1"), rectangle(0.0, 0.0, 9.0, 9.0)),
            shape(Kind::Walkable, at(-3.0), rectangle(0.0, 0.0, 9.0, 9.0)),
            stairs,
        ])
        .unwrap();
        let heights: Vec<f64> = env.floors.iter().map(|floor| floor.z).collect();
        assert_eq!(heights, [-3.0, 4.0]);
        let stairs = &env.connections[0];
        assert_eq!((stairs.from, stairs.to), (1, 0));
        assert_eq!(stairs.lower, [DVec2::new(4.0, 4.0), DVec2::new(6.0, 4.0)]);
        assert_eq!(stairs.upper, [DVec2::new(4.0, 7.0), DVec2::new(6.0, 7.0)]);
    }

    #[test]
    fn a_floor_without_ground_is_refused() {
        let message = finish(vec![shape(
            Kind::Area,
            FloorKey::default(),
            rectangle(0.0, 0.0, 1.0, 1.0),
        )])
        .unwrap_err();
        assert!(
            message.contains("nothing on it can be walked on"),
            "{message}"
        );
    }
}
