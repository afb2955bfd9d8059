//! The versions of the library and of its interface.

use std::ffi::c_char;

/// The version of the interface that this header describes. A program that was compiled with another one must not call
/// the library; it compares this number with `ft_abi_version()`.
pub const FT_ABI_VERSION: u32 = 1;

/// Returns the version of the library, for example "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn ft_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns the version of the interface that the library has: `FT_ABI_VERSION` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn ft_abi_version() -> u32 {
    FT_ABI_VERSION
}
