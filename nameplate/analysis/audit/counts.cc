#include "nameplate/analysis/audit/counts.h"

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/flops/decoder.h"

namespace nameplate {
namespace {

void add_counts(const AuditRow& row, const DecoderShape& shape, const std::string& suffix,
                std::vector<NamedCount>& counts) {
  const Architecture architecture = build_decoder(shape);
  const Workload one = uniform_workload(1, *row.seq_len);
  for (const Convention& convention : conventions()) {
    const auto flops = convention_flops(convention.id, architecture, one);
    if (!flops) continue;
    const double per_token = *flops / static_cast<double>(*row.seq_len);
    const std::string name = std::string(convention.id) + suffix;
    const bool hardware = convention.kind == FlopsKind::hardware;
    if (row.frozen_weights) {  // of three products two: forward and the gradient of the input
      counts.push_back({name + " * 2/3", per_token * 2 / 3, hardware});
      continue;
    }
    counts.push_back({name, per_token, hardware});
    // A second forward on top of three passes, as "8N" is 6N and another 2N (BigScience, Narayanan et al. 2021).
    if (row.recompute == Recompute::full && !hardware) { counts.push_back({name + " * 4/3", per_token * 4 / 3, true}); }
  }
}

}  // namespace

std::vector<NamedCount> counts_of(const AuditRow& row) {
  std::vector<NamedCount> counts;
  if (!row.shape || row.shape->vocab == 0 || !row.seq_len) return counts;
  add_counts(row, *row.shape, "", counts);
  if (row.shape->mtp_depth > 0) {
    DecoderShape without = *row.shape;
    without.mtp_depth = 0;
    add_counts(row, without, ", no MTP", counts);
  }
  return counts;
}

}  // namespace nameplate
