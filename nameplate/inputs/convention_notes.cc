#include "nameplate/inputs/convention_notes.h"

#include <algorithm>

#include "nameplate/core/text.h"

namespace nameplate {

std::vector<FlopsPerSecond> peaks_in_notes(std::string_view notes) {
  constexpr std::string_view kWord = "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  std::vector<FlopsPerSecond> peaks;
  for (std::size_t begin = notes.find_first_of(kWord); begin != std::string_view::npos;) {
    const std::size_t end = std::min(notes.find_first_not_of(kWord, begin), notes.size());
    std::string_view word = notes.substr(begin, end - begin);
    while (word.ends_with('.')) word.remove_suffix(1);
    if (const auto number = parse_number(word); number && *number > 0) peaks.push_back(tflops_per_s(*number));
    begin = notes.find_first_of(kWord, end);
  }
  return peaks;
}

}  // namespace nameplate
