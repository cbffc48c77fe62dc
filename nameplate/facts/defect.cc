#include "nameplate/facts/defect.h"

namespace nameplate {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::data_loss:
      return "data_loss";
    case Severity::error:
      return "error";
  }
  return "error";
}

void add_defect(Defects& defects, Message message, Severity severity, std::int64_t count) {
  for (Defect& known : defects) {
    if (known.message == message && known.severity == severity) {
      known.count += count;
      return;
    }
  }
  defects.push_back({std::move(message), severity, count});
}

}  // namespace nameplate
