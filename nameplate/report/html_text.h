// Text inside a page: every character that could end an element or an attribute is escaped.
#pragma once

#include <string>
#include <string_view>

#include "nameplate/facts/ledger.h"

namespace nameplate {

std::string html(std::string_view text);  // printable text (report/utf8.h)

// The class of a ledger row in the style sheet: one colour for each kind of cause.
std::string_view colour_class(LedgerRow row);

}  // namespace nameplate
