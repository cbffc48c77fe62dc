// The catalogue: which accelerators and models Nameplate knows by name, each value with its source.
//
// The files are data/accelerators/*.toml and data/models/*.toml, embedded in the program; a folder of the user's adds
// files or replaces those of the same name. docs/catalogue.md says how an entry is written.
//
// Names are compared as inputs/device_name.h says. A device that is not known is an error that names the nearest ones:
// never a guess, and never another device's peak.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/hardware.h"

namespace nameplate {

struct CatalogueModel {
  DecoderShape shape;                // shape.name is the lower-case name
  std::vector<std::string> aliases;  // Hugging Face ids
  // As published, often rounded, and sometimes without the embedding.
  std::optional<double> published_parameters;
  std::optional<double> published_active_parameters;
  Source source;
  std::string notes;
  bool operator==(const CatalogueModel&) const = default;
};

// What a name may mean, in the order of the catalogue; at least one. `exact`: the name is this SKU's own or an alias of
// it, and there is one candidate. Otherwise the name leaves something open ("H100" is SXM, PCIe or NVL; "A100-SXM" is
// 40 or 80 GB) and the caller decides: where the candidates share the value in question it may go on, with a note.
struct AcceleratorMatch {
  std::vector<const Accelerator*> candidates;
  bool exact = false;
};

class Catalogue {
 public:
  // The catalogue in the program. Its files are tested, so a mistake in them aborts.
  static const Catalogue& embedded();
  // The embedded files, overlaid with accelerators/*.toml and models/*.toml of the folder `directory`.
  static Result<Catalogue> load(const std::string& directory);

  const std::vector<Accelerator>& accelerators() const { return accelerators_; }
  const std::vector<CatalogueModel>& models() const { return models_; }

  // Pointers stay valid as long as the catalogue lives.
  Result<AcceleratorMatch> resolve_accelerator(std::string_view name) const;
  Result<const CatalogueModel*> find_model(std::string_view name) const;

 private:
  friend class CatalogueLoader;
  Catalogue() = default;
  Error unknown_accelerator(std::string_view name) const;

  std::vector<std::string> vendor_words_;
  std::vector<Accelerator> accelerators_;
  std::vector<CatalogueModel> models_;
};

}  // namespace nameplate
