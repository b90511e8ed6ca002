#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/json.h"
#include "steptp/graph/types.h"
#include "steptp/ir/signature.h"

namespace steptp::graph::pt2 {

/// Thrown inside the reader of archives, and turned into an ordinary error where reading starts.
struct Refused {
  Diagnostic diagnostic;
};
[[noreturn]] void refuse(std::string_view id, std::string message, std::string hint = {});
/// The file is not what it should be: id `pt2`.
[[noreturn]] void malformed(std::string message);

/// The fields of an object; `where` names the object in messages.
[[nodiscard]] const Json& field(const Json& object, std::string_view key, std::string_view where);
[[nodiscard]] const Json::Array& array_field(const Json& object, std::string_view key, std::string_view where);
[[nodiscard]] const std::string& text_field(const Json& object, std::string_view key, std::string_view where);

/// The archives write a choice as an object with one key, {"as_int": 3}; some versions add the others as null.
struct TaggedValue {
  std::string_view tag;
  const Json* value = nullptr;
};
[[nodiscard]] TaggedValue choice(const Json& object, std::string_view where);

/// What to do about sizes that are not fixed.
inline constexpr std::string_view kFixedSizes =
    "export the model again without dynamic_shapes, with example inputs of the sizes you want; an operator whose "
    "result "
    "depends on the values of its inputs (nonzero, masked_select) has no fixed size";

/// A size, a stride or an offset. A symbolic one is refused: id `pt2-dynamic`.
[[nodiscard]] std::int64_t fixed_size(const Json& size, std::string_view where);

/// A number, or one of the texts that stand for those that JSON does not have.
[[nodiscard]] double real_number(const Json& json, std::string_view where);

/// The dtype with a code of the archives; refused where LEIR has no such dtype.
[[nodiscard]] DType dtype_of_code(const Json& code, std::string_view where);

/// null, "any", "positive", "nonzero" or [low, high].
[[nodiscard]] Domain domain_of(const Json& json, std::string_view where);

/// What an archive says of a tensor.
struct TensorMeta {
  TensorType type;
  Shape strides;  ///< in elements
  std::int64_t offset = 0;
};
[[nodiscard]] TensorMeta tensor_meta(const Json& json, std::string_view where);

}  // namespace steptp::graph::pt2
