//! Options of strategies, declared once: schema, messages, `describe` and the README derive
//! from what [`options!`](crate::options) writes down.

/// What values an option takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A number between two bounds, both allowed.
    Number {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A whole number between two bounds, both allowed.
    Integer {
        /// Least value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
}

/// One option of a strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// The key in the strategy's table.
    pub name: &'static str,
    /// What it does, one or two sentences.
    pub about: String,
    /// Its unit, or "" for none.
    pub unit: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// The default, as it is written in a scenario.
    pub default: String,
}

impl OptionSpec {
    /// What is allowed, for messages: "0.1 to 60", "true or false", "a, b or c".
    pub fn allowed(&self) -> String {
        match &self.kind {
            OptionKind::Number { min, max } => format!("{min} to {max}"),
            OptionKind::Integer { min, max } => format!("{min} to {max}, whole"),
            OptionKind::Switch => "true or false".into(),
            OptionKind::Choice(words) => words.join(", "),
            OptionKind::Text => "text".into(),
        }
    }
}

/// Types whose options are declared; [`options!`](crate::options) implements it.
pub trait Options: Default {
    /// Every option, in the order of declaration.
    fn options() -> Vec<OptionSpec>;
}

/// Types that can be the value of an option.
pub trait OptionValue {
    /// The kind for given bounds and words.
    fn kind(min: f64, max: f64) -> OptionKind;
    /// The value as a scenario would write it.
    fn written(&self) -> String;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl OptionValue for $t {
        fn kind(min: f64, max: f64) -> OptionKind { OptionKind::Number { min, max } }
        fn written(&self) -> String { self.to_string() }
    })*};
}
macro_rules! integers {
    ($($t:ty)*) => {$(impl OptionValue for $t {
        fn kind(min: f64, max: f64) -> OptionKind {
            OptionKind::Integer { min: min as i64, max: max as i64 }
        }
        fn written(&self) -> String { self.to_string() }
    })*};
}
numbers!(f32 f64);
integers!(u8 u16 u32 u64 usize i32 i64);

impl OptionValue for bool {
    fn kind(_: f64, _: f64) -> OptionKind {
        OptionKind::Switch
    }
    fn written(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn kind(_: f64, _: f64) -> OptionKind {
        OptionKind::Text
    }
    fn written(&self) -> String {
        format!("{self:?}")
    }
}

/// Joins the lines of a doc comment into one text.
#[doc(hidden)]
pub fn join_doc(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|l| l.trim())
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Declares a strategy with its options: documentation, unit, range and default once.
///
/// Numbers are written `name: type = default, "unit", low..=high;`, switches, texts and choices
/// `name: type = default;`. Fields behind `state` are the strategy's own and no options.
///
/// ```
/// throng_core::options! {
///     /// Walks away.
///     pub struct Shy {
///         /// Distance kept.
///         distance: f32 = 0.5, "m", 0.0..=10.0;
///         /// Whether to look back.
///         look_back: bool = false;
///     }
///     state { seen: u32 }
/// }
/// use throng_core::options::Options;
/// assert_eq!(Shy::options()[0].default, "0.5");
/// assert_eq!(Shy::options()[0].allowed(), "0 to 10");
/// assert_eq!(Shy::default().distance, 0.5);
/// ```
#[macro_export]
macro_rules! options {
    (
        $(#[$outer:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident : $ty:ty = $default:expr $(, $unit:literal, $low:literal ..= $high:literal)? ;
            )*
        }
        $(state { $($(#[$state_meta:meta])* $state:ident : $state_ty:ty),* $(,)? })?
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, $crate::private::serde::Serialize, $crate::private::serde::Deserialize)]
        #[serde(crate = "throng_core::private::serde", default, deny_unknown_fields)]
        $vis struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\n[" $(, $unit, "; ", stringify!($low), " to ", stringify!($high), "; ")?, "default ", stringify!($default), "]")]
                pub $field: $ty,
            )*
            $($(
                $(#[$state_meta])*
                #[serde(skip)]
                $state: $state_ty,
            )*)?
        }
        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* $($($state: Default::default(),)*)? }
            }
        }
        impl $crate::options::Options for $name {
            fn options() -> Vec<$crate::options::OptionSpec> {
                vec![$(
                    $crate::options::OptionSpec {
                        name: stringify!($field),
                        about: $crate::options::join_doc(&[$($doc),+]),
                        unit: concat!($($unit)?),
                        kind: <$ty as $crate::options::OptionValue>::kind(
                            $crate::options!(@or $($low)?, f64::NEG_INFINITY),
                            $crate::options!(@or $($high)?, f64::INFINITY),
                        ),
                        default: $crate::options::OptionValue::written(&{ let value: $ty = $default; value }),
                    },
                )*]
            }
        }
    };
    (@or $given:literal, $else:expr) => { ($given) as f64 };
    (@or , $else:expr) => { $else };
}

/// Declares the words of a choice option.
///
/// ```
/// throng_core::choices! {
///     /// Which way round.
///     pub enum Side { /// Left.
///         Left = "left", /// Right.
///         Right = "right" }
/// }
/// assert_eq!(Side::default().to_string(), "left");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$outer:meta])*
        $vis:vis enum $name:ident {
            $(#[$first_meta:meta])* $first:ident = $first_word:literal
            $(, $(#[$meta:meta])* $variant:ident = $word:literal)* $(,)?
        }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, $crate::private::serde::Serialize, $crate::private::serde::Deserialize)]
        #[serde(crate = "throng_core::private::serde")]
        $vis enum $name {
            $(#[$first_meta])* #[default] #[serde(rename = $first_word)] $first,
            $($(#[$meta])* #[serde(rename = $word)] $variant,)*
        }
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(match self { $name::$first => $first_word, $($name::$variant => $word,)* })
            }
        }
        impl $crate::options::OptionValue for $name {
            fn kind(_: f64, _: f64) -> $crate::options::OptionKind {
                $crate::options::OptionKind::Choice(&[$first_word $(, $word)*])
            }
            fn written(&self) -> String { format!("\"{self}\"") }
        }
    };
}
