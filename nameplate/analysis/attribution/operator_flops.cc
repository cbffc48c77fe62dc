#include "nameplate/analysis/attribution/operator_flops.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace nameplate {
namespace {

using Dims = std::vector<std::int64_t>;

enum class Formula { matmul, grouped, linear, convolution, convolution_backward, attention };

// Places of arguments. Attention: a is q, and k and v follow it; b says where `causal` stands, c how many times the
// forward's work it is, and `heads_last_but_one` that the layout is [B, S, H, D].
struct Rule {
  std::string_view name;
  Formula formula;
  std::size_t a = 0;
  std::size_t b = 1;
  int times = 1;
  bool heads_last_but_one = false;
};

constexpr Rule kRules[] = {
    {"aten::mm", Formula::matmul, 0, 1},
    {"aten::bmm", Formula::matmul, 0, 1},
    {"aten::matmul", Formula::matmul, 0, 1},
    {"aten::addmm", Formula::matmul, 1, 2},
    {"aten::addmm_", Formula::matmul, 1, 2},
    {"aten::baddbmm", Formula::matmul, 1, 2},
    {"aten::_addmm_activation", Formula::matmul, 1, 2},
    {"aten::_scaled_mm", Formula::matmul, 0, 1},
    {"aten::_int_mm", Formula::matmul, 0, 1},
    {"aten::_grouped_mm", Formula::grouped, 0, 1},
    {"aten::_scaled_grouped_mm", Formula::grouped, 0, 1},
    {"aten::linear", Formula::linear, 0, 1},
    {"aten::conv1d", Formula::convolution, 0, 1},
    {"aten::conv2d", Formula::convolution, 0, 1},
    {"aten::conv3d", Formula::convolution, 0, 1},
    {"aten::convolution", Formula::convolution, 0, 1},
    {"aten::_convolution", Formula::convolution, 0, 1},
    {"aten::convolution_backward", Formula::convolution_backward, 0, 2},
    {"aten::scaled_dot_product_attention", Formula::attention, 0, 5},
    {"aten::_scaled_dot_product_flash_attention", Formula::attention, 0, 4},
    {"aten::_scaled_dot_product_efficient_attention", Formula::attention, 0, 6},
    {"aten::_scaled_dot_product_cudnn_attention", Formula::attention, 0, 6},
    {"aten::_scaled_dot_product_flash_attention_backward", Formula::attention, 1, 11, 2},
    {"aten::_scaled_dot_product_efficient_attention_backward", Formula::attention, 1, 11, 2},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Formula::attention, 1, 14, 2},
    {"flash_attn::_flash_attn_forward", Formula::attention, 0, 5, 1, true},
    {"flash_attn::_flash_attn_backward", Formula::attention, 1, 11, 2, true},
};

const Rule* find_rule(std::string_view name) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.name == name; });
  return rule == std::end(kRules) ? nullptr : rule;
}

double product(const Dims& dims, std::size_t from = 0) {
  double all = 1;
  for (std::size_t i = from; i < dims.size(); ++i) all *= static_cast<double>(dims[i]);
  return all;
}

const Dims* dims_of(const Operands& o, std::size_t argument, std::size_t least) {
  if (argument >= o.dims.size() || o.dims[argument].size() < least) return nullptr;
  return &o.dims[argument];
}

std::string_view value_of(const Operands& o, std::size_t argument) {
  return argument < o.values.size() ? std::string_view(o.values[argument]) : std::string_view();
}

// "[2, 1]"; empty when it is no list of integers.
Dims parse_list(std::string_view text) {
  Dims list;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    std::int64_t value = 0;
    const auto [next, bad] = std::from_chars(at, end, value);
    if (bad == std::errc()) list.push_back(value);
    at = bad == std::errc() ? next : at + 1;
  }
  return list;
}

std::optional<double> matmul_flops(const Operands& o, const Rule& rule) {
  const Dims* a = dims_of(o, rule.a, 1);
  const Dims* b = dims_of(o, rule.b, 1);
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (rule.formula == Formula::linear) return 2 * product(*a) * (b->size() > 1 ? static_cast<double>(b->front()) : 1);
  // A batch that is broadcast is counted where the framework has expanded it: in the operator inside.
  const bool same_batch =
      b->size() <= 2 || (a->size() == b->size() && std::equal(a->begin(), a->end() - 2, b->begin()));
  if (rule.formula == Formula::matmul && !same_batch) return std::nullopt;
  return 2 * product(*a) * (b->size() > 1 ? static_cast<double>(b->back()) : 1);
}

// A list of one value stands for every dimension.
double entry(const Dims& list, std::size_t i) { return static_cast<double>(list[std::min(i, list.size() - 1)]); }

std::optional<double> convolution_flops(const Operands& o, const Rule& rule) {
  const Dims* in = dims_of(o, rule.a, 3);
  const Dims* weight = dims_of(o, rule.b, 3);
  if (in == nullptr || weight == nullptr || in->size() != weight->size()) return std::nullopt;
  if (rule.name.ends_with("convolution") && value_of(o, 6) == "True") return 2 * product(*in) * product(*weight, 1);
  const Dims stride = parse_list(value_of(o, 3));
  const Dims padding = parse_list(value_of(o, 4));
  const Dims dilation = parse_list(value_of(o, 5));
  if (stride.empty() || padding.empty() || dilation.empty()) return std::nullopt;
  double out = static_cast<double>(in->front());
  for (std::size_t i = 2; i < in->size(); ++i) {
    // Output elements of one spatial dimension: PyTorch's documentation of Conv2d.
    const double reach = entry(dilation, i - 2) * static_cast<double>((*weight)[i] - 1) + 1;
    const double room = static_cast<double>((*in)[i]) + 2 * entry(padding, i - 2) - reach;
    out *= std::floor(room / entry(stride, i - 2)) + 1;
  }
  return 2 * out * product(*weight);
}

