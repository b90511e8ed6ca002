// The order in which CUDA text adds over threads and blocks: what the emulation of threads computes lies in the
// intervals of a run in that order, and not in those of other orders.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/arithmetic/ordered_arithmetic.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/inputs.h"
#include "steptp/cuda/lower.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/code.h"
#include "steptp/machine/machine.h"
#include "steptp/measure/expected.h"
#include "steptp/measure/thread_order.h"
#include "steptp/text/document.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

constexpr std::uint64_t kSeed = 3;

struct Case {
  const char* name;
  const char* text;  ///< with T for the dtype
};

constexpr Case kCases[] = {
    {"threads alone", "@input A T[37]\n@output D T[1]\nB^{37}_{tx=0}[D^{T,g}_{0}=D^{T,g}_{0}+A^{T,g}_{tx}*1.37;];"},
    {"a loop in each thread",
     "@input A T[203,21]\n@output D T[1]\n"
     "B^{203}_{tx=0}L^{21}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"a number of threads that is a power of two",
     "@input A T[64,9]\n@output D T[1]\n"
     "B^{64}_{tx=0}L^{9}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"warps whose number is odd",
     "@input A T[96,13]\n@output D T[1]\n"
     "B^{96}_{tx=0}L^{13}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"two axes, tx innermost",
     "@input A T[5,7,11]\n@output D T[1]\n"
     "B^{5}_{ty=0}B^{7}_{tx=0}L^{11}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{ty,tx,a}*1.37+0.61);];"},
    {"two axes, tx outermost",
     "@input A T[8,12,11]\n@output D T[1]\n"
     "B^{8}_{tx=0}B^{12}_{ty=0}L^{11}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{tx,ty,a}*1.37+0.61);];"},
    {"a loop between loops over threads",
     "@input A T[5,9,7]\n@output D T[1]\n"
     "B^{5}_{ty=0}L^{9}_{a=0}B^{7}_{tx=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{ty,a,tx}*1.37+0.61);];"},
    {"one of two axes",
     "@input A T[4,19,6]\n@output D T[4]\n"
     "B^{4}_{ty=0}B^{19}_{tx=0}L^{6}_{a=0}[D^{T,g}_{ty}=D^{T,g}_{ty}+(A^{T,g}_{ty,tx,a}*1.37+0.61);];"},
    {"an axis that is used elsewhere",
     "@input A T[19,6]\n@output D T[1]\n@output F T[3,5]\n"
     "B^{1}_{bx=0}[B^{19}_{tx=0}L^{6}_{a=0}[E^{T,s}=E^{T,s}+(A^{T,g}_{tx,a}*1.37+0.61);];"
     "D^{T,g}_{bx}=E^{T,s};B^{3}_{ty=0}B^{5}_{tx=0}[F^{T,g}_{ty,tx}=E^{T,s}*A^{T,g}_{tx,ty};];];"},
    {"a wider sibling",
     "@input A T[40,6]\n@output D T[1]\n@output F T[40]\n"
     "B^{1}_{bx=0}[B^{23}_{tx=0}L^{6}_{a=0}[E^{T,s}=E^{T,s}+(A^{T,g}_{tx,a}*1.37+0.61);];"
     "D^{T,g}_{bx}=E^{T,s};B^{40}_{tx=0}[F^{T,g}_{tx}=E^{T,s}*A^{T,g}_{tx,0};];];"},
    {"guarded",
     "@input A T[3,75]\n@output D T[3]\n"
     "B^{3}_{bx=0}[B^{16}_{tx=0}L^{5}_{a=0}?{a*16+tx<75}[E^{T,s}=E^{T,s}+(A^{T,g}_{bx,a*16+tx}*1.37+0.61);];"
     "D^{T,g}_{bx}=E^{T,s};];"},
    {"guarded, over warps",
     "@input A T[3,200]\n@output D T[3]\n"
     "B^{3}_{bx=0}[B^{64}_{tx=0}L^{4}_{a=0}?{a*64+tx<200}[E^{T,s}=E^{T,s}+(A^{T,g}_{bx,a*64+tx}*1.37+0.61);];"
     "D^{T,g}_{bx}=E^{T,s};];"},
    {"parts of a warp",
     "@input A T[64,7]\n@output D T[8]\n"
     "B^{64}_{tx=0}L^{7}_{a=0}[D^{T,g}_{tx//8}=D^{T,g}_{tx//8}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"parts of a warp whose threads stand apart, guarded",
     "@input A T[64,7]\n@output D T[2,8]\n"
     "B^{64}_{tx=0}L^{7}_{a=0}?{tx+a<67}[D^{T,g}_{tx//32,tx%8}=D^{T,g}_{tx//32,tx%8}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"groups of a number that is no power of two",
     "@input A T[48,7]\n@output D T[4]\n"
     "B^{48}_{tx=0}L^{7}_{a=0}[D^{T,g}_{tx//12}=D^{T,g}_{tx//12}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"rows by warps, several in a block",
     "@input A T[4,96,7]\n@output D T[4]\n"
     "B^{4}_{ty=0}B^{96}_{tx=0}L^{7}_{a=0}[D^{T,g}_{ty}=D^{T,g}_{ty}+(A^{T,g}_{ty,tx,a}*1.37+0.61);];"},
    {"rows of halves with wide sums, several in a block",
     "@input A f16[4,64,7]\n@output D T[4]\n"
     "B^{4}_{ty=0}B^{64}_{tx=0}L^{7}_{a=0}?{tx*7+a<401}[D^{T,g}_{ty}=D^{T,g}_{ty}+(A^{f16,g}_{ty,tx,a}*1.37+0.61);];"},
    {"several elements in each thread",
     "@input A T[33,4,7]\n@output D T[4]\n"
     "B^{33}_{tx=0}L^{7}_{a=0}U^{4}_{c=0}[D^{T,g}_{c}=D^{T,g}_{c}+(A^{T,g}_{tx,c,a}*1.37+0.61);];"},
    {"more elements than a thread holds",
     "@input A T[16,70,5]\n@output D T[70]\n"
     "B^{16}_{tx=0}L^{70}_{c=0}L^{5}_{a=0}[D^{T,g}_{c}=D^{T,g}_{c}+(A^{T,g}_{tx,c,a}*1.37+0.61);];"},
    {"the first and the last of three axes",
     "@input A T[3,4,6]\n@output D T[4]\n"
     "B^{3}_{tz=0}B^{4}_{ty=0}B^{6}_{tx=0}[D^{T,g}_{ty}=D^{T,g}_{ty}+(A^{T,g}_{tz,ty,tx}*1.37+0.61);];"},
    {"columns",
     "@input A T[24,5]\n@output D T[5]\n"
     "B^{24}_{ty=0}B^{5}_{tx=0}[D^{T,g}_{tx}=D^{T,g}_{tx}+(A^{T,g}_{ty,tx}*1.37+0.61);];"},
    {"groups of threads, in turn",
     "@input A T[3,24,5]\n@output D T[3]\n"
     "B^{1}_{bx=0}[B^{24}_{tx=0}L^{3}_{a=0}L^{5}_{c=0}[E^{T,s}_{(tx+a)%3}=E^{T,s}_{(tx+a)%3}+"
     "(A^{T,g}_{a,tx,c}*1.37+0.61);];B^{3}_{tx=0}[D^{T,g}_{tx}=E^{T,s}_{tx};];];"},
    {"a converted accumulator, tx outermost",
     "@input A f32[9,6,7]\n@output D T[1]\n"
     "B^{9}_{tx=0}B^{6}_{ty=0}L^{7}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{f32,g}_{tx,ty,a}*1.37+0.61);];"},
    {"rounds that are read",
     "@input A T[13,33]\n@output D T[13]\n"
     "B^{1}_{bx=0}L^{13}_{a=0}[B^{33}_{tx=0}[E^{T,s}=E^{T,s}+(A^{T,g}_{a,tx}*1.37+0.61);];D^{T,g}_{a}=E^{T,s};];"},
    {"rounds of two loops",
     "@input A T[7,5,33]\n@output D T[7]\n"
     "B^{1}_{bx=0}L^{7}_{c=0}L^{5}_{a=0}[B^{33}_{tx=0}[D^{T,g}_{c}=D^{T,g}_{c}+(A^{T,g}_{c,a,tx}*1.37+0.61);];];"},
    {"on top of what was there",
     "@input A T[45,7]\n@input C T[1]\n@output D T[1]\nB^{1}_{tx=0}[D^{T,g}_{tx}=C^{T,g}_{tx}*7;];"
     "B^{45}_{tx=0}L^{7}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"differences",
     "@input A T[45,7]\n@output D T[1]\n"
     "B^{45}_{tx=0}L^{7}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}-(A^{T,g}_{tx,a}*1.37+0.61);];"},
    {"a product",
     "@input A T[45,2] [0,1)\n@output D T[1]\n"
     "B^{45}_{tx=0}L^{2}_{a=0}[D^{T,g}_{0}=D^{T,g}_{0}*(A^{T,g}_{tx,a}*0.07+0.97);];"},
    {"blocks",
     "@input A T[33,4]\n@output D T[4]\n"
     "B^{33}_{bx=0}B^{4}_{tx=0}[D^{T,g}_{tx}=D^{T,g}_{tx}+(A^{T,g}_{bx,tx}*1.37+0.61);];"},
    {"blocks and threads",
     "@input A T[2,17,36]\n@output D T[2]\n"
     "B^{2}_{by=0}B^{17}_{bx=0}B^{36}_{tx=0}[D^{T,g}_{by}=D^{T,g}_{by}+(A^{T,g}_{by,bx,tx}*1.37+0.61);];"},
    {"launches and threads",
     "@input A T[17,36]\n@output D T[1]\n"
     "L^{17}_{a=0}B^{36}_{tx=0}[D^{T,g}_{0}=D^{T,g}_{0}+(A^{T,g}_{a,tx}*1.37+0.61);];"},
    {"what comes of a sum over threads",
     "@input A T[6,50]\n@output D T[6,50]\n"
     "B^{6}_{bx=0}[B^{50}_{tx=0}[E^{T,s}=max(E^{T,s},A^{T,g}_{bx,tx}*3);];"
     "B^{50}_{tx=0}[F^{T,s}=F^{T,s}+(A^{T,g}_{bx,tx}*3-E^{T,s});];"
     "B^{50}_{tx=0}[D^{T,g}_{bx,tx}=A^{T,g}_{bx,tx}/F^{T,s};];];"},
};

