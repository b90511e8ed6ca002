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
  EXPECT_EQ(text_of(400, "L^{64}_{a=0}").find("llvm.loop"), std::string::npos);
  EXPECT_NE(text_of(400, "U^{64}_{a=0}").find("unroll.enable"), std::string::npos);
  EXPECT_NE(text_of(400, "U^{64}_{a=0}").find(no_vectors), std::string::npos);
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
