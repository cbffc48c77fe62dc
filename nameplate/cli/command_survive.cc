#include "nameplate/cli/command_survive.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/survive.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  SurviveRequest survive;
  RunOptions run;
  OutputOptions output;
};

Outcome run(const Options& options, const Executor& executor) {
  const auto pairs = settings(options.run);
  if (!pairs.ok()) return fail(pairs.error());
  SurviveRequest request = options.survive;
  request.load.settings = *pairs;
  request.load.data_directory = options.run.data;
  request.executor = &executor;
  const Result<Document> document = survive(request);
  if (!executor.is_first()) return {};
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_survive_command(CLI::App& program, const Executor& executor) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("survive", "what failures leave: goodput, checkpoints, spares, repair");
  app->add_option("RUN", options->survive.load.paths, "run.toml with [failures], and the run's own files");
  app->add_option("--claim", options->survive.claims, "a claim to look at, e.g. \"46%->82% with 20% spares\"")
      ->allow_extra_args(false);
  app->add_option("--replications", options->survive.replications, "simulated runs (0: none)");
  app->add_option("--seed", options->survive.seed, "of the simulation");
  app->add_option("--threads", options->survive.threads, "threads to simulate with");
  add_run_flags(*app, options->run, true);
  add_output_flags(*app, options->output);
  return [options, &executor] { return run(*options, executor); };
}

}  // namespace nameplate::cli
