#include "nameplate/inputs/operator_list.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/dimension_expression.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

constexpr std::size_t kMostOperators = 100'000;
constexpr std::int64_t kMostRepeats = 100'000;
constexpr double kMostFlops = 1e30;  // of one operator and sample; counts stay far inside 128 bits

// A table whose sizes may be expressions of dimensions.
class Sizes {
 public:
  Sizes(const Node& table, const std::string& file, std::string path, const DimensionTable& dimensions)
      : table_(table), keys(table, file, std::move(path)), dimensions_(dimensions) {}

  std::optional<std::int64_t> given(std::string_view key, std::int64_t least = 1) {
    keys.allow(key);
    const Node* node = table_.find(key);
    if (node == nullptr) return std::nullopt;
    const Result<std::int64_t> value = evaluate(*node);
    if (!value.ok()) {
      keys.fail(key, fmt::format("'{}': {}", key, value.error().found), value.error().expected, value.error().hint);
      return std::nullopt;
    }
    if (*value < least || *value > TableReader::kMostCount) {
      keys.fail(key, fmt::format("'{}' is {}", key, *value),
                fmt::format("from {} to {}", least, TableReader::kMostCount));
      return std::nullopt;
    }
    return *value;
  }
  std::int64_t size(std::string_view key) {
    const std::optional<std::int64_t> value = given(key);
    if (!value && table_.find(key) == nullptr) {
      keys.fail(key, fmt::format("'{}' is missing", key), "a number or an expression of dimensions");
    }
    return value.value_or(1);
  }
  std::int64_t size_or(std::string_view key, std::int64_t otherwise, std::int64_t least = 1) {
    return given(key, least).value_or(otherwise);
  }
  // The product of a list, as of a kernel's extents, or one number.
  std::int64_t product_or(std::string_view key, std::int64_t otherwise) {
    const Node* node = table_.find(key);
    if (node == nullptr || !node->is(Node::Kind::array)) return size_or(key, otherwise);
    keys.allow(key);
    std::int64_t product = 1;
    for (const Node& item : node->items) {
      const Result<std::int64_t> value = evaluate(item);
      if (!value.ok() || *value < 1 || *value > TableReader::kMostCount / product) {
        keys.fail(key, fmt::format("an extent of '{}' that is no size", key), "positive numbers or expressions");
        return 1;
      }
      product *= *value;
    }
    return product;
  }

 private:
  Result<std::int64_t> evaluate(const Node& node) const {
    if (const auto value = node.as_integer()) return *value;
    if (const auto text = node.as_string()) return evaluate_dimension(*text, dimensions_);
    return error(fmt::format("{}", name(node.kind)), "a number or an expression of dimensions");
  }

  const Node& table_;

 public:
  TableReader keys;

 private:
  const DimensionTable& dimensions_;
};

template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t N>
Value choose(Sizes& sizes, std::string_view key, const std::array<Choice<Value>, N>& choices) {
  const std::string text = sizes.keys.text(key).value_or(std::string(choices[0].name));
  std::vector<std::string> known;
  for (const Choice<Value>& choice : choices) {
    if (choice.name == text) return choice.value;
    known.emplace_back(choice.name);
  }
  sizes.keys.fail(key, fmt::format("'{}' is '{:.40}'", key, text), fmt::format("one of {}", fmt::join(known, ", ")),
                  did_you_mean(text, known));
  return choices[0].value;
}

constexpr std::array kMasks = {Choice<MaskKind>{"bidirectional", MaskKind::bidirectional},
                               Choice<MaskKind>{"causal", MaskKind::causal},
                               Choice<MaskKind>{"sliding", MaskKind::sliding},
                               Choice<MaskKind>{"chunked", MaskKind::chunked},
                               Choice<MaskKind>{"selected", MaskKind::selected},
                               Choice<MaskKind>{"band", MaskKind::band},
                               Choice<MaskKind>{"blocks", MaskKind::blocks}};

