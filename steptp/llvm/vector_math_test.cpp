// The functions that the LLVM back end computes itself, in the three types that have them, against the oracle.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

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

/// Floats of all sizes and signs.
std::vector<std::uint32_t> spread_floats() {
  std::vector<std::uint32_t> out(400001);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint32_t>(i * 10739);
  return out;
}

float fast_value(const std::vector<std::uint32_t>& results, std::size_t i) { return std::bit_cast<float>(results[i]); }

/// The distance in units of the last place that a float of this value has.
double distance_in_places(float got, double wanted) {
  const auto near = static_cast<float>(wanted);
  const float next = std::nextafter(std::fabs(near), std::numeric_limits<float>::infinity());
  const double place = std::isinf(next) ? 0x1p104 : static_cast<double>(next) - std::fabs(static_cast<double>(near));
  return std::fabs(static_cast<double>(got) - wanted) / place;
}

TEST_F(VectorMath, FastFunctionsAreWithinTheirPlaces) {
  const std::vector<std::uint32_t> patterns = spread_floats();
  const struct {
    std::size_t function;
    double places;
  } cases[] = {{0, 1.0}, {2, 2.0}, {3, 2.0}};
  for (const auto& [function, places] : cases) {
    const Program program = program_of(kFunctions[function], DType::f32, static_cast<std::int64_t>(patterns.size()));
    const auto compiled = LlvmProgram::compile(program, ObjectCache(), Arithmetic::fast);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    const auto got = compiled->run(inputs_of(program, patterns));
    ASSERT_TRUE(got.ok());
    const auto results = patterns_of<std::uint32_t>(*got);
    double worst = 0;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const float x = std::bit_cast<float>(patterns[i]);
      const float value = fast_value(results, i);
      const double wanted = of_libm(function, static_cast<double>(x));
      ASSERT_EQ(std::isnan(value), std::isnan(x)) << kFunctions[function] << " of " << x;
      if (std::isnan(x)) continue;
      if (std::isinf(static_cast<float>(wanted))) {
        ASSERT_TRUE(std::isinf(value)) << kFunctions[function] << " of " << x;
        continue;
      }
      worst = std::max(worst, distance_in_places(value, wanted));
      ASSERT_LE(distance_in_places(value, wanted), places) << kFunctions[function] << " of " << x << ": " << value;
    }
    EXPECT_GT(worst, 0.5) << "a function that is rounded right everywhere would not be the fast one";
  }
}

TEST_F(VectorMath, FastProductsAreFused) {
  // (1 + e) (1 - e) - 1 is -e^2, which a product that is rounded by itself loses.
  const Document document = read_document("test",
                                          "@input A f32[64]\n@input C f32[64]\n@output D "
                                          "f32[64]\nV^{64}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*C^{f32,g}_{a}-1;];");
  ASSERT_TRUE(document.ok);
  Tensors inputs = seeded_inputs(document.program, 1).value();
  const std::vector<float> high(64, 1 + 0x1p-13F);
  const std::vector<float> low(64, 1 - 0x1p-13F);
  std::memcpy(inputs.at("A").data.data(), high.data(), 256);
  std::memcpy(inputs.at("C").data.data(), low.data(), 256);
  for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::fast}) {
    const auto compiled = LlvmProgram::compile(document.program, ObjectCache(), arithmetic);
    ASSERT_TRUE(compiled.ok());
    const auto got = compiled->run(inputs);
    ASSERT_TRUE(got.ok());
    float first = 1;
    std::memcpy(&first, got->at("D").data.data(), 4);
    EXPECT_EQ(first, arithmetic == Arithmetic::fast ? -0x1p-26F : 0);
  }
}

TEST_F(VectorMath, FastMaximaIgnoreWhatIsNoNumber) {
  const Document document = read_document("test",
                                          "@input A f32[3]\n@input C f32[3]\n@output D "
                                          "f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=max(A^{f32,g}_{a},C^{f32,g}_{a});];");
  ASSERT_TRUE(document.ok);
  Tensors inputs = seeded_inputs(document.program, 1).value();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {nan, 2, nan};
  const float c[] = {1, nan, nan};
  std::memcpy(inputs.at("A").data.data(), a, sizeof a);
  std::memcpy(inputs.at("C").data.data(), c, sizeof c);
  const auto compiled = LlvmProgram::compile(document.program, ObjectCache(), Arithmetic::fast);
  ASSERT_TRUE(compiled.ok());
  const auto got = compiled->run(inputs);
  ASSERT_TRUE(got.ok());
  float d[3];
  std::memcpy(d, got->at("D").data.data(), sizeof d);
  EXPECT_EQ(d[0], 1);
  EXPECT_EQ(d[1], 2);
  EXPECT_TRUE(std::isnan(d[2]));
}

}  // namespace
}  // namespace steptp::testing
