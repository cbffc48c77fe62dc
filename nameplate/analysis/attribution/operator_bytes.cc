#include "nameplate/analysis/attribution/operator_bytes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/analysis/attribution/operator_flops.h"

namespace nameplate {
namespace {

enum class Moves { elementwise, in_place, overwrites, reads, picks_elements, picks_rows };

constexpr std::string_view kElementwise[] = {"add",
                                             "sub",
                                             "mul",
                                             "div",
                                             "rsub",
                                             "neg",
                                             "exp",
                                             "log",
                                             "sqrt",
                                             "rsqrt",
                                             "reciprocal",
                                             "pow",
                                             "abs",
                                             "sin",
                                             "cos",
                                             "erf",
                                             "tanh",
                                             "sigmoid",
                                             "gelu",
                                             "silu",
                                             "relu",
                                             "clamp",
                                             "clamp_min",
                                             "leaky_relu",
                                             "hardtanh",
                                             "maximum",
                                             "minimum",
                                             "addcmul",
                                             "addcdiv",
                                             "lerp",
                                             "cumsum",
                                             "threshold_backward",
                                             "gelu_backward",
                                             "silu_backward",
                                             "tanh_backward",
                                             "sigmoid_backward",
                                             "_softmax",
                                             "_log_softmax",
                                             "_softmax_backward_data",
                                             "_log_softmax_backward_data",
                                             "native_layer_norm",
                                             "native_group_norm",
                                             "native_batch_norm",
                                             "cudnn_batch_norm",
                                             "miopen_batch_norm",
                                             "native_dropout"};
constexpr std::string_view kOverwrites[] = {"copy_", "fill_", "zero_", "normal_", "uniform_", "random_"};
// Backward passes here write a gradient only where it is asked for.
constexpr std::string_view kReads[] = {"sum",
                                       "mean",
                                       "prod",
                                       "amax",
                                       "amin",
                                       "max",
                                       "min",
                                       "argmax",
                                       "argmin",
                                       "norm",
                                       "linalg_vector_norm",
                                       "var",
                                       "var_mean",
                                       "std",
                                       "logsumexp",
                                       "native_layer_norm_backward",
                                       "native_batch_norm_backward",
                                       "cudnn_batch_norm_backward",
                                       "miopen_batch_norm_backward",
                                       "embedding_dense_backward"};

template <std::size_t kSize>
bool is_one_of(const std::string_view (&names)[kSize], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::optional<Moves> moves_of(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  if (!name.starts_with(kAten)) return std::nullopt;
  name.remove_prefix(kAten.size());
  if (name == "gather") return Moves::picks_elements;
  if (name == "index_select" || name == "embedding") return Moves::picks_rows;
  if (is_one_of(kElementwise, name)) return Moves::elementwise;
  if (is_one_of(kOverwrites, name)) return Moves::overwrites;
  if (is_one_of(kReads, name)) return Moves::reads;
  if (name.ends_with('_') && is_one_of(kElementwise, name.substr(0, name.size() - 1))) return Moves::in_place;
  return std::nullopt;
}

// Bytes of one element; nothing for what is no tensor's type.
std::optional<double> element_bytes(std::string_view type) {
  constexpr std::pair<std::string_view, double> kSizes[] = {
      {"float", 4}, {"c10::BFloat16", 2}, {"c10::Half", 2},     {"double", 8},      {"long int", 8}, {"long", 8},
      {"int", 4},   {"bool", 1},          {"unsigned char", 1}, {"signed char", 1}, {"short", 2}};
  for (const auto& [name, size] : kSizes) {
    if (name == type) return size;
  }
  return type.starts_with("c10::Float8") ? std::optional(1.0) : std::nullopt;
}

struct Tensor {
  std::size_t argument = 0;
  double elements = 0;
  double element_bytes = 0;
  double largest_dim = 1;
  double bytes() const { return elements * element_bytes; }
};

// The arguments that are tensors; nothing where the type of one is not recorded.
std::optional<std::vector<Tensor>> tensors_of(const Operands& o) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < o.dims.size(); ++i) {
    if (o.dims[i].empty()) continue;
    const auto size = i < o.types.size() ? element_bytes(o.types[i]) : std::nullopt;
    if (!size) return std::nullopt;
    Tensor t{i, 1, *size, 1};
    for (const std::int64_t d : o.dims[i]) {
      t.elements *= static_cast<double>(d);
      t.largest_dim = std::max(t.largest_dim, static_cast<double>(d));
    }
    tensors.push_back(t);
  }
  return tensors;
}

double narrowest(const std::vector<Tensor>& tensors) {
  double size = tensors.front().element_bytes;
  for (const Tensor& t : tensors) size = std::min(size, t.element_bytes);
  return size;
}

double bytes_of(Moves moves, const std::vector<Tensor>& tensors) {
  const Tensor& first = tensors.front();
  double all = 0, most_elements = 0;
  for (const Tensor& t : tensors) {
    all += t.bytes();
    most_elements = std::max(most_elements, t.elements);
  }
  switch (moves) {
    case Moves::elementwise:
      return all + most_elements * narrowest(tensors);
    case Moves::in_place:
      return all + first.bytes();
    case Moves::overwrites:
    case Moves::reads:
      return all;
    case Moves::picks_elements:
    case Moves::picks_rows: {
      if (tensors.size() < 2) return 0;
      const Tensor& index = tensors[1];
      // Which dimension is picked from is not recorded: the longest gives the shortest rows.
      const double picked = moves == Moves::picks_elements ? 1 : first.elements / first.largest_dim;
      return index.bytes() + index.elements * picked * first.element_bytes;
    }
  }
  return 0;
}

double matrix_bytes(const MatrixTraffic& traffic, const std::vector<Tensor>& tensors) {
  double bytes = 0;
  for (const Tensor& t : tensors) {
    if (std::find(traffic.read.begin(), traffic.read.end(), t.argument) != traffic.read.end()) bytes += t.bytes();
  }
  return bytes + traffic.result_elements * narrowest(tensors);
}

}  // namespace

std::optional<double> operator_bytes(std::string_view operator_name, const Operands& operands) {
  const auto tensors = tensors_of(operands);
  if (!tensors || tensors->empty()) return std::nullopt;
  const auto moves = moves_of(operator_name);
  const auto matrix = moves ? std::nullopt : matrix_traffic(operator_name, operands);
  if (!moves && !matrix) return std::nullopt;
  const double bytes = moves ? bytes_of(*moves, *tensors) : matrix_bytes(*matrix, *tensors);
  // Shapes are input: what cannot be a count is no count.
  return bytes > 0 && bytes < 1e18 ? std::optional(bytes) : std::nullopt;
}

}  // namespace nameplate
