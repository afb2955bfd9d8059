//! A trajectory whose acceleration jumps, averaged over the last `τ` seconds: step 2 of `timed`.
//!
//! The average of quadratics is a cubic between two of the times at which a quadratic enters the window or leaves it.
//! It has the velocity `(q(t) - q(t - τ)) / τ`, the average of velocities, and the jerk `(a(t) - a(t - τ)) / τ`. It
//! takes `τ` seconds longer.

use super::rows::TimedRow;

/// Returns rows of the average over the window.
pub(super) fn averaged(rows: &[TimedRow], window: f64) -> Vec<TimedRow> {
    let mut times: Vec<f64> = rows.iter().flat_map(|row| [row.time, row.time + window]).collect();
    times.sort_by(f64::total_cmp);
    let mut all: Vec<TimedRow> = times.iter().map(|&time| average(rows, time, window)).collect();
    // At its end the robot rests, regardless of the roundings of the window.
    if let (Some(end), Some(last)) = (all.last_mut(), rows.last()) {
        end.position.clone_from(&last.position);
        end.velocity.clone_from(&last.velocity);
    }
    all
}

fn average(rows: &[TimedRow], time: f64, window: f64) -> TimedRow {
    let (now, before) = (at(rows, time), at(rows, time - window));
    let velocity = now.iter().zip(&before).map(|(now, before)| (now - before) / window).collect();
    // Sums of differences, so that a robot at rest stays where it is to the last bit. Simpson's rule is exact for
    // cubics.
    let mut sums = vec![0.0; now.len()];
    let inside = rows.iter().map(|row| row.time).filter(|&end| end > time - window && end < time);
    let mut start = time - window;
    for end in inside.chain([time]) {
        let weight = (end - start) / (6.0 * window);
        for (when, factor) in [(start, 1.0), ((start + end) / 2.0, 4.0), (end, 1.0)] {
            let position = at(rows, when);
            for ((sum, q), now) in sums.iter_mut().zip(&position).zip(&now) {
                *sum += weight * factor * (q - now);
            }
        }
        start = end;
    }
    let position = now.iter().zip(&sums).map(|(now, sum)| now + sum).collect();
    TimedRow { time, position, velocity }
}

/// Returns the configuration at a time: at rest before the first row and after the last.
fn at(rows: &[TimedRow], time: f64) -> Vec<f64> {
    let next = rows.partition_point(|row| row.time <= time);
    if next == 0 || next == rows.len() {
        return rows[next.saturating_sub(1)].position.clone();
    }
    let (a, b) = (&rows[next - 1], &rows[next]);
    let width = b.time - a.time;
    let s = (time - a.time) / width;
    let joint = |k: usize| {
        let (q0, q1) = (a.position[k], b.position[k]);
        let (m0, m1) = (a.velocity[k] * width, b.velocity[k] * width);
        q0 + s * (m0 + s * (3.0 * (q1 - q0) - 2.0 * m0 - m1 + s * (m0 + m1 - 2.0 * (q1 - q0))))
    };
    (0..a.position.len()).map(joint).collect()
}
