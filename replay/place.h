#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/number.h"
#include "steptp/ir/program.h"

namespace steptp::replayer {

struct SubscriptAtom;

/// An exact integer of loop slots: constant + sum of coefficient * product of atoms.
struct Subscript {
  struct Term {
    std::int64_t coefficient = 1;
    std::vector<SubscriptAtom> factors;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  bool reads_data = false;
};

struct SubscriptAtom {
  enum class Kind : std::uint8_t { slot, quotient, remainder, read };
  Kind kind = Kind::slot;
  std::size_t slot = 0;
  std::shared_ptr<const Subscript> dividend;
  std::shared_ptr<const Subscript> divisor;
  RefPtr ref;
};

/// low <= of <= high wherever the guards hold.
struct Limit {
  Subscript of;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// An equation in its place.
struct Statement {
  const Equation* equation = nullptr;
  std::vector<std::uint32_t> address;  ///< top-level nest, then item numbers
  std::vector<const Loop*> loops;      ///< outermost first
  std::vector<std::size_t> loops_at;   ///< by level of the address: how many loops are around its items
  std::vector<ExprPtr> guards;
  std::vector<Limit> limits;   ///< what the guards say of indices, for finding iterations
  bool limits_are_all = true;  ///< the guards say nothing else
  std::optional<ArithmeticOp> accumulates;
  std::vector<std::uint32_t> kernel;  ///< the address of what is launched
  std::size_t host_loops = 0;
  std::vector<Subscript> left;  ///< hidden subscripts of the scope after the written ones
};

struct Tensor {
  DType dtype = DType::f32;
  Scope scope = Scope::global;  ///< as it is: one that several kernels touch is global
  const Variable* known = nullptr;
  std::vector<std::size_t> writers;  ///< statements in the order of the text
};

/// A program taken apart: what stands where, and which storage a name means (docs/language.md R1, R2, R6).
class Layout {
 public:
  explicit Layout(const Program& program);

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  [[nodiscard]] const Tensor& tensor(const std::string& name) const;
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] Subscript subscript(const Index& index, const Statement& statement) const;
  /// The storage subscripts of a reference: those written, then the launch, block and thread that own it.
  [[nodiscard]] std::vector<Subscript> storage(const Ref& ref, const Statement& statement) const;
  [[nodiscard]] static std::size_t slot_of(const Statement& statement, const std::string& name);

 private:
  void visit(const Nest& nest, Statement around);
  void add_limits(const Expr& guard, Statement& statement) const;
  /// gap op 0
  void add_limit(const Index& gap, CompareOp op, Statement& statement) const;

  const Program& program_;
  std::vector<Statement> statements_;
  std::map<std::string, Tensor> tensors_;
};

/// How two statements stand to each other: the loops that they share, and which comes first in one round of these.
struct Relation {
  std::size_t shared_loops = 0;
  bool first_is_earlier = false;
};
[[nodiscard]] Relation relation_of(const Statement& first, const Statement& second);

}  // namespace steptp::replayer
