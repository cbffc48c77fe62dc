// How a training framework spends time beside the mathematics: one entry per generation of a framework.
//
// What a code or its documentation states is a number here; what only measurements tell is the id of a calibrated value
// (step_calibration.h), so that generations may share one. data/calibration/frameworks.toml holds the entries with
// their sources.
#pragma once

#include <cstdint>
#include <string>

namespace nameplate {

// Which parts of the forward pass of a layer the backward pass repeats, 0..1 each.
struct RecomputeShares {
  double projections = 0;   // matmuls of attention
  double core = 0;          // scores and values
  double feed_forward = 0;  // matmuls of MLP and experts
  double elementwise = 0;   // norms, activations, rotary embeddings
  bool operator==(const RecomputeShares&) const = default;
};

struct StepFramework {
  std::string id;        // "nemo"
  bool measured = true;  // runs of it are among those that the calibration has seen
  bool fused_attention = true;
  RecomputeShares selective;            // what its recompute = "selective" repeats
  double gradient_bytes = 4;            // reduced over data parallelism, per parameter
  double logit_bytes = 16;              // read and written per logit by the loss, forward and backward
  double optimizer_bytes = 30;          // read and written per parameter by the optimizer
  int sharding = 0;                     // ZeRO stage unless the plan says otherwise; FSDP is 3
  bool pipeline_gathers_once = false;   // FSDP with a pipeline: weights are gathered once a step
  bool pipeline_splits_batch = false;   // the stated micro-batch is split by the pipeline's schedule
  bool overlaps_gradients = true;       // reduced while the backward pass goes on
  bool divides_sequence = false;        // sequence parallelism wherever there is tensor parallelism
  bool experts_overlap = false;         // the all-to-all of one micro-batch runs under the compute of another
  bool sends_once_per_node = false;     // a token goes to each node once, whatever the number of its experts there
  bool experts_follow_tp = false;       // experts are divided over tp too wherever ep does not need its ranks
  bool interleaves = false;             // its runs with a pipeline interleave stages unless they say otherwise
  std::int64_t default_virtual_pp = 1;  // where a schedule with several chunks a stage does not say how many
  // Ids of calibrated values.
  std::string attention;        // share of the 16-bit peak that core attention reaches, after the device's family
  std::string passes;           // element-wise passes over tokens x hidden per layer, forward and backward
  std::string host;             // launch time per layer and micro-batch
  std::string fixed;            // per step
  std::string tp_exposed;       // share of tensor-parallel traffic not hidden
  std::string casts;            // passes of fp8 casts over matmul operands
  std::string permute;          // passes over dispatched tokens
  std::string per_expert_host;  // launches per local expert, micro-batch and layer; empty: one kernel for all
  std::string expert_host;      // launch time per layer of experts and micro-batch
  std::string shard_slowdown;   // what overlapped traffic of shards adds, of the shorter of traffic and compute
  std::string source;
  bool operator==(const StepFramework&) const = default;
};

}  // namespace nameplate
