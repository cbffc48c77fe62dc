// A training run as its files tell it: steps, events, and what it claims of itself.
//
// Pitfalls. A restart reuses step indices, so the key of a step is (attempt, index). A log prints every n-th step only,
// so one row may stand for several. The time zone of a log is unknown: times are seconds since 1970 *as printed*, good
// for differences within one log only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/maybe.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {

enum class StepClass : std::uint8_t {
  unclassified,
  warm_up,
  steady,
  evaluation,
  checkpoint,
  redone,
  other_run,
  invalid
};
std::string_view name(StepClass step_class);

// One row of the log about training steps. 80 bytes: a run may have millions.
struct Step {
  std::int32_t attempt = 0;  // 0-based; a new one where the index goes back
  StepClass step_class = StepClass::unclassified;
  std::int64_t index = 0;  // as printed
  std::int64_t line = 0;   // 1-based, in the file of the attempt
  Maybe end_s;             // the timestamp on the line: when the row was written
  Maybe duration_s;        // of one step, as printed or (reader says so) from the printed rate
  Maybe tokens;            // of the whole job in one step; real ones where the log tells padding apart
  Maybe samples;           // sequences of the whole job in one step
  Maybe loss;
  Maybe claimed_tokens_per_s;  // scope in RunLog::claims
  Maybe claimed_tflops;        // per accelerator
  Maybe claimed_mfu;           // 0..1
  bool operator==(const Step&) const = default;
};

// Whether a printed rate is for the whole job or one accelerator.
enum class RateScope : std::uint8_t { unknown, job, per_accelerator };

enum class EventClass : std::uint8_t {
  start,
  initialisation_done,
  evaluation,
  checkpoint_save,
  checkpoint_load,
  failure,
  restart,
  finished,
  straggler,
  other,
  queue,            // waiting for the scheduler, from begin to end
  device_error,     // what the driver reports of a device (Xid)
  collective_stuck  // a collective that some rank did not join, or whose timeout ran out
};
std::string_view name(EventClass event_class);

enum class EventScope : std::uint8_t { job, node, device, rank };

// The line that a fact or event was read from.
struct Evidence {
  std::string file;
  std::int64_t line = 0;
  std::string quote;  // at most 200 characters
  bool operator==(const Evidence&) const = default;
};

// "train.log:215: saving checkpoint to out": the file by its name, without its folders.
std::string to_text(const Evidence& evidence);

// Something that happened at a time or over an interval, on the log's own clock.
struct Event {
  EventClass event_class = EventClass::other;
  EventScope scope = EventScope::job;
  std::string subject;  // "rank 5", "node017"; empty for the job
  std::int32_t attempt = 0;
  std::optional<std::int64_t> after_step;  // index of the last step printed before it in its attempt
  Maybe begin_s;
  Maybe end_s;
  Maybe duration_s;              // where the log prints one
  bool blocking = true;          // false: an asynchronous save that training does not wait for
  std::optional<LedgerRow> row;  // where its time is booked
  Evidence evidence;
  bool operator==(const Event&) const = default;
};

// Facts about the run that a log prints in passing (banner, arguments), each with the line it came from.
// Absent when not printed. Names as Nameplate's manifest has them.
struct LogFact {
  std::string key;    // "training.seq_len", "cluster.count", "cluster.accelerator", "model.layers", "plan.tp", …
  std::string value;  // as printed, without unit decorations: "8192", "bf16", "NVIDIA H100 80GB HBM3"
  Evidence evidence;
  bool operator==(const LogFact&) const = default;
};

// How the log counts what it claims.
struct ClaimBasis {
  RateScope tokens_per_s_scope = RateScope::unknown;
  RateScope tflops_scope = RateScope::per_accelerator;
  std::string convention;             // id of analysis/flops/conventions.h that the program uses; empty if not known
  std::string peak_note;              // "hard-coded A100 312 TFLOP/s"; empty if it uses none or the device's
  std::optional<double> peak_tflops;  // the denominator that the program has hard-coded, if so
  bool mfu_is_running_mean = false;   // nanoGPT: 0.9/0.1 exponential mean
  bool duration_is_mean = false;      // Megatron: mean over the logging interval
  bool tokens_per_s_is_mean = false;
  bool operator==(const ClaimBasis&) const = default;
};

// Everything read from the log file(s) of one run, in the order of the files.
struct RunLog {
  std::string format;  // "megatron-lm", "torchtitan", "nanogpt", "hf-trainer-state", …; empty: none found
  std::vector<std::string> files;
  std::vector<Step> steps;  // ordered by (attempt, position in the file); one row per (attempt, index)
  std::vector<Event> events;
  std::vector<LogFact> facts;  // first mention wins for one key; a later differing one is a defect
  ClaimBasis claims;
  Maybe first_time_s;  // timestamps of the first and last line that carry one
  Maybe last_time_s;
  std::int64_t lines_total = 0;
  std::int64_t ranks_seen = 0;  // distinct rank prefixes on step lines; 0 when lines carry none
  Defects defects;
};

}  // namespace nameplate
