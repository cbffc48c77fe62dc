// The Document as CSV (RFC 4180, line feeds): one section for the values, one a ledger, one a table, each headed by
// "# <id>" and ended by an empty line, so that a script cuts out the one it wants. Numbers are as in JSON.
#include <cmath>

#include "nameplate/report/format.h"
#include "nameplate/report/render.h"
#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

std::string quoted(std::string_view text) {
  std::string out = valid_utf8(text);
  for (char& c : out) {  // nothing in a cell may steer a terminal
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f) c = '?';
  }
  if (out.find_first_of(",\"\r\n#") == std::string::npos) return out;
  for (std::size_t at = out.find('"'); at != std::string::npos; at = out.find('"', at + 2)) out.insert(at, "\"");
  return "\"" + out + "\"";
}

std::string number(const Number& value) { return std::isfinite(as_double(value)) ? plain(value) : std::string(); }

std::string number(std::optional<double> value) { return value ? number(Number(*value)) : std::string(); }

std::string cell_text(const Cell& cell) {
  if (const std::string* text = std::get_if<std::string>(&cell)) return quoted(*text);
  if (const double* value = std::get_if<double>(&cell)) return number(Number(*value));
  if (const Int128* value = std::get_if<Int128>(&cell)) return number(Number(*value));
  return {};
}

void add_line(std::string& out, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += fields[i];
  }
  out += '\n';
}

void add_values(std::string& out, const std::vector<Value>& values) {
  out += "# values\nid,value,unit,low,high,convention,source,level\n";
  for (const Value& value : values) {
    if (!std::isfinite(as_double(value.value))) continue;
    add_line(out, {quoted(value.id), number(value.value), quoted(value.unit), number(value.low), number(value.high),
                   quoted(value.convention), quoted(value.source), quoted(value.level)});
  }
}

void add_ledger(std::string& out, const Ledger& ledger) {
  out += "\n# ledger." + std::string(name(ledger.scope())) + "\nid,accelerator_s,share,evidence\n";
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const std::optional<double> value = ledger.value(row);
    if (!value) continue;
    add_line(out, {std::string(name(row)), number(value), number(ledger.share(row)), quoted(ledger.evidence(row))});
  }
}

void add_table(std::string& out, const Table& table) {
  out += "\n# " + table.id + "\n";
  std::vector<std::string> fields;
  for (const Column& column : table.columns) fields.push_back(quoted(column.id));
  add_line(out, fields);
  for (const std::vector<Cell>& row : table.rows) {
    fields.clear();
    for (const Cell& cell : row) fields.push_back(cell_text(cell));
    add_line(out, fields);
  }
}

}  // namespace

std::string render_csv(const Document& document) {
  std::string out;
  add_values(out, document.values);
  for (const Ledger& ledger : document.ledgers) add_ledger(out, ledger);
  for (const Table& table : document.tables) add_table(out, table);
  return out;
}

}  // namespace nameplate
