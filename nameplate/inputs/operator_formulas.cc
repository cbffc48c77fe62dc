#include "nameplate/inputs/operator_formulas.h"

#include <cctype>

#include <fmt/format.h>

#include "nameplate/core/node.h"
#include "nameplate/inputs/dimension_expression.h"

namespace nameplate {
namespace {

constexpr std::int64_t kMostFlops = 9'000'000'000'000'000'000;

Error wrong(const Node& node, std::string found, std::string expected, std::string_view toml, const std::string& file) {
  return {std::move(found),
          std::move(expected),
          {.file = file, .line = node.line, .column = node.column, .source_line = source_line(toml, node.line)},
          {}};
}

DimensionTable dimensions_of(const Operands& operands) {
  DimensionTable table;
  for (std::size_t i = 0; i < operands.dims.size(); ++i) {
    for (std::size_t j = 0; j < operands.dims[i].size(); ++j) {
      table.emplace(fmt::format("a{}_{}", i, j), operands.dims[i][j]);
    }
  }
  return table;
}

// Every name in the expression as 1, to see whether it can be read at all.
DimensionTable ones(std::string_view expression) {
  DimensionTable table;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= expression.size(); ++i) {
    const bool in_name =
        i < expression.size() && (std::isalnum(static_cast<unsigned char>(expression[i])) != 0 || expression[i] == '_');
    if (in_name) continue;
    const std::string_view word = expression.substr(begin, i - begin);
    std::size_t digits = 1;
    while (digits < word.size() && std::isdigit(static_cast<unsigned char>(word[digits])) != 0) ++digits;
    const bool dimension = word.size() > 3 && word[0] == 'a' && digits > 1 && digits + 1 < word.size() &&
                           word[digits] == '_' && word.substr(digits + 1).find_first_not_of("0123456789") == word.npos;
    if (dimension) table.emplace(word, 1);
    begin = i + 1;
  }
  return table;
}

}  // namespace

Status OperatorFormulas::add(std::string_view toml, const std::string& file) {
  auto root = parse_toml(toml, file);
  if (!root.ok()) return root.error();
  const Node* entries = root->find("operator");
  if (entries == nullptr || !entries->is(Node::Kind::array)) {
    return Error{"no operators", "tables [[operator]] with name and flops", {.file = file}, {}};
  }
  for (const Node& entry : entries->items) {
    const Node* name = entry.find("name");
    const Node* flops = entry.find("flops");
    if (name == nullptr || name->as_string().value_or("").empty()) {
      return wrong(name == nullptr ? entry : *name, "an operator without a name", "name = \"mylib::op\"", toml, file);
    }
    if (flops == nullptr || !flops->as_string()) {
      return wrong(flops == nullptr ? entry : *flops, "an operator without a formula", "flops = \"2 * a0_0 * a1_1\"",
                   toml, file);
    }
    Formula formula{std::string(*name->as_string()), false, std::string(*flops->as_string())};
    const Result<std::int64_t> tried = evaluate_dimension(formula.flops, ones(formula.flops), kMostFlops);
    // With every dimension 1 a division may leave a remainder, which says nothing of the formula.
    if (!tried.ok() && tried.error().found.find("remainder") == std::string::npos &&
        tried.error().found.find("division by zero") == std::string::npos) {
      Error bad = wrong(*flops, tried.error().found, "aI_J (dimension J of argument I), whole numbers, + - * / ( )",
                        toml, file);
      return bad;
    }
    if (formula.name.ends_with('*')) {
      formula.any_rest = true;
      formula.name.pop_back();
    }
    formulas_.push_back(std::move(formula));
  }
  return std::nullopt;
}

std::optional<double> OperatorFormulas::flops(std::string_view operator_name, const Operands& operands) const {
  for (const Formula& formula : formulas_) {
    const bool fits = formula.any_rest ? operator_name.starts_with(formula.name) : operator_name == formula.name;
    if (!fits) continue;
    const Result<std::int64_t> count = evaluate_dimension(formula.flops, dimensions_of(operands), kMostFlops);
    return count.ok() ? std::optional(static_cast<double>(*count)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace nameplate
