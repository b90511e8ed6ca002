#include "testing/attention_judging.h"

#include <ctime>
#include <iomanip>
#include <sstream>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"

namespace steptp::testing {

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void count(JudgedRecipe& out, const Judgement& judgement) {
  switch (judgement.verdict) {
    case Grade::proved: ++out.proved; break;
    case Grade::exact: ++out.exact; break;
    case Grade::numeric: ++out.numeric; break;
    case Grade::undecided: ++out.undecided; break;
    case Grade::differs:
    case Grade::invalid: ++out.wrong; break;
  }
  if (is_equal(judgement.verdict) && !judgement.is_safe()) ++out.unsafe;
}

}  // namespace

std::vector<std::string> attention_types() {
  std::vector<std::string> out;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (type.family == "attention") out.emplace_back(type.name);
  }
  return out;
}

zoo::Arguments small_attention(const std::string& type) {
  zoo::Arguments out = {{"n_embd", 8}, {"n_head", 4}, {"batch_size", 2}, {"seq_len", 4}};
  for (const zoo::ArgumentRange& argument : zoo::find_type(type)->arguments) {
    if (argument.name == "out_features") out["out_features"] = 4;
  }
  return out;
}

JudgedRecipe judge_steps(const Program& root, const Recipe& recipe, const VerifyOptions& options) {
  JudgedRecipe out;
  Program state = root;
  for (std::size_t number = 0; number < recipe.size(); ++number) {
    const Step& step = recipe[number];
    const auto note = [&](std::string_view verdict, const std::string& reason) {
      out.not_equal.push_back(concat("step ", number + 1, ", ", to_json(step).dump(), ": ", verdict, ": ", reason));
    };
    View view(state);
    auto applied = apply(*find_strategy(step.strategy), view, step.choice);
    if (!applied) {
      ++out.wrong;
      note("refused", to_text(step.strategy, applied.error()));
      return out;
    }
    const double begin = cpu_seconds();
    const Judgement judgement = verify(state, applied->program, options);
    out.seconds += cpu_seconds() - begin;
    count(out, judgement);
    if (!is_equal(judgement.verdict)) note(name_of(judgement.verdict), judgement.reason);
    Program next = std::move(applied->program);
    state = std::move(next);
  }
  return out;
}

std::string table_header() {
  return "type                      steps  proved  exact  numeric  undecided  wrong  unsafe  seconds";
}

std::string table_line(const std::string& type, const JudgedRecipe& judged) {
  std::ostringstream out;
  out << std::left << std::setw(24) << type << std::right << std::setw(7) << judged.steps() << std::setw(8)
      << judged.proved << std::setw(7) << judged.exact << std::setw(9) << judged.numeric << std::setw(11)
      << judged.undecided << std::setw(7) << judged.wrong << std::setw(8) << judged.unsafe << std::fixed
      << std::setprecision(2) << std::setw(9) << judged.seconds;
  return out.str();
}

}  // namespace steptp::testing
