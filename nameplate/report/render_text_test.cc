#include <gtest/gtest.h>

#include <sstream>

#include "nameplate/report/render.h"
#include "nameplate/report/sample_document.h"
#include "nameplate/report/utf8.h"

namespace nameplate {
namespace {

TEST(RenderText, Golden) {
  EXPECT_EQ("\n" + render_text(sample_document(), TextStyle{}), R"text(
sample.title name=<script>alert(1)</script>
sample.note share=0.389 missing=unknown

  MFU of the steps                          34.7 %        (34.5 .. 34.9)  causal, dense bf16 peak
                                                                          [train.log]
  step time                                 1.10 s        (1.09 .. 1.11)
  effective training time (ETTR)            0.42 %
  tokens per accelerator                  13,256 token/s
  achieved per accelerator                 412.3 TFLOP/s
  training FLOPs per token        51,470,401,536 FLOP
  training FLOPs per step                  18.45 EFLOP
  peak memory                               68.6 GiB
  checkpoint interval                   3 min 20 s

Where the time of the steady steps went
  model compute (the MFU)   50.0 %  400.0  #############
  recompute                  0.0 %    0.0
  unattributed              50.0 %  400.0  #############
  total                    100.0 %  800.0  accelerator-s

Where the wall-clock time went  8 of 16 ranks present
  model compute (the MFU)   50.0 %    617  #############              median of 90 steady steps, ...
  checkpoint                10.0 %    123  ###                        train.log:215
  start-up                  50.0 %    617  #############
  unattributed             -10.0 %   -123  ---
  total                    100.0 %  1,234  accelerator-s

Findings
  1. sample.slow count=3
     worth: 3.2 MFU points (2.1 .. 4.0), 123.4 accelerator-s
     train.log:215: saving  [31mcheckpoint

Steps
        step
        time
  step     s  class
     1  2.50  warm_up
     2        a,"b" <b>
  ... rows left out: 1 (--format json or csv has all)

Assumed
  - sample.assumed key=training.precision

Defects in the input
  lost data      2 x  sample.lost line=7
  error      1,234 x  sample.broken text=�
)text");
}

TEST(RenderText, FitsTheWidth) {
  for (const int width : {60, 72, 100}) {
    TextStyle style;
    style.width = width;
    std::istringstream lines(render_text(sample_document(), style));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(RenderText, ColourOnlyAdds) {
  TextStyle style;
  style.colour = true;
  std::string text = render_text(sample_document(), style);
  EXPECT_NE(text.find("\x1b["), std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at)) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  EXPECT_EQ(text, render_text(sample_document(), TextStyle{}));
}

TEST(RenderText, AnIntervalWithoutEndIsLeftOut) {
  Document document;
  Value value = sample_value("step_time_s", 1.5, "s");
  value.low = 1;
  value.high = HUGE_VAL;
  document.values = {value};
  EXPECT_EQ(render_text(document, TextStyle{}), "  step time  1.50 s\n");
}

TEST(RenderText, AnEmptyDocumentIsAnEmptyText) { EXPECT_EQ(render_text(Document{}, TextStyle{}), ""); }

}  // namespace
}  // namespace nameplate
