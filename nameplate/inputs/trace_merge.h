// Ranks of several files side by side: their numbers, and one numbering of names, operands and groups.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nameplate/facts/timeline.h"
#include "nameplate/inputs/name_table.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

struct RankNumber {
  std::int64_t rank = 0;
  RankSource source = RankSource::order;
};

// Numbers the ranks that neither file nor name tells, with the lowest numbers that are free.
void number_ranks(std::vector<RankNumber>& ranks, Defects& defects);

class TimelineMerger {
 public:
  // Where a rank's own numbers have gone.
  struct Numbers {
    std::vector<std::int32_t> names;
    std::vector<std::int32_t> groups;
  };
  Numbers add(RankTrace&& trace);
  Timeline finish();
  Defects& defects() { return timeline_.defects; }

 private:
  std::vector<std::int32_t> numbers_of(std::vector<Operands>& operands);
  std::vector<std::int32_t> numbers_of(std::vector<Group>& groups);

  using OperandsKey =
      std::tuple<std::vector<std::vector<std::int64_t>>, std::vector<std::string>, std::vector<std::string>>;
  Timeline timeline_;
  NameTable names_;
  std::map<OperandsKey, std::size_t> operands_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> groups_;
};

}  // namespace nameplate
