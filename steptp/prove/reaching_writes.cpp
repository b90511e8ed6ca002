// Which writes reach a read (docs/decisions/0011). For each statement that writes the tensor, its subscripts are solved
// for its loops, and the latest iteration before the reader, in the order of the sequential machine, is a candidate,
// under the conditions that remain. Candidates are put in order of time and become a choice; what was accumulated since
// is added. So overwriting in place, reuse of a buffer and shared memory need no special treatment. Where the order of
// two writes depends on indices in a way that is not decided, there is no form.
#include "steptp/prove/flow.h"

#include <algorithm>
#include <limits>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

constexpr int kMaxDepth = 400;
/// What solving a writer for an element costs beside the nodes it makes.
constexpr std::uint64_t kSolveCost = 16;

bool uses_variable(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& variable) { found = found || variable == name; });
  return found;
}

}  // namespace

void ReachingWrites::set_number(const Version& version, VersionNumbers numbers) {
  numbers_[version] = numbers;
  done_.clear();
}

/// What has a number is read as what the number stands for.
std::optional<Value> ReachingWrites::numbered(const ReadAt& read) {
  const auto number = numbers_.find({read.tensor, read.writers});
  if (number == numbers_.end()) return std::nullopt;
  Generator node{Generator::Kind::definition, number->second.value, {}, {}, {}, {}};
  for (const Affine& subscript : read.element) node.subscripts.push_back(arena_.intern(subscript));
  Value value{Value::Kind::real, {}, arena_.polynomials.generator(node), 0};
  if (number->second.hazard != kHarmless) {
    node.tag = number->second.hazard;
    value.hazard = hazards_.united(kHarmless, arena_.polynomials.generator(std::move(node)));
  }
  return value;
}

Value ReachingWrites::resolve(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                              const std::vector<Affine>& loops, std::size_t writers) {
  const std::vector<std::size_t>& all = writers_.of(tensor);
  // Writers in other top-level nests have finished or not begun.
  bool in_own_nest = false;
  if (reader != kEnd) {
    const std::uint32_t nest = table_.statements[reader].items[0];
    writers = writers_.up_to(all, nest);
    in_own_nest = writers != 0 && table_.statements[all[writers - 1]].items[0] == nest;
  }
  const ReadAt read{tensor, element, in_own_nest ? reader : kEnd, loops, writers};
  if (!in_own_nest) {
    if (const auto value = numbered(read)) return *value;
  }
  Key key{tensor, read.reader, writers, {}, {}, arena_.known.knowledge()};
  for (const Affine& subscript : element) key.element.push_back(arena_.intern(subscript));
  if (in_own_nest) {
    for (const Affine& loop : loops) key.loops.push_back(arena_.intern(loop));
  }
  if (const auto known = done_.find(key); known != done_.end()) return known->second;
  if (++depth_ > kMaxDepth) throw GiveUp{"definitions nested too deeply"};
  arena_.budget.spend(8);
  Candidates candidates = candidates_of(read);
  sort_latest_first(candidates.writes);
  expect_begun(candidates, read);
  const Value result = chosen(candidates, read);
  --depth_;
  done_.emplace(std::move(key), result);
  return result;
}

ReachingWrites::Candidates ReachingWrites::candidates_of(const ReadAt& read) {
  const std::vector<std::size_t>& all = writers_.of(read.tensor);
  Candidates found;
  bool surely = false;  // the nests looked at so far write the element, whatever was there before
  for (std::size_t i = read.writers; i-- > 0;) {
    const Statement& writer = table_.statements[all[i]];
    if (surely && writer.items[0] != table_.statements[all[i + 1]].items[0]) break;
    if (writer.accumulates) {
      found.accumulates = true;
    } else if (auto candidate = latest(all[i], read.element, read.reader, read.loops)) {
      const Truth truth = arena_.known.truth(candidate->condition);
      surely = surely || truth == Truth::yes;
      if (truth != Truth::no) {
        found.writes.push_back(std::move(*candidate));
      } else if (candidate->outer_rounds != 0) {
        found.not_in_round.push_back(std::move(*candidate));
      }
    }
  }
  return found;
}

