//! Guiding agents by the fields of their goals.

use glam::Vec2;
use throng_core::{GuideChunk, GuideOut, NONE, World};

use super::{
    FlowField, Workspace,
    direction::{AT_ONCE, Around, Many, beside},
};
use crate::{
    field::Way,
    stencil::{Slot, Stencil},
};

/// Metres ahead at which a guided agent aims.
const AIM: f32 = 2.0;

impl FlowField {
    /// Guides on one flat floor.
    pub(super) fn guide_flat(
        &self,
        world: &World<'_>,
        stencil: &Stencil,
        chunk: &GuideChunk<'_>,
        out: &mut GuideOut<'_>,
    ) {
        let a = &world.agents;
        // Many are read before the first is thought about: their readings overlap.
        let mut many = Many::NONE;
        for (block, rows) in chunk.rows.chunks(AT_ONCE).enumerate() {
            for (i, &row) in rows.iter().enumerate() {
                let row = row as usize;
                let (slot, offset) = stencil.slot_at(a.location[row].point.truncate());
                let around = match self.field(a.goal[row], a.class[row]) {
                    Some(field) => Around::read(stencil, field, slot, offset),
                    None => Around::default(),
                };
                many.set(i, around, a.speed[row]);
            }
            let [x, y] = many.directions();
            let first = block * AT_ONCE;
            let preferred = &mut out.preferred[first..first + rows.len()];
            let target = &mut out.target[first..first + rows.len()];
            for (i, (preferred, target)) in preferred.iter_mut().zip(target).enumerate() {
                let way = Vec2::new(x[i], y[i]);
                let none = many.has_none(i);
                *preferred = if none {
                    Vec2::ZERO
                } else {
                    way * many.speed[i]
                };
                *target = if none { Vec2::ZERO } else { way * AIM };
            }
            for (i, &row) in rows.iter().enumerate() {
                if many.has_none(i) {
                    let (row, slot) = (row as usize, many.slot[i]);
                    self.guide_without_way(world, chunk.dt, stencil, row, first + i, slot, out);
                }
            }
        }
    }

    /// Guides on floors that slope or lie above each other.
    pub(super) fn guide_any(
        &self,
        world: &World<'_>,
        stencil: &Stencil,
        chunk: &GuideChunk<'_>,
        workspace: &mut Workspace,
        out: &mut GuideOut<'_>,
    ) {
        let flat = world.site.ground.flat;
        if !flat {
            self.look_up(world, chunk, workspace);
        }
        let a = &world.agents;
        for (i, &row) in chunk.rows.iter().enumerate() {
            let row = row as usize;
            let at = a.location[row].point.truncate();
            let (slot, offset) = if flat {
                stencil.slot_at(at)
            } else {
                match stencil.slot_in(workspace.regions[i]) {
                    NONE => (0, Vec2::ZERO),
                    slot => (slot, (at - stencil.place(slot)) / stencil.spacing),
                }
            };
            let around = match self.field(a.goal[row], a.class[row]) {
                Some(field) => Around::read(stencil, field, slot, offset),
                None => Around::default(),
            };
            if around.own == Way::NONE {
                self.guide_without_way(world, chunk.dt, stencil, row, i, around.slot, out);
                continue;
            }
            let mut way = if stencil.is_rim(around.slot) {
                around.own.unit()
            } else {
                around.direction()
            };
            if !flat {
                let normal = world.site.ground.normals[a.location[row].triangle as usize];
                let rise = -way.dot(normal.truncate()) / normal.z.max(0.05);
                way = a
                    .frame_of(row)
                    .to_tangent(normal, way.extend(rise))
                    .normalize_or_zero();
            }
            out.preferred[i] = way * a.speed[row];
            out.target[i] = way * AIM;
        }
    }

    /// Guides who stands where its field has no direction: at the goal, beside the map, or without
    /// a field.
    #[cold]
    fn guide_without_way(
        &self,
        world: &World<'_>,
        dt: f32,
        stencil: &Stencil,
        row: usize,
        i: usize,
        slot: Slot,
        out: &mut GuideOut<'_>,
    ) {
        let (a, flat) = (&world.agents, world.site.ground.flat);
        let Some(field) = self.field(a.goal[row], a.class[row]) else {
            out.follow_route[i] = 1;
            return;
        };
        if field.cost[slot as usize].is_infinite() {
            // Pushed beside the map: back to the nearest place on it.
            let back = if flat {
                let offset = stencil.slot_at(a.location[row].point.truncate()).1;
                beside(stencil, field, slot, offset)
            } else {
                Vec2::ZERO
            };
            out.follow_route[i] = u8::from(back == Vec2::ZERO);
            out.preferred[i] = back * a.speed[row];
            out.target[i] = back * AIM;
            return;
        }
        // At the goal: on to one's own place in it.
        out.follow_route[i] = u8::from(!flat);
        let rest = (a.target[row].point - a.location[row].point).truncate();
        let distance = rest.length();
        if distance > 1e-6 {
            let speed = a.speed[row].min(distance / dt);
            out.preferred[i] = rest * (speed / distance);
            out.target[i] = rest;
        }
    }

    /// The regions of a chunk's agents, for grounds that are not flat.
    fn look_up(&self, world: &World<'_>, chunk: &GuideChunk<'_>, workspace: &mut Workspace) {
        let a = &world.agents;
        let Workspace {
            places,
            hints,
            regions,
            ..
        } = workspace;
        places.clear();
        places.extend(chunk.rows.iter().map(|&row| a.location[row as usize]));
        hints.clear();
        hints.extend(chunk.rows.iter().map(|&row| a.region[row as usize]));
        regions.clear();
        regions.resize(places.len(), NONE);
        world
            .nav
            .region_of(&world.site, world.map, places, hints, regions);
    }
}
