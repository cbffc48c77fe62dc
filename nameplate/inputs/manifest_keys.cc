#include "nameplate/inputs/manifest_keys.h"

namespace nameplate {
namespace {

using enum KeyKind;

constexpr ManifestKey kKeys[] = {
    {"name", text, ""},
    {"model.config", text, ""},
    {"model.name", text, ""},
    {"training.seq_len", integer, ""},
    {"training.global_batch", integer, ""},
    {"training.micro_batch", integer, ""},
    {"training.precision", text, ""},
    {"training.recompute", text, "none|selective|full"},
    {"training.optimizer", text, ""},
    {"cluster.accelerator", text, ""},
    {"cluster.count", integer, ""},
    {"cluster.per_node", integer, ""},
    {"cluster.network", bandwidth, ""},
    {"cluster.peak", flops_rate, ""},
    {"cluster.peak_source", text, ""},
    {"cluster.hbm_bandwidth", bandwidth, ""},
    {"cluster.hbm_size", bytes, ""},
    {"cluster.power_cap", power, ""},
    {"cluster.topology", table, ""},
    {"plan.tp", integer, ""},
    {"plan.etp", integer, ""},
    {"plan.pp", integer, ""},
    {"plan.virtual_pp", integer, ""},
    {"plan.cp", integer, ""},
    {"plan.ep", integer, ""},
    {"plan.dp", integer, ""},
    {"plan.zero", integer, ""},
    {"plan.sp", boolean, ""},
    {"plan.schedule", text, "gpipe|1f1b|interleaved|zero_bubble|dualpipe"},
    {"plan.fsdp", table, ""},
    {"plan.order", text, ""},
    {"plan.overlap", table, ""},
    {"plan.offload", text, ""},
    {"data.bytes_per_sample", bytes, ""},
    {"data.cpu_time_per_sample", duration, ""},
    {"data.workers", integer, ""},
    {"data.prefetch", integer, ""},
    {"data.cache_hit", number, ""},
    {"data.store", table, ""},
    {"measured.step_time", duration, ""},
    {"measured.tokens_per_s_per_gpu", number, ""},
    {"measured.tokens_per_s", number, ""},
    {"measured.tflops_per_gpu", number, ""},
    {"measured.mfu", number, ""},
    {"measured.convention", text, ""},
    {"measured.wall", duration, ""},
    {"measured.ettr", number, ""},
    {"measured.source", text, ""},
    {"inputs.logs", texts, ""},
    {"inputs.traces", texts, ""},
    {"inputs.columns", free_table, ""},
    {"inputs.regex", text, ""},
    {"inputs.format", text, ""},
    {"failures.class", table, ""},
    {"failures.checkpoint", table, ""},
    {"failures.spares", integer, ""},
    {"failures.crews", integer, ""},
    {"failures.repair", duration, ""},
    {"failures.fleet_age", duration, ""},
    {"prices", free_table, ""},
    {"scenario", free_table, ""},
};

}  // namespace

std::span<const ManifestKey> manifest_key_table() { return kKeys; }

}  // namespace nameplate
