#include "nameplate/cli/command_flops.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/flops.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  FlopsRequest request;
  OutputOptions output;
};

Outcome run(const Options& options) {
  const Result<Document> document = flops(options.request);
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_flops_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("flops", "parameters and FLOPs of a model, per operator and convention");
  FlopsRequest& request = options->request;
  app->add_option("MODEL", request.model, "a config.json, a run.toml, or a name (nameplate catalog models)")
      ->required();
  app->add_option("--seq", request.sequence_length, "tokens per sequence (default 8192)")->check(CLI::PositiveNumber);
  app->add_option("--batch", request.sequences, "sequences per step (default 1)")->check(CLI::PositiveNumber);
  app->add_option("--data", request.data_directory, "folder with accelerators/*.toml and models/*.toml of your own");
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
