// What accelerator time costs.
//
// Pitfalls. An hour's price may already contain energy, staff or storage: counting them again is the commonest error,
// so a price says what it includes. Currencies are never converted; sums of two are an error of the reader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/hardware.h"

namespace nameplate {

using MoneyPerSecond = Quantity<0, -1, 0, 0, 1, 0>;
using MoneyPerJoule = Quantity<0, 0, 0, -1, 1, 0>;
using MoneyPerByteSecond = Quantity<-1, -1, 0, 0, 1, 0>;

enum class PriceInclusion { energy, cooling, host, network, storage, staff, support };

struct AcceleratorPrice {
  std::string sku;
  MoneyPerSecond rate;  // of one accelerator, bought whether used or not
  std::vector<PriceInclusion> includes;
  std::optional<MoneyPerSecond> spare_salvage;  // earned by a held spare that runs preemptible work
  Source source;                                // with the date at which the price held
  bool operator==(const AcceleratorPrice&) const = default;
};

struct EnergyPrice {
  MoneyPerJoule rate;
  double power_usage_effectiveness = 1.0;  // facility over IT power
  Source source;
  bool operator==(const EnergyPrice&) const = default;
};

struct Prices {
  std::string currency;  // ISO 4217
  std::vector<AcceleratorPrice> accelerators;
  std::optional<EnergyPrice> energy;
  std::optional<MoneyPerByteSecond> storage;
  // What a stalled hour costs beyond the idle accelerators (deadline, revenue), as a multiple of their price.
  double stall_multiple = 1.0;
  bool operator==(const Prices&) const = default;
};

}  // namespace nameplate
