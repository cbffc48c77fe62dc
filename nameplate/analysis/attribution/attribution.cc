#include "nameplate/analysis/attribution/attribution.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "nameplate/analysis/attribution/event_rows.h"
#include "nameplate/analysis/attribution/host_device.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/analysis/attribution/operator_totals.h"
#include "nameplate/analysis/attribution/sweep.h"
#include "nameplate/analysis/attribution/totals.h"
#include "nameplate/analysis/attribution/uncounted.h"
#include "nameplate/facts/fabric.h"

namespace nameplate {
namespace {

constexpr std::size_t kNameLength = 48;  // of evidence

// Seconds by row, and by row and name for the evidence.
class Rows {
 public:
  explicit Rows(const Timeline& timeline) : timeline_(timeline) {}

  void look_for(LedgerRow row) { rows_[row]; }
  void add(LedgerRow row, double ns, std::int32_t name_id) {
    Row& of_row = rows_[row];
    of_row.ns += ns;
    if (name_id >= 0) of_row.by_name[name_id] += ns;
  }
  void add(LedgerRow row, double ns, CollectiveKind kind) {
    rows_[row].ns += ns;
    rows_[row].by_kind[static_cast<std::size_t>(kind)] += ns;
  }
  // Evidence that is no name of a kernel or call.
  void say(LedgerRow row, std::string text) { rows_[row].said = std::move(text); }
  double ns(LedgerRow row) const {
    const auto of_row = rows_.find(row);
    return of_row == rows_.end() ? 0 : of_row->second.ns;
  }

  std::vector<RowEvidence> evidence() const {
    std::vector<RowEvidence> all;
    for (const auto& [row, of_row] : rows_) {
      for (const auto& [name_id, ns] : of_row.by_name) {
        all.push_back({row, timeline_.names[static_cast<std::size_t>(name_id)].substr(0, kNameLength), ns});
      }
      for (std::size_t kind = 0; kind < of_row.by_kind.size(); ++kind) {
        const double ns = of_row.by_kind[kind];
        if (ns > 0) all.push_back({row, std::string(name(static_cast<CollectiveKind>(kind))), ns});
      }
    }
    return all;
  }

  Ledger close(double total_ns, std::int64_t ranks_total) const {
    const std::vector<RowEvidence> all = evidence();
    LedgerBuilder builder(LedgerScope::step, 1, ranks_total);
    for (const auto& [row, of_row] : rows_) {
      if (row == LedgerRow::unattributed) continue;
      builder.book(row, std::max(0.0, of_row.ns) / 1e9, of_row.said.empty() ? evidence_text(all, row) : of_row.said);
    }
    return builder.close(total_ns / 1e9);
  }

 private:
  struct Row {
    double ns = 0;
    std::map<std::int32_t, double> by_name;
    std::array<double, static_cast<std::size_t>(CollectiveKind::other) + 1> by_kind{};
    std::string said;
  };

  const Timeline& timeline_;
  std::map<LedgerRow, Row> rows_;
};

class Attributor {
 public:
  Attributor(const Timeline& timeline, const RankTimeline& rank, const std::vector<GroupUse>& roles,
             const AttributionOptions& options)
      : timeline_(timeline),
        rank_(rank),
        roles_(roles),
        options_(options),
        enclosing_(enclosing_spans(rank.host)),
        work_(kernel_work(timeline, rank, enclosing_, options.operator_flops)),
        row_of_event_(event_rows(timeline, rank, roles, enclosing_)),
        steps_(find_steps(timeline, rank)),
        swept_(sweep(rank.device, work_, steps_.steady)),
        precision_(dominant_precision(work_)),
        peak_(find_peak_rate()),
        rows_(timeline) {}

