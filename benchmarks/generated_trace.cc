#include "benchmarks/generated_trace.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/random.h"

namespace nameplate {
namespace {

constexpr int kLayers = 24;
constexpr std::int64_t kHostSlotNs = 60'000;     // of one operator on the host
constexpr std::int64_t kDeviceSlotNs = 500'000;  // of its kernel: at most, so that ranks meet at the same times
constexpr std::int64_t kBegin = 6'322'354'292'000'000'000;
constexpr int kProcess = 4211, kMainThread = 4211, kBackwardThread = 4377;
constexpr int kComputeStream = 7, kCommunicationStream = 23;

struct Operation {
  std::string_view outer, inner, module, kernel, dims, strides;
  std::string_view outer_dims = {};  // where the outer one's differ
};
constexpr std::string_view kGemm = "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT";
constexpr std::string_view kElementwise =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
    "3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)";
constexpr std::string_view kActivation =
    "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
    "at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::"
    "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)";
constexpr std::string_view kNorm =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
    "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)";
constexpr std::string_view kFlash =
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
    "cutlass::bfloat16_t>, false, true, false, false, true, true, false>(pytorch_flash::Flash_fwd_params)";
constexpr std::string_view kReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

constexpr std::array<Operation, 9> kForward = {{
    {"aten::layer_norm", "aten::native_layer_norm", "LayerNorm", kNorm, "[8192, 2048], [], [2048], [2048], []",
     "[2048, 1], [], [1], [1], []"},
    {"aten::linear", "aten::addmm", "Linear", kGemm, "[6144], [8192, 2048], [2048, 6144], [], []",
     "[1], [2048, 1], [1, 2048], [], []", "[8192, 2048], [6144, 2048], [6144], [], []"},
    {"aten::scaled_dot_product_attention", "aten::_flash_attention_forward", "Attention", kFlash,
     "[4, 16, 2048, 128], [4, 16, 2048, 128], [4, 16, 2048, 128], [], [], [], []",
     "[4194304, 128, 2048, 1], [4194304, 128, 2048, 1], [4194304, 128, 2048, 1], [], [], [], []"},
    {"aten::linear", "aten::addmm", "Linear", kGemm, "[2048], [8192, 2048], [2048, 2048], [], []",
     "[1], [2048, 1], [1, 2048], [], []", "[8192, 2048], [2048, 2048], [2048], [], []"},
    {"aten::add", "aten::add_", "Block", kElementwise, "[8192, 2048], [8192, 2048], []", "[2048, 1], [2048, 1], []"},
    {"aten::layer_norm", "aten::native_layer_norm", "LayerNorm", kNorm, "[8192, 2048], [], [2048], [2048], []",
     "[2048, 1], [], [1], [1], []"},
    {"aten::linear", "aten::addmm", "Linear", kGemm, "[8192], [8192, 2048], [2048, 8192], [], []",
     "[1], [2048, 1], [1, 2048], [], []", "[8192, 2048], [8192, 2048], [8192], [], []"},
    {"aten::gelu", "aten::gelu", "GELU", kActivation, "[8192, 8192], []", "[8192, 1], []"},
    {"aten::linear", "aten::addmm", "Linear", kGemm, "[2048], [8192, 8192], [8192, 2048], [], []",
     "[1], [8192, 1], [1, 8192], [], []", "[8192, 8192], [2048, 8192], [2048], [], []"},
}};
constexpr std::array<Operation, 4> kBackward = {{
    {"autograd::engine::evaluate_function: AddmmBackward0", "aten::mm", "", kGemm, "[8192, 2048], [2048, 8192]",
     "[2048, 1], [8192, 1]"},
    {"autograd::engine::evaluate_function: AddmmBackward0", "aten::mm", "", kGemm, "[8192, 8192], [8192, 2048]",
     "[1, 8192], [2048, 1]"},
    {"autograd::engine::evaluate_function: GeluBackward0", "aten::gelu_backward", "", kActivation,
     "[8192, 8192], [8192, 8192], []", "[8192, 1], [8192, 1], []"},
    {"autograd::engine::evaluate_function: AddmmBackward0", "aten::mm", "", kGemm, "[8192, 6144], [6144, 2048]",
     "[6144, 1], [2048, 1]"},
}};
constexpr int kBackwardRounds = 3;
constexpr std::int64_t kOperationsPerLayer = kForward.size() + kBackwardRounds * kBackward.size() + 1;
constexpr std::int64_t kStepNs = (kLayers * kOperationsPerLayer + 20) * kDeviceSlotNs;

// Removes what JSON does not need outside its strings.
std::string_view without_space(std::string& text) {
  std::size_t out = 0;
  bool inside = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;  // no name holds an escaped quote
    if (inside || (c != ' ' && c != '\n')) text[out++] = c;
  }
  text.resize(out);
  return text;
}

enum class Part { operations, frames, device };

class Writer {
 public:
  Writer(const GeneratedTrace& shape, std::ostream& out) : shape_(shape), out_(out) {}

