#include "nameplate/api/diff.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "nameplate/api/diff_kernels.h"
#include "nameplate/report/series.h"

namespace nameplate {
namespace {

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

// Whether a ledger knows the row, be it zero: communication is booked by role and repeated or redundant work by its
// FLOPs, so a ledger that has one such row would have the others.
bool is_measured(const Ledger& ledger, LedgerRow row) {
  using enum LedgerRow;
  if (ledger.value(row)) return true;
  if (row == recompute || row == redundant_compute) return ledger.value(model_compute).has_value();
  if (row < comm_dp || row > comm_other) return false;
  for (int i = static_cast<int>(comm_dp); i <= static_cast<int>(comm_other); ++i) {
    if (ledger.value(static_cast<LedgerRow>(i))) return true;
  }
  return false;
}

std::optional<double> change_of(const Pair& pair, LedgerRow row) {
  if (!is_measured(pair.a, row) || !is_measured(pair.b, row)) return std::nullopt;
  return pair.b.value(row).value_or(0) - pair.a.value(row).value_or(0);
}

// Rows above zero on one side that the other never looked for.
std::vector<LedgerRow> not_measured(const Ledger& ledger, const Ledger& other) {
  std::vector<LedgerRow> rows;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (!is_measured(ledger, row) && other.value(row).value_or(0) != 0) rows.push_back(row);
  }
  return rows;
}

Table ledger_table(const Pair& pair, LedgerScope scope) {
  Table table{.id = fmt::format("diff_{}", name(scope)),
              .columns = {{"row", ""},
                          {pair.column("a"), pair.unit()},
                          {pair.column("b"), pair.unit()},
                          {pair.column("change"), pair.unit()},
                          {"a_share_ratio", "1"},
                          {"b_share_ratio", "1"}}};
  const auto cell = [](std::optional<double> value) { return value ? Cell(*value) : Cell(); };
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const bool nothing = pair.a.value(row).value_or(0) == 0 && pair.b.value(row).value_or(0) == 0;
    if (nothing) continue;
    table.rows.push_back({std::string(name(row)), cell(pair.a.value(row)), cell(pair.b.value(row)),
                          cell(change_of(pair, row)), cell(pair.a.share(row)), cell(pair.b.share(row))});
  }
  table.rows.push_back(
      {std::string("total"), pair.a.total(), pair.b.total(), pair.b.total() - pair.a.total(), 1.0, 1.0});
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

// The share of kernel time whose FLOPs are not known, where it is another on each side: then so is what counts as model
// compute, whatever the steps do.
constexpr double kSameUnmodelled = 0.01;
bool counts_differ(const Document& a, const Document& b) {
  return std::abs(figure(a, "unmodelled_flops_ratio") - figure(b, "unmodelled_flops_ratio")) > kSameUnmodelled;
}

// What of a row's change says something: not the remainder beside rows that the other side has in it, and no model
// compute that is counted another way.
bool compares(const Pair& pair, LedgerRow row, bool counted_alike) {
  if (row == LedgerRow::unattributed)
    return not_measured(pair.a, pair.b).empty() && not_measured(pair.b, pair.a).empty();
  return row != LedgerRow::model_compute || counted_alike;
}

// Rows whose gap is beyond the threshold and the model's own error, the largest first.
std::vector<Finding> findings(const Pair& pair, const Document& a, const Document& b, const DiffOptions& options) {
  const double band = std::max(options.least_share, band_between(a, b));
  const bool counted_alike = !counts_differ(a, b);
  std::vector<std::pair<double, LedgerRow>> gaps;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const double change = change_of(pair, row).value_or(0);
    const double least = std::max(band, options.band_ratio[i]) * pair.a.total();
    if (std::abs(change) > least && compares(pair, row, counted_alike)) gaps.emplace_back(change, row);
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

// FLOP/s of the dense peak that a document counts its MFU against; 0 where it does not tell.
double peak_tflops(const Document& d) {
  const double stated = figure(d, "peak_tflops_per_s");
  const double mfu = figure(d, "mfu_step_ratio");
  return stated > 0 || mfu <= 0 ? stated : figure(d, "tflops_per_s_per_gpu") / mfu;
}

constexpr double kSameWork = 0.01;
constexpr double kFarApart = 2;

bool differ(double a, double b) { return a > 0 && b > 0 && std::abs(b / a - 1) > kSameWork; }

// Whether a step of both does the same work: model FLOPs are the share of model compute x peak, on each side its own.
void add_work_notes(const Pair& pair, const Document& a, const Document& b, Document& d) {
  const double peak_a = peak_tflops(a), peak_b = peak_tflops(b);
  if (differ(peak_a, peak_b)) d.notes.push_back({"diff.other_peak", {{"a", peak_a}, {"b", peak_b}}});
  const double at_peak_a = pair.a.value(LedgerRow::model_compute).value_or(0);
  const double at_peak_b = pair.b.value(LedgerRow::model_compute).value_or(0);
  if (!pair.per_step || at_peak_a <= 0 || at_peak_b <= 0) return;
  if (counts_differ(a, b)) {
    d.notes.push_back({"diff.other_unmodelled",
                       {{"a", figure(a, "unmodelled_flops_ratio")}, {"b", figure(b, "unmodelled_flops_ratio")}}});
  } else if (peak_a > 0 && peak_b > 0 && differ(at_peak_a * peak_a, at_peak_b * peak_b)) {
    const double work_a = at_peak_a * peak_a, work_b = at_peak_b * peak_b;
    d.notes.push_back({"diff.other_work", {{"factor", work_b / work_a}, {"a", work_a}, {"b", work_b}}});
  } else if ((peak_a <= 0 || peak_b <= 0) && differ(at_peak_a, at_peak_b)) {
    d.notes.push_back({"diff.other_work_or_peak", {{"factor", at_peak_b / at_peak_a}}});
  }
}

void add_cautions(const Pair& pair, const Document& a, const Document& b, Document& d) {
  const double factor = pair.b.total() / pair.a.total();
  if (pair.per_step && (factor > kFarApart || factor < 1 / kFarApart)) {
    d.notes.push_back({"diff.far_apart", {{"factor", std::max(factor, 1 / factor)}}});
  }
  const double token_a = figure(a, "flops_per_token"), token_b = figure(b, "flops_per_token");
  if (differ(token_a, token_b)) d.notes.push_back({"diff.other_model", {{"factor", token_b / token_a}}});
  const auto say = [&](const char* side, const std::vector<LedgerRow>& rows) {
    std::string names;
    for (const LedgerRow row : rows) names += (names.empty() ? "" : ", ") + std::string(name(row));
    if (!rows.empty()) d.notes.push_back({"diff.not_measured", {{"side", std::string(side)}, {"rows", names}}});
  };
  say("A", not_measured(pair.a, pair.b));
  say("B", not_measured(pair.b, pair.a));
}

void add_notes(const Pair& pair, const DiffSide& a, const DiffSide& b, Document& d) {
  d.notes.push_back({"diff.sides", {{"a", a.name}, {"b", b.name}}});
  d.notes.push_back({pair.per_step ? "diff.per_step" : "diff.per_total", {}});
  const double band = band_between(a.document, b.document);
  if (band > 0) d.notes.push_back({"diff.band", {{"share", band}}});
  add_cautions(pair, a.document, b.document, d);
  add_work_notes(pair, a.document, b.document, d);
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
