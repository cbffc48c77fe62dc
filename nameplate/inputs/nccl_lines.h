// What NCCL (NCCL_DEBUG=INFO or WARN) and torch's watchdog print, in whatever file it stands.
//
//   server2:23920:24013 [7] NCCL INFO comm 0x7f57 rank 15 nranks 32 cudaDev 7 nvmlDev 7 - Init COMPLETE
//   NCCL version 2.10.3+cuda11.3
//   node7:99:101 [3] NCCL WARN Call to ibv_poll_cq failed …                       (in newer versions behind a
//   file:line) [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, …,
//   Timeout(ms)=600000)
//     ran for 600123 milliseconds before timing out.
//
// Facts: nccl.version, nccl.ranks (the largest communicator), nccl.ranks_seen, nccl.hosts, nccl.network, nccl.channels.
// A warning is an `other` event of the rank's device; a timeout is `collective_stuck`, beginning when the collective
// did. Source: NCCL 2.10 to 2.27, src/init.cc and src/debug.cc; torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "nameplate/facts/records.h"

namespace nameplate {

bool is_nccl_line(std::string_view line);

class NcclLines {
 public:
  explicit NcclLines(ClusterRecords& records) : records_(records) {}
  // Takes a line, and says whether it is one of NCCL's or the watchdog's.
  bool take(std::string_view line, std::int64_t number);
  void finish();  // the facts that are known at the end only

 private:
  void info(std::string_view line, std::string_view text, std::int64_t number);
  void warning(std::string_view line, std::int64_t number);
  void timeout(std::string_view line, std::int64_t number);

  ClusterRecords& records_;
  std::set<std::int64_t> ranks_;
  std::set<std::string, std::less<>> hosts_;
  std::int64_t largest_ = 0;
  Evidence largest_evidence_;
};

}  // namespace nameplate
