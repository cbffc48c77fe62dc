#include "nameplate/api/trace_detail.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/analysis/attribution/uncounted.h"

namespace nameplate {
namespace {

constexpr std::size_t kTextRows = 12;

double in_seconds(double ns) { return ns / 1e9; }

// The roofline (Williams, Waterman, Patterson, CACM 2009): the time that peak and memory bandwidth allow at best, over
// the time taken; nothing where neither is known, or the FLOPs are not.
std::optional<double> roof_ratio(const OperatorTotal& o, std::optional<BytesPerSecond> memory) {
  if (o.unknown_ns > 0) return std::nullopt;
  double least_ns = o.at_peak_ns;
  if (memory && o.bytes) least_ns = std::max(least_ns, *o.bytes / memory->base() * 1e9);
  return least_ns > 0 && o.device_ns > 0 ? std::optional(least_ns / static_cast<double>(o.device_ns)) : std::nullopt;
}

Table operators_table(const std::vector<RankAttribution>& ranks) {
  Table table{.id = "trace_operators",
              .columns = {{"count", ""},
                          {"device_s", "s"},
                          {"share_ratio", "1"},
                          {"tflops_per_s", "TFLOP/s"},
                          {"gb_per_s", "GB/s"},
                          {"flop_per_byte", ""},
                          {"roof_ratio", "1"},
                          {"operator", ""},
                          {"shapes", ""},
                          {"call_site", ""}},
              .text_rows = kTextRows};
  double window_ns = 0;
  for (const RankAttribution& r : ranks) window_ns += static_cast<double>(r.steps.steady.length());
  const std::optional<BytesPerSecond> memory = ranks.front().memory_bandwidth;
  for (const OperatorTotal& o : merge_operators(ranks)) {
    const double seconds = in_seconds(static_cast<double>(o.device_ns));
    const double known_s = in_seconds(static_cast<double>(o.device_ns - o.unknown_ns));
    const auto roof = roof_ratio(o, memory);
    table.rows.push_back(
        {Int128{o.calls}, seconds, window_ns > 0 ? Cell(static_cast<double>(o.device_ns) / window_ns) : Cell(),
         o.flops > 0 ? Cell(o.flops / known_s / 1e12) : Cell(), o.bytes ? Cell(*o.bytes / seconds / 1e9) : Cell(),
         o.bytes && o.flops > 0 ? Cell(o.flops / *o.bytes) : Cell(), roof.value_or(2) <= 1 ? Cell(*roof) : Cell(),
         o.name, o.shapes, o.site.empty() ? Cell() : Cell(o.site)});
  }
  return table;
}

// What has no known FLOPs: where a formula of one's own (--operators) or another capture would help most.
Table uncounted_table(const std::vector<RankAttribution>& ranks) {
  Table table{.id = "uncounted_flops",
              .columns = {{"reason", ""}, {"count", ""}, {"device_s", "s"}, {"share_ratio", "1"}, {"operator", ""}},
              .text_rows = kTextRows};
  double kernel_ns = 0;
  for (const RankAttribution& r : ranks) kernel_ns += r.kernel_ns;
  for (const UncountedTotal& u : merge_uncounted(ranks)) {
    table.rows.push_back({std::string(name(u.reason)), Int128{u.kernels}, in_seconds(u.ns),
                          kernel_ns > 0 ? Cell(u.ns / kernel_ns) : Cell(), u.name});
  }
  return table;
}

// Ratios beyond 1 are impossible: they are left out of the table and counted.
void count_beyond_roof(const std::vector<RankAttribution>& ranks, Document& d) {
  std::int64_t beyond = 0;
  for (const OperatorTotal& o : merge_operators(ranks)) {
    beyond += roof_ratio(o, ranks.front().memory_bandwidth).value_or(0) > 1;
  }
  if (beyond > 0) add_defect(d.defects, {"trace.beyond_roof", {}}, Severity::info, beyond);
}

Table phases_table(const std::vector<RankAttribution>& ranks) {
  constexpr std::string_view kNames[] = {"forward", "backward", "optimizer"};
  Table table{
      .id = "phases",
      .columns = {
          {"phase", ""}, {"device_s", "s"}, {"share_ratio", "1"}, {"tflops_per_s", "TFLOP/s"}, {"mfu_ratio", "1"}}};
  const std::vector<PhaseTotal> phases = merge_phases(ranks);
  double whole = 0, known = 0;
  for (const RankAttribution& r : ranks) whole += r.kernel_ns;
  for (const PhaseTotal& p : phases) known += p.kernel_ns;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double seconds = in_seconds(phases[i].kernel_ns);
    if (seconds <= 0) continue;
    const double known_s = in_seconds(phases[i].kernel_ns - phases[i].unknown_ns);
    const double rate = known_s > 0 ? phases[i].flops / known_s : 0;
    table.rows.push_back({std::string(kNames[i]), seconds, phases[i].kernel_ns / whole,
                          rate > 0 ? Cell(rate / 1e12) : Cell(),
                          ranks.front().peak && rate > 0 ? Cell(rate / ranks.front().peak->base()) : Cell()});
  }
  // Kernels whose launch is not recorded, or is in no phase.
  const double rest = whole - known;
  if (known > 0 && rest > 1e-6 * whole) {
    table.rows.push_back({std::string("unknown"), in_seconds(rest), rest / whole, Cell(), Cell()});
  }
  return table;
}

// Rows of every steady step of every rank; what kernels do at peak is in the row of their class, and waiting for other
// ranks in that of its communication.
Table step_rows_table(const std::vector<RankSummary>& ranks) {
  Table table{.id = "step_rows", .columns = {{"rank", ""}, {"step", ""}, {"step_time_s", "s"}}, .text_hidden = true};
  std::vector<std::pair<const RankSummary*, const StepSpan*>> steps;
  std::vector<RowTimes> times;
  std::array<bool, kLedgerRows> any{};
  for (const RankSummary& rank : ranks) {
    for (const StepSpan& step : rank.steps) {
      steps.emplace_back(&rank, &step);
      times.push_back(rank.activity.inside({step.begin_ns, step.begin_ns + step.duration_ns}));
      for (std::size_t i = 0; i < kLedgerRows; ++i) any[i] = any[i] || times.back()[i] > 0;
    }
  }
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    if (any[i]) table.columns.push_back({std::string(name(static_cast<LedgerRow>(i))), "s"});
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const auto& [rank, step] = steps[s];
    std::vector<Cell> row = {Int128{rank->rank}, Int128{step->index},
                             in_seconds(static_cast<double>(step->duration_ns))};
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      if (any[i]) row.emplace_back(in_seconds(times[s][i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table memory_table(const std::vector<RankAttribution>& ranks) {
  Table table{.id = "memory_timeline",
              .columns = {{"rank", ""}, {"time_s", "s"}, {"allocated_bytes", "B"}, {"reserved_bytes", "B"}},
              .text_hidden = true};
  for (const RankAttribution& r : ranks) {
    for (const MemoryPoint& p : r.memory.points) {
      table.rows.push_back({Int128{r.rank}, in_seconds(static_cast<double>(p.time_ns)), Int128{p.allocated},
                            p.reserved >= 0 ? Cell(Int128{p.reserved}) : Cell()});
    }
  }
  return table;
}

// Several captures of the same ranks over a job: one row each, by rank and time. Empty when no rank has two.
Table captures_table(const TraceSet& set) {
  Table table{.id = "captures",
              .columns = {{"rank", ""},
                          {"start_s", "s"},
                          {"first_step", ""},
                          {"steps", ""},
                          {"step_time_s", "s"},
                          {"busy_ratio", "1"},
                          {"mfu_ratio", "1"},
                          {"file", ""}}};
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> by_time;
  std::map<std::int64_t, int> captures;
  const auto start = [&](std::size_t i) {
    return set.timeline.ranks[i].base_time_ns + set.attributions[i].steps.steady.begin_ns;
  };
  std::int64_t zero = INT64_MAX;
  for (std::size_t i = 0; i < set.attributions.size(); ++i) {
    by_time.emplace(std::pair(set.attributions[i].rank, start(i)), i);
    ++captures[set.attributions[i].rank];
    zero = std::min(zero, start(i));
  }
  for (const auto& [key, i] : by_time) {
    const RankAttribution& r = set.attributions[i];
    if (captures[r.rank] < 2) continue;
    const auto steps = static_cast<double>(r.steps.steps.size() - r.steps.warm_up);
    const auto window_ns = static_cast<double>(r.steps.steady.length());
    table.rows.push_back({Int128{r.rank}, in_seconds(static_cast<double>(start(i) - zero)),
                          steps > 0 ? Cell(Int128{r.steps.steps[r.steps.warm_up].index}) : Cell(),
                          Int128{static_cast<std::int64_t>(steps)},
                          steps > 0 ? Cell(in_seconds(window_ns / steps)) : Cell(),
                          window_ns > 0 ? Cell(static_cast<double>(r.device_ns) / window_ns) : Cell(),
                          r.mfu ? Cell(*r.mfu) : Cell(), set.timeline.ranks[i].file});
  }
  return table;
}

void add_memory(const std::vector<RankAttribution>& ranks, Document& d) {
  MemoryUse most;
  for (const RankAttribution& r : ranks) {
    most.most_allocated = std::max(most.most_allocated, r.memory.most_allocated);
    if (r.memory.most_reserved <= most.most_reserved) continue;
    most.most_reserved = r.memory.most_reserved;
    most.allocated_then = r.memory.allocated_then;
  }
  std::int64_t calls = 0;
  for (const RankAttribution& r : ranks) calls += r.memory.device_calls;
  if (calls > 0) d.values.push_back({.id = "device_allocator_calls", .value = Int128{calls}, .unit = "1"});
  if (most.most_allocated > 0) d.add("memory_peak_bytes", static_cast<double>(most.most_allocated), "B");
  if (most.most_reserved <= 0) return;
  d.add("memory_reserved_bytes", static_cast<double>(most.most_reserved), "B");
  if (most.allocated_then < 0) return;
  d.add("fragmentation_ratio", 1 - static_cast<double>(most.allocated_then) / static_cast<double>(most.most_reserved),
        "1");
}

}  // namespace

std::vector<RoofPoint> roof_points(const std::vector<RankAttribution>& ranks) {
  std::vector<RoofPoint> points;
  for (const OperatorTotal& o : merge_operators(ranks)) {
    const auto roof = roof_ratio(o, ranks.front().memory_bandwidth);
    if (!roof || *roof > 1 || o.at_peak_ns <= 0) continue;
    points.push_back({o.name, o.shapes, o.site, in_seconds(static_cast<double>(o.device_ns)), *roof});
  }
  return points;
}

void add_detail(const TraceSet& set, Document& d) {
  add_memory(set.attributions, d);
  count_beyond_roof(set.attributions, d);
  Table operators = operators_table(set.attributions);
  const bool points = std::any_of(operators.rows.begin(), operators.rows.end(),
                                  [](const auto& row) { return std::holds_alternative<double>(row[5]); });
  Table memory = memory_table(set.attributions);
  if (!memory.rows.empty()) {
    d.figures.push_back({"memory",
                         FigureKind::line,
                         "memory_timeline",
                         "time_s",
                         {"allocated_bytes", "reserved_bytes"},
                         {"trace.figure.memory", {}}});
  }
  for (Table table :
       {captures_table(set), std::move(operators), uncounted_table(set.attributions), phases_table(set.attributions),
        every_rank_has_steps(set.attributions) ? step_rows_table(set.summaries) : Table{}, std::move(memory)}) {
    if (!table.rows.empty()) d.tables.push_back(std::move(table));
  }
  if (points) {
    d.figures.push_back({"roofline",
                         FigureKind::scatter,
                         "trace_operators",
                         "flop_per_byte",
                         {"tflops_per_s"},
                         {"trace.figure.roofline", {}}});
  }
}

void add_capture_ladder(const TraceSet& set, Document& d) {
  constexpr std::string_view kOfProfiler[] = {"", "_nsight", "_xla"};
  const auto ask = [&](std::string_view what) {
    d.notes.push_back(
        {fmt::format("ladder.capture_{}{}", what, kOfProfiler[static_cast<std::size_t>(set.profiler)]), {}});
  };
  const std::vector<RankAttribution>& ranks = set.attributions;
  const auto all = [&](auto holds) { return std::all_of(ranks.begin(), ranks.end(), holds); };
  const std::size_t before = d.notes.size();
  if (!set.has_shapes) ask("shapes");
  const bool lost = std::any_of(d.defects.begin(), d.defects.end(), [](const Defect& defect) {
    return defect.message.id == "trace.device_lost" || defect.message.id == "trace.window_cut";
  });
  if (all([](const RankAttribution& r) { return r.host_only; })) {
    if (!lost) ask("device");
  } else if (!d.widest_ledger()->value(LedgerRow::host_bound)) {
    ask("host");
  }
  // A whole file may have what is missing.
  if (!lost && all([](const RankAttribution& r) {
        return r.steps.source == StepSource::none || r.steps.source == StepSource::kernels;
      })) {
    ask("steps");
  }
  if (d.notes.size() > before) ask("lines");
  const auto present = static_cast<std::int64_t>(ranks.size());
  if (present < set.timeline.ranks_total) {
    d.notes.push_back({"ladder.capture_ranks", {{"present", present}, {"total", set.timeline.ranks_total}}});
  }
}

}  // namespace nameplate
