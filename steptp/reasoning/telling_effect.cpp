// What a step saves and costs, in words.
#include <array>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/reasoning/effect.h"
#include "steptp/reasoning/teller.h"

namespace steptp {

namespace {

/// How one kind of count is told, in slots of shared.words.
struct Slots {
  std::string_view saves;
  std::string_view costs;
  std::string_view one;  ///< what is counted
  std::string_view several;
};
constexpr std::array<Slots, 5> kSlots = {{
    {"saves-launches", "costs-launches", "launch", "launches"},
    {"saves-bytes", "costs-bytes", "byte", "bytes"},
    {"saves-operations", "costs-operations", "scalar operation", "scalar operations"},
    {"saves-accesses", "costs-accesses", "access to global tensors", "accesses to global tensors"},
    {"more-threads", "fewer-threads", "thread", "threads"},
}};
constexpr std::size_t kMostSaved = 2;

std::string grouped_count(std::int64_t number, std::string_view word, std::string_view one, std::string_view several) {
  const std::string between = word.empty() ? std::string(" ") : concat(" ", word, " ");
  return number == 1 ? concat("one", between, one) : concat(grouped(number), between, several);
}

void bind_change(Teller& teller, const Effect& effect, std::size_t kind) {
  const auto& [was, is] = effect.counts[kind];
  const Slots& slots = kSlots[kind];
  const std::int64_t change = was > is ? was - is : is - was;
  teller.bind("was", grouped(was));
  teller.bind("is_words", grouped_count(is, "", slots.one, slots.several));
  teller.bind("change_words", grouped_count(change, "", slots.one, slots.several));
  teller.bind("fewer_words", grouped_count(change, "fewer", slots.one, slots.several));
  teller.bind("more_words", grouped_count(change, "more", slots.one, slots.several));
  teller.bind("change_bytes", bytes_words(change));
}

}  // namespace

void say_effect(Teller& teller) {
  const Effect effect = effect_of(*teller.before.program, *teller.after.program);
  teller.bind("branches", effect.has_branches ? " and both branches of each condition" : "");
  // More threads are no gain where a guard may leave them without work.
  const auto is_saved = [&](std::size_t kind) {
    return effect.improves(kind) && (kind != Effect::kThreads || !effect.has_idle_threads);
  };
  std::size_t saved = 0;
  for (std::size_t kind = 0; kind < kSlots.size() && saved < kMostSaved; ++kind) {
    if (!is_saved(kind)) continue;
    bind_change(teller, effect, kind);
    teller.bind("gain", saved == 0 ? "the gain" : "a further gain");
    teller.say(kSlots[kind].saves);
    ++saved;
  }
  if (saved == 0 && teller.has("purpose")) teller.say(teller.purpose());
  std::size_t costs = 0;
  for (std::size_t kind = 0; kind < kSlots.size(); ++kind) {
    if (!effect.worsens(kind)) continue;
    bind_change(teller, effect, kind);
    teller.bind("price", costs == 0 ? "the price" : "a further price");
    const bool is_masked = kind == Effect::kThreads && effect.has_idle_threads;
    teller.say(is_masked ? "fewer-threads-guarded" : kSlots[kind].costs);
    ++costs;
  }
}

}  // namespace steptp
