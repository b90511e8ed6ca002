// The text of LLVM IR.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/llvm/lower.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

TEST(LlvmText, FunctionsOfNarrowTypesAreWrittenOut) {
  const auto text_of = [](const std::string& type, const std::string& function) {
    return llvm_ir::lower(program_of(concat("@input A ", type, "[4]\n@output D ", type, "[4]\nB^{4}_{tx=0}[D^{", type,
                                            ",g}_{tx}=", function, "(A^{", type, ",g}_{tx});];")))
        .value()
        .text;
  };
  for (const std::string function : {"exp", "log", "erf", "tanh"}) {
    for (const std::string type : {"f32", "f16", "bf16"}) {
      const std::string text = text_of(type, function);
      EXPECT_NE(text.find(concat("call double @stp_", function, "(")), std::string::npos) << type;
      EXPECT_NE(text.find(concat("define internal double @stp_", function, "(")), std::string::npos) << type;
    }
    EXPECT_NE(text_of("f64", function).find(concat("call double @", function, "(")), std::string::npos);
  }
  EXPECT_EQ(text_of("f32", "exp").find("@stp_log"), std::string::npos);
  EXPECT_EQ(text_of("f64", "exp").find("@stp_exp"), std::string::npos);
}

/// LLVM reorders sums in loops that are asked to become vectors: never where rounds share an accumulator, nor where
/// what is unrolled reads far apart.
TEST(LlvmText, NoLanesWhereRoundsShareAnAccumulator) {
  const auto has_lanes = [](const std::string& left, const std::string& right, const std::string& kind) {
    const std::string text =
        concat("@input A f32[400,128]\n@output D f32[400,64]\nB^{400}_{tx=0}", kind, "^{64}_{a=0}[D^{f32,g}_{tx,", left,
               "}=D^{f32,g}_{tx,", left, "}+A^{f32,g}_{tx,", right, "};];");
    return llvm_ir::lower(program_of(text)).value().text.find("followup_vectorized") != std::string::npos;
  };
  EXPECT_TRUE(has_lanes("a", "a", "L"));
  EXPECT_TRUE(has_lanes("a", "a", "U"));
  EXPECT_FALSE(has_lanes("0", "a", "L"));
  EXPECT_FALSE(has_lanes("a//64", "a", "L"));
  EXPECT_FALSE(has_lanes("a//2", "a", "L"));
  EXPECT_TRUE(has_lanes("a", "a*2", "L"));
  EXPECT_FALSE(has_lanes("a", "a*2", "U"));
}

/// Loops that are not worth it are neither unrolled nor looked at by the vectoriser; V and U are wishes as before.
TEST(LlvmText, WhatIsAskedOfLoops) {
  const auto text_of = [](int rows, const std::string& inner) {
    return llvm_ir::lower(program_of(concat("@input A f32[", rows, ",64]\n@output D f32[", rows, ",64]\nB^{", rows,
                                            "}_{tx=0}", inner, "[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];")))
        .value()
        .text;
  };
  const std::string no_vectors = "vectorize.enable\", i1 false";
  EXPECT_NE(text_of(4, "L^{64}_{a=0}").find("unroll.disable"), std::string::npos);
  // Lanes: one element after the other, which become vectors before they are unrolled.
  for (const std::string lanes : {"L^{64}_{a=0}", "U^{64}_{a=0}"}) {
    EXPECT_NE(text_of(400, lanes).find("vectorize.followup_vectorized"), std::string::npos);
  }
  EXPECT_NE(text_of(400, "U^{64}_{a=0}").find(no_vectors), std::string::npos);
  EXPECT_NE(text_of(400, "U^{4}_{a=0}").find("unroll.enable"), std::string::npos);
  EXPECT_NE(text_of(400, "V^{64}_{a=0}").find("vectorize.enable\", i1 true"), std::string::npos);
}

/// The older dialect is the same tree with other names, and no others.

TEST(LlvmText, IsTheSameTwice) {
  for (const Judged& one : generated(3, 10)) {
    EXPECT_EQ(llvm_ir::lower(one.program).value().text, llvm_ir::lower(one.program).value().text);
  }
}

}  // namespace
}  // namespace steptp::testing
