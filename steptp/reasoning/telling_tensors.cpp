// tensor_concat_to_fuse_operators, tensor_split_to_decouple_operators, partially_equivalent_then_correct, prefix_fold,
// summed_operand
#include <algorithm>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

/// "D,E" as names.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// The new nests one by one, those that only copy apart from those that compute.
struct Sorted {
  std::vector<TracePieces> copies;
  std::vector<TracePieces> work;
  std::vector<TracePieces> last;  ///< copies behind the work
};
Sorted sort_added(Teller& teller) {
  Sorted out;
  for (const Part& part : teller.facts.added) {
    const std::vector<Site> all = equations_below(*teller.after.program, part.site.items);
    const Equation* equation = equation_at(*teller.after.program, all[0].items);
    const bool copies = all.size() == 1 && std::holds_alternative<Read>(equation->right->node);
    (copies ? (out.work.empty() ? out.copies : out.last) : out.work).push_back(nest_of(teller.after, part.site));
  }
  return out;
}

void bind_tensors(Teller& teller) {
  const std::vector<std::string> names = split_names(teller.word("tensors"));
  teller.bind("tensors", names_of(names));
  teller.bind("are_new", names.size() == 1 ? "is" : "are");
}

void tell_concat(Teller& teller) {
  const Facts& facts = teller.facts;
  Sorted sorted = sort_added(teller);
  teller.bind("first_extent", teller.integer("first"));
  teller.bind("second_extent", teller.integer("second"));
  teller.bind("first", nest_of(teller.before, facts.removed[0].site));
  teller.bind("second", nest_of(teller.before, facts.removed[1].site));
  std::int64_t operands = 1;
  for (const Holds& one : facts.holds) {
    for (const auto& [key, value] : one.values) operands = key == "operands" ? *value.as_integer() : operands;
  }
  teller.bind("are_operands", (operands == 1 ? "is " : "are ") + counted(operands, "operand", "operands"));
  bind_tensors(teller);
  teller.bind("copies", list_of(std::move(sorted.copies)));
  teller.bind("work", list_of(std::move(sorted.work)));
  teller.bind("last", list_of(std::move(sorted.last)));
  teller.say("take");
  teller.say_preconditions();
  teller.say("copies");
  teller.say("work");
  teller.say("last");
  teller.say("why");
  teller.say("back");
}

void tell_split(Teller& teller) {
  const Facts& facts = teller.facts;
  Sorted sorted = sort_added(teller);
  bind_where(teller);
  teller.bind_before("old", facts.matched[0].site);
  teller.bind_before("equation", facts.matched[1].site);
  teller.bind("rest", teller.integer("extent") - teller.integer("cut"));
  bind_tensors(teller);
  bool reduced = false;
  for (const Holds& one : facts.holds) {
    reduced = reduced || is_true(one.values, "reduction");
    for (const auto& [key, value] : one.values) {
      if (key != "operands") continue;
      const bool single = *value.as_integer() == 1;
      teller.bind("follow", single ? "follows" : "follow");
      teller.bind("it_slices", single ? "it can be sliced" : "they can be sliced");
      teller.bind("is_sliced", single ? "is" : "are");
    }
  }
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    const bool slices_nothing = id == "affine" && sorted.copies.empty();
    teller.say(reduced && id == "axis" ? "reduced" : slices_nothing ? "affine-none" : id);
  }
  const bool has_slices = !sorted.copies.empty();
  if (has_slices) {
    teller.bind("copies", list_of(std::move(sorted.copies)));
    teller.say("copies");
  }
  // The parts of an accumulation are joined by computations.
  constexpr std::size_t kOperators = 2;
  if (sorted.work.size() > kOperators) {
    sorted.last.insert(sorted.last.begin(), sorted.work.begin() + kOperators, sorted.work.end());
    sorted.work.resize(kOperators);
  }
  teller.bind("work", list_of(std::move(sorted.work)));
  teller.say(has_slices ? "work" : "work-plain");
  if (!sorted.last.empty()) {
    teller.bind("last", list_of(std::move(sorted.last)));
    teller.say("last");
  }
  teller.say(has_slices ? "why" : "why-plain");
  teller.say("back");
}

