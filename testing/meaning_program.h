#pragma once

// Inside of the reference evaluator: a program as a list of statements whose executions are put in order by stamps.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/ir/typing.h"

namespace steptp::testing {

/// Subscripts are exact integers; products of 64-bit numbers fit.
__extension__ using Wide = __int128;

/// When a statement is executed: the number of its nest, the values of that nest's loops, the number of the item in it,
/// and so on inwards. The sequential machine executes in lexicographic order of stamps.
using Stamp = std::vector<std::int64_t>;

/// One entry of a stamp: a fixed number, or a loop.
struct StampEntry {
  const Loop* loop = nullptr;  ///< null: a fixed number
  std::int64_t number = 0;
};

/// A guard, and how long the prefix of the stamp is that decides it.
struct StatementGuard {
  std::size_t entries = 0;
  ExprPtr condition;
};

/// An equation with the loops and guards around it.
struct MeaningStatement {
  std::size_t number = 0;
  EquationPtr equation;
  std::vector<StampEntry> entries;
  std::vector<StatementGuard> guards;
  std::map<std::string, std::size_t> loops;  ///< by index: which entry of the stamp holds its value
  /// By hardware axis: the entry with the index along it; kNoEntry where there is no loop, and the index is 0.
  std::array<std::size_t, kAxes> axes{};
  std::size_t kernel = 0;
  std::size_t launch = 0;  ///< a launch of the kernel is given by that many first entries of the stamp
  std::optional<ArithmeticOp> accumulates;
};
inline constexpr std::size_t kNoEntry = SIZE_MAX;

struct MeaningTensor {
  DType dtype = DType::f32;
  /// The scope in which it lives: global where more than one kernel touches it.
  Scope scope = Scope::global;
  const Variable* known = nullptr;
  std::vector<std::size_t> writers;  ///< statements, in the order of the text
};

class MeaningProgram {
 public:
  explicit MeaningProgram(const Program& program);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const std::vector<MeaningStatement>& statements() const { return statements_; }
  [[nodiscard]] const MeaningTensor* tensor(const std::string& name) const;
  /// The type of an expression (docs/language.md R7); nothing where `inf` meets an integer.
  [[nodiscard]] std::optional<ValueType> type_of(const Expr& expr) const;

 private:
  void add_nest(const Nest& nest, std::int64_t number, MeaningStatement around, std::optional<std::size_t> kernel);
  void add_equation(const EquationPtr& equation, MeaningStatement statement);
  [[nodiscard]] std::optional<ValueType> find_type(const Expr& expr) const;

  Program program_;
  std::vector<MeaningStatement> statements_;
  std::map<std::string, MeaningTensor> tensors_;
  std::size_t kernels_ = 0;
  mutable std::unordered_map<const Expr*, std::optional<ValueType>> types_;
};

/// `natural_exponent` of ir/typing.h: the exponent as a literal integer that is not negative.
[[nodiscard]] std::optional<std::uint64_t> natural_literal(const Expr& expr);

}  // namespace steptp::testing
