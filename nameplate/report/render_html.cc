// The Document as one page in one file, to be mailed or kept: no script, no network (its policy forbids both), figures
// as SVG. It says what the text says. Whatever came from an input is escaped: names in a log may be hostile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nameplate/report/figure_svg.h"
#include "nameplate/report/html_text.h"
#include "nameplate/report/page_style.h"
#include "nameplate/report/render.h"
#include "nameplate/report/sentences.h"
#include "nameplate/report/shown.h"

namespace nameplate {
namespace {

constexpr std::size_t kTiles = 4;
constexpr std::size_t kMostTableRows = 200;

class HtmlPage {
 public:
  explicit HtmlPage(const std::string& language) : language_(language) {}

  void head(const Document& document);
  void headline(const Document& document);
  void values(const std::vector<Value>& values);
  void ledger(const Ledger& ledger, const Document& document);
  void figures(const Document& document);
  void table(const Table& table);
  void findings(const std::vector<Finding>& findings);
  void assumptions(const std::vector<Assumption>& assumptions);
  void defects(const Defects& defects);
  void foot();
  std::string take() { return std::move(out_); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  // Own words, and words of the user, both ready for the page.
  std::string text(std::string_view id) const { return html(label(fmt::format("text.{}", id), language_)); }
  std::string said(const Message& message) const { return html(show(message, language_)); }
  void section(const std::string& heading, const std::string& remark = {});
  void finding(const ShownFinding& shown);

  const std::string& language_;
  std::string out_;
};

void HtmlPage::section(const std::string& heading, const std::string& remark) {
  add("<section><h2>{}", heading);
  if (!remark.empty()) add("<small>{}</small>", remark);
  add("</h2>\n");
}

void HtmlPage::head(const Document& document) {
  add("<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\n", html(language_));
  add("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
  add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  const std::string title = document.title.id.empty() ? html(document.command) : said(document.title);
  add("<title>{}</title>\n<style>{}</style></head>\n<body><main>\n", title, kPageStyle);
}

void HtmlPage::headline(const Document& document) {
  add("<header><p class=\"brand\">Nameplate {}</p>\n", html(document.command));
  if (!document.title.id.empty()) add("<h1>{}</h1>\n", said(document.title));
  for (const Note& note : document.notes) add("<p>{}</p>\n", said(note));
  add("</header>\n");
}

void HtmlPage::values(const std::vector<Value>& values) {
  std::vector<ShownValue> shown;
  for (const Value& value : values) {
    if (std::isfinite(as_double(value.value))) shown.push_back(show(value, language_));
  }
  if (shown.empty()) return;
  add("<div class=\"tiles\">\n");
  for (std::size_t i = 0; i < std::min(kTiles, shown.size()); ++i) {
    add("<div class=\"tile\"><span>{}</span><b>{}</b><i>{}</i></div>\n", html(shown[i].label), html(shown[i].number),
        html(shown[i].unit));
  }
  add("</div>\n");
  section(text("values"));
  add("<div class=\"scroll\"><table><thead><tr><th></th><th class=\"n\"></th><th></th><th>{}</th><th>{}</th><th>{}</th>"
      "</tr></thead><tbody>\n",
      text("interval"), text("convention"), text("source"));
  for (const ShownValue& value : shown) {
    add("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"u\">{}</td><td class=\"u\">{}</td>"
        "<td class=\"soft\">{}</td><td class=\"soft\">{}</td></tr>\n",
        html(value.label), html(value.number), html(value.unit), html(value.interval), html(value.convention),
        html(value.source));
  }
  add("</tbody></table></div></section>\n");
}

void HtmlPage::ledger(const Ledger& ledger, const Document& document) {
  const ShownLedger shown = show(ledger, document, language_);
  section(html(shown.heading), html(shown.coverage));
  add("<div class=\"scroll\"><table><thead><tr><th></th><th class=\"n\">{}</th><th "
      "class=\"n\">{}</th><th></th><th>{}</th>"
      "</tr></thead><tbody>\n",
      text("share"), html(shown.unit), text("evidence"));
  for (const ShownLedgerRow& row : shown.rows) {
    add("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"bar\"><div class=\"{}\" style=\"width:{:.1f}%\"></div></td><td class=\"soft\">{}</td></tr>\n",
        html(row.label), row.percent, row.amount, colour_class(row.row),
        std::clamp(std::abs(row.share), 0.0, 1.0) * 100, html(row.evidence));
  }
  add("</tbody><tfoot><tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td><td></td><td></td></tr>"
      "</tfoot></table></div></section>\n",
      html(shown.total_label), ledger.total() == 0 ? "" : "100.0 %", shown.total);
}

void HtmlPage::figures(const Document& document) {
  for (std::size_t i = 0; i < document.figures.size(); ++i) {
    const std::string svg = figure_svg(document, document.figures[i], i, language_);
    if (svg.empty()) continue;
    add("<section><figure><div class=\"scroll\">{}</div><figcaption>{}</figcaption></figure></section>\n", svg,
        said(document.figures[i].text));
  }
}

void HtmlPage::table(const Table& table) {
  if (table.text_hidden || table.columns.empty() || table.rows.empty()) return;
  ShownTable shown = show(table, kMostTableRows, language_);
  leave_out_empty_columns(shown);
  section(html(shown.heading));
  add("<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>",
      html(shown.heading));
  const auto alignment = [&](std::size_t c) { return shown.columns[c].is_number ? " class=\"n\"" : ""; };
  for (std::size_t c = 0; c < shown.columns.size(); ++c) {
    add("<th{}>{}", alignment(c), html(shown.columns[c].label));
    if (!shown.columns[c].unit.empty()) add("<small>{}</small>", html(shown.columns[c].unit));
    add("</th>");
  }
  add("</tr></thead><tbody>\n");
  for (const std::vector<std::string>& row : shown.rows) {
    add("<tr>");
    for (std::size_t c = 0; c < row.size(); ++c) add("<td{}>{}</td>", alignment(c), html(row[c]));
    add("</tr>\n");
  }
  add("</tbody></table></div>\n");
  if (shown.rows_left_out > 0) {
    const Message note{"text.more_rows", {{"n", static_cast<std::int64_t>(shown.rows_left_out)}}};
    add("<p class=\"note\">{}</p>\n", said(note));
  }
  add("</section>\n");
}

void HtmlPage::finding(const ShownFinding& shown) {
  add("<li><p>{}</p>\n", html(shown.sentence));
  const auto part = [&](std::string_view id, const std::string& body, std::string_view style) {
    if (!body.empty()) add("<p class=\"{}\">{}: {}</p>\n", style, text(id), html(body));
  };
  part("worth", shown.worth, "worth");
  part("row", shown.row, "soft");
  part("change", shown.change, "");
  part("risk", shown.risk, "");
  for (const std::string& line : shown.evidence) add("<p class=\"soft\"><code>{}</code></p>\n", html(line));
  add("</li>\n");
}

void HtmlPage::findings(const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  section(text("findings"));
  add("<ol>\n");
  for (const Finding& each : findings) finding(show(each, language_));
  add("</ol></section>\n");
}

void HtmlPage::assumptions(const std::vector<Assumption>& assumptions) {
  if (assumptions.empty()) return;
  section(text("assumed"));
  add("<ul>\n");
  for (const Assumption& assumption : assumptions) add("<li>{}</li>\n", said(assumption));
  add("</ul></section>\n");
}

void HtmlPage::defects(const Defects& defects) {
  if (defects.empty()) return;
  section(text("defects"));
  add("<div class=\"scroll\"><table><tbody>\n");
  for (const Defect& defect : defects) {
    const ShownDefect shown = show(defect, language_);
    add("<tr><td class=\"u d-{}\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", name(defect.severity),
        html(shown.severity), shown.count, html(shown.sentence));
  }
  add("</tbody></table></div></section>\n");
}

void HtmlPage::foot() {
  add("<footer>nameplate {}. {}</footer>\n</main></body></html>\n", NAMEPLATE_VERSION, text("footer"));
}

}  // namespace

std::string render_html(const Document& document, const std::string& language) {
  HtmlPage page(language);
  page.head(document);
  page.headline(document);
  page.values(document.values);
  page.findings(document.findings);
  for (const Ledger& ledger : document.ledgers) page.ledger(ledger, document);
  page.figures(document);
  for (const Table& table : document.tables) page.table(table);
  page.assumptions(document.assumptions);
  page.defects(document.defects);
  page.foot();
  return page.take();
}

}  // namespace nameplate
