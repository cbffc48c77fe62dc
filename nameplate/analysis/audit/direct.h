// Comparisons within one row: step time with tokens/s, TFLOP/s with MFU, the least work with the peak.
#pragma once

#include <vector>

#include "nameplate/analysis/audit/row_facts.h"

namespace nameplate {

std::vector<Comparison> compare_directly(const AuditRow& row, const RowFacts& facts);

}  // namespace nameplate
