// Reductions over blocks in two kernels: the strategies split a reduction into parts, one for each block, and a second
// kernel adds them up. Then nothing is launched in turn and nothing is filled.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

struct Case {
  const char* name;
  const char* text;
  const char* steps;
  std::size_t kernels;
};

const Case kCases[] = {
    {"a sum", "@input A f32[4096]\n@output D f32\nL^{4096}_{a=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{a};];",
     R"([{"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":256,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"0:loop[0]","form":"rfactor","cut":0}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[0]","axis":"bx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[1]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"1:loop[0]","axis":"tx","multiple":1}}])",
     2},
    {"the greatest, of halves",
     "@input A f16[4096]\n@output D f16\nL^{4096}_{a=0}[D^{f16,g}=max(D^{f16,g},A^{f16,g}_{a});];",
     R"([{"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":512,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"0:loop[0]","form":"rfactor","cut":0}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[0]","axis":"bx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[1]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"1:loop[0]","axis":"tx","multiple":1}}])",
     2},
    {"a product", "@input A f64[256]\n@output D f64\nL^{256}_{a=0}[D^{f64,g}=D^{f64,g}*(A^{f64,g}_{a}*0.01+1);];",
     R"([{"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":32,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"0:loop[0]","form":"rfactor","cut":0}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[0]","axis":"bx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[1]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"1:loop[0]","axis":"tx","multiple":1}}])",
     2},
    {"the first place of the greatest",
     "@input A f32[2048]\n@output D i64\nL^{2048}_{a=0}[E^{f32,g}=max(E^{f32,g},A^{f32,g}_{a});];"
     "L^{2048}_{a=0}[D^{i64,g}=min(D^{i64,g},if_then_else(A^{f32,g}_{a}>=E^{f32,g},a,2048));];",
     R"([{"strategy":"loop_split","choice":{"at":"1:loop[0]","inner":256,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"1:loop[0]","form":"rfactor","cut":0}},
         {"strategy":"loop_split","choice":{"at":"0:loop[0]","inner":256,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"0:loop[0]","form":"rfactor","cut":0}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[0]","axis":"bx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[1]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"1:loop[0]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"2:loop[0]","axis":"bx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"2:loop[1]","axis":"tx","multiple":1}},
         {"strategy":"loop_binding","choice":{"at":"3:loop[0]","axis":"tx","multiple":1}}])",
     4},
    {"a contraction split along k",
     "@input A f32[16,512]\n@input C f32[512,16]\n@output D f32[16,16]\n"
     "B^{16}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];",
     R"([{"strategy":"loop_split","choice":{"at":"0:loop[2]","inner":64,"kind":"inner"}},
         {"strategy":"reduction_factorization","choice":{"at":"0:loop[2]","form":"rfactor","cut":0}},
         {"strategy":"loop_reorder","choice":{"at":"0:loop[0]","with":2}},
         {"strategy":"loop_binding","choice":{"at":"0:loop[0]","axis":"by","multiple":1}}])",
     2},
};

TEST(CudaStages, ReductionsOverBlocksAreTwoKernels) {
  Emulated emulated("stages");
  std::vector<Judged> ends;
  for (const Case& one : kCases) {
    const Document document = read_document(one.name, one.text);
    ASSERT_TRUE(document.ok) << one.name;
    const auto recipe = recipe_from_json(parse_json(concat("{\"steps\":", one.steps, "}")).value());
    ASSERT_TRUE(recipe.ok()) << one.name << recipe.error();
    const auto end = replay(document.program, *recipe);
    ASSERT_TRUE(end.ok()) << one.name;
    auto vanilla = judged(one.name, document.program);
    ASSERT_TRUE(vanilla) << one.name;
    const auto made = cuda::lower(end->program);
    ASSERT_TRUE(made.ok()) << one.name << made.error().message;
    EXPECT_EQ(made->kernels.size(), one.kernels) << one.name << "\n" << print(end->program);
    EXPECT_TRUE(made->fills.empty()) << one.name << "\n" << print(end->program);
    for (const cuda::KernelText& kernel : made->kernels) {
      EXPECT_TRUE(kernel.launched_in_turn.empty()) << one.name << "\n" << print(end->program);
    }
    EXPECT_GT(made->kernels[0].grid[0] * made->kernels[0].grid[1], 1) << one.name;
    vanilla->program = end->program;
    ends.push_back(*std::move(vanilla));
    emulated.add(made->text);
  }
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found = compare_outputs(emulated.run(i, ends[i], reversed), ends[i].outputs, 1e-4);
      EXPECT_EQ(found.first, "") << ends[i].name << "\n" << print(ends[i].program);
    }
  }
}

}  // namespace
}  // namespace steptp::testing
