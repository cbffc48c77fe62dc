// What somebody promises, as text, and what it would need to be true. Internal to api/.
//
//   "overlap=0.45..0.82"             share of the communication that is hidden, before and after
//   "compute=x3.8 mfu=0.38..0.35"    effective compute, and the MFU before and after
//   "bandwidth=x10 mfu=0.72..0.92"   memory bandwidth, and the kernels' ceiling before and after
#pragma once

#include <string>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Adds the answer as a note and a row of the table "claims".
Status add_claim(const std::string& claim, Document& d);

}  // namespace nameplate
