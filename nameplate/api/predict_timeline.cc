#include "nameplate/api/predict_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace nameplate {
namespace {

constexpr int kComputeStream = 7;
constexpr int kCommunicationStream = 20;
constexpr int kHostProcess = 100'000;  // the host of device d is process 100000 + d

struct Part {
  const char* name;
  const char* group;  // of a collective: its description
  const char* collective;
  double weight;
};

// Gradient traffic behind the pipeline; what else a stage has of comm.dp gathers and scatters shards inside the passes.
Seconds gradients_at_end(const Prediction& p) { return p.step.phases.optimizer - p.step.parts.optimizer; }

// What a pass on a stage consists of; weights sum to 1 with the host's share.
std::vector<Part> parts_of(const Prediction& p, std::size_t stage) {
  const StepParts& s = p.step.stage_parts[stage];
  Seconds all, attention;
  for (const OperatorTime& op : p.step.operators) {
    all += op.forward + op.backward;
    if (op.role == OperatorRole::attention_core) attention += op.forward + op.backward;
  }
  const double share = all > Seconds() ? attention / all : 0;
  const Seconds kernels = s.compute_at_peak + s.recompute_at_peak + s.matmul + s.attention;
  const Seconds shards = std::max(Seconds(), s.dp - gradients_at_end(p));
  const Seconds pass = kernels + s.memory_bound + s.tp + s.cp + s.ep + shards + s.host;
  const auto weight = [&](Seconds part) { return pass > Seconds() ? part / pass : 0; };
  return {{"gemm", "", "", weight(kernels) * (1 - share)},
          {"flash_attention", "", "", weight(kernels) * share},
          {"elementwise_kernel", "", "", weight(s.memory_bound)},
          {"ncclDevKernel_AllGather_RING", "mesh_tp", "allgather", weight(s.tp)},
          {"ncclDevKernel_AllGather_RING", "mesh_dp", "allgather", weight(shards)},
          {"ncclDevKernel_SendRecv", "mesh_cp", "send", weight(s.cp)},
          {"ncclDevKernel_AllToAll", "mesh_ep", "all_to_all", weight(s.ep)}};
}

class TraceWriter {
 public:
  explicit TraceWriter(std::int64_t ranks) : ranks_(ranks) {}

  void begin_stage(std::size_t stage) { stage_ = stage; }
  void name_process(std::int64_t pid, const std::string& name) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", pid, name));
  }
  void kernel(std::int64_t device, const std::string& name, Seconds begin, Seconds length) {
    event(fmt::format(R"({{"ph":"X","cat":"kernel","name":"{0}","pid":{1},"tid":{2},"ts":{3:.3f},"dur":{4:.3f},)"
                      R"("args":{{"device":{1},"stream":{2}}}}})",
                      name, device, kComputeStream, begin.base() * 1e6, length.base() * 1e6));
  }
  // Ranks of another stage are in other groups of the same kind.
  void collective(std::int64_t device, const Part& part, Seconds begin, Seconds length) {
    event(fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"{0}","pid":{1},"tid":{2},"ts":{3:.3f},"dur":{4:.3f},)"
        R"("args":{{"device":{1},"stream":{2},"Collective name":"{5}","Process Group Name":"{6} of stage {7}",)"
        R"("Process Group Description":"{6}"}}}})",
        part.name, device, kCommunicationStream, begin.base() * 1e6, length.base() * 1e6, part.collective, part.group,
        stage_));
  }
  void host_span(std::int64_t device, const std::string& name, Seconds begin, Seconds length) {
    event(fmt::format(R"({{"ph":"X","cat":"user_annotation","name":"{}","pid":{},"tid":1,"ts":{:.3f},"dur":{:.3f},)"
                      R"("args":{{"device":{}}}}})",
                      name, kHostProcess + device, begin.base() * 1e6, length.base() * 1e6, device));
  }
  std::string text(std::int64_t rank, const std::string& device) const {
    return fmt::format(R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"{}"}}],)"
                       R"("distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},"traceEvents":[)"
                       "\n{}\n]}}\n",
                       device, rank, ranks_, events_);
  }

 private:
  void event(std::string_view json) {
    if (!events_.empty()) events_ += ",\n";
    events_ += json;
  }
  std::int64_t ranks_;
  std::size_t stage_ = 0;
  std::string events_;
};

