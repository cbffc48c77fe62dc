#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/check.h"
#include "nameplate/core/embedded_data.h"
#include "nameplate/core/units.h"
#include "nameplate/inputs/choice.h"
#include "nameplate/inputs/failure_rate.h"
#include "nameplate/inputs/failures.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

constexpr std::array kConfidences = {Confidence::high, Confidence::medium, Confidence::low};
constexpr std::array kUnits = {RateUnit::device, RateUnit::node, RateUnit::job};

// Counts become rates of one unit; without a span they are counts per node-second, which only a total can scale.
Result<FailureClass> read_class(const Node& node, const std::string& file, const FailurePrior& prior) {
  TableReader reader(node, file, "class");
  FailureClass c;
  c.name = reader.required_text("name");
  c.cause = choice_at(reader, "cause", kFailureCauses).value_or(FailureCause::unknown);
  c.rate.unit = choice_at(reader, "per", kUnits).value_or(RateUnit::node);
  c.rate.events = reader.positive("count");
  if (!c.rate.events) reader.fail("count", "'count' is missing", "how many were counted");
  c.rate.source = prior.source;
  c.detect = reader.quantity("detect", parse_duration).value_or(Seconds{});
  c.restart = reader.quantity("restart", parse_scaled_duration).value_or(prior.restart);
  if (Status bad = reader.finish()) return *bad;
  double units = prior.nodes;
  if (c.rate.unit == RateUnit::device) units *= prior.devices_per_node;
  if (c.rate.unit == RateUnit::job) units = 1;
  const double exposure_s = prior.span ? prior.span->base() * units : units / prior.nodes;
  c.rate.rate = PerSecond::from_base(*c.rate.events / exposure_s);
  return c;
}

}  // namespace

Result<FailurePrior> read_failure_prior(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(const Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  FailurePrior prior;
  prior.name = top.required_text("name");
  prior.title = top.required_text("title");
  prior.span = top.quantity("span", parse_duration);
  prior.nodes = static_cast<double>(top.count("nodes").value_or(1));
  prior.devices_per_node = static_cast<double>(top.count("devices_per_node").value_or(8));
  prior.source = {top.required_text("source"), choice_at(top, "confidence", kConfidences).value_or(Confidence::low),
                  top.required_text("date")};
  prior.restart = top.quantity("restart", parse_scaled_duration).value_or(ScaledDuration{});
  prior.notes = top.text("notes").value_or("");
  if (prior.span && !top.has("nodes")) top.fail("span", "a span without nodes", "how many were watched");
  for (const Node& node : top.array("class")) {
    NAMEPLATE_TRY(FailureClass c, read_class(node, file, prior));
    prior.classes.push_back(std::move(c));
  }
  if (prior.classes.empty()) top.fail("class", "no class", "at least one");
  if (Status bad = top.finish()) return *bad;
  return prior;
}

const std::vector<FailurePrior>& failure_priors() {
  static const std::vector<FailurePrior> kPriors = [] {
    std::vector<FailurePrior> priors;
    for (const EmbeddedFile& file : embedded_files()) {
      if (!file.path.starts_with("failures/")) continue;
      Result<FailurePrior> read = read_failure_prior(file.text, fmt::format("data/{}", file.path));
      if (!read.ok()) std::fprintf(stderr, "%s\n", render(read.error()).c_str());
      NAMEPLATE_CHECK(read.ok());
      priors.push_back(std::move(read).value());
    }
    return priors;
  }();
  return kPriors;
}

}  // namespace nameplate
