#include "nameplate/analysis/records/flight_recorder.h"

#include <algorithm>
#include <map>
#include <set>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

// The first collective that a rank lacks and others have pending.
struct Missed {
  std::int64_t sequence;
  std::int64_t rank;
};

// A group over all dumps. Ranks of the job by number; progress only of ranks with a dump.
struct Group {
  std::string description;
  std::set<std::int64_t> ranks;
  std::map<std::int64_t, std::int64_t> enqueued;   // rank -> its last collective queued
  std::map<std::int64_t, std::int64_t> completed;  // rank -> its last collective that ended
  // sequence -> rank -> entry, of those that had not ended
  std::map<std::int64_t, std::map<std::int64_t, const RecordedCollective*>> pending;
  std::map<std::int64_t, std::int64_t> last_pending;  // rank -> the last of these that it has
  std::vector<Missed> missed;                         // the two earliest, of different ranks
};

void raise(std::map<std::int64_t, std::int64_t>& values, std::int64_t rank, std::int64_t value) {
  const auto [at, fresh] = values.emplace(rank, value);
  if (!fresh) at->second = std::max(at->second, value);
}

// Whether the end of the operation on one rank needs the data of every rank.
bool needs_all(std::string_view operation) {
  return operation.find("all") != std::string_view::npos || operation.find("reduce_scatter") != std::string_view::npos;
}

class Finder {
 public:
  explicit Finder(const std::vector<FlightRecord>& records) {
    for (const FlightRecord& record : records) add(record);
    for (auto& [name, group] : groups_) find_missed(group);
  }

  std::vector<StuckCollective> find() {
    not_arrived();
    behind();
    no_record();
    std::stable_sort(found_.begin(), found_.end(), [](const StuckCollective& a, const StuckCollective& b) {
      if (a.kind != b.kind) return a.kind < b.kind;
      return a.since_s.value_or(0) < b.since_s.value_or(0);
    });
    return std::move(found_);
  }

 private:
  void add(const FlightRecord& record) {
    dumped_.insert(record.rank);
    for (const RecordedGroup& known : record.groups) {
      Group& group = groups_[known.name];
      group.description = known.description;
      group.ranks.insert(known.ranks.begin(), known.ranks.end());
      if (known.last_enqueued) raise(group.enqueued, record.rank, *known.last_enqueued);
      if (known.last_completed) raise(group.completed, record.rank, *known.last_completed);
    }
    for (const RecordedCollective& entry : record.collectives) {
      Group& group = groups_[entry.group];
      group.ranks.insert(record.rank);
      raise(group.enqueued, record.rank, entry.sequence);
      if (entry.state == "completed") {
        raise(group.completed, record.rank, entry.sequence);
      } else {
        group.pending[entry.sequence][record.rank] = &entry;
        raise(group.last_pending, record.rank, entry.sequence);
      }
    }
  }

  // The first collective of the group that `rank` has not queued and others have; 0: none.
  static std::int64_t first_missed(const Group& group, std::int64_t rank) {
    if (group.pending.empty()) return 0;
    const auto own = group.enqueued.find(rank);
    // A rank that tells nothing of the group has nothing pending there: it lacks the first that others have pending.
    if (own == group.enqueued.end()) return group.pending.begin()->first;
    const auto next = group.pending.upper_bound(own->second);
    return next == group.pending.end() ? 0 : next->first;
  }

  void find_missed(Group& group) const {
    for (const std::int64_t rank : group.ranks) {
      if (group.pending.empty()) return;
      const std::int64_t sequence = dumped_.contains(rank) ? first_missed(group, rank) : group.pending.begin()->first;
      if (sequence == 0) continue;
      const auto at = std::find_if(group.missed.begin(), group.missed.end(),
                                   [&](const Missed& known) { return sequence < known.sequence; });
      group.missed.insert(at, {sequence, rank});
      if (group.missed.size() > 2) group.missed.pop_back();
    }
  }

  // Whether the rank has a collective pending that another rank has not joined.
  bool is_victim(std::int64_t rank) const {
    for (const auto& [name, group] : groups_) {
      const auto last = group.last_pending.find(rank);
      if (last == group.last_pending.end()) continue;
      for (const Missed& missed : group.missed) {
        if (missed.rank != rank && missed.sequence <= last->second) return true;
      }
    }
    return false;
  }

  static std::int64_t created(const Group& group, std::int64_t sequence) {
    std::int64_t first = 0;
    for (const auto& [rank, entry] : group.pending.at(sequence)) {
      if (first == 0 || entry->created_ns < first) first = entry->created_ns;
    }
    return first;
  }

