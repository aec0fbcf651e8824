//! Property sets: what a device image says of itself beside its code.
//!
//! The text form has a `[Set name]` line a set and a `key=<type>|<value>` line a property. Type 1
//! is a 32-bit number in decimal. Type 2 is a byte array: its length in bits as 8 little-endian
//! bytes, then the data, both in one run of [base64](encode) that is not RFC 4648.

use indexmap::IndexMap;

use crate::TextError;

/// What a kernel needs of its device: aspects, work-group and sub-group sizes.
pub const DEVICE_REQUIREMENTS: &str = "SYCL/device requirements";
/// Ids, offsets and sizes of specialization constants.
pub const SPECIALIZATION_CONSTANTS: &str = "SYCL/specialization constants";
/// The default values of all specialization constants in one array.
pub const SPECIALIZATION_CONSTANTS_DEFAULTS: &str = "SYCL/specialization constants default values";
/// Single facts, the optimization level among them.
pub const MISC_PROPERTIES: &str = "SYCL/misc properties";
/// Facts of single kernels.
pub const PROGRAM_METADATA: &str = "SYCL/program metadata";
/// Which kernel parameters the compiler dropped.
pub const KERNEL_PARAM_OPT: &str = "SYCL/kernel param opt";
/// Names of the kernels.
pub const KERNEL_NAMES: &str = "SYCL/kernel names";
/// Symbols that other images may import.
pub const EXPORTED_SYMBOLS: &str = "SYCL/exported symbols";
/// Symbols that another image must give.
pub const IMPORTED_SYMBOLS: &str = "SYCL/imported symbols";
/// Device globals.
pub const DEVICE_GLOBALS: &str = "SYCL/device globals";
/// For each aspect that an image needs, one chain of calls to where it is used, as text: this
/// project's own set.
pub const ASPECT_ORIGINS: &str = "Plumbline/aspect origins";
/// For each kernel of an image in which translation units have specialization constants of one name,
/// the names of those that it reads, a line each: this project's own set.
pub const KERNEL_CONSTANTS: &str = "Plumbline/kernel constants";
/// For each kernel of an image, what it was made of, as [`kernel_functor`](crate::kernel_functor) has
/// it: this project's own set.
pub const KERNEL_FUNCTORS: &str = "Plumbline/kernel functors";
/// For each device global of an image that has no image scope, where in its variable the initial value
/// stands, in bytes: this project's own set.
pub const INITIAL_VALUES: &str = "Plumbline/initial values";
/// The string of an offload binary that holds the property sets of its image as text.
pub const PROPERTY_SETS: &str = "properties";
/// The extra set that tells, in an image without code, why the aspect filter left its kernels out: a
/// property named as the kernel holds the reason as text.
pub const FILTERED_KERNELS: &str = "Plumbline/filtered kernels";
/// SPIR-V to link to an image when the device lacks the OpenCL extension that the property is named
/// by: this project's own set.
pub const FALLBACK_LIBRARIES: &str = "Plumbline/fallback libraries";
/// Functions that use `assert`.
pub const ASSERT_USED: &str = "SYCL/assert used";
/// Which sets of functions for calls through pointers an image holds or calls.
pub const VIRTUAL_FUNCTIONS: &str = "SYCL/virtual functions";
/// Which device libraries the image needs at run time.
pub const DEVICELIB_REQ_MASK: &str = "SYCL/devicelib req mask";

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyValue {
    /// Type 1: a number.
    U32(u32),
    /// Type 2: bytes, without the length that the wire form puts before them.
    Bytes(Vec<u8>),
    /// Type 2 with a number of bits that fills no whole bytes, as DPC++ writes it: the bits of the
    /// last byte beyond that number are padding.
    Bits {
        /// How many bits count.
        count: u64,
        /// The bytes that hold them.
        bytes: Vec<u8>,
    },
}

