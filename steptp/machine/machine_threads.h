#pragma once

// A body of Machine: values of a run whose threads accumulate in an order of their own (thread_fold.h). Included only
// by the file that makes machines.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "steptp/arithmetic/ordered_arithmetic.h"
#include "steptp/machine/machine.h"
#include "steptp/machine/thread_fold.h"

namespace steptp::certify {

template <>
inline void Machine<OrderedArithmetic>::compute_real(const Instance& instance, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  const auto ordered = thread_folds_.find(instance.statement);
  const ThreadFold* fold = ordered == thread_folds_.end() ? nullptr : &ordered->second;
  if (!fold) {
    if (statement.accumulates) return accumulate_real(instance, out);
    spend(statement.work);
    real(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0}, out);
    return arithmetic_.store(statement.dtype, out);
  }
  Cell cell;
  cell_of(statement.left, Frame{&statement, instance.slots.data(), nullptr, 0}, cell);
  const FoldActions<Value> actions{[&](Value& value) { identity(statement, value); },
                                   [&](const std::int64_t* slots, Value& accumulator) {
                                     spend(statement.work);
                                     fold_real(Frame{&statement, slots, &accumulator, 0}, accumulator);
                                   },
                                   [&](Value& into, const Value& other) {
                                     spend(1);
                                     arithmetic_.set_type(statement.dtype);
                                     arithmetic_.arithmetic(statement.accumulation, into, into, other);
                                     arithmetic_.store(statement.dtype, into);
                                   },
                                   [&](std::uint64_t bytes) { reserve(bytes); },
                                   [&](std::uint64_t bytes) { budget_.bytes += bytes; }};
  ThreadRound<Value> round(*fold, statement.extents.size(), actions);
  Slots slots{};
  // Iterations that write the cell and agree with the instance on the first loops, in the order of the text.
  const auto each_neighbour = [&](std::uint32_t fixed, const auto& visit) {
    const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
    const PointCheck check = [&](const std::int64_t* at) { return writes_cell(statement, cell, at); };
    solver_.each(query, instance.slots.data(), fixed, check, slots.data(), visit);
  };
  // Who reads in the middle sees whole rounds: threads that reduce do nothing else in between. One round from the one
  // before it, where that is known; otherwise all of them, because step by step would be as deep as there are rounds.
  std::vector<Writer> before_round = statement.left.writers;
  for (Writer& writer : before_round) {
    if (writer.statement == instance.statement) writer.shared_loops = fold->first_loop;
  }
  Instance before;
  if (instance.is_partial && last_write(before_round, cell, instance.slots.data(), before) &&
      reals_[before.statement]->find(key_of(before))) {
    real_after(before, out);
    each_neighbour(fold->first_loop, [&] { round.add(slots.data(), out); });
    return round.finish(out);
  }
  start_of(instance, cell, out);
  each_neighbour(statement.private_from, [&] {
    const bool is_later =
        std::lexicographical_compare(instance.slots.begin(), instance.slots.begin() + fold->first_loop, slots.begin(),
                                     slots.begin() + fold->first_loop);
    if (!instance.is_partial || !is_later) round.add(slots.data(), out);
  });
  round.finish(out);
}

}  // namespace steptp::certify
