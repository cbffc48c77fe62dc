#include "nameplate/analysis/attribution/event_rows.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "nameplate/analysis/attribution/kernel_work.h"

namespace nameplate {
namespace {

constexpr std::int64_t kSmallCopyBytes = 4096;

LedgerRow kernel_row(DeviceEventClass c) {
  switch (c) {
    case DeviceEventClass::matmul:
    case DeviceEventClass::convolution:
      return LedgerRow::kernel_matmul;
    case DeviceEventClass::attention:
      return LedgerRow::kernel_attention;
    case DeviceEventClass::memory_bound:
    case DeviceEventClass::embedding:
    case DeviceEventClass::optimizer:
      return LedgerRow::kernel_memory_bound;
    default:
      return LedgerRow::kernel_other;
  }
}

// Parts of names: optimizer states, what is named so, and FSDP, which brings parameters in from the host before a
// module's forward or backward (FSDP::pre_forward; FSDP::inputs_to_device is data).
constexpr std::string_view kOffload[] = {"ptimizer", "offload", "FSDP::pre_", "FSDP::all_gather"};
constexpr std::string_view kReadBack[] = {"aten::item", "aten::_local_scalar_dense"};

class CopyRows {
 public:
  CopyRows(const Timeline& timeline, const RankTimeline& rank, const std::vector<std::int32_t>& enclosing)
      : timeline_(timeline), rank_(rank), enclosing_(enclosing) {
    for (std::size_t i = 0; i < rank.device.begin_ns.size(); ++i) {
      if (rank.device.event_class[i] != DeviceEventClass::copy_to_device || rank.device.launch[i] < 0) continue;
      const LedgerRow own = of_launched_to_device(i);
      const auto [known, first] = rows_of_repeated_.emplace(key(i), own);
      if (!first && known->second != own) known->second = LedgerRow::unattributed;
    }
  }

  LedgerRow of(std::size_t event) const {
    switch (rank_.device.event_class[event]) {
      case DeviceEventClass::copy_to_device:
        return rank_.device.launch[event] >= 0 ? of_launched_to_device(event) : of_repeated(event);
      case DeviceEventClass::copy_to_host: {
        const std::int64_t bytes = rank_.device.bytes[event];
        const bool small = bytes >= 0 && bytes <= kSmallCopyBytes;
        return small || launched_inside(event, kReadBack) ? LedgerRow::sync : LedgerRow::memory_stall;
      }
      default:
        return LedgerRow::kernel_memory_bound;
    }
  }

 private:
  std::pair<std::int32_t, std::int64_t> key(std::size_t event) const {
    return {rank_.device.name_id[event], rank_.device.bytes[event]};
  }

  LedgerRow of_launched_to_device(std::size_t event) const {
    return launched_inside(event, kOffload) ? LedgerRow::memory_stall : LedgerRow::data_wait;
  }

  // Without a launch (from before the capture, or not recorded) a copy is what those of its kind and size are; nothing
  // says which where they differ, or there is none.
  LedgerRow of_repeated(std::size_t event) const {
    const auto known = rank_.device.bytes[event] >= 0 ? rows_of_repeated_.find(key(event)) : rows_of_repeated_.end();
    return known == rows_of_repeated_.end() ? LedgerRow::unattributed : known->second;
  }

  bool launched_inside(std::size_t event, std::span<const std::string_view> parts) const {
    for (std::int32_t span = rank_.device.launch[event]; span >= 0; span = enclosing_[static_cast<std::size_t>(span)]) {
      const std::string& name =
          timeline_.names[static_cast<std::size_t>(rank_.host.name_id[static_cast<std::size_t>(span)])];
      for (const std::string_view part : parts) {
        if (name.find(part) != name.npos) return true;
      }
    }
    return false;
  }

  const Timeline& timeline_;
  const RankTimeline& rank_;
  const std::vector<std::int32_t>& enclosing_;
  std::map<std::pair<std::int32_t, std::int64_t>, LedgerRow> rows_of_repeated_;  // by name and size, of those launched
};

}  // namespace

std::vector<LedgerRow> event_rows(const Timeline& timeline, const RankTimeline& rank,
                                  const std::vector<GroupUse>& roles, const std::vector<std::int32_t>& enclosing) {
  const CopyRows copies(timeline, rank, enclosing);
  std::vector<LedgerRow> rows(rank.device.begin_ns.size(), LedgerRow::comm_other);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DeviceEventClass c = rank.device.event_class[i];
    if (is_copy(c)) rows[i] = copies.of(i);
    if (is_compute(c)) rows[i] = kernel_row(c);
  }
  for (std::size_t c = 0; c < rank.collectives.event.size(); ++c) {
    rows[static_cast<std::size_t>(rank.collectives.event[c])] = communication_row(role_of(roles, rank.collectives, c));
  }
  return rows;
}

}  // namespace nameplate
