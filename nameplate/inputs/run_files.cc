#include "nameplate/inputs/run_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <glob.h>

#include <fmt/format.h>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/events.h"
#include "nameplate/inputs/folder_files.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeadBytes = 1 << 20;  // a log may print a megabyte of banners before its first step

enum class FileKind { manifest, config, log, trace, record, unknown };

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

bool looks_like_json(std::string_view head) {
  const std::string_view text = trim(head);
  return !text.empty() && (text[0] == '{' || text[0] == '[');
}

FileKind kind_of_text(std::string_view head) {
  if (detect_runlog_format(head)) return FileKind::log;
  return detect_record_format(head) ? FileKind::record : FileKind::unknown;
}

FileKind kind_of_json(std::string_view head) {
  const std::string_view start = head.substr(0, 65536);
  if (contains(start, "\"log_history\"")) return FileKind::log;
  if (contains(start, "\"pg_config\"")) return FileKind::record;
  for (std::string_view key : {"\"model_type\"", "\"hidden_size\"", "\"n_embd\"", "\"d_model\"", "\"num_layers\"",
                               "\"n_layers\"", "\"vision_cfg\"", "\"_class_name\""}) {
    if (contains(start, key)) return FileKind::config;
  }
  return kind_of_text(head);
}

Result<FileKind> kind_of(const std::string& path) {
  if (path == "-") return FileKind::log;
  std::error_code ignored;
  if (std::filesystem::is_character_file(path, ignored) || std::filesystem::is_block_file(path, ignored)) {
    return Error{"is a device, not a file", {}, {.file = path}, "- reads standard input"};
  }
  // What a pipe holds can be read once only: it is left to the log reader.
  if (std::filesystem::is_fifo(path, ignored)) return FileKind::log;
  if (path.ends_with(".toml")) return FileKind::manifest;
  NAMEPLATE_TRY(const std::string head, read_head(path, kHeadBytes));
  if (trace_kind(head) != TraceKind::unknown) return FileKind::trace;
  if (looks_like_json(head)) return kind_of_json(head);
  return kind_of_text(head);
}

Status add(RunFiles& files, const std::string& path, FileKind kind) {
  switch (kind) {
    case FileKind::manifest:
      if (files.manifest)
        return error(fmt::format("two manifests: {} and {}", *files.manifest, path), "name one run at a time");
      files.manifest = path;
      break;
    case FileKind::config:
      if (files.config)
        return error(fmt::format("two model configurations: {} and {}", *files.config, path),
                     "name the right one with --config");
      files.config = path;
      break;
    case FileKind::log:
      files.logs.push_back(path);
      break;
    case FileKind::trace:
      files.traces.push_back(path);
      break;
    case FileKind::record:
      files.records.push_back(path);
      break;
    case FileKind::unknown:
      files.unknown.push_back(path);
      break;
  }
  return std::nullopt;
}

Status add_folder(RunFiles& files, const std::string& folder) {
  NAMEPLATE_TRY(const std::vector<std::string> paths, files_below(folder));
  for (const std::string& path : paths) {
    const Result<FileKind> kind = kind_of(path);
    // Profilers make folders of their own; other files further below may be of other runs.
    const bool inside = std::filesystem::path(path).parent_path() == std::filesystem::path(folder + "/").parent_path();
    if (!inside && (!kind.ok() || *kind != FileKind::trace)) continue;
    if (Status bad = add(files, path, kind.ok() ? *kind : FileKind::unknown)) return bad;
  }
  return std::nullopt;
}

}  // namespace

Result<RunFiles> find_run_files(const std::vector<std::string>& paths) {
  RunFiles files;
  for (const std::string& path : paths) {
    if (path != "-" && is_directory(path)) {
      if (Status bad = add_folder(files, path)) return *bad;
      continue;
    }
    NAMEPLATE_TRY(const FileKind kind, kind_of(path));
    // A file that somebody names is meant: what is not recognised is left to the log reader, whose error lists the
    // formats.
    if (Status bad = add(files, path, kind == FileKind::unknown ? FileKind::log : kind)) return *bad;
  }
  return files;
}

Result<std::vector<std::string>> expand_pattern(const std::string& pattern, const std::string& folder) {
  const bool relative = pattern != "-" && !pattern.starts_with("/") && !folder.empty();
  const std::string full = relative ? folder + "/" + pattern : pattern;
  if (full.find_first_of("*?[") == std::string::npos) return std::vector<std::string>{full};
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(full.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (paths.empty()) return error(fmt::format("no file matches '{}'", full));
  return paths;
}

}  // namespace nameplate
