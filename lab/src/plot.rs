//! Curves as SVG: points joined by lines over two axes, linear or logarithmic.
//!
//! For the growth curves in `docs/`. A plot is text, without fonts or scripts from elsewhere; it looks the same on a
//! light page and on a dark one, because it has its own background. The same points give the same text.

use std::fmt::Write as _;

/// The division of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios. Values that are not positive are left out.
    Log,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity that it shows, with its unit.
    pub label: String,
    /// Its division.
    pub scale: Scale,
}

impl Axis {
    /// Returns an axis with equal differences. It includes zero.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }

    /// Returns an axis with equal ratios.
    pub fn log(label: &str) -> Axis {
        Axis { label: label.into(), scale: Scale::Log }
    }
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// True if its line is broken: for measurements by others, and for laws.
    pub dashed: bool,
}

/// A plot under construction.
///
/// ```
/// use firsttouch_lab::plot::{Axis, Plot};
/// let mut plot = Plot::new("A square", Axis::log("n"), Axis::log("n squared"));
/// plot.curve("measured", [(1.0, 1.0), (10.0, 100.0)]);
/// plot.law("n", [(1.0, 1.0), (10.0, 10.0)]);
/// let svg = plot.svg();
/// assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
/// assert_eq!(svg.matches("<polyline").count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// The axes: across, and upwards.
    pub axes: [Axis; 2],
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// The frame of the curves: left, right, top, bottom. The legend is on its right.
const FRAME: [f64; 4] = [72.0, 520.0, 44.0, 384.0];
/// Colours that people who see few colours can tell apart (Okabe and Ito).
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

impl Plot {
    /// Creates a plot without curves.
    pub fn new(title: &str, across: Axis, upwards: Axis) -> Plot {
        Plot { title: title.into(), axes: [across, upwards], curves: Vec::new() }
    }

    /// Adds a curve.
    pub fn curve(&mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        self.add(name, points, false);
    }

    /// Adds a curve with a broken line.
    pub fn law(&mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        self.add(name, points, true);
    }

    fn add(&mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>, dashed: bool) {
        self.curves.push(Curve { name: name.into(), points: points.into_iter().collect(), dashed });
    }

    /// Returns the plot as a separate document. Points that are not finite, or have no place on a logarithmic axis, are
    /// left out.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = FRAME;
        let [across, upwards] = [0, 1].map(|k| {
            let values = self.curves.iter().flat_map(|curve| &curve.points);
            let values = values.filter(|point| self.has_place(point)).map(|&(x, y)| [x, y][k]);
            Division::new(self.axes[k].scale, values)
        });
        let x = |value: f64| left + (right - left) * across.share(value);
        let y = |value: f64| bottom - (bottom - top) * upwards.share(value);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        text(&mut svg, [left, 24.0], "start\" font-size=\"15", &self.title);
        for &tick in &across.ticks {
            line(&mut svg, [x(tick), top], [x(tick), bottom]);
            text(&mut svg, [x(tick), bottom + 18.0], "middle", &number(tick));
        }
        for &tick in &upwards.ticks {
            line(&mut svg, [left, y(tick)], [right, y(tick)]);
            text(&mut svg, [left - 8.0, y(tick) + 4.0], "end", &number(tick));
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>",
            right - left,
            bottom - top
        );
        text(&mut svg, [0.5 * (left + right), bottom + 40.0], "middle", &self.axes[0].label);
        let middle = 0.5 * (top + bottom);
        let turned = format!("middle\" transform=\"rotate(-90 18 {middle})");
        text(&mut svg, [18.0, middle], &turned, &self.axes[1].label);
        for (k, curve) in self.curves.iter().enumerate() {
            let color = COLORS[k % COLORS.len()];
            let dash = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let placed: Vec<[f64; 2]> =
                curve.points.iter().filter(|p| self.has_place(p)).map(|&(a, b)| [x(a), y(b)]).collect();
            let list: Vec<String> = placed.iter().map(|[a, b]| format!("{a:.1},{b:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dash}/>",
                list.join(" ")
            );
            for [a, b] in placed.iter().filter(|_| !curve.dashed) {
                let _ = writeln!(svg, "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3\" fill=\"{color}\"/>");
            }
            let at = top + 12.0 + 20.0 * k as f64;
            let [from, to] = [right + 14.0, right + 38.0];
            let _ = writeln!(
                svg,
                "<line x1=\"{from}\" y1=\"{at}\" x2=\"{to}\" y2=\"{at}\" stroke=\"{color}\" stroke-width=\"2\"{dash}/>"
            );
            text(&mut svg, [to + 6.0, at + 4.0], "start", &curve.name);
        }
        svg + "</svg>\n"
    }

