#include "nameplate/inputs/manifest.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

Manifest manifest(std::string_view text) { return Manifest::parse(text, "runs/run.toml").value(); }

Error failure(std::string_view text) {
  const auto parsed = Manifest::parse(text, "run.toml");
  EXPECT_FALSE(parsed.ok()) << text;
  return parsed.ok() ? Error{} : parsed.error();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The plan's own example, with every further key that it lists.
constexpr std::string_view kFullExample = R"(
[model]
config = "config.json"
[training]
seq_len = 8192
global_batch = 2048
micro_batch = 1
precision = "bf16"
recompute = "none"
[cluster]
accelerator = "H100 SXM"
count = 16384
per_node = 8
network = "400 Gbit/s per accelerator"
peak = "989 TFLOP/s"
hbm_bandwidth = "3.35 TB/s"
hbm_size = "80 GB"
power_cap = "500 W"
topology = [{domain = "node", size = 8, bandwidth = "450 GB/s"}, {domain = "pod", size = 3072, oversubscription = 1.0}]
[plan]
tp = 8
pp = 16
cp = 1
dp = 128
ep = 1
etp = 1
sp = true
schedule = "interleaved"
virtual_pp = 8
zero = 0
fsdp = {replicate = 4, shard = 32}
order = "tp-cp-ep-dp-pp"
overlap = {dp = true, tp = false, fraction = 0.45}
offload = "optimizer"
[data]
bytes_per_sample = "32 kB"
cpu_time_per_sample = "2 ms"
workers = 8
prefetch = 0
cache_hit = 0.9
store = {bandwidth = "100 GB/s", iops = 1e6, servers = 12}
[measured]
step_time = "4.2 s"
convention = "nameplate"
wall = "54 d"
source = "a report"
[inputs]
logs = ["train.log"]
traces = ["trace/*.json.gz"]
columns = {step = "iter", step_time = "dt_ms:ms", tokens = "tok"}
[failures]
checkpoint = [{level = "local", block = "1 s", total = "20 s", every = "300 s", covers = 0.9}]
spares = 0
crews = 2
repair = "4 h"
fleet_age = "300 d"
[[failures.class]]
name = "gpu"
rate = "3.79 per 1000 node-days"
[prices]
currency = "USD"
[scenario]
anything = "goes"
)";

TEST(Manifest, TheFullExampleParses) {
  const auto parsed = Manifest::parse(kFullExample, "run.toml");
  ASSERT_TRUE(parsed.ok()) << render(parsed.error());
  EXPECT_EQ(parsed->integer("cluster.count")->value, 16384);
  EXPECT_EQ(parsed->flops_rate("cluster.peak")->value.base(), 989e12);
  EXPECT_EQ(parsed->duration("measured.step_time")->value.base(), 4.2);
  EXPECT_EQ(parsed->number("data.cache_hit")->value, 0.9);
  EXPECT_EQ(parsed->texts("inputs.traces"), std::vector<std::string>{"trace/*.json.gz"});
  EXPECT_NE(parsed->table("failures.class"), nullptr);
}

TEST(Manifest, ValuesKnowWhereTheyAre) {
  const Manifest m = manifest("[training]\nseq_len = 4096\nprecision = \"bf16\"\n");
  const auto seq = m.integer("training.seq_len");
  EXPECT_EQ(seq->value, 4096);
  EXPECT_EQ(seq->origin, Origin::manifest);
  EXPECT_EQ(seq->detail, "runs/run.toml:2");
  EXPECT_EQ(m.text("training.seq_len")->value, "4096");  // any kind as text
  EXPECT_EQ(m.text("training.precision")->value, "bf16");
  EXPECT_FALSE(m.text("training.recompute"));
  EXPECT_EQ(m.folder(), "runs");
  EXPECT_EQ(Manifest::parse("name = \"a\"", "run.toml")->folder(), "");
}

TEST(Manifest, AnUnknownKeyIsLocatedAndCorrected) {
  const Error e = failure("[training]\nseq_length = 4096\n");
  EXPECT_EQ(e.found, "unknown key 'training.seq_length'");
  EXPECT_EQ(e.place.file, "run.toml");
  EXPECT_EQ(e.place.line, 2);
  EXPECT_TRUE(contains(e.hint, "'training.seq_len'")) << e.hint;
}

TEST(Manifest, UnknownSections) {
  EXPECT_EQ(failure("[trainig]\nseq_len = 1\n").found, "unknown key 'trainig'");
  EXPECT_EQ(failure("seq_len = 1\n").found, "unknown key 'seq_len'");
  EXPECT_EQ(failure("training = 3\n").found, "'training' is an integer");
  EXPECT_EQ(failure("[[cluster]]\ncount = 3\n").expected, "a section [cluster]");
}

