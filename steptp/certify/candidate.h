#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/safe_range.h"

namespace steptp::certify {

/// How all elements of one input are made, of any number of elements.
struct InputChoice {
  enum class Sign : std::uint8_t { positive, negative, mixed, alternating };
  enum class Pattern : std::uint8_t { each, by_row, by_column, all_same, rising, falling, first_large, last_large };
  enum class Mask : std::uint8_t { none, first, last, every_other, some, all };
  int centre = 0;     ///< exponent of two
  int spread = 0;     ///< exponents lie so far around the centre
  int closeness = 0;  ///< the significand is 1 plus something below 2^-closeness; 64: exactly 1
  Sign sign = Sign::positive;
  Pattern pattern = Pattern::each;
  Mask mask = Mask::none;  ///< which elements are -inf, where the domain allows it, or else zero
  std::uint64_t seed = 0;
  std::optional<double> value;  ///< of all elements, whatever the rest says; integers too
};
inline constexpr int kExactlyOne = 64;

/// Values for all inputs.
struct Candidate {
  std::vector<InputChoice> inputs;
  std::map<std::pair<std::size_t, std::int64_t>, double> elements;  ///< chosen one by one
};

/// The values of a candidate: each in its type, in the range and in its domain.
class CandidateInputs : public ChosenInputs {
 public:
  CandidateInputs(const InputModel& model, const Candidate& candidate, const SafeRange& range);
  [[nodiscard]] double real(std::size_t input, std::int64_t position) const override;
  [[nodiscard]] std::int64_t integer(std::size_t input, std::int64_t position) const override;

 private:
  [[nodiscard]] static bool is_masked(std::int64_t row, const InputChoice& choice, std::int64_t position);

  /// What every read of an input asks for.
  struct Stream {
    std::int64_t row = 1;  ///< elements of the last dimension
    SafeRange::Exponents exponents;
    DType dtype = DType::f64;
    bool is_free = false;  ///< of a range of whole exponents, and no domain restricts it
    bool has_elements = false;
  };

  std::vector<Stream> streams_;
  const InputModel& model_;
  const Candidate& candidate_;
  const SafeRange& range_;
};

/// The exponents of an input that is drawn: those of the range, or of all values that the front of a window may hand
/// on.
[[nodiscard]] SafeRange::Exponents exponents_of(const InputFacts& facts, const SafeRange& range);

/// The nearest legal value of an input to one that is wanted.
[[nodiscard]] double legal_value(const InputFacts& facts, double wanted, const SafeRange& range);

/// Makes and changes candidates.
class CandidateMaker {
 public:
  CandidateMaker(const InputModel& model, const SafeRange& range, std::vector<double> specials, std::uint64_t seed)
      : model_(model), range_(range), specials_(std::move(specials)), random_(seed) {}

  /// Those that are always tried: ones, extremes, mixed magnitudes, equal and nearly equal elements, masks.
  [[nodiscard]] std::vector<Candidate> starts();
  [[nodiscard]] Candidate drawn();
  /// Of all magnitudes alike: what is bad in one part in 64 of the logarithmic range of some inputs is met by one in 64
  /// of these.
  [[nodiscard]] Candidate even();
  /// One change, small or large; `reads` are elements that matter.
  void change(Candidate& candidate, const std::vector<InputRead>& reads);
  /// Values for one element that the numbers in the programs suggest.
  [[nodiscard]] std::vector<double> tries(const InputRead& read) const;
  /// Values for one element, of both signs, in equal steps of the logarithmic range.
  [[nodiscard]] std::vector<double> ladder(std::size_t input) const;
  /// Values for a single element beside ones.
  [[nodiscard]] std::vector<double> peaks(std::size_t input) const;
  /// Whether the elements of an input are chosen here.
  [[nodiscard]] bool is_free(std::size_t input) const {
    const Variable& variable = *model_.inputs[input].variable;
    return is_float(variable.dtype) && variable.values.empty();
  }
  [[nodiscard]] double nearest_legal(std::size_t input, double wanted) const {
    return legal_value(model_.inputs[input], wanted, range_);
  }
  /// The last change once more, if it was a step in one direction.
  [[nodiscard]] bool repeat(Candidate& candidate);

 private:
  [[nodiscard]] InputChoice drawn_choice(std::size_t input);
  [[nodiscard]] int drawn_exponent(std::size_t input);
  [[nodiscard]] double drawn_special();
  void add_opposites(std::vector<Candidate>& out) const;
  void change_input(Candidate& candidate);
  void change_element(Candidate& candidate, const std::vector<InputRead>& reads);
  [[nodiscard]] Candidate uniform(int part, InputChoice::Sign sign) const;

  const InputModel& model_;
  const SafeRange& range_;
  std::vector<double> specials_;  ///< the magnitudes of numbers that the programs mention, in order
  Random random_;
  std::uint64_t evens_ = 0;  ///< how many even draws were made
  struct Step {
    bool is_set = false;
    bool is_element = false;
    std::size_t input = 0;
    std::int64_t position = 0;
    int exponent = 0;
  };
  Step last_;
};

}  // namespace steptp::certify
