#include "steptp/prove/prove.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "steptp/prove/cells.h"
#include "steptp/prove/flow.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/hazards.h"
#include "steptp/prove/vacuous.h"
#include "steptp/prove/write_down.h"

namespace steptp {

namespace {

using namespace forms;  // NOLINT(google-build-using-namespace): this file is the layer's face

/// Programs that are constant by accident are small; of large ones it is enough to know what is read.
constexpr std::uint64_t kDependenceWork = 20'000;

/// The element functions of versions that two programs have in common.
class ValueNumbers {
 public:
  explicit ValueNumbers(Shared& shared) : shared_(shared) {}

  enum class Whose : std::uint8_t { before, after };

  /// Numbers a program's versions; what cannot be written down gets no number.
  Numbering number(Flow& flow, Whose role) {
    Numbering result;
    for (const Version& version : flow.versions()) {
      const auto& shape = flow.shape(version.tensor);
      const std::vector<Affine> element = shared_.subscripts(shape);
      try {
        const Value value = flow.value(version, element);
        if (value.kind != Value::Kind::real) continue;
        const VersionNumbers numbers = numbers_of(shape, value, role);
        flow.set_number(version, numbers);
        result.emplace(version, numbers.value);
      } catch (const GiveUp&) {
        continue;
      }
    }
    return result;
  }

  /// Numbers only what both programs have, as soon as it is found in the second one: what one program alone has
  /// between two such versions is looked through.
  std::pair<Numbering, Numbering> number_together(Flow& left, Flow& right) {
    Side sides[2] = {{left, left.versions(), Whose::before}, {right, right.versions(), Whose::after}};
    for (Side& side : sides) side.flow.forget_numbers();
    // Side by side, so that definitions are met before much has been built on them. Programs that have little in common
    // are looked through again and again, which ends here.
    constexpr std::uint64_t kMostWork = 200'000;
    const std::uint64_t start = shared_.arena.budget.work();
    while (sides[0].next < sides[0].versions.size() || sides[1].next < sides[1].versions.size()) {
      if (shared_.arena.budget.work() - start > kMostWork) break;
      const bool second = sides[1].share() < sides[0].share();
      look_at_next(sides[second ? 1 : 0], sides[second ? 0 : 1]);
    }
    for (Side& side : sides) side.flow.renew_recurrences();
    return {std::move(sides[0].numbers), std::move(sides[1].numbers)};
  }

  /// Shape and form of each number.
  [[nodiscard]] const std::map<std::uint32_t, std::pair<std::vector<std::int64_t>, Value>>& forms() const {
    return forms_;
  }

 private:
  using Form = std::pair<std::vector<std::int64_t>, PolynomialId>;
  struct Side {
    Flow& flow;
    std::vector<Version> versions;
    Whose role = Whose::before;
    std::size_t next = 0;
    std::map<Form, std::vector<std::pair<Version, Value>>> alone = {};  ///< not met in the other program yet
    Numbering numbers = {};
    /// How much of it has been looked at.
    [[nodiscard]] double share() const {
      return next == versions.size() ? 2 : static_cast<double>(next) / static_cast<double>(versions.size());
    }
    void set(const Version& version, VersionNumbers both) {
      flow.set_number(version, both);
      numbers.emplace(version, both.value);
    }
  };

