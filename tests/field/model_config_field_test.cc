// Real config.json files, read and counted, against the total and active parameters that their vendors publish.
//
// $NAMEPLATE_FIELD_DATA (or ../shared/data beside the repository) holds configs/*.json and configs/params.csv with the
// published figures in billions. A total must agree within half a unit of the last printed digit; where it cannot, the
// table below says why and gives the total counted by hand from the file's own dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/inputs/model_config.h"

namespace nameplate {
namespace {

namespace fs = std::filesystem;

fs::path configs() {
  const char* given = std::getenv("NAMEPLATE_FIELD_DATA");
  const fs::path data = given != nullptr ? fs::path(given) : fs::path(NAMEPLATE_SOURCE_DIR) / ".." / "shared" / "data";
  return data / "configs";
}

// The fields of one CSV line; quoted fields may contain commas.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

struct Published {
  std::string file;
  std::string total;  // billions, as printed
  std::string active;
};

std::vector<Published> published() {
  std::vector<Published> rows;
  std::ifstream in(configs() / "params.csv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::vector<std::string> f = fields(line);
    if (f.size() > 4) rows.push_back({f[0], f[3], f[4]});
  }
  return rows;
}

// Half a unit of the last digit of "70.55": 0.005.
double half_a_digit(const std::string& printed) {
  const std::size_t point = printed.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
  return 0.5 * std::pow(10.0, -decimals);
}

struct Difference {
  Int128 total;  // counted by hand from the dimensions in the file
  std::string_view why;
};

const std::map<std::string, Difference> kDifferences = {
    {"gemma-3-4b.json", {3'880'263'168, "the published 4.3B includes the vision tower of 0.4B"}},
    {"llama-4-scout.json", {107'769'861'120, "the published 109B includes the vision tower"}},
    {"qwen2.5-vl-7b.json", {7'615'616'512, "the published 8.29B includes the vision tower"}},
    {"qwen3-vl-8b.json", {8'190'735'360, "the published 8.77B includes the vision tower"}},
    {"llm-analysis-bloom-175b.json",
     {177'044'348'928, "the file has GPT-3's 96 layers of 12288, not BLOOM's 70 of 14336"}},
};

// Refused, since they are not decoders of attention and MLP layers.
const std::map<std::string, std::string_view> kRefused = {
    {"esm2-8m.json", "an encoder"},
    {"flux-1-dev.json", "a diffusion model"},
    {"glm-5.json", "by an indexer"},
    {"jamba-1.5-mini.json", "not attention + MLP"},
    {"llm-analysis-bert-base-uncased.json", "an encoder"},
    {"nemotron-h-56b.json", "not attention + MLP"},
    {"nemotron-super-49b.json", "all differ"},
    {"openclip-vit-b-32.json", "no model_type"},
    {"openclip-vit-l-14.json", "no model_type"},
    {"qwen3-next-80b-a3b.json", "not attention + MLP"},
    {"t5-lm-large.json", "an encoder-decoder"},
    {"wan2.1-t2v-1.3b.json", "a diffusion model"},
    {"whisper-tiny.json", "an encoder-decoder"},
};

// Vendors count the input embedding as active (Mixtral, Qwen) or not (GPT-OSS, DeepSeek).
void expect_published_active(const Published& row, const ParameterCount& counted) {
  if (row.file == "kimi-k2.json") return;  // its report's 32.6 is neither: 32.86 with the embedding, 31.69 without
  const double half = half_a_digit(row.active);
  const double with = to_double(counted.active) / 1e9;
  const double without = with - to_double(counted.token_embedding) / 1e9;
  const double stated = std::stod(row.active);
  EXPECT_TRUE(std::abs(with - stated) <= half || std::abs(without - stated) <= half)
      << "active: " << with << " billion, without the embedding " << without << ", published " << stated;
}

void expect_published(const Published& row, const ModelConfig& config) {
  ASSERT_FALSE(check(config.shape)) << render(*check(config.shape));
  const ParameterCount counted = count_parameters(build_decoder(config.shape));
  const auto difference = kDifferences.find(row.file);
  if (difference != kDifferences.end()) {
    EXPECT_EQ(to_decimal(counted.total), to_decimal(difference->second.total)) << difference->second.why;
    return;
  }
  EXPECT_NEAR(to_double(counted.total) / 1e9, std::stod(row.total), half_a_digit(row.total));
  expect_published_active(row, counted);
}

TEST(ModelConfigField, ParametersAsPublished) {
  if (!fs::exists(configs() / "params.csv")) GTEST_SKIP() << "no field data: set NAMEPLATE_FIELD_DATA to its folder";
  const std::vector<Published> rows = published();
  ASSERT_FALSE(rows.empty());
  for (const Published& row : rows) {
    SCOPED_TRACE(row.file);
    const Result<ModelConfig> config = read_model_config_file((configs() / row.file).string());
    if (const auto refused = kRefused.find(row.file); refused != kRefused.end()) {
      ASSERT_FALSE(config.ok());
      EXPECT_NE(config.error().found.find(refused->second), std::string::npos) << render(config.error());
      continue;
    }
    ASSERT_TRUE(config.ok()) << render(config.error());
    expect_published(row, *config);
  }
}

}  // namespace
}  // namespace nameplate
