#include "steptp/graph/schema.h"

#include <array>
#include <charconv>
#include <stdexcept>

#include "steptp/base/text.h"

namespace steptp::graph {

std::string_view kind_name(const Argument& argument) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "None",    "a tensor", "a list of tensors",  "a bool",           "an integer",
      "a float", "a string", "a list of integers", "a list of floats", "a dtype"};
  return kNames.at(argument.index());
}

namespace {

struct TypeName {
  std::string_view text;
  ArgumentKind kind;
};
constexpr std::array kTypes = {
    TypeName{"Tensor", ArgumentKind::tensor},     TypeName{"Tensor[]", ArgumentKind::tensors},
    TypeName{"Tensor?[]", ArgumentKind::tensors}, TypeName{"bool", ArgumentKind::boolean},
    TypeName{"int", ArgumentKind::integer},       TypeName{"int[]", ArgumentKind::integers},
    TypeName{"float", ArgumentKind::real},        TypeName{"float[]", ArgumentKind::reals},
    TypeName{"Scalar", ArgumentKind::number},     TypeName{"str", ArgumentKind::text},
    TypeName{"ScalarType", ArgumentKind::dtype},  TypeName{"MemoryFormat", ArgumentKind::unused},
    TypeName{"Layout", ArgumentKind::unused},     TypeName{"Device", ArgumentKind::unused},
    TypeName{"Generator", ArgumentKind::unused}};

[[noreturn]] void bad(std::string_view text, std::string_view why) {
  throw std::logic_error(concat("schema '", text, "': ", why));
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Splits at commas that stand outside of brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (text[at] != ',' || depth > 0) continue;
    parts.push_back(trim(text.substr(start, at - start)));
    start = at + 1;
  }
  if (!trim(text.substr(start)).empty()) parts.push_back(trim(text.substr(start)));
  return parts;
}

std::int64_t integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) bad(text, "not an integer");
  return value;
}

Argument default_of(std::string_view text, ArgumentKind kind) {
  if (text == "None") return std::monostate();
  if (text == "True" || text == "False") return text == "True";
  if (text.starts_with('\'')) return std::string(text.substr(1, text.size() - 2));
  if (text.starts_with('[')) {
    std::vector<std::int64_t> items;
    for (const std::string_view item : split(text.substr(1, text.size() - 2))) items.push_back(integer_of(item));
    return items;
  }
  // An enumeration of PyTorch, which is an integer in a graph.
  if (text == "Mean") return std::int64_t{1};
  if (kind == ArgumentKind::real || text.find_first_of(".e") != std::string_view::npos)
    return std::stod(std::string(text));
  return integer_of(text);
}

Parameter parse_parameter(std::string_view text) {
  Parameter out;
  const std::size_t equals = text.find('=');
  const std::string_view declaration = text.substr(0, equals);
  const std::size_t blank = declaration.rfind(' ');
  if (blank == std::string_view::npos) bad(text, "a type and a name are wanted");
  std::string type(declaration.substr(0, blank));
  out.name = declaration.substr(blank + 1);
  if (type.ends_with('?')) {
    out.optional = true;
    type.pop_back();
  }
  const std::size_t open = type.find('[');
  if (open != std::string::npos && type.ends_with(']') && type[open + 1] != ']') {
    out.list_size =
        static_cast<std::size_t>(integer_of(std::string_view(type).substr(open + 1, type.size() - open - 2)));
    type = type.substr(0, open) + "[]";
  }
  const TypeName* found = nullptr;
  for (const TypeName& candidate : kTypes) {
    if (candidate.text == type) found = &candidate;
  }
  if (!found) bad(text, "unknown type");
  out.kind = found->kind;
  if (equals != std::string_view::npos) {
    out.has_default = true;
    Argument given = default_of(text.substr(equals + 1), out.kind);
    Result<Argument, std::string> fitted = conform(out, std::move(given));
    if (!fitted) bad(text, fitted.error());
    out.fallback = std::move(fitted).value();
  }
  return out;
}

