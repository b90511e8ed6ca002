// Writes what the judge found as statements that another program can check (decision 0014): value numbers with their
// formulas, regions, side conditions, covers, counterexamples. Nothing is computed here.
#include "steptp/verify/certificate.h"

#include <algorithm>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"
#include "steptp/verify/needed_facts.h"

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

/// What is known of all elements, in words; of tensors only, because nothing is drawn for a name of a form.
Json facts(const ProofRecord::Value& value) {
  const std::pair<const char*, bool> words[] = {{"nonnegative", value.nonnegative},
                                                {"nonpositive", value.nonpositive},
                                                {"nonzero", value.nonzero},
                                                {"finite", value.finite},
                                                {"number", value.is_number}};
  Json::Array out;
  for (const auto& [word, holds] : words) {
    if (holds) out.emplace_back(word);
  }
  return out;
}

Json value_json(const ProofRecord::Value& value) {
  Json out;
  out.set("number", value.number).set("shape", integers(value.shape)).set("before", versions(value.before));
  out.set("after", versions(value.after));
  if (!value.before.empty()) out.set("facts", facts(value));
  return out.set("regions", regions(value.regions));
}

Json condition_json(const ProofRecord::Condition& condition) {
  Json variables = Json::Object();
  for (const auto& [name, range] : condition.variables) variables.set(name, integers({range.first, range.second}));
  Json out;
  out.set("needs", condition.needs).set("of", condition.of);
  return out.set("variables", std::move(variables));
}

Json proof_json(const Pair& pair, const ProofRecord& shown) {
  const ProofRecord proof = what_is_needed(shown, pair.before.program, pair.after.program);
  Json out;
  out.set("parts", strings(proof.parts)).set("values", array(proof.values, value_json));
  out.set("outputs", array(proof.outputs, [](const ProofRecord::Output& output) {
            Json one;
            one.set("output", output.name).set("shape", integers(output.shape));
            return Json(one.set("regions", regions(output.regions)));
          }));
  return out.set("conditions", array(proof.conditions, condition_json));
}

/// Without constants, whose values are in the signature.
Json given_json(const Signature& signature, certify::GivenInputs given) {
  const auto is_constant = [&](const std::string& name) {
    const Variable* variable = signature.find(name);
    return variable && !variable->values.empty();
  };
  std::erase_if(given.fill, [&](const auto& item) { return is_constant(item.first); });
  std::erase_if(given.elements, [&](const auto& item) { return is_constant(item.first.first); });
  return to_json(given);
}

Json point_json(const Signature& signature, const certify::EvaluationRecord::Point& point) {
  Json out;
  out.set("output", point.output).set("index", integers(point.element)).set("by", point.by);
  if (point.by == "field") out.set("prime", point.prime);
  out.set("before", point.before).set("after", point.after);
  if (point.given) return out.set("given", given_json(signature, *point.given));
  return out.set("seed", point.seed);
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

Json example_json(const Signature& signature, const certify::Counterexample& found) {
  Json out;
  out.set("output", found.output).set("index", integers(found.index));
  out.set("before", found.before).set("after", found.after);
  return out.set("given", given_json(signature, *found.given));
}

/// What an exact verdict rests on: cells with their forms, or every element.
void add_cover(const Pair& pair, const Judgement& judgement, Json& out) {
  Json cover;
  cover.set("by", judgement.proof ? "cells" : "elements").set("count", judgement.points);
  out.set("cover", cover.set("bound_log2", judgement.bound_log2 ? Json(*judgement.bound_log2) : Json()));
  if (judgement.proof) {
    out.set("proof", proof_json(pair, *judgement.proof));
  } else if (judgement.evaluation) {
    Json evaluation;
    evaluation.set("inputs", array(certify::describe_inputs(pair.before.program, pair.after.program), input_json));
    const auto point = [&](const auto& one) { return point_json(pair.before.program.signature, one); };
    out.set("evaluation", evaluation.set("points", array(judgement.evaluation->points, point)));
  }
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
  out.set("format", "steptp-certificate-2").set("id", pair.id).set("verdict", name_of(judgement.verdict));
  const bool differs = judgement.verdict == Grade::differs;
  // A difference is shown at inputs that are written out, and assumes nothing.
  out.set("same", judgement.same).set("assumes", strings(differs ? std::vector<std::string>() : judgement.assumes));
  out.set("signature", *before.find("signature")).set("before", old_text).set("after", new_text);
  out.set("hash", std::move(hashes));
  if (judgement.verdict == Grade::proved && judgement.proof && !judgement.same) {
    out.set("proof", proof_json(pair, *judgement.proof));
  }
  if (judgement.verdict == Grade::exact) add_cover(pair, judgement, out);
  if (differs && judgement.precision) {
    out.set("precision", precision_json(*judgement.precision));
  } else if (differs && judgement.counterexample && judgement.counterexample->given) {
    out.set("counterexample", example_json(pair.before.program.signature, *judgement.counterexample));
  }
  return out;
}

}  // namespace steptp