impl PropertyValue {
    /// A byte array of little-endian 32-bit numbers.
    #[must_use]
    pub fn u32_array(values: &[u32]) -> Self {
        PropertyValue::Bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// A byte array of single bits, the first in the lowest place.
    #[must_use]
    pub fn bits(bits: &[bool]) -> Self {
        let byte = |bits: &[bool]| {
            let places = bits.iter().rev();
            places.fold(0, |byte, &bit| byte << 1 | u8::from(bit))
        };
        PropertyValue::array(bits.len() as u64, bits.chunks(8).map(byte).collect())
    }

    /// A byte array of which so many bits count.
    fn array(count: u64, bytes: Vec<u8>) -> Self {
        match count % 8 == 0 {
            true => PropertyValue::Bytes(bytes),
            false => PropertyValue::Bits { count, bytes },
        }
    }

    /// The value of a byte array in wire form: its length in bits as 8 little-endian bytes, then the
    /// data.
    ///
    /// # Errors
    /// When the length does not fit the data.
    pub fn from_wire(wire: &[u8]) -> Result<Self, String> {
        let (length, data) = wire
            .split_first_chunk::<8>()
            .ok_or("a byte array begins with a length of 8 bytes")?;
        let bits = u64::from_le_bytes(*length);
        if bits.div_ceil(8) != data.len() as u64 {
            let held = data.len() as u64 * 8;
            return Err(format!("a byte array says {bits} bits and holds {held}"));
        }
        Ok(PropertyValue::array(bits, data.to_vec()))
    }

    /// The wire form of a byte array; none for a number.
    #[must_use]
    pub fn to_wire(&self) -> Option<Vec<u8>> {
        let (bits, bytes) = match self {
            PropertyValue::U32(_) => return None,
            PropertyValue::Bytes(bytes) => (bytes.len() as u64 * 8, bytes),
            PropertyValue::Bits { count, bytes } => (*count, bytes),
        };
        Some([&bits.to_le_bytes()[..], bytes].concat())
    }

    /// The number, when it is one.
    #[must_use]
    pub fn as_u32(&self) -> Option<u32> {
        match self {
            PropertyValue::U32(value) => Some(*value),
            PropertyValue::Bytes(_) | PropertyValue::Bits { .. } => None,
        }
    }

    /// The bytes, when it is an array.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            PropertyValue::U32(_) => None,
            PropertyValue::Bytes(bytes) | PropertyValue::Bits { bytes, .. } => Some(bytes),
        }
    }

    /// The bits of an array, the first in the lowest place; none of a number.
    #[must_use]
    pub fn as_bits(&self) -> Vec<bool> {
        let bytes = self.as_bytes().unwrap_or_default();
        let bits = bytes
            .iter()
            .flat_map(|byte| (0..8).map(move |at| byte >> at & 1 != 0));
        match self {
            PropertyValue::Bits { count, .. } => bits
                .take(usize::try_from(*count).unwrap_or(usize::MAX))
                .collect(),
            PropertyValue::U32(_) | PropertyValue::Bytes(_) => bits.collect(),
        }
    }

    /// The numbers of an array of little-endian 32-bit numbers; `None` when it is no such array.
    #[must_use]
    pub fn as_u32_array(&self) -> Option<Vec<u32>> {
        let bytes = self.as_bytes()?;
        let words = bytes.chunks(4);
        let words = words.map(|word| Some(u32::from_le_bytes(word.try_into().ok()?)));
        words.collect()
    }
}

/// The properties of one set, in order.
pub type PropertySet = IndexMap<String, PropertyValue>;

/// Named sets of named properties, both in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PropertySets {
    sets: IndexMap<String, PropertySet>,
}

impl PropertySets {
    /// No set yet.
    #[must_use]
    pub fn new() -> Self {
        PropertySets::default()
    }

    /// Puts a property in place; one that is there already keeps its place and gets the new value.
    pub fn insert(&mut self, set: &str, key: &str, value: PropertyValue) {
        self.set_mut(set).insert(key.to_owned(), value);
    }

