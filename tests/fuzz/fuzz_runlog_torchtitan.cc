// torchtitan logs.
#include "tests/fuzz/fuzz_runlog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return nameplate::fuzz_runlog(data, size, {.columns = {}, .regex = {}, .format = "torchtitan"});
}
