#include "nameplate/inputs/xplane_wire.h"

#include <protozero/pbf_reader.hpp>

namespace nameplate {
namespace {

using Reader = protozero::pbf_reader;

constexpr std::uint32_t varint(std::uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t fixed64(std::uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::fixed64);
}
constexpr std::uint32_t bytes(std::uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::length_delimited);
}

std::string_view view_of(Reader& message) {
  const auto view = message.get_view();
  return {view.data(), view.size()};
}

Reader reader_of(std::string_view message) { return Reader(message.data(), message.size()); }

// An entry of a map: its key, and its value as it stands.
struct Entry {
  std::int64_t key = 0;
  std::string_view value;
};
Entry decode_entry(std::string_view message) {
  Entry entry;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case varint(1):
        entry.key = reader.get_int64();
        break;
      case bytes(2):
        entry.value = view_of(reader);
        break;
      default:
        reader.skip();
    }
  }
  return entry;
}

XEventMetadata decode_event_metadata(std::string_view message) {
  XEventMetadata metadata;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case bytes(2):
        metadata.name = view_of(reader);
        break;
      case bytes(4):
        metadata.display_name = view_of(reader);
        break;
      case bytes(5):
        metadata.stats.push_back(view_of(reader));
        break;
      default:
        reader.skip();
    }
  }
  return metadata;
}

std::string_view decode_stat_name(std::string_view message) {
  std::string_view name;
  for (Reader reader = reader_of(message); reader.next();) {
    if (reader.tag_and_type() == bytes(2)) {
      name = view_of(reader);
    } else {
      reader.skip();
    }
  }
  return name;
}

}  // namespace

XSpace decode_space(std::string_view message) {
  XSpace space;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case bytes(1):
        space.planes.push_back(view_of(reader));
        break;
      case bytes(2):
        space.errors.push_back(view_of(reader));
        break;
      default:
        reader.skip();
    }
  }
  return space;
}

XPlane decode_plane(std::string_view message) {
  XPlane plane;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case bytes(2):
        plane.name = view_of(reader);
        break;
      case bytes(3):
        plane.lines.push_back(view_of(reader));
        break;
      case bytes(4): {
        const Entry entry = decode_entry(view_of(reader));
        plane.events[entry.key] = decode_event_metadata(entry.value);
        break;
      }
      case bytes(5): {
        const Entry entry = decode_entry(view_of(reader));
        plane.stat_names[entry.key] = decode_stat_name(entry.value);
        break;
      }
      case bytes(6):
        plane.stats.push_back(view_of(reader));
        break;
      default:
        reader.skip();
    }
  }
  return plane;
}

XLine decode_line(std::string_view message) {
  XLine line;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case varint(1):
        line.id = reader.get_int64();
        break;
      case bytes(2):
        line.name = view_of(reader);
        break;
      case varint(3):
        line.timestamp_ns = reader.get_int64();
        break;
      case bytes(4):
        line.events.push_back(view_of(reader));
        break;
      default:
        reader.skip();
    }
  }
  return line;
}

void decode_event(std::string_view message, XEvent& event) {
  event.metadata_id = event.offset_ps = event.duration_ps = 0;
  event.is_total = false;
  event.stats.clear();
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case varint(1):
        event.metadata_id = reader.get_int64();
        break;
      case varint(2):
        event.offset_ps = reader.get_int64();
        break;
      case varint(3):
        event.duration_ps = reader.get_int64();
        break;
      case bytes(4):
        event.stats.push_back(view_of(reader));
        break;
      case varint(5):
        event.is_total = true;
        reader.skip();
        break;
      default:
        reader.skip();
    }
  }
}

XStat decode_stat(std::string_view message, const XPlane& plane) {
  XStat stat;
  for (Reader reader = reader_of(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case varint(1):
        stat.metadata_id = reader.get_int64();
        break;
      case fixed64(2):
        stat.real = reader.get_double();
        break;
      case varint(3):  // unsigned: what is beyond 63 bits wraps, as correlation ids may
      case varint(4):
        stat.integer = reader.get_int64();
        break;
      case bytes(5):
      case bytes(6):
        stat.text = view_of(reader);
        break;
      case varint(7): {
        const auto text = plane.stat_names.find(reader.get_int64());
        if (text != plane.stat_names.end()) stat.text = text->second;
        break;
      }
      default:
        reader.skip();
    }
  }
  return stat;
}

}  // namespace nameplate
