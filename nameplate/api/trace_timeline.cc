#include "nameplate/api/trace_timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "nameplate/analysis/attribution/booked.h"
#include "nameplate/analysis/attribution/host_device.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/facts/fabric.h"
#include "nameplate/inputs/trace.h"
#include "nameplate/report/json_writer.h"

namespace nameplate {
namespace {

constexpr std::string_view kHead = "{\"schemaVersion\":1,\"nameplate\":\"timeline\"";
enum Track : int { kBooked = 1, kCollectives = 2, kSteps = 3 };

// A time of a rank on the common clock.
std::int64_t common_ns(const RankTimeline& rank, std::int64_t own_ns) {
  if (!rank.clock) return rank.base_time_ns + own_ns;
  const double drifted = rank.clock->drift * static_cast<double>(own_ns - rank.clock->origin_ns);
  return rank.base_time_ns + own_ns + rank.clock->offset_ns + std::llround(drifted);
}

Stretch on_common_clock(const RankTimeline& rank, Stretch when) {
  return {common_ns(rank, when.begin_ns), common_ns(rank, when.end_ns)};
}

std::string json_text(std::string_view text) {
  JsonWriter json;
  json.string(text);
  return json.take();
}

class TimelineFile {
 public:
  TimelineFile(std::ofstream& file, std::int64_t zero_ns) : file_(file), zero_ns_(zero_ns) {}

  void begin(std::int64_t ranks, std::int64_t rank, std::string_view device) {
    file_ << kHead << fmt::format(",\"deviceProperties\":[{{\"id\":0,\"name\":{}}}]", json_text(device));
    file_ << fmt::format(",\"distributedInfo\":{{\"rank\":{},\"world_size\":{}}},\"traceEvents\":[", rank, ranks);
  }
  void end() { file_ << "\n]}\n"; }

  void name(std::string_view what, std::int64_t rank, int track, const std::string& text) {
    comma();
    file_ << fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", what, rank,
                         track, json_text(text));
  }

  // `args`: members of an object, without its braces.
  void slice(std::string_view category, std::string_view name, std::int64_t rank, Track track, Stretch when,
             const std::string& args) {
    comma();
    file_ << fmt::format(
        "{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}",
        category, json_text(name), rank, static_cast<int>(track), us(when.begin_ns - zero_ns_), us(when.length()),
        args);
  }

