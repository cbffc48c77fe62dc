// What several comparisons need of one row, worked out once.
#pragma once

#include <optional>
#include <vector>

#include "nameplate/analysis/audit/audit.h"
#include "nameplate/analysis/audit/counts.h"
#include "nameplate/analysis/audit/peaks.h"

namespace nameplate {

struct RowFacts {
  std::vector<NamedCount> counts;
  std::vector<NamedPeak> peaks;
  std::optional<double> tokens_per_s;  // per device: as stated, else from the step time
  double tokens_share = 0;             // its tolerance
};

RowFacts row_facts(const AuditRow& row);

// Tokens per second and device that follow from the step time.
std::optional<double> tokens_from_step(const AuditRow& row);

}  // namespace nameplate
