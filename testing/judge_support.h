#pragma once

// What the tests of the judge share: an opinion on two programs that owes nothing to the judge.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/ir/program.h"
#include "steptp/verify/verify.h"

namespace steptp::testing {

/// The same program with every float in f64: what is left of rounding is then far below every real difference.
[[nodiscard]] Program widened(const Program& program);

/// How the oracle sees a pair.
struct OracleOpinion {
  bool compared = false;  ///< some element was finite in `before` and could be compared
  /// Set where the programs differ beyond rounding: the draw, the element and both values.
  std::optional<std::string> difference;
};

/// Runs both programs, widened, on `seeds` generic draws and on draws full of zeros, ties and the literals of both
/// programs. Elements where `before` is not finite do not count; nor do those where `after` is not finite at a special
/// draw (a set of measure zero is a question of `safe`), or where f64 itself may have run over. Inputs are such as the
/// judge says it assumes (Judgement::assumes).
[[nodiscard]] OracleOpinion ask_oracle(const Program& before, const Program& after, std::uint64_t seeds,
                                       const std::vector<std::string>& assumes = {});

/// For tests that look at the verdict alone: whether `after` is also safe, which a search over inputs answers, is not
/// asked. That search is most of the time of a judgement of small programs (docs/decisions/0054).
[[nodiscard]] VerifyOptions without_safety();

/// Both programs and the judgement, as text for a failing test.
[[nodiscard]] std::string describe(const Program& before, const Program& after, const Judgement& judgement);

/// Counts by name, printed in one line.
class Tally {
 public:
  void add(std::string_view name) { ++counts_[std::string(name)]; }
  [[nodiscard]] std::uint64_t of(std::string_view name) const;
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace steptp::testing
