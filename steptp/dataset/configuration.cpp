#include "steptp/dataset/configuration.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

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
  visit("seed", "the seed of everything that is drawn", c.seed);
  visit("programs", "how many programs the split train has", c.programs);
  visit("compositions_percent", "how many of a hundred programs of train are random compositions",
        c.compositions_percent);
  visit("types", "draw only these types of the zoo", c.types);
  visit("dtypes", "the dtypes that programs are drawn with", c.dtypes);
  visit("most_gib", "the largest tensor allowed, in GiB", c.most_gib);
  visit("exclude_origin",
        "leave out programs of this origin: kernelbench, kernelbench/level2, zoo, composition, import",
        c.exclude_origin);
  visit("imports", "names of .pt2 files; --import fills it", c.imports);
  visit("import_sums", "their checksums; --import fills it", c.import_sums);
  visit("test_shape_programs", "how many programs the split test_shape has: other shapes of trained types",
        c.test_shape_programs);
  visit("test_types", "how many types of the zoo are kept out of training", c.test_types);
  visit("test_type_programs", "how many programs the split test_type has: of those types, and compositions",
        c.test_type_programs);
  visit("multi_step_programs", "how many programs the split multi_step has: of the 100 published workloads",
        c.multi_step_programs);
  visit("entries", "how many verified entries train has at least, if there are so many", c.entries);
  visit("test_shape_entries", "how many verified entries test_shape has", c.test_shape_entries);
  visit("strategies", "use only these strategies", c.strategies);
  visit("extended", "also use choices beyond the published form of a strategy", c.extended);
  visit("weights", "how many entries of each strategy are wanted for every hundred programs, difficult/medium/easy",
        c.weights);
  visit(
      "draw",
      "useful: prefer factors that a person would choose, and leave out steps not worth showing; published: all alike",
      c.draw);
  visit("depth", "also start from programs that up to this many verified steps lead to", c.depth);
  visit("deep_states", "how many such programs each program gives, for each depth", c.deep_states);
  visit("deep_entries", "how many entries start from each such program", c.deep_entries);
  visit("trials", "how often each entry is judged with fresh inputs; a proof needs one judgement", c.trials);
  visit("budget", "how many operations one judgement may take; what needs more is dropped as undecided", c.budget);
  visit("proof_budget", "how many nodes one proof may have; what needs more is evaluated", c.proof_budget);
  visit("safety_budget", "how many operations one comparison of rounding errors may take", c.safety_budget);
  visit("attempts", "how many candidates are tried for each entry that is wanted", c.attempts);
  visit("compile", "which rows are compiled too: sample, all or none", c.compile);
  visit("compile_rows", "how many rows the sample of --compile has", c.compile_rows);
  visit("single_cap", "the most single-answer rows of each strategy", c.single_cap);
  visit("easy_simplifying", "the share of easy single-answer rows that is kept, of strategies that simplify",
        c.easy_simplifying);
  visit("easy_expanding", "the share of easy single-answer rows that is kept, of the inverses of those",
        c.easy_expanding);
  visit("medium_cap", "the most entries of each medium strategy in multi-answer rows", c.medium_cap);
  visit("subsets", "how many multi-answer rows each program gives, on average", c.subsets);
  visit("subset_size", "how many answers a multi-answer row has, on average", c.subset_size);
  visit("subset_least", "how many answers a multi-answer row has at least", c.subset_least);
  visit("mix", "percent of strategy occurrences, difficult/medium/easy; 0/0/0 leaves them as they come", c.mix);
  visit("mix_tolerance", "how many percentage points the mix may be off", c.mix_tolerance);
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

/// Each answers what was wanted where the text is something else.
template <typename Number>
std::string_view read_number(const std::string& text, Number& into, std::string_view wanted) {
  const auto done = std::from_chars(text.data(), text.data() + text.size(), into);
  return done.ec == std::errc() && done.ptr == text.data() + text.size() ? std::string_view() : wanted;
}
std::string_view read_text(const std::string& text, std::uint64_t& into) {
  return read_number(text, into, "a natural number");
}
std::string_view read_text(const std::string& text, double& into) { return read_number(text, into, "a number"); }
std::string_view read_text(const std::string& text, bool& into) {
  into = text == "true";
  return into || text == "false" ? std::string_view() : "true or false";
}
std::string_view read_text(const std::string& text, std::string& into) {
  into = text;
  return {};
}
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == separator) {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}
std::string_view read_text(const std::string& text, std::vector<std::string>& into) {
  into = text.empty() ? std::vector<std::string>() : split(text, ',');
  return {};
}
std::string_view read_text(const std::string& text, ByDifficulty& into) {
  constexpr std::string_view kWanted = "three numbers, difficult/medium/easy";
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 3) return kWanted;
  const bool good = read_text(parts[0], into.difficult).empty() && read_text(parts[1], into.medium).empty() &&
                    read_text(parts[2], into.easy).empty();
  return good ? std::string_view() : kWanted;
}

