// The run in the declared types: its rounding against the oracle's, its bound against certified values, and programs
// that are equal as real functions but not as good.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "steptp/base/text.h"
#include "steptp/certify/big_stack.h"
#include "steptp/certify/field_arithmetic.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/machine.h"
#include "steptp/certify/rounded_arithmetic.h"
#include "steptp/prove/prove.h"
#include "steptp/verify/rounding.h"
#include "steptp/verify/verify.h"
#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

std::string with_type(std::string text, const std::string& dtype) {
  for (std::size_t at = text.find("f32"); at != std::string::npos; at = text.find("f32", at)) {
    text.replace(at, 3, dtype);
    at += dtype.size();
  }
  return text;
}

TEST(DeclaredTypes, RoundLikeTheOracle) {
  Random random(5);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (int i = 0; i < 20000; ++i) {
      const auto exponent = static_cast<int>(random.between(-160, 140));
      const double value = std::ldexp(static_cast<double>(random.between(-(1 << 30), 1 << 30)), exponent - 30);
      const double expected = convert(Scalar::real(dtype, value), DType::f64).as_real();
      const double rounded = certify::round_to(dtype, value);
      ASSERT_EQ(rounded, expected) << value << " in " << code(dtype);
    }
  }
}

constexpr const char* kMatmul =
    "@input A f32[4,64]\n@input C f32[64,4]\n@output D f32[4,4]\n"
    "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];";
constexpr const char* kSoftmax =
    "@input A f32[4,16]\n@output C f32[4,16]\n"
    "B^{4}_{tx=0}L^{16}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
    "B^{4}_{tx=0}L^{16}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
    "B^{4}_{tx=0}L^{16}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];";
constexpr const char* kNaiveSoftmax =
    "@input A f32[4,16]\n@output C f32[4,16]\n"
    "B^{4}_{tx=0}L^{16}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a});];"
    "B^{4}_{tx=0}L^{16}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a})/E^{f32,g}_{tx};];";
constexpr const char* kNorm =
    "@input A f32[4,32]\n@output C f32[4,32]\n"
    "B^{4}_{tx=0}L^{32}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*A^{f32,g}_{tx,a};];"
    "B^{4}_{tx=0}L^{32}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}/sqrt(D^{f32,g}_{tx}/32+0.001);];";

/// The bound next to a rounded value is a bound: the exact value lies within it, whatever the type.
void bound_holds(const std::string& text) {
  const Program program = program_of(text);
  const certify::Code code = certify::compile(program);
  const certify::InputModel model = certify::model_inputs(program, program);
  ASSERT_TRUE(certify::run_on_big_stack([&] {
    for (const certify::DrawKind kind : {certify::DrawKind::ties, certify::DrawKind::large}) {
      const certify::InputSource source(model, {kind, 7});
      certify::Budget budget{10'000'000, 100'000'000};
      certify::RoundedArithmetic rounded;
      certify::Machine<certify::RoundedArithmetic> machine(code, rounded, source, budget);
      for (const Variable& variable : program.signature.variables) {
        if (variable.role != Role::output) continue;
        std::vector<std::int64_t> element(variable.shape.size(), 1);
        const auto value = machine.output(code.tensor_numbers.at(variable.name), element);
        ASSERT_TRUE(value.ok()) << value.error().message;
        ASSERT_TRUE(std::isfinite(value->real.value));
        if (kind != certify::DrawKind::ties) continue;  // ties are small dyadic numbers: every type holds them
        certify::FieldArithmetic exact(3);
        certify::Machine<certify::FieldArithmetic> reference(code, exact, source, budget);
        const auto certified = reference.output(code.tensor_numbers.at(variable.name), element);
        ASSERT_TRUE(certified.ok()) << certified.error().message;
        EXPECT_LE(certified->real.low - value->real.value, value->real.error * (1 + 1e-9)) << text;
        EXPECT_LE(value->real.value - certified->real.high, value->real.error * (1 + 1e-9)) << text;
      }
    }
  }));
}

