#include "nameplate/inputs/failures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/core/units.h"
#include "nameplate/inputs/choice.h"
#include "nameplate/inputs/failure_rate.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostSpares = 10'000'000;
constexpr std::array kSpareKinds = {SpareKind::hot, SpareKind::warm, SpareKind::cold, SpareKind::borrowed};

template <class Value>
Value quantity_or(TableReader& reader, std::string_view key, Result<Value> (*parse)(std::string_view),
                  Value otherwise = {}) {
  return reader.quantity(key, parse).value_or(otherwise);
}

std::optional<DomainKind> domain_at(TableReader& reader, std::string_view key) {
  const std::optional<std::string> word = reader.text(key);
  if (!word) return std::nullopt;
  const auto kind = parse_domain_kind(*word);
  if (!kind) reader.fail(key, fmt::format("'{:.80}'", *word), "one of die, node, tray, rack, pdu, switch, pod, zone");
  return kind;
}

// A duration that may be none at all: "0 s".
Result<Seconds> parse_duration_or_none(std::string_view text) {
  const auto number = parse_leading_number(text);
  if (!number || number->value != 0) return parse_duration(text);
  NAMEPLATE_TRY(const Seconds one, parse_duration("1" + std::string(number->rest)));
  return one * 0;
}

// What a class's own keys may leave to those of the section.
struct ClassDefaults {
  std::optional<Seconds> detect;
  std::optional<ScaledDuration> restart;
};

void read_base(TableReader& reader, const std::optional<RateBase>& in_rate, FailureClass& c) {
  std::optional<RateBase> base = in_rate;
  if (const auto per = reader.text("per")) {
    base = parse_rate_base(*per);
    if (!base) {
      reader.fail("per", fmt::format("'{:.80}'", *per), "node, device, job, rack, tray, pdu, switch, pod or zone");
      return;
    }
    if (in_rate && (in_rate->unit != base->unit || in_rate->domain != base->domain)) {
      reader.fail("per", fmt::format("'{:.80}' contradicts the rate", *per));
      return;
    }
  }
  if (!base) {
    reader.fail("rate", "the rate does not say of what",
                "\"… per node-day\", or per = \"node\" | \"device\" | \"job\" | \"rack\" | …");
    return;
  }
  c.rate.unit = base->unit;
  if (base->unit == RateUnit::domain) c.domain = base->domain;
}

// A probability of surviving a mission without repair: rate = -ln R / mission.
void read_reliability(TableReader& reader, double reliability, FailureClass& c) {
  const auto mission = reader.quantity("mission", parse_duration);
  if (!reader.has("mission")) {
    reader.fail("reliability", fmt::format("a reliability of {} without a mission", reliability),
                "mission = \"7 d\": the time that it holds for");
    return;
  }
  if (!mission || mission->base() <= 0 || reliability <= 0 || reliability >= 1) {
    reader.fail("reliability", fmt::format("{}", reliability), "between 0 and 1, over a positive mission");
    return;
  }
  c.rate.rate = PerSecond::from_base(-std::log(reliability) / mission->base());
  // Of a domain, where the class is one's.
  const bool whole = c.domain > DomainKind::node && !reader.has("domain_share");
  read_base(reader, whole && !reader.has("per") ? RateBase{RateUnit::domain, c.domain} : RateBase{}, c);
}

// A rate per node or device of a class that names a domain: which of its events take all of it?
void check_domain(TableReader& reader, const FailureClass& c) {
  const bool smaller = c.rate.unit == RateUnit::node || c.rate.unit == RateUnit::device;
  if (!smaller || c.domain <= DomainKind::node || reader.has("domain_share")) return;
  reader.fail("domain", fmt::format("a domain whose failures are counted per {}", name(c.rate.unit)),
              "domain_share: which of them take the whole domain, or a rate per domain (\"1 per rack-year\")");
}

void read_rate(TableReader& reader, FailureClass& c) {
  if (const auto reliability = reader.ratio("reliability")) return read_reliability(reader, *reliability, c);
  const Node* node = reader.any("rate");
  if (node == nullptr) {
    reader.fail("rate", "no rate", "rate = \"3.79 per 1000 node-days\"");
    return;
  }
  const std::string text = node->is(Node::Kind::string) ? node->string : fmt::format("{}", node->number);
  const Result<ParsedRate> parsed = parse_failure_rate(text);
  if (!parsed.ok()) {
    reader.fail("rate", parsed.error().found, parsed.error().expected);
    return;
  }
  c.rate.rate = parsed->rate;
  c.rate.events = parsed->events;
  if (const auto count = reader.positive("count")) c.rate.events = count;
  read_base(reader, parsed->base, c);
}

std::optional<ScaledDuration> scaled_at(TableReader& reader, std::string_view key) {
  return reader.quantity(key, parse_scaled_duration);
}

