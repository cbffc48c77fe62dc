#include "nameplate/core/crc32c.h"

#include <algorithm>

#include <isa-l/crc.h>

namespace nameplate {

std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // the library counts in int
  unsigned int crc = 0xffffffff;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    // The library only reads, but takes no const.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    crc = crc32_iscsi(data, static_cast<int>(std::min(kPiece, bytes.size())), crc);
  }
  return ~crc;
}

}  // namespace nameplate
