#include "nameplate/report/document.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

template <class T>
const T* find_by_id(const std::vector<T>& items, std::string_view id) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.id == id; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name(FigureKind kind) {
  switch (kind) {
    case FigureKind::line:
      return "line";
    case FigureKind::bar:
      return "bar";
    case FigureKind::histogram:
      return "histogram";
    case FigureKind::waterfall:
      return "waterfall";
    case FigureKind::heatmap:
      return "heatmap";
    case FigureKind::scatter:
      return "scatter";
  }
  return "line";
}

double as_double(const Number& number) {
  if (const Int128* exact = std::get_if<Int128>(&number)) return to_double(*exact);
  return std::get<double>(number);
}

const Value* Document::find_value(std::string_view id) const { return find_by_id(values, id); }

const Table* Document::find_table(std::string_view id) const { return find_by_id(tables, id); }

const Ledger* Document::widest_ledger() const {
  const auto widest = std::max_element(ledgers.begin(), ledgers.end(),
                                       [](const Ledger& a, const Ledger& b) { return a.scope() < b.scope(); });
  return widest == ledgers.end() ? nullptr : &*widest;
}

void Document::add(std::string id, std::optional<double> value, std::string unit) {
  if (!value || !std::isfinite(*value)) return;
  Value added;
  added.id = std::move(id);
  added.value = *value;
  added.unit = std::move(unit);
  values.push_back(std::move(added));
}

}  // namespace nameplate
