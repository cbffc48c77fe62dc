#include "nameplate/cli/command_trace.h"

#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <fmt/format.h>

#include "nameplate/api/trace.h"
#include "nameplate/cli/run_options.h"
#include "nameplate/cli/status_line.h"

namespace nameplate::cli {
namespace {

struct Options {
  TraceRequest trace;
  RunOptions run;
  OutputOptions output;
};

Outcome run(const Options& options, const Executor& executor) {
  auto pairs = settings(options.run);
  if (!pairs.ok()) return fail(pairs.error());
  TraceRequest request = options.trace;
  request.settings = std::move(*pairs);
  request.data_directory = options.run.data;
  request.executor = &executor;
  StatusLine status;
  request.progress = [&](std::size_t done, std::size_t total) {
    status.show(fmt::format("traces analysed: {} of {}", done, total));
  };
  const Result<Document> document = explain_traces(request);
  status.clear();
  if (!executor.is_first()) return {};
  return document.ok() ? present(*document, options.output) : fail(document.error());
}

}  // namespace

std::function<Outcome()> add_trace_command(CLI::App& program, const Executor& executor) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("trace", "where the time of the steps went, from profiler traces");
  app->add_option("FILES", options->trace.paths, "traces of one or many ranks: files, folders; - reads standard input")
      ->required();
  app->add_option("--kernels", options->trace.kernel_rules, "kernel classes of your own (docs/models/attribution.md)")
      ->type_name("RULES.toml");
  app->add_option("--operators", options->trace.operator_formulas, "FLOPs of operators of your own (docs/traces.md)")
      ->type_name("OPERATORS.toml");
  app->add_option("--timeline", options->trace.timeline, "also write the attributed timeline, for ui.perfetto.dev")
      ->type_name("FILE.json");
  app->add_option("--threads", options->trace.threads, "threads to read and analyse with");
  add_run_flags(*app, options->run, false);
  add_output_flags(*app, options->output);
  return [options, &executor] { return run(*options, executor); };
}

}  // namespace nameplate::cli
