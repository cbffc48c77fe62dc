// A field case: what a real sample log says, counted from the file by hand, independent of Nameplate's readers.
//
// tests/field/<sample>.toml:
//   log = "x.log"                 in <field data>/logs
//   [expected]                    of the rows after the repetitions of other ranks are dropped
//     format, rows, attempts, first_index, last_index          always
//     ranks, repeated_lines                                    0 unless given
//     median_step_time_s, median_tflops, median_mfu_ratio, median_tokens_per_s    as printed; absent: the log prints
//     none median_loss                                              optional
//   [events]      number by class; classes that are not named must not occur
//   [log_facts]   facts that the log prints, as manifest keys and text; checked exactly, others may be there
//   [facts]       what else is known of the run (logs.csv), by manifest key: for recomputing the printed throughput
//   [printed]     one row's printed figure, in its own convention
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/node.h"

namespace nameplate {

// $NAMEPLATE_FIELD_DATA, or ../shared/data beside the repository.
inline std::filesystem::path field_data() {
  const char* given = std::getenv("NAMEPLATE_FIELD_DATA");
  if (given != nullptr) return given;
  return std::filesystem::path(NAMEPLATE_SOURCE_DIR) / ".." / "shared" / "data";
}

struct FieldCase {
  std::string name;  // of the .toml file, without the ending
  Node root;

  std::filesystem::path log_path() const {
    return field_data() / "logs" / std::string(root.find("log")->as_string().value());
  }
  std::optional<double> number(std::string_view path) const {
    const Node* node = root.find_path(path);
    return node == nullptr ? std::nullopt : node->as_number();
  }
  std::string text(std::string_view path) const {
    const Node* node = root.find_path(path);
    return node == nullptr ? std::string() : std::string(node->as_string().value_or(""));
  }
  const Node* table(std::string_view key) const { return root.find(key); }
};

// The cases of tests/field, by name.
inline std::vector<FieldCase> field_cases() {
  std::vector<FieldCase> cases;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(NAMEPLATE_SOURCE_DIR) / "tests" / "field")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string path = entry.path().string();
    cases.push_back({entry.path().stem().string(), parse_toml(read_file(path).value(), path).value()});
  }
  std::sort(cases.begin(), cases.end(), [](const FieldCase& a, const FieldCase& b) { return a.name < b.name; });
  return cases;
}

}  // namespace nameplate