  std::int64_t written() const { return written_; }

  template <class... Args>
  void text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }
  void comma() {
    if (any_) buffer_ += ',';
    any_ = true;
  }
  void flush() {
    const std::string_view done = shape_.compact ? without_space(buffer_) : buffer_;
    out_.write(done.data(), static_cast<std::streamsize>(done.size()));
    written_ += static_cast<std::int64_t>(done.size());
    buffer_.clear();
  }

 private:
  const GeneratedTrace& shape_;
  std::ostream& out_;
  std::string buffer_;
  std::int64_t written_ = 0;
  bool any_ = false;
};

// Microseconds with three decimals.
struct Micro {
  std::int64_t whole;
  std::int64_t rest;
  explicit Micro(std::int64_t ns) : whole(ns / 1000), rest(ns % 1000) {}
};

// One step of one rank, of which one part is written.
class Step {
 public:
  Step(const GeneratedTrace& shape, std::int64_t index, Part part, Writer& out)
      : shape_(shape),
        index_(index),
        part_(part),
        out_(out),
        random_(static_cast<std::uint64_t>(shape.rank), static_cast<std::uint64_t>(index)) {
    host_ns_ = kBegin + index * kStepNs;
    slot_ = 0;
    id_ = index * kLayers * kOperationsPerLayer;
  }

