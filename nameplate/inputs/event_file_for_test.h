// For tests and fuzz seeds: writes TensorBoard event files, field by field as event.proto numbers them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "nameplate/core/crc32c.h"

namespace nameplate::event_file {

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// Wire types: 0 varint, 1 fixed64, 2 length-delimited, 5 fixed32.
inline std::string key(int field, int type) { return varint(static_cast<std::uint64_t>(field << 3 | type)); }
inline std::string message(int field, std::string_view content) {
  return key(field, 2) + varint(content.size()) + std::string(content);
}

inline std::string checksum(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return bytes_of<std::uint32_t>((crc >> 15 | crc << 17) + 0xa282ead8u);
}

inline std::string record(std::string_view content) {
  const std::string length = bytes_of<std::uint64_t>(content.size());
  return length + checksum(length) + std::string(content) + checksum(content);
}

inline std::string event(double time, std::int64_t step, std::string_view content) {
  return record(key(1, 1) + bytes_of(time) + key(2, 0) + varint(static_cast<std::uint64_t>(step)) +
                std::string(content));
}

// As TensorFlow 1 and PyTorch write a scalar.
inline std::string scalar(double time, std::int64_t step, std::string_view tag, float value) {
  return event(time, step, message(5, message(1, message(1, tag) + key(2, 5) + bytes_of(value))));
}

// As TensorFlow 2 does: a tensor of one float.
inline std::string tensor_scalar(double time, std::int64_t step, std::string_view tag, float value) {
  const std::string tensor = key(1, 0) + varint(1) + message(4, bytes_of(value));
  return event(time, step, message(5, message(1, message(1, tag) + message(8, tensor))));
}

inline std::string session(double time, int status) {
  return event(time, 0, message(7, key(1, 0) + varint(static_cast<std::uint64_t>(status))));
}

inline std::string version() { return record(key(1, 1) + bytes_of(1.0e9) + message(3, "brain.Event:2")); }

}  // namespace nameplate::event_file
