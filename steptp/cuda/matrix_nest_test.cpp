// Matrix nests as CUDA text against the oracle, on emulated lanes.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"
#include "testing/matrix_programs.h"

namespace steptp::testing {
namespace {

std::string text_of(const Judged& one) {
  const auto made = cuda::lower(one.program);
  EXPECT_TRUE(made.ok()) << one.name << ": " << (made ? "" : made.error().message);
  return made ? made->text : "";
}

/// Halves that are summed in f16 are rounded where the instruction is done, and not for each product.
double tolerance_of(const Judged& one) { return one.name.find("in f16") == std::string::npos ? 1e-5 : 0.01; }

TEST(MatrixNests, AgreeWithTheOracle) {
  const std::vector<Judged> programs = matrix_programs();
  Emulated emulated("nests");
  for (const Judged& one : programs) {
    ASSERT_FALSE(one.program.nests.empty()) << one.name << " is not checked or not run";
    emulated.add(text_of(one));
  }
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found =
          compare_outputs(emulated.run(i, programs[i], reversed), programs[i].outputs, tolerance_of(programs[i]));
      EXPECT_EQ(found.first, "") << programs[i].name << (reversed ? " reversed" : "");
    }
  }
}

/// What a program must have in its text, so that nothing falls back to single elements unseen.
TEST(MatrixNests, TakeTheInstructionsThatAreMeant) {
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t out = 0;
    const std::size_t kernel = text.find("extern \"C\" __global__");
    for (std::size_t at = kernel; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++out;
    return out;
  };
  struct Wanted {
    const char* name;
    const char* word;
    std::size_t times;
  };
  constexpr Wanted kWanted[] = {{"halves, two", "stp_ldmatrix(stp_a", 1},
                                {"halves, two", "stp_ldmatrix_transposed(stp_four", 1},
                                {"halves, two", "stp_set_half", 0},
                                {"halves, two", "stp_swizzled<2, 6, 3>", 6},
                                {"halves, two", "stp_vector<float, 2>*", 1},
                                {"large", "stp_mma_f64_16x8x16", 1},
                                {"large", "stp_swizzled<2, 4, 2>", 6},
                                {"small", "stp_mma_f64_8x8x4", 1},
                                {"bf16", "stp_mma_bf16_f32", 1},
                                {"bf16", "stp_ldmatrix(stp_four", 1},
                                {"in f16", "stp_mma_f16_f16", 1},
                                {"in f16", "stp_ldmatrix_transposed(stp_a", 1},
                                {"attention", "stp_mma_f16_f32", 2},
                                {"attention", "stp_ldmatrix(stp_a", 1},
                                {"attention", "stp_ldmatrix_transposed", 1},
                                {"attention", "__shfl_xor_sync", 4},
                                {"convolution", "stp_ldmatrix(stp_a", 1},
                                {"pass through", "__syncwarp();", 2},
                                {"panels", "stp_group_f16_64(E", 1},
                                {"panels", "stp_paneled<7>", 2},
                                {"panels", "__align__(1024)", 2},
                                {"columns along", "stp_group_bf16_128_along(E", 1},
                                {"row of 33", "stp_set_half(stp_a", 1},
                                {"row of 33", "stp_set_half(stp_b", 0}};
  const std::vector<Judged> programs = matrix_programs();
  for (const Wanted& wanted : kWanted) {
    bool is_found = false;
    for (const Judged& one : programs) {
      if (one.name.find(wanted.name) == std::string::npos) continue;
      is_found = true;
      EXPECT_EQ(count(text_of(one), wanted.word), wanted.times) << one.name << ": " << wanted.word;
    }
    EXPECT_TRUE(is_found) << wanted.name;
  }
}

