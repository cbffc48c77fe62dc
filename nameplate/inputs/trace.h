// Reads profiler traces of one or many ranks: files, folders and globs, told apart by content.
//
// Files are read at once, one a thread, or one with all threads; the result does not depend on their number. A rank's
// number is the one that its file states, else the one in its name ("rank12", "rank-34"), else its place among the
// files and the devices in each; RankTimeline::rank_source says which.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/timeline.h"
#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

enum class TraceKind { kineto, nsight_sqlite, nsight_report, xplane, chakra, unknown };
// What a file is, by its first megabyte (decompressed).
TraceKind trace_kind(std::string_view head);

struct TraceReading {
  int threads = 0;                        // 0: the machine's
  std::vector<std::string> kernel_rules;  // a user's own files of rules, tried before the built-in ones
};

// An Error when nothing can be read. With several files, one that cannot be read is a defect.
Result<Timeline> read_traces(const std::vector<std::string>& paths, const TraceReading& reading = {});
// One file on its own ("-": standard input), for sets that do not fit in memory together: a timeline for each device
// in it. The rank is as the file says or, of a file of one timeline, from its name; without either, 0 by order.
Result<std::vector<RankTrace>> read_trace_file(const std::string& path, const KernelClasses& classes, unsigned threads);
Result<KernelClasses> kernel_classes(const TraceReading& reading);
// The trace files that `paths` name, in order; folders give their traces by path (folder_files.h), globs are resolved.
// A file that is there twice, by path or as a copy, is taken once and is a defect.
struct TraceFiles {
  std::vector<std::string> paths;
  Defects defects;
};
Result<TraceFiles> trace_files(const std::vector<std::string>& paths);

}  // namespace nameplate
