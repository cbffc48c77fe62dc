// What to act on: one rule a file, each a pure function from a measured run to a finding or nothing.
//
// To add a finding: write <name>.cc with a function of the type below, declare it in rules.h, add it to the table in
// findings.cc, and put the sentences "<id>", "<id>.change" and "<id>.risk" into data/sentences/en.toml.
// Worth is what the finding's whole row would give back: its accelerator-seconds, and the points of MFU (of the run
// where there is a clock, else of the steps) that come with them. It is an upper bound: no loss is ever removed in
// full.
#pragma once

#include <vector>

#include "nameplate/analysis/mfu/measure.h"
#include "nameplate/facts/finding.h"

namespace nameplate {

struct FindingInput {
  const RunLog& log;
  const RunFacts& facts;
  const Measurement& m;
};

// Every finding that applies, the largest worth first; findings without a worth last.
std::vector<Finding> find_all(const FindingInput& input);

}  // namespace nameplate
