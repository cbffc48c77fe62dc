// What a programmer caused aborts here; what an input can cause is a Result (core/result.h).
#pragma once

#include <cstdio>
#include <cstdlib>

#define NAMEPLATE_CHECK(condition)                                                         \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: internal error: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