constexpr std::array kScans = {Choice<ScanKind>{"mamba", ScanKind::mamba},
                               Choice<ScanKind>{"gated_delta", ScanKind::gated_delta},
                               Choice<ScanKind>{"linear_attention", ScanKind::linear_attention}};

OperatorShape read_matmul(Sizes& s) {
  MatmulShape m{.in = s.size("in"), .out = s.size("out"), .instances = s.size_or("instances", 1)};
  m.active = s.size_or("active", m.instances);
  m.bias = s.keys.flag("bias", false);
  if (m.active > m.instances) s.keys.fail("active", "more active than there are", "at most 'instances'");
  return m;
}

OperatorShape read_attention(Sizes& s) {
  AttentionShape a{.heads = s.size("heads")};
  a.kv_heads = s.size_or("kv_heads", a.heads);
  a.qk_dim = s.size("qk_dim");
  a.v_dim = s.size_or("v_dim", a.qk_dim, 0);
  a.mask.kind = choose(s, "mask", kMasks);
  a.mask.window = s.size_or("window", 0);
  a.keys_unit = s.keys.text("keys_unit").value_or("");
  const bool windowed = a.mask.kind != MaskKind::causal && a.mask.kind != MaskKind::bidirectional;
  if (windowed != (a.mask.window > 0))
    s.keys.fail("window", "a window without a mask that has one, or the other way round");
  return a;
}

OperatorShape read_convolution(Sizes& s) {
  ConvolutionShape c{.in = s.size("in"), .out = s.size("out"), .kernel = s.product_or("kernel", 1)};
  c.groups = s.size_or("groups", 1);
  c.positions = s.product_or("positions", 1);
  c.bias = s.keys.flag("bias", false);
  if (c.in % c.groups != 0 || c.out % c.groups != 0) {
    s.keys.fail("groups", fmt::format("{} groups of {} and {} channels", c.groups, c.in, c.out), "a divisor of both");
  }
  return c;
}

OperatorShape read_contraction(Sizes& s) { return ContractionShape{.in = s.size_or("in", 1), .out = s.size("out")}; }
OperatorShape read_triangle(Sizes& s) { return ContractionShape{.out = s.size("out"), .along_sequence = true}; }

OperatorShape read_scan(Sizes& s) {
  return ScanShape{.kind = choose(s, "scan", kScans),
                   .heads = s.size_or("heads", 1),
                   .key_dim = s.size("key_dim"),
                   .value_dim = s.size("value_dim"),
                   .parameters = s.size_or("parameters", 0, 0)};
}

OperatorShape read_norm(Sizes& s) {
  const std::int64_t width = s.size("width");
  return ElementwiseShape{width, s.size_or("parameters", 2 * width, 0)};
}
OperatorShape read_elementwise(Sizes& s) {
  const std::int64_t width = s.size("width");
  return ElementwiseShape{width, s.size_or("parameters", 0, 0)};
}
OperatorShape read_embedding(Sizes& s) {
  const std::int64_t rows = s.size("rows");
  return EmbeddingShape{rows, s.size("width")};
}

struct Kind {
  OperatorShape (*read)(Sizes&);
  OperatorRole role;
};

constexpr std::array kKinds = {
    Choice<Kind>{"matmul", {read_matmul, OperatorRole::other}},
    Choice<Kind>{"attention", {read_attention, OperatorRole::attention_core}},
    Choice<Kind>{"convolution", {read_convolution, OperatorRole::convolution}},
    Choice<Kind>{"contraction", {read_contraction, OperatorRole::other}},
    Choice<Kind>{"message", {read_contraction, OperatorRole::other}},
    Choice<Kind>{"triangle", {read_triangle, OperatorRole::other}},
    Choice<Kind>{"scan", {read_scan, OperatorRole::scan}},
    Choice<Kind>{"norm", {read_norm, OperatorRole::norm}},
    Choice<Kind>{"elementwise", {read_elementwise, OperatorRole::other}},
    Choice<Kind>{"embedding", {read_embedding, OperatorRole::other}},
};

