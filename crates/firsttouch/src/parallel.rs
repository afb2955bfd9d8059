//! Independent tasks, spread over threads if the feature `parallel` is enabled. The results are in the order of the
//! tasks, so the number of threads affects only the time.

/// A pool of threads; empty for a single thread, which is then the caller's.
#[derive(Debug)]
pub struct Workers {
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl Workers {
    /// Creates as many threads as requested; 0 means one per core. For one thread, or without the feature `parallel`,
    /// the caller's thread does the work.
    ///
    /// ```
    /// let workers = firsttouch::parallel::Workers::new(2);
    /// assert_eq!(workers.map(&[1, 2, 3], |x| x * x), [1, 4, 9]);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn new(threads: usize) -> Workers {
        // If no threads can be started, the caller's thread does the work, and the answers are the same.
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Workers { pool: if threads == 1 { None } else { pool() } }
    }

    /// Uses the caller's thread.
    #[cfg(not(feature = "parallel"))]
    pub fn new(_threads: usize) -> Workers {
        Workers {}
    }

    /// Applies `work` to every item and returns the results in the order of the items.
    #[cfg(feature = "parallel")]
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        use rayon::prelude::*;
        match &self.pool {
            Some(pool) if items.len() > 1 => pool.install(|| items.par_iter().map(work).collect()),
            _ => items.iter().map(work).collect(),
        }
    }

    /// Applies `work` to every item and returns the results in the order of the items.
    #[cfg(not(feature = "parallel"))]
    pub fn map<T, R>(&self, items: &[T], work: impl Fn(&T) -> R) -> Vec<R> {
        items.iter().map(work).collect()
    }
}