  void look_at_next(Side& own, Side& other) {
    const Version version = own.versions[own.next++];
    const auto& shape = own.flow.shape(version.tensor);
    const std::vector<Affine> element = shared_.subscripts(shape);
    try {
      const Value value = own.flow.value(version, element);
      if (value.kind != Value::Kind::real) return;
      const Form form{shape, value.real};
      const auto others = other.alone.find(form);
      if (others == other.alone.end() && !met_.contains(form)) {
        own.alone[form].emplace_back(version, value);
        return;
      }
      // Where one program reads it in the nest that writes it, it has no name there: then it has none at all.
      bool is_seen_through = own.flow.is_read_where_written(version.tensor) || is_mask_of_indices(value.real);
      if (others != other.alone.end()) {
        for (const auto& [same, same_value] : others->second) {
          is_seen_through = is_seen_through || other.flow.is_read_where_written(same.tensor);
        }
      }
      if (is_seen_through) {
        own.alone[form].emplace_back(version, value);
        return;
      }
      met_.insert(form);
      const auto set_own = [&] { own.set(version, numbers_of(shape, value, own.role)); };
      if (others == other.alone.end()) return set_own();
      // What `before` cannot bear is known before `after` is looked at.
      if (own.role == Whose::before) set_own();
      for (const auto& [same, same_value] : others->second) {
        other.set(same, numbers_of(shape, same_value, other.role));
      }
      if (own.role == Whose::after) set_own();
      other.alone.erase(others);
    } catch (const GiveUp&) {
      return;
    }
  }

  /// Infinities that indices place, as a causal mask does: behind a name nobody could tell that no row is masked whole.
  bool is_mask_of_indices(PolynomialId form) {
    Arena& arena = shared_.arena;
    const auto generator = arena.as_generator(form);
    if (!generator || !arena.traits(form).may_be_infinite) return false;
    const Generator& node = arena.generator(*generator);
    return node.kind == Generator::Kind::select && arena.is_index_condition(node.conditions[0]);
  }

  /// Of its value, and of where it has none: programs with one value may differ in that. Where the element of `after`
  /// has no value only where that of `before` is NaN or has none, both are said to have none exactly there: more than
  /// is true of `after`, which is on the safe side.
  VersionNumbers numbers_of(const std::vector<std::int64_t>& shape, const Value& value, Whose role) {
    VersionNumbers numbers{number_of(shape, value), kHarmless};
    const auto number_hazard = [&](PolynomialId hazard) {
      return hazard == kHarmless ? kHarmless : number_of(shape, {Value::Kind::real, {}, hazard, 0});
    };
    Hazards hazards(shared_.arena);
    const auto excused = excuses_.find(numbers.value);
    if (role == Whose::before) {
      const PolynomialId excuse = hazards.united(value.hazard, hazards.of_nan(value.real));
      // Two versions of one value that differ in this excuse nothing.
      const bool is_new = excused == excuses_.end();
      if (is_new) excuses_.emplace(numbers.value, excuse);
      if (is_new) hazards_.emplace(numbers.value, value.hazard);
      if (!is_new && excused->second != excuse) {
        excused->second = kHarmless;
        shared_.arena.definitions[numbers.value].excuse.reset();
      }
    } else if (excused != excuses_.end() && value.hazard != kHarmless && excused->second != kHarmless &&
               value.hazard != hazards_[numbers.value] && hazards.includes(excused->second, value.hazard)) {
      numbers.hazard = number_hazard(excused->second);
      shared_.arena.definitions[numbers.value].excuse = numbers.hazard;
      return numbers;
    }
    numbers.hazard = number_hazard(value.hazard);
    return numbers;
  }

  std::uint32_t number_of(const std::vector<std::int64_t>& shape, const Value& value) {
    const auto next = static_cast<std::uint32_t>(shared_.arena.definitions.size());
    const auto [place, is_new] = numbers_.try_emplace({shape, value.real}, next);
    if (is_new) {
      forms_.emplace(place->second, std::pair(shape, value));
      const Traits& traits = shared_.arena.traits(value.real);
      shared_.arena.definitions.push_back({traits.may_be_infinite, traits.may_be_nan,
                                           shared_.arena.signs.sign(value.real),
                                           shared_.arena.maxima.is_below_infinity(value.real)});
    }
    return place->second;
  }

