//! Small pictures on one line: a gauge and a curve of a few values.

/// A gauge of so many cells, its frame included; an unknown share gives an empty one with a question mark.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share times a screen's width")]
pub(crate) fn gauge(share: Option<f64>, cells: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let inner = cells.saturating_sub(2);
    if inner == 0 {
        return String::new();
    }
    let Some(share) = share.filter(|s| s.is_finite()) else {
        return format!("▕?{}▏", " ".repeat(inner - 1));
    };
    let eighths = (share.clamp(0.0, 1.0) * inner as f64 * 8.0).round() as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let part = EIGHTHS.get(rest).copied().unwrap_or_default();
    let drawn = full + usize::from(rest > 0);
    format!("▕{}{part}{}▏", "█".repeat(full), " ".repeat(inner.saturating_sub(drawn)))
}

/// A curve of a few values in one line, one cell each: the lowest and the highest use the whole height.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of seven")]
pub(crate) fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let known = values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let bar = |v: &f64| {
        if !v.is_finite() {
            return ' ';
        }
        let share = if high > low { (v - low) / (high - low) } else { 0.0 };
        BARS.get((share * 7.0).round() as usize).copied().unwrap_or('▁')
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_fills_in_eighths() {
        assert_eq!(gauge(Some(0.0), 6), "▕    ▏");
        assert_eq!(gauge(Some(0.5), 6), "▕██  ▏");
        assert_eq!(gauge(Some(0.53), 6), "▕██▏ ▏");
        assert_eq!(gauge(Some(7.0), 6), "▕████▏");
        assert_eq!(gauge(None, 6), "▕?   ▏");
        for share in 0..100 {
            assert_eq!(gauge(Some(f64::from(share) / 99.0), 9).chars().count(), 9);
        }
    }

    #[test]
    fn degenerate_gauges() {
        assert_eq!(gauge(Some(1.0), 0), "");
        assert_eq!(gauge(Some(1.0), 2), "");
        assert_eq!(gauge(None, 3), "▕?▏");
    }

    #[test]
    fn a_curve_uses_its_height() {
        assert_eq!(sparkline(&[2.0, 1.0, 1.5]), "█▁▅");
        assert_eq!(sparkline(&[1.0, 1.0]), "▁▁");
        assert_eq!(sparkline(&[1.0, f64::NAN, 2.0]), "▁ █");
        assert_eq!(sparkline(&[]), "");
    }
}
