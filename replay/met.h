#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/number.h"
#include "replay/place.h"
#include "steptp/base/hash.h"
#include "steptp/ir/expr.h"

namespace steptp::replayer {

class Spans;

/// What is asked of a value on the way. `way` is a comparison, a condition, a maximum, a minimum or a magnitude. Of the
/// others one side is an exception: zero, below zero, or a tie.
enum class Question : std::uint8_t {
  way,
  tie,            ///< of a comparison: both sides are equal
  truth,          ///< a number becomes a bool, which is false at zero
  divisor,        ///< there is no value at zero
  pole,           ///< of a logarithm: infinite at zero
  domain,         ///< of a logarithm, a root or a broken power: NaN below zero
  factor,         ///< beside an infinity: NaN at zero
  factor_sign,    ///< which infinity it is
  base,           ///< of a power: zero is another case
  exponent,       ///< of zero: the power is 1 at zero
  exponent_sign,  ///< of zero: there is no value below zero
  range,          ///< of a real that becomes an integer: it is beyond the ends of the type
  special,        ///< has more cases than two, such as whether an exponent is a whole number
  writer,         ///< of an element that data selects: whether a statement writes it
  digits,         ///< what is added is too small to be seen, or a function is as good as its limit
  rounding,       ///< has as many cases as there are whole numbers
};

/// Where a question is asked. `part`: of a comparison of several sides; of a chain: so many operands from the left, 0
/// for the whole expression; or something that stands nowhere in the text.
struct Place {
  static constexpr std::size_t kNowhere = ~std::size_t{0};  ///< what was accumulated
  static constexpr std::size_t kSubscripts = kNowhere - 1;  ///< quotients of data in subscripts of the statement
  const Expr* expr = nullptr;
  std::size_t part = 0;
  Question question = Question::way;
  auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

/// Which ways an evaluation went, or all evaluations of a program: which comparisons held and failed, and on which side
/// maxima, minima and magnitudes fell. A way that was never gone at any input says nothing of what lies behind it.
class Met {
 public:
  /// One side of a question; the first one is what holds, or is zero, below zero or a tie.
  struct Way {
    Place place;
    bool is_first = false;
    bool is_shared = false;  ///< the other program asks the same; what lies behind it need not be the same
  };
  /// `part`: of a comparison of several sides.
  void note(const Expr& expr, std::size_t part, bool is_first);
  /// The same where two numbers decide, which may be equal; infinite ones decide nothing.
  void note_gap(const Expr& expr, std::size_t part, bool is_first, const Numbers& numbers, const Real& a,
                const Real& b);
  /// Of a maximum, a minimum or a magnitude: both ways where the numbers are the same.
  void note_order(const Expr& expr, const Numbers& numbers, const Real& a, const Real& b);
  /// Any other question. `mark`: what the other program asks if it asks the same; none where nothing is known of it.
  void note_question(const Place& place, bool is_first, std::optional<std::uint64_t> mark,
                     std::optional<std::uint64_t> residue = {});
  /// What data selects depends on it, so that a condition on indices alone is one on data.
  void note_selected(const Place& place) { ways_[place].is_selected = true; }
  /// What the mark that was noted last stands for, where functions make residues differ that mean one number.
  void note_digits(const Place& place, std::uint64_t mark, const Real& value);
  /// What was asked there first in one evaluation.
  [[nodiscard]] std::optional<std::uint64_t> residue_at(const Place& place) const;
  [[nodiscard]] static std::uint64_t mark_of(Question question, const Real& value, const Field& field);
  /// All that was compared or asked for there, by residue, as it stands.
  [[nodiscard]] std::set<std::uint64_t> residues_at(const Place& place) const;
  /// Marks of one place in one evaluation.
  [[nodiscard]] std::set<std::uint64_t> marks_at(const Place& place) const;

  /// Adds what one evaluation met at an input at which the programs agree; `other` is what the other program met there.
  /// `is_ambiguous`: residues of functions need not be the same where the numbers are.
  /// What kind of look it was.
  struct Look {
    bool is_ambiguous = false;
    bool is_shifted = false;  ///< roundings came out otherwise: that is no input at which a known way was gone
    bool is_exact = false;    ///< the values are the same by residue, so that nothing was too small to be seen
  };
  void add(const Met& evaluation, const Met& other, const Look& look);
  /// Ways that were never gone, that the other program did not decide by the same numbers, and that are not closed for
  /// every input. `makes_infinities`: values may become infinite at single inputs.
  [[nodiscard]] std::vector<Way> never_gone(const Layout& layout, bool makes_infinities, bool is_before) const;
  /// Sides of single numbers, such as zero, that were gone, and that only this program asks: at other inputs that lead
  /// there the programs may differ all the same.
  [[nodiscard]] std::vector<Way> met_at_single_points(const Layout& layout, bool is_before) const;
  [[nodiscard]] static std::string text_of(const Way& way);
  /// It was shown that it makes no difference.
  void close(const Way& way) { ways_[way.place].gone |= kFirst | kSecond | kClosed; }
  [[nodiscard]] std::vector<Place> places() const;
  /// The same where the same ways were gone.
  [[nodiscard]] Hash ways_gone() const;
  void clear() { ways_.clear(); }

 private:
  static constexpr unsigned kFirst = 1;
  static constexpr unsigned kSecond = 2;
  static constexpr unsigned kClosed = 4;
  struct Ways {
    unsigned gone = 0;
    /// The other program compared the same with zero, at some input, and at some input it did not.
    struct Sharing {
      bool is_met_by_other = false;
      bool is_own = false;
    };
    std::array<Sharing, 2> sharing;  ///< the second one where residues are ambiguous
    [[nodiscard]] bool is_shared() const {
      const Sharing& known = sharing[0].is_met_by_other || sharing[0].is_own ? sharing[0] : sharing[1];
      return known.is_met_by_other && !known.is_own;
    }
    std::optional<std::uint64_t> residue;
    std::set<std::uint64_t> residues;
    std::map<std::uint64_t, long double> digits;  ///< of marks
    std::set<std::uint64_t> gaps;                 ///< residues of what was compared with zero, in one evaluation
    /// Of all evaluations: what is compared is one number, whatever the inputs are.
    std::optional<std::uint64_t> constant;
    bool varies = false;
    bool is_selected = false;  ///< by data, see note_selected
    bool was_finite = false;   ///< what is compared was so at some input
    std::uint64_t evaluations = 0;
  };
  static constexpr std::size_t kMostGaps = 8;
  static constexpr std::size_t kMostMarks = 64;

  [[nodiscard]] bool is_shared(const Expr& expr, std::size_t part) const;
  /// What is compared is one number at all inputs, and no rounding or choice made it so: residues show that.
  [[nodiscard]] static bool is_one_number(const Ways& ways, const Place& place, const Layout& layout);
  [[nodiscard]] static bool depends_on_inputs(const Place& place, const Layout& layout);
  [[nodiscard]] static bool compares_the_same(const Place& place);
  void add_products_of_divisors(std::set<std::uint64_t>& gaps) const;
  /// Of a question other than a way.
  [[nodiscard]] bool is_answered(const Place& place, const Ways& ways, const Layout& layout, Spans& spans,
                                 bool is_before) const;
  [[nodiscard]] bool asks_near(Question question, long double value) const;
  /// Comparisons of data that a condition is made of were all decided by the other program too.
  [[nodiscard]] bool parts_are_shared(const Expr& expr) const;

  std::map<Place, Ways> ways_;
};

}  // namespace steptp::replayer
