#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// A JSON value. Objects keep the order of their keys, so that what we print has the order in which it was built.
/// Integers stay exact integers.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  // Out of line, because copies of a variant of eight are long, and most files have some.
  Json();
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  Json(std::nullptr_t) : Json() {}
  Json(bool value) : state_(value) {}
  Json(int value) : state_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : state_(value) {}
  Json(std::uint64_t value) : state_(value) {}
  Json(std::uint32_t value) : state_(static_cast<std::int64_t>(value)) {}
  Json(double value) : state_(value) {}
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  Json(Array value);
  Json(Object value);

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(state_); }
  [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&state_); }
  /// The integer, where the value is one that fits; a number written with a point or an exponent is not an integer.
  [[nodiscard]] const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&state_); }
  [[nodiscard]] bool is_number() const { return state_.index() >= 2 && state_.index() <= 4; }
  [[nodiscard]] double number() const;
  [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&state_); }
  [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&state_); }
  [[nodiscard]] const Object* as_object() const { return std::get_if<Object>(&state_); }

  /// The value of a key of an object; null where this is no object or has no such key.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// Appends a key to an object (a null value becomes an object first).
  Json& set(std::string_view key, Json value);
  void push(Json value);

  /// "a string", "an array", ...: for messages.
  [[nodiscard]] std::string_view kind_name() const;

  /// Compact text, keys in order, doubles in their shortest form; non-finite numbers are written as strings.
  [[nodiscard]] std::string dump() const;

 private:
  friend class JsonBuilder;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> state_;
};

/// Reads one JSON text. The error has the id `json`, and its place is the offset of the offending byte in `text`.
struct JsonError {
  std::string message;
  std::uint32_t offset = 0;
};
[[nodiscard]] Result<Json, JsonError> parse_json(std::string_view text);

/// A string as JSON, with its quotes.
[[nodiscard]] std::string quote_json(std::string_view text);

}  // namespace steptp
