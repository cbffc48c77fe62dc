// What every command shares: the choice of format, the page, thresholds, and the exit code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate::cli {

// Exit codes of the program.
inline constexpr int kOk = 0;
inline constexpr int kRequirementMissed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInternalError = 3;

enum class Colour { automatic, always, never };

struct OutputOptions {
  std::string format = "text";
  std::string html;                                                      // file to write; empty: none
  std::vector<std::string> requirements;                                 // --require
  bool wants_rows() const { return format != "text" || !html.empty(); }  // long tables are shown somewhere
};

// What a command hands back to main: text for the two streams, and the exit code. Only main prints.
struct Outcome {
  std::string out;
  std::string err;
  int exit_code = kOk;
};

// A file that a flag names. It may take the place of one that begins as ours do, and of nothing else: a log that is
// named by mistake stays.
struct OutputFile {
  std::string path;
  const char* flag = "";         // "--html"
  const char* what = "";         // "page"
  std::string_view begins = {};  // of our own, in lower case
  bool makes_folder = false;
};
Status write_whole(const OutputFile& wanted, const std::string& text);

Outcome fail(const Error& error);
// Control characters other than line ends become "?": what is printed may not steer the terminal.
std::string without_controls(std::string text);
// Renders the document as asked, writes the page, checks the requirements.
Outcome present(const Document& document, const OutputOptions& options);

}  // namespace nameplate::cli
