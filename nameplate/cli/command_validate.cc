#include "nameplate/cli/command_validate.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/validate.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  ValidateRequest request;
  OutputOptions output;
};

Outcome run(const Options& options) {
  const Result<Document> document = validate(options.request);
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_validate_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("validate", "predictions against measured runs: errors and what they come from");
  app->add_option("RUNS", options->request.runs, "a table of published runs (CSV)")->required();
  app->add_option("--what", options->request.what, "step_time or memory")->capture_default_str();
  app->add_flag("--anchor", options->request.anchor,
                "scale each prediction by what three or more other runs of its setup, device and precision measured");
  app->add_flag("--fit", options->request.fit,
                "fit the step model to this table, each row predicted without its setup, and propose values");
  app->add_option("--data", options->request.data_directory,
                  "folder with accelerators/*.toml and models/*.toml of your own");
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
