// The Document for a terminal of `width` columns: headline, values, ledgers, findings, tables, and what was assumed or
// lost. Plain ASCII but for texts of the user, since nothing is known about the terminal's encoding; colour is only
// ever an addition.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nameplate/report/render.h"
#include "nameplate/report/sentences.h"
#include "nameplate/report/shown.h"
#include "nameplate/report/text_layout.h"
#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLedgerBar = 25;       // columns of 100 %
constexpr std::size_t kMostLabel = 40;       // longer labels of values are cut
constexpr std::size_t kLeastRemark = 24;     // a convention gets a line of its own where less room is left
constexpr std::size_t kMostTextColumn = 48;  // of a table
constexpr std::size_t kMostTableRows = 40;   // where the table does not say

template <class Range, class Width>
std::size_t widest(const Range& range, Width width) {
  std::size_t most = 0;
  for (const auto& element : range) most = std::max(most, width(element));
  return most;
}

// Without spaces at the end, which must go before colour hides them.
std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

class TextPage {
 public:
  explicit TextPage(const TextStyle& style)
      : style_(style), width_(static_cast<std::size_t>(std::max(style.width, 40))) {}

  void headline(const Document& document);
  void values(const std::vector<Value>& values);
  void ledger(const Ledger& ledger, const Document& document);
  void table(const Table& table);
  void findings(const std::vector<Finding>& findings);
  void assumptions(const std::vector<Assumption>& assumptions);
  void defects(const Defects& defects);
  std::string take() { return std::move(out_); }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return style_.colour && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string bold(const std::string& text) const { return paint("1", text); }
  std::string dim(const std::string& text) const { return paint("2", text); }
  std::string text(const char* id) const { return label(std::string("text.") + id, style_.language); }

  void line(const std::string& text_of_line) { out_ += trimmed(text_of_line) + "\n"; }
  void section(const std::string& heading, const std::string& remark = {});
  // `first` stands before the first line, of `indent` columns; the further lines hang below its text.
  void paragraph(const std::string& first, std::size_t indent, std::string_view body, const char* code = nullptr);
  void value(const ShownValue& value, std::size_t label_width, std::size_t number_width, std::size_t unit_width);
  void table_heads(const ShownTable& table, const std::vector<std::size_t>& widths);
  std::vector<std::size_t> column_widths(const ShownTable& table) const;

  const TextStyle& style_;
  std::size_t width_;
  std::string out_;
};

void TextPage::section(const std::string& heading, const std::string& remark) {
  if (!out_.empty()) out_ += '\n';
  line(bold(heading) + (remark.empty() ? std::string() : "  " + dim(remark)));
}

void TextPage::paragraph(const std::string& first, std::size_t indent, std::string_view body, const char* code) {
  std::string before = first;
  for (const std::string& part : wrap(body, width_ - indent)) {
    line(before + (code == nullptr ? part : paint(code, part)));
    before.assign(indent, ' ');
  }
}

void TextPage::headline(const Document& document) {
  if (!document.title.id.empty()) paragraph("", 0, show(document.title, style_.language), "1");
  for (const Note& note : document.notes) paragraph("", 0, show(note, style_.language));
}

void TextPage::value(const ShownValue& value, std::size_t label_width, std::size_t number_width,
                     std::size_t unit_width) {
  std::string start = std::string(kIndent, ' ') + pad_right(cut(value.label, label_width), label_width) + "  " +
                      bold(pad_left(value.number, number_width)) + " " + pad_right(value.unit, unit_width);
  std::size_t used = kIndent + label_width + 2 + number_width + 1 + unit_width;
  std::string remark = value.convention;
  if (!value.source.empty()) remark += fmt::format("{}[{}]", remark.empty() ? "" : " ", value.source);
  if (!value.interval.empty()) {
    const std::string interval = fmt::format("({})", value.interval);
    const bool fits = used + 2 + interval.size() <= width_;
    if (fits) start += "  " + interval;
    if (fits) used += 2 + interval.size();
    if (!fits) remark = interval + " " + remark;
  }
  if (remark.empty()) return line(start);
  if (used + 2 + kLeastRemark > width_) {
    line(start);
    start.assign(2 * kIndent, ' ');
    used = 2 * kIndent;
  } else {
    start += "  ";
    used += 2;
  }
  paragraph(start, used, remark, "2");
}

