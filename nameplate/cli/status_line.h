// One line on the terminal that is written over: progress, or a run that is being followed. In a pipe there is none.
#pragma once

#include <chrono>
#include <string>

namespace nameplate::cli {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool visible() const { return visible_; }  // standard error is a terminal
  bool is_due();                             // at most every half second
  void show(const std::string& text);
  void clear();

 private:
  bool visible_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// From now on an interrupt (Ctrl-C) ends standard input instead of the program: a followed run is reported as it
// stands.
void end_input_on_interrupt();

}  // namespace nameplate::cli
