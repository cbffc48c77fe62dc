#include "nameplate/facts/memory.h"

#include "nameplate/core/check.h"

namespace nameplate {

std::string_view name(RecomputeModule module) {
  switch (module) {
    case RecomputeModule::core_attention:
      return "core_attn";
    case RecomputeModule::norm:
      return "layernorm";
    case RecomputeModule::mlp:
      return "mlp";
    case RecomputeModule::expert_activation:
      return "moe_act";
    case RecomputeModule::experts:
      return "moe";
    case RecomputeModule::latent_up_projection:
      return "mla_up_proj";
    case RecomputeModule::alternate_matmuls:
      return "alternate_matmuls";
  }
  NAMEPLATE_CHECK(false);
}

std::optional<RecomputeModule> parse_recompute_module(std::string_view text) {
  for (RecomputeModule module : {RecomputeModule::core_attention, RecomputeModule::norm, RecomputeModule::mlp,
                                 RecomputeModule::expert_activation, RecomputeModule::experts,
                                 RecomputeModule::latent_up_projection, RecomputeModule::alternate_matmuls}) {
    if (name(module) == text) return module;
  }
  return std::nullopt;
}

}  // namespace nameplate
