// A claim in words: one of the five forms of facts/claim.h.
#pragma once

#include <string_view>

#include "nameplate/core/result.h"
#include "nameplate/facts/claim.h"

namespace nameplate {

Result<Claim> parse_claim(std::string_view text);

}  // namespace nameplate
