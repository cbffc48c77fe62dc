#include "nameplate/cli/status_line.h"

#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace nameplate::cli {
namespace {

// Async-signal-safe: standard input becomes an empty file, so the next read ends.
void close_input(int) {
  const int empty = open("/dev/null", O_RDONLY);
  if (empty >= 0) dup2(empty, STDIN_FILENO);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

StatusLine::StatusLine() : visible_(isatty(STDERR_FILENO) == 1) {}

bool StatusLine::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(500)) return false;
  last_ = now;
  return true;
}

void StatusLine::show(const std::string& text) {
  if (!visible_) return;
  std::fprintf(stderr, "\r\x1b[K%.99s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

void end_input_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = close_input;  // without SA_RESTART, so that a waiting read returns
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace nameplate::cli