std::string number_text(double value) { return Json(value).dump(); }
std::string value_text(std::uint64_t value) { return std::to_string(value); }
std::string value_text(double value) { return number_text(value); }
std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(const std::string& value) { return value; }
std::string value_text(const std::vector<std::string>& values) {
  return join(values, ",", [](const std::string& value) { return value; });
}
std::string value_text(const ByDifficulty& value) {
  return concat(number_text(value.difficult), "/", number_text(value.medium), "/", number_text(value.easy));
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
  for_each_setting(configuration,
                   [&](std::string_view key, std::string_view, const auto& value) { out.set(key, value_json(value)); });
  return out;
}

Result<Configuration, Diagnostic> configuration_from_json(const Json& json) {
  if (!json.as_object())
    return make_error("configuration", concat("a configuration is an object, not ", json.kind_name()));
  Configuration out;
  std::set<std::string_view> known;
  std::string problem;
  for_each_setting(out, [&](std::string_view key, std::string_view, auto& value) {
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

std::vector<Setting> all_settings() {
  std::vector<Setting> out;
  const Configuration defaults;
  for_each_setting(defaults, [&](std::string_view key, std::string_view help, const auto& value) {
    out.push_back(
        {std::string(key), std::string(help), value_text(value), std::is_same_v<std::decay_t<decltype(value)>, bool>});
  });
  return out;
}

std::string set_from_text(Configuration& configuration, std::string_view key, const std::string& text) {
  std::string problem = concat("there is no setting '", key, "'");
  for_each_setting(configuration, [&](std::string_view name, std::string_view, auto& value) {
    if (name != key) return;
    const std::string_view wanted = read_text(text, value);
    problem = wanted.empty() ? std::string() : concat("'", key, "' wants ", wanted, ", not '", text, "'");
  });
  return problem;
}

void scale_to_programs(Configuration& configuration, std::uint64_t programs) {
  const Configuration published;
  const auto scaled = [&](std::uint64_t count) {
    return std::max<std::uint64_t>(1, (count * programs + published.programs / 2) / published.programs);
  };
  configuration.programs = programs;
  configuration.entries = scaled(published.entries);
  configuration.test_shape_programs = scaled(published.test_shape_programs);
  configuration.test_shape_entries = scaled(published.test_shape_entries);
  configuration.test_types = scaled(published.test_types);
  configuration.test_type_programs = scaled(published.test_type_programs);
  configuration.multi_step_programs = std::min(scaled(published.multi_step_programs), published.multi_step_programs);
  configuration.compile_rows = scaled(published.compile_rows);
}

std::string problem_of(const Configuration& c) {
  if (std::string problem = unknown_name(c); !problem.empty()) return problem;
  if (c.dtypes.empty()) return "dtypes are empty";
  if (c.imports.size() != c.import_sums.size()) return "imports and import_sums are not as many";
  if (c.compositions_percent > 100) return "compositions_percent is at most 100";
  if (c.trials < 1) return "trials are at least 1";
  if (c.attempts < 1) return "attempts are at least 1";
  constexpr std::uint64_t kDeepest = 64;
  constexpr std::uint64_t kMostEach = 1000;
  if (c.depth > kDeepest) return concat("depth is at most ", kDeepest, ", not ", c.depth);
  for (const auto& [name, value] : {std::pair("deep_states", c.deep_states), std::pair("deep_entries", c.deep_entries),
                                    std::pair("trials", c.trials), std::pair("attempts", c.attempts)}) {
    if (value > kMostEach) return concat(name, " is at most ", kMostEach, ", not ", value);
  }
  if (c.compile != "sample" && c.compile != "all" && c.compile != "none")
    return concat("compile is sample, all or none, not '", c.compile, "'");
  if (c.draw != "useful" && c.draw != "published") return concat("draw is useful or published, not '", c.draw, "'");
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
  const double mixed = c.mix.difficult + c.mix.medium + c.mix.easy;
  if (mixed != 0 && std::abs(mixed - 100) > 0.01) {
    return concat("the mix is percent of all, and these make ", number_text(mixed),
                  " instead of 100; 0/0/0 leaves it as it comes");
  }
  return {};
}

}  // namespace steptp::dataset
