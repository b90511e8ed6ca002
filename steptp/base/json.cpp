#include "steptp/base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "steptp/base/json_builder.h"
#include "steptp/base/text.h"
#include "steptp/base/utf8.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxDepth = 200;  // nothing we read is deeper, and destructors recurse

/// Bytes that are no UTF-8 (a message may quote any input) become U+FFFD, so that what we print is always JSON.
bool needs_no_escape(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const auto* end = std::find_if_not(text.begin(), text.end(), needs_no_escape);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (length == 0) {
          out += "\\ufffd";
        } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
          append(out, "\\u00", kHex[(c >> 4) & 0xf], kHex[c & 0xf]);
        } else {
          out += text.substr(0, length);
        }
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    append_quoted(out, std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
  if (value == 0 && std::signbit(value)) out += ".0";  // -0 alone would be read back as an integer, without its sign
}

}  // namespace

namespace {

/// Receives nlohmann's parser events; its parser does not recurse, so hostile nesting ends in a message.
class JsonEvents {
 public:
  bool null() { return tree.add(Json()); }
  bool boolean(bool value) { return tree.add(Json(value)); }
  bool number_integer(std::int64_t value) { return tree.add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return tree.add_natural(value); }
  bool number_float(double value, const std::string&) { return tree.add(Json(value)); }
  bool string(std::string& value) { return tree.add(Json(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return tree.open(Json(Json::Object())); }
  bool start_array(std::size_t) { return tree.open(Json(Json::Array())); }
  bool end_object() { return tree.close(); }
  bool end_array() { return tree.close(); }
  bool key(std::string& name) { return tree.key(std::move(name)); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    offset = position > 0 ? position - 1 : 0;
    return tree.fail(error.what());
  }

  JsonBuilder tree{kMaxDepth};
  std::size_t offset = 0;
};

}  // namespace

Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json::Json(std::string value) : state_(std::move(value)) {}
Json::Json(std::string_view value) : state_(std::string(value)) {}
Json::Json(const char* value) : state_(std::string(value)) {}
Json::Json(Array value) : state_(std::move(value)) {}
Json::Json(Object value) : state_(std::move(value)) {}

double Json::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&state_)) return static_cast<double>(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&state_)) return static_cast<double>(*natural);
  return std::get<double>(state_);
}

const Json* Json::find(std::string_view key) const {
  if (const Object* object = as_object()) {
    for (const auto& [name, value] : *object) {
      if (name == key) return &value;
    }
  }
  return nullptr;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) state_ = Object();
  std::get<Object>(state_).emplace_back(std::string(key), std::move(value));
  return *this;
}

void Json::push(Json value) {
  if (is_null()) state_ = Array();
  std::get<Array>(state_).push_back(std::move(value));
}

std::string_view Json::kind_name() const {
  static constexpr std::string_view kNames[] = {"null",     "a boolean", "an integer", "an integer",
                                                "a number", "a string",  "an array",   "an object"};
  return kNames[state_.index()];
}

std::string Json::dump() const {
  struct Writer {
    std::string out;
    void operator()(std::monostate) { out += "null"; }
    void operator()(bool value) { out += value ? "true" : "false"; }
    void operator()(std::int64_t value) { append(out, value); }
    void operator()(std::uint64_t value) { append(out, value); }
    void operator()(double value) { append_number(out, value); }
    void operator()(const std::string& value) { append_quoted(out, value); }
    void operator()(const Array& array) {
      out += '[';
      for (const Json& item : array) {
        if (&item != array.data()) out += ',';
        std::visit(*this, item.state_);
      }
      out += ']';
    }
    void operator()(const Object& object) {
      out += '{';
      for (const auto& [key, value] : object) {
        if (&key != &object.front().first) out += ',';
        append_quoted(out, key);
        out += ':';
        std::visit(*this, value.state_);
      }
      out += '}';
    }
  };
  Writer writer;
  std::visit(writer, state_);
  return std::move(writer.out);
}

Result<Json, JsonError> parse_json(std::string_view text) {
  JsonEvents events;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &events)) return std::move(events.tree.root);
  // The library's message repeats the position and its own name; keep the part that says what is wrong.
  std::string message = events.tree.message;
  if (const std::size_t at = message.find(": "); message.starts_with("[json") && at != std::string::npos) {
    message = message.substr(at + 2);
  }
  return JsonError{message.empty() ? "not a JSON value" : message, static_cast<std::uint32_t>(events.offset)};
}

std::string quote_json(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace steptp
