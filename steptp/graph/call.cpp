#include "steptp/graph/call.h"

#include <algorithm>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

std::string_view name_of(Writing writing) {
  switch (writing) {
    case Writing::alone: return "alone";
    case Writing::inlined: return "inlined";
    case Writing::joined: return "joined";
  }
  return {};
}

std::vector<Value> operands(const Node& node) {
  std::vector<Value> out;
  for (const Argument& argument : node.arguments) {
    if (const Value* value = std::get_if<Value>(&argument)) out.push_back(*value);
    if (const auto* list = std::get_if<std::vector<Value>>(&argument)) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(out),
                   [](const Value& value) { return value.node >= 0; });
    }
  }
  return out;
}

const Argument& Call::argument(std::string_view name) const {
  const std::optional<std::size_t> place = op_.schema.find(name);
  if (!place) throw std::logic_error(concat(op_.schema.name, " has no parameter '", name, "'"));
  return arguments_.at(*place);
}

bool Call::is_tensor(std::string_view name) const { return std::holds_alternative<Value>(argument(name)); }

Value Call::value(std::string_view name) const {
  const Value* value = std::get_if<Value>(&argument(name));
  if (!value) fail(concat("'", name, "' must be a tensor here, not ", kind_name(argument(name))));
  return *value;
}

const std::vector<Value>& Call::values(std::string_view name) const {
  return std::get<std::vector<Value>>(argument(name));
}
bool Call::flag(std::string_view name) const {
  const bool* flag = std::get_if<bool>(&argument(name));
  return flag && *flag;
}
std::int64_t Call::integer(std::string_view name) const { return std::get<std::int64_t>(argument(name)); }
const std::vector<std::int64_t>& Call::integers(std::string_view name) const {
  static const std::vector<std::int64_t> kNone;
  const auto* items = std::get_if<std::vector<std::int64_t>>(&argument(name));
  return items ? *items : kNone;
}
double Call::real(std::string_view name) const {
  const Argument& given = argument(name);
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&given)) return static_cast<double>(*integer);
  if (const bool* flag = std::get_if<bool>(&given)) return *flag ? 1 : 0;
  return std::get<double>(given);
}
std::string_view Call::text(std::string_view name) const { return std::get<std::string>(argument(name)); }
DType Call::dtype(std::string_view name, DType otherwise) const {
  const DType* dtype = std::get_if<DType>(&argument(name));
  return dtype ? *dtype : otherwise;
}

void Call::fail(std::string message) const { throw Misuse{concat(op_.schema.name, ": ", message)}; }

std::size_t plain_dimension(const Call& call, std::int64_t dim, std::size_t rank) {
  const std::int64_t extent = std::max<std::int64_t>(1, static_cast<std::int64_t>(rank));
  if (dim < -extent || dim >= extent) {
    call.fail(concat("there is no dimension ", dim, " in a tensor with ", rank));
  }
  return static_cast<std::size_t>(dim < 0 ? dim + extent : dim);
}

std::vector<bool> marked_dimensions(const Call& call, std::string_view name, std::size_t rank) {
  std::vector<std::int64_t> dims;
  const Argument& given = call.argument(name);
  if (const std::int64_t* one = std::get_if<std::int64_t>(&given)) {
    dims.push_back(*one);
  } else {
    dims = call.integers(name);
  }
  std::vector<bool> marks(rank, dims.empty());
  for (const std::int64_t dim : dims) {
    const std::size_t at = plain_dimension(call, dim, rank);
    if (at >= rank) continue;  // a scalar: dimension 0 may be named, and there is nothing to mark
    if (marks[at]) call.fail(concat("dimension ", dim, " is named twice"));
    marks[at] = true;
  }
  return marks;
}

Shape broadcast(const Call& call, const Shape& left, const Shape& right) {
  Shape out(std::max(left.size(), right.size()), 1);
  for (std::size_t back = 1; back <= out.size(); ++back) {
    const std::int64_t a = back <= left.size() ? left[left.size() - back] : 1;
    const std::int64_t b = back <= right.size() ? right[right.size() - back] : 1;
    if (a != b && a != 1 && b != 1)
      call.fail(concat("the shapes ", to_text(left), " and ", to_text(right), " do not broadcast"));
    out[out.size() - back] = a == 1 ? b : a;
  }
  return out;
}

namespace {

using MaybeDType = std::optional<DType>;

MaybeDType promoted(MaybeDType left, MaybeDType right) {
  if (!left) return right;
  return right ? promote(*left, *right) : left;
}

MaybeDType combined(MaybeDType higher, MaybeDType lower) {
  if (!higher) return lower;
  if (is_float(*higher) || !lower) return higher;
  if (*higher == DType::boolean || is_float(*lower)) return promoted(higher, lower);
  return higher;
}

}  // namespace

DType result_dtype(const Call& call, const std::vector<std::string_view>& names) {
  MaybeDType dimensioned;
  MaybeDType scalar;
  MaybeDType number;
  for (const std::string_view name : names) {
    const Argument& given = call.argument(name);
    if (call.is_tensor(name)) {
      MaybeDType& group = call.shape(name).empty() ? scalar : dimensioned;
      group = promoted(group, call.dtype_of(name));
    } else if (std::holds_alternative<double>(given)) {
      number = promoted(number, DType::f32);
    } else if (std::holds_alternative<std::int64_t>(given)) {
      number = promoted(number, DType::i64);
    } else if (std::holds_alternative<bool>(given)) {
      number = promoted(number, DType::boolean);
    }
  }
  return combined(dimensioned, combined(scalar, number)).value_or(DType::f32);
}

DType float_dtype(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }

}  // namespace steptp::graph
