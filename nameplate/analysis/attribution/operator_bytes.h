// How many bytes must one call of an operator move between the device and its memory at least?
//
// A lower bound from recorded shapes and types, for operators whose reads and writes are known: each tensor that is
// read in full once, and what is written. Matrix work: its matrices and the result. Elementwise work and normalisation:
// every argument, and a result as large as the largest of them (broadcasting makes it no smaller) in the narrowest type
// that goes in; in place, the first argument is what is written. Filling only writes, a copy reads the one and writes
// the other, each in its own type. A reduction only reads. A gather reads its indices and writes what they pick; of the
// table nothing is counted, since rows may repeat. Operators that are not in the table move an unknown number.
// Sources: PyTorch's native_functions.yaml, 1.8 to 2.9. Known error: an argument that was expanded is counted as large
// as it looks, and what lies in a cache need not come from memory: a call can then be faster than the bound.
#pragma once

#include <optional>
#include <string_view>

#include "nameplate/facts/timeline.h"

namespace nameplate {

// Nothing where the operator is not known or a tensor's type is not recorded.
std::optional<double> operator_bytes(std::string_view operator_name, const Operands& operands);

}  // namespace nameplate
