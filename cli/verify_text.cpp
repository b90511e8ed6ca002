#include "cli/verify_text.h"

#include <algorithm>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/verify/illustration.h"

namespace steptp::cli {

namespace {

std::string table(const certify::Counterexample& found) {
  std::string out = concat("  at ", subscripted(found.output, found.index), " (found at a ", found.draw, " draw, seed ",
                           std::to_string(found.seed), ")\n");
  append(out, "    before  ", found.before, "\n    after   ", found.after, "\n");
  if (found.given) {
    if (!found.given->elements.empty() || !found.given->fill.empty()) out += "    with\n";
    out += given_text(*found.given);
  } else {
    if (!found.inputs.empty()) out += "    with, among others,\n";
    for (const auto& [name, value] : found.inputs) append(out, "      ", name, " = ", value, "\n");
  }
  if (!found.is_representable) out += "    (inputs between the values of their types)\n";
  return out;
}

std::string_view safety_text(const Judgement& judgement) {
  if (judgement.safe == Shown::unknown) return "; safety not decided";
  if (judgement.safe == Shown::no) return judgement.stable == Shown::yes ? ", not safe but stable" : ", not safe";
  return judgement.safe_by == SafeBy::proof ? ", safe by proof" : ", safe as far as a search can tell";
}

}  // namespace

std::string subscripted(const std::string& name, const std::vector<std::int64_t>& index) {
  if (index.empty()) return name;
  return concat(name, "[", join(index, ",", [](std::int64_t number) { return std::to_string(number); }), "]");
}

std::string given_text(const certify::GivenInputs& given) {
  constexpr std::size_t kMost = 16;
  std::string out;
  std::size_t left = given.elements.size();
  for (const auto& [element, value] : given.elements) {
    if (given.elements.size() - left == kMost) break;
    append(out, "      ", subscripted(element.first, element.second), " = ", certify::to_text(value), "\n");
    --left;
  }
  if (left > 0) append(out, "      and ", left, " more\n");
  for (const auto& [name, value] : given.fill) {
    const bool has_elements = std::any_of(given.elements.begin(), given.elements.end(),
                                          [&](const auto& item) { return item.first.first == name; });
    append(out, "      ", name, " = ", certify::to_text(value), has_elements ? " elsewhere\n" : " everywhere\n");
  }
  return out;
}

std::string report(const Judgement& judgement, std::optional<double> ms) {
  std::string out(name_of(judgement.verdict));
  if (judgement.same) out += " (the same program up to names)";
  if (is_equal(judgement.verdict)) out += safety_text(judgement);
  if (judgement.bound_log2)
    append(out, ", chance of error at most 2^", std::to_string(std::lround(std::ceil(*judgement.bound_log2))));
  if (judgement.agree_bits) append(out, ", agreeing in ", std::to_string(*judgement.agree_bits), " bits");
  if (judgement.points > 0) append(out, ", ", judgement.points, judgement.points == 1 ? " point" : " points");
  if (judgement.seed) append(out, ", seed ", std::to_string(*judgement.seed));
  if (ms) append(out, ", ", std::to_string(*ms), " ms");
  out += "\n";
  const auto line = [&](std::string_view title, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    append(out, "  ", title, " ", join(texts, "; ", [](const std::string& text) { return text; }), "\n");
  };
  line("assuming", judgement.assumes);
  if (judgement.degenerate) out += "  degenerate: no output depends on any input\n";
  line("independent of", judgement.independent_of);
  line("before has no value at any input:", judgement.vacuous);
  if (judgement.fills_vacuous) out += "  after fills these elements with numbers\n";
  if (!judgement.reason.empty()) append(out, "  ", judgement.reason, "\n");
  if (judgement.counterexample) out += table(*judgement.counterexample);
  return out;
}

std::string illustration_text(const Pair& pair) {
  const auto found = illustrate(pair.before.program, pair.after.program);
  if (!found) return {};
  std::string shapes;
  for (const Variable& variable : found->before.signature.variables) {
    if (variable.shape.empty()) continue;
    append(shapes, shapes.empty() ? "" : ", ", subscripted(variable.name, variable.shape));
  }
  std::string out = concat("  the same at a small shape, as an illustration: ", shapes, "\n");
  append(out, "  at ", subscripted(found->example.output, found->example.index), "\n    before  ", found->before_run,
         "\n    after   ", found->after_run, "\n    with\n", given_text(*found->example.given));
  return out;
}

}  // namespace steptp::cli
