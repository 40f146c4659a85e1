//! HdrHistogram V2 compressed, written and read without the dense array: an hour of seconds holds some 200,000 of them, and a
//! dense one takes 168 KiB. The bytes are those the HdrHistogram library writes; what another tool wrote with other bounds is read
//! by the library itself.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use hdrhistogram::serialization::Deserializer;

use super::{HistogramError, LONGEST_US, highest, index_of};

const COOKIE: u32 = 0x1c84_9303 | 0x10;
const COMPRESSED: u32 = 0x1c84_9304 | 0x10;
const DIGITS: u32 = 3;
const HEAD: usize = 40;
/// No payload of our bounds is longer: nine bytes for each of the buckets.
const LONGEST_PAYLOAD: usize = 9 * (index_of(LONGEST_US) as usize + 1);

/// The compressed form of buckets sorted by index.
pub(super) fn encode(buckets: &[(u32, u64)]) -> Vec<u8> {
    let counts = counts(buckets);
    let mut plain = Vec::with_capacity(HEAD + counts.len());
    plain.extend(COOKIE.to_be_bytes());
    plain.extend(u32::try_from(counts.len()).unwrap_or(u32::MAX).to_be_bytes());
    plain.extend(0_u32.to_be_bytes());
    plain.extend(DIGITS.to_be_bytes());
    plain.extend(1_u64.to_be_bytes());
    plain.extend(LONGEST_US.to_be_bytes());
    plain.extend(1.0_f64.to_be_bytes());
    plain.extend(counts);
    let mut out = COMPRESSED.to_be_bytes().to_vec();
    out.extend([0; 4]);
    let mut zlib = ZlibEncoder::new(out, Compression::default());
    // Writing into memory can not fail; nothing is what stands for an error all the same.
    let Ok(mut out) = zlib.write_all(&plain).and_then(|()| zlib.finish()) else { return Vec::new() };
    let length = u32::try_from(out.len() - 8).unwrap_or(u32::MAX).to_be_bytes();
    if let Some(place) = out.get_mut(4..8) {
        place.copy_from_slice(&length);
    }
    out
}

/// Counts in order; a run of empty buckets is one negative number.
fn counts(buckets: &[(u32, u64)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(buckets.len() * 3);
    let mut next = 0;
    // Nothing at all is written as one empty bucket.
    let none = [(0, 0)];
    for &(index, n) in if buckets.is_empty() { &none[..] } else { buckets } {
        match i64::from(index - next) {
            0 => {}
            1 => varint(0, &mut out),
            run => varint(zigzag(-run), &mut out),
        }
        varint(zigzag(i64::try_from(n).unwrap_or(i64::MAX)), &mut out);
        next = index + 1;
    }
    out
}

const fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)).cast_unsigned()
}

const fn unzigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -((n & 1).cast_signed())
}

/// Seven bits a byte, the lowest first; a ninth byte is taken whole.
fn varint(mut n: u64, out: &mut Vec<u8>) {
    for _ in 0..8 {
        let [low, ..] = n.to_le_bytes();
        if n < 0x80 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
        n >>= 7;
    }
    let [low, ..] = n.to_le_bytes();
    out.push(low);
}

/// Buckets by (index, count) in ascending order.
pub(super) fn decode(bytes: &[u8]) -> Result<Vec<(u32, u64)>, HistogramError> {
    match bytes.first_chunk().map(|c| u32::from_be_bytes(*c)) {
        Some(COMPRESSED) => {}
        Some(COOKIE) => return by_library(bytes),
        _ => return Err(broken("it does not begin like one")),
    }
    let length = bytes.get(4..8).and_then(<[u8]>::first_chunk).map_or(0, |c| u32::from_be_bytes(*c)) as usize;
    let packed = bytes.get(8..).and_then(|rest| rest.get(..length)).ok_or_else(|| broken("its end is missing"))?;
    let mut plain = Vec::with_capacity(512);
    let most = HEAD + LONGEST_PAYLOAD + 1;
    ZlibDecoder::new(packed).take(most as u64).read_to_end(&mut plain).map_err(|e| broken(&e.to_string()))?;
    match ours(&plain) {
        Some(payload) => from_counts(payload),
        None => by_library(bytes),
    }
}

fn broken(why: &str) -> HistogramError {
    HistogramError::Bytes(why.to_owned())
}

/// The counts, if the bounds are the ones this program writes.
fn ours(plain: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| plain.get(at..)?.first_chunk().map(|c| u32::from_be_bytes(*c));
    let long = |at: usize| plain.get(at..)?.first_chunk().map(|c| u64::from_be_bytes(*c));
    let length = word(4)? as usize;
    let same = word(0)? == COOKIE
        && word(8)? == 0
        && word(12)? == DIGITS
        && long(16)? == 1
        && long(24)? == LONGEST_US
        && f64::from_bits(long(32)?).to_bits() == 1.0_f64.to_bits();
    plain.get(HEAD..HEAD.checked_add(length)?).filter(|_| same)
}

