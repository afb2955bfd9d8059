//! The border between C and Rust: status codes, the last error, and the conversion of pointers to references.
//!
//! 1. Every exported function runs in `guarded`. A panic ends there and becomes [`ft_status::Panic`].
//! 2. A pointer to one thing is an `Option` of a reference in the signature, so NULL is `None`. `given` refuses it.
//! 3. A pointer to many things goes through `Rows`, the only place that does arithmetic on addresses.
//!
//! The caller must ensure what cannot be checked: a pointer that is not NULL points to as much memory as the header
//! says, and memory for results overlaps no other memory of the call.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The outcome of a call. On any other status than `FT_STATUS_OK`, `ft_last_error()` describes the problem, and nothing
/// was written or changed unless the function says otherwise.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_status {
    /// The call succeeded.
    Ok = 0,
    /// A pointer that must not be NULL is NULL.
    NullArgument = 1,
    /// A number, a size, a stride, an index or a text is invalid.
    InvalidArgument = 2,
    /// No object has this name or index.
    NotFound = 3,
    /// The name is taken.
    DuplicateName = 4,
    /// The library does not support this. It never answers "free" instead.
    Unsupported = 5,
    /// A file, or a text in a file's format, was refused.
    File = 6,
    /// The room given for a text or a list is too small. The size needed was written.
    TooSmall = 7,
    /// A bug in the library. A handle that the call was changing can only be freed.
    Panic = 8,
}

/// The reason why a call failed.
pub(crate) struct Failure {
    status: ft_status,
    text: String,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: ft_status, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Failure {
        Failure::new(ft_status::InvalidArgument, text)
    }
}

impl From<firsttouch::Error> for Failure {
    fn from(error: firsttouch::Error) -> Failure {
        use firsttouch::Error;
        let status = match &error {
            Error::UnknownName { .. } => ft_status::NotFound,
            Error::DuplicateName { .. } => ft_status::DuplicateName,
            Error::Unsupported { .. } => ft_status::Unsupported,
            _ => ft_status::InvalidArgument,
        };
        Failure::new(status, error.to_string())
    }
}

impl From<firsttouch_io::Error> for Failure {
    fn from(error: firsttouch_io::Error) -> Failure {
        Failure::new(ft_status::File, error.to_string())
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the body of an exported function. No panic unwinds past it.
#[inline]
pub(crate) fn guarded(body: impl FnOnce() -> Outcome) -> ft_status {
    // A panic may leave a handle half changed; the header says that such a handle can only be freed.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ft_status::Ok,
        Ok(Err(failure)) => remember(failure),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            // Dropping the payload of a panic could panic again.
            std::mem::forget(panic);
            let text = text.unwrap_or_else(|| "no message".into());
            remember(Failure::new(ft_status::Panic, format!("a bug in firsttouch: {text}")))
        }
    }
}

#[cold]
fn remember(Failure { status, text }: Failure) -> ft_status {
    // A NUL cannot be part of a C string, but a name may contain one.
    let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    // A thread that is ending no longer has a place for the text.
    let _ = LAST_ERROR.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = text;
        }
    });
    status
}

/// Returns the problem of the last call of this thread that failed, in UTF-8; empty if no call has failed. The text is
/// valid until the next call on this thread that fails. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ft_last_error() -> *const c_char {
    LAST_ERROR
        .try_with(|last| last.try_borrow().map_or(c"".as_ptr(), |text| text.as_ptr()))
        .unwrap_or(c"".as_ptr())
}

/// Returns an argument that must not be NULL.
#[inline]
pub(crate) fn given<T>(what: &str, argument: Option<T>) -> Outcome<T> {
    argument.ok_or_else(|| null(what))
}

#[cold]
fn null(what: &str) -> Failure {
    Failure::new(ft_status::NullArgument, format!("{what} is NULL"))
}

