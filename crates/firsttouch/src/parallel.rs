//! Independent pieces of work, spread over threads where the feature `parallel` allows it. The order of the results is
//! that of the work, so the number of threads changes nothing but the time.

/// Threads that wait for work; none of their own for a single thread.
#[derive(Debug)]
pub struct Workers {
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

impl Workers {
    /// As many threads as asked for, 0 meaning one per core. One, or the feature `parallel` switched off, means the thread
    /// of the caller.
    ///
    /// ```
    /// let workers = firsttouch::parallel::Workers::new(2);
    /// assert_eq!(workers.map(&[1, 2, 3], |x| x * x), [1, 4, 9]);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn new(threads: usize) -> Workers {
        // No threads to be had: the answers are the same without.
        let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Workers { pool: if threads == 1 { None } else { pool() } }
    }

    /// The thread of the caller.
    #[cfg(not(feature = "parallel"))]
    pub fn new(_threads: usize) -> Workers {
        Workers {}
    }

    /// Does `work` on every item and returns the results in the order of the items.
    #[cfg(feature = "parallel")]
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        use rayon::prelude::*;
        match &self.pool {
            Some(pool) if items.len() > 1 => pool.install(|| items.par_iter().map(work).collect()),
            _ => items.iter().map(work).collect(),
        }
    }

    /// Does `work` on every item and returns the results in the order of the items.
    #[cfg(not(feature = "parallel"))]
    pub fn map<T, R>(&self, items: &[T], work: impl Fn(&T) -> R) -> Vec<R> {
        items.iter().map(work).collect()
    }
}
