#include "steptp/prove/arena.h"

#include <algorithm>
#include <utility>

#include "steptp/base/deep_stack.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/written_operations.h"

namespace steptp::forms {

Arena::Arena(std::uint64_t work_limit, Laws laws)
    : work_limit_(work_limit), laws_(laws), with_algebra_(laws == Laws::all) {
  never_ = intern_condition({Condition::Kind::never, 0, 0, {}});
  always_ = intern_condition({Condition::Kind::always, 0, 0, {}});
}

void Arena::spend(std::uint64_t work) {
  work_ += work;
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw GiveUp{"stopped from outside"};
  if (work_ > work_limit_) throw GiveUp{"the normal form takes more work than allowed"};
}

void Arena::look(std::uint64_t nodes) const {
  // Of ordinary programs, most nodes are looked at a few times.
  constexpr std::uint64_t kLooksPerWork = 4;
  looks_ += nodes;
  if (looks_ > kLooksPerWork * work_limit_) throw GiveUp{"the normal form takes more work than allowed"};
}

void Arena::go_deeper() const {
  constexpr std::uint32_t kMostDepth = 4000;
  constexpr std::uint64_t kLooksPerStop = 4096;
  if (depth_ >= kMostDepth || stack_is_short()) throw GiveUp{"formulas are nested too deeply"};
  look(1);
  if (looks_ % kLooksPerStop == 0 && stop != nullptr && stop->load(std::memory_order_relaxed)) {
    throw GiveUp{"stopped from outside"};
  }
  ++depth_;
}

void merge_variables(std::vector<VariableId>& into, const std::vector<VariableId>& from) {
  if (from.empty()) return;
  if (into.empty()) {
    into = from;
    return;
  }
  std::vector<VariableId> result;
  result.reserve(into.size() + from.size());
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(result));
  into.swap(result);
}

