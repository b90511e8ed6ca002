#pragma once

#include <cstddef>
#include <functional>

namespace steptp {

/// Calls `work(i)` for i = 0 .. count-1 on up to `jobs` threads and returns when all are done. Which thread runs which
/// number is not determined, so results go into places of their own, by number. An exception of `work` is rethrown
/// here (the first by number), after the others have finished.
void parallel_for(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work);

/// The number of threads that `--jobs 0` means: all there are.
[[nodiscard]] unsigned default_jobs();

}  // namespace steptp
