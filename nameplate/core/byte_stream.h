// The decompressed bytes of a file or of standard input, in the order in which they arrive.
//
// The first bytes say what wraps the content: gzip (RFC 1952, several members) is inflated with ISA-L, zstd (RFC 8878,
// several frames) with libzstd, anything else is passed through. Reads are short when the source is (a pipe), so a
// caller sees each byte as soon as it exists. Memory: 256 KiB of input beside the decoder's window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "nameplate/core/result.h"

namespace nameplate {

// Where raw bytes come from: a file descriptor or memory.
class ByteSource {
 public:
  // `path` "-" is standard input.
  static Result<ByteSource> open(const std::string& path);
  explicit ByteSource(std::string_view memory) : memory_(memory) {}
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) noexcept;
  ~ByteSource();

  // At least one byte unless the source has ended; -1 with errno set when it fails.
  std::ptrdiff_t read(char* out, std::size_t size);

 private:
  ByteSource() = default;
  int descriptor_ = -1;  // -1: memory
  std::string_view memory_;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // At least one byte of content unless it has ended or error() is set.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  const std::optional<std::string>& error() const { return error_; }

 protected:
  std::optional<std::string> error_;  // what is wrong with the stream
};

class ByteStream {
 public:
  ByteStream(ByteSource source, std::string name) : source_(std::move(source)), name_(std::move(name)) {}

  // At least one byte unless the content has ended; then error() says whether it ended early.
  std::size_t read(char* out, std::size_t size);
  // The first `most_bytes` of content, which `read` gives all the same; before the first read. Valid until then.
  std::string_view peek(std::size_t most_bytes);
  // All that is left; an Error past `most_bytes` or where the content is damaged.
  Result<std::string> read_all(std::int64_t most_bytes);
  const std::optional<Error>& error() const { return error_; }
  const std::string& name() const { return name_; }

 private:
  ByteSource source_;
  std::string name_;
  std::unique_ptr<Decoder> decoder_;  // chosen at the first read
  std::string peeked_;
  std::size_t peeked_given_ = 0;
  std::optional<Error> error_;
};

}  // namespace nameplate