/// What groups cannot make is made by units: rows that are not neighbours, seven units.
TEST(MatrixNests, OnlyWholeGroupsAreGroups) {
  std::string text;
  for (const Judged& one : matrix_programs()) {
    if (one.name.find("columns along") != std::string::npos) text = print_document(one.program, Profile::paper);
  }
  ASSERT_FALSE(text.empty());
  const auto has_group = [](const std::string& of) {
    const Document document = read_document("group", of);
    EXPECT_TRUE(document.ok) << of;
    const auto made = cuda::lower(document.program);
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
    return made && made->text.find("stp_group_") != std::string::npos;
  };
  const auto changed = [&text](const std::string& from, const std::string& to) {
    std::string out = text;
    replace_all(out, from, to);
    EXPECT_NE(out, text) << from;
    return out;
  };
  EXPECT_TRUE(has_group(text));
  EXPECT_FALSE(has_group(changed("wx*16+m", "112-wx*16+m")));
  EXPECT_FALSE(has_group(changed("wx*16+m", "wx%4*32+wx//4*16+m")));
  EXPECT_FALSE(has_group(changed("B^{8}_{wx=0}", "B^{7}_{wx=0}")));
}

/// Between units and threads stand barriers, between items of one unit that pass data through memory barriers of the
/// unit; each is needed.
TEST(MatrixNests, NeedEveryBarrier) {
  Emulated emulated("barriers");
  std::vector<Judged> ones;
  for (const Judged& one : matrix_programs()) {
    const bool is_meant =
        one.name.find("pass through") != std::string::npos || one.name.find("two buffers") != std::string::npos;
    if (!is_meant) continue;
    const std::string text = text_of(one);
    std::size_t warps = 0;
    for (const std::string word : {"__syncthreads();", "__syncwarp();"}) {
      for (std::size_t at = text.find("__global__"); (at = text.find(word, at)) != std::string::npos;
           at += word.size()) {
        // The first barrier of a unit stands before data that nobody of it has touched yet.
        if (word == "__syncwarp();" && warps++ == 0) continue;
        std::string without = text;
        without.erase(at, word.size());
        emulated.add(without);
        ones.push_back(one);
      }
    }
  }
  ASSERT_GE(ones.size(), 5U);
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    bool is_seen = false;
    for (const bool reversed : {false, true}) {
      is_seen = is_seen || compare_outputs(emulated.run(i, ones[i], reversed), ones[i].outputs, 1e-5).first != "";
    }
    EXPECT_TRUE(is_seen) << ones[i].name << ", number " << i;
  }
}

/// A tensor in `f` whose accumulations need to know whether an element was written.
TEST(MatrixNests, RefuseWhatLanesCannotHold) {
  const Document document = read_document(
      "flags",
      "@input A f32[16,8]\n@output D f32[16]\n"
      "B^{1}_{bx=0}[L^{2}_{k=0}[B^{1}_{wx=0}[T^{16}_{m=0}T^{8}_{n=0}[E^{f32,f}_{m}=E^{f32,f}_{m}+A^{f32,g}_{m,n};];"
      "T^{16}_{m=0}T^{8}_{n=0}[E^{f32,f}_{m}=max(E^{f32,f}_{m},A^{f32,g}_{m,n});];];];"
      "B^{1}_{wx=0}[T^{16}_{m=0}[D^{f32,g}_{m}=E^{f32,f}_{m};];];];");
  ASSERT_TRUE(document.ok);
  const auto made = cuda::lower(document.program);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("E, which is in f, accumulates with several operators"), std::string::npos)
      << made.error().message;
}

/// A block has more threads than loops over tx say: they would be a second group.
TEST(MatrixNests, RefuseReductionsOverThreadsBesideThem) {
  const Document document =
      read_document("beside",
                    "@input A f32[16,20]\n@output D f32[16,8]\n@output G f32[3]\n"
                    "B^{1}_{bx=0}[B^{2}_{wx=0}[T^{8}_{m=0}T^{8}_{n=0}[E^{f32,f}_{m,n}=A^{f32,g}_{wx*8+m,n};];"
                    "T^{8}_{m=0}T^{8}_{n=0}[D^{f32,g}_{wx*8+m,n}=E^{f32,f}_{m,n};];];"
                    "L^{3}_{k=0}B^{20}_{tx=0}[G^{f32,g}_{k}=G^{f32,g}_{k}+A^{f32,g}_{k,tx};];];");
  ASSERT_TRUE(document.ok);
  const auto made = cuda::lower(document.program);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("in a kernel with units"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace steptp::testing
