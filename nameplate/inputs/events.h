// Reads a record of the cluster's: finds the format by content, returns facts plus counted defects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/records.h"

namespace nameplate {

// An Error when the file cannot be read, is of no known format, or is of one that cannot be read safely (a pickle); the
// error then says how to convert it.
Result<ClusterRecords> read_cluster_records(const std::string& path);
// The same from memory (tests, fuzzing); `name` stands for the path.
Result<ClusterRecords> read_cluster_records(std::string_view text, const std::string& name);
// Ids of the formats, and the one that the first bytes of a file fit, if any.
std::vector<std::string> record_formats();
std::optional<std::string> detect_record_format(std::string_view head);

}  // namespace nameplate