/// A buffer whose places are used in turn must have been begun in the round of the outer loops at hand.
void ReachingWrites::expect_begun(const Candidates& candidates, const ReadAt& read) {
  const std::vector<CandidateWrite>& writes = candidates.writes;
  const auto expect = [&](const CandidateWrite& rotating, std::size_t first_earlier) {
    if (!is_begun_in_round(rotating, {writes.begin() + static_cast<std::ptrdiff_t>(first_earlier), writes.end()},
                           read.loops)) {
      throw GiveUp{"a buffer that may be left from an earlier round of an outer loop"};
    }
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (writes[i].outer_rounds == 0 || arena_.known.truth(writes[i].condition) == Truth::yes) continue;
    expect(writes[i], i + 1);
  }
  for (const CandidateWrite& rotating : candidates.not_in_round) expect(rotating, 0);
}

/// From the latest write down: each counts where its condition holds and no later one does. The last needs no
/// condition, because `check` found every read defined.
Value ReachingWrites::chosen(const Candidates& candidates, const ReadAt& read) {
  const std::vector<CandidateWrite>& writes = candidates.writes;
  const auto value_after = [&](const CandidateWrite* base) {
    return parts_.accumulations.accumulated(read.tensor, read.element, read.reader, read.loops, base, read.writers);
  };
  std::vector<std::pair<ConditionId, Value>> choices;
  std::vector<ConditionId> excluded;
  bool closed = false;
  for (std::size_t i = 0; i < writes.size() && !closed; ++i) {
    const bool is_last = i + 1 == writes.size() && !candidates.accumulates;
    const ConditionId condition = writes[i].condition;
    closed = is_last || arena_.known.truth(condition) == Truth::yes;
    // Before the condition is assumed: under it, its opposite would be simplified to never.
    const ConditionId opposite = arena_.conditions.negation(condition);
    const Assumption others(arena_, arena_.conditions.conjunction(excluded));
    const Assumption here(arena_, condition);
    choices.emplace_back(condition, value_after(&writes[i]));
    excluded.push_back(opposite);
  }
  if (!closed) {
    if (!candidates.accumulates) throw GiveUp{"a read that nothing reaches"};
    const Assumption others(arena_, arena_.conditions.conjunction(excluded));
    choices.emplace_back(arena_.conditions.always(), value_after(nullptr));
  }
  const DType dtype = table_.tensors.at(read.tensor).dtype;
  Value result = choices.back().second;
  for (std::size_t i = choices.size() - 1; i-- > 0;) {
    const PolynomialId hazard = hazards_.chosen(choices[i].first, choices[i].second.hazard, result.hazard);
    result = parts_.conversions.choose(choices[i].first, choices[i].second, result, dtype);
    result.hazard = hazard;
  }
  return result;
}