  Shared& shared_;
  std::set<Form> met_;  ///< in both programs
  std::map<Form, std::uint32_t> numbers_;
  std::map<std::uint32_t, PolynomialId> hazards_;  ///< by value: where `before` has no value
  std::map<std::uint32_t, PolynomialId> excuses_;  ///< by value: where `before` is NaN or has no value
  std::map<std::uint32_t, std::pair<std::vector<std::int64_t>, Value>> forms_;
};

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Value::Kind::real: return a.real == b.real;
    case Value::Kind::integer: return a.integer == b.integer;
    case Value::Kind::truth: return a.truth == b.truth;
  }
  return false;
}

/// One attempt, with whatever numbers the two flows have; empty where all outputs agree.
std::optional<std::string> compare_outputs(Shared& shared, Flow& before, Flow& after) {
  for (const Variable& variable : shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const std::vector<Affine> element = shared.subscripts(variable.shape);
    try {
      const Value left = before.output(variable.name, element);
      const Value right = after.output(variable.name, element);
      if (!same(left, right)) return "the normal forms of " + variable.name + " differ";
      Hazards hazards(shared.arena);
      PolynomialId excused = left.hazard;
      if (right.hazard != kHarmless && left.kind == Value::Kind::real) {
        excused = hazards.united(excused, hazards.of_nan(left.real));
      }
      if (!hazards.includes(excused, right.hazard)) {
        return "after may have no value in " + variable.name + " where before has one";
      }
    } catch (const GiveUp& given_up) {
      return given_up.reason;
    }
  }
  return std::nullopt;
}

void add_same_tensors(const Flow& before, const Numbering& left, const Flow& after, const Numbering& right,
                      std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [version, number] : left) {
    if (!before.is_last(version)) continue;
    for (const auto& [same, own] : right) {
      if (own == number && after.is_last(same)) out.emplace_back(version.tensor, same.tensor);
    }
  }
}

/// Shows what normal forms do not: every output cell by cell. The cells of each output, where that was so.
std::vector<std::vector<Cell>> compare_cells(Shared& shared, Flow& before, Flow& after, const ProofOptions& options,
                                             Proof& proof) {
  // Of programs that differ all this is in vain, and most that do not need few cells.
  constexpr std::uint64_t kMostWork = 150'000;
  shared.arena.budget.limit_work(kMostWork);
  CellComparison comparison(shared, before, after, options.seed, options.keep_forms);
  double chance = 0;
  std::vector<std::vector<Cell>> covers;
  for (const Variable& variable : shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const CellAnswer answer = comparison.compare(variable);
    if (!answer.agrees) {
      proof.reason = answer.reason;
      proof.before_form = answer.before_form;
      proof.after_form = answer.after_form;
      return {};
    }
    proof.cells += answer.cells;
    covers.push_back(answer.cover);
    chance += std::exp2(answer.bound_log2);
  }
  constexpr double kMostChance = 0x1p-40;
  if (chance > kMostChance) {
    proof.reason = "residues agree, but their bound is above 2^-40";
    return {};
  }
  proof.shown = true;
  proof.bound_log2 = std::log2(chance);
  return covers;
}

/// How far definitions are looked into: first each stands for itself, then those that both programs have, or none does.
enum class Depth : std::uint8_t { shared, whole };

struct Manner {
  Laws laws = Laws::order;
  Depth depth = Depth::shared;
  bool unrolls = false;             ///< see Flow
  bool overestimates_sums = false;  ///< of the second program, see Flow
  bool keeps_order = false;         ///< of sums that are done once, see Flow
};

