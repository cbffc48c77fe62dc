#include "nameplate/cli/program.h"

int main(int argc, char** argv) { return nameplate::cli::run_program(argc, argv, nameplate::ThreadExecutor()); }