/// Frees the object of a handle. NULL is ignored.
pub(crate) fn freed<T>(handle: Option<Box<T>>) {
    guarded(|| {
        drop(handle);
        Ok(())
    });
}

/// Runs a call that changes `object` and takes one name.
///
/// # Safety
/// If `name` is not NULL, it ends with a NUL, and all of it can be read during the call.
pub(crate) unsafe fn by_name<T>(
    what: &str,
    object: Option<&mut T>,
    name: *const c_char,
    change: impl FnOnce(&mut T, &str) -> Outcome,
) -> ft_status {
    // SAFETY: the same promise.
    unsafe { by_names(what, object, [("name", name)], |object, [name]| change(object, name)) }
}

/// Runs a call that changes `object` and takes several texts.
///
/// # Safety
/// Each of them that is not NULL ends with a NUL, and all of it can be read during the call.
pub(crate) unsafe fn by_names<T, const N: usize>(
    what: &str,
    object: Option<&mut T>,
    names: [(&str, *const c_char); N],
    change: impl FnOnce(&mut T, [&str; N]) -> Outcome,
) -> ft_status {
    guarded(|| {
        let object = given(what, object)?;
        let mut texts = [""; N];
        for (place, (what, name)) in texts.iter_mut().zip(names) {
            // SAFETY: the same promise.
            *place = unsafe { text(what, name)? };
        }
        change(object, texts)
    })
}

/// The place where a result is written. It may hold any bytes before.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Writes the value, unless the caller passed NULL.
pub(crate) fn put<T>(out: Out<'_, T>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// Rows of numbers in the caller's memory: `count` rows of `width` numbers, `stride` bytes from one row to the next.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    first: *const T,
    count: usize,
    width: usize,
    /// The distance from one row to the next, in numbers.
    step: usize,
    memory: PhantomData<&'a [T]>,
}

impl<'a, T> Rows<'a, T> {
    /// Checks everything that can be checked. A stride of 0 stands for rows without gaps.
    ///
    /// # Safety
    /// If `first` is not NULL, all `count` rows can be read during `'a`.
    #[inline]
    pub(crate) unsafe fn new(
        what: &str,
        first: *const T,
        count: usize,
        width: usize,
        stride: usize,
    ) -> Outcome<Rows<'a, T>> {
        let size = size_of::<T>();
        let too_large = || Failure::invalid(format!("{what} is too large: {count} rows of {width} entries"));
        let row = width.checked_mul(size).ok_or_else(too_large)?;
        let stride = if stride == 0 { row } else { stride };
        if count > 0 && width > 0 {
            if first.is_null() {
                return Err(null(what));
            }
            if !first.is_aligned() {
                return Err(Failure::invalid(format!("{what} is not aligned to {} bytes", align_of::<T>())));
            }
            if stride < row || !stride.is_multiple_of(size) {
                return Err(Failure::invalid(format!(
                    "the stride of {what} must be 0, or a multiple of {size} that is at least {row}, but is {stride}"
                )));
            }
            if count.checked_mul(stride).is_none_or(|bytes| bytes > isize::MAX as usize) {
                return Err(too_large());
            }
        }
        Ok(Rows { first, count, width, step: stride / size, memory: PhantomData })
    }

    #[inline]
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns one row. Panics beyond the last, as a slice does.
    #[inline]
    pub(crate) fn row(&self, index: usize) -> &'a [T] {
        assert!(index < self.count, "row {index} of {}", self.count);
        if self.width == 0 {
            return &[];
        }
        // SAFETY: `new` checked that the address is not NULL and aligned, and that all rows fit the address space; its
        // caller promised that they can be read.
        unsafe { std::slice::from_raw_parts(self.first.add(index * self.step), self.width) }
    }

    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = &'a [T]> {
        (0..self.count).map(move |index| self.row(index))
    }
}

