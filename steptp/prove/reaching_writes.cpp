// Which writes reach a read: the last before it that surely ran, and what was accumulated since.
#include <algorithm>

#include "steptp/prove/flow.h"
#include "steptp/prove/give_up.h"
#include "steptp/structure/types.h"

namespace steptp::forms {

namespace {

constexpr int kMaxDepth = 400;
/// What solving a writer for an element costs beside the nodes it makes.
constexpr std::uint64_t kSolveCost = 16;

/// Converting to an integer type after every step is the same as once at the end only where nothing is lost on the
/// way: a float is truncated each time, and a maximum taken in a wider type may leave the narrower one.
bool stays_in_type(const Statement& statement, DType dtype) {
  const auto type = type_of(*statement.equation->right);
  if (!type || !is_integer(type->dtype)) return false;
  const bool wraps = *statement.accumulates == ArithmeticOp::add || *statement.accumulates == ArithmeticOp::multiply;
  return wraps || type->dtype == dtype;
}

bool uses_variable(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& variable) { found = found || variable == name; });
  return found;
}

}  // namespace

Flow::Place Flow::place(std::size_t first, std::size_t second) const {
  if (second == kEnd) return {0, true};
  const Statement& a = table_.statements[first];
  const Statement& b = table_.statements[second];
  Place result;
  std::size_t level = 0;
  const std::size_t limit = std::min(a.nests.size(), b.nests.size());
  while (level < limit && a.nests[level] == b.nests[level] && a.items[level] == b.items[level]) {
    result.shared_loops += a.nests[level]->loops.size();
    ++level;
  }
  // Of one statement with itself: an iteration is not before itself.
  result.before = first != second && a.items[level] < b.items[level];
  return result;
}

std::optional<int> Flow::order(const Affine& left, const Affine& right) {
  const Interval gap = arena_.known.range(Affine::difference(left, right));
  if (gap.is_point() && gap.low == 0) return 0;
  if (gap.high < 0) return -1;
  if (gap.low > 0) return 1;
  return std::nullopt;
}

Value Flow::resolve(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                    const std::vector<Affine>& loops, std::size_t writers) {
  const std::vector<std::size_t>& all = writers_[tensor];
  // Writers in other top-level nests have finished or not begun.
  bool in_own_nest = false;
  if (reader != kEnd) {
    const std::uint32_t nest = table_.statements[reader].items[0];
    writers = writers_up_to(all, nest);
    in_own_nest = writers != 0 && table_.statements[all[writers - 1]].items[0] == nest;
  }
  if (!in_own_nest) {
    if (const auto number = numbers_.find({tensor, writers}); number != numbers_.end()) {
      Generator node{Generator::Kind::definition, number->second.value, {}, {}, {}, {}};
      for (const Affine& subscript : element) node.subscripts.push_back(arena_.intern(subscript));
      Value value{Value::Kind::real, {}, arena_.polynomials.generator(node), 0};
      if (number->second.hazard != kHarmless) {
        node.tag = number->second.hazard;
        value.hazard = hazards_.united(kHarmless, arena_.polynomials.generator(std::move(node)));
      }
      return value;
    }
  }
  Key key{tensor, in_own_nest ? reader : kEnd, writers, {}, {}, arena_.known.knowledge()};
  for (const Affine& subscript : element) key.element.push_back(arena_.intern(subscript));
  if (in_own_nest) {
    for (const Affine& loop : loops) key.loops.push_back(arena_.intern(loop));
  }
  if (const auto known = done_.find(key); known != done_.end()) return known->second;
  if (++depth_ > kMaxDepth) throw GiveUp{"definitions nested too deeply"};
  arena_.budget.spend(8);

  std::vector<Candidate> candidates;
  std::vector<Candidate> not_in_round;  // that wrote in an earlier round of an outer loop, if at all
  bool accumulates = false;
  bool surely = false;  // the nests looked at so far write the element, whatever was there before
  for (std::size_t i = writers; i-- > 0;) {
    const Statement& writer = table_.statements[all[i]];
    if (surely && writer.items[0] != table_.statements[all[i + 1]].items[0]) break;
    if (writer.accumulates) {
      accumulates = true;
    } else if (auto candidate = latest(all[i], element, in_own_nest ? reader : kEnd, loops)) {
      const Truth truth = arena_.known.truth(candidate->condition);
      surely = surely || truth == Truth::yes;
      if (truth != Truth::no) {
        candidates.push_back(std::move(*candidate));
      } else if (candidate->outer_rounds != 0) {
        not_in_round.push_back(std::move(*candidate));
      }
    }
  }
  sort_latest_first(candidates);
  const auto expect_begun = [&](const Candidate& rotating, std::size_t first_earlier) {
    if (!is_begun_in_round(
            rotating, {candidates.begin() + static_cast<std::ptrdiff_t>(first_earlier), candidates.end()}, loops)) {
      throw GiveUp{"a buffer that may be left from an earlier round of an outer loop"};
    }
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].outer_rounds == 0 || arena_.known.truth(candidates[i].condition) == Truth::yes) continue;
    expect_begun(candidates[i], i + 1);
  }
  for (const Candidate& rotating : not_in_round) expect_begun(rotating, 0);
  const DType dtype = table_.tensors.at(tensor).dtype;
  // From the latest write down: each counts where its condition holds and no later one does. The last needs no
  // condition, because `check` found every read defined.
  std::vector<std::pair<ConditionId, Value>> choices;
  const std::size_t from = in_own_nest ? reader : kEnd;
  std::vector<ConditionId> excluded;
  bool closed = false;
  for (std::size_t i = 0; i < candidates.size() && !closed; ++i) {
    const bool is_last = i + 1 == candidates.size() && !accumulates;
    const ConditionId condition = candidates[i].condition;
    closed = is_last || arena_.known.truth(condition) == Truth::yes;
    // Before the condition is assumed: under it, its opposite would be simplified to never.
    const ConditionId opposite = arena_.conditions.negation(condition);
    const Assumption others(arena_, arena_.conditions.conjunction(excluded));
    const Assumption here(arena_, condition);
    choices.emplace_back(condition, accumulated(tensor, element, from, loops, &candidates[i], writers));
    excluded.push_back(opposite);
  }
  if (!closed) {
    if (!accumulates) throw GiveUp{"a read that nothing reaches"};
    const Assumption others(arena_, arena_.conditions.conjunction(excluded));
    choices.emplace_back(arena_.conditions.always(), accumulated(tensor, element, from, loops, nullptr, writers));
  }
  Value result = choices.back().second;
  for (std::size_t i = choices.size() - 1; i-- > 0;) {
    const PolynomialId hazard = hazards_.chosen(choices[i].first, choices[i].second.hazard, result.hazard);
    result = choose(choices[i].first, choices[i].second, result, dtype);
    result.hazard = hazard;
  }
  --depth_;
  done_.emplace(std::move(key), result);
  return result;
}

