// The Document as JSON, per schema/document.json. Keys stand in the order of that schema; what is absent, or not
// finite, is left out; in table rows, which are positional, an absent cell is "".
#include <cmath>

#include "nameplate/report/json_writer.h"
#include "nameplate/report/render.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

using Layout = JsonWriter::Layout;

void member_if(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.member(name, text);
}

void member_if(JsonWriter& json, std::string_view name, std::optional<double> value) {
  if (value && std::isfinite(*value)) json.member(name, Number(*value));
}

void write_argument(JsonWriter& json, const Argument& argument) {
  if (const std::string* text = std::get_if<std::string>(&argument)) {
    json.string(*text);
  } else if (const std::int64_t* integer = std::get_if<std::int64_t>(&argument)) {
    json.number(Int128{*integer});
  } else {
    json.number(std::get<double>(argument));
  }
}

bool is_finite(const Argument& argument) {
  const double* number = std::get_if<double>(&argument);
  return number == nullptr || std::isfinite(*number);
}

// The members that every message has; the caller opens and closes the object.
void write_message(JsonWriter& json, const Message& message, const std::string& language) {
  json.member("id", message.id);
  json.key("args");
  json.begin_object(Layout::one_line);
  for (const auto& [name, argument] : message.args) {
    if (!is_finite(argument)) continue;
    json.key(name);
    write_argument(json, argument);
  }
  json.end_object();
  json.member("sentence", sentence(message, language));
}

void write_messages(JsonWriter& json, std::string_view key, const std::vector<Message>& messages,
                    const std::string& language) {
  json.key(key);
  json.begin_array();
  for (const Message& message : messages) {
    json.begin_object(Layout::one_line);
    write_message(json, message, language);
    json.end_object();
  }
  json.end_array();
}

void write_values(JsonWriter& json, const std::vector<Value>& values) {
  json.key("values");
  json.begin_object();
  for (const Value& value : values) {
    if (!std::isfinite(as_double(value.value))) continue;
    json.key(value.id);
    json.begin_object(Layout::one_line);
    json.member("value", value.value);
    json.member("unit", value.unit);
    member_if(json, "low", value.low);
    member_if(json, "high", value.high);
    member_if(json, "convention", value.convention);
    member_if(json, "source", value.source);
    member_if(json, "level", value.level);
    json.end_object();
  }
  json.end_object();
}

void write_ledger(JsonWriter& json, std::string_view key, const Ledger& ledger) {
  json.key(key);
  json.begin_object();
  json.member("scope", name(ledger.scope()));
  json.member("unit", "accelerator_s");
  json.member("total", Number(ledger.total()));
  json.member("ranks_present", Number(Int128{ledger.ranks_present()}));
  json.member("ranks_total", Number(Int128{ledger.ranks_total()}));
  json.key("rows");
  json.begin_array();
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const std::optional<double> value = ledger.value(row);
    if (!value || !std::isfinite(*value)) continue;
    json.begin_object(Layout::one_line);
    json.member("id", name(row));
    json.member("value", Number(*value));
    member_if(json, "share", ledger.share(row));
    member_if(json, "evidence", ledger.evidence(row));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_ledgers(JsonWriter& json, const Document& document) {
  json.key("ledgers");
  json.begin_object();
  for (const Ledger& ledger : document.ledgers) write_ledger(json, name(ledger.scope()), ledger);
  json.end_object();
  if (const Ledger* widest = document.widest_ledger()) write_ledger(json, "ledger", *widest);
}

void write_cell(JsonWriter& json, const Cell& cell) {
  if (const double* number = std::get_if<double>(&cell); number != nullptr && std::isfinite(*number)) {
    json.number(*number);
  } else if (const Int128* exact = std::get_if<Int128>(&cell)) {
    json.number(*exact);
  } else if (const std::string* text = std::get_if<std::string>(&cell)) {
    json.string(*text);
  } else {
    json.string("");
  }
}

void write_table(JsonWriter& json, const Table& table) {
  json.key(table.id);
  json.begin_object();
  json.key("columns");
  json.begin_array(Layout::one_line);
  for (const Column& column : table.columns) {
    json.begin_object();
    json.member("id", column.id);
    member_if(json, "unit", column.unit);
    json.end_object();
  }
  json.end_array();
  json.key("rows");
  json.begin_array();
  for (const std::vector<Cell>& row : table.rows) {
    json.begin_array(Layout::one_line);
    for (const Cell& cell : row) write_cell(json, cell);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array(Layout::one_line);
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void write_figures(JsonWriter& json, const std::vector<Figure>& figures, const std::string& language) {
  json.key("figures");
  json.begin_array();
  for (const Figure& figure : figures) {
    json.begin_object(Layout::one_line);
    json.member("id", figure.id);
    json.member("kind", name(figure.kind));
    json.member("table", figure.table);
    member_if(json, "x", figure.x);
    write_strings(json, "y", figure.y);
    if (!figure.text.id.empty()) json.member("text", sentence(figure.text, language));
    json.end_object();
  }
  json.end_array();
}

void write_worth(JsonWriter& json, const Worth& worth) {
  json.key("worth");
  json.begin_object(Layout::one_line);
  member_if(json, "accelerator_s", worth.accelerator_s);
  member_if(json, "mfu_points", worth.mfu_points);
  member_if(json, "low", worth.low);
  member_if(json, "high", worth.high);
  json.end_object();
}

// The sentence of "<id>.<aspect>", which takes the finding's own arguments.
void write_aspect(JsonWriter& json, std::string_view aspect, const Message& message, const std::string& language) {
  Message aspect_message = message;
  aspect_message.id.append(".").append(aspect);
  if (has_sentence(aspect_message.id, language)) json.member(aspect, sentence(aspect_message, language));
}

void write_findings(JsonWriter& json, const std::vector<Finding>& findings, const std::string& language) {
  json.key("findings");
  json.begin_array();
  for (const Finding& finding : findings) {
    json.begin_object();
    write_message(json, finding.message, language);
    if (finding.row) json.member("row", name(*finding.row));
    if (finding.worth) write_worth(json, *finding.worth);
    write_aspect(json, "change", finding.message, language);
    write_aspect(json, "risk", finding.message, language);
    write_strings(json, "evidence", finding.evidence);
    json.end_object();
  }
  json.end_array();
}

void write_defects(JsonWriter& json, const Defects& defects, const std::string& language) {
  json.key("defects");
  json.begin_array();
  for (const Defect& defect : defects) {
    json.begin_object(Layout::one_line);
    write_message(json, defect.message, language);
    json.member("severity", name(defect.severity));
    json.member("count", Number(Int128{defect.count}));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string render_json(const Document& document, const std::string& language) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "nameplate.document/1");
  json.member("command", document.command);
  json.member("version", NAMEPLATE_VERSION);
  if (!document.title.id.empty()) {
    json.key("title");
    json.begin_object(Layout::one_line);
    write_message(json, document.title, language);
    json.end_object();
  }
  write_messages(json, "notes", document.notes, language);
  write_values(json, document.values);
  write_ledgers(json, document);
  json.key("tables");
  json.begin_object();
  for (const Table& table : document.tables) write_table(json, table);
  json.end_object();
  write_figures(json, document.figures, language);
  write_findings(json, document.findings, language);
  write_messages(json, "assumptions", document.assumptions, language);
  write_defects(json, document.defects, language);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace nameplate
