// Reads a certificate as plain data and checks its form: names, ranks, counts, ranges. Nothing in it is believed
// yet.
#include "replay/certificate.h"

#include <algorithm>
#include <iterator>
#include "replay/domains.h"
#include "replay/fields.h"

#include "replay/check.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::replayer {

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json), forms_(out_.names) {}

  Certificate run() {
    if (text_of(json_, "format") != "steptp-certificate-2") throw BadFile{"it is not a certificate of this format"};
    out_.id = text_of(json_, "id");
    out_.verdict = word_of(json_, "verdict", {"proved", "exact", "differs", "numeric", "undecided", "invalid"});
    out_.same = truth_of(json_, "same");
    only(need(json_, "hash"), "\"hash\"", {"signature", "before", "after"});
    if (hexadecimal(hash_text(need(json_, "signature").dump())) != text_of(need(json_, "hash"), "signature")) {
      throw BadFile{"the signature is not the one that was judged: its hash is another"};
    }
    out_.before = program("before");
    out_.after = program("after");
    if (!(out_.before.signature == out_.after.signature)) throw BadFile{"the programs have different signatures"};
    for (const Variable& variable : out_.before.signature.variables) {
      if (variable.shape.size() > kMostDimensions) throw BadFile{concat(variable.name, " has too many dimensions")};
    }
    for (const Json& item : array_of(json_, "assumes")) {
      if (!item.as_string()) throw BadFile{"\"assumes\" holds something else than strings"};
      out_.assumes.push_back(read_assumption(*item.as_string(), out_.before, out_.after));
    }
    out_.domains = domains_of(out_.before.signature, out_.assumes);
    out_.numbers = literals_of(out_.before, out_.after);
    read_support();
    return std::move(out_);
  }

 private:
  Program program(const char* key) {
    const std::string text = text_of(json_, key);
    if (hexadecimal(hash_text(text)) != text_of(need(json_, "hash"), key)) {
      throw BadFile{concat("the text of ", key, " is not the one that was judged: its hash is another")};
    }
    Json record;
    record.set("signature", need(json_, "signature")).set("leir", Json(text));
    Document document = read_document(key, record.dump());
    if (!document.ok || !document.has_signature) throw BadFile{concat("the program ", key, " cannot be read")};
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
      if (!fits) throw BadFile{concat("the program ", key, " uses ", ref->tensor, " in two ways")};
    };
    for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
      for_each_ref(*equation.right, check);
      for_each_ref(equation.left, check);
    });
  }

  /// What the verdict rests on: these fields and no others.
  void read_support() {
    const auto allow = [&](std::string_view one, std::string_view other = "verdict") {
      only(json_, "a certificate of this verdict",
           {"format", "id", "verdict", "same", "assumes", "signature", "before", "after", "hash", one, other});
      static_cast<void>(need(json_, one));
    };
    if (out_.same && out_.verdict != "proved") throw BadFile{"\"same\" is said of programs that are not proved equal"};
    if (out_.same) return allow("verdict");
    if (out_.verdict == "proved") {
      allow("proof");
    } else if (out_.verdict == "exact") {
      read_cover(need(json_, "cover"));
      out_.cover->by == "cells" ? allow("cover", "proof") : allow("cover", "evaluation");
    } else if (out_.verdict == "differs") {
      if (!out_.assumes.empty()) throw BadFile{"a difference assumes nothing"};
      json_.find("precision") ? allow("precision") : allow("counterexample");
    } else {
      allow("verdict");
    }
    if (const Json* proof = json_.find("proof")) read_proof(*proof);
    if (const Json* evaluation = json_.find("evaluation")) read_evaluation(*evaluation);
    if (const Json* loss = json_.find("precision")) read_loss(*loss);
    if (const Json* found = json_.find("counterexample")) read_counterexample(*found);
  }

  FormPtr form(const std::string& text, bool is_condition) {
    auto read = forms_.read(text, is_condition);
    if (!read) throw BadFile{read.error()};
    return std::move(read).value();
  }

  std::vector<VersionName> versions(const Json& json, const char* key) {
    std::vector<VersionName> out;
    for (const Json& item : array_of(json, key)) {
      only(item, "a version", {"tensor", "writers"});
      const std::int64_t writers = integer_of(item, "writers");
      if (writers < 1) throw BadFile{"a version without writers"};
      out.emplace_back(text_of(item, "tensor"), static_cast<std::size_t>(writers));
    }
    return out;
  }

  Claim claim(const Json& json) {
    Claim out;
    out.shape = integers_of(json, "shape");
    for (const std::int64_t size : out.shape) {
      if (size < 1) throw BadFile{"a shape with a dimension below 1"};
    }
    if (!element_count(out.shape)) throw BadFile{"a shape with too many elements"};
    for (const Json& item : array_of(json, "regions")) {
      only(item, "a region", {"where", "form", "after", "no_value"});
      Region region;
      region.where = form(text_of(item, "where"), true);
      region.form = form(text_of(item, "form"), false);
      if (item.find("after")) region.after = form(text_of(item, "after"), false);
      if (const Json* no_value = item.find("no_value")) {
        only(*no_value, "\"no_value\"", {"before", "after"});
        if (no_value->find("before")) region.no_value_before = form(text_of(*no_value, "before"), false);
        if (no_value->find("after")) region.no_value_after = form(text_of(*no_value, "after"), false);
      }
      out.regions.push_back(std::move(region));
    }
    if (out.regions.empty()) throw BadFile{"a claim without regions"};
    return out;
  }

  /// A list of words, each once and in this order.
  static Facts facts_of(const Json& json) {
    Facts out;
    const std::pair<std::string_view, bool*> words[] = {{"nonnegative", &out.nonnegative},
                                                        {"nonpositive", &out.nonpositive},
                                                        {"nonzero", &out.nonzero},
                                                        {"finite", &out.finite},
                                                        {"number", &out.is_number}};
    std::size_t next = 0;
    for (const Json& item : array_of(json, "facts")) {
      while (next < std::size(words) && !(item.as_string() && *item.as_string() == words[next].first)) ++next;
      if (next == std::size(words)) throw BadFile{"\"facts\" has an unknown word, or one twice or out of order"};
      *words[next++].second = true;
    }
    return out;
  }

  void read_proof(const Json& json) {
    only(json, "\"proof\"", {"parts", "values", "outputs", "conditions"});
    for (const Json& item : array_of(json, "parts")) {
      if (!item.as_string()) throw BadFile{"\"parts\" holds something else than strings"};
      forms_.add_part(form(*item.as_string(), false));
    }
    for (const Json& item : array_of(json, "values")) {
      Claim value = claim(item);
      value.number = integer_of(item, "number");
      if (value.number < 0) throw BadFile{"a negative value number"};
      value.before = versions(item, "before");
      value.after = versions(item, "after");
      if (value.is_name()) {
        only(item, "a name for a form", {"number", "shape", "before", "after", "regions"});
      } else {
        only(item, "a value number", {"number", "shape", "before", "after", "facts", "regions"});
        value.facts = facts_of(item);
      }
      out_.values.push_back(std::move(value));
    }
    for (const Json& item : array_of(json, "outputs")) {
      only(item, "the claim of an output", {"output", "shape", "regions"});
      Claim output = claim(item);
      output.output = text_of(item, "output");
      out_.outputs.push_back(std::move(output));
    }
    for (const Json& item : array_of(json, "conditions")) out_.conditions.push_back(condition(item));
    out_.unused_parts = forms_.unused_parts();
  }

  SideCondition condition(const Json& json) {
    only(json, "a side condition", {"needs", "of", "variables"});
    SideCondition out;
    out.needs = word_of(json, "needs", {"nonzero", "finite", "nonnegative"});
    out.of = form(text_of(json, "of"), false);
    for (const auto& [name, range] : object_of(json, "variables")) {
      const Json::Array* ends = range.as_array();
      if (!ends || ends->size() != 2 || !(*ends)[0].as_integer() || !(*ends)[1].as_integer()) {
        throw BadFile{"a variable without a range"};
      }
      const SideCondition::Variable variable{out_.names.number(name), *(*ends)[0].as_integer(),
                                             *(*ends)[1].as_integer()};
      if (variable.low > variable.high) throw BadFile{concat("the range of ", name, " is empty")};
      const auto is_it = [&](const SideCondition::Variable& one) { return one.number == variable.number; };
      if (std::any_of(out.variables.begin(), out.variables.end(), is_it))
        throw BadFile{concat(name, " is bound twice")};
      out.variables.push_back(variable);
    }
    return out;
  }

  void read_cover(const Json& json) {
    only(json, "\"cover\"", {"by", "count", "bound_log2"});
    Cover cover;
    cover.by = word_of(json, "by", {"cells", "elements"});
    cover.count = natural_of(json, "count");
    if (!need(json, "bound_log2").is_null()) cover.bound_log2 = number_of(json, "bound_log2");
    out_.cover = std::move(cover);
  }

  void read_loss(const Json& json) {
    only(json, "\"precision\"", {"source", "decides", "output", "found", "expected"});
    const auto type = [&](const char* key) {
      const std::vector<std::int64_t> numbers = integers_of(json, key);
      if (numbers.size() != 2) throw BadFile{concat("\"", key, "\" is not a type")};
      return std::pair(numbers[0], numbers[1]);
    };
    out_.loss = Loss{text_of(json, "source"), truth_of(json, "decides"), text_of(json, "output"), type("found"),
                     type("expected")};
  }

  const Variable& input_named(const std::string& name) const {
    const Variable* variable = out_.before.signature.find(name);
    if (!variable || variable->role == Role::output || !variable->values.empty()) {
      throw BadFile{concat("values are given for ", name, ", which is not an input")};
    }
    return *variable;
  }

  GivenInputs read_given_inputs(const Json& json) {
    only(json, "\"given\"", {"fill", "elements"});
    GivenInputs out;
    for (const auto& [name, value] : object_of(json, "fill")) {
      if (!value.as_string()) throw BadFile{"a fill that is not a string"};
      static_cast<void>(input_named(name));
      if (!out.fill.try_emplace(name, *value.as_string()).second) throw BadFile{concat(name, " is filled twice")};
    }
    for (const Json& item : array_of(json, "elements")) {
      only(item, "a given element", {"name", "index", "value"});
      std::pair<std::string, std::vector<std::int64_t>> place{text_of(item, "name"), integers_of(item, "index")};
      if (!is_inside(input_named(place.first).shape, place.second)) {
        throw BadFile{concat(place.first, subscripts(place.second), " is not an element")};
      }
      if (!out.elements.try_emplace(place, text_of(item, "value")).second) {
        throw BadFile{concat(place.first, subscripts(place.second), " is given twice")};
      }
    }
    return out;
  }

  /// Inputs are written out, or follow from the seed of a generic draw.
  RecordedPoint point(const Json& json) {
    RecordedPoint out;
    out.output = text_of(json, "output");
    out.index = integers_of(json, "index");
    out.by = word_of(json, "by", {"field", "balls", "integers"});
    const char* source = json.find("given") ? "given" : "seed";
    const char* more = out.by == "field" ? "prime" : source;
    only(json, "a point", {"output", "index", "by", "before", "after", source, more});
    if (out.by == "field") out.prime = natural_of(json, "prime");
    out.before = text_of(json, "before");
    out.after = text_of(json, "after");
    if (const Json* inputs = json.find("given")) {
      out.inputs = read_given_inputs(*inputs);
    } else {
      out.seed = natural_of(json, "seed");
    }
    return out;
  }

  void read_evaluation(const Json& json) {
    only(json, "\"evaluation\"", {"inputs", "points"});
    out_.inputs = read_input_rules(need(json, "inputs"), out_.before);
    for (const Json& item : array_of(json, "points")) out_.points.push_back(point(item));
  }

  void read_counterexample(const Json& json) {
    only(json, "\"counterexample\"", {"output", "index", "before", "after", "given"});
    RecordedPoint found;
    found.output = text_of(json, "output");
    found.index = integers_of(json, "index");
    found.before = text_of(json, "before");
    found.after = text_of(json, "after");
    found.inputs = read_given_inputs(need(json, "given"));
    out_.counterexample = std::move(found);
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
  } catch (const BadFile& bad) {
    return bad.message;
  } catch (const Undefined& undefined) {
    return undefined.reason;
  }
}

}  // namespace steptp::replayer
