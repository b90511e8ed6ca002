#include "steptp/cuda/nan_stays.h"

#include <gtest/gtest.h>

#include "steptp/cuda/lower.h"
#include "steptp/text/document.h"

namespace steptp::cuda {
namespace {

std::string text_of(const std::string& equation, const std::string& dtype) {
  const std::string text = "@input A " + dtype + "[8]\n@output D " + dtype + "[8]\nB^{8}_{tx=0}[D^{" + dtype +
                           ",g}_{tx}=" + equation + ";];";
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return lower(document.program).value().text;
}

TEST(NanStays, TheFunctionsStandBehindHeadersAndBeforeTheirFirstUse) {
  for (const std::string dtype : {"f32", "f16", "f64"}) {
    const std::string text = text_of("max(A^{" + dtype + ",g}_{tx},0)", dtype);
    const std::string kept = with_nan_kept(text);
    const std::size_t at = kept.find("#define fmaxf stp_nan_max");
    ASSERT_NE(at, std::string::npos) << kept;
    EXPECT_LT(at, kept.find("kernel_0"));
    const std::size_t header = kept.find("#include <cuda_fp16.h>");
    EXPECT_TRUE(header == std::string::npos || header < at) << kept;
    EXPECT_EQ(header == std::string::npos, dtype != "f16");
  }
}

TEST(NanStays, WhatHasNoMaximumStaysAsItIs) {
  const std::string text = text_of("A^{f32,g}_{tx}*2", "f32");
  EXPECT_EQ(with_nan_kept(text), text);
}

}  // namespace
}  // namespace steptp::cuda
