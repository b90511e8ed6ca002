/// dead_code_elimination: an equation whose tensor nobody reads is taken out.
///   D_{a}=exp(A_{a}); C_{a}=A_{a}*2;   -->   C_{a}=A_{a}*2;
/// Safe because the tensor is not an output, and no other equation reads it, unless to accumulate into it.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::dependency, "unused",
     "the tensor is not an output, and no other equation reads it, unless to accumulate into it"},
};
constexpr Precondition kSafety[] = {
    {Check::size, "not-empty", "the program keeps another expression"},
};
constexpr const Precondition& kUnused = kPublished[0];
constexpr const Precondition& kNotEmpty = kSafety[0];
constexpr Component kModifies[] = {Component::expressions};

Result<Program, Refusal> plan(View& view, const Site& site) {
  const auto statement = equation_at(view, site);
  if (!statement) return statement.error();
  const std::string& name = (*statement)->equation->left->tensor;
  const TensorFacts& tensor = view.table().tensors.at(name);
  const bool used = std::any_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
    const Access& read = view.table().accesses[number];
    return !read.is_accumulator && &view.table().statements[read.statement] != *statement;
  });
  if (tensor.known || used) {
    return Refusal{&kUnused, site, concat(name, tensor.known ? " is an output" : " is read"), {{"tensor", name}}};
  }
  auto program = without_item(view.program(), (*statement)->items);
  if (!program) return Refusal{&kNotEmpty, site, "it is the only equation", {}};
  return *std::move(program);
}

void choices(View& view, Listing& listing) {
  for (const Statement& statement : view.table().statements) {
    if (listing.allows(plan(view, item_site(statement.items)))) listing.offer({item_site(statement.items), {}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  auto planned = plan(view, choice.at);
  if (!planned) return planned.error();
  const std::string& name = view.find_statement(choice.at.items)->equation->left->tensor;
  Applied out;
  out.program = std::move(planned).value();
  out.facts.matched = {{"equation", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.holds = {{&kUnused, {{"tensor", name}}}};
  out.facts.values = {{"tensor", name}};
  out.facts.because = concat(name, " is not an output, and nothing else is made of it");
  return out;
}

}  // namespace

const Strategy& dead_code_elimination_strategy() {
  static constexpr Strategy kStrategy = {
      "dead_code_elimination",
      Level::graph,
      "an equation whose tensor nobody reads is taken out",
      "D_{a}=exp(A_{a}); C_{a}=A_{a}*2;   -->   C_{a}=A_{a}*2;",
      "the tensor is not an output, and no other equation reads it, unless to accumulate into it",
      "",
      {"@input A f32[8]\n@output C f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx});];B^{8}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];\n",
       R"({"at":"0/0"})"},
      {},
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
