#include "nameplate/api/published_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"

namespace nameplate {
namespace {

// A remark on a shortened model may still describe the full one ("first 3 layers dense; MTP depth 1" of a DeepSeek-V3
// cut to 4 layers). The row's own parameter count tells: where it refutes the number of dense layers and another number
// fits it within 0.5 %, that one holds, and the rest of the remark, the prediction modules, is not believed either.
void correct_shortened_layout(const PublishedRun& run, DecoderShape& shape) {
  if (!shape.moe || shape.moe->first_dense_layers == 0 || !run.derived.parameters_total) return;
  const auto off = [&](const DecoderShape& candidate) {
    return std::abs(to_double(count_parameters(build_decoder(candidate)).total) / *run.derived.parameters_total - 1);
  };
  if (off(shape) < 0.02) return;
  for (std::int64_t dense = 0; dense < shape.layers; ++dense) {
    DecoderShape candidate = shape;
    candidate.moe->first_dense_layers = dense;
    candidate.mtp_depth = 0;
    if (!check(candidate) && off(candidate) < 0.005) shape = candidate;
  }
}

}  // namespace

std::optional<DecoderShape> published_shape(const PublishedRun& run, const Catalogue& catalogue) {
  if (run.shape) {
    DecoderShape shape = *run.shape;
    if (shape.vocab == 0) return shape;
    if (check(shape)) return std::nullopt;
    correct_shortened_layout(run, shape);
    return shape;
  }
  // Tables spell names with underscores, too: "Nemotron_3_Nano".
  std::string spelled = run.model_name;
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  const Result<const CatalogueModel*> model = catalogue.find_model(spelled);
  return model.ok() ? std::optional((*model)->shape) : std::nullopt;
}

}  // namespace nameplate
