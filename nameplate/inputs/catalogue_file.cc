#include "nameplate/inputs/catalogue_file.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <utility>

#include "nameplate/core/text.h"
#include "nameplate/core/units.h"
#include "nameplate/inputs/decoder_keys.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {
namespace {

using Sources = std::map<std::string, Source, std::less<>>;
using SourceIds = std::map<std::string, std::string, std::less<>>;

constexpr std::array kDeviceKinds = {DeviceKind::gpu, DeviceKind::tpu, DeviceKind::npu, DeviceKind::cpu};
constexpr std::array kConfidences = {Confidence::high, Confidence::medium, Confidence::low};
// The keys whose source is kept apart when it is not the entry's.
constexpr std::array<std::string_view, 6> kFields = {"memory_size", "memory_bandwidth", "memory_kind",
                                                     "power_max",   "compute_units",    "software_devices"};

// The member of a closed set that the text at `key` names.
template <class Enum, std::size_t kSize>
Enum choice(TableReader& reader, std::string_view key, const std::array<Enum, kSize>& all) {
  std::string given = reader.required_text(key);
  std::string names;
  for (Enum one : all) {
    if (name(one) == given) return one;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name(one));
  }
  reader.fail(key, fmt::format("'{:.80}'", given), "one of " + names);
  return all[0];
}

Result<Source> read_source(const Node& node, const std::string& file, const std::string& id) {
  TableReader reader(node, file, "sources." + id);
  Source source;
  source.text = reader.required_text("text");
  source.confidence = choice(reader, "confidence", kConfidences);
  source.date = reader.required_text("date");
  if (Status error = reader.finish()) return *error;
  return source;
}

Result<Sources> read_sources(TableReader& top, const std::string& file) {
  Sources sources;
  const Node* table = top.table("sources");
  if (!table) return sources;
  for (const auto& [id, node] : table->members) {
    NAMEPLATE_TRY(Source source, read_source(node, file, id));
    sources.emplace(id, std::move(source));
  }
  return sources;
}

SourceIds read_source_ids(TableReader& reader, std::string_view key) {
  SourceIds ids;
  const Node* table = reader.table(key);
  if (!table) return ids;
  for (const auto& [field, node] : table->members) {
    if (node.is(Node::Kind::string))
      ids.emplace(field, node.string);
    else
      reader.fail(key, fmt::format("'{:.80}'", field), "the id of a source");
  }
  return ids;
}

// Finds the source of each value of one entry.
class SourceFinder {
 public:
  SourceFinder(TableReader& reader, const Sources& sources, const SourceIds& of_file)
      : reader_(reader), sources_(sources), of_file_(of_file), of_entry_(read_source_ids(reader, "sources")) {
    entry_ = find("source", reader_.required_text("source"));
  }

  const Source& entry() const { return entry_; }

  // The source of the value at `key`, or of the table `key` that it stands in; nothing: the entry's.
  std::optional<Source> own(const std::string& key, const std::string& table = {}) {
    for (const SourceIds& ids : {std::cref(of_entry_), std::cref(of_file_)}) {
      for (const std::string& wanted : {std::cref(key), std::cref(table)}) {
        if (auto it = ids.find(wanted); it != ids.end()) return find("sources", it->second);
      }
    }
    return std::nullopt;
  }
  Source of(const std::string& key, const std::string& table = {}) { return own(key, table).value_or(entry_); }

  Source find(std::string_view key, std::string_view id) {
    if (auto it = sources_.find(id); it != sources_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [each, source] : sources_) known.push_back(each);
    reader_.fail(key, fmt::format("unknown source '{:.80}'", id), "an id of [sources]", did_you_mean(id, known));
    return {};
  }

 private:
  TableReader& reader_;
  const Sources& sources_;
  const SourceIds& of_file_;
  SourceIds of_entry_;
  Source entry_;
};

// Calls `keep(precision, rate, source)` for each member of the table `key`: { bf16 = 989.4, fp8 = 1979 }, in TFLOP/s.
template <class Keep>
void read_rates(TableReader& reader, SourceFinder& sources, const std::string& key, const Keep& keep) {
  const Node* table = reader.table(key);
  if (!table) return;
  for (const auto& [precision_name, node] : table->members) {
    std::optional<Precision> precision = parse_precision(precision_name);
    std::optional<double> rate = node.as_number();
    if (!precision || !rate || !(*rate > 0) || *rate > 1e9) {
      reader.fail(key, fmt::format("'{:.80}'", precision_name), "a precision with a positive number of TFLOP/s");
      return;
    }
    keep(*precision, tflops_per_s(*rate), sources.of(key + "." + precision_name, key));
  }
}

Result<Link> read_link(const Node& node, const std::string& file, SourceFinder& sources) {
  TableReader reader(node, file, "links");
  Link link;
  link.kind = reader.required_text("kind");
  if (!reader.has("per_direction")) reader.fail("per_direction", "'per_direction' is missing", "a bandwidth");
  link.bandwidth_per_direction = reader.quantity("per_direction", parse_bandwidth).value_or(BytesPerSecond{});
  link.peer_bandwidth = reader.quantity("peer", parse_bandwidth);
  std::optional<std::int64_t> domain = reader.count("domain");
  if (domain) link.domain_size = static_cast<int>(*domain);
  link.topology = reader.text("topology").value_or("");
  std::optional<std::string> id = reader.text("source");
  link.source = id ? sources.find("links", *id) : sources.of("links");
  if (Status error = reader.finish()) return *error;
  return link;
}

