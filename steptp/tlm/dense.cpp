#include "steptp/tlm/dense.h"

#include <cstring>

// The time of the model is spent here. A tile of a few rows and one panel of columns is summed in registers; the inner
// loop reads one row of the panel and multiplies it with one number of each row of `x`. The same source is compiled for
// three generations of x86-64, and the machine's own is chosen when the program runs. Products and sums stay separate
// operations (-ffp-contract=off), because older machines have no fused ones and results must not depend on the machine.

namespace steptp::tlm {

namespace {

template <std::size_t Bytes>
struct Vector {
  // NOLINTBEGIN(modernize-use-using): g++ takes the attribute of a template's size only here
  typedef float Floats __attribute__((vector_size(Bytes)));
  typedef std::uint32_t Words __attribute__((vector_size(Bytes)));
  typedef std::uint16_t Halves __attribute__((vector_size(Bytes / 2)));
  // NOLINTEND(modernize-use-using)
  static constexpr std::size_t kLanes = Bytes / sizeof(float);
};

#define STEPTP_INLINE static inline __attribute__((always_inline))

template <std::size_t Bytes>
STEPTP_INLINE void load(const float* from, typename Vector<Bytes>::Floats& to) {
  std::memcpy(&to, from, Bytes);
}

template <std::size_t Bytes>
STEPTP_INLINE void load(const std::uint16_t* from, typename Vector<Bytes>::Floats& to) {
  typename Vector<Bytes>::Halves halves;
  std::memcpy(&halves, from, Bytes / 2);
  to = reinterpret_cast<typename Vector<Bytes>::Floats>(__builtin_convertvector(halves, typename Vector<Bytes>::Words)
                                                        << 16);
}

/// `Rows` rows of x with one panel.
template <std::size_t Rows, std::size_t Bytes, typename Number>
STEPTP_INLINE void tile(const float* x, std::size_t x_stride, const Number* panel, std::size_t inner, float* out,
                        std::size_t out_stride) {
  constexpr std::size_t kLanes = Vector<Bytes>::kLanes;
  constexpr std::size_t kParts = kPanel / kLanes;
  typename Vector<Bytes>::Floats sums[Rows][kParts] = {};
  for (std::size_t i = 0; i < inner; ++i) {
    typename Vector<Bytes>::Floats weights[kParts];
    for (std::size_t part = 0; part < kParts; ++part) load<Bytes>(panel + i * kPanel + part * kLanes, weights[part]);
    for (std::size_t row = 0; row < Rows; ++row) {
      const float factor = x[row * x_stride + i];
      for (std::size_t part = 0; part < kParts; ++part) sums[row][part] += factor * weights[part];
    }
  }
  for (std::size_t row = 0; row < Rows; ++row) {
    for (std::size_t part = 0; part < kParts; ++part) {
      std::memcpy(out + row * out_stride + part * kLanes, &sums[row][part], Bytes);
    }
  }
}

template <std::size_t Rows, std::size_t Bytes, typename Number>
STEPTP_INLINE void multiply_panels(const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix,
                                   float* out, std::size_t out_stride) {
  for (std::size_t p = 0; p < matrix.panels; ++p) {
    const Number* panel = static_cast<const Number*>(matrix.data) + p * matrix.stride * kPanel;
    float* to = out + p * kPanel;
    std::size_t row = 0;
    for (; row + Rows <= rows; row += Rows) {
      tile<Rows, Bytes>(x + row * x_stride, x_stride, panel, matrix.inner, to + row * out_stride, out_stride);
    }
    for (; row < rows; ++row) {
      tile<1, Bytes>(x + row * x_stride, x_stride, panel, matrix.inner, to + row * out_stride, out_stride);
    }
  }
}

template <std::size_t Rows, std::size_t Bytes>
STEPTP_INLINE void multiply_any(const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix,
                                float* out, std::size_t out_stride) {
  if (matrix.storage == Storage::bf16) {
    multiply_panels<Rows, Bytes, std::uint16_t>(x, rows, x_stride, matrix, out, out_stride);
  } else {
    multiply_panels<Rows, Bytes, float>(x, rows, x_stride, matrix, out, out_stride);
  }
}

using Multiply = void (*)(const float*, std::size_t, std::size_t, const PanelView&, float*, std::size_t);

void multiply_plain(const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix, float* out,
                    std::size_t out_stride) {
  multiply_any<2, 16>(x, rows, x_stride, matrix, out, out_stride);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void multiply_avx2(const float* x, std::size_t rows, std::size_t x_stride,
                                                   const PanelView& matrix, float* out, std::size_t out_stride) {
  multiply_any<4, 32>(x, rows, x_stride, matrix, out, out_stride);
}

__attribute__((target("avx512f,avx512bw,avx512vl"))) void multiply_avx512(const float* x, std::size_t rows,
                                                                          std::size_t x_stride, const PanelView& matrix,
                                                                          float* out, std::size_t out_stride) {
  multiply_any<8, 64>(x, rows, x_stride, matrix, out, out_stride);
}
#endif

Multiply multiply_of(Generation generation) {
#if defined(__x86_64__)
  if (generation == Generation::avx512) return multiply_avx512;
  if (generation == Generation::avx2) return multiply_avx2;
#endif
  (void)generation;
  return multiply_plain;
}

Multiply chosen_multiply() {
  for (const Generation generation : {Generation::avx512, Generation::avx2}) {
    if (is_available(generation)) return multiply_of(generation);
  }
  return multiply_plain;
}

/// Into panels: the number of row `row` and column `column` of a [outer][inner] matrix.
template <typename Number>
std::vector<Number> pack(const char* bytes, std::size_t outer, std::size_t inner) {
  std::vector<Number> out(whole_panels(outer) * inner, Number{});
  for (std::size_t column = 0; column < outer; ++column) {
    Number* panel = out.data() + column / kPanel * inner * kPanel + column % kPanel;
    for (std::size_t row = 0; row < inner; ++row) {
      std::memcpy(panel + row * kPanel, bytes + (column * inner + row) * sizeof(Number), sizeof(Number));
    }
  }
  return out;
}

}  // namespace

PackedMatrix::PackedMatrix(Storage storage, std::span<const char> bytes, std::size_t outer, std::size_t inner)
    : storage_(storage), inner_(inner), panels_(whole_panels(outer) / kPanel) {
  if (storage == Storage::bf16) {
    halves_ = pack<std::uint16_t>(bytes.data(), outer, inner);
  } else {
    floats_ = pack<float>(bytes.data(), outer, inner);
  }
}

PanelView PackedMatrix::view() const {
  const void* data = storage_ == Storage::bf16 ? static_cast<const void*>(halves_.data()) : floats_.data();
  return {storage_, data, inner_, inner_, panels_};
}

bool is_available(Generation generation) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (generation) {
    case Generation::plain: return true;
    case Generation::avx2: return __builtin_cpu_supports("avx2") != 0;
    case Generation::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return generation == Generation::plain;
}

void multiply_as(Generation generation, const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix,
                 float* out, std::size_t out_stride) {
  multiply_of(generation)(x, rows, x_stride, matrix, out, out_stride);
}

void multiply(const float* x, std::size_t rows, std::size_t x_stride, const PanelView& matrix, float* out,
              std::size_t out_stride) {
  static const Multiply kChosen = chosen_multiply();
  kChosen(x, rows, x_stride, matrix, out, out_stride);
}

}  // namespace steptp::tlm
