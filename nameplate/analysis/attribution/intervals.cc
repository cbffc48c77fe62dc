#include "nameplate/analysis/attribution/intervals.h"

#include <algorithm>

namespace nameplate {

Stretches unite(Stretches any) {
  std::sort(any.begin(), any.end(), [](Stretch a, Stretch b) { return a.begin_ns < b.begin_ns; });
  Stretches set;
  for (const Stretch s : any) {
    if (s.length() <= 0) continue;
    if (!set.empty() && s.begin_ns <= set.back().end_ns) {
      set.back().end_ns = std::max(set.back().end_ns, s.end_ns);
    } else {
      set.push_back(s);
    }
  }
  return set;
}

Stretches intersect(const Stretches& a, const Stretches& b) {
  Stretches both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Stretch common{std::max(a[i].begin_ns, b[j].begin_ns), std::min(a[i].end_ns, b[j].end_ns)};
    if (common.length() > 0) both.push_back(common);
    a[i].end_ns < b[j].end_ns ? ++i : ++j;
  }
  return both;
}

Stretches subtract(const Stretches& a, const Stretches& b) {
  Stretches rest;
  std::size_t j = 0;
  for (Stretch s : a) {
    while (j < b.size() && b[j].end_ns <= s.begin_ns) ++j;
    for (std::size_t k = j; k < b.size() && b[k].begin_ns < s.end_ns; ++k) {
      if (b[k].begin_ns > s.begin_ns) rest.push_back({s.begin_ns, b[k].begin_ns});
      s.begin_ns = std::min(b[k].end_ns, s.end_ns);
    }
    if (s.length() > 0) rest.push_back(s);
  }
  return rest;
}

std::int64_t total_ns(const Stretches& set) {
  std::int64_t sum = 0;
  for (const Stretch s : set) sum += s.length();
  return sum;
}

Stretches clip(const Stretches& set, Stretch window) {
  auto first = std::partition_point(set.begin(), set.end(), [&](Stretch s) { return s.end_ns <= window.begin_ns; });
  Stretches part;
  for (; first != set.end() && first->begin_ns < window.end_ns; ++first) {
    part.push_back({std::max(first->begin_ns, window.begin_ns), std::min(first->end_ns, window.end_ns)});
  }
  return part;
}

}  // namespace nameplate
