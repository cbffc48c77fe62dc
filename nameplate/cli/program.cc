// One subcommand a question. Only this file prints.
#include "nameplate/cli/program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/cli/command_catalog.h"
#include "nameplate/cli/command_diff.h"
#include "nameplate/cli/command_flops.h"
#include "nameplate/cli/command_mfu.h"
#include "nameplate/cli/command_predict.h"
#include "nameplate/cli/command_report.h"
#include "nameplate/cli/command_survive.h"
#include "nameplate/cli/command_trace.h"
#include "nameplate/cli/command_validate.h"
#include "nameplate/core/text.h"

namespace nameplate::cli {
namespace {

// "did you mean …" for the first word that is neither a command nor one of its flags.
std::string nearest_word(const CLI::App& program, int argc, char** argv) {
  const CLI::App* scope = &program;
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (scope == &program && std::find(known.begin(), known.end(), word) != known.end()) {
      scope = program.get_subcommand(word);
      known.clear();
      for (const CLI::Option* option : scope->get_options()) known.push_back(option->get_name(false, false));
      continue;
    }
    const bool asked = scope == &program ? !word.starts_with("-") : word.starts_with("--");
    if (asked && std::find(known.begin(), known.end(), word) == known.end()) return did_you_mean(word, known);
  }
  return {};
}

struct Command {
  const char* name;
  std::function<Outcome()> run;
  bool spreads = false;  // over the processes of a job, so all of them have to run it
};

Outcome run(int argc, char** argv, const Executor& executor) {
  CLI::App program("Nameplate: what your accelerators really do.\nMFU of a training run, from the files it leaves.",
                   "nameplate");
  program.set_version_flag("--version", std::string("nameplate ") + NAMEPLATE_VERSION);
  program.require_subcommand(1);
  const std::vector<Command> commands = {
      {"report", add_report_command(program)},
      {"predict", add_predict_command(program)},
      {"trace", add_trace_command(program, executor), true},
      {"diff", add_diff_command(program)},
      {"mfu", add_mfu_command(program)},
      {"flops", add_flops_command(program)},
      {"catalog", add_catalog_command(program)},
      {"survive", add_survive_command(program, executor), true},
      {"validate", add_validate_command(program)},
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream out, err;
    program.exit(success, out, err);
    return {out.str(), err.str()};
  } catch (const CLI::ParseError& bad) {
    const std::string hint = nearest_word(program, argc, argv);
    return {{},
            std::string("nameplate: ") + bad.what() + "\n" + (hint.empty() ? "" : "  " + hint + "\n") +
                "  see nameplate --help, or nameplate COMMAND --help\n",
            kBadInput};
  }
  for (const Command& command : commands) {
    if (program.got_subcommand(command.name) && (command.spreads || executor.is_first())) return command.run();
  }
  return {};
}

int print(const Outcome& outcome) {
  const bool written =
      std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout) == outcome.out.size() && std::fflush(stdout) == 0;
  if (!written) std::fprintf(stderr, "nameplate: cannot write the output: %s\n", std::strerror(errno));
  const std::string err = without_controls(outcome.err);  // names of files and keys may hold anything
  std::fwrite(err.data(), 1, err.size(), stderr);
  return !written && outcome.exit_code == kOk ? kInternalError : outcome.exit_code;
}

}  // namespace

int run_program(int argc, char** argv, const Executor& executor) {
  try {
    const Outcome outcome = run(argc, argv, executor);
    return executor.is_first() ? print(outcome) : kOk;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "nameplate: internal error: %s\n", failure.what());
    return kInternalError;
  }
}

}  // namespace nameplate::cli
