// Runs independent tasks over threads, or over the processes of a job. Results are stored by index, so output never
// depends on how many there are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace nameplate {

// The number of threads to use: `requested` if positive, else the machine's.
unsigned thread_count(int requested = 0);

// Calls task(i) for i in [0, count), each exactly once, on up to `threads` threads (1: inline, in order). Returns when
// all are done. Tasks must not throw.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

// Where items of work run: on the threads of this process, or spread over those of a job (scale/mpi_executor.h).
class Executor {
 public:
  // What item `item` gives, as bytes (core/binary_form.h), since it may have to travel. It may use `threads` threads of
  // its own; it must not throw, and what it gives must not depend on which process runs it.
  using Task = std::function<std::string(std::size_t item, unsigned threads)>;

  virtual ~Executor() = default;
  // The process that speaks for all: it alone prints and writes files.
  virtual bool is_first() const = 0;
  // What the items [0, count) give, in that order; each runs once. All processes of a job call it alike and all get
  // every result, so each goes on as if it had done the work alone. `threads` per process; 0: the machine's.
  virtual std::vector<std::string> gather(std::size_t count, int threads, const Task& task) const = 0;
};

// On the threads of this process: items at once as far as there are threads, which share those that are left.
class ThreadExecutor final : public Executor {
 public:
  bool is_first() const override { return true; }
  std::vector<std::string> gather(std::size_t count, int threads, const Task& task) const override;
};

}  // namespace nameplate