  RankAttribution run() {
    look_for_rows();
    book_kernels();
    book_communication();
    book_copies();
    std::vector<IdleClaim> idle = claim_idle(timeline_, rank_, swept_.idle, enclosing_);
    for (const IdleClaim& claim : idle) {
      rows_.add(claim.row, static_cast<double>(claim.when.length()), claim.name_id);
    }
    RankAttribution out{.ledger = rows_.close(window_ns(), std::max<std::int64_t>(timeline_.ranks_total, 1))};
    out.evidence = rows_.evidence();
    out.blocking_copy_ns = blocking_copy_ns(idle);
    out.idle = std::move(idle);
    fill(out);
    return out;
  }

 private:
  // A copy to pageable memory holds the host up until the data is staged, whatever it is called.
  std::int64_t blocking_copy_ns(const std::vector<IdleClaim>& idle) const {
    Stretches late, copying;
    for (const IdleClaim& claim : idle) {
      if (claim.row == LedgerRow::host_bound) late.push_back(claim.when);
    }
    for (std::size_t i = 0; i < rank_.host.begin_ns.size(); ++i) {
      const std::string& name = timeline_.names[static_cast<std::size_t>(rank_.host.name_id[i])];
      if (rank_.host.span_class[i] != HostSpanClass::launch || name.find("Memcpy") == name.npos) continue;
      copying.push_back({rank_.host.begin_ns[i], rank_.host.begin_ns[i] + rank_.host.duration_ns[i]});
    }
    return total_ns(intersect(unite(std::move(late)), unite(std::move(copying))));
  }

  double window_ns() const { return static_cast<double>(steps_.steady.length()); }
  SweptRank swept_rank() const { return {rank_, work_, swept_, steps_.steady}; }
  bool host_only() const { return rank_.device.begin_ns.empty(); }

  std::optional<FlopsPerSecond> find_peak_rate() const {
    if (options_.peak) return options_.peak;
    if (options_.accelerator == nullptr || !precision_) return std::nullopt;
    const Peak* peak = dense_peak(*options_.accelerator, *precision_);
    return peak == nullptr ? std::nullopt : std::optional(peak->rate);
  }

  // Of the kernel's own precision: eight-bit products run beyond the peak of a run that is mostly bf16.
  FlopsPerSecond own_peak(std::size_t event) const {
    const bool known = options_.accelerator != nullptr && work_[event].precision;
    const Peak* own = known ? dense_peak(*options_.accelerator, *work_[event].precision) : nullptr;
    return own == nullptr ? *peak_ : std::max(own->rate, *peak_);
  }

  // Rows that say 0 when nothing is found.
  void look_for_rows() {
    using enum LedgerRow;
    if (!rank_.host.begin_ns.empty()) {
      for (const LedgerRow row : {checkpoint, data_wait, memory_stall, pipeline_bubble, sync, host_bound})
        rows_.look_for(row);
    }
    if (host_only()) return;
    for (const LedgerRow row : {kernel_matmul, kernel_attention, kernel_memory_bound, kernel_other})
      rows_.look_for(row);
    if (rank_.collectives.event.empty()) rows_.look_for(comm_other);
    if (peak_) rows_.look_for(model_compute);
    if (peak_) rows_.look_for(recompute);
  }

  void book_kernels() {
    const SweptRank r = swept_rank();
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const DeviceEventClass c = rank_.device.event_class[i];
      const std::int64_t inside = r.inside_ns(i);
      if (inside == 0) continue;
      if (c == DeviceEventClass::unclassified) unclassified_ns_ += swept_.exclusive_ns[i];
      if (!is_compute(c)) continue;
      kernel_ns_ += swept_.exclusive_ns[i];
      if (!work_[i].flops) unmodelled_ns_ += swept_.exclusive_ns[i];
      if (work_[i].recompute) recompute_ns_ += inside;
      const double part = static_cast<double>(inside) / static_cast<double>(rank_.device.duration_ns[i]);
      book_kernel(i, work_[i].flops.value_or(0) * part, static_cast<double>(inside));
    }
    shape_flops_ = model_flops_;
    if (options_.model_flops_per_step) replace_model_flops();
  }