/// One proof in one arena.
Proof attempt(const Program& before, const Program& after, std::uint64_t work, const Manner& manner,
              const ProofOptions& options) {
  constexpr std::uint64_t kLeastWork = 16;  // of an arena with nothing in it
  Proof proof;
  Arena arena(std::max(work, kLeastWork), manner.laws);
  std::set<Need> needs;
  arena.budget.stop = options.stop;
  if (options.keep_record) arena.needs = &needs;
  try {
    Shared shared(arena, before.signature);
    Flow left(shared, before, manner.unrolls);
    Flow right(shared, after, manner.unrolls);
    if (manner.overestimates_sums) right.overestimate_sums();
    if (manner.keeps_order) {
      if (!left.has_sums_done_once() && !right.has_sums_done_once()) return proof;
      left.keep_order_of_sums();
      right.keep_order_of_sums();
    }
    if (manner.unrolls && !left.has_roundabouts() && !right.has_roundabouts()) return proof;
    ValueNumbers numbers(shared);
    Numbering left_numbers;
    Numbering right_numbers;
    std::optional<std::string> difference;
    if (manner.depth == Depth::whole) {
      difference = compare_outputs(shared, left, right);
    } else {
      left_numbers = numbers.number(left, ValueNumbers::Whose::before);
      right_numbers = numbers.number(right, ValueNumbers::Whose::after);
      difference = compare_outputs(shared, left, right);
    }
    if (difference && manner.depth == Depth::shared) {
      add_same_tensors(left, left_numbers, right, right_numbers, proof.same_tensors);
      std::tie(left_numbers, right_numbers) = numbers.number_together(left, right);
      add_same_tensors(left, left_numbers, right, right_numbers, proof.same_tensors);
      difference = compare_outputs(shared, left, right);
    }
    proof.proved = !difference;
    if (difference) proof.reason = *difference;
    std::vector<std::vector<Cell>> covers;
    if (difference && manner.laws == Laws::all) covers = compare_cells(shared, left, right, options, proof);
    proof.work = arena.budget.work();
    if ((proof.proved || proof.shown) && options.keep_record) {
      proof.record = {{}, {}, {}, {}, true};  // unless it can be written down
      const ProofSource source{shared, left, right, numbers.forms(), left_numbers, right_numbers, needs};
      proof.record = proof.proved ? write_down(source) : write_down(source, covers);
      return proof;
    }
  } catch (const GiveUp& given_up) {
    proof.reason = given_up.reason;
  }
  proof.work = arena.budget.work();
  return proof;
}

/// By the order of sums and products alone where that is enough, because it costs less; otherwise by all laws.
template <typename ProofWith>
Proof proof_by_laws(const ProofWith& proof_with, const ProofOptions& options) {
  constexpr std::uint64_t kUnrolling = 300'000;
  // Whole programs are large, and what needs a look into all of them is seldom equal.
  constexpr std::uint64_t kPlainWhole = 400'000;
  constexpr std::uint64_t kWhole = 1'000'000;
  constexpr std::uint64_t kPlain = 600'000;
  if (Proof plain = proof_with({}, std::min(options.work / 2, kPlain)); plain.proved) return plain;
  Proof proof = proof_with({.laws = Laws::all}, options.work / 2);
  if (proof.proved || proof.shown) return proof;
  if (Proof plain = proof_with({.unrolls = true}, std::min(options.work, kUnrolling)); plain.proved) return plain;
  if (Proof plain = proof_with({.depth = Depth::whole}, std::min(options.work / 2, kPlainWhole)); plain.proved)
    return plain;
  if (proof.shown) return proof;
  Proof whole = proof_with({.laws = Laws::all, .depth = Depth::whole}, std::min(options.work, kWhole));
  whole.same_tensors = std::move(proof.same_tensors);
  return whole;
}

}  // namespace

