// The functions that the LLVM back end computes itself, in the three types that have them, against the oracle.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "steptp/base/text.h"
#include "steptp/documents/run_document.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/text/document.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

constexpr const char* kFunctions[] = {"exp", "log", "erf", "tanh"};

/// C = function(A) over a row.
Program program_of(const std::string& function, DType dtype, std::int64_t elements) {
  const std::string type(code(dtype));
  const Document document =
      read_document("test", concat("@input A ", type, "[", elements, "]\n@output C ", type, "[", elements, "]\nL^{",
                                   elements, "}_{a=0}[C^{", type, ",g}_{a}=", function, "(A^{", type, ",g}_{a});];"));
  EXPECT_TRUE(document.ok);
  return document.program;
}

template <typename Bits>
Tensors inputs_of(const Program& program, const std::vector<Bits>& patterns) {
  Tensors out = seeded_inputs(program, 1).value();
  std::memcpy(out.at("A").data.data(), patterns.data(), patterns.size() * sizeof(Bits));
  return out;
}

template <typename Bits>
std::vector<Bits> patterns_of(const Tensors& outputs) {
  const auto& data = outputs.at("C").data;
  std::vector<Bits> out(data.size() / sizeof(Bits));
  std::memcpy(out.data(), data.data(), data.size());
  return out;
}

/// Equal bits, or two values that are not numbers: those have exponents of ones and something behind.
template <typename Bits>
bool are_same(Bits a, Bits b, Bits infinity) {
  const auto magnitude = [&](Bits x) {
    return static_cast<Bits>(x & static_cast<Bits>(~(Bits{1} << (sizeof(Bits) * 8 - 1))));
  };
  return a == b || (magnitude(a) > infinity && magnitude(b) > infinity);
}

template <typename Bits>
void expect_the_oracles_values(DType dtype, Bits infinity, const std::vector<Bits>& patterns) {
  for (const char* function : kFunctions) {
    const Program program = program_of(function, dtype, static_cast<std::int64_t>(patterns.size()));
    const auto compiled = LlvmProgram::compile(program);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    const Tensors inputs = inputs_of(program, patterns);
    const auto got = compiled->run(inputs);
    ASSERT_TRUE(got.ok());
    const auto wanted = run(program, inputs);
    ASSERT_TRUE(wanted.ok());
    const std::vector<Bits> ours = patterns_of<Bits>(*got);
    const std::vector<Bits> exact = patterns_of<Bits>(wanted->outputs);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      ASSERT_TRUE(are_same(ours[i], exact[i], infinity)) << function << " in " << code(dtype) << " of the bits "
                                                         << patterns[i] << ": " << ours[i] << ", not " << exact[i];
    }
  }
}

class VectorMath : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto engine = find_llvm_engine();
    if (!engine) GTEST_SKIP() << engine.error().message;
  }
};

TEST_F(VectorMath, EveryHalf) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  expect_the_oracles_values<std::uint16_t>(DType::f16, 0x7c00, all);
  expect_the_oracles_values<std::uint16_t>(DType::bf16, 0x7f80, all);
}

/// All exponents and signs, and not a multiple of any vector's width.
TEST_F(VectorMath, ManyFloats) {
  std::vector<std::uint32_t> many(131071);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint32_t>(i * 32771);
  expect_the_oracles_values<std::uint32_t>(DType::f32, 0x7f800000, many);
}

double of_libm(std::size_t function, double x) {
  switch (function) {
    case 0: return std::exp(x);
    case 1: return std::log(x);
    case 2: return std::erf(x);
    default: return std::tanh(x);
  }
}

/// The long run: libm in double, rounded, may itself be on the wrong side of a few.
TEST_F(VectorMath, EveryFloat) {
  if (soaked(1) == 1) GTEST_SKIP() << "set STEPTP_SOAK for all floats: some ten minutes";
  constexpr std::uint64_t kPart = std::uint64_t{1} << 22;
  for (std::size_t function = 0; function < std::size(kFunctions); ++function) {
    const Program program = program_of(kFunctions[function], DType::f32, kPart);
    const auto compiled = LlvmProgram::compile(program);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    std::vector<std::uint32_t> part(kPart);
    std::uint64_t different = 0;
    for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kPart) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::uint32_t>(first + i);
      const auto got = compiled->run(inputs_of(program, part));
      ASSERT_TRUE(got.ok());
      const std::vector<std::uint32_t> ours = patterns_of<std::uint32_t>(*got);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const auto wanted = static_cast<float>(of_libm(function, static_cast<double>(std::bit_cast<float>(part[i]))));
        const auto bits = std::bit_cast<std::uint32_t>(wanted);
        if (are_same<std::uint32_t>(ours[i], bits, 0x7f800000)) continue;
        ++different;
        ASSERT_TRUE(ours[i] - bits == 1 || bits - ours[i] == 1) << kFunctions[function] << " of the bits " << part[i];
      }
    }
    std::printf("%s: %llu of 2^32 floats are rounded to the neighbour\n", kFunctions[function],
                static_cast<unsigned long long>(different));
    EXPECT_LT(different, 1000U);
  }
}

}  // namespace
}  // namespace steptp::testing
