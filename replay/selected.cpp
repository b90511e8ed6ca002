// Elements that data selects: any of them may be meant, so that statements that write some of them and conditions on
// indices that decide what they hold are asked like ways.
#include <algorithm>
#include <set>
#include <utility>

#include "replay/evaluate.h"
#include "steptp/base/hash.h"
#include "steptp/text/printer.h"

namespace steptp::replayer {

namespace {

/// Of each loop its coefficient; nothing where it is no sum of loops.
std::optional<std::vector<std::pair<std::int64_t, std::size_t>>> slots_of(const Subscript& subscript) {
  std::vector<std::pair<std::int64_t, std::size_t>> out;
  for (const Subscript::Term& term : subscript.terms) {
    const bool is_slot = term.factors.size() == 1 && term.factors[0].kind == SubscriptAtom::Kind::slot;
    if (!is_slot || term.coefficient <= 0) return std::nullopt;
    out.emplace_back(term.coefficient, term.factors[0].slot);
  }
  std::sort(out.begin(), out.end());
  return subscript.constant == 0 ? std::optional(out) : std::nullopt;
}

/// No greater number; nothing where that is not a matter of loops.
std::optional<std::int64_t> most_of(const Subscript& subscript, const Statement& statement) {
  std::int64_t most = subscript.constant;
  for (const Subscript::Term& term : subscript.terms) {
    const bool is_slot = term.factors.size() == 1 && term.factors[0].kind == SubscriptAtom::Kind::slot;
    if (!is_slot) return std::nullopt;
    const std::int64_t last = statement.loops[term.factors[0].slot]->extent - 1;
    most += std::max<std::int64_t>(0, term.coefficient * last);
  }
  return most;
}

}  // namespace

bool Evaluator::covers_all(const Statement& statement, const Cell& cell) const {
  const Tensor& tensor = layout_.tensor(statement.equation->left->tensor);
  if (!statement.guards.empty() || statement.left.size() != cell.size()) return false;
  std::set<std::size_t> used;
  for (std::size_t d = 0; d < cell.size(); ++d) {
    const auto slots = slots_of(statement.left[d]);
    if (!slots) return false;
    // Each loop goes on where the smaller ones end, so that no number is left out.
    std::int64_t size = 1;
    for (const auto& [coefficient, slot] : *slots) {
      if (coefficient > size || !used.insert(slot).second) return false;
      size += coefficient * (statement.loops[slot]->extent - 1);
    }
    // Every other statement writes no more.
    for (const std::size_t other : tensor.writers) {
      const Statement& one = layout_.statements()[other];
      if (one.left.size() != cell.size()) return false;
      const auto most = most_of(one.left[d], one);
      if (!most || *most >= size) return false;
    }
  }
  return true;
}

void Evaluator::note_writers(const std::vector<std::size_t>& writers, const Cell& cell, const Statement* reader,
                             const Iteration& moment) {
  for (const std::size_t writer : writers) {
    const Statement& statement = layout_.statements()[writer];
    // What a single statement does not write has no value.
    const bool is_single = writers.size() == 1 && !statement.accumulates;
    if (is_single || covers_all(statement, cell)) continue;
    Hash mark = hash_text(print(*statement.equation->right));
    for (const Loop* loop : statement.loops) mark = steptp::combine(mark, static_cast<std::uint64_t>(loop->extent));
    for (const Subscript& one : statement.left) mark = steptp::combine(mark, static_cast<std::uint64_t>(one.constant));
    const bool is_written = last_write_of(writer, cell, reader, moment).has_value();
    sources_.met->note_question({statement.equation->right.get(), 0, Question::writer}, is_written, mark);
  }
}

void Evaluator::enter_selected(int change) {
  const int earlier = selected_;
  selected_ += change;
  if ((earlier == 0) == (selected_ == 0)) return;
  std::swap(done_, selected_done_);
  std::swap(versions_, selected_versions_);
}

/// Which statement writes what is asked by itself.
bool Evaluator::guards_hold(const Statement& statement, const Frame& frame) {
  const int selected = std::exchange(selected_, 0);
  const bool all = std::all_of(statement.guards.begin(), statement.guards.end(),
                               [&](const ExprPtr& guard) { return truth(*guard, frame); });
  selected_ = selected;
  return all;
}

}  // namespace steptp::replayer
