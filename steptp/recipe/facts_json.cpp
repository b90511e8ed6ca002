#include "steptp/recipe/facts_json.h"

#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// Nests have no text of their own here: they can be as long as the program.
Json text_of(const Program& program, const Site& site) {
  struct Visitor {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(const Nest*) const { return nullptr; }
    Json operator()(const Equation* part) const { return print(*part); }
    Json operator()(const Loop* part) const { return print(*part); }
    Json operator()(const Ref* part) const { return print(*part); }
    Json operator()(const Expr* part) const { return print(*part); }
    Json operator()(const Index* part) const { return print(*part); }
  };
  return std::visit(Visitor{}, resolve(program.nests, site));
}

Json parts_json(const std::vector<Part>& parts, const Program& program) {
  Json::Array out;
  for (const Part& part : parts) {
    Json entry;
    entry.set("role", part.role).set("at", to_text(part.site));
    if (Json text = text_of(program, part.site); !text.is_null()) entry.set("text", std::move(text));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Json to_json(const Facts& facts, const Program& before, const Program& after) {
  Json::Array renamings;
  for (const Renaming& item : facts.renamings) {
    Json entry;
    entry.set("what", item.what).set("from", item.from).set("to", item.to).set("below", to_text(item.below));
    renamings.push_back(std::move(entry));
  }
  Json::Array substitutions;
  for (const Substitution& item : facts.substitutions) {
    Json entry;
    entry.set("index", item.index).set("becomes", print(item.value)).set("below", to_text(item.below));
    substitutions.push_back(std::move(entry));
  }
  Json::Array holds;
  for (const Holds& item : facts.holds) {
    Json entry;
    entry.set("precondition", item.precondition->id).set("check", name_of(item.precondition->check));
    holds.push_back(entry.set("values", item.values));
  }
  Json out;
  out.set("matched", parts_json(facts.matched, before)).set("removed", parts_json(facts.removed, before));
  out.set("added", parts_json(facts.added, after)).set("renamings", std::move(renamings));
  out.set("substitutions", std::move(substitutions)).set("preconditions", std::move(holds));
  return out.set("values", facts.values).set("because", facts.because);
}

Json to_json(const Refusal& refusal) {
  Json out;
  out.set("precondition", refusal.precondition->id).set("check", name_of(refusal.precondition->check));
  out.set("at", to_text(refusal.place)).set("message", refusal.message);
  return out.set("values", refusal.values);
}

}  // namespace steptp