std::optional<CandidateWrite> ReachingWrites::latest(std::size_t writer, const std::vector<Affine>& element,
                                                     std::size_t reader, const std::vector<Affine>& loops) {
  const Place where = place(writer, reader);
  if (where.shared_loops == 0 && !where.before) return std::nullopt;
  arena_.budget.spend(kSolveCost);
  if (auto candidate = rotating(writer, element, where, loops)) return candidate;
  SolvedWrite solved = solve(writer, element);
  Substitution chosen;
  const auto give_last = [&](VariableId id) {
    chosen[id] = Affine::number(static_cast<std::int64_t>(arena_.known.range(id).high));
  };
  bool strictly_before = false;
  std::vector<std::size_t> stepped;  // shared loops that could also have an earlier value
  for (std::size_t i = 0; i < where.shared_loops && !strictly_before; ++i) {
    if (solved.is_partial[i]) throw GiveUp{"a shared loop of which a subscript determines a part"};
    if (solved.free[i]) {
      chosen[*solved.free[i]] = loops[i];
      stepped.push_back(i);
      continue;
    }
    const auto relation = order(solved.loops[i], loops[i]);
    if (!relation) throw GiveUp{"an order of writes that depends on indices"};
    if (*relation > 0) {
      // Only an earlier value of a loop outside could make up for it.
      if (!stepped.empty()) throw GiveUp{"a write that belongs to an earlier round of an outer loop"};
      return std::nullopt;
    }
    if (*relation < 0) strictly_before = true;
  }
  std::vector<ConditionId> conditions;
  if (!strictly_before && !where.before) {
    // Not before the reader in the same round: the round before, of the innermost loop that has one.
    bool found = false;
    while (!stepped.empty() && !found) {
      const std::size_t level = stepped.back();
      stepped.pop_back();
      const Affine previous = Affine::sum(loops[level], Affine::number(-1));
      const ConditionId exists = arena_.conditions.nonnegative(previous);
      if (exists == arena_.conditions.never()) {
        give_last(*solved.free[level]);
        continue;
      }
      if (exists != arena_.conditions.always() && !stepped.empty()) throw GiveUp{"a first round inside an outer loop"};
      conditions.push_back(exists);
      chosen[*solved.free[level]] = previous;
      found = true;
    }
    if (!found) return std::nullopt;
  }
  return with_last_rounds(writer, solved, std::move(chosen), std::move(conditions));
}

CandidateWrite ReachingWrites::with_last_rounds(std::size_t writer, const SolvedWrite& solved, Substitution chosen,
                                                std::vector<ConditionId> conditions) {
  std::vector<VariableId> last;
  for (const VariableId id : solved.unknown) {
    if (chosen.contains(id)) continue;
    chosen[id] = Affine::number(static_cast<std::int64_t>(arena_.known.range(id).high));
    last.push_back(id);
    // A guard of the form v <= constant moves the last round.
    for (const ConditionId condition : solved.conditions) {
      const Condition& node = arena_.condition(condition);
      if (node.kind != Condition::Kind::nonnegative) continue;
      const Affine& bound = arena_.affine(node.left);
      if (Affine::sum(bound, arena_.affines.variable(id)).is_constant()) {
        chosen[id] = Affine::number(std::min(chosen[id].constant, bound.constant));
      }
    }
  }
  for (const ConditionId condition : solved.conditions) {
    const ConditionId here = arena_.substitute.condition(condition, chosen);
    const auto& used = arena_.traits_of_condition(condition).variables;
    const bool on_last = std::any_of(last.begin(), last.end(),
                                     [&](VariableId id) { return std::binary_search(used.begin(), used.end(), id); });
    const bool on_chosen = std::any_of(used.begin(), used.end(), [&](VariableId id) { return chosen.contains(id); });
    // Where a guard stops the last round, an earlier one may have written.
    if ((on_last || on_chosen) && arena_.known.truth(here) != Truth::yes) {
      throw GiveUp{"a guard that decides which round wrote last"};
    }
    conditions.push_back(here);
  }
  CandidateWrite candidate{writer, {}, arena_.conditions.conjunction(conditions)};
  for (const Affine& loop : solved.loops) candidate.loops.push_back(arena_.substitute.affine(loop, chosen));
  return candidate;
}

