// The makers of the built-in formats; runlog.cc lists them in the order in which they are asked.
#pragma once

#include <memory>

#include "nameplate/core/result.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/inputs/runlog_format.h"

namespace nameplate {

std::unique_ptr<RunLogFormat> make_megatron_format();
std::unique_ptr<RunLogFormat> make_nanogpt_format();
std::unique_ptr<RunLogFormat> make_torchtitan_format();
std::unique_ptr<RunLogFormat> make_nemo_format();
std::unique_ptr<RunLogFormat> make_composer_format();
std::unique_ptr<RunLogFormat> make_hf_trainer_format();
std::unique_ptr<RunLogFormat> make_hf_state_format();
std::unique_ptr<RunLogFormat> make_nanotron_format();
std::unique_ptr<RunLogFormat> make_litgpt_format();
std::unique_ptr<RunLogFormat> make_maxtext_format();
std::unique_ptr<RunLogFormat> make_colossalai_format();
std::unique_ptr<RunLogFormat> make_nanochat_format();
std::unique_ptr<RunLogFormat> make_modded_nanogpt_format();
std::unique_ptr<RunLogFormat> make_olmo_format();
std::unique_ptr<RunLogFormat> make_dlrover_format();
std::unique_ptr<RunLogFormat> make_mlperf_format();
std::unique_ptr<RunLogFormat> make_wandb_format();
std::unique_ptr<RunLogFormat> make_deepspeed_format();

// A home-grown log by the user's columns or regular expression; an Error for an unknown field, unit or a bad
// expression.
Result<std::unique_ptr<RunLogFormat>> make_custom_format(const LogOptions& options);

}  // namespace nameplate
