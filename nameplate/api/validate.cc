#include "nameplate/api/validate.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "nameplate/api/resolve.h"
#include "nameplate/api/validate_memory.h"
#include "nameplate/api/validate_step_time.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"

namespace nameplate {

Result<Document> validate(const ValidateRequest& request) {
  const std::vector<std::string> known = {"step_time", "memory"};
  if (std::find(known.begin(), known.end(), request.what) == known.end()) {
    return Error{fmt::format("cannot validate '{}'", request.what),
                 fmt::format("--what {}", fmt::join(known, " or ")),
                 {},
                 did_you_mean(request.what, known)};
  }
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  NAMEPLATE_TRY(const std::string text, read_file(request.runs));
  NAMEPLATE_TRY(const PublishedRuns runs, read_published_runs(text, request.runs));
  if (request.what == "step_time") return validate_step_time(runs, *catalogue, {request.fit, request.anchor});
  return validate_memory(runs, *catalogue, MemoryCalibration::embedded());
}

}  // namespace nameplate
