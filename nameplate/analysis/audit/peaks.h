// The peaks that a share of peak may have been divided by.
//
// Usual: dense, and of a number format between the row's own and 16 bit, since "MFU over the bf16 peak" is said of fp8
// runs as well (DeepSeek-V3 report). Not usual, and so an error where a figure is right against nothing else: a
// narrower format than the run used, or a peak with sparsity.
#pragma once

#include <string>
#include <vector>

#include "nameplate/analysis/audit/audit.h"

namespace nameplate {

struct NamedPeak {
  std::string name;  // "fp8 peak 4900 TFLOP/s"
  FlopsPerSecond rate;
  bool usual = true;
  bool stated = false;  // the source's notes have the number
  double share = 0;     // how far datasheets of the device differ, where the notes do not settle it
};

// Usual ones first, of these the stated, then the narrowest format; no rate twice.
std::vector<NamedPeak> peaks_of(const AuditRow& row);

// The highest usual rate: more than this no run can do.
std::optional<FlopsPerSecond> ceiling(const std::vector<NamedPeak>& peaks);

}  // namespace nameplate
