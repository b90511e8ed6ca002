#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/ir/accumulation.h"
#include "steptp/oracle/code.h"

namespace steptp::oracle {

/// Where a tensor was touched, for the rule that all accesses lie inside the same axes.
struct AccessRecord {
  std::uint32_t tensor = 0;
  std::uint32_t axes = 0;  ///< bit i: axis i
  Site site;
};

/// Turns names into numbers inside expressions and subscripts. The walker over nests opens and closes loops and says
/// which kernel and which equation it is in. The program has no structural errors.
class NameResolver {
 public:
  std::vector<TensorCode> tensors;
  std::vector<AccessRecord> records;
  std::vector<std::uint32_t> items;
  std::uint32_t kernel = 0;
  std::uint32_t most_slots = 0;
  /// The equation: X in `X = ... X (+) ...` reads as the identity where it is undefined.
  std::optional<ArithmeticOp> accumulation;
  const Ref* left = nullptr;
  std::optional<WideProduct> wide;
  /// What the structural checks do not look at.
  std::optional<Trap> problem;

  TensorCode& declare(const std::string& name, DType dtype, Scope scope, std::size_t rank);
  void open(const Loop& loop);
  void close(std::size_t count) { loops_.resize(loops_.size() - count); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(loops_.size()); }

  [[nodiscard]] ExprCode expression(const ExprPtr& source, const std::vector<std::uint32_t>& path);
  [[nodiscard]] GuardCode guard(const Expr& source, const std::vector<std::uint32_t>& path);
  [[nodiscard]] Access access(const Ref& source, const Site& site);
  /// Widens the box of what is written.
  void count_write(const Access& target, double points);

  /// The operators seen since the last call.
  [[nodiscard]] double take_operations();

 private:
  struct ExprMaker;

  [[nodiscard]] std::uint32_t slot_of(const std::string& index) const;
  [[nodiscard]] IndexCode index(const Index& source, const Site& site);
  [[nodiscard]] AtomCode atom(const IndexAtom& source, const Site& site, MaybeReach& reach);
  void fail(const Site& site, std::string message);

  std::vector<const Loop*> loops_;
  std::map<std::string, std::uint32_t> numbers_;
  double operations_ = 0;
};

}  // namespace steptp::oracle
