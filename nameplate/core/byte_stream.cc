#include "nameplate/core/byte_stream.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace nameplate {
namespace {

constexpr std::size_t kInputBlock = std::size_t{256} << 10;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// Raw bytes with some already read: the head that told the format apart.
class Input {
 public:
  Input(ByteSource source, std::string head) : source_(std::move(source)), head_(std::move(head)) {}

  std::size_t read(char* out, std::size_t size) {
    if (head_used_ < head_.size()) {
      std::size_t count = std::min(size, head_.size() - head_used_);
      std::memcpy(out, head_.data() + head_used_, count);
      head_used_ += count;
      return count;
    }
    std::ptrdiff_t count = source_.read(out, size);
    if (count < 0) problem_ = std::strerror(errno);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  const std::optional<std::string>& problem() const { return problem_; }

 private:
  ByteSource source_;
  std::string head_;
  std::size_t head_used_ = 0;
  std::optional<std::string> problem_;
};

class PlainDecoder : public Decoder {
 public:
  explicit PlainDecoder(Input input) : input_(std::move(input)) {}
  std::size_t read(char* out, std::size_t size) override {
    std::size_t count = input_.read(out, size);
    if (count == 0) error_ = input_.problem();
    return count;
  }

 private:
  Input input_;
};

class GzipDecoder : public Decoder {
 public:
  explicit GzipDecoder(Input input) : input_(std::move(input)), block_(kInputBlock, '\0') { start_member(); }

  std::size_t read(char* out, std::size_t size) override {
    while (!ended_) {
      if (state_->avail_in == 0) refill();
      if (between_members_ && !next_member()) return 0;
      state_->next_out = reinterpret_cast<std::uint8_t*>(out);
      state_->avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX));
      int status = isal_inflate(state_.get());
      auto produced = static_cast<std::size_t>(state_->next_out - reinterpret_cast<std::uint8_t*>(out));
      between_members_ = state_->block_state == ISAL_BLOCK_FINISH;
      if (status < 0) {
        fail("corrupt gzip data");
      } else if (produced == 0 && !between_members_ && no_more_input_ && state_->avail_in == 0) {
        fail("truncated gzip data");
      }
      if (produced > 0) return produced;
    }
    return 0;
  }

 private:
  void fail(const char* what) {
    error_ = input_.problem().value_or(what);
    ended_ = true;
  }
  void start_member() {
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
    between_members_ = false;
  }
  void refill() {
    std::size_t count = no_more_input_ ? 0 : input_.read(block_.data(), block_.size());
    no_more_input_ = count == 0;
    state_->next_in = reinterpret_cast<std::uint8_t*>(block_.data());
    state_->avail_in = static_cast<std::uint32_t>(count);
  }
  // Whether another member follows. Zero bytes behind the last one are padding (tape blocks, tar).
  bool next_member() {
    while (state_->avail_in > 0 && *state_->next_in == 0) {
      ++state_->next_in;
      if (--state_->avail_in == 0) refill();
    }
    if (state_->avail_in > 0 && *state_->next_in == static_cast<std::uint8_t>(kGzipMagic[0])) {
      start_member();
      return true;
    }
    if (state_->avail_in > 0) {
      fail("bytes that are not gzip data follow the gzip data");
    } else {
      error_ = input_.problem();
    }
    ended_ = true;
    return false;
  }

  Input input_;
  std::string block_;
  std::unique_ptr<inflate_state> state_ = [] {
    auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    return state;
  }();
  bool between_members_ = false;
  bool no_more_input_ = false;
  bool ended_ = false;
};

class ZstdDecoder : public Decoder {
 public:
  explicit ZstdDecoder(Input input) : input_(std::move(input)), block_(kInputBlock, '\0') {}

