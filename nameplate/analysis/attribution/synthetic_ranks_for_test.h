// Timelines of 2 to 512 ranks with known truth: a job simulated on one true clock, op by op, and then written down by
// each rank on a clock of its own that is off by up to 50 ms and drifts by up to 20 ppm.
//
// Ranks are pipeline stages x replicas. A step: the loader, micro-batches forward and backward with a blocking
// hand-over between stages, in mixtures of experts an uneven expert between two all-to-alls, gradients reduced among
// the replicas with a kernel beside the first part, the optimizer. One rank may be in trouble: a slow device, a late
// host, a slow loader. The truth is booked while the simulation runs: begins, last arrivals and ends are its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "nameplate/analysis/attribution/timeline_for_test.h"
#include "nameplate/analysis/attribution/waits.h"
#include "nameplate/core/random.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

enum class Trouble { none, slow_device, late_host, slow_loader };

struct SyntheticJob {
  std::size_t stages = 1;
  std::size_t replicas = 2;
  int micro_batches = 2;
  bool experts = false;
  bool whole_job = false;  // ends each step with a small reduction over all ranks
  Trouble trouble = Trouble::none;
  std::size_t troubled = 0;
  bool skewed = true;
  std::size_t ranks() const { return stages * replicas; }
};

// Any job of that many ranks.
inline SyntheticJob random_job(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, 1);
  SyntheticJob job;
  for (job.stages = std::size_t{1} << random.next_below(4); ranks % job.stages != 0;) job.stages /= 2;
  if (ranks / job.stages < 2) job.stages = 1;
  job.replicas = ranks / job.stages;
  job.micro_batches = 2 + static_cast<int>(random.next_below(3));
  job.experts = random.next_below(2) == 0;
  job.whole_job = random.next_below(2) == 0;
  job.trouble = static_cast<Trouble>(random.next_below(4));
  job.troubled = random.next_below(ranks);
  return job;
}

class SyntheticRanks {
 public:
  static constexpr int kSteps = 5;  // the first of them before any mark