  // The collective that the rank should have joined next: of those it lacks, the one that others queued first.
  std::optional<std::pair<std::string, std::int64_t>> next_of(std::int64_t rank) const {
    std::optional<std::pair<std::string, std::int64_t>> next;
    std::int64_t earliest = 0;
    for (const auto& [name, group] : groups_) {
      if (!group.ranks.contains(rank)) continue;
      const std::int64_t missed = first_missed(group, rank);
      if (missed == 0) continue;
      const std::int64_t when = created(group, missed);
      if (next && when >= earliest) continue;
      next = {name, missed};
      earliest = when;
    }
    return next;
  }

  void not_arrived() {
    std::map<std::pair<std::string, std::int64_t>, std::vector<std::int64_t>> causes, victims;
    for (const std::int64_t rank : dumped_) {
      const auto next = next_of(rank);
      if (!next) continue;
      (is_victim(rank) ? victims : causes)[*next].push_back(rank);
    }
    for (const auto& [where, ranks] : causes.empty() ? victims : causes) {
      report(StuckKind::not_arrived, where.first, where.second, ranks);
    }
  }

  // The first collective that others of the group have seen end and this rank has not.
  void behind() {
    for (const std::int64_t rank : dumped_) {
      const std::pair<const std::string, Group>* where = nullptr;
      std::int64_t sequence = 0;
      for (const auto& named : groups_) {
        const std::int64_t pending = first_behind(named.second, rank);
        if (pending == 0) continue;
        if (where != nullptr && own_time(named.second, pending, rank) >= own_time(where->second, sequence, rank))
          continue;
        where = &named;
        sequence = pending;
      }
      if (where != nullptr) report(StuckKind::behind, where->first, sequence, {rank});
    }
  }

  static std::int64_t own_time(const Group& group, std::int64_t sequence, std::int64_t rank) {
    return group.pending.at(sequence).at(rank)->created_ns;
  }

  static std::int64_t first_behind(const Group& group, std::int64_t rank) {
    for (const auto& [sequence, entries] : group.pending) {
      const auto own = entries.find(rank);
      if (own == entries.end() || !needs_all(own->second->operation)) continue;
      for (const auto& [other, completed] : group.completed) {
        if (other != rank && completed >= sequence) return sequence;
      }
      return 0;
    }
    return 0;
  }

  // Ranks without a dump, in the first collective that waits for them.
  void no_record() {
    std::map<std::int64_t, std::pair<std::string, std::int64_t>> first;
    for (const auto& [name, group] : groups_) {
      if (group.pending.empty()) continue;
      const std::int64_t sequence = group.pending.begin()->first;
      for (const std::int64_t rank : group.ranks) {
        if (dumped_.contains(rank)) continue;
        const auto [at, fresh] = first.emplace(rank, std::pair(name, sequence));
        if (!fresh && created(group, sequence) < created(groups_.at(at->second.first), at->second.second)) {
          at->second = {name, sequence};
        }
      }
    }
    for (const auto& [rank, where] : first) report(StuckKind::no_record, where.first, where.second, {rank});
  }

  void report(StuckKind kind, const std::string& name, std::int64_t sequence, std::vector<std::int64_t> ranks) {
    const Group& group = groups_.at(name);
    StuckCollective stuck;
    stuck.kind = kind;
    stuck.group = name;
    stuck.description = group.description;
    stuck.sequence = sequence;
    stuck.ranks = std::move(ranks);
    const auto& entries = group.pending.at(sequence);
    for (const auto& [rank, entry] : entries) stuck.waiting.push_back(rank);
    const RecordedCollective& entry = *entries.begin()->second;
    stuck.operation = entry.operation;
    stuck.input_sizes = entry.input_sizes;
    stuck.dtype = entry.dtype;
    stuck.since_s = static_cast<double>(created(group, sequence)) / 1e9;
    found_.push_back(std::move(stuck));
  }

  std::map<std::string, Group> groups_;
  std::set<std::int64_t> dumped_;
  std::vector<StuckCollective> found_;
};

}  // namespace

std::string_view name(StuckKind kind) {
  switch (kind) {
    case StuckKind::not_arrived:
      return "not_arrived";
    case StuckKind::behind:
      return "behind";
    case StuckKind::no_record:
      return "no_record";
  }
  NAMEPLATE_CHECK(false);
}

std::vector<StuckCollective> find_stuck(const std::vector<FlightRecord>& records) { return Finder(records).find(); }

}  // namespace nameplate
