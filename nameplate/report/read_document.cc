#include "nameplate/report/read_document.h"

#include <cmath>

#include <fmt/format.h>

namespace nameplate {
namespace {

constexpr std::string_view kSchema = "nameplate.document/";

// Walks the tree; the first thing wrong is kept, and from then on what is read does not matter.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<Document> run(const Node& root) {
    Document d;
    d.command = text(root, "command", "");
    if (const Node* title = root.find("title")) d.title = message(*title, "/title");
    d.notes = messages(root, "notes");
    d.assumptions = messages(root, "assumptions");
    for (const auto& [id, node] : members(root, "values")) d.values.push_back(value(id, node, "/values/" + id));
    for (const auto& [scope, node] : members(root, "ledgers")) d.ledgers.push_back(ledger(node, "/ledgers/" + scope));
    for (const auto& [id, node] : members(root, "tables")) d.tables.push_back(table(id, node, "/tables/" + id));
    each(root, "figures", "", [&](const Node& n, const std::string& path) { d.figures.push_back(figure(n, path)); });
    each(root, "findings", "", [&](const Node& n, const std::string& path) { d.findings.push_back(finding(n, path)); });
    each(root, "defects", "", [&](const Node& n, const std::string& path) { d.defects.push_back(defect(n, path)); });
    if (wrong_) return *wrong_;
    return d;
  }

 private:
  void fail(std::string found, std::string expected, std::string path) {
    if (!wrong_) wrong_ = Error{std::move(found), std::move(expected), {.file = file_, .path = std::move(path)}, {}};
  }

  static std::string found(const Node* node) { return node == nullptr ? "nothing" : std::string(name(node->kind)); }

