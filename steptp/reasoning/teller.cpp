// Fills the phrases of a strategy with quotations and values. A seed chooses among the ways to say a sentence; {x}
// is what was bound to x, <a|b> one of a and b. What was left out takes its blank along.
#include "steptp/reasoning/teller.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <stdexcept>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/ir/program.h"

namespace steptp {

namespace {

/// Values of facts that are names of tensors or indices.
constexpr std::array<std::string_view, 9> kNameKeys = {"tensor", "loop",  "index", "outer", "inner",
                                                       "of",     "cache", "copy",  "axis"};

struct Meaning {
  std::string_view code;
  std::string_view words;
};
constexpr Meaning kScopes[] = {{"g", "global memory"}, {"s", "shared memory"}, {"l", "thread-local memory"}};
constexpr Meaning kKinds[] = {
    {"L", "serial"}, {"P", "parallel"}, {"V", "vectorized"}, {"U", "unrolled"}, {"B", "bound"}};
constexpr Meaning kOperators[] = {
    {"+", "addition"}, {"*", "multiplication"}, {"max", "the maximum"}, {"min", "the minimum"}};

/// Numbers that are also said with what they count, as {uses_words}.
struct Counted {
  std::string_view key;
  std::string_view binding;
  std::string_view one;
  std::string_view several;
};
constexpr Counted kCounted[] = {
    {"elements", "elements_words", "element", "elements"},
    {"loops", "loops_words", "loop", "loops"},
    {"uses", "uses_words", "use", "uses"},
    {"operands", "operands_words", "operand", "operands"},
    {"items", "items_words", "item", "items"},
    {"nests", "nests_words", "equation", "equations"},
    {"corrected", "corrected_words", "position", "positions"},
};

std::string meaning(std::span<const Meaning> table, std::string_view code) {
  for (const Meaning& one : table) {
    if (one.code == code) return std::string(one.words);
  }
  return std::string(code);
}

TracePieces value_pieces(std::string_view key, const Json& value) {
  if (const auto* number = value.as_integer()) return plain(std::to_string(*number));
  if (const auto* list = value.as_array()) {
    return plain(join(*list, " by ", [](const Json& one) { return one.dump(); }));
  }
  const auto* word = value.as_string();
  if (!word) return plain(value.dump());
  if (key == "dtype") {
    const auto dtype = parse_dtype(*word);
    return plain(dtype ? std::string(facts_of(*dtype).english) : *word);
  }
  if (key == "scope" || key == "from" || key == "to") return plain(meaning(kScopes, *word));
  if (key == "kind") return plain(meaning(kKinds, *word));
  if (key == "operator") return plain(meaning(kOperators, *word));
  const bool is_name = std::find(kNameKeys.begin(), kNameKeys.end(), key) != kNameKeys.end();
  return is_name && *word != "none" ? name_piece(*word) : plain(*word);
}

/// Where the bracket that opens at `open` closes; `<` and `<` may stand inside each other.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return i;
  }
  throw std::logic_error(concat("a phrase has no closing bracket: ", text));
}

std::vector<std::string_view> alternatives(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] != '|' || depth > 0) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

/// Words behind others: where something between them was left out, its blank goes too.
void add_joined(TracePieces& out, std::string_view words) {
  const bool ends_blank = !out.empty() && out.back().kind == TracePiece::Kind::words && out.back().words.ends_with(' ');
  if (ends_blank && !words.empty() && (words[0] == ' ' || words[0] == ',' || words[0] == '.')) {
    out.back().words.pop_back();
  }
  add(out, words);
}

/// Whether anything is kept in shared memory or by a thread.
bool has_scoped_data(const Program& program) {
  bool found = false;
  for_each_equation(program, [&found](const Equation& equation, const auto&) {
    found = found || equation.left->scope.scope != Scope::global;
  });
  return found;
}

/// A strategy that has no words of its own yet says what it is and which parts change.
void tell_plainly(const Strategy& strategy, Teller& teller, TracePieces& out) {
  add(out, concat("This step changes the program so that ", strategy.summary, ".\n\n"));
  std::vector<Site> sites;
  for (const Part& part : teller.facts.removed) sites.push_back(part.site);
  if (!sites.empty()) {
    add(out, "Taken out: ");
    add(out, places_of(teller.before, sites));
    add(out, ".");
  }
  sites.clear();
  for (const Part& part : teller.facts.added) sites.push_back(part.site);
  if (!sites.empty()) {
    add(out, " Put in: ");
    add(out, places_of(teller.after, sites));
    add(out, ".");
  }
}

}  // namespace

Teller::Teller(std::string_view strategy, const Words& words, const Program& program, const Choice& made,
               const Applied& applied, std::uint64_t seed)
    : facts(applied.facts),
      choice(made),
      before{&program, TracePiece::Kind::before},
      after{&applied.program, TracePiece::Kind::after},
      strategy_(strategy),
      words_(words),
      random_(combine(hash_text(strategy), seed)) {}

void Teller::bind(std::string_view name, TracePieces pieces) {
  const auto known = std::find_if(bound_.begin(), bound_.end(), [&](const auto& one) { return one.first == name; });
  if (known != bound_.end())
    known->second = std::move(pieces);
  else
    bound_.emplace_back(name, std::move(pieces));
}

void Teller::bind_count(std::string_view name, std::int64_t number, std::string_view one, std::string_view several) {
  bind(name, counted(number, one, several));
}

