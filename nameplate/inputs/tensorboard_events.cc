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

// A field's number and the wire type that it must have: one of another type is damage or another program's, and
// skipped.
constexpr std::uint32_t field(std::uint32_t number, protozero::pbf_wire_type type) {
  return protozero::tag_and_type(number, type);
}
constexpr auto kVarint = protozero::pbf_wire_type::varint;
constexpr auto kFixed32 = protozero::pbf_wire_type::fixed32;
constexpr auto kFixed64 = protozero::pbf_wire_type::fixed64;
constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

std::string_view view_of(protozero::pbf_reader& message) {
  const auto view = message.get_view();
  return {view.data(), view.size()};
}

template <class Range>
std::optional<double> only_of(const Range& values) {
  return values.size() == 1 ? std::optional<double>(*values.begin()) : std::nullopt;
}

template <class T>
std::optional<double> number_in(std::string_view bytes) {
  T number;
  if (bytes.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

// The one number of a tensor: dtype = 1 (float 1, double 2), tensor_content = 4, float_val = 5, double_val = 6.
std::optional<double> scalar_of_tensor(protozero::pbf_reader tensor) {
  std::int32_t type = 0;
  std::string_view content;
  std::optional<double> value;
  while (tensor.next()) {
    switch (tensor.tag_and_type()) {
      case field(1, kVarint):
        type = tensor.get_int32();
        break;
      case field(4, kBytes):
        content = view_of(tensor);
        break;
      case field(5, kBytes):
        value = only_of(tensor.get_packed_float());
        break;
      case field(5, kFixed32):
        value = tensor.get_float();
        break;
      case field(6, kBytes):
        value = only_of(tensor.get_packed_double());
        break;
      case field(6, kFixed64):
        value = tensor.get_double();
        break;
      default:
        tensor.skip();
    }
  }
  if (content.empty()) return value;
  return type == 1 ? number_in<float>(content) : type == 2 ? number_in<double>(content) : std::nullopt;
}

// A value of a summary: tag = 1, simple_value = 2, tensor = 8.
void read_value(protozero::pbf_reader value, TensorBoardEvent event,
                const std::function<void(const TensorBoardEvent&)>& take) {
  std::optional<double> number;
  while (value.next()) {
    switch (value.tag_and_type()) {
      case field(1, kBytes):
        event.tag = view_of(value);
        break;
      case field(2, kFixed32):
        number = value.get_float();
        break;
      case field(8, kBytes):
        number = scalar_of_tensor(value.get_message());
        break;
      default:
        value.skip();
    }
  }
  if (!number || event.tag.empty()) return;
  event.value = *number;
  take(event);
}

SessionStatus session_status(protozero::pbf_reader session) {
  while (session.next()) {
    if (session.tag_and_type() != field(1, kVarint)) {
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
    switch (message.tag_and_type()) {
      case field(1, kFixed64):
        event.wall_time_s = message.get_double();
        break;
      case field(2, kVarint):
        event.step = message.get_int64();
        break;
      case field(5, kBytes):
        summary = message.get_message();
        break;
      case field(7, kBytes):
        event.status = session_status(message.get_message());
        break;
      default:
        message.skip();
    }
  }
  if (event.status != SessionStatus::none) take(event);
  event.status = SessionStatus::none;
  while (summary && summary->next()) {
    if (summary->tag_and_type() == field(1, kBytes)) {
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