OperatorRole read_role(Sizes& s, OperatorRole otherwise) {
  const std::optional<std::string> text = s.keys.text("role");
  if (!text) return otherwise;
  if (const auto role = parse_operator_role(*text)) return *role;
  s.keys.fail("role", fmt::format("'role' is '{:.40}'", *text), "a role as the table of operators names it");
  return otherwise;
}

// The length and number of a unit's sequences; of the model's own, at least a million.
struct Extent {
  double length = 0;
  double units = 0;
};
Extent extent_of(const Architecture& a, std::string_view unit) {
  for (const UnitLength& u : a.units) {
    const auto length = static_cast<double>(u.length);
    if (u.name == unit) return {length, length * static_cast<double>(u.sequences)};
  }
  if (unit == kSampleUnit) return {1, 1};
  const double length = std::max(1e6, static_cast<double>(a.default_length));
  return {length, length};
}

double product(std::initializer_list<std::int64_t> sizes) {
  double p = 2;
  for (const std::int64_t size : sizes) p *= static_cast<double>(std::max<std::int64_t>(size, 1));
  return p;
}

// Sizes are bounded one by one; their product is what could overflow.
double most_flops(const Operator& op, const Block& block, const Architecture& a) {
  const Extent extent = extent_of(a, op.unit);
  const double repeats = product({op.repeat, block.repeat}) * std::max(extent.units, 1.0);
  if (const auto* m = std::get_if<MatmulShape>(&op.shape)) return repeats * product({m->in, m->out, m->instances});
  if (const auto* c = std::get_if<ConvolutionShape>(&op.shape)) {
    return repeats * product({c->in, c->out, c->kernel, c->positions});
  }
  if (const auto* s = std::get_if<ScanShape>(&op.shape)) {
    return repeats * product({s->heads, s->key_dim, s->value_dim, 4});
  }
  if (const auto* c = std::get_if<ContractionShape>(&op.shape)) {
    return repeats * product({c->in, c->out}) * (c->along_sequence ? extent.length : 1);
  }
  if (const auto* t = std::get_if<AttentionShape>(&op.shape)) {
    const double keys = t->keys_unit.empty() ? extent.length : extent_of(a, t->keys_unit).units;
    return repeats * product({t->heads, t->qk_dim + t->v_dim}) * keys;
  }
  return repeats;
}

bool is_unit(const Architecture& a, std::string_view unit) {
  return unit.empty() || unit == a.unit || unit == kSampleUnit ||
         std::any_of(a.units.begin(), a.units.end(), [&](const UnitLength& u) { return u.name == unit; });
}

void check_unit(Sizes& s, std::string_view key, const std::string& unit, const Architecture& a) {
  if (is_unit(a, unit)) return;
  std::vector<std::string> known = {a.unit, std::string(kSampleUnit)};
  for (const UnitLength& u : a.units) known.push_back(u.name);
  s.keys.fail(key, fmt::format("'{:.40}' is no unit", unit), fmt::format("one of {}", fmt::join(known, ", ")),
              did_you_mean(unit, known));
}

struct Context {
  const std::string& file;
  const DimensionTable& dimensions;
  const Architecture& architecture;
};

Result<Operator> read_operator(const Node& table, std::string path, const Context& context) {
  Sizes s(table, context.file, std::move(path), context.dimensions);
  Operator op{.id = s.keys.required_text("id")};
  if (!s.keys.has("kind")) s.keys.fail("kind", "'kind' is missing", "matmul, attention, convolution, …");
  const Kind kind = choose(s, "kind", kKinds);
  op.shape = kind.read(s);
  op.role = read_role(s, kind.role);
  op.unit = s.keys.text("unit").value_or("");
  check_unit(s, "unit", op.unit, context.architecture);
  if (const auto* core = std::get_if<AttentionShape>(&op.shape)) {
    check_unit(s, "keys_unit", core->keys_unit, context.architecture);
  }
  op.repeat = s.size_or("repeat", 1);
  op.trainable = !s.keys.flag("frozen", false);
  op.reads_data = s.keys.flag("reads_data", false);
  op.recomputed = s.keys.flag("recompute", false);
  op.shares_weights = s.keys.flag("shares_weights", false);
  if (Status bad = s.keys.finish()) return *bad;
  return op;
}