impl<T: Copy> Rows<'_, T> {
    /// Returns the rows as arrays. `N` must be their width.
    pub(crate) fn to_arrays<const N: usize>(self) -> Vec<[T; N]> {
        self.iter().map(|row| std::array::from_fn(|k| row[k])).collect()
    }
}

impl Rows<'_, f64> {
    /// Returns the rows, of width 3, as points.
    pub(crate) fn to_points(self) -> Vec<glam::DVec3> {
        self.iter().map(|row| glam::DVec3::new(row[0], row[1], row[2])).collect()
    }
}

/// Returns a plain list in the caller's memory.
///
/// # Safety
/// If `first` is not NULL, `count` entries can be read there during `'a`.
#[inline]
pub(crate) unsafe fn list<'a, T>(what: &str, first: *const T, count: usize) -> Outcome<&'a [T]> {
    // SAFETY: the same promise.
    let rows = unsafe { Rows::new(what, first, 1, count, 0)? };
    Ok(rows.row(0))
}

/// Returns a list in the caller's memory that is written to; it may hold any bytes before.
///
/// # Safety
/// If `first` is not NULL, `count` entries can be written there during `'a`, and no other code reads or writes them.
#[inline]
pub(crate) unsafe fn list_out<'a, T>(
    what: &str,
    first: *mut MaybeUninit<T>,
    count: usize,
) -> Outcome<&'a mut [MaybeUninit<T>]> {
    // SAFETY: memory that can be written can be viewed as `MaybeUninit`. It is not read here.
    let rows = unsafe { Rows::<MaybeUninit<T>>::new(what, first.cast_const(), 1, count, 0)? };
    if rows.width == 0 {
        return Ok(&mut []);
    }
    // SAFETY: `new` checked that the address is not NULL and aligned; the caller promised that no other code uses the
    // memory.
    Ok(unsafe { std::slice::from_raw_parts_mut(first, count) })
}

/// Returns a text that ends with a NUL.
///
/// # Safety
/// If `text` is not NULL, it ends with a NUL, and all of it can be read during `'a`.
pub(crate) unsafe fn text<'a>(what: &str, text: *const c_char) -> Outcome<&'a str> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: not NULL, and the caller promised the rest.
    let bytes = unsafe { CStr::from_ptr(text) };
    bytes.to_str().map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// Returns a text that may be left out.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(what: &str, given: *const c_char) -> Outcome<Option<&'a str>> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: the same promise.
    unsafe { text(what, given) }.map(Some)
}

/// Returns a list of texts.
///
/// # Safety
/// If `first` is not NULL, `count` addresses can be read there, and each is as for [`text`].
pub(crate) unsafe fn texts<'a>(
    what: &str,
    first: *const *const c_char,
    count: usize,
) -> Outcome<Vec<&'a str>> {
    // SAFETY: the same promise.
    let addresses = unsafe { list(what, first, count)? };
    // SAFETY: the caller promised it of each.
    addresses.iter().map(|&address| unsafe { text(what, address) }).collect()
}

/// Writes a text and the NUL after it, and its length without the NUL. If there is too little room, only the length is
/// written.
///
/// # Safety
/// If `room` is not NULL, `capacity` bytes can be written there, and no other code reads or writes them.
pub(crate) unsafe fn put_text(
    value: &str,
    room: *mut c_char,
    capacity: usize,
    length: Out<'_, usize>,
) -> Outcome {
    put(length, value.len());
    // SAFETY: the same promise; any byte is a valid `c_char`.
    let room = unsafe { list_out("the text", room.cast::<MaybeUninit<u8>>(), capacity)? };
    let bytes = value.bytes().chain([0]);
    if value.len() >= room.len() {
        let text = format!("the text needs {} bytes, but has room for {capacity}", value.len() + 1);
        return Err(Failure::new(ft_status::TooSmall, text));
    }
    room.iter_mut().zip(bytes).for_each(|(place, byte)| {
        place.write(byte);
    });
    Ok(())
}