Program program_of(const std::string& text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text << (document.diagnostics.empty() ? "" : document.diagnostics[0].message);
  return document.program;
}

std::string in_dtype(std::string text, const std::string& dtype) {
  replace_all(text, "^{T,", concat("^{", dtype, ","));
  replace_all(text, " T[", concat(" ", dtype, "["));
  return text;
}

struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

using Change = std::function<void(certify::ThreadFold&)>;

/// What a run may hold at every element of an output, at the inputs of kSeed; where asked for, after a change of the
/// order. Without threads, in the order of the text.
std::vector<Interval> intervals(const Program& program, const std::string& output, bool with_threads,
                                const Change& change = {}) {
  std::vector<Interval> out;
  const bool ran = certify::run_on_big_stack([&] {
    const certify::Code code = certify::compile(program);
    std::optional<certify::ThreadFolds> order = certify::ThreadFolds();
    if (with_threads) order = thread_order(program, code);
    ASSERT_TRUE(order);
    for (auto& [statement, fold] : *order) {
      if (change) change(fold);
    }
    const certify::InputModel model = certify::model_inputs(program, program);
    const certify::InputSource source(model, {certify::DrawKind::generic, mix(kSeed)});
    certify::Budget budget{50'000'000, 100'000'000};
    certify::OrderedArithmetic arithmetic;
    certify::Machine<certify::OrderedArithmetic> machine(code, arithmetic, source, budget);
    machine.follow_threads(*order);
    for (const Variable& variable : program.signature.variables) {
      if (variable.name != output) continue;
      std::int64_t size = 1;
      for (const std::int64_t extent : variable.shape) size *= extent;
      for (std::int64_t at = 0; at < size; ++at) {
        std::vector<std::int64_t> element(variable.shape.size());
        std::int64_t rest = at;
        for (std::size_t i = element.size(); i-- > 0; rest /= variable.shape[i]) element[i] = rest % variable.shape[i];
        const auto value = machine.output(code.tensor_numbers.at(output), element);
        EXPECT_TRUE(value.ok()) << (value.ok() ? "" : value.error().message);
        if (value) out.push_back({value->real.low, value->real.high});
      }
    }
  });
  EXPECT_TRUE(ran);
  return out;
}

