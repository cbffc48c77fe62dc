#include "nameplate/api/trace_ranks.h"

#include <algorithm>
#include <string>

namespace nameplate {
namespace {

// Of its own window: a rank that makes the others wait for less has no cause worth a name.
constexpr double kLeastCaused = 0.01;

double in_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Those of several ranks only; absent for ranks that share nothing with others.
void add_comparison(const AcrossRanks& across, std::size_t rank, Stretch window, std::vector<Cell>& row) {
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

}  // namespace

AcrossRanks compare_ranks(Timeline& timeline, const std::vector<RankSummary>& summaries,
                          std::vector<RankAttribution>& ranks) {
  AcrossRanks across = across_ranks(summaries);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    timeline.ranks[i].clock = across.clocks[i];
    ranks[i].ledger = book_waits(ranks[i].ledger, across.waits[i]);
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
    if (several) add_comparison(across, i, s.window, row);
    row.push_back(timeline.ranks[i].file);
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_comparison_notes(const Timeline& timeline, const AcrossRanks& across, Document& d) {
  if (timeline.ranks.size() < 2) return;
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

}  // namespace nameplate
