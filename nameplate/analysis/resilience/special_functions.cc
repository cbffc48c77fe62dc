#include "nameplate/analysis/resilience/special_functions.h"

#include <cmath>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/lambert_w.hpp>

namespace nameplate {
namespace {

namespace policies = boost::math::policies;
// Underflow and overflow give 0 and infinity instead of exceptions.
using Quiet =
    policies::policy<policies::overflow_error<policies::ignore_error>,
                     policies::underflow_error<policies::ignore_error>, policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>, policies::evaluation_error<policies::ignore_error>>;

}  // namespace

double lambert_w0(double z) { return boost::math::lambert_w0(z, Quiet()); }
double incomplete_beta(double a, double b, double x) { return boost::math::ibeta(a, b, x, Quiet()); }
double beta_quantile(double a, double b, double p) { return boost::math::ibeta_inv(a, b, p, Quiet()); }
double incomplete_gamma_upper(double a, double x) { return boost::math::gamma_q(a, x, Quiet()); }
double gamma_quantile(double shape, double p) { return boost::math::gamma_p_inv(shape, p, Quiet()); }
double gamma_function(double x) { return boost::math::tgamma(x, Quiet()); }
double log_factorial(double n) { return boost::math::lgamma(n + 1, Quiet()); }

}  // namespace nameplate