// Everything but the rate.
void read_class_body(TableReader& reader, const ClassDefaults& defaults, FailureClass& c, bool& has_restart) {
  c.name = reader.required_text("name");
  c.cause = choice_at(reader, "cause", kFailureCauses).value_or(c.cause);
  c.rate.source = {reader.text("source").value_or(""), Confidence::medium, ""};
  c.shape = reader.positive("shape").value_or(1);
  if (const auto domain = domain_at(reader, "domain")) c.domain = *domain;
  c.domain_share = reader.ratio("domain_share").value_or(0);
  c.domain_nodes = reader.count("domain_nodes").value_or(1);
  c.detect = quantity_or(reader, "detect", parse_duration_or_none, defaults.detect.value_or(Seconds{}));
  const auto restart = scaled_at(reader, "restart");
  has_restart = restart || defaults.restart;
  c.restart = restart ? *restart : defaults.restart.value_or(ScaledDuration{});
  c.recurs = reader.ratio("recurs").value_or(0);
}

Result<CheckpointLevel> read_level(const Node& node, const std::string& file) {
  TableReader reader(node, file, "failures.checkpoint");
  CheckpointLevel level;
  level.name = reader.text("level").value_or("checkpoint");
  if (!reader.has("block")) reader.fail("block", "'block' is missing", "how long training waits for a save: \"20 s\"");
  level.block = quantity_or(reader, "block", parse_duration);
  level.total = quantity_or(reader, "total", parse_duration, level.block);
  level.every = quantity_or(reader, "every", parse_duration);
  level.load = quantity_or(reader, "load", parse_duration_or_none);
  level.covers = reader.ratio("covers").value_or(1);
  level.outside = domain_at(reader, "outside");
  if (Status bad = reader.finish()) return *bad;
  return level;
}

Result<RepairStage> read_stage(const Node& node, const std::string& file) {
  TableReader reader(node, file, "failures.repair");
  RepairStage stage;
  stage.name = reader.text("name").value_or("repair");
  if (!reader.has("duration")) reader.fail("duration", "'duration' is missing", "its mean: \"24 h\"");
  stage.duration = quantity_or(reader, "duration", parse_duration);
  stage.success = reader.ratio("success").value_or(1);
  stage.silent_failure = reader.ratio("silent_failure").value_or(0);
  if (stage.silent_failure >= 1) reader.fail("silent_failure", "a repair that never holds", "below 1");
  stage.crews = reader.count("crews", 0).value_or(0);
  if (Status bad = reader.finish()) return *bad;
  return stage;
}

Result<SparePool> read_spares(const Node& node, const std::string& file) {
  TableReader reader(node, file, "failures.spares");
  SparePool pool;
  pool.kind = choice_at(reader, "kind", kSpareKinds).value_or(SpareKind::hot);
  pool.nodes = reader.required_count("nodes");
  if (pool.nodes > kMostSpares) reader.fail("nodes", "too many spares", "at most 10,000,000");
  pool.ready = quantity_or(reader, "ready", parse_duration_or_none);
  pool.failure_factor = reader.ratio("failure_factor").value_or(pool.kind == SpareKind::cold ? 0 : 1);
  if (Status bad = reader.finish()) return *bad;
  return pool;
}

// "24 h", or the stages of a repair.
Status read_repair(TableReader& section, const std::string& file, FailureModel& model) {
  const Node* node = section.any("repair");
  const auto crews = section.count("crews", 0);
  if (node != nullptr && node->is(Node::Kind::string)) {
    const auto duration = section.quantity("repair", parse_duration);
    model.repair.push_back({.name = "repair", .duration = duration.value_or(Seconds{})});
  } else if (node != nullptr) {
    if (Status bad = read_each(section, "repair", file, read_stage, model.repair)) return bad;
  }
  if (!crews) return std::nullopt;
  if (model.repair.empty()) section.fail("crews", "crews without a repair", "repair = \"24 h\"");
  for (RepairStage& stage : model.repair) {
    if (stage.crews == 0) stage.crews = *crews;
  }
  return std::nullopt;
}

// A number of hot spares, or pools.
Status read_pools(TableReader& section, const std::string& file, FailureModel& model) {
  const Node* node = section.any("spares");
  if (node == nullptr || node->is(Node::Kind::array))
    return read_each(section, "spares", file, read_spares, model.spares);
  const auto count = section.count("spares", 0);
  if (count && *count > kMostSpares) section.fail("spares", "too many spares", "at most 10,000,000");
  if (count && *count > 0) { model.spares.push_back({.kind = SpareKind::hot, .nodes = *count}); }
  return std::nullopt;
}

Status read_elastic(TableReader& section, const std::string& file, FailureModel& model) {
  const Node* node = section.table("elastic");
  if (node == nullptr) return std::nullopt;
  TableReader reader(*node, file, "failures.elastic");
  ElasticRun elastic;
  elastic.least_ratio = reader.ratio("least").value_or(0);
  elastic.scaling_loss = reader.ratio("scaling_loss").value_or(0);
  elastic.rejoin = quantity_or(reader, "rejoin", parse_duration);
  model.elastic = elastic;
  return reader.finish();
}

