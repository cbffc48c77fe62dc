#include "nameplate/scale/mpi_executor.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "nameplate/core/binary_form.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

// `bytes` of process `root`, on every process.
void broadcast(std::string& bytes, int root) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, root, MPI_COMM_WORLD);
  bytes.resize(size);
  for (std::size_t begin = 0; begin < size; begin += kLongestMessage) {
    const std::size_t part = std::min<std::size_t>(kLongestMessage, size - begin);
    MPI_Bcast(bytes.data() + begin, static_cast<int>(part), MPI_BYTE, root, MPI_COMM_WORLD);
  }
}

int processes_here() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int count = 1;
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return count;
}

}  // namespace

MpiExecutor::MpiExecutor(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int process = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  process_ = static_cast<std::size_t>(process);
  processes_ = static_cast<std::size_t>(processes);
  threads_ = std::max(1u, thread_count() / static_cast<unsigned>(processes_here()));
}

MpiExecutor::~MpiExecutor() { MPI_Finalize(); }

std::vector<std::string> MpiExecutor::gather(std::size_t count, int threads, const Task& task) const {
  const auto item_of = [&](std::size_t process, std::size_t i) { return process + i * processes_; };
  const std::size_t own = count > process_ ? (count - process_ - 1) / processes_ + 1 : 0;
  const ThreadExecutor here;
  const int threads_here = threads > 0 ? threads : static_cast<int>(threads_);
  const std::string pack = to_bytes(here.gather(
      own, threads_here, [&](std::size_t i, unsigned its_threads) { return task(item_of(process_, i), its_threads); }));
  std::vector<std::string> results(count);
  for (std::size_t process = 0; process < processes_; ++process) {
    std::string bytes = process == process_ ? pack : std::string();
    broadcast(bytes, static_cast<int>(process));
    std::optional<std::vector<std::string>> items = from_bytes<std::vector<std::string>>(bytes);
    NAMEPLATE_CHECK(items.has_value());
    for (std::size_t i = 0; i < items->size(); ++i) results[item_of(process, i)] = std::move((*items)[i]);
  }
  return results;
}

void MpiExecutor::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace nameplate
