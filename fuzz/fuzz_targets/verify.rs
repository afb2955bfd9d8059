#![no_main]

#[path = "../src/verifier.rs"]
mod verifier;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    verifier::status(data);
});