std::optional<Flow::Candidate> Flow::latest(std::size_t writer, const std::vector<Affine>& element, std::size_t reader,
                                            const std::vector<Affine>& loops) {
  const Place where = place(writer, reader);
  if (where.shared_loops == 0 && !where.before) return std::nullopt;
  arena_.budget.spend(kSolveCost);
  if (auto candidate = rotating(writer, element, where, loops)) return candidate;
  Solved solved = solve(writer, element);
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

Flow::Candidate Flow::with_last_rounds(std::size_t writer, const Solved& solved, Substitution chosen,
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
  Candidate candidate{writer, {}, arena_.conditions.conjunction(conditions)};
  for (const Affine& loop : solved.loops) candidate.loops.push_back(arena_.substitute.affine(loop, chosen));
  return candidate;
}

std::optional<Flow::Candidate> Flow::rotating(std::size_t writer, const std::vector<Affine>& element,
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
    const Solved solved = solve(writer, element, fixed);
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
    Candidate candidate = with_last_rounds(writer, solved, {}, {exists});
    candidate.outer_rounds = inner;
    return candidate;
  }
  return std::nullopt;
}

bool Flow::is_begun_in_round(const Candidate& rotating, const std::vector<Candidate>& earlier,
                             const std::vector<Affine>& loops) {
  const Assumption without_it(arena_, arena_.conditions.negation(rotating.condition));
  const auto is_in_this_round = [&](const Candidate& other) {
    if (arena_.known.truth(other.condition) != Truth::yes) return false;
    if (place(other.statement, rotating.statement).shared_loops < rotating.outer_rounds) return false;
    for (std::size_t loop = 0; loop < rotating.outer_rounds; ++loop) {
      if (order(other.loops[loop], loops[loop]) != 0) return false;
    }
    return true;
  };
  return std::any_of(earlier.begin(), earlier.end(), is_in_this_round);
}

