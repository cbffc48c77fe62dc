// What an Xid number means (data/xid.toml).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nameplate/core/result.h"

namespace nameplate {

struct XidMeaning {
  std::string name;
  std::string kind;    // "hardware", "software", "application", "event"
  std::string action;  // what the vendor names first
  bool operator==(const XidMeaning&) const = default;
};

// Nothing for a number that is not catalogued.
std::optional<XidMeaning> find_xid(std::int64_t number);
std::string xid_source();

}  // namespace nameplate
