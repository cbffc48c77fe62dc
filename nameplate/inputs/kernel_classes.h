// What kind of work is a kernel, going by its name?
//
// Rules are tables in data/kernels/*.toml, tried in order; the first that fits gives the class. A user's own rules are
// tried before them. Compilers and libraries rename their kernels with every release, so a name that no rule knows is
// `unclassified`, never guessed, and reports list it. A name is matched once, however many events bear it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/pattern.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct KernelClass {
  DeviceEventClass event_class = DeviceEventClass::unclassified;
  std::optional<CollectiveKind> collective;  // nothing: the name does not tell ("ncclDevKernel_Generic")
  std::string library;                       // "NCCL"; may be empty
  bool operator==(const KernelClass&) const = default;
};

class KernelClasses {
 public:
  // The rules of data/kernels.
  static Result<KernelClasses> built_in();
  // Rules of a user's file, tried before those that are there.
  Status add(std::string_view toml, const std::string& file);
  KernelClass classify(std::string_view name) const;

 private:
  struct Rule {
    std::vector<std::string> starts;    // lower case; empty: any
    std::vector<std::string> contains;  // lower case; empty: any
    std::optional<Pattern> regex;       // case as written
    KernelClass result;
    bool fits(std::string_view name, std::string_view lower) const;
  };
  static Result<Rule> read_rule(const class Node& entry, std::string_view toml, const std::string& file);

  std::vector<Rule> rules_;
};

// "all_reduce", and how PyTorch writes it: "allreduce", "_allgather_base", "nccl:all_reduce", "c10d::allreduce_".
std::optional<CollectiveKind> parse_collective(std::string_view text);

}  // namespace nameplate