double element_of(const Tensor& tensor, std::size_t at) {
  return load(tensor.dtype, tensor.data.data() + at * static_cast<std::size_t>(info(tensor.dtype).bytes)).as_real();
}

std::size_t outside(const std::vector<Interval>& wanted, const Tensor& tensor) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) count += wanted[i].holds(element_of(tensor, i)) ? 0 : 1;
  return count;
}

struct Emulation {
  std::string name;
  DType dtype = DType::f32;
  Judged one;
  Tensors made;
};

/// Every case in three types, at the inputs of kSeed.
std::vector<Emulation> emulated_cases() {
  std::vector<Emulation> out;
  Emulated emulated("order");
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    for (const Case& source : kCases) {
      Emulation& entry = out.emplace_back();
      entry.name = concat(source.name, " in ", code(dtype));
      entry.dtype = dtype;
      entry.one.program = program_of(in_dtype(source.text, std::string(code(dtype))));
      entry.one.inputs = drawn_inputs(entry.one.program, kSeed).value();
      const auto ran = run(entry.one.program, entry.one.inputs);
      EXPECT_TRUE(ran.ok()) << entry.name;
      if (ran) entry.one.outputs = ran->outputs;
      const auto text = cuda::lower(entry.one.program);
      EXPECT_TRUE(text.ok()) << entry.name << (text.ok() ? "" : text.error().message);
      if (!text) return {};
      emulated.add(text->text);
    }
  }
  if (!emulated.build()) return {};
  for (std::size_t i = 0; i < out.size(); ++i) out[i].made = emulated.run(i, out[i].one, i % 2 == 1);
  return out;
}

