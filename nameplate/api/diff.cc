#include "nameplate/api/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "nameplate/report/series.h"

namespace nameplate {
namespace {

constexpr std::size_t kTextRows = 15;

double figure(const Document& d, std::string_view id) {
  const Value* value = d.find_value(id);
  return value == nullptr ? 0 : as_double(value->value);
}

// Steps x accelerators that a ledger covers; 0 where the document does not tell.
double rank_steps(const Document& d, const Ledger& ledger) {
  const double steps = figure(d, ledger.scope() == LedgerScope::step ? "steps_steady" : "steps_total");
  if (steps > 0) return steps * static_cast<double>(ledger.ranks_present());
  if (d.command == "predict") return static_cast<double>(ledger.ranks_present());  // of one step
  return ledger.scope() == LedgerScope::step ? figure(d, "traced_rank_steps") : 0;
}

bool can_divide(double by) { return by > 0 && std::isfinite(1 / by); }

const Ledger* find_ledger(const Document& d, LedgerScope scope) {
  for (const Ledger& ledger : d.ledgers) {
    if (ledger.scope() == scope) return &ledger;
  }
  return nullptr;
}

// The two brought to what they are compared by: one step of one accelerator, else their own totals.
struct Pair {
  Ledger a, b;
  bool per_step = true;
  double steps_b = 0;  // steps x accelerators of b
  std::string unit() const { return per_step ? "s" : "1"; }
  std::string column(std::string_view stem) const { return fmt::format("{}_{}", stem, per_step ? "s" : "ratio"); }
};

std::optional<Pair> pair_of(const Document& a, const Document& b, LedgerScope scope) {
  const Ledger* of_a = find_ledger(a, scope);
  const Ledger* of_b = find_ledger(b, scope);
  if (of_a == nullptr || of_b == nullptr || !can_divide(of_a->total()) || !can_divide(of_b->total())) {
    return std::nullopt;
  }
  const double steps_a = rank_steps(a, *of_a);
  const double steps_b = rank_steps(b, *of_b);
  if (can_divide(steps_a) && can_divide(steps_b)) {
    return Pair{of_a->scaled(1 / steps_a), of_b->scaled(1 / steps_b), true, steps_b};
  }
  return Pair{of_a->scaled(1 / of_a->total()), of_b->scaled(1 / of_b->total()), false, 0};
}

Table ledger_table(const Pair& pair, LedgerScope scope) {
  Table table{.id = fmt::format("diff_{}", name(scope)),
              .columns = {{"row", ""},
                          {pair.column("a"), pair.unit()},
                          {pair.column("b"), pair.unit()},
                          {pair.column("change"), pair.unit()},
                          {"a_share_ratio", "1"},
                          {"b_share_ratio", "1"}}};
  const LedgerDifference difference = subtract(pair.b, pair.a);
  const auto cell = [](std::optional<double> value) { return value ? Cell(*value) : Cell(); };
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const bool nothing = pair.a.value(row).value_or(0) == 0 && pair.b.value(row).value_or(0) == 0;
    if (!difference.values[i] || nothing) continue;
    table.rows.push_back({std::string(name(row)), cell(pair.a.value(row)), cell(pair.b.value(row)),
                          *difference.values[i], cell(pair.a.share(row)), cell(pair.b.share(row))});
  }
  table.rows.push_back({std::string("total"), pair.a.total(), pair.b.total(), difference.total, 1.0, 1.0});
  return table;
}

// What a table of kernels or operators says of one name.
struct Use {
  double time = 0;
  double count = 0;
  bool operator==(const Use&) const = default;
};

std::map<std::string, Use> uses(const Table& table, std::string_view name_column, std::string_view time_column,
                                double per) {
  std::map<std::string, Use> all;
  const auto name_at = column_index(table, name_column);
  const auto time_at = column_index(table, time_column);
  const auto count_at = column_index(table, "count");
  if (!name_at || !time_at || !count_at) return all;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto* key = std::get_if<std::string>(&table.rows[r][*name_at]);
    if (key == nullptr) continue;
    Use& use = all[*key];
    use.time += drawable(table, r, *time_at).value_or(0) / per;
    use.count += drawable(table, r, *count_at).value_or(0) / per;
  }
  return all;
}

std::string change_word(bool in_a, bool in_b, double change) {
  if (!in_a) return "added";
  if (!in_b) return "vanished";
  if (change == 0) return "same";
  return change > 0 ? "slower" : "faster";
}

// The tables of one id joined by name, the largest change first; the first row is their total. `per`: what each side's
// sums are divided by.
struct Join {
  std::string_view table, name_column, time_column;
  double per_a = 1, per_b = 1;
};

