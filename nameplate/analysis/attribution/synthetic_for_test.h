// Timelines of one rank with known truth: random programs of kernels, overlapped and exposed communication, copies,
// stalls and late launches, with the nanoseconds that each ledger row must get.
#pragma once

#include <map>
#include <vector>

#include "nameplate/analysis/attribution/timeline_for_test.h"
#include "nameplate/core/random.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

class SyntheticTimeline {
 public:
  static constexpr double kPeakPerNs = 1e6;  // 1 PFLOP/s

  explicit SyntheticTimeline(std::uint64_t seed, int segments = 400) : random_(seed, 0) {
    made_.group({.id = "1", .description = "mesh_dp"}).group({.id = "2", .description = "mesh_tp"});
    const std::int64_t begin = now_;
    made_.launch(host_, {"first", DeviceEventClass::memory_bound, now_, 20'000});
    book(LedgerRow::kernel_memory_bound, 20'000);
    host_ += 2'000;
    now_ += 20'000;
    for (int i = 0; i < segments; ++i) segment();
    const std::int64_t step = (now_ - begin) / 4;
    for (int s = 0; s < 4; ++s) made_.step(begin + s * step, s < 3 ? step : now_ - begin - 3 * step);
    step_ns = static_cast<double>(step);
  }

  TimelineForTest& made() { return made_; }
  std::map<LedgerRow, double> truth_ns;
  double step_ns = 0;

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.next_below(static_cast<std::uint64_t>(most - least + 1)));
  }
  void book(LedgerRow row, double ns) { truth_ns[row] += ns; }

  // The host runs ahead: 2 us a launch, kernels of 4 us or more.
  void launch(TestEvent e) {
    made_.launch(host_, std::move(e));
    host_ += 2'000;
  }

  void segment() {
    switch (between(0, 7)) {
      case 0:
        return communication();
      case 1:
        return stall();
      case 2:
        return copy();
      case 3:
        return two_products();
      case 4:
        return memory_bound();
      default:
        return product(now_, between(4'000, 60'000), 7, true);
    }
  }

  void memory_bound() {
    const std::int64_t ns = between(4'000, 40'000);
    launch({"elementwise", DeviceEventClass::memory_bound, now_, ns});
    book(LedgerRow::kernel_memory_bound, static_cast<double>(ns));
    now_ += ns;
  }

  void product(std::int64_t begin, std::int64_t ns, std::int32_t stream, bool alone, double efficiency = 0) {
    if (efficiency == 0) efficiency = 0.2 + 0.7 * random_.next_uniform();
    const auto columns = static_cast<std::int64_t>(efficiency * static_cast<double>(ns) * kPeakPerNs / 2);
    Operands operands{{{1, 1}, {1, columns}}, {"c10::BFloat16", "c10::BFloat16"}, {}};
    made_.span({"aten::mm", HostSpanClass::operation, host_, 1'500, 1, std::move(operands)});
    launch({"gemm", DeviceEventClass::matmul, begin, ns, stream});
    const double ideal = 2 * static_cast<double>(columns) / kPeakPerNs;
    book(LedgerRow::model_compute, ideal);
    book(LedgerRow::kernel_matmul, -ideal);
    if (!alone) return;
    book(LedgerRow::kernel_matmul, static_cast<double>(ns));
    now_ += ns;
  }

  // Two at once, the second inside the first, together below peak: the union of their time is theirs.
  void two_products() {
    const std::int64_t ns = between(20'000, 60'000);
    product(now_, ns, 7, true, 0.5);
    product(now_ - ns + 2'000, ns - 4'000, 9, false, 0.4);
  }

  void communication() {
    const std::int64_t ns = between(20'000, 90'000);
    const std::int64_t hidden = between(4'000, ns - 10'000);
    TestEvent e{"nccl", DeviceEventClass::collective, now_, ns, 8};
    e.group = static_cast<std::int32_t>(between(0, 1));
    book(e.group == 0 ? LedgerRow::comm_dp : LedgerRow::comm_tp, static_cast<double>(ns - hidden));
    const std::int64_t begin = now_;
    launch(std::move(e));
    launch({"elementwise", DeviceEventClass::memory_bound, begin, hidden});
    book(LedgerRow::kernel_memory_bound, static_cast<double>(hidden));
    now_ += ns;
  }

  void copy() {
    const std::int64_t ns = between(4'000, 30'000);
    launch({"Memcpy HtoD", DeviceEventClass::copy_to_device, now_, ns, 10});
    book(LedgerRow::data_wait, static_cast<double>(ns));
    now_ += ns;
  }

  // The device runs dry; what the host does for most of the gap is the cause, then it launches late.
  void stall() {
    struct Cause {
      const char* name;
      HostSpanClass span_class;
      LedgerRow row;
    };
    static constexpr Cause kCauses[] = {{"enumerate(DataLoader)", HostSpanClass::data_wait, LedgerRow::data_wait},
                                        {"save_checkpoint", HostSpanClass::checkpoint, LedgerRow::checkpoint},
                                        {"cudaFree", HostSpanClass::allocator, LedgerRow::memory_stall},
                                        {"recv_forward", HostSpanClass::annotation, LedgerRow::pipeline_bubble},
                                        {"cudaStreamSynchronize", HostSpanClass::synchronise, LedgerRow::sync},
                                        {"gc", HostSpanClass::garbage, LedgerRow::host_bound},
                                        {"python", HostSpanClass::python, LedgerRow::host_bound}};
    const Cause& cause = kCauses[between(0, 6)];
    host_ = std::max(host_, now_);
    const std::int64_t busy = between(50'000, 400'000);
    book(cause.row, static_cast<double>(busy));
    book(LedgerRow::host_bound, static_cast<double>(host_ - now_));
    made_.span({cause.name, cause.span_class, host_, busy});
    host_ += busy;
    const std::int64_t latency = between(3'000, 8'000);
    book(LedgerRow::host_bound, static_cast<double>(latency));
    now_ = host_ + latency;
    memory_bound();
  }

  RandomStream random_;
  TimelineForTest made_;
  std::int64_t host_ = 0;
  std::int64_t now_ = 10'000;
};

}  // namespace nameplate
