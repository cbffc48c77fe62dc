// Reads an export of Nsight Systems (nsys export --type sqlite): a timeline for each device of each process in it.
//
// Tables and columns as the documentation of the exporter states them (docs.nvidia.com/nsight-systems, "SQLite Schema
// Reference"); versions differ, so each table and column may be missing. Device events are kernels, copies, memsets and
// whole graphs; host events are calls of the runtime and the driver, ranges of NVTX and calls of the operating system.
// PyTorch's emit_nvtx marks each operator ("aten::mm, seq = 3, op_id = 7, sizes = [[8, 4], [4, 2]]"): the operator is
// read with its shapes. Synchronisations and the profiler's own work are told by the calls that made them.
//
// No rank is recorded: processes are ordered by their id, devices within one by theirs. A plain file is read in place;
// bytes from a pipe or a compressed file are held in memory, up to kMostNsightBytes.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/core/byte_stream.h"
#include "nameplate/core/result.h"
#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/sqlite_file.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

inline constexpr std::int64_t kMostNsightBytes = std::int64_t{2} << 30;

Result<std::vector<RankTrace>> read_nsight(ByteStream stream, const KernelClasses& classes);
Result<std::vector<RankTrace>> read_nsight(const SqliteFile& file, const KernelClasses& classes);

}  // namespace nameplate
