// The figures of rows against each other, the conventions, the peaks, and their peers.
#pragma once

#include "nameplate/analysis/audit/audit.h"

namespace nameplate {

// Comparisons of each row, in order.
std::vector<std::vector<Comparison>> audit_figures(std::span<const AuditRow> rows);

}  // namespace nameplate
