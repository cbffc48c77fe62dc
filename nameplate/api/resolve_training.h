// What makes a run other than plain pre-training at one precision: frozen parts, LoRA, operators in fp8 or fp4,
// operators that are recomputed, other models on the same batch, samples shorter than the sequence length. Internal to
// api/.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

// model.frozen, model.lora_*, training.fp8, training.fp4, training.recompute_operators: changes the run's architecture.
Status resolve_operators(LoadedRun& run);
// training.forward_models: catalogue names, or configuration files beside the manifest.
Status resolve_forward_models(const Catalogue& catalogue, LoadedRun& run);
// data.mean_length, data.lengths, data.packing: what the sequences hold.
Status resolve_lengths(LoadedRun& run);

}  // namespace nameplate
