//! Work spread over threads, with results that do not depend on their number.
//!
//! Every function here maps a fixed division of the work and keeps its order, so one thread and many produce the same
//! bits. Without the feature `parallel` everything runs on the caller's thread.

/// Runs `work` with this many threads available (0: one per core). The argument of `work` says whether to use them.
#[cfg(feature = "parallel")]
pub(crate) fn with_threads<R: Send>(threads: usize, work: impl FnOnce(bool) -> R + Send) -> R {
    if threads == 1 {
        return work(false);
    }
    if threads == 0 || threads == rayon::current_num_threads() {
        return work(true);
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| work(true)),
        // If no threads can be started, the work is done without them.
        Err(_) => work(false),
    }
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn with_threads<R>(_threads: usize, work: impl FnOnce(bool) -> R) -> R {
    work(false)
}

/// Returns the results of all items, in order.
pub(crate) fn map<T: Sync, R: Send>(
    parallel: bool,
    items: &[T],
    f: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        return items.par_iter().map(f).collect();
    }
    let _ = parallel;
    items.iter().map(f).collect()
}

/// Returns a value for each of the items, in order.
pub(crate) fn table<T: Sync, U: Copy + Send>(
    parallel: bool,
    items: &[T],
    empty: U,
    f: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        // A piece is large enough that its scheduling cost is negligible.
        const PIECE: usize = 4096;
        let mut out = vec![empty; items.len()];
        out.par_chunks_mut(PIECE).zip(items.par_chunks(PIECE)).for_each(|(out, items)| {
            for (out, item) in out.iter_mut().zip(items) {
                *out = f(item);
            }
        });
        return out;
    }
    let _ = (parallel, empty);
    items.iter().map(f).collect()
}

/// Runs both closures and returns both results.
pub(crate) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if parallel {
        return rayon::join(a, b);
    }
    let _ = parallel;
    (a(), b())
}