    /// The set of that name, made when it is not there. A set may stay without properties.
    pub fn set_mut(&mut self, name: &str) -> &mut PropertySet {
        self.sets.entry(name.to_owned()).or_default()
    }

    /// Takes a set away.
    pub fn remove(&mut self, name: &str) {
        self.sets.shift_remove(name);
    }

    /// The set of that name.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<&PropertySet> {
        self.sets.get(name)
    }

    /// One property.
    #[must_use]
    pub fn get(&self, set: &str, key: &str) -> Option<&PropertyValue> {
        self.set(set)?.get(key)
    }

    /// The sets in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &PropertySet)> {
        self.sets.iter().map(|(name, set)| (name.as_str(), set))
    }

    /// Whether there is no set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// Names the line: a property before the first set, a set or key that stands twice, an unknown
    /// type, a number that is none, an array that is not what its length says.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let mut sets = PropertySets::new();
        let mut current: Option<&mut PropertySet> = None;
        for (index, line) in text.lines().enumerate() {
            let fail = |reason: String| TextError::new(index + 1, reason);
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                if sets.set(name).is_some() {
                    return Err(fail(format!("set '{name}' stands twice")));
                }
                current = Some(sets.set_mut(name));
                continue;
            }
            let set = current
                .as_deref_mut()
                .ok_or_else(|| fail("a property stands before the first set".to_owned()))?;
            let (key, value) = parse_property(line).map_err(fail)?;
            if set.insert(key.to_owned(), value).is_some() {
                return Err(fail(format!("property '{key}' stands twice")));
            }
        }
        Ok(sets)
    }

    /// Writes the text form.
    ///
    /// # Errors
    /// When a name holds what the form cannot carry: a line break, or `=` in a key.
    pub fn to_text(&self) -> Result<String, TextError> {
        let mut lines = Vec::new();
        for (name, set) in self.iter() {
            if name.contains(['\n', '\r']) {
                let reason = format!("{name:?} cannot name a property set");
                return Err(TextError::new(lines.len() + 1, reason));
            }
            lines.push(format!("[{name}]"));
            for (key, value) in set {
                if key.is_empty() || key.starts_with('[') || key.contains(['=', '\n', '\r']) {
                    let reason = format!("{key:?} cannot name a property");
                    return Err(TextError::new(lines.len() + 1, reason));
                }
                lines.push(format!("{key}={}", value_text(value)));
            }
        }
        lines.push(String::new());
        Ok(lines.join("\n"))
    }
}

fn value_text(value: &PropertyValue) -> String {
    match (value.to_wire(), value) {
        (Some(wire), _) => format!("2|{}", encode(&wire)),
        (None, value) => format!("1|{}", value.as_u32().unwrap_or_default()),
    }
}

fn parse_property(line: &str) -> Result<(&str, PropertyValue), String> {
    let (key, rest) = line
        .split_once('=')
        .ok_or("a property has the form key=type|value")?;
    let (kind, value) = rest
        .split_once('|')
        .ok_or("a property has the form key=type|value")?;
    if key.is_empty() {
        return Err("a property has no key".to_owned());
    }
    let value = match kind {
        "1" => {
            let number = value.parse::<u32>();
            let number = number.map_err(|e| format!("'{value}' is no 32-bit number: {e}"))?;
            PropertyValue::U32(number)
        }
        "2" => PropertyValue::from_wire(&decode(value)?)?,
        other => return Err(format!("unknown property type '{other}'")),
    };
    Ok((key, value))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with the standard alphabet, groups of 6 bits taken least-significant first, no padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .rev()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        for digit in 0..(group.len() * 8).div_ceil(6) {
            text.push(char::from(ALPHABET[(bits >> (6 * digit) & 63) as usize]));
        }
    }
    text
}

