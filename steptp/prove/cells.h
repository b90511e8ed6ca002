#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/prove/flow.h"

namespace steptp::forms {

/// A part of the index box of an output on which the programs are one expression.
struct Cell {
  std::vector<std::pair<ConditionId, bool>> where;  ///< conditions, and whether they hold
  Value before;
  Value after;
};

/// Two forms as numbers modulo one prime: whether these are the same, and the logarithm to base 2 of the chance that
/// they are although the forms differ. Tests ask for small primes, to see that happen.
struct PointAnswer {
  bool agree = false;
  double bound_log2 = 0;
};
[[nodiscard]] PointAnswer compare_at_point(Arena& arena, const Value& left, const Value& right, std::uint64_t seed,
                                           int prime_bits = 61);

/// What comparing two programs cell by cell has shown.
struct CellAnswer {
  bool agrees = false;
  std::vector<Cell> cover;  ///< where they agree: the cells, which are all of the box
  std::size_t cells = 0;
  double bound_log2 = 0;    ///< the chance of an error, where residues were compared; -inf where none were
  std::string reason;       ///< where not: what stood in the way
  std::string before_form;  ///< there, if anybody asks
  std::string after_form;
};

/// Compares an output of two programs cell by cell. The index box of the output is cut by the conditions on indices
/// that stand in either form, until both programs have one form on each cell, or forms with equal residues. Every
/// element lies in a cell, so nothing depends on which elements were looked at; chance enters by residues alone.
class CellComparison {
 public:
  CellComparison(Shared& shared, Flow& before, Flow& after, std::uint64_t seed, bool keep_forms)
      : shared_(shared), before_(before), after_(after), seed_(seed), keep_forms_(keep_forms) {}

  [[nodiscard]] CellAnswer compare(const Variable& output);

 private:
  /// What is assumed at the moment is the cell.
  [[nodiscard]] bool agrees_here(const Variable& output, int depth);
  [[nodiscard]] bool has_equal_residues(const Value& left, const Value& right);
  [[nodiscard]] std::optional<ConditionId> condition_to_cut_by(const Value& left, const Value& right);

  Shared& shared_;
  Flow& before_;
  Flow& after_;
  std::uint64_t seed_;
  bool keep_forms_;
  CellAnswer answer_;
  std::vector<std::pair<ConditionId, bool>> here_;  ///< the cell at hand
  double chance_ = 0;                               ///< of an error, added up over cells
};

}  // namespace steptp::forms