  std::size_t read(char* out, std::size_t size) override {
    while (!ended_) {
      if (in_.pos == in_.size && !output_pending_ && !refill()) {
        ended_ = true;
        error_ = input_.problem();
        if (inside_frame_) fail("truncated zstd data");
        break;
      }
      ZSTD_outBuffer to{out, size, 0};
      std::size_t status = ZSTD_decompressStream(stream_.get(), &to, &in_);
      inside_frame_ = status != 0;
      output_pending_ = inside_frame_ && to.pos == to.size;
      if (ZSTD_isError(status)) fail(std::string("corrupt zstd data (") + ZSTD_getErrorName(status) + ")");
      if (to.pos > 0) return to.pos;
    }
    return 0;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  void fail(std::string what) {
    error_ = input_.problem().value_or(std::move(what));
    ended_ = true;
  }
  bool refill() {
    in_ = {block_.data(), input_.read(block_.data(), block_.size()), 0};
    return in_.size > 0;
  }

  Input input_;
  std::string block_;
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool output_pending_ = false;
  bool inside_frame_ = false;
  bool ended_ = false;
};

bool is_proper_prefix(std::string_view head, std::string_view magic) {
  return head.size() < magic.size() && magic.starts_with(head);
}

// Reads no further than it takes to tell the formats apart: a line that came through a pipe is not held back.
std::unique_ptr<Decoder> choose_decoder(ByteSource source) {
  std::string head;
  while (is_proper_prefix(head, kGzipMagic) || is_proper_prefix(head, kZstdMagic)) {
    char block[kZstdMagic.size()];
    std::ptrdiff_t count = source.read(block, sizeof block);
    if (count <= 0) break;
    head.append(block, static_cast<std::size_t>(count));
  }
  bool gzip = head.starts_with(kGzipMagic);
  bool zstd = head.starts_with(kZstdMagic);
  Input input(std::move(source), std::move(head));
  if (gzip) return std::make_unique<GzipDecoder>(std::move(input));
  if (zstd) return std::make_unique<ZstdDecoder>(std::move(input));
  return std::make_unique<PlainDecoder>(std::move(input));
}

Error file_error(std::string found, const std::string& path) {
  Error problem = error(std::move(found));
  problem.place.file = path;
  return problem;
}

}  // namespace

Result<ByteSource> ByteSource::open(const std::string& path) {
  ByteSource source;
  if (path == "-") {
    source.descriptor_ = ::dup(STDIN_FILENO);
  } else {
    source.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (source.descriptor_ < 0) return file_error(std::string("cannot be read: ") + std::strerror(errno), path);
  struct stat status {};
  if (::fstat(source.descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{"is a folder", "a file", Place{path, 0, 0, {}, {}}, {}};
  }
  return source;
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), memory_(other.memory_) {}

ByteSource& ByteSource::operator=(ByteSource&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(memory_, other.memory_);
  return *this;
}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::ptrdiff_t ByteSource::read(char* out, std::size_t size) {
  if (descriptor_ < 0) {
    std::size_t count = std::min(size, memory_.size());
    if (count == 0) return 0;
    std::memcpy(out, memory_.data(), count);
    memory_.remove_prefix(count);
    return static_cast<std::ptrdiff_t>(count);
  }
  for (;;) {
    ssize_t count = ::read(descriptor_, out, size);
    if (count >= 0 || errno != EINTR) return count;
  }
}

std::size_t ByteStream::read(char* out, std::size_t size) {
  if (peeked_given_ < peeked_.size()) {
    const std::size_t given = peeked_.copy(out, size, peeked_given_);
    peeked_given_ += given;
    if (peeked_given_ == peeked_.size()) {
      std::string().swap(peeked_);
      peeked_given_ = 0;
    }
    return given;
  }
  if (!decoder_) decoder_ = choose_decoder(std::move(source_));
  std::size_t count = decoder_->read(out, size);
  if (count == 0 && decoder_->error()) error_ = file_error(*decoder_->error(), name_);
  return count;
}

std::string_view ByteStream::peek(std::size_t most_bytes) {
  std::string head(most_bytes, '\0');
  std::size_t used = 0;
  while (used < most_bytes) {
    const std::size_t count = read(head.data() + used, most_bytes - used);
    if (count == 0) break;
    used += count;
  }
  head.resize(used);
  peeked_ = std::move(head);
  peeked_given_ = 0;
  return peeked_;
}

Result<std::string> ByteStream::read_all(std::int64_t most_bytes) {
  constexpr std::size_t kLeast = 64 << 10;
  constexpr std::size_t kMost = 4 << 20;
  std::string text;
  for (;;) {
    const std::size_t used = text.size();
    text.resize(used + std::clamp(used, kLeast, kMost));
    const std::size_t count = read(text.data() + used, text.size() - used);
    text.resize(used + count);
    if (count == 0) break;
    if (static_cast<std::int64_t>(text.size()) > most_bytes) {
      return file_error("is larger than " + std::to_string(most_bytes) + " bytes", name_);
    }
  }
  if (error_) return *error_;
  return text;
}

}  // namespace nameplate
