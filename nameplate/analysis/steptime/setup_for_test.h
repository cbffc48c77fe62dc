// A Llama of 8 billion parameters on 64 devices of round numbers, and a calibration whose values are all chosen here.
#pragma once

#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/facts/step_calibration.h"

namespace nameplate {

inline DecoderShape llama_8b_shape() {
  return {.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .head_dim = 128, .ffn = 14336, .vocab = 128256};
}

inline DecoderShape experts_shape() {
  DecoderShape shape = llama_8b_shape();
  shape.hidden = 2048;
  shape.moe = MoeShape{.experts = 64, .experts_per_token = 8, .expert_ffn = 1024};
  return shape;
}

inline StepFramework framework_for_test() {
  return {.id = "test",
          .gradient_bytes = 4,
          .sharding = 1,
          .attention = "attention.test",
          .passes = "passes.test",
          .host = "host.test",
          .fixed = "fixed.test",
          .tp_exposed = "exposed.tp.test",
          .casts = "casts.test",
          .permute = "permute.test",
          .expert_host = "host.experts.test",
          .shard_slowdown = "slowdown.test"};
}

inline StepSetup setup_for_test(const DecoderShape& shape = llama_8b_shape()) {
  StepSetup setup;
  setup.architecture = build_decoder(shape);
  setup.plan.tp = 4;
  setup.plan.pp = 2;
  setup.plan.dp = 8;
  setup.plan.dp_shard = 8;
  setup.plan.zero = 1;
  setup.plan.sp = true;
  setup.plan.accumulation = 16;
  setup.workload = uniform_workload(8 * 16, 4096);
  setup.device = {.sku = "device",
                  .family = "family",
                  .peak = tflops_per_s(1000),
                  .peak_16 = tflops_per_s(1000),
                  .matmul = tflops_per_s(800),
                  .matmul_16 = tflops_per_s(800),
                  .memory_bandwidth = gigabytes_per_s(3000),
                  .compute_units = 132};
  setup.fabric = {.domain = 8, .scale_up = gigabytes_per_s(450), .scale_out = gigabytes_per_s(50)};
  setup.framework = framework_for_test();
  return setup;
}

inline StepCalibration calibration_for_test() {
  StepCalibration calibration;
  const auto add = [&](std::string id, double prior, double sigma = 0.3) {
    calibration.values.push_back({.id = std::move(id), .prior = prior, .sigma = sigma, .value = prior});
  };
  add("matmul.16", 0.9);
  add("matmul.8", 0.9);
  add("half_length.16", 400);
  add("half_length.8", 800);
  add("grouped.16", 0.9);
  add("attention.test", 0.4);
  add("passes.test", 20);
  add("casts.test", 1);
  add("permute.test", 20);
  add("bus.scale_up", 0.6, 0);
  add("bus.scale_out", 0.9, 0);
  add("exposed.tp.test", 0.5);
  add("exposed.ep", 0.6, 0);
  add("exposed.dp", 0.3, 0);
  add("slowdown.test", 0.4);
  add("host.test", 0.0004);
  add("host.experts.test", 0.004);
  add("fixed.test", 0.05);
  add("spread", 0.006, 0);
  return calibration;
}

}  // namespace nameplate
