// A claim is a stated rate (TFLOP/s, or MFU or HFU times a peak) at a stated throughput; their quotient is the FLOPs
// per token that the source counted. Peers are the claims of the same figure in rows of the same source, model, number
// of layers and length: a source counts one model one way. Three claims that agree establish that way; from then on a
// claim that neither they nor any convention explain is a slip, while a lone one may follow a convention not known here
// as long as it stays between the least and the most that any of them counts.
#include "nameplate/analysis/audit/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "nameplate/analysis/audit/direct.h"
#include "nameplate/analysis/audit/row_facts.h"
#include "nameplate/analysis/audit/tolerance.h"

namespace nameplate {
namespace {

constexpr std::size_t kPeers = 2;  // that agree with a claim, so that three do
constexpr double kTera = 1e12;
constexpr const char* kPeersName = "the source's other rows of this model";

// The FLOPs per token that a claim stands for, if divided by `peak`.
struct Reading {
  double flops_per_token = 0;
  double share = 0;  // tolerance
  std::string peak;  // empty for TFLOP/s
  bool usual = true;
};

using GroupKey = std::tuple<std::string, std::string, std::int64_t, std::int64_t, bool, AuditFigure>;

struct Claim {
  std::size_t row = 0;
  AuditFigure figure = AuditFigure::tflops_per_gpu;
  double stated = 0;
  std::vector<Reading> readings;  // the usual ones first; never empty
  GroupKey group;
  std::size_t agreeing = 0;  // peers
  double established = 0;    // FLOPs per token of the claim that most of its group agree with; 0: fewer than three do
};

GroupKey group_of(const AuditRow& row, AuditFigure figure) {
  return {row.source,         row.model, row.shape ? row.shape->layers : 0, row.seq_len.value_or(0),
          row.frozen_weights, figure};
}

// The claims of a row whose throughput is known.
void add_claims(const AuditRow& row, const RowFacts& facts, std::size_t index, std::vector<Claim>& claims) {
  if (!facts.tokens_per_s) return;
  const double share = facts.tokens_share;
  if (row.flops_rate_per_gpu) {
    const double rate = row.flops_rate_per_gpu->base();
    claims.push_back({.row = index,
                      .figure = AuditFigure::tflops_per_gpu,
                      .stated = rate / kTera,
                      .readings = {{rate / *facts.tokens_per_s, share + digit_share(rate / kTera)}},
                      .group = group_of(row, AuditFigure::tflops_per_gpu)});
  }
  for (const auto& [figure, stated] : {std::pair(AuditFigure::mfu_ratio, row.mfu), {AuditFigure::hfu_ratio, row.hfu}}) {
    if (!stated || facts.peaks.empty()) continue;
    Claim claim{.row = index, .figure = figure, .stated = *stated, .group = group_of(row, figure)};
    for (const NamedPeak& peak : facts.peaks) {
      claim.readings.push_back({*stated * peak.rate.base() / *facts.tokens_per_s,
                                share + digit_share(*stated * 100) + peak.share, peak.name, peak.usual});
    }
    if (claim.readings.front().usual) claims.push_back(std::move(claim));
  }
}

// Claims that stand for the same FLOPs per token as `reading`, among those of `group`, other than `self`.
std::size_t count_agreeing(const std::vector<const Claim*>& group, const Claim& self, const Reading& reading) {
  return static_cast<std::size_t>(std::count_if(group.begin(), group.end(), [&](const Claim* other) {
    const Reading& theirs = other->readings.front();
    return other != &self &&
           near(reading.flops_per_token, theirs.flops_per_token, kFits + reading.share + theirs.share);
  }));
}

using Groups = std::map<GroupKey, std::vector<const Claim*>>;

Groups compare_peers(std::vector<Claim>& claims) {
  Groups groups;
  for (const Claim& claim : claims) groups[claim.group].push_back(&claim);
  for (Claim& claim : claims) claim.agreeing = count_agreeing(groups[claim.group], claim, claim.readings.front());
  for (const auto& [key, group] : groups) {
    const Claim* leader = *std::max_element(group.begin(), group.end(),
                                            [](const Claim* a, const Claim* b) { return a->agreeing < b->agreeing; });
    if (leader->agreeing < kPeers) continue;
    for (const Claim* member : group) {
      claims[static_cast<std::size_t>(member - claims.data())].established = leader->readings.front().flops_per_token;
    }
  }
  return groups;
}

bool fits(const NamedCount& count, const Reading& reading) {
  return near(reading.flops_per_token, count.flops_per_token, kFits + reading.share);
}

// An MFU counts no recomputed work and an HFU does, if there is any; a TFLOP/s may be either.
bool is_expected(const NamedCount& count, AuditFigure figure, const AuditRow& row) {
  if (figure == AuditFigure::mfu_ratio) return !count.hardware;
  if (figure == AuditFigure::hfu_ratio && row.recompute.value_or(Recompute::none) != Recompute::none) {
    return count.hardware;
  }
  return true;
}

// How well a convention explains all claims of a source: where several fit one claim, the best over all is named.
struct Fit {
  int claims = 0;
  double error_sum = 0;
  bool operator<(const Fit& o) const { return claims != o.claims ? claims < o.claims : error_sum > o.error_sum; }
};
using Fits = std::map<std::tuple<std::string, AuditFigure, std::string>, Fit>;

Fits count_fits(std::span<const AuditRow> rows, const std::vector<RowFacts>& facts, const std::vector<Claim>& claims) {
  Fits all;
  for (const Claim& claim : claims) {
    const Reading& reading = claim.readings.front();
    for (const NamedCount& count : facts[claim.row].counts) {
      if (!fits(count, reading)) continue;
      Fit& fit = all[{rows[claim.row].source, claim.figure, count.name}];
      ++fit.claims;
      fit.error_sum += std::fabs(count.flops_per_token / reading.flops_per_token - 1);
    }
  }
  return all;
}

class Judge {
 public:
  Judge(std::span<const AuditRow> rows, const std::vector<RowFacts>& facts, const std::vector<Claim>& claims,
        const Groups& groups)
      : rows_(rows), facts_(facts), groups_(groups), fits_(count_fits(rows, facts, claims)) {}

