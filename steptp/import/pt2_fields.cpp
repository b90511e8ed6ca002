#include "steptp/import/pt2_fields.h"

#include <array>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp::graph::pt2 {

namespace {

constexpr std::int64_t kStrided = 7;
/// More dimensions than any tensor of PyTorch that is not there to hurt.
constexpr std::size_t kMostDimensions = 64;

/// The names of the codes that have no dtype here, for messages.
std::string_view foreign_dtype(std::int64_t code) {
  switch (code) {
    case 9: return "complex32";
    case 10: return "complex64";
    case 11: return "complex128";
    case 28: return "uint16";
    case 29:
    case 30:
    case 31:
    case 32: return "float8";
    default: return "unknown";
  }
}

Shape sizes(const Json& json, std::string_view key, std::string_view where) {
  Shape out;
  for (const Json& size : array_field(json, key, where)) out.push_back(fixed_size(size, where));
  if (out.size() > kMostDimensions) malformed(concat(where, " has ", out.size(), " dimensions"));
  return out;
}

}  // namespace

void refuse(std::string_view id, std::string message, std::string hint) {
  throw Refused{make_error(id, std::move(message), std::move(hint))};
}
void malformed(std::string message) { refuse("pt2", std::move(message)); }

const Json& field(const Json& object, std::string_view key, std::string_view where) {
  const Json* found = object.find(key);
  if (!found) malformed(concat(where, " has no \"", key, "\""));
  return *found;
}

const Json::Array& array_field(const Json& object, std::string_view key, std::string_view where) {
  const Json& found = field(object, key, where);
  if (!found.as_array()) malformed(concat("\"", key, "\" of ", where, " is ", found.kind_name(), ", not an array"));
  return *found.as_array();
}

const std::string& text_field(const Json& object, std::string_view key, std::string_view where) {
  const Json& found = field(object, key, where);
  if (!found.as_string()) malformed(concat("\"", key, "\" of ", where, " is ", found.kind_name(), ", not a string"));
  return *found.as_string();
}

TaggedValue choice(const Json& object, std::string_view where) {
  const Json::Object* entries = object.as_object();
  if (!entries) malformed(concat(where, " is ", object.kind_name(), ", not an object"));
  TaggedValue out;
  for (const auto& [tag, value] : *entries) {
    if (value.is_null()) continue;
    if (out.value) malformed(concat(where, " is \"", out.tag, "\" and \"", tag, "\" at once"));
    out = {tag, &value};
  }
  if (!out.value) malformed(concat(where, " has no value"));
  return out;
}

std::int64_t fixed_size(const Json& size, std::string_view where) {
  const TaggedValue given = choice(size, where);
  if (given.tag == "as_expr" || given.tag == "as_name") {
    const Json* expression = given.value->find("expr_str");
    std::string text = expression && expression->as_string() ? *expression->as_string() : given.value->dump();
    // Symbol('s77', positive=True, integer=True) is how the archive writes s77.
    if (text.starts_with("Symbol('")) text = text.substr(8, text.find('\'', 8) - 8);
    refuse("pt2-dynamic", concat(where, " has the dynamic size ", text), std::string(kFixedSizes));
  }
  if (given.tag != "as_int" || !given.value->as_integer())
    malformed(concat(where, " has a size that is not an integer"));
  return *given.value->as_integer();
}

double real_number(const Json& json, std::string_view where) {
  if (json.is_number()) return json.number();
  const std::string* text = json.as_string();
  if (text && *text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text && *text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text && *text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  malformed(concat(where, " is ", json.kind_name(), ", not a number"));
}

DType dtype_of_code(const Json& code, std::string_view where) {
  const std::int64_t* number = code.as_integer();
  if (!number) malformed(concat("the dtype of ", where, " is ", code.kind_name(), ", not a code"));
  for (const DType dtype : kAllDTypes) {
    if (facts_of(dtype).torch_code == *number) return dtype;
  }
  refuse("pt2-dtype", concat(where, " has the dtype ", foreign_dtype(*number), " (code ", *number, ")"),
         concat("the dtypes are ", dtype_codes()));
}

Domain domain_of(const Json& json, std::string_view where) {
  if (json.is_null()) return {};
  const std::string* name = json.as_string();
  if (name && *name == "any") return {Domain::Kind::any};
  if (name && *name == "positive") return {Domain::Kind::positive};
  if (name && *name == "nonzero") return {Domain::Kind::nonzero};
  if (name && *name == "masked") return {Domain::Kind::masked};
  const Json::Array* range = json.as_array();
  if (!range || range->size() != 2)
    malformed(concat(where, " is none of any, positive, nonzero, masked and [low, high]"));
  const double low = real_number(range->front(), where);
  const double high = real_number(range->back(), where);
  if (!(low < high)) malformed(concat(where, " is empty"));
  return {Domain::Kind::range, low, high};
}

TensorMeta tensor_meta(const Json& json, std::string_view where) {
  TensorMeta out;
  out.type.dtype = dtype_of_code(field(json, "dtype", where), where);
  out.type.shape = sizes(json, "sizes", where);
  out.strides = sizes(json, "strides", where);
  for (const std::int64_t extent : out.type.shape) {
    if (extent < 0) malformed(concat(where, " has the size ", extent));
  }
  if (count(out.type.shape) < 0) malformed(concat(where, " has too many elements"));
  if (out.strides.size() != out.type.shape.size()) malformed(concat(where, " has not one stride per dimension"));
  if (const Json* offset = json.find("storage_offset")) out.offset = fixed_size(*offset, where);
  const Json* layout = json.find("layout");
  if (layout && layout->as_integer() && *layout->as_integer() != kStrided) {
    refuse("pt2-dtype", concat(where, " is sparse or has another layout"), "make it dense before it is exported");
  }
  return out;
}

}  // namespace steptp::graph::pt2
