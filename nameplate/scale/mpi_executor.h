// The executor over the processes of an MPI job: item i runs on process i mod n, on the threads of that process.
//
// Each process packs what its items gave; the packs are broadcast one after another, so every process has every result
// and none holds more than all results and one pack. Messages are cut below 2 GiB, MPI's limit for a count. Only the
// main thread speaks MPI (MPI_THREAD_FUNNELED). Processes of one machine share its threads. One process a machine is
// enough, and keeps the results there once.
#pragma once

#include "nameplate/core/executor.h"

namespace nameplate {

class MpiExecutor final : public Executor {
 public:
  // Initialises MPI, and ends it when it goes; one per process.
  MpiExecutor(int& argc, char**& argv);
  MpiExecutor(const MpiExecutor&) = delete;
  MpiExecutor& operator=(const MpiExecutor&) = delete;
  ~MpiExecutor() override;

  bool is_first() const override { return process_ == 0; }
  std::vector<std::string> gather(std::size_t count, int threads, const Task& task) const override;
  // Ends all processes of the job, of which others may be waiting for this one.
  [[noreturn]] void abort(int exit_code) const;

 private:
  std::size_t process_ = 0;
  std::size_t processes_ = 1;
  unsigned threads_ = 1;  // of this process, where none are asked for
};

}  // namespace nameplate