namespace {

void absorb(Traits& into, const Traits& from) {
  merge_variables(into.variables, from.variables);
  into.height = std::max(into.height, from.height);
  into.has_self |= from.has_self;
}

/// A new node whose traits are not known yet. Where the work on them ends early, nobody finds the node any more: with
/// the traits of nothing it would be taken for a number that depends on no variable.
template <typename Node>
class Unfinished {
 public:
  Unfinished(Interner<Node>& nodes, std::uint32_t id) : nodes_(nodes), id_(id) {}
  ~Unfinished() {
    if (!is_done_) nodes_.forget(id_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void done() { is_done_ = true; }

 private:
  Interner<Node>& nodes_;
  std::uint32_t id_;
  bool is_done_ = false;
};

/// Sets a value until the object dies.
class Set {
 public:
  Set(bool& place, bool value) : place_(place), old_(std::exchange(place, value)) {}
  ~Set() { place_ = old_; }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  bool& place_;
  bool old_;
};

void absorb_values(Traits& into, const Traits& from) {
  absorb(into, from);
  into.may_be_infinite |= from.may_be_infinite;
  into.may_be_nan |= from.may_be_nan;
}

}  // namespace

AtomId Arena::intern_atom(Atom atom) {
  const auto [id, is_new] = atoms_.add(std::move(atom));
  if (!is_new) return id;
  Unfinished unfinished(atoms_, id);
  spend(1);
  const Atom& node = atoms_[id];
  Traits& traits = atoms_.traits(id);
  switch (node.kind) {
    case Atom::Kind::variable: traits.variables = {node.argument}; break;
    case Atom::Kind::quotient:
    case Atom::Kind::wrapped: absorb(traits, affines_.traits(node.argument)); break;
    case Atom::Kind::product:
      for (const AtomId factor : node.factors) absorb(traits, atoms_.traits(factor));
      break;
    case Atom::Kind::value: absorb(traits, generators_.traits(node.argument)); break;
  }
  unfinished.done();
  return id;
}

AffineId Arena::intern(Affine affine) {
  const auto [id, is_new] = affines_.add(std::move(affine));
  if (!is_new) return id;
  Unfinished unfinished(affines_, id);
  spend(1);
  Traits& traits = affines_.traits(id);
  for (const auto& [atom, coefficient] : affines_[id].terms) absorb(traits, atoms_.traits(atom));
  unfinished.done();
  return id;
}

ConditionId Arena::intern_condition(Condition condition) {
  const auto [id, is_new] = conditions_.add(std::move(condition));
  if (!is_new) return id;
  Unfinished unfinished(conditions_, id);
  spend(1);
  const Condition& node = conditions_[id];
  Traits& traits = conditions_.traits(id);
  switch (node.kind) {
    case Condition::Kind::never:
    case Condition::Kind::always: break;
    case Condition::Kind::nonnegative:
    case Condition::Kind::zero: absorb(traits, affines_.traits(node.left)); break;
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
      absorb_values(traits, polynomials_.traits(node.left));
      absorb_values(traits, polynomials_.traits(node.right));
      break;
    case Condition::Kind::boolean: absorb(traits, generators_.traits(node.left)); break;
    case Condition::Kind::negation: absorb(traits, conditions_.traits(node.left)); break;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      for (const ConditionId part : node.parts) absorb(traits, conditions_.traits(part));
      break;
  }
  unfinished.done();
  return id;
}

MonomialId Arena::intern_monomial(Monomial monomial) {
  const auto [id, is_new] = monomials_.add(std::move(monomial));
  if (!is_new) return id;
  Unfinished unfinished(monomials_, id);
  spend(1);
  Traits& traits = monomials_.traits(id);
  bool zero_possible = false;
  traits.is_integer = true;
  for (const auto& [generator, exponent] : monomials_[id].factors) {
    absorb_values(traits, generators_.traits(generator));
    traits.is_integer &= generators_.traits(generator).is_integer && exponent > 0;
    zero_possible |= monomials_[id].factors.size() > 1;
  }
  // 0*inf
  if (traits.may_be_infinite && zero_possible) traits.may_be_nan = true;
  unfinished.done();
  return id;
}

PolynomialId Arena::intern_polynomial(Polynomial polynomial) {
  constexpr std::size_t kMaxTerms = 4000;
  constexpr std::size_t kMaxLimbs = 1024;  // of 64 bits: some 20,000 digits
  constexpr std::size_t kLimbsPerWork = 4;
  if (polynomial.terms.size() > kMaxTerms) throw GiveUp{"a polynomial with too many terms"};
  std::size_t all_limbs = 0;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    const std::size_t limbs = mpz_size(coefficient.get_num_mpz_t()) + mpz_size(coefficient.get_den_mpz_t());
    if (limbs > kMaxLimbs) throw GiveUp{"a number with too many digits"};
    all_limbs += limbs > 2 ? limbs - 2 : 0;
  }
  const auto [id, is_new] = polynomials_.add(std::move(polynomial));
  if (!is_new) return id;
  Unfinished unfinished(polynomials_, id);
  spend(1 + polynomials_[id].terms.size() + all_limbs / kLimbsPerWork);
  Traits& traits = polynomials_.traits(id);
  traits.is_integer = true;
  std::size_t infinite = 0;
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
    const Traits& factors = monomials_.traits(monomial);
    traits.is_integer &= factors.is_integer && coefficient.get_den() == 1;
    absorb(traits, factors);
    // 0*inf
    traits.may_be_nan |= factors.may_be_nan || (coefficient == 0 && factors.may_be_infinite);
    traits.may_be_infinite |= factors.may_be_infinite && coefficient != 0;
    infinite += factors.may_be_infinite && coefficient != 0 ? 1 : 0;
  }
  // inf - inf
  if (infinite > 1 && !is_below_infinity(id)) traits.may_be_nan = true;
  unfinished.done();
  return id;
}

