//! Keys of what stands in a scenario: the environment, areas, lines, doors, obstacles.

use throng_kit::environment::HeightRules;

use crate::scenario::{
    codec::{Checks, Keys, Section},
    codecs::{
        Ends, File, FloorCodec, ListOf, NAME, Points, RING, Switch, TEXT, Whole, number, table,
        word,
    },
    model::{
        AreaSpec, ConnectionSpec, DoorSpec, EnvironmentSource, EnvironmentSpec, LayerSpec,
        LineSpec, ObstacleSpec, UpAxis,
    },
    values::FloorRef,
};

impl Default for EnvironmentSpec {
    fn default() -> EnvironmentSpec {
        EnvironmentSpec {
            source: EnvironmentSource::Missing,
            connections: Vec::new(),
            up: None,
            scale: 1.0,
            cell: 1.0,
            metres_per_pixel: 1.0,
            threshold: 128,
            heights: None,
            height_map: None,
            projected: None,
            render: None,
        }
    }
}

impl Section for EnvironmentSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let (mut file, mut layers) = match &self.source {
            EnvironmentSource::File(file) => (Some(file.clone()), Vec::new()),
            EnvironmentSource::Layers(layers) => (None, layers.clone()),
            _ => (None, Vec::new()),
        };
        let about = "File with the walkable space, relative to the scenario.";
        keys.maybe("file", about, "", File, &mut file);
        keys.some(
            "layers",
            "Planar layers, one file each.",
            "",
            ListOf(table()),
            &mut layers,
        );
        let about = "Stairs and ramps between floors.";
        keys.some(
            "connections",
            about,
            "",
            ListOf(table()),
            &mut self.connections,
        );
        let about = "Up axis of a mesh; by default the file decides.";
        keys.maybe("up", about, "", word::<UpAxis>(), &mut self.up);
        keys.one(
            "scale",
            "Metres per unit of the file.",
            "",
            number(1e-9, 1e9),
            &mut self.scale,
        );
        let about = "Side of a cell of a .map file.";
        keys.one("cell", about, "m", number(1e-9, 1e9), &mut self.cell);
        let about = "Side of a pixel of a picture.";
        keys.one(
            "metres_per_pixel",
            about,
            "m",
            number(1e-9, 1e9),
            &mut self.metres_per_pixel,
        );
        let about = "A pixel darker than this is a wall.";
        keys.one(
            "threshold",
            about,
            "grey level",
            Whole(1, 255),
            &mut self.threshold,
        );
        let about = "Reads a picture as a height map: metres between black and white.";
        keys.maybe("heights", about, "m", number(-1e5, 1e5), &mut self.heights);
        let about = "Reads a picture of heights as a floor plan: walls are where they step.";
        keys.maybe("height_map", about, "", table(), &mut self.height_map);
        let about = "Whether coordinates are metres or degrees; by default the file decides.";
        keys.maybe("projected", about, "", Switch, &mut self.projected);
        let about = "Mesh that the replay draws instead of the ground: walls, ceilings, furniture.";
        keys.maybe("render", about, "", File, &mut self.render);
        self.source = match file {
            Some(file) => EnvironmentSource::File(file),
            None if !layers.is_empty() => EnvironmentSource::Layers(layers),
            None => EnvironmentSource::Missing,
        };
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let allowed = "one of file, generate, layers";
        match (checks.has("file"), checks.has("layers")) {
            (true, true) => checks.complain("layers", "given beside environment.file", allowed),
            (false, false) => checks.complain("", "missing: what the ground is made from", allowed),
            (false, true) if self.source == EnvironmentSource::Missing => {
                checks.complain("layers", "no layer", "one layer or more");
            }
            _ => {}
        }
    }
}

impl Section for HeightRules {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Half the side of the median filter's square; 0 for none.";
        keys.one("median", about, "pixels", Whole(0, 16), &mut self.median);
        let about = "A step of more than this share of all heights is the edge of a wall.";
        keys.one("edge", about, "", number(0.0, 1.0), &mut self.edge);
        let about = "By how many pixels solid things are made larger.";
        keys.one(
            "dilation",
            about,
            "pixels",
            Whole(0, 64),
            &mut self.dilation,
        );
    }
}

impl Section for LayerSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.one(
            "name",
            "Its name, for areas and connections.",
            "",
            TEXT,
            &mut self.name,
        );
        keys.must(
            "file",
            "Its file, relative to the scenario.",
            "",
            File,
            &mut self.file,
        );
        keys.one("z", "Its height.", "m", number(-1e6, 1e6), &mut self.z);
    }
}

impl Section for ConnectionSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        if self.speed == 0.0 {
            self.speed = 1.0;
        }
        keys.one("name", "Its name.", "", TEXT, &mut self.name);
        keys.must(
            "from",
            "The floor at its lower end.",
            "",
            FloorCodec,
            &mut self.from,
        );
        keys.must(
            "to",
            "The floor at its upper end.",
            "",
            FloorCodec,
            &mut self.to,
        );
        keys.must(
            "lower",
            "Its end on the floor from.",
            "m",
            Ends,
            &mut self.lower,
        );
        keys.must(
            "upper",
            "Its end on the floor to.",
            "m",
            Ends,
            &mut self.upper,
        );
        keys.one(
            "speed",
            "Factor on walking speed.",
            "",
            number(0.01, 1.0),
            &mut self.speed,
        );
    }
}

fn floor_key(keys: &mut Keys<'_, '_>, floor: &mut FloorRef) {
    keys.one(
        "floor",
        "Its floor, by name or number.",
        "",
        FloorCodec,
        floor,
    );
}

impl Section for ObstacleSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("shape", "Its polygon.", "m", RING, &mut self.shape);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for AreaSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("shape", "Its polygon.", "m", RING, &mut self.shape);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for LineSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let points = Points {
            least: 2,
            ring: false,
        };
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("points", "Its points.", "m", points, &mut self.points);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for DoorSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("ends", "Its two ends.", "m", Ends, &mut self.ends);
        keys.one(
            "open",
            "Whether it starts open.",
            "",
            Switch,
            &mut self.open,
        );
        floor_key(keys, &mut self.floor);
    }
}