TEST(DeclaredTypes, TheBoundIsABound) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    for (const char* text : {kMatmul, kSoftmax, kNorm}) bound_holds(with_type(text, dtype));
  }
}

Judgement judge(const std::string& before, const std::string& after) {
  return verify(program_of(before), program_of(after));
}

TEST(Safe, WithoutTheMaximumSoftmaxIsWorse) {
  for (const char* dtype : {"f32", "f16", "f64"}) {
    const Judgement judgement = judge(with_type(kSoftmax, dtype), with_type(kNaiveSoftmax, dtype));
    EXPECT_TRUE(is_equal(judgement.verdict)) << name_of(judgement.verdict) << " " << judgement.reason;
    EXPECT_FALSE(judgement.safe) << dtype;
    // In f64 exp(100) is no overflow, but a row that is masked as a whole is 0/0.
    const bool is_masked = judgement.reason.find("masked") != std::string::npos;
    EXPECT_EQ(is_masked, dtype == std::string("f64")) << dtype << ": " << judgement.reason;
  }
}

TEST(Safe, IsDirectional) {
  const Judgement judgement = judge(kNaiveSoftmax, kSoftmax);
  EXPECT_TRUE(is_equal(judgement.verdict)) << name_of(judgement.verdict) << " " << judgement.reason;
  EXPECT_TRUE(judgement.safe) << judgement.reason;
}

TEST(Safe, CancellationLosesDigits) {
  const std::string header = "@input A f32[8] positive\n@output C f32[8]\n";
  const Judgement judgement = judge(header + "B^{8}_{tx=0}[C^{f32,g}_{tx}=1/(A^{f32,g}_{tx}*(A^{f32,g}_{tx}+1));];",
                                    header + "B^{8}_{tx=0}[C^{f32,g}_{tx}=1/A^{f32,g}_{tx}-1/(A^{f32,g}_{tx}+1);];");
  EXPECT_TRUE(is_equal(judgement.verdict)) << name_of(judgement.verdict) << " " << judgement.reason;
  EXPECT_FALSE(judgement.safe);
}

TEST(Safe, ReorderedSumsAreSafe) {
  const std::string tiled =
      "@input A f32[4,64]\n@input C f32[64,4]\n@output D f32[4,4]\n"
      "L^{8}_{d=0}B^{4}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,d*8+c}*"
      "C^{f32,g}_{d*8+c,a};];";
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    const Judgement judgement = judge(with_type(kMatmul, dtype), with_type(tiled, dtype));
    EXPECT_EQ(judgement.verdict, Grade::proved);
    EXPECT_TRUE(judgement.safe) << judgement.reason;
  }
}

/// Programs of two types of floats: operations that are the same need no run to be safe.
struct TypedPair {
  const char* what;
  const char* before;
  const char* after;
  bool keeps_types;
};

constexpr const char* kTwoTypes = "@input A f32[12]\n@input C f32[12]\n@input F f64[12]\n@output D f32[12]\n";
constexpr TypedPair kTypedPairs[] = {
    {"a loop split", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)+C(a);",
     "a3 c4 X^f64(a*4+c)=A(a*4+c)*C(a*4+c);a12 D(a)=X^f64(a)+C(a);", true},
    {"other names and another order of factors", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)+C(a);",
     "a12 Z^f64(a)=C(a)*A(a);a12 D(a)=Z^f64(a)+C(a);", true},
    {"stored in another type", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)*F^f64(a);",
     "a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*F^f64(a);", false},
    {"two factors in the narrow type first", "a12 X^f64(a)=A(a)*F^f64(a)*C(a);a12 D(a)=X^f64(a);",
     "a12 X^f64(a)=A(a)*C(a)*F^f64(a);a12 D(a)=X^f64(a);", false},
    {"one in its place", "a12 X^f64(a)=exp(A(a));a12 D(a)=X^f64(a)*C(a);", "a12 D(a)=exp(A(a))*C(a);", false},
    {"two tensors of one value change places",
     "a12 X(a)=A(a)*C(a);a12 Y^f64(a)=A(a)*C(a);a6 D(a)=X(a)+1;a6 D(a+6)=Y^f64(a+6)+1;",
     "a12 X(a)=A(a)*C(a);a12 Y^f64(a)=A(a)*C(a);a6 D(a)=Y^f64(a)+1;a6 D(a+6)=X(a+6)+1;", false},
    {"a tensor of a thread between", "a12{X^f64^l=A(a)*C(a);Y^l=exp(X);D(a)=Y+C(a);}",
     "a12{X^l=A(a)*C(a);Y^l=exp(X);D(a)=Y+C(a);}", false},
};

