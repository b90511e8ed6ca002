// The lists of pairs on which the judge is measured before and after a change.
#include <map>
#include <optional>

#include "source_dir.h"
#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/text/document.h"
#include "testing/frozen_pairs.h"

namespace steptp::testing {

namespace {

std::string text_of(const Json& record, std::string_view key) {
  const Json* value = record.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

/// Lines of either kind of file, one after the other.
std::string for_each_line_of(const std::string& file, const std::function<void(const std::string&)>& visit) {
  const auto drain = [&](auto& reader) -> std::string {
    if (!reader) return reader.error().message;
    while (true) {
      auto line = reader->next();
      if (!line) return line.error().message;
      if (!line->has_value()) return {};
      visit(**line);
    }
  };
  if (file.ends_with(".zst")) {
    auto reader = JsonlReader::open(file);
    return drain(reader);
  }
  auto reader = LineReader::open(file);
  return drain(reader);
}

FrozenPair pair_of(Json record, const std::string& fallback) {
  FrozenPair out;
  out.id = text_of(record, "id");
  out.strategy = text_of(record, "strategy");
  if (out.strategy.empty()) out.strategy = fallback;
  if (const Json* signature = record.find("signature")) out.signature = *signature;
  out.before = text_of(record, "before");
  out.after = text_of(record, "after");
  out.record = std::move(record);
  return out;
}

/// A signature with one key less: the values of constants are no part of what is published.
Json without(const Json& signature, std::string_view key) {
  Json::Array out;
  for (const Json& entry : *signature.as_array()) {
    Json::Object kept;
    for (const auto& [name, value] : *entry.as_object()) {
      if (name != key) kept.emplace_back(name, value);
    }
    out.emplace_back(std::move(kept));
  }
  return out;
}

std::optional<Json> signature_in_zoo(const std::string& type, const zoo::Arguments& arguments, DType dtype) {
  const auto made = zoo_program(type, arguments, dtype);
  if (!made) return std::nullopt;
  return *to_json(made->program, Profile::paper).find("signature");
}

Result<std::vector<FrozenPair>, std::string> read_corpus(const std::string& file) {
  std::vector<FrozenPair> out;
  std::string problem = for_each_json_line(file, [&](const Json& record) {
    const std::string name = text_of(record, "program");
    const auto made = zoo_program(name, {}, DType::f32);
    if (!made) return;
    const Json ours = to_json(made->program, Profile::paper);
    Json pair;
    pair.set("id", "corpus:" + name).set("type", name).set("strategy", "corpus");
    pair.set("signature", without(*ours.find("signature"), "values"));
    pair.set("before", *ours.find("leir")).set("after", *record.find("leir"));
    out.push_back(pair_of(std::move(pair), "corpus"));
  });
  if (!problem.empty()) return problem;
  return out;
}

}  // namespace

std::string for_each_json_line(const std::string& file, const std::function<void(Json)>& visit) {
  std::string problem;
  std::uint64_t number = 0;
  std::string trouble = for_each_line_of(file, [&](const std::string& line) {
    ++number;
    if (line.empty()) return;
    auto record = parse_json(line);
    if (record && record->as_object()) {
      visit(std::move(record).value());
    } else if (problem.empty()) {
      problem = concat(file, ":", number, ": not a JSON object");
    }
  });
  return trouble.empty() ? problem : trouble;
}

std::string FrozenPair::to_line() const {
  Json out;
  out.set("id", id).set("signature", signature).set("before", before).set("after", after);
  return out.dump();
}

Result<std::vector<FrozenPair>, std::string> read_frozen(const std::string& list) {
  const std::string shared = STEPTP_SOURCE_DIR "/../shared/data/";
  if (list == "corpus") return read_corpus(shared + "leir_corpus.jsonl");
  const std::map<std::string, std::string> words = {{"examples", shared + "strategy_examples.jsonl"},
                                                    {"derivations", shared + "derivation_targets.jsonl"}};
  const auto word = words.find(list);
  std::vector<FrozenPair> out;
  std::string problem = for_each_json_line(word == words.end() ? list : word->second,
                                           [&](Json record) { out.push_back(pair_of(std::move(record), list)); });
  if (!problem.empty()) return problem;
  return out;
}

Json with_todays_domains(const FrozenPair& pair) {
  const std::string type = text_of(pair.record, "type");
  const auto dtype = parse_dtype(text_of(pair.record, "dtype"));
  const Json* given = pair.record.find("args");
  if (type.empty() || !dtype || !given || !given->as_object()) return pair.signature;
  zoo::Arguments arguments;
  for (const auto& [name, value] : *given->as_object()) arguments[name] = value.number();
  const auto today = signature_in_zoo(type, arguments, *dtype);
  if (!today || !pair.signature.as_array() || today->as_array()->size() != pair.signature.as_array()->size()) {
    return pair.signature;
  }
  return without(*today, "domain").dump() == without(pair.signature, "domain").dump() ? *today : pair.signature;
}

}  // namespace steptp::testing
