// Elements that data selects: any of them may be meant, so that statements that write some of them and conditions on
// indices that decide what they hold are asked like ways.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "replay/evaluate.h"
#include "replay/index_condition.h"
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

std::optional<std::set<Cell>> Evaluator::all_cells(const Statement& statement) {
  constexpr std::int64_t kMostRounds = 1024;
  std::int64_t rounds = 1;
  for (const Loop* loop : statement.loops) {
    if (loop->extent > kMostRounds || (rounds *= loop->extent) > kMostRounds) return std::nullopt;
  }
  for (const Subscript& one : statement.left) {
    if (one.reads_data) return std::nullopt;
  }
  if (!statement.limits_are_all) return std::nullopt;
  std::set<Cell> out;
  Iteration round(statement.loops.size(), 0);
  for (std::int64_t number = 0; number < rounds; ++number) {
    std::int64_t rest = number;
    for (std::size_t i = 0; i < round.size(); rest /= statement.loops[i++]->extent) {
      round[i] = rest % statement.loops[i]->extent;
    }
    if (auto cell = target(statement, round)) out.insert(std::move(*cell));
  }
  return out;
}

bool Evaluator::writes_some(std::size_t writer, const std::vector<std::size_t>& writers) {
  const auto [at, is_new] = writes_some_.try_emplace({writer, writers.size()}, true);
  if (!is_new) return at->second;
  const auto own = all_cells(layout_.statements()[writer]);
  if (!own) return true;
  bool is_partial = false;
  for (const std::size_t other : writers) {
    const auto cells = all_cells(layout_.statements()[other]);
    if (!cells) return true;
    is_partial = is_partial || !std::includes(own->begin(), own->end(), cells->begin(), cells->end());
  }
  return writes_some_[{writer, writers.size()}] = is_partial && !own->empty();
}

void Evaluator::note_writers(const std::vector<std::size_t>& writers, const Cell& cell, const Statement* reader,
                             const Iteration& moment) {
  for (const std::size_t writer : writers) {
    const Statement& statement = layout_.statements()[writer];
    // What a single statement does not write has no value.
    const bool is_single = writers.size() == 1 && !statement.accumulates;
    if (is_single || covers_all(statement, cell) || !writes_some(writer, writers)) continue;
    Hash mark = hash_text(print(*statement.equation->right));
    for (const Loop* loop : statement.loops) mark = steptp::combine(mark, static_cast<std::uint64_t>(loop->extent));
    for (const Subscript& one : statement.left) mark = steptp::combine(mark, static_cast<std::uint64_t>(one.constant));
    const bool is_written = last_write_of(writer, cell, reader, moment).has_value();
    sources_.met->note_question({statement.equation->right.get(), 0, Question::writer}, is_written, mark);
  }
}

bool Evaluator::is_selected(const Expr& condition, std::size_t part, const Statement& statement) const {
  constexpr std::int64_t kMostRounds = 4096;
  // What reads data is asked anyway.
  bool reads_data = false;
  if (sources_.met && selected_ > 0) for_each_ref(condition, [&](const RefPtr&) { reads_data = true; });
  if (!sources_.met || selected_ == 0 || reads_data) return false;
  std::int64_t rounds = 1;
  for (const Loop* loop : statement.loops) {
    if (loop->extent > kMostRounds || (rounds *= loop->extent) > kMostRounds) return true;
  }
  const auto slot_of = [&](const std::string& name) { return Layout::slot_of(statement, name); };
  const auto* compare = std::get_if<Compare>(&condition.node);
  const auto made =
      compare ? IndexCondition::of(
                    Expr{Compare{{compare->operands[part], compare->operands[part + 1]}, {compare->operators[part]}}},
                    slot_of)
              : IndexCondition::of(condition, slot_of);
  if (!made) return true;
  std::array<bool, 2> comes_out = {false, false};
  Iteration round(statement.loops.size(), 0);
  for (std::int64_t number = 0; number < rounds; ++number) {
    std::int64_t rest = number;
    for (std::size_t i = 0; i < round.size(); rest /= statement.loops[i++]->extent) {
      round[i] = rest % statement.loops[i]->extent;
    }
    comes_out[made->holds(round) ? 1 : 0] = true;
  }
  return comes_out[0] && comes_out[1];
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