void TextPage::values(const std::vector<Value>& values) {
  std::vector<ShownValue> shown;
  for (const Value& value : values) {
    if (std::isfinite(as_double(value.value))) shown.push_back(show(value, style_.language));
  }
  if (shown.empty()) return;
  const std::size_t labels = std::min(kMostLabel, widest(shown, [](auto& v) { return display_width(v.label); }));
  const std::size_t numbers = widest(shown, [](auto& v) { return display_width(v.number); });
  const std::size_t units = widest(shown, [](auto& v) { return display_width(v.unit); });
  if (!out_.empty()) out_ += '\n';
  for (const ShownValue& each : shown) value(each, labels, numbers, units);
}

std::string bar(double share) {
  const double length = std::clamp(std::abs(share), 0.0, 1.0) * static_cast<double>(kLedgerBar);
  return std::string(static_cast<std::size_t>(std::lround(length)), share < 0 ? '-' : '#');
}

void TextPage::ledger(const Ledger& ledger, const Document& document) {
  const ShownLedger shown = show(ledger, document, style_.language);
  section(shown.heading, shown.coverage);
  const std::size_t labels = std::max(display_width(shown.total_label),
                                      widest(shown.rows, [](auto& row) { return display_width(row.label); }));
  const std::size_t percents =
      std::max<std::size_t>(7, widest(shown.rows, [](auto& row) { return row.percent.size(); }));
  const std::size_t amounts =
      std::max(shown.total.size(), widest(shown.rows, [](auto& row) { return row.amount.size(); }));
  const std::size_t used = kIndent + labels + 2 + percents + 2 + amounts + 2 + kLedgerBar + 2;
  const std::size_t room = used < width_ ? width_ - used : 0;
  const auto start = [&](const std::string& label_text, const std::string& percent, const std::string& amount) {
    return std::string(kIndent, ' ') + pad_right(label_text, labels) + "  " + pad_left(percent, percents) + "  " +
           pad_left(amount, amounts) + "  ";
  };
  for (const ShownLedgerRow& row : shown.rows) {
    const std::string drawn = bar(row.share);
    const std::string evidence = cut(row.evidence, room);
    const std::string gap(evidence.empty() ? 0 : kLedgerBar + 2 - drawn.size(), ' ');
    line(start(row.label, row.percent, row.amount) + paint("36", drawn) + gap + dim(evidence));
  }
  line(bold(start(shown.total_label, ledger.total() == 0 ? "" : "100.0 %", shown.total) + shown.unit));
}

// Text columns give way, the widest first, until the table fits; figures are never cut.
std::vector<std::size_t> TextPage::column_widths(const ShownTable& table) const {
  std::vector<std::size_t> widths;
  std::size_t total = kIndent;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ShownColumn& column = table.columns[c];
    const std::size_t cells = widest(table.rows, [&](auto& row) { return display_width(row[c]); });
    std::size_t head = display_width(column.unit);
    for (std::string_view rest = column.label; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      head = std::max(head, display_width(word));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    widths.push_back(std::max({std::min(cells, column.is_number ? cells : kMostTextColumn), head, std::size_t{2}}));
    total += widths.back() + (c == 0 ? 0 : 2);
  }
  while (total > width_) {
    std::size_t* most = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (!table.columns[c].is_number && widths[c] > 8 && (most == nullptr || widths[c] > *most)) most = &widths[c];
    }
    if (most == nullptr) break;
    --*most;
    --total;
  }
  return widths;
}

void TextPage::table_heads(const ShownTable& table, const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> heads;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    heads.push_back(wrap(table.columns[c].label, widths[c]));
    if (!table.columns[c].unit.empty()) heads.back().push_back(table.columns[c].unit);
  }
  const std::size_t lines = widest(heads, [](auto& head) { return head.size(); });
  for (std::size_t l = 0; l < lines; ++l) {
    std::string text_of_line(kIndent, ' ');
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::size_t skip = lines - heads[c].size();
      const std::string part = l < skip ? std::string() : cut(heads[c][l - skip], widths[c]);
      text_of_line +=
          (c == 0 ? "" : "  ") + (table.columns[c].is_number ? pad_left(part, widths[c]) : pad_right(part, widths[c]));
    }
    line(dim(trimmed(text_of_line)));
  }
}

