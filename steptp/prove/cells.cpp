// Cells (docs/decisions/0039). Where two normal forms differ, the index box of the output is cut by a condition on
// indices that stands open in either form, both programs are written down again under each outcome, and so on. Every
// element lies in a cell and none is drawn. On a cell, forms that differ are compared modulo two random primes
// (residues.cpp): chance enters there and nowhere else.
#include "steptp/prove/cells.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "steptp/base/hash.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/hazards.h"
#include "steptp/prove/print.h"
#include "steptp/prove/residues.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMostCells = 128;
constexpr int kMostCuts = 24;
/// Residues are compared at so many points, each with a prime of its own.
constexpr std::uint64_t kPoints = 2;

/// Finds a condition on the indices of the element that is open at the moment.
class ConditionFinder {
 public:
  explicit ConditionFinder(Arena& arena) : arena_(arena) {}

  void visit(const Value& value) {
    switch (value.kind) {
      case Value::Kind::real: visit_polynomial(value.real); break;
      case Value::Kind::integer: visit_polynomial(arena_.polynomials.integer(value.integer)); break;
      case Value::Kind::truth: visit_condition(value.truth); break;
    }
    if (value.hazard != kHarmless) visit_polynomial(value.hazard);
  }

  std::optional<ConditionId> found;

 private:
  void visit_polynomial(PolynomialId id) {
    if (found || !polynomials_.insert(id).second) return;
    arena_.budget.spend(1);
    for (const auto& [monomial, coefficient] : Polynomial(arena_.polynomial(id)).terms) {
      for (const auto& [factor, exponent] : Monomial(arena_.monomial(monomial)).factors) visit_generator(factor);
    }
  }

  void visit_generator(GeneratorId id) {
    if (found || !generators_.insert(id).second) return;
    const Generator node = arena_.generator(id);
    for (const ConditionId condition : node.conditions) visit_condition(condition);
    for (const PolynomialId part : node.polynomials) visit_polynomial(part);
  }

  void visit_condition(ConditionId id) {
    if (found || !conditions_.insert(id).second) return;
    const Condition node = arena_.condition(id);
    switch (node.kind) {
      case Condition::Kind::nonnegative:
      case Condition::Kind::zero: {
        const auto& variables = arena_.traits_of_condition(id).variables;
        const bool is_bound = !variables.empty() && variables.back() >= kFirstBound;
        if (!is_bound && arena_.is_index_condition(id) && arena_.known.truth(id) == Truth::maybe) found = id;
        break;
      }
      case Condition::Kind::less:
      case Condition::Kind::less_equal:
      case Condition::Kind::equal:
        visit_polynomial(node.left);
        visit_polynomial(node.right);
        break;
      case Condition::Kind::negation: visit_condition(node.left); break;
      case Condition::Kind::conjunction:
      case Condition::Kind::disjunction:
        for (const ConditionId part : node.parts) visit_condition(part);
        break;
      case Condition::Kind::never:
      case Condition::Kind::always:
      case Condition::Kind::boolean: break;
    }
  }

  Arena& arena_;
  std::set<PolynomialId> polynomials_;
  std::set<GeneratorId> generators_;
  std::set<ConditionId> conditions_;
};

std::string text_of(const Arena& arena, const Value& value) {
  std::string text;
  switch (value.kind) {
    case Value::Kind::real: text = to_text(arena, value.real); break;
    case Value::Kind::integer: text = to_text(arena, value.integer); break;
    case Value::Kind::truth: text = condition_text(arena, value.truth); break;
  }
  return value.hazard == kHarmless ? text : text + "  no value where " + to_text(arena, value.hazard);
}

Residues::Value residue_of(Residues& residues, const Value& value) {
  switch (value.kind) {
    case Value::Kind::real: return residues.of_polynomial(value.real);
    case Value::Kind::integer: return residues.of_affine(value.integer);
    case Value::Kind::truth: return residues.of_condition(value.truth);
  }
  throw GiveUp{"a value without a residue"};
}

