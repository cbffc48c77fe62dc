// Prometheus' text exposition format, as DCGM's and the node exporter serve it: one reading of all gauges.
//
//   # HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).
//   # TYPE DCGM_FI_DEV_SM_CLOCK gauge
//   DCGM_FI_DEV_SM_CLOCK{gpu="0", UUID="GPU-604ac76c"} 139 [milliseconds since 1970]
//
// Every metric is kept under its own name; HELP says what it is. The subject is the label gpu (with GPU_I_ID of a MIG
// slice), device or instance. DCGM writes values that it does not have as "blank" numbers near the ends of its integers
// and as 2^47 and above: no temperature, so dropped and counted; NaN and infinities likewise.
// Source: Prometheus, Exposition formats (text format 0.0.4); DCGM 3.3, dcgm_structs.h (DCGM_INT32_BLANK 0x7ffffff0,
// DCGM_INT64_BLANK 0x7ffffffffffffff0, DCGM_FP64_BLANK 140737488355328.0).

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

bool fits(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    if (!line.starts_with("# TYPE ")) return false;
    const std::string_view kind = line.substr(line.rfind(' ') + 1);
    return kind == "gauge" || kind == "counter" || kind == "untyped" || kind == "summary" || kind == "histogram";
  });
}

bool is_blank(std::string_view name, double value) {
  if (!name.starts_with("DCGM_")) return false;
  constexpr double kInt32 = 2147483632;
  constexpr double kFp64 = 140737488355328.0;
  constexpr double kInt64 = 9223372036854775792.0;
  return (value >= kInt32 && value <= kInt32 + 15) || (value >= kFp64 && value <= kFp64 + 15) || value >= kInt64;
}

using Labels = std::vector<std::pair<std::string, std::string>>;

// The labels at the start of `text`, which is moved past their closing brace; false when they are not well formed.
bool take_labels(std::string_view& text, Labels& labels) {
  text.remove_prefix(1);
  for (;;) {
    text = trim(text);
    if (text.starts_with(",")) {
      text.remove_prefix(1);
      continue;
    }
    if (text.starts_with("}")) {
      text.remove_prefix(1);
      return true;
    }
    const std::size_t equals = text.find("=\"");
    if (equals == kNone) return false;
    std::string value;
    std::size_t at = equals + 2;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      value += text[at];
    }
    if (at >= text.size()) return false;
    labels.emplace_back(trim(text.substr(0, equals)), std::move(value));
    text.remove_prefix(at + 1);
  }
}

std::string label(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return {};
}

std::string subject_of(const Labels& labels) {
  if (const std::string gpu = label(labels, "gpu"); !gpu.empty()) {
    const std::string slice = label(labels, "GPU_I_ID");
    return "gpu " + gpu + (slice.empty() ? "" : " slice " + slice);
  }
  for (const std::string_view key : {"device", "instance", "cpu"}) {
    if (std::string value = label(labels, key); !value.empty()) return value;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(ClusterRecords& records) : records_(records) {}

  void take(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.empty()) return;
    if (text.starts_with("# HELP ")) return field(text.substr(7), &MetricField::meaning);
    if (text.starts_with("# TYPE ")) return field(text.substr(7), &MetricField::type);
    if (!text.starts_with("#")) sample(text);
  }

 private:
  void field(std::string_view text, std::string MetricField::*member) {
    const std::size_t blank = text.find(' ');
    if (blank == kNone) return;
    const std::string_view name = text.substr(0, blank);
    if (records_.fields.empty() || records_.fields.back().name != name) {
      records_.fields.push_back({std::string(name), {}, {}});
    }
    records_.fields.back().*member = std::string(trim(text.substr(blank)));
  }

  void sample(std::string_view text) {
    ++records_.entries;
    Metric metric;
    std::size_t end = 0;
    while (end < text.size() && is_name(text[end])) ++end;
    metric.name = std::string(text.substr(0, end));
    text.remove_prefix(end);
    text = trim(text);
    if (metric.name.empty() || !is_name_start(metric.name[0])) return unreadable();
    if (text.starts_with("{") && !take_labels(text, metric.labels)) return unreadable();
    text = trim(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const auto value = parse_number(word);
    if (!value) return word == "NaN" || word.ends_with("Inf") ? blank() : unreadable();
    if (is_blank(metric.name, *value)) return blank();
    metric.value = *value;
    metric.subject = subject_of(metric.labels);
    if (const auto time = parse_integer(trim(text.substr(word.size())))) {
      metric.time_s = static_cast<double>(*time) / 1e3;
      widen(records_, metric.time_s);
    }
    records_.metrics.push_back(std::move(metric));
  }

  void unreadable() {
    add_defect(records_.defects, {"records.unreadable_row", {{"file", records_.file}}}, Severity::data_loss);
  }
  void blank() { add_defect(records_.defects, {"records.blank_value", {{"file", records_.file}}}, Severity::info); }

  ClusterRecords& records_;
};

Status read(const RecordInput& input, ClusterRecords& records) {
  Reader reader(records);
  return read_record_lines(input, records, [&](std::string_view line, std::int64_t) { reader.take(line); });
}

}  // namespace

const RecordFormat kPrometheusFormat{"prometheus", fits, read};

}  // namespace nameplate