TEST(CudaOrder, WhatThreadsAddLiesInTheIntervals) {
  const std::vector<Emulation> all = emulated_cases();
  ASSERT_FALSE(all.empty());
  std::size_t programs_not_in_text_order = 0;
  std::size_t programs_not_in_other_order = 0;
  for (const Emulation& entry : all) {
    for (const auto& [output, tensor] : entry.made) {
      const std::vector<Interval> wanted = intervals(entry.one.program, output, true);
      ASSERT_FALSE(wanted.empty()) << entry.name;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double got = element_of(tensor, i);
        EXPECT_TRUE(wanted[i].holds(got)) << entry.name << " " << output << "[" << i << "]: " << got << " not in ["
                                          << wanted[i].low << ", " << wanted[i].high << "]";
        // Halves are rounded after every operation: nothing is left open.
        if (entry.dtype != DType::f32) {
          EXPECT_EQ(wanted[i].low, wanted[i].high) << entry.name;
        }
      }
    }
    const auto& [output, tensor] = *entry.made.begin();
    programs_not_in_text_order += outside(intervals(entry.one.program, output, false), tensor) > 0 ? 1 : 0;
    const auto reverse = [](certify::ThreadFold& fold) {
      if (fold.joined.empty()) return;
      for (certify::RankPart& part : fold.rank) part.coefficient = fold.rank[0].coefficient;
      std::swap(fold.joined.front(), fold.joined.back());
      if (fold.joined.size() == 1) fold.joined = {1, fold.joined[0] / 2 + 1, 2};
    };
    programs_not_in_other_order += outside(intervals(entry.one.program, output, true, reverse), tensor) > 0 ? 1 : 0;
  }
  std::printf("%zu programs, %zu not in the order of the text, %zu not in another order\n", all.size(),
              programs_not_in_text_order, programs_not_in_other_order);
  EXPECT_GT(programs_not_in_text_order, 20U);
  EXPECT_GT(programs_not_in_other_order, 15U);
}

