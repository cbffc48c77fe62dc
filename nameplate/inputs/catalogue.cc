#include "nameplate/inputs/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/catalogue_file.h"
#include "nameplate/inputs/device_name.h"

namespace nameplate {
namespace {

constexpr std::string_view kAccelerators = "accelerators/";
constexpr std::string_view kModels = "models/";
constexpr std::int64_t kMostFileBytes = 16 << 20;

struct CatalogueFile {
  std::string name;  // shown in errors
  std::string text;
};
using CatalogueFiles = std::map<std::string, CatalogueFile>;  // by path below data/: a fixed order

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

CatalogueFiles embedded_catalogue() {
  CatalogueFiles files;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!begins_with(file.path, kAccelerators) && !begins_with(file.path, kModels)) continue;
    std::string path(file.path);
    files[path] = {"data/" + path, std::string(file.text)};
  }
  return files;
}

// Puts the .toml files of directory/folder over `files`; returns how many there are.
Result<int> overlay(const std::string& directory, std::string_view folder, CatalogueFiles& files) {
  namespace fs = std::filesystem;
  std::error_code failed;
  int count = 0;
  for (fs::directory_iterator it(fs::path(directory) / folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (it->path().extension() != ".toml") continue;
    std::string name = it->path().string();
    NAMEPLATE_TRY(std::string text, read_file(name, kMostFileBytes));
    files[std::string(folder) + it->path().filename().string()] = {std::move(name), std::move(text)};
    ++count;
  }
  return count;
}

std::vector<std::string> names_of(const Accelerator& device) {
  std::vector<std::string> names = {device.sku};
  names.insert(names.end(), device.aliases.begin(), device.aliases.end());
  return names;
}

bool includes_folded(const std::vector<std::string>& names, std::string_view lower_name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) { return to_lower(each) == lower_name; });
}

// One accelerator as the names that may mean it.
struct KnownDevice {
  const Accelerator* device = nullptr;
  std::vector<DeviceName> names;
  std::vector<std::string> words;  // of all names, and of its memory and form

  bool is(const DeviceName& name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
  bool has_product(const std::string& product) const {
    return std::any_of(names.begin(), names.end(), [&](const DeviceName& each) { return each.product == product; });
  }
  bool may_be(const DeviceName& name) const {
    bool family = std::any_of(names.begin(), names.end(),
                              [&](const DeviceName& each) { return of_family(each.product, name.product); });
    return family && std::all_of(name.words.begin(), name.words.end(),
                                 [&](const std::string& word) { return has_word(words, word); });
  }
};

KnownDevice known_device(const Accelerator& device, const std::vector<std::string>& vendor_words) {
  KnownDevice known{&device, {}, {}};
  for (const std::string& each : names_of(device)) {
    DeviceName name = device_name(each, vendor_words);
    known.words.insert(known.words.end(), name.words.begin(), name.words.end());
    known.names.push_back(std::move(name));
  }
  // "0" stands for the product, so that all that follows are words.
  DeviceName body = device_name(fmt::format("0 {} {}", device.memory_kind, device.form_factor), {});
  known.words.insert(known.words.end(), body.words.begin(), body.words.end());
  if (device.memory_size) known.words.push_back(fmt::format("{:g}gb", device.memory_size->base() / 1e9));
  return known;
}

// Devices that the name leaves open. One that is merely longer by a letter is another product (an L40 is no L40S), so
// such devices count only as a family, from two on.
std::vector<const Accelerator*> family_candidates(const std::vector<KnownDevice>& devices, const DeviceName& name) {
  std::vector<const Accelerator*> same;
  std::vector<const Accelerator*> longer;
  for (const KnownDevice& known : devices) {
    if (known.may_be(name)) (known.has_product(name.product) ? same : longer).push_back(known.device);
  }
  if (!same.empty()) return same;
  return longer.size() > 1 ? longer : std::vector<const Accelerator*>{};
}

}  // namespace

// Reads files into a catalogue and refuses names that two entries claim.
class CatalogueLoader {
 public:
  static Result<Catalogue> load(const CatalogueFiles& files) {
    CatalogueLoader loader;
    for (const auto& [path, file] : files) {
      Status error = begins_with(path, kAccelerators) ? loader.add_accelerators(file) : loader.add_models(file);
      if (error) return *error;
    }
    if (Status error = loader.check_devices()) return *error;
    if (Status error = loader.check_models()) return *error;
    return std::move(loader.catalogue_);
  }

 private:
  // Which entry claims each name. One entry may spell a name twice: with and without the vendor, say.
  struct Owner {
    const void* entry;
    std::string name;
  };
  using Owners = std::map<std::string, Owner>;

