// catalog: what Nameplate knows by name, with sources.
#pragma once

#include <string>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct CatalogRequest {
  std::string kind;  // "accelerators", "models", "conventions" or empty: all
  std::string name;  // one entry in full; empty: the list
  std::string data_directory;
};

Result<Document> catalog(const CatalogRequest& request);

}  // namespace nameplate
