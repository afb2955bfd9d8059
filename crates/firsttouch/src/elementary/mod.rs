//! The elementary tests of two mesh features whose vertices move linearly, decided exactly.
