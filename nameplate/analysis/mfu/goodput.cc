#include "nameplate/analysis/mfu/goodput.h"

#include <array>

namespace nameplate {
namespace {

struct Mapping {
  LedgerRow row;
  std::string_view bin;
};

// Rows that stand inside productive time (compute, communication, bubbles) are not listed: the wall-clock does not
// split it.
constexpr std::array<Mapping, 7> kMappings = {{
    {LedgerRow::startup, "PROGRAM_STARTUP"},
    {LedgerRow::data_wait, "DATA_LOADING_SYNC"},
    {LedgerRow::checkpoint, "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME"},
    {LedgerRow::fault_lost_work, "WASTED_PROGRESS_FROM_DISRUPTION"},
    {LedgerRow::fault_detect, "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"},
    {LedgerRow::fault_restart, "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"},
    {LedgerRow::evaluation, "CUSTOM_BADPUT_EVENTS"},
}};

std::string_view bin_of(LedgerRow row) {
  for (const Mapping& mapping : kMappings) {
    if (mapping.row == row) return mapping.bin;
  }
  return "OTHER";
}

void add(std::vector<GoodputBin>& bins, std::string_view name, LedgerRow row, double seconds) {
  for (GoodputBin& bin : bins) {
    if (bin.name != name) continue;
    bin.seconds += seconds;
    return bin.rows.push_back(row);
  }
  bins.push_back({name, seconds, {row}});
}

}  // namespace

std::optional<Goodput> goodput(const WallClock& clock) {
  Goodput result;
  const auto queue = clock.other_s.find(LedgerRow::queue);
  result.queue_s = queue == clock.other_s.end() ? 0 : queue->second;
  result.total_s = clock.wall_s - result.queue_s;
  if (!(result.total_s > 0)) return std::nullopt;
  result.bins.push_back({"PRODUCTIVE", clock.productive_s, {}});
  GoodputBin other{"OTHER", result.total_s - clock.productive_s, {LedgerRow::unattributed}};
  for (const auto& [row, seconds] : clock.other_s) {
    if (row == LedgerRow::queue) continue;
    const std::string_view name = bin_of(row);
    if (name == other.name) {
      other.rows.push_back(row);
      continue;
    }
    add(result.bins, name, row, seconds);
    other.seconds -= seconds;
  }
  result.bins.push_back(std::move(other));
  result.goodput = clock.productive_s / result.total_s;
  result.ettr = clock.productive_s / clock.wall_s;
  return result;
}

}  // namespace nameplate
