#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/certify/given.h"
#include "steptp/ir/program.h"
#include "steptp/machine/input_values.h"

namespace steptp::certify {

/// How the values of one trial are drawn. Only generic draws count towards an error bound; the others look for
/// differences at single points, which no random draw meets.
enum class DrawKind : std::uint8_t {
  generic,
  positive,  ///< generic, all above zero
  negative,  ///< generic, all below zero
  ties,      ///< from a handful of values
  zeros,
  thresholds,  ///< what the programs compare data with: exactly, just below, just above, far beyond
  large,
  wide,  ///< up to 12 in f16 and 100 in other types, where functions overflow; more where a window begins
  huge,  ///< of any magnitude up to 2^63
  tiny,
  below,         ///< all below every number that the programs mention
  above,         ///< all above
  rising,        ///< later elements are greater, so that a maximum lies at the end
  falling,       ///< later elements are less
  peak,          ///< generic, one element far above all others
  dip,           ///< generic, one element far below
  masked_first,  ///< generic, one input as a mask that hides the first element of every row
  masked,        ///< generic, one input as a mask that hides every other row as a whole
  pattern,       ///< generic, one input of bools by rows and columns (kPatterns)
  hidden,        ///< generic, with elements of masked inputs that are -inf (kHidings)
  first_index,   ///< generic, integers at the least legal value
  last_index,
  line,    ///< a point between two draws of few digits
  solved,  ///< small numbers, and others that were solved for so that a comparison goes a certain way
};
inline constexpr DrawKind kSpecialDraws[] = {
    DrawKind::thresholds, DrawKind::ties,    DrawKind::zeros,       DrawKind::positive,  DrawKind::negative,
    DrawKind::large,      DrawKind::huge,    DrawKind::tiny,        DrawKind::below,     DrawKind::above,
    DrawKind::rising,     DrawKind::falling, DrawKind::first_index, DrawKind::last_index};
[[nodiscard]] std::string_view name_of(DrawKind kind);
/// The values of the draw are anywhere in an open set: what happens there does not happen on a set of measure zero.
[[nodiscard]] bool is_open(DrawKind kind);

struct Draw {
  DrawKind kind = DrawKind::generic;
  std::uint64_t seed = 0;
  /// Of a line: from 0, at one end, to kLineSteps. Solved: at odd steps one input is zero. Which pattern or hiding.
  std::int64_t step = 0;
  /// The element of a peak or a dip: which input, and where in it. Which input is a mask.
  std::size_t input = 0;
  std::int64_t position = -1;
  /// Values that are written out, instead of drawn ones.
  std::shared_ptr<const GivenInputs> given = nullptr;
  const ChosenInputs* chosen = nullptr;
};
/// So many patterns along each axis: even, odd, only the first, all but the first, only the last, all but the last.
inline constexpr std::int64_t kPatterns = 8;
inline constexpr std::int64_t kAllTrue = 6;   ///< of the patterns: they come last, and need no axis
inline constexpr std::int64_t kAllFalse = 7;  ///< of the patterns
/// Which elements of masked inputs are -inf: one of four, the first of every row, every other row, all.
inline constexpr std::int64_t kHidings = 4;
inline constexpr int kLineBits = 36;
inline constexpr std::int64_t kLineSteps = std::int64_t{1} << kLineBits;

/// What is known about the values of one input, constant or parameter.
struct InputFacts {
  const Variable* variable = nullptr;
  Domain domain;            ///< as stated, or as its use in `before` demands
  bool is_bounded = false;  ///< integers: all lie in [low, high]
  bool is_made = false;     ///< what a window begins with, made of inputs by a part that was cut off
  bool may_be_nan = false;  ///< such a value that is drawn as a number, but need not be one
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::uint64_t stream = 0;  ///< hash of the name
};

struct InputModel {
  std::vector<InputFacts> inputs;  ///< in the order of the signature, outputs left out
  std::map<std::string, std::size_t, std::less<>> numbers;
  std::vector<double> thresholds;
  double beyond = 2;  ///< twice as far from zero as every number that is compared or stored as it is
  std::vector<std::string> assumes;
  std::string problem;  ///< why no inputs can be drawn; empty: they can
};

/// Whether inputs are drawn so that `before` can bear them. That is a wish of whoever looks for differences at points
/// where `before` has values; nothing may be called equal because of it.
enum class Guesses : std::uint8_t { none, from_use };

/// Domains come from the signature; with guesses, else from use in `before`: as a subscript, as the argument of a log
/// or a root, as a divisor. Thresholds are the literals that either program compares data with.
[[nodiscard]] InputModel model_inputs(const Program& before, const Program& after, Guesses guesses = Guesses::from_use);

/// The legal values of an integer input.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool skip_zero = false;
};
[[nodiscard]] IntegerRange legal_range(const InputFacts& facts);
/// Those of them with a magnitude of at most `most`, where no domain and no access says more.
[[nodiscard]] IntegerRange legal_range(const InputFacts& facts, std::int64_t most);

/// The domain and the type allow it.
[[nodiscard]] bool is_legal(const InputFacts& facts, Fraction value);
/// The subscripts of an element of which the position is known.
[[nodiscard]] std::vector<std::int64_t> index_at(const Variable& variable, std::int64_t position);

/// A value that was read.
struct InputRead {
  std::size_t input = 0;
  std::int64_t position = 0;
  GivenValue value;
};

/// The first values that were read, each once.
struct ReadLog {
  std::size_t most = 16;
  std::atomic<bool> has_more = false;  ///< stops an evaluation that takes it as its stop
  std::vector<InputRead> reads;
  std::set<std::pair<std::size_t, std::int64_t>> known;
};

/// The values of a draw, each a function of (seed, name, position): no tensor is ever made.
class InputSource final : public InputValues {
 public:
  InputSource(const InputModel& model, Draw draw);

  [[nodiscard]] std::int64_t integer(std::size_t input, std::int64_t position) const override;
  [[nodiscard]] std::size_t number_of(std::string_view name) const override;
  /// The first reads are listed from now on.
  void watch(ReadLog* log);
  [[nodiscard]] const InputModel& model() const { return model_; }
  [[nodiscard]] Draw draw() const { return draw_; }

 private:
  [[nodiscard]] Fraction other_real(std::size_t input, std::int64_t position) const override;
  [[nodiscard]] Fraction drawn_real(std::size_t input, std::int64_t position) const;
  [[nodiscard]] std::int64_t drawn_integer(std::size_t input, std::int64_t position) const;
  [[nodiscard]] IntegerRange drawn_range(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const;
  void list(std::size_t input, std::int64_t position, const GivenValue& value) const;
  [[nodiscard]] const GivenValue* given(std::size_t input, std::int64_t position) const;
  [[nodiscard]] double special_real(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const;
  [[nodiscard]] bool is_masked(const InputFacts& facts, std::int64_t position) const;
  [[nodiscard]] bool is_hidden(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const;
  [[nodiscard]] bool is_in_pattern(const std::vector<std::int64_t>& shape, std::int64_t position) const;
  [[nodiscard]] double tie(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const;

  const InputModel& model_;
  Draw draw_;
  ReadLog* log_ = nullptr;
  std::vector<std::optional<GivenValue>> fills_;  ///< by input, where values are given
  std::map<std::pair<std::size_t, std::int64_t>, GivenValue> elements_;
};

}  // namespace steptp::certify
