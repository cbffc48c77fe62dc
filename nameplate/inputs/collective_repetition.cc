#include "nameplate/inputs/collective_repetition.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace nameplate {
namespace {

constexpr std::size_t kLongestPeriod = 4096;  // collectives of one stream in one step

// The collectives of one stream in order of time.
class Sequence {
 public:
  Sequence(const DeviceEvents& device, Collectives& collectives, std::vector<std::size_t> members)
      : device_(device), all_(collectives), members_(std::move(members)) {}

  std::int64_t complete() {
    const auto recorded = [&](std::size_t member) { return all_.group[member] >= 0; };
    const auto count = static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(), recorded));
    if (count == 0 || count == members_.size()) return 0;
    const std::optional<std::size_t> period = find_period();
    std::int64_t completed = 0;
    for (std::size_t i = 0; period && i < members_.size(); ++i)
      completed += !is_recorded(i) && copy_from_later(i, *period);
    return completed;
  }

 private:
  bool is_recorded(std::size_t i) const { return all_.group[members_[i]] >= 0; }
  std::int32_t name(std::size_t i) const { return device_.name_id[static_cast<std::size_t>(all_.event[members_[i]])]; }
  bool same_record(std::size_t i, std::size_t j) const {
    const std::size_t a = members_[i], b = members_[j];
    return all_.kind[a] == all_.kind[b] && all_.group[a] == all_.group[b] && all_.bytes[a] == all_.bytes[b];
  }

  bool repeats_with(std::size_t period) const {
    std::size_t seen_twice = 0;
    for (std::size_t i = 0; i + period < members_.size(); ++i) {
      if (name(i) != name(i + period)) return false;
      if (!is_recorded(i) || !is_recorded(i + period)) continue;
      if (!same_record(i, i + period)) return false;
      ++seen_twice;
    }
    return seen_twice >= period;
  }

  std::optional<std::size_t> find_period() const {
    for (std::size_t period = 1; period <= std::min(kLongestPeriod, members_.size() / 2); ++period) {
      if (repeats_with(period)) return period;
    }
    return std::nullopt;
  }

  bool copy_from_later(std::size_t i, std::size_t period) {
    for (std::size_t later = i + period; later < members_.size(); later += period) {
      if (!is_recorded(later)) continue;
      const std::size_t to = members_[i], from = members_[later];
      all_.group[to] = all_.group[from];
      all_.kind[to] = all_.kind[from];
      all_.bytes[to] = all_.bytes[from];
      all_.dtype[to] = all_.dtype[from];
      all_.peer[to] = all_.peer[from];
      return true;
    }
    return false;
  }

  const DeviceEvents& device_;
  Collectives& all_;
  std::vector<std::size_t> members_;
};

}  // namespace

std::int64_t complete_by_repetition(const DeviceEvents& device, Collectives& collectives) {
  std::map<std::int32_t, std::vector<std::size_t>> by_stream;
  for (std::size_t i = 0; i < collectives.event.size(); ++i) {
    by_stream[device.stream[static_cast<std::size_t>(collectives.event[i])]].push_back(i);
  }
  std::int64_t completed = 0;
  for (auto& [stream, members] : by_stream) completed += Sequence(device, collectives, std::move(members)).complete();
  return completed;
}

}  // namespace nameplate
