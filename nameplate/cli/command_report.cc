#include "nameplate/cli/command_report.h"

#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/api/report.h"
#include "nameplate/cli/run_options.h"
#include "nameplate/cli/status_line.h"
#include "nameplate/report/sentences.h"

namespace nameplate::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  RunOptions run;
  OutputOptions output;
};

std::string progress_text(std::int64_t done, std::int64_t total) {
  if (total <= 0) return fmt::format("reading: {:.0f} MB", static_cast<double>(done) / 1e6);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * 40);
  return fmt::format("reading [{}{}] {:3.0f} %", std::string(filled, '#'), std::string(40 - filled, ' '), share * 100);
}

Outcome run(const Options& options) {
  const auto pairs = settings(options.run);
  if (!pairs.ok()) return fail(pairs.error());
  StatusLine status;
  LoadRequest request{.paths = options.paths, .settings = *pairs, .data_directory = options.run.data};
  request.progress = [&](std::int64_t done, std::int64_t total) { status.show(progress_text(done, total)); };
  const bool follows = std::find(options.paths.begin(), options.paths.end(), "-") != options.paths.end();
  if (follows && status.visible()) {
    end_input_on_interrupt();
    request.wants_partial = [&] { return status.is_due(); };
    request.on_partial = [&](const LoadedRun& so_far) {
      const Document partial = report(so_far, {.all_steps = false});
      const auto& steps = so_far.log->steps;
      status.show(fmt::format("step {}: {}", steps.empty() ? 0 : steps.back().index, sentence(partial.title)));
    };
  }
  const Result<LoadedRun> loaded = load(request);
  status.clear();
  if (!loaded.ok()) return fail(loaded.error());
  const Document document = report(*loaded, {.all_steps = options.output.wants_rows()});
  Outcome outcome = present(document, options.output);
  if (const auto missing = missing_evidence(document); missing && outcome.exit_code != kBadInput) {
    // On a terminal the report has just asked; elsewhere the other stream has to.
    const bool asked = options.output.format == "text" && isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
    outcome.err += "nameplate: " + (asked ? missing->found + "; see the questions above" : render(*missing)) + "\n";
    outcome.exit_code = kBadInput;
  }
  return outcome;
}

}  // namespace

std::function<Outcome()> add_report_command(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("report", "the MFU of a run, from its own files");
  app->add_option("RUN", options->paths, "a folder or files: logs, config.json, run.toml; - follows standard input")
      ->required();
  add_run_flags(*app, options->run, false);
  add_output_flags(*app, options->output);
  return [options] { return run(*options); };
}

}  // namespace nameplate::cli