  SyntheticRanks(std::uint64_t seed, const SyntheticJob& job)
      : random_(seed, 0), job_(job), truth_ns(job.ranks()), caused_ns(job.ranks()), ranks_(job.ranks()) {
    for (std::size_t r = 0; r < job.ranks(); ++r) {
      ranks_[r].now = 1'000'000 + between(0, 500'000);
      if (job.skewed) {
        ranks_[r].offset_ns = between(-50'000'000, 50'000'000);
        ranks_[r].drift = 40e-6 * (random_.next_uniform() - 0.5);
      }
      // Captures begin apart: with some ranks missing the first collectives.
      ranks_[r].captured_from = between(0, 1) == 0 ? 0 : ranks_[r].now + between(0, 3'000'000);
    }
    for (int s = 0; s < kSteps; ++s) step(s);
  }

  // One timeline a rank, on its own clock.
  Timeline timeline(std::size_t rank) const {
    Timeline t = made(rank).build();
    t.ranks[0].rank = static_cast<std::int64_t>(rank);
    return t;
  }
  // Whole, or the piece of a longer capture with the marked steps from `first` up to `last`.
  TimelineForTest made(std::size_t rank, std::size_t first = 0, std::size_t last = kSteps - 1) const {
    const Rank& r = ranks_[rank];
    TimelineForTest made;
    for (const Group& g : groups_of(rank)) made.group(g);
    const std::int64_t from = first == 0 ? 0 : r.steps[first].first, until = r.steps[last - 1].second;
    for (std::size_t s = first; s < last; ++s) {
      const auto& [begin, end] = r.steps[s];
      made.step(on_clock(rank, begin), on_clock(rank, end) - on_clock(rank, begin));
    }
    for (TestSpan span : r.spans) {
      if (span.begin_ns < from || span.begin_ns >= until) continue;
      span.duration_ns = on_clock(rank, span.begin_ns + span.duration_ns) - on_clock(rank, span.begin_ns);
      span.begin_ns = on_clock(rank, span.begin_ns);
      made.span(span);
    }
    for (auto [launch, e] : r.events) {
      if (e.begin_ns < std::max(r.captured_from, from) || e.begin_ns >= until) continue;
      const std::int64_t begin = on_clock(rank, e.begin_ns);
      e.duration_ns = on_clock(rank, e.begin_ns + e.duration_ns) - begin;
      e.begin_ns = begin;
      made.launch(on_clock(rank, launch), e);
    }
    return made;
  }
  std::int64_t on_clock(std::size_t rank, std::int64_t t) const {
    return t + ranks_[rank].offset_ns + std::llround(ranks_[rank].drift * static_cast<double>(t));
  }
  double step_ns(std::size_t rank) const {
    return static_cast<double>(ranks_[rank].steps.back().second - ranks_[rank].steps.front().first) / (kSteps - 1);
  }

 private:
  RandomStream random_;
  SyntheticJob job_;

 public:
  // In the marked steps, by rank.
  std::vector<std::map<LedgerRow, double>> truth_ns;
  // In the whole capture: what others waited for the rank in collectives that all members captured.
  std::vector<double> caused_ns;
  // In the whole capture: between each rank's own expert and the slowest of its group.
  double expert_idle_ns = 0;

 private:
  struct Rank {
    std::int64_t now = 0;   // until when the device has work
    std::int64_t host = 0;  // when the host can launch next
    std::int64_t offset_ns = 0;
    double drift = 0;
    std::int64_t captured_from = 0;
    std::vector<std::pair<std::int64_t, TestEvent>> events;  // with their launch
    std::vector<TestSpan> spans;
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  };
  using Members = std::vector<std::size_t>;
  enum GroupNumber : std::int32_t { kReplicas, kExperts, kPipeline, kWhole };

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.next_below(static_cast<std::uint64_t>(most - least + 1)));
  }
  void book(std::size_t r, LedgerRow row, std::int64_t ns) {
    if (marked_) truth_ns[r][row] += static_cast<double>(ns);
  }
  std::size_t rank_of(std::size_t stage, std::size_t replica) const { return stage * job_.replicas + replica; }
  Members stage_members(std::size_t stage) const {
    Members m;
    for (std::size_t i = 0; i < job_.replicas; ++i) m.push_back(rank_of(stage, i));
    return m;
  }

  std::vector<Group> groups_of(std::size_t rank) const {
    const auto group = [](std::string id, std::string description, const Members& m) {
      Group g{std::move(id), std::move(description), GroupRole::other, {}, static_cast<std::int64_t>(m.size())};
      for (const std::size_t r : m) g.ranks.push_back(static_cast<std::int64_t>(r));
      return g;
    };
    const std::size_t stage = rank / job_.replicas, replica = rank % job_.replicas;
    Members line, all;
    for (std::size_t s = 0; s < job_.stages; ++s) line.push_back(rank_of(s, replica));
    for (std::size_t r = 0; r < job_.ranks(); ++r) all.push_back(r);
    return {group("dp" + std::to_string(stage), "mesh_dp", stage_members(stage)),
            group("ep" + std::to_string(stage), "mesh_ep", stage_members(stage)),
            group("pp" + std::to_string(replica), "mesh_pp", line), group("0", "world", all)};
  }

  // The host runs at most 100 us ahead, and takes 1 us a launch.
  void launch(std::size_t r, TestEvent e) {
    Rank& rank = ranks_[r];
    rank.host = std::max(rank.host, e.begin_ns - 100'000);
    rank.events.emplace_back(rank.host, std::move(e));
    rank.host += 1'000;
  }

  void kernel(std::size_t r, DeviceEventClass c, LedgerRow row, std::int64_t ns) {
    if (job_.trouble == Trouble::slow_device && r == job_.troubled) ns += ns / 2;
    launch(r, {"kernel", c, ranks_[r].now, ns});
    book(r, row, ns);
    ranks_[r].now += ns;
  }
  void matmul(std::size_t r, std::int64_t ns) { kernel(r, DeviceEventClass::matmul, LedgerRow::kernel_matmul, ns); }

  // The device runs dry while the host is inside the span, then the next launch comes late.
  void stall(std::size_t r, TestSpan span, LedgerRow row, std::int64_t ns) {
    Rank& rank = ranks_[r];
    rank.host = std::max(rank.host, rank.now);
    book(r, LedgerRow::host_bound, rank.host - rank.now);
    span.begin_ns = rank.host;
    span.duration_ns = ns;
    rank.spans.push_back(span);
    rank.host += ns;
    const std::int64_t latency = between(3'000, 8'000);
    book(r, row, ns);
    book(r, LedgerRow::host_bound, latency);
    rank.now = rank.host + latency;
    matmul(r, 10'000);
  }

  TestEvent communication(CollectiveKind kind, std::int32_t group, std::int64_t begin, std::int64_t end) const {
    return {.name = "nccl",
            .event_class = DeviceEventClass::collective,
            .begin_ns = begin,
            .duration_ns = end - begin,
            .stream = 20,
            .bytes = 1'000'000,
            .group = group,
            .kind = kind};
  }

  // Every one of them is being recorded by now.
  bool captured(const Members& members) const {
    return std::all_of(members.begin(), members.end(),
                       [&](std::size_t r) { return ranks_[r].now >= ranks_[r].captured_from; });
  }

  // `hidden_ns` of a kernel run beside it from its begin.
  void collective(const Members& members, CollectiveKind kind, std::int32_t group, LedgerRow row,
                  std::int64_t transfer_ns, std::int64_t hidden_ns) {
    const auto later = [&](std::size_t a, std::size_t b) { return ranks_[a].now < ranks_[b].now; };
    const std::size_t last = *std::max_element(members.begin(), members.end(), later);
    const std::int64_t all_there = ranks_[last].now;
    const bool all_captured = captured(members);
    for (const std::size_t r : members) {
      const std::int64_t begin = ranks_[r].now;
      const std::int64_t end = all_there + transfer_ns + between(0, 3'000);
      launch(r, communication(kind, group, begin, end));
      if (r != last && all_captured) caused_ns[last] += static_cast<double>(all_there - begin);
      if (hidden_ns > 0) matmul(r, hidden_ns);
      const std::int64_t alone_from = ranks_[r].now;
      book(r, LedgerRow::straggler_wait, std::max<std::int64_t>(0, all_there - alone_from));
      book(r, row, std::max<std::int64_t>(0, end - std::max(all_there, alone_from)));
      ranks_[r].now = std::max(end, alone_from);
    }
  }

  void hand_over(std::size_t from, std::size_t to) {
    const std::int64_t both_there = std::max(ranks_[from].now, ranks_[to].now);
    const std::int64_t end = both_there + between(30'000, 90'000);
    for (const std::size_t r : {from, to}) {
      TestEvent e =
          communication(r == from ? CollectiveKind::send : CollectiveKind::receive, kPipeline, ranks_[r].now, end);
      e.peer = static_cast<std::int64_t>(r == from ? to : from);
      launch(r, e);
      book(r, r == from ? LedgerRow::straggler_wait : LedgerRow::pipeline_bubble, both_there - ranks_[r].now);
      book(r, LedgerRow::comm_pp, end - both_there);
      ranks_[r].now = end;
    }
  }

  void experts(std::size_t stage) {
    const Members members = stage_members(stage);
    const bool all_captured = captured(members);
    collective(members, CollectiveKind::all_to_all, kExperts, LedgerRow::comm_ep, between(50'000, 100'000), 0);
    std::vector<std::int64_t> took;
    for (const std::size_t r : members) {
      const std::int64_t begin = ranks_[r].now;
      matmul(r, between(150'000, 400'000));
      took.push_back(ranks_[r].now - begin);
    }
    const std::int64_t most = *std::max_element(took.begin(), took.end());
    for (const std::int64_t t : took) expert_idle_ns += all_captured ? static_cast<double>(most - t) : 0;
    collective(members, CollectiveKind::all_to_all, kExperts, LedgerRow::comm_ep, between(50'000, 100'000), 0);
  }

  void work(std::size_t stage, std::int64_t ns) {
    for (const std::size_t r : stage_members(stage)) {
      for (int i = 0; i < 3; ++i) matmul(r, ns + between(0, ns / 50));
      kernel(r, DeviceEventClass::memory_bound, LedgerRow::kernel_memory_bound, ns / 2);
    }
    if (job_.experts) experts(stage);
  }

  void micro_batches() {
    for (int m = 0; m < job_.micro_batches; ++m) {
      for (std::size_t s = 0; s < job_.stages; ++s) {
        work(s, 300'000);
        for (std::size_t i = 0; i < job_.replicas && s + 1 < job_.stages; ++i)
          hand_over(rank_of(s, i), rank_of(s + 1, i));
      }
    }
    for (int m = 0; m < job_.micro_batches; ++m) {
      for (std::size_t s = job_.stages; s-- > 0;) {
        work(s, 600'000);
        for (std::size_t i = 0; i < job_.replicas && s > 0; ++i) hand_over(rank_of(s, i), rank_of(s - 1, i));
      }
    }
  }

  void load(std::size_t r) {
    const bool slow = job_.trouble == Trouble::slow_loader && r == job_.troubled;
    stall(r, {.name = "enumerate(DataLoader)", .span_class = HostSpanClass::data_wait}, LedgerRow::data_wait,
          slow ? between(2'000'000, 4'000'000) : between(20'000, 60'000));
    if (job_.trouble == Trouble::late_host && r == job_.troubled) {
      stall(r, {.name = "python", .span_class = HostSpanClass::python}, LedgerRow::host_bound,
            between(2'000'000, 4'000'000));
    }
  }

  void step(int number) {
    marked_ = number > 0;
    std::vector<std::int64_t> begins;
    for (Rank& rank : ranks_) begins.push_back(rank.now);
    for (std::size_t r = 0; r < ranks_.size(); ++r) load(r);
    micro_batches();
    for (std::size_t s = 0; s < job_.stages; ++s) {
      collective(stage_members(s), CollectiveKind::all_reduce, kReplicas, LedgerRow::comm_dp, between(400'000, 900'000),
                 between(100'000, 600'000));
    }
    if (job_.whole_job) {
      Members all;
      for (std::size_t r = 0; r < ranks_.size(); ++r) all.push_back(r);
      collective(all, CollectiveKind::all_reduce, kWhole, LedgerRow::comm_other, between(20'000, 40'000), 0);
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      kernel(r, DeviceEventClass::optimizer, LedgerRow::kernel_memory_bound, 300'000);
      if (marked_) ranks_[r].steps.emplace_back(begins[r], ranks_[r].now);
    }
  }

  std::vector<Rank> ranks_;
  bool marked_ = false;
};

}  // namespace nameplate
