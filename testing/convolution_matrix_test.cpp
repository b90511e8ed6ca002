// Convolutions by matrix instructions, made by the move `window`: as CUDA text against the oracle, and by the judge.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/cuda_emulated.h"
#include "testing/judge_support.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

struct Case {
  const char* name;
  const char* text;
  int expression, thread_rows, thread_columns, rows, columns, depth, following, buffers;
  double tolerance;
};

constexpr Case kCases[] = {
    {"two images, a window of two",
     "@input A f16[2,8,9,9]\n@param W f16[16,8,2,2]\n@output D f16[2,16,8,8]\n"
     "^f16;tx2 a16 c8 d8 f8 g2 h2 D(tx,a,c,d)+=W(a,f,g,h)*A(tx,f,c+g,d+h);",
     0, 1, 2, 16, 16, 16, 0, 2, 2e-2},
    {"a tile that goes on in the next image, odd channels, an activation",
     "@input A f16[3,9,5,7]\n@param W f16[20,9,2,2]\n@param I f16[20]\n@output E f16[3,20,4,6]\n"
     "^f16;tx3 a20 c4 d6 f9 g2 h2 D(tx,a,c,d)+=W(a,f,g,h)*A(tx,f,c+g,d+h);tx3 a20 c4 d6 "
     "E(tx,a,c,d)=max(D(tx,a,c,d)+I(a),0);",
     0, 1, 2, 16, 16, 16, 1, 1, 2e-2},
    {"channels only, more rows than there are",
     "@input A bf16[2,29,5,11]\n@param W bf16[20,29,1,1]\n@output D bf16[2,20,5,11]\n"
     "^bf16;tx2 a20 c5 d11 f29 g1 h1 D(tx,a,c,d)+=W(a,f,g,h)*A(tx,f,c+g,d+h);",
     0, 2, 1, 16, 32, 16, 0, 3, 8e-2},
    {"doubles, strides",
     "@input A f64[2,6,9,9]\n@param W f64[12,6,3,3]\n@output D f64[2,12,4,4]\n"
     "^f64;tx2 a12 c4 d4 f6 g3 h3 D(tx,a,c,d)+=W(a,f,g,h)*A(tx,f,2*c+g,2*d+h);",
     0, 1, 2, 8, 16, 12, 0, 2, 1e-12},
};

Program end_of(const Program& root, const Case& one) {
  const Choice choice = {item_site({static_cast<std::uint32_t>(one.expression)}),
                         {{"form", "matrix"},
                          {"thread_rows", one.thread_rows},
                          {"thread_columns", one.thread_columns},
                          {"rows", one.rows},
                          {"columns", one.columns},
                          {"depth", one.depth},
                          {"vector", 1},
                          {"padding", 0},
                          {"image", "shared"},
                          {"channels", 1},
                          {"following", one.following},
                          {"buffers", one.buffers}}};
  const Move& window = *find_move("window");
  const auto moved = apply(window, root, choice);
  EXPECT_TRUE(moved.ok()) << one.name << ": " << (moved ? "" : to_text(window, moved.error()));
  return moved ? moved->program : root;
}

TEST(ConvolutionByMatrixInstructions, EndsAgreeWithTheOracleAndAreEqual) {
  Emulated emulated("convolution_matrix");
  std::vector<Judged> ends;
  for (const Case& one : kCases) {
    const Document document = read_document(one.name, one.text);
    ASSERT_TRUE(document.ok) << one.name;
    auto made = judged(one.name, document.program);
    ASSERT_TRUE(made.has_value()) << one.name;
    const Program end = end_of(document.program, one);
    EXPECT_EQ(end.nests.size(), 1U) << one.name;
    const CheckReport report = check_program(end, {find_device("nvidia-h200")});
    EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << one.name;
    const Judgement judgement = verify(document.program, end);
    EXPECT_TRUE(is_equal(judgement.verdict)) << describe(document.program, end, judgement);
    const auto lowered = cuda::lower(end);
    ASSERT_TRUE(lowered.ok()) << one.name << ": " << lowered.error().message;
    EXPECT_NE(lowered->text.find("stp_mma_"), std::string::npos) << one.name;
    emulated.add(lowered->text);
    made->program = end;
    ends.push_back(*std::move(made));
  }
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found =
          compare_outputs(emulated.run(i, ends[i], reversed), ends[i].outputs, kCases[i].tolerance);
      EXPECT_EQ(found.first, "") << kCases[i].name << "\n" << print(ends[i].program);
    }
  }
}

}  // namespace
}  // namespace steptp::testing
