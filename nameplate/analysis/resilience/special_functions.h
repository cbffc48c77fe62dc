// The special functions that the closed forms need, from Boost.Math, in one translation unit: its headers are slow to
// compile. Arguments are in range by contract; relative error below 1e-13.
#pragma once

namespace nameplate {

double lambert_w0(double z);                           // W exp(W) = z, z in [-1/e, inf), W >= -1
double incomplete_beta(double a, double b, double x);  // I_x(a, b), regularised; a, b > 0, x in 0..1
double beta_quantile(double a, double b, double p);    // x with I_x(a, b) = p
double incomplete_gamma_upper(double a, double x);     // Q(a, x), regularised; a > 0, x >= 0
double gamma_quantile(double shape, double p);         // of the gamma distribution of scale 1
double gamma_function(double x);                       // x > 0
double log_factorial(double n);                        // n >= 0

}  // namespace nameplate
