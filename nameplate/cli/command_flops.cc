#include "nameplate/cli/command_flops.h"

#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/flops.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  FlopsRequest request;
  MemoryRequest memory;
  bool wants_memory = false;
  RunOptions run;
  std::optional<std::int64_t> image_size;
  OutputOptions output;
};

void add_memory_flags(CLI::App& app, MemoryRequest& m) {
  const auto degree = [&app](const char* flag, std::int64_t& value, const char* help) {
    app.add_option(flag, value, help)->check(CLI::Range(1, 1'000'000))->group("Memory");
  };
  degree("--tp", m.tp, "tensor parallelism");
  degree("--etp", m.etp, "tensor parallelism of experts");
  degree("--pp", m.pp, "pipeline stages");
  degree("--virtual-pp", m.virtual_pp, "model chunks per stage");
  degree("--cp", m.cp, "context parallelism");
  degree("--ep", m.ep, "expert parallelism");
  degree("--micro-batch", m.micro_batch, "sequences per data-parallel rank and forward pass");
  app.add_flag("--sp", m.sp, "sequence parallelism")->group("Memory");
  app.add_option("--zero", m.zero, "ZeRO stage; FSDP is 3")->check(CLI::Range(0, 3))->group("Memory");
  app.add_option("--shard", m.shard, "ranks that share one copy under --zero (default: all data-parallel ranks)")
      ->check(CLI::Range(1, 1'000'000'000))
      ->group("Memory");
  app.add_option("--gpus", m.gpus, "number of accelerators")->check(CLI::Range(1, 1'000'000'000))->group("Memory");
  app.add_option("--accelerator", m.accelerator, "does it fit? (nameplate catalog accelerators)")->group("Memory");
  app.add_option("--framework", m.framework, "megatron-core, megatron-bridge, deepspeed, torchtitan-2025, ...")
      ->group("Memory");
  app.add_option("--optimizer", m.optimizer, "adam, adam-bf16, adam-8bit, muon, sgd-momentum or sgd")->group("Memory");
  app.add_option("--precision", m.precision, "precision of the matmuls: bf16, fp16, fp8")->group("Memory");
}

Outcome run(const Options& options) {
  FlopsRequest request = options.request;
  if (options.wants_memory) request.memory = options.memory;
  const auto set = settings(options.run);
  if (!set.ok()) return fail(set.error());
  request.settings = *set;
  if (options.image_size) {
    request.settings.emplace_back("model.dimensions.image_size", std::to_string(*options.image_size));
  }
  const Result<Document> document = flops(request);
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_flops_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("flops", "parameters and FLOPs of a model, per operator and convention");
  FlopsRequest& request = options->request;
  app->add_option("MODEL", request.model, "a config.json, a run.toml, or a name (nameplate catalog models)")
      ->required();
  app->add_option("--seq", request.sequence_length, "tokens (or the model's own units) per sequence (default 8192)")
      ->check(CLI::PositiveNumber);
  app->add_option("--batch", request.sequences, "sequences per step (default 1)")->check(CLI::PositiveNumber);
  app->add_option("--image-size", options->image_size, "side of an image in pixels, for models that see any")
      ->check(CLI::PositiveNumber);
  app->add_option("--set", options->run.sets, "KEY=VALUE: a key of the manifest, as model.dimensions.images=4")
      ->allow_extra_args(false);
  app->add_option("--data", request.data_directory, "folder with accelerators/*.toml and models/*.toml of your own");
  app->add_option("--recompute", request.recompute, "none, selective, full, or modules such as mlp+moe_act");
  app->add_flag("--memory", options->wants_memory, "also what a step needs on each accelerator of a plan");
  add_memory_flags(*app, options->memory);
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
