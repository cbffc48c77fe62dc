// The program behind its two mains: nameplate, and nameplate-mpi (scale/main_mpi.cc), which spreads the work of some
// commands over the processes of a job.
#pragma once

#include "nameplate/core/executor.h"

namespace nameplate::cli {

// Runs the command and prints what it gives, on the first process of a job; the exit code.
int run_program(int argc, char** argv, const Executor& executor);

}  // namespace nameplate::cli