void tell_partial(Teller& teller) {
  const Facts& facts = teller.facts;
  const char* const names[] = {"pad_one", "reduce_one", "pad_two", "reduce_two"};
  for (std::size_t i = 0; i < 4; ++i) teller.bind(names[i], nest_of(teller.before, facts.removed[i].site));
  std::vector<TracePieces> added;
  for (const Part& part : facts.added) added.push_back(nest_of(teller.after, part.site));
  teller.bind("added", list_of(std::move(added)));
  teller.bind("first_end", teller.integer("first"));
  teller.bind("second_begin", teller.integer("second"));
  teller.bind("need", "need");
  bool corrects = false;
  for (const Holds& one : facts.holds) {
    for (const auto& [key, value] : one.values) {
      if (key != "corrected") continue;
      corrects = *value.as_integer() > 0;
      if (*value.as_integer() == 1) teller.bind("need", "needs");
      teller.bind("recomputed", corrects ? concat(", and ", counted(*value.as_integer(), "position", "positions"),
                                                  " along the loop must be computed again")
                                         : std::string());
    }
  }
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    teller.say(one.precondition->id == std::string_view("kept") && !corrects ? "kept-none" : one.precondition->id);
  }
  teller.say(corrects ? "become" : "become-none");
  teller.say(corrects ? "why" : "why-none");
  teller.say(corrects ? "back" : "back-none");
}

/// Whether an equation that makes other elements reads it.
bool is_read(const Program& program, const std::string& tensor) {
  bool found = false;
  for_each_equation(program, [&](const Equation& equation, const auto&) {
    if (equation.left->tensor == tensor) return;
    for_each_ref(*equation.right, [&](const RefPtr& ref) { found = found || ref->tensor == tensor; });
  });
  return found;
}

void tell_prefix(Teller& teller) {
  const Facts& facts = teller.facts;
  bind_where(teller);
  teller.bind_before("equation", facts.matched[0].site);
  bind_tensors(teller);
  const std::int64_t inner = std::max<std::int64_t>(1, teller.integer("inner"));
  const std::int64_t short_part = teller.integer("extent") % inner;
  teller.bind("shorter", short_part > 0 ? concat(", the last of which has ", short_part) : std::string());
  teller.say("take");
  teller.say_preconditions();
  std::vector<TracePieces> added;
  for (const Part& part : facts.added) added.push_back(nest_of(teller.after, part.site));
  const bool running = teller.word("form") == "running";
  teller.bind(running ? "new" : "last", std::move(added.back()));
  added.pop_back();
  if (!running) teller.bind("work", list_of(std::move(added)));
  teller.say(running ? "running" : "parts");
  teller.say("why");
  teller.say("back");
}

void tell_summed_operand(Teller& teller) {
  bind_where(teller);
  teller.bind_before("equation", teller.facts.matched[0].site);
  bind_tensors(teller);
  teller.bind_name("tensor", teller.word("tensor"));
  teller.say("take");
  teller.say_preconditions();
  std::vector<TracePieces> added;
  for (const Part& part : teller.facts.added) added.push_back(nest_of(teller.after, part.site));
  teller.bind("added", list_of(std::move(added)));
  teller.say("become");
  teller.say("why");
  teller.say("back");
  if (is_read(*teller.after.program, teller.word("tensor"))) teller.set_purpose("purpose-read");
}

constexpr Telling kTellings[] = {
    {"tensor_concat_to_fuse_operators", tell_concat},
    {"tensor_split_to_decouple_operators", tell_split},
    {"partially_equivalent_then_correct", tell_partial},
    {"prefix_fold", tell_prefix},
    {"summed_operand", tell_summed_operand},
};

}  // namespace

std::span<const Telling> tensor_tellings() { return kTellings; }

}  // namespace steptp
