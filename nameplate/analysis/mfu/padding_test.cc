// User case 10: samples shorter than the sequence length, padded to it or packed.
#include <gtest/gtest.h>

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"
#include "nameplate/analysis/mfu/measure.h"

namespace nameplate {
namespace {

// Llama 3 8B, context 2048, samples of 400 tokens; 1000 computed tokens per second against 1 PFLOP/s.
RunFacts facts(std::int64_t padded) {
  RunFacts f;
  f.architecture = build_decoder(shapes::llama_3_8b());
  f.sequence_length = 2048;
  f.peak = tflops_per_s(1000);
  f.samples = uniform_workload(1, 400);
  f.samples->padded_units = padded;
  return f;
}

constexpr double kMatmul = 7'504'658'432;
constexpr double kAttention = 6.0 * 32 * 4096;  // per token and token of its sequence, causal

TEST(Padding, TwoFiguresAndTheShareOfPadding) {
  const RunFacts f = facts(1648);
  Measurement m;
  m.mfu_step = measure_rate(1000, f).mfu;
  measure_padding(f, m);
  const double real = (6 * kMatmul + kAttention * 400) * 400 / 2048, all = 6 * kMatmul + kAttention * 2048;
  EXPECT_NEAR(*m.mfu_step, 1000 * real / 1e15, 1e-12);
  EXPECT_NEAR(*m.mfu_padded, 1000 * all / 1e15, 1e-12);
  EXPECT_NEAR(*m.padding_ratio, 1648.0 / 2048, 1e-12);
}

TEST(Padding, PackedSamplesAttendToThemselvesAndPadNothing) {
  const RunFacts f = facts(0);
  EXPECT_NEAR(measure_rate(1000, f).flops_per_token, 6 * kMatmul + kAttention * 400, 1e-3);
  EXPECT_FALSE(padded_over_model(f));
}

}  // namespace
}  // namespace nameplate
