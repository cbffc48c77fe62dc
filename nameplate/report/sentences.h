// Sentences by id, from data/sentences/<language>.toml: "{name}" in a template is replaced by the argument of that
// name.
//
// A placeholder may carry a format: {mfu:percent} 0.385 -> "38.5 %", {t:s} -> "1.10 s", "3 min 20 s", {n:count} ->
// "6,785", {r:rate_tflops} 412.3 (in TFLOP/s) -> "412.3 TFLOP/s", {b:bytes} -> "68.6 GiB", {p:points} 0.032 -> "3.2
// points", {x:g} -> three significant digits, {n:n rank|ranks} 8 -> "8 ranks". Without one, text is inserted as it is,
// integers plain and doubles with up to six significant digits. A language that lacks an id shows the English text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nameplate/facts/defect.h"

namespace nameplate {

// The rendered sentence; for an unknown id the id and its arguments, so that nothing is lost.
std::string sentence(const Message& message, std::string_view language = "en");
// Whether the catalogue has the id.
bool has_sentence(std::string_view id, std::string_view language = "en");
// A label: of a ledger row, a value, a column ("label.mfu_step_ratio"); the id itself when there is none.
std::string label(std::string_view id, std::string_view language = "en");

}  // namespace nameplate
