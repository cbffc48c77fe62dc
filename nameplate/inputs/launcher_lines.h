// What launchers (torchrun, torch elastic, NVRx) print around a run, whatever framework runs under them: starts,
// restarts in the job, what interrupted it.
//
// "Rendezvous complete for workers." and, on a later line, "restart_count=N" are one start (N = 0) or restart. What
// interrupts a run is told by every rank and by the launcher: callers that count failures fold those (RunLogBuilder
// does). Source: torch/distributed/elastic/agent/server/api.py and multiprocessing/errors (PyTorch 2.1 to 2.8).
#pragma once

#include <optional>
#include <string_view>

#include "nameplate/facts/run.h"

namespace nameplate {

class LauncherLines {
 public:
  // The event that `text` (without rank and time) completes, with class, time and row; no evidence.
  std::optional<Event> read(std::string_view text, Maybe time_s);

 private:
  Maybe rendezvous_s_;
};

}  // namespace nameplate
