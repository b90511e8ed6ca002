// The replayer shows facts by what operations make of six kinds of values. Each rule is held against the numbers
// themselves: what comes out of a value of each kind is of a kind that the rule names.

#include "replay/nature.h"

#include <gtest/gtest.h>

#include <vector>

#include "replay/certificate.h"
#include "replay/natures.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::testing {

namespace {

using replayer::Class;
using replayer::Nature;
using replayer::Numbers;
using replayer::Real;
namespace nature = replayer::nature;

Nature kind_of(const Real& value, const Numbers& numbers) {
  switch (value.kind) {
    case Class::plus_infinity: return nature::kPlusInfinity;
    case Class::minus_infinity: return nature::kMinusInfinity;
    case Class::nan: return nature::kNan;
    case Class::finite: break;
  }
  const int sign = numbers.sign(value);
  return sign == 0 ? nature::kZero : sign > 0 ? nature::kPositive : nature::kNegative;
}

/// Values of every kind, small and large ones among them.
std::vector<Real> samples(const Numbers& numbers) {
  std::vector<Real> out;
  for (const double value : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 40.0, -0.25, -0.5, -1.0, -2.0, -2.5, -40.0}) {
    out.push_back(numbers.of_double(value));
  }
  for (const Class kind : {Class::plus_infinity, Class::minus_infinity, Class::nan}) {
    out.push_back(Numbers::of_class(kind));
  }
  return out;
}

template <typename Compute>
void expect_named(Nature named, const Compute& compute, const Numbers& numbers, const std::string& what) {
  try {
    const Nature found = kind_of(compute(), numbers);
    EXPECT_EQ(found & ~named, 0) << what << ": " << int{found} << " is not among " << int{named};
  } catch (const replayer::Undefined&) {
    return;  // no value is of no kind
  } catch (const replayer::Undecided&) {
    return;
  }
}

TEST(Nature, FunctionsAndPowers) {
  Numbers numbers(replayer::kPrime);
  for (const Real& x : samples(numbers)) {
    const Nature kind = kind_of(x, numbers);
    for (const Function function : kAllFunctions) {
      expect_named(
          nature::function(function, kind), [&] { return numbers.function(function, x); }, numbers,
          concat(text_of(function)));
    }
    for (const std::int64_t exponent : {-3, -2, -1, 0, 1, 2, 3}) {
      expect_named(
          nature::whole_power(kind, exponent), [&] { return numbers.integer_power(x, exponent); }, numbers,
          concat("power ", exponent));
    }
  }
}

TEST(Nature, OperationsOnPairs) {
  Numbers numbers(replayer::kPrime);
  for (const Real& x : samples(numbers)) {
    for (const Real& y : samples(numbers)) {
      const Nature a = kind_of(x, numbers);
      const Nature b = kind_of(y, numbers);
      const std::string what = concat(int{a}, " and ", int{b});
      expect_named(
          nature::sum(a, b), [&] { return numbers.add(x, y); }, numbers, "sum " + what);
      expect_named(
          nature::product(a, b), [&] { return numbers.multiply(x, y); }, numbers, "product " + what);
      expect_named(
          nature::quotient(a, b), [&] { return numbers.divide(x, y); }, numbers, "quotient " + what);
      expect_named(
          nature::extremum(true, a, b), [&] { return numbers.extremum(true, x, y); }, numbers, "max " + what);
      expect_named(
          nature::extremum(false, a, b), [&] { return numbers.extremum(false, x, y); }, numbers, "min " + what);
      expect_named(
          nature::real_power(a, b), [&] { return numbers.power(x, y); }, numbers, "power " + what);
      // What is left where one is less than the other.
      for (const bool or_equal : {false, true}) {
        if (a == nature::kNan || b == nature::kNan) continue;
        if (!numbers.compare(or_equal ? CompareOp::less_equal : CompareOp::less, x, y)) continue;
        EXPECT_NE(nature::where_less(a, b, or_equal), 0) << what;
        EXPECT_NE(nature::where_greater(b, a, or_equal), 0) << what;
      }
    }
  }
}