// A value of a wrong kind for every kind of key.
TEST(Manifest, ValuesOfTheWrongKind) {
  struct Case {
    const char* text;
    const char* found;
    const char* expected;
  };
  const Case cases[] = {
      {"[training]\nprecision = 16", "'training.precision' is an integer", "a text"},
      {"[training]\nseq_len = \"4k\"", "'training.seq_len' is a string", "a whole number"},
      {"[training]\nseq_len = 4096.5", "'training.seq_len' is a number", "a whole number"},
      {"[training]\nseq_len = 0", "'training.seq_len' is 0", "a positive number"},
      {"[cluster]\ncount = -8", "'cluster.count' is -8", "a positive number"},
      {"[plan]\nzero = -1", "'plan.zero' is -1", "zero or a positive number"},
      {"[measured]\nmfu = \"high\"", "'measured.mfu' is high", "a ratio from 0 to 1, or a text in percent"},
      {"[measured]\nmfu = 45", "'measured.mfu' is 45", "a ratio from 0 to 1, or a text in percent"},
      {"[cluster]\npeak = \"0 TFLOP/s\"", "'cluster.peak' is '0 TFLOP/s'", "more than zero"},
      {"[inputs]\ncolumns = {step_time = \"dt_ms\"}", "the column 'dt_ms' of step_time has no unit", "name:unit"},
      {"[measured]\nmfu = -0.4", "'measured.mfu' is -0.4", "a ratio from 0 to 1, or a text in percent"},
      {"[measured]\nmfu = nan", "'measured.mfu' is nothing", "a ratio from 0 to 1, or a text in percent"},
      {"[plan]\nsp = 1", "'plan.sp' is an integer", "true or false"},
      {"[inputs]\nlogs = 3", "'inputs.logs' is an integer", "a list of texts"},
      {"[inputs]\nlogs = [\"a\", 3]", "'inputs.logs' is an integer", "a list of texts"},
      {"[plan]\noverlap = true", "'plan.overlap' is true or false", "a section [plan.overlap]"},
      {"[inputs]\ncolumns = \"iter\"", "'inputs.columns' is a string", "a table"},
      {"[cluster]\npeak = true", "'cluster.peak' is true or false", "a text with a unit"},
  };
  for (const Case& c : cases) {
    const Error e = failure(c.text);
    EXPECT_EQ(e.found, c.found) << c.text;
    EXPECT_EQ(e.expected, c.expected) << c.text;
    EXPECT_EQ(e.place.line, 2) << c.text;
  }
}

TEST(Manifest, ANumberWithoutItsUnit) {
  for (const char* key :
       {"cluster.peak", "cluster.hbm_size", "cluster.network", "cluster.power_cap", "measured.step_time"}) {
    const std::string_view path(key);
    const std::size_t dot = path.find('.');
    const std::string line(path.substr(dot + 1));
    const Error bare = failure("[" + std::string(path.substr(0, dot)) + "]\n" + line + " = 989\n");
    EXPECT_EQ(bare.found, "'" + std::string(path) + "' has no unit");
    EXPECT_TRUE(contains(bare.expected, "one of")) << bare.expected;
    const Error wrong = failure("[" + std::string(path.substr(0, dot)) + "]\n" + line + " = \"989 parsec\"\n");
    EXPECT_TRUE(contains(wrong.found, "unknown unit 'parsec'")) << wrong.found;
    EXPECT_TRUE(contains(wrong.expected, "one of")) << wrong.expected;
    EXPECT_EQ(wrong.place.line, 2);
  }
}

TEST(Manifest, AChoiceOutsideItsList) {
  const Error e = failure("[training]\nrecompute = \"ful\"\n");
  EXPECT_EQ(e.found, "'training.recompute' is 'ful'");
  EXPECT_TRUE(e.expected.starts_with("one of none, selective, full, ")) << e.expected;
  EXPECT_TRUE(contains(e.hint, "'full'")) << e.hint;
  EXPECT_EQ(failure("[plan]\nschedule = \"1f2b\"\n").expected,
            "one of gpipe, 1f1b, interleaved, zero_bubble, dualpipe");
}

TEST(Manifest, BrokenToml) {
  EXPECT_EQ(failure("[training]\nseq_len = = 3\n").place.line, 2);
  EXPECT_EQ(failure("[training\n").place.line, 1);
  EXPECT_EQ(failure("").found, "the file is empty");
}

TEST(Manifest, ModelDimensionsInPlace) {
  EXPECT_FALSE(Manifest().model_in_place().has_value());
  EXPECT_FALSE(manifest("[model]\nconfig = \"c.json\"\nname = \"x\"\n").model_in_place().has_value());
  EXPECT_TRUE(manifest("[model]\nlayers = 2\n").model_in_place().has_value());
}