// Whether the gradients of input and weight are asked for; of output_mask, "[True, True, False]".
std::pair<bool, bool> gradients_asked(const Operands& o) {
  const std::string_view mask = value_of(o, 10);
  const std::size_t second = mask.find(", ");
  return {mask.starts_with("[True"), second != mask.npos && mask.substr(second + 2).starts_with("True")};
}

// Of (grad_output, input, weight, …, transposed [7], …, output_mask [10]).
std::optional<double> convolution_backward_flops(const Operands& o) {
  const Dims* grad = dims_of(o, 0, 3);
  const Dims* in = dims_of(o, 1, 3);
  const Dims* weight = dims_of(o, 2, 3);
  if (grad == nullptr || in == nullptr || weight == nullptr) return std::nullopt;
  if (!value_of(o, 10).starts_with('[')) return std::nullopt;
  const auto [of_input, of_weight] = gradients_asked(o);
  return (of_input + of_weight) * 2 * product(value_of(o, 7) == "True" ? *in : *grad) * product(*weight, 1);
}

std::optional<double> attention_flops(const Operands& o, const Rule& rule) {
  const Dims* q = dims_of(o, rule.a, 4);
  const Dims* k = dims_of(o, rule.a + 1, 4);
  const Dims* v = dims_of(o, rule.a + 2, 4);
  const std::string_view causal = value_of(o, rule.b);
  if (q == nullptr || k == nullptr || v == nullptr || (causal != "True" && causal != "False")) return std::nullopt;
  const std::size_t sequence = rule.heads_last_but_one ? 1 : 2;
  const double pairs = product(*q) / static_cast<double>((*q)[3]) * static_cast<double>((*k)[sequence]);
  return rule.times * 2 * pairs * static_cast<double>((*q)[3] + (*v)[3]) * (causal == "True" ? 0.5 : 1);
}

std::optional<double> flops(const Operands& o, const Rule& rule) {
  switch (rule.formula) {
    case Formula::matmul:
    case Formula::grouped:
    case Formula::linear:
      return matmul_flops(o, rule);
    case Formula::convolution:
      return convolution_flops(o, rule);
    case Formula::convolution_backward:
      return convolution_backward_flops(o);
    case Formula::attention:
      return attention_flops(o, rule);
  }
  return std::nullopt;
}

// "c10::BFloat16", "float", "c10::Float8_e4m3fn".
std::optional<Precision> precision_of(std::string_view type) {
  if (type.starts_with("c10::")) type.remove_prefix(5);
  if (type.starts_with("Float8")) return Precision::fp8;
  return parse_precision(type);
}

MatrixTraffic traffic(const Operands& o, const Rule& rule, double flops) {
  const double inner = std::max(1.0, static_cast<double>(o.dims[rule.a].back()));
  switch (rule.formula) {
    case Formula::matmul:
    case Formula::linear:
      return {{rule.a, rule.b}, flops / 2 / inner};
    case Formula::grouped:  // experts without tokens are not read
      return {{rule.a}, flops / 2 / inner};
    case Formula::convolution:
      return {{rule.a, rule.b}, flops / 2 / std::max(1.0, product(o.dims[rule.b], 1))};
    case Formula::convolution_backward: {
      const auto [of_input, of_weight] = gradients_asked(o);
      MatrixTraffic t{{0}, of_input * product(o.dims[1]) + of_weight * product(o.dims[2])};
      if (of_input) t.read.push_back(2);
      if (of_weight) t.read.push_back(1);
      return t;
    }
    case Formula::attention: {
      const Dims &q = o.dims[rule.a], &k = o.dims[rule.a + 1], &v = o.dims[rule.a + 2];
      if (rule.times > 1) {  // backward: the gradient of the result, and a gradient of each input
        return {{0, rule.a, rule.a + 1, rule.a + 2}, product(q) + product(k) + product(v)};
      }
      return {{rule.a, rule.a + 1, rule.a + 2}, product(q) / static_cast<double>(q[3]) * static_cast<double>(v[3])};
    }
  }
  return {};
}

}  // namespace

bool has_flops_formula(std::string_view operator_name) { return find_rule(operator_name) != nullptr; }

std::optional<OperatorWork> operator_work(std::string_view operator_name, const Operands& operands) {
  const Rule* rule = find_rule(operator_name);
  if (rule == nullptr) return std::nullopt;
  const auto count = flops(operands, *rule);
  // Shapes are input: what cannot be a count is no count.
  if (!count || !(*count >= 0) || *count > 1e30) return std::nullopt;
  OperatorWork work{.flops = *count};
  if (rule->formula == Formula::attention) work.causal = value_of(operands, rule->b) == "True";
  if (rule->a < operands.types.size()) work.precision = precision_of(operands.types[rule->a]);
  return work;
}

std::optional<Precision> recorded_precision(const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    if (const auto precision = precision_of(type)) return precision;
  }
  return std::nullopt;
}

std::optional<MatrixTraffic> matrix_traffic(std::string_view operator_name, const Operands& operands) {
  const Rule* rule = find_rule(operator_name);
  const auto work = operator_work(operator_name, operands);
  return work ? std::optional(traffic(operands, *rule, work->flops)) : std::nullopt;
}

}  // namespace nameplate