const FailurePrior* find_prior(TableReader& section, const std::string& wanted) {
  std::vector<std::string> names;
  for (const FailurePrior& prior : failure_priors()) {
    if (prior.name == wanted) return &prior;
    names.push_back(prior.name);
  }
  section.fail("prior", fmt::format("'{:.80}'", wanted), fmt::format("one of {}", fmt::join(names, ", ")),
               did_you_mean(wanted, names));
  return nullptr;
}

// Failures of the class per second and node of the observed fleet.
double rate_per_node(const FailurePrior& prior, const FailureClass& c) {
  const double units = c.rate.unit == RateUnit::device ? prior.devices_per_node
                       : c.rate.unit == RateUnit::job  ? 1 / prior.nodes
                                                       : 1;
  return c.rate.rate.base() * units;
}

// A prior's classes, at the section's total rate where it states one.
void take_prior(TableReader& section, const ClassDefaults& defaults, FailureSection& result) {
  const auto wanted = section.text("prior");
  const auto total = section.quantity("rate", parse_failure_rate);
  if (!wanted) {
    if (total) section.fail("rate", "a total rate without a prior", "prior = \"llama-3\", or [[failures.class]]");
    return;
  }
  const FailurePrior* prior = find_prior(section, *wanted);
  if (prior == nullptr) return;
  result.prior = prior->name;
  result.model.classes = prior->classes;
  if (total && (!total->base || total->base->unit != RateUnit::node)) {
    section.fail("rate", "a prior is scaled per node", "\"3.79 per 1000 node-days\"");
    return;
  }
  if (!total && !prior->span) {
    section.fail("prior", fmt::format("'{}' was published as counts without a time", prior->name),
                 "rate = \"3.79 per 1000 node-days\" beside it: the total that the counts share");
    return;
  }
  double of_all = 0;
  for (const FailureClass& c : prior->classes) of_all += rate_per_node(*prior, c);
  const double factor = total ? total->rate.base() / of_all : 1;
  for (FailureClass& c : result.model.classes) {
    if (total) {
      // Each class has its share of what was counted, so that the total is as sure as its count.
      const double share = rate_per_node(*prior, c) / of_all;
      c.rate.events = total->events ? std::optional(*total->events * share) : std::nullopt;
    }
    c.rate.rate = c.rate.rate * factor;
    if (c.detect == Seconds{} && defaults.detect) c.detect = *defaults.detect;
    if (c.restart == ScaledDuration{} && defaults.restart) c.restart = *defaults.restart;
    if (c.restart == ScaledDuration{}) result.without_restart.push_back(c.name);
  }
}

Status read_classes(TableReader& section, const std::string& file, const ClassDefaults& defaults,
                    FailureSection& result) {
  for (const Node& node : section.array("class")) {
    TableReader reader(node, file, "failures.class");
    FailureClass c;
    bool has_restart = false;
    read_class_body(reader, defaults, c, has_restart);
    read_rate(reader, c);
    check_domain(reader, c);
    if (Status bad = reader.finish()) return bad;
    std::erase(result.without_restart, c.name);
    if (!has_restart) result.without_restart.push_back(c.name);
    const auto same = std::find_if(result.model.classes.begin(), result.model.classes.end(),
                                   [&](const FailureClass& other) { return other.name == c.name; });
    if (same != result.model.classes.end()) {
      *same = std::move(c);
    } else {
      result.model.classes.push_back(std::move(c));
    }
  }
  return std::nullopt;
}

void read_fleet(TableReader& section, FailureSection& result) {
  FailureModel& model = result.model;
  model.wrong_unit = section.ratio("wrong_unit").value_or(0);
  model.fleet_age = section.quantity("fleet_age", parse_duration_or_none);
  model.lemon_share = section.ratio("lemon_share").value_or(0);
  model.lemon_factor = section.positive("lemon_factor").value_or(1);
  result.horizon = section.quantity("horizon", parse_duration);
  result.stall_multiple = section.positive("stall_multiple").value_or(1);
  result.salvage = section.ratio("salvage").value_or(0);
}

}  // namespace

Result<FailureSection> read_failures(const Node& node, const std::string& file) {
  TableReader section(node, file, "failures");
  FailureSection result;
  const ClassDefaults defaults{section.quantity("detect", parse_duration_or_none), scaled_at(section, "restart")};
  take_prior(section, defaults, result);
  if (Status bad = read_classes(section, file, defaults, result)) return *bad;
  if (Status bad = read_each(section, "checkpoint", file, read_level, result.model.checkpoints)) return *bad;
  if (Status bad = read_repair(section, file, result.model)) return *bad;
  if (Status bad = read_pools(section, file, result.model)) return *bad;
  if (Status bad = read_elastic(section, file, result.model)) return *bad;
  read_fleet(section, result);
  if (Status bad = section.finish()) return *bad;
  return result;
}

}  // namespace nameplate
