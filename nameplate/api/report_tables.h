// The tables and figures of a report. Internal to api/.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/report/document.h"

namespace nameplate {

// "conventions": the same run under every convention.
void add_conventions_table(const LoadedRun& run, const Measurement& m, Document& d);
// The same without a measurement: FLOPs only (flops).
Table conventions_table(const RunFacts& facts, std::optional<double> tokens_per_s_per_gpu);
void add_precisions_table(const LoadedRun& run, Document& d);  // when operators run in several
void add_claims_table(const Measurement& m, Document& d);
// "levels": stretches of steady steps between change points.
void add_levels_table(const RunLog& log, const Measurement& m, Document& d);
// "inputs": every fact and where it came from.
void add_inputs_table(const LoadedRun& run, Document& d);
// "steps", and the figures over it.
void add_steps_table(const RunLog& log, const RunFacts& facts, const Measurement& m, Document& d);

}  // namespace nameplate