TEST(Manifest, LogOptions) {
  const LogOptions options = manifest(
                                 "[inputs]\nregex = 'a(?P<step>.)'\nformat = \"nanogpt\"\n"
                                 "columns = {step = \"iter\", step_time = \"dt:ms\"}\n")
                                 .log_options();
  EXPECT_EQ(options.regex, "a(?P<step>.)");
  EXPECT_EQ(options.format, "nanogpt");
  ASSERT_EQ(options.columns.size(), 2u);
  EXPECT_EQ(options.columns[0].second.name, "iter");
  EXPECT_EQ(options.columns[0].second.unit, "");
  EXPECT_EQ(options.columns[1].first, "step_time");
  EXPECT_EQ(options.columns[1].second.name, "dt");
  EXPECT_EQ(options.columns[1].second.unit, "ms");
}

// --- set ---

TEST(ManifestSet, AFlagWinsOverTheFile) {
  Manifest m = manifest("[cluster]\ncount = 8\n");
  EXPECT_FALSE(m.set("cluster.count", "64"));
  EXPECT_FALSE(m.set("cluster.accelerator", "H100 SXM"));
  EXPECT_FALSE(m.set("cluster.peak", "989 TFLOP/s"));
  EXPECT_FALSE(m.set("plan.sp", "true"));
  EXPECT_FALSE(m.set("model.layers", "2"));
  EXPECT_FALSE(m.set("prices.h100", "2.5"));
  EXPECT_EQ(m.integer("cluster.count")->value, 64);
  EXPECT_EQ(m.integer("cluster.count")->origin, Origin::flag);
  EXPECT_EQ(m.text("cluster.accelerator")->value, "H100 SXM");
  EXPECT_EQ(m.flops_rate("cluster.peak")->value.base(), 989e12);
  EXPECT_TRUE(m.model_in_place().has_value());
}

TEST(ManifestSet, TextStaysText) {
  Manifest m;
  EXPECT_FALSE(m.set("training.precision", "16"));
  EXPECT_EQ(m.text("training.precision")->value, "16");
  EXPECT_FALSE(m.set("name", "x2"));  // a name, no factor
  EXPECT_EQ(m.text("name")->value, "x2");
}

TEST(ManifestSet, AListIsWrittenAsInTheFile) {
  Manifest m;
  EXPECT_FALSE(m.set("model.frozen", R"(["vision", "text"])"));
  EXPECT_EQ(m.texts("model.frozen"), (std::vector<std::string>{"vision", "text"}));
  EXPECT_FALSE(m.set("model.frozen", "vision"));  // one needs no brackets
  EXPECT_EQ(m.texts("model.frozen"), std::vector<std::string>{"vision"});
  EXPECT_FALSE(m.set("data.lengths", "[4, 16]"));
  EXPECT_EQ(m.integers("data.lengths"), (std::vector<std::int64_t>{4, 16}));
  EXPECT_TRUE(m.set("data.lengths", "[4, \"x\"]"));
  EXPECT_TRUE(m.set("data.lengths", "[4"));
}

TEST(ManifestSet, AFactorMultipliesANumberOrAQuantity) {
  Manifest m = manifest("[cluster]\ncount = 8\nnetwork = \"400 Gbit/s\"\n[measured]\nmfu = 0.2\n");
  EXPECT_FALSE(m.set("cluster.count", "x4"));
  EXPECT_FALSE(m.set("cluster.network", "x10"));
  EXPECT_FALSE(m.set("measured.mfu", "x1.5"));
  EXPECT_EQ(m.integer("cluster.count")->value, 32);
  EXPECT_EQ(m.text("cluster.network")->value, "4000 Gbit/s");
  EXPECT_DOUBLE_EQ(m.number("measured.mfu")->value, 0.3);
  EXPECT_TRUE(m.set("cluster.count", "x0"));     // no accelerator is left
  EXPECT_TRUE(m.set("cluster.per_node", "x2"));  // nothing to multiply
}

TEST(ManifestSet, WrongKeysAndValues) {
  Manifest m;
  const Status unknown = m.set("cluster.cout", "3");
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(contains(unknown->hint, "'cluster.count'")) << unknown->hint;
  EXPECT_TRUE(m.set("cluster", "3"));
  EXPECT_TRUE(m.set("cluster.count", "many"));
  EXPECT_TRUE(m.set("cluster.count", "0"));
  EXPECT_TRUE(m.set("cluster.peak", "989"));
  EXPECT_TRUE(m.set("training.recompute", "sometimes"));
  EXPECT_FALSE(m.set("training.recompute", "mlp+moe_act"));
  EXPECT_TRUE(m.set("training.recompute", "full+mlp"));
  EXPECT_TRUE(m.set("training.seq_len.deep", "3"));
}

TEST(Manifest, KeysAreSortedAndUnique) {
  const std::vector<std::string> keys = manifest_keys();
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace nameplate
