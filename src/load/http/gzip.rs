//! Bodies that the server compressed, for those that look into them. Bounded: a small body may unfold to any size.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// What `zipped` unfolds to, at most `most` bytes of it.
pub(super) fn unzip(zipped: &[u8], most: usize) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let read = MultiGzDecoder::new(zipped).take(most as u64).read_to_end(&mut out);
    // What was too long to be kept whole is looked into as far as it was.
    if read.is_err() && zipped.len() < most { Err("a body that is not the gzip it is said to be") } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn zip(bytes: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::default());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    #[test]
    fn what_is_cut_short_or_no_gzip_is_refused() {
        let whole = zip(b"hello hello hello");
        assert!(unzip(&whole[..whole.len() - 3], 1000).is_err());
        assert!(unzip(b"hello", 1000).is_err());
    }

    #[test]
    fn a_bomb_unfolds_only_so_far() {
        assert_eq!(unzip(&zip(&vec![0; 1_000_000]), 5000).unwrap().len(), 5000);
    }

    proptest! {
        #[test]
        fn it_comes_out_as_it_went_in(bytes in prop::collection::vec(any::<u8>(), 0..500), junk in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(unzip(&zip(&bytes), 1000), Ok(bytes));
            let _ = unzip(&junk, 1000);
        }
    }
}
