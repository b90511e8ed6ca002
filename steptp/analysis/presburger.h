#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/interval.h"

struct isl_ctx;

namespace steptp {

/// A sum of multiples of variables, which are numbered, and a constant.
struct Linear {
  std::vector<std::pair<std::size_t, Wide>> terms;
  Wide constant = 0;

  [[nodiscard]] static Linear variable(std::size_t number) { return {{{number, 1}}, 0}; }
  [[nodiscard]] static Linear number(Wide value) { return {{}, value}; }
};
[[nodiscard]] Linear operator+(Linear left, const Linear& right);
[[nodiscard]] Linear operator-(Linear left, const Linear& right);

/// `sum = 0` or `sum >= 0`.
struct Constraint {
  Linear sum;
  bool is_equation = false;
};
/// left <= right, left < right, left = right, of integers.
[[nodiscard]] Constraint at_most(const Linear& left, const Linear& right);
[[nodiscard]] Constraint less(const Linear& left, const Linear& right);
[[nodiscard]] Constraint equals(const Linear& left, const Linear& right);

/// An "or" of "and"s. Without a clause nothing satisfies it.
using Clause = std::vector<Constraint>;
using Formula = std::vector<Clause>;

/// The variables of loops, and whatever else has a name, in a set.
using VariableNumbers = std::map<std::string, std::size_t, std::less<>>;

/// A set of integer points, described by quasi-affine constraints. The first `dimensions` variables are the
/// coordinates of its points, the others exist: quotients and remainders bring such variables in by themselves.
class IntegerSet {
 public:
  std::size_t dimensions = 0;

  [[nodiscard]] std::size_t add_variable() { return variables_++; }
  [[nodiscard]] std::size_t variables() const { return variables_; }

  void require(Constraint constraint) { common_.push_back(std::move(constraint)); }
  void require(Formula formula) { formulas_.push_back(std::move(formula)); }

  /// The index as a sum; nothing where it is not quasi-affine (a product of variables, a divisor that is not a
  /// constant, a read of a tensor) or its coefficients are too large.
  [[nodiscard]] std::optional<Linear> linear(const Index& index, const VariableNumbers& names);
  /// A condition, or its negation, on indices; nothing where it is not quasi-affine or reads a tensor.
  [[nodiscard]] std::optional<Formula> formula(const Expr& condition, bool holds, const VariableNumbers& names);

  /// All of it as one formula; nothing where it has too many clauses.
  [[nodiscard]] std::optional<Formula> clauses() const;
  /// Sets that are described alike, constraint by constraint, have the same text, and no others.
  void append_text(std::string& text) const;

 private:
  [[nodiscard]] std::optional<Linear> quotient(const Index& dividend, const Index& divisor,
                                               const VariableNumbers& names);
  [[nodiscard]] std::optional<Linear> atom(const IndexAtom& atom, const VariableNumbers& names);

  std::size_t variables_ = 0;
  Clause common_;
  std::vector<Formula> formulas_;
};

/// Questions about sets of integer points, answered exactly by isl. Work is limited by a number of isl operations, so
/// that answers do not depend on the machine. Sets go to isl as matrices: writing them as text and having it parsed
/// took ten times as long as answering. After a few questions were given up, all are: each of them took long. Steps that
/// follow each other ask the same of what they left alone, so that each thread keeps its latest answers, for all programs.
class Presburger {
 public:
  Presburger();
  ~Presburger();
  Presburger(const Presburger&) = delete;
  Presburger& operator=(const Presburger&) = delete;

  struct Answer {
    enum class Kind : std::uint8_t { covered, missing, gave_up };
    Kind kind = Kind::gave_up;
    std::vector<std::int64_t> point;  ///< missing: the least point of `whole` that no part contains
  };
  /// Is every point of `whole` in one of `parts`? They have equally many dimensions.
  [[nodiscard]] Answer covered(const IntegerSet& whole, const std::vector<IntegerSet>& parts);

  struct Sample {
    enum class Kind : std::uint8_t { empty, found, gave_up };
    Kind kind = Kind::gave_up;
    std::vector<std::int64_t> point;  ///< found: the least point of the set, in lexicographic order
  };
  /// Has the set a point, and which is the least?
  [[nodiscard]] Sample least_point(const IntegerSet& set);

 private:
  struct Context;
  /// The context with its count of operations set back.
  [[nodiscard]] isl_ctx* begin_question();
  [[nodiscard]] Answer ask_covered(const IntegerSet& whole, const std::vector<IntegerSet>& parts);
  [[nodiscard]] Sample ask_least_point(const IntegerSet& set);
  std::unique_ptr<Context> context_;  ///< made by the first question: most programs ask none
  std::size_t given_up_ = 0;
};

}  // namespace steptp
