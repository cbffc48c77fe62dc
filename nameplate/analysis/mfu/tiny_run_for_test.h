// A model small enough to count by hand, and a run of it.
//
// 2 layers, hidden 8, 2 heads of 4 with 1 key/value head, gated MLP of 16, vocabulary 32, sequences of 16 tokens.
// Weights of a layer: q 8 x 8 = 64, k and v 8 x 4 = 32 each, o 64, MLP 3 x 8 x 16 = 384: 576. Two layers and the head 8
// x 32: 2 x 576 + 256 = 1,408. Training 6 x 1,408 = 8,448 FLOP per token, and attention over s/2 = 8 keys: forward 2 x
// 8 keys x 2 heads x (4 + 4) = 256 a layer, training 3 x 2 x 256 = 1,536. In all 9,984 (full attention: 11,520). Full
// recompute repeats 2 x 1,152 + 512 = 2,816 FLOP per token, selective 512.
#pragma once

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/flops/shapes_for_test.h"
#include "nameplate/analysis/mfu/measure.h"

namespace nameplate {

inline constexpr double kTinyFlopsPerToken = 9984;

// 4 sequences of 16 tokens a step on 2 accelerators with a peak of 64 x 9,984 FLOP/s each: a step of 1 s is an MFU of
// 0.5.
inline RunFacts tiny_facts() {
  RunFacts facts;
  facts.architecture = build_decoder(shapes::llama(2, 8, 2, 1, 16, 32));
  facts.workload = uniform_workload(4, 16);
  facts.sequence_length = 16;
  facts.accelerators = 2;
  facts.peak = flops_per_s(64 * kTinyFlopsPerToken);
  return facts;
}

}  // namespace nameplate
