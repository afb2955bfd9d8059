//! Independent tasks, spread over threads if the feature `parallel` is enabled.
//!
//! Every function here maps a fixed division of the work and keeps its order, so one thread and many produce the same
//! bits. Without the feature all work runs on the caller's thread.

/// Threads for independent tasks: those of a pool that is there if it has the requested number, or else its own pool.
#[derive(Debug)]
pub struct Workers {
    #[cfg(feature = "parallel")]
    threads: Threads,
}

#[cfg(feature = "parallel")]
#[derive(Debug)]
enum Threads {
    /// The caller's.
    One,
    /// Those of the pool that the caller is in, or that all share.
    Shared,
    Own(rayon::ThreadPool),
}

impl Workers {
    /// Finds or starts as many threads as requested, for this many tasks; 0 means one per core. For one thread or task,
    /// or without the feature `parallel`, the caller's thread does the work.
    ///
    /// ```
    /// let workers = firsttouch::parallel::Workers::new(2, 3);
    /// assert_eq!(workers.map(&[1, 2, 3], |x| x * x), [1, 4, 9]);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn new(threads: usize, tasks: usize) -> Workers {
        let is_shared = || has_pool() && (threads == 0 || threads == rayon::current_num_threads());
        // If no threads can be started, the caller's thread does the work, and the answers are the same.
        let own = || {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_or(Threads::One, Threads::Own)
        };
        let threads = match () {
            () if threads == 1 || tasks <= 1 => Threads::One,
            () if is_shared() => Threads::Shared,
            () => own(),
        };
        Workers { threads }
    }

    /// Uses the caller's thread.
    #[cfg(not(feature = "parallel"))]
    pub fn new(_threads: usize, _tasks: usize) -> Workers {
        Workers {}
    }

    /// Applies `work` to every item and returns the results in the order of the items.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        if items.len() <= 1 {
            return items.iter().map(work).collect();
        }
        self.run(|parallel| map(parallel, items, work))
    }

    /// Runs `work`, which is told whether there are threads to share it.
    #[cfg(feature = "parallel")]
    fn run<R: Send>(&self, work: impl FnOnce(bool) -> R + Send) -> R {
        match &self.threads {
            Threads::One => work(false),
            Threads::Shared => work(true),
            Threads::Own(pool) => pool.install(|| work(true)),
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn run<R>(&self, work: impl FnOnce(bool) -> R) -> R {
        work(false)
    }
}

/// Returns true if the pool of the caller, or the shared pool, can be used. The shared pool starts at its first use;
/// where the system refuses its threads, rayon would panic at every use of it.
#[cfg(feature = "parallel")]
fn has_pool() -> bool {
    static CAN_BE_SHARED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Either the pool is already running, or its threads could not be started. Only the second error has a source.
        Err(error) => std::error::Error::source(&error).is_none(),
    };
    rayon::current_thread_index().is_some() || *CAN_BE_SHARED.get_or_init(start)
}

/// Runs `work` with this many threads available (0: one per core). The argument of `work` is true if it should use
/// them.
pub(crate) fn with_threads<R: Send>(threads: usize, work: impl FnOnce(bool) -> R + Send) -> R {
    Workers::new(threads, usize::MAX).run(work)
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

/// Like [`map`], with a state that is created for each part of the items that one thread works on. The results must not
/// depend on the contents of the state.
pub(crate) fn map_with<T: Sync, S, R: Send>(
    parallel: bool,
    items: &[T],
    state: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, &T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        return items.par_iter().map_init(state, f).collect();
    }
    let _ = parallel;
    let mut state = state();
    items.iter().map(|item| f(&mut state, item)).collect()
}

/// Returns a value for each place of a list, in order. The threads write to fresh memory, each to its own part.
pub(crate) fn table<U: Send>(parallel: bool, len: usize, f: impl Fn(usize) -> U + Sync + Send) -> Vec<U> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        // A piece is large enough that its scheduling cost is negligible.
        const PIECE: usize = 4096;
        return (0..len).into_par_iter().with_min_len(PIECE).map(f).collect();
    }
    let _ = parallel;
    (0..len).map(f).collect()
}

/// Fills a list by the places of its items.
pub(crate) fn fill<U: Send>(parallel: bool, out: &mut [U], f: impl Fn(usize) -> U + Sync) {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        const PIECE: usize = 1024;
        out.par_chunks_mut(PIECE).enumerate().for_each(|(piece, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = f(piece * PIECE + i);
            }
        });
        return;
    }
    let _ = parallel;
    for (i, out) in out.iter_mut().enumerate() {
        *out = f(i);
    }
}

/// Fills two lists of the same length by the places of their items.
pub(crate) fn fill_two<U: Send, V: Send>(
    parallel: bool,
    (out, beside): (&mut [U], &mut [V]),
    f: impl Fn(usize) -> (U, V) + Sync,
) {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        const PIECE: usize = 1024;
        let pieces = out.par_chunks_mut(PIECE).zip(beside.par_chunks_mut(PIECE));
        pieces.enumerate().for_each(|(piece, (out, beside))| {
            for (i, (out, beside)) in out.iter_mut().zip(beside).enumerate() {
                (*out, *beside) = f(piece * PIECE + i);
            }
        });
        return;
    }
    let _ = parallel;
    for (i, (out, beside)) in out.iter_mut().zip(beside).enumerate() {
        (*out, *beside) = f(i);
    }
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