TEST(Nature, FoldsOfAFewTerms) {
  Numbers numbers(replayer::kPrime);
  const std::vector<Real> all = samples(numbers);
  for (const ArithmeticOp op : {ArithmeticOp::add, ArithmeticOp::multiply, ArithmeticOp::max, ArithmeticOp::min}) {
    const Real start = op == ArithmeticOp::add ? numbers.of_integer(0)
                       : op == ArithmeticOp::multiply
                           ? numbers.of_integer(1)
                           : Numbers::of_class(op == ArithmeticOp::max ? Class::minus_infinity : Class::plus_infinity);
    EXPECT_EQ(kind_of(start, numbers) & ~nature::fold(op, nature::kPositive, true), 0);
    for (const Real& x : all) {
      for (const Real& y : all) {
        const auto terms = static_cast<Nature>(kind_of(x, numbers) | kind_of(y, numbers));
        const auto folded = [&] { return numbers.arithmetic(op, numbers.arithmetic(op, start, x), y); };
        expect_named(nature::fold(op, terms, false), folded, numbers, concat("fold ", text_of(op)));
      }
    }
  }
}

/// What a form can be, under the domains of a signature with A of any reals, C positive and M masked.
Nature of_form(const std::string& text) {
  replayer::Certificate certificate;
  const Document document =
      read_document("p",
                    "@input A f32[8]\n@input C f32[8] positive\n@input M f32[8] masked\n@output D f32[8]\n"
                    "tx8 D(tx)=A(tx)+C(tx)+M(tx);\n");
  EXPECT_TRUE(document.ok);
  certificate.before = document.program;
  for (const Variable& variable : document.program.signature.variables) {
    certificate.domains[variable.name] = variable.domain;
  }
  replayer::FormReader reader(certificate.names);
  const auto form = reader.read(text);
  EXPECT_TRUE(form) << text;
  if (!form) return 0;
  replayer::Natures natures(certificate);
  return natures.of_form(**form, {{0, replayer::Range{0, 7}}});
}

