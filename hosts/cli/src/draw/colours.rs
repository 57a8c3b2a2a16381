//! Colours of the pictures.

/// Red, green, blue and how opaque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour(pub u8, pub u8, pub u8, pub u8);

impl Colour {
    /// The same, less opaque.
    pub fn faint(self, opacity: f32) -> Colour {
        Colour(self.0, self.1, self.2, (255.0 * opacity) as u8)
    }

    /// A mixture of two opaque colours.
    pub fn mix(self, other: Colour, share: f32) -> Colour {
        let part = |a: u8, b: u8| (f32::from(a) * (1.0 - share) + f32::from(b) * share) as u8;
        Colour(
            part(self.0, other.0),
            part(self.1, other.1),
            part(self.2, other.2),
            part(self.3, other.3),
        )
    }
}

pub const PAPER: Colour = Colour(250, 250, 248, 255);
pub const OUTSIDE: Colour = Colour(226, 227, 230, 255);
pub const GROUND: Colour = Colour(255, 255, 255, 255);
pub const WALL: Colour = Colour(46, 52, 64, 255);
pub const OBSTACLE: Colour = Colour(130, 110, 90, 255);
pub const DOOR_OPEN: Colour = Colour(60, 160, 90, 255);
pub const DOOR_CLOSED: Colour = Colour(200, 60, 50, 255);
pub const INK: Colour = Colour(30, 34, 42, 255);
pub const PALE_INK: Colour = Colour(110, 116, 128, 255);
pub const AREA: Colour = Colour(70, 120, 190, 255);

/// One colour per source: told apart also by people who do not tell red from green.
pub const CROWDS: [Colour; 8] = [
    Colour(33, 102, 172, 255),
    Colour(217, 95, 2, 255),
    Colour(27, 140, 110, 255),
    Colour(150, 60, 140, 255),
    Colour(120, 120, 20, 255),
    Colour(190, 40, 70, 255),
    Colour(60, 60, 170, 255),
    Colour(90, 90, 90, 255),
];

const HEAT: [Colour; 5] = [
    Colour(255, 246, 214, 255),
    Colour(254, 217, 118, 255),
    Colour(253, 158, 67, 255),
    Colour(236, 80, 44, 255),
    Colour(140, 10, 50, 255),
];

/// The colour of a share of the largest density, from 0 to 1.
pub fn heat(share: f32) -> Colour {
    let at = share.clamp(0.0, 1.0) * (HEAT.len() - 1) as f32;
    let low = (at as usize).min(HEAT.len() - 2);
    HEAT[low].mix(HEAT[low + 1], at - low as f32)
}

/// Seventeen colours of cividis (Nunez, Anderton & Renslow 2018, PLoS ONE 13, e0199239), evenly
/// spaced: even in lightness, the same for people who do not tell red from green.
const CIVIDIS: [Colour; 17] = [
    Colour(0, 34, 78, 255),
    Colour(0, 46, 106, 255),
    Colour(26, 56, 111, 255),
    Colour(50, 67, 109, 255),
    Colour(67, 78, 108, 255),
    Colour(83, 90, 109, 255),
    Colour(97, 101, 111, 255),
    Colour(111, 112, 115, 255),
    Colour(125, 124, 120, 255),
    Colour(140, 136, 120, 255),
    Colour(155, 148, 118, 255),
    Colour(171, 160, 114, 255),
    Colour(188, 174, 108, 255),
    Colour(205, 187, 99, 255),
    Colour(222, 201, 88, 255),
    Colour(240, 216, 70, 255),
    Colour(254, 232, 56, 255),
];

/// The colour of a share from 0 to 1 on cividis: dark blue to yellow.
pub fn cividis(share: f32) -> Colour {
    let at = share.clamp(0.0, 1.0) * (CIVIDIS.len() - 1) as f32;
    let low = (at as usize).min(CIVIDIS.len() - 2);
    CIVIDIS[low].mix(CIVIDIS[low + 1], at - low as f32)
}
