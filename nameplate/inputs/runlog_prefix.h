// What launchers and loggers put in front of a line: which rank wrote it, and when.
//
// Ranks: "[default7]:" (torchrun), "7: " (srun -l), "[rank3]:", "[Rank 3]", "(rank3)", "[3]:", "[1,7]<stdout>:"
// (mpirun).
// "[INFO|DP=0|PP=0|TP=0]" is not a rank: it names a position in the plan, several processes share it.
// Times: "2025-03-04 00:44:44,441", "[2024-04-06 03:02:12]", ISO 8601 with T, fraction and zone offset,
// "10/17/2025 16:31:56" (month first, as Hugging Face prints). Proleptic Gregorian calendar, years 1970 to 9999; no
// locale and no time-zone data base: a printed offset is applied, otherwise the time is taken as printed.
#pragma once

#include <optional>
#include <string_view>

#include "nameplate/core/maybe.h"

namespace nameplate {

struct LinePrefix {
  std::optional<std::string_view> rank;
  Maybe timestamp_s;
  std::string_view text;  // what is left, without leading blanks
};

LinePrefix parse_line_prefix(std::string_view line);

// The date and time at the start of `text` in seconds since 1970, with what follows it.
struct LeadingTime {
  double seconds;
  std::string_view rest;
};
std::optional<LeadingTime> parse_leading_time(std::string_view text);

}  // namespace nameplate
