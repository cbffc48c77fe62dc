// The driver: detection, the replayed head, damaged and hostile input.
#include "nameplate/inputs/runlog.h"

#include <gtest/gtest.h>

#include "nameplate/inputs/runlog_for_test.h"

namespace nameplate {
namespace {

const std::string kStep1 = "iter 1: loss 3.5, time 100.00ms\n";
const std::string kStep2 = "iter 2: loss 3.5, time 110.00ms\n";

// kStep1 + kStep2 as gzip with one stored block (Python: zlib.compressobj(0, zlib.DEFLATED, 31)): header, block,
// trailer.
std::string gzipped_steps() {
  const std::string header("\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\x03", 10);
  const std::string block("\x01\x40\x00\xbf\xff", 5);
  return header + block + kStep1 + kStep2 + std::string("\xbc\x93\xfa\x3f\x40\x00\x00\x00", 8);
}

TEST(Runlog, DetectsByContent) {
  EXPECT_EQ(detect_runlog_format("hello\n" + kStep1), "nanogpt");
  EXPECT_EQ(detect_runlog_format("[default0]: iteration 3/ 9 | elapsed time per iteration (ms): 1.0 |"), "megatron-lm");
  EXPECT_FALSE(detect_runlog_format("iter 1 of the plan: loss is not known\n"));
  EXPECT_FALSE(detect_runlog_format(""));
}

TEST(Runlog, ReplaysTheHeadWithItsLineNumbers) {
  const RunLog log = read_log("\x1b[1mbanner\x1b[0m\ntokens per iteration will be: 512\n\n" + kStep1);
  ASSERT_EQ(log.facts.size(), 1u);
  EXPECT_EQ(log.facts[0].evidence.line, 2);
  EXPECT_EQ(log.steps[0].line, 4);
  EXPECT_EQ(log.lines_total, 4);
}

TEST(Runlog, BoundsTheHead) {
  const RunLog empty_lines = read_log(std::string(std::size_t{1} << 20, '\n') + kStep1);
  EXPECT_EQ(empty_lines.steps.size(), 1u);
  EXPECT_GT(defects(empty_lines, "log.head_cut"), 0);
  std::string long_lines;
  for (int i = 0; i < 10; ++i) long_lines += std::string(std::size_t{1} << 19, 'x') + "\n";
  EXPECT_GT(defects(read_log(long_lines + kStep1), "log.head_cut"), 0);
}

TEST(Runlog, ReadsCrLfAndProgressBars) {
  const RunLog log =
      read_log("iter 1: loss 3.5, time 100.00ms\r\n 10%|#  |\r 20%|## |\riter 2: loss 3.5, time 110.00ms\n");
  ASSERT_EQ(log.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(*log.steps[1].duration_s, 0.11);
}

TEST(Runlog, ReadsGzipWholeAndTruncated) {
  const std::string packed = gzipped_steps();
  const RunLog whole = read_log(packed);
  EXPECT_EQ(whole.steps.size(), 2u);
  EXPECT_TRUE(whole.defects.empty());
  const RunLog cut = read_log(packed.substr(0, packed.size() - 20));
  ASSERT_FALSE(cut.steps.empty());
  EXPECT_EQ(cut.steps[0].index, 1);
  EXPECT_EQ(defects(cut, "log.stream_broken"), 1);
}

TEST(Runlog, SaysWhatItKnowsWhenNothingFits) {
  for (const std::string& text : {std::string(), std::string("hello\n"), std::string("\0\xff\x80\0\n\0", 6)}) {
    const auto log = read_runlog(LineReader::from_memory(text, "x.log"));
    ASSERT_FALSE(log.ok());
    EXPECT_NE(render(log.error()).find("x.log"), std::string::npos);
    EXPECT_NE(render(log.error()).find("megatron-lm"), std::string::npos);
    EXPECT_NE(render(log.error()).find("columns"), std::string::npos);
  }
}

TEST(Runlog, ForcesAFormat) {
  LogReading reading;
  reading.options.format = "nanogpt";
  EXPECT_EQ(read_log(kStep1, reading).format, "nanogpt");
  reading.options.format = "nanogtp";
  const auto log = read_runlog(LineReader::from_memory(kStep1), reading);
  ASSERT_FALSE(log.ok());
  EXPECT_NE(render(log.error()).find("did you mean 'nanogpt'"), std::string::npos);
}

TEST(Runlog, CallsBackForEveryNewRow) {
  std::vector<std::size_t> seen;
  LogReading reading;
  reading.on_row = [&](const RunLog& log) { seen.push_back(log.steps.size()); };
  read_log(kStep1 + "x\n" + kStep1 + kStep2, reading);
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2}));
}

// torchrun's own lines around a framework that knows nothing of them.
TEST(Runlog, ALaunchersRestartIsAnEvent) {
  const RunLog log = read_log(kStep1 +
                              "2026-01-01 00:00:10 W torch/distributed/elastic/agent Worker group FAILED\n"
                              "2026-01-01 00:00:40 I torch/distributed/elastic/agent restart_count=1\n" +
                              kStep2);
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].event_class, EventClass::failure);
  EXPECT_EQ(log.events[1].event_class, EventClass::restart);
  EXPECT_EQ(*log.events[1].begin_s - *log.events[0].begin_s, 30);
}

TEST(Runlog, NeedsAFile) { EXPECT_FALSE(read_runlog({"no/such/file.log"}).ok()); }

}  // namespace
}  // namespace nameplate
