// Figures of a Document as SVG elements inside a page: lines, bars, histograms, scatter plots, and the waterfall of a
// ledger from what was bought down to model compute. Colours are classes of the page's style sheet
// (report/page_style.h), so one drawing serves light, dark and paper. A picture stays below 100 kB however long its
// table is.
#pragma once

#include <cstddef>
#include <string>

#include "nameplate/report/document.h"

namespace nameplate {

// The element, with a title and a description for those who do not see it; empty when there is nothing to draw.
// `number` makes the ids in the page unique. A heatmap's y are the column that names its lines and that of its ratios.
std::string figure_svg(const Document& document, const Figure& figure, std::size_t number, const std::string& language);

}  // namespace nameplate
