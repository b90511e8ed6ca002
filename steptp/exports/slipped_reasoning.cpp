// The reasoning of a step with a slip in it.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/exports/slips.h"
#include "steptp/reasoning/effect.h"
#include "steptp/reasoning/quoting.h"
#include "steptp/text/printed_program.h"
#include "steptp/text/printer.h"

namespace steptp::dataset {

namespace {

bool equal_nest(const NestPtr& one, const NestPtr& other) {
  Program left;
  Program right;
  left.nests = {one};
  right.nests = {other};
  return print(left) == print(right);
}

/// The first equation of the wrong program that the right one does not have; where there is none, the loops of the
/// expression.
TracePieces wrong_part(const Program& after, const Edited& wrong) {
  std::multiset<std::string> right;
  for_each_equation(after, [&](const Equation& equation, const auto&) { right.insert(print(equation)); });
  const Quotable from{&wrong.program, TracePiece::Kind::after};
  for (std::uint32_t i = 0; i < wrong.program.nests.size(); ++i) {
    for (const Site& site : equations_below(wrong.program, {i})) {
      const SitePart part = resolve(wrong.program.nests, site);
      const auto* equation = std::get_if<const Equation*>(&part);
      if (equation && !right.contains(print(**equation))) return quote_piece(from, {site, {}});
    }
  }
  const auto at = static_cast<std::uint32_t>(wrong.expression);
  TracePieces out = nest_of(from, {{at}, Site::Part::item, {}, {}});
  // Of two expressions that have changed places both are shown.
  const bool is_swap = wrong.program.nests.size() == after.nests.size() && at + 1 < after.nests.size() &&
                       equal_nest(wrong.program.nests[at], after.nests[at + 1]);
  if (!is_swap) return out;
  add(out, ", then ");
  add(out, nest_of(from, {{at + 1}, Site::Part::item, {}, {}}));
  return out;
}

/// Sentences with the blanks and line breaks behind them.
std::vector<TracePieces> sentences_of(const Trace& trace) {
  std::vector<TracePieces> out(1);
  for (const TracePiece& piece : trace.pieces) {
    if (piece.kind != TracePiece::Kind::words) {
      out.back().push_back(piece);
      continue;
    }
    std::string_view rest = piece.words;
    while (!rest.empty()) {
      std::size_t end = rest.find(". ");
      const std::size_t paragraph = rest.find(".\n\n");
      std::size_t length = end == rest.npos ? rest.size() : end + 2;
      if (paragraph < end) length = paragraph + 3;
      add(out.back(), rest.substr(0, length));
      if (length < rest.size() || end != rest.npos || paragraph != rest.npos) out.emplace_back();
      rest.remove_prefix(length);
    }
  }
  return out;
}

/// A sentence of the right trace with what the wrong program has in place of each quotation of the result; nothing
/// where it has no such part. Loops, equations and nests are at their addresses. What is within an equation is the same
/// text where the equation of the wrong program still has it, as an edit shifts the addresses behind it. Where
/// expressions have changed places all is found by its text, and only what stands in the old order can be said.
class Quoter {
 public:
  Quoter(const Program& after, const Program& wrong, bool moves)
      : right_(after, Profile::paper), wrong_(wrong, Profile::paper), moves_(moves) {}

  [[nodiscard]] std::optional<std::string> say(const TracePieces& sentence, const PrintedProgram& before) const {
    std::string out;
    std::size_t last = 0;
    for (const TracePiece& piece : sentence) {
      if (piece.kind != TracePiece::Kind::after) {
        out += render({{piece}}, before, wrong_);
        continue;
      }
      const auto quoted = moves_ ? moved(piece.range, last) : in_place(piece.range);
      if (!quoted) return std::nullopt;
      append(out, '`', *quoted, '`');
    }
    return out;
  }

  [[nodiscard]] std::string say_wrong(const TracePieces& sentence, const PrintedProgram& before) const {
    return render({sentence}, before, wrong_);
  }

 private:
  [[nodiscard]] std::optional<std::string_view> moved(const TextRange& range, std::size_t& last) const {
    const auto quoted = right_.quote(range);
    const std::size_t at = quoted ? wrong_.text().find(*quoted) : std::string::npos;
    if (at == std::string::npos || at < last) return std::nullopt;
    last = at;
    return quoted;
  }

  [[nodiscard]] std::optional<std::string_view> in_place(const TextRange& range) const {
    const bool is_within = range.from.part == Site::Part::left || range.from.part == Site::Part::right;
    const auto right = right_.quote(range);
    const auto equation = wrong_.quote({{range.from.items, Site::Part::item, {}, {}}, {}});
    if (is_within && right && equation && equation->find(*right) != std::string_view::npos) return right;
    const auto quoted = wrong_.quote(range);
    return quoted && !quoted->empty() ? quoted : std::nullopt;
  }

