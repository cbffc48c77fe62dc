#include "nameplate/api/validate_step_time.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace nameplate {
namespace {

constexpr std::string_view kHeader =
    "id,source_id,year,model_name,layers,hidden,ffn_hidden,heads,kv_heads,head_dim,vocab,gated_mlp,seq_len,"
    "global_batch_sequences,micro_batch,accelerator,num_gpus,dtype,tp,pp,recompute,framework,measured_step_time_s,"
    "gate\n";

std::string row(std::string id, std::string model, std::string tp, std::string time, std::string gate = "1") {
  return id + ",mine,2026," + model + ",32,4096,14336,32,8,128,128256,1,8192,64,1,H100-SXM-80GB,8,bf16," + tp +
         ",1,none,NeMo," + time + "," + gate + "\n";
}

Document validated(const std::string& rows, const StepValidation& how = {}) {
  return validate_step_time(read_published_runs(std::string(kHeader) + rows, "runs.csv").value(), Catalogue::embedded(),
                            how);
}

double value(const Document& d, std::string_view id) { return as_double(d.find_value(id)->value); }

TEST(ValidateStepTime, CountsRowsAndSaysWhyOthersAreLeftOut) {
  const Document d = validated(row("a", "m", "1", "9.5") + row("b", "m", "2", "9.9") + row("c", "m", "1", "") +
                               row("d", "m", "1", "9.5", "0"));
  EXPECT_EQ(value(d, "rows_total"), 4);
  EXPECT_EQ(value(d, "rows_eligible"), 2);
  EXPECT_EQ(value(d, "rows_predicted"), 2);
  EXPECT_EQ(value(d, "rows_left_out"), 2);
  const Table& errors = *d.find_table("errors");
  ASSERT_EQ(errors.rows.size(), 4u);
  EXPECT_EQ(std::get<std::string>(errors.rows[2][6]), "no_step_time");
  EXPECT_EQ(std::get<std::string>(errors.rows[3][6]), "not_gated");
  const double measured = std::get<double>(errors.rows[0][3]), predicted = std::get<double>(errors.rows[0][4]);
  EXPECT_DOUBLE_EQ(std::get<double>(errors.rows[0][5]), predicted / measured - 1);
}

TEST(ValidateStepTime, AFitToOneSetupLeavesItsModelsOut) {
  const Document d =
      validated(row("a", "m", "1", "9") + row("b", "n", "2", "9") + row("c", "n", "4", "9"), {.fit = true});
  std::set<std::string> folds;
  for (const auto& each : d.find_table("errors")->rows) folds.insert(std::get<std::string>(each[2]));
  EXPECT_EQ(folds, (std::set<std::string>{"mine: m", "mine: n"}));
  EXPECT_FALSE(d.find_table("calibration")->rows.empty());
}

TEST(ValidateStepTime, AnchorsTakeOutWhatIsCommon) {
  // Four plans, each measured three times what any of them should take.
  std::string rows;
  for (const std::string tp : {"1", "2", "4", "8"}) rows += row("r" + tp, "m", tp, "30");
  const Document plain = validated(rows), anchored = validated(rows, {.anchor = true});
  EXPECT_GT(value(plain, "error_mean_ratio"), 0.4);
  EXPECT_LT(value(anchored, "error_mean_ratio"), 0.25);
}

TEST(ValidateStepTime, AnEmptyTable) {
  const Document d = validated("");
  EXPECT_EQ(value(d, "rows_predicted"), 0);
  EXPECT_EQ(d.find_value("error_median_ratio"), nullptr);
}

}  // namespace
}  // namespace nameplate
