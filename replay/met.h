#pragma once

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

/// Which ways an evaluation went, or all evaluations of a program: which comparisons held and failed, and on which side
/// maxima, minima and magnitudes fell. A way that was never gone at any input says nothing of what lies behind it.
class Met {
 public:
  /// One side of a comparison, a condition, a maximum, a minimum or a magnitude.
  struct Way {
    const Expr* expr = nullptr;
    std::size_t part = 0;
    bool is_first = false;
  };
  using Place = std::pair<const Expr*, std::size_t>;
  /// `part`: of a comparison of several sides.
  void note(const Expr& expr, std::size_t part, bool is_first);
  /// The same where two numbers decide, which may be equal; infinite ones decide nothing.
  void note_gap(const Expr& expr, std::size_t part, bool is_first, const Numbers& numbers, const Real& a,
                const Real& b);
  /// Of a maximum, a minimum or a magnitude: both ways where the numbers are the same.
  void note_order(const Expr& expr, const Numbers& numbers, const Real& a, const Real& b);

  /// Adds what one evaluation met at an input at which the programs agree; `other` is what the other program met there.
  void add(const Met& evaluation, const Met& other);
  /// Ways that were never gone, that the other program did not decide by the same numbers, and that are not closed for
  /// every input. `makes_infinities`: values may become infinite at single inputs.
  [[nodiscard]] std::vector<Way> never_gone(const Layout& layout, bool makes_infinities) const;
  [[nodiscard]] static std::string text_of(const Way& way);
  /// It was shown that it makes no difference.
  void close(const Way& way) { note(*way.expr, way.part, way.is_first); }
  [[nodiscard]] std::vector<Place> places() const;
  /// The same where the same ways were gone.
  [[nodiscard]] Hash ways_gone() const;
  void clear() { ways_.clear(); }

 private:
  static constexpr unsigned kFirst = 1;
  static constexpr unsigned kSecond = 2;
  struct Ways {
    unsigned gone = 0;
    bool is_met_by_other = false;  ///< the other program compared the same with zero, at some input
    bool is_own = false;           ///< and at some input it did not
    [[nodiscard]] bool is_shared() const { return is_met_by_other && !is_own; }
    std::set<std::uint64_t> gaps;  ///< residues of what was compared with zero, in one evaluation
    /// Of all evaluations: what is compared is one number, whatever the inputs are.
    std::optional<std::uint64_t> constant;
    bool varies = false;
    std::uint64_t evaluations = 0;
  };
  static constexpr std::size_t kMostGaps = 8;

  [[nodiscard]] bool is_shared(const Expr& expr, std::size_t part) const;
  /// Comparisons of data that a condition is made of were all decided by the other program too.
  [[nodiscard]] bool parts_are_shared(const Expr& expr) const;

  std::map<Place, Ways> ways_;
};

}  // namespace steptp::replayer