std::optional<Table> joined(const Document& a, const Document& b, const Join& join) {
  const Table* of_a = a.find_table(join.table);
  const Table* of_b = b.find_table(join.table);
  if (of_a == nullptr || of_b == nullptr) return std::nullopt;
  const auto uses_a = uses(*of_a, join.name_column, join.time_column, join.per_a);
  const auto uses_b = uses(*of_b, join.name_column, join.time_column, join.per_b);
  Table table{.id = fmt::format("diff_{}", join.table),
              .columns = {{"change", ""},
                          {"a_count", ""},
                          {"b_count", ""},
                          {"a_s", "s"},
                          {"b_s", "s"},
                          {"change_s", "s"},
                          {std::string(join.name_column), ""}},
              .text_rows = kTextRows};
  std::map<std::string, std::pair<std::optional<Use>, std::optional<Use>>> both;
  for (const auto& [key, use] : uses_a) both[key].first = use;
  for (const auto& [key, use] : uses_b) both[key].second = use;
  Use sum_a, sum_b;
  for (const auto& [key, sides] : both) {
    const Use in_a = sides.first.value_or(Use{});
    const Use in_b = sides.second.value_or(Use{});
    sum_a = {sum_a.time + in_a.time, sum_a.count + in_a.count};
    sum_b = {sum_b.time + in_b.time, sum_b.count + in_b.count};
    table.rows.push_back({change_word(sides.first.has_value(), sides.second.has_value(), in_b.time - in_a.time),
                          in_a.count, in_b.count, in_a.time, in_b.time, in_b.time - in_a.time, key});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& x, const auto& y) {
    return std::abs(std::get<double>(x[5])) > std::abs(std::get<double>(y[5]));
  });
  table.rows.insert(table.rows.begin(), {std::string("total"), sum_a.count, sum_b.count, sum_a.time, sum_b.time,
                                         sum_b.time - sum_a.time, std::string()});
  return table;
}

// Every figure that both have, with its change.
Table values_table(const Document& a, const Document& b) {
  Table table{.id = "diff_values",
              .columns = {{"value", ""}, {"unit", ""}, {"a", ""}, {"b", ""}, {"change", ""}, {"change_ratio", "1"}},
              .text_hidden = true};
  for (const Value& of_b : b.values) {
    const Value* of_a = a.find_value(of_b.id);
    if (of_a == nullptr || of_a->unit != of_b.unit) continue;
    const double before = as_double(of_a->value);
    const double after = as_double(of_b.value);
    table.rows.push_back({of_b.id, of_b.unit, before, after, after - before,
                          before != 0 ? Cell((after - before) / std::abs(before)) : Cell()});
  }
  return table;
}

// By how much a predicted side says that its step time may be off; 0 for what is measured.
double predicted_band(const Document& d) {
  const Value* time = d.find_value("step_time_s");
  if (d.command != "predict" || time == nullptr || !time->low || !time->high) return 0;
  const double at = as_double(time->value);
  return at > 0 ? std::max(*time->high / at - 1, 1 - *time->low / at) : 0;
}

// Between a measurement and a prediction the gap may be all the model's; two predictions err alike.
double band_between(const Document& a, const Document& b) {
  if (a.command == "predict" && b.command == "predict") return 0;
  return std::max(predicted_band(a), predicted_band(b));
}

Finding finding(const Pair& pair, LedgerRow row, double change, const Document& b) {
  Finding found{.message = {fmt::format("diff.row_{}{}", change > 0 ? "grew" : "shrank", pair.per_step ? "" : "_share"),
                            {{"row", std::string(name(row))},
                             {"change", std::abs(change)},
                             {"share", std::abs(change) / pair.a.total()},
                             {"a", pair.a.value(row).value_or(0)},
                             {"b", pair.b.value(row).value_or(0)}}},
                .row = row};
  if (change > 0 && pair.per_step && row != LedgerRow::model_compute) {
    found.worth = Worth{.accelerator_s = change * pair.steps_b};
    const Value* mfu = b.find_value("mfu_step_ratio");
    const double rest = pair.b.total() - change;
    if (mfu != nullptr && rest > 0) found.worth->mfu_points = as_double(mfu->value) * (pair.b.total() / rest - 1);
  }
  for (const std::string* evidence : {&pair.a.evidence(row), &pair.b.evidence(row)}) {
    if (!evidence->empty()) found.evidence.push_back((evidence == &pair.a.evidence(row) ? "A: " : "B: ") + *evidence);
  }
  return found;
}

// Rows whose gap is beyond the threshold and the model's own error, the largest first.
std::vector<Finding> findings(const Pair& pair, const Document& a, const Document& b, const DiffOptions& options) {
  const double band = std::max(options.least_share, band_between(a, b));
  const LedgerDifference difference = subtract(pair.b, pair.a);
  std::vector<std::pair<double, LedgerRow>> gaps;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const double change = difference.values[i].value_or(0);
    const double least = std::max(band, options.band_ratio[i]) * pair.a.total();
    if (std::abs(change) > least) gaps.emplace_back(change, static_cast<LedgerRow>(i));
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
  std::vector<Finding> found;
  for (const auto& [change, row] : gaps) found.push_back(finding(pair, row, change, b));
  return found;
}

