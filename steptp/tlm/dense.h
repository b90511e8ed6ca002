#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steptp::tlm {

/// How a number of the weights is kept: the upper half of a float, or a float.
enum class Storage : std::uint8_t { bf16, f32 };

/// Outputs of a matrix come in panels of so many columns, which one vector register (or a few) holds.
inline constexpr std::size_t kPanel = 16;

[[nodiscard]] constexpr std::size_t whole_panels(std::size_t columns) {
  return (columns + kPanel - 1) / kPanel * kPanel;
}

/// A matrix with `inner` rows and `outer` columns, kept in panels: [outer / 16][inner][16]. Columns that fill the last
/// panel are zero.
struct PanelView {
  Storage storage = Storage::f32;
  const void* data = nullptr;
  std::size_t inner = 0;
  std::size_t stride = 0;  ///< rows of a panel in memory; at least `inner`
  std::size_t panels = 0;
};

/// The matrix of a linear map in panels. It owns its numbers.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  /// `bytes`: [outer][inner], little endian, as PyTorch keeps the weight of a linear map.
  PackedMatrix(Storage storage, std::span<const char> bytes, std::size_t outer, std::size_t inner);
  [[nodiscard]] PanelView view() const;
  [[nodiscard]] std::size_t columns() const { return panels_ * kPanel; }

 private:
  Storage storage_ = Storage::f32;
  std::size_t inner_ = 0;
  std::size_t panels_ = 0;
  std::vector<std::uint16_t> halves_;
  std::vector<float> floats_;
};

/// out[r][c] = sum over i of x[r][i] * matrix[i][c], for `rows` rows. Every sum is taken in the order of i, with one
/// rounding for each product and one for each sum, so that the result is the same on every machine, for every number of
/// rows. `out_stride` is at least the matrix's columns, those of the last panel included.
void multiply(const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix, float* out,
              std::size_t out_stride);

/// The generations of x86-64 that the product is compiled for. `multiply` takes the newest that the machine has.
enum class Generation : std::uint8_t { plain, avx2, avx512 };
[[nodiscard]] bool is_available(Generation generation);
/// `multiply` as one of them, which is available: for tests, which compare the bits.
void multiply_as(Generation generation, const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix,
                 float* out, std::size_t out_stride);

}  // namespace steptp::tlm
