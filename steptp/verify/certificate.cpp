// Writes what the judge found as statements that another program can check (decision 0014): value numbers with their
// formulas, regions, side conditions, covers, counterexamples. Nothing is computed here.
#include "steptp/verify/certificate.h"

#include <cmath>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

Json integers(const std::vector<std::int64_t>& numbers) {
  Json::Array out;
  for (const std::int64_t number : numbers) out.emplace_back(number);
  return out;
}

Json strings(const std::vector<std::string>& texts) {
  Json::Array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

template <typename Range, typename ToJson>
Json array(const Range& range, const ToJson& to_one) {
  Json::Array out;
  for (const auto& item : range) out.push_back(to_one(item));
  return out;
}

Json regions(const std::vector<ProofRecord::Region>& list) {
  return array(list, [](const ProofRecord::Region& region) {
    Json out;
    out.set("where", region.where).set("form", region.form);
    if (!region.after.empty()) out.set("after", region.after);
    Json no_value;
    if (!region.no_value_before.empty()) no_value.set("before", region.no_value_before);
    if (!region.no_value_after.empty()) no_value.set("after", region.no_value_after);
    if (no_value.as_object()) out.set("no_value", std::move(no_value));
    return out;
  });
}

Json versions(const std::vector<ProofRecord::Version>& list) {
  return array(list, [](const ProofRecord::Version& version) {
    Json out;
    return Json(out.set("tensor", version.tensor).set("writers", static_cast<std::uint64_t>(version.writers)));
  });
}

Json value_json(const ProofRecord::Value& value) {
  Json facts;
  facts.set("nonnegative", value.nonnegative).set("nonpositive", value.nonpositive).set("nonzero", value.nonzero);
  facts.set("finite", value.finite).set("number", value.is_number);
  Json out;
  out.set("number", value.number).set("shape", integers(value.shape)).set("before", versions(value.before));
  out.set("after", versions(value.after)).set("facts", std::move(facts));
  return out.set("regions", regions(value.regions));
}

Json condition_json(const ProofRecord::Condition& condition) {
  Json variables = Json::Object();
  for (const auto& [name, range] : condition.variables) variables.set(name, integers({range.first, range.second}));
  Json out;
  out.set("needs", condition.needs).set("of", condition.of).set("because", condition.because);
  return out.set("variables", std::move(variables));
}

Json proof_json(const ProofRecord& proof) {
  Json out;
  out.set("parts", strings(proof.parts)).set("values", array(proof.values, value_json));
  out.set("outputs", array(proof.outputs, [](const ProofRecord::Output& output) {
            Json one;
            one.set("output", output.name).set("shape", integers(output.shape));
            return Json(one.set("regions", regions(output.regions)));
          }));
  return out.set("conditions", array(proof.conditions, condition_json));
}

Json point_json(const certify::EvaluationRecord::Point& point) {
  Json out;
  out.set("output", point.output).set("index", integers(point.element)).set("draw", point.draw);
  out.set("seed", point.seed).set("by", point.by);
  if (point.by == "field") out.set("prime", point.prime);
  out.set("before", point.before).set("after", point.after);
  if (point.given) out.set("given", to_json(*point.given));
  return out;
}

Json branch_json(const certify::EvaluationRecord::Branch& branch) {
  std::string text;
  if (const auto* compare = branch.condition ? std::get_if<Compare>(&branch.condition->node) : nullptr) {
    text = concat(print(*compare->operands[0]), text_of(compare->operators[0]), print(*compare->operands[1]));
  }
  Json out;
  out.set("program", branch.in_before ? "before" : "after");
  out.set("statement", join(branch.statement, "/", [](std::uint32_t number) { return std::to_string(number); }));
  out.set("condition", text).set("kind", branch.kind).set("true", branch.when_true);
  return out.set("false", branch.when_false);
}

Json input_json(const certify::RecordedInput& input) {
  Json out;
  out.set("name", input.name).set("draw", input.draw);
  if (input.draw == "range") out.set("low", input.low).set("high", input.high);
  if (input.draw == "integer") {
    out.set("low", input.least).set("high", input.greatest).set("nonzero", input.skips_zero);
    out.set("bounded", input.is_bounded);
  }
  return out;
}

Json precision_json(const PrecisionLoss& loss) {
  Json out;
  out.set("source", loss.source).set("decides", loss.decides).set("output", loss.output);
  out.set("found", integers({loss.found.first, loss.found.second}));
  return out.set("expected", integers({loss.expected.first, loss.expected.second}));
}

Json example_json(const certify::Counterexample& found) {
  Json out;
  out.set("output", found.output).set("index", integers(found.index)).set("draw", found.draw);
  out.set("seed", found.seed).set("by", "reals").set("before", found.before).set("after", found.after);
  if (found.given) out.set("given", to_json(*found.given));
  return out;
}

}  // namespace

Json to_json(const certify::GivenInputs& given) {
  Json fill = Json::Object();
  for (const auto& [name, value] : given.fill) fill.set(name, certify::to_text(value));
  Json out;
  out.set("fill", std::move(fill));
  return out.set("elements", array(given.elements, [](const auto& item) {
                   Json one;
                   one.set("name", item.first.first).set("index", integers(item.first.second));
                   return Json(one.set("value", certify::to_text(item.second)));
                 }));
}

Json certificate(const Pair& pair, const Judgement& judgement) {
  const Json before = to_json(pair.before.program, Profile::paper);
  const Json after = to_json(pair.after.program, Profile::paper);
  const Json& old_text = *before.find("leir");
  const Json& new_text = *after.find("leir");
  Json hashes;
  hashes.set("before", hexadecimal(hash_text(*old_text.as_string())));
  hashes.set("after", hexadecimal(hash_text(*new_text.as_string())));
  hashes.set("signature", hexadecimal(hash_text(before.find("signature")->dump())));
  Json out;
  out.set("format", "steptp-certificate-1").set("id", pair.id).set("verdict", name_of(judgement.verdict));
  out.set("same", judgement.same).set("reason", judgement.reason).set("assumes", strings(judgement.assumes));
  out.set("signature", *before.find("signature")).set("before", old_text).set("after", new_text);
  out.set("hash", std::move(hashes));
  out.set("inputs", array(certify::describe_inputs(pair.before.program, pair.after.program), input_json));
  if (judgement.proof && !judgement.same) out.set("proof", proof_json(*judgement.proof));
  if (judgement.verdict == Grade::exact) {
    Json cover;
    cover.set("by", judgement.proof ? "cells" : "elements").set("count", judgement.points);
    cover.set("bound_log2",
              judgement.bound_log2 && std::isfinite(*judgement.bound_log2) ? Json(*judgement.bound_log2) : Json());
    out.set("cover", std::move(cover));
  }
  if (judgement.evaluation && judgement.verdict == Grade::exact) {
    Json evaluation;
    evaluation.set("bound_log2", judgement.bound_log2 ? Json(*judgement.bound_log2) : Json());
    evaluation.set("agree_bits", judgement.agree_bits ? Json(*judgement.agree_bits) : Json());
    evaluation.set("points", array(judgement.evaluation->points, point_json));
    out.set("evaluation", evaluation.set("branches", array(judgement.evaluation->branches, branch_json)));
  }
  if (judgement.precision) out.set("precision", precision_json(*judgement.precision));
  if (judgement.counterexample) out.set("counterexample", example_json(*judgement.counterexample));
  return out;
}

}  // namespace steptp
