#include "nameplate/report/html_text.h"

namespace nameplate {

std::string html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string_view colour_class(LedgerRow row) {
  if (row == LedgerRow::model_compute) return "c-model";
  if (row <= LedgerRow::kernel_other) return "c-kernel";
  if (row <= LedgerRow::comm_other) return "c-comm";
  if (row <= LedgerRow::checkpoint) return "c-wait";
  if (row <= LedgerRow::fault_lost_work) return "c-fault";
  return "c-idle";
}

}  // namespace nameplate
