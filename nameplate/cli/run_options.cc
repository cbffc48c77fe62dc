#include "nameplate/cli/run_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace nameplate::cli {
namespace {

struct Flag {
  const char* flag;
  const char* key;
  const char* help;
  bool measured;
};

constexpr Flag kRunFlags[] = {
    {"--model", "model.name", "model by name (nameplate catalog models)", false},
    {"--config", "model.config", "model by its config.json", false},
    {"--seq", "training.seq_len", "tokens per sequence", false},
    {"--batch", "training.global_batch", "sequences per optimizer step, of the whole job", false},
    {"--precision", "training.precision", "precision of the matmuls: bf16, fp16, fp8, fp32, ...", false},
    {"--recompute", "training.recompute", "none, selective or full", false},
    {"--gpus", "cluster.count", "number of accelerators", false},
    {"--accelerator", "cluster.accelerator", "accelerator by name (nameplate catalog accelerators)", false},
    {"--peak", "cluster.peak", "dense peak of one accelerator, e.g. \"989 TFLOP/s\"", false},
    {"--step-time", "measured.step_time", "time of one step, e.g. \"3.1 s\"", true},
    {"--tokens-per-s", "measured.tokens_per_s", "tokens per second of the whole job", true},
    {"--tokens-per-s-per-gpu", "measured.tokens_per_s_per_gpu", "tokens per second and accelerator", true},
    {"--tflops", "measured.tflops_per_gpu", "TFLOP/s per accelerator, as claimed", true},
    {"--mfu", "measured.mfu", "MFU as claimed, 0..1", true},
    {"--convention", "measured.convention", "how --tflops or --mfu counts (table conventions)", true},
};

}  // namespace

void add_run_flags(CLI::App& app, RunOptions& options, bool measured) {
  options.values.assign(std::size(kRunFlags), {});
  for (std::size_t i = 0; i < std::size(kRunFlags); ++i) {
    const Flag& flag = kRunFlags[i];
    if (flag.measured && !measured) continue;
    app.add_option(flag.flag, options.values[i], flag.help);
  }
  app.add_option("--set", options.sets,
                 "KEY=VALUE or KEY=xFACTOR: any key of the manifest; predict also takes KEY=FROM..TO")
      ->allow_extra_args(false);
  app.add_option("--data", options.data, "folder with accelerators/*.toml and models/*.toml of your own");
}

void add_output_flags(CLI::App& app, OutputOptions& options) {
  app.add_option("--format", options.format, "text, json or csv")->check(CLI::IsMember({"text", "json", "csv"}));
  app.add_option("--html", options.html, "also write one self-contained page");
  app.add_option("--require", options.requirements,
                 "gate, e.g. 'mfu_step_ratio>=0.35': exit 1 when missed beyond noise")
      ->allow_extra_args(false);
}

Result<std::vector<std::pair<std::string, std::string>>> settings(const RunOptions& options) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < options.values.size(); ++i) {
    if (!options.values[i].empty()) pairs.emplace_back(kRunFlags[i].key, options.values[i]);
  }
  for (const std::string& set : options.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      return error("cannot read --set '" + set + "'", "write --set KEY=VALUE, as in --set cluster.count=64");
    pairs.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  return pairs;
}

}  // namespace nameplate::cli