  void count_model_flops(std::size_t i, Flops flops) {
    model_flops_ += flops;
    if (!work_[i].causal) return;
    (*work_[i].causal ? causal_flops_ : full_attention_flops_) += flops;
  }

  void book_kernel(std::size_t i, double flops, double inside_ns) {
    const std::int32_t name_id = rank_.device.name_id[i];
    if (!work_[i].recompute) count_model_flops(i, nameplate::flops(flops));
    double rest_ns = swept_.exclusive_ns[i];
    if (peak_ && flops > 0) {
      const double ideal_ns = flops / peak_->base() * 1e9;
      const bool faster = ideal_ns > inside_ns && flops > own_peak(i).base() * inside_ns / 1e9;
      if (faster && (rank_.device.flags[i] & kContinued) == 0) ++faster_than_peak_;
      rows_.add(work_[i].recompute ? LedgerRow::recompute : LedgerRow::model_compute, ideal_ns, name_id);
      rest_ns -= ideal_ns;
    }
    rows_.add(row_of_event_[i], rest_ns, name_id);
  }

  // The architecture's count in place of that from shapes. What shapes count beyond it (masked attention, padding) is
  // redundant. What it adds comes out of the rows of matrix kernels, then the others, in proportion to what they hold.
  void replace_model_flops() {
    const auto steps = static_cast<double>(steps_.steps.size() - steps_.warm_up);
    const Flops before = model_flops_;
    model_flops_ = *options_.model_flops_per_step * steps;
    if (!peak_) return;
    using enum LedgerRow;
    double added_ns = (model_flops_ - before).base() / peak_->base() * 1e9;
    rows_.add(model_compute, added_ns, -1);
    if (added_ns < 0) {
      rows_.say(redundant_compute, fmt::format("shapes count {:.3g} times the model's FLOPs", before / model_flops_));
      return rows_.add(redundant_compute, -added_ns, -1);
    }
    const std::vector<std::vector<LedgerRow>> tiers = {{kernel_matmul, kernel_attention},
                                                       {kernel_memory_bound, kernel_other}};
    for (const std::vector<LedgerRow>& tier : tiers) {
      double held_ns = 0;
      for (const LedgerRow row : tier) held_ns += std::max(0.0, rows_.ns(row));
      const double taken_ns = std::min(added_ns, held_ns);
      if (held_ns <= 0) continue;
      for (const LedgerRow row : tier) rows_.add(row, -taken_ns * std::max(0.0, rows_.ns(row)) / held_ns, -1);
      added_ns -= taken_ns;
    }
  }

  void book_communication() {
    std::vector<CollectiveKind> kinds(work_.size(), CollectiveKind::other);
    for (std::size_t c = 0; c < rank_.collectives.event.size(); ++c) {
      const auto event = static_cast<std::size_t>(rank_.collectives.event[c]);
      kinds[event] = rank_.collectives.kind[c];
      rows_.look_for(row_of_event_[event]);
    }
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (rank_.device.event_class[i] != DeviceEventClass::collective) continue;
      rows_.add(row_of_event_[i], swept_.exclusive_ns[i], kinds[i]);
    }
  }

