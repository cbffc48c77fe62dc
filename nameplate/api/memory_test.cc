#include "nameplate/api/memory.h"

#include <gtest/gtest.h>

#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

Result<Document> memory_of(MemoryRequest memory, std::string recompute = "") {
  FlopsRequest request{
      .model = "llama-3-8b", .sequence_length = 8192, .recompute = std::move(recompute), .memory = std::move(memory)};
  return flops(request);
}

double value(const Document& d, std::string_view id) { return as_double(d.find_value(id)->value); }

// 8,030,261,248 parameters: 2 + 4 + 12 bytes each without sharding.
TEST(FlopsMemory, TermsSumToTheWhole) {
  const Document d = memory_of({.zero = 0}).value();
  const Table& table = *d.find_table("memory");
  double sum = 0;
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) sum += std::get<double>(table.rows[i][2]);
  EXPECT_DOUBLE_EQ(sum, std::get<double>(table.rows.back()[2]));
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][2]), 2 * 8030261248.0);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[1][2]), 4 * 8030261248.0);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[2][2]), 12 * 8030261248.0);
  EXPECT_DOUBLE_EQ(value(d, "memory_reserved_bytes"), sum);
  EXPECT_LT(value(d, "memory_peak_bytes"), sum);
}

TEST(FlopsMemory, SaysWhetherItFits) {
  const Document large = memory_of({.zero = 0, .accelerator = "A100 SXM 40GB"}).value();
  ASSERT_EQ(large.notes.size(), 1u);
  EXPECT_EQ(large.notes[0].id, "memory.does_not_fit");
  EXPECT_GT(value(large, "out_of_memory_risk_ratio"), 0.99);
  EXPECT_NE(sentence(large.notes[0]).find("optimizer 89.7 GiB"), std::string::npos);  // 12 * 8030261248 B
  const Document small = memory_of({.zero = 3, .gpus = 64, .accelerator = "H100 SXM"}, "full").value();
  EXPECT_EQ(small.notes[0].id, "memory.fits");
  EXPECT_DOUBLE_EQ(value(small, "memory_capacity_bytes"), gib(80).base());
}

TEST(FlopsMemory, EveryStageIsInTheTable) {
  const Document d = memory_of({.pp = 4, .gpus = 32}).value();
  EXPECT_EQ(d.find_table("memory")->rows.size(), 4u * 11);
  EXPECT_EQ(d.find_table("memory_stages")->rows.size(), 4u);
}

TEST(FlopsMemory, RecomputeModulesByName) {
  const double none = value(memory_of({}).value(), "memory_peak_bytes");
  const double mlp = value(memory_of({}, "mlp+layernorm").value(), "memory_peak_bytes");
  EXPECT_LT(mlp, none);
  EXPECT_LE(value(memory_of({}, "full").value(), "memory_peak_bytes"), mlp);
  EXPECT_FALSE(memory_of({}, "mpl").ok());
}

TEST(FlopsMemory, WrongRequestsAreErrors) {
  EXPECT_FALSE(memory_of({.tp = 3, .gpus = 8}).ok());
  EXPECT_FALSE(memory_of({.framework = "megatron-cor"}).ok());
  EXPECT_FALSE(memory_of({.optimizer = "adan"}).ok());
  EXPECT_FALSE(memory_of({.precision = "bf17"}).ok());
  EXPECT_FALSE(memory_of({.tp = 1'000'000, .pp = 1'000'000, .cp = 1'000'000}).ok());
  EXPECT_FALSE(memory_of({.pp = 64}).ok());               // 32 layers
  EXPECT_FALSE(memory_of({.accelerator = "A100"}).ok());  // 40 or 80 GB
}

}  // namespace
}  // namespace nameplate
