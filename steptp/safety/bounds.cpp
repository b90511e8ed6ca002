#include "steptp/safety/bounds.h"

#include <optional>

#include "steptp/analysis/presburger.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::uint64_t kBudget = 20'000;

class BoundsChecker {
 public:
  BoundsChecker(const AccessTable& table, const ValueFacts& facts, Findings& findings)
      : table_(table), facts_(facts), findings_(findings) {}

  void run() {
    for (const Access& access : table_.accesses) {
      const TensorFacts& tensor = table_.tensors.at(access.ref->tensor);
      for (std::size_t i = 0; i < access.ref->subscripts.size(); ++i) {
        if (tensor.known) {
          check(access, i, {0, static_cast<Wide>(tensor.known->shape[i]) - 1});
        } else if (access.is_write) {
          check(access, i, {0, kWideLimit});
        }
      }
    }
  }

 private:
  void check(const Access& access, std::size_t number, Interval allowed) {
    const Index& subscript = access.ref->subscripts[number];
    const Statement& statement = table_.statements[access.statement];
    // Most subscripts are decided by their box alone.
    if (!reads_tensor(subscript)) {
      if (const std::string* name = subscript.as_variable()) {
        for (const Loop* loop : statement.loops) {
          if (loop->index == *name && loop->extent <= allowed.high + 1 && allowed.low <= 0) return;
        }
      }
    }
    const AbstractAccess problem = abstract_access(table_, facts_, access, {subscript});
    if (allowed.contains(range_of(problem.subscripts[0], problem.ranges))) return;
    const std::vector<PathCondition> plain = index_conditions(problem);
    SearchAnswer answer = find_outside({problem.ranges, plain, &problem.subscripts[0], allowed}, kBudget);
    if (answer.kind != SearchAnswer::Kind::none && plain.size() < problem.conditions.size()) {
      answer = find_outside({problem.ranges, problem.conditions, &problem.subscripts[0], allowed}, kBudget);
    }
    switch (answer.kind) {
      case SearchAnswer::Kind::none: return;
      case SearchAnswer::Kind::found:
      case SearchAnswer::Kind::possible: return report(access, number, problem, answer, allowed);
      case SearchAnswer::Kind::gave_up: return ask_isl(access, number, problem, allowed);
    }
  }

  /// A point is a witness where data does not decide: no read, or one value of a known variable that its domain allows.
  [[nodiscard]] bool is_witness(const AbstractAccess& problem, const SearchAnswer& answer) const {
    if (answer.kind != SearchAnswer::Kind::found) return false;
    if (problem.abstracted.empty()) return true;
    if (problem.abstracted.size() > 1) return false;
    const Variable* known = table_.tensors.at(problem.abstracted[0]->tensor).known;
    return known && known->role != Role::output && known->values.empty() && known->domain.kind == Domain::Kind::range;
  }

  /// "A is [8,64]; ", of a variable of the signature.
  [[nodiscard]] std::string shape_text(const Access& access) const {
    const Variable* known = table_.tensors.at(access.ref->tensor).known;
    if (!known || known->shape.empty()) return {};
    const std::string shape = join(known->shape, ",", [](std::int64_t extent) { return std::to_string(extent); });
    return concat(known->name, " is [", shape, "]", access.is_write ? "" : "; ");
  }

  void report(const Access& access, std::size_t number, const AbstractAccess& problem, const SearchAnswer& answer,
              Interval allowed) {
    const Statement& statement = table_.statements[access.statement];
    Site site = access.site;
    if (!site.number) site.number = static_cast<std::uint32_t>(number);
    std::string where = concat("at ", describe(answer.point, statement.loops));
    for (std::size_t i = 0; i < problem.abstracted.size(); ++i) {
      const auto value = answer.point.find(abstract_name(i));
      if (value != answer.point.end())
        append(where, ", where ", problem.abstracted[i]->tensor, " holds ", value->second);
    }
    const std::string range =
        allowed.high == kWideLimit ? "is negative" : concat("is outside [0,", describe(allowed.high + 1), ")");
    if (is_witness(problem, answer)) {
      findings_.report(
          "out-of-range", Severity::error, &site,
          concat("subscript ", number, " of ", access.ref->tensor, " is ", describe(answer.value), ' ', where,
                 ", which ", range),
          concat(shape_text(access), access.is_write ? "" : "guard the read with if_then_else, which is lazy"));
    } else {
      findings_.report("out-of-range-unknown", Severity::unknown, &site,
                       concat("cannot show that subscript ", number, " of ", access.ref->tensor,
                              " stays in range: it may be ", describe(answer.value), ' ', where),
                       "give the index tensor a domain, such as [0,10), or guard the access");
    }
  }

  void ask_isl(const Access& access, std::size_t number, const AbstractAccess& problem, Interval allowed) {
    const Statement& statement = table_.statements[access.statement];
    if (problem.abstracted.empty()) {
      if (const auto answer = isl_answer(statement, problem, allowed)) {
        if (answer->kind == Presburger::Answer::Kind::covered) return;
        SearchAnswer found;
        found.kind = SearchAnswer::Kind::found;
        Ranges at;
        for (std::size_t i = 0; i < statement.loops.size(); ++i) {
          found.point[statement.loops[i]->index] = answer->point[i];
          at.variables[statement.loops[i]->index] = {answer->point[i], answer->point[i]};
        }
        found.value = range_of(problem.subscripts[0], at).low;
        return report(access, number, problem, found, allowed);
      }
    }
    Site site = access.site;
    findings_.report("out-of-range-unknown", Severity::unknown, &site,
                     concat("cannot decide within the work budget whether subscript ", number, " of ",
                            access.ref->tensor, " stays in range"));
  }

  /// Nothing where isl could not decide.
  std::optional<Presburger::Answer> isl_answer(const Statement& statement, const AbstractAccess& problem,
                                               Interval allowed) {
    VariableNumbers names;
    IntegerSet whole;
    IntegerSet inside;
    for (const Loop* loop : statement.loops) {
      const std::size_t number = names[loop->index] = whole.add_variable();
      (void)inside.add_variable();
      whole.require(at_most(Linear::number(0), Linear::variable(number)));
      whole.require(less(Linear::variable(number), Linear::number(loop->extent)));
    }
    whole.dimensions = inside.dimensions = statement.loops.size();
    for (const PathCondition& item : problem.conditions) {
      auto formula = whole.formula(*item.condition, item.holds, names);
      if (!formula) return std::nullopt;
      whole.require(*std::move(formula));
    }
    const auto target = inside.linear(problem.subscripts[0], names);
    if (!target) return std::nullopt;
    inside.require(at_most(Linear::number(0), *target));
    if (allowed.high != kWideLimit) inside.require(at_most(*target, Linear::number(allowed.high)));
    const auto answer = isl_.covered(whole, {inside});
    if (answer.kind == Presburger::Answer::Kind::gave_up) return std::nullopt;
    return answer;
  }

  const AccessTable& table_;
  const ValueFacts& facts_;
  Findings& findings_;
  Presburger isl_;
};

}  // namespace

void check_bounds(const AccessTable& table, const ValueFacts& facts, Findings& findings) {
  BoundsChecker(table, facts, findings).run();
}

}  // namespace steptp
