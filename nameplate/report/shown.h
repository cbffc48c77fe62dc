// What people are shown of a Document: labels looked up, numbers scaled and written, long tables cut. The text and the
// page are both made of these, so that they say the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/report/document.h"

namespace nameplate {

// All texts are printable: one line, no control characters.
struct ShownValue {
  std::string label;
  std::string number;    // "34.7"
  std::string unit;      // "%"
  std::string interval;  // "34.5 .. 34.9", in the same unit; may be empty
  std::string convention;
  std::string source;
};
ShownValue show(const Value& value, const std::string& language);

struct ShownLedgerRow {
  LedgerRow row = LedgerRow::unattributed;
  std::string label;
  double share = 0;     // 0..1; 0 where the total is zero
  std::string percent;  // "34.7 %"
  std::string amount;   // in the ledger's unit
  std::string evidence;
};
struct ShownLedger {
  std::string heading;
  std::string coverage;  // "8 of 16 ranks"; empty when all are present
  std::string unit;      // "accelerator-s" or "accelerator-h"
  std::vector<ShownLedgerRow> rows;
  std::string total_label;
  std::string total;
};
// `document`: the one that it is in; where that has no MFU, model compute is not called so; a capture that marks no
// steps has none in its heading.
ShownLedger show(const Ledger& ledger, const Document& document, const std::string& language);

struct ShownColumn {
  std::string label;
  std::string unit;
  bool is_number = false;
};
struct ShownTable {
  std::string heading;
  std::vector<ShownColumn> columns;
  std::vector<std::vector<std::string>> rows;  // every row has as many cells as there are columns
  std::size_t rows_left_out = 0;
};
// At most `most_rows` rows, fewer where the table says so.
ShownTable show(const Table& table, std::size_t most_rows, const std::string& language);
// Those without a text in any row.
void leave_out_empty_columns(ShownTable& table);

struct ShownFinding {
  std::string sentence;
  std::string row;    // label of the ledger row; may be empty, as the rest
  std::string worth;  // "3.2 MFU points (2.1 .. 4.0), 123 accelerator-s"
  std::string change;
  std::string risk;
  std::vector<std::string> evidence;
};
ShownFinding show(const Finding& finding, const std::string& language);

struct ShownDefect {
  std::string severity;
  std::string count;  // "3 x"
  std::string sentence;
};
ShownDefect show(const Defect& defect, const std::string& language);

// The sentence of a message, printable.
std::string show(const Message& message, const std::string& language);

// The label of `id`, as a kind ("table", "column", "ledger") names it where the catalogue tells them apart.
std::string show_label(std::string_view kind, std::string_view id, const std::string& language);

}  // namespace nameplate
