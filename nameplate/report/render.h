// The renderers: a Document as text, JSON, CSV or one self-contained HTML page. Pure functions to a string.
#pragma once

#include <string>

#include "nameplate/report/document.h"

namespace nameplate {

struct TextStyle {
  bool colour = false;  // ANSI colour; the caller asks the terminal and NO_COLOR
  int width = 100;
  std::string language = "en";
};

std::string render_text(const Document& document, const TextStyle& style);
// One object per schema/document.json. Numbers in shortest round-trip form, exact integers in full; a fixed key order,
// so equal documents are equal bytes.
std::string render_json(const Document& document, const std::string& language = "en");
// Sections separated by an empty line, each headed by "# <id>": values, ledgers, then every table.
std::string render_csv(const Document& document);
// One offline file: no script needed, no network, figures as SVG.
std::string render_html(const Document& document, const std::string& language = "en");

}  // namespace nameplate