fn from_counts(mut payload: &[u8]) -> Result<Vec<(u32, u64)>, HistogramError> {
    let mut out = Vec::new();
    let mut index = 0_u64;
    while !payload.is_empty() {
        let n = unzigzag(take_varint(&mut payload).ok_or_else(|| broken("a count is cut off"))?);
        if n > 0 {
            let at = u32::try_from(index)
                .ok()
                .filter(|i| *i <= index_of(LONGEST_US))
                .ok_or_else(|| broken("it has more buckets than its bounds allow"))?;
            out.push((at, n.cast_unsigned()));
        }
        index = index.saturating_add(if n < 0 { n.unsigned_abs() } else { 1 });
    }
    Ok(out)
}

fn take_varint(from: &mut &[u8]) -> Option<u64> {
    let mut n = 0;
    for at in 0..9 {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        if at == 8 {
            return Some(n | u64::from(*byte) << 56);
        }
        n |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(n)
}

/// Other bounds or digits, or not compressed: by way of a dense one.
fn by_library(bytes: &[u8]) -> Result<Vec<(u32, u64)>, HistogramError> {
    let dense: hdrhistogram::Histogram<u64> =
        Deserializer::new().deserialize(&mut std::io::Cursor::new(bytes)).map_err(|e| HistogramError::Bytes(e.to_string()))?;
    let mut out: Vec<(u32, u64)> = Vec::new();
    for step in dense.iter_recorded() {
        let (index, n) = (index_of(step.value_iterated_to().min(LONGEST_US)), step.count_since_last_iteration());
        match out.last_mut() {
            Some(last) if last.0 == index => last.1 = last.1.saturating_add(n),
            _ => out.push((index, n)),
        }
    }
    Ok(out)
}

/// Sum and maximum as far as buckets tell them: by their upper edges.
pub(super) fn edges(buckets: &[(u32, u64)]) -> (u64, u64) {
    let sum = buckets.iter().fold(0_u64, |sum, &(index, n)| sum.saturating_add(highest(index).saturating_mul(n)));
    (sum, buckets.last().map_or(0, |b| highest(b.0)))
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer, V2Serializer};
    use proptest::prelude::*;

    use super::super::{Histogram, lowest};
    use super::*;

    fn dense(buckets: &[(u32, u64)], digits: u8) -> hdrhistogram::Histogram<u64> {
        let mut dense = hdrhistogram::Histogram::<u64>::new_with_bounds(1, LONGEST_US, digits).unwrap();
        for &(index, n) in buckets {
            dense.record_n(lowest(index), n).unwrap();
        }
        dense
    }

    fn buckets() -> impl Strategy<Value = Vec<(u32, u64)>> {
        prop::collection::btree_map(0_u32..=index_of(LONGEST_US), prop_oneof![1_u64..300, 1_u64..1 << 60], 0..40)
            .prop_map(|m| m.into_iter().collect())
    }

    proptest! {
        #[test]
        fn the_bytes_are_those_the_library_writes(buckets in buckets()) {
            let mut library = Vec::new();
            V2DeflateSerializer::new().serialize(&dense(&buckets, 3), &mut library).unwrap();
            prop_assert_eq!(encode(&buckets), library);
        }

        #[test]
        fn buckets_come_back(buckets in buckets()) {
            prop_assert_eq!(decode(&encode(&buckets)).unwrap(), buckets);
        }

        #[test]
        fn damaged_bytes_never_panic(buckets in buckets(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let mut bytes = encode(&buckets);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let _ = decode(&bytes);
            let _ = decode(&bytes[..cut.index(bytes.len())]);
        }
    }

    #[test]
    fn other_bounds_and_uncompressed_ones_are_read_too() {
        let h = dense(&[(100, 3), (5000, 2)], 2);
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        V2DeflateSerializer::new().serialize(&h, &mut packed).unwrap();
        V2Serializer::new().serialize(&h, &mut plain).unwrap();
        assert_eq!(decode(&packed), decode(&plain));
        let back = Histogram::from_v2(&packed, None, None).unwrap();
        assert_eq!(back.count(), 5);
    }

    #[test]
    fn a_payload_that_never_ends_is_cut() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(&vec![0; 50_000_000]).unwrap();
        let packed = zlib.finish().unwrap();
        let mut bytes = COMPRESSED.to_be_bytes().to_vec();
        bytes.extend(u32::try_from(packed.len()).unwrap().to_be_bytes());
        bytes.extend(packed);
        assert!(decode(&bytes).is_err());
    }
}