  void book_copies() {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (!is_copy(rank_.device.event_class[i]) || swept_.exclusive_ns[i] <= 0) continue;
      rows_.add(row_of_event_[i], swept_.exclusive_ns[i], rank_.device.name_id[i]);
    }
  }

  TimeSplit split() const {
    // The reference counts all steps; the ledger leaves the warm-up out.
    const Sweep whole = steps_.warm_up == 0 ? swept_ : sweep(rank_.device, work_, steps_.whole);
    return {steps_.whole,       whole.compute_ns,    whole.communication_ns, whole.exposed_communication_ns,
            whole.copy_only_ns, total_ns(whole.idle)};
  }

  void fill(RankAttribution& out) {
    const SweptRank r = swept_rank();
    out.rank = rank_.rank;
    out.host_only = host_only();
    out.split = split();
    out.kernels = kernel_totals(r);
    out.collectives = collective_totals(r, roles_);
    out.operators = operator_totals(timeline_, r, enclosing_, [&](std::size_t event) {
      return peak_ ? std::optional(own_peak(event)) : std::nullopt;
    });
    out.uncounted = uncounted_totals(timeline_, r, enclosing_);
    out.phases = phase_totals(timeline_, r, enclosing_);
    out.memory = memory_use(rank_.memory, rank_.host, steps_.steady);
    out.launches = launch_statistics(r);
    out.kernel_ns = kernel_ns_;
    out.unmodelled_ns = unmodelled_ns_;
    out.unclassified_ns = unclassified_ns_;
    out.device_ns = steps_.steady.length() - total_ns(swept_.idle);
    out.recompute_ns = recompute_ns_;
    out.overlaps = overlaps_in_streams(rank_.device);
    out.faster_than_peak = faster_than_peak_;
    out.precision = precision_;
    out.peak = peak_;
    if (options_.accelerator != nullptr) {
      out.memory_bandwidth = options_.accelerator->memory_bandwidth;
      for (const Link& link : options_.accelerator->links) {
        out.link_bandwidth = std::max(out.link_bandwidth.value_or(BytesPerSecond{}), link.bandwidth_per_direction);
      }
    }
    out.model_flops = model_flops_;
    out.causal_flops = causal_flops_;
    out.full_attention_flops = full_attention_flops_;
    out.shape_flops = shape_flops_;
    const bool modelled = options_.model_flops_per_step || unmodelled_ns_ <= kMostUnmodelled * kernel_ns_;
    if (peak_ && modelled && model_flops_ > Flops{} && window_ns() > 0) {
      out.mfu = model_flops_ / (*peak_ * seconds(window_ns() / 1e9));
    }
    out.steps = std::move(steps_);
  }

  const Timeline& timeline_;
  const RankTimeline& rank_;
  const std::vector<GroupUse>& roles_;
  const AttributionOptions& options_;
  std::vector<std::int32_t> enclosing_;
  std::vector<KernelWork> work_;
  std::vector<LedgerRow> row_of_event_;
  Steps steps_;
  Sweep swept_;
  std::optional<Precision> precision_;
  std::optional<FlopsPerSecond> peak_;
  Rows rows_;
  Flops model_flops_;
  Flops causal_flops_;
  Flops full_attention_flops_;
  Flops shape_flops_;
  double kernel_ns_ = 0;
  double unmodelled_ns_ = 0;
  double unclassified_ns_ = 0;
  std::int64_t recompute_ns_ = 0;
  std::int64_t faster_than_peak_ = 0;
};

}  // namespace

std::string evidence_text(const std::vector<RowEvidence>& evidence, LedgerRow row) {
  std::map<std::string, double> by_name;
  for (const RowEvidence& e : evidence) {
    if (e.row == row) by_name[e.name] += e.ns;
  }
  std::vector<std::pair<double, std::string>> largest;
  for (const auto& [name, ns] : by_name) largest.emplace_back(-ns, name);
  std::sort(largest.begin(), largest.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, largest.size()); ++i) {
    text += fmt::format("{}{} {:.2f} ms", text.empty() ? "" : ", ", largest[i].second, -largest[i].first / 1e6);
  }
  return text;
}

RankAttribution attribute(const Timeline& timeline, const RankTimeline& rank, const std::vector<GroupUse>& roles,
                          const AttributionOptions& options) {
  const bool on_cpu = options.accelerator != nullptr && options.accelerator->kind == DeviceKind::cpu;
  if (!on_cpu || !rank.device.begin_ns.empty()) return Attributor(timeline, rank, roles, options).run();
  RankTimeline seen = rank;
  seen.device = host_as_device(timeline, rank, enclosing_spans(rank.host));
  RankAttribution out = Attributor(timeline, seen, roles, options).run();
  out.host_is_device = true;
  out.launches = {};
  return out;
}

}  // namespace nameplate
