#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/certificate.h"

namespace steptp::replayer {

/// The replayer's own draws.
enum class Kind : std::uint8_t {
  mixed,     ///< of both signs
  positive,  ///< above zero wherever that is legal
  round,     ///< from a handful of values, so that ties occur; a tensor that may be infinite sometimes is
  zeros,     ///< round numbers, and many zeros: all of an input, half of it or a few elements
  ties,      ///< all elements one number, or one of two: numbers of the programs, halves, ends of domains
  wide,      ///< of magnitudes from 2^-10 to 2^12
  sparse,    ///< one value for all elements of a tensor but a few, so that sums over millions are soon added up
};
inline constexpr Kind kKinds[] = {Kind::mixed, Kind::positive, Kind::round, Kind::ties, Kind::ties};
inline constexpr Kind kAllKinds[] = {Kind::mixed, Kind::zeros,    Kind::round, Kind::ties,
                                     Kind::ties,  Kind::positive, Kind::wide};

/// Values of inputs and cut tensors, each a function of (seed, name, position).
class Draws {
 public:
  /// Without what is assumed, inputs are drawn from what the signature states alone.
  Draws(const Certificate& certificate, const Numbers& numbers, Kind kind, std::uint64_t seed, bool assumes = true);
  [[nodiscard]] Value input(const Variable& variable, const std::vector<std::int64_t>& index) const;
  [[nodiscard]] Real cut(std::int64_t number, const std::vector<std::int64_t>& index) const;
  /// Of sparse draws: whether all elements of a box have one value.
  [[nodiscard]] bool is_uniform(const Variable& variable, const IndexBox& box) const;
  [[nodiscard]] bool is_uniform(std::int64_t number, const IndexBox& box) const;

 private:
  /// The few elements of a tensor that are special; the first and the last among them.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> special(std::uint64_t tensor,
                                                               const std::vector<std::int64_t>& shape) const;
  /// The place of an element as values are drawn: that of all others, where it is none of the special ones.
  [[nodiscard]] std::uint64_t drawn_place(std::uint64_t tensor, const std::vector<std::int64_t>& shape,
                                          const std::vector<std::int64_t>& index, std::uint64_t place) const;
  [[nodiscard]] Real real(std::uint64_t bits, std::uint64_t tensor, bool positive, bool nonzero) const;
  [[nodiscard]] Real of_domain(const Variable& variable, const Domain& domain, std::uint64_t bits) const;
  [[nodiscard]] std::int64_t integer(DType dtype, const Domain& domain, std::uint64_t bits) const;
  [[nodiscard]] double tie(std::uint64_t bits) const;
  [[nodiscard]] bool is_round() const { return kind_ == Kind::round || kind_ == Kind::zeros; }
  [[nodiscard]] bool is_special() const { return is_round() || kind_ == Kind::ties; }

  const Certificate& certificate_;
  const Numbers& numbers_;
  Kind kind_;
  std::uint64_t seed_;
  bool assumes_;
  std::map<std::int64_t, const Claim*> claims_;
};

/// A generic draw of the judge, as the format of certificates defines it: inputs are k/2^52 from a hash of (seed, name,
/// position).
[[nodiscard]] Value recorded_input(const Numbers& numbers, const InputRule& rule, const Variable& variable,
                                   std::int64_t position, std::uint64_t seed);

/// Inputs that are written out; nothing where this element is not.
[[nodiscard]] std::optional<Value> given_input(const Numbers& numbers, const GivenInputs& given,
                                               const Variable& variable, const std::vector<std::int64_t>& index);

/// The place of an element in row-major order.
[[nodiscard]] std::int64_t position_of(const Variable& variable, const std::vector<std::int64_t>& index);

}  // namespace steptp::replayer
