#include "nameplate/api/rank_result.h"

#include <algorithm>
#include <cmath>

#include "nameplate/core/binary_form.h"

namespace nameplate {

namespace {

constexpr const char* kVersion = "nameplate.rank_result/5";

// The rows of a ledger, which only a builder can make.
struct LedgerRows {
  LedgerScope scope = LedgerScope::step;
  std::int64_t ranks_present = 0;
  std::int64_t ranks_total = 0;
  double total = 0;
  std::vector<std::pair<LedgerRow, double>> rows;
  std::vector<std::string> evidence;  // by row, that of `unattributed` last
};

LedgerRows rows_of(const Ledger& ledger) {
  LedgerRows out{ledger.scope(), ledger.ranks_present(), ledger.ranks_total(), ledger.total(), {}, {}};
  for (std::size_t i = 0; i + 1 < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (!ledger.value(row)) continue;
    out.rows.emplace_back(row, *ledger.value(row));
    out.evidence.push_back(ledger.evidence(row));
  }
  out.evidence.push_back(ledger.evidence(LedgerRow::unattributed));
  return out;
}

bool bookable(const LedgerRows& from) {
  bool good = std::isfinite(from.total) && from.ranks_present > 0 && from.ranks_total >= from.ranks_present &&
              from.evidence.size() == from.rows.size() + 1;
  for (const auto& [row, value] : from.rows) good = good && row != LedgerRow::unattributed && std::isfinite(value);
  return good;
}

Ledger ledger_of(const LedgerRows& from) {
  LedgerBuilder builder(from.scope, from.ranks_present, from.ranks_total);
  for (std::size_t i = 0; i < from.rows.size(); ++i) {
    builder.book(from.rows[i].first, from.rows[i].second, from.evidence[i]);
  }
  return builder.close(from.total, from.evidence.back());
}

struct FileResult {
  std::string version = kVersion;
  std::optional<Error> error;
  std::vector<RankResult> ranks;
};

}  // namespace

constexpr LedgerScope last_enumerator(LedgerScope) { return LedgerScope::fleet; }
constexpr LedgerRow last_enumerator(LedgerRow) { return LedgerRow::unattributed; }
constexpr Severity last_enumerator(Severity) { return Severity::error; }
constexpr Precision last_enumerator(Precision) { return Precision::fp4; }
constexpr Profiler last_enumerator(Profiler) { return Profiler::xla; }
constexpr RankSource last_enumerator(RankSource) { return RankSource::order; }
constexpr GroupRole last_enumerator(GroupRole) { return GroupRole::other; }
constexpr RoleSource last_enumerator(RoleSource) { return RoleSource::none; }
constexpr StepSource last_enumerator(StepSource) { return StepSource::none; }
constexpr DeviceEventClass last_enumerator(DeviceEventClass) { return DeviceEventClass::unclassified; }
constexpr UncountedReason last_enumerator(UncountedReason) { return UncountedReason::no_formula; }
constexpr CollectiveKind last_enumerator(CollectiveKind) { return CollectiveKind::other; }

template <class Form>
void members(Form& form, Like<Place> auto& p) {
  static_assert(member_count<Place>() == 5);
  form(p.file, p.line, p.column, p.path, p.source_line);
}

template <class Form>
void members(Form& form, Like<Error> auto& e) {
  static_assert(member_count<Error>() == 4);
  form(e.found, e.expected, e.place, e.hint);
}

template <class Form>
void members(Form& form, Like<Message> auto& m) {
  static_assert(member_count<Message>() == 2);
  form(m.id, m.args);
}

template <class Form>
void members(Form& form, Like<Defect> auto& d) {
  static_assert(member_count<Defect>() == 3);
  form(d.message, d.severity, d.count);
}

template <class Form>
void members(Form& form, Like<Group> auto& g) {
  static_assert(member_count<Group>() == 5);
  form(g.id, g.description, g.role, g.ranks, g.size);
}

template <class Form>
void members(Form& form, Like<GroupUse> auto& u) {
  static_assert(member_count<GroupUse>() == 2);
  form(u.role, u.source);
}

template <class Form>
void members(Form& form, Like<Stretch> auto& s) {
  form(s.begin_ns, s.end_ns);
}

template <class Form>
void members(Form& form, Like<StepSpan> auto& s) {
  static_assert(member_count<StepSpan>() == 3);
  form(s.index, s.begin_ns, s.duration_ns);
}

template <class Form>
void members(Form& form, Like<Steps> auto& s) {
  static_assert(member_count<Steps>() == 5);
  form(s.source, s.steps, s.warm_up, s.whole, s.steady);
  form.require(s.warm_up <= s.steps.size());
}

// What a timeline says beside its events; ranks are put on one clock later.
template <class Form>
void members(Form& form, Like<RankTimeline> auto& t) {
  static_assert(member_count<RankTimeline>() == 13);
  form(t.rank, t.rank_source, t.file, t.device_name, t.base_time_ns, t.window_begin_ns, t.window_end_ns, t.steps);
}

template <class Form>
void members(Form& form, Like<RankTrace> auto& t) {
  static_assert(member_count<RankTrace>() == 8);
  form(t.timeline, t.names, t.groups, t.rank, t.ranks_total, t.defects, t.profiler);
}

template <class Form>
void members(Form& form, Like<TimeSplit> auto& s) {
  static_assert(member_count<TimeSplit>() == 6);
  form(s.window, s.compute_ns, s.communication_ns, s.exposed_communication_ns, s.copy_only_ns, s.idle_ns);
}

template <class Form>
void members(Form& form, Like<KernelTotal> auto& k) {
  static_assert(member_count<KernelTotal>() == 8);
  form(k.name_id, k.event_class, k.count, k.time_ns, k.exclusive_ns, k.unknown_ns, k.flops, k.recompute_ns);
}

template <class Form>
void members(Form& form, Like<CollectiveTotal> auto& c) {
  static_assert(member_count<CollectiveTotal>() == 8);
  form(c.kind, c.group, c.role, c.bytes, c.count, c.time_ns, c.exposed_ns, c.least_ns);
}

template <class Form>
void members(Form& form, Like<OperatorTotal> auto& o) {
  static_assert(member_count<OperatorTotal>() == 9);
  form(o.name, o.shapes, o.site, o.calls, o.device_ns, o.unknown_ns, o.flops, o.at_peak_ns, o.bytes);
}

template <class Form>
void members(Form& form, Like<UncountedTotal> auto& u) {
  static_assert(member_count<UncountedTotal>() == 4);
  form(u.name, u.reason, u.kernels, u.ns);
}

template <class Form>
void members(Form& form, Like<PhaseTotal> auto& p) {
  static_assert(member_count<PhaseTotal>() == 3);
  form(p.kernel_ns, p.unknown_ns, p.flops);
}

template <class Form>
void members(Form& form, Like<MemoryPoint> auto& p) {
  static_assert(member_count<MemoryPoint>() == 3);
  form(p.time_ns, p.allocated, p.reserved);
}

template <class Form>
void members(Form& form, Like<MemoryUse> auto& m) {
  static_assert(member_count<MemoryUse>() == 5);
  form(m.most_allocated, m.most_reserved, m.allocated_then, m.device_calls, m.points);
}

template <class Form>
void members(Form& form, Like<RowEvidence> auto& e) {
  static_assert(member_count<RowEvidence>() == 3);
  form(e.row, e.name, e.ns);
}

template <class Form>
void members(Form& form, Like<LaunchStatistics> auto& l) {
  static_assert(member_count<LaunchStatistics>() == 4);
  form(l.kernels, l.short_kernels, l.in_graph, l.queue_depth);
}

template <class Form>
void members(Form& form, Like<LedgerRows> auto& l) {
  static_assert(member_count<LedgerRows>() == 6);
  form(l.scope, l.ranks_present, l.ranks_total, l.total, l.rows, l.evidence);
  form.require(bookable(l));
}

void members(BinaryWriter& form, const Ledger& ledger) { form(rows_of(ledger)); }
void members(BinaryReader& form, Ledger& ledger) {
  LedgerRows rows;
  form(rows);
  if (form.good()) ledger = ledger_of(rows);
}

template <class Form, int... kDimensions>
void members(Form& form, const Quantity<kDimensions...>& quantity) {
  form(quantity.base());
}
template <int... kDimensions>
void members(BinaryReader& form, Quantity<kDimensions...>& quantity) {
  double base = 0;
  form(base);
  quantity = Quantity<kDimensions...>::from_base(base);
}

template <class Form>
void members(Form& form, Like<RankAttribution> auto& a) {
  form(a.rank, a.steps, a.host_only, a.host_is_device, a.split, a.ledger, a.evidence, a.kernels, a.collectives,
       a.operators, a.uncounted, a.phases, a.memory, a.launches, a.kernel_ns, a.unmodelled_ns, a.unclassified_ns,
       a.device_ns, a.recompute_ns, a.overlaps, a.faster_than_peak, a.precision, a.peak, a.memory_bandwidth,
       a.link_bandwidth, a.model_flops, a.causal_flops, a.full_attention_flops, a.shape_flops, a.blocking_copy_ns,
       a.mfu);
}

template <class Form>
void members(Form& form, Like<RankCollectives> auto& c) {
  static_assert(member_count<RankCollectives>() == 8);
  form(c.group, c.kind, c.row, c.bytes, c.sequence, c.peer, c.begin_ns, c.end_ns);
  const std::size_t size = c.begin_ns.size();
  form.require(c.group.size() == size && c.kind.size() == size && c.row.size() == size && c.bytes.size() == size &&
               c.sequence.size() == size && c.peer.size() == size && c.end_ns.size() == size);
}

template <class Form>
void members(Form& form, Like<RankActivity> auto& a) {
  static_assert(member_count<RankActivity>() == 5);
  form(a.begin_ns, a.end_ns, a.first, a.row, a.ns);
  form.require(a.first.size() == a.end_ns.size() + 1 && a.row.size() == a.ns.size() &&
               std::is_sorted(a.first.begin(), a.first.end()) && (a.first.empty() || a.first.back() <= a.row.size()));
}

template <class Form>
void members(Form& form, Like<RankSummary> auto& s) {
  static_assert(member_count<RankSummary>() == 8);
  form(s.rank, s.base_time_ns, s.steady, s.steps, s.groups, s.role_sources, s.collectives, s.activity);
  form.require(s.role_sources.size() == s.groups.size());
  form.require(std::all_of(s.collectives.group.begin(), s.collectives.group.end(), [&](std::int32_t group) {
    return group >= -1 && group < static_cast<std::int64_t>(s.groups.size());
  }));
}

template <class Form>
void members(Form& form, Like<RankResult> auto& r) {
  static_assert(member_count<RankResult>() == 5);
  form(r.trace, r.roles, r.has_shapes, r.attribution, r.summary);
  bool good = r.roles.size() == r.trace.groups.size();
  for (const KernelTotal& k : r.attribution.kernels) {
    good = good && k.name_id >= 0 && static_cast<std::size_t>(k.name_id) < r.trace.names.size();
  }
  for (const CollectiveTotal& c : r.attribution.collectives) {
    good = good && c.group >= -1 && c.group < static_cast<std::int64_t>(r.trace.groups.size());
  }
  form.require(good);
}

template <class Form>
void members(Form& form, Like<FileResult> auto& f) {
  form(f.version, f.error, f.ranks);
  form.require(f.version == kVersion);
}

std::string to_bytes(const Result<std::vector<RankResult>>& of_file) {
  FileResult result;
  if (!of_file.ok()) {
    result.error = of_file.error();
  } else {
    result.ranks = *of_file;
  }
  return to_bytes<FileResult>(result);
}

Result<std::vector<RankResult>> rank_results(std::string_view bytes) {
  std::optional<FileResult> result = from_bytes<FileResult>(bytes);
  if (!result) return error("a rank's result is damaged, or of another version");
  if (result->error) return *result->error;
  return std::move(result->ranks);
}

}  // namespace nameplate
