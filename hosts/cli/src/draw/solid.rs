//! Grounds that are no floor plan, seen from the side: far things first, near things over them.

use glam::{Vec2, Vec3};
use throng::{core::GroundView, engine::simulation::Simulation as Engine};

use super::{
    Drawn,
    colours::{self, Colour},
    picture::{Caption, crowd_colour, key},
    sheet::Sheet,
    storeys::Storey,
    tracks::Tracks,
};
use crate::failure::Failure;

/// Something on the ground that is drawn over it.
#[derive(Clone, Copy, Debug)]
pub enum Thing {
    /// A line between two points.
    Line(Vec3, Vec3, f32, Colour),
    /// A disc of a radius in metres.
    Disc(Vec3, f32, Colour),
}

/// Where the eye is: an orthonormal frame of right, up and towards the eye.
const RIGHT: Vec3 = Vec3::new(0.768221, 0.640184, 0.000000);
const UP: Vec3 = Vec3::new(-0.368597, 0.442316, 0.817614);
const TO_EYE: Vec3 = Vec3::new(0.523424, -0.628109, 0.575766);

fn seen(point: Vec3) -> Vec2 {
    Vec2::new(point.dot(RIGHT), point.dot(UP))
}

fn nearness(point: Vec3) -> f32 {
    point.dot(TO_EYE)
}

/// Draws a ground with things on it.
pub fn draw_ground(sheet: &mut Sheet, ground: GroundView<'_>, things: &[Thing]) {
    let Some(panel) = sheet.panels.first().copied() else {
        return;
    };
    let size = ground
        .vertices
        .iter()
        .fold(0.0f32, |m, v| m.max(v.length()));
    // What stands on the ground lies in it: drawn a little nearer, it is not cut by it.
    let lift = 0.004 * size + 0.05;
    // Large triangles are drawn in pieces, each as far away as it is.
    let mut pieces: Vec<([Vec3; 3], usize)> = Vec::new();
    for t in 0..ground.triangles.len() {
        cut(
            ground.corners(t as u32),
            t,
            (size / 32.0).max(1.0),
            &mut pieces,
        );
    }
    let count = pieces.len();
    let mut order: Vec<(f32, usize)> = pieces
        .iter()
        .enumerate()
        .map(|(i, ([a, b, c], _))| (nearness((*a + *b + *c) / 3.0), i))
        .collect();
    order.extend(things.iter().enumerate().map(|(i, thing)| {
        let at = match thing {
            Thing::Line(a, b, ..) => (*a + *b) / 2.0,
            Thing::Disc(at, ..) => *at,
        };
        (nearness(at) + lift, count + i)
    }));
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let light = Vec3::new(0.3, -0.5, 0.8).normalize();
    for (_, item) in order {
        if item < count {
            let (corners, triangle) = pieces[item];
            let shade = 0.5 + 0.5 * ground.normals[triangle].dot(light).abs();
            let colour = Colour(150, 158, 172, 255).mix(Colour(246, 246, 244, 255), shade);
            let ring: Vec<Vec2> = corners.iter().map(|c| panel.at(seen(*c))).collect();
            sheet.canvas.fill(std::slice::from_ref(&ring), colour);
            // A hair of the same colour closes the seams between neighbours.
            sheet
                .canvas
                .lines(&[vec![ring[0], ring[1], ring[2], ring[0]]], 0.6, colour);
            continue;
        }
        match things[item - count] {
            Thing::Line(a, b, width, colour) => {
                let line = vec![panel.at(seen(a)), panel.at(seen(b))];
                sheet.canvas.lines(&[line], width, colour);
            }
            Thing::Disc(at, radius, colour) => {
                let radius = (radius * panel.scale).max(1.8);
                sheet.canvas.disc(panel.at(seen(at)), radius, colour);
            }
        }
    }
}

