#include "nameplate/facts/run.h"

#include "nameplate/core/check.h"

namespace nameplate {

std::string to_text(const Evidence& evidence) {
  const std::string name = evidence.file.substr(evidence.file.rfind('/') + 1);
  const std::string line = evidence.line > 0 ? ":" + std::to_string(evidence.line) : std::string();
  return name + line + (evidence.quote.empty() ? "" : ": " + evidence.quote);
}

std::string_view name(StepClass step_class) {
  switch (step_class) {
    case StepClass::unclassified:
      return "unclassified";
    case StepClass::warm_up:
      return "warm_up";
    case StepClass::steady:
      return "steady";
    case StepClass::evaluation:
      return "evaluation";
    case StepClass::checkpoint:
      return "checkpoint";
    case StepClass::redone:
      return "redone";
    case StepClass::other_run:
      return "other_run";
    case StepClass::invalid:
      return "invalid";
  }
  NAMEPLATE_CHECK(false);
}

std::string_view name(EventClass event_class) {
  switch (event_class) {
    case EventClass::start:
      return "start";
    case EventClass::initialisation_done:
      return "initialisation_done";
    case EventClass::evaluation:
      return "evaluation";
    case EventClass::checkpoint_save:
      return "checkpoint_save";
    case EventClass::checkpoint_load:
      return "checkpoint_load";
    case EventClass::failure:
      return "failure";
    case EventClass::restart:
      return "restart";
    case EventClass::finished:
      return "finished";
    case EventClass::straggler:
      return "straggler";
    case EventClass::other:
      return "other";
    case EventClass::queue:
      return "queue";
    case EventClass::device_error:
      return "device_error";
    case EventClass::collective_stuck:
      return "collective_stuck";
  }
  NAMEPLATE_CHECK(false);
}

}  // namespace nameplate
