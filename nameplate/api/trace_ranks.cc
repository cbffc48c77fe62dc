#include "nameplate/api/trace_ranks.h"

#include <algorithm>
#include <map>
#include <string>

namespace nameplate {
namespace {

// Of its own window: a rank that makes the others wait for less has no cause worth a name.
constexpr double kLeastCaused = 0.01;
constexpr std::size_t kTextRows = 12;

double in_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Those of several ranks only; absent for ranks that share nothing with others.
void add_compared(const AcrossRanks& across, std::size_t rank, Stretch window, std::vector<Cell>& row) {
  const RankWaits& waits = across.waits[rank];
  const auto cause = waits.cause(kLeastCaused * static_cast<double>(window.length()));
  const bool compared = waits.collectives > 0;
  row.push_back(compared ? Cell(waits.caused_ns / 1e9) : Cell());
  row.push_back(cause ? Cell(std::string(name(*cause))) : Cell());
  row.push_back(compared ? Cell(Int128{waits.times_last}) : Cell());
  const std::optional<ClockAlignment>& clock = across.clocks[rank];
  row.push_back(clock ? Cell(in_seconds(clock->offset_ns)) : Cell());
  row.push_back(clock ? Cell(clock->drift) : Cell());
  row.push_back(clock ? Cell(in_seconds(clock->residual_ns)) : Cell());
}

std::string text_of(const Group& group) {
  return group.description.empty() ? group.id : group.id + " " + group.description;
}

// Waiting and transfer by group, the most waiting first.
Table groups_table(const std::vector<ChannelUse>& channels) {
  std::vector<const ChannelUse*> sorted;
  bool experts = false;
  for (const ChannelUse& use : channels) {
    if (!use.point_to_point) sorted.push_back(&use);
    experts |= use.slowest_over_mean.has_value();
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->wait_ns > b->wait_ns; });
  Table table{.id = "groups",
              .columns = {{"role", ""},
                          {"ranks_present", ""},
                          {"count", ""},
                          {"wait_s", "s"},
                          {"transfer_s", "s"},
                          {"wait_ratio", "1"}},
              .text_rows = kTextRows};
  if (experts) table.columns.insert(table.columns.end(), {{"slowest_over_mean_ratio", "1"}, {"expert_idle_s", "s"}});
  table.columns.push_back({"group", ""});
  for (const ChannelUse* use : sorted) {
    const double whole = use->wait_ns + use->transfer_ns;
    std::vector<Cell> row = {std::string(name(use->group.role)),
                             Int128{static_cast<std::int64_t>(use->members.size())},
                             Int128{use->collectives},
                             use->wait_ns / 1e9,
                             use->transfer_ns / 1e9,
                             whole > 0 ? Cell(use->wait_ns / whole) : Cell()};
    if (experts) {
      row.push_back(use->slowest_over_mean ? Cell(*use->slowest_over_mean) : Cell());
      row.push_back(use->slowest_over_mean ? Cell(use->expert_idle_ns / 1e9) : Cell());
    }
    row.push_back(text_of(use->group));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table critical_path_table(const std::vector<RankAttribution>& ranks, const CriticalPath& path) {
  Table table{.id = "critical_path",
              .columns = {{"rank", ""}, {"row", ""}, {"time_s", "s"}, {"share_ratio", "1"}},
              .text_rows = kTextRows};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t row = 0; row < kLedgerRows; ++row) {
      const double ns = path.on_rank_ns[r][row];
      if (ns <= 0) continue;
      table.rows.push_back(
          {Int128{ranks[r].rank}, std::string(name(static_cast<LedgerRow>(row))), ns / 1e9, ns / path.length_ns});
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return std::get<double>(a[2]) > std::get<double>(b[2]); });
  return table;
}

Table stages_table(const std::vector<StageLoad>& stages) {
  Table table{.id = "pipeline_stages",
              .columns = {{"stage", ""}, {"ranks_present", ""}, {"compute_s", "s"}, {"over_mean_ratio", "1"}}};
  for (const StageLoad& s : stages) {
    table.rows.push_back({Int128{s.stage}, Int128{s.ranks}, s.kernels_ns / 1e9, s.over_mean_ratio});
  }
  return table;
}

Table rank_rows_table(const std::vector<RankAttribution>& ranks) {
  Table table{.id = "rank_rows",
              .columns = {{"rank", ""}, {"row", ""}, {"time_s", "s"}, {"share_ratio", "1"}},
              .text_hidden = true};
  for (const RankAttribution& rank : ranks) {
    for (std::size_t i = 0; i < kLedgerRows; ++i) {
      const auto row = static_cast<LedgerRow>(i);
      const auto share = rank.ledger.share(row);
      if (!share) continue;
      table.rows.push_back({Int128{rank.rank}, std::string(name(row)), *rank.ledger.value(row), *share});
    }
  }
  return table;
}

void add_imbalances(const AcrossRanks& across, Document& d) {
  std::optional<double> experts, stages;
  for (const ChannelUse& use : across.channels) experts = std::max(experts, use.slowest_over_mean);
  for (const StageLoad& s : across.stages) stages = std::max(stages, std::optional(s.over_mean_ratio));
  d.add("expert_imbalance_ratio", experts, "1");
  d.add("stage_imbalance_ratio", stages, "1");
}

void add_notes(const Timeline& timeline, const AcrossRanks& across, Document& d) {
  const auto present = static_cast<std::int64_t>(timeline.ranks.size());
  const auto aligned = std::count_if(across.clocks.begin(), across.clocks.end(), [](const auto& c) { return !!c; });
  if (across.matches.size() == 0) {
    d.assumptions.push_back({"trace.nothing_matched", {}});
    return;
  }
  d.assumptions.push_back({"trace.one_clock", {{"collectives", static_cast<std::int64_t>(across.matches.size())}}});
  if (across.matches.without_groups) d.assumptions.push_back({"trace.one_group_for_all", {}});
  if (aligned < present) d.assumptions.push_back({"trace.clocks_apart", {{"ranks", present - aligned}}});
  if (timeline.ranks_total > present) {
    d.assumptions.push_back({"trace.ranks_missing", {{"ranks", timeline.ranks_total - present}}});
  }
  if (across.matches.unmatched > 0) {
    add_defect(d.defects, {"trace.collectives_unmatched", {}}, Severity::info, across.matches.unmatched);
  }
}

}  // namespace

