//! Motions that use up every error that they admit, in the worst direction: the engines must still be early.
