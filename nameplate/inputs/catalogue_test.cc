#include "nameplate/inputs/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace nameplate {
namespace {

const Catalogue& catalogue() { return Catalogue::embedded(); }

std::vector<std::string> skus(const AcceleratorMatch& match) {
  std::vector<std::string> names;
  for (const Accelerator* device : match.candidates) names.push_back(device->sku);
  return names;
}

// The dense peak in TFLOP/s of the one accelerator that `name` means; 0 where it has none.
double peak_of(std::string_view name, Precision precision) {
  Result<AcceleratorMatch> match = catalogue().resolve_accelerator(name);
  if (!match.ok() || !match->exact) return -1;
  const Peak* peak = dense_peak(*match->candidates.front(), precision);
  return peak ? peak->rate.base() / 1e12 : 0;
}

TEST(CatalogueTest, DensePeaksAreThoseOfTheDatasheets) {
  struct Case {
    const char* name;
    Precision precision;
    double tflops;
  };
  for (const Case& c : {
           Case{"H100 SXM", Precision::bf16, 989.4},  // 1979 is with sparsity, 494.5 is TF32
           Case{"H100 SXM", Precision::tf32, 494.5},
           Case{"H100 PCIe", Precision::bf16, 756},
           Case{"H100 NVL", Precision::bf16, 835.5},
           Case{"H200 SXM", Precision::bf16, 989.4},
           Case{"A100 SXM 80GB", Precision::bf16, 312},
           Case{"H20", Precision::bf16, 148},
           Case{"AMD Instinct MI350X", Precision::bf16, 2300},
           Case{"AMD Instinct MI355X", Precision::bf16, 2500},
           Case{"MI300X", Precision::bf16, 1307.4},
           Case{"NVIDIA B200", Precision::fp8, 4500},
           Case{"TPU v5p", Precision::bf16, 459},
           Case{"V100-SXM2-32GB", Precision::fp16, 125},
           Case{"V100-SXM2-32GB", Precision::bf16, 0},  // no such unit
           Case{"TPU v4", Precision::fp16, 0},
           Case{"H100-SXM-96GB(500W)", Precision::bf16, 0},  // no peak is published
           Case{"cpu", Precision::fp32, 0},
       }) {
    EXPECT_DOUBLE_EQ(peak_of(c.name, c.precision), c.tflops) << c.name << " " << name(c.precision);
  }
}

TEST(CatalogueTest, NamesThatDriversAndFrameworksPrintMeanOneSku) {
  const std::pair<const char*, const char*> cases[] = {
      {"NVIDIA H100 80GB HBM3", "H100 SXM"},
      {"nvidia h100 pcie", "H100 PCIe"},
      {"NVIDIA H100 NVL", "H100 NVL"},
      {"NVIDIA H200", "H200 SXM"},
      {"NVIDIA H20", "H20"},
      {"NVIDIA GH200 480GB", "GH200 96GB"},
      {"NVIDIA B200", "B200 SXM"},
      {"NVIDIA GB200", "GB200"},
      {"NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"},
      {"A100-SXM4-40GB", "A100 SXM 40GB"},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
      {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
      {"Tesla V100-SXM2-16GB", "V100 SXM2 16GB"},
      {"NVIDIA L40S", "L40S"},
      {"NVIDIA A10", "A10"},
      {"NVIDIA GeForce RTX 4090", "RTX 4090"},
      {"AMD Instinct MI300X", "MI300X"},
      {"AMD Instinct MI300X OAM", "MI300X"},
      {"TPU v5 lite", "TPU v5e"},
      {"TPU v5", "TPU v5p"},
      {"TPU v6 lite", "TPU v6e"},
      {"TPU7x", "TPU v7"},
      {"Ascend910B3", "Ascend 910B3"},
      // As published tables of runs spell them.
      {"H100-SXM-80GB", "H100 SXM"},
      {"H100-SXM-96GB(500W)", "H100 SXM 96GB"},
      {"A100-SXM-80GB", "A100 SXM 80GB"},
      {"A100-SXM-40GB", "A100 SXM 40GB"},
      {"H200-SXM-141GB", "H200 SXM"},
      {"H800-SXM-80GB", "H800 SXM"},
      {"Gaudi2-96GB", "Gaudi2"},
      {"V100-SXM2-32GB", "V100 SXM2 32GB"},
      {"B200", "B200 SXM"},
      {"B300", "B300 SXM"},
      {"GB300", "GB300"},
      {"MI325X", "MI325X"},
      {"TPU v3", "TPU v3"},
  };
  for (const auto& [spelling, sku] : cases) {
    Result<AcceleratorMatch> match = catalogue().resolve_accelerator(spelling);
    ASSERT_TRUE(match.ok()) << spelling;
    EXPECT_TRUE(match->exact) << spelling;
    EXPECT_EQ(skus(*match), std::vector<std::string>{sku}) << spelling;
  }
}

TEST(CatalogueTest, AnOpenNameListsWhatItMayMean) {
  struct Case {
    const char* name;
    std::vector<std::string> skus;
  };
  for (const Case& c : {
           Case{"H100", {"H100 SXM", "H100 SXM 96GB", "H100 PCIe", "H100 NVL"}},
           Case{"NVIDIA H100 80GB", {"H100 SXM", "H100 PCIe"}},
           Case{"A100-SXM", {"A100 SXM 40GB", "A100 SXM 80GB"}},
           Case{"A100 80GB", {"A100 SXM 80GB", "A100 PCIe 80GB"}},
           Case{"MI300", {"MI300A", "MI300X"}},
           Case{"V100", {"V100 SXM2 16GB", "V100 SXM2 32GB", "V100 PCIe 16GB", "V100 PCIe 32GB"}},
           Case{"V100-32GB", {"V100 SXM2 32GB", "V100 PCIe 32GB"}},
           Case{"Ascend 910B", {"Ascend 910B2", "Ascend 910B3", "Ascend 910B4"}},
           Case{"GH200", {"GH200 96GB", "GH200 144GB"}},
       }) {
    Result<AcceleratorMatch> match = catalogue().resolve_accelerator(c.name);
    ASSERT_TRUE(match.ok()) << c.name;
    EXPECT_FALSE(match->exact) << c.name;
    EXPECT_EQ(skus(*match), c.skus) << c.name;
  }
}

// Parts that exist but are not catalogued, and names of nothing: never another part's figures.
TEST(CatalogueTest, AnUnknownDeviceIsAnError) {
  for (const char* name : {"A10G", "H10", "MetaX C500", "MI308X", "A100-SXM-64GB", "L4000", "H100 SXM 80GB HBM4", "TPU",
                           "NVIDIA", "GPU", "", "80GB"}) {
    Result<AcceleratorMatch> match = catalogue().resolve_accelerator(name);
    ASSERT_FALSE(match.ok()) << name;
    EXPECT_EQ(match.error().found, std::string("unknown accelerator '") + name + "'");
    EXPECT_NE(match.error().hint.find("--peak \"989 TFLOP/s\""), std::string::npos) << name;
    EXPECT_NE(match.error().hint.find("--data DIR"), std::string::npos) << name;
  }
  EXPECT_NE(catalogue().resolve_accelerator("H1O0 SXM").error().hint.find("H100 SXM"), std::string::npos);
}

// Datasheets round: the L40S is listed with 362 dense and 733 sparse.
TEST(CatalogueTest, ASparsePeakIsTwiceTheDenseOneAndNeverTakenForIt) {
  int sparse_peaks = 0;
  for (const Accelerator& device : catalogue().accelerators()) {
    for (const Peak& peak : device.peaks) {
      if (peak.sparsity == Sparsity::dense) continue;
      const Peak* dense = dense_peak(device, peak.precision);
      ASSERT_NE(dense, nullptr) << device.sku;
      EXPECT_NEAR(peak.rate / dense->rate, 2.0, 0.03) << device.sku << " " << name(peak.precision);
      ++sparse_peaks;
    }
  }
  EXPECT_GE(sparse_peaks, 40);
}

TEST(CatalogueTest, EveryValueHasSourceConfidenceAndDate) {
  auto complete = [](const Source& source) { return !source.text.empty() && source.date.size() >= 4; };
  for (const Accelerator& device : catalogue().accelerators()) {
    EXPECT_TRUE(complete(device.source)) << device.sku;
    for (const Peak& peak : device.peaks) EXPECT_TRUE(complete(peak.source)) << device.sku;
    for (const AchievableMatmul& matmul : device.achievable) EXPECT_TRUE(complete(matmul.source)) << device.sku;
    for (const Link& link : device.links) EXPECT_TRUE(complete(link.source)) << device.sku;
    for (const FieldSource& field : device.field_sources) EXPECT_TRUE(complete(field.source)) << device.sku;
  }
  const Accelerator& h100 = *catalogue().resolve_accelerator("H100 PCIe")->candidates.front();
  EXPECT_EQ(source_of(h100, "memory_bandwidth").confidence, Confidence::high);
  EXPECT_EQ(source_of(h100, "power_max").confidence, Confidence::low);  // not looked up
}

// The best matmul found in public lies below the peak: H100 SXM 80.3 %, MI300X 51.4 % (Bekman's table).
TEST(CatalogueTest, AchievableMatmulLiesBelowThePeak) {
  for (const Accelerator& device : catalogue().accelerators()) {
    for (const AchievableMatmul& matmul : device.achievable) {
      const Peak* peak = dense_peak(device, matmul.precision);
      ASSERT_NE(peak, nullptr) << device.sku;
      EXPECT_GT(matmul.rate / peak->rate, 0.5) << device.sku;
      EXPECT_LT(matmul.rate / peak->rate, 1.0) << device.sku;
    }
  }
  const Accelerator& h100 = *catalogue().resolve_accelerator("H100 SXM")->candidates.front();
  EXPECT_NEAR(achievable_matmul(h100, Precision::bf16)->rate / dense_peak(h100, Precision::bf16)->rate, 0.803, 0.0005);
}

TEST(CatalogueTest, AnEntryIsReadWhole) {
  const Accelerator& h100 = *catalogue().resolve_accelerator("H100 SXM")->candidates.front();
  EXPECT_EQ(h100.vendor, "NVIDIA");
  EXPECT_EQ(h100.kind, DeviceKind::gpu);
  EXPECT_EQ(h100.memory_size, gigabytes(80));
  EXPECT_EQ(h100.memory_bandwidth, gigabytes_per_s(3350));
  EXPECT_EQ(h100.power_max, watts(700));
  EXPECT_EQ(h100.compute_units, 132);
  EXPECT_EQ(h100.release_year, 2022);
  ASSERT_EQ(h100.links.size(), 2u);
  EXPECT_EQ(h100.links[0].kind, "NVLink4");
  EXPECT_EQ(h100.links[0].bandwidth_per_direction, gigabytes_per_s(450));
  EXPECT_EQ(h100.links[0].domain_size, 8);
  EXPECT_EQ(catalogue().resolve_accelerator("MI250X")->candidates.front()->software_devices, 2);
}

TEST(CatalogueTest, ModelsAreFoundByNameAndHuggingFaceId) {
  const std::pair<const char*, const char*> cases[] = {
      {"llama-3-8b", "llama-3-8b"},
      {"meta-llama/Meta-Llama-3-8B", "llama-3-8b"},
      {"META-LLAMA/llama-3.1-405b", "llama-3.1-405b"},
      {"llama-3.1-70b", "llama-3.1-70b"},
      {"Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b"},
      {"qwen3-235b-a22b", "qwen3-235b-a22b"},
      {"deepseek-ai/DeepSeek-V3", "deepseek-v3"},
      {"mixtral-8x7b", "mixtral-8x7b"},
      {"gpt3-175b", "gpt3-175b"},
      {"openai-community/gpt2", "gpt2"},
  };
  for (const auto& [given, name] : cases) {
    Result<const CatalogueModel*> model = catalogue().find_model(given);
    ASSERT_TRUE(model.ok()) << given;
    EXPECT_EQ((*model)->shape.name, name);
  }
  EXPECT_GE(catalogue().models().size(), 100u);
}

TEST(CatalogueTest, AnUnknownModelNamesTheNearest) {
  Result<const CatalogueModel*> model = catalogue().find_model("lama-3-8b");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().found, "unknown model 'lama-3-8b'");
  EXPECT_NE(model.error().hint.find("llama-3-8b"), std::string::npos);
  EXPECT_NE(catalogue().find_model("").error().hint.find("config.json"), std::string::npos);
}

TEST(CatalogueTest, EveryModelHasALowerCaseNameSourceAndParameters) {
  for (const CatalogueModel& model : catalogue().models()) {
    const std::string& name = model.shape.name;
    EXPECT_TRUE(std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) << name;
    EXPECT_TRUE(!model.source.text.empty() && model.source.date.size() >= 4) << name;
    EXPECT_TRUE(model.published_parameters.has_value()) << name;
    EXPECT_EQ(model.published_active_parameters.has_value() && !model.shape.moe, false) << name;
  }
}

// DeepSeek-V3 report, section 4.2; Gemma 3 report, section 2: five local layers to one global.
TEST(CatalogueTest, AModelIsReadWhole) {
  const DecoderShape& v3 = (*catalogue().find_model("deepseek-v3"))->shape;
  EXPECT_EQ(v3.layers, 61);
  EXPECT_EQ(v3.mla, (MlaShape{1536, 512, 128, 64, 128}));
  EXPECT_EQ(v3.moe->experts, 256);
  EXPECT_EQ(v3.moe->first_dense_layers, 3);
  EXPECT_EQ(v3.mtp_depth, 1);
  const DecoderShape& gemma = (*catalogue().find_model("gemma-3-27b"))->shape;
  ASSERT_EQ(gemma.masks.size(), 62u);
  EXPECT_EQ(std::count(gemma.masks.begin(), gemma.masks.end(), Mask{}), 10);
  EXPECT_EQ((*catalogue().find_model("deepseek-v3"))->published_active_parameters, 37e9);
}

// A folder of the user's, gone with the test.
class UserFolder {
 public:
  UserFolder(const std::string& path, const std::string& text) {
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string("catalogue_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  ~UserFolder() { std::filesystem::remove_all(root_); }
  std::string path() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

constexpr const char* kOwnDevice = R"(
vendor = "MetaX"
[sources.own]
text = "measured"
confidence = "low"
date = "2026-08-01"
[[accelerator]]
sku = "MetaX C500"
kind = "gpu"
dense_tflops = { bf16 = 240 }
source = "own"
)";

TEST(CatalogueTest, AUsersFolderAddsFiles) {
  UserFolder folder("accelerators/metax.toml", kOwnDevice);
  Result<Catalogue> loaded = Catalogue::load(folder.path());
  ASSERT_TRUE(loaded.ok()) << render(loaded.error());
  EXPECT_TRUE(loaded->resolve_accelerator("metax c500")->exact);
  EXPECT_TRUE(loaded->resolve_accelerator("H100 SXM")->exact);
}

TEST(CatalogueTest, AUsersFileReplacesTheOneOfTheSameName) {
  UserFolder folder("accelerators/nvidia.toml", kOwnDevice);
  Result<Catalogue> loaded = Catalogue::load(folder.path());
  ASSERT_TRUE(loaded.ok()) << render(loaded.error());
  EXPECT_TRUE(loaded->resolve_accelerator("MetaX C500")->exact);
  EXPECT_FALSE(loaded->resolve_accelerator("H100 SXM").ok());
}

std::string load_error(const std::string& path, const std::string& text) {
  UserFolder folder(path, text);
  Result<Catalogue> loaded = Catalogue::load(folder.path());
  return loaded.ok() ? "" : render(loaded.error());
}

TEST(CatalogueTest, AWrongFileIsALocatedError) {
  struct Case {
    const char* from;
    const char* to;
    const char* message;
  };
  for (const Case& c : {
           Case{"dense_tflops", "dense_tflop", "unknown key 'dense_tflop'"},
           Case{"dense_tflops", "dense_tflop", "did you mean 'dense_tflops'"},
           Case{"bf16 = 240", "bf17 = 240", "metax.toml:10:"},
           Case{"bf16 = 240", "bf16 = -1", "a positive number of TFLOP/s"},
           Case{"\"gpu\"", "\"gqu\"", "one of \"gpu\", \"tpu\", \"npu\", \"cpu\""},
           Case{"source = \"own\"", "source = \"owm\"", "unknown source 'owm'"},
           Case{"source = \"own\"", "", "'source' is missing"},
           Case{"date = \"2026-08-01\"", "", "'date' is missing"},
           Case{"MetaX C500", "H100 SXM", "share the name"},
           Case{"kind = \"gpu\"", "kind = \"gpu\"\nmemory_size = \"80\"", "memory_size"},
       }) {
    std::string text = kOwnDevice;
    text.replace(text.find(c.from), std::string_view(c.from).size(), c.to);
    EXPECT_NE(load_error("accelerators/metax.toml", text).find(c.message), std::string::npos)
        << c.message << "\nin\n"
        << load_error("accelerators/metax.toml", text);
  }
  EXPECT_NE(load_error("models/own.toml", "[[model]]\nname = \"own\"\nsource = \"x\"").find("unknown source 'x'"),
            std::string::npos);
  EXPECT_NE(load_error("notes.txt", "").find("no catalogue files"), std::string::npos);
}

}  // namespace
}  // namespace nameplate
