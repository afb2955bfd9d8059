//! A comparison as text.

use std::fmt::{self, Display, Formatter};

use super::{Agreement, Comparison, METHODS, Outcome, Row};

const TITLES: [&str; 8] = ["input", "paper's method", "us", "work", "product", "us", "work", "agree"];

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Free => f.write_str("free"),
            Outcome::Touch(t) => write!(f, "touch at {t:.6}"),
            Outcome::Undecided(t) => write!(f, "undecided from {t:.6}"),
            Outcome::Touches(count) => write!(f, "{count} touches"),
        }
    }
}

fn cells(row: &Row) -> [String; 8] {
    let agree = match &row.agreement {
        Agreement::Agree => "yes",
        Agreement::Undecided => "undecided",
        Agreement::Differ(_) => "NO",
    };
    [
        row.input.clone(),
        row.paper.outcome.to_string(),
        format!("{:.1}", row.paper.micros),
        row.paper.counts.clone(),
        row.product.outcome.to_string(),
        format!("{:.1}", row.product.micros),
        row.product.counts.clone(),
        agree.into(),
    ]
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (name, _) in METHODS {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.method == name).collect();
            if rows.is_empty() {
                continue;
            }
            let lines: Vec<[String; 8]> =
                std::iter::once(TITLES.map(String::from)).chain(rows.iter().map(|row| cells(row))).collect();
            let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
            let widths: [usize; 8] = std::array::from_fn(width);
            writeln!(f, "{name}")?;
            for line in &lines {
                let padded = line.iter().zip(widths).enumerate().map(|(k, (cell, width))| match k {
                    2 | 5 => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                });
                writeln!(f, "  {}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
            }
            let sum = |of: fn(&Row) -> f64| rows.iter().map(|row| of(row)).sum::<f64>();
            let (paper, product) = (sum(|row| row.paper.micros), sum(|row| row.product.micros));
            let agree = rows.iter().filter(|row| row.agreement == Agreement::Agree).count();
            writeln!(
                f,
                "  {agree} of {} agree; {paper:.0} us by the paper's method, {product:.0} us by the product: {:.2} times\n",
                rows.len(),
                paper / product
            )?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        for reason in &self.left_out {
            writeln!(f, "LEFT OUT: {reason}")?;
        }
        for row in &self.rows {
            if let Agreement::Differ(why) = &row.agreement {
                writeln!(f, "DISAGREEMENT: {}, {}: {why}", row.method, row.input)?;
            }
        }
        Ok(())
    }
}
