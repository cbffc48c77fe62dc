// Units at the boundary: "80 GiB", "400 Gbit/s", "989 TFLOP/s", "300 s", "3.35 TB/s" to Quantity.
//
// Decimal prefixes (k, M, G, T, P, E) are powers of 1000, binary ones (Ki, Mi, Gi, Ti) powers of 1024. "Gbit" and
// "Gb" are bits, "GB" bytes. A number without a unit is an error that lists the accepted suffixes: half of all wrong
// figures in the field are a unit that someone assumed. A trailing "per accelerator", "per GPU" or "/GPU" is accepted
// after a rate and ignored, since the key says the scope. Negative values are errors.
#pragma once

#include <string_view>

#include "nameplate/core/quantity.h"
#include "nameplate/core/result.h"

namespace nameplate {

Result<Bytes> parse_bytes(std::string_view text);
Result<Seconds> parse_duration(std::string_view text);           // ns us ms s min h d
Result<FlopsPerSecond> parse_flops_rate(std::string_view text);  // FLOP/s, FLOPS, OP/s, OPS with prefixes
Result<BytesPerSecond> parse_bandwidth(std::string_view text);
Result<Watts> parse_power(std::string_view text);
Result<TokensPerSecond> parse_token_rate(std::string_view text);  // token/s, tok/s, tokens/s with k, M

}  // namespace nameplate
