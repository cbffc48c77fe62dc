#include "nameplate/api/step_device.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

std::optional<StepDevice> device_of(std::string_view name, Precision precision, std::vector<Assumption>& assumed) {
  const Catalogue& catalogue = Catalogue::embedded();
  const Accelerator* part = step_accelerator(catalogue, name, assumed);
  return step_device(catalogue, *part, precision, embedded_step_calibration(), assumed);
}

TEST(StepDevice, RatesOfTheCatalogue) {
  std::vector<Assumption> assumed;
  const StepDevice h100 = *device_of("H100 SXM", Precision::fp8, assumed);
  EXPECT_EQ(h100.peak, tflops_per_s(1979));
  EXPECT_NEAR(h100.matmul / tflops_per_s(1402.6), 1, 1e-9);  // its own best matmul
  EXPECT_EQ(h100.family, "hopper");
  EXPECT_TRUE(assumed.empty());
}

// H100 SXM: 989.4 TFLOP/s in bf16, 494.5 in tf32, 67 in fp32 outside the matrix units (datasheet).
TEST(StepDevice, AWideFormatHasItsOwnPeakThroughout) {
  std::vector<Assumption> assumed;
  const StepDevice bf16 = *device_of("H100 SXM", Precision::bf16, assumed);
  EXPECT_TRUE(assumed.empty());
  for (const auto& [precision, peak] : {std::pair{Precision::tf32, 494.5}, {Precision::fp32, 67.0}}) {
    const StepDevice wide = *device_of("H100 SXM", precision, assumed);
    EXPECT_EQ(wide.peak, tflops_per_s(peak));
    EXPECT_EQ(wide.peak_16, wide.peak);
    EXPECT_EQ(wide.matmul_16, wide.matmul);
    EXPECT_NEAR(wide.matmul / wide.peak, bf16.matmul / bf16.peak, 1e-9);
  }
  EXPECT_EQ(assumed.size(), 2u);
}

TEST(StepDevice, AVariantBorrowsPeaksAndKeepsItsPower) {
  std::vector<Assumption> assumed;
  const StepDevice part = *device_of("H100-SXM-96GB(500W)", Precision::bf16, assumed);
  EXPECT_EQ(part.peak, tflops_per_s(989.4));
  EXPECT_EQ(part.memory_bandwidth, gigabytes_per_s(2400));
  EXPECT_NEAR(part.matmul / tflops_per_s(794.5), std::sqrt(500.0 / 700), 1e-9);
  EXPECT_FALSE(assumed.empty());
}

TEST(StepDevice, ADeviceThatNoTableHasFallsBackToItsFamily) {
  // GB300, fp8, of 5000 at 1400 W: B200 3432.5 of 4500 at 1000 W and 2250 in 16 bit, GB200 3615.6 of 5000 at 1200 W and
  // 2500. Shares 0.7628 sqrt((1400 / 2500) / (1000 / 2250)) and 0.7231 sqrt(1400 / 1200); the median is their mean.
  std::vector<Assumption> assumed;
  const double expected = (0.76278 * std::sqrt(0.56 / 0.44444) + 0.72312 * std::sqrt(0.56 / 0.48)) / 2;
  EXPECT_NEAR(device_of("GB300", Precision::fp8, assumed)->matmul / tflops_per_s(5000), expected, 1e-3);
  EXPECT_EQ(assumed.size(), 2u);  // at 8 and at 16 bit
}

TEST(StepDevice, NoPeakAtAPrecisionIsNoDevice) {
  std::vector<Assumption> assumed;
  EXPECT_FALSE(device_of("A100-SXM-80GB", Precision::fp8, assumed));
}

TEST(StepFabric, DomainsAndUsualNetworks) {
  const Catalogue& catalogue = Catalogue::embedded();
  std::vector<Assumption> assumed;
  const auto fabric = [&](std::string_view name, FabricFacts facts) {
    return step_fabric(*step_accelerator(catalogue, name, assumed), facts, assumed);
  };
  EXPECT_EQ(fabric("H100 SXM", {.per_node = 8}).domain, 8);
  EXPECT_EQ(fabric("H100 SXM", {.per_node = 4}).domain, 4);
  EXPECT_EQ(fabric("GB200", {.per_node = 4}).domain, 72);
  EXPECT_EQ(fabric("H100 SXM", {}).scale_out, gigabytes_per_s(50));
  EXPECT_EQ(fabric("TPU v5p", {}).scale_out, gigabytes_per_s(6.25));
  EXPECT_EQ(fabric("H100 SXM", {.network = gigabytes_per_s(12)}).scale_out, gigabytes_per_s(12));
}

TEST(StepFabric, AMeasurementTakesThePlaceOfTheModel) {
  StepFabric fabric{.domain = 8};
  MeasuredFabric measured{.ranks = 8};
  const auto add = [&](double size, double bus) {
    FabricPoint point;
    point.collective = CollectiveKind::all_reduce;
    point.size = bytes(size);
    point.bus_bandwidth = gigabytes_per_s(bus);
    measured.points.push_back(point);
  };
  add(1e9, 360);
  add(1e6, 40);
  use_measured_fabric(measured, fabric);
  EXPECT_EQ(fabric.measured_scale_up, gigabytes_per_s(360));
  EXPECT_FALSE(fabric.measured_scale_out);
  measured.ranks = 32;
  use_measured_fabric(measured, fabric);
  EXPECT_EQ(fabric.measured_scale_out, gigabytes_per_s(45));
  StepFabric unknown{.domain = 8};
  measured.ranks = 0;
  use_measured_fabric(measured, unknown);
  EXPECT_FALSE(unknown.measured_scale_up);
}

}  // namespace
}  // namespace nameplate
