#include "nameplate/facts/defect.h"

namespace nameplate {

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
