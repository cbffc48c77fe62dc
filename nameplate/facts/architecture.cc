#include "nameplate/facts/architecture.h"

#include "nameplate/core/check.h"

namespace nameplate {

std::string_view name(OperatorRole role) {
  switch (role) {
    case OperatorRole::token_embedding:
      return "token_embedding";
    case OperatorRole::position_embedding:
      return "position_embedding";
    case OperatorRole::norm:
      return "norm";
    case OperatorRole::attention_projection:
      return "attention_projection";
    case OperatorRole::attention_core:
      return "attention_core";
    case OperatorRole::mlp:
      return "mlp";
    case OperatorRole::router:
      return "router";
    case OperatorRole::expert:
      return "expert";
    case OperatorRole::shared_expert:
      return "shared_expert";
    case OperatorRole::output_projection:
      return "output_projection";
    case OperatorRole::mtp_projection:
      return "mtp_projection";
    case OperatorRole::other:
      return "other";
    case OperatorRole::patch_embedding:
      return "patch_embedding";
    case OperatorRole::mixer_projection:
      return "mixer_projection";
    case OperatorRole::convolution:
      return "convolution";
    case OperatorRole::scan:
      return "scan";
    case OperatorRole::indexer:
      return "indexer";
    case OperatorRole::adapter:
      return "adapter";
  }
  NAMEPLATE_CHECK(false);
}

std::optional<OperatorRole> parse_operator_role(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(OperatorRole::adapter); ++i) {
    if (name(static_cast<OperatorRole>(i)) == text) return static_cast<OperatorRole>(i);
  }
  return std::nullopt;
}

}  // namespace nameplate
