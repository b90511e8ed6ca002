// Attention as one kernel of matrix instructions, made by the move `flash`: against the oracle as CUDA text, by the
// judge in small and at full size, and for the limits of a GPU.
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

struct Shape {
  int batch, queries, keys, head, values;
  const char* mask;  ///< what is done with a score; # is its place, and $ the scale's
};

/// Scores, scale and mask, softmax, values: as a frontend writes it, every intermediate in the type of the inputs.
std::string attention(const char* dtype, const Shape& shape) {
  const auto at = [&](const char* name, const char* subscripts) {
    return concat(name, "^{", dtype, ",g}_{", subscripts, "}");
  };
  const std::string rows = concat("B^{", shape.batch, "}_{tx=0}L^{", shape.queries, "}_{a=0}");
  const std::string scores = concat(rows, "L^{", shape.keys, "}_{c=0}");
  std::string masked = shape.mask;
  replace_all(masked, "#", at("F", "tx,a,c"));
  replace_all(masked, "$", concat("W^{", dtype, ",g}"));
  std::string out;
  append(out, "@input A ", dtype, "[", shape.batch, ",", shape.queries, ",", shape.head, "]\n");
  append(out, "@input C ", dtype, "[", shape.batch, ",", shape.keys, ",", shape.head, "]\n");
  append(out, "@input D ", dtype, "[", shape.batch, ",", shape.keys, ",", shape.values, "]\n");
  append(out, "@input W ", dtype, "[]\n");
  append(out, "@output E ", dtype, "[", shape.batch, ",", shape.queries, ",", shape.values, "]\n");
  append(out, scores, "L^{", shape.head, "}_{d=0}[", at("F", "tx,a,c"), "=", at("F", "tx,a,c"), "+", at("A", "tx,a,d"),
         "*", at("C", "tx,c,d"), ";];");
  append(out, scores, "[", at("G", "tx,a,c"), "=", masked, ";];");
  append(out, scores, "[", at("H", "tx,a"), "=max(", at("H", "tx,a"), ",", at("G", "tx,a,c"), ");];");
  append(out, scores, "[", at("I", "tx,a"), "=", at("I", "tx,a"), "+exp(", at("G", "tx,a,c"), "-", at("H", "tx,a"),
         ");];");
  append(out, scores, "[", at("J", "tx,a,c"), "=exp(", at("G", "tx,a,c"), "-", at("H", "tx,a"), ")/", at("I", "tx,a"),
         ";];");
  append(out, rows, "L^{", shape.values, "}_{d=0}L^{", shape.keys, "}_{c=0}[", at("E", "tx,a,d"), "=",
         at("E", "tx,a,d"), "+", at("J", "tx,a,c"), "*", at("D", "tx,c,d"), ";];\n");
  return out;
}

Program root_of(const char* dtype, const Shape& shape) {
  const Document document = read_document("attention", attention(dtype, shape));
  EXPECT_TRUE(document.ok) << attention(dtype, shape);
  return document.program;
}

Program end_of(const Program& root, int queries, int keys, int rows, int buffers) {
  const Choice choice = {item_site({5}),
                         {{"queries", queries},
                          {"keys", keys},
                          {"threads", 32},
                          {"rows", rows},
                          {"scores", "matrix"},
                          {"staged", "queries"},
                          {"following", 0},
                          {"buffers", buffers}}};
  const Move& flash = *find_move("flash");
  const auto moved = apply(flash, root, choice);
  EXPECT_TRUE(moved.ok()) << choice.to_json().dump() << (moved ? "" : to_text(flash, moved.error()));
  return moved ? moved->program : root;
}

constexpr const char* kCausal = "if_then_else(c<=a+3,#*$,-inf)";
constexpr const char* kFull = "#*$";
/// Whole rounds of the first queries are masked.
constexpr const char* kSteep = "if_then_else(c<=a*2,#*$,-inf)";

struct Case {
  const char* dtype;
  Shape shape;
  int queries, keys, rows, buffers;
  double tolerance;
};
const Case kCases[] = {
    {"f16", {2, 32, 32, 16, 16, kCausal}, 32, 16, 16, 2, 2e-2},
    {"f16", {1, 32, 48, 16, 32, kFull}, 32, 16, 32, 3, 2e-2},
    {"bf16", {1, 32, 32, 16, 24, kCausal}, 16, 32, 16, 1, 8e-2},
    {"f16", {1, 16, 16, 128, 64, kFull}, 16, 16, 16, 2, 2e-2},
    {"f64", {2, 16, 32, 12, 24, kCausal}, 16, 16, 8, 2, 1e-12},
    {"f64", {1, 24, 24, 32, 16, kSteep}, 24, 8, 8, 2, 1e-12},
};

TEST(AttentionByMatrixInstructions, EndsAgreeWithTheOracle) {
  Emulated emulated("attention_matrix");
  std::vector<Judged> roots;
  for (const Case& one : kCases) {
    const Program root = root_of(one.dtype, one.shape);
    const Program end = end_of(root, one.queries, one.keys, one.rows, one.buffers);
    auto made = judged(one.dtype, root);
    ASSERT_TRUE(made.has_value());
    const auto lowered = cuda::lower(end);
    ASSERT_TRUE(lowered.ok()) << lowered.error().message << "\n" << print(end);
    EXPECT_NE(lowered->text.find("stp_mma_"), std::string::npos);
    EXPECT_EQ(end.nests.size(), 1U);
    emulated.add(lowered->text);
    made->program = end;
    roots.push_back(*std::move(made));
  }
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found =
          compare_outputs(emulated.run(i, roots[i], reversed), roots[i].outputs, kCases[i].tolerance);
      EXPECT_EQ(found.first, "") << i << "\n" << print(roots[i].program);
    }
  }
}

TEST(AttentionByMatrixInstructions, EndsAreEqual) {
  for (const Case& one : kCases) {
    const Program root = root_of(one.dtype, one.shape);
    const Program end = end_of(root, one.queries, one.keys, one.rows, one.buffers);
    const Judgement judgement = verify(root, end);
    EXPECT_TRUE(is_equal(judgement.verdict)) << describe(root, end, judgement);
  }
}

/// Batch 4, 16 heads, 2048 queries and keys, heads of 64 and of 128, with a causal mask and without.
TEST(AttentionByMatrixInstructions, EndsAreProvedAtFullSizeAndFitIntoTheDevice) {
  for (const int head : {64, 128}) {
    for (const char* mask : {"#*$", "if_then_else(c<=a,#*$,-inf)"}) {
      const Program root = root_of("f16", {64, 2048, 2048, head, head, mask});
      const Program end = end_of(root, 64, 64, 16, 2);
      EXPECT_EQ(verify(root, end, without_safety()).verdict, Grade::proved) << head << " " << mask;
      const CheckReport report = check_program(end, {find_device("nvidia-h200")});
      EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << head << " " << mask;
      EXPECT_TRUE(report.diagnostics.empty()) << report.diagnostics[0].message;
    }
  }
}

}  // namespace
}  // namespace steptp::testing
