#include "nameplate/facts/provenance.h"

namespace nameplate {

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::flag:
      return "flag";
    case Origin::manifest:
      return "manifest";
    case Origin::config:
      return "config";
    case Origin::catalogue:
      return "catalogue";
    case Origin::log:
      return "log";
    case Origin::derived:
      return "derived";
    case Origin::assumed:
      return "assumed";
  }
  return {};
}

}  // namespace nameplate
