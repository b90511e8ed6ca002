#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/json.h"
#include "steptp/oracle/machine.h"

namespace steptp {

/// What goes to a worker and comes back: a JSON object, and tensors as they are behind it.
struct Message {
  Json head;
  Tensors tensors;
};
[[nodiscard]] std::string pack(const Message& message);
/// Nothing where the text is no message.
[[nodiscard]] std::optional<Message> unpack(std::string_view text);

}  // namespace steptp