  Status add_accelerators(const CatalogueFile& file) {
    Result<AcceleratorFile> read = read_accelerator_file(file.text, file.name);
    if (!read.ok()) return read.error();
    std::move(read->vendor_words.begin(), read->vendor_words.end(), std::back_inserter(catalogue_.vendor_words_));
    std::move(read->accelerators.begin(), read->accelerators.end(), std::back_inserter(catalogue_.accelerators_));
    return std::nullopt;
  }

  Status add_models(const CatalogueFile& file) {
    Result<std::vector<CatalogueModel>> read = read_model_file(file.text, file.name);
    if (!read.ok()) return read.error();
    std::move(read->begin(), read->end(), std::back_inserter(catalogue_.models_));
    return std::nullopt;
  }

  static Status claim(Owners& owners, std::string key, Owner owner) {
    auto [it, fresh] = owners.emplace(std::move(key), owner);
    const Owner& first = it->second;
    if (fresh || first.entry == owner.entry) return std::nullopt;
    return error(
        fmt::format("the catalogue's entries '{}' and '{}' share the name '{}'", first.name, owner.name, it->first));
  }

  Status check_devices() const {
    Owners owners;
    for (const Accelerator& device : catalogue_.accelerators_) {
      for (const std::string& each : names_of(device)) {
        DeviceName name = device_name(each, catalogue_.vendor_words_);
        std::string key = fmt::format("{} {}", name.product, fmt::join(name.words, " "));
        if (Status error = claim(owners, std::move(key), {&device, device.sku})) return error;
      }
    }
    return std::nullopt;
  }

  Status check_models() const {
    Owners owners;
    for (const CatalogueModel& model : catalogue_.models_) {
      if (Status error = claim(owners, to_lower(model.shape.name), {&model, model.shape.name})) return error;
      for (const std::string& alias : model.aliases) {
        if (Status error = claim(owners, to_lower(alias), {&model, model.shape.name})) return error;
      }
    }
    return std::nullopt;
  }

  Catalogue catalogue_;
};

const Catalogue& Catalogue::embedded() {
  static const Catalogue kCatalogue = [] {
    Result<Catalogue> loaded = CatalogueLoader::load(embedded_catalogue());
    if (!loaded.ok()) std::fprintf(stderr, "%s\n", render(loaded.error()).c_str());
    NAMEPLATE_CHECK(loaded.ok());
    return std::move(loaded).value();
  }();
  return kCatalogue;
}

Result<Catalogue> Catalogue::load(const std::string& directory) {
  CatalogueFiles files = embedded_catalogue();
  NAMEPLATE_TRY(int devices, overlay(directory, kAccelerators, files));
  NAMEPLATE_TRY(int models, overlay(directory, kModels, files));
  if (devices + models == 0) {
    return error(fmt::format("no catalogue files in '{}'", directory), "it needs accelerators/*.toml or models/*.toml");
  }
  return CatalogueLoader::load(files);
}

Result<AcceleratorMatch> Catalogue::resolve_accelerator(std::string_view name) const {
  DeviceName wanted = device_name(name, vendor_words_);
  std::vector<KnownDevice> devices;
  for (const Accelerator& device : accelerators_) {
    devices.push_back(known_device(device, vendor_words_));
    if (devices.back().is(wanted)) return AcceleratorMatch{{&device}, true};
  }
  AcceleratorMatch match{family_candidates(devices, wanted), false};
  if (match.candidates.empty()) return unknown_accelerator(name);
  return match;
}

Error Catalogue::unknown_accelerator(std::string_view name) const {
  std::vector<std::string> skus;
  std::map<std::string, std::string> sku_of;  // by lower-case name
  std::vector<std::string> lower_names;
  for (const Accelerator& device : accelerators_) {
    for (const std::string& each : names_of(device)) {
      lower_names.push_back(to_lower(each));
      sku_of[lower_names.back()] = device.sku;
    }
  }
  for (const std::string& near : nearest(to_lower(name), lower_names)) {
    const std::string& sku = sku_of[near];
    if (std::find(skus.begin(), skus.end(), sku) == skus.end()) skus.push_back(sku);
  }
  std::string hint = skus.empty() ? "" : fmt::format("the nearest: {}; else ", fmt::join(skus, ", "));
  return error(fmt::format("unknown accelerator '{:.80}'", name),
               hint + "give its dense peak, --peak \"989 TFLOP/s\", or describe it in a file, --data DIR");
}

Result<const CatalogueModel*> Catalogue::find_model(std::string_view name) const {
  std::string wanted = to_lower(trim(name));
  std::vector<std::string> names;
  for (const CatalogueModel& model : models_) {
    if (to_lower(model.shape.name) == wanted || includes_folded(model.aliases, wanted)) return &model;
    names.push_back(model.shape.name);
  }
  std::string hint = did_you_mean(wanted, names);
  return error(fmt::format("unknown model '{:.80}'", name),
               hint.empty() ? "'nameplate catalog models' lists the names; or give its config.json" : hint);
}

}  // namespace nameplate
