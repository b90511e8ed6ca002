#include "steptp/text/signature_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Splits off the next blank-separated word.
std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest.size() && !is_blank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  return word;
}

std::string name_problem(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  bool good = !name.empty() && name[0] >= 'A' && name[0] <= 'Z' &&
              std::string_view("LPVUBT").find(name[0]) == std::string_view::npos;
  for (std::size_t i = 1; good && i < name.size(); ++i) good = lower(name[i]);
  if (good) return {};
  return concat("'", name, "' is not a tensor's name: a capital other than L P V U B T, then lower-case letters");
}

std::string shape_problem(const std::vector<std::int64_t>& shape, std::string_view name) {
  for (const std::int64_t dimension : shape) {
    if (dimension < 1) return concat("dimension ", dimension, " of ", name, ": dimensions are at least 1");
  }
  if (!element_count(shape)) return concat("the number of elements of ", name, " does not fit in 64 bits");
  return {};
}

Result<Domain, std::string> parse_domain(std::string_view text) {
  Domain domain;
  if (text == "any") {
    domain.kind = Domain::Kind::any;
  } else if (text == "positive") {
    domain.kind = Domain::Kind::positive;
  } else if (text == "nonzero") {
    domain.kind = Domain::Kind::nonzero;
  } else if (text == "masked") {
    domain.kind = Domain::Kind::masked;
  } else {
    domain.kind = Domain::Kind::range;
    const std::size_t comma = text.find(',');
    bool good = text.size() >= 5 && text.front() == '[' && text.back() == ')' && comma != std::string_view::npos;
    if (good) {
      const char* const end = text.data() + text.size() - 1;
      const auto low = std::from_chars(text.data() + 1, text.data() + comma, domain.low);
      const auto high = std::from_chars(text.data() + comma + 1, end, domain.high);
      good = low.ec == std::errc() && low.ptr == text.data() + comma && high.ec == std::errc() && high.ptr == end;
    }
    if (!good) return concat("'", text, "' is not a domain: any, positive, nonzero, masked or [lo,hi)");
    if (!(domain.low < domain.high)) return concat("the domain ", text, " is empty");
  }
  return domain;
}

/// Only floats have a -inf.
std::string domain_problem(const Variable& variable) {
  if (variable.domain.kind != Domain::Kind::masked || is_float(variable.dtype)) return {};
  return concat(variable.name, " is ", code(variable.dtype), ", and only a float can be masked (finite or -inf)");
}

std::string print_number(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string print_domain(const Domain& domain) {
  switch (domain.kind) {
    case Domain::Kind::unstated: return {};
    case Domain::Kind::any: return "any";
    case Domain::Kind::positive: return "positive";
    case Domain::Kind::nonzero: return "nonzero";
    case Domain::Kind::masked: return "masked";
    case Domain::Kind::range: return concat('[', print_number(domain.low), ',', print_number(domain.high), ')');
  }
  return {};
}

/// Values come as numbers, booleans or the strings "inf", "-inf", "nan", nested as the tensor is.
std::string flatten_values(const Json& json, std::vector<double>& out) {
  if (const auto* array = json.as_array()) {
    for (const Json& item : *array) {
      if (std::string problem = flatten_values(item, out); !problem.empty()) return problem;
    }
    return {};
  }
  if (json.is_number()) {
    out.push_back(json.number());
  } else if (const bool* flag = json.as_bool()) {
    out.push_back(*flag ? 1 : 0);
  } else if (const std::string* text = json.as_string(); text && *text == "inf") {
    out.push_back(std::numeric_limits<double>::infinity());
  } else if (text && *text == "-inf") {
    out.push_back(-std::numeric_limits<double>::infinity());
  } else if (text && *text == "nan") {
    out.push_back(std::numeric_limits<double>::quiet_NaN());
  } else {
    return concat("\"values\" holds ", json.kind_name(), " where a number is wanted");
  }
  return {};
}

/// The values of an integer or bool tensor are integers of that type, small enough to be exact as doubles.
std::string value_problem(const Variable& variable) {
  if (is_float(variable.dtype)) return {};
  constexpr double kExact = 9007199254740992.0;  // 2^53, which its neighbour is read as
  const DTypeInfo& type = info(variable.dtype);
  for (const double value : variable.values) {
    if (std::trunc(value) == value && std::fabs(value) < kExact && value >= static_cast<double>(type.least) &&
        value <= static_cast<double>(type.greatest)) {
      continue;
    }
    return concat("\"values\" of ", variable.name, " holds ", print_number(value), ", wanted integers of ", type.code,
                  " below 2^53");
  }
  return {};
}

/// The number with the fewest digits that a tensor of this type holds as this value: 0.1, not 0.10000000149011612.
double shortest_that_reads_as(DType dtype, double value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> digits{};
  constexpr int kMostDigits = 17;
  for (int count = 1; count < kMostDigits; ++count) {
    const auto written =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific, count - 1);
    double read = 0;
    std::from_chars(digits.data(), written.ptr, read);
    if (held_by(dtype, read) == value) return read;
  }
  return value;
}

