// Accumulations as folds (docs/decisions/0011, 0040). Since the last plain write of an element, `D += x` may have run
// in many rounds. Those that a read can see are described in pieces: the rounds before the reader's own in a shared
// loop, and so on inwards; each piece becomes a fold over its free loops. As written, sums may come in any order of
// their rounds, and everything whose order counts gives up.
#include "steptp/prove/flow.h"

#include <algorithm>

#include "steptp/prove/give_up.h"
#include "steptp/structure/types.h"

namespace steptp::forms {

namespace {

constexpr std::uint64_t kSolveCost = 16;  ///< what solving a writer for an element costs beside the nodes it makes

/// Converting to an integer type after every step is the same as once at the end only where nothing is lost on the
/// way: a float is truncated each time, and a maximum taken in a wider type may leave the narrower one.
bool stays_in_type(const Statement& statement, DType dtype) {
  const auto type = type_of(*statement.equation->right);
  if (!type || !is_integer(type->dtype)) return false;
  const bool wraps = *statement.accumulates == ArithmeticOp::add || *statement.accumulates == ArithmeticOp::multiply;
  return wraps || type->dtype == dtype;
}

}  // namespace

/// Fixes the rounds that the writer shares with its base. Only rounds after the base's own write count. Where the base
/// wrote in the last round that the reader can see, the writer's rounds are those of the same round.
bool Accumulations::begins_after(const CandidateWrite& base, std::size_t writer, const Place& to_reader,
                                 const SolvedWrite& solved, const std::vector<Affine>& loops, Substitution& fixed) {
  const Place from_base = place(base.statement, writer);
  for (std::size_t i = 0; i < from_base.shared_loops; ++i) {
    if (solved.is_partial[i]) throw GiveUp{"a shared loop of which a subscript determines a part"};
    if (solved.free[i]) {
      const bool reader_shares = i < to_reader.shared_loops;
      const Affine bound = reader_shares ? loops[i] : Affine::number(table_.statements[writer].loops[i]->extent - 1);
      if (order(base.loops[i], bound) != 0) throw GiveUp{"a base that is not of the last round"};
      fixed[*solved.free[i]] = base.loops[i];
      continue;
    }
    const auto relation = order(solved.loops[i], base.loops[i]);
    if (!relation) throw GiveUp{"two writes whose order depends on indices"};
    if (*relation != 0) return *relation > 0;
  }
  return from_base.before;
}

std::vector<Piece> Accumulations::pieces(std::size_t writer, const std::vector<Affine>& element, std::size_t reader,
                                         const std::vector<Affine>& loops, const CandidateWrite* base) {
  const Place to_reader = place(writer, reader);
  if (to_reader.shared_loops == 0 && !to_reader.before) return {};
  arena_.budget.spend(kSolveCost);
  const SolvedWrite solved = solve(writer, element);
  Substitution fixed;
  if (base && !begins_after(*base, writer, to_reader, solved, loops, fixed)) return {};
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
    const Affine here = arena_.substitute.affine(solved.loops[i], fixed);
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

Value Accumulations::killed(const CandidateWrite& candidate) {
  return right_side(candidate.statement, candidate.loops, false);
}

/// Gives up where the fold of this writer cannot follow those before it.
void Accumulations::begin_writer(std::size_t writer, Total& total) {
  const Statement& statement = table_.statements[writer];
  const DType dtype = total.dtype;
  if (dtype == DType::boolean) throw GiveUp{"a fold of bools"};
  if (!is_float(dtype) && !stays_in_type(statement, dtype)) throw GiveUp{"a fold that is rounded at every step"};
  if (parts_.recurrences.is_cyclic(writer)) throw GiveUp{"a fold inside a recurrence"};
  const ArithmeticOp op = *statement.accumulates;
  if (total.previous_op && *total.previous_op != op) {
    // One fold after the other: only where their rounds do not alternate.
    for (const std::size_t other : total.used) {
      if (place(other, writer).shared_loops != 0) throw GiveUp{"two kinds of folds that alternate"};
    }
    // Where the first has no rounds the element is undefined, and the second begins with an identity of its own.
    if (!total.is_written) throw GiveUp{"two kinds of folds on parts of a tensor"};
    // What comes next, a maximum say, sees the sum as its type holds it.
    if (total.value && !is_float(dtype)) {
      total.value = arena_.polynomials.integer(arena_.affines.wrapped(integer_of(*total.value).integer, dtype));
    }
  }
  total.used.push_back(writer);
  if (!total.value) total.value = total.start ? std::optional(to_real(*total.start)) : std::nullopt;
  // max(x,t) is NaN where both are. The fold of t alone begins with its identity, which would win against the NaN of x.
  const bool drops_nan = op == ArithmeticOp::max || op == ArithmeticOp::min;
  if (drops_nan && total.value && arena_.traits(*total.value).may_be_nan) {
    throw GiveUp{"a maximum or minimum behind a value that may be NaN"};
  }
}

Accumulations::Manner Accumulations::manner_of(std::size_t writer, const std::vector<Piece>& found, Total& total) {
  Manner manner;
  manner.op = *table_.statements[writer].accumulates;
  const DType dtype = total.dtype;
  manner.is_written_sum = keeps_operations() && is_float(dtype) && manner.op == ArithmeticOp::add;
  manner.is_written_product = keeps_operations() && is_float(dtype) && manner.op == ArithmeticOp::multiply;
  const bool has_more = total.value.has_value() || found.size() > 1 || total.previous_op.has_value();
  if (manner.is_written_product && has_more) throw GiveUp{"a product whose order counts"};
  if (keeps_operations() && is_float(dtype) && total.previous_op && *total.previous_op != manner.op)
    throw GiveUp{"folds whose order counts"};
  manner.is_sole = !total.base && total.writers == 1 && found.size() == 1;
  manner.is_once = manner.is_written_sum && parts_.options.keeps_order_of_sums &&
                   std::any_of(found.begin(), found.end(), [](const Piece& piece) { return piece.free.empty(); });
  const auto comes_before = [&](std::size_t other) { return writers_.comes_before(other, writer); };
  if (manner.is_once) {
    const bool is_after_all = std::all_of(total.used.begin(), total.used.end() - 1, comes_before);
    if (found.size() > 1 || !is_after_all) throw GiveUp{"rounds whose order counts"};
    total.once.push_back(writer);
  } else if (total.value && manner.is_written_sum) {
    if (!std::all_of(total.once.begin(), total.once.end(), comes_before)) throw GiveUp{"rounds whose order counts"};
    total.value = parts_.written.as_term(*total.value, dtype);
  }
  return manner;
}

void Accumulations::add_piece(std::size_t writer, const Piece& piece, const Manner& manner, Total& total) {
  std::vector<ConditionId> conditions = piece.conditions;
  if (manner.is_sole) {
    // The read is defined, so the element is written: what does not depend on the fold's own loops holds.
    std::erase_if(conditions, [&](ConditionId condition) {
      const auto& names = arena_.traits_of_condition(condition).variables;
      return std::none_of(piece.free.begin(), piece.free.end(),
                          [&](VariableId id) { return std::binary_search(names.begin(), names.end(), id); });
    });
  }
  PolynomialId term = 0;
  const ConditionId where = arena_.conditions.conjunction(conditions);
  if (where == arena_.conditions.never()) return;
  total.is_written |= where == arena_.conditions.always();
  PolynomialId hazard_of_term = kHarmless;
  {
    const Assumption assumed(arena_, where);
    // Also where the value is made of the parts of the sum: it says where the round has no value.
    const Value added = right_side(writer, piece.loops, true);
    hazard_of_term = added.hazard;
    if (!manner.is_written_sum) term = to_real(added);
    if (manner.is_written_product) term = parts_.written.in_order(term, writer, piece);
  }
  total.hazard = hazards_.united(total.hazard, hazards_.anywhere(piece.free, where, hazard_of_term));
  const ArithmeticOp op = manner.op;
  // The least integer, not -inf, is what an empty maximum of integers gives.
  if (!is_float(total.dtype) && (op == ArithmeticOp::max || op == ArithmeticOp::min) &&
      where != arena_.conditions.always()) {
    throw GiveUp{"a maximum of integers that may be empty"};
  }
  if (manner.is_once) {
    total.value = parts_.written.written_once(writer, piece, where, total.value);
    return;
  }
  const PolynomialId folded = manner.is_written_sum ? parts_.written.written_rounds(writer, piece, where)
                                                    : arena_.reductions.reduce(op, piece.free, {where}, term);
  if (!total.value) {
    total.value = folded;
  } else if (op == ArithmeticOp::add) {
    total.value = arena_.polynomials.add(*total.value, folded);
  } else if (op == ArithmeticOp::multiply) {
    total.value = arena_.polynomials.multiply(*total.value, folded);
  } else {
    total.value = arena_.choices.extremum(op == ArithmeticOp::max, {*total.value, folded});
  }
}

Value Accumulations::accumulated(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                                 const std::vector<Affine>& loops, const CandidateWrite* base, std::size_t writers) {
  const std::vector<std::size_t>& all = writers_.of(tensor);
  const DType dtype = table_.tensors.at(tensor).dtype;
  Total total;
  total.base = base;
  total.dtype = dtype;
  total.writers = writers;
  total.is_written = base != nullptr;
  if (base) {
    const bool is_cyclic = parts_.recurrences.is_cyclic(base->statement);
    total.start = is_cyclic ? parts_.recurrences.recurrence(*base, element) : killed(*base);
    total.hazard = total.start->hazard;
  }
  for (std::size_t w = 0; w < writers; ++w) {
    const std::size_t writer = all[w];
    if (!table_.statements[writer].accumulates) continue;
    const std::vector<Piece> found = pieces(writer, element, reader, loops, base);
    if (found.empty()) continue;
    begin_writer(writer, total);
    const Manner manner = manner_of(writer, found, total);
    for (const Piece& piece : found) add_piece(writer, piece, manner, total);
    total.previous_op = manner.op;
  }
  if (!total.value) {
    if (!total.start) throw GiveUp{"a read that nothing reaches"};
    return *total.start;
  }
  const bool is_written_fold =
      keeps_operations() && (total.previous_op == ArithmeticOp::add || total.previous_op == ArithmeticOp::multiply);
  if (is_float(dtype)) {
    const PolynomialId value = is_written_fold ? parts_.written.without_terms(*total.value, dtype) : *total.value;
    return {Value::Kind::real, {}, value, 0, total.hazard};
  }
  // Wrapping at each step or once at the end is the same for + and *; max and min do not leave the type.
  return {Value::Kind::integer, arena_.affines.wrapped(integer_of(*total.value).integer, dtype), 0, 0, total.hazard};
}

}  // namespace steptp::forms
