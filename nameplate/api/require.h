// A threshold as a gate: --require 'mfu_step_ratio>=0.35'.
//
// A run fails only beyond noise: where the value has an interval, its better end must miss the threshold; the sentence
// says whether the value itself meets it. A value that
// is absent, or one measured over fewer than `kLeastSteps` steady steps, is too little evidence: it never passes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

inline constexpr std::int64_t kLeastSteps = 10;

enum class Bound { at_least, at_most, above, below };

struct Requirement {
  std::string key;
  Bound bound = Bound::at_least;
  double threshold = 0;
};

enum class Verdict { met, missed, too_little_evidence };

struct GateResult {
  Verdict verdict = Verdict::met;
  std::string sentence;  // for people: "mfu_step_ratio 0.347 (0.345 .. 0.349) misses >= 0.35"
};

// "key>=number", also <=, > and <. The number may have a unit of the kind that the key ends in: "step_time_s<=50ms",
// "mfu_step_ratio>=35%", "memory_peak_bytes<80GiB".
Result<Requirement> parse_requirement(std::string_view text);
GateResult check(const Requirement& requirement, const Document& document);

}  // namespace nameplate