/// What one thread leaves out is missed, also where no digit is certain in another order.
TEST(CudaOrder, WhatOneThreadLeavesOutIsMissed) {
  const std::string text =
      "@input A f16[200,20]\n@output D f16[1]\n"
      "B^{200}_{tx=0}L^{20}_{a=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+(A^{f16,g}_{tx,a}*A^{f16,g}_{tx,a}+0.5);];";
  const Program program = program_of(text);
  Emulated emulated("dropped");
  std::vector<Judged> changed;
  for (const char* dropped : {"", "?{tx<199}", "?{tx!=7|a<10}"}) {
    std::string with = text;
    replace_all(with, "[D^{f16,g}_{0}=", concat(dropped, "[D^{f16,g}_{0}="));
    Judged& one = changed.emplace_back();
    one.program = program_of(with);
    one.inputs = drawn_inputs(program, kSeed).value();
    one.outputs = run(one.program, one.inputs).value().outputs;
    emulated.add(cuda::lower(one.program).value().text);
  }
  ASSERT_TRUE(emulated.build());
  const std::vector<Interval> wanted = intervals(program, "D", true);
  EXPECT_EQ(outside(wanted, emulated.run(0, changed[0], false).at("D")), 0U);
  EXPECT_EQ(outside(wanted, emulated.run(1, changed[1], false).at("D")), 1U);
  EXPECT_EQ(outside(wanted, emulated.run(2, changed[2], false).at("D")), 1U);
  // And what `time` compares with is narrow where another order says nothing.
  const Expectations expected = expected_elements(program, program, kSeed, 8, 30'000'000, RunOrder::threads);
  ASSERT_FALSE(expected.elements.empty()) << expected.problem;
  EXPECT_LT(expected.elements[0].allowed, expected.elements[0].value / 64);
  EXPECT_GT(expected.elements[0].any_order, expected.elements[0].value / 16);
  const Tensor made = emulated.run(0, changed[0], true).at("D");
  EXPECT_TRUE(is_expected(expected.elements[0], load(made.dtype, made.data.data())));
}

