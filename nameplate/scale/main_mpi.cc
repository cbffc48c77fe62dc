// nameplate-mpi: nameplate over the processes that mpirun or srun starts, on one machine or many. The first one prints.
#include <cstdlib>

#include "nameplate/cli/output.h"
#include "nameplate/cli/program.h"
#include "nameplate/scale/mpi_executor.h"

int main(int argc, char** argv) {
  // Open MPI gives the first process a terminal of its own and forwards what appears there to wherever mpirun writes,
  // which may be a file.
  setenv("NO_COLOR", "1", 0);
  const nameplate::MpiExecutor executor(argc, argv);
  const int exit_code = nameplate::cli::run_program(argc, argv, executor);
  if (exit_code == nameplate::cli::kInternalError) executor.abort(exit_code);
  return exit_code;
}