std::string read_values(const Json& json, Variable& variable) {
  if (!json.as_array() && !variable.shape.empty()) return "\"values\" is not an array";
  if (std::string problem = flatten_values(json, variable.values); !problem.empty()) return problem;
  const std::int64_t wanted = element_count(variable.shape).value_or(-1);
  if (static_cast<std::int64_t>(variable.values.size()) != wanted) {
    return concat(variable.name, " has ", wanted, " elements, but \"values\" has ", variable.values.size());
  }
  if (is_float(variable.dtype)) {
    for (double& value : variable.values) value = held_by(variable.dtype, value);
  }
  return value_problem(variable);
}

std::string read_shape(const Json& json, Variable& variable) {
  const auto* array = json.as_array();
  if (!array) return concat("\"shape\" of ", variable.name, " is ", json.kind_name(), ", wanted an array of integers");
  for (const Json& item : *array) {
    const std::int64_t* dimension = item.as_integer();
    if (!dimension) return concat("\"shape\" of ", variable.name, " holds ", item.kind_name(), ", wanted integers");
    variable.shape.push_back(*dimension);
  }
  return shape_problem(variable.shape, variable.name);
}

}  // namespace

Result<Variable, std::string> parse_signature_line(std::string_view line) {
  std::string_view rest = line;
  Variable variable;
  const std::string_view role_text = take_word(rest);
  const auto role = parse_role(role_text);
  if (!role) return concat("unknown header '@", role_text, "': wanted @program, @input, @constant, @param or @output");
  variable.role = *role;
  variable.name = take_word(rest);
  if (std::string problem = name_problem(variable.name); !problem.empty()) return problem;

  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const std::size_t open = rest.find('[');
  const std::size_t blank = std::min(rest.find(' '), rest.find('\t'));
  const bool shaped = open != std::string_view::npos && open < blank;
  const std::string_view dtype_text = rest.substr(0, shaped ? open : std::min(blank, rest.find('\r')));
  const auto dtype = parse_dtype(dtype_text);
  if (!dtype) return concat("'", dtype_text, "' is not a dtype: ", dtype_codes());
  variable.dtype = *dtype;
  rest.remove_prefix(dtype_text.size());
  if (shaped) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::string("the shape is not closed: expected ']'");
    std::string_view dimensions = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    while (!dimensions.empty()) {
      std::string_view item = dimensions.substr(0, dimensions.find(','));
      const bool more = item.size() < dimensions.size();
      dimensions.remove_prefix(item.size() + (more ? 1 : 0));
      while (!item.empty() && is_blank(item.front())) item.remove_prefix(1);
      while (!item.empty() && is_blank(item.back())) item.remove_suffix(1);
      std::int64_t dimension = 0;
      const auto parsed = std::from_chars(item.data(), item.data() + item.size(), dimension);
      if (parsed.ec != std::errc() || parsed.ptr != item.data() + item.size() || (more && dimensions.empty())) {
        return concat("'", item, "' is not a dimension");
      }
      variable.shape.push_back(dimension);
    }
  }
  if (std::string problem = shape_problem(variable.shape, variable.name); !problem.empty()) return problem;
  std::string_view word = take_word(rest);
  if (!word.empty() && word != "values") {
    auto domain = parse_domain(word);
    if (!domain) return domain.error();
    variable.domain = *domain;
    if (std::string problem = domain_problem(variable); !problem.empty()) return problem;
    word = take_word(rest);
  }
  if (word == "values") {
    const auto values = parse_json(rest);
    if (!values) return concat("the values of ", variable.name, " are not a JSON array: ", values.error().message);
    if (std::string problem = read_values(*values, variable); !problem.empty()) return problem;
    return variable;
  }
  if (!word.empty()) {
    return concat("'", word, "' after the declaration of ", variable.name, " is not understood");
  }
  return variable;
}