TEST(Safe, TheSameOperationsInTheSameTypes) {
  for (const TypedPair& pair : kTypedPairs) {
    const Program before = program_of(concat(kTwoTypes, pair.before));
    const Program after = program_of(concat(kTwoTypes, pair.after));
    const Proof proof = prove(before, after);
    EXPECT_TRUE(proof.proved) << pair.what << ": " << proof.reason;
    EXPECT_EQ(proof.keeps_types, pair.keeps_types) << pair.what;
  }
}

/// Factors that are computed from literals in a wider type.
constexpr TypedPair kWideConstants[] = {
    {"a loop split", "tx1 W^f64=1/sqrt(24);a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*W^f64;",
     "tx1 W^f64=1/sqrt(24);a3 c4 X(a*4+c)=A(a*4+c)*C(a*4+c);a12 D(a)=X(a)*W^f64;", true},
    {"put in its place", "tx1 W^f64=1/sqrt(24);a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*W^f64;",
     "tx1 W^f64=1/sqrt(24);a12 D(a)=A(a)*C(a)*W^f64;", true},
    {"a loop split, beside a mask of infinities",
     "tx1 W^f64=1/sqrt(24);a12 X(a)=where(A(a)<0,-inf,C(a));a12 D(a)=A(a)*W^f64;",
     "tx1 W^f64=1/sqrt(24);a3 c4 X(a*4+c)=where(A(a*4+c)<0,-inf,C(a*4+c));a12 D(a)=A(a)*W^f64;", true},
    {"computed where the data is, in its type", "tx1 W^f64=1.0000001-1.0;a12 D(a)=A(a)*W^f64;",
     "a12 D(a)=A(a)*(1.0000001-1.0);", false},
    {"computed first, in the type of the data", "tx1 W^f64=1.0000001-1.0;a12 D(a)=A(a)+W^f64;",
     "a12 D(a)=1.0000001-1.0+A(a);", false},
    {"a factor in the narrow type", "tx1 W^f64=1/sqrt(24);a12 D(a)=A(a)*W^f64;", "tx1 W=1/sqrt(24);a12 D(a)=A(a)*W;",
     false},
    {"what was never rounded is", "tx1 W^f64=1/sqrt(24);a12 D(a)=exp(A(a)*W^f64);",
     "tx1 W^f64=1/sqrt(24);a12 X(a)=A(a)*W^f64;a12 D(a)=exp(X(a));", false},
    {"the sum was in the wide type", "tx1 W^f64=1/sqrt(24);a12 D(a)=A(a)*W^f64+C(a);",
     "tx1 W^f64=1/sqrt(24);a12 X(a)=A(a)*W^f64;a12 D(a)=X(a)+C(a);", false},
    {"data in the wide type", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)*2;", "a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*2;",
     false},
    {"data in a narrower type", "a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*2;", "a12 X^f16(a)=A(a)*C(a);a12 D(a)=X^f16(a)*2;",
     false},
    {"data in a wider type", "a12 X(a)=A(a)*C(a);a12 D(a)=X(a)*2;", "a12 X^f64(a)=A(a)*C(a);a12 D(a)=X^f64(a)*2;",
     true},
};

