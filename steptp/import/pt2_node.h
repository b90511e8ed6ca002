#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/graph/builder.h"
#include "steptp/import/pt2_fields.h"

namespace steptp::graph::pt2 {

/// "aten.slice.Tensor" gives "slice".
[[nodiscard]] std::string_view stem(std::string_view op);
/// "torch.ops.aten.mul.Tensor" gives "aten.mul.Tensor".
[[nodiscard]] std::string_view operator_name(const Json& node);
/// aten.add_.Tensor: it changes its first operand.
[[nodiscard]] bool is_in_place(std::string_view op);
/// aten.add_.Tensor gives aten.add.Tensor.
[[nodiscard]] std::string functional_name(std::string_view op);
/// Draws random numbers.
[[nodiscard]] bool is_random(std::string_view op);
/// Only checks something.
[[nodiscard]] bool is_assertion(std::string_view op);
/// no_grad, or autocast that is switched off, around a part of the model: a graph within the graph that is simply a
/// part of it.
[[nodiscard]] bool is_inlined(const Json& node);

/// Where in the user's source a node comes from, by the stack trace in the archive.
struct Origin {
  Place place;
  std::string text;  ///< "model.py:14, in forward: y = torch.fft.fft(x)"; empty where it is not known
};
[[nodiscard]] Origin origin_of(const Json& node);

/// The names of the tensors that a node gives, in order.
[[nodiscard]] std::vector<std::string> output_names(const Json& node);

/// The argument with a name; null where the node does not give it.
[[nodiscard]] const Json* find_argument(const Json& node, std::string_view name);
/// The name of the tensor that a node takes first; empty where it takes none.
[[nodiscard]] std::string first_tensor(const Json& node);

/// An argument in the types of the graph; `read` gives the value of a tensor by its name.
using ReadTensor = std::function<Value(const std::string& name)>;
[[nodiscard]] Argument to_argument(const Json& argument, std::string_view where, const ReadTensor& read);

/// Operators outside the table that the reader deals with, such as "copy_": every overload is meant.
[[nodiscard]] std::vector<std::string_view> known_stems();

/// Everything in a graph that has no place here, each operator once.
[[nodiscard]] Diagnostics survey(const Json& graph);

}  // namespace steptp::graph::pt2
