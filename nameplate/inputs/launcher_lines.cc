#include "nameplate/inputs/launcher_lines.h"

#include <array>

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kRestarts = "restart_count=";
constexpr std::array<std::string_view, 5> kInterruptions = {"Exception: ", " failed (exitcode: ", "Worker group FAILED",
                                                            "Received signal 15", "Terminating training..."};

Event event_at(EventClass event_class, Maybe begin_s) {
  Event event;
  event.event_class = event_class;
  event.begin_s = begin_s;
  return event;
}

}  // namespace

std::optional<Event> LauncherLines::read(std::string_view text, Maybe time_s) {
  if (text.find("Rendezvous complete for workers.") != kNone) rendezvous_s_ = time_s;
  if (const std::size_t at = text.find(kRestarts); at != kNone) {
    const std::string_view rest = text.substr(at + kRestarts.size());
    const auto restarts = parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
    if (restarts) {
      Event event =
          event_at(*restarts == 0 ? EventClass::start : EventClass::restart, rendezvous_s_ ? rendezvous_s_ : time_s);
      event.row = *restarts == 0 ? LedgerRow::startup : LedgerRow::fault_restart;
      rendezvous_s_ = {};
      return event;
    }
  }
  for (const std::string_view words : kInterruptions) {
    if (text.find(words) != kNone) return event_at(EventClass::failure, time_s);
  }
  return std::nullopt;
}

}  // namespace nameplate