std::optional<int> small_count(TableReader& reader, std::string_view key) {
  std::optional<std::int64_t> value = reader.count(key);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

void read_identity(TableReader& reader, Accelerator& device) {
  device.sku = reader.required_text("sku");
  device.kind = choice(reader, "kind", kDeviceKinds);
  device.aliases = reader.texts("aliases");
  device.form_factor = reader.text("form_factor").value_or("");
  device.release_year = small_count(reader, "release_year").value_or(0);
  device.notes = reader.text("notes").value_or("");
}

void read_body(TableReader& reader, Accelerator& device) {
  device.memory_size = reader.quantity("memory_size", parse_bytes);
  device.memory_bandwidth = reader.quantity("memory_bandwidth", parse_bandwidth);
  device.memory_kind = reader.text("memory_kind").value_or("");
  device.power_idle = reader.quantity("power_idle", parse_power);
  device.power_max = reader.quantity("power_max", parse_power);
  device.power_cap = reader.quantity("power_cap", parse_power);
  device.compute_units = small_count(reader, "compute_units");
  device.software_devices = small_count(reader, "software_devices").value_or(1);
}

void read_speeds(TableReader& reader, SourceFinder& sources, Accelerator& device) {
  read_rates(reader, sources, "dense_tflops", [&](Precision precision, FlopsPerSecond rate, Source source) {
    device.peaks.push_back({precision, Sparsity::dense, rate, std::move(source)});
  });
  read_rates(reader, sources, "sparse_tflops", [&](Precision precision, FlopsPerSecond rate, Source source) {
    device.peaks.push_back({precision, Sparsity::sparse, rate, std::move(source)});
  });
  read_rates(reader, sources, "matmul_tflops", [&](Precision precision, FlopsPerSecond rate, Source source) {
    device.achievable.push_back({precision, rate, std::move(source)});
  });
}

struct AcceleratorDefaults {
  std::string vendor;
  Sources sources;
  SourceIds field_sources;
};

Result<Accelerator> read_accelerator(const Node& node, const std::string& file, const AcceleratorDefaults& defaults) {
  const Node* sku = node.find("sku");
  TableReader reader(node, file, fmt::format("accelerator '{:.80}'", sku ? sku->string : ""));
  Accelerator device;
  device.vendor = defaults.vendor;
  read_identity(reader, device);
  read_body(reader, device);
  SourceFinder sources(reader, defaults.sources, defaults.field_sources);
  device.source = sources.entry();
  read_speeds(reader, sources, device);
  for (std::string_view field : kFields) {
    std::optional<Source> own = sources.own(std::string(field));
    if (own && node.find(field)) device.field_sources.push_back({std::string(field), std::move(*own)});
  }
  for (const Node& link_node : reader.array("links")) {
    NAMEPLATE_TRY(Link link, read_link(link_node, file, sources));
    device.links.push_back(std::move(link));
  }
  if (Status error = reader.finish()) return *error;
  return device;
}

Result<CatalogueModel> read_model(const Node& node, const std::string& file, const Sources& sources) {
  const Node* model_name = node.find("name");
  TableReader reader(node, file, fmt::format("model '{:.80}'", model_name ? model_name->string : ""));
  CatalogueModel model;
  std::string name = reader.required_text("name");
  model.aliases = reader.texts("aliases");
  model.published_parameters = reader.positive("parameters");
  model.published_active_parameters = reader.positive("active_parameters");
  model.notes = reader.text("notes").value_or("");
  model.source = SourceFinder(reader, sources, {}).entry();
  const Node* shape = reader.table("shape");
  if (!shape) reader.fail("shape", "'shape' is missing", "a table of dimensions");
  if (Status error = reader.finish()) return *error;
  NAMEPLATE_TRY(model.shape, read_decoder_shape(*shape, file));
  model.shape.name = std::move(name);
  return model;
}

}  // namespace

Result<AcceleratorFile> read_accelerator_file(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  AcceleratorFile result;
  AcceleratorDefaults defaults;
  defaults.vendor = top.required_text("vendor");
  result.vendor_words = top.texts("words");
  NAMEPLATE_TRY(defaults.sources, read_sources(top, file));
  defaults.field_sources = read_source_ids(top, "field_sources");
  for (const Node& node : top.array("accelerator")) {
    NAMEPLATE_TRY(Accelerator device, read_accelerator(node, file, defaults));
    result.accelerators.push_back(std::move(device));
  }
  if (Status error = top.finish()) return *error;
  return result;
}

Result<std::vector<CatalogueModel>> read_model_file(std::string_view text, const std::string& file) {
  NAMEPLATE_TRY(Node root, parse_toml(text, file));
  TableReader top(root, file, "");
  std::vector<CatalogueModel> models;
  NAMEPLATE_TRY(Sources sources, read_sources(top, file));
  for (const Node& node : top.array("model")) {
    NAMEPLATE_TRY(CatalogueModel model, read_model(node, file, sources));
    models.push_back(std::move(model));
  }
  if (Status error = top.finish()) return *error;
  return models;
}

}  // namespace nameplate
