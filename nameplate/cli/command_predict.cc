#include "nameplate/cli/command_predict.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/predict.h"
#include "nameplate/cli/run_options.h"

namespace nameplate::cli {
namespace {

constexpr std::string_view kTraceBegins = "{\"schemaversion\":";

struct Options {
  PredictRequest request;
  std::string timeline;
  RunOptions run;
  OutputOptions output;
};

Status write_timeline(const PredictRequest& request, const std::string& path) {
  const Result<std::vector<TimelineFile>> files = predict_timeline(request, path);
  if (!files.ok()) return files.error();
  for (const TimelineFile& file : *files) {
    const OutputFile output{.path = file.path,
                            .flag = "--timeline",
                            .what = "trace",
                            .begins = kTraceBegins,
                            .makes_folder = path.ends_with('/')};
    if (Status bad = write_whole(output, file.text)) return bad;
  }
  return std::nullopt;
}

Outcome run(const Options& options) {
  auto pairs = settings(options.run);
  if (!pairs.ok()) return fail(pairs.error());
  PredictRequest request = options.request;
  request.settings = std::move(*pairs);
  request.data_directory = options.run.data;
  const Result<Document> document = predict(request);
  if (!document.ok()) return fail(document.error());
  if (!options.timeline.empty()) {
    if (const auto bad = write_timeline(request, options.timeline)) return fail(*bad);
  }
  return present(*document, options.output);
}

}  // namespace

std::function<Outcome()> add_predict_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("predict", "step time, memory and ledger of a run that has not happened");
  app->add_option("RUN", options->request.paths, "a manifest (run.toml), or a folder with one");
  app->add_option("--timeline", options->timeline,
                  "write the schedule as a trace for Perfetto; FOLDER/ writes one a stage, for nameplate trace");
  app->add_option(
         "--claim", options->request.claims,
         "what a promise needs to be true: overlap=0.45..0.82, \"compute=x3.8 mfu=0.38..0.35\", \"bandwidth=x10 "
         "mfu=0.72..0.92\"")
      ->allow_extra_args(false);
  add_run_flags(*app, options->run, false);
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