AcrossRanks compare_ranks(Timeline& timeline, const std::vector<RankSummary>& summaries,
                          std::vector<RankAttribution>& ranks) {
  AcrossRanks across = across_ranks(summaries);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    timeline.ranks[i].clock = across.clocks[i];
    ranks[i].ledger = book_waits(ranks[i].ledger, across.waits[i]);
    ranks[i].evidence = book_waits(std::move(ranks[i].evidence), across.waits[i]);
  }
  return across;
}

Table ranks_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const AcrossRanks& across) {
  Table table{.id = "ranks",
              .columns = {{"rank", ""},
                          {"window_s", "s"},
                          {"compute_s", "s"},
                          {"communication_s", "s"},
                          {"exposed_communication_s", "s"},
                          {"copy_only_s", "s"},
                          {"idle_s", "s"}},
              .text_rows = 16};
  const bool several = ranks.size() > 1;
  if (several) {
    const std::vector<Column> compared = {{"wait_caused_s", "s"},     {"cause", ""},
                                          {"times_last", ""},         {"clock_offset_s", "s"},
                                          {"clock_drift_ratio", "1"}, {"clock_residual_s", "s"}};
    table.columns.insert(table.columns.end(), compared.begin(), compared.end());
    table.text_columns = 10;
  }
  table.columns.push_back({"file", ""});
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const TimeSplit& s = ranks[i].split;
    std::vector<Cell> row = {
        Int128{ranks[i].rank},          in_seconds(s.window.length()),          in_seconds(s.compute_ns),
        in_seconds(s.communication_ns), in_seconds(s.exposed_communication_ns), in_seconds(s.copy_only_ns),
        in_seconds(s.idle_ns)};
    if (several) add_compared(across, i, s.window, row);
    row.push_back(timeline.ranks[i].file);
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_comparison(const Timeline& timeline, const std::vector<RankAttribution>& ranks, const AcrossRanks& across,
                    Document& d) {
  if (ranks.size() < 2) return;
  add_imbalances(across, d);
  for (Table table : {groups_table(across.channels), critical_path_table(ranks, across.path),
                      stages_table(across.stages), rank_rows_table(ranks)}) {
    if (!table.rows.empty()) d.tables.push_back(std::move(table));
  }
  d.figures.push_back(
      {"rank_heatmap", FigureKind::heatmap, "rank_rows", "rank", {"row", "share_ratio"}, {"figure.rank_heatmap", {}}});
  add_notes(timeline, across, d);
}

std::vector<LateRank> late_ranks(const std::vector<RankAttribution>& ranks, const AcrossRanks& across) {
  double all_ns = 0;
  std::map<std::int64_t, double> exposed_ns;  // of the row straggler_wait, by the rank that was waited for
  std::map<std::int64_t, RankWaits> by_rank;  // several captures may be of one
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankWaits& waits = across.waits[i];
    RankWaits& sum = by_rank[ranks[i].rank];
    sum.collectives += waits.collectives;
    sum.times_last += waits.times_last;
    sum.caused_ns += waits.caused_ns;
    for (std::size_t c = 0; c < kLateCauses; ++c) sum.caused_by_ns[c] += waits.caused_by_ns[c];
    for (const auto& [last, ns] : waits.waited_for_ns) {
      exposed_ns[last] += ns;
      all_ns += ns;
    }
  }
  std::vector<LateRank> late;
  for (const auto& [rank, waits] : by_rank) {
    const std::optional<LateCause> cause = waits.cause(0);
    if (!cause) continue;
    const double held_ns = waits.caused_by_ns[static_cast<std::size_t>(*cause)];
    const double part = all_ns > 0 ? exposed_ns[rank] / all_ns : 0;
    late.push_back({rank, part, *cause, held_ns / waits.caused_ns, waits.times_last, waits.collectives});
  }
  std::stable_sort(late.begin(), late.end(), [](const LateRank& a, const LateRank& b) { return a.part > b.part; });
  return late;
}

}  // namespace nameplate
