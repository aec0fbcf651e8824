//! The order in which upstream's packager writes an image's keys.
//!
//! It keeps them in a hash table of LLVM 19 (`DenseMap` under `hash_value(StringRef)`, neither of
//! which is seeded) and writes them in the order of the buckets. The order means nothing to a
//! reader; following it makes our binaries equal to upstream's byte for byte.

/// Buckets of the first table; it doubles when three quarters are taken.
const FIRST_TABLE: usize = 64;

const SEED: u64 = 0xff51_afd7_ed55_8ccd;
const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
const K3: u64 = 0xc949_d7c7_509e_6557;

/// Keys longer than this take another hash; no writer of images uses such.
const LONGEST: usize = 64;

/// The keys, which are all different, in the order of upstream's table after they went in one by
/// one. As they came when one is longer than 64 bytes.
#[must_use]
pub fn upstream_order<'k>(keys: &[&'k str]) -> Vec<&'k str> {
    if keys.iter().any(|key| key.len() > LONGEST) {
        return keys.to_vec();
    }
    let mut table: Vec<Option<&str>> = vec![None; FIRST_TABLE];
    for (taken, key) in keys.iter().enumerate() {
        if (taken + 1) * 4 >= table.len() * 3 {
            let mut larger = vec![None; table.len() * 2];
            for known in table.into_iter().flatten() {
                insert(&mut larger, known);
            }
            table = larger;
        }
        insert(&mut table, key);
    }
    table.into_iter().flatten().collect()
}

/// Takes the first free bucket, with steps of 1, 2, 3 and so on from the one the hash names.
fn insert<'k>(table: &mut [Option<&'k str>], key: &'k str) {
    let mask = table.len() - 1;
    let mut bucket = hash(key.as_bytes()) as usize & mask;
    for step in 1.. {
        match &mut table[bucket] {
            free @ None => {
                *free = Some(key);
                return;
            }
            Some(_) => bucket = (bucket + step) & mask,
        }
    }
}

/// LLVM's hash of at most 64 bytes.
fn hash(s: &[u8]) -> u64 {
    let length = s.len() as u64;
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| s[at + i]));
    let half = |at: usize| u64::from(u32::from_le_bytes(std::array::from_fn(|i| s[at + i])));
    let end = s.len();
    match end {
        0 => K2 ^ SEED,
        1..4 => {
            let low = u64::from(s[0]) + (u64::from(s[end >> 1]) << 8);
            let high = length + (u64::from(s[end - 1]) << 2);
            mix(low.wrapping_mul(K2) ^ high.wrapping_mul(K3) ^ SEED).wrapping_mul(K2)
        }
        4..9 => pair(length + (half(0) << 3), SEED ^ half(end - 4)),
        9..17 => {
            let last = word(end - 8);
            let turned = last.wrapping_add(length).rotate_right(length as u32);
            pair(SEED ^ word(0), turned) ^ last
        }
        17..33 => {
            let a = word(0).wrapping_mul(K1);
            let b = word(8);
            let c = word(end - 8).wrapping_mul(K2);
            let d = word(end - 16).wrapping_mul(K0);
            let low = a.wrapping_sub(b).rotate_right(43);
            let low = low.wrapping_add((c ^ SEED).rotate_right(30));
            let high = a.wrapping_add((b ^ K3).rotate_right(20));
            pair(
                low.wrapping_add(d),
                high.wrapping_sub(c).wrapping_add(length).wrapping_add(SEED),
            )
        }
        _ => {
            let first = length.wrapping_add(word(end - 16)).wrapping_mul(K0);
            let front = ends(word(0).wrapping_add(first), word(24), [word(8), word(16)]);
            let start = word(16).wrapping_add(word(end - 32));
            let back = ends(start, word(end - 8), [word(end - 24), word(end - 16)]);
            let one = front.0.wrapping_add(back.1).wrapping_mul(K2);
            let other = back.0.wrapping_add(front.1).wrapping_mul(K0);
            let both = mix(one.wrapping_add(other));
            mix((SEED ^ both.wrapping_mul(K0)).wrapping_add(front.1)).wrapping_mul(K2)
        }
    }
}

/// One half of the hash of 33 to 64 bytes.
fn ends(mut a: u64, z: u64, next: [u64; 2]) -> (u64, u64) {
    let b = a.wrapping_add(z).rotate_right(52);
    let mut c = a.rotate_right(37);
    a = a.wrapping_add(next[0]);
    c = c.wrapping_add(a.rotate_right(7));
    a = a.wrapping_add(next[1]);
    let second = b.wrapping_add(a.rotate_right(31)).wrapping_add(c);
    (a.wrapping_add(z), second)
}

fn mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn pair(low: u64, high: u64) -> u64 {
    const MULTIPLIER: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = mix((low ^ high).wrapping_mul(MULTIPLIER));
    mix((high ^ a).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen in binaries of `clang-offload-packager-19`.
    #[test]
    fn keys_stand_as_upstream_writes_them() {
        let given =
            "file triple kind arch feature k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11 k12 k13 k14 k15";
        let given: Vec<&str> = given.split(' ').collect();
        let order = upstream_order(&given).join(" ");
        assert_eq!(
            order,
            "feature k11 k3 k15 k10 arch k4 k1 k6 k7 k5 file k13 triple k2 k9 k12 k14 k8 kind"
        );
    }
}
