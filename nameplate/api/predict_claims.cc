#include "nameplate/api/predict_claims.h"

#include <optional>

#include <fmt/format.h>

#include "nameplate/analysis/steptime/claims.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

struct Claim {
  std::optional<double> compute, bandwidth;               // factors
  std::optional<std::pair<double, double>> overlap, mfu;  // before and after, 0..1
};

Error unreadable(const std::string& claim) {
  return error(fmt::format("cannot read the claim '{}'", claim),
               "overlap=0.45..0.82, compute=x3.8 mfu=0.38..0.35, or bandwidth=x10 mfu=0.72..0.92");
}

Error out_of_range(std::string_view word, std::string expected) {
  return error(fmt::format("cannot promise '{}'", word), std::move(expected));
}

// "0.45..0.82": from what is to what is promised.
Result<std::pair<double, double>> parse_shares(std::string_view word, std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto before = parse_number(text.substr(0, dots));
  const auto after = dots == std::string_view::npos ? std::nullopt : parse_number(text.substr(dots + 2));
  if (!before || !after || *before < 0 || *after < 0 || *before >= 1 || *after >= 1) {
    return out_of_range(word, "two shares from 0 to below 1, as in 0.45..0.82");
  }
  return std::pair(*before, *after);
}

// "x3.8"
Result<double> parse_factor(std::string_view word, std::string_view text) {
  const auto factor = text.starts_with('x') ? parse_number(text.substr(1)) : std::nullopt;
  if (!factor || *factor <= 1) return out_of_range(word, "a factor above 1, as in x3.8");
  return *factor;
}

Result<Claim> parse_claim(const std::string& text) {
  Claim claim;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return unreadable(text);
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (key == "compute") {
      NAMEPLATE_TRY(claim.compute, parse_factor(word, value));
    } else if (key == "bandwidth") {
      NAMEPLATE_TRY(claim.bandwidth, parse_factor(word, value));
    } else if (key == "overlap" || key == "plan.overlap.fraction") {
      NAMEPLATE_TRY(claim.overlap, parse_shares(word, value));
      if (claim.overlap->first >= claim.overlap->second) return out_of_range(word, "more overlap than before");
    } else if (key == "mfu") {
      NAMEPLATE_TRY(claim.mfu, parse_shares(word, value));
    } else {
      return unreadable(text);
    }
  }
  return claim;
}

using Row = std::pair<const char*, double>;

void add_answer(const std::string& claim, Message note, std::initializer_list<Row> figures, Document& d) {
  if (d.find_table("claims") == nullptr) {
    d.tables.push_back({.id = "claims", .columns = {{"claim", ""}, {"follows", ""}, {"figure", ""}}});
  }
  for (Table& table : d.tables) {
    if (table.id != "claims") continue;
    for (const auto& [what, figure] : figures) table.rows.push_back({claim, std::string(what), figure});
  }
  d.notes.push_back(std::move(note));
}

void answer_bandwidth(const std::string& text, const Claim& c, Document& d) {
  const auto [before, after] = *c.mfu;
  const CeilingBracket all = ceiling_with_bandwidth({before, 1}, *c.bandwidth);
  const std::optional<double> share = implied_share(before, after, *c.bandwidth);
  Message note{share ? "claim.bandwidth" : "claim.bandwidth_out_of_reach",
               {{"factor", *c.bandwidth}, {"before", before}, {"after", after}, {"most", all.in_turns}}};
  if (share) note.args.push_back({"other", 1 - *share});
  add_answer(text, std::move(note), {{"ceiling_if_all_bandwidth_ratio", all.in_turns}}, d);
  if (!share) return;
  add_answer(text,
             {"claim.bandwidth_bracket",
              {{"share", *share}, {"overlapped", ceiling_with_bandwidth({before, *share}, *c.bandwidth).overlapped}}},
             {{"stall_not_bandwidth_ratio", 1 - *share}}, d);
}

}  // namespace

Status add_claim(const std::string& text, Document& d) {
  const Result<Claim> claim = parse_claim(text);
  if (!claim.ok()) return claim.error();
  const Claim& c = *claim;
  if (c.overlap) {
    const double ratio = exposed_ratio(c.overlap->first, c.overlap->second);
    add_answer(text, {"claim.overlap", {{"from", c.overlap->first}, {"to", c.overlap->second}, {"ratio", ratio}}},
               {{"exposed_communication_at_most_less", ratio}}, d);
    return std::nullopt;
  }
  if (!c.mfu || c.mfu->first <= 0 || c.mfu->second <= 0 || (!c.compute && !c.bandwidth)) return unreadable(text);
  if (c.bandwidth) {
    if (c.mfu->first >= c.mfu->second) return out_of_range(text, "a higher ceiling than before");
    answer_bandwidth(text, c, d);
    return std::nullopt;
  }
  const double needed = unseen_factor(*c.compute, c.mfu->first, c.mfu->second);
  add_answer(text,
             {"claim.compute",
              {{"factor", *c.compute}, {"before", c.mfu->first}, {"after", c.mfu->second}, {"needed", needed}}},
             {{"factor_that_mfu_does_not_see", needed}}, d);
  return std::nullopt;
}

}  // namespace nameplate
