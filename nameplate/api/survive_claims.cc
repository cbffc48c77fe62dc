// Claims, each with what the arithmetic says of it.
#include <fmt/format.h>

#include "nameplate/analysis/resilience/claims.h"
#include "nameplate/api/survive_case.h"
#include "nameplate/inputs/claim.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

// Adds the rows of one claim to the table and its sentences to the notes.
class ClaimWriter {
 public:
  ClaimWriter(std::string text, Table& table, Document& d) : text_(std::move(text)), table_(table), d_(d) {}

  void operator()(const GoodputClaim& claim) const {
    const GoodputAnswer a = answer(claim);
    const std::vector<std::pair<std::string, Argument>> reached = {{"reached", a.reached},
                                                                   {"interval", a.interval.base()},
                                                                   {"ettr", claim.ettr},
                                                                   {"short", claim.ettr - a.reached}};
    note(a.possible ? "survive.claim_possible" : "survive.claim_impossible", reached);
    row(a.possible ? "yes" : "no", {}, a.reached, sentence({"survive.reading.stated_costs", {}}));
    if (a.longest_block) note("survive.claim_needs_block", {{"ettr", claim.ettr}, {"block", a.longest_block->base()}});
    if (a.longest_restart && !claim.restart) {
      note("survive.claim_needs_restart", {{"ettr", claim.ettr}, {"restart", a.longest_restart->base()}});
    }
    if (!a.possible) note("survive.claim_needs_mttf", {{"mttf", a.least_mttf.base()}});
    Table points{.id = "claim_frontier", .columns = {{"block_s", "s"}, {"longest_restart_s", "s"}}};
    for (const FrontierPoint& p : frontier(claim)) {
      points.rows.push_back({p.block.base(), p.longest_restart ? Cell(p.longest_restart->base()) : Cell()});
    }
    if (d_.find_table("claim_frontier") == nullptr) d_.tables.push_back(std::move(points));
  }

  void operator()(const RedundancyClaim& claim) const {
    std::vector<std::string> holding;
    bool as_claimed_holds = false;
    for (const RedundancyReading& r : readings(claim)) {
      const Message words{fmt::format("survive.reading.{}", name(r.model)),
                          {{"needed", r.needed}, {"units", r.units}, {"parameter", r.parameter.value_or(0)}}};
      const bool as_claimed = has_claimed_spares(r.model);
      as_claimed_holds = as_claimed_holds || (r.holds && as_claimed);
      row(!r.holds ? "no" : as_claimed ? "yes" : "with other spares", r.before, r.after, sentence(words));
      if (r.holds) holding.push_back(sentence(words));
    }
    if (holding.empty()) {
      note("survive.claim_holds_nowhere", {});
    } else {
      note(as_claimed_holds ? "survive.claim_holds" : "survive.claim_holds_otherwise",
           {{"readings", fmt::format("{}", fmt::join(holding, "; "))}, {"redundancy", claim.redundancy}});
    }
  }

  void operator()(const ReliabilityClaim& claim) const {
    const ReliabilityAnswer a = answer(claim);
    note("survive.claim_reliability",
         {{"bare", a.bare}, {"copies", a.whole_copies}, {"pooled", a.pooled}, {"units", a.units_for_99}});
    if (a.unit_rate) {
      note("survive.claim_mission",
           {{"up", claim.up}, {"mission", claim.mission->base()}, {"rate", a.unit_rate->base() * 86400 * 1000}});
    } else {
      note("survive.claim_no_mission", {{"up", claim.up}});
    }
    row("", a.bare, a.whole_copies, sentence({"survive.reading.copies_formula", {}}));
    row("", a.bare, a.pooled, sentence({"survive.reading.pooled_formula", {}}));
  }

  void operator()(const RecoveryClaim& claim) const {
    const RecoveryAnswer a = answer(claim);
    if (a.ettr_before) {
      note("survive.claim_recovery",
           {{"throughput", claim.throughput}, {"before", *a.ettr_before}, {"after", *a.ettr_after}});
      row("if so", *a.ettr_before, *a.ettr_after, sentence({"survive.reading.recovery_alone", {}}));
    } else {
      note("survive.claim_recovery_never", {{"throughput", claim.throughput}, {"recovery", claim.recovery}});
      row("no", {}, {}, sentence({"survive.reading.recovery_alone", {}}));
    }
    note("survive.claim_recovery_rest", {{"gain", a.gain_at_90}, {"rest", a.rest_at_90}});
  }

  void operator()(const PackingClaim& claim) const {
    const PackingAnswer a = answer(claim);
    note("survive.claim_packing",
         {{"budget", a.budget}, {"outage", claim.outage.base()}, {"period", a.break_even_period.base()}});
    row("if so", claim.mfu_before, claim.mfu_after, sentence({"survive.reading.without_outages", {}}));
    if (!a.delivered_before) return;
    const bool gains = *a.delivered_after > *a.delivered_before;
    row(gains ? "yes" : "no", *a.delivered_before, *a.delivered_after, sentence({"survive.reading.with_outages", {}}));
    if (a.erasing_outage) note("survive.claim_erasing", {{"outage", a.erasing_outage->base()}});
  }

 private:
  void note(std::string id, std::vector<std::pair<std::string, Argument>> args) const {
    d_.notes.push_back({std::move(id), std::move(args)});
  }
  void row(std::string holds, std::optional<double> before, std::optional<double> after, std::string reading) const {
    const auto cell = [](std::optional<double> value) { return value ? Cell(*value) : Cell(); };
    table_.rows.push_back({std::move(reading), cell(before), cell(after), std::move(holds), text_});
  }

  std::string text_;
  Table& table_;
  Document& d_;
};

}  // namespace

Status add_claims(const std::vector<std::string>& claims, Document& d) {
  if (claims.empty()) return std::nullopt;
  Table table{.id = "claims",
              .columns = {{"reading", ""}, {"before_ratio", "1"}, {"after_ratio", "1"}, {"holds", ""}, {"claim", ""}},
              .text_columns = claims.size() == 1 ? std::size_t{4} : 0};
  for (const std::string& text : claims) {
    const Result<Claim> claim = parse_claim(text);
    if (!claim.ok()) return claim.error();
    std::visit(ClaimWriter(text, table, d), *claim);
  }
  d.tables.push_back(std::move(table));
  return std::nullopt;
}

}  // namespace nameplate
