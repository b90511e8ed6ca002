#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/analysis/instances.h"

namespace steptp {

/// What a later access needs of an earlier one: it reads what was written, overwrites what was read, or overwrites what
/// was written.
enum class DependenceKind : std::uint8_t { flow, anti, output };

/// How the iteration of the later access lies to that of the earlier, in one loop around both: the possible signs of
/// (later - earlier), and the difference where there is only one.
struct Distance {
  bool negative = false;
  bool zero = false;
  bool positive = false;
  std::optional<std::int64_t> constant;

  [[nodiscard]] static Distance any() { return {true, true, true, std::nullopt}; }
  bool operator==(const Distance&) const = default;
};
/// "<" where the later access is in a later iteration, "=" in the same, ">" in an earlier one; "*" for all three, "<="
/// and so on for two.
[[nodiscard]] std::string_view direction(const Distance& distance);

/// Instances of two accesses to one tensor, at least one of them a write, that touch one element. All of them with the
/// same level are one dependence: `level` is the outermost shared loop in which the iterations differ, or the number of
/// shared loops where they do not differ in any.
struct Dependence {
  DependenceKind kind = DependenceKind::flow;
  std::size_t earlier = 0;  ///< numbers of accesses
  std::size_t later = 0;
  std::size_t level = 0;
  /// Of the shared loops, outermost first: zero above the level, positive at it.
  std::vector<Distance> distances;
  /// False: it may not exist; data decides, an access is not affine, or the work budget is spent.
  bool certain = true;
};

/// Answers about the dependences of one program. Hidden subscripts count, so that threads have their own `l` data.
/// It keeps its references: table and facts outlive it.
class DependenceAnalysis {
 public:
  DependenceAnalysis(const AccessTable& table, const ValueFacts& facts) : table_(table), facts_(facts) {}

  /// The dependences in which the first access comes before the second, outermost level first. Nothing where they are
  /// of different tensors or both read.
  [[nodiscard]] std::vector<Dependence> between(std::size_t earlier, std::size_t later);
  /// Of all pairs of accesses, in the order of their numbers.
  [[nodiscard]] std::vector<Dependence> all();

 private:
  [[nodiscard]] std::optional<Dependence> at_level(const Access& earlier, const Access& later, std::size_t level,
                                                   std::size_t shared);
  void measure(const IntegerSet& set, const Instance& earlier, const Instance& later, Dependence& dependence);

  const AccessTable& table_;
  const ValueFacts& facts_;
  Presburger isl_;
  std::size_t queries_ = 0;
};

/// What a loop does for a statement (leir.md section 2 rule 5).
enum class LoopRole : std::uint8_t {
  independent,  ///< no iteration needs another
  reduction,    ///< iterations meet only in the accumulator of the statement
  recurrence,   ///< a later iteration reads what an earlier one wrote
  reuse,        ///< later iterations overwrite what earlier ones read or wrote, and no value passes
  unknown,
};
/// The role of one of the loops around a statement, by its position, as far as the statement alone decides.
[[nodiscard]] LoopRole role_of_loop(const AccessTable& table, DependenceAnalysis& analysis, std::size_t statement,
                                    std::size_t position);
/// The positions of the loops that an accumulating statement reduces over: those not in its left subscripts. Empty for
/// a statement that does not accumulate.
[[nodiscard]] std::vector<std::size_t> reduction_axes(const Statement& statement);

}  // namespace steptp
