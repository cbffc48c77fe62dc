#include "nameplate/inputs/device_name.h"

#include <algorithm>

namespace nameplate {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }
bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (is_digit(c) || is_letter(c))
      words.back() += lower(c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The word without a vendor word in front of a number; empty when it is a vendor word.
std::string without_vendor(const std::string& word, std::span<const std::string> vendor_words) {
  for (const std::string& vendor : vendor_words) {
    if (word == vendor) return {};
    bool glued = word.size() > vendor.size() && word.compare(0, vendor.size(), vendor) == 0;
    if (glued && is_digit(word[vendor.size()])) return word.substr(vendor.size());
  }
  return word;
}

}  // namespace

DeviceName device_name(std::string_view text, std::span<const std::string> vendor_words) {
  DeviceName name;
  for (const std::string& given : lower_words(text)) {
    std::string word = without_vendor(given, vendor_words);
    if (word.empty()) continue;
    if (!has_digit(name.product))
      name.product += word;
    else if (word == "gb" && !name.words.empty() && all_digits(name.words.back()))
      name.words.back() += word;
    else
      name.words.push_back(word);
  }
  std::sort(name.words.begin(), name.words.end());
  return name;
}

bool of_family(std::string_view product, std::string_view family) {
  if (!has_digit(family) || product.substr(0, family.size()) != family) return false;
  return product.size() == family.size() || is_digit(product[family.size()]) != is_digit(family.back());
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& known) {
    if (known.compare(0, word.size(), word) != 0) return false;
    return known.size() == word.size() || (is_digit(known[word.size()]) && is_letter(word.back()));
  });
}

}  // namespace nameplate
