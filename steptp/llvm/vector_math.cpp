// exp, log, erf and tanh for results that are rounded to f32 or less: doubles without branches or tables, which LLVM
// makes vectors of. Every operation is rounded once whatever the width, so that values depend neither on how a loop was
// vectorised nor on the machine. Their error of some 1e-15 could move the
// rounding of one float in 10^8; of all 2^32 it moves none.
#include <bit>
#include <limits>
#include <numbers>
#include <span>

#include "steptp/llvm/builder.h"
#include "steptp/llvm/lower.h"

namespace steptp::llvm_ir {

namespace {

// Written by tools/make_math_polynomials.py, highest powers first.
constexpr double kExponential[] = {
    0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19, 0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13,
    0x1.6c16c1788bd90p-10, 0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1};
constexpr double kLogarithm[] = {0x1.0c04595972ab8p-4, 0x1.0fbe83c2cbcf3p-4, 0x1.3b1c360763b8ap-4,
                                 0x1.745cf901605f7p-4, 0x1.c71c720160b47p-4, 0x1.2492492476c87p-3,
                                 0x1.9999999999a38p-3, 0x1.5555555555555p-2};
constexpr double kErrorFunction[] = {
    -0x1.de87416b3ec30p-29, 0x1.b7528039e647ep-27, -0x1.6abfd6b1d956cp-26, 0x1.206657bbcb353p-24,
    -0x1.2c32d97528c12p-22, 0x1.cf7763b981e02p-21, -0x1.45b15e2e22ccfp-19, 0x1.ca56c5fd74ca6p-18,
    -0x1.3751a9ad85883p-16, 0x1.918e9e414c51cp-15, -0x1.ed84c28ce1f10p-14, 0x1.20e993e054bc3p-12,
    -0x1.4160b99ff5de9p-11, 0x1.52da2658a8f46p-10, -0x1.51ee66ded0babp-9,  0x1.3e1509a1ccc3cp-8,
    -0x1.1a023df9bc5e5p-7,  0x1.d6352a39bf7dbp-7,  -0x1.7034f9aff117fp-6,  0x1.0ed52bfb795c8p-5,
    -0x1.76e8649c14dcap-5,  0x1.ea97f14be2bbdp-5,  -0x1.3215d8b744da7p-4,  0x1.717efc78425c5p-4,
    -0x1.b92e95c193640p-4,  0x1.0dabaf0613e8dp-3,  -0x1.69a0ccda3df49p-3,  0x1.6a040781a499cp-2};

/// 2^52 + 2^51: an integer that is added to it lies in the low bits of the sum.
constexpr double kShift = 0x1.8p52;
/// log 2 in two parts, of which the first has 32 digits: its products with exponents are exact.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

class VectorMath {
 public:
  explicit VectorMath(std::string_view calls) : calls_(calls) {}

  [[nodiscard]] std::string text() {
    define("stp_exp", &VectorMath::exponential);
    define("stp_tanh", &VectorMath::tangent);
    define("stp_log", &VectorMath::logarithm);
    define("stp_erf", &VectorMath::error_function);
    return std::move(text_);
  }

 private:
  void define(std::string_view name, std::string (VectorMath::*body)(const std::string&)) {
    if (calls_.find(concat("@", name, "(")) == std::string_view::npos) return;
    out_ = Builder();
    const std::string result = (this->*body)("%x");
    append(text_, "\ndefine internal double @", name, "(double %x) alwaysinline {\nentry:\n", out_.text(),
           "  ret double ", result, "\n}\n");
  }

  std::string add(const std::string& a, const std::string& b) { return out_.emit("fadd double ", a, ", ", b); }
  std::string subtract(const std::string& a, const std::string& b) { return out_.emit("fsub double ", a, ", ", b); }
  std::string multiply(const std::string& a, const std::string& b) { return out_.emit("fmul double ", a, ", ", b); }
  std::string divide(const std::string& a, const std::string& b) { return out_.emit("fdiv double ", a, ", ", b); }
  std::string fused(const std::string& a, const std::string& b, const std::string& c) {
    return out_.emit("call double @llvm.fma.f64(double ", a, ", double ", b, ", double ", c, ")");
  }
  std::string bits(const std::string& x) { return out_.emit("bitcast double ", x, " to i64"); }
  std::string real(const std::string& x) { return out_.emit("bitcast i64 ", x, " to double"); }
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no) {
    return out_.emit("select i1 ", condition, ", double ", yes, ", double ", no);
  }
  /// x between -most and most; NaN stays.
  std::string clamped(const std::string& x, double most) {
    const std::string high = real_constant(most);
    const std::string low = real_constant(-most);
    const std::string below = choose(out_.emit("fcmp ogt double ", x, ", ", high), high, x);
    return choose(out_.emit("fcmp olt double ", below, ", ", low), low, below);
  }
  std::string polynomial(std::span<const double> coefficients, const std::string& x) {
    std::string sum = real_constant(coefficients.front());
    for (const double coefficient : coefficients.subspan(1)) sum = fused(sum, x, real_constant(coefficient));
    return sum;
  }

