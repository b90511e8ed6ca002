#include "steptp/dataset/configuration.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>

#include "steptp/base/text.h"
#include "steptp/ir/dtype.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/zoo/types.h"

namespace steptp::dataset {

namespace {

/// The one list of keys: whoever writes or reads a configuration walks through it.
template <typename Settings, typename Visit>
void for_each_setting(Settings& c, const Visit& visit) {
  visit("seed", c.seed);
  visit("programs", c.programs);
  visit("compositions_percent", c.compositions_percent);
  visit("types", c.types);
  visit("dtypes", c.dtypes);
  visit("most_gib", c.most_gib);
  visit("exclude_origin", c.exclude_origin);
  visit("imports", c.imports);
  visit("test_shape_programs", c.test_shape_programs);
  visit("test_types", c.test_types);
  visit("test_type_programs", c.test_type_programs);
  visit("multi_step_programs", c.multi_step_programs);
  visit("entries", c.entries);
  visit("test_shape_entries", c.test_shape_entries);
  visit("strategies", c.strategies);
  visit("extended", c.extended);
  visit("weights", c.weights);
  visit("depth", c.depth);
  visit("deep_states", c.deep_states);
  visit("deep_entries", c.deep_entries);
  visit("trials", c.trials);
  visit("budget", c.budget);
  visit("attempts", c.attempts);
  visit("compile", c.compile);
  visit("compile_rows", c.compile_rows);
  visit("single_cap", c.single_cap);
  visit("easy_simplifying", c.easy_simplifying);
  visit("easy_expanding", c.easy_expanding);
  visit("medium_cap", c.medium_cap);
  visit("subsets", c.subsets);
  visit("subset_size", c.subset_size);
  visit("subset_least", c.subset_least);
  visit("mix", c.mix);
  visit("mix_tolerance", c.mix_tolerance);
}

Json value_json(std::uint64_t value) { return value; }
Json value_json(double value) { return value; }
Json value_json(bool value) { return value; }
Json value_json(const std::string& value) { return value; }
Json value_json(const std::vector<std::string>& values) {
  Json::Array out;
  for (const std::string& value : values) out.emplace_back(value);
  return out;
}
Json value_json(const ByDifficulty& value) {
  Json out;
  return out.set("difficult", value.difficult).set("medium", value.medium).set("easy", value.easy);
}

/// Each answers what was wanted where the value is something else.
std::string_view read(const Json& json, std::uint64_t& into) {
  if (!json.as_integer() || *json.as_integer() < 0) return "a natural number";
  into = static_cast<std::uint64_t>(*json.as_integer());
  return {};
}
std::string_view read(const Json& json, double& into) {
  if (!json.is_number()) return "a number";
  into = json.number();
  return {};
}
std::string_view read(const Json& json, bool& into) {
  if (!json.as_bool()) return "true or false";
  into = *json.as_bool();
  return {};
}
std::string_view read(const Json& json, std::string& into) {
  if (!json.as_string()) return "a string";
  into = *json.as_string();
  return {};
}
std::string_view read(const Json& json, std::vector<std::string>& into) {
  constexpr std::string_view kWanted = "an array of strings";
  if (!json.as_array()) return kWanted;
  into.clear();
  for (const Json& item : *json.as_array()) {
    if (!item.as_string()) return kWanted;
    into.push_back(*item.as_string());
  }
  return {};
}
std::string_view read(const Json& json, ByDifficulty& into) {
  constexpr std::string_view kWanted = "an object with the numbers difficult, medium and easy";
  for (const auto& [key, value] :
       {std::pair("difficult", &into.difficult), std::pair("medium", &into.medium), std::pair("easy", &into.easy)}) {
    const Json* number = json.find(key);
    if (!number || !read(*number, *value).empty()) return kWanted;
  }
  return {};
}

std::string unknown_name(const Configuration& c) {
  for (const std::string& name : c.types) {
    if (!zoo::find_type(name)) return concat("there is no program type '", name, "'; steptp zoo list names all");
  }
  for (const std::string& name : c.dtypes) {
    const std::optional<DType> dtype = parse_dtype(name);
    if (!dtype || !is_float(*dtype)) return concat("a dtype is f16, f32, f64 or bf16, not '", name, "'");
  }
  for (const std::string& name : c.strategies) {
    if (!find_strategy(name)) return unknown_strategy(name);
  }
  return {};
}

}  // namespace

Json to_json(const Configuration& configuration) {
  Json out;
  for_each_setting(configuration, [&](std::string_view key, const auto& value) { out.set(key, value_json(value)); });
  return out;
}

Result<Configuration, Diagnostic> configuration_from_json(const Json& json) {
  if (!json.as_object())
    return make_error("configuration", concat("a configuration is an object, not ", json.kind_name()));
  Configuration out;
  std::set<std::string_view> known;
  std::string problem;
  for_each_setting(out, [&](std::string_view key, auto& value) {
    known.insert(key);
    const Json* given = json.find(key);
    if (!given || !problem.empty()) return;
    const std::string_view wanted = read(*given, value);
    if (!wanted.empty()) problem = concat("'", key, "' wants ", wanted, ", not ", given->kind_name());
  });
  for (const auto& [key, value] : *json.as_object()) {
    if (problem.empty() && !known.contains(key)) problem = concat("there is no setting '", key, "'");
  }
  if (problem.empty()) problem = problem_of(out);
  if (!problem.empty()) return make_error("configuration", problem, "steptp dataset build --print-config shows all");
  return out;
}

std::string problem_of(const Configuration& c) {
  if (std::string problem = unknown_name(c); !problem.empty()) return problem;
  if (c.dtypes.empty()) return "dtypes are empty";
  if (c.compositions_percent > 100) return "compositions_percent is at most 100";
  if (c.trials < 1) return "trials are at least 1";
  if (c.attempts < 1) return "attempts are at least 1";
  if (c.compile != "sample" && c.compile != "all" && c.compile != "none")
    return concat("compile is sample, all or none, not '", c.compile, "'");
  if (c.subset_least < 2) return "subset_least is at least 2";
  if (!(c.subset_size >= static_cast<double>(c.subset_least))) return "subset_size is less than subset_least";
  if (!(c.subsets >= 0)) return "subsets are negative";
  for (const double share : {c.easy_simplifying, c.easy_expanding}) {
    if (!(share >= 0 && share <= 1)) return "a share is between 0 and 1";
  }
  for (const double number : {c.weights.difficult, c.weights.medium, c.weights.easy, c.mix.difficult, c.mix.medium,
                              c.mix.easy, c.mix_tolerance, c.most_gib}) {
    if (!(number >= 0 && number < 1e12)) return "weights, mix and most_gib are not negative";
  }
  return {};
}

}  // namespace steptp::dataset
