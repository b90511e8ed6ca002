#include "steptp/verify/replay_pair.h"

#include <charconv>
#include <optional>

#include "steptp/base/text.h"

namespace steptp {

namespace {

/// Seeds take all 64 bits.
std::optional<std::uint64_t> natural(const Json& value) {
  const std::string digits = value.dump();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string read_given(const Json& json, const Signature& signature, certify::GivenInputs& out) {
  const Json* fill = json.find("fill");
  const Json* elements = json.find("elements");
  if (!fill || !fill->as_object() || !elements || !elements->as_array()) return "the given inputs have no values";
  const auto value_of = [&](const std::string& name, const Json* text) -> std::optional<certify::GivenValue> {
    const Variable* variable = signature.find(name);
    if (!variable || variable->role == Role::output || !text || !text->as_string()) return std::nullopt;
    return certify::parse_given(variable->dtype, *text->as_string());
  };
  for (const auto& [name, text] : *fill->as_object()) {
    const auto value = value_of(name, &text);
    if (!value) return concat("the value that is given for ", name, " is none");
    out.fill[name] = *value;
  }
  for (const Json& item : *elements->as_array()) {
    const Json* name = item.find("name");
    const Json* index = item.find("index");
    if (!name || !name->as_string() || !index || !index->as_array()) return "a given element has no place";
    const auto value = value_of(*name->as_string(), item.find("value"));
    if (!value) return concat("the value that is given for ", *name->as_string(), " is none");
    std::vector<std::int64_t> place;
    const std::vector<std::int64_t>& shape = signature.find(*name->as_string())->shape;
    for (const Json& subscript : *index->as_array()) {
      const std::int64_t* number = subscript.as_integer();
      if (!number || place.size() >= shape.size() || *number < 0 || *number >= shape[place.size()]) {
        return concat("an element is given that ", *name->as_string(), " does not have");
      }
      place.push_back(*number);
    }
    if (place.size() != shape.size()) return concat("an element is given that ", *name->as_string(), " does not have");
    out.elements[{*name->as_string(), std::move(place)}] = *value;
  }
  return {};
}

std::string read_index(const Json& json, std::vector<std::int64_t>& out) {
  const Json* index = json.find("index");
  if (!index || !index->as_array()) return "the counterexample has no list \"index\"";
  for (const Json& subscript : *index->as_array()) {
    if (!subscript.as_integer()) return "a subscript of the counterexample is not an integer";
    out.push_back(*subscript.as_integer());
  }
  return {};
}

std::optional<certify::SafeRange> read_range(const Json& json) {
  if (json.as_string()) return parse_safe_range(*json.as_string());
  const Json::Array* ends = json.as_array();
  if (!ends || ends->size() != 2 || !(*ends)[0].is_number() || !(*ends)[1].is_number()) return std::nullopt;
  return parse_safe_range(concat((*ends)[0].dump(), ",", (*ends)[1].dump()));
}

/// Empty where it was read, else what is wrong with it.
std::string read_unsafe(const Json& json, const Signature& signature, certify::UnsafeExample& out) {
  for (const auto& [key, text] : {std::pair("output", &out.output), std::pair("what", &out.what)}) {
    const Json* value = json.find(key);
    if (!value || !value->as_string()) return concat("\"unsafe\" has no text \"", key, "\"");
    *text = *value->as_string();
  }
  if (std::string problem = read_index(json, out.index); !problem.empty()) return problem;
  const Json* range = json.find("safe_range");
  const auto magnitudes = range ? read_range(*range) : std::nullopt;
  if (!magnitudes) return "\"unsafe\" has no range of magnitudes \"safe_range\"";
  out.range = *magnitudes;
  const Json* given = json.find("given");
  return given ? read_given(*given, signature, out.given) : "\"unsafe\" has no inputs \"given\"";
}

/// Empty where the counterexample was read, else what is wrong with it.
std::string read_counterexample(const Json& json, const Signature& signature, certify::Counterexample& out) {
  struct Field {
    const char* key;
    std::string* text;
  };
  for (const auto& [key, text] : {Field{"output", &out.output}, Field{"draw", &out.draw}, Field{"before", &out.before},
                                  Field{"after", &out.after}}) {
    const Json* value = json.find(key);
    if (!value || !value->as_string()) return concat("the counterexample has no text \"", key, "\"");
    *text = *value->as_string();
  }
  const Json* seed = json.find("seed");
  const auto number = seed ? natural(*seed) : std::nullopt;
  if (!number) return "the counterexample has no number \"seed\"";
  out.seed = *number;
  if (std::string problem = read_index(json, out.index); !problem.empty()) return problem;
  if (const Json* given = json.find("given"); given && !given->is_null())
    return read_given(*given, signature, out.given.emplace());
  return {};
}

}  // namespace

namespace {

Json record_of(const Pair& pair) {
  const Json before = to_json(pair.before.program, Profile::paper);
  const Json after = to_json(pair.after.program, Profile::paper);
  Json out;
  out.set("id", pair.id).set("signature", *before.find("signature"));
  return out.set("before", *before.find("leir")).set("after", *after.find("leir"));
}

}  // namespace

Json replay_record(const Pair& pair, const certify::Counterexample& found) {
  return record_of(pair).set("counterexample", to_json(found));
}

Json replay_record(const Pair& pair, const certify::UnsafeExample& found) {
  return record_of(pair).set("unsafe", to_json(found));
}

ReplayRecord read_replay_record(const std::string& name, const std::string& record) {
  ReplayRecord out;
  out.pair = read_pair(name, record);
  const auto parsed = parse_json(record);
  const Json* format = parsed ? parsed->find("format") : nullptr;
  if (format && format->as_string() && format->as_string()->starts_with("steptp-certificate")) {
    out.pair.problem = "this is a certificate, which the program steptp-replay confirms: steptp-replay FILE";
  }
  if (!out.pair.problem.empty()) return out;
  const Json* unsafe = parsed ? parsed->find("unsafe") : nullptr;
  if (unsafe && unsafe->as_object()) {
    out.pair.problem = read_unsafe(*unsafe, out.pair.before.program.signature, out.unsafe.emplace());
    return out;
  }
  const Json* found = parsed ? parsed->find("counterexample") : nullptr;
  if (!found || !found->as_object()) {
    out.pair.problem = "the record has no \"counterexample\"; verify --counterexample F writes one";
  } else {
    out.pair.problem = read_counterexample(*found, out.pair.before.program.signature, out.counterexample);
  }
  return out;
}

ReplayAnswer replay_pair(const ReplayRecord& record) {
  ReplayAnswer answer;
  answer.unusable = true;
  answer.reason = problem_of(record.pair);
  if (!answer.reason.empty()) return answer;
  if (record.unsafe) return replay(record.pair.before.program, record.pair.after.program, *record.unsafe);
  return replay(record.pair.before.program, record.pair.after.program, record.counterexample);
}

Json to_json(const ReplayRecord& record, const ReplayAnswer& answer) {
  Json out;
  out.set("id", record.pair.id).set("reproduced", answer.reproduced);
  if (record.unsafe) return out.set("what", answer.what).set("reason", answer.reason);
  out.set("before", answer.before);
  return out.set("after", answer.after).set("reason", answer.reason);
}

}  // namespace steptp