Message step_title(double before, double after, const Document& a, const Document& b) {
  const Value* mfu_a = a.find_value("mfu_step_ratio");
  const Value* mfu_b = b.find_value("mfu_step_ratio");
  std::string id = after == before ? "diff.title_same" : after > before ? "diff.title_longer" : "diff.title_shorter";
  Message made{std::move(id), {{"change", std::abs(after / before - 1)}, {"a", before}, {"b", after}}};
  if (mfu_a != nullptr && mfu_b != nullptr) {
    made.id += "_mfu";
    made.args.emplace_back("mfu_a", as_double(mfu_a->value));
    made.args.emplace_back("mfu_b", as_double(mfu_b->value));
  }
  return made;
}

Message title(const Pair& pair, const Document& a, const Document& b) {
  return pair.per_step ? step_title(pair.a.total(), pair.b.total(), a, b) : Message{"diff.title_shares", {}};
}

// What a gate can ask for (--require 'step_time_change_ratio<=0.02').
void add_step_times(double before, double after, Document& d) {
  d.add("step_time_a_s", before, "s");
  d.add("step_time_b_s", after, "s");
  d.add("step_time_change_ratio", after / before - 1, "1");
}

void add_mfu(const Document& a, const Document& b, Document& d) {
  const Value* mfu_a = a.find_value("mfu_step_ratio");
  const Value* mfu_b = b.find_value("mfu_step_ratio");
  if (mfu_a != nullptr) d.add("mfu_step_a_ratio", as_double(mfu_a->value), "1");
  if (mfu_b != nullptr) d.add("mfu_step_b_ratio", as_double(mfu_b->value), "1");
}

void add_notes(const Pair& pair, const DiffSide& a, const DiffSide& b, Document& d) {
  d.notes.push_back({"diff.sides", {{"a", a.name}, {"b", b.name}}});
  d.notes.push_back({pair.per_step ? "diff.per_step" : "diff.per_total", {}});
  const double band = band_between(a.document, b.document);
  if (band > 0) d.notes.push_back({"diff.band", {{"share", band}}});
  const double work_a = pair.a.value(LedgerRow::model_compute).value_or(0);
  const double work_b = pair.b.value(LedgerRow::model_compute).value_or(0);
  if (pair.per_step && work_a > 0 && work_b > 0 && std::abs(work_b / work_a - 1) > 0.01) {
    d.notes.push_back({"diff.other_work", {{"factor", work_b / work_a}}});
  }
}

// Two sides without a ledger of one kind, as where figures are only stated: their step times are compared, not where
// the time went. Nothing where one has no step time.
std::optional<Document> diff_of_figures(const DiffSide& a, const DiffSide& b) {
  const double before = figure(a.document, "step_time_s");
  const double after = figure(b.document, "step_time_s");
  if (!can_divide(before) || !can_divide(after)) return std::nullopt;
  Document d;
  d.command = "diff";
  d.title = step_title(before, after, a.document, b.document);
  d.notes = {{"diff.sides", {{"a", a.name}, {"b", b.name}}}, {"diff.figures_alone", {}}};
  if (const double band = band_between(a.document, b.document); band > 0) {
    d.notes.push_back({"diff.band", {{"share", band}}});
  }
  add_step_times(before, after, d);
  add_mfu(a.document, b.document, d);
  d.tables.push_back(values_table(a.document, b.document));
  return d;
}

}  // namespace

Result<Document> diff(const DiffSide& a, const DiffSide& b, const DiffOptions& options) {
  Document d;
  d.command = "diff";
  std::optional<Pair> narrowest;
  for (const LedgerScope scope : {LedgerScope::step, LedgerScope::run, LedgerScope::fleet}) {
    const std::optional<Pair> pair = pair_of(a.document, b.document, scope);
    if (!pair) continue;
    d.tables.push_back(ledger_table(*pair, scope));
    if (!narrowest) narrowest = pair;
  }
  if (!narrowest) {
    if (auto figures = diff_of_figures(a, b)) return std::move(*figures);
    return error(fmt::format("'{}' and '{}' have no ledger of one kind to compare", a.name, b.name),
                 "traces, logs with steps, or what --format json saved of them");
  }
  d.title = title(*narrowest, a.document, b.document);
  add_notes(*narrowest, a, b, d);
  if (narrowest->per_step) add_step_times(narrowest->a.total(), narrowest->b.total(), d);
  add_mfu(a.document, b.document, d);
  const double steps_a = figure(a.document, "traced_rank_steps");
  const double steps_b = figure(b.document, "traced_rank_steps");
  if (can_divide(steps_a) && can_divide(steps_b)) {
    for (const Join& join : {Join{"kernels", "kernel", "time_s", steps_a, steps_b},
                             Join{"trace_operators", "operator", "device_s", steps_a, steps_b}}) {
      if (auto table = joined(a.document, b.document, join)) d.tables.push_back(std::move(*table));
    }
  }
  d.tables.push_back(values_table(a.document, b.document));
  d.figures.push_back(
      {"diff", FigureKind::bar, d.tables.front().id, "row", {narrowest->column("change")}, {"diff.figure", {}}});
  d.findings = findings(*narrowest, a.document, b.document, options);
  return d;
}

}  // namespace nameplate
