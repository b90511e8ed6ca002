#include "steptp/cursor/cursor.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cursor/space.h"

namespace steptp::cursor {

namespace {

Token group_word() {
  static const Token kWord = token_of("op:group");
  return kWord;
}
Token structure_word() {
  static const Token kWord = token_of("op:structure");
  return kWord;
}
Token expression_word(std::uint32_t number) {
  static const Token kFirst = token_of("e0");
  return static_cast<Token>(kFirst + number);
}

/// A decided group: what it is, and its parameters.
struct Group {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  const Structure* structure = nullptr;
  std::vector<Token> values;
};

/// The groups that are decided whole, the last of the program first.
std::vector<Group> groups_of(const Space& space, const std::vector<Decision>& decisions) {
  std::vector<Group> out;
  std::uint32_t end = space.expressions();
  for (std::size_t i = 0; i + 1 < decisions.size();) {
    Group group;
    group.count = static_cast<std::uint32_t>(*number_of_token(decisions[i].value));
    group.first = end - group.count;
    group.structure = space.structure(group.first, group.count, decisions[i + 1].value);
    i += 2;
    const std::size_t parameters = group.structure->opcodes().size();
    if (i + parameters > decisions.size()) break;
    for (std::size_t k = 0; k < parameters; ++k) group.values.push_back(decisions[i + k].value);
    i += parameters;
    end = group.first;
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace

Cursor::Cursor(SpacePtr space) : space_(std::move(space)), end_(space_->expressions()) { advance(); }

bool Cursor::is_complete() const { return stage_ == Stage::done; }

Question Cursor::next() const {
  switch (stage_) {
    case Stage::group: return {group_word(), expression_word(end_ - 1)};
    case Stage::structure: return {structure_word(), expression_word(first_)};
    case Stage::parameters: return {structure_->opcodes()[chosen_], expression_word(first_)};
    case Stage::done: break;
  }
  throw std::logic_error("a complete cursor has nothing to decide");
}

std::span<const Token> Cursor::legal() const { return legal_; }

/// Finds the legal values of what is decided next.
void Cursor::advance() {
  if (stage_ == Stage::parameters && chosen_ == structure_->opcodes().size()) {
    end_ = first_;
    stage_ = end_ == 0 ? Stage::done : Stage::group;
  }
  legal_.clear();
  if (stage_ == Stage::group) legal_ = space_->lengths(end_);
  if (stage_ == Stage::structure) legal_ = space_->kinds(first_, end_ - first_);
  if (stage_ != Stage::parameters) return;
  constexpr std::size_t kMostParameters = 16;
  std::array<Token, kMostParameters> chosen{};
  for (std::size_t i = 0; i < chosen_; ++i) chosen.at(i) = decisions_[decisions_.size() - chosen_ + i].value;
  structure_->legal({chosen.data(), chosen_}, legal_);
}

Result<bool, std::string> Cursor::put(Token value) {
  if (is_complete()) return std::string("the cursor is complete: there is nothing to decide any more");
  const Question question = next();
  if (!std::binary_search(legal_.begin(), legal_.end(), value)) {
    return concat(word_of_token(value), " is no legal value of ", word_of_token(question.opcode), " ",
                  word_of_token(question.object), "; legal are ",
                  join(legal_, " ", [](Token legal) { return word_of_token(legal); }));
  }
  decisions_.push_back({question, value});
  switch (stage_) {
    case Stage::group:
      first_ = end_ - static_cast<std::uint32_t>(*number_of_token(value));
      stage_ = Stage::structure;
      break;
    case Stage::structure:
      structure_ = space_->structure(first_, end_ - first_, value);
      chosen_ = 0;
      stage_ = Stage::parameters;
      break;
    case Stage::parameters: ++chosen_; break;
    case Stage::done: break;
  }
  advance();
  return true;
}

std::string Cursor::text() const {
  std::string out;
  for (const Decision& decision : decisions_) {
    append(out, out.empty() ? "" : " ", word_of_token(decision.question.opcode).substr(3), " ",
           word_of_token(decision.question.object), "=", word_of_token(decision.value));
  }
  return out;
}

Result<std::vector<GroupFacts>, std::string> Cursor::facts() const {
  std::vector<GroupFacts> out;
  for (const Group& group : groups_of(*space_, decisions_)) {
    const auto made =
        made_alone(space_->prepared().program, group.first, group.count, group.structure->moves(group.values));
    if (!made) return concat("the group of expression ", group.first, " cannot be looked at by itself");
    auto summary = estimation::summary_of(*made);
    if (!summary) return summary.error();
    const double seconds = estimate_of(*summary, space_->target().rates).seconds;
    out.push_back({group.first, group.count, group.structure->kind(), std::move(summary).value(), seconds});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Result<Finished, std::string> Cursor::finish() const {
  if (!is_complete()) return std::string("the cursor is not complete: decisions are missing");
  Finished out;
  out.plan = {root_hash(space_->root()), space_->target().rates.name, space_->prepared().moves};
  // The last group first: what stands before keeps its place.
  std::vector<PlannedMove> moves;
  for (const Group& group : groups_of(*space_, decisions_)) {
    for (PlannedMove& move : moves_at(group.first, group.structure->moves(group.values)))
      moves.push_back(std::move(move));
  }
  auto made = replay(space_->prepared().program, Plan{{}, {}, moves}, Tracking::off);
  out.plan.moves.insert(out.plan.moves.end(), moves.begin(), moves.end());
  if (!made) {
    PlanStopped stopped = made.error();
    stopped.move += space_->prepared().moves.size();
    return to_text(stopped, out.plan);
  }
  out.moved = std::move(made).value();
  Recipe recipe = space_->prepared_recipe();
  recipe.insert(recipe.end(), out.moved.recipe.begin(), out.moved.recipe.end());
  out.moved.recipe = std::move(recipe);
  return out;
}

Cursor drawn_cursor(const SpacePtr& space, std::uint64_t seed, std::uint64_t number) {
  Random random(random_at(seed, number));
  Cursor out(space);
  while (!out.is_complete()) {
    const auto legal = out.legal();
    (void)out.put(legal[random.below(legal.size())]);
  }
  return out;
}

}  // namespace steptp::cursor
