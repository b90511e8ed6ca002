#pragma once

// Values of a run whose threads accumulate in an order of their own (thread_fold.h). Included only by the files that
// make machines. docs/decisions/0037-runs-in-the-order-of-threads.md.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "steptp/machine/evaluation.h"
#include "steptp/machine/folds.h"
#include "steptp/machine/thread_fold.h"

namespace steptp::certify {

/// One execution of a statement that threads accumulate in, as part of an evaluation.
template <typename Arithmetic>
class ThreadOrder {
 public:
  using Value = typename Arithmetic::Value;

  ThreadOrder(Evaluation<Arithmetic>& evaluation, const ThreadFold& fold, const Instance& instance)
      : evaluation_(evaluation),
        fold_(fold),
        instance_(instance),
        statement_(evaluation.code.statements[instance.statement]),
        folds_(evaluation, statement_) {
    evaluation_.cell_of(statement_.left, {&statement_, instance.slots.data(), nullptr, 0}, cell_);
  }

  /// Who reads in the middle sees whole rounds: threads that reduce do nothing else in between. One round from the one
  /// before it, where that is known; otherwise all of them, because step by step would be as deep as there are rounds.
  void accumulate(Value& out) {
    const FoldActions<Value> actions = actions_of();
    ThreadRound<Value> round(fold_, statement_.extents.size(), actions);
    Slots slots{};
    if (instance_.is_partial && take_round_before(out)) {
      each_neighbour(fold_.first_loop, slots, [&] { round.add(slots.data(), out); });
      return round.finish(out);
    }
    folds_.start(instance_, cell_, out);
    each_neighbour(statement_.private_from, slots, [&] {
      const bool is_later =
          std::lexicographical_compare(instance_.slots.begin(), instance_.slots.begin() + fold_.first_loop,
                                       slots.begin(), slots.begin() + fold_.first_loop);
      if (!instance_.is_partial || !is_later) round.add(slots.data(), out);
    });
    round.finish(out);
  }

 private:
  [[nodiscard]] FoldActions<Value> actions_of() {
    return {[this](Value& value) { folds_.identity(value); },
            [this](const std::int64_t* slots, Value& accumulator) {
              evaluation_.spend(statement_.work);
              folds_.fold({&statement_, slots, &accumulator, 0}, accumulator);
            },
            [this](Value& into, const Value& other) {
              evaluation_.spend(1);
              evaluation_.arithmetic.set_type(statement_.dtype);
              evaluation_.arithmetic.arithmetic(statement_.accumulation, into, into, other);
              evaluation_.arithmetic.store(statement_.dtype, into);
            },
            [this](std::uint64_t bytes) { evaluation_.store.reserve(bytes); },
            [this](std::uint64_t bytes) { evaluation_.store.give_back(bytes); }};
  }

  /// What the round before this one left, where it is remembered; false otherwise.
  [[nodiscard]] bool take_round_before(Value& out) {
    std::vector<Writer> writers = statement_.left.writers;
    for (Writer& writer : writers) {
      if (writer.statement == instance_.statement) writer.shared_loops = fold_.first_loop;
    }
    Instance before;
    if (!evaluation_.writes.last(writers, cell_, instance_.slots.data(), before)) return false;
    if (!evaluation_.store.find(before.statement, evaluation_.key_of(before))) return false;
    evaluation_.real_after(before, out);
    return true;
  }

  /// Iterations that write the cell and agree with the instance on the first loops, in the order of the text.
  template <typename Visit>
  void each_neighbour(std::uint32_t fixed, Slots& slots, const Visit& visit) {
    evaluation_.writes.each(statement_, cell_, instance_.slots.data(), fixed, slots.data(), visit);
  }

  Evaluation<Arithmetic>& evaluation_;
  const ThreadFold& fold_;
  const Instance& instance_;
  const StatementCode& statement_;
  Folds<Arithmetic> folds_;
  Cell cell_;
};

}  // namespace steptp::certify