 private:
  void comma() { file_ << (std::exchange(any_, true) ? ",\n" : "\n"); }
  static std::string us(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  std::ofstream& file_;
  std::int64_t zero_ns_;
  bool any_ = false;
};

// Why the device is idle: what the host did, else the event that it waited to begin.
std::string evidence(const Timeline& alone, const std::vector<BookedSlice>& slices, std::size_t i) {
  const auto text = [&](std::int32_t name_id) { return alone.names[static_cast<std::size_t>(name_id)]; };
  if (slices[i].name_id >= 0) return text(slices[i].name_id);
  const auto next = std::find_if(slices.begin() + static_cast<std::ptrdiff_t>(i), slices.end(),
                                 [](const BookedSlice& slice) { return slice.event >= 0; });
  return next == slices.end() ? "nothing follows" : "before " + text(next->name_id);
}

void write_booked(const Timeline& alone, const RankBooking& booking, const RankTimeline& clock, TimelineFile& out) {
  const RankAttribution& of_rank = booking.of_rank;
  const std::vector<BookedSlice> slices = booked_slices(alone, alone.ranks.front(), booking);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const BookedSlice& slice = slices[i];
    const std::string args =
        fmt::format(R"("row":"{}","device":{},"stream":{},"evidence":{}{})", name(slice.row), of_rank.rank,
                    static_cast<int>(kBooked), json_text(evidence(alone, slices, i)),
                    slice.when.begin_ns < of_rank.steps.steady.begin_ns ? R"(,"warm_up":true)" : "");
    out.slice(slice.event >= 0 ? "kernel" : "user_annotation", name(slice.row), of_rank.rank, kBooked,
              on_common_clock(clock, slice.when), args);
  }
}

void write_collectives(const Timeline& alone, const RankTimeline& clock, TimelineFile& out) {
  const RankTimeline& rank = alone.ranks.front();
  const Collectives& all = rank.collectives;
  for (std::size_t i = 0; i < all.event.size(); ++i) {
    const auto e = static_cast<std::size_t>(all.event[i]);
    const Stretch when{rank.device.begin_ns[e], rank.device.begin_ns[e] + rank.device.duration_ns[e]};
    std::string args =
        fmt::format("\"kernel\":{}", json_text(alone.names[static_cast<std::size_t>(rank.device.name_id[e])]));
    if (all.group[i] >= 0) {
      const Group& group = alone.groups[static_cast<std::size_t>(all.group[i])];
      args += fmt::format(",\"group\":{}", json_text(group.description.empty() ? group.id : group.description));
    }
    if (all.bytes[i] >= 0) args += fmt::format(",\"bytes\":{}", all.bytes[i]);
    out.slice("gpu_user_annotation", name(all.kind[i]), clock.rank, kCollectives, on_common_clock(clock, when), args);
  }
}

// What slices are booked by, for all ranks.
struct Booking {
  const TraceSet& set;
  std::vector<std::vector<Waiting>> waiting;
  const OperatorFormula& operator_flops;
};

void write_rank(RankTrace trace, const Booking& booking, std::size_t i, TimelineFile& out) {
  const TraceSet& set = booking.set;
  const RankAttribution& of_rank = set.attributions[i];
  Timeline alone{std::move(trace.names), std::move(trace.operands), std::move(trace.groups), {}, 0, {}};
  alone.ranks_total = set.timeline.ranks_total;
  alone.ranks.push_back(std::move(trace.timeline));
  RankTimeline& rank = alone.ranks.front();
  if (of_rank.host_is_device) rank.device = host_as_device(alone, rank, enclosing_spans(rank.host));
  const RankTimeline& clock = set.timeline.ranks[i];
  out.name("process_name", of_rank.rank, 0, fmt::format("rank {}", of_rank.rank));
  out.name("thread_name", of_rank.rank, kBooked, "booked");
  out.name("thread_name", of_rank.rank, kCollectives, "collectives");
  out.name("thread_name", of_rank.rank, kSteps, "steps");
  for (const StepSpan& step : of_rank.steps.steps) {
    out.slice("user_annotation", fmt::format("ProfilerStep#{}", step.index), of_rank.rank, kSteps,
              on_common_clock(clock, {step.begin_ns, step.begin_ns + step.duration_ns}),
              fmt::format("\"device\":{}", of_rank.rank));
  }
  const std::vector<GroupUse> roles = group_roles(alone);
  write_booked(alone, {roles, of_rank, set.summaries[i].collectives, booking.waiting[i], booking.operator_flops}, clock,
               out);
  write_collectives(alone, clock, out);
}

Status write_all(const TraceRequest& request, const Booking& booking, std::ofstream& file) {
  const TraceSet& set = booking.set;
  NAMEPLATE_TRY(const KernelClasses classes, kernel_classes({request.threads, request.kernel_rules}));
  std::int64_t zero_ns = INT64_MAX;
  for (std::size_t i = 0; i < set.attributions.size(); ++i) {
    zero_ns = std::min(zero_ns, common_ns(set.timeline.ranks[i], set.attributions[i].steps.whole.begin_ns));
  }
  TimelineFile out(file, zero_ns);
  const RankTimeline& first = set.timeline.ranks.front();
  out.begin(set.timeline.ranks_total, first.rank, first.device_name);
  std::vector<bool> done(set.attributions.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i]) continue;
    NAMEPLATE_TRY(std::vector<RankTrace> traces,
                  read_trace_file(set.timeline.ranks[i].file, classes, thread_count(request.threads)));
    // A file's timelines are ranks in the order in which they stand in it.
    std::size_t next = i;
    for (RankTrace& trace : traces) {
      while (next < done.size() && set.timeline.ranks[next].file != set.timeline.ranks[i].file) ++next;
      if (next == done.size()) break;
      done[next] = true;
      write_rank(std::move(trace), booking, next++, out);
    }
  }
  out.end();
  return std::nullopt;
}

bool is_timeline(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(kHead.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file.gcount() == 0 || start == kHead;
}

}  // namespace

Status write_timeline(const TraceRequest& request, const TraceSet& set, const AcrossRanks& across,
                      const OperatorFormula& operator_flops) {
  const std::string& path = request.timeline;
  std::error_code failure;
  if (std::filesystem::exists(path, failure) &&
      (!std::filesystem::is_regular_file(path, failure) || !is_timeline(path))) {
    return Error{"is there and is no timeline of ours", {}, {.file = path}, "name another file for --timeline"};
  }
  for (const RankTimeline& rank : set.timeline.ranks) {
    if (rank.file == "-") return error("a timeline of standard input", "give the trace as a file: it is read twice");
  }
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  const Meetings meetings(set.summaries, across.matches, across.clocks);
  Status bad = write_all(request, {set, waiting_by_rank(meetings), operator_flops}, file);
  file.close();
  if (!bad && file && std::rename(unfinished.c_str(), path.c_str()) == 0) return std::nullopt;
  std::remove(unfinished.c_str());
  if (bad) return bad;
  return Error{"cannot write the timeline", {}, {.file = path}, "is the folder there, and may you write in it?"};
}

}  // namespace nameplate
