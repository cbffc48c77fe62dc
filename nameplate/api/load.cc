#include "nameplate/api/load.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "nameplate/api/load_records.h"
#include "nameplate/api/load_traces.h"
#include "nameplate/api/resolve.h"
#include "nameplate/api/resolve_training.h"
#include "nameplate/api/what_if.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/run_files.h"

namespace nameplate {
namespace {

std::string run_name(const LoadRequest& request, const Manifest& manifest) {
  if (const auto name = manifest.text("name")) return name->value;
  if (request.paths.empty()) return {};  // figures typed in: the model's name, once it is known
  if (request.paths.front() == "-") return "standard input";
  std::filesystem::path path(request.paths.front());
  if (!path.has_filename()) path = path.parent_path();
  if (path == "." || path == "..") path = std::filesystem::absolute(path).lexically_normal().parent_path();
  return path.filename().string();
}

// The files that the manifest names under `key`, else those of that kind found among the paths.
Result<std::vector<std::string>> input_paths(const Manifest& manifest, std::string_view key,
                                             const std::vector<std::string>& found) {
  std::vector<std::string> paths;
  for (const std::string& pattern : manifest.texts(key)) {
    NAMEPLATE_TRY(const std::vector<std::string> matches, expand_pattern(pattern, manifest.folder()));
    paths.insert(paths.end(), matches.begin(), matches.end());
  }
  return paths.empty() ? found : paths;
}

Status resolve(const Catalogue& catalogue, const RunFiles& files, LoadedRun& run) {
  if (run.log) run.defects.insert(run.defects.end(), run.log->defects.begin(), run.log->defects.end());
  if (Status bad = resolve_model(catalogue, files.config, run)) return bad;
  if (run.name.empty()) run.name = run.model_name.empty() ? "run" : run.model_name;
  if (Status bad = resolve_training(run)) return bad;
  if (Status bad = resolve_operators(run)) return bad;
  if (Status bad = resolve_forward_models(catalogue, run)) return bad;
  if (Status bad = resolve_lengths(run)) return bad;
  return resolve_accelerator(catalogue, run);
}

// Called after each row of a followed log: the run as it stands, on a copy.
void give_partial(const LoadRequest& request, const Catalogue& catalogue, const RunFiles& files,
                  const LoadedRun& so_far, const RunLog& log) {
  if (!request.wants_partial || !request.wants_partial()) return;
  LoadedRun partial = so_far;
  partial.log = log;
  if (!resolve(catalogue, files, partial)) request.on_partial(partial);
}

// One figure at a time, in a convention that exists.
Status check_stated(const LoadRequest& request, const Manifest& manifest) {
  if (const auto convention = manifest.text("measured.convention"); convention && !find_convention(convention->value)) {
    std::vector<std::string> ids;
    for (const Convention& known : conventions()) ids.emplace_back(known.id);
    return error(fmt::format("unknown convention '{}' ({})", convention->value, convention->detail),
                 fmt::format("{}\n  conventions: {}", did_you_mean(convention->value, ids), fmt::join(ids, ", ")));
  }
  constexpr std::string_view kFigures[] = {"measured.step_time", "measured.tokens_per_s",
                                           "measured.tokens_per_s_per_gpu", "measured.tflops_per_gpu", "measured.mfu"};
  std::string given;
  for (const auto& [key, value] : request.settings) {
    if (std::find(std::begin(kFigures), std::end(kFigures), key) == std::end(kFigures) || key == given) continue;
    if (!given.empty())
      return error(fmt::format("both '{}' and '{}' are given", given, key), "state the figure in one way");
    given = key;
  }
  return std::nullopt;
}

// Settings on top of the manifest; "x10" also of what only the catalogue knows.
Status apply_settings(const LoadRequest& request, const Catalogue& catalogue, Manifest& manifest) {
  bool replans = false, sets_dp = false;
  for (const auto& [key, value] : request.settings) {
    const bool factor = value.starts_with('x') && !manifest.has(key);
    const auto known = factor ? default_value(key, manifest, catalogue) : std::nullopt;
    if (Status bad = known ? manifest.set(key, *known) : Status()) return bad;
    if (Status bad = manifest.set(key, value)) return bad;
    sets_dp |= key == "plan.dp";
    replans |= key == "plan.tp" || key == "plan.pp" || key == "plan.cp" || key == "cluster.count";
  }
  if (request.replans && replans && !sets_dp) manifest.drop("plan.dp");
  return std::nullopt;
}

}  // namespace

Result<LoadedRun> load(const LoadRequest& request) {
  NAMEPLATE_TRY(const RunFiles files, find_run_files(request.paths));
  NAMEPLATE_TRY(const Catalogue* catalogue, open_catalogue(request.data_directory));
  LoadedRun run;
  if (files.manifest) { NAMEPLATE_TRY(run.manifest, Manifest::read(*files.manifest)); }
  if (Status bad = apply_settings(request, *catalogue, run.manifest)) return *bad;
  run.name = run_name(request, run.manifest);
  run.from_files = !request.paths.empty();
  if (Status bad = check_stated(request, run.manifest)) return *bad;
  NAMEPLATE_TRY(run.traces, input_paths(run.manifest, "inputs.traces", files.traces));
  NAMEPLATE_TRY(const std::vector<std::string> logs, input_paths(run.manifest, "inputs.logs", files.logs));
  if (!logs.empty()) {
    LogReading reading{run.manifest.log_options(), request.progress, {}};
    if (request.on_partial) {
      reading.on_row = [&](const RunLog& log) { give_partial(request, *catalogue, files, run, log); };
    }
    NAMEPLATE_TRY(run.log, read_runlog(logs, reading));
  }
  load_records(files.records, run);
  if (Status bad = resolve(*catalogue, files, run)) return *bad;
  load_traces(request, run);
  return run;
}

}  // namespace nameplate
