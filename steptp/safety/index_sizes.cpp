#include "steptp/safety/index_sizes.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/analysis/box_search.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr Wide kLargestIndex = (Wide{1} << 62) - 1;
/// What an indirect read can be where it is in range of anything: beyond it the read has no value.
constexpr Wide kLargestRead = Wide{1} << 31;

Wide size(Wide value) { return value < 0 ? -value : value; }
Wide size(const Interval& values) { return std::max(size(values.low), size(values.high)); }
Wide clamped(Wide value) { return std::min(value, kWideLimit); }
Wide product(Wide left, Wide right) {
  if (left == 0 || right == 0) return 0;
  return left > kWideLimit / right ? kWideLimit : left * right;
}

/// How large an integer and all its parts can be in absolute value: sums count their terms without their signs, so
/// that no order of adding leaves the bound either.
struct Size {
  Wide value = 0;
  Wide greatest_part = 0;
  bool has_index = false;
};

class Sizes {
 public:
  explicit Sizes(const Ranges& ranges) : ranges_(ranges) {}

  [[nodiscard]] Size of(const Index& index) const {
    Size out{size(Wide{index.constant_term()}), 0, true};
    for (const IndexTerm& term : index.terms()) {
      Wide value = size(Wide{term.coefficient});
      for (const IndexAtom& factor : term.factors) {
        const Size part = of(factor);
        value = product(value, part.value);
        out.greatest_part = std::max(out.greatest_part, part.greatest_part);
      }
      out.value = clamped(out.value + value);
    }
    out.greatest_part = std::max(out.greatest_part, out.value);
    return out;
  }

  /// Of an operand of a comparison. What is not made of integers by + - * // % max min has no size of its own.
  [[nodiscard]] Size of(const Expr& expr) const {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) {
      const Wide value = literal->is_integer ? size(Wide{literal->integer}) : 0;
      return {value, value, false};
    }
    if (const auto* index = std::get_if<IndexValue>(&expr.node)) {
      const Wide value = variable(index->index);
      return {value, value, true};
    }
    if (const auto* sum = std::get_if<Sum>(&expr.node)) return of_chain(sum->operands, nullptr);
    if (const auto* chain = std::get_if<Product>(&expr.node)) return of_chain(chain->operands, &chain->operators);
    Size out;
    for (const ExprPtr* child : children(expr)) {
      const Size part = of(**child);
      out.value = std::max(out.value, part.value);
      out.greatest_part = std::max(out.greatest_part, part.greatest_part);
      out.has_index |= part.has_index;
    }
    return out;
  }

 private:
  [[nodiscard]] Wide variable(const std::string& name) const {
    const auto found = ranges_.variables.find(name);
    return found == ranges_.variables.end() ? kWideLimit : size(found->second);
  }

  [[nodiscard]] Size of(const IndexAtom& atom) const {
    if (const auto* loop = std::get_if<LoopVariable>(&atom)) {
      const Wide value = variable(loop->name);
      return {value, value, true};
    }
    if (std::holds_alternative<IndirectRead>(atom)) return {kLargestRead, kLargestRead, true};
    const auto* quotient = std::get_if<FloorQuotient>(&atom);
    const auto* remainder = std::get_if<FloorRemainder>(&atom);
    const Size dividend = of(quotient ? *quotient->dividend : *remainder->dividend);
    const Size divisor = of(quotient ? *quotient->divisor : *remainder->divisor);
    return {quotient ? dividend.value : divisor.value, std::max(dividend.greatest_part, divisor.greatest_part), true};
  }

  [[nodiscard]] Size of_chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>* products) const {
    Size out = of(*operands[0]);
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const Size part = of(*operands[i]);
      const ArithmeticOp op = products ? (*products)[i - 1] : ArithmeticOp::add;
      if (op == ArithmeticOp::add) out.value = clamped(out.value + part.value);
      if (op == ArithmeticOp::multiply) out.value = product(out.value, part.value);
      if (op == ArithmeticOp::modulo) out.value = part.value;
      out.greatest_part = std::max({out.greatest_part, part.greatest_part, out.value});
      out.has_index |= part.has_index;
    }
    return out;
  }

  const Ranges& ranges_;
};

class IndexSizes {
 public:
  IndexSizes(const AccessTable& table, Findings& findings) : table_(table), findings_(findings) {}

  void run() {
    for (const Statement& statement : table_.statements) {
      const Ranges ranges = loop_box(statement);
      const Sizes sizes(ranges);
      check_guards(statement, sizes);
      Site site{statement.items, Site::Part::right, {}, {}};
      walk_reached(statement.equation->right, {}, site,
                   [&](const ExprPtr& part, const std::vector<PathCondition>&, Site& place) {
                     if (const auto* compare = std::get_if<Compare>(&part->node)) {
                       check_operands(*compare, sizes, "an operand of a condition", place);
                     }
                   });
    }
    for (const Access& access : table_.accesses) {
      const Ranges ranges = loop_box(table_.statements[access.statement]);
      for (const Index& subscript : access.ref->subscripts) {
        if (Sizes(ranges).of(subscript).greatest_part > kLargestIndex) report("a subscript", access.site);
      }
    }
  }

 private:
  void check_guards(const Statement& statement, const Sizes& sizes) {
    for (std::size_t i = 0; i < statement.nests.size(); ++i) {
      const ExprPtr& guard = statement.nests[i]->guard;
      if (!guard) continue;
      Site site{{statement.items.begin(), statement.items.begin() + static_cast<std::ptrdiff_t>(i) + 1},
                Site::Part::guard,
                {},
                {}};
      if (!guards_seen_.insert(to_text(site)).second) continue;
      walk_reached(guard, {}, site, [&](const ExprPtr& part, const std::vector<PathCondition>&, Site& place) {
        if (const auto* compare = std::get_if<Compare>(&part->node))
          check_operands(*compare, sizes, "an operand of a guard", place);
      });
    }
  }

  /// Numbers without an index have the type of what they are compared with.
  void check_operands(const Compare& compare, const Sizes& sizes, std::string_view what, const Site& site) {
    const bool too_large = std::any_of(compare.operands.begin(), compare.operands.end(), [&](const ExprPtr& operand) {
      const Size found = sizes.of(*operand);
      return found.has_index && found.greatest_part > kLargestIndex;
    });
    if (too_large) report(what, site);
  }

  void report(std::string_view what, const Site& site) {
    findings_.report("index-size", Severity::error, &site,
                     concat(what, " can reach 2^62 or more, in itself or in a part"),
                     "indices are integers of 64 bits: use smaller factors");
  }

  const AccessTable& table_;
  Findings& findings_;
  std::set<std::string> guards_seen_;
};

}  // namespace

void check_index_sizes(const AccessTable& table, Findings& findings) { IndexSizes(table, findings).run(); }

}  // namespace steptp
