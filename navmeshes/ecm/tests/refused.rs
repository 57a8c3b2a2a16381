//! Floors that were once refused, found by running the property test over many seeds: walls that
//! cross, so that corners are rounded off their lines, and diagrams that fail or come out wrong
//! until the walls are turned.

mod common;

use common::{floor, rectangle, try_built};
use glam::DVec2;
use throng_kit::environment::{Environment, Polygon};

fn room(solid: Vec<Polygon>, walls: &[&[(f64, f64)]]) -> Environment {
    with_walls(rectangle(0.0, 0.0, 40.0, 30.0), solid, walls)
}

fn with_walls(outer: Polygon, solid: Vec<Polygon>, walls: &[&[(f64, f64)]]) -> Environment {
    let mut environment = floor(vec![outer], solid);
    environment.floors[0].thin_walls = walls
        .iter()
        .map(|wall| wall.iter().map(|&(x, y)| DVec2::new(x, y)).collect())
        .collect();
    environment
}

fn tiles(environment: &Environment) {
    let b = try_built(environment).unwrap();
    let (walkable, covered) = (b.ground.walkable_area(), b.map.covered_area());
    assert!(
        (walkable - covered).abs() <= 1e-6 * walkable,
        "{covered} of {walkable}"
    );
    assert_eq!(b.map.regions() * 2, b.map.edges());
}

#[test]
fn two_thin_walls_that_cross() {
    tiles(&room(
        vec![rectangle(12.0, 20.0, 14.0, 22.0)],
        &[&[(32.0, 14.0), (0.0, 6.0)], &[(12.0, 2.0), (0.0, 18.0)]],
    ));
}

#[test]
fn a_thin_wall_through_a_block() {
    tiles(&room(
        vec![rectangle(10.0, 14.0, 14.0, 16.0)],
        &[&[(0.0, 4.0), (32.0, 28.0)]],
    ));
}

#[test]
fn thin_walls_that_make_the_diagram_fail() {
    let outer = ring(&[
        (28.8, 15.0),
        (24.983_513_909_408_344, 30.337_678_716_269_952),
        (12.163_488_652_833_099, 20.693_558_764_913_337),
        (12.880_650_449_500_461, 9.827_489_779_826_237),
        (22.719_349_550_499_537, 6.630_702_656_602_647),
    ]);
    tiles(&with_walls(
        outer,
        vec![],
        &[
            &[(10.0, 26.0), (38.0, 4.0), (20.0, 28.0)],
            &[
                (9.904_454_070_639_309, 22.097_277_254_038_797),
                (21.869_369_954_444_1, 25.594_969_932_396_59),
                (0.0, 0.0),
            ],
        ],
    ));
}

fn ring(points: &[(f64, f64)]) -> Polygon {
    Polygon::new(points.iter().map(|&(x, y)| DVec2::new(x, y)).collect())
}

#[test]
fn a_bent_thin_wall_that_leaves_the_floor() {
    tiles(&with_walls(
        ring(&[
            (31.158_201_562_661_85, 15.0),
            (22.719_349_550_499_537, 23.369_297_343_397_35),
            (12.880_650_449_500_463, 20.172_510_220_173_763),
            (12.880_650_449_500_461, 9.827_489_779_826_237),
            (24.393_535_284_716_073, 1.478_088_784_230_742_2),
        ]),
        vec![],
        &[&[(16.0, 8.0), (32.0, 0.0), (14.0, 18.0)]],
    ));
}

#[test]
fn a_thin_wall_past_a_star() {
    tiles(&with_walls(
        ring(&[
            (33.187_685_778_255_705, 15.0),
            (24.400_000_000_000_002, 22.621_023_553_303_06),
            (15.600_000_000_000_001, 22.621_023_553_303_06),
            (1.393_121_520_391_403_6, 15.000_000_000_000_002),
            (15.599_999_999_999_996, 7.378_976_446_696_941),
            (30.871_310_142_835_718, -3.829_661_512_230_323_7),
        ]),
        vec![ring(&[
            (32.093_491_128_138_54, 7.506_411_736_993_112),
            (31.780_153_128_268_218, 7.677_078_310_303_523),
            (31.451_357_580_795_243, 7.538_509_665_328_561_5),
            (31.354_694_239_173_647, 7.195_050_818_019_607),
            (30.869_183_976_851_39, 5.631_597_840_512_311_5),
            (32.352_501_850_478_724, 5.859_642_611_092_553_5),
            (32.155_421_675_573_48, 7.155_025_356_063_717),
        ])],
        &[&[
            (26.463_418_487_065_23, 21.841_162_350_510_36),
            (31.834_219_076_234_778, 0.647_993_077_722_090_4),
            (3.753_516_425_168_175_6, 6.855_107_957_654_526),
        ]],
    ));
}

#[test]
fn a_thin_wall_that_grazes_a_corner() {
    tiles(&with_walls(
        ring(&[
            (31.318_562_428_975_724, 15.0),
            (22.719_349_550_499_537, 23.369_297_343_397_35),
            (12.880_650_449_500_463, 20.172_510_220_173_763),
            (12.880_650_449_500_461, 9.827_489_779_826_237),
            (22.719_349_550_499_537, 6.630_702_656_602_647),
        ]),
        vec![],
        &[&[
            (32.233_100_347_459_94, 24.077_733_806_930_617),
            (30.532_407_968_753_3, 7.196_769_842_309_745),
        ]],
    ));
}

#[test]
fn a_tiny_star_beside_a_long_wall() {
    let star = ring(&[
        (27.359_171_692_349_914, 0.599_607_127_714_194_2),
        (27.313_723_391_727_482, 0.839_284_477_593_418_7),
        (27.288_870_914_142_404, 0.596_605_400_554_464_9),
        (27.281_813_551_959_946, 0.558_198_891_451_218_9),
        (27.307_440_776_559_77, 0.528_735_156_762_924),
        (27.346_454_765_118_1, 0.530_400_989_660_523_3),
        (27.587_773_351_865_55, 0.521_829_119_696_755_2),
    ]);
    tiles(&room(vec![star], &[]));
}
