// loop_reorder, expression_reorder, reduction_factorization, range_cut
#include <algorithm>

#include "steptp/reasoning/adjacency.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

/// Only a nest without others inside has one loop that runs fastest for all of its equations.
std::string_view purpose_of_order(Teller& teller, const Site& first) {
  if (teller.flag("same_order")) return "purpose-same";
  const Nest* nest = nest_at(*teller.before.program, first.items);
  for (const Item& item : nest->items) {
    if (std::holds_alternative<NestPtr>(item)) return "purpose";
  }
  // Iterations of a bound or parallel loop have no order in which they could be neighbours.
  const auto has_no_order = [](const Loop& loop) {
    return loop.kind == LoopKind::bound || loop.kind == LoopKind::parallel;
  };
  if (has_no_order(*loop_at(*teller.after.program, teller.facts.added[0].site)) ||
      has_no_order(*loop_at(*teller.after.program, teller.facts.added[1].site))) {
    return "purpose-bound";
  }
  if (has_no_order(nest->loops.back())) return "purpose";
  const Nest* reordered = nest_at(*teller.after.program, first.items);
  if (nest->loops.back().extent == 1 || reordered->loops.back().extent == 1) return "purpose";
  const auto any = [](const std::string&) { return true; };
  const Adjacency was = adjacency_of(*teller.before.program, first.items, any);
  const Adjacency is = adjacency_of(*teller.after.program, first.items, any);
  teller.bind_name("fastest", reordered->loops.back().index);
  teller.bind("was_share", share_words(was.adjacent, was.all, "access", "accesses"));
  teller.bind("is_share", share_words(is.adjacent, is.all, "access", "accesses"));
  if (is.adjacent == was.adjacent) return "purpose";
  return is.adjacent > was.adjacent ? "purpose-adjacent" : "purpose-apart";
}

void tell_reorder(Teller& teller) {
  const Site& first = teller.facts.removed[0].site;
  const Site& second = teller.facts.removed[1].site;
  bind_where(teller);
  teller.bind_before("first", first);
  teller.bind_before("second", second);
  teller.bind_after("now_outer", teller.facts.added[0].site);
  teller.bind_after("now_inner", teller.facts.added[1].site);
  teller.bind("header", header_of(teller.before, first.items));
  teller.bind("new_header", header_of(teller.after, first.items));
  const std::vector<Site> equations = equations_below(*teller.before.program, first.items);
  teller.bind("body_hint", "");
  if (equations.size() == 1) {
    TracePieces hint = plain("with its equation for ");
    const Site left{equations[0].items, Site::Part::left, {}, {}};
    add(hint, quote_piece(teller.before, {left, {}}));
    teller.bind("body_hint", std::move(hint));
  } else {
    teller.bind("body_hint",
                counted(static_cast<std::int64_t>(equations.size()), "of one equation", "equations in all"));
  }
  const bool adds_up = std::any_of(equations.begin(), equations.end(), [&](const Site& site) {
    const Equation* equation = equation_at(*teller.before.program, site.items);
    const auto op = accumulation_operator(*equation->left, equation->right);
    return op == ArithmeticOp::add || op == ArithmeticOp::multiply;
  });
  teller.bind("rounding", adds_up ? " up to rounding" : "");
  const Nest* nest = nest_at(*teller.before.program, first.items);
  teller.bind_count("loop_count", static_cast<std::int64_t>(nest->loops.size()), "loop", "loops");
  teller.say("take");
  say_preconditions_of_order(teller, first);
  teller.say("become");
  teller.say("why");
  teller.say("back");
  teller.set_purpose(purpose_of_order(teller, first));
}

std::vector<std::string> written_names(const Program& program, const std::vector<std::uint32_t>& items) {
  std::vector<std::string> names;
  for (const Site& site : equations_below(program, items)) {
    names.push_back(equation_at(program, site.items)->left->tensor);
  }
  return names;
}

