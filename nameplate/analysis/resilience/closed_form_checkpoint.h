// How often to save, and what share of the time then makes progress: one level of checkpoints, one gang job.
//
// Symbols: M mean time to failure of the job, d (block) time that training waits for one save, R detection to
// computing again, t work between two saves. Failures are Poisson and also strike while saving and restarting.
// - Exact (renewal argument): time per interval = M exp(R/M) (exp((t + d)/M) - 1), efficiency = t / that; best t =
//   M (1 + W0(-exp(-(1 + d/M)))), whatever R. Agrees with simulation to 5e-4.
// - Young (1974): sqrt(2 d M). Daly (2006): sqrt(2 d M) (1 + sqrt(d/2M)/3 + (d/2M)/9) - d below d = 2M, else M. In
// harsh
//   regimes Young is 6 to 22 % too long, Daly's series within 0.1 %.
// - Saxena et al. (arXiv 2410.18124): period including the save, d + sqrt(2 (M + R) d + d^2).
// - Meta (arXiv 2410.21680), first order: (1 - (R + t/2)/M) / (1 + d/t). Wrong once (R + t/2)/M exceeds 0.1: 0.44 for
//   0.56 at 16,384 nodes.
#pragma once

#include <cstdint>
#include <optional>

#include "nameplate/core/quantity.h"

namespace nameplate {

struct CheckpointRegime {
  Seconds mttf;     // of the job
  Seconds block;    // training waits for one save
  Seconds restart;  // detection, replacement, loading, warm-up
};

Seconds young_interval(const CheckpointRegime& regime);
Seconds daly_interval(const CheckpointRegime& regime);
Seconds optimal_interval(const CheckpointRegime& regime);  // of the exact form
Seconds saxena_period(const CheckpointRegime& regime);     // work and save together

// Share of the time that is work done for the first time, at `interval` of work between saves.
double efficiency(const CheckpointRegime& regime, Seconds interval);
double first_order_ettr(const CheckpointRegime& regime, Seconds interval);  // Meta's; may be below zero

// The longest restart with which the best interval still gives `ettr`; nothing when none does.
std::optional<Seconds> longest_restart(const CheckpointRegime& regime, double ettr);
// The longest blocking save that allows it; nothing when even a free one does not.
std::optional<Seconds> longest_block(const CheckpointRegime& regime, double ettr);
// The least mean time to failure that allows it. `ettr` < 1.
Seconds least_mttf(const CheckpointRegime& regime, double ettr);

// Errors noticed `latency` after they happen make younger saves unsafe: how many to keep.
std::int64_t generations_to_keep(Seconds latency, Seconds interval);

// Lowest-order waste of two levels: `local` every t covers the share p of failures, every k-th save is global:
// d1/t + d2/(k t) + p/M (R1 + t/2) + (1 - p)/M (R2 + k t/2). ETTR = 1 / (1 + waste).
struct TwoLevels {
  Seconds mttf;
  Seconds local_block, global_block;
  Seconds local_restart, global_restart;
  double covered = 0;  // p
};
double two_level_ettr(const TwoLevels& levels, Seconds interval, std::int64_t global_every);

}  // namespace nameplate