std::string print_signature_line(const Variable& variable) {
  std::string out = concat('@', name_of(variable.role), ' ', variable.name, ' ', code(variable.dtype));
  if (!variable.shape.empty()) {
    append(out, '[', join(variable.shape, ",", [](std::int64_t d) { return std::to_string(d); }), ']');
  }
  if (variable.domain.kind != Domain::Kind::unstated) append(out, ' ', print_domain(variable.domain));
  if (!variable.values.empty()) append(out, " values ", to_json(variable).find("values")->dump());
  return out;
}

Result<Variable, std::string> variable_from_json(const Json& json) {
  if (!json.as_object()) return concat("an entry of the signature is ", json.kind_name(), ", wanted an object");
  Variable variable;
  std::string role;
  std::string dtype;
  for (const auto& [key, target] :
       {std::pair("name", &variable.name), std::pair("role", &role), std::pair("dtype", &dtype)}) {
    const Json* value = json.find(key);
    if (!value) return concat("an entry of the signature has no \"", key, "\"");
    if (!value->as_string())
      return concat("\"", key, "\" in the signature is ", value->kind_name(), ", wanted a string");
    *target = *value->as_string();
  }
  if (std::string problem = name_problem(variable.name); !problem.empty()) return problem;
  const auto parsed_role = parse_role(role);
  if (!parsed_role) return concat("'", role, "' is not a role: input, constant, param or output");
  variable.role = *parsed_role;
  const auto parsed_dtype = parse_dtype(dtype);
  if (!parsed_dtype) return concat("'", dtype, "' is not a dtype (", variable.name, ")");
  variable.dtype = *parsed_dtype;
  const Json* shape = json.find("shape");
  if (!shape) return concat(variable.name, " has no \"shape\"");
  if (std::string problem = read_shape(*shape, variable); !problem.empty()) return problem;
  if (const Json* domain = json.find("domain"); domain && !domain->is_null()) {
    if (!domain->as_string())
      return concat("\"domain\" of ", variable.name, " is ", domain->kind_name(), ", wanted a string");
    auto parsed = parse_domain(*domain->as_string());
    if (!parsed) return parsed.error();
    variable.domain = *parsed;
    if (std::string problem = domain_problem(variable); !problem.empty()) return problem;
  }
  if (const Json* values = json.find("values"); values && !values->is_null()) {
    if (std::string problem = read_values(*values, variable); !problem.empty()) return problem;
  }
  return variable;
}

Json to_json(const Variable& variable) {
  Json out;
  out.set("name", variable.name).set("role", name_of(variable.role)).set("dtype", info(variable.dtype).torch_name);
  Json::Array shape;
  for (const std::int64_t dimension : variable.shape) shape.emplace_back(dimension);
  out.set("shape", std::move(shape));
  if (variable.domain.kind != Domain::Kind::unstated) out.set("domain", print_domain(variable.domain));
  if (!variable.values.empty()) {
    Json::Array values;
    for (const double value : variable.values) {
      const bool integral = !is_float(variable.dtype);
      values.push_back(integral ? Json(static_cast<std::int64_t>(value))
                                : Json(shortest_that_reads_as(variable.dtype, value)));
    }
    out.set("values", std::move(values));
  }
  return out;
}

std::string signature_difference(const Signature& before, const Signature& after, std::string_view one,
                                 std::string_view other) {
  const auto declared = [](Variable variable) {
    variable.values.clear();
    return print_signature_line(variable);
  };
  const auto missing = [&](const Variable& variable, std::string_view here, std::string_view there) {
    return concat(here, " has ", declared(variable), ", which ", there, " lacks");
  };
  for (const Variable& variable : before.variables) {
    const Variable* same = after.find(variable.name);
    if (!same) return missing(variable, one, other);
    if (variable == *same) continue;
    const std::string was = declared(variable);
    const std::string is = declared(*same);
    if (was == is) return concat(variable.name, " has other values in ", other, " than in ", one);
    return concat(variable.name, " is ", was, " in ", one, " and ", is, " in ", other);
  }
  for (const Variable& variable : after.variables) {
    if (!before.find(variable.name)) return missing(variable, other, one);
  }
  return before == after ? "" : "the variables stand in another order";
}

std::string signature_problem(const Signature& signature) {
  std::map<std::string_view, int> seen;
  bool output = false;
  for (const Variable& variable : signature.variables) {
    if (++seen[variable.name] > 1) return concat("the signature names ", variable.name, " twice");
    output = output || variable.role == Role::output;
    if (variable.role == Role::output && !variable.values.empty()) {
      return concat("the output ", variable.name, " cannot have values");
    }
  }
  if (!signature.variables.empty() && !output) return "the signature has no output";
  return {};
}

}  // namespace steptp
