#include "nameplate/inputs/progress_bar.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(ProgressBar, ReadsCountClockRateAndPostfix) {
  const auto bar =
      parse_progress_bar("Epoch 0: :  12%|█▏        | 120/1000 [01:30<11:00,  1.25it/s, v_num=2, loss=2.3]");
  ASSERT_TRUE(bar);
  EXPECT_EQ(bar->label, "Epoch 0: :");
  EXPECT_EQ(bar->done, 120);
  EXPECT_EQ(bar->total, 1000);
  EXPECT_EQ(bar->elapsed_s, 90);
  EXPECT_DOUBLE_EQ(*bar->step_time_s, 0.8);  // 1 / 1.25
  EXPECT_EQ(bar->postfix, "v_num=2, loss=2.3");
}

TEST(ProgressBar, ReadsEverySpellingOfTheRate) {
  const auto time_of = [](const char* rate) {
    return parse_progress_bar(std::string("50%|#####     | 5/10 [1:02:03<02:03, ") + rate + "]")->step_time_s;
  };
  EXPECT_DOUBLE_EQ(*time_of("7.57s/it"), 7.57);
  EXPECT_DOUBLE_EQ(*time_of(" 2.50ba/s"), 0.4);
  EXPECT_FALSE(time_of("?it/s"));
  EXPECT_FALSE(time_of("0.00it/s"));
  EXPECT_EQ(parse_progress_bar("50%|#    | 5/10 [30:02:03<?]")->elapsed_s, 30 * 3600 + 2 * 60 + 3);
}

TEST(ProgressBar, TakesTheLastOfSeveral) {
  const auto bar =
      parse_progress_bar("\r  1%|   | 1/99 [00:02<03:16, 2.00s/it]\r  2%|   | 2/99 [00:04<03:14, 2.00s/it]\r      ");
  ASSERT_TRUE(bar);
  EXPECT_EQ(bar->done, 2);
  EXPECT_EQ(bar->label, "");
}

TEST(ProgressBar, RefusesWhatIsNone) {
  for (const char* text :
       {"", "%|", "12%|#", "12%| | 1/2", "12%| | a/b [00:01<00:02]", "12%| | 1/0 [00:01<00:02]",
        "12%| | -1/2 [00:01<00:02]", "12%| | 1/2 [01<00:02]", "12%| | 1/2 [00:01", "12%| | 1 [x/y]"}) {
    EXPECT_FALSE(parse_progress_bar(text)) << text;
  }
}

// The clock shows whole seconds: 60 s over 40 steps is good to 2 %, 10 s are not.
TEST(ProgressClock, TrustsTheClockOverLongSpansAndTheRateOverShortOnes) {
  ProgressClock clock;
  EXPECT_DOUBLE_EQ(*clock.step_time(10, 20, 1, 1.9), 1.9);
  EXPECT_DOUBLE_EQ(*clock.step_time(50, 80, 1, 1.9), 1.5);
  EXPECT_DOUBLE_EQ(*clock.step_time(55, 90, 1, 1.9), 1.9);
  EXPECT_DOUBLE_EQ(*clock.step_time(60, 100, 1, {}), 2.0);
  EXPECT_FALSE(clock.step_time(60, 100, 1, {}));
  EXPECT_FALSE(clock.step_time(5, 200, 1, {}));  // the count went back
}

}  // namespace
}  // namespace nameplate
