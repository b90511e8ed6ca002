// `safe` by search: what must be found, what must not be, and how often narrow boxes of bad inputs are met.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {
namespace {

Judgement judge(const std::string& header, const std::string& before, const std::string& after,
                const VerifyOptions& options = {}) {
  const Document one = read_document("before", header + before);
  const Document other = read_document("after", header + after);
  EXPECT_TRUE(one.ok && other.ok) << before << " " << after;
  return verify(one.program, other.program, options);
}

struct Row {
  const char* what;
  const char* before;
  const char* after;
};

constexpr const char* kHeader =
    "@input A f32[8]\n@input C f32[8]\n@input E f32[8]\n@input F f32[8]\n@input G f32[8,32]\n@output D f32[8]\n";

/// Equal as real functions, and worse at inputs where `before` is good.
constexpr Row kWorse[] = {
    {"an overflow of a literal", "a8 D(a)=A(a);", "a8 D(a)=A(a)*1e300/1e300;"},
    {"a sum with a large literal", "a8 D(a)=A(a);", "a8 D(a)=A(a)+1e10-1e10;"},
    {"the other sigmoid", "a8 D(a)=1/(1+exp(-A(a)));", "a8 D(a)=exp(A(a))/(1+exp(A(a)));"},
    {"mixed magnitudes", "a8 D(a)=A(a);", "a8 D(a)=where(a<1,A(a),A(a)+A(a-1)-A(a-1));"},
    {"another input", "a8 D(a)=A(a);", "a8 D(a)=A(a)+C(a)-C(a);"},
    {"one-pass variance", "a8 c32 X(a)=X(a)+G(a,c)/32;a8 c32 D(a)=D(a)+(G(a,c)-X(a))*(G(a,c)-X(a))/32;",
     "a8 c32 X(a)=X(a)+G(a,c)/32;a8 c32 Y(a)=Y(a)+G(a,c)*G(a,c)/32;a8 D(a)=Y(a)-X(a)*X(a);"},
    {"a written tree regrouped", "a8 D(a)=(A(a)-C(a))+(E(a)-F(a));", "a8 D(a)=(A(a)+E(a))-(C(a)+F(a));"},
    {"softmax without its maximum",
     "a8 c32 X(a)=max(X(a),G(a,c));a8 c32 Y(a)=Y(a)+exp(G(a,c)-X(a));a8 D(a)=exp(G(a,3)-X(a))/Y(a);",
     "a8 c32 Y(a)=Y(a)+exp(G(a,c));a8 D(a)=exp(G(a,3))/Y(a);"},
    {"log-sum-exp without its maximum",
     "a8 c32 X(a)=max(X(a),G(a,c));a8 c32 Y(a)=Y(a)+exp(G(a,c)-X(a));a8 D(a)=X(a)+log(Y(a));",
     "a8 c32 Y(a)=Y(a)+exp(G(a,c));a8 D(a)=log(Y(a));"},
    {"a difference of squares", "a8 D(a)=(A(a)-C(a))*(A(a)+C(a));", "a8 D(a)=A(a)*A(a)-C(a)*C(a);"},
    {"a product spread over a sum", "a8 D(a)=A(a)*(C(a)+E(a));", "a8 D(a)=A(a)*C(a)+A(a)*E(a);"},
    {"a square multiplied out", "a8 D(a)=(A(a)-C(a))**2;", "a8 D(a)=A(a)*A(a)-2*A(a)*C(a)+C(a)*C(a);"},
    {"an exponential that vanishes", "a8 D(a)=A(a);", "a8 D(a)=log(exp(A(a)));"},
    {"a bias that is summed first", "a8 c32 X(a)=X(a)+G(a,c);a8 D(a)=X(a)+A(a);",
     "a8 D(a)=A(a);a8 c32 D(a)=D(a)+G(a,c);"},
    {"one element of a region", "a8 D(a)=A(a);", "a8 D(a)=where(a==5,A(a)+C(a)-C(a),A(a));"},
    {"behind a rare condition", "a8 D(a)=A(a);", "a8 D(a)=where(1e10<A(a)<4e10&1e-8<C(a)<4e-8,A(a)+1e24-1e24,A(a));"},
};

TEST(SafeSearch, FindsWhatIsWorse) {
  for (const Row& row : kWorse) {
    const Judgement judgement = judge(kHeader, row.before, row.after);
    EXPECT_NE(judgement.verdict, Grade::differs) << row.what << ": " << judgement.reason;
    if (!is_equal(judgement.verdict)) continue;
    EXPECT_EQ(judgement.safe, Shown::no) << row.what;
    EXPECT_EQ(judgement.safe_by, SafeBy::search) << row.what;
  }
}

/// No worse than the definition allows, though something else is rounded.
constexpr Row kAsGood[] = {
    {"twice", "a8 D(a)=A(a)*2;", "a8 D(a)=A(a)+A(a);"},
    {"half", "a8 D(a)=A(a)/2;", "a8 D(a)=A(a)*0.5;"},
    {"a sign moved", "a8 D(a)=-(A(a)-C(a));", "a8 D(a)=C(a)-A(a);"},
    {"a factor in front of a sum", "a8 c32 X(a)=X(a)+G(a,c)*A(a);a8 D(a)=X(a);",
     "a8 c32 X(a)=X(a)+G(a,c);a8 D(a)=X(a)*A(a);"},
    {"a factor moved into a sum", "a8 c32 X(a)=X(a)+G(a,c);a8 D(a)=X(a)*0.3;", "a8 c32 D(a)=D(a)+G(a,c)*0.3;"},
    {"a reciprocal", "a8 D(a)=A(a)/(1+exp(-C(a)));", "a8 D(a)=A(a)*(1/(1+exp(-C(a))));"},
    {"a folded norm", "a8 D(a)=A(a)/sqrt(C(a)*C(a)+1)*E(a);", "a8 D(a)=A(a)*(E(a)/sqrt(C(a)*C(a)+1));"},
    {"division at the end",
     "a8 c32 X(a)=max(X(a),G(a,c));a8 c32 Y(a)=Y(a)+exp(G(a,c)-X(a));a8 c32 D(a)=D(a)+exp(G(a,c)-X(a))/Y(a)*A(a);",
     "a8 c32 X(a)=max(X(a),G(a,c));a8 c32 Y(a)=Y(a)+exp(G(a,c)-X(a));a8 c32 Z(a)=Z(a)+exp(G(a,c)-X(a))*A(a);"
     "a8 D(a)=Z(a)/Y(a);"},
    {"an online softmax",
     "a8 c32 X(a)=max(X(a),G(a,c));a8 c32 Y(a)=Y(a)+exp(G(a,c)-X(a));a8 D(a)=exp(G(a,3)-X(a))/Y(a);",
     "a8 c32{X(a,c)=max(where(c<1,-inf,X(a,c-1)),G(a,c));"
     "Y(a,c)=where(c<1,0,Y(a,c-1)*exp(X(a,c-1)-X(a,c)))+exp(G(a,c)-X(a,c));}a8 D(a)=exp(G(a,3)-X(a,31))/Y(a,31);"},
    {"a prefix form of a sum", "a8 c8 D(a)=D(a)+where(c<=a,A(c),0);", "a8 D(a)=where(a<1,0,D(a-1))+A(a);"},
};

TEST(SafeSearch, LetsGoodFormsPass) {
  for (const Row& row : kAsGood) {
    const Judgement judgement = judge(kHeader, row.before, row.after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << row.what << ": " << judgement.reason;
    EXPECT_EQ(judgement.safe, Shown::yes) << row.what << ": " << judgement.reason;
    EXPECT_EQ(judgement.stable, Shown::yes) << row.what;
  }
}

TEST(SafeSearch, LooksAtIntegersAndBools) {
  const std::string floats = "@input A f32[8]\n@input C f32[8]\n@input E f32[8]\n";
  const std::string bools = floats + "@output D bool[8]\n";
  const std::string integers = floats + "@output D i32[8]\n";
  EXPECT_EQ(judge(bools, "a8 D^bool(a)=A(a)>C(a);", "a8 D^bool(a)=A(a)+E(a)>C(a)+E(a);").safe, Shown::no);
  EXPECT_EQ(judge(bools, "a8 D^bool(a)=A(a)>C(a);", "a8 D^bool(a)=A(a)-C(a)>0;").safe, Shown::yes);
  EXPECT_EQ(judge(bools, "a8 D^bool(a)=A(a)>C(a);", "a8 D^bool(a)=C(a)<A(a);").safe, Shown::yes);
  EXPECT_EQ(judge(integers, "a8 D^i32(a)=A(a);", "a8 D^i32(a)=A(a)+1e6-1e6;").safe, Shown::no);
  EXPECT_EQ(judge(integers, "a8 D^i32(a)=A(a)*2;", "a8 D^i32(a)=A(a)+A(a);").safe, Shown::yes);
}

/// In the middle half of the exponents a product of two inputs is a number of the type; beyond it need not be.
TEST(SafeSearch, AsksWithinARange) {
  const std::string header = "@input A f32[8] positive\n@input C f32[8] positive\n@output D f32[8]\n";
  const char* before = "a8 D(a)=A(a)/C(a);";
  const char* after = "a8 D(a)=A(a)*A(a)*C(a)/(A(a)*C(a)*C(a));";
  VerifyOptions options;
  options.safe_range = {certify::SafeRange::Kind::given, 0.5, 2};
  EXPECT_EQ(judge(header, before, after, options).safe, Shown::yes);
  EXPECT_EQ(judge(header, before, after).safe, Shown::no);
  options.safe_range = {certify::SafeRange::Kind::full, 0, 0};
  EXPECT_EQ(judge(header, before, after, options).safe, Shown::no);
  EXPECT_EQ(judge(header, before, "a8 D(a)=A(a)*C(a)/(C(a)*C(a));", options).safe, Shown::no);
}

TEST(SafeSearch, SaysNothingWithoutAGoodInput) {
  const Judgement judgement =
      judge("@input A f32[8] [1e30,1e31)\n@output D f32[8]\n", "a8 D(a)=A(a)*A(a)*0.5;", "a8 D(a)=A(a)*0.5*A(a);");
  EXPECT_TRUE(is_equal(judgement.verdict)) << judgement.reason;
  EXPECT_EQ(judgement.safe, Shown::unknown);
  EXPECT_NE(judgement.reason.find("no-good-input"), std::string::npos) << judgement.reason;
}

TEST(SafeSearch, SaysNothingWithoutABudget) {
  VerifyOptions options;
  options.safety_budget = 20;
  const Judgement judgement = judge(kHeader, "a8 D(a)=A(a)*2;", "a8 D(a)=A(a)+A(a);", options);
  EXPECT_EQ(judgement.safe, Shown::unknown);
  EXPECT_EQ(judgement.safe_by, SafeBy::nothing);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9e", value);
  return text;
}

/// Bad in a box of 1/64 of the logarithmic range in up to three inputs; nowhere else.
TEST(SafeSearch, FindsNarrowBoxes) {
  constexpr int kPairs = 60;
  Random random(11);
  int found = 0;
  for (int i = 0; i < kPairs; ++i) {
    const std::uint64_t inputs = 1 + random.below(3);
    std::vector<std::string> conditions;
    double least = 0;
    for (std::uint64_t k = 0; k < inputs; ++k) {
      const double low = -62 + static_cast<double>(random.below(1200)) / 10;
      const double scale = std::exp2(low);
      if (k == 0) least = scale;
      const std::string name = concat(random.chance(1, 2) ? "" : "-", std::string(1, "ACE"[k]), "(a)");
      conditions.push_back(concat(number(scale), "<", name, "<", number(scale * 4)));
    }
    const std::string large = number(least * std::exp2(8 + static_cast<double>(random.below(20))));
    const std::string bad = concat("(A(a)+", large, ")-", large);
    std::string after = bad;
    if (random.chance(1, 2)) {
      after = concat("where(", join(conditions, "&", [](const std::string& text) { return text; }), ",", bad, ",A(a))");
    } else {
      for (const std::string& condition : conditions) after = concat("where(", condition, ",", after, ",A(a))");
    }
    const Judgement judgement = judge(kHeader, "a8 D(a)=A(a);", concat("a8 D(a)=", after, ";"));
    EXPECT_NE(judgement.safe_by, SafeBy::proof) << after;
    found += judgement.safe == Shown::no ? 1 : 0;
  }
  EXPECT_GE(found * 100, kPairs * 95);
}

TEST(SafeSearch, IsTheSameTwice) {
  for (const Row& row : {kWorse[5], kAsGood[4]}) {
    const Judgement one = judge(kHeader, row.before, row.after);
    const Judgement other = judge(kHeader, row.before, row.after);
    EXPECT_EQ(to_json("", one).dump(), to_json("", other).dump());
  }
}

}  // namespace
}  // namespace steptp