void TextPage::table(const Table& table) {
  if (table.text_hidden || table.columns.empty() || table.rows.empty()) return;
  ShownTable shown = show(table, kMostTableRows, style_.language);
  if (table.text_columns > 0 && table.text_columns < shown.columns.size()) {
    shown.columns.resize(table.text_columns);
    for (std::vector<std::string>& row : shown.rows) row.resize(table.text_columns);
  }
  leave_out_empty_columns(shown);
  std::vector<std::size_t> widths = column_widths(shown);
  std::size_t total = kIndent + widths.front();
  std::size_t fitting = 1;
  while (fitting < widths.size() && total + 2 + widths[fitting] <= width_) total += 2 + widths[fitting++];
  const std::size_t columns_left_out = widths.size() - fitting;
  widths.resize(fitting);
  section(shown.heading);
  table_heads(shown, widths);
  for (const std::vector<std::string>& row : shown.rows) {
    std::string text_of_line(kIndent, ' ');
    for (std::size_t c = 0; c < fitting; ++c) {
      const std::string part = cut_middle(row[c], widths[c]);
      text_of_line +=
          (c == 0 ? "" : "  ") + (shown.columns[c].is_number ? pad_left(part, widths[c]) : pad_right(part, widths[c]));
    }
    line(text_of_line);
  }
  const auto left_out = [&](const char* id, std::size_t count) {
    const Message message{id, {{"n", static_cast<std::int64_t>(count)}}};
    if (count > 0) paragraph(std::string(kIndent, ' '), kIndent, show(message, style_.language), "2");
  };
  left_out("text.more_rows", shown.rows_left_out);
  left_out("text.more_columns", columns_left_out);
}

void TextPage::findings(const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  section(text("findings"));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const ShownFinding shown = show(findings[i], style_.language);
    const std::string number = fmt::format("{:>3}. ", i + 1);
    const std::string indent(number.size(), ' ');
    paragraph(number, indent.size(), shown.sentence);
    const auto part = [&](const char* id, const std::string& body, const char* code) {
      if (!body.empty()) paragraph(indent, indent.size() + 2, text(id) + ": " + body, code);
    };
    part("worth", shown.worth, "1");
    part("change", shown.change, nullptr);
    part("risk", shown.risk, nullptr);
    for (const std::string& each : shown.evidence) paragraph(indent, indent.size() + 2, each, "2");
  }
}

void TextPage::assumptions(const std::vector<Assumption>& assumptions) {
  if (assumptions.empty()) return;
  section(text("assumed"));
  for (const Assumption& assumption : assumptions) paragraph("  - ", 4, show(assumption, style_.language));
}

const char* severity_colour(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "2";
    case Severity::data_loss:
      return "33";
    case Severity::error:
      return "31";
  }
  return "31";
}

void TextPage::defects(const Defects& defects) {
  if (defects.empty()) return;
  section(text("defects"));
  std::vector<ShownDefect> shown;
  for (const Defect& defect : defects) shown.push_back(show(defect, style_.language));
  const std::size_t severities = widest(shown, [](auto& defect) { return display_width(defect.severity); });
  const std::size_t counts = widest(shown, [](auto& defect) { return defect.count.size(); });
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string severity = paint(severity_colour(defects[i].severity), pad_right(shown[i].severity, severities));
    const std::string start = std::string(kIndent, ' ') + severity + "  " + pad_left(shown[i].count, counts) + "  ";
    paragraph(start, kIndent + severities + 2 + counts + 2, shown[i].sentence);
  }
}

}  // namespace

std::string render_text(const Document& document, const TextStyle& style) {
  TextPage page(style);
  page.headline(document);
  page.values(document.values);
  for (const Ledger& ledger : document.ledgers) page.ledger(ledger, document);
  page.findings(document.findings);
  for (const Table& table : document.tables) page.table(table);
  page.assumptions(document.assumptions);
  page.defects(document.defects);
  return page.take();
}

}  // namespace nameplate