Proof prove(const Program& before, const Program& after, const ProofOptions& options) {
  constexpr std::uint64_t kSecondLook = 50'000;
  std::uint64_t spent = 0;
  const auto proof_with = [&](const Manner& manner, std::uint64_t work) {
    Proof proof = attempt(before, after, work, manner, options);
    proof.is_as_written = proof.proved && manner.laws == Laws::as_written;
    proof.work = spent += proof.work;
    return proof;
  };
  constexpr std::uint64_t kAsWritten = 400'000;
  const std::uint64_t first_look = std::min(options.work / 2, kAsWritten);
  if (Proof written = proof_with({.laws = Laws::as_written}, first_look); written.proved) return written;
  Proof proof = proof_by_laws(proof_with, options);
  if (!proof.proved) return proof;
  // Equal, but are the operations the same, or is the bound of their errors no greater?
  const std::uint64_t second_look = std::min(options.work, kSecondLook);
  const Manner manners[] = {{.laws = Laws::as_written, .overestimates_sums = true},
                            {.laws = Laws::as_written, .unrolls = true},
                            {.laws = Laws::as_written, .keeps_order = true},
                            {.laws = Laws::as_written, .depth = Depth::whole},
                            {.laws = Laws::as_written, .depth = Depth::whole, .keeps_order = true},
                            {.laws = Laws::as_written, .depth = Depth::whole, .overestimates_sums = true}};
  for (const Manner& manner : manners) {
    if (Proof written = proof_with(manner, second_look); written.proved) return written;
  }
  proof.work = spent;
  return proof;
}

namespace {

/// Every tensor from which something flows into an output, by names alone.
std::set<std::string> reached_tensors(const Program& program) {
  const AccessTable table = collect_accesses(program);
  std::set<std::string> reached;
  for (const Variable& variable : program.signature.variables) {
    if (variable.role == Role::output) reached.insert(variable.name);
  }
  std::map<std::string_view, std::set<std::string_view>> sources;
  for (const Access& access : table.accesses) {
    sources[table.statements[access.statement].equation->left->tensor].insert(access.ref->tensor);
  }
  std::vector<std::string_view> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    for (const std::string_view source : sources[tensor]) {
      if (reached.emplace(source).second) open.push_back(source);
    }
  }
  return reached;
}

/// Nothing where it takes too long to find out.
void add_vacuous(Shared& shared, Flow& flow, std::vector<std::string>& out) {
  try {
    for (const Variable& variable : shared.signature.variables) {
      if (variable.role != Role::output) continue;
      std::vector<Affine> element;
      for (const VariableId id : shared.element(variable.shape)) element.push_back(shared.arena.affines.variable(id));
      const Value value = flow.output(variable.name, element);
      for (std::string& text : vacuous_texts(shared, variable, value)) out.push_back(std::move(text));
    }
  } catch (const GiveUp&) {
    out.clear();
  }
}

}  // namespace

Dependence depends_on(const Program& program, const ProofOptions& options) {
  Dependence result;
  Arena arena(std::min(options.work, kDependenceWork));
  std::set<std::uint32_t> found;
  try {
    Shared shared(arena, program.signature);
    Flow flow(shared, program);
    for (const Variable& variable : program.signature.variables) {
      if (variable.role != Role::output) continue;
      const std::vector<Affine> element = shared.subscripts(variable.shape);
      const Value value = flow.output(variable.name, element);
      switch (value.kind) {
        case Value::Kind::real: arena.occurrences.for_each_input(value.real, found); break;
        case Value::Kind::integer:
          arena.occurrences.for_each_input(arena.polynomials.integer(value.integer), found);
          break;
        case Value::Kind::truth:
          arena.occurrences.for_each_input(
              arena.choices.select(value.truth, arena.polynomials.constant(1), arena.polynomials.constant(0)), found);
          break;
      }
    }
    result.is_known = true;
    result.is_constant = true;
    for (const Variable& variable : program.signature.variables) {
      if (variable.role == Role::output) continue;
      if (!found.contains(*shared.known(variable.name))) {
        result.independent_of.push_back(variable.name);
      } else if (variable.role == Role::input) {
        result.is_constant = false;
      }
    }
    add_vacuous(shared, flow, result.vacuous);
  } catch (const GiveUp&) {
    // Too large to write down: what no output is computed from is still told apart.
    result = {};
    const std::set<std::string> reached = reached_tensors(program);
    for (const Variable& variable : program.signature.variables) {
      if (variable.role != Role::output && !reached.contains(variable.name)) {
        result.independent_of.push_back(variable.name);
      }
    }
  }
  result.work = arena.budget.work();
  return result;
}

}  // namespace steptp