std::string label(const PipelineEvent& e) {
  std::string text = fmt::format("{}, micro-batch {}", name(e.kind), e.micro_batch);
  if (e.second_micro_batch >= 0) text += fmt::format(" and {}", e.second_micro_batch);
  return e.chunk > 0 ? text + fmt::format(", chunk {}", e.chunk) : text;
}

void draw_pass(const PipelineEvent& e, const std::vector<Part>& parts, std::int64_t device, TraceWriter& out) {
  Seconds at = e.begin;
  for (const Part& part : parts) {
    const Seconds length = (e.end - e.begin) * part.weight;
    if (length.base() * 1e9 < 1) continue;
    if (*part.collective != '\0')
      out.collective(device, part, at, length);
    else
      out.kernel(device, fmt::format("{} ({})", part.name, label(e)), at, length);
    at += length;
  }
}

// Gradients, update and what else stands behind the pipeline.
void draw_end(const Prediction& p, std::size_t stage, std::int64_t device, TraceWriter& out) {
  const StepParts& s = p.step.stage_parts[stage];
  Seconds at = p.step.schedule.makespan;
  const Seconds gradients = gradients_at_end(p);
  if (gradients > Seconds())
    out.collective(device, {"ncclDevKernel_ReduceScatter_RING", "mesh_dp", "reduce_scatter", 0}, at, gradients);
  at += gradients;
  if (s.optimizer > Seconds()) out.kernel(device, "multi_tensor_apply_kernel adam", at, s.optimizer);
}

void draw_step(const Prediction& p, std::int64_t device, TraceWriter& out) {
  out.host_span(device, "ProfilerStep#0", Seconds(), p.step.step_time);
}

void draw_stage(const Prediction& p, const std::vector<PipelineEvent>& events, std::size_t stage, std::int64_t device,
                TraceWriter& out) {
  out.begin_stage(stage);
  out.name_process(device, fmt::format("stage {}", stage));
  out.name_process(kHostProcess + device, fmt::format("stage {}: host", stage));
  const std::vector<Part> parts = parts_of(p, stage);
  Seconds at;
  for (const PipelineEvent& e : events) {
    if (e.stage != static_cast<std::int64_t>(stage)) continue;
    const bool forward = e.kind == PipelineOpKind::forward || e.kind == PipelineOpKind::forward_backward;
    if (e.begin > at) out.host_span(device, forward ? "recv_forward" : "recv_backward", at, e.begin - at);
    draw_pass(e, parts, device, out);
    at = e.end;
  }
  if (p.step.schedule.makespan > at) out.host_span(device, "recv_backward", at, p.step.schedule.makespan - at);
  draw_end(p, stage, device, out);
}

}  // namespace

std::vector<TimelineFile> timeline_files(const Prediction& p, const std::string& path) {
  const std::vector<PipelineEvent> events = pipeline_events(p.step.pipeline);
  const auto stages = p.step.schedule.stages.size();
  const auto ranks = static_cast<std::int64_t>(p.devices);
  const std::string& device = p.setup.step.device.sku;
  if (!path.ends_with('/')) {
    TraceWriter out(ranks);
    for (std::size_t i = 0; i < stages; ++i) {
      const auto on = static_cast<std::int64_t>(i);
      draw_step(p, on, out);  // each device is read as a rank of its own
      draw_stage(p, events, i, on, out);
    }
    return {{path, out.text(0, device)}};
  }
  std::vector<TimelineFile> files;
  for (std::size_t i = 0; i < stages; ++i) {
    TraceWriter out(ranks);
    draw_step(p, 0, out);
    draw_stage(p, events, i, 0, out);
    const std::int64_t rank = static_cast<std::int64_t>(i) * ranks / p.setup.step.plan.pp;
    files.push_back({fmt::format("{}stage{:02}.json", path, i), out.text(rank, device)});
  }
  return files;
}

}  // namespace nameplate
