#include "nameplate/analysis/attribution/steps.h"

#include <algorithm>
#include <map>
#include <string>

#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

using StepSpans = std::vector<StepSpan>;

// "train_step 12" and "train_step 13" are the same range.
std::string stem(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c < '0' || c > '9') out += c;
  }
  return out;
}

bool names_a_step(std::string_view stem) {
  if (stem.starts_with("Optimizer.") || stem.find("optimizer") != stem.npos) return false;
  constexpr std::string_view kParts[] = {"train_step", "training_step", "train step", "iteration", "step#", "Step "};
  return stem == "step" || stem == "iter" ||
         std::any_of(std::begin(kParts), std::end(kParts), [&](auto part) { return stem.find(part) != stem.npos; });
}

// Annotations by stem, of those that `wanted` takes; each stem's spans in order of time.
template <class Wanted>
std::map<std::string, StepSpans> annotations(const Timeline& timeline, const HostSpans& host, Wanted wanted) {
  std::map<std::string, StepSpans> found;
  for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
    const bool marked =
        host.span_class[i] == HostSpanClass::annotation || host.span_class[i] == HostSpanClass::operation;
    if (!marked) continue;
    const std::string_view text = timeline.names[static_cast<std::size_t>(host.name_id[i])];
    if (!wanted(text)) continue;
    StepSpans& spans = found[stem(text)];
    spans.push_back({static_cast<std::int64_t>(spans.size()), host.begin_ns[i], host.duration_ns[i]});
  }
  return found;
}

bool follow_each_other(const StepSpans& spans) {
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].begin_ns < spans[i - 1].begin_ns + spans[i - 1].duration_ns) return false;
  }
  return spans.size() >= 2;
}

// The annotation that covers most time.
StepSpans annotated_steps(const Timeline& timeline, const HostSpans& host) {
  StepSpans best;
  std::int64_t best_ns = 0;
  for (auto& [text, spans] : annotations(timeline, host, names_a_step)) {
    std::int64_t covered = 0;
    for (const StepSpan& s : spans) covered += s.duration_ns;
    if (!follow_each_other(spans) || covered <= best_ns) continue;
    best_ns = covered;
    best = spans;
  }
  return best;
}

// Of the optimizer that steps most often.
StepSpans optimizer_steps(const Timeline& timeline, const HostSpans& host) {
  StepSpans calls;
  const auto is_optimizer_step = [](std::string_view text) { return text.starts_with("Optimizer.step"); };
  for (auto& [text, spans] : annotations(timeline, host, is_optimizer_step)) {
    if (follow_each_other(spans) && spans.size() > calls.size()) calls = spans;
  }
  StepSpans steps;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const std::int64_t begin = calls[i - 1].begin_ns + calls[i - 1].duration_ns;
    const std::int64_t end = calls[i].begin_ns + calls[i].duration_ns;
    steps.push_back({static_cast<std::int64_t>(i - 1), begin, end - begin});
  }
  return steps;
}

// z[i]: how many entries from i on equal those from 0 on (Gusfield's Z algorithm, O(n)).
std::vector<std::size_t> common_prefixes(const std::vector<std::int32_t>& text) {
  std::vector<std::size_t> z(text.size(), 0);
  for (std::size_t i = 1, left = 0, right = 0; i < text.size(); ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < text.size() && text[z[i]] == text[i + z[i]]) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

StepSpans repeated_kernels(const DeviceEvents& device) {
  std::vector<std::size_t> kernels;
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    if (is_compute(device.event_class[i])) kernels.push_back(i);
  }
  std::vector<std::int32_t> backwards;
  for (auto i = kernels.rbegin(); i != kernels.rend(); ++i) backwards.push_back(device.name_id[*i]);
  const std::vector<std::size_t> z = common_prefixes(backwards);
  // A step is more than one kernel over and over, and seen at least twice.
  for (std::size_t period = 2; period * 2 <= kernels.size(); ++period) {
    const std::size_t covered = period + z[period];
    if (covered < 2 * period || covered * 2 < kernels.size()) continue;
    StepSpans steps;
    const std::size_t count = covered / period;
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t first = kernels.size() - (count - s) * period;
      const std::size_t last = kernels[first + period - 1];
      const std::int64_t begin = device.begin_ns[kernels[first]];
      const std::int64_t end =
          s + 1 < count ? device.begin_ns[kernels[first + period]] : device.begin_ns[last] + device.duration_ns[last];
      steps.push_back({static_cast<std::int64_t>(s), begin, end - begin});
    }
    return steps;
  }
  return {};
}

Stretch extent(const std::vector<std::int64_t>& begin_ns, const std::vector<std::int64_t>& duration_ns) {
  Stretch all{begin_ns.front(), begin_ns.front()};
  for (std::size_t i = 0; i < begin_ns.size(); ++i) all.end_ns = std::max(all.end_ns, begin_ns[i] + duration_ns[i]);
  return all;
}

std::int64_t end_of(const StepSpan& step) { return step.begin_ns + step.duration_ns; }

std::size_t count_warm_up(const StepSpans& steps, const HostSpans& host) {
  Stretches compiling;
  for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
    if (host.span_class[i] != HostSpanClass::compile) continue;
    compiling.push_back({host.begin_ns[i], host.begin_ns[i] + host.duration_ns[i]});
  }
  compiling = unite(std::move(compiling));
  std::size_t count = 0;
  while (count < steps.size() &&
         total_ns(clip(compiling, {steps[count].begin_ns, end_of(steps[count])})) * 10 > steps[count].duration_ns) {
    ++count;
  }
  return count < steps.size() ? count : 0;  // a capture of nothing but warm-up is what there is
}

}  // namespace

std::string_view name(StepSource source) {
  switch (source) {
    case StepSource::profiler:
      return "profiler";
    case StepSource::annotation:
      return "annotation";
    case StepSource::optimizer:
      return "optimizer";
    case StepSource::kernels:
      return "kernels";
    case StepSource::none:
      return "none";
  }
  NAMEPLATE_CHECK(false);
}

Steps find_steps(const Timeline& timeline, const RankTimeline& rank) {
  Steps found;
  const auto take = [&](StepSource source, StepSpans steps) {
    if (!found.steps.empty() || steps.empty()) return;
    found.source = source;
    found.steps = std::move(steps);
  };
  take(StepSource::profiler, rank.steps);
  if (found.steps.empty()) take(StepSource::annotation, annotated_steps(timeline, rank.host));
  if (found.steps.empty()) take(StepSource::optimizer, optimizer_steps(timeline, rank.host));
  if (found.steps.empty()) take(StepSource::kernels, repeated_kernels(rank.device));
  if (found.steps.empty()) {
    if (!rank.device.begin_ns.empty()) {
      found.whole = extent(rank.device.begin_ns, rank.device.duration_ns);
    } else if (!rank.host.begin_ns.empty()) {
      found.whole = extent(rank.host.begin_ns, rank.host.duration_ns);
    }
    found.steady = found.whole;
    return found;
  }
  std::stable_sort(found.steps.begin(), found.steps.end(),
                   [](const StepSpan& a, const StepSpan& b) { return a.begin_ns < b.begin_ns; });
  found.warm_up = count_warm_up(found.steps, rank.host);
  found.whole = {found.steps.front().begin_ns, end_of(found.steps.back())};
  found.steady = {found.steps[found.warm_up].begin_ns, found.whole.end_ns};
  return found;
}

}  // namespace nameplate
