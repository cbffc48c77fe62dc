#include "nameplate/inputs/runlog_tensorboard.h"

#include <gtest/gtest.h>

#include "nameplate/inputs/event_file_for_test.h"
#include "nameplate/inputs/runlog_for_test.h"
#include "nameplate/inputs/tensorboard_events.h"

namespace nameplate {
namespace {

using namespace event_file;

RunLog read_bytes(std::string_view bytes, const LogOptions& options = {}) {
  RunLogBuilder builder;
  builder.begin_file("events.out.tfevents");
  EXPECT_FALSE(read_tensorboard(bytes, options, builder));
  return builder.finish();
}

// The first twelve bytes of event files as TensorFlow and PyTorch write them: a version record of 24 bytes.
TEST(TensorBoard, KnowsEventFiles) {
  const std::string_view head("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09", 13);
  EXPECT_TRUE(is_event_file(head));
  EXPECT_EQ(detect_runlog_format(head), "tensorboard");
  EXPECT_FALSE(is_event_file(head.substr(0, 11)));
  EXPECT_FALSE(is_event_file("iter 1: loss 3.5, time 100.00ms"));
}

TEST(TensorBoard, MakesARowAStep) {
  const RunLog log =
      read_bytes(version() + scalar(100.5, 10, "train/loss", 3.5F) + scalar(100.6, 10, "iteration-time", 2.5F) +
                 scalar(100.7, 10, "lr", 0.001F) + tensor_scalar(110.5, 20, "train/loss", 3.25F) +
                 tensor_scalar(110.6, 20, "throughput(tps)", 4096.0F));
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_EQ(log.steps[0].index, 10);
  EXPECT_EQ(*log.steps[0].end_s, 100.5);
  EXPECT_EQ(log.steps[0].line, 2);
  EXPECT_EQ(*log.steps[0].loss, 3.5);
  EXPECT_EQ(*log.steps[0].duration_s, 2.5);
  EXPECT_EQ(*log.steps[1].loss, 3.25);
  EXPECT_EQ(*log.steps[1].claimed_tokens_per_s, 4096);
  EXPECT_EQ(log.claims.tokens_per_s_scope, RateScope::per_accelerator);
  EXPECT_TRUE(log.defects.empty());
}

TEST(TensorBoard, TakesTheManifestsColumns) {
  LogOptions options;
  options.columns = {{"step_time", {"my/dt", "ms"}}, {"loss", {"my/loss", ""}}};
  const RunLog log = read_bytes(
      version() + scalar(1, 1, "train/loss", 9) + scalar(1, 1, "my/dt", 250) + scalar(1, 1, "my/loss", 2), options);
  ASSERT_EQ(log.steps.size(), 1u);
  EXPECT_EQ(*log.steps[0].duration_s, 0.25);
  EXPECT_EQ(*log.steps[0].loss, 2);
  options.columns = {{"stpe_time", {"x", ""}}};
  RunLogBuilder builder;
  EXPECT_TRUE(read_tensorboard(version(), options, builder));
}

TEST(TensorBoard, TellsSessions) {
  const RunLog log =
      read_bytes(version() + session(50, 1) + scalar(60, 1, "loss", 2) + session(70, 3) + session(80, 2));
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[0].event_class, EventClass::start);
  EXPECT_EQ(log.events[1].event_class, EventClass::checkpoint_save);
  EXPECT_EQ(log.events[1].after_step, 1);
  EXPECT_EQ(log.events[2].event_class, EventClass::finished);
  EXPECT_EQ(*log.events[2].begin_s, 80);
}

TEST(TensorBoard, TellsARestartInOneFolder) {
  const RunLog log = read_bytes(version() + scalar(100, 1, "loss", 2) + scalar(200, 2, "loss", 2) +
                                scalar(900, 2, "loss", 2) + scalar(1000, 3, "loss", 2));
  ASSERT_EQ(log.steps.size(), 3u);  // one scalar after the other of the same step is one row
  const RunLog restart = read_bytes(version() + scalar(100, 1, "loss", 2) + scalar(200, 2, "loss", 2) +
                                    scalar(900, 1, "loss", 2) + scalar(1000, 2, "loss", 2));
  ASSERT_EQ(restart.steps.size(), 4u);
  EXPECT_EQ(restart.steps[3].attempt, 1);
}

TEST(TensorBoard, CountsDamage) {
  const std::string first = version() + scalar(1, 1, "loss", 2);
  const std::string second = scalar(2, 2, "loss", 2);
  std::string flipped = second;
  flipped[20] ^= 1;
  const RunLog corrupt = read_bytes(first + flipped + second);
  EXPECT_EQ(corrupt.steps.size(), 2u);
  EXPECT_EQ(defects(corrupt, "log.corrupt_record"), 1);

  const RunLog truncated = read_bytes(first + second.substr(0, second.size() - 5));
  EXPECT_EQ(truncated.steps.size(), 1u);
  EXPECT_EQ(defects(truncated, "log.truncated_record"), 1);

  std::string wrong_length = second;
  wrong_length[0] ^= 1;
  const RunLog broken = read_bytes(first + wrong_length + second);
  EXPECT_EQ(broken.steps.size(), 1u);
  EXPECT_EQ(defects(broken, "log.broken_records"), 1);

  // A tensor whose type is no varint: the field is skipped, and without a type its content is no number.
  const std::string tensor = key(1, 1) + bytes_of(1.0) + message(4, bytes_of(2.0F));
  const RunLog skipped =
      read_bytes(first + event(2, 2, message(5, message(1, message(1, "loss") + message(8, tensor)))));
  EXPECT_EQ(skipped.steps.size(), 1u);

  const RunLog nonsense = read_bytes(first + record("\x0a\xff\xff\xff\x7f"));
  EXPECT_EQ(nonsense.steps.size(), 1u);
  EXPECT_EQ(defects(nonsense, "log.corrupt_record"), 1);
}

}  // namespace
}  // namespace nameplate