void Flow::sort_latest_first(std::vector<Candidate>& candidates) {
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

bool Flow::is_later(const Candidate& left, const Candidate& right) {
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

std::vector<Flow::Piece> Flow::pieces(std::size_t writer, const std::vector<Affine>& element, std::size_t reader,
                                      const std::vector<Affine>& loops, const Candidate* base) {
  const Place to_reader = place(writer, reader);
  if (to_reader.shared_loops == 0 && !to_reader.before) return {};
  arena_.budget.spend(kSolveCost);
  const Solved solved = solve(writer, element);
  Substitution fixed;
  const auto current = [&](std::size_t level) { return arena_.substitute.affine(solved.loops[level], fixed); };

  if (base) {
    // Only rounds after the base's own write count. Where the base wrote in the last round that the reader can see,
    // the writer's rounds are those of the same round.
    const Place from_base = place(base->statement, writer);
    bool after = from_base.before;
    for (std::size_t i = 0; i < from_base.shared_loops; ++i) {
      if (solved.is_partial[i]) throw GiveUp{"a shared loop of which a subscript determines a part"};
      if (solved.free[i]) {
        const bool reader_shares = i < to_reader.shared_loops;
        const Affine bound = reader_shares ? loops[i] : Affine::number(table_.statements[writer].loops[i]->extent - 1);
        if (order(base->loops[i], bound) != 0) throw GiveUp{"a base that is not of the last round"};
        fixed[*solved.free[i]] = base->loops[i];
        continue;
      }
      const auto relation = order(solved.loops[i], base->loops[i]);
      if (!relation) throw GiveUp{"two writes whose order depends on indices"};
      if (*relation < 0) return {};
      if (*relation > 0) {
        after = true;
        break;
      }
    }
    if (!after) return {};
  }

  std::vector<Piece> result;
  std::vector<ConditionId> equal;  // the rounds so far are those of the reader
  const auto emit = [&](std::optional<ConditionId> more) {
    Piece piece;
    piece.conditions = equal;
    if (more) piece.conditions.push_back(*more);
    for (const ConditionId condition : solved.conditions) {
      piece.conditions.push_back(arena_.substitute.condition(condition, fixed));
    }
    for (const Affine& loop : solved.loops) piece.loops.push_back(arena_.substitute.affine(loop, fixed));
    for (const VariableId id : solved.unknown) {
      if (!fixed.contains(id)) piece.free.push_back(id);
    }
    result.push_back(std::move(piece));
  };
  for (std::size_t i = 0; i < to_reader.shared_loops; ++i) {
    if (solved.is_partial[i]) throw GiveUp{"a shared loop of which a subscript determines a part"};
    const Affine here = current(i);
    const auto relation = order(here, loops[i]);
    if (relation && *relation > 0) return result;
    if (relation && *relation < 0) {
      emit(std::nullopt);
      return result;
    }
    if (relation) continue;
    emit(arena_.conditions.nonnegative(Affine::sum(Affine::difference(loops[i], here), Affine::number(-1))));
    if (solved.free[i] && !fixed.contains(*solved.free[i])) {
      fixed[*solved.free[i]] = loops[i];
    } else {
      equal.push_back(arena_.conditions.zero(Affine::difference(loops[i], here)));
    }
  }
  if (to_reader.before) emit(std::nullopt);
  return result;
}

Value Flow::killed(const Candidate& candidate) { return right_side(candidate.statement, candidate.loops, false); }

Value Flow::accumulated(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                        const std::vector<Affine>& loops, const Candidate* base, std::size_t writers) {
  const std::vector<std::size_t>& all = writers_[tensor];
  std::optional<Value> start;
  if (base) start = is_cyclic_[base->statement] ? recurrence(*base, element) : killed(*base);
  PolynomialId hazard = start ? start->hazard : kHarmless;
  std::optional<PolynomialId> total;
  std::optional<ArithmeticOp> previous_op;
  std::vector<std::size_t> used;
  std::vector<std::size_t> once;      // of these, the ones with a single round
  bool is_written = base != nullptr;  // whatever the element
  for (std::size_t w = 0; w < writers; ++w) {
    const std::size_t writer = all[w];
    const Statement& statement = table_.statements[writer];
    if (!statement.accumulates) continue;
    const std::vector<Piece> found = pieces(writer, element, reader, loops, base);
    if (found.empty()) continue;
    const DType dtype = table_.tensors.at(tensor).dtype;
    if (dtype == DType::boolean) throw GiveUp{"a fold of bools"};
    if (!is_float(dtype) && !stays_in_type(statement, dtype)) throw GiveUp{"a fold that is rounded at every step"};
    if (is_cyclic_[writer]) throw GiveUp{"a fold inside a recurrence"};
    const ArithmeticOp op = *statement.accumulates;
    if (previous_op && *previous_op != op) {
      // One fold after the other: only where their rounds do not alternate.
      for (const std::size_t other : used) {
        if (place(other, writer).shared_loops != 0) throw GiveUp{"two kinds of folds that alternate"};
      }
      // Where the first has no rounds the element is undefined, and the second begins with an identity of its own.
      if (!is_written) throw GiveUp{"two kinds of folds on parts of a tensor"};
      // What comes next, a maximum say, sees the sum as its type holds it.
      if (total && !is_float(dtype))
        total = arena_.polynomials.integer(arena_.affines.wrapped(integer_of(*total).integer, dtype));
    }
    used.push_back(writer);
    if (!total) total = start ? std::optional(to_real(*start)) : std::nullopt;
    const bool is_written_sum = keeps_operations() && is_float(dtype) && op == ArithmeticOp::add;
    const bool is_written_product = keeps_operations() && is_float(dtype) && op == ArithmeticOp::multiply;
    const bool has_more = total.has_value() || found.size() > 1 || previous_op.has_value();
    if (is_written_product && has_more) throw GiveUp{"a product whose order counts"};
    if (keeps_operations() && is_float(dtype) && previous_op && *previous_op != op)
      throw GiveUp{"folds whose order counts"};
    const bool is_sole = !base && writers == 1 && found.size() == 1;
    // Without a loop of its own it is no accumulation over rounds: its sums are as they are written, in their order.
    const bool is_once = is_written_sum && keeps_order_of_sums_ &&
                         std::any_of(found.begin(), found.end(), [](const Piece& piece) { return piece.free.empty(); });
    if (is_once) {
      const bool is_after_all =
          std::all_of(used.begin(), used.end() - 1, [&](std::size_t other) { return comes_before(other, writer); });
      if (found.size() > 1 || !is_after_all) throw GiveUp{"rounds whose order counts"};
    } else if (total && is_written_sum) {
      if (!std::all_of(once.begin(), once.end(), [&](std::size_t other) { return comes_before(other, writer); }))
        throw GiveUp{"rounds whose order counts"};
      total = as_term(*total, dtype);
    }
    if (is_once) once.push_back(writer);
    for (const Piece& piece : found) {
      std::vector<ConditionId> conditions = piece.conditions;
      if (is_sole) {
        // The read is defined, so the element is written: what does not depend on the fold's own loops holds.
        std::erase_if(conditions, [&](ConditionId condition) {
          const auto& names = arena_.traits_of_condition(condition).variables;
          return std::none_of(piece.free.begin(), piece.free.end(),
                              [&](VariableId id) { return std::binary_search(names.begin(), names.end(), id); });
        });
      }
      PolynomialId term = 0;
      const ConditionId where = arena_.conditions.conjunction(conditions);
      if (where == arena_.conditions.never()) continue;
      is_written |= where == arena_.conditions.always();
      PolynomialId hazard_of_term = kHarmless;
      {
        const Assumption assumed(arena_, where);
        // Also where the value is made of the parts of the sum: it says where the round has no value.
        const Value added = right_side(writer, piece.loops, true);
        hazard_of_term = added.hazard;
        if (!is_written_sum) term = to_real(added);
        if (is_written_product) term = in_order(term, writer, piece);
      }
      hazard = hazards_.united(hazard, hazards_.anywhere(piece.free, where, hazard_of_term));
      // The least integer, not -inf, is what an empty maximum of integers gives.
      if (!is_float(dtype) && (op == ArithmeticOp::max || op == ArithmeticOp::min) &&
          where != arena_.conditions.always()) {
        throw GiveUp{"a maximum of integers that may be empty"};
      }
      if (is_once) {
        total = written_once(writer, piece, where, total);
        continue;
      }
      const PolynomialId folded = is_written_sum ? written_rounds(writer, piece, where)
                                                 : arena_.reductions.reduce(op, piece.free, {where}, term);
      if (!total) {
        total = folded;
      } else if (op == ArithmeticOp::add) {
        total = arena_.polynomials.add(*total, folded);
      } else if (op == ArithmeticOp::multiply) {
        total = arena_.polynomials.multiply(*total, folded);
      } else {
        total = arena_.choices.extremum(op == ArithmeticOp::max, {*total, folded});
      }
    }
    previous_op = op;
  }
  if (total) {
    const DType dtype = table_.tensors.at(tensor).dtype;
    const bool is_written_sum =
        keeps_operations() && (previous_op == ArithmeticOp::add || previous_op == ArithmeticOp::multiply);
    if (is_float(dtype)) {
      return {Value::Kind::real, {}, is_written_sum ? without_terms(*total, dtype) : *total, 0, hazard};
    }
    // Wrapping at each step or once at the end is the same for + and *; max and min do not leave the type.
    return {Value::Kind::integer, arena_.affines.wrapped(integer_of(*total).integer, dtype), 0, 0, hazard};
  }
  if (!start) throw GiveUp{"a read that nothing reaches"};
  return *start;
}

}  // namespace steptp::forms
