#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/arithmetic/fraction.h"
#include "steptp/base/random.h"
#include "steptp/ir/signature.h"

namespace steptp::certify {

/// Values that somebody else chooses, element by element.
class ChosenInputs {
 public:
  ChosenInputs() = default;
  ChosenInputs(const ChosenInputs&) = delete;
  ChosenInputs& operator=(const ChosenInputs&) = delete;
  virtual ~ChosenInputs() = default;
  /// -inf where an input may be it.
  [[nodiscard]] virtual double real(std::size_t input, std::int64_t position) const = 0;
  [[nodiscard]] virtual std::int64_t integer(std::size_t input, std::int64_t position) const = 0;
};

/// The values of inputs, constants and parameters as a machine asks for them, element by element. Inputs have numbers;
/// a position counts the elements of an input row by row. Where the values come from is not the machine's business: the
/// judging layer draws them (certify/inputs.h). Only the draw that inner loops are made of is known here, so that it
/// can be inlined.
class InputValues {
 public:
  InputValues() = default;
  InputValues(const InputValues&) = default;
  InputValues& operator=(const InputValues&) = default;
  virtual ~InputValues() = default;

  [[nodiscard]] Fraction real(std::size_t input, std::int64_t position) const {
    const Stream& stream = streams_[input];
    if (!stream.is_plain) return other_real(input, position);
    return {plain_mantissa(stream.seed, position), -52};
  }
  [[nodiscard]] virtual std::int64_t integer(std::size_t input, std::int64_t position) const = 0;
  /// The number of the input of that name; 0 where there is none.
  [[nodiscard]] virtual std::size_t number_of(std::string_view name) const = 0;

  /// Reals of this input are multiples of 2^-52 in [-1, 1], drawn without further rules.
  [[nodiscard]] bool is_plain(std::size_t input) const { return streams_[input].is_plain; }
  /// Of a plain input: takes positions to the mantissas of `real`.
  void mantissas(std::size_t input, std::size_t count, std::int64_t* at) const {
    for (std::size_t i = 0; i < count; ++i) at[i] = plain_mantissa(streams_[input].seed, at[i]);
  }
  /// The random bits of an element, whatever is made of them.
  [[nodiscard]] std::uint64_t bits(std::size_t input, std::int64_t position) const {
    return random_at(streams_[input].seed, static_cast<std::uint64_t>(position));
  }
  /// Where somebody chooses the values of this input, and nobody lists them: that.
  [[nodiscard]] const ChosenInputs* chosen(std::size_t input) const { return streams_[input].chosen; }

  /// What is known of all values of an input.
  struct Knowledge {
    bool is_constant = false;  ///< each value is known
    bool may_be_nan = false;
    Domain domain;
  };
  [[nodiscard]] const Knowledge& knowledge(std::size_t input) const { return streams_[input].knowledge; }

 protected:
  struct Stream {
    std::uint64_t seed = 0;
    bool is_plain = false;  ///< a generic draw from [-1, 1), which is what inner loops are made of
    const ChosenInputs* chosen = nullptr;
    Knowledge knowledge;
  };

  [[nodiscard]] virtual Fraction other_real(std::size_t input, std::int64_t position) const = 0;

  void add_stream(Stream stream) { streams_.push_back(std::move(stream)); }
  /// From now on every value is asked for one by one.
  void ask_for_each() {
    for (Stream& stream : streams_) {
      stream.is_plain = false;
      stream.chosen = nullptr;
    }
  }

 private:
  [[nodiscard]] static std::int64_t plain_mantissa(std::uint64_t seed, std::int64_t position) {
    const auto k = static_cast<std::int64_t>(random_at(seed, static_cast<std::uint64_t>(position)) >> 11);
    const std::int64_t centred = k - (std::int64_t{1} << 52);
    return centred == 0 ? 1 : centred;
  }

  std::vector<Stream> streams_;  ///< by input
};

}  // namespace steptp::certify
