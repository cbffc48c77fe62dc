// Rules of parallel degrees. Sources: Megatron-LM's initialize_model_parallel (the product, ep inside a stage); uneven
// stages are usual (126 layers on 16 stages, 61 on 16), where the embedding and the head count as a layer each (Llama 3
// report, section 3.3.2; Megatron-LM's account_for_embedding_in_pipeline_split), so only more chunks than that are
// impossible.
#include <cmath>

#include "nameplate/analysis/audit/audit.h"

namespace nameplate {
namespace {

constexpr double kLayersOfEnds = 2;  // embedding and head

// Counts as doubles: a product of several may leave 64 bits, and whole numbers below 2^53 stay exact.
double number(const std::optional<std::int64_t>& count) { return static_cast<double>(count.value_or(1)); }
bool divides(double part, double whole) { return std::fmod(whole, part) == 0; }

Comparison compare(AuditFigure figure, double stated, double recomputed, const char* rule, bool holds,
                   AuditVerdict otherwise) {
  return {.figure = figure,
          .stated = stated,
          .recomputed = recomputed,
          .convention = rule,
          .verdict = holds ? AuditVerdict::consistent : otherwise};
}

// All degrees: their product is the number of devices. Some of them: it divides that.
std::optional<Comparison> check_product(const AuditRow& row) {
  const AuditDegrees& d = row.degrees;
  if (!row.accelerators || (!d.tp && !d.pp && !d.dp && !d.cp)) return std::nullopt;
  const double devices = number(row.accelerators);
  const double product = number(d.tp) * number(d.pp) * number(d.dp) * number(d.cp);
  const bool all = d.tp && d.pp && d.dp;
  return compare(AuditFigure::accelerators, devices, product, "tp * pp * dp * cp",
                 all ? product == devices : divides(product, devices), AuditVerdict::degrees_product);
}

// Experts are spread over the ranks that hold one pipeline stage: dp * cp, and tp where experts are not split.
std::optional<Comparison> check_experts(const AuditRow& row) {
  const AuditDegrees& d = row.degrees;
  if (!d.ep || !d.pp || !row.accelerators || *row.accelerators % *d.pp != 0) return std::nullopt;
  const double ranks = number(row.accelerators) / number(d.pp);
  return compare(AuditFigure::ep, number(d.ep), ranks, "ranks of a pipeline stage", divides(number(d.ep), ranks),
                 AuditVerdict::expert_degree);
}

std::optional<Comparison> check_stages(const AuditRow& row) {
  const AuditDegrees& d = row.degrees;
  if (!d.pp || !row.shape) return std::nullopt;
  const double chunks = number(d.pp) * number(d.virtual_pp);
  const double most = static_cast<double>(row.shape->layers + row.shape->mtp_depth) + kLayersOfEnds;
  return compare(AuditFigure::pp, chunks, most, "layers, embedding and head", chunks <= most,
                 AuditVerdict::too_many_stages);
}

std::optional<Comparison> check_heads(const AuditRow& row) {
  if (!row.degrees.tp || !row.shape) return std::nullopt;
  const double tp = number(row.degrees.tp), heads = static_cast<double>(row.shape->heads);
  return compare(AuditFigure::tp, tp, heads, "heads", divides(tp, heads), AuditVerdict::heads_per_rank);
}

std::optional<Comparison> check_batch(const AuditRow& row) {
  const AuditDegrees& d = row.degrees;
  if (!row.global_batch || !d.dp) return std::nullopt;
  const double ranks = number(d.dp) * number(d.micro_batch);
  return compare(AuditFigure::batch, number(row.global_batch), ranks, d.micro_batch ? "dp * micro_batch" : "dp",
                 divides(ranks, number(row.global_batch)), AuditVerdict::batch_per_rank);
}

}  // namespace

std::vector<Comparison> audit_degrees(const AuditRow& row) {
  std::vector<Comparison> comparisons;
  for (const auto& rule : {check_product, check_experts, check_stages, check_heads, check_batch}) {
    if (const auto comparison = rule(row)) comparisons.push_back(*comparison);
  }
  return comparisons;
}

}  // namespace nameplate
