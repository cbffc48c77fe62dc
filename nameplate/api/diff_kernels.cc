#include "nameplate/api/diff_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/report/series.h"

namespace nameplate {
namespace {

constexpr std::size_t kTextRows = 15;

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

// Of the total of A and of the row's own time: what changes by less is the same.
constexpr double kSameOfTotal = 1e-4;
constexpr double kSameOfRow = 0.01;

std::string change_word(const std::optional<Use>& a, const std::optional<Use>& b, double total_a) {
  if (!a) return "added";
  if (!b) return "vanished";
  const double change = b->time - a->time;
  if (std::abs(change) <= std::max(kSameOfTotal * total_a, kSameOfRow * a->time)) return "same";
  return change > 0 ? "slower" : "faster";
}

}  // namespace

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
  double total_a = 0;
  for (const auto& [key, use] : uses_a) total_a += use.time;
  Use sum_a, sum_b;
  for (const auto& [key, sides] : both) {
    const Use in_a = sides.first.value_or(Use{});
    const Use in_b = sides.second.value_or(Use{});
    sum_a = {sum_a.time + in_a.time, sum_a.count + in_a.count};
    sum_b = {sum_b.time + in_b.time, sum_b.count + in_b.count};
    table.rows.push_back({change_word(sides.first, sides.second, total_a), in_a.count, in_b.count, in_a.time, in_b.time,
                          in_b.time - in_a.time, key});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& x, const auto& y) {
    return std::abs(std::get<double>(x[5])) > std::abs(std::get<double>(y[5]));
  });
  table.rows.insert(table.rows.begin(), {std::string("total"), sum_a.count, sum_b.count, sum_a.time, sum_b.time,
                                         sum_b.time - sum_a.time, std::string()});
  return table;
}

}  // namespace nameplate