void Teller::bind_expression(std::string_view name, const Site& site) {
  bind(name, expression_words(*before.program, site.items[0]));
}

void Teller::bind_values(const Values& values) {
  for (const auto& [name, value] : values) {
    bind(name, value_pieces(name, value));
    for (const Counted& one : kCounted) {
      const auto* number = value.as_integer();
      if (number && one.key == name) bind_count(one.binding, *number, one.one, one.several);
    }
  }
}

void Teller::expand(std::string_view text, TracePieces& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t special = std::min(text.find_first_of("{<", at), text.size());
    add_joined(out, text.substr(at, special - at));
    at = special;
    if (at == text.size()) break;
    if (text[at] == '<') {
      const std::size_t end = closing(text, at);
      const auto options = alternatives(text.substr(at + 1, end - at - 1));
      expand(options[random_.below(options.size())], out);
      at = end + 1;
      continue;
    }
    const std::size_t end = text.find('}', at);
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const auto known = std::find_if(bound_.begin(), bound_.end(), [&](const auto& one) { return one.first == name; });
    if (known == bound_.end()) throw std::logic_error(concat(strategy_, " binds no {", name, "}"));
    add(out, known->second);
    at = end + 1;
  }
}

void Teller::sentence(std::string_view text) {
  TracePieces pieces;
  expand(text, pieces);
  if (pieces.empty()) return;
  if (pieces[0].kind == TracePiece::Kind::words && !pieces[0].words.empty()) {
    pieces[0].words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(pieces[0].words[0])));
  }
  if (!at_start_) add(out_, " ");
  at_start_ = false;
  add(out_, std::move(pieces));
}

bool Teller::say_from(std::span<const Phrase> phrases, std::string_view slot) {
  const auto is_slot = [&](const Phrase& phrase) { return phrase.slot == slot; };
  const auto count = static_cast<std::uint64_t>(std::count_if(phrases.begin(), phrases.end(), is_slot));
  if (count == 0) return false;
  std::uint64_t chosen = random_.below(count);
  for (const Phrase& phrase : phrases) {
    if (!is_slot(phrase) || chosen-- > 0) continue;
    sentence(phrase.text);
    return true;
  }
  return true;
}

void Teller::say(std::string_view slot) {
  if (slot == "scopes" && !has_scoped_data(*before.program) && !has_scoped_data(*after.program)) slot = "scopes-none";
  if (say_from(words_.phrases, slot) || say_from(shared_words().phrases, slot)) return;
  throw std::logic_error(concat(strategy_, " has no phrase for ", slot));
}

bool Teller::has(std::string_view slot) const {
  return std::any_of(words_.phrases.begin(), words_.phrases.end(),
                     [&](const Phrase& phrase) { return phrase.slot == slot; });
}

void Teller::say_preconditions() {
  for (const Holds& one : facts.holds) {
    bind_values(one.values);
    say(one.precondition->id);
  }
}

bool Teller::holds(std::string_view id) const {
  return std::any_of(facts.holds.begin(), facts.holds.end(),
                     [&](const Holds& one) { return one.precondition->id == id; });
}

std::int64_t Teller::integer(std::string_view value) const {
  const Json* found = find_value(facts.values, value);
  const auto* number = found ? found->as_integer() : nullptr;
  return number ? *number : 0;
}

std::string Teller::word(std::string_view value) const {
  const Json* found = find_value(facts.values, value);
  const auto* text = found ? found->as_string() : nullptr;
  return text ? *text : std::string();
}

bool Teller::flag(std::string_view value) const { return is_true(facts.values, value); }

std::string operator_words(std::string_view symbol) { return meaning(kOperators, symbol); }

const Json* find_value(const Values& values, std::string_view key) {
  for (const auto& [name, value] : values) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool is_true(const Values& values, std::string_view key) {
  const Json* found = find_value(values, key);
  const auto* truth = found ? found->as_bool() : nullptr;
  return truth && *truth;
}

namespace {

/// What the strategy is. A form of it that is another thing has texts of its own: `general-half` where a parameter is
/// "half".
std::vector<std::string_view> general_texts(const Words& words, const Choice& choice) {
  for (const auto& [name, value] : choice.values) {
    if (!value.as_string()) continue;
    std::vector<std::string_view> own;
    for (const Phrase& phrase : words.phrases) {
      if (phrase.slot == concat("general-", *value.as_string())) own.push_back(phrase.text);
    }
    if (!own.empty()) return own;
  }
  return words.general;
}

}  // namespace

TracePieces tell(const Strategy& strategy, const Program& before, const Choice& choice, const Applied& applied,
                 std::uint64_t seed) {
  const Words* words = words_of(strategy.name);
  if (!words || words->general.empty()) {
    const Words none;
    Teller teller(strategy.name, none, before, choice, applied, seed);
    TracePieces out;
    tell_plainly(strategy, teller, out);
    return out;
  }
  Teller teller(strategy.name, *words, before, choice, applied, seed);
  const std::vector<std::string_view> general = general_texts(*words, choice);
  TracePieces out = plain(std::string(general[random_at(combine(hash_text(strategy.name), seed), 0) % general.size()]));
  add(out, "\n\n");
  teller.bind_values(applied.facts.values);
  telling_of(strategy).tell(teller);
  say_effect(teller);
  add(out, teller.take());
  return out;
}

}  // namespace steptp
