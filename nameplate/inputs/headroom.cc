#include "nameplate/inputs/headroom.h"

#include "nameplate/core/units.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

Result<SharedResource> read_resource(const Node& node, const std::string& file) {
  TableReader reader(node, file, "headroom.resource");
  SharedResource r;
  r.name = reader.required_text("name");
  r.servers = reader.required_count("servers");
  if (r.servers > 100'000) reader.fail("servers", "too many servers", "at most 100,000");
  r.burstiness = reader.positive("burstiness").value_or(r.burstiness);
  r.mean_wait = reader.positive("mean_wait").value_or(r.mean_wait);
  r.p99_wait = reader.positive("p99_wait");
  r.load = reader.ratio("load");
  r.requests = reader.count("requests").value_or(r.requests);
  if (Status bad = reader.finish()) return *bad;
  return r;
}

Result<BurstBuffer> read_buffer(const Node& node, const std::string& file) {
  TableReader reader(node, file, "headroom.buffer");
  BurstBuffer b;
  b.name = reader.required_text("name");
  for (const char* key : {"peak", "drain", "burst", "gap"}) {
    if (!reader.has(key)) reader.fail(key, std::string("'") + key + "' is missing", "peak, drain, burst and gap");
  }
  b.peak = reader.quantity("peak", parse_bandwidth).value_or(BytesPerSecond{});
  b.drain = reader.quantity("drain", parse_bandwidth).value_or(BytesPerSecond{});
  b.burst = reader.quantity("burst", parse_duration).value_or(Seconds{});
  b.gap = reader.quantity("gap", parse_duration).value_or(Seconds{});
  b.overflow = reader.ratio("overflow").value_or(b.overflow);
  b.size = reader.quantity("size", parse_bytes);
  b.mfu_per_gib = reader.ratio("mfu_per_gib").value_or(0);
  const bool positive = b.burst > Seconds{} && b.gap > Seconds{} && b.overflow > 0;
  const BytesPerSecond inflow = positive ? b.peak * (b.burst / (b.burst + b.gap)) : b.peak;
  if (!positive) reader.fail("burst", "burst, gap or overflow of zero", "positive values");
  if (b.drain >= b.peak || b.drain <= inflow)
    reader.fail("drain", "a drain that no buffer helps", "between the mean and the peak of what flows in");
  if (Status bad = reader.finish()) return *bad;
  return b;
}

Result<PooledPart> read_part(const Node& node, const std::string& file) {
  TableReader reader(node, file, "headroom.part");
  PooledPart part;
  part.name = reader.required_text("name");
  part.servers = reader.required_count("servers");
  if (!reader.has("service")) reader.fail("service", "'service' is missing", "of one request: \"50 ms\"");
  part.service = reader.quantity("service", parse_duration).value_or(Seconds{});
  part.between_outages = reader.quantity("between_outages", parse_duration).value_or(Seconds{});
  part.outage = reader.quantity("outage", parse_duration).value_or(Seconds{});
  part.lost_share = reader.ratio("lost_share").value_or(part.lost_share);
  if (part.service <= Seconds{}) reader.fail("service", "a service of zero", "a positive time");
  if (Status bad = reader.finish()) return *bad;
  return part;
}

Result<RedundantGroup> read_group(const Node& node, const std::string& file) {
  TableReader reader(node, file, "headroom.group");
  RedundantGroup group;
  group.name = reader.required_text("name");
  group.needed = reader.required_count("needed");
  group.units = reader.required_count("units");
  if (group.units < group.needed) reader.fail("units", "fewer units than are needed", "at least as many");
  if (!reader.has("availability")) reader.fail("availability", "'availability' is missing", "of one unit, 0 to 1");
  group.availability = reader.ratio("availability").value_or(0);
  group.groups = reader.count("groups").value_or(1);
  if (Status bad = reader.finish()) return *bad;
  return group;
}

}  // namespace

Result<Headroom> read_headroom(const Node& node, const std::string& file) {
  TableReader section(node, file, "headroom");
  Headroom headroom;
  if (Status bad = read_each(section, "resource", file, read_resource, headroom.resources)) return *bad;
  if (Status bad = read_each(section, "buffer", file, read_buffer, headroom.buffers)) return *bad;
  if (Status bad = read_each(section, "part", file, read_part, headroom.parts)) return *bad;
  if (Status bad = read_each(section, "group", file, read_group, headroom.groups)) return *bad;
  headroom.load = section.ratio("load").value_or(headroom.load);
  for (const PooledPart& part : headroom.parts) {
    if (part.servers != headroom.parts.front().servers)
      section.fail("part", "parts of different numbers", "as many servers of each kind: bound nodes have one of each");
  }
  if (Status bad = section.finish()) return *bad;
  return headroom;
}

}  // namespace nameplate
