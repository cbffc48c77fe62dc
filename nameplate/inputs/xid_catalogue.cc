#include "nameplate/inputs/xid_catalogue.h"

#include <map>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/node.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

struct XidCatalogue {
  std::map<std::int64_t, XidMeaning> meanings;
  std::string source;
};

std::string member(const Node& table, std::string_view key) {
  const Node* found = table.find(key);
  NAMEPLATE_CHECK(found != nullptr && found->is(Node::Kind::string));
  return found->string;
}

// The file is ours and embedded: that it does not parse is a mistake of ours, not of an input.
XidCatalogue parse_catalogue(std::string_view text) {
  const Result<Node> root = parse_toml(text, "data/xid.toml");
  NAMEPLATE_CHECK(root.ok());
  XidCatalogue catalogue;
  const Node* source = root->find("source");
  const Node* xids = root->find("xid");
  NAMEPLATE_CHECK(source != nullptr && xids != nullptr);
  catalogue.source = member(*source, "text") + ", " + member(*source, "date");
  for (const auto& [number, xid] : xids->members) {
    const auto value = parse_integer(number);
    NAMEPLATE_CHECK(value.has_value());
    catalogue.meanings[*value] = {member(xid, "name"), member(xid, "kind"), member(xid, "action")};
  }
  return catalogue;
}

const XidCatalogue& catalogue() {
  static const XidCatalogue known = [] {
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.path == "xid.toml") return parse_catalogue(file.text);
    }
    NAMEPLATE_CHECK(false);
  }();
  return known;
}

}  // namespace

std::optional<XidMeaning> find_xid(std::int64_t number) {
  const auto found = catalogue().meanings.find(number);
  return found == catalogue().meanings.end() ? std::nullopt : std::optional(found->second);
}

std::string xid_source() { return catalogue().source; }

}  // namespace nameplate