/// The form where `before` is neither NaN nor without a value, as far as it says itself where that is.
Value where_known(Arena& arena, const std::vector<ConditionId>& known, Value value) {
  if (value.kind != Value::Kind::real) return value;
  for (const ConditionId condition : known) {
    value.real = arena.masks.where(condition, value.real);
    if (value.hazard != kHarmless) value.hazard = arena.masks.where(condition, value.hazard);
  }
  return value;
}

std::vector<ConditionId> where_before_counts(Arena& arena, const Value& before) {
  std::vector<ConditionId> known;
  if (before.kind != Value::Kind::real) return known;
  if (const auto veiled = arena.masks.as_veiled(before.real)) known.push_back(arena.conditions.negation(veiled->where));
  Hazards hazards(arena);
  for (const ConditionId none : hazards.conditions_of(before.hazard)) known.push_back(arena.conditions.negation(none));
  return known;
}

}  // namespace

PointAnswer compare_at_point(Arena& arena, const Value& left, const Value& right, std::uint64_t seed, int prime_bits) {
  Residues residues(arena, seed, prime_bits);
  const Residues::Value one = residue_of(residues, left);
  const Residues::Value other = residue_of(residues, right);
  return {Residues::agree(one, other), residues.bound_log2(one.degree + other.degree)};
}

CellAnswer CellComparison::compare(const Variable& output) {
  answer_ = {};
  here_.clear();
  chance_ = 0;
  try {
    answer_.agrees = agrees_here(output, 0);
  } catch (const GiveUp& given_up) {
    answer_.reason = given_up.reason;
  }
  answer_.bound_log2 = std::log2(chance_);
  return answer_;
}

bool CellComparison::agrees_here(const Variable& output, int depth) {
  const std::vector<Affine> element = shared_.subscripts(output.shape);
  const Value left = before_.output(output.name, element);
  const Value right = after_.output(output.name, element);
  const bool is_defined = includes_hazards(shared_.arena, left, right);
  const auto is_equal_where_before_counts = [&] {
    const std::vector<ConditionId> known = where_before_counts(shared_.arena, left);
    if (known.empty()) return false;
    const Value one = where_known(shared_.arena, known, left);
    const Value other = where_known(shared_.arena, known, right);
    return is_same(one, other) || has_equal_residues(one, other);
  };
  if (is_defined && (is_same(left, right) || has_equal_residues(left, right) || is_equal_where_before_counts())) {
    answer_.cells += 1;
    answer_.cover.push_back({here_, left, right});
    return true;
  }
  const auto cut = condition_to_cut_by(left, right);
  if (!cut) {
    answer_.reason = is_defined ? "the forms of " + output.name + " differ on a cell"
                                : "after may have no value in " + output.name + " where before has one";
    if (keep_forms_) {
      answer_.before_form = text_of(shared_.arena, left);
      answer_.after_form = text_of(shared_.arena, right);
    }
    return false;
  }
  if (depth >= kMostCuts || answer_.cells >= kMostCells) throw GiveUp{"too many cells"};
  for (const bool holds : {true, false}) {
    const Assumption assumed(shared_.arena, holds ? *cut : shared_.arena.conditions.negation(*cut));
    here_.emplace_back(*cut, holds);
    if (!agrees_here(output, depth + 1)) return false;
    here_.pop_back();
  }
  return true;
}

bool CellComparison::has_equal_residues(const Value& left, const Value& right) {
  if (left.kind != right.kind) return false;
  double bound_log2 = 0;
  for (std::uint64_t point = 0; point < kPoints; ++point) {
    const PointAnswer here = compare_at_point(shared_.arena, left, right, combine(seed_, point));
    if (!here.agree) return false;
    bound_log2 += here.bound_log2;
  }
  chance_ += std::exp2(bound_log2);
  return true;
}

std::optional<ConditionId> CellComparison::condition_to_cut_by(const Value& left, const Value& right) {
  ConditionFinder finder(shared_.arena);
  finder.visit(left);
  if (!finder.found) finder.visit(right);
  return finder.found;
}

}  // namespace steptp::forms
