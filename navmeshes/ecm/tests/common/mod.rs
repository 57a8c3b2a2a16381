//! Floors to draw maps over.
#![allow(dead_code)]

use glam::{DVec2, Vec2, Vec3};
use throng_core::{Attachment, Location, NONE, NavMap, NavRepresentation, Room, Site};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, Floor, Polygon},
};
use throng_nav_ecm::Ecm;

pub fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Polygon {
    Polygon::rectangle(DVec2::new(x0, y0), DVec2::new(x1, y1))
}

pub fn floor(walkable: Vec<Polygon>, solid: Vec<Polygon>) -> Environment {
    Environment {
        floors: vec![Floor {
            walkable,
            solid,
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

pub struct Built {
    pub ground: Ground,
    pub map: NavMap,
    pub nav: Ecm,
}

pub fn built(environment: &Environment) -> Built {
    try_built(environment).unwrap()
}

pub fn try_built(environment: &Environment) -> Result<Built, String> {
    let ground = Ground::from_environment(environment).map_err(|e| e.to_string())?;
    let (mut nav, mut map) = (Ecm::default(), NavMap::default());
    let site = Site {
        ground: ground.view(),
        file_cells: None,
        seed: 0,
    };
    nav.build(&site, &mut map).map_err(|e| e.to_string())?;
    map.check()?;
    Ok(Built { ground, map, nav })
}

impl Built {
    pub fn site(&self) -> Site<'_> {
        Site {
            ground: self.ground.view(),
            file_cells: None,
            seed: 0,
        }
    }

    pub fn world(&self, local: Vec3) -> DVec2 {
        (self.ground.view().origin + local.as_dvec3()).truncate()
    }

    pub fn place(&self, world: DVec2, floor: Option<u16>) -> Option<Location> {
        let local = world - self.ground.view().origin.truncate();
        self.ground.view().locate_plan(local.as_vec2(), floor)
    }

    pub fn region(&self, place: Location, hint: u32) -> u32 {
        let mut out = [NONE];
        let site = self.site();
        self.nav
            .region_of(&site, &self.map, &[place], &[hint], &mut out);
        out[0]
    }

    pub fn room(&self, place: Location, way: Vec2, region: u32) -> Room {
        let mut out = [Room::default()];
        let known = self
            .nav
            .room_in(&self.map, &[place], &[way], &[region], &mut out);
        assert!(known);
        out[0]
    }

    pub fn attach(&self, place: Location) -> Attachment {
        let mut out = [Attachment::NOWHERE];
        let site = self.site();
        self.nav
            .attach(&site, &self.map, &[place], &[NONE], &mut out);
        out[0]
    }

    /// The outline of a region in local plan coordinates.
    pub fn ring(&self, region: usize) -> Vec<Vec2> {
        let range = self.map.region_ring_start[region] as usize
            ..self.map.region_ring_start[region + 1] as usize;
        self.map.region_ring[range]
            .iter()
            .map(|p| p.truncate())
            .collect()
    }
}
