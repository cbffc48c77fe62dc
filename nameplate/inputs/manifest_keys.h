// The table of the manifest's keys: what each is called and what it may hold. Internal to inputs/manifest.
#pragma once

#include <span>
#include <string_view>

namespace nameplate {

enum class KeyKind {
  text,
  integer,
  number,
  boolean,
  texts,     // an array of strings, or one string
  integers,  // an array of positive integers, or one
  bytes,
  duration,
  flops_rate,
  bandwidth,
  power,
  table,       // an inline table or array of tables, checked by its own reader
  free_table,  // a table whose keys are the user's (columns)
};

struct ManifestKey {
  std::string_view path;
  KeyKind kind;
  std::string_view choices;  // "none|selective|full"; empty: any
};

std::span<const ManifestKey> manifest_key_table();

}  // namespace nameplate
