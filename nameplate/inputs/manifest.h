// The manifest: one TOML file that describes a run (run.toml), and the flags that override it.
//
// Every key is optional where it can be detected. A key that is not in the table of known keys, a value of the wrong
// kind and a number without its unit are located errors with a "did you mean". `--set KEY=VALUE` takes any key, `--set
// KEY=xF` multiplies a number or quantity by F (of a key that holds text, "xF" is the text); both count as flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/quantity.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/precision.h"
#include "nameplate/facts/provenance.h"
#include "nameplate/facts/workload.h"
#include "nameplate/inputs/runlog.h"

namespace nameplate {

// A checked manifest. Values are read by dotted key; each knows whether it came from the file or from a flag.
class Manifest {
 public:
  static Result<Manifest> parse(std::string_view text, const std::string& file);
  static Result<Manifest> read(const std::string& path);
  Manifest() = default;  // an empty one, for runs without a manifest

  // "cluster.count" and a value as TOML or bare text ("64", "H100 SXM", "400 Gbit/s", "x10").
  Status set(std::string_view key, std::string_view value);

  // Forgets a key's value, which then counts as not stated.
  void drop(std::string_view key);

  const std::string& file() const { return file_; }
  // The folder that relative paths in the manifest start from; empty for the working directory.
  std::string folder() const;

  bool has(std::string_view key) const { return root_.find_path(key) != nullptr; }
  // The key's value as text, whatever its kind, with its origin; nothing when absent. Kinds were checked by parse().
  std::optional<Known<std::string>> text(std::string_view key) const;
  std::optional<Known<std::int64_t>> integer(std::string_view key) const;
  std::optional<Known<double>> number(std::string_view key) const;
  std::optional<Known<FlopsPerSecond>> flops_rate(std::string_view key) const;
  std::optional<Known<Seconds>> duration(std::string_view key) const;
  std::optional<Known<BytesPerSecond>> bandwidth(std::string_view key) const;
  std::optional<Known<Bytes>> bytes(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;  // an array of strings, or one string
  std::vector<std::int64_t> integers(std::string_view key) const;
  bool flag(std::string_view key) const { return has(key) && root_.find_path(key)->as_boolean().value_or(false); }
  const Node* table(std::string_view key) const { return root_.find_path(key); }

  // [inputs] columns, regex and format.
  LogOptions log_options() const;
  // The keys under [model] that say what the model is, in place: a decoder's dimensions (read_decoder_shape) or a list
  // of operators (read_operator_list). Nothing when there are none. What names it (config, name), what it leaves open
  // (dimensions, without blocks) and how it is trained (lora_rank, …) are no part of it.
  std::optional<Node> model_in_place() const;

 private:
  Origin origin(std::string_view key) const;
  Status check_all() const;

  Node root_{.kind = Node::Kind::object};
  std::string file_;
  std::string text_;
  std::vector<std::string> flags_;  // keys that set() changed
};

// Every key of the manifest, dotted, sorted; for completion, documentation and "did you mean".
std::vector<std::string> manifest_keys();

}  // namespace nameplate
