//! Arithmetic that never lies: every result is a proven enclosure or an exact sign.