Result<Block> read_block(const Node& table, std::string path, const Context& context) {
  Sizes s(table, context.file, path, context.dimensions);
  Block block{.id = s.keys.required_text("id"), .repeat = s.size_or("repeat", 1)};
  block.part = s.keys.text("part").value_or("");
  if (block.repeat > kMostRepeats) s.keys.fail("repeat", fmt::format("'repeat' is {}", block.repeat), "at most 100000");
  const std::vector<Node>& operators = s.keys.array("operators");
  if (operators.empty()) s.keys.fail("operators", "a block without operators", "a list of them");
  if (operators.size() > kMostOperators) s.keys.fail("operators", "more than 100000 operators");
  if (Status bad = s.keys.finish()) return *bad;
  if (block.repeat > 1) {  // layers, which recomputation repeats
    block.layers.resize(static_cast<std::size_t>(block.repeat));
    std::iota(block.layers.begin(), block.layers.end(), 0);
  }
  for (const Node& item : operators) {
    const std::string where = fmt::format("{}.operators[{}]", path, block.operators.size());
    NAMEPLATE_TRY(Operator op, read_operator(item, where, context));
    if (most_flops(op, block, context.architecture) > kMostFlops) {
      return Error{fmt::format("'{:.80}' would take more than 1e30 FLOPs for one sample", op.id),
                   "smaller sizes",
                   {context.file, item.line, item.column, where, {}},
                   {}};
    }
    block.operators.push_back(std::move(op));
  }
  return block;
}

Result<DimensionTable> read_dimensions(const Node* table, const std::string& file) {
  DimensionTable dimensions;
  if (table == nullptr) return dimensions;
  TableReader reader(*table, file, "model.dimensions");
  for (const auto& [key, node] : table->members) dimensions[key] = reader.count(key, 0).value_or(1);
  if (Status bad = reader.finish()) return *bad;
  return dimensions;
}

// "edge" = "20 * atoms", or { length = …, sequences = … }.
Status read_units(const Node* table, const std::string& file, const DimensionTable& dimensions, Architecture& a) {
  if (table == nullptr) return std::nullopt;
  Sizes units(*table, file, "model.units", dimensions);
  for (const auto& [key, node] : table->members) {
    UnitLength unit{.name = key};
    if (node.is(Node::Kind::object)) {
      units.keys.allow(key);
      Sizes one(node, file, fmt::format("model.units.{}", key), dimensions);
      unit.length = one.size("length");
      unit.sequences = one.size_or("sequences", 1);
      if (Status bad = one.keys.finish()) return bad;
    } else {
      unit.length = units.size(key);
    }
    a.units.push_back(std::move(unit));
  }
  return units.keys.finish();
}

}  // namespace

Result<Architecture> read_operator_list(const Node& table, const std::string& file) {
  NAMEPLATE_TRY(const DimensionTable dimensions, read_dimensions(table.find("dimensions"), file));
  Sizes s(table, file, "model", dimensions);
  Architecture a{.name = s.keys.text("name").value_or("model")};
  a.unit = s.keys.text("unit").value_or("token");
  a.default_length = s.size_or("length", 0);
  s.keys.table("dimensions");
  if (Status bad = read_units(s.keys.table("units"), file, dimensions, a)) return *bad;
  const std::vector<Node>& blocks = s.keys.array("blocks");
  if (Status bad = s.keys.finish()) return *bad;
  for (const Node& item : blocks) {
    const std::string where = fmt::format("model.blocks[{}]", a.blocks.size());
    NAMEPLATE_TRY(Block block, read_block(item, where, {file, dimensions, a}));
    a.blocks.push_back(std::move(block));
  }
  if (a.blocks.empty()) return error("a model without blocks", "give [[model.blocks]] with operators");
  return a;
}

}  // namespace nameplate