void tell_expression_reorder(Teller& teller) {
  const Facts& facts = teller.facts;
  teller.bind("first", nest_of(teller.before, facts.removed[0].site));
  teller.bind("second", nest_of(teller.before, facts.removed[1].site));
  teller.bind("now_first", nest_of(teller.after, facts.added[0].site));
  teller.bind("now_second", nest_of(teller.after, facts.added[1].site));
  const auto first = written_names(*teller.before.program, facts.removed[0].site.items);
  const auto second = written_names(*teller.before.program, facts.removed[1].site.items);
  teller.bind("first_writes", names_of(first));
  teller.bind("second_writes", names_of(second));
  teller.say("take");
  const auto list = [&](std::string_view key) {
    std::vector<std::string> out;
    const Json* value = find_value(facts.values, key);
    if (!value) return out;
    for (const Json& one : *value->as_array()) out.push_back(*one.as_string());
    return out;
  };
  const std::vector<std::string> shared = list("shared");
  if (shared.empty()) {
    teller.say(first == second ? "other-elements" : "independent");
  } else {
    std::vector<TracePieces> operators;
    for (const std::string& one : list("operators")) operators.push_back(plain(operator_words(one)));
    teller.bind("shared", names_of(shared));
    teller.bind("operator", list_of(std::move(operators)));
    teller.say("updates");
  }
  teller.say("follows");
  teller.say("become");
  teller.say(shared.empty() ? "back" : "back-updates");
}

/// Whether a nest at the items or around them has a guard.
bool is_guarded(const Program& program, std::vector<std::uint32_t> items) {
  for (; !items.empty(); items.pop_back()) {
    const Nest* nest = nest_at(program, items);
    if (nest && nest->guard) return true;
  }
  return false;
}

void tell_reduction(Teller& teller) {
  const Facts& facts = teller.facts;
  const Site& loop = facts.matched[0].site;
  const bool parts = teller.word("form") != "rfactor";
  const std::int64_t cut = teller.integer("cut");
  bind_where(teller);
  teller.bind_before("old", loop);
  teller.bind_name("loop", loop_at(*teller.before.program, loop)->index);
  teller.bind_before("equation", facts.matched[1].site);
  std::vector<std::string> names;
  for (const Renaming& one : facts.renamings) names.push_back(one.to);
  teller.bind("parts", names_of(names));
  teller.bind("parts_noun", names.size() == 1 ? "tensor" : "tensors");
  teller.bind("part_one", nest_of(teller.after, facts.added[0].site));
  if (parts) {
    teller.bind("part_two", nest_of(teller.after, facts.added[1].site));
    const auto iterations = [](std::int64_t number) {
      return number == 1 ? std::string("iteration") : counted(number, "iteration", "iterations");
    };
    teller.bind("cut_words", iterations(cut));
    teller.bind("cut_capital", "the terms of the first " + iterations(cut));
    teller.bind("rest_words", iterations(teller.integer("extent") - cut));
  }
  teller.bind("combination", nest_of(teller.after, facts.added.back().site));
  teller.say("take");
  for (const Holds& one : facts.holds) {
    teller.bind_values(one.values);
    const std::string_view id = one.precondition->id;
    teller.say(id == "guard" && !is_guarded(*teller.before.program, loop.items) ? "guard-none" : id);
  }
  teller.say(parts ? "parts" : "rfactor");
  teller.say("names");
  teller.say("combine");
  const Json* op = find_value(facts.holds[0].values, "operator");
  const bool is_extremum = op && op->as_string() && (*op->as_string() == "max" || *op->as_string() == "min");
  teller.say(is_extremum ? "why-exact" : "why");
  teller.say("back");
}

void tell_range_cut(Teller& teller) {
  const std::string form = teller.choice.word("form");
  const std::string ending = form == "needed" ? std::string() : "-" + form;
  bind_where(teller);
  teller.bind_before("old", teller.facts.removed[0].site);
  teller.bind_after("new", teller.facts.added[0].site);
  teller.say("take" + ending);
  teller.say_preconditions();
  teller.say("become");
  teller.say("why" + ending);
  teller.say("back");
}

constexpr Telling kTellings[] = {
    {"range_cut", tell_range_cut},
    {"loop_reorder", tell_reorder},
    {"expression_reorder", tell_expression_reorder},
    {"reduction_factorization", tell_reduction},
};

}  // namespace

std::span<const Telling> loop_order_tellings() { return kTellings; }

}  // namespace steptp