GeneratorId Arena::intern_generator(Generator generator) {
  if (is_commutative(generator)) std::sort(generator.polynomials.begin(), generator.polynomials.end());
  const auto [id, is_new] = generators_.add(std::move(generator));
  if (!is_new) return id;
  Unfinished unfinished(generators_, id);
  spend(1);
  const Generator& node = generators_[id];
  // Traits outlive what is assumed just now.
  const Set ignoring(ignore_assumptions_, true);
  Traits traits;
  for (const ConditionId condition : node.conditions) absorb(traits, conditions_.traits(condition));
  bool all_integers = true;
  for (const PolynomialId polynomial : node.polynomials) {
    absorb_values(traits, polynomials_.traits(polynomial));
    all_integers &= polynomials_.traits(polynomial).is_integer;
  }
  // Conditions and polynomials stand inside what a reduction or a recurrence binds; subscripts stand outside.
  const auto remove_bound = [&] {
    traits.height += 1;
    std::erase_if(traits.variables, [&](VariableId v) {
      return v >= bound_variable(traits.height, 0) && v < bound_variable(traits.height + 1, 0);
    });
  };
  switch (node.kind) {
    case Generator::Kind::input:
      traits.is_integer = inputs[node.tag].is_integer;
      traits.may_be_infinite = inputs[node.tag].may_be_infinite;
      traits.may_be_nan = inputs[node.tag].may_be_nan;
      break;
    case Generator::Kind::definition:
      traits.may_be_infinite = definitions[node.tag].may_be_infinite;
      traits.may_be_nan = definitions[node.tag].may_be_nan;
      break;
    case Generator::Kind::self:
      traits.has_self = true;
      traits.is_integer = node.tag == static_cast<std::uint32_t>(SelfKind::integer);
      traits.may_be_infinite = traits.may_be_nan = node.tag == static_cast<std::uint32_t>(SelfKind::real);
      break;
    case Generator::Kind::integer:
      absorb(traits, atoms_.traits(node.tag));
      traits.is_integer = true;
      break;
    case Generator::Kind::infinity: traits.may_be_infinite = true; break;
    case Generator::Kind::inverse: traits.may_be_infinite = !sign(node.polynomials[0]).nonzero; break;
    case Generator::Kind::call:
      switch (static_cast<Function>(node.tag)) {
        case Function::log:
        case Function::rsqrt: {
          const Sign s = sign(node.polynomials[0]);
          if (!(s.nonnegative && s.nonzero)) traits.may_be_infinite = true;
          if (!s.nonnegative) traits.may_be_nan = true;
          break;
        }
        case Function::sqrt:
          if (!sign(node.polynomials[0]).nonnegative) traits.may_be_nan = true;
          break;
        case Function::sin:
        case Function::cos:
          if (traits.may_be_infinite) traits.may_be_nan = true;
          break;
        case Function::exp:
          if (is_below_infinity(node.polynomials[0])) traits.may_be_infinite = false;
          break;
        default: break;
      }
      break;
    case Generator::Kind::power: traits.may_be_infinite = traits.may_be_nan = true; break;
    case Generator::Kind::operation: set_operation_traits(node, traits); break;
    case Generator::Kind::tamed: traits.may_be_infinite = traits.may_be_nan = false; break;
    case Generator::Kind::conversion:
    case Generator::Kind::truth:
      traits.is_integer = true;
      traits.may_be_infinite = traits.may_be_nan = false;
      break;
    case Generator::Kind::extremum:
    case Generator::Kind::lump:
    case Generator::Kind::select: traits.is_integer = all_integers; break;
    case Generator::Kind::reduction: {
      const auto op = static_cast<ArithmeticOp>(node.tag);
      // An empty maximum is -inf; it may be empty where conditions decide.
      if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
        traits.may_be_infinite |= traits.may_be_nan || !is_filled(node, traits.height + 1);
      }
      if (traits.may_be_infinite && (op == ArithmeticOp::add || op == ArithmeticOp::multiply)) traits.may_be_nan = true;
      traits.is_integer = all_integers && !traits.is_wild();
      remove_bound();
      break;
    }
    case Generator::Kind::recurrence:
      // What the steps of a recurrence can reach is not followed.
      traits.is_integer = node.tag == 1;
      traits.may_be_infinite = traits.may_be_nan = !traits.is_integer;
      traits.has_self = false;
      remove_bound();
      break;
  }
  for (const AffineId subscript : node.subscripts) absorb(traits, affines_.traits(subscript));
  generators_.traits(id) = std::move(traits);
  unfinished.done();
  return id;
}