/// Cuts a triangle in halves until no side is longer than this.
fn cut(corners: [Vec3; 3], triangle: usize, longest: f32, out: &mut Vec<([Vec3; 3], usize)>) {
    let [a, b, c] = corners;
    let sides = [a.distance(b), b.distance(c), c.distance(a)];
    let k = (0..3).fold(0, |k, i| if sides[i] > sides[k] { i } else { k });
    if !(sides[k] > longest) {
        out.push((corners, triangle));
        return;
    }
    let (p, q, r) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
    let middle = (p + q) / 2.0;
    cut([p, middle, r], triangle, longest, out);
    cut([middle, q, r], triangle, longest, out);
}

/// The panel that a ground fills when seen from the side.
pub fn panel_of(ground: GroundView<'_>) -> Storey {
    let points = || ground.vertices.iter().map(|v| seen(*v));
    let low = points().fold(Vec2::INFINITY, Vec2::min);
    let high = points().fold(Vec2::NEG_INFINITY, Vec2::max);
    let fine = low.is_finite() && high.is_finite();
    Storey {
        name: String::new(),
        low: if fine { low } else { Vec2::ZERO },
        high: if fine { high } else { Vec2::ONE },
    }
}

/// Draws a run on such a ground.
pub fn draw_run(
    simulation: &Engine,
    tracks: &Tracks,
    caption: &Caption,
    svg: bool,
) -> Result<Drawn, Failure> {
    let ground = simulation.ground();
    let storeys = [panel_of(ground)];
    let mut sheet = Sheet::new(&storeys, &caption.title, &caption.subtitle, svg)?;
    let mut things = Vec::new();
    for trail in &tracks.trails {
        let colour = crowd_colour(trail.source).faint(0.6);
        for pair in trail.points.windows(2) {
            things.push(Thing::Line(pair[0].1, pair[1].1, 1.0, colour));
        }
    }
    let agents = simulation.agents();
    let open = !ground.walls.is_empty();
    for row in 0..agents.len() {
        let at = agents.location[row];
        let up = agents.frame[row].up(ground.normals[at.triangle as usize]);
        let body = at.point + up * agents.height[row] / 2.0;
        let colour = crowd_colour(agents.record[row].source);
        if open && up.dot(TO_EYE) < 0.0 {
            // On the back of a sheet: seen through it.
            let shown = at.point + TO_EYE * agents.height[row] * 0.5;
            things.push(Thing::Disc(shown, agents.radius[row], colour.faint(0.25)));
            continue;
        }
        things.push(Thing::Line(at.point, body, 1.5, colours::INK.faint(0.6)));
        things.push(Thing::Disc(body, agents.radius[row], colour));
    }
    draw_ground(&mut sheet, ground, &things);
    sheet.scale_bar();
    key(&mut sheet, tracks, caption);
    sheet.canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::Ground;

    #[test]
    fn a_torus_is_drawn_with_what_is_in_front_of_it_on_top() {
        let scene = throng::scenes::generate("torus", &toml::Table::new()).unwrap();
        let ground = Ground::from_environment(&scene).unwrap();
        let view = ground.view();
        let red = Colour(255, 0, 0, 255);
        let points = || view.vertices.iter().copied();
        let nearest = points().max_by(|a, b| nearness(*a).total_cmp(&nearness(*b)));
        let farthest = points().min_by(|a, b| nearness(*a).total_cmp(&nearness(*b)));
        let red_pixels = |at: Option<Vec3>| {
            let storeys = [panel_of(view)];
            let mut sheet = Sheet::new(&storeys, "torus", "", true).unwrap();
            let things: Vec<Thing> = at.iter().map(|at| Thing::Disc(*at, 1.0, red)).collect();
            draw_ground(&mut sheet, view, &things);
            let drawn = sheet.canvas.finish().unwrap();
            assert!(drawn.svg.unwrap().contains("#ff0000"));
            let pixels = tiny_skia::Pixmap::decode_png(&drawn.png).unwrap();
            let red = pixels
                .pixels()
                .iter()
                .filter(|p| p.red() > 200 && p.green() < 50);
            red.count()
        };
        assert!(red_pixels(nearest) > 50, "what is in front is seen");
        // The far side of a torus seen from above its rim lies behind the tube.
        assert_eq!(red_pixels(farthest), 0, "what is behind is hidden");
    }
}
