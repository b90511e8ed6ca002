// Ways of values through types (precision_ways.h) of one program against those of the other. Ways are told apart by
// where they start and end and by whether the values decide something, not by what is computed on them. Where that is
// too coarse, because `before` has wide and narrow ways between the same ends, the narrow stores are made opaque
// functions in both programs, and the proof must go through with them.

#include "steptp/verify/precision.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/base/text.h"
#include "steptp/check/types.h"
#include "steptp/prove/prove.h"
#include "steptp/verify/precision_ways.h"

namespace steptp {

namespace {

/// What may be expected of the ways between two ends.
struct Expected {
  Width least;  ///< of what is held on the narrowest way
  Width most{0, 0};
  Widths computed;
  Width least_accumulated;
  Width most_accumulated{0, 0};
  bool is_any = false;
  bool is_of_source = false;  ///< otherwise of all sources: the source is new in `after`

  void take(const Way& way) {
    is_any = true;
    least = narrower(least, way.held());
    most = wider(most, way.held());
    for (std::size_t i = 0; i < kRoundings; ++i) computed[i] = narrower(computed[i], way.computed[i]);
    if (!way.accumulated.is_limited()) return;
    least_accumulated = narrower(least_accumulated, way.accumulated);
    most_accumulated = wider(most_accumulated, way.accumulated);
  }

  /// What a store must hold whose value was computed by such an operation, in the type of the store.
  [[nodiscard]] Width of_kept(std::size_t rounding) const {
    return computed[rounding].is_limited() ? narrower(least, computed[rounding]) : least;
  }
};

/// The ways of a source in `before`: in the same role, else in any; of what is new in `after`, all ways to the output.
Expected expected_of(const WaysOf& before, const std::string& source, bool decides) {
  Expected same;
  Expected any;
  Expected all;
  for (const auto& [name, ways] : before) {
    for (const Way& way : ways) {
      all.take(way);
      if (name != source) continue;
      any.take(way);
      if (way.decides == decides) same.take(way);
    }
  }
  same.is_of_source = any.is_of_source = true;
  return same.is_any ? same : any.is_any ? any : all;
}

/// A store of an intermediate in the type of the output, or a wider one, that is only copied there is the output's own.
Way ended_at(Way way, DType output) {
  if (!way.pending.is_limited() || way.pending.holds(width_of(output))) return way;
  if (way.pending_lost) {
    way.lost = narrower(way.lost, way.pending);
  } else {
    Width& kept = way.kept[static_cast<std::size_t>(way.last)];
    kept = narrower(kept, way.pending);
  }
  return way;
}

/// The type that is too narrow, with what was expected.
struct Shortage {
  Width found;
  Width expected;
};

std::optional<Shortage> shortage_of(const Way& way, const Expected& expected) {
  if (!way.lost.holds(expected.least)) return Shortage{way.lost, expected.least};
  for (std::size_t i = 0; i < kRoundings; ++i) {
    const Width wanted = expected.of_kept(i);
    if (way.kept[i].is_limited() && !way.kept[i].holds(wanted)) return Shortage{way.kept[i], wanted};
  }
  const bool both_accumulate = way.accumulated.is_limited() && expected.least_accumulated.is_limited();
  if (both_accumulate && !way.accumulated.holds(expected.least_accumulated))
    return Shortage{way.accumulated, expected.least_accumulated};
  return std::nullopt;
}

/// Some way of `before` is wider than this one.
bool is_below_the_widest(const Way& way, const Expected& expected) {
  const bool both_accumulate = way.accumulated.is_limited() && expected.least_accumulated.is_limited();
  return (way.lost.is_limited() && !way.lost.holds(expected.most)) ||
         (both_accumulate && !way.accumulated.holds(expected.most_accumulated));
}

std::string lost_text(const std::string& source, bool decides, const std::string& output, const Shortage& found) {
  return concat("values of ", source, decides ? " decide what reaches " : " reach ", output, " through a type of ",
                found.found.precision, " significand bits and exponents to ", found.found.exponent,
                ", where before it was ", found.expected.precision, " and ", found.expected.exponent);
}

/// Programs in which what is read of narrow tensors went through a function of which nothing is known but that it is
/// one: erf, of the value times a number that stands for the type.
class Marker {
 public:
  explicit Marker(const Program& program) : program_(program), table_(collect_accesses(program)) {
    Width widest{0, 0};
    for (const auto& [name, facts] : table_.tensors) {
      if (is_float(facts.dtype)) widest = wider(widest, width_of(facts.dtype));
    }
    for (const auto& [name, facts] : table_.tensors) {
      const bool is_made = !facts.known || facts.known->role == Role::output;
      if (!is_made || !is_float(facts.dtype) || width_of(facts.dtype).holds(widest)) continue;
      if (!is_copy(facts)) narrow_.insert(name);
    }
  }

