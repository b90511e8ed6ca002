#include "steptp/oracle/inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

Trap trap_of(TrapKind kind, const Variable& variable, std::string_view what) {
  Trap trap;
  trap.kind = kind;
  trap.tensor = variable.name;
  trap.message = concat(variable.name, ": ", what);
  return trap;
}

/// The integers a variable may take, both ends included, and whether 0 is left out.
struct IntegerChoice {
  std::int64_t low = -8;
  std::int64_t high = 8;
  bool skip_zero = false;
};

std::int64_t clamp_to_integer(double value) {
  if (!(value > -0x1p63)) return INT64_MIN;
  if (value >= 0x1p63) return INT64_MAX;
  return static_cast<std::int64_t>(value);
}

std::optional<IntegerChoice> integer_choice(const Variable& variable, const IndexRanges& ranges) {
  const DTypeInfo& type = info(variable.dtype);
  IntegerChoice choice;
  if (variable.dtype == DType::u8) choice = {0, 16, false};
  if (variable.dtype == DType::boolean) choice = {0, 1, false};
  switch (variable.domain.kind) {
    case Domain::Kind::unstated:
      if (const auto at = ranges.find(variable.name); at != ranges.end()) {
        if (at->second.second == INT64_MIN) return std::nullopt;
        choice = {at->second.first, at->second.second - 1, false};
      }
      break;
    case Domain::Kind::masked:
    case Domain::Kind::any: break;
    case Domain::Kind::positive: choice.low = 1; break;
    case Domain::Kind::nonzero: choice.skip_zero = true; break;
    case Domain::Kind::range: {
      const double last = std::ceil(variable.domain.high) - 1;
      choice = {clamp_to_integer(std::ceil(variable.domain.low)), clamp_to_integer(last), false};
      if (std::isnan(variable.domain.low) || std::isnan(variable.domain.high) || last < -0x1p63) return std::nullopt;
      break;
    }
  }
  choice.low = std::max(choice.low, type.least);
  choice.high = std::min(choice.high, type.greatest);
  if (choice.skip_zero && choice.low == 0) choice = {1, choice.high, false};
  if (choice.low > choice.high) return std::nullopt;
  return choice;
}

Scalar draw_integer(DType dtype, const IntegerChoice& choice, std::uint64_t draw) {
  const std::uint64_t width = static_cast<std::uint64_t>(choice.high) - static_cast<std::uint64_t>(choice.low);
  const std::uint64_t count = width + (choice.skip_zero ? 0 : 1);
  // All 2^64 values: count has wrapped to 0.
  const std::uint64_t offset = count == 0 ? draw : draw % count;
  auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(choice.low) + offset);
  if (choice.skip_zero && value >= 0) ++value;
  return Scalar::integer(dtype, value);
}

bool is_inside(const Domain& domain, double value) {
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: return value >= -1 && value < 1;
    case Domain::Kind::positive: return value > 0 && value <= 1;
    case Domain::Kind::nonzero: return value != 0 && value >= -1 && value < 1;
    case Domain::Kind::range: return value >= domain.low && value < domain.high;
  }
  return false;
}

/// The draw, or the nearest thing to it that is still inside after rounding to the dtype.
std::optional<Scalar> draw_real(DType dtype, const Domain& domain, std::uint64_t draw) {
  constexpr std::uint64_t kHidden = 4;  // One of so many elements of a mask is -inf.
  if (domain.kind == Domain::Kind::masked && draw % kHidden == 0)
    return Scalar::real(dtype, -std::numeric_limits<double>::infinity());
  const double unit = static_cast<double>(draw >> 40) * 0x1p-24;
  double low = -1;
  double high = 1;
  if (domain.kind == Domain::Kind::range) {
    low = domain.low;
    high = domain.high;
  }
  double wanted = domain.kind == Domain::Kind::positive ? unit + 0x1p-24 : low + (high - low) * unit;
  if (!std::isfinite(wanted)) wanted = low / 2 + high / 2;
  for (const double value : {wanted, low + (wanted - low) * 0.5, low, low / 2 + high / 2, 0.5}) {
    const Scalar rounded = Scalar::real(dtype, value);
    if (std::isfinite(rounded.as_real()) && is_inside(domain, rounded.as_real())) return rounded;
  }
  return std::nullopt;
}

std::optional<Tensor> empty_tensor(const Variable& variable, double& bytes_left) {
  const auto count = element_count(variable.shape);
  const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
  if (!count || *count < 0) return std::nullopt;
  const double bytes = static_cast<double>(*count) * static_cast<double>(width);
  if (bytes > bytes_left) return std::nullopt;
  bytes_left -= bytes;
  return Tensor{variable.dtype, variable.shape, std::vector<std::byte>(static_cast<std::size_t>(*count) * width)};
}

Result<Tensor, Trap> random_tensor(const Variable& variable, std::uint64_t seed, const IndexRanges& ranges,
                                   Tensor tensor) {
  const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
  const std::uint64_t stream = combine(mix(seed), hash_text(variable.name));
  const bool real = is_float(variable.dtype);
  const auto choice = real ? std::nullopt : integer_choice(variable, ranges);
  for (std::size_t i = 0; i * width < tensor.data.size(); ++i) {
    const std::uint64_t draw = random_at(stream, i);
    std::optional<Scalar> value;
    if (real) {
      value = draw_real(variable.dtype, variable.domain, draw);
    } else if (choice) {
      value = draw_integer(variable.dtype, *choice, draw);
    }
    if (!value)
      return trap_of(TrapKind::input_mismatch, variable, concat("no ", code(variable.dtype), " lies in the domain"));
    store(*value, tensor.data.data() + i * width);
  }
  return tensor;
}

}  // namespace

Result<Tensor, Trap> constant_tensor(const Variable& variable) {
  const auto count = element_count(variable.shape);
  if (!count || static_cast<std::uint64_t>(*count) != variable.values.size()) {
    return trap_of(TrapKind::input_mismatch, variable, "the values given do not fill the shape");
  }
  const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
  Tensor tensor{variable.dtype, variable.shape, std::vector<std::byte>(variable.values.size() * width)};
  for (std::size_t i = 0; i < variable.values.size(); ++i) {
    store(convert(Scalar::real(DType::f64, variable.values[i]), variable.dtype), tensor.data.data() + i * width);
  }
  return tensor;
}

Result<Tensors, Trap> make_inputs(const Signature& signature, std::uint64_t seed, const IndexRanges& ranges,
                                  std::uint64_t memory) {
  Tensors tensors;
  auto bytes_left = static_cast<double>(memory);
  for (const Variable& variable : signature.variables) {
    if (variable.role == Role::output) continue;
    if (!variable.values.empty()) {
      auto made = constant_tensor(variable);
      if (!made) return std::move(made).error();
      tensors.emplace(variable.name, std::move(made).value());
      continue;
    }
    auto blank = empty_tensor(variable, bytes_left);
    if (!blank) return trap_of(TrapKind::memory, variable, concat("the inputs take more than ", memory, " bytes"));
    auto made = random_tensor(variable, seed, ranges, std::move(*blank));
    if (!made) return std::move(made).error();
    tensors.emplace(variable.name, std::move(made).value());
  }
  return tensors;
}

}  // namespace steptp
