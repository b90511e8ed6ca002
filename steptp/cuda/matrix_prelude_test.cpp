// The instructions of tensor cores and asynchronous copies: emulated against sums that are exact, every copy and wait
// needed, and through NVRTC for several generations of GPUs (execution/nvrtc_test.cpp has the same texts).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "testing/cuda_emulated.h"
#include "testing/matrix_kernels.h"

namespace steptp::testing {
namespace {

constexpr int kRows = 32;
constexpr int kColumns = 16;
constexpr int kDepth = 96;

/// Small whole numbers, so that every sum is exact in every order and type.
int left(int i, int k) { return (i * 7 + k * 5) % 9 - 4; }
int right(int k, int j) { return (k * 3 + j * 11 + k * j) % 7 - 3; }
int before(int i, int j) { return (i + 2 * j) % 5 - 2; }
int expected(int i, int j) {
  int sum = before(i, j);
  for (int k = 0; k < kDepth; ++k) sum += left(i, k) * right(k, j);
  return sum;
}

std::uint16_t half(int x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }
std::uint16_t bfloat16(int x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
}

template <typename T, typename Number, typename Of>
std::vector<T> filled(int rows, int columns, const Of& of, const Number& number) {
  std::vector<T> out;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) out.push_back(number(of(i, j)));
  }
  return out;
}

/// The product of a kernel of testing/matrix_kernels.h with the numbers above; true where every element is right.
template <typename T, typename Sum, typename Number, typename SumNumber>
bool is_right(Emulated& emulated, std::size_t number, bool reversed, const Number& as, const SumNumber& as_sum) {
  std::vector<T> a = filled<T>(kRows, kDepth, left, as);
  std::vector<T> b = filled<T>(kDepth, kColumns, right, as);
  std::vector<Sum> c = filled<Sum>(kRows, kColumns, before, as_sum);
  const std::array<void*, 3> pointers = {a.data(), b.data(), c.data()};
  if (emulated.launch(number, pointers.data(), nullptr, reversed) != 0) return false;
  return c == filled<Sum>(kRows, kColumns, expected, as_sum);
}

TEST(MatrixInstructions, EmulatedProductsAreExact) {
  const auto real = [](int x) { return static_cast<float>(x); };
  const auto wide = [](int x) { return static_cast<double>(x); };
  Emulated emulated("instructions");
  for (const MatrixKernel kind : kMatrixKernels) emulated.add(matrix_kernel(kind));
  ASSERT_TRUE(emulated.build());
  for (const bool reversed : {false, true}) {
    EXPECT_TRUE((is_right<std::uint16_t, float>(emulated, 0, reversed, half, real)));
    EXPECT_TRUE((is_right<std::uint16_t, float>(emulated, 1, reversed, bfloat16, real)));
    EXPECT_TRUE((is_right<std::uint16_t, std::uint16_t>(emulated, 2, reversed, half, half)));
    EXPECT_TRUE((is_right<double, double>(emulated, 3, reversed, wide, wide)));
    EXPECT_TRUE((is_right<double, double>(emulated, 4, reversed, wide, wide)));
  }
}

/// Without any one wait, barrier or close, or with a wait for one group less, the kernel computes something else in one
/// of both orders of threads.
TEST(MatrixInstructions, EveryWaitIsNeeded) {
  const std::string text = matrix_kernel(MatrixKernel::f16_f32);
  std::vector<std::string> broken;
  for (const std::string& word : {std::string("stp_copies_wait<1>();"), std::string("stp_copies_close();"),
                                  std::string("__syncthreads();"), std::string("stp_copies_wait<0>();")}) {
    const std::size_t head = text.find("__global__");
    for (std::size_t at = head; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
      std::string without = text;
      without.erase(at, word.size());
      broken.push_back(without);
    }
  }
  std::string late = text;
  replace_all(late, "stp_copies_wait<1>();", "stp_copies_wait<2>();");
  broken.push_back(late);
  ASSERT_EQ(broken.size(), 6U);
  Emulated emulated("waits");
  for (const std::string& one : broken) emulated.add(one);
  ASSERT_TRUE(emulated.build());
  const auto real = [](int x) { return static_cast<float>(x); };
  for (std::size_t i = 0; i < broken.size(); ++i) {
    bool is_always_right = true;
    for (const bool reversed : {false, true}) {
      is_always_right = is_right<std::uint16_t, float>(emulated, i, reversed, half, real) && is_always_right;
    }
    EXPECT_FALSE(is_always_right) << broken[i];
  }
}

/// Lanes that part, rows that begin elsewhere than at 16 bytes, half a warp: the emulation says so.
TEST(MatrixInstructions, MisuseIsSeen) {
  Emulated emulated("misuse");
  const std::string text = matrix_kernel(MatrixKernel::f16_f32);
  std::string some_lanes = text;
  replace_all(some_lanes, "stp_mma_f16_f32(d", "if (threadIdx.x != 5) stp_mma_f16_f32(d");
  std::string odd_rows = text;
  replace_all(odd_rows, "stp_ldmatrix(a, ", "stp_ldmatrix(a, 8 + ");
  std::string odd_copies = text;
  replace_all(odd_copies, "stp_copy_ahead<16>(", "stp_copy_ahead<16>(4 + ");
  for (const std::string* one : {&some_lanes, &odd_rows, &odd_copies}) {
    ASSERT_NE(*one, text);
    emulated.add(*one);
  }
  ASSERT_TRUE(emulated.build());
  const auto real = [](int x) { return static_cast<float>(x); };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE((is_right<std::uint16_t, float>(emulated, i, false, half, real))) << i;
  }
}

}  // namespace
}  // namespace steptp::testing
