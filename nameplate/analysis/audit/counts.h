// FLOPs per token of a row's model, under every convention and variant of it that a figure may have been counted by.
#pragma once

#include <string>
#include <vector>

#include "nameplate/analysis/audit/audit.h"

namespace nameplate {

struct NamedCount {
  std::string name;  // "palm"; "six_n * 4/3": with a full recompute; "full * 2/3": frozen weights; "full, no MTP"
  double flops_per_token = 0;
  bool hardware = false;  // recomputed work included
};

// Empty where the model, its vocabulary or the length is not known.
std::vector<NamedCount> counts_of(const AuditRow& row);

}  // namespace nameplate
