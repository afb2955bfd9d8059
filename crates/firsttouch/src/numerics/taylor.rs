//! stub
/// A window of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    t0: f64,
    t1: f64,
}
impl Window {
    /// new
    pub fn new(t0: f64, t1: f64) -> Window {
        Window { t0, t1 }
    }
    /// width
    pub fn width(&self) -> f64 {
        (self.t1 - self.t0).next_up()
    }
    /// mid
    pub fn mid(&self) -> f64 {
        0.5 * (self.t0 + self.t1)
    }
    /// half
    pub fn half_width(&self) -> f64 {
        let m = self.mid();
        (self.t1 - m).max(m - self.t0).next_up()
    }
}
