// mfu --check: can the figures of a table of published runs be true, and which convention makes each of them right?
#pragma once

#include <string>

#include "nameplate/core/result.h"
#include "nameplate/inputs/published_runs.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct AuditRequest {
  std::string file;  // a table with the columns of inputs/published_runs.h; "-": standard input
  std::string data_directory;
};

// Values rows_total = rows_consistent + rows_flagged + rows_unchecked; the table "audit", one comparison a row, flagged
// rows first; a note for each flagged comparison and a finding for each kind of them.
Result<Document> audit_table(const AuditRequest& request);

// The same of rows already read; `file` is for the title.
Result<Document> audit_runs(const PublishedRuns& table, const std::string& file, const std::string& data_directory);

}  // namespace nameplate
