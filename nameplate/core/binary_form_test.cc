#include "nameplate/core/binary_form.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr Colour last_enumerator(Colour) { return Colour::green; }

struct Part {
  std::string name;
  Colour colour = Colour::red;
  bool operator==(const Part&) const = default;
};
template <class Form>
void members(Form& form, Like<Part> auto& part) {
  form(part.name, part.colour);
}

struct Whole {
  std::int64_t count = 0;
  double weight = 0;
  bool open = false;
  std::vector<std::int32_t> column;
  std::vector<Part> parts;
  std::optional<double> maybe;
  std::vector<std::pair<Colour, std::string>> pairs;
  std::variant<std::string, double> either;
  bool operator==(const Whole&) const = default;
};
template <class Form>
void members(Form& form, Like<Whole> auto& w) {
  form(w.count, w.weight, w.open, w.column, w.parts, w.maybe, w.pairs, w.either);
}
static_assert(member_count<Whole>() == 8);
static_assert(member_count<Part>() == 2);

const Whole kWhole = {-5, 0.1, true, {1, -2, 3}, {{"a", Colour::green}, {"", Colour::red}}, 2.5, {{Colour::green, "x"}},
                      0.5};

TEST(BinaryForm, RoundTrip) {
  EXPECT_EQ(from_bytes<Whole>(to_bytes(kWhole)), kWhole);
  EXPECT_EQ(from_bytes<Whole>(to_bytes(Whole{})), Whole{});
}

TEST(BinaryForm, Layout) {
  // 8 bytes of length, then the text; one byte an enumerator.
  EXPECT_EQ(to_bytes(Part{"ab", Colour::green}), std::string("\2\0\0\0\0\0\0\0ab\1", 11));
}

TEST(BinaryForm, EveryCutIsSeen) {
  const std::string bytes = to_bytes(kWhole);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(from_bytes<Whole>(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(from_bytes<Whole>(bytes + "x"));
}

TEST(BinaryForm, LiesAboutLengthsAndEnumerators) {
  EXPECT_FALSE(from_bytes<std::vector<std::int64_t>>(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)));
  EXPECT_FALSE(from_bytes<std::vector<Part>>(std::string("\xff\xff\xff\xff\0\0\0\0", 8)));
  EXPECT_FALSE(from_bytes<Part>(std::string("\0\0\0\0\0\0\0\0\2", 9)));
  EXPECT_FALSE(from_bytes<bool>("\2"));
}

// Whatever the bytes, reading ends and memory stays bounded; a change of one byte gives another value or none.
TEST(BinaryForm, AnyByteChanged) {
  const std::string bytes = to_bytes(kWhole);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    const auto read = from_bytes<Whole>(changed);
    EXPECT_TRUE(!read || *read != kWhole) << i;
  }
}

}  // namespace
}  // namespace nameplate
