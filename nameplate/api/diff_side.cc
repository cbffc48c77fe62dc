// What one side of a diff is, by its content.
#include "nameplate/api/diff.h"

#include "nameplate/api/load.h"
#include "nameplate/api/predict.h"
#include "nameplate/api/report.h"
#include "nameplate/api/trace.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/run_files.h"
#include "nameplate/report/read_document.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::string_view kPredict = "predict:";

bool is_saved(const std::string& path) {
  if (path == "-" || is_directory(path) || !file_exists(path)) return false;
  const Result<std::string> head = read_head(path, kHeadBytes);
  return head.ok() && looks_like_document(*head);
}

Result<Document> read_saved(const std::string& path) {
  NAMEPLATE_TRY(const std::string text, read_file(path));
  NAMEPLATE_TRY(const ParsedJson json, parse_json(text, path));
  return read_document(json.root, path);
}

Result<Document> predicted(const SideRequest& request, const std::string& path) {
  return predict(
      {.paths = {path}, .settings = request.settings, .claims = {}, .data_directory = request.data_directory});
}

// What was tried last is a log; a side may be other things, too.
Error nothing_known(Error of_log) {
  if (of_log.expected.empty()) return of_log;
  of_log.found += ", and it is no trace and no saved document";
  of_log.expected = "traces, what --format json saved, a manifest, or " + of_log.expected;
  return of_log;
}

Result<Document> document_at(const SideRequest& request) {
  if (request.path.starts_with(kPredict)) return predicted(request, request.path.substr(kPredict.size()));
  if (is_saved(request.path)) return read_saved(request.path);
  NAMEPLATE_TRY(const std::vector<std::string> paths, expand_pattern(request.path, {}));
  NAMEPLATE_TRY(const RunFiles files, find_run_files(paths));
  const bool only_traces = !files.traces.empty() && files.logs.empty() && !files.manifest;
  if (only_traces) {
    return explain_traces({.paths = files.traces,
                           .settings = request.settings,
                           .data_directory = request.data_directory,
                           .kernel_rules = request.kernel_rules,
                           .threads = request.threads});
  }
  const Result<LoadedRun> run = load({.paths = paths,
                                      .settings = request.settings,
                                      .data_directory = request.data_directory,
                                      .progress = {},
                                      .wants_partial = {},
                                      .on_partial = {}});
  if (!run.ok()) return nothing_known(run.error());
  const bool nothing_measured = !run->log && !run->trace && run->records.empty() && !run->manifest.has("measured");
  if (files.manifest && nothing_measured) return predicted(request, request.path);
  return report(*run);
}

}  // namespace

Result<DiffSide> open_side(const SideRequest& request) {
  NAMEPLATE_TRY(Document document, document_at(request));
  return DiffSide{request.path, std::move(document)};
}

}  // namespace nameplate