  std::string text(const Node& parent, std::string_view key, const std::string& path) {
    const Node* node = parent.find(key);
    if (node != nullptr && node->as_string()) return std::string(*node->as_string());
    fail(found(node), "a text", fmt::format("{}/{}", path, key));
    return {};
  }
  static std::string text_if(const Node& parent, std::string_view key) {
    const Node* node = parent.find(key);
    return node == nullptr ? std::string() : std::string(node->as_string().value_or(""));
  }
  double number(const Node& parent, std::string_view key, const std::string& path) {
    const Node* node = parent.find(key);
    if (node != nullptr && node->as_number()) return *node->as_number();
    fail(found(node), "a number", fmt::format("{}/{}", path, key));
    return 0;
  }
  static std::optional<double> number_if(const Node& parent, std::string_view key) {
    const Node* node = parent.find(key);
    return node == nullptr ? std::nullopt : node->as_number();
  }
  std::int64_t integer(const Node& parent, std::string_view key, const std::string& path) {
    const Node* node = parent.find(key);
    if (node != nullptr && node->as_integer()) return *node->as_integer();
    fail(found(node), "a whole number", fmt::format("{}/{}", path, key));
    return 0;
  }
  const std::vector<std::pair<std::string, Node>>& members(const Node& root, std::string_view key) {
    static const std::vector<std::pair<std::string, Node>> kNone;
    const Node* node = root.find(key);
    if (node != nullptr && node->is(Node::Kind::object)) return node->members;
    fail(found(node), "an object", fmt::format("/{}", key));
    return kNone;
  }
  template <class Use>
  void each(const Node& parent, std::string_view key, const std::string& path, Use use) {
    const Node* node = parent.find(key);
    if (node == nullptr || !node->is(Node::Kind::array)) {
      return fail(found(node), "a list", fmt::format("{}/{}", path, key));
    }
    for (std::size_t i = 0; i < node->items.size() && !wrong_; ++i) {
      use(node->items[i], fmt::format("{}/{}/{}", path, key, i));
    }
  }
  // One of a closed set, by its name.
  template <class T>
  T choice(const Node& parent, std::string_view key, const std::string& path, std::initializer_list<T> all) {
    const std::string given = text(parent, key, path);
    std::string names;
    for (const T one : all) {
      if (name(one) == given) return one;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name(one));
    }
    fail(fmt::format("the {} '{}'", key, given), names, fmt::format("{}/{}", path, key));
    return *all.begin();
  }
  std::vector<std::string> texts(const Node& parent, std::string_view key, const std::string& path) {
    std::vector<std::string> all;
    each(parent, key, path, [&](const Node& n, const std::string& at) {
      if (!n.as_string()) return fail(found(&n), "a text", at);
      all.emplace_back(*n.as_string());
    });
    return all;
  }

  Message message(const Node& node, const std::string& path) {
    Message made{text(node, "id", path), {}};
    const Node* args = node.find("args");
    if (args == nullptr || !args->is(Node::Kind::object)) {
      fail(found(args), "an object", path + "/args");
      return made;
    }
    for (const auto& [key, arg] : args->members) {
      if (arg.is(Node::Kind::string)) {
        made.args.emplace_back(key, arg.string);
      } else if (arg.is(Node::Kind::integer)) {
        made.args.emplace_back(key, arg.integer);
      } else {
        made.args.emplace_back(key, number(*args, key, path + "/args"));
      }
    }
    return made;
  }
  std::vector<Message> messages(const Node& root, std::string_view key) {
    std::vector<Message> all;
    each(root, key, "", [&](const Node& n, const std::string& path) { all.push_back(message(n, path)); });
    return all;
  }

  Value value(const std::string& id, const Node& node, const std::string& path) {
    Value made;
    made.id = id;
    const Node* figure = node.find("value");
    if (figure != nullptr && figure->is(Node::Kind::integer)) {
      made.value = Int128{figure->integer};
    } else {
      made.value = number(node, "value", path);
    }
    made.unit = text(node, "unit", path);
    made.low = number_if(node, "low");
    made.high = number_if(node, "high");
    made.convention = text_if(node, "convention");
    made.source = text_if(node, "source");
    made.level = text_if(node, "level");
    return made;
  }

  Ledger ledger(const Node& node, const std::string& path) {
    const auto scope = choice(node, "scope", path, {LedgerScope::step, LedgerScope::run, LedgerScope::fleet});
    const double total = number(node, "total", path);
    LedgerBuilder builder(scope, integer(node, "ranks_present", path), integer(node, "ranks_total", path));
    double unattributed = 0;
    std::string unattributed_evidence;
    each(node, "rows", path, [&](const Node& row, const std::string& at) {
      const std::string id = text(row, "id", at);
      const auto known_row = parse_ledger_row(id);
      if (!known_row) return fail(fmt::format("the row '{}'", id), "a row of the ledger", at + "/id");
      const double seconds = number(row, "value", at);
      if (*known_row != LedgerRow::unattributed) {
        builder.book(*known_row, seconds, text_if(row, "evidence"));
        return;
      }
      unattributed = seconds;
      unattributed_evidence = text_if(row, "evidence");
    });
    Ledger made = builder.close(total, std::move(unattributed_evidence));
    const double rest = made.value(LedgerRow::unattributed).value_or(0);
    if (!(std::abs(rest - unattributed) <= 1e-9 * std::abs(total))) {
      fail(fmt::format("rows that sum to {:.9g} of {:.9g}", total - rest + unattributed, total), "a ledger that closes",
           path);
    }
    return made;
  }

  static Cell cell(const Node& node) {
    if (node.is(Node::Kind::integer)) return Int128{node.integer};
    if (node.is(Node::Kind::number)) return node.number;
    return node.string.empty() ? Cell() : Cell(node.string);
  }
  Table table(const std::string& id, const Node& node, const std::string& path) {
    Table made{.id = id};
    each(node, "columns", path, [&](const Node& column, const std::string& at) {
      made.columns.push_back({text(column, "id", at), text_if(column, "unit")});
    });
    each(node, "rows", path, [&](const Node& row, const std::string& at) {
      if (row.items.size() != made.columns.size()) {
        return fail(fmt::format("{} cells", row.items.size()), fmt::format("{}", made.columns.size()), at);
      }
      std::vector<Cell>& cells = made.rows.emplace_back();
      for (const Node& one : row.items) cells.push_back(cell(one));
    });
    return made;
  }

  Figure figure(const Node& node, const std::string& path) {
    Figure made;
    made.id = text(node, "id", path);
    using enum FigureKind;
    made.kind = choice(node, "kind", path, {line, bar, histogram, waterfall, heatmap, scatter});
    made.table = text(node, "table", path);
    made.x = text_if(node, "x");
    made.y = texts(node, "y", path);
    return made;
  }

  Finding finding(const Node& node, const std::string& path) {
    Finding made{.message = message(node, path)};
    if (node.find("row") != nullptr) {
      made.row = parse_ledger_row(text_if(node, "row"));
      if (!made.row) fail(fmt::format("the row '{}'", text_if(node, "row")), "a row of the ledger", path + "/row");
    }
    if (const Node* worth = node.find("worth")) {
      made.worth = Worth{number(*worth, "accelerator_s", path + "/worth"), number_if(*worth, "mfu_points"),
                         number_if(*worth, "low"), number_if(*worth, "high")};
    }
    made.evidence = texts(node, "evidence", path);
    return made;
  }

  Defect defect(const Node& node, const std::string& path) {
    using enum Severity;
    return {message(node, path), choice(node, "severity", path, {info, data_loss, error}),
            integer(node, "count", path)};
  }

  const std::string& file_;
  std::optional<Error> wrong_;
};

}  // namespace

bool looks_like_document(std::string_view head) {
  const std::size_t key = head.substr(0, 256).find("\"schema\"");
  return key != head.npos && head.substr(key, 64).find(kSchema) != head.npos;
}

Result<Document> read_document(const Node& root, const std::string& file) {
  const Node* schema = root.find("schema");
  if (schema == nullptr || schema->as_string().value_or("") != "nameplate.document/1") {
    return Error{schema == nullptr ? "no member 'schema'" : fmt::format("the schema '{}'", schema->string),
                 "\"nameplate.document/1\"",
                 {.file = file, .path = "/schema"},
                 "--format json prints such a file"};
  }
  return Reader(file).run(root);
}

}  // namespace nameplate
