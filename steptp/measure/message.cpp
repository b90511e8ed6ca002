#include "steptp/measure/message.h"

#include <cstring>

namespace steptp {

namespace {
constexpr std::string_view kTensors = "tensors";
}

std::string pack(const Message& message) {
  Json head = message.head;
  if (!message.tensors.empty()) {
    Json::Array list;
    for (const auto& [name, tensor] : message.tensors) {
      Json::Array shape;
      for (const std::int64_t extent : tensor.shape) shape.emplace_back(extent);
      Json entry;
      entry.set("name", name).set("dtype", code(tensor.dtype)).set("shape", std::move(shape));
      list.push_back(entry.set("bytes", static_cast<std::uint64_t>(tensor.data.size())));
    }
    head.set(kTensors, std::move(list));
  }
  const std::string text = head.dump();
  const std::uint64_t length = text.size();
  std::size_t bytes = sizeof length + text.size();
  for (const auto& [name, tensor] : message.tensors) bytes += tensor.data.size();
  std::string out;
  out.reserve(bytes);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(text);
  for (const auto& [name, tensor] : message.tensors) {
    out.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  return out;
}

std::optional<Message> unpack(std::string_view text) {
  std::uint64_t length = 0;
  if (text.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, text.data(), sizeof length);
  text.remove_prefix(sizeof length);
  if (length > text.size()) return std::nullopt;
  auto head = parse_json(text.substr(0, length));
  if (!head) return std::nullopt;
  text.remove_prefix(length);
  Message out;
  out.head = std::move(head).value();
  const Json* list = out.head.find(kTensors);
  if (!list) return out;
  if (!list->as_array()) return std::nullopt;
  for (const Json& entry : *list->as_array()) {
    const Json* name = entry.find("name");
    const Json* dtype = entry.find("dtype");
    const Json* shape = entry.find("shape");
    const Json* bytes = entry.find("bytes");
    if (!name || !name->as_string() || !dtype || !dtype->as_string() || !shape || !shape->as_array() || !bytes ||
        !bytes->as_integer()) {
      return std::nullopt;
    }
    Tensor tensor;
    const auto parsed = parse_dtype(*dtype->as_string());
    const auto size = static_cast<std::uint64_t>(*bytes->as_integer());
    if (!parsed || size > text.size()) return std::nullopt;
    tensor.dtype = *parsed;
    for (const Json& extent : *shape->as_array()) {
      if (!extent.as_integer()) return std::nullopt;
      tensor.shape.push_back(*extent.as_integer());
    }
    tensor.data.resize(size);
    if (size > 0) std::memcpy(tensor.data.data(), text.data(), size);
    text.remove_prefix(size);
    out.tensors.emplace(*name->as_string(), std::move(tensor));
  }
  return out;
}

}  // namespace steptp
