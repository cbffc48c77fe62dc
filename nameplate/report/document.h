// What every command returns: values, ledgers, tables, figures, findings, assumptions and defects, each with unit and
// source. Renderers (text, JSON, CSV, HTML) only ever show what is in it. Its JSON form is schema/document.json.
//
// What is unknown is absent: never null, NaN or a stand-in zero. Keys carry the unit (`step_time_s`, `mfu_step_ratio`);
// ratios are 0..1 and become percent in renderers only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nameplate/core/exact.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/finding.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

using Number = std::variant<double, Int128>;  // measured or exact

// One named figure. `unit` is "1" for ratios, else "s", "B", "FLOP", "FLOP/s", "TFLOP/s", "token/s", "token", "1" …
struct Value {
  std::string id;  // "mfu_step_ratio"
  Number value = 0.0;
  std::string unit = "1";
  std::optional<double> low;  // of a 95 % interval unless the text says otherwise
  std::optional<double> high;
  std::string convention;  // "causal, dense bf16 peak"
  std::string source;      // "train.log", "catalogue: H100 SXM"
  std::string level;       // rung of the evidence ladder: "typed", "log", "log+config", "trace", …
};

using Cell = std::variant<std::monostate, double, Int128, std::string>;  // monostate: absent

struct Column {
  std::string id;
  std::string unit;  // empty for text
};

struct Table {
  std::string id;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  // Rows shown as text and in the page: the first `text_rows` (0: all). JSON and CSV always have all.
  std::size_t text_rows = 0;
  std::size_t text_columns = 0;  // columns shown as text: the first so many (0: all); the page has all
  bool text_hidden = false;      // only in JSON, CSV and figures (long series)
};

enum class FigureKind { line, bar, histogram, waterfall, heatmap, scatter };
std::string_view name(FigureKind kind);

struct Figure {
  std::string id;
  FigureKind kind = FigureKind::line;
  std::string table;           // id of the table it shows; a waterfall: "ledger:<scope>"
  std::string x;               // column ids
  std::vector<std::string> y;  // none for a waterfall and a histogram, which counts the values of column x
  Message text;                // caption
};

// One sentence of a verdict or explanation at the top of a document.
using Note = Message;

struct Document {
  std::string command;
  Message title;            // id and arguments of the headline
  std::vector<Note> notes;  // shown under the title, in order
  std::vector<Value> values;
  std::vector<Ledger> ledgers;  // at most one per scope
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<Finding> findings;  // ranked by worth
  std::vector<Assumption> assumptions;
  Defects defects;

  const Value* find_value(std::string_view id) const;
  const Table* find_table(std::string_view id) const;
  const Ledger* widest_ledger() const;  // fleet, else run, else step
  // Adds a figure when there is one.
  void add(std::string id, std::optional<double> value, std::string unit);
};

double as_double(const Number& number);

}  // namespace nameplate
