// The scalars in a TensorBoard event file.
//
// The file is a TFRecord: each record is its length (8 bytes, little endian), a masked CRC-32C of those, the bytes, and
// a masked CRC-32C of them (tensorflow/core/lib/io/record_writer.h). Each record is a protocol buffer `Event`
// (tensorflow/core/util/event.proto): wall_time = 1, step = 2, summary = 5, session_log = 7. A summary's value is a
// simple_value or, since TensorFlow 2, a tensor with one number (tensorboard/compat/proto/summary.proto, tensor.proto).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "nameplate/core/maybe.h"

namespace nameplate {

enum class SessionStatus { none, start, stop, checkpoint };

// One record; called once a scalar, or once without a name for a session's status.
struct TensorBoardEvent {
  std::int64_t record = 0;  // 1-based
  double wall_time_s = 0;   // since 1970
  std::int64_t step = 0;
  std::string_view tag;
  double value = 0;
  SessionStatus status = SessionStatus::none;
};

// What of a file could not be read.
struct TensorBoardDamage {
  std::int64_t corrupt = 0;   // records whose checksum or content is wrong: skipped
  bool is_truncated = false;  // the file ends inside a record
  bool is_broken = false;     // a record's length is wrong: what follows is lost
};

// Whether a file that begins so is an event file: the checksum of its first record's length is right.
bool is_event_file(std::string_view head);
TensorBoardDamage read_events(std::string_view bytes, const std::function<void(const TensorBoardEvent&)>& take);

}  // namespace nameplate
