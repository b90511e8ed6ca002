#include "testing/rounding_bound.h"

#include <cmath>

namespace steptp::testing {

Big Big::power_of_two(long exponent) {
  Big out(1);
  mpfr_mul_2si(out.value_, out.value_, exponent, MPFR_RNDN);
  return out;
}

Big Big::magnitude() const {
  Big out;
  mpfr_abs(out.value_, value_, MPFR_RNDN);
  return out;
}

Big operator+(const Big& a, const Big& b) {
  Big out;
  mpfr_add(out.value_, a.value_, b.value_, MPFR_RNDN);
  return out;
}
Big operator-(const Big& a, const Big& b) {
  Big out;
  mpfr_sub(out.value_, a.value_, b.value_, MPFR_RNDN);
  return out;
}
Big operator*(const Big& a, const Big& b) {
  Big out;
  mpfr_mul(out.value_, a.value_, b.value_, MPFR_RNDN);
  return out;
}
Big operator/(const Big& a, const Big& b) {
  Big out;
  mpfr_div(out.value_, a.value_, b.value_, MPFR_RNDN);
  return out;
}

namespace {

struct Format {
  Big unit;      ///< half a unit in the last place of 1
  Big smallest;  ///< half the least subnormal
  Big largest;
  Big roomy;  ///< what a good input may reach
};

Format format_of(DType dtype) {
  const DTypeInfo& facts = info(dtype);
  const long least_exponent = 1 - facts.max_exponent - (facts.precision - 1);
  return {Big::power_of_two(-facts.precision), Big::power_of_two(least_exponent - 1),
          Big::power_of_two(facts.max_exponent + 1), Big::power_of_two(facts.max_exponent - facts.max_exponent / 4)};
}

using Function1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

Big apply(Function1 function, const Big& argument) {
  Big out;
  function(out.get(), argument.get(), MPFR_RNDN);
  return out;
}

class Evaluation {
 public:
  Evaluation(DType dtype, const std::map<std::string, double>& variables)
      : format_(format_of(dtype)), variables_(variables) {}

  BoundedValue evaluate(const Term& term) {
    if (term.parts.empty()) return leaf(term);
    if (term.head == "where") return choice(term);
    BoundedValue a = evaluate(term.parts[0]);
    if (term.head == "neg") {
      a.value = Big(0) - a.value;
      return a;
    }
    if (term.head == "abs") {
      a.value = a.value.magnitude();
      return a;
    }
    if (term.parts.size() == 1) return function(term.head, a);
    const BoundedValue b = evaluate(term.parts[1]);
    return operation(term.head, a, b);
  }

 private:
  /// where(left<right, ...): a comparison that rounding might turn is one that no good input makes.
  BoundedValue choice(const Term& term) {
    const BoundedValue left = evaluate(term.parts[0].parts[0]);
    const BoundedValue right = evaluate(term.parts[0].parts[1]);
    BoundedValue out = evaluate(term.parts[left.value < right.value ? 1 : 2]);
    inherit(out, left);
    inherit(out, right);
    if ((left.value - right.value).magnitude() < Big(8) * (left.bound + right.bound)) out.crowded = true;
    return out;
  }

  BoundedValue leaf(const Term& term) {
    BoundedValue out;
    if (const auto at = variables_.find(term.head); at != variables_.end()) {
      out.value = Big(at->second);
      return out;
    }
    out.value = Big(std::stod(term.head));
    // A literal that the type does not hold is rounded, and one beyond the type overflows.
    const double rounded = std::stod(term.head);
    if (std::floor(rounded) != rounded || std::fabs(rounded) > 256) out.bound = format_.unit * out.value.magnitude();
    check(out);
    return out;
  }

  static void inherit(BoundedValue& out, const BoundedValue& from) {
    out.overflow = out.overflow || from.overflow;
    out.invalid = out.invalid || from.invalid;
    out.crowded = out.crowded || from.crowded;
  }

  void check(BoundedValue& out) {
    if (mpfr_nan_p(out.value.get()) != 0) out.invalid = true;
    const Big size = out.value.magnitude();
    if (!(size < format_.largest)) out.overflow = true;
    if (format_.roomy < size) out.crowded = true;
  }

  BoundedValue rounded(Big value, const Big& propagated, const BoundedValue& a, const BoundedValue* b) {
    BoundedValue out;
    out.value = std::move(value);
    out.bound = propagated + format_.unit * out.value.magnitude() + format_.smallest;
    inherit(out, a);
    if (b) inherit(out, *b);
    check(out);
    return out;
  }

  BoundedValue operation(const std::string& op, const BoundedValue& a, const BoundedValue& b) {
    if (op == "+") return rounded(a.value + b.value, a.bound + b.bound, a, &b);
    if (op == "-") return rounded(a.value - b.value, a.bound + b.bound, a, &b);
    if (op == "*") {
      return rounded(a.value * b.value, a.value.magnitude() * b.bound + b.value.magnitude() * a.bound, a, &b);
    }
    if (op == "/") {
      BoundedValue out;
      if (b.value.is_zero()) {
        out.invalid = true;
        return out;
      }
      const Big size = b.value.magnitude();
      return rounded(a.value / b.value, a.bound / size + a.value.magnitude() * b.bound / (size * size), a, &b);
    }
    const bool left = (a.value < b.value) == (op == "min");
    BoundedValue out = left ? a : b;
    inherit(out, left ? b : a);
    if ((a.value - b.value).magnitude() < Big(8) * (a.bound + b.bound)) out.crowded = true;
    return out;
  }

  BoundedValue function(const std::string& name, const BoundedValue& a) {
    if (name == "exp") {
      Big value = apply(mpfr_exp, a.value);
      Big propagated = value * a.bound;
      return rounded(std::move(value), propagated, a, nullptr);
    }
    if (name == "log") return rounded(apply(mpfr_log, a.value), a.bound / a.value.magnitude(), a, nullptr);
    if (name == "sqrt") {
      Big value = apply(mpfr_sqrt, a.value);
      Big propagated = value.is_zero() ? Big(0) : a.bound / (Big(2) * value);
      return rounded(std::move(value), propagated, a, nullptr);
    }
    Big value = apply(mpfr_tanh, a.value);
    Big propagated = (Big(1) - value * value) * a.bound;
    return rounded(std::move(value), propagated, a, nullptr);
  }

  Format format_;
  const std::map<std::string, double>& variables_;
};

}  // namespace

BoundedValue bounded(const Term& term, DType dtype, const std::map<std::string, double>& variables) {
  return Evaluation(dtype, variables).evaluate(term);
}

SafetyAtPoint safety_at(const Term& before, const Term& after, DType dtype,
                        const std::map<std::string, double>& variables, std::int64_t rounds) {
  const BoundedValue first = bounded(before, dtype, variables);
  if (first.overflow || first.invalid || first.crowded) return SafetyAtPoint::not_good;
  const BoundedValue second = bounded(after, dtype, variables);
  if (second.overflow || second.invalid) return SafetyAtPoint::bad;
  const Format format = format_of(dtype);
  const Big ulp = Big(2) * (format.unit * first.value.magnitude() + format.smallest);
  const Big of_sum = Big(static_cast<double>(rounds - 1)) * format.unit * first.value.magnitude();
  const Big allowed = Big(4) * (Big(8) * (first.bound + of_sum) + Big(4) * ulp);
  return allowed < second.bound ? SafetyAtPoint::bad : SafetyAtPoint::fine;
}

}  // namespace steptp::testing
