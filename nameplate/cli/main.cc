// The program: one subcommand a question. Only this file prints.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/cli/command_catalog.h"
#include "nameplate/cli/command_diff.h"
#include "nameplate/cli/command_flops.h"
#include "nameplate/cli/command_mfu.h"
#include "nameplate/cli/command_report.h"
#include "nameplate/cli/command_survive.h"
#include "nameplate/cli/command_trace.h"
#include "nameplate/cli/command_validate.h"
#include "nameplate/core/text.h"

namespace {

using nameplate::cli::Outcome;

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
    if (asked && std::find(known.begin(), known.end(), word) == known.end())
      return nameplate::did_you_mean(word, known);
  }
  return {};
}

Outcome run(int argc, char** argv) {
  CLI::App program("Nameplate: what your accelerators really do.\nMFU of a training run, from the files it leaves.",
                   "nameplate");
  program.set_version_flag("--version", std::string("nameplate ") + NAMEPLATE_VERSION);
  program.require_subcommand(1);
  using Command = std::function<Outcome()>;
  const std::vector<std::pair<const char*, Command>> commands = {
      {"report", nameplate::cli::add_report_command(program)},
      {"trace", nameplate::cli::add_trace_command(program)},
      {"diff", nameplate::cli::add_diff_command(program)},
      {"mfu", nameplate::cli::add_mfu_command(program)},
      {"flops", nameplate::cli::add_flops_command(program)},
      {"catalog", nameplate::cli::add_catalog_command(program)},
      {"survive", nameplate::cli::add_survive_command(program)},
      {"validate", nameplate::cli::add_validate_command(program)},
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    program.exit(success);
    return {};
  } catch (const CLI::ParseError& bad) {
    const std::string hint = nearest_word(program, argc, argv);
    return {{},
            std::string("nameplate: ") + bad.what() + "\n" + (hint.empty() ? "" : "  " + hint + "\n") +
                "  see nameplate --help, or nameplate COMMAND --help\n",
            nameplate::cli::kBadInput};
  }
  for (const auto& [name, command] : commands) {
    if (program.got_subcommand(name)) return command();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Outcome outcome = run(argc, argv);
    const bool written = std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout) == outcome.out.size() &&
                         std::fflush(stdout) == 0;
    if (!written) std::fprintf(stderr, "nameplate: cannot write the output: %s\n", std::strerror(errno));
    const std::string err = nameplate::cli::without_controls(outcome.err);  // names of files and keys may hold anything
    std::fwrite(err.data(), 1, err.size(), stderr);
    return !written && outcome.exit_code == 0 ? nameplate::cli::kInternalError : outcome.exit_code;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "nameplate: internal error: %s\n", failure.what());
    return nameplate::cli::kInternalError;
  }
}