/// Writes a list and its length. If there is too little room, only the length is written.
///
/// # Safety
/// If `room` is not NULL, `capacity` entries can be written there, and no other code reads or writes them.
pub(crate) unsafe fn put_list<T>(
    values: impl ExactSizeIterator<Item = T>,
    room: *mut MaybeUninit<T>,
    capacity: usize,
    count: Out<'_, usize>,
) -> Outcome {
    let len = values.len();
    put(count, len);
    // SAFETY: the same promise.
    let room = unsafe { list_out("the list", room, capacity)? };
    if len > room.len() {
        let text = format!("the list has {len} entries, but room for {capacity}");
        return Err(Failure::new(ft_status::TooSmall, text));
    }
    room.iter_mut().zip(values).for_each(|(place, value)| {
        place.write(value);
    });
    Ok(())
}

/// Returns an entry of a list, which must exist.
pub(crate) fn entry<'a, T>(what: &str, of: &'a [T], index: usize) -> Outcome<&'a T> {
    of.get(index).ok_or_else(|| {
        Failure::new(
            ft_status::NotFound,
            format!("{what} {index} is out of range: there are only {}", of.len()),
        )
    })
}

/// Hands a new handle to the caller, who frees it.
pub(crate) fn hand_out<T>(out: &mut MaybeUninit<*mut T>, value: T) {
    out.write(Box::into_raw(Box::new(value)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_error() -> String {
        // SAFETY: `ft_last_error` returns a C string that is valid until the next failure on this thread.
        unsafe { CStr::from_ptr(ft_last_error()) }.to_str().unwrap().to_owned()
    }

    /// A panic must not unwind into C: it becomes a status, and its message is the last error.
    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guarded(|| panic!("wheel {} came off", 3)), ft_status::Panic);
        assert_eq!(last_error(), "a bug in firsttouch: wheel 3 came off");
        assert_eq!(guarded(|| panic!("plain")), ft_status::Panic);
        assert_eq!(last_error(), "a bug in firsttouch: plain");
        assert_eq!(guarded(|| std::panic::panic_any(7)), ft_status::Panic);
        assert_eq!(last_error(), "a bug in firsttouch: no message");
        // A success leaves the text of the last failure.
        assert_eq!(guarded(|| Ok(())), ft_status::Ok);
        assert_eq!(last_error(), "a bug in firsttouch: no message");
    }

    #[test]
    fn errors_are_of_their_thread() {
        assert_eq!(guarded(|| Err(Failure::invalid("here\0there"))), ft_status::InvalidArgument);
        assert_eq!(std::thread::spawn(last_error).join().unwrap(), "");
        assert_eq!(last_error(), "here\\0there");
    }

    #[test]
    fn rows_are_checked() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let at = numbers.as_ptr();
        // SAFETY: an accepted view lies within `numbers`.
        let rows = |first, count, width, stride| unsafe { Rows::new("numbers", first, count, width, stride) };
        let rows_of = |count, width, stride| {
            rows(at, count, width, stride).ok().map(|rows| rows.iter().collect::<Vec<_>>())
        };
        assert_eq!(rows_of(2, 3, 0).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(rows_of(2, 3, 32).unwrap(), [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]);
        assert!(rows_of(2, 3, 16).is_none() && rows_of(2, 3, 31).is_none());
        assert!(rows_of(usize::MAX / 8, 3, 0).is_none() && rows_of(1, usize::MAX, 0).is_none());
        assert!(rows(at.wrapping_byte_add(1), 1, 3, 0).is_err());
        assert!(rows(std::ptr::null(), 1, 3, 0).is_err());
        assert_eq!(rows(std::ptr::null(), 0, 3, 0).ok().unwrap().len(), 0);
        assert_eq!(rows(std::ptr::null(), 2, 0, 0).ok().unwrap().row(1), &[0.0; 0]);
    }
}
