#include "steptp/import/pt2_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace steptp::graph {

namespace {

template <typename T>
T load(const std::byte* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

double element_of(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::f64: return load<double>(from);
    case DType::f32: return load<float>(from);
    case DType::f16: return from_half(load<std::uint16_t>(from));
    case DType::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from)) << 16);
    case DType::i64: return static_cast<double>(load<std::int64_t>(from));
    case DType::i32: return load<std::int32_t>(from);
    case DType::i16: return load<std::int16_t>(from);
    case DType::i8: return load<std::int8_t>(from);
    case DType::u8: return load<std::uint8_t>(from);
    case DType::boolean: return load<std::uint8_t>(from) ? 1 : 0;
  }
  return 0;
}

}  // namespace

TensorValue to_value(const StoredTensor& tensor) {
  const std::size_t width = static_cast<std::size_t>(info(tensor.type.dtype).bytes);
  std::vector<double> out(tensor.data.size() / width);
  for (std::size_t at = 0; at < out.size(); ++at)
    out[at] = element_of(tensor.type.dtype, tensor.data.data() + at * width);
  const bool splat = !out.empty() && std::all_of(out.begin(), out.end(), [&](double x) { return x == out.front(); });
  // A value that fills a tensor is kept once; not a zero, whose sign the comparison does not see.
  return splat && out.front() != 0 ? TensorValue::splat(out.front()) : TensorValue::of(std::move(out));
}

StoredTensor draw_values(const TensorType& type, bool normal, Random random) {
  StoredTensor out{type, {}};
  const std::int64_t elements = count(type.shape);
  for (std::int64_t at = 0; at < elements; ++at) {
    // Sums of twelve draws are close enough to normal here, and no function is called that another machine might
    // round otherwise.
    double value = 0;
    for (int draw = 0; draw < (normal ? 12 : 1); ++draw) value += static_cast<double>(random.below(64)) / 64;
    if (normal) value -= 6;
    const auto put = [&](auto bits) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
      out.data.insert(out.data.end(), bytes, bytes + sizeof bits);
    };
    const float narrow = static_cast<float>(value);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(narrow);
    switch (type.dtype) {
      case DType::f64: put(value); break;
      case DType::f32: put(narrow); break;
      case DType::bf16: put(static_cast<std::uint16_t>(bits >> 16)); break;
      case DType::f16: {
        const int exponent = static_cast<int>(bits >> 23 & 255) - 112;
        const std::uint32_t half = value == 0 ? 0 : static_cast<std::uint32_t>(exponent) << 10 | (bits >> 13 & 1023);
        put(static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000)));
        break;
      }
      case DType::i64:
      case DType::i32:
      case DType::i16:
      case DType::i8:
      case DType::u8:
      case DType::boolean: break;
    }
  }
  return out;
}

}  // namespace steptp::graph
