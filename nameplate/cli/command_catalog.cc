#include "nameplate/cli/command_catalog.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/catalog.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

struct Options {
  CatalogRequest request;
  OutputOptions output;
};

Outcome run(const Options& options) {
  const Result<Document> document = catalog(options.request);
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_catalog_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("catalog", "accelerators and models known by name, with their sources");
  app->add_option("KIND", options->request.kind, "accelerators, models or conventions");
  app->add_option("NAME", options->request.name, "one entry in full");
  app->add_option("--data", options->request.data_directory,
                  "folder with accelerators/*.toml and models/*.toml of your own");
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
