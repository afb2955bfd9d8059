//! Geometry at rest: the convex solids and the triangle mesh.
