// Where the time of a simulated job went. Plain numbers: a replication is copied between threads and machines as bytes.
#pragma once

#include <limits>

namespace nameplate {

inline constexpr double kNever = std::numeric_limits<double>::infinity();  // as a time

// Seconds, or node-seconds; the sum is the time that passed.
struct TimeAccount {
  double productive = 0;  // work done for the first time, in time at full speed
  double lost_work = 0;   // work done again, and work that a silent corruption made worthless
  double checkpoint = 0;
  double detect = 0;
  double restart = 0;  // spares on their way, restart, load, rejoining
  double startup = 0;
  double queue = 0;     // too few nodes, none on its way
  double degraded = 0;  // what computing on fewer nodes does less
  bool operator==(const TimeAccount&) const = default;
};

inline double sum(const TimeAccount& time) {
  return time.productive + time.lost_work + time.checkpoint + time.detect + time.restart + time.startup + time.queue +
         time.degraded;
}

inline TimeAccount& operator+=(TimeAccount& a, const TimeAccount& b) {
  a.productive += b.productive;
  a.lost_work += b.lost_work;
  a.checkpoint += b.checkpoint;
  a.detect += b.detect;
  a.restart += b.restart;
  a.startup += b.startup;
  a.queue += b.queue;
  a.degraded += b.degraded;
  return a;
}

inline TimeAccount scaled(const TimeAccount& time, double factor) {
  return {time.productive * factor, time.lost_work * factor, time.checkpoint * factor, time.detect * factor,
          time.restart * factor,    time.startup * factor,   time.queue * factor,      time.degraded * factor};
}

}  // namespace nameplate