  /// exp(x) = power * (1 + rest) with a power of two, for |x| up to 700.
  struct Parts {
    std::string power;
    std::string rest;
  };
  Parts parts(const std::string& x) {
    const std::string shift = real_constant(kShift);
    const std::string shifted = fused(x, real_constant(std::numbers::log2e), shift);
    const std::string whole = subtract(shifted, shift);
    const std::string near = fused(whole, real_constant(-kLog2High), x);
    const std::string r = fused(whole, real_constant(-kLog2Low), near);
    const std::string rest = fused(multiply(r, r), polynomial(kExponential, r), r);
    const std::string biased = out_.emit("add i64 ", bits(shifted), ", 1023");
    return {real(out_.emit("shl i64 ", biased, ", 52")), rest};
  }

  /// Beyond 200 f32 has infinity and zero.
  std::string exponential(const std::string& x) {
    const Parts exp = parts(clamped(x, 200));
    return fused(exp.power, exp.rest, exp.power);
  }

  /// With e = exp(2x) - 1, e / (e + 2); beyond 20 it is 1 in f32.
  std::string tangent(const std::string& x) {
    const std::string near = clamped(x, 20);
    const Parts exp = parts(add(near, near));
    const std::string less = subtract(exp.power, real_constant(1));
    const std::string e = fused(exp.power, exp.rest, less);
    const std::string value = divide(e, add(e, real_constant(2)));
    // 0 / 2 has lost the sign of -0.
    return out_.emit("call double @llvm.copysign.f64(double ", value, ", double ", x, ")");
  }

  /// x = 2^k z with z between 1 / sqrt(2) and sqrt(2), and log z by s = (z - 1) / (z + 1). Floats that are not normal
  /// are normal doubles.
  std::string logarithm(const std::string& x) {
    const std::string pattern = bits(x);
    const std::string from_root =
        out_.emit("sub i64 ", pattern, ", ", std::bit_cast<std::int64_t>(0x1.6a09e667f3bcdp-1));
    const std::string exponent = out_.emit("ashr i64 ", from_root, ", 52");
    const std::string exponent_bits = out_.emit("shl i64 ", exponent, ", 52");
    const std::string z = real(out_.emit("sub i64 ", pattern, ", ", exponent_bits));
    const std::string shifted = out_.emit("add i64 ", exponent, ", ", std::bit_cast<std::int64_t>(kShift));
    const std::string k = subtract(real(shifted), real_constant(kShift));
    const std::string s = divide(subtract(z, real_constant(1)), add(z, real_constant(1)));
    const std::string w = multiply(s, s);
    const std::string twice = add(s, s);
    const std::string log_z = fused(multiply(twice, w), polynomial(kLogarithm, w), twice);
    const std::string small = fused(k, real_constant(kLog2Low), log_z);
    const std::string value = fused(k, real_constant(kLog2High), small);
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string zero = out_.emit("fcmp oeq double ", x, ", ", real_constant(0));
    const std::string inside = choose(zero, real_constant(-infinity), value);
    const std::string negative = out_.emit("fcmp olt double ", x, ", ", real_constant(0));
    const std::string known = choose(negative, real_constant(std::numeric_limits<double>::quiet_NaN()), inside);
    // Infinity and NaN are their own logarithms.
    return choose(out_.emit("fcmp olt double ", x, ", ", real_constant(infinity)), known, x);
  }

  /// Beyond 4 it is 1 in f32.
  std::string error_function(const std::string& x) {
    const std::string near = clamped(x, 4);
    const std::string square = multiply(near, near);
    const std::string u = fused(square, real_constant(0.125), real_constant(-1));
    return multiply(near, polynomial(kErrorFunction, u));
  }

  std::string_view calls_;
  Builder out_;
  std::string text_;
};

}  // namespace

std::string vector_math_text(std::string_view calls) { return VectorMath(calls).text(); }

}  // namespace steptp::llvm_ir
