#include "nameplate/inputs/tensorboard_events.h"

#include <cstring>
#include <optional>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "nameplate/core/crc32c.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeader = 12;  // length and its checksum
constexpr std::size_t kFooter = 4;

template <class T>
T little_endian(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[i]));
  return value;
}

// tensorflow/core/lib/hash/crc32c.h: rotated and offset, since a CRC of bytes that hold CRCs is weak.
bool is_checksum(std::string_view bytes, std::string_view stored) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15 | crc << 17) + 0xa282ead8u) == little_endian<std::uint32_t>(stored);
}

// The one number of a tensor: dtype = 1 (float 1, double 2), tensor_content = 4, float_val = 5, double_val = 6.
std::optional<double> scalar_of_tensor(protozero::pbf_reader tensor) {
  std::int32_t type = 0;
  std::string_view content;
  std::optional<double> value;
  while (tensor.next()) {
    const bool is_packed = tensor.wire_type() == protozero::pbf_wire_type::length_delimited;
    if (tensor.tag() == 1 && !is_packed) {
      type = tensor.get_int32();
    } else if (tensor.tag() == 4 && is_packed) {
      const auto view = tensor.get_view();
      content = {view.data(), view.size()};
    } else if (tensor.tag() == 5 && is_packed) {
      const auto values = tensor.get_packed_float();
      if (values.size() == 1) value = *values.begin();
    } else if (tensor.tag() == 6 && is_packed) {
      const auto values = tensor.get_packed_double();
      if (values.size() == 1) value = *values.begin();
    } else if (tensor.tag() == 5 && tensor.wire_type() == protozero::pbf_wire_type::fixed32) {
      value = tensor.get_float();
    } else if (tensor.tag() == 6 && tensor.wire_type() == protozero::pbf_wire_type::fixed64) {
      value = tensor.get_double();
    } else {
      tensor.skip();
    }
  }
  if (type == 1 && content.size() == sizeof(float)) {
    float number;
    std::memcpy(&number, content.data(), sizeof number);
    return number;
  }
  if (type == 2 && content.size() == sizeof(double)) {
    double number;
    std::memcpy(&number, content.data(), sizeof number);
    return number;
  }
  return value;
}

// A value of a summary: tag = 1, simple_value = 2, tensor = 8.
void read_value(protozero::pbf_reader value, TensorBoardEvent event,
                const std::function<void(const TensorBoardEvent&)>& take) {
  std::optional<double> number;
  while (value.next()) {
    const auto type = value.wire_type();
    if (value.tag() == 1 && type == protozero::pbf_wire_type::length_delimited) {
      const auto view = value.get_view();
      event.tag = {view.data(), view.size()};
    } else if (value.tag() == 2 && type == protozero::pbf_wire_type::fixed32) {
      number = value.get_float();
    } else if (value.tag() == 8 && type == protozero::pbf_wire_type::length_delimited) {
      number = scalar_of_tensor(value.get_message());
    } else {
      value.skip();
    }
  }
  if (!number || event.tag.empty()) return;
  event.value = *number;
  take(event);
}

SessionStatus session_status(protozero::pbf_reader session) {
  while (session.next()) {
    if (session.tag() != 1 || session.wire_type() != protozero::pbf_wire_type::varint) {
      session.skip();
      continue;
    }
    const std::int32_t status = session.get_enum();
    if (status >= 1 && status <= 3) return static_cast<SessionStatus>(status);
  }
  return SessionStatus::none;
}

void read_event(std::string_view bytes, std::int64_t record, const std::function<void(const TensorBoardEvent&)>& take) {
  TensorBoardEvent event{.record = record};
  std::optional<protozero::pbf_reader> summary;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    const auto type = message.wire_type();
    if (message.tag() == 1 && type == protozero::pbf_wire_type::fixed64) {
      event.wall_time_s = message.get_double();
    } else if (message.tag() == 2 && type == protozero::pbf_wire_type::varint) {
      event.step = message.get_int64();
    } else if (message.tag() == 5 && type == protozero::pbf_wire_type::length_delimited) {
      summary = message.get_message();
    } else if (message.tag() == 7 && type == protozero::pbf_wire_type::length_delimited) {
      event.status = session_status(message.get_message());
    } else {
      message.skip();
    }
  }
  if (event.status != SessionStatus::none) take(event);
  event.status = SessionStatus::none;
  while (summary && summary->next()) {
    if (summary->tag() == 1 && summary->wire_type() == protozero::pbf_wire_type::length_delimited) {
      read_value(summary->get_message(), event, take);
    } else {
      summary->skip();
    }
  }
}

}  // namespace

bool is_event_file(std::string_view head) {
  return head.size() >= kHeader && is_checksum(head.substr(0, 8), head.substr(8, 4));
}

TensorBoardDamage read_events(std::string_view bytes, const std::function<void(const TensorBoardEvent&)>& take) {
  TensorBoardDamage damage;
  for (std::int64_t record = 1; !bytes.empty(); ++record) {
    if (bytes.size() >= kHeader && !is_checksum(bytes.substr(0, 8), bytes.substr(8, 4))) {
      damage.is_broken = true;
      return damage;
    }
    const std::uint64_t length = bytes.size() >= kHeader ? little_endian<std::uint64_t>(bytes) : 0;
    if (bytes.size() < kHeader + kFooter || length > bytes.size() - kHeader - kFooter) {
      damage.is_truncated = true;
      return damage;
    }
    const std::string_view content = bytes.substr(kHeader, length);
    const bool is_whole = is_checksum(content, bytes.substr(kHeader + length, kFooter));
    bytes.remove_prefix(kHeader + length + kFooter);
    try {
      if (is_whole) read_event(content, record, take);
      if (!is_whole) ++damage.corrupt;
    } catch (const protozero::exception&) { ++damage.corrupt; }
  }
  return damage;
}

}  // namespace nameplate
