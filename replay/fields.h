#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"

namespace steptp::replayer {

/// What is wrong with the file, in a sentence.
struct BadFile {
  std::string message;
};

// Fields of an object; each throws BadFile where a field is missing, or of another kind.

/// The object has these fields, each once, and no others.
void only(const Json& object, std::string_view what, std::initializer_list<std::string_view> keys);
[[nodiscard]] const Json& need(const Json& object, std::string_view key);
[[nodiscard]] std::string text_of(const Json& object, std::string_view key);
/// One of these words.
[[nodiscard]] std::string word_of(const Json& object, std::string_view key,
                                  std::initializer_list<std::string_view> words);
[[nodiscard]] bool truth_of(const Json& object, std::string_view key);
[[nodiscard]] std::int64_t integer_of(const Json& object, std::string_view key);
[[nodiscard]] double number_of(const Json& object, std::string_view key);
/// An unsigned number, also one of 64 bits.
[[nodiscard]] std::uint64_t natural_of(const Json& object, std::string_view key);
[[nodiscard]] const Json::Array& array_of(const Json& object, std::string_view key);
[[nodiscard]] const Json::Object& object_of(const Json& object, std::string_view key);
/// A shape or an index.
[[nodiscard]] std::vector<std::int64_t> integers_of(const Json& object, std::string_view key);

}  // namespace steptp::replayer
