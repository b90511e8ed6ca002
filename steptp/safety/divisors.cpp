#include "steptp/safety/divisors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "steptp/analysis/reached.h"
#include "steptp/base/text.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

constexpr std::uint64_t kBudget = 5'000;

class DivisorChecker {
 public:
  DivisorChecker(const AccessTable& table, ValueFacts& facts, Findings& findings)
      : table_(table), facts_(facts), findings_(findings) {}

  void run() {
    for (const Statement& statement : table_.statements) {
      const std::vector<PathCondition> outer = check_guards(statement);
      Site site{statement.items, Site::Part::right, {}, {}};
      visit(statement, statement.equation->right, outer, site);
    }
    for (const Access& access : table_.accesses) {
      const Statement& statement = table_.statements[access.statement];
      for (const Index& subscript : access.ref->subscripts) {
        visit(statement, subscript, path_conditions(statement, access), access.site);
      }
    }
  }

 private:
  /// The guards around a statement, each checked under those outside it; a guard is looked at once.
  std::vector<PathCondition> check_guards(const Statement& statement) {
    std::vector<PathCondition> outer;
    for (std::size_t i = 0; i < statement.nests.size(); ++i) {
      const ExprPtr& guard = statement.nests[i]->guard;
      if (!guard) continue;
      Site site{{statement.items.begin(), statement.items.begin() + static_cast<std::ptrdiff_t>(i) + 1},
                Site::Part::guard,
                {},
                {}};
      if (guards_seen_.insert(to_text(site)).second) visit(statement, guard, outer, site);
      outer.push_back({guard, true});
    }
    return outer;
  }

  void visit(const Statement& statement, const ExprPtr& expr, std::vector<PathCondition> outer, Site& site) {
    walk_reached(expr, std::move(outer), site,
                 [&](const ExprPtr& part, const std::vector<PathCondition>& conditions, Site& place) {
                   const auto* product = std::get_if<Product>(&part->node);
                   if (product) check_product(statement, *product, conditions, place);
                 });
  }

  void check_product(const Statement& statement, const Product& product, const std::vector<PathCondition>& conditions,
                     Site& site) {
    std::optional<ValueType> type = type_of(*product.operands[0]);
    for (std::uint32_t i = 0; type && i < product.operators.size(); ++i) {
      const ArithmeticOp op = product.operators[i];
      const auto right = type_of(*product.operands[i + 1]);
      type = right ? binary_type(op, *type, *right) : std::nullopt;
      const bool divides = op == ArithmeticOp::floor_divide || op == ArithmeticOp::modulo;
      if (!type || !divides || is_float(type->dtype)) continue;
      site.path.push_back(i + 1);
      check_value(statement, product.operands[i + 1], conditions, site);
      site.path.pop_back();
    }
  }

  void check_value(const Statement& statement, const ExprPtr& divisor, const std::vector<PathCondition>& conditions,
                   const Site& site) {
    const AbstractValue problem = abstract_value(statement, facts_, conditions, divisor);
    const Interval range = value_range(*problem.value, problem.ranges);
    if (range.low > 0 || range.high < 0 || is_nonzero_variable(*divisor)) return;
    const auto index = to_index(*problem.value);
    if (!index) return unknown(site);
    conclude(statement, find_inside({problem.ranges, problem.conditions, &*index, {0, 0}}, kBudget), problem.abstracted,
             site);
  }

  /// A known variable that is not zero: by its domain, or, without one, by assumption.
  bool is_nonzero_variable(const Expr& divisor) {
    const auto* read = std::get_if<Read>(&divisor.node);
    const Variable* known = read ? table_.tensors.at(read->ref->tensor).known : nullptr;
    if (!known || known->role == Role::output || !known->values.empty()) return false;
    if (known->domain.kind == Domain::Kind::nonzero) return true;
    if (known->domain.kind != Domain::Kind::unstated) return false;
    const std::string text = concat(known->name, " is not zero");
    if (std::find(facts_.assumes.begin(), facts_.assumes.end(), text) == facts_.assumes.end())
      facts_.assumes.push_back(text);
    return true;
  }

  void visit(const Statement& statement, const Index& subscript, const std::vector<PathCondition>& conditions,
             const Site& site) {
    for (const IndexTerm& term : subscript.terms()) {
      for (const IndexAtom& atom : term.factors) {
        const Index* dividend = nullptr;
        const Index* divisor = nullptr;
        if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
          dividend = quotient->dividend.get();
          divisor = quotient->divisor.get();
        } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
          dividend = remainder->dividend.get();
          divisor = remainder->divisor.get();
        }
        if (!divisor) continue;
        visit(statement, *dividend, conditions, site);
        visit(statement, *divisor, conditions, site);
        if (!divisor->is_constant()) check_subscript(statement, *divisor, conditions, site);
      }
    }
  }

  void check_subscript(const Statement& statement, const Index& divisor, const std::vector<PathCondition>& conditions,
                       const Site& site) {
    SearchProblem problem{loop_box(statement), conditions, &divisor, {0, 0}};
    problem.ranges.tensors = facts_.ranges;
    const Interval range = range_of(divisor, problem.ranges);
    if (range.low > 0 || range.high < 0) return;
    conclude(statement, find_inside(problem, kBudget), {}, site);
  }

  void conclude(const Statement& statement, const SearchAnswer& answer, const std::vector<RefPtr>& abstracted,
                const Site& site) {
    switch (answer.kind) {
      case SearchAnswer::Kind::none: return;
      case SearchAnswer::Kind::found:
        if (!abstracted.empty()) return unknown(site);
        findings_.report("division-by-zero", Severity::error, &site,
                         concat("an integer is divided by zero at ", describe(answer.point, statement.loops)),
                         "guard it with if_then_else, which is lazy, or divide by max(...,1)");
        return;
      case SearchAnswer::Kind::possible:
      case SearchAnswer::Kind::gave_up: return unknown(site);
    }
  }

  void unknown(const Site& site) {
    findings_.report("division-by-zero-unknown", Severity::unknown, &site,
                     "cannot show that this integer divisor is not zero",
                     "guard it with if_then_else, which is lazy, or divide by max(...,1)");
  }

  const AccessTable& table_;
  ValueFacts& facts_;
  Findings& findings_;
  std::set<std::string> guards_seen_;
};

}  // namespace

void check_divisors(const AccessTable& table, ValueFacts& facts, Findings& findings) {
  DivisorChecker(table, facts, findings).run();
}

}  // namespace steptp
