#include <gtest/gtest.h>

#include "nameplate/report/render.h"
#include "nameplate/report/sample_document.h"

namespace nameplate {
namespace {

TEST(RenderCsv, Golden) {
  Document document = sample_document();
  document.values.resize(2);
  document.values.push_back(sample_values()[6]);
  document.ledgers = {sample_step_ledger()};
  EXPECT_EQ(render_csv(document), R"csv(# values
id,value,unit,low,high,convention,source,level
mfu_step_ratio,0.347,1,0.345,0.349,"causal, dense bf16 peak",train.log,log+config
step_time_s,1.1,s,1.09,1.112,,,
flops_per_step,18446744073709551617,FLOP,,,,,

# ledger.step
id,accelerator_s,share,evidence
model_compute,400,0.5,
recompute,0,0,
unattributed,400,0.5,

# steps
step,step_time_s,class
1,2.5,warm_up
2,,"a,""b""
<b>"
1000,1.125,steady
)csv");
}

}  // namespace
}  // namespace nameplate
