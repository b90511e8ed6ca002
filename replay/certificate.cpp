// Reads a certificate as plain data and checks its form: names, ranks, counts, ranges. Nothing in it is believed
// yet.
#include "replay/certificate.h"

#include <charconv>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::replayer {

namespace {

struct Bad {
  std::string message;
};

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

const Json& need(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  if (!found) throw Bad{concat("there is no \"", key, "\"")};
  return *found;
}
std::string text_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_string()) throw Bad{concat("\"", key, "\" is not a string")};
  return *found.as_string();
}
bool truth_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_bool()) throw Bad{concat("\"", key, "\" is not true or false")};
  return *found.as_bool();
}
std::int64_t integer_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_integer()) throw Bad{concat("\"", key, "\" is not an integer")};
  return *found.as_integer();
}
const Json::Array& array_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_array()) throw Bad{concat("\"", key, "\" is not a list")};
  return *found.as_array();
}
const Json::Object& object_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_object()) throw Bad{concat("\"", key, "\" is not an object")};
  return *found.as_object();
}
std::vector<std::int64_t> integers_of(const Json& object, std::string_view key) {
  std::vector<std::int64_t> out;
  for (const Json& item : array_of(object, key)) {
    if (!item.as_integer()) throw Bad{concat("\"", key, "\" holds something else than integers")};
    out.push_back(*item.as_integer());
  }
  if (out.size() > kMostDimensions) throw Bad{concat("\"", key, "\" is too long")};
  return out;
}
std::uint64_t natural_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  const std::string digits = found.as_string() ? *found.as_string() : found.dump();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) throw Bad{concat("\"", key, "\" is not a number")};
  return value;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json), forms_(out_.names) {}

  Certificate run() {
    if (text_of(json_, "format") != "steptp-certificate-1") throw Bad{"it is not a certificate of this format"};
    out_.id = text_of(json_, "id");
    out_.verdict = text_of(json_, "verdict");
    out_.same = truth_of(json_, "same");
    out_.reason = text_of(json_, "reason");
    if (hexadecimal(hash_text(need(json_, "signature").dump())) != text_of(need(json_, "hash"), "signature")) {
      throw Bad{"the signature is not the one that was judged: its hash is another"};
    }
    out_.before = program("before");
    out_.after = program("after");
    if (!(out_.before.signature == out_.after.signature)) throw Bad{"the programs have different signatures"};
    for (const Variable& variable : out_.before.signature.variables) {
      if (variable.shape.size() > kMostDimensions) throw Bad{concat(variable.name, " has too many dimensions")};
    }
    for (const Json& item : array_of(json_, "assumes")) {
      if (!item.as_string()) throw Bad{"\"assumes\" holds something else than strings"};
      out_.assumes.push_back(*item.as_string());
    }
    for (const Json& item : array_of(json_, "inputs")) out_.inputs.push_back(input(item));
    if (const Json* proof = json_.find("proof")) read_proof(*proof);
    if (const Json* cover = json_.find("cover")) read_cover(*cover);
    if (const Json* evaluation = json_.find("evaluation")) read_evaluation(*evaluation);
    if (const Json* loss = json_.find("precision")) read_loss(*loss);
    if (const Json* found = json_.find("counterexample")) out_.counterexample = point(*found);
    return std::move(out_);
  }

 private:
  Program program(const char* key) {
    const std::string text = text_of(json_, key);
    if (hexadecimal(hash_text(text)) != text_of(need(json_, "hash"), key)) {
      throw Bad{concat("the text of ", key, " is not the one that was judged: its hash is another")};
    }
    Json record;
    record.set("signature", need(json_, "signature")).set("leir", Json(text));
    Document document = read_document(key, record.dump());
    if (!document.ok || !document.has_signature) throw Bad{concat("the program ", key, " cannot be read")};
    check_types(document.program, key);
    return std::move(document.program);
  }

  /// A tensor has one type, rank and scope, and known variables those of the signature.
  static void check_types(const Program& program, const char* key) {
    std::map<std::string, RefPtr> first;
    const auto check = [&](const RefPtr& ref) {
      const RefPtr& known = first.try_emplace(ref->tensor, ref).first->second;
      const Variable* variable = program.signature.find(ref->tensor);
      const bool fits = known->dtype == ref->dtype && known->scope == ref->scope &&
                        known->subscripts.size() == ref->subscripts.size() &&
                        (!variable || (variable->dtype == ref->dtype && ref->scope == Scope::global &&
                                       variable->shape.size() == ref->subscripts.size()));
      if (!fits) throw Bad{concat("the program ", key, " uses ", ref->tensor, " in two ways")};
    };
    for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
      for_each_ref(*equation.right, check);
      for_each_ref(equation.left, check);
    });
  }

  InputRule input(const Json& json) {
    InputRule out;
    out.name = text_of(json, "name");
    out.draw = text_of(json, "draw");
    if (out.draw == "integer") {
      out.least = integer_of(json, "low");
      out.greatest = integer_of(json, "high");
      out.skips_zero = truth_of(json, "nonzero");
      out.is_bounded = truth_of(json, "bounded");
      if (out.least > out.greatest) throw Bad{concat("no value of ", out.name, " is legal")};
    } else if (out.draw == "range") {
      if (!need(json, "low").is_number() || !need(json, "high").is_number()) throw Bad{"a range without ends"};
      out.low = need(json, "low").number();
      out.high = need(json, "high").number();
      if (!(out.low < out.high)) throw Bad{concat("no value of ", out.name, " is legal")};
    } else if (out.draw != "any" && out.draw != "positive" && out.draw != "nonzero" && out.draw != "masked" &&
               out.draw != "given") {
      throw Bad{concat("an unknown kind of input '", out.draw, "'")};
    }
    return out;
  }

  FormPtr form(const std::string& text, bool is_condition) {
    auto read = forms_.read(text, is_condition);
    if (!read) throw Bad{read.error()};
    return std::move(read).value();
  }

  std::vector<VersionName> versions(const Json& json, const char* key) {
    std::vector<VersionName> out;
    for (const Json& item : array_of(json, key)) {
      const std::int64_t writers = integer_of(item, "writers");
      if (writers < 1) throw Bad{"a version without writers"};
      out.emplace_back(text_of(item, "tensor"), static_cast<std::size_t>(writers));
    }
    return out;
  }

  Claim claim(const Json& json) {
    Claim out;
    out.shape = integers_of(json, "shape");
    for (const std::int64_t size : out.shape) {
      if (size < 1) throw Bad{"a shape with a dimension below 1"};
    }
    if (!element_count(out.shape)) throw Bad{"a shape with too many elements"};
    for (const Json& item : array_of(json, "regions")) {
      Region region;
      region.where = form(text_of(item, "where"), true);
      region.form = form(text_of(item, "form"), false);
      if (item.find("after")) region.after = form(text_of(item, "after"), false);
      if (const Json* no_value = item.find("no_value")) {
        if (no_value->find("before")) region.no_value_before = form(text_of(*no_value, "before"), false);
        if (no_value->find("after")) region.no_value_after = form(text_of(*no_value, "after"), false);
      }
      out.regions.push_back(std::move(region));
    }
    if (out.regions.empty()) throw Bad{"a claim without regions"};
    return out;
  }

  void read_proof(const Json& json) {
    for (const Json& item : array_of(json, "parts")) {
      if (!item.as_string()) throw Bad{"\"parts\" holds something else than strings"};
      forms_.add_part(form(*item.as_string(), false));
    }
    for (const Json& item : array_of(json, "values")) {
      Claim value = claim(item);
      value.number = integer_of(item, "number");
      if (value.number < 0) throw Bad{"a negative value number"};
      value.before = versions(item, "before");
      value.after = versions(item, "after");
      const Json& facts = need(item, "facts");
      value.facts = {truth_of(facts, "nonnegative"), truth_of(facts, "nonpositive"), truth_of(facts, "nonzero"),
                     truth_of(facts, "finite"), truth_of(facts, "number")};
      out_.values.push_back(std::move(value));
    }
    for (const Json& item : array_of(json, "outputs")) {
      Claim output = claim(item);
      output.output = text_of(item, "output");
      out_.outputs.push_back(std::move(output));
    }
    for (const Json& item : array_of(json, "conditions")) {
      SideCondition condition;
      condition.needs = text_of(item, "needs");
      condition.because = text_of(item, "because");
      condition.of = form(text_of(item, "of"), false);
      for (const auto& [name, range] : object_of(item, "variables")) {
        const Json::Array* ends = range.as_array();
        if (!ends || ends->size() != 2 || !(*ends)[0].as_integer() || !(*ends)[1].as_integer()) {
          throw Bad{"a variable without a range"};
        }
        condition.variables.push_back({out_.names.number(name), *(*ends)[0].as_integer(), *(*ends)[1].as_integer()});
      }
      out_.conditions.push_back(std::move(condition));
    }
  }

  void read_cover(const Json& json) {
    Cover cover;
    cover.by = text_of(json, "by");
    cover.count = natural_of(json, "count");
    if (const Json& bound = need(json, "bound_log2"); bound.is_number()) cover.bound_log2 = bound.number();
    out_.cover = std::move(cover);
  }

  void read_loss(const Json& json) {
    const auto type = [&](const char* key) {
      const std::vector<std::int64_t> numbers = integers_of(json, key);
      if (numbers.size() != 2) throw Bad{concat("\"", key, "\" is not a type")};
      return std::pair(numbers[0], numbers[1]);
    };
    const Json& decides = need(json, "decides");
    if (!decides.as_bool()) throw Bad{"\"decides\" is not a truth value"};
    out_.loss =
        Loss{text_of(json, "source"), *decides.as_bool(), text_of(json, "output"), type("found"), type("expected")};
  }

  GivenInputs read_given_inputs(const Json& json) {
    GivenInputs out;
    for (const auto& [name, value] : object_of(json, "fill")) {
      if (!value.as_string()) throw Bad{"a fill that is not a string"};
      out.fill[name] = *value.as_string();
    }
    for (const Json& item : array_of(json, "elements")) {
      out.elements[{text_of(item, "name"), integers_of(item, "index")}] = text_of(item, "value");
    }
    return out;
  }

  RecordedPoint point(const Json& json) {
    RecordedPoint out;
    out.output = text_of(json, "output");
    out.index = integers_of(json, "index");
    out.draw = text_of(json, "draw");
    out.seed = natural_of(json, "seed");
    out.by = text_of(json, "by");
    if (out.by == "field") out.prime = natural_of(json, "prime");
    out.before = text_of(json, "before");
    out.after = text_of(json, "after");
    if (const Json* inputs = json.find("given")) out.inputs = read_given_inputs(*inputs);
    return out;
  }

  void read_evaluation(const Json& json) {
    for (const Json& item : array_of(json, "points")) out_.points.push_back(point(item));
    for (const Json& item : array_of(json, "branches")) {
      RecordedBranch branch;
      const std::string program = text_of(item, "program");
      if (program != "before" && program != "after") throw Bad{"a branch of no program"};
      branch.in_before = program == "before";
      branch.statement = text_of(item, "statement");
      branch.text = text_of(item, "condition");
      branch.kind = text_of(item, "kind");
      branch.when_true = text_of(item, "true");
      branch.when_false = text_of(item, "false");
      out_.branches.push_back(std::move(branch));
    }
    if (const Json& bound = need(json, "bound_log2"); bound.is_number()) out_.bound_log2 = bound.number();
  }

  const Json& json_;
  Certificate out_;
  FormReader forms_;
};

}  // namespace

std::string Claim::name() const { return number < 0 ? output : concat("#", number); }

Result<Certificate, std::string> read_certificate(std::string_view text) {
  if (text.size() > kMostBytes) return std::string("the file is too large");
  const auto json = parse_json(text);
  if (!json) return concat("not JSON: ", json.error().message, " (byte ", json.error().offset, ")");
  if (!json->as_object()) return std::string("a certificate is an object");
  try {
    return Reader(*json).run();
  } catch (const Bad& bad) {
    return bad.message;
  } catch (const Undefined& undefined) {
    return undefined.reason;
  }
}

}  // namespace steptp::replayer
