#include "nameplate/api/predict_tables.h"

#include <algorithm>

namespace nameplate {

Table predicted_stages(const Prediction& p) {
  Table table{.id = "stages",
              .columns = {{"stage", ""},
                          {"layers", ""},
                          {"forward_s", "s"},
                          {"backward_s", "s"},
                          {"busy_s", "s"},
                          {"idle_s", "s"},
                          {"warm_up_s", "s"},
                          {"cool_down_s", "s"},
                          {"in_flight", ""},
                          {"memory_bytes", "B"},
                          {"memory_reserved_bytes", "B"}}};
  constexpr std::size_t kShown = 16;
  for (std::size_t i = 0; i < p.step.schedule.stages.size(); ++i) {
    const StageUse& use = p.step.schedule.stages[i];
    const StageTime& stage = p.step.stages[i];
    const StageMemory* memory = p.memory ? &p.memory->stages[i] : nullptr;
    table.rows.push_back({Int128{stage.stage}, stage.layers, stage.forward.base(), stage.backward.base(),
                          use.busy.base(), use.idle.base(), use.warm_up.base(), use.cool_down.base(),
                          use.peak_in_flight, memory ? Cell(memory->allocated().base()) : Cell(),
                          memory ? Cell(memory->reserved().base()) : Cell()});
  }
  table.text_rows = kShown;
  return table;
}

Table predicted_operators(const Prediction& p) {
  Table table{.id = "operators",
              .columns = {{"operator", ""},
                          {"role", ""},
                          {"binds", ""},
                          {"forward_s", "s"},
                          {"backward_s", "s"},
                          {"at_peak_s", "s"},
                          {"of_peak_ratio", "1"},
                          {"share_ratio", "1"}}};
  std::vector<const OperatorTime*> order;
  for (const OperatorTime& op : p.step.operators) order.push_back(&op);
  const auto total = [](const OperatorTime& op) { return op.forward + op.backward; };
  std::stable_sort(order.begin(), order.end(),
                   [&](const OperatorTime* a, const OperatorTime* b) { return total(*a) > total(*b); });
  for (const OperatorTime* op : order) {
    const Seconds time = total(*op);
    table.rows.push_back({op->id, std::string(name(op->role)), std::string(name(op->binding)), op->forward.base(),
                          op->backward.base(), op->at_peak.base(), time > Seconds() ? op->at_peak / time : 0.0,
                          time / p.step_time});
  }
  return table;
}

Table predicted_phases(const Prediction& p) {
  Table table{.id = "step_phases", .columns = {{"phase", ""}, {"time_s", "s"}, {"share_ratio", "1"}}};
  const auto add = [&](const char* phase, Seconds time) {
    table.rows.push_back({std::string(phase), time.base(), time / p.step_time});
  };
  const PhaseTimes& phases = p.step.phases;
  add("forward", phases.forward);
  add("backward", phases.backward);
  add("optimizer", phases.optimizer);
  add("once_a_step", phases.fixed);
  add("waiting", p.step_time - phases.forward - phases.backward - phases.optimizer - phases.fixed);
  return table;
}

}  // namespace nameplate
