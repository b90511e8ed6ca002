#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/graph/argument.h"

namespace steptp::graph {

/// What a place of a call takes. `unused` is what means nothing here: device, layout, memory format, generator.
enum class ArgumentKind : std::uint8_t {
  tensor,
  tensors,
  boolean,
  integer,
  integers,
  real,
  reals,
  number,
  text,
  dtype,
  unused
};

struct Parameter {
  std::string name;
  ArgumentKind kind = ArgumentKind::tensor;
  bool optional = false;  ///< None is a value of its own
  bool has_default = false;
  Argument fallback;          ///< where the call leaves it out
  std::size_t list_size = 0;  ///< int[2]: one number stands for so many
};

/// The signature of an operator, read from the notation in which PyTorch states it:
///   softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
/// "->" is followed by Tensor, by a tuple (Tensor, Tensor), or by Tensor[].
struct Schema {
  std::string name;  ///< with the prefix and the overload: aten.softmax.int
  std::vector<Parameter> parameters;
  std::size_t outputs = 1;
  bool returns_list = false;

  [[nodiscard]] std::optional<std::size_t> find(std::string_view parameter) const;
};

/// Throws std::logic_error for a text that is not a schema: the texts are our own table.
[[nodiscard]] Schema parse_schema(std::string_view text);

/// The argument in the form the parameter wants (2 where int[2] is wanted becomes [2,2], 1 where a float is wanted
/// becomes 1.0), or what is wrong with it.
[[nodiscard]] Result<Argument, std::string> conform(const Parameter& parameter, Argument argument);

}  // namespace steptp::graph