    fn has_place(&self, &(x, y): &(f64, f64)) -> bool {
        let has = |axis: &Axis, value: f64| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
        has(&self.axes[0], x) && has(&self.axes[1], y)
    }
}

/// An axis with its ends and its marks.
struct Division {
    scale: Scale,
    ends: [f64; 2],
    ticks: Vec<f64>,
}

impl Division {
    /// Ends on round numbers around all values.
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Division {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                (low, high) = (low.min(0.0), high.max(0.0));
                let size = if high > low { high - low } else { 1.0 };
                // Steps of 1, 2 or 5 times a power of ten, about six of them.
                let power = 10_f64.powf((size / 6.0).log10().floor());
                let step =
                    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|step| size / step <= 6.5);
                let step = step.unwrap_or(10.0 * power);
                let (first, last) =
                    ((low / step).floor(), (high / step).ceil().max((low / step).floor() + 1.0));
                let ticks = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
                Division { scale, ends: [first * step, last * step], ticks }
            }
            Scale::Log => {
                let (first, last) = (low.log10().floor(), high.log10().ceil().max(low.log10().floor() + 1.0));
                let ticks: Vec<f64> =
                    (0..=(last - first) as usize).map(|k| 10_f64.powf(first + k as f64)).collect();
                Division { scale, ends: [ticks[0], ticks[ticks.len() - 1]], ticks }
            }
        }
    }

    /// Returns the place of a value between the ends, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let [low, high] = self.ends;
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => (value / low).ln() / (high / low).ln(),
        }
    }
}

fn line(svg: &mut String, from: [f64; 2], to: [f64; 2]) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
        from[0], from[1], to[0], to[1]
    );
}

/// Writes a text with its anchor, and further attributes after that.
fn text(svg: &mut String, at: [f64; 2], anchor: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222222\" text-anchor=\"{anchor}\">{content}</text>",
        at[0], at[1]
    );
}

/// Writes a number at a mark of an axis.
fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        format!("{}M", value / 1e6)
    } else if size >= 1e4 {
        format!("{}K", value / 1e3)
    } else if size == 0.0 || size >= 1e-3 {
        // Marks are products of a small integer and a step: their last digits are rounding.
        let rounded = format!("{value:.6}");
        rounded.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_around_the_values() {
        let ticks = |scale, values: &[f64]| Division::new(scale, values.iter().copied()).ticks;
        assert_eq!(ticks(Scale::Linear, &[1.0, 29.0]), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(ticks(Scale::Log, &[30.0, 3000.0]), [10.0, 100.0, 1000.0, 10000.0]);
        // An empty plot, and one value.
        assert_eq!(ticks(Scale::Log, &[]), [1.0, 10.0]);
        assert_eq!(ticks(Scale::Linear, &[0.0]).len(), 2);
        assert_eq!(number(0.30000000000000004), "0.3");
        assert_eq!(number(20_000.0), "20K");
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        let mut plot = Plot::new("a < b", Axis::linear("x"), Axis::log("y"));
        plot.curve("c & d", [(0.0, 1.0), (1.0, 0.0), (2.0, f64::NAN), (3.0, 10.0)]);
        let svg = plot.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains("c &amp; d"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
