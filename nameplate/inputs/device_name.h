// Which accelerator does a name mean? Names as drivers, frameworks and people spell them, made comparable.
//
// "NVIDIA A100-SXM4-80GB", "A100 SXM4 80 GB" and "a100-sxm4-80gb" are one name. A name is split into a product, up to
// the word with the first number ("a100", "mi300x", "rtx4090", "tpuv5e"), and further words in any order ("sxm4",
// "80gb"). Case, punctuation and the vendor's own words do not count.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

struct DeviceName {
  std::string product;
  std::vector<std::string> words;  // the rest, sorted
  bool operator==(const DeviceName&) const = default;
};

// `vendor_words` ("nvidia", "instinct") are left out, also where one is glued to a number ("Ascend910B").
DeviceName device_name(std::string_view text, std::span<const std::string> vendor_words);

// Whether `product` is of the family `family`: the same, or longer by something that is not the rest of a number or
// word. "mi300x" and "mi300a" are of "mi300"; "h100" is not of "h10", and nothing is of a family without a number.
bool of_family(std::string_view product, std::string_view family);

// Whether `word` is among `words`, as it is or followed by a number ("sxm" by "sxm4").
bool has_word(const std::vector<std::string>& words, std::string_view word);

}  // namespace nameplate
