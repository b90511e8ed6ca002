// Single sums of matrix instructions: what a machine made of operands that were looked for, against a bound that holds
// and is tight, and against the emulation, which computes the same bits. docs/decisions/0140.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "source_dir.h"
#include "steptp/cuda/prelude.h"
#include "testing/cuda_emulated.h"

namespace steptp::testing {
namespace {

struct Row {
  std::string found;  ///< "worst", "drawn", "differs": how
  std::string kind;
  std::vector<std::uint64_t> a, b;
  std::uint64_t addend = 0;
  std::uint64_t result = 0;
};

std::vector<Row> kept_rows() {
  std::ifstream file(STEPTP_SOURCE_DIR "/testing/data/matrix/h200_results.txt");
  std::vector<Row> out;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.found >> row.kind >> std::hex;
    const std::size_t count = row.kind == "f64_8x8x4" ? 4 : 16;
    row.a.resize(count);
    row.b.resize(count);
    for (std::uint64_t& bits : row.a) words >> bits;
    for (std::uint64_t& bits : row.b) words >> bits;
    words >> row.addend >> row.result;
    EXPECT_TRUE(words) << line;
    out.push_back(std::move(row));
  }
  return out;
}

struct Number {
  double value = 0;
  int exponent = 0;  ///< that of the format: of a number below the normal ones that of the least of these
};

Number real(const std::string& type, std::uint64_t bits) {
  double value = 0;
  int least = 0;
  if (type == "f16") {
    value = static_cast<double>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    least = -14;
  } else if (type == "f64") {
    value = std::bit_cast<double>(bits);
    least = -1022;
  } else {
    value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(type == "bf16" ? bits << 16 : bits)));
    least = -126;
  }
  return {value, value == 0 ? INT32_MIN / 4 : std::max(std::ilogb(value), least)};
}

/// Of "bf16_f32" the two types.
std::array<std::string, 2> types_of(const std::string& kind) {
  if (kind.starts_with("f64")) return {"f64", "f64"};
  const std::size_t at = kind.find('_');
  return {kind.substr(0, at), kind.substr(at + 1)};
}

mpq_class power_of_two(int exponent) {
  mpq_class out = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return out;
}

/// The exact sum, and how far the instruction may be from it.
struct Sum {
  mpq_class exact;
  mpq_class bound;
};
Sum sum_of(const Row& row) {
  const auto [factor, result] = types_of(row.kind);
  const Number addend = real(result, row.addend);
  Sum out;
  out.exact = addend.value;
  mpq_class sizes = abs(out.exact);
  int greatest = addend.exponent;
  for (std::size_t i = 0; i < row.a.size(); ++i) {
    const Number a = real(factor, row.a[i]);
    const Number b = real(factor, row.b[i]);
    const mpq_class product = mpq_class(a.value) * mpq_class(b.value);
    out.exact += product;
    sizes += abs(product);
    if (product != 0) greatest = std::max(greatest, a.exponent + b.exponent);
  }
  const auto terms = static_cast<int>(row.a.size());
  if (result == "f64") {
    // One rounding for each product, of partial sums that are no greater than all sizes together.
    out.bound = terms * (power_of_two(-53) * sizes * (1 + terms * power_of_two(-53)) + power_of_two(-1075));
    return out;
  }
  const mpq_class cut = terms * power_of_two(greatest - 25);
  if (result == "f32") {
    out.bound = cut + power_of_two(-23) * (abs(out.exact) + cut) + power_of_two(-149);
  } else {
    out.bound = cut + power_of_two(-11) * (abs(out.exact) + cut) + power_of_two(-25);
  }
  return out;
}

TEST(MatrixSums, TheBoundHoldsAndHalfOfItDoesNot) {
  const std::vector<Row> rows = kept_rows();
  ASSERT_GT(rows.size(), 400U);
  std::map<std::string, std::size_t> beyond_half;
  for (const Row& row : rows) {
    const Sum sum = sum_of(row);
    const mpq_class error = abs(mpq_class(real(types_of(row.kind)[1], row.result).value) - sum.exact);
    EXPECT_LE(error, sum.bound) << row.kind << " " << row.found << ": " << error.get_d() << " of " << sum.bound.get_d();
    beyond_half[row.kind] += error * 2 > sum.bound ? 1 : 0;
  }
  ASSERT_EQ(beyond_half.size(), 5U);
  for (const auto& [kind, count] : beyond_half) EXPECT_GT(count, 5U) << kind;
}

