//! Files in and out for firsttouch: meshes, scenes and query sets.
