// exp, tanh and erf of floats for the fast arithmetic: floats without branches or tables, which LLVM makes vectors of
// twice as long as those of the exact ones, and fused multiply-adds. exp is within one unit in the last place, tanh and
// erf within two (vector_math_test.cpp); values do not depend on how a loop was vectorised.
#include <numbers>
#include <span>

#include "steptp/llvm/builder.h"
#include "steptp/llvm/lower.h"

namespace steptp::llvm_ir {

namespace {

// (exp(x) - 1 - x) / x^2 for |x| up to log(2) / 2, highest powers first; least squares at Chebyshev's points.
constexpr double kExponential[] = {0x1.a1517cp-13, 0x1.6d4328p-10, 0x1.1110c6p-7,
                                   0x1.5554eap-5,  0x1.555556p-3,  0x1.0p-1};
// (tanh(x) - x) / x^3 in x^2 for |x| up to 0.625, and erf(x) / x - 1 in x^2 for |x| up to 1: the Cephes library's.
constexpr double kTangent[] = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                               -3.33332819422e-1};
constexpr double kErrorFunction[] = {7.853861353153693e-5,  -8.010193625184903e-4, 5.188327685732524e-3,
                                     -2.685381193529856e-2, 1.128358514861418e-1,  -3.761262582423300e-1,
                                     1.28379165726710e-1};
// log(erfc(x) (1 + x/2)) + x^2 in 1 / (1 + x/2): Chebyshev's sum of Numerical Recipes, good to 1.2e-7 of erfc.
constexpr double kComplement[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                                  -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};

/// 2^23 + 2^22: an integer that is added to it lies in the low bits of the sum.
constexpr double kShift = 0x1.8p23;
constexpr int kShiftBits = 0x4b400000;
/// log 2 in two parts, of which the first has 15 digits: its products with exponents are exact.
constexpr double kLog2High = 0x1.62e4p-1;
constexpr double kLog2Low = 0x1.7f7d1cp-20;

class FastMath {
 public:
  explicit FastMath(std::string_view calls) : calls_(calls) {}

  [[nodiscard]] std::string text() {
    define("stp_fast_exp", &FastMath::exponential);
    define("stp_fast_tanh", &FastMath::tangent);
    define("stp_fast_erf", &FastMath::error_function);
    declare("float @llvm.maxnum.f32", "(float, float)");
    declare("float @llvm.minnum.f32", "(float, float)");
    declare("double @llvm.maxnum.f64", "(double, double)");
    declare("double @llvm.minnum.f64", "(double, double)");
    declare("float @llvm.fma.f32", "(float, float, float)");
    declare("float @llvm.copysign.f32", "(float, float)");
    return std::move(text_);
  }

 private:
  /// What the text calls and its head does not declare.
  void declare(std::string_view name, std::string_view parameters) {
    const bool is_called = calls_.find(name) != std::string_view::npos || text_.find(name) != std::string::npos;
    if (is_called) append(text_, "declare ", name, parameters, "\n");
  }

  void define(std::string_view name, std::string (FastMath::*body)(const std::string&)) {
    if (calls_.find(concat("@", name, "(")) == std::string_view::npos) return;
    out_ = Builder();
    const std::string result = (this->*body)("%x");
    append(text_, "\ndefine internal float @", name, "(float %x) alwaysinline {\nentry:\n", out_.text(), "  ret float ",
           result, "\n}\n");
  }

  /// LLVM wants floats as the doubles of the same value.
  static std::string number(double value) { return real_constant(static_cast<double>(static_cast<float>(value))); }
  std::string add(const std::string& a, const std::string& b) { return out_.emit("fadd float ", a, ", ", b); }
  std::string subtract(const std::string& a, const std::string& b) { return out_.emit("fsub float ", a, ", ", b); }
  std::string multiply(const std::string& a, const std::string& b) { return out_.emit("fmul float ", a, ", ", b); }
  std::string divide(const std::string& a, const std::string& b) { return out_.emit("fdiv float ", a, ", ", b); }
  std::string fused(const std::string& a, const std::string& b, const std::string& c) {
    return out_.emit("call float @llvm.fma.f32(float ", a, ", float ", b, ", float ", c, ")");
  }
  std::string absolute(const std::string& x) { return out_.emit("call float @llvm.fabs.f32(float ", x, ")"); }
  std::string with_sign_of(const std::string& value, const std::string& x) {
    return out_.emit("call float @llvm.copysign.f32(float ", value, ", float ", x, ")");
  }
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no) {
    return out_.emit("select i1 ", condition, ", float ", yes, ", float ", no);
  }
  /// x between both bounds; NaN stays.
  std::string clamped(const std::string& x, double low, double high) {
    const std::string below = choose(out_.emit("fcmp ogt float ", x, ", ", number(high)), number(high), x);
    return choose(out_.emit("fcmp olt float ", below, ", ", number(low)), number(low), below);
  }
  std::string polynomial(std::span<const double> coefficients, const std::string& x) {
    std::string sum = number(coefficients.front());
    for (const double coefficient : coefficients.subspan(1)) sum = fused(sum, x, number(coefficient));
    return sum;
  }
  /// Two to the power of an i32.
  std::string power_of_two(const std::string& exponent) {
    const std::string biased = out_.emit("add i32 ", exponent, ", 127");
    return out_.emit("bitcast i32 ", out_.emit("shl i32 ", biased, ", 23"), " to float");
  }

  /// Its power of two is taken in two steps, because one alone may be beyond what a float holds.
  std::string exponential(const std::string& x) {
    const std::string near = clamped(x, -104, 89);
    const std::string shifted = fused(near, number(std::numbers::log2e), number(kShift));
    const std::string whole = subtract(shifted, number(kShift));
    const std::string high = fused(whole, number(-kLog2High), near);
    const std::string r = fused(whole, number(-kLog2Low), high);
    const std::string rest = fused(multiply(r, r), polynomial(kExponential, r), r);
    const std::string exponent =
        out_.emit("sub i32 ", out_.emit("bitcast float ", shifted, " to i32"), ", ", kShiftBits);
    const std::string half = out_.emit("ashr i32 ", exponent, ", 1");
    const std::string first = power_of_two(half);
    const std::string value = fused(first, rest, first);
    return multiply(value, power_of_two(out_.emit("sub i32 ", exponent, ", ", half)));
  }

  std::string tangent(const std::string& x) {
    const std::string size = absolute(x);
    const std::string square = multiply(x, x);
    const std::string small = fused(multiply(x, square), polynomial(kTangent, square), x);
    const std::string power = exponential(add(size, size));
    const std::string far = subtract(number(1), divide(number(2), add(power, number(1))));
    const std::string is_small = out_.emit("fcmp olt float ", size, ", ", number(0.625));
    return choose(is_small, small, with_sign_of(far, x));
  }

  std::string error_function(const std::string& x) {
    const std::string size = absolute(x);
    const std::string square = multiply(x, x);
    const std::string small = fused(x, polynomial(kErrorFunction, square), x);
    const std::string t = divide(number(1), fused(size, number(0.5), number(1)));
    const std::string exponent = subtract(polynomial(kComplement, t), square);
    const std::string far = subtract(number(1), multiply(t, exponential(exponent)));
    const std::string is_small = out_.emit("fcmp olt float ", size, ", ", number(1));
    return choose(is_small, small, with_sign_of(far, x));
  }

  std::string_view calls_;
  Builder out_;
  std::string text_;
};

}  // namespace

std::string fast_math_text(std::string_view calls) { return FastMath(calls).text(); }

}  // namespace steptp::llvm_ir