  std::optional<Comparison> judge(const Claim& claim) const {
    if (auto impossible = above_peak(claim)) return impossible;
    for (const bool usual : {true, false}) {
      for (const Reading& reading : claim.readings) {
        if (reading.usual != usual) continue;
        if (auto explained = explain(claim, reading)) return explained;
      }
    }
    if (claim.established > 0) { return make(claim, claim.established, kPeersName, AuditVerdict::flops_mismatch); }
    return against_span(claim);
  }

 private:
  static Comparison make(const Claim& claim, double flops_per_token, std::string convention, AuditVerdict verdict) {
    return {.figure = claim.figure,
            .stated = claim.stated,
            .recomputed = claim.stated * flops_per_token / claim.readings.front().flops_per_token,
            .convention = std::move(convention),
            .verdict = verdict};
  }

  std::optional<Comparison> above_peak(const Claim& claim) const {
    const auto most = ceiling(facts_[claim.row].peaks);
    if (!most) return std::nullopt;
    const double limit = claim.figure == AuditFigure::tflops_per_gpu ? most->base() / kTera : 1;
    if (claim.stated <= limit * (1 + kFits)) return std::nullopt;
    return Comparison{claim.figure, claim.stated, limit, "peak", AuditVerdict::impossible_above_peak};
  }

  // What makes a reading right: a convention of the expected kind, else the peers, else any convention.
  std::optional<Comparison> explain(const Claim& claim, const Reading& reading) const {
    const NamedCount* count = best_count(claim, reading, true);
    const bool peers = count_agreeing(groups_.at(claim.group), claim, reading) >= kPeers;
    if (count == nullptr && !peers) count = best_count(claim, reading, false);
    if (count == nullptr && !peers) return std::nullopt;
    const double counted = count != nullptr ? count->flops_per_token : claim.established;
    if (!reading.usual) return make(claim, counted, reading.peak, AuditVerdict::wrong_peak);
    Comparison c = count != nullptr ? make(claim, counted, count->name, AuditVerdict::consistent_in_convention)
                                    : make(claim, counted, kPeersName, AuditVerdict::consistent_in_source);
    c.recomputed = claim.stated * counted / reading.flops_per_token;
    return c;
  }

  const NamedCount* best_count(const Claim& claim, const Reading& reading, bool expected) const {
    const NamedCount* best = nullptr;
    Fit best_fit;
    for (const NamedCount& count : facts_[claim.row].counts) {
      if (!fits(count, reading) || (expected && !is_expected(count, claim.figure, rows_[claim.row]))) continue;
      const auto found = fits_.find({rows_[claim.row].source, claim.figure, count.name});
      const Fit fit = found == fits_.end() ? Fit{} : found->second;
      if (best != nullptr && !(best_fit < fit)) continue;
      best = &count;
      best_fit = fit;
    }
    return best;
  }

  // Alone: possible, if between what conventions count.
  std::optional<Comparison> against_span(const Claim& claim) const {
    const auto& counts = facts_[claim.row].counts;
    if (counts.empty()) return std::nullopt;
    const Reading& reading = claim.readings.front();
    const auto by_flops = [](const NamedCount& a, const NamedCount& b) {
      return a.flops_per_token < b.flops_per_token;
    };
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end(), by_flops);
    const auto nearest = std::min_element(counts.begin(), counts.end(), [&](const NamedCount& a, const NamedCount& b) {
      return std::fabs(a.flops_per_token - reading.flops_per_token) <
             std::fabs(b.flops_per_token - reading.flops_per_token);
    });
    const bool between =
        least->flops_per_token <= reading.flops_per_token && reading.flops_per_token <= most->flops_per_token;
    return make(claim, nearest->flops_per_token, nearest->name,
                between ? AuditVerdict::between_conventions : AuditVerdict::flops_mismatch);
  }

  std::span<const AuditRow> rows_;
  const std::vector<RowFacts>& facts_;
  const Groups& groups_;
  Fits fits_;
};

}  // namespace

std::vector<std::vector<Comparison>> audit_figures(std::span<const AuditRow> rows) {
  std::vector<RowFacts> facts;
  std::vector<Claim> claims;
  std::vector<std::vector<Comparison>> comparisons(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    facts.push_back(row_facts(rows[i]));
    add_claims(rows[i], facts[i], i, claims);
    comparisons[i] = compare_directly(rows[i], facts[i]);
  }
  const Groups groups = compare_peers(claims);
  const Judge judge(rows, facts, claims, groups);
  for (const Claim& claim : claims) {
    if (auto verdict = judge.judge(claim)) comparisons[claim.row].push_back(std::move(*verdict));
  }
  return comparisons;
}

}  // namespace nameplate
