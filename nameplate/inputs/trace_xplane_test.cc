#include "nameplate/inputs/trace_xplane.h"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include <functional>
#include <string>

namespace nameplate {
namespace {

using Writer = protozero::pbf_writer;
using Fill = std::function<void(Writer&)>;

std::string message(const Fill& fill) {
  std::string bytes;
  Writer writer(bytes);
  fill(writer);
  return bytes;
}

// An entry of a plane's tables: event_metadata is field 4, stat_metadata field 5.
void add_metadata(Writer& plane, int table, std::int64_t id, const Fill& fill) {
  plane.add_message(static_cast<protozero::pbf_tag_type>(table), message([&](Writer& entry) {
                      entry.add_int64(1, id);
                      entry.add_message(2, message(fill));
                    }));
}

Fill named(const std::string& name) {
  return [name](Writer& metadata) { metadata.add_string(2, name); };
}

struct Event {
  std::int64_t metadata;
  std::int64_t offset_ps;
  std::int64_t duration_ps;
  Fill stats = {};
};

void add_line(Writer& plane, const std::string& name, std::int64_t timestamp_ns, const std::vector<Event>& events) {
  plane.add_message(3, message([&](Writer& line) {
                      line.add_int64(1, 77);
                      line.add_string(2, name);
                      line.add_int64(3, timestamp_ns);
                      for (const Event& event : events) {
                        line.add_message(4, message([&](Writer& out) {
                                           out.add_int64(1, event.metadata);
                                           out.add_int64(2, event.offset_ps);
                                           out.add_int64(3, event.duration_ps);
                                           if (event.stats) event.stats(out);
                                         }));
                      }
                    }));
}

void add_stat(Writer& event, std::int64_t metadata, std::int64_t value) {
  event.add_message(4, message([&](Writer& stat) {
                      stat.add_int64(1, metadata);
                      stat.add_int64(4, value);
                    }));
}

std::string space(const std::vector<Fill>& planes) {
  return message([&](Writer& out) {
    for (const Fill& fill : planes) out.add_message(1, message(fill));
  });
}

const KernelClasses& classes() {
  static const KernelClasses built_in = std::move(KernelClasses::built_in()).value();
  return built_in;
}

Result<std::vector<RankTrace>> read(std::string_view bytes) {
  return read_xplane(ByteStream(ByteSource(bytes), "t.xplane.pb"), classes());
}

std::vector<RankTrace> must_read(std::string_view bytes) {
  auto traces = read(bytes);
  EXPECT_TRUE(traces.ok()) << render(traces.error());
  return std::move(traces).value();
}

std::vector<std::string> device_names(const RankTrace& trace) {
  std::vector<std::string> names;
  for (const std::int32_t id : trace.timeline.device.name_id)
    names.push_back(trace.names[static_cast<std::size_t>(id)]);
  return names;
}

// A loop of 1000 ns that encloses a matrix product (200 to 500 ns) and a collective (500 to 900 ns); a copy beside it.
void tpu_plane(Writer& plane) {
  plane.add_string(2, "/device:TPU:3");
  plane.add_message(6, message([](Writer& stat) {
                      stat.add_int64(1, 3);
                      stat.add_string(5, "TPU v4");
                    }));
  add_metadata(plane, 5, 1, named("hlo_category"));
  add_metadata(plane, 5, 2, named("flops"));
  add_metadata(plane, 5, 3, named("device_type_string"));
  add_metadata(plane, 5, 4, named("convolution fusion"));
  add_metadata(plane, 4, 10, named("%while.1 = (s32[]) while(...)"));
  add_metadata(plane, 4, 11, [](Writer& op) {
    op.add_string(2, "%fusion.7 = bf16[8,8] fusion(...)");
    op.add_string(4, "fusion.7");
    op.add_message(5, message([](Writer& stat) {
                     stat.add_int64(1, 1);
                     stat.add_uint64(7, 4);  // refers to a text
                   }));
    op.add_message(5, message([](Writer& stat) {
                     stat.add_int64(1, 2);
                     stat.add_uint64(3, 123456);
                   }));
  });
  add_metadata(plane, 4, 12, named("all-gather-start.2"));
  add_metadata(plane, 4, 13, named("copy-start.5"));
  add_metadata(plane, 4, 14, named("12"));
  // Picoseconds: 200.9 and 500.1 ns round down to 200 and 500.
  add_line(plane, "XLA Ops", 5000, {{10, 0, 1'000'000}, {11, 200'900, 299'200}, {12, 500'100, 400'000}});
  add_line(plane, "Async XLA Ops", 5000, {{13, 100'000, 50'000}});
  add_line(plane, "XLA Modules", 5000, {{10, 0, 1'000'000}});
  add_line(plane, "Steps", 5000, {{14, 0, 1'000'000}});
}

TEST(TraceXPlane, OpsOfATpuAreBookedOnce) {
  const std::vector<RankTrace> traces = must_read(space({tpu_plane}));
  ASSERT_EQ(traces.size(), 1u);
  const RankTimeline& t = traces[0].timeline;
  EXPECT_EQ(t.device_name, "TPU v4");
  EXPECT_EQ(device_names(traces[0]),
            (std::vector<std::string>{"%while.1", "copy-start.5", "fusion.7 (convolution fusion)", "all-gather-start.2",
                                      "%while.1"}));
  EXPECT_EQ(t.device.begin_ns, (std::vector<std::int64_t>{5000, 5100, 5200, 5500, 5900}));
  EXPECT_EQ(t.device.duration_ns, (std::vector<std::int64_t>{200, 50, 300, 400, 100}));
  using enum DeviceEventClass;
  EXPECT_EQ(t.device.event_class, (std::vector{other_kernel, copy, matmul, collective, other_kernel}));
  EXPECT_EQ(t.device.stream, (std::vector<std::int32_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(t.device.flops, (std::vector<double>{0, -1, 123456, -1, 0}));
  ASSERT_EQ(t.collectives.kind.size(), 1u);
  EXPECT_EQ(t.collectives.kind[0], CollectiveKind::all_gather);
  EXPECT_EQ(t.steps, (std::vector<StepSpan>{{12, 5000, 1000}}));
}

void gpu_plane(Writer& plane) {
  plane.add_string(2, "/device:GPU:0");
  add_metadata(plane, 5, 1, named("correlation_id"));
  add_metadata(plane, 5, 2, named("memcpy_details"));
  add_metadata(plane, 4, 10, named("gemm_fusion_dot_3"));
  add_metadata(plane, 4, 11, named("MemcpyH2D"));
  const auto launched = [](Writer& event) { add_stat(event, 1, 41); };
  const auto copied = [](Writer& event) {
    event.add_message(4, message([](Writer& stat) {
                        stat.add_int64(1, 2);
                        stat.add_string(5, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1");
                      }));
  };
  add_line(plane, "Stream #13(Compute)", 0, {{10, 3'000'000, 2'000'000, launched}, {11, 6'000'000, 1'000, copied}});
  add_line(plane, "XLA Ops", 0, {{10, 3'000'000, 2'000'000}});
}

void host_plane(Writer& plane) {
  plane.add_string(2, "/host:CPU");
  add_metadata(plane, 5, 1, named("correlation_id"));
  add_metadata(plane, 5, 2, named("step_num"));
  add_metadata(plane, 4, 10, named("cuLaunchKernel"));
  add_metadata(plane, 4, 11, named("train"));
  add_metadata(plane, 4, 12, named("$train.py:12 loop"));
  add_line(plane, "python", 0,
           {{12, 0, 9'000'000},
            {11, 1'000'000, 7'000'000, [](Writer& event) { add_stat(event, 2, 8); }},
            {10, 1'500'000, 10'000, [](Writer& event) { add_stat(event, 1, 41); }}});
}

void task_plane(Writer& plane) {
  plane.add_string(2, "Task Environment");
  add_metadata(plane, 5, 1, named("profile_start_time"));
  plane.add_message(6, message([](Writer& stat) {
                      stat.add_int64(1, 1);
                      stat.add_uint64(3, 1771595639214724894);
                    }));
}

TEST(TraceXPlane, StreamsOfAGpuAndItsHost) {
  const RankTrace trace = must_read(space({gpu_plane, host_plane, task_plane}))[0];
  const RankTimeline& t = trace.timeline;
  EXPECT_EQ(t.base_time_ns, 1771595639214724894);
  EXPECT_EQ(device_names(trace), (std::vector<std::string>{"gemm_fusion_dot_3", "MemcpyH2D"}));
  EXPECT_EQ(t.device.stream, (std::vector<std::int32_t>{13, 13}));
  using enum DeviceEventClass;
  EXPECT_EQ(t.device.event_class, (std::vector{matmul, copy_to_device}));
  EXPECT_EQ(t.device.bytes[1], 4096);
  ASSERT_GE(t.device.launch[0], 0);
  EXPECT_EQ(t.host.begin_ns[static_cast<std::size_t>(t.device.launch[0])], 1500);
  EXPECT_EQ(t.host.span_class, (std::vector{HostSpanClass::python, HostSpanClass::operation, HostSpanClass::launch}));
  EXPECT_EQ(t.steps, (std::vector<StepSpan>{{8, 1000, 7000}}));
}

TEST(TraceXPlane, LengthsThatLieAreALocatedError) {
  const std::string good = space({gpu_plane, host_plane});
  for (std::size_t cut = 1; cut < good.size(); cut += 7) {
    const auto traces = read(std::string_view(good).substr(0, good.size() - cut));
    if (traces.ok()) continue;  // cut where a plane ends
    EXPECT_EQ(traces.error().place.file, "t.xplane.pb");
  }
  std::string lies = good;
  lies[1] = '\x7f';  // the first plane's length
  ASSERT_FALSE(read(lies).ok());
  EXPECT_FALSE(read("").ok());
}

TEST(TraceXPlane, ACopyMadeAsTextIsRecognised) {
  std::string mangled;
  for (const char c : space({tpu_plane})) mangled += c < 0 ? "\xef\xbf\xbd" : std::string(1, c);
  for (int i = 0; i < 10; ++i) mangled.insert(1, "\xef\xbf\xbd");
  const auto traces = read(mangled);
  ASSERT_FALSE(traces.ok());
  EXPECT_NE(traces.error().hint.find("copied as text"), std::string::npos);
}

TEST(TraceXPlane, TimesThatDoNotFitAreCounted) {
  const auto plane = [](Writer& out) {
    out.add_string(2, "/device:GPU:0");
    add_metadata(out, 4, 10, named("gemm"));
    add_line(out, "Stream #1(Compute)", INT64_MAX, {{10, 5'000'000, 1}});
    add_line(out, "Stream #2(Compute)", 10, {{10, INT64_MAX, INT64_MAX}, {10, 0, -5'000}, {10, 1'000, 2'000}});
  };
  const std::vector<RankTrace> traces = must_read(space({plane}));
  EXPECT_EQ(traces[0].timeline.device.begin_ns, (std::vector<std::int64_t>{11}));
  Defects expected = {{{"trace.invalid_time", {{"file", "t.xplane.pb"}}}, Severity::data_loss, 2},
                      {{"trace.absurd_duration", {{"file", "t.xplane.pb"}}}, Severity::data_loss, 1}};
  EXPECT_EQ(traces[0].defects, expected);
}

}  // namespace
}  // namespace nameplate
