#include "replay/fields.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "replay/form.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

void only(const Json& object, std::string_view what, std::initializer_list<std::string_view> keys) {
  const Json::Object* fields = object.as_object();
  if (!fields) throw BadFile{concat(what, " is not an object")};
  std::set<std::string_view> met;
  for (const auto& [key, value] : *fields) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw BadFile{concat(what, " has a field \"", key, "\", which does not belong there")};
    }
    if (!met.insert(key).second) throw BadFile{concat(what, " has the field \"", key, "\" twice")};
  }
}

const Json& need(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  if (!found) throw BadFile{concat("there is no \"", key, "\"")};
  return *found;
}
std::string text_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_string()) throw BadFile{concat("\"", key, "\" is not a string")};
  return *found.as_string();
}
std::string word_of(const Json& object, std::string_view key, std::initializer_list<std::string_view> words) {
  std::string found = text_of(object, key);
  if (std::find(words.begin(), words.end(), found) == words.end()) {
    throw BadFile{concat("\"", key, "\" has an unknown word '", found, "'")};
  }
  return found;
}
bool truth_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_bool()) throw BadFile{concat("\"", key, "\" is not true or false")};
  return *found.as_bool();
}
std::int64_t integer_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_integer()) throw BadFile{concat("\"", key, "\" is not an integer")};
  return *found.as_integer();
}
double number_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.is_number()) throw BadFile{concat("\"", key, "\" is not a number")};
  return found.number();
}
std::uint64_t natural_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  const std::string digits = found.as_string() ? *found.as_string() : found.dump();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw BadFile{concat("\"", key, "\" is not a number")};
  }
  return value;
}
const Json::Array& array_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_array()) throw BadFile{concat("\"", key, "\" is not a list")};
  return *found.as_array();
}
const Json::Object& object_of(const Json& object, std::string_view key) {
  const Json& found = need(object, key);
  if (!found.as_object()) throw BadFile{concat("\"", key, "\" is not an object")};
  return *found.as_object();
}
std::vector<std::int64_t> integers_of(const Json& object, std::string_view key) {
  std::vector<std::int64_t> out;
  for (const Json& item : array_of(object, key)) {
    if (!item.as_integer()) throw BadFile{concat("\"", key, "\" holds something else than integers")};
    out.push_back(*item.as_integer());
  }
  if (out.size() > kMostDimensions) throw BadFile{concat("\"", key, "\" is too long")};
  return out;
}

}  // namespace steptp::replayer
