#include "nameplate/inputs/host_span_class.h"

#include <algorithm>
#include <span>

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

struct NameRule {
  std::string_view part;  // lower case
  HostSpanClass span_class;
};

// Calls of the CUDA and HIP runtimes and drivers, the first that fits.
constexpr NameRule kRuntime[] = {{"synchronize", HostSpanClass::synchronise},
                                 {"launch", HostSpanClass::launch},
                                 {"memcpywithstream", HostSpanClass::synchronise},
                                 {"memcpyasync", HostSpanClass::launch},
                                 {"memsetasync", HostSpanClass::launch},
                                 {"memcpypeerasync", HostSpanClass::launch},
                                 {"memcpy2dasync", HostSpanClass::launch},
                                 {"memcpy", HostSpanClass::synchronise},
                                 {"memset", HostSpanClass::launch},
                                 {"malloc", HostSpanClass::allocator},
                                 {"hostalloc", HostSpanClass::allocator},
                                 {"memcreate", HostSpanClass::allocator},
                                 {"memmap", HostSpanClass::allocator},
                                 {"memunmap", HostSpanClass::allocator},
                                 {"memrelease", HostSpanClass::allocator},
                                 {"memsetaccess", HostSpanClass::allocator},
                                 {"memaddress", HostSpanClass::allocator},
                                 {"memalloc", HostSpanClass::allocator},
                                 {"memfree", HostSpanClass::allocator},
                                 {"cudafree", HostSpanClass::allocator},
                                 {"hipfree", HostSpanClass::allocator},
                                 {"hostregister", HostSpanClass::allocator},
                                 {"moduleload", HostSpanClass::compile},
                                 {"libraryload", HostSpanClass::compile}};

// Ranges that people and frameworks mark, and operators.
constexpr NameRule kAnnotation[] = {{"profilerstep#", HostSpanClass::step},
                                    {"autograd::engine::evaluate_function", HostSpanClass::operation},
                                    {"enumerate(dataloader)", HostSpanClass::data_wait},
                                    {"dataloader", HostSpanClass::data_wait},
                                    {"wait_for_batch", HostSpanClass::data_wait},
                                    {"load_batch", HostSpanClass::data_wait},
                                    {"next_batch", HostSpanClass::data_wait},
                                    {"get_batch", HostSpanClass::data_wait},
                                    {"fetch_batch", HostSpanClass::data_wait},
                                    {"save_checkpoint", HostSpanClass::checkpoint},
                                    {"checkpoint_save", HostSpanClass::checkpoint},
                                    {"save checkpoint", HostSpanClass::checkpoint},
                                    {"async_save", HostSpanClass::checkpoint},
                                    {"evaluat", HostSpanClass::evaluation},
                                    {"validation", HostSpanClass::evaluation},
                                    {"garbage", HostSpanClass::garbage}};

// Frames: "torch/utils/data/dataloader.py(631): __next__".
constexpr NameRule kPython[] = {{"utils/data/dataloader.py", HostSpanClass::data_wait},
                                {"built-in function collect", HostSpanClass::garbage},
                                {"_inductor/compile_fx.py", HostSpanClass::compile},
                                {"_dynamo/convert_frame.py", HostSpanClass::compile},
                                {"triton/compiler/compiler.py", HostSpanClass::compile},
                                {"checkpoint/state_dict_saver.py", HostSpanClass::checkpoint}};

HostSpanClass first_fit(std::span<const NameRule> rules, std::string_view name, HostSpanClass otherwise) {
  const std::string lower = to_lower(name);
  const auto fits = [&](const NameRule& rule) { return lower.find(rule.part) != lower.npos; };
  const auto rule = std::find_if(rules.begin(), rules.end(), fits);
  return rule == rules.end() ? otherwise : rule->span_class;
}

}  // namespace

HostSpanClass host_span_class(EventKind kind, std::string_view name) {
  switch (kind) {
    case EventKind::runtime:
      return first_fit(kRuntime, name, HostSpanClass::other);
    case EventKind::annotation:
      return first_fit(kAnnotation, name, HostSpanClass::annotation);
    case EventKind::operation:
      return first_fit(kAnnotation, name, HostSpanClass::operation);
    case EventKind::python:
      return first_fit(kPython, name, HostSpanClass::python);
    case EventKind::profiler:
      return HostSpanClass::profiler;
    default:
      return HostSpanClass::other;
  }
}

}  // namespace nameplate
