// Runs independent tasks over threads. Results are stored by index, so output never depends on the thread count.
#pragma once

#include <cstddef>
#include <functional>

namespace nameplate {

// The number of threads to use: `requested` if positive, else the machine's.
unsigned thread_count(int requested = 0);

// Calls task(i) for i in [0, count), each exactly once, on up to `threads` threads (1: inline, in order). Returns when
// all are done. Tasks must not throw.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

}  // namespace nameplate
