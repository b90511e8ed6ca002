// Records as JSON, both ways. Reading remembers the first field that is missing or of the wrong kind and says so;
// seeds are strings, because they have 64 bits and JSON numbers of most readers do not.
#include "steptp/dataset/entry.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/text/signature_text.h"

namespace steptp::dataset {

namespace {

constexpr std::string_view kSplitNames[] = {"train", "test_shape", "test_type", "multi_step"};

/// Takes fields out of an object and remembers the first that is missing or of another kind.
class Fields {
 public:
  Fields(const Json& json, std::string_view of) : json_(json), of_(of) {
    if (!json.as_object()) fail("", "is not an object");
  }

  void take(std::string_view key, std::string& into) {
    if (const Json* value = get(key)) {
      if (const std::string* text = value->as_string()) {
        into = *text;
      } else {
        fail(key, "is not a string");
      }
    }
  }
  void take(std::string_view key, bool& into) {
    if (const Json* value = get(key)) {
      if (const bool* truth = value->as_bool()) {
        into = *truth;
      } else {
        fail(key, "is neither true nor false");
      }
    }
  }
  void take(std::string_view key, std::optional<bool>& into) {
    const Json* value = get(key);
    if (!value || value->is_null()) return;
    if (!value->as_bool()) return fail(key, "is neither true nor false nor null");
    into = *value->as_bool();
  }
  void take(std::string_view key, std::uint64_t& into) {
    if (const Json* value = get(key)) {
      const std::int64_t* number = value->as_integer();
      if (number && *number >= 0) {
        into = static_cast<std::uint64_t>(*number);
      } else {
        fail(key, "is not a natural number");
      }
    }
  }
  /// Seeds have 64 bits, which JSON numbers of most readers do not: they are written as strings.
  void take_seed(std::string_view key, std::uint64_t& into) {
    std::string text;
    take(key, text);
    if (!problem_.empty()) return;
    into = 0;
    if (text.empty() || text.size() > 20) return fail(key, "is not a seed");
    for (const char c : text) {
      if (c < '0' || c > '9') return fail(key, "is not a seed");
      into = into * 10 + static_cast<std::uint64_t>(c - '0');
    }
  }
  void take(std::string_view key, std::optional<double>& into) {
    const Json* value = get(key);
    if (!value || value->is_null()) return;
    if (!value->is_number()) return fail(key, "is not a number");
    into = value->number();
  }
  void take(std::string_view key, std::optional<std::int64_t>& into) {
    const Json* value = get(key);
    if (!value || value->is_null()) return;
    if (!value->as_integer()) return fail(key, "is not an integer");
    into = *value->as_integer();
  }
  void take(std::string_view key, std::vector<std::string>& into) {
    for (const Json& item : array(key)) {
      if (!item.as_string()) return fail(key, "holds something that is not a string");
      into.push_back(*item.as_string());
    }
  }
  void take(std::string_view key, Json& into) {
    if (const Json* value = get(key)) into = *value;
  }
  void take(std::string_view key, Split& into) {
    std::string name;
    take(key, name);
    if (!problem_.empty()) return;
    const std::optional<Split> split = parse_split(name);
    if (!split) return fail(key, "is not a split");
    into = *split;
  }
  [[nodiscard]] const Json::Array& array(std::string_view key) {
    static const Json::Array kNone;
    const Json* value = get(key);
    if (!value) return kNone;
    if (!value->as_array()) {
      fail(key, "is not an array");
      return kNone;
    }
    return *value->as_array();
  }
  [[nodiscard]] const Json* get(std::string_view key) {
    if (!problem_.empty()) return nullptr;
    const Json* value = json_.find(key);
    if (!value) fail(key, "is missing");
    return value;
  }
  void fail(std::string_view key, std::string_view what) {
    if (problem_.empty()) problem_ = concat(of_, ": ", key.empty() ? "it" : key, " ", what);
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const Json& json_;
  std::string_view of_;
  std::string problem_;
};

Json seed_json(std::uint64_t seed) { return std::to_string(seed); }

template <typename Number>
Json optional_json(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

Json strings_json(const std::vector<std::string>& strings) {
  Json::Array out;
  for (const std::string& text : strings) out.emplace_back(text);
  return out;
}

Json to_json(const FormTokens& tokens) {
  Json out;
  return out.set("paper", tokens.paper).set("compact", tokens.compact).set("tir", tokens.tir).set("cuda", tokens.cuda);
}

FormTokens tokens_from(Fields& fields) {
  FormTokens out;
  const Json* value = fields.get("tokens");
  if (!value) return out;
  Fields inner(*value, "tokens");
  inner.take("paper", out.paper);
  inner.take("compact", out.compact);
  inner.take("tir", out.tir);
  inner.take("cuda", out.cuda);
  if (!inner.problem().empty()) fields.fail("", inner.problem());
  return out;
}

Json to_json(const Trial& trial) {
  Json out;
  out.set("seed", seed_json(trial.seed)).set("grade", trial.grade).set("points", trial.points);
  out.set("bound_log2", optional_json(trial.bound_log2)).set("agree_bits", optional_json(trial.agree_bits));
  return out.set("safe", optional_json(trial.safe));
}

Json to_json(const EntryVerdict& verdict) {
  Json out;
  out.set("grade", verdict.grade).set("bound_log2", optional_json(verdict.bound_log2));
  out.set("points", verdict.points).set("agree_bits", optional_json(verdict.agree_bits));
  out.set("safe", optional_json(verdict.safe)).set("safe_by", verdict.safe_by);
  out.set("safe_range", verdict.safe_range).set("stable", optional_json(verdict.stable));
  out.set("assumes", strings_json(verdict.assumes)).set("inputs_drawn", verdict.inputs_drawn);
  Json::Array trials;
  for (const Trial& trial : verdict.trials) trials.push_back(to_json(trial));
  return out.set("trials", std::move(trials));
}

Trial trial_from(const Json& json, std::string& problem) {
  Trial out;
  Fields fields(json, "trial");
  fields.take_seed("seed", out.seed);
  fields.take("grade", out.grade);
  fields.take("points", out.points);
  fields.take("bound_log2", out.bound_log2);
  fields.take("agree_bits", out.agree_bits);
  fields.take("safe", out.safe);
  if (problem.empty()) problem = fields.problem();
  return out;
}

EntryVerdict verdict_from(const Json& json, std::string& problem) {
  EntryVerdict out;
  Fields fields(json, "verdict");
  fields.take("grade", out.grade);
  fields.take("bound_log2", out.bound_log2);
  fields.take("points", out.points);
  fields.take("agree_bits", out.agree_bits);
  fields.take("safe", out.safe);
  fields.take("safe_by", out.safe_by);
  fields.take("safe_range", out.safe_range);
  fields.take("stable", out.stable);
  fields.take("assumes", out.assumes);
  fields.take("inputs_drawn", out.inputs_drawn);
  for (const Json& trial : fields.array("trials")) out.trials.push_back(trial_from(trial, problem));
  if (problem.empty()) problem = fields.problem();
  return out;
}

DatasetProgram program_from(const Json& json, std::string& problem) {
  DatasetProgram out;
  Fields fields(json, "program");
  fields.take("id", out.id);
  fields.take("number", out.number);
  fields.take("name", out.name);
  fields.take("type", out.type);
  fields.take("arguments", out.arguments);
  fields.take("dtype", out.dtype);
  fields.take("origin", out.origin);
  fields.take("split", out.split);
  for (const Json& variable : fields.array("signature")) {
    auto read = variable_from_json(variable);
    if (!read) {
      fields.fail("signature", read.error());
      break;
    }
    out.signature.variables.push_back(std::move(read).value());
  }
  fields.take("leir", out.leir);
  fields.take("torch", out.torch);
  fields.take("tir", out.tir);
  fields.take("cuda", out.cuda);
  fields.take("structure", out.structure);
  out.tokens = tokens_from(fields);
  problem = fields.problem();
  return out;
}

Entry entry_from(const Json& json, std::string& problem) {
  Entry out;
  Fields fields(json, "entry");
  fields.take("id", out.id);
  fields.take("program", out.program);
  fields.take("parent", out.parent);
  fields.take("depth", out.depth);
  fields.take("recipe", out.recipe);
  fields.take("before", out.before);
  fields.take("after", out.after);
  fields.take("strategy", out.strategy);
  fields.take("level", out.level);
  fields.take("difficulty", out.difficulty);
  fields.take("choice", out.choice);
  fields.take("extended", out.extended);
  fields.take("trace", out.trace);
  fields.take_seed("phrasing", out.phrasing);
  if (const Json* verdict = fields.get("verdict")) {
    std::string inner;
    out.verdict = verdict_from(*verdict, inner);
    if (!inner.empty()) fields.fail("verdict", inner);
  }
  fields.take("before_hash", out.before_hash);
  fields.take("after_hash", out.after_hash);
  fields.take("tir", out.tir);
  fields.take("cuda", out.cuda);
  fields.take("compiled", out.compiled);
  out.tokens = tokens_from(fields);
  problem = fields.problem();
  return out;
}

}  // namespace

std::string_view name_of(Split split) { return kSplitNames[static_cast<std::size_t>(split)]; }

std::optional<Split> parse_split(std::string_view name) {
  for (const Split split : kAllSplits) {
    if (name_of(split) == name) return split;
  }
  return std::nullopt;
}

// Free-form parts are compared as they are written.
bool DatasetProgram::operator==(const DatasetProgram& other) const {
  return dataset::to_json(*this).dump() == dataset::to_json(other).dump();
}
bool Entry::operator==(const Entry& other) const {
  return dataset::to_json(*this).dump() == dataset::to_json(other).dump();
}

Json to_json(const DatasetProgram& program) {
  Json out;
  out.set("id", program.id).set("number", program.number).set("name", program.name).set("type", program.type);
  out.set("arguments", program.arguments).set("dtype", program.dtype).set("origin", program.origin);
  out.set("split", name_of(program.split));
  Json::Array signature;
  for (const Variable& variable : program.signature.variables) signature.push_back(steptp::to_json(variable));
  out.set("signature", std::move(signature)).set("leir", program.leir).set("torch", program.torch);
  out.set("tir", program.tir).set("cuda", program.cuda).set("structure", program.structure);
  return out.set("tokens", to_json(program.tokens));
}

Json to_json(const Entry& entry) {
  Json out;
  out.set("id", entry.id).set("program", entry.program).set("parent", entry.parent).set("depth", entry.depth);
  out.set("recipe", entry.recipe).set("before", entry.before).set("after", entry.after);
  out.set("strategy", entry.strategy).set("level", entry.level).set("difficulty", entry.difficulty);
  out.set("choice", entry.choice).set("extended", entry.extended).set("trace", entry.trace);
  out.set("phrasing", seed_json(entry.phrasing)).set("verdict", to_json(entry.verdict));
  out.set("before_hash", entry.before_hash).set("after_hash", entry.after_hash);
  out.set("tir", entry.tir).set("cuda", entry.cuda).set("compiled", entry.compiled);
  return out.set("tokens", to_json(entry.tokens));
}

namespace {

Json entries_json(const std::vector<Entry>& entries) {
  Json::Array out;
  for (const Entry& entry : entries) out.push_back(to_json(entry));
  return out;
}

}  // namespace

Json to_json(const ProgramRecord& record) {
  Json out;
  out.set("program", to_json(record.program));
  out.set("entries", entries_json(record.entries)).set("unsafe_entries", entries_json(record.unsafe_entries));
  Json dropped{Json::Object()};
  for (const auto& [reason, count] : record.dropped) dropped.set(reason, count);
  return out.set("dropped", std::move(dropped)).set("excluded", record.excluded);
}

Result<ProgramRecord, std::string> record_from_json(const Json& json) {
  ProgramRecord out;
  Fields fields(json, "record");
  std::string problem;
  if (const Json* program = fields.get("program")) out.program = program_from(*program, problem);
  const auto take_entries = [&](const char* key, std::vector<Entry>& into) {
    for (const Json& entry : fields.array(key)) {
      if (problem.empty()) into.push_back(entry_from(entry, problem));
    }
  };
  take_entries("entries", out.entries);
  take_entries("unsafe_entries", out.unsafe_entries);
  fields.take("excluded", out.excluded);
  if (const Json* dropped = fields.get("dropped")) {
    if (!dropped->as_object()) {
      fields.fail("dropped", "is not an object");
    } else {
      Fields counts(*dropped, "dropped");
      for (const auto& [reason, count] : *dropped->as_object()) counts.take(reason, out.dropped[reason]);
      if (!counts.problem().empty()) fields.fail("", counts.problem());
    }
  }
  if (problem.empty()) problem = fields.problem();
  if (!problem.empty()) return problem;
  return out;
}

std::string hash_name(Hash hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = out.size(); i-- > 0; hash >>= 4) out[i] = kDigits[hash & 15];
  return out;
}

Json to_json(const SelectedRow& row) {
  Json out;
  out.set("kind", row.kind == SelectedRow::Kind::single ? "single" : "multi").set("filtered", row.is_filtered);
  out.set("deep", row.is_deep).set("split", name_of(row.split)).set("program", row.program);
  return out.set("entries", strings_json(row.entries));
}

Result<SelectedRow, std::string> selected_row_from_json(const Json& json) {
  SelectedRow out;
  Fields fields(json, "row");
  std::string kind;
  fields.take("kind", kind);
  if (kind != "single" && kind != "multi") fields.fail("kind", "is neither single nor multi");
  out.kind = kind == "multi" ? SelectedRow::Kind::multi : SelectedRow::Kind::single;
  fields.take("filtered", out.is_filtered);
  fields.take("deep", out.is_deep);
  fields.take("split", out.split);
  fields.take("program", out.program);
  fields.take("entries", out.entries);
  const bool right_number = out.kind == SelectedRow::Kind::single ? out.entries.size() == 1 : out.entries.size() >= 2;
  if (!right_number) fields.fail("entries", "are too few or too many");
  if (!fields.problem().empty()) return fields.problem();
  return out;
}

}  // namespace steptp::dataset