/// One warp computes eight sums at once, as the diagonal of its matrix.
std::string kernel_of(const std::string& kind) {
  std::string body;
  if (kind.starts_with("f64")) {
    const bool is_small = kind == "f64_8x8x4";
    body = concat(
        "  double d[4] = {0, 0, 0, 0};\n  if (t == g / 2) d[g % 2] = C[g];\n",
        is_small ? "  stp_mma_f64_8x8x4(d[0], d[1], A[g * 4 + t], B[g * 4 + t]);\n"
                 : "  double a[8] = {}, b[4];\n  for (int i = 0; i < 4; ++i) {\n    a[2 * i] = A[g * 16 + 4 * i + t];\n"
                   "    b[i] = B[g * 16 + 4 * i + t];\n  }\n  stp_mma_f64_16x8x16(d, a, b);\n",
        "  if (t == g / 2) C[g] = d[g % 2];\n");
  } else {
    body =
        "  const unsigned* x = (const unsigned*)A + g * 8 + t;\n  const unsigned* y = (const unsigned*)B + g * 8 + t;\n"
        "  const unsigned a[4] = {x[0], 0, x[4], 0}, b[2] = {y[0], y[4]};\n";
    if (kind == "f16_f16") {
      body +=
          "  unsigned d[2] = {0, 0};\n  if (t == g / 2) d[0] = (unsigned)C[g] << g % 2 * 16;\n"
          "  stp_mma_f16_f16(d, a, b);\n  if (t == g / 2) C[g] = d[0] >> g % 2 * 16;\n";
    } else {
      append(body, "  float d[4] = {0, 0, 0, 0};\n  if (t == g / 2) d[g % 2] = C[g];\n  stp_mma_", kind,
             "(d, a, b);\n  if (t == g / 2) C[g] = d[g % 2];\n");
    }
  }
  const std::string factor = types_of(kind)[0] == "f64" ? "double" : "unsigned short";
  const std::string sum = types_of(kind)[1] == "f64"   ? "double"
                          : types_of(kind)[1] == "f32" ? "float"
                                                       : "unsigned short";
  const std::string text =
      concat("\n__global__ void kernel_0(const ", factor, "* A, const ", factor, "* B, ", sum,
             "* C) {\n  const int g = threadIdx.x / 4, t = threadIdx.x % 4;\n", body,
             "}\nextern \"C\" size_t steptp_workspace_bytes() { return 0; }\n"
             "extern \"C\" int steptp_launch(void* const* v, void*, void* stream) {\n"
             "  STP_LAUNCH(kernel_0, dim3(1), dim3(32), 0, stream, (",
             factor, "*)v[0], (", factor, "*)v[1], (", sum, "*)v[2]);\n  return cudaGetLastError();\n}\n");
  return cuda::prelude_for(text) + text;
}

void pack(std::vector<std::byte>& out, std::uint64_t bits, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(bits >> 8 * i));
}

std::uint64_t unpacked(const std::vector<std::byte>& from, std::size_t number, std::size_t bytes) {
  std::uint64_t out = 0;
  std::memcpy(&out, from.data() + number * bytes, bytes);
  return out;
}

/// Sums in f16 below the normal numbers may be rounded to the other side where they lie next to the middle between two:
/// the machine rounds twice there.
TEST(MatrixSums, TheEmulationComputesTheBitsOfTheMachine) {
  constexpr std::array kKinds = {"f16_f32", "bf16_f32", "f16_f16", "f64_8x8x4", "f64_16x8x16"};
  Emulated emulated("sums");
  for (const char* kind : kKinds) emulated.add(kernel_of(kind));
  ASSERT_TRUE(emulated.build());
  const std::vector<Row> rows = kept_rows();
  for (std::size_t number = 0; number < kKinds.size(); ++number) {
    const std::string kind = kKinds[number];
    const auto bytes_of = [](const std::string& type) { return type == "f64" ? 8U : type == "f32" ? 4U : 2U; };
    const std::size_t factor_bytes = bytes_of(types_of(kind)[0]);
    const std::size_t sum_bytes = bytes_of(types_of(kind)[1]);
    std::vector<const Row*> of_kind;
    for (const Row& row : rows) {
      if (row.kind == kind) of_kind.push_back(&row);
    }
    ASSERT_GE(of_kind.size(), 8U) << kind;
    for (std::size_t first = 0; first + 8 <= of_kind.size(); first += 8) {
      std::vector<std::byte> a, b, c;
      for (std::size_t i = first; i < first + 8; ++i) {
        for (const std::uint64_t bits : of_kind[i]->a) pack(a, bits, factor_bytes);
        for (const std::uint64_t bits : of_kind[i]->b) pack(b, bits, factor_bytes);
        pack(c, of_kind[i]->addend, sum_bytes);
      }
      const std::array<void*, 3> pointers = {a.data(), b.data(), c.data()};
      ASSERT_EQ(emulated.launch(number, pointers.data(), nullptr, false), 0);
      for (std::size_t i = 0; i < 8; ++i) {
        const Row& row = *of_kind[first + i];
        const double value = real(types_of(kind)[1], unpacked(c, i, sum_bytes)).value;
        const double machine = real(types_of(kind)[1], row.result).value;
        const bool is_small_half = kind == "f16_f16" && std::fabs(machine) < 0x1p-14;
        if (is_small_half && value != machine) {
          EXPECT_EQ(std::fabs(value - machine), 0x1p-24);
        } else {
          EXPECT_EQ(value, machine) << kind << ", row " << first + i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace steptp::testing
