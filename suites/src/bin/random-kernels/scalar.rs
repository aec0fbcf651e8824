//! The scalar types of C++ that random kernels compute with.

use suites::generated::Random;

/// An arithmetic type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scalar {
    Bool,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    #[default]
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    Float,
    Double,
}

use Scalar::*;

/// All of them.
pub const ALL: [Scalar; 11] = [
    Bool,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    Float,
    Double,
];

/// The integers, without truth values.
pub fn integers() -> Vec<Scalar> {
    let is_one = |scalar: &Scalar| !scalar.is_floating() && *scalar != Bool;
    ALL.into_iter().filter(is_one).collect()
}

impl Scalar {
    /// Its name in C++, of the types that vectors have as elements.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            SignedChar => "std::int8_t",
            UnsignedChar => "std::uint8_t",
            Short => "std::int16_t",
            UnsignedShort => "std::uint16_t",
            Int => "std::int32_t",
            Unsigned => "std::uint32_t",
            Long => "std::int64_t",
            UnsignedLong => "std::uint64_t",
            Float => "float",
            Double => "double",
        }
    }

    /// How many bits an object has; of truth values, those that count.
    pub fn width(self) -> u32 {
        match self {
            Bool => 1,
            SignedChar | UnsignedChar => 8,
            Short | UnsignedShort => 16,
            Int | Unsigned | Float => 32,
            Long | UnsignedLong | Double => 64,
        }
    }

    pub fn is_floating(self) -> bool {
        matches!(self, Float | Double)
    }

    /// The signed integer of its width, which is what comparisons of vectors give.
    pub fn mask(self) -> Scalar {
        match self.width() {
            8 => SignedChar,
            16 => Short,
            32 => Int,
            _ => Long,
        }
    }

    /// The unsigned integer of its width.
    pub fn unsigned(self) -> Scalar {
        match self.width() {
            8 => UnsignedChar,
            16 => UnsignedShort,
            32 => Unsigned,
            _ => UnsignedLong,
        }
    }

    /// A value of it, as source text.
    pub fn literal(self, random: &mut Random) -> String {
        match self {
            Bool => random.one_of(&["true", "false"]).to_owned(),
            Float | Double => {
                let all = [
                    "0.0", "1.0", "0.5", "3.25", "2.75", "1e10", "7.0", "100.125", "1e-3",
                ];
                let sign = random.one_of(&["", "-"]);
                format!("{}({sign}{})", self.name(), random.one_of(&all))
            }
            _ => {
                let all = [0u64, 1, 2, 3, 7, 15, 16, 31, 32, 127, 128, 255];
                let value = match random.below(4) {
                    0 => random.bits(),
                    1 => random.one_of(&all).wrapping_neg(),
                    _ => random.one_of(&all),
                };
                // From 64 bits of no sign, which is defined for all of them.
                format!("{}({value}u)", self.name())
            }
        }
    }
}
