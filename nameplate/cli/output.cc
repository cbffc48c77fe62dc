#include "nameplate/cli/output.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nameplate/api/report.h"
#include "nameplate/api/require.h"
#include "nameplate/report/render.h"

namespace nameplate::cli {
namespace {

TextStyle text_style() {
  TextStyle style;
  const char* no_colour = std::getenv("NO_COLOR");
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  style.colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    style.width = std::min<int>(size.ws_col, 100);
  return style;
}

// A page may take the place of a page, and of nothing else: a log that is named by mistake stays.
bool is_page(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(15, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.starts_with("<!doctype html>") || start.starts_with("<!DOCTYPE html>");
}

Status write_page(const Document& document, const std::string& named) {
  std::error_code failure;
  std::string path = named;
  if (std::filesystem::exists(named, failure)) {
    path = std::filesystem::canonical(named, failure).string();  // through links
    if (std::filesystem::is_regular_file(path, failure) && std::filesystem::file_size(path, failure) > 0 &&
        !is_page(path)) {
      return Error{"is there and is no page", {}, {.file = named}, "name another file for --html"};
    }
    if (!std::filesystem::is_regular_file(path, failure)) {
      return Error{"is no file", {}, {.file = named}, "name a file for --html"};
    }
  }
  // A page that is there stays whole until the new one is.
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << render_html(document);
  file.close();
  if (file && std::rename(unfinished.c_str(), path.c_str()) == 0) return std::nullopt;
  std::remove(unfinished.c_str());
  return Error{"cannot write the page", {}, {.file = path}, "is the folder there, and may you write in it?"};
}

}  // namespace

std::string without_controls(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second_of_c1 = byte >= 0x80 && byte <= 0x9f && i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xc2;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f || second_of_c1) text[i] = '?';
  }
  return text;
}

Outcome fail(const Error& error) { return {{}, "nameplate: " + render(error) + "\n", kBadInput}; }

Outcome present(const Document& document, const OutputOptions& options) {
  Outcome outcome;
  std::vector<Requirement> requirements;
  for (const std::string& text : options.requirements) {
    const Result<Requirement> requirement = parse_requirement(text);
    if (!requirement.ok()) return fail(requirement.error());
    requirements.push_back(*requirement);
  }
  if (!options.html.empty()) {
    if (Status bad = write_page(document, options.html)) return fail(*bad);
  }
  if (options.format == "json") {
    outcome.out = render_json(document);
  } else if (options.format == "csv") {
    outcome.out = render_csv(document);
  } else {
    outcome.out = render_text(document, text_style());
  }
  if (const auto wrong = impossible_figure(document)) {
    outcome.err += "nameplate: " + render(*wrong) + "\n";
    outcome.exit_code = kBadInput;
  }
  for (const Requirement& requirement : requirements) {
    const GateResult result = check(requirement, document);
    outcome.err += "nameplate: " + result.sentence + "\n";
    if (result.verdict == Verdict::too_little_evidence) outcome.exit_code = kBadInput;
    if (result.verdict == Verdict::missed && outcome.exit_code == kOk) outcome.exit_code = kRequirementMissed;
  }
  return outcome;
}

}  // namespace nameplate::cli
