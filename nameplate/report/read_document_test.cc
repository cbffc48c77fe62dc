#include "nameplate/report/read_document.h"

#include <gtest/gtest.h>

#include "nameplate/report/render.h"
#include "nameplate/report/sample_document.h"

namespace nameplate {
namespace {

Result<Document> reread(const std::string& json) {
  const Result<ParsedJson> parsed = parse_json(json, "saved.json");
  if (!parsed.ok()) return parsed.error();
  return read_document(parsed->root, "saved.json");
}

// What JSON can hold comes back: printing the document that was read gives the same bytes. An exact count beyond 2^63
// and the caption of a figure, whose id is not saved, are the exceptions.
TEST(ReadDocument, RoundTrip) {
  Document d = sample_document();
  std::erase_if(d.values, [](const Value& v) { return v.id == "flops_per_step"; });
  d.notes[0].args.pop_back();
  for (Figure& figure : d.figures) figure.text = {};
  const std::string once = render_json(d);
  const Result<Document> read = reread(once);
  ASSERT_TRUE(read.ok()) << render(read.error());
  EXPECT_EQ(render_json(*read), once);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(ReadDocument, SaysWhereItIsWrong) {
  const std::string good = render_json(sample_document());
  struct Case {
    const char* what;
    const char* by;
    const char* path;
  };
  const Case cases[] = {{"nameplate.document/1", "nameplate.document/9", "/schema"},
                        {"\"unit\": \"1\"", "\"unit\": 1", "/values/mfu_step_ratio/unit"},
                        {"\"total\": 800", "\"total\": 900", "/ledgers/step"},
                        {"\"id\": \"recompute\"", "\"id\": \"recomputed\"", "/ledgers/step/rows/1/id"},
                        {"[1, 2.5, \"warm_up\"]", "[1, 2.5]", "/tables/steps/rows/0"},
                        {"\"severity\": \"data_loss\"", "\"severity\": \"bad\"", "/defects/0/severity"}};
  for (const Case& c : cases) {
    ASSERT_NE(good.find(c.what), good.npos) << c.what;
    const Result<Document> read = reread(replaced(good, c.what, c.by));
    ASSERT_FALSE(read.ok()) << c.path;
    EXPECT_EQ(read.error().place.path, c.path);
  }
}

TEST(ReadDocument, RecognisedByItsHead) {
  EXPECT_TRUE(looks_like_document(render_json(sample_document())));
  EXPECT_FALSE(looks_like_document(R"({"schemaVersion":1,"traceEvents":[]})"));
}

}  // namespace
}  // namespace nameplate
