#include "nameplate/cli/command_mfu.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/audit.h"
#include "nameplate/api/report.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  RunOptions run;
  std::string check;
  OutputOptions output;
};

Outcome check_table(const Options& options) {
  const Result<Document> document = audit_table({.file = options.check, .data_directory = options.run.data});
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

Outcome run(const Options& options) {
  if (!options.check.empty()) return check_table(options);
  const auto pairs = settings(options.run);
  if (!pairs.ok()) return fail(pairs.error());
  const Result<LoadedRun> loaded = load({.settings = *pairs, .data_directory = options.run.data});
  if (!loaded.ok()) return fail(loaded.error());
  Document document = report(*loaded);
  document.command = "mfu";
  if (const auto missing = missing_evidence(document)) return fail(*missing);
  return present(document, options.output);
}

}  // namespace

std::function<Outcome()> add_mfu_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("mfu", "the MFU of figures typed in, under every convention");
  app->add_option("--check", options->check, "audit a table of published runs: which of its figures can be true")
      ->type_name("RUNS.csv");
  add_run_flags(*app, options->run, true);
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
