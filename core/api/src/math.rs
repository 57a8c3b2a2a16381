//! Transcendental functions with the same bits on every platform.
//!
//! `+ - * /` and `sqrt` are exact everywhere; `sin`, `exp` and their kin differ between system
//! libraries in their last bits, so all of Throng takes them from here (a lint forbids the
//! standard ones).

macro_rules! unary {
    ($($name:ident: $f32:path, $f64:path, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[inline]
        pub fn $name<T: Real>(x: T) -> T {
            x.apply($f32, $f64)
        }
    )*};
}

/// A floating-point type that the functions of this module accept: `f32` or `f64`.
pub trait Real: Copy {
    /// Applies the function of the matching width.
    fn apply(self, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Self;
    /// Applies the two-argument function of the matching width.
    fn apply2(self, other: Self, single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> Self;
}

impl Real for f32 {
    #[inline]
    fn apply(self, single: fn(f32) -> f32, _: fn(f64) -> f64) -> f32 {
        single(self)
    }
    #[inline]
    fn apply2(self, other: f32, single: fn(f32, f32) -> f32, _: fn(f64, f64) -> f64) -> f32 {
        single(self, other)
    }
}

impl Real for f64 {
    #[inline]
    fn apply(self, _: fn(f32) -> f32, double: fn(f64) -> f64) -> f64 {
        double(self)
    }
    #[inline]
    fn apply2(self, other: f64, _: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> f64 {
        double(self, other)
    }
}

unary! {
    sin: libm::sinf, libm::sin, "Sine of an angle in radians.";
    cos: libm::cosf, libm::cos, "Cosine of an angle in radians.";
    tan: libm::tanf, libm::tan, "Tangent of an angle in radians.";
    asin: libm::asinf, libm::asin, "Arc sine, in radians.";
    acos: libm::acosf, libm::acos, "Arc cosine, in radians.";
    atan: libm::atanf, libm::atan, "Arc tangent, in radians.";
    exp: libm::expf, libm::exp, "e to the power of `x`.";
    ln: libm::logf, libm::log, "Natural logarithm.";
    log2: libm::log2f, libm::log2, "Logarithm to base 2.";
    cbrt: libm::cbrtf, libm::cbrt, "Cube root.";
}

/// Angle of the vector (x, y) in radians, in (-pi, pi].
#[inline]
pub fn atan2<T: Real>(y: T, x: T) -> T {
    y.apply2(x, libm::atan2f, libm::atan2)
}

/// `x` to the power of `y`.
#[inline]
pub fn pow<T: Real>(x: T, y: T) -> T {
    x.apply2(y, libm::powf, libm::pow)
}

/// Length of the vector (x, y) without undue overflow.
#[inline]
pub fn hypot<T: Real>(x: T, y: T) -> T {
    x.apply2(y, libm::hypotf, libm::hypot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(sin(0.0_f32), 0.0);
        assert_eq!(cos(0.0_f64), 1.0);
        assert_eq!(atan2(1.0_f64, 1.0), core::f64::consts::FRAC_PI_4);
        assert_eq!(exp(0.0_f32), 1.0);
        assert_eq!(hypot(3.0_f64, 4.0), 5.0);
        assert_eq!(pow(2.0_f32, 10.0), 1024.0);
    }
}