TEST(Safe, WideConstantsRoundNoLess) {
  const std::string header = "@input A f32[12]\n@input C f32[12]\n@output D f32[12]\n";
  for (const TypedPair& pair : kWideConstants) {
    const Program before = program_of(header + pair.before);
    const Program after = program_of(header + pair.after);
    EXPECT_EQ(rounds_no_more(before, after), pair.keeps_types) << pair.what;
  }
}

TEST(Precision, NarrowerStorageDiffers) {
  const std::string header = "@input A f32[8]\n@output C f32[8]\n";
  const std::string before = header + "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f32,g}_{tx}+1;];";
  const std::string narrow = header + "B^{8}_{tx=0}[D^{f16,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f16,g}_{tx}+1;];";
  const std::string wide = header + "B^{8}_{tx=0}[D^{f64,g}_{tx}=A^{f32,g}_{tx}*2;C^{f32,g}_{tx}=D^{f64,g}_{tx}+1;];";
  EXPECT_EQ(judge(before, narrow).verdict, Grade::differs);
  EXPECT_EQ(judge(before, narrow).reason.substr(0, 9), "precision");
  EXPECT_TRUE(is_equal(judge(before, wide).verdict));
  EXPECT_TRUE(is_equal(judge(narrow, before).verdict));
}

TEST(Precision, AccumulatingInTheNarrowInputTypeDiffers) {
  const auto through = [](const std::string& dtype) {
    return "@input A f16[4,64]\n@input C f16[64,4]\n@output D f16[4,4]\n"
           "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[E^{" +
           dtype + ",g}_{tx,a}=E^{" + dtype +
           ",g}_{tx,a}+A^{f16,g}_{tx,c}*C^{f16,g}_{c,a};];B^{4}_{tx=0}L^{4}_{a=0}[D^{f16,g}_{tx,a}=E^{" + dtype +
           ",g}_{tx,a};];";
  };
  const std::string direct =
      "@input A f16[4,64]\n@input C f16[64,4]\n@output D f16[4,4]\n"
      "B^{4}_{tx=0}L^{4}_{a=0}L^{64}_{c=0}[D^{f16,g}_{tx,a}=D^{f16,g}_{tx,a}+A^{f16,g}_{tx,c}*C^{f16,g}_{c,a};];";
  EXPECT_EQ(judge(through("f32"), through("f16")).verdict, Grade::differs);
  EXPECT_EQ(judge(through("f32"), direct).verdict, Grade::differs);
  EXPECT_TRUE(is_equal(judge(through("f16"), through("f32")).verdict));
  EXPECT_TRUE(is_equal(judge(direct, through("f16")).verdict));
}

TEST(Precision, ACopyLosesNothing) {
  const std::string header = "@input A f16[4,8]\n@output D f32[4]\n";
  const std::string before = header + "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f16,g}_{tx,a};];";
  const std::string cached = header +
                             "B^{4}_{tx=0}L^{8}_{a=0}[E^{f16,g}_{tx,a}=A^{f16,g}_{tx,a};];"
                             "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f16,g}_{tx,a};];";
  EXPECT_TRUE(is_equal(judge(before, cached).verdict));
}

/// Scores of two products, masked; their softmax, and its online form. Rows that are masked whole are NaN in both.
std::string masked_rows(const std::string& rows, const std::string& softmax) {
  return with_type(
      "@input A f32[4,32]\n@input F f32[32," + rows + "]\n@input K bool[4," + rows + "]\n@output C f32[4," + rows +
          "]\nB^{4}_{tx=0}L^{" + rows +
          "}_{a=0}L^{32}_{c=0}[X^{f32,g}_{tx,a}=X^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*F^{f32,g}_{c,a};];B^{4}_{tx=0}L^{" +
          rows + "}_{a=0}[Y^{f32,g}_{tx,a}=if_then_else(K^{bool,g}_{tx,a},-inf,X^{f32,g}_{tx,a});];" + softmax,
      "f32");
}

