// How far a shared resource may be driven, and what a buffer smooths: queues, bursts, and what many requests wait for.
//
// - M/M/c (Erlang C): P(wait) = C(c, a); mean wait = C / (c (1 - u)) service times; P(wait > t) = C exp(-c (1 - u) t).
//   u is the utilisation of each server, times are in service times.
// - Bursts (Kingman 1961; Allen-Cunneen for c servers): mean wait x (ca^2 + cs^2) / 2, squared coefficients of
// variation
//   of the times between arrivals and of service. Exact for M/G/1, within some per cent at high load otherwise.
// - Fluid buffer, one on-off source (Anick, Mitra, Sondhi 1982, one source): peak r, drain c, off -> on at rate a, on
// ->
//   off at rate b: P(content > x) = a r / ((a + b) c) exp(-(b/(r - c) - a/c) x).
// - Smoothing by a first-order reservoir of time constant T, load with correlation time tc: sd ratio = sqrt(tc/(tc +
// T)).
#pragma once

#include <cstdint>
#include <optional>

#include "nameplate/core/quantity.h"

namespace nameplate {

// P(a request waits), `servers` at utilisation `load` below 1.
double erlang_c(std::int64_t servers, double load);
double mean_wait(std::int64_t servers, double load, double burstiness = 1);  // in service times
double wait_quantile(std::int64_t servers, double load, double level);       // Poisson arrivals, exponential service

// The most that the servers may be loaded while the mean wait stays within `service_times`.
double utilisation_cap(std::int64_t servers, double burstiness, double service_times);
// The same for the `level` quantile of the wait; nothing waits longer with probability `level`.
double utilisation_cap_quantile(std::int64_t servers, double level, double service_times);

// A synchronous job waits for the slowest of `requests`: P(any of them is beyond a tail of probability `tail`).
double any_beyond(std::int64_t requests, double tail);

struct FluidBuffer {
  double peak = 0;    // inflow while on, any unit per second
  double drain = 0;   // outflow, same unit; below the peak, above the mean inflow
  PerSecond on, off;  // rates of going on and off
};
double overflow_probability(const FluidBuffer& buffer, double content);
// The content that is exceeded with probability `target`; 0 when that holds for an empty buffer.
double content_for_overflow(const FluidBuffer& buffer, double target);

double smoothing_ratio(Seconds correlation, Seconds buffer);  // standard deviation after / before
// The time constant that brings the standard deviation from `before` to `after`, in correlation times.
double buffer_for_smoothing(double before, double after);

// A gain in speed (mfu_before -> mfu_after) is gone after an outage of this share of the time; and the time between
// outages of one length at which it is.
double outage_budget(double mfu_before, double mfu_after);
Seconds break_even_period(double mfu_before, double mfu_after, Seconds outage);

}  // namespace nameplate
