#include "steptp/graph/types.h"

#include "steptp/base/text.h"
#include "steptp/ir/signature.h"

namespace steptp::graph {

std::string to_text(const Shape& shape) {
  return concat("[", join(shape, ",", [](std::int64_t extent) { return std::to_string(extent); }), "]");
}

std::string to_text(const TensorType& type) { return concat(info(type.dtype).torch_name, to_text(type.shape)); }

std::int64_t count(const Shape& shape) { return element_count(shape).value_or(-1); }

double element(const TensorValue& value, const Shape& shape, std::int64_t number) {
  switch (value.kind) {
    case TensorValue::Kind::dense: return value.dense.at(static_cast<std::size_t>(number));
    case TensorValue::Kind::splat: return value.number;
    case TensorValue::Kind::triangle: break;
  }
  const std::int64_t columns = shape.back();
  const std::int64_t rows = shape[shape.size() - 2];
  return number % columns - number / columns % rows >= value.diagonal ? 1 : 0;
}

}  // namespace steptp::graph