/// Published workloads at their published shapes, of whose losses no digit is certain in another order.
TEST(CudaOrder, LossesInHalvesAreWhatIsExpected) {
  const char* const texts[] = {
      "@input A f16[603,777]\n@input C i64[603] [0,777)\n@output D f16\n"
      "B^{603}_{tx=0}L^{777}_{a=0}[F^{f16,g}_{tx}=max(F^{f16,g}_{tx},A^{f16,g}_{tx,a});];"
      "B^{603}_{tx=0}L^{777}_{a=0}[G^{f16,g}_{tx}=G^{f16,g}_{tx}+exp(A^{f16,g}_{tx,a}-F^{f16,g}_{tx});];"
      "B^{603}_{tx=0}L^{777}_{a=0}[E^{f16,g}_{tx,a}=A^{f16,g}_{tx,a}-F^{f16,g}_{tx}-log(G^{f16,g}_{tx});];"
      "B^{603}_{tx=0}[H^{f16,g}_{tx}=-E^{f16,g}_{tx,C^{i64,g}_{tx}};];"
      "B^{603}_{tx=0}[I^{f16,g}=I^{f16,g}+H^{f16,g}_{tx};];B^{1}_{tx=0}[D^{f16,g}=I^{f16,g}/603;];",
      "@input A f16[426,64]\n@input C f16[426,64]\n@output F f16\n"
      "B^{426}_{tx=0}L^{64}_{a=0}[D^{f16,g}_{tx,a}=A^{f16,g}_{tx,a}-C^{f16,g}_{tx,a};];"
      "B^{426}_{tx=0}L^{64}_{a=0}[E^{f16,g}_{tx,a}=D^{f16,g}_{tx,a}**2;];"
      "B^{426}_{tx=0}L^{64}_{a=0}[G^{f16,g}=G^{f16,g}+E^{f16,g}_{tx,a};];B^{1}_{tx=0}[F^{f16,g}=G^{f16,g}/27264;];",
      "@input A f16[228,115]\n@input C f16[228,115]\n@output D f16\n"
      "B^{228}_{tx=0}L^{115}_{a=0}[E^{f16,g}_{tx,a}=if_then_else(abs(A^{f16,g}_{tx,a}-C^{f16,g}_{tx,a})<1,"
      "0.5*(A^{f16,g}_{tx,a}-C^{f16,g}_{tx,a})**2/1,abs(A^{f16,g}_{tx,a}-C^{f16,g}_{tx,a})-0.5);];"
      "B^{228}_{tx=0}L^{115}_{a=0}[F^{f16,g}=F^{f16,g}+E^{f16,g}_{tx,a};];B^{1}_{tx=0}[D^{f16,g}=F^{f16,g}/26220;];",
      "@input A f16[419,1834]\n@input C f16[419,1834]\n@input D f16[419,1834]\n@output E f16\n"
      "B^{419}_{tx=0}L^{1834}_{a=0}[F^{f16,g}_{tx}=F^{f16,g}_{tx}+(A^{f16,g}_{tx,a}-C^{f16,g}_{tx,a}+1e-06)**2;];"
      "B^{419}_{tx=0}L^{1834}_{a=0}[G^{f16,g}_{tx}=G^{f16,g}_{tx}+(A^{f16,g}_{tx,a}-D^{f16,g}_{tx,a}+1e-06)**2;];"
      "B^{419}_{tx=0}[H^{f16,g}_{tx}=max(sqrt(F^{f16,g}_{tx})-sqrt(G^{f16,g}_{tx})+1,0);];"
      "B^{419}_{tx=0}[I^{f16,g}=I^{f16,g}+H^{f16,g}_{tx};];B^{1}_{tx=0}[E^{f16,g}=I^{f16,g}/419;];"};
  Emulated emulated("losses");
  std::vector<Judged> all;
  for (const char* text : texts) {
    Judged& one = all.emplace_back();
    one.program = program_of(text);
    one.inputs = drawn_inputs(one.program, kSeed).value();
    const std::string& output = one.program.signature.variables.back().name;
    one.outputs.emplace(output, Tensor{DType::f16, {}, std::vector<std::byte>(2)});
    emulated.add(cuda::lower(one.program).value().text);
  }
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Expectations expected =
        expected_elements(all[i].program, all[i].program, kSeed, 8, 100'000'000, RunOrder::threads);
    ASSERT_EQ(expected.elements.size(), 1U) << texts[i] << expected.problem;
    const ExpectedElement& element = expected.elements[0];
    const double got = element_of(emulated.run(i, all[i], false).at(element.output), 0);
    EXPECT_LE(std::fabs(got - element.value), element.allowed) << texts[i];
    EXPECT_LT(element.allowed, element.value / 64) << texts[i];
    EXPECT_GT(element.any_order, element.value / 16) << texts[i];
  }
}

/// Where launches for one block after another are not in the order of the text, nothing is said.
TEST(CudaOrder, UnknownOrdersAreRefused) {
  for (const char* text : {"@input A f16[4,33]\n@output D f16[4]\n"
                           "B^{4}_{tx=0}B^{33}_{bx=0}[D^{f16,g}_{tx}=D^{f16,g}_{tx}+A^{f16,g}_{tx,bx};];",
                           "@input A f16[3,33]\n@output D f16[1]\n"
                           "B^{3}_{by=0}B^{33}_{bx=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+A^{f16,g}_{by,bx};];"}) {
    const Program program = program_of(text);
    EXPECT_FALSE(thread_order(program, certify::compile(program))) << text;
  }
}

}  // namespace
}  // namespace steptp::testing