  Program run() {
    Program out = program_;
    for (NestPtr& nest : out.nests) nest = marked(*nest);
    return out;
  }

 private:
  /// Every statement that writes the tensor copies something of a type no wider.
  [[nodiscard]] bool is_copy(const TensorFacts& facts) const {
    for (const std::size_t number : facts.writes) {
      const Equation& equation = *table_.statements[table_.accesses[number].statement].equation;
      const auto* read = std::get_if<Read>(&equation.right->node);
      if (!read || !width_of(facts.dtype).holds(width_of(read->ref->dtype))) return false;
    }
    return true;
  }

  NestPtr marked(const Nest& nest) {
    std::vector<Item> items;
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        items.emplace_back(marked(**inner));
        continue;
      }
      const Equation& equation = *std::get<EquationPtr>(item);
      const bool accumulates = accumulation_operator(*equation.left, equation.right).has_value();
      const std::string accumulator = accumulates ? equation.left->tensor : std::string();
      items.emplace_back(make_equation(equation.left, marked(equation.right, accumulator)));
    }
    return make_nest(nest.loops, nest.guard, std::move(items));
  }

  ExprPtr marked(const ExprPtr& expr, const std::string& accumulator) {
    if (const auto* read = std::get_if<Read>(&expr->node)) {
      if (read->ref->tensor == accumulator || !narrow_.contains(read->ref->tensor)) return expr;
      const double mark = 3 + 2 * static_cast<double>(read->ref->dtype);
      return make_call(Function::erf, make_product(expr, ArithmeticOp::multiply, real_literal(mark)));
    }
    std::vector<ExprPtr> parts;
    for (const ExprPtr* part : children(*expr)) parts.push_back(marked(*part, accumulator));
    return with_children(expr, parts);
  }

  const Program& program_;
  AccessTable table_;
  std::set<std::string> narrow_;
};

/// All floats have one type, and no integers are stored as floats, so that nothing can be lost: most programs.
bool has_one_width(const Program& before, const Program& after) {
  std::optional<Width> only;
  bool is_only = true;
  const auto note = [&](DType dtype) {
    if (!is_float(dtype)) return;
    is_only = is_only && (!only || *only == width_of(dtype));
    only = width_of(dtype);
  };
  for (const Variable& variable : before.signature.variables) note(variable.dtype);
  for (const Program* program : {&before, &after}) {
    for_each_equation(*program, [&](const Equation& equation, const std::vector<const Nest*>&) {
      note(equation.left->dtype);
      if (!is_only || program == &before || !is_float(equation.left->dtype)) return;
      const auto index = to_index(*equation.right);
      const auto type = type_of(*equation.right);
      // Of integers only 0 and other small numbers are stored as floats without a second look.
      constexpr std::int64_t kSmall = 128;
      is_only =
          index ? index->is_constant() && std::abs(index->constant_term()) <= kSmall : type && is_float(type->dtype);
    });
  }
  return is_only;
}

Precision settled_by_proof(const Program& before, const Program& after, std::string reason) {
  const Proof proof = prove(Marker(before).run(), Marker(after).run(), {});
  if (proof.proved) return {};
  return {Precision::Verdict::unclear, std::move(reason)};
}

}  // namespace

Precision compare_precision(const Program& before, const Program& after) {
  if (has_one_width(before, after)) return {};
  const auto old_ways = ways_to_outputs(before);
  const auto new_ways = ways_to_outputs(after);
  if (!old_ways || !new_ways)
    return {Precision::Verdict::unclear, "values go through too many types to be compared one by one"};
  std::string unclear;
  for (const Variable& output : before.signature.variables) {
    const auto found = new_ways->find(output.name);
    if (output.role != Role::output || found == new_ways->end()) continue;
    for (const auto& [source, ways] : found->second) {
      std::map<bool, Expected> expected;
      std::map<bool, std::size_t> narrow;
      std::map<bool, std::size_t> count;
      for (const Way& one : ways) {
        const Way way = ended_at(one, output.dtype);
        const bool decides = way.decides;
        if (!expected.contains(decides)) expected[decides] = expected_of(old_ways->at(output.name), source, decides);
        if (!expected[decides].is_any) continue;
        if (const auto shortage = shortage_of(way, expected[decides]))
          return {Precision::Verdict::lost, lost_text(source, decides, output.name, *shortage)};
        ++count[decides];
        if (is_below_the_widest(way, expected[decides])) ++narrow[decides];
      }
      for (const auto& [decides, number] : narrow) {
        const Shortage shortage{expected[decides].least, expected[decides].most};
        if (number == count[decides] && expected[decides].is_of_source)
          return {Precision::Verdict::lost, lost_text(source, decides, output.name, shortage)};
        unclear = concat(lost_text(source, decides, output.name, shortage), " on some way");
      }
    }
  }
  return unclear.empty() ? Precision{} : settled_by_proof(before, after, std::move(unclear));
}

}  // namespace steptp
