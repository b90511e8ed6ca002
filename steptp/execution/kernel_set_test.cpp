// Programs on memory of others, on this CPU: values of the oracle, no trace outside of the outputs, many callers at
// once.
#include "steptp/execution/kernel_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "steptp/measure/expected.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

/// Several kernels, an intermediate in the workspace and one that is large enough for threads.
constexpr const char* kRows =
    "@program Rows\n@input A f32[64,64]\n@input E f32[64]\n@output D f32[64,64]\n@output F f32[64]\n"
    "B^{64}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*E^{f32,g}_{a};];"
    "B^{64}_{tx=0}L^{64}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+C^{f32,g}_{tx,c}*E^{f32,g}_{a};];"
    "B^{64}_{tx=0}L^{64}_{a=0}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+C^{f32,g}_{tx,a};];";
constexpr const char* kGather =
    "@program Gather\n@input A f32[8]\n@input E i64[4] [0,8)\n@output D f32[4]\n"
    "B^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{E^{i64,g}_{tx}};];";

Program program_of(const char* text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

std::unique_ptr<KernelSet> kernels_of(const char* text) {
  auto made = compile_for_cpu(program_of(text), ObjectCache(), Arithmetic::exact);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(made).value();
}

/// Memory that a caller would bring along.
struct Memory {
  explicit Memory(const KernelSet& kernels, std::uint64_t seed = 1)
      : inputs(drawn_inputs(kernels.program(), seed).value()),
        workspace(static_cast<std::size_t>(kernels.workspace_bytes()) / sizeof(Word) + 1) {
    for (const Variable& variable : kernels.program().signature.variables) {
      const auto bytes = static_cast<std::size_t>(*element_count(variable.shape) * info(variable.dtype).bytes);
      std::vector<Word>& own = tensors.emplace_back(bytes / sizeof(Word) + 2, Word{kMark, kMark});
      if (variable.role != Role::output) std::memcpy(own.data(), inputs.at(variable.name).data.data(), bytes);
      pointers.push_back(own.data());
    }
  }
  [[nodiscard]] KernelCall call(unsigned threads) { return {pointers, workspace.data(), nullptr, threads}; }
  [[nodiscard]] Tensors outputs(const KernelSet& kernels) const {
    Tensors out;
    std::size_t number = 0;
    for (const Variable& variable : kernels.program().signature.variables) {
      const auto* begin = reinterpret_cast<const std::byte*>(pointers[number++]);
      if (variable.role != Role::output) continue;
      const auto bytes = *element_count(variable.shape) * info(variable.dtype).bytes;
      out.emplace(variable.name, Tensor{variable.dtype, variable.shape, {begin, begin + bytes}});
    }
    return out;
  }
  /// Whether nothing was written behind a tensor.
  [[nodiscard]] bool ends_are_whole() const {
    for (const std::vector<Word>& own : tensors) {
      if (own.back().low != kMark || own.back().high != kMark) return false;
    }
    return true;
  }

  static constexpr std::uint64_t kMark = 0x5a5a5a5a5a5a5a5aU;
  struct alignas(16) Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  Tensors inputs;
  std::vector<std::vector<Word>> tensors;
  std::vector<Word> workspace;
  std::vector<void*> pointers;
};

TEST(KernelSet, GivesTheValuesOfTheOracle) {
  const auto kernels = kernels_of(kRows);
  EXPECT_EQ(kernels->kernels(), 3U);
  EXPECT_GE(kernels->workspace_bytes(), 64 * 64 * 4);
  for (const unsigned threads : {1U, 4U}) {
    Memory memory(*kernels);
    const auto expected = run(kernels->program(), memory.inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    ASSERT_FALSE(kernels->call(memory.call(threads)).has_value());
    EXPECT_EQ(compare_outputs(memory.outputs(*kernels), expected->outputs, 1e-6).first, "") << threads;
    EXPECT_TRUE(memory.ends_are_whole());
  }
}

TEST(KernelSet, NanStaysWhereItIsWanted) {
  const Program program = program_of(
      "@program Nan\n@input A f32[4]\n@output C f32[4]\n@output D f32\n"
      "B^{4}_{tx=0}[C^{f32,g}_{tx}=min(max(A^{f32,g}_{tx},0),1);];L^{4}_{a=0}[D^{f32,g}=max(D^{f32,g},A^{f32,g}_{a});]"
      ";");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::fast}) {
    for (const bool stays : {false, true}) {
      auto made = compile_for_cpu(program, ObjectCache(), FloatRules(arithmetic, stays));
      ASSERT_TRUE(made.ok());
      alignas(16) float given[4] = {0.5, nan, -2, 3};
      alignas(16) float clamped[4] = {};
      alignas(16) float greatest[4] = {};
      void* tensors[] = {given, clamped, greatest};
      ASSERT_FALSE((*made)->call({tensors, nullptr, nullptr, 1}).has_value());
      EXPECT_EQ(std::isnan(clamped[1]), stays);
      EXPECT_EQ(std::isnan(greatest[0]), stays);
      EXPECT_EQ(clamped[0], 0.5F);
      EXPECT_EQ(clamped[2], 0.0F);
      EXPECT_EQ(clamped[3], 1.0F);
    }
  }
}

TEST(KernelSet, ManyCallersAtOnceEachGetTheirOwnValues) {
  const auto kernels = kernels_of(kRows);
  constexpr std::size_t kCallers = 6;
  std::vector<std::unique_ptr<Memory>> alone;
  std::vector<std::unique_ptr<Memory>> together;
  for (std::size_t i = 0; i < kCallers; ++i) {
    alone.push_back(std::make_unique<Memory>(*kernels, i + 1));
    together.push_back(std::make_unique<Memory>(*kernels, i + 1));
    ASSERT_FALSE(kernels->call(alone.back()->call(1)).has_value());
  }
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < kCallers; ++i) {
    callers.emplace_back([&, i] {
      for (int turn = 0; turn < 5; ++turn)
        EXPECT_FALSE(kernels->call(together[i]->call(1 + static_cast<unsigned>(i % 3))).has_value());
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 0; i < kCallers; ++i) {
    EXPECT_EQ(compare_outputs(together[i]->outputs(*kernels), alone[i]->outputs(*kernels), 0).first, "") << i;
    EXPECT_TRUE(together[i]->ends_are_whole());
  }
}

TEST(KernelSet, ASubscriptOutsideIsAFailureOfThatCallOnly) {
  const auto kernels = kernels_of(kGather);
  Memory memory(*kernels);
  auto* index = static_cast<std::int64_t*>(memory.pointers[1]);
  index[2] = 8;
  const auto failure = kernels->call(memory.call(1));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->trap->kind, TrapKind::out_of_range);
  index[2] = 7;
  EXPECT_FALSE(kernels->call(memory.call(1)).has_value());
}

}  // namespace
}  // namespace steptp::testing
