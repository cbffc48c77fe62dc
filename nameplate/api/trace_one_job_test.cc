#include "nameplate/api/trace_one_job.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

RankTimeline capture(std::int64_t rank, std::int64_t begin_s, RankSource source, const char* device = "H100") {
  RankTimeline r;
  r.rank = rank;
  r.rank_source = source;
  r.device_name = device;
  r.base_time_ns = begin_s * 1'000'000'000;
  r.window_end_ns = 1'000'000'000;
  return r;
}

TEST(OneJob, SideBySideOrTheSameRanksAgain) {
  using enum RankSource;
  EXPECT_TRUE(one_job({capture(0, 100, order), capture(1, 100, order)}).can_be);
  EXPECT_TRUE(one_job({capture(0, 100, file), capture(0, 9000, file)}).can_be);
  EXPECT_FALSE(one_job({capture(0, 100, order), capture(1, 9000, order)}).can_be);
  EXPECT_FALSE(one_job({capture(0, 100, file), capture(1, 9000, file)}).can_be);
}

TEST(OneJob, DevicesThatDifferAreSaid) {
  const OneJob mixed = one_job({capture(0, 100, RankSource::file), capture(1, 100, RankSource::file, "MI300X")});
  EXPECT_TRUE(mixed.can_be);
  ASSERT_EQ(mixed.notes.size(), 1u);
  EXPECT_EQ(mixed.notes[0].id, "trace.devices_differ");
}

}  // namespace
}  // namespace nameplate