  void write() {
    const std::int64_t begin = host_ns_;
    if (part_ == Part::operations) annotation(fmt::format("ProfilerStep#{}", index_ + 10), begin, kStepNs - 5'000);
    frame("train.py(188): train_step", begin + 1'000, kStepNs - 10'000);
    frame("torch/nn/modules/module.py(1773): _call_impl", begin + 2'000, kLayers * kForward.size() * kHostSlotNs);
    host_ns_ += 5'000;
    for (int layer = 0; layer < kLayers; ++layer) forward(layer);
    frame("torch/_tensor.py(592): backward", host_ns_, (kStepNs - (host_ns_ - begin)) - 20'000);
    for (int layer = kLayers; layer-- > 0;) backward(layer);
    synchronise(begin + kStepNs - 15'000);
  }

 private:
  // Real times have no round digits, and a compressed file is as large as its digits are random.
  std::int64_t jitter(std::uint64_t below_ns) { return static_cast<std::int64_t>(random_.next_below(below_ns)); }

  std::int64_t kernel_ns() { return kDeviceSlotNs * 7 / 10 + jitter(kDeviceSlotNs / 4); }

  void annotation(std::string_view name, std::int64_t begin, std::int64_t duration) {
    out_.comma();
    const Micro ts(begin), dur(duration);
    out_.text(R"(
  {{
    "ph": "X", "cat": "user_annotation", "name": "{}", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {},"Record function id": 0, "Ev Idx": {}
    }}
  }})",
              name, kProcess, kMainThread, ts.whole, ts.rest, dur.whole, dur.rest, id_, id_);
  }

  void frame(std::string_view name, std::int64_t begin, std::int64_t duration) {
    ++frame_;
    if (part_ != Part::frames) return;
    out_.comma();
    const Micro ts(begin), dur(duration);
    out_.text(R"(
  {{
    "ph": "X", "cat": "python_function", "name": "{}", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "Python parent id": {}, "Python id": {}, "Ev Idx": {}
    }}
  }})",
              name, kProcess, kMainThread, ts.whole, ts.rest, dur.whole, dur.rest, frame_ - 1, frame_,
              id_ * 8 + frame_);
  }

  void operation(std::string_view name, const Operation& of, std::string_view dims, int thread, std::int64_t begin,
                 std::int64_t duration) {
    if (part_ != Part::operations) return;
    out_.comma();
    const Micro ts(begin), dur(duration);
    out_.text(R"(
  {{
    "ph": "X", "cat": "cpu_op", "name": "{}", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {},"Sequence number": {}, "Fwd thread id": 0, "Record function id": 0, "Concrete Inputs": ["", "", "", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"], "Input Strides": [{}], "Input Dims": [{}], "Ev Idx": {}
    }}
  }})",
              name, kProcess, thread, ts.whole, ts.rest, dur.whole, dur.rest, id_, id_ % 9000, of.strides, dims, id_);
  }

  // A call of the runtime, the arrow to its kernel, and the kernel, as Kineto puts them.
  void launch(std::string_view kernel, int thread, int stream, std::int64_t begin, std::int64_t duration,
              std::string_view more = "") {
    const Micro call(host_ns_ + 22'000 + jitter(2'000)), held(2'000 + jitter(4'000)), ts(begin), dur(duration);
    if (part_ != Part::device) return;
    out_.comma();
    out_.text(R"(
  {{
    "ph": "X", "cat": "kernel", "name": "{}", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {},
      "queued": 0, "device": {}, "context": 1,
      "stream": {}, "correlation": {},
      "registers per thread": 32,
      "shared memory": 0,
      "blocks per SM": 12.412121,
      "warps per SM": 49.648483,
      "grid": [1639, 1, 1],
      "block": [128, 1, 1],
      "est. achieved occupancy %": 78{}
    }}
  }},
  {{
    "ph": "f", "id": {}, "pid": {}, "tid": {}, "ts": {}.{:03},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "External id": {},
      "cbid": 211, "correlation": {}
    }}
  }},
  {{
    "ph": "s", "id": {}, "pid": {}, "tid": {}, "ts": {}.{:03},
    "cat": "ac2g", "name": "ac2g"
  }})",
              kernel, shape_.rank % 8, stream, ts.whole, ts.rest, dur.whole, dur.rest, id_, shape_.rank % 8, stream,
              id_, more, id_, shape_.rank % 8, stream, ts.whole, ts.rest,  //
              kProcess, thread, call.whole, call.rest, held.whole, held.rest, id_, id_, id_, kProcess, thread,
              call.whole, call.rest);
  }

  void one(const Operation& of, int thread) {
    ++id_;
    operation(of.outer, of, of.outer_dims.empty() ? of.dims : of.outer_dims, thread, host_ns_ + 10'000 + jitter(1'000),
              40'000 - jitter(4'000));
    operation(of.inner, of, of.dims, thread, host_ns_ + 14'000 + jitter(1'000), 30'000 - jitter(2'000));
    // The device runs a step's length behind the host at most; each kernel has a slot of its own.
    const std::int64_t begin = kBegin + index_ * kStepNs + 60'000 + slot_++ * kDeviceSlotNs;
    launch(of.kernel, thread, kComputeStream, begin, kernel_ns());
    host_ns_ += kHostSlotNs;
  }

  void forward(int layer) {
    frame(fmt::format("nn.Module: Block_{}", layer), host_ns_, std::int64_t{kForward.size()} * kHostSlotNs - 2'000);
    frame("model.py(97): forward", host_ns_ + 500, std::int64_t{kForward.size()} * kHostSlotNs - 4'000);
    for (std::size_t i = 0; i < kForward.size(); ++i) {
      const Operation& of = kForward[i];
      frame(fmt::format("nn.Module: {}_{}", of.module, layer * 4 + static_cast<int>(i)), host_ns_ + 1'000 + jitter(500),
            56'000 - jitter(500));
      frame("torch/nn/modules/module.py(1773): _call_impl", host_ns_ + 1'600 + jitter(400), 54'000 - jitter(500));
      frame("<built-in method _has_torch_function of type object at 0x7f1c2a9d4e20>", host_ns_ + 2'500,
            700 + jitter(300));
      frame(fmt::format("torch/nn/modules/{}.py({}): forward", of.module, 100 + i), host_ns_ + 4'000 + jitter(900),
            49'000 - jitter(900));
      frame(fmt::format("<built-in method {} of Tensor object at 0x7fdc68{:06x}>", of.module, jitter(2'000) * 16),
            host_ns_ + 6'000 + jitter(900), 45'000 - jitter(900));
      one(of, kMainThread);
    }
  }

  void backward(int layer) {
    for (int round = 0; round < kBackwardRounds; ++round) {
      for (const Operation& of : kBackward) one(of, kBackwardThread);
    }
    reduce(layer);
  }

  // Gradients of one layer. It ends at the same time on every rank.
  void reduce(int layer) {
    static constexpr Operation kRecord = {"", "", "", "", "[[12582912]], [], [], []", "[[1]], [], [], []"};
    ++id_;
    operation("record_param_comms", kRecord, kRecord.dims, kBackwardThread, host_ns_ + 10'000, 30'000);
    const std::int64_t begin = kBegin + index_ * kStepNs + 60'000 + slot_ * kDeviceSlotNs;
    const std::int64_t late = jitter(kDeviceSlotNs / 4);
    const std::string ranks = shape_.ranks > 30 ? fmt::format("[0, 1, ..., {}]", shape_.ranks - 1) : all_ranks();
    launch(kReduce, kBackwardThread, kCommunicationStream, begin + late, kDeviceSlotNs * 5 / 2 - late,
           fmt::format(R"(,
      "Collective name": "allreduce", "In msg nelems": 12582912, "Out msg nelems": 12582912, "Group size": {}, "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "{}", "Seq": {})",
                       shape_.ranks, ranks, index_ * kLayers + (kLayers - layer)));
    host_ns_ += kHostSlotNs;
    ++slot_;
  }

  std::string all_ranks() const {
    std::string text = "[";
    for (int r = 0; r < shape_.ranks; ++r) text += fmt::format("{}{}", r == 0 ? "" : ", ", r);
    return text + "]";
  }

  void synchronise(std::int64_t end) {
    if (part_ != Part::device) return;
    out_.comma();
    const Micro ts(host_ns_ + 2'000), dur(end - host_ns_ - 2'000);
    out_.text(R"(
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": {}, "tid": {},
    "ts": {}.{:03}, "dur": {}.{:03},
    "args": {{
      "cbid": 165, "correlation": {}
    }}
  }})",
              kProcess, kMainThread, ts.whole, ts.rest, dur.whole, dur.rest, id_ + 500'000'000);
  }

  const GeneratedTrace& shape_;
  std::int64_t index_;
  Part part_;
  Writer& out_;
  RandomStream random_;
  std::int64_t host_ns_;
  std::int64_t slot_;
  std::int64_t id_;
  std::int64_t frame_ = 0;
};

void write_step(const GeneratedTrace& shape, std::int64_t index, Part part, Writer& out) {
  if (part == Part::frames && shape.compact) return;
  Step(shape, index, part, out).write();
  out.flush();
}

constexpr Part kParts[] = {Part::operations, Part::frames, Part::device};

std::int64_t steps_of(const GeneratedTrace& shape) {
  std::ostream nowhere(nullptr);
  Writer one(shape, nowhere);
  for (const Part part : kParts) write_step(shape, 1000, part, one);
  return (shape.bytes + one.written() - 1) / one.written();
}

}  // namespace

void write_trace(const GeneratedTrace& shape, std::ostream& out) {
  Writer writer(shape, out);
  writer.text(R"({{
  "schemaVersion": 1,
  "deviceProperties": [
    {{
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85028372480
    }}
  ],
  "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}}},
  "traceEvents": [)",
              shape.rank, shape.ranks);
  writer.flush();
  const std::int64_t steps = steps_of(shape);
  for (const Part part : kParts) {
    for (std::int64_t step = 0; step < steps; ++step) write_step(shape, step, part, writer);
  }
  writer.text(R"(
  ],
  "traceName": "generated", "baseTimeNanoseconds": 1759300074000000000
}}
)");
  writer.flush();
}

}  // namespace nameplate