/// Undoes [`encode`].
///
/// # Errors
/// When a character is not of the alphabet, or the text ends within a byte.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for (digit, character) in group.iter().enumerate() {
            let value = ALPHABET.iter().position(|c| c == character);
            let value = value.ok_or_else(|| {
                format!("{:?} is not of the base64 alphabet", char::from(*character))
            })?;
            bits |= (value as u32) << (6 * digit);
        }
        let whole = group.len() * 6 / 8;
        if whole == 0 || bits >> (whole * 8) != 0 {
            return Err("base64 text ends within a byte".to_owned());
        }
        bytes.extend_from_slice(&bits.to_le_bytes()[..whole]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_known_arrays_read_and_write() {
        for (text, bytes) in [
            ("ABAAAAAAAAQAAAAAGAAAAA", vec![1, 0, 0, 0, 6, 0, 0, 0]),
            ("IAAAAAAAAAQA", vec![1]),
        ] {
            let value = PropertyValue::Bytes(bytes);
            assert_eq!(
                PropertyValue::from_wire(&decode(text).unwrap()).unwrap(),
                value
            );
            assert_eq!(encode(&value.to_wire().unwrap()), text);
        }
    }

    #[test]
    fn an_array_need_not_fill_its_last_byte() {
        let text = "[S]\na=2|CAAAAAAAAAQA\n";
        let sets = PropertySets::parse(text).unwrap();
        let value = sets.get("S", "a").unwrap();
        assert_eq!(value, &PropertyValue::bits(&[true, false]));
        assert_eq!(value.as_bytes(), Some(&[1][..]));
        assert_eq!(value.as_bits(), [true, false]);
        assert_eq!(sets.to_text().unwrap(), text);
    }

    #[test]
    fn a_whole_file_comes_back_in_order() {
        let mut sets = PropertySets::new();
        let aspects = PropertyValue::u32_array(&[1, 6]);
        sets.insert(DEVICE_REQUIREMENTS, "aspect", aspects.clone());
        sets.insert(MISC_PROPERTIES, "optLevel", PropertyValue::U32(2));
        let text = sets.to_text().unwrap();
        assert_eq!(
            text,
            "[SYCL/device requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\n\
             [SYCL/misc properties]\noptLevel=1|2\n"
        );
        let back = PropertySets::parse(&text).unwrap();
        assert_eq!(back, sets);
        assert_eq!(aspects.as_u32_array(), Some(vec![1, 6]));
        assert_eq!(
            back.get(MISC_PROPERTIES, "optLevel").unwrap().as_u32(),
            Some(2)
        );
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, reason) in [
            ("a=1|2\n", 1, "before the first set"),
            ("[S]\na=1|2\n[S]\n", 3, "twice"),
            ("[S]\na=1|2\na=1|3\n", 3, "twice"),
            ("[S]\na=3|2\n", 2, "unknown property type '3'"),
            ("[S]\na=1|4294967296\n", 2, "32-bit"),
            ("[S]\na\n", 2, "key=type|value"),
            ("[S]\na=2|!!\n", 2, "alphabet"),
            ("[S]\na=2|IAAAAAAAAAA\n", 2, "says 8 bits and holds 0"),
            ("[S]\na=2|IAAA\n", 2, "8 bytes"),
        ] {
            let error = PropertySets::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_key_that_would_not_come_back_is_refused() {
        let mut sets = PropertySets::new();
        sets.insert("S", "fine", PropertyValue::U32(0));
        sets.insert("S", "a=b", PropertyValue::U32(0));
        assert_eq!(sets.to_text().unwrap_err().line, 3);
    }

    proptest! {
        #[test]
        fn base64_comes_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(decode(&encode(&bytes)).unwrap(), bytes);
        }

        #[test]
        fn any_text_reads_or_says_why(text in "(\\[[A-z ]*\\]\n|[a-z]*=[0-3]\\|[A-Za-z0-9+/]*\n)*") {
            if let Ok(sets) = PropertySets::parse(&text) {
                let again = sets.to_text().unwrap();
                prop_assert_eq!(PropertySets::parse(&again).unwrap(), sets);
            }
        }
    }
}
