// Where a fact was taken from. Every figure that a report prints can name it.
#pragma once

#include <string>
#include <string_view>

namespace nameplate {

enum class Origin { flag, manifest, config, catalogue, log, derived, assumed };
std::string_view name(Origin origin);

template <class T>
struct Known {
  T value{};
  Origin origin = Origin::assumed;
  std::string detail;  // "train.log:12", "run.toml:7", "--gpus"
  bool operator==(const Known&) const = default;
};

}  // namespace nameplate
