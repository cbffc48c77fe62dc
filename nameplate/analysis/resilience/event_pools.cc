#include "nameplate/analysis/resilience/event_pools.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "nameplate/analysis/resilience/event_sampling.h"
#include "nameplate/core/check.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

double mean_up_share(const PooledResource& resource) {
  if (resource.between_outages <= Seconds{}) return 1;
  return 1 - resource.lost_share * (resource.outage / (resource.outage + resource.between_outages));
}

double whole_service(std::span<const PooledResource> resources) {
  return std::accumulate(resources.begin(), resources.end(), 0.0,
                         [](double sum, const PooledResource& r) { return sum + r.service.base(); });
}

class Chain {
 public:
  Chain(std::span<const PooledResource> resources, Pooling pooling, const PoolsInput& input, std::uint64_t seed)
      : resources_(resources),
        bound_(pooling == Pooling::bound),
        input_(input),
        random_(seed, 0),
        at_(resources.size(), 0),
        down_(resources.size(), false),
        began_with_(resources.size()),
        recovering_(resources.size()),
        rates_(2 * resources.size() + 1, 0) {}

  PoolsRun run();

 private:
  std::int64_t up(std::size_t resource) const;
  std::int64_t nodes_up() const;
  double serving(std::size_t resource) const;
  double set_rates();
  void happen(std::size_t event);
  void served(std::size_t resource);
  void fill_nodes();
  void turn_out_excess();
  void outage_changes(std::size_t resource);
  void note_recoveries();

  std::span<const PooledResource> resources_;
  bool bound_;
  PoolsInput input_;
  RandomStream random_;
  std::vector<std::int64_t> at_;  // requests at a resource; bound: of those that hold a node
  std::int64_t waiting_ = 0;      // bound: for a node
  std::int64_t held_ = 0;         // bound: nodes
  std::int64_t in_system_ = 0;
  std::vector<bool> down_;
  std::vector<std::int64_t> began_with_;           // requests there when the last outage began
  std::vector<std::optional<double>> recovering_;  // since when
  std::vector<double> rates_;                      // arrival; service of each; outage of each begins or ends
  double now_ = 0;
  double recovery_ = 0;
  std::int64_t completed_ = 0;
  PoolsRun result_;
};

std::int64_t Chain::up(std::size_t resource) const {
  const PooledResource& plan = resources_[resource];
  const double share = down_[resource] ? 1 - plan.lost_share : 1;
  return std::llround(static_cast<double>(plan.servers) * share);
}

std::int64_t Chain::nodes_up() const {
  double share = 1;
  for (std::size_t i = 0; i < resources_.size(); ++i) share *= down_[i] ? 1 - resources_[i].lost_share : 1;
  return std::llround(static_cast<double>(resources_.front().servers) * share);
}

double Chain::serving(std::size_t resource) const {
  return static_cast<double>(bound_ ? at_[resource] : std::min(at_[resource], up(resource)));
}

double Chain::set_rates() {
  rates_[0] = input_.arrivals;
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    rates_[1 + i] = serving(i) / resources_[i].service.base();
    const Seconds stays = down_[i] ? resources_[i].outage : resources_[i].between_outages;
    rates_[1 + resources_.size() + i] = stays > Seconds{} ? 1 / stays.base() : 0;
  }
  return std::accumulate(rates_.begin(), rates_.end(), 0.0);
}

void Chain::fill_nodes() {
  const std::int64_t taken = std::min(waiting_, std::max<std::int64_t>(0, nodes_up() - held_));
  waiting_ -= taken;
  held_ += taken;
  at_.front() += taken;
}

void Chain::turn_out_excess() {
  while (held_ > nodes_up()) {
    // Any of the requests on nodes, each as likely.
    auto pick = static_cast<std::int64_t>(random_.next_below(static_cast<std::uint64_t>(held_)));
    std::size_t resource = 0;
    while (pick >= at_[resource]) pick -= at_[resource++];
    --at_[resource];
    --held_;
    ++waiting_;
  }
}

void Chain::served(std::size_t resource) {
  --at_[resource];
  if (resource + 1 < resources_.size()) {
    ++at_[resource + 1];
    return;
  }
  --in_system_;
  if (bound_) {
    --held_;
    fill_nodes();
  }
  if (now_ >= input_.warm_up.base()) ++completed_;
  note_recoveries();
}

void Chain::note_recoveries() {
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    if (!recovering_[i] || in_system_ > began_with_[i]) continue;
    recovery_ += now_ - *recovering_[i];
    ++result_.outages;
    recovering_[i].reset();
  }
}

void Chain::outage_changes(std::size_t resource) {
  down_[resource] = !down_[resource];
  if (down_[resource]) {
    // An outage in the wake of the last one is part of it.
    if (!recovering_[resource]) began_with_[resource] = in_system_;
    recovering_[resource].reset();
    if (bound_) turn_out_excess();
  } else {
    recovering_[resource] = now_;
    if (bound_) fill_nodes();
    note_recoveries();
  }
}

void Chain::happen(std::size_t event) {
  if (event == 0) {
    ++in_system_;
    if (bound_) {
      ++waiting_;
      fill_nodes();
    } else {
      ++at_.front();
    }
  } else if (event <= resources_.size()) {
    served(event - 1);
  } else {
    outage_changes(event - 1 - resources_.size());
  }
}

PoolsRun Chain::run() {
  const double end = input_.length.base();
  const double warm_up = input_.warm_up.base();
  double area = 0;
  for (;;) {
    const double total = set_rates();
    const double next = std::min(end, now_ + exponential(random_.next_uniform()) / total);
    area += static_cast<double>(in_system_) * std::max(0.0, next - std::max(now_, warm_up));
    now_ = next;
    if (now_ == end) break;
    double place = random_.next_uniform() * total;
    std::size_t event = 0;
    for (; event + 1 < rates_.size() && place >= rates_[event]; ++event) place -= rates_[event];
    if (rates_[event] > 0) happen(event);
  }
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    if (down_[i] || recovering_[i]) ++result_.unrecovered;
  }
  result_.throughput = static_cast<double>(completed_) / (end - warm_up);
  result_.in_system = area / (end - warm_up);
  if (completed_ > 0) result_.response = seconds(result_.in_system / result_.throughput);
  if (result_.outages > 0) result_.recovery = seconds(recovery_ / static_cast<double>(result_.outages));
  return result_;
}

}  // namespace

double load_limit(std::span<const PooledResource> resources, Pooling pooling) {
  NAMEPLATE_CHECK(!resources.empty());
  double share = 1;
  double slowest = std::numeric_limits<double>::infinity();
  for (const PooledResource& resource : resources) {
    share *= mean_up_share(resource);
    slowest =
        std::min(slowest, static_cast<double>(resource.servers) * mean_up_share(resource) / resource.service.base());
  }
  if (pooling == Pooling::separate) return slowest;
  return static_cast<double>(resources.front().servers) * share / whole_service(resources);
}

double separation_gain(std::span<const PooledResource> resources) {
  double longest = 0;
  for (const PooledResource& resource : resources) longest = std::max(longest, resource.service.base());
  return whole_service(resources) / longest;
}

double largest_share_for(double gain) { return 1 / gain; }

PoolsRun simulate_pools(std::span<const PooledResource> resources, Pooling pooling, const PoolsInput& input,
                        std::uint64_t seed) {
  NAMEPLATE_CHECK(!resources.empty() && input.length > input.warm_up && input.arrivals > 0);
  return Chain(resources, pooling, input, seed).run();
}

}  // namespace nameplate