std::string_view wanted(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::tensor: return "a tensor";
    case ArgumentKind::tensors: return "a list of tensors";
    case ArgumentKind::boolean: return "a bool";
    case ArgumentKind::integer: return "an integer";
    case ArgumentKind::integers: return "a list of integers";
    case ArgumentKind::real: return "a float";
    case ArgumentKind::reals: return "a list of floats";
    case ArgumentKind::number: return "a number";
    case ArgumentKind::text: return "a string";
    case ArgumentKind::dtype: return "a dtype";
    case ArgumentKind::unused: return "anything";
  }
  return "";
}

template <typename T>
bool is(const Argument& argument) {
  return std::holds_alternative<T>(argument);
}

}  // namespace

std::optional<std::size_t> Schema::find(std::string_view parameter) const {
  for (std::size_t number = 0; number < parameters.size(); ++number) {
    if (parameters[number].name == parameter) return number;
  }
  return std::nullopt;
}

Schema parse_schema(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t arrow = text.find(") -> ");
  if (open == std::string_view::npos || arrow == std::string_view::npos) bad(text, "no brackets or no arrow");
  Schema out;
  out.name =
      concat("aten.", text.substr(0, open), text.substr(0, open).find('.') == std::string_view::npos ? ".default" : "");
  for (const std::string_view part : split(text.substr(open + 1, arrow - open - 1))) {
    if (part != "*") out.parameters.push_back(parse_parameter(part));
  }
  const std::string_view result = text.substr(arrow + 5);
  out.returns_list = result == "Tensor[]";
  if (result.starts_with('(')) out.outputs = split(result.substr(1, result.size() - 2)).size();
  return out;
}

Result<Argument, std::string> conform(const Parameter& parameter, Argument argument) {
  const bool integer = is<std::int64_t>(argument);
  const bool number = integer || is<double>(argument) || is<bool>(argument);
  if (is_none(argument)) {
    if (parameter.optional || parameter.kind == ArgumentKind::unused) return argument;
  } else {
    switch (parameter.kind) {
      case ArgumentKind::tensor:
        if (is<Value>(argument) || number) return argument;
        break;
      case ArgumentKind::tensors:
        if (is<std::vector<Value>>(argument)) return argument;
        break;
      case ArgumentKind::boolean:
        if (is<bool>(argument)) return argument;
        break;
      case ArgumentKind::integer:
        if (integer) return argument;
        break;
      case ArgumentKind::integers:
        if (integer && parameter.list_size > 0)
          return Argument(std::vector<std::int64_t>(parameter.list_size, std::get<std::int64_t>(argument)));
        if (std::vector<std::int64_t>* items = std::get_if<std::vector<std::int64_t>>(&argument)) {
          if (parameter.list_size > 1 && items->size() == 1) items->resize(parameter.list_size, items->front());
          return argument;
        }
        break;
      case ArgumentKind::real:
        if (integer) return Argument(static_cast<double>(std::get<std::int64_t>(argument)));
        if (is<double>(argument)) return argument;
        break;
      case ArgumentKind::reals:
        if (const auto* items = std::get_if<std::vector<std::int64_t>>(&argument)) {
          return Argument(std::vector<double>(items->begin(), items->end()));
        }
        if (is<std::vector<double>>(argument)) return argument;
        break;
      case ArgumentKind::number:
        if (number) return argument;
        break;
      case ArgumentKind::text:
        if (is<std::string>(argument)) return argument;
        break;
      case ArgumentKind::dtype:
        if (is<DType>(argument)) return argument;
        break;
      case ArgumentKind::unused: return Argument();
    }
  }
  return concat("'", parameter.name, "' wants ", wanted(parameter.kind), ", not ", kind_name(argument));
}

}  // namespace steptp::graph
