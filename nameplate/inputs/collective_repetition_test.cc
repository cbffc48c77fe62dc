#include "nameplate/inputs/collective_repetition.h"

#include <gtest/gtest.h>

#include <string_view>

namespace nameplate {
namespace {

struct Case {
  DeviceEvents device;
  Collectives collectives;
};

// One letter a collective: capitals are recorded, with the letter as size; small ones are not. All bear one name.
Case sequence(std::string_view letters) {
  Case c;
  for (const char letter : letters) {
    const bool recorded = letter < 'a';
    c.collectives.event.push_back(static_cast<std::int32_t>(c.device.stream.size()));
    c.device.stream.push_back(4);
    c.device.name_id.push_back(0);
    c.collectives.group.push_back(recorded ? 0 : -1);
    c.collectives.kind.push_back(recorded ? CollectiveKind::all_reduce : CollectiveKind::other);
    c.collectives.bytes.push_back(recorded ? letter : -1);
    c.collectives.dtype.push_back(std::nullopt);
    c.collectives.sequence.push_back(-1);
    c.collectives.peer.push_back(-1);
  }
  return c;
}

std::string completed(std::string_view letters) {
  Case c = sequence(letters);
  complete_by_repetition(c.device, c.collectives);
  std::string out;
  for (const std::int64_t bytes : c.collectives.bytes) out += bytes < 0 ? '-' : static_cast<char>(bytes);
  return out;
}

TEST(CollectiveRepetition, TheFirstStepIsLikeTheNext) {
  EXPECT_EQ(completed("xxxxxBBCDBBCDBBCD"), "DBBCDBBCDBBCDBBCD");  // BBCD from the sixth on; what precedes is D, BBCD
  EXPECT_EQ(completed("xAAA"), "AAAA");
  EXPECT_EQ(completed("xBABAB"), "ABABAB");
}

TEST(CollectiveRepetition, NothingIsGuessed) {
  EXPECT_EQ(completed("xABCD"), "-ABCD");        // no period seen twice
  EXPECT_EQ(completed("xABABCAB"), "-ABABCAB");  // the record contradicts it
  EXPECT_EQ(completed("xxxx"), "----");
  EXPECT_EQ(completed(""), "");
}

TEST(CollectiveRepetition, AnotherKernelIsAnotherCollective) {
  Case c = sequence("xAAA");
  c.device.name_id[0] = 1;
  EXPECT_EQ(complete_by_repetition(c.device, c.collectives), 0);
}

}  // namespace
}  // namespace nameplate