  PrintedProgram right_;
  PrintedProgram wrong_;
  bool moves_;
};

/// What a sentence on one kind of effect says, and the numbers it may have.
struct EffectWords {
  std::string_view noun;
  std::vector<std::string> numbers;
};

/// Of each kind of effect that the wrong program has not, or of all that there are where it is not valid.
std::vector<EffectWords> wrong_effects(const Program& before, const Program& after, const Program& wrong,
                                       bool is_valid) {
  constexpr std::string_view kNouns[] = {"launch", "global memory", "scalar operation", "global tensors",
                                         "widest launch"};
  const Effect right = effect_of(before, after);
  const Effect other = is_valid ? effect_of(before, wrong) : Effect();
  std::vector<EffectWords> out;
  for (std::size_t kind = 0; kind < right.counts.size(); ++kind) {
    const auto& [was, is] = right.counts[kind];
    if (was == is || right.counts[kind] == other.counts[kind]) continue;
    const std::int64_t change = std::abs(is - was);
    out.push_back({kNouns[kind], {grouped(is), grouped(change), bytes_words(change), "one"}});
  }
  return out;
}

bool says_one_of(const TracePieces& sentence, const std::vector<EffectWords>& effects) {
  std::string words;
  for (const TracePiece& piece : sentence) {
    if (piece.kind != TracePiece::Kind::words) return false;
    words += piece.words;
  }
  return std::any_of(effects.begin(), effects.end(), [&](const EffectWords& effect) {
    return words.find(effect.noun) != words.npos &&
           std::any_of(effect.numbers.begin(), effect.numbers.end(),
                       [&](const std::string& number) { return words.find(number) != words.npos; });
  });
}

bool speaks_of_result(const TracePieces& sentence) {
  return std::any_of(sentence.begin(), sentence.end(),
                     [](const TracePiece& piece) { return piece.kind == TracePiece::Kind::after; });
}

/// A tensor that the right program writes, or the one before, and the wrong one does not; of equations that are gone
/// one by one, that of the first.
std::string gone_tensor(const Program& before, const Program& after, const Program& wrong) {
  const Program& from = after.nests.size() > wrong.nests.size() ? after : before;
  std::multiset<std::string> kept;
  for_each_equation(wrong, [&](const Equation& equation, const auto&) { kept.insert(print(equation)); });
  std::string out;
  for_each_equation(from, [&](const Equation& equation, const auto&) {
    const auto found = kept.find(print(equation));
    if (found != kept.end())
      kept.erase(found);
    else if (out.empty())
      out = equation.left->tensor;
  });
  return out;
}

TracePieces thought_of(const Slip& slip, const TracePieces& wrong, const std::string& gone, Random& random) {
  std::vector<std::string_view> ways;
  std::string_view rest = slip.thoughts;
  for (std::size_t bar = rest.find('|'); bar != rest.npos; bar = rest.find('|')) {
    ways.push_back(rest.substr(0, bar));
    rest.remove_prefix(bar + 1);
  }
  ways.push_back(rest);
  std::string_view chosen = ways[random.below(ways.size())];
  TracePieces out;
  for (std::size_t open = chosen.find('{'); open != chosen.npos; open = chosen.find('{')) {
    const std::size_t close = chosen.find('}', open);
    add(out, chosen.substr(0, open));
    add(out, chosen.substr(open, close + 1 - open) == "{gone}" ? name_piece(gone) : wrong);
    chosen.remove_prefix(close + 1);
  }
  add(out, chosen);
  add(out, " ");
  return out;
}

}  // namespace

std::string slipped_reasoning(const Trace& right, const Program& before, const Program& after, const Edited& wrong,
                              const Slip& slip, bool is_valid, Random& random) {
  const Quoter quoter(after, wrong.program, slip.moves);
  const PrintedProgram printed_before(before, Profile::paper);
  const std::string gone = gone_tensor(before, after, wrong.program);
  const TracePieces thought = thought_of(slip, wrong_part(after, wrong), gone, random);
  const auto effects = wrong_effects(before, after, wrong.program, is_valid);
  std::string text;
  bool is_said = false;
  for (const TracePieces& sentence : sentences_of(right)) {
    if (speaks_of_result(sentence) && !is_said) {
      text += quoter.say_wrong(thought, printed_before);
      is_said = true;
    }
    if (says_one_of(sentence, effects)) continue;
    text += quoter.say(sentence, printed_before).value_or("");
  }
  if (!is_said) append(text, " ", quoter.say_wrong(thought, printed_before));
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace steptp::dataset
