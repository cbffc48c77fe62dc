// The wire format of XPlane profiles: which planes, lines and events are in the bytes?
//
// Fields as tsl/profiler/protobuf/xplane.proto (github.com/openxla/xla) numbers them. Nothing is copied: views point
// into the bytes, which must outlive them, and events are decoded as they are asked for. A field of another wire type
// than its own is skipped. Every function here throws protozero::exception where the bytes do not hold together, such
// as a length that runs past what holds it; who calls them catches it within this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nameplate {

struct XStat {
  std::int64_t metadata_id = 0;
  std::optional<std::int64_t> integer;
  std::optional<double> real;
  std::string_view text;
};

struct XEventMetadata {
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;
};

struct XPlane {
  std::string_view name;
  std::vector<std::string_view> lines;
  std::unordered_map<std::int64_t, XEventMetadata> events;
  std::unordered_map<std::int64_t, std::string_view> stat_names;  // also the texts that stats refer to
  std::vector<std::string_view> stats;
};

struct XLine {
  std::int64_t id = 0;
  std::string_view name;
  std::int64_t timestamp_ns = 0;  // events count from here
  std::vector<std::string_view> events;
};

struct XEvent {
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool is_total = false;  // counts occurrences and has no place in time
  std::vector<std::string_view> stats;
};

struct XSpace {
  std::vector<std::string_view> planes;
  std::vector<std::string_view> errors;  // of the profiler, in its words
};

XSpace decode_space(std::string_view bytes);
XPlane decode_plane(std::string_view bytes);
XLine decode_line(std::string_view bytes);
void decode_event(std::string_view bytes, XEvent& event);
// References are resolved against the plane.
XStat decode_stat(std::string_view bytes, const XPlane& plane);

}  // namespace nameplate
