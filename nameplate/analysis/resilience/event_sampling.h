// Random lifetimes by inversion: each is a function of one uniform number, so runs of different models that read the
// same numbers stay comparable (common random numbers), which the standard library's distributions do not promise.
//
// Logarithm and exponential are our own: the C library chooses between code with and without fused multiply-add by the
// processor it runs on, and one last bit can turn the order of two events. These use + - * / alone, so that the same
// seed gives the same bytes on every x86-64 machine. Error below 4 units in the last place (event_sampling_test.cc).
#pragma once

namespace nameplate {

double portable_log(double x);        // x > 0 and normal; relative error 1e-15, absolute near 1
double portable_exp(double x);        // |x| <= 700
double portable_log_gamma(double z);  // z > 0; Stirling's series after shifting z beyond 16, absolute error 1e-13

// Of mean 1; `uniform` in [0, 1).
double exponential(double uniform);

// Weibull of a given mean: S(t) = exp(-(t / scale)^shape), scale = mean / Gamma(1 + 1/shape).
struct Weibull {
  double scale = 1;
  double shape = 1;  // 1: the exponential
};
Weibull weibull_of_mean(double mean, double shape);
double sample(const Weibull& weibull, double uniform);

}  // namespace nameplate
