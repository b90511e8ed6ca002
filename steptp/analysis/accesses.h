#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/reached.h"
#include "steptp/ir/program.h"
#include "steptp/ir/site.h"

namespace steptp {

/// Which kernel launch a statement belongs to. Statements with equal ids run in the same kernel.
struct Kernel {
  std::vector<std::uint32_t> root;  ///< the address of the nest (or item) that is launched
  std::size_t host_loops = 0;       ///< how many of the statement's loops stand outside: one launch per iteration
  bool operator==(const Kernel&) const = default;
  auto operator<=>(const Kernel&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

/// An equation in its place.
struct Statement {
  const Equation* equation = nullptr;
  std::vector<std::uint32_t> items;  ///< its address: top-level nest, then item numbers
  std::vector<const Nest*> nests;    ///< around it, outermost first
  std::vector<const Loop*> loops;    ///< of all those nests, outermost first
  std::vector<ExprPtr> guards;
  std::optional<ArithmeticOp> accumulates;
  Kernel kernel;
};

/// One occurrence of a tensor in a statement.
struct Access {
  std::size_t statement = 0;
  RefPtr ref;
  bool is_write = false;
  bool is_accumulator = false;            ///< the read of X in X=X+...: undefined reads as the identity
  std::vector<PathCondition> conditions;  ///< from if_then_else around it; the statement's guards are not repeated
  Site site;
};

struct TensorFacts {
  DType dtype = DType::f32;
  Placement scope;
  std::size_t rank = 0;
  const Variable* known = nullptr;
  std::vector<std::size_t> reads;  ///< numbers of accesses, in textual order
  std::vector<std::size_t> writes;
  std::set<Kernel> kernels;
  /// In `s` or `l` but touched by several kernels: every back end treats it as `g`.
  bool demoted = false;
  /// The scope it really has.
  [[nodiscard]] Scope effective_scope() const { return demoted ? Scope::global : scope.scope; }
};

/// All accesses of a program, in the order of the text: of an equation the right side first, then the left.
struct AccessTable {
  std::vector<Statement> statements;
  std::vector<Access> accesses;
  std::map<std::string, TensorFacts> tensors;
};
[[nodiscard]] AccessTable collect_accesses(const Program& program);

/// The hidden subscripts of an access (docs/language.md R6): for `s` the host loops and the block indices, for
/// `l` the thread indices too, by hardware axis; an item without a loop over an axis runs at 0 there.
[[nodiscard]] std::vector<Index> hidden_subscripts(const AccessTable& table, const Access& access);

}  // namespace steptp
