// The data supply against a public pair of traces: ResNet-50 on V100, batches of 32 images decoded in the training
// process itself, and by four workers. What one worker needs is read from the first trace alone; the second is
// predicted.
#include <cstdlib>

#include <gtest/gtest.h>

#include "nameplate/analysis/steptime/data_supply.h"
#include "nameplate/core/field_data_for_test.h"
#include "nameplate/core/statistics.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

struct LoaderTimes {
  double step_s = 0;    // median
  double loader_s = 0;  // of the loop's wait for a batch, mean
};

std::optional<LoaderTimes> loader_times(const std::string& file) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  if (folder == nullptr) return std::nullopt;
  const Result<Timeline> timeline = read_traces({folder + ("/traces/resnet50-v100/" + file)}, {});
  if (!timeline.ok()) return std::nullopt;
  const RankTimeline& rank = timeline->ranks.front();
  std::vector<double> steps;
  std::vector<double> waits;
  for (const StepSpan& step : rank.steps) steps.push_back(static_cast<double>(step.duration_ns) * 1e-9);
  for (std::size_t i = 0; i < rank.host.begin_ns.size(); ++i) {
    const std::string& name = timeline->names[static_cast<std::size_t>(rank.host.name_id[i])];
    if (name.starts_with("enumerate(DataLoader)"))
      waits.push_back(static_cast<double>(rank.host.duration_ns[i]) * 1e-9);
  }
  return LoaderTimes{median(steps), mean(waits)};
}

TEST(DataSupplyField, FourWorkersHideWhatOneProcessTook) {
  const auto alone = loader_times("workers0.pt.trace.json.gz");
  const auto helped = loader_times("workers4.pt.trace.json.gz");
  if (!alone || !helped) GTEST_SKIP() << kNoFieldData;
  constexpr double kImages = 32;
  DataSupply supply{.samples_per_step = kImages, .cpu_time_per_sample = seconds(alone->loader_s / kImages)};
  const Seconds without = seconds(alone->step_s - alone->loader_s);
  EXPECT_NEAR(supply.cpu_time_per_sample.base(), 2.17e-3, 0.03e-3);  // 69.3 ms for 32 images
  const DataSupplyResult before = data_supply(supply, without);
  EXPECT_NEAR(before.data_wait.base(), alone->loader_s, 1e-9);
  EXPECT_EQ(before.workers_needed, 1);  // 69 ms beside a step of 107 ms
  supply.workers = 4;
  const DataSupplyResult after = data_supply(supply, without);
  // What is left of the wait in the second trace is the hand-over of a finished batch: 1.4 ms, 1.1 % of its step.
  EXPECT_NEAR(after.data_wait.base(), helped->loader_s, 0.015 * helped->step_s);
  // The step itself: 107 ms are predicted, 126.5 ms measured, since launches took longer beside the workers (trace:
  // host_bound 100 -> 213 ms of six steps), which a data supply does not know.
  EXPECT_NEAR((without + after.data_wait).base(), helped->step_s, 0.2 * helped->step_s);
}

}  // namespace
}  // namespace nameplate