bool Arena::is_filled(const Generator& fold, std::uint32_t height) {
  if (fold.conditions.empty()) return true;
  for (const bool at_start : {true, false}) {
    Substitution place;
    for (std::size_t i = 0; i < fold.ranges.size(); ++i) {
      place[bound_variable(height, static_cast<std::uint32_t>(i))] =
          number(at_start ? fold.ranges[i].first : fold.ranges[i].second);
    }
    const bool holds = std::all_of(fold.conditions.begin(), fold.conditions.end(), [&](ConditionId condition) {
      return is_index_condition(condition) && truth(substitute_condition(condition, place)) == Truth::yes;
    });
    if (holds) return true;
  }
  return false;
}

VariableId Arena::new_variable(std::int64_t low, std::int64_t high) {
  if (ranges_.size() >= kFirstBound) throw GiveUp{"too many variables"};
  ranges_.push_back({low, high});
  first_ranges_.push_back({low, high});
  return static_cast<VariableId>(ranges_.size() - 1);
}

Interval Arena::range(VariableId variable) const {
  if (variable >= ranges_.size()) return Interval::everything();
  return ignore_assumptions_ ? first_ranges_[variable] : ranges_[variable];
}

Arena::Assumption::Assumption(Arena& arena, ConditionId condition)
    : arena_(arena), facts_(arena.facts_.size()), changes_(arena.changes_.size()), knowledge_(arena.knowledge_) {
  arena.add_fact(condition);
}

Arena::Assumption::~Assumption() {
  arena_.facts_.resize(facts_);
  while (arena_.changes_.size() > changes_) {
    const auto& [variable, interval] = arena_.changes_.back();
    arena_.ranges_[variable] = interval;
    arena_.changes_.pop_back();
  }
  arena_.knowledge_ = knowledge_;
}

void Arena::add_fact(ConditionId condition) {
  if (condition == always_) return;
  const Condition& node = conditions_[condition];
  if (node.kind == Condition::Kind::conjunction) {
    for (const ConditionId part : node.parts) add_fact(part);
    return;
  }
  if (std::find(facts_.begin(), facts_.end(), condition) != facts_.end()) return;
  facts_.push_back(condition);
  const auto next = static_cast<std::uint32_t>(knowledge_numbers_.size() + 1);
  knowledge_ = knowledge_numbers_.try_emplace({knowledge_, condition}, next).first->second;
  // Twice over all: what one fact narrows, another may use.
  for (int round = 0; round < 2; ++round) {
    for (const ConditionId fact : facts_) {
      const Condition& known = conditions_[fact];
      if (known.kind == Condition::Kind::nonnegative) narrow(affines_[known.left]);
      if (known.kind == Condition::Kind::zero) {
        narrow(affines_[known.left]);
        narrow(scaled(affines_[known.left], -1));
      }
    }
  }
}

void Arena::narrow(const Affine& nonnegative) {
  spend(1);
  for (const auto& [id, coefficient] : nonnegative.terms) {
    const Atom& node = atoms_[id];
    if (node.kind != Atom::Kind::variable || node.argument >= ranges_.size()) continue;
    // coefficient*v >= -(rest)
    const Interval rest = range(difference(nonnegative, scaled(Affine{{{id, 1}}, 0}, coefficient)));
    if (rest.high >= kWideLimit) continue;
    Interval& known = ranges_[node.argument];
    Interval better = known;
    if (coefficient > 0) {
      // v >= ceil(-rest.high / coefficient)
      const Interval bound = steptp::floor_quotient(Interval{rest.high, rest.high}, {coefficient, coefficient});
      better.low = std::max(better.low, -bound.low);
    } else {
      const Interval bound = steptp::floor_quotient(Interval{rest.high, rest.high}, {-coefficient, -coefficient});
      better.high = std::min(better.high, bound.low);
    }
    if (better.low > better.high || better == known) continue;  // an empty range says nothing that is needed
    changes_.emplace_back(node.argument, known);
    known = better;
  }
}

}  // namespace steptp::forms
