#include "nameplate/inputs/trace_kineto_header.h"

#include <simdjson.h>

namespace nameplate {
namespace {

namespace json = simdjson::ondemand;

constexpr std::uint64_t kMostDevices = 1024;

std::optional<std::int64_t> integer(json::value& value) {
  std::int64_t number = 0;
  return value.get_int64().get(number) ? std::nullopt : std::optional(number);
}

std::string text(json::value& value) {
  std::string_view view;
  return value.get_string().get(view) ? std::string() : std::string(view);
}

// Calls use(key, value) for each member; stops where the text does not hold together.
template <class Use>
void each_member(json::value& value, Use use) {
  json::object object;
  if (value.get_object().get(object)) return;
  for (auto member : object) {
    json::field field;
    std::string_view key;
    if (std::move(member).get(field) || field.unescaped_key().get(key)) return;
    use(key, field.value());
  }
}

template <class Use>
void each_element(json::value& value, Use use) {
  json::array array;
  if (value.get_array().get(array)) return;
  for (auto element : array) {
    json::value item;
    if (std::move(element).get(item)) return;
    use(item);
  }
}

void read_device(json::value& device, TraceHeader& header) {
  std::optional<std::int64_t> id;
  std::string name;
  each_member(device, [&](std::string_view key, json::value& value) {
    if (key == "id") id = integer(value);
    if (key == "name") name = text(value);
  });
  if (!id || *id < 0 || static_cast<std::uint64_t>(*id) >= kMostDevices) return;
  const auto place = static_cast<std::size_t>(*id);
  header.device_names.resize(std::max(header.device_names.size(), place + 1));
  header.device_names[place] = std::move(name);
}

void read_group(json::value& entry, TraceHeader& header) {
  Group group;
  each_member(entry, [&](std::string_view key, json::value& value) {
    if (key == "pg_name") group.id = text(value);
    if (key == "pg_desc") group.description = text(value);
    if (key == "pg_size") group.size = integer(value).value_or(0);
    if (key != "ranks") return;
    each_element(value, [&](json::value& rank) {
      if (const auto number = integer(rank)) group.ranks.push_back(*number);
    });
  });
  if (group.id.empty()) return;
  if (!group.ranks.empty()) group.size = static_cast<std::int64_t>(group.ranks.size());
  header.groups.push_back(std::move(group));
}

void read_distributed(json::value& info, TraceHeader& header) {
  each_member(info, [&](std::string_view key, json::value& value) {
    if (key == "rank") header.rank = integer(value);
    if (key == "world_size") header.ranks_total = integer(value);
    if (key == "pg_config") each_element(value, [&](json::value& entry) { read_group(entry, header); });
  });
  if (header.rank && *header.rank < 0) header.rank.reset();
}

}  // namespace

void read_kineto_header(std::string_view text, TraceHeader& header) {
  const simdjson::padded_string padded(text);
  json::parser parser;
  json::document document;
  json::value root;
  if (parser.iterate(padded).get(document) || document.get_value().get(root)) return;
  each_member(root, [&](std::string_view key, json::value& value) {
    if (key == "deviceProperties") each_element(value, [&](json::value& device) { read_device(device, header); });
    if (key == "distributedInfo") read_distributed(value, header);
    if (key == "nameplate") header.own_timeline = true;
    if (key == "baseTimeNanoseconds") header.base_time_ns = integer(value).value_or(0);
  });
}

}  // namespace nameplate
