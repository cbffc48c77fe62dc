// make_trace FILE [--bytes N] [--compact] [--rank R] [--ranks N]: the trace of generated_trace.h as a file.
#include <fstream>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "benchmarks/generated_trace.h"

int main(int argc, char** argv) {
  CLI::App program("Writes a Kineto trace to measure with.");
  nameplate::GeneratedTrace shape;
  std::string path;
  program.add_option("FILE", path, "where to")->required();
  program.add_option("--bytes", shape.bytes, "at least so many");
  program.add_flag("--compact", shape.compact, "one line, without Python frames");
  program.add_option("--rank", shape.rank, "of this trace");
  program.add_option("--ranks", shape.ranks, "of the job");
  CLI11_PARSE(program, argc, argv);
  std::ofstream file(path, std::ios::binary);
  write_trace(shape, file);
  return file.flush() ? 0 : 1;
}
