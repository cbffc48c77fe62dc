#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/core/node.h"
#include "nameplate/report/render.h"
#include "nameplate/report/sample_document.h"

namespace nameplate {
namespace {

// What schema/document.json says of it is held by tools/check_document.py.
TEST(RenderJson, Golden) {
  EXPECT_EQ("\n" + render_json(sample_document()), R"json(
{
  "schema": "nameplate.document/1",
  "command": "report",
  "version": "0.1.0",
  "title": {"id": "sample.title", "args": {"name": "<script>alert(1)</script>"}, "sentence": "sample.title name=<script>alert(1)</script>"},
  "notes": [
    {"id": "sample.note", "args": {"share": 0.389}, "sentence": "sample.note share=0.389 missing=unknown"}
  ],
  "values": {
    "mfu_step_ratio": {"value": 0.347, "unit": "1", "low": 0.345, "high": 0.349, "convention": "causal, dense bf16 peak", "source": "train.log", "level": "log+config"},
    "step_time_s": {"value": 1.1, "unit": "s", "low": 1.09, "high": 1.112},
    "ettr_ratio": {"value": 0.0042, "unit": "1"},
    "tokens_per_s_per_gpu": {"value": 13256.4, "unit": "token/s"},
    "tflops_per_s_per_gpu": {"value": 412.345, "unit": "TFLOP/s"},
    "flops_per_token": {"value": 51470401536, "unit": "FLOP"},
    "flops_per_step": {"value": 18446744073709551617, "unit": "FLOP"},
    "memory_peak_bytes": {"value": 7.366e+10, "unit": "B"},
    "checkpoint_interval_s": {"value": 200, "unit": "s"}
  },
  "ledgers": {
    "step": {
      "scope": "step",
      "unit": "accelerator_s",
      "total": 800,
      "ranks_present": 16,
      "ranks_total": 16,
      "rows": [
        {"id": "model_compute", "value": 400, "share": 0.5},
        {"id": "recompute", "value": 0, "share": 0},
        {"id": "unattributed", "value": 400, "share": 0.5}
      ]
    },
    "run": {
      "scope": "run",
      "unit": "accelerator_s",
      "total": 1234,
      "ranks_present": 8,
      "ranks_total": 16,
      "rows": [
        {"id": "model_compute", "value": 617, "share": 0.5, "evidence": "median of 90 steady steps, causal attention, dense bf16 peak of the catalogue"},
        {"id": "checkpoint", "value": 123.4, "share": 0.1, "evidence": "train.log:215"},
        {"id": "startup", "value": 617, "share": 0.5},
        {"id": "unattributed", "value": -123.40000000000009, "share": -0.10000000000000007}
      ]
    }
  },
  "ledger": {
    "scope": "run",
    "unit": "accelerator_s",
    "total": 1234,
    "ranks_present": 8,
    "ranks_total": 16,
    "rows": [
      {"id": "model_compute", "value": 617, "share": 0.5, "evidence": "median of 90 steady steps, causal attention, dense bf16 peak of the catalogue"},
      {"id": "checkpoint", "value": 123.4, "share": 0.1, "evidence": "train.log:215"},
      {"id": "startup", "value": 617, "share": 0.5},
      {"id": "unattributed", "value": -123.40000000000009, "share": -0.10000000000000007}
    ]
  },
  "tables": {
    "steps": {
      "columns": [{"id": "step", "unit": "1"}, {"id": "step_time_s", "unit": "s"}, {"id": "class"}],
      "rows": [
        [1, 2.5, "warm_up"],
        [2, "", "a,\"b\"\n<b>"],
        [1000, 1.125, "steady"]
      ]
    }
  },
  "figures": [
    {"id": "step_time", "kind": "line", "table": "steps", "x": "step", "y": ["step_time_s"], "text": "sample.figure"},
    {"id": "run", "kind": "waterfall", "table": "ledger:run", "y": [], "text": "sample.figure"}
  ],
  "findings": [
    {
      "id": "sample.slow",
      "args": {"count": 3},
      "sentence": "sample.slow count=3",
      "row": "checkpoint",
      "worth": {"accelerator_s": 123.4, "mfu_points": 0.032, "low": 0.021, "high": 0.04},
      "evidence": ["train.log:215: saving \u001b[31mcheckpoint"]
    }
  ],
  "assumptions": [
    {"id": "sample.assumed", "args": {"key": "training.precision"}, "sentence": "sample.assumed key=training.precision"}
  ],
  "defects": [
    {"id": "sample.lost", "args": {"line": 7}, "sentence": "sample.lost line=7", "severity": "data_loss", "count": 2},
    {"id": "sample.broken", "args": {"text": "�\u0001"}, "sentence": "sample.broken text=�\u0001", "severity": "error", "count": 1234}
  ]
}
)json");
}

TEST(RenderJson, AReaderOfOthersReadsIt) {
  const std::string text = render_json(sample_document());
  const Result<ParsedJson> parsed = parse_json(text, "document");
  ASSERT_TRUE(parsed.ok()) << render(parsed.error());
  EXPECT_EQ(parsed->non_finite, 0);
  const Node* values = parsed->root.find("values");
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->members.size(), 9u);  // ten, one of which is not a number
  EXPECT_EQ(parsed->root.find_path("ledger.scope")->as_string(), "run");
}

TEST(RenderJson, AnEmptyDocumentHasEveryRequiredKey) {
  const Result<ParsedJson> parsed = parse_json(render_json(Document{}), "document");
  ASSERT_TRUE(parsed.ok()) << render(parsed.error());
  for (const char* key : {"schema", "command", "version", "notes", "values", "ledgers", "tables", "figures", "findings",
                          "assumptions", "defects"}) {
    EXPECT_NE(parsed->root.find(key), nullptr) << key;
  }
  EXPECT_EQ(parsed->root.find("ledger"), nullptr);
}

}  // namespace
}  // namespace nameplate
