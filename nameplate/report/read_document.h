// A saved Document, as `--format json` printed it, back as one: for comparing a run with an earlier one.
//
// Sentences are made anew from ids and arguments, so the text that was saved plays no part. Integers beyond 2^63 come
// back as the nearest double. Everything must be as schema/document.json has it: a member that is missing or of another
// kind, and a ledger that does not close, are Errors with the path inside the document.
#pragma once

#include <string>
#include <string_view>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

// Whether a file that begins so is a saved Document.
bool looks_like_document(std::string_view head);
Result<Document> read_document(const Node& root, const std::string& file);

}  // namespace nameplate