std::optional<CandidateWrite> ReachingWrites::rotating(std::size_t writer, const std::vector<Affine>& element,
                                                       const Place& where, const std::vector<Affine>& loops) {
  constexpr std::int64_t kMostPlaces = 8;
  if (where.shared_loops == 0) return std::nullopt;
  const Statement& statement = table_.statements[writer];
  const std::size_t inner = where.shared_loops - 1;
  const std::string& name = statement.loops[inner]->index;
  const auto& subscripts = statement.equation->left->subscripts;
  const bool takes_turns = std::any_of(subscripts.begin(), subscripts.end(), [&](const Index& subscript) {
    return std::any_of(subscript.terms().begin(), subscript.terms().end(), [&](const IndexTerm& term) {
      const auto* turn = term.factors.size() == 1 ? std::get_if<FloorRemainder>(&term.factors[0]) : nullptr;
      return turn && uses_variable(*turn->dividend, name);
    });
  });
  if (!takes_turns) return std::nullopt;
  std::map<std::size_t, Affine> fixed;
  for (std::size_t i = 0; i < inner; ++i) fixed[i] = loops[i];
  // From the reader's own round backwards: the first round that writes this place, all later ones write others.
  for (std::int64_t back = where.before ? 0 : 1; back <= kMostPlaces; ++back) {
    const Affine round = Affine::sum(loops[inner], Affine::number(-back));
    fixed[inner] = round;
    const SolvedWrite solved = solve(writer, element, fixed);
    const ConditionId exists = arena_.conditions.nonnegative(round);
    const Assumption assumed(arena_, exists);
    Truth writes = Truth::yes;
    for (const ConditionId condition : solved.conditions) {
      const auto& used = arena_.traits_of_condition(condition).variables;
      const bool is_open = std::any_of(solved.unknown.begin(), solved.unknown.end(),
                                       [&](VariableId id) { return std::binary_search(used.begin(), used.end(), id); });
      const Truth one = is_open ? Truth::maybe : arena_.known.truth(condition);
      if (one == Truth::no) writes = Truth::no;
      if (one == Truth::maybe && writes == Truth::yes) writes = Truth::maybe;
    }
    if (writes == Truth::no) continue;
    if (writes == Truth::maybe) return std::nullopt;
    CandidateWrite candidate = with_last_rounds(writer, solved, {}, {exists});
    candidate.outer_rounds = inner;
    return candidate;
  }
  return std::nullopt;
}

bool ReachingWrites::is_begun_in_round(const CandidateWrite& rotating, const std::vector<CandidateWrite>& earlier,
                                       const std::vector<Affine>& loops) {
  const Assumption without_it(arena_, arena_.conditions.negation(rotating.condition));
  const auto is_in_this_round = [&](const CandidateWrite& other) {
    if (arena_.known.truth(other.condition) != Truth::yes) return false;
    if (place(other.statement, rotating.statement).shared_loops < rotating.outer_rounds) return false;
    for (std::size_t loop = 0; loop < rotating.outer_rounds; ++loop) {
      if (order(other.loops[loop], loops[loop]) != 0) return false;
    }
    return true;
  };
  return std::any_of(earlier.begin(), earlier.end(), is_in_this_round);
}

void ReachingWrites::sort_latest_first(std::vector<CandidateWrite>& candidates) {
  // Not a library sort: the order of writes that never meet is of no matter, and need not be transitive.
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
    std::size_t latest = i;
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (is_later(candidates[j], candidates[latest])) latest = j;
    }
    std::rotate(candidates.begin() + static_cast<std::ptrdiff_t>(i),
                candidates.begin() + static_cast<std::ptrdiff_t>(latest),
                candidates.begin() + static_cast<std::ptrdiff_t>(latest) + 1);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (is_later(candidates[j], candidates[i])) throw GiveUp{"writes without an order"};
    }
  }
}

bool ReachingWrites::is_later(const CandidateWrite& left, const CandidateWrite& right) {
  const Place where = place(left.statement, right.statement);
  for (std::size_t i = 0; i < where.shared_loops; ++i) {
    const auto relation = order(left.loops[i], right.loops[i]);
    if (!relation) {
      const Assumption assumed(arena_, left.condition);
      if (arena_.known.truth(right.condition) == Truth::no) return false;
      throw GiveUp{"two writes whose order depends on indices"};
    }
    if (*relation != 0) return *relation > 0;
  }
  return left.statement != right.statement && !where.before;
}

}  // namespace steptp::forms
