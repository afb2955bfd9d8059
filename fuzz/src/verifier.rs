//! The body of the target `verify`: a file is verified, refused or unreadable, with a reason.

use firsttouch_verify::{Refusal, verify};

/// Reads a certificate, and returns the exit status of the command.
pub fn status(data: &[u8]) -> i32 {
    match verify(data) {
        Ok(verified) => {
            assert!(0.0 < verified.claim.free_until && verified.claim.free_until <= 1.0);
            assert!(
                verified.claim.separation >= 0.0 && verified.pairs <= verified.parts * verified.parts / 2
            );
            0
        }
        Err(Refusal::Refused(_, why)) => {
            assert!(!why.is_empty());
            1
        }
        Err(Refusal::Unreadable(_, why)) => {
            assert!(!why.is_empty());
            2
        }
    }
}
