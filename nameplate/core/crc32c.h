// The CRC-32C (Castagnoli) of some bytes, as iSCSI and TFRecord use it: reflected, started from and finished with all
// ones. Source: RFC 3720, appendix B.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace nameplate {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace nameplate
