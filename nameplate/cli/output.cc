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
#include "nameplate/core/text.h"
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

bool begins_with(const std::string& path, std::string_view start) {
  std::ifstream file(path, std::ios::binary);
  std::string head(start.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return to_lower(head) == start;
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

Status write_whole(const OutputFile& wanted, const std::string& text) {
  std::error_code failure;
  std::string path = wanted.path;
  if (const auto folder = std::filesystem::path(path).parent_path(); wanted.makes_folder && !folder.empty()) {
    std::filesystem::create_directories(folder, failure);
  }
  if (std::filesystem::exists(wanted.path, failure)) {
    path = std::filesystem::canonical(wanted.path, failure).string();  // through links
    if (!std::filesystem::is_regular_file(path, failure)) {
      return Error{"is no file", {}, {.file = wanted.path}, fmt::format("name a file for {}", wanted.flag)};
    }
    if (std::filesystem::file_size(path, failure) > 0 && !begins_with(path, wanted.begins)) {
      return Error{fmt::format("is there and is no {}", wanted.what),
                   {},
                   {.file = wanted.path},
                   fmt::format("name another file for {}", wanted.flag)};
    }
  }
  // What is there stays whole until the new one is.
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(unfinished.c_str(), path.c_str()) == 0) return std::nullopt;
  std::remove(unfinished.c_str());
  return Error{fmt::format("cannot write the {}", wanted.what),
               {},
               {.file = path},
               "is the folder there, and may you write in it?"};
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
    const OutputFile page{.path = options.html, .flag = "--html", .what = "page", .begins = "<!doctype html>"};
    if (Status bad = write_whole(page, render_html(document))) return fail(*bad);
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
