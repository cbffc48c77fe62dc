#include "nameplate/inputs/headroom.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

Result<Headroom> read(std::string_view text) {
  const Result<Node> root = parse_toml(text, "run.toml");
  EXPECT_TRUE(root.ok());
  return read_headroom(*root->find("headroom"), "run.toml");
}

TEST(Headroom, ResourcesBuffersParts) {
  const auto h = read(R"([[headroom.resource]]
name = "storage"
servers = 16
burstiness = 4
load = "65 %"
[[headroom.buffer]]
name = "node memory"
peak = "12 GB/s"
drain = "2 GB/s"
burst = "1 s"
gap = "10 s"
size = "300 GB"
[[headroom.group]]
name = "rack"
needed = 16
units = 18
availability = 0.99
groups = 100
[[headroom.part]]
name = "network"
servers = 16
service = "50 ms"
between_outages = "9 h"
outage = "1 min"
)");
  ASSERT_TRUE(h.ok()) << render(h.error());
  EXPECT_EQ(h->resources[0].load, .65);
  EXPECT_EQ(h->buffers[0].peak.base(), 12e9);
  EXPECT_EQ(h->groups[0].units, 18);
  EXPECT_EQ(h->parts[0].between_outages.base(), 32400);
}

TEST(Headroom, WhatCannotBe) {
  for (const char* text :
       {"[[headroom.resource]]\nname = 'a'", "[[headroom.resource]]\nname = 'a'\nservers = 4\nload = 2",
        "[[headroom.buffer]]\nname = 'a'\npeak = '2 GB/s'\ndrain = '3 GB/s'\nburst = '1 s'\ngap = '1 s'",
        "[[headroom.buffer]]\nname = 'a'\npeak = '9 GB/s'\ndrain = '3 GB/s'\nburst = '1 s'\ngap = '1 s'",
        "[[headroom.part]]\nname = 'a'\nservers = 2", "[[headroom.pool]]\nname = 'a'"}) {
    EXPECT_FALSE(read(text).ok()) << text;
  }
}

}  // namespace
}  // namespace nameplate
