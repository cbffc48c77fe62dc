#include "nameplate/api/frameworks.h"

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/memory_calibration.h"
#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

Error unknown(std::string_view name) {
  const std::vector<std::string> ids = framework_ids();
  return {fmt::format("unknown framework '{}'", name),
          fmt::format("one of {}", fmt::join(ids, ", ")),
          {},
          did_you_mean(name, ids)};
}

// A printed name alone or before a version: "NeMo 24.07". "NeMoo" is another.
bool prints(const std::vector<std::string>& names, std::string_view name) {
  const std::string wanted = to_lower(name);
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return !each.empty() && wanted.starts_with(to_lower(each)) &&
           (wanted.size() == each.size() || wanted[each.size()] == ' ');
  });
}

// Facts by id or printed name; null where only the generic entry holds.
const StepFramework* find_step(std::string_view name) {
  const StepFrameworks& known = StepFrameworks::embedded();
  if (const StepFramework* facts = known.find_by_id(name)) return facts;
  const auto named = [&](const StepFrameworkEntry& entry) { return prints(entry.names, name); };
  if (std::none_of(known.entries().begin(), known.entries().end(), named)) return nullptr;
  const StepFramework& facts = known.find(name, std::nullopt, "");
  return &facts == &known.entries().front().facts ? nullptr : &facts;
}

const MemoryFacts* find_memory(std::string_view name) {
  const MemoryCalibration& known = MemoryCalibration::embedded();
  if (const MemoryFacts* facts = known.find_by_id(name)) return facts;
  const auto named = [&](const MemoryFramework& entry) { return prints(entry.names, name); };
  if (std::none_of(known.frameworks.begin(), known.frameworks.end(), named)) return nullptr;
  const MemoryFacts& facts = known.find(name, std::nullopt, "");
  return &facts == &known.frameworks.front().facts ? nullptr : &facts;
}

// The names that the other list's entry of this id prints of itself.
std::vector<std::string> names_in_step_list(std::string_view id) {
  for (const StepFrameworkEntry& entry : StepFrameworks::embedded().entries()) {
    if (entry.facts.id == id) return entry.names;
  }
  return {};
}

std::vector<std::string> names_in_memory_list(std::string_view id) {
  for (const MemoryFramework& entry : MemoryCalibration::embedded().frameworks) {
    if (entry.facts.id == id) return entry.names;
  }
  return {};
}

}  // namespace

std::vector<std::string> framework_ids() {
  std::vector<std::string> ids;
  for (const StepFrameworkEntry& entry : StepFrameworks::embedded().entries()) ids.push_back(entry.facts.id);
  for (const MemoryFramework& entry : MemoryCalibration::embedded().frameworks) {
    if (std::find(ids.begin(), ids.end(), entry.facts.id) == ids.end()) ids.push_back(entry.facts.id);
  }
  return ids;
}

Result<StepFramework> step_framework_of(std::string_view name) {
  if (const StepFramework* facts = find_step(name)) return *facts;
  for (const std::string& printed : names_in_memory_list(name)) {
    if (const StepFramework* facts = find_step(printed)) return *facts;
  }
  if (find_memory(name) == nullptr) return unknown(name);
  return StepFrameworks::embedded().entries().front().facts;
}

Result<MemoryFacts> memory_facts_of(std::string_view name) {
  if (const MemoryFacts* facts = find_memory(name)) return *facts;
  for (const std::string& printed : names_in_step_list(name)) {
    if (const MemoryFacts* facts = find_memory(printed)) return *facts;
  }
  if (find_step(name) == nullptr) return unknown(name);
  return MemoryCalibration::embedded().frameworks.front().facts;
}

}  // namespace nameplate
