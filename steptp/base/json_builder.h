#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/text.h"

namespace steptp {

/// A JSON value put together from what a parser meets, in order. The answers are those that nlohmann's parser wants:
/// false stops it, after the reason went to `message`.
class JsonBuilder {
 public:
  explicit JsonBuilder(std::size_t max_depth) : max_depth_(max_depth) {}

  bool add(Json value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (auto* array = std::get_if<Json::Array>(&open_.back().state_)) {
      array->push_back(std::move(value));
    } else {
      std::get<Json::Object>(open_.back().state_).emplace_back(std::move(keys_.back()), std::move(value));
      keys_.pop_back();
    }
    return true;
  }
  /// What the parser calls unsigned is a number without a sign; most of them fit in a signed one.
  bool add_natural(std::uint64_t value) {
    return value <= INT64_MAX ? add(Json(static_cast<std::int64_t>(value))) : add(Json(value));
  }
  /// An empty array or object, which what follows goes into until it is closed.
  bool open(Json container) {
    if (open_.size() == max_depth_) return fail(concat("nested deeper than ", max_depth_, " levels"));
    open_.push_back(std::move(container));
    seen_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    seen_.pop_back();
    return add(std::move(done));
  }
  bool key(std::string name) {
    if (is_taken(name)) {
      return fail(concat("the key ", quote_json(name), " occurs twice in one object"));
    }
    keys_.push_back(std::move(name));
    return true;
  }
  bool fail(std::string text) {
    if (message.empty()) message = std::move(text);
    return false;
  }

  /// The containers that are open, and the keys that wait for their values.
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

  Json root;
  std::string message;

 private:
  /// Small objects are searched; for large ones the keys are kept in a set as well, or reading them would take a time
  /// that grows with the square of their number.
  bool is_taken(const std::string& name) {
    constexpr std::size_t kSmall = 24;
    const auto& object = std::get<Json::Object>(open_.back().state_);
    if (object.size() < kSmall) return open_.back().find(name) != nullptr;
    std::unordered_set<std::string>& seen = seen_.back();
    if (seen.empty()) {
      for (const auto& [key, value] : object) seen.insert(key);
    }
    return !seen.insert(name).second;
  }

  std::size_t max_depth_;
  std::vector<Json> open_;
  std::vector<std::unordered_set<std::string>> seen_;  ///< of each open object, once it is large
  std::vector<std::string> keys_;
};

}  // namespace steptp
