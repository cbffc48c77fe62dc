#include "nameplate/cli/command_diff.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/diff.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  std::string a, b;
  SideRequest side;  // what holds for both
  RunOptions run;
  OutputOptions output;
};

Result<Document> difference(const Options& options) {
  NAMEPLATE_TRY(const auto pairs, settings(options.run));
  const auto open = [&](const std::string& path) {
    SideRequest request = options.side;
    request.path = path;
    request.settings = pairs;
    request.data_directory = options.run.data;
    return open_side(request);
  };
  NAMEPLATE_TRY(const DiffSide a, open(options.a));
  NAMEPLATE_TRY(const DiffSide b, open(options.b));
  return diff(a, b);
}

}  // namespace

std::function<Outcome()> add_diff_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("diff", "two runs or captures, row by row: before and after");
  constexpr const char* kSide =
      "a folder, a file or 'pattern*' of traces or of a run, a saved --format json, or predict:RUN.toml";
  app->add_option("A", options->a, kSide)->required();
  app->add_option("B", options->b, kSide)->required();
  app->add_option("--kernels", options->side.kernel_rules, "kernel classes of your own (docs/traces.md)")
      ->type_name("RULES.toml");
  app->add_option("--threads", options->side.threads, "threads to read and analyse with");
  add_run_flags(*app, options->run, false);
  add_output_flags(*app, options->output);
  return [options] {
    const Result<Document> document = difference(*options);
    return document.ok() ? present(*document, options->output) : fail(document.error());
  };
}

}  // namespace nameplate::cli