TEST(Nature, Forms) {
  struct Row {
    const char* form;
    Nature nature;
  };
  const Row rows[] = {
      {"A[i0]", nature::kFinite},
      {"C[i0]", nature::kPositive},
      {"M[i0]", nature::kFinite | nature::kMinusInfinity},
      {"exp(M[i0])", nature::kZero | nature::kPositive},
      {"1+exp(A[i0])", nature::kPositive},
      {"inverse(1+exp(A[i0]))", nature::kPositive},
      {"A[i0]*A[i0]", nature::kZero | nature::kPositive},
      {"A[i0]^2*C[i0]^-1", nature::kZero | nature::kPositive},
      {"(A[i0]-C[i0])*(A[i0]-C[i0])", nature::kZero | nature::kPositive},
      {"(A[i0]-C[i0])*(A[i0]+C[i0])", nature::kFinite},
      {"log(C[i0])", nature::kFinite},
      {"log(A[i0])", nature::kFinite | nature::kMinusInfinity | nature::kNan},
      {"sum{b1.0=0..7}(C[b1.0])", nature::kPositive},
      {"sum{b1.0=0..7|ge0(-b1.0+i0)}(C[b1.0])", nature::kPositive},
      {"sum{b1.0=1..7|ge0(-b1.0+i0)}(C[b1.0])", nature::kZero | nature::kPositive},
      {"max{b1.0=0..7}(A[b1.0])", nature::kFinite},
      {"max{b1.0=0..7|ge0(b1.0-i0-1)}(A[b1.0])", nature::kFinite | nature::kMinusInfinity},
      {"max(0,A[i0])", nature::kZero | nature::kPositive},
      {"select(lt(0,A[i0]),A[i0],1)", nature::kPositive},
      {"select(lt(A[i0],0),A[i0],1)", nature::kNegative | nature::kPositive},
      {"select(le(0,A[i0]),1,A[i0])", nature::kNegative | nature::kPositive},
      {"select(eq(-inf,M[i0]),0,M[i0])", nature::kFinite},
      {"select(not(eq(-inf,M[i0])),M[i0],0)", nature::kFinite},
      {"select(eq(0,A[i0]),1,A[i0])", nature::kNegative | nature::kPositive},
      {"M[i0]-M[i0]", nature::kFinite | nature::kInfinite | nature::kNan},
      {"i0+1", nature::kPositive},
      {"i0-3", nature::kFinite},
      // Integers that are divided, rounded downwards.
      {"quotient(i0+1,2)", nature::kZero | nature::kPositive},
      {"quotient(select(lt(0,A[i0]),i0,3),2)", nature::kZero | nature::kPositive},
      {"quotient(select(lt(0,A[i0]),i0-20,-1),4)", nature::kNegative},
      {"quotient(select(lt(0,A[i0]),i0-2,-1),4)", nature::kFinite},
      // Rounds that can be nothing else if those before them are nothing else, and some that can.
      {"recurrence{b1.0}(select(ge0(-b1.0),1,1/2*self[b1.0-1]))[i0]", nature::kPositive},
      {"recurrence{b1.0}(min(select(ge0(-b1.0),0,self[b1.0-1]),A[b1.0]))[i0]", nature::kFinite},
      {"recurrence{b1.0}(max(select(ge0(-b1.0),-inf,self[b1.0-1]),A[b1.0]))[i0]", nature::kFinite},
      {"recurrence{b1.0}(max(select(ge0(-b1.0),-inf,self[b1.0-1]),M[b1.0]))[i0]",
       nature::kFinite | nature::kMinusInfinity},
      {"recurrence{b1.0}(exp(select(ge0(-b1.0),A[0],self[b1.0-1])))[i0]", nature::kPositive},
      {"recurrence{b1.0}(log(select(ge0(-b1.0),C[0],self[b1.0-1])))[i0]", nature::kAnything},
      {"recurrence{b1.0}(select(ge0(-b1.0),M[0],self[b1.0-1]-self[b1.0-2]))[i0]", nature::kAnything},
      // A variance that was multiplied out, and two that look like one.
      {"sum{b1.0=0..7}(A[b1.0]^2)-1/8*sum{b1.0=0..7}(A[b1.0])^2", nature::kZero | nature::kPositive},
      {"sum{b1.0=0..7}(A[b1.0]^2)-1/7*sum{b1.0=0..7}(A[b1.0])^2", nature::kFinite},
      {"sum{b1.0=0..7}(A[b1.0]^2)-1/8*sum{b1.0=0..6}(A[b1.0])^2", nature::kFinite},
      {"8*C[i0]^2+sum{b1.0=0..7}(A[b1.0]^2)-2*sum{b1.0=0..7}(A[b1.0])*C[i0]", nature::kZero | nature::kPositive},
      {"7*C[i0]^2+sum{b1.0=0..7}(A[b1.0]^2)-2*sum{b1.0=0..7}(A[b1.0])*C[i0]", nature::kFinite},
      {"8*C[0]^2+sum{b1.0=0..7}(A[b1.0]^2)-2*sum{b1.0=0..7}(A[b1.0])*C[i0]", nature::kFinite},
      {"1/100+8*C[i0]^2+sum{b1.0=0..7}(A[b1.0]^2)-2*sum{b1.0=0..7}(A[b1.0])*C[i0]", nature::kPositive},
  };
  for (const Row& row : rows) EXPECT_EQ(int{of_form(row.form)}, int{row.nature}) << row.form;
}

}  // namespace

}  // namespace steptp::testing
