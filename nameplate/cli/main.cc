// The program: one subcommand a question. Only this file prints.
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "nameplate/cli/command_catalog.h"
#include "nameplate/cli/command_flops.h"
#include "nameplate/cli/command_mfu.h"
#include "nameplate/cli/command_report.h"
#include "nameplate/cli/command_validate.h"

namespace {

using nameplate::cli::Outcome;

Outcome run(int argc, char** argv) {
  CLI::App program("Nameplate: what your accelerators really do.\nMFU of a training run, from the files it leaves.",
                   "nameplate");
  program.set_version_flag("--version", std::string("nameplate ") + NAMEPLATE_VERSION);
  program.require_subcommand(1);
  using Command = std::function<Outcome()>;
  const std::vector<std::pair<const char*, Command>> commands = {
      {"report", nameplate::cli::add_report_command(program)},
      {"mfu", nameplate::cli::add_mfu_command(program)},
      {"flops", nameplate::cli::add_flops_command(program)},
      {"catalog", nameplate::cli::add_catalog_command(program)},
      {"validate", nameplate::cli::add_validate_command(program)},
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    program.exit(success);
    return {};
  } catch (const CLI::ParseError& bad) {
    return {{},
            std::string("nameplate: ") + bad.what() + "\n  see nameplate --help, or nameplate COMMAND --help\n",
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
    std::fwrite(outcome.err.data(), 1, outcome.err.size(), stderr);
    return !written && outcome.exit_code == 0 ? nameplate::cli::kInternalError : outcome.exit_code;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "nameplate: internal error: %s\n", failure.what());
    return nameplate::cli::kInternalError;
  }
}
