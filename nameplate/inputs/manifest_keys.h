// The table of the manifest's keys: what each is called and what it may hold. Internal to inputs/manifest.
#pragma once

#include <span>
#include <string_view>

namespace nameplate {

enum class KeyKind {
  text,
  integer,
  number,
  ratio,  // 0..1, or a text in percent: "45 %"
  boolean,
  texts,     // an array of strings, or one string
  integers,  // an array of positive integers, or one
  bytes,
  duration,
  flops_rate,
  bandwidth,
  power,
  table,       // an inline table or array of tables, checked by its own reader
  columns,     // field = "name:unit" of a home-grown log
  free_table,  // a table whose keys are the user's
  own,         // of several kinds, checked by its own reader
};

struct ManifestKey {
  std::string_view path;
  KeyKind kind;
  // "none|selective|full"; empty: any. Those that begin with "+" may be joined: "none|+mlp|+moe_act" takes
  // "mlp+moe_act".
  std::string_view choices;
};

std::span<const ManifestKey> manifest_key_table();

}  // namespace nameplate
