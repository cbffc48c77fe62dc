// Which models are not decoder transformers of attention and MLP layers, by their type or by keys that only such models
// have. Their FLOPs are counted otherwise, so reading their sizes as a decoder's would give a wrong number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nameplate/core/node.h"

namespace nameplate::model_config {

struct Refusal {
  std::string_view key;     // where the file says so
  std::string_view reason;  // "is an encoder", to follow "model_type 'bert'"
};

std::optional<Refusal> refused(const Node& object, std::string_view model_type);

}  // namespace nameplate::model_config
