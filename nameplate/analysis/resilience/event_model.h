// What the event simulation runs: one gang job on a fleet that fails, in plain seconds, checked and ready to use.
//
// Rules that the facts leave open, and that every simulation here follows:
// - A failure during detection, waiting or restart begins the recovery again, as in the exact closed form.
// - Failures of software, planned stops and those counted per job take no node away; all others do.
// - Silent corruption stops nothing: the job computes on, its work is worthless from that moment, and what is noticed
//   `detect` later sends it back to a checkpoint older than the corruption. Only the last level keeps old generations.
// - Checkpoints lie at fixed points of the work. A level's interval is rounded to a whole number of those of the level
//   saved most often; where several fall together, training waits for all of them, the fastest first.
// - A level with `every` zero saves continuously: nothing that it covers is lost.
// - A restored state is held by every faster level once the job computes again. Checkpoints still under way when the
//   job fails are lost.
// - Rates are means over a life; a Weibull class renews when its unit fails, so a repaired node is as a new one. Lemons
//   have all their rates multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/resilience/event_sampling.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/failures.h"

namespace nameplate {

// A replication is a plain struct, so these are fixed.
inline constexpr std::size_t kMaxFailureClasses = 16;
inline constexpr std::size_t kMaxCheckpointLevels = 4;

enum class SimulationEnd { wall, work };  // after so much time; after so much work, in seconds at full speed

struct SimulationInput {
  FailureModel failures;
  std::int64_t nodes = 1;  // that the job needs
  std::int64_t devices_per_node = 1;
  Seconds startup;  // before the first step
  SimulationEnd end = SimulationEnd::wall;
  Seconds length;
  Seconds give_up = seconds(1e10);  // wall-clock after which a job that does not finish is left
  // Whether nodes of a stopped job fail (the exact closed form: yes; AIReSim: no).
  bool fails_while_stopped = true;
  // Operating time until a fault that was not repaired, or whose node was mistaken for another, shows again: mean of an
  // exponential, assumed.
  Seconds recurs_after = seconds(3600);
  bool operator==(const SimulationInput&) const = default;
};

// Work that `tokens` take at full speed.
Seconds work_for(Tokens tokens, TokensPerSecond at_full_speed);

struct SimulatedClass {
  double unit_rate = 0;  // per second
  RateUnit unit = RateUnit::node;
  double job_rate = 0;  // of all units that the job needs
  double shape = 1;
  double domain_share = 0;
  DomainKind domain = DomainKind::node;
  std::int64_t domain_nodes = 1;
  double detect = 0;
  double restart = 0;
  double recurs = 0;
  bool silent = false;
  bool takes_nodes = true;
};

struct SimulatedLevel {
  std::int64_t every = 1;  // of the shortest intervals; 0: continuous
  double block = 0;
  double latency = 0;  // from the beginning of a save until it can be restored from
  double load = 0;
  double covers = 1;
  std::optional<DomainKind> outside;
};

struct EventModel {
  std::vector<SimulatedClass> classes;
  std::vector<SimulatedLevel> levels;
  double interval = 0;  // work between the checkpoints of the level saved most often; infinite without any
  std::int64_t nodes = 1;
  std::int64_t devices_per_node = 1;
  double startup = 0;
  SimulationEnd end = SimulationEnd::wall;
  double length = 0;
  double give_up = 0;
  bool fails_while_stopped = true;
  double recurs_after = 0;
  std::int64_t least_nodes = 1;  // with which the job computes
  double scaling_loss = 0;
  double rejoin = 0;
  std::vector<RepairStage> repair;
  std::vector<SparePool> spares;
  double wrong_unit = 0;
  double lemon_share = 0;
  double lemon_factor = 1;
  double fleet_age = 0;
};

Result<EventModel> compile(const SimulationInput& input);

// Whether the aggregate rate says it all: classes exponential, no lemons, and a spare always at hand (no repair given).
bool is_memoryless(const EventModel& model);

}  // namespace nameplate
