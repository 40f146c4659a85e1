//! Nelder and Mead's simplex: a minimiser for a handful of parameters without derivatives.

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis) struct Stop {
    /// Evaluations at most.
    pub(in crate::analysis) evaluations: usize,
    /// Spread of the parameters.
    pub(in crate::analysis) x: f64,
    /// Spread of the values.
    pub(in crate::analysis) f: f64,
}

/// The least point found from `start`, with first steps of `scale`, and its value.
pub(in crate::analysis) fn minimise(start: &[f64], scale: &[f64], stop: Stop, mut f: impl FnMut(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let n = start.len();
    let mut points: Vec<(Vec<f64>, f64)> = vec![(start.to_vec(), f(start))];
    for (i, step) in scale.iter().enumerate().take(n) {
        let mut p = start.to_vec();
        if let Some(x) = p.get_mut(i) {
            *x += step;
        }
        let v = f(&p);
        points.push((p, v));
    }
    let mut used = n + 1;
    loop {
        points.sort_by(|a, b| a.1.total_cmp(&b.1));
        let done = points.last().zip(points.first()).is_none_or(|(worst, best)| {
            let apart = points.iter().flat_map(|p| p.0.iter().zip(&best.0)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            used >= stop.evaluations || (worst.1 - best.1 <= stop.f && apart <= stop.x)
        });
        if done || n == 0 {
            return points.swap_remove(0);
        }
        used += step(&mut points, &mut f);
    }
}

/// One move of the worst point (or a shrink of all); returns how many values that took.
fn step(points: &mut [(Vec<f64>, f64)], f: &mut impl FnMut(&[f64]) -> f64) -> usize {
    let Some(((worst, rest), best)) = points.split_last().zip(points.first().cloned()) else { return 1 };
    let n = rest.len() as f64;
    let centre: Vec<f64> = (0..worst.0.len()).map(|i| rest.iter().filter_map(|p| p.0.get(i)).sum::<f64>() / n).collect();
    let along = |t: f64| -> Vec<f64> { centre.iter().zip(&worst.0).map(|(c, w)| c + t * (w - c)).collect() };
    let second = rest.last().map_or(f64::INFINITY, |p| p.1);
    let mirrored = along(-1.0);
    let value = f(&mirrored);
    let (found, used) = if value < best.1 {
        let far = along(-2.0);
        let v = f(&far);
        (Some(if v < value { (far, v) } else { (mirrored, value) }), 2)
    } else if value < second {
        (Some((mirrored, value)), 1)
    } else {
        let near = along(if value < worst.1 { -0.5 } else { 0.5 });
        let v = f(&near);
        ((v < value.min(worst.1)).then_some((near, v)), 2)
    };
    if let (Some(found), Some(last)) = (found, points.last_mut()) {
        *last = found;
        return used;
    }
    for p in points.iter_mut().skip(1) {
        for (x, b) in p.0.iter_mut().zip(&best.0) {
            *x = b + 0.5 * (*x - b);
        }
        p.1 = f(&p.0);
    }
    used + points.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: Stop = Stop { evaluations: 2000, x: 1e-8, f: 1e-12 };

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let (x, v) = minimise(&[5.0, -3.0], &[1.0, 1.0], STOP, |p| (p[0] - 1.0).powi(2) + 4.0 * (p[1] - 2.0).powi(2));
        assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 2.0).abs() < 1e-5 && v < 1e-9);
    }

    #[test]
    fn it_follows_a_bent_valley() {
        let (x, _) = minimise(&[-1.2, 1.0], &[0.2, 0.2], STOP, |p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2));
        assert!((x[0] - 1.0).abs() < 1e-3, "{x:?}");
    }

    #[test]
    fn it_stops_at_its_allowance() {
        let mut n = 0;
        let stop = Stop { evaluations: 40, ..STOP };
        minimise(&[0.0, 0.0, 0.0], &[1.0; 3], stop, |p| {
            n += 1;
            p.iter().map(|x| (x - 9.0).abs()).sum()
        });
        assert!(n <= 46, "{n}");
        assert!((minimise(&[], &[], STOP, |_| 3.0).1 - 3.0).abs() < 1e-12);
    }
}