TEST(Safe, OnlineFormsOfMaskedRows) {
  const std::string loops = "B^{4}_{tx=0}L^{200}_{a=0}";
  const Program whole = program_of(
      masked_rows("200", loops + "[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},Y^{f32,g}_{tx,a});];" + loops +
                             "[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(Y^{f32,g}_{tx,a}-D^{f32,g}_{tx});];" + loops +
                             "[C^{f32,g}_{tx,a}=exp(Y^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];"));
  const auto online = [&](const std::string& shift) {
    return program_of(masked_rows(
        "200",
        loops + "[D^{f32,g}_{tx,a}=max(if_then_else(a-1<0,-inf,D^{f32,g}_{tx,a-1}),Y^{f32,g}_{tx,a});" +
            "E^{f32,g}_{tx,a}=if_then_else(D^{f32,g}_{tx,a}==-inf,0,if_then_else(a-1<0,0,E^{f32,g}_{tx,a-1}*exp(" +
            shift + "))+exp(Y^{f32,g}_{tx,a}-D^{f32,g}_{tx,a}));];" + loops +
            "[C^{f32,g}_{tx,a}=exp(Y^{f32,g}_{tx,a}-D^{f32,g}_{tx,199})/E^{f32,g}_{tx,199};];"));
  };
  const Judgement same = verify(whole, online("D^{f32,g}_{tx,a-1}-D^{f32,g}_{tx,a}"));
  EXPECT_TRUE(is_equal(same.verdict)) << same.reason;
  EXPECT_TRUE(same.safe) << "a running maximum that stays is no source of errors: " << same.reason;
  // The same function, through numbers that are not the same any more.
  const Judgement worse = verify(whole, online("(D^{f32,g}_{tx,a-1}*1000+1)/1000-(D^{f32,g}_{tx,a}*1000+1)/1000"));
  EXPECT_TRUE(is_equal(worse.verdict)) << worse.reason;
  EXPECT_FALSE(worse.safe);
}

/// One score takes 20,000 operations, so only what is different is run, and the scores are drawn.
TEST(Safe, WhatIsDifferentAlone) {
  const std::string signature = "@input A f32[64,20000]\n@input F f32[20000,64]\n@output C f32[64,64]\n";
  const std::string scores =
      "B^{64}_{tx=0}L^{64}_{a=0}L^{20000}_{c=0}[X^{f32,g}_{tx,a}=X^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*F^{f32,g}_{c,a};];";
  const std::string loops = "B^{64}_{tx=0}L^{64}_{a=0}";
  const std::string largest = loops + "[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},X^{f32,g}_{tx,a});];";
  const auto with = [&](const std::string& softmax) { return program_of(signature + scores + softmax); };
  const Program before =
      with(largest + loops + "[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(X^{f32,g}_{tx,a}-D^{f32,g}_{tx});];" + loops +
           "[C^{f32,g}_{tx,a}=exp(X^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];");
  VerifyOptions options;
  options.safety_budget = 1'000'000;
  // Divided before it is summed.
  const Judgement good = verify(before,
                                with(largest + loops + "[G^{f32,g}_{tx,a}=exp(X^{f32,g}_{tx,a}-D^{f32,g}_{tx});];" +
                                     loops + "[E^{f32,g}_{tx}=E^{f32,g}_{tx}+0.5*G^{f32,g}_{tx,a};];" + loops +
                                     "[C^{f32,g}_{tx,a}=0.5*G^{f32,g}_{tx,a}/E^{f32,g}_{tx};];"),
                                options);
  EXPECT_EQ(good.verdict, Grade::proved) << good.reason;
  EXPECT_TRUE(good.safe) << good.reason;
  const Judgement bad = verify(before,
                               with(loops + "[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(X^{f32,g}_{tx,a});];" + loops +
                                    "[C^{f32,g}_{tx,a}=exp(X^{f32,g}_{tx,a})/E^{f32,g}_{tx};];"),
                               options);
  EXPECT_EQ(bad.verdict, Grade::proved) << bad.reason;
  EXPECT_FALSE(bad.safe);
  EXPECT_NE(bad.reason.find("overflow"), std::string::npos) << bad.reason;
}

}  // namespace
}  // namespace steptp::testing
