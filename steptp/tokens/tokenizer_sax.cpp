#include "steptp/tokens/tokenizer_sax.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxDepth = 32;

class Reader {
 public:
  explicit Reader(TokenizerFile& file) : file_(file) {}

  bool null() { return place_ == Place::elsewhere ? add(Json()) : unexpected("null"); }
  bool boolean(bool value) { return place_ == Place::elsewhere ? add(Json(value)) : unexpected("a boolean"); }
  bool number_integer(std::int64_t value) {
    return place_ == Place::elsewhere ? add(Json(value)) : unexpected("a negative number");
  }
  bool number_unsigned(std::uint64_t value) {
    if (place_ == Place::vocab) {
      // The largest value is kept free to mean "no token".
      if (value >= UINT32_MAX) return fail(concat("model.vocab: the id ", value, " is too large"));
      file_.ids.push_back(static_cast<std::uint32_t>(value));
      return true;
    }
    if (place_ != Place::elsewhere) return unexpected("a number");
    return value <= INT64_MAX ? add(Json(static_cast<std::int64_t>(value))) : add(Json(value));
  }
  bool number_float(double value, const std::string&) {
    return place_ == Place::elsewhere ? add(Json(value)) : unexpected("a fraction");
  }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool string(std::string& value) {
    switch (place_) {
      case Place::elsewhere: return add(Json(std::move(value)));
      case Place::vocab: return unexpected("a string");
      case Place::merges: return add_spaced_merge(value);
      case Place::merge_pair:
        if (++halves_ > 2) return unexpected("more than two strings");
        file_.merges.add(value);
        return true;
    }
    return false;
  }

  bool key(std::string& name) {
    if (place_ == Place::vocab) {
      file_.tokens.add(name);
      return true;
    }
    if (open_.back().find(name) != nullptr) {
      return fail(concat("the key ", quote_json(name), " occurs twice in one object"));
    }
    keys_.push_back(std::move(name));
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ != Place::elsewhere) return unexpected("an object");
    if (in_model("vocab")) {
      place_ = Place::vocab;
      return true;
    }
    return open(Json(Json::Object()));
  }
  bool end_object() {
    if (place_ == Place::vocab) {
      place_ = Place::elsewhere;
      return add(Json(Json::Object()));
    }
    return close();
  }
  bool start_array(std::size_t) {
    if (place_ == Place::merges) {
      place_ = Place::merge_pair;
      halves_ = 0;
      return true;
    }
    if (place_ != Place::elsewhere) return unexpected("an array");
    if (in_model("merges")) {
      place_ = Place::merges;
      return true;
    }
    return open(Json(Json::Array()));
  }
  bool end_array() {
    if (place_ == Place::merge_pair) {
      if (halves_ != 2) return unexpected("fewer than two strings");
      place_ = Place::merges;
      return true;
    }
    if (place_ == Place::merges) {
      place_ = Place::elsewhere;
      return add(Json(Json::Array()));
    }
    return close();
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    std::string what = error.what();
    if (const std::size_t at = what.find(": "); at != std::string::npos) what = what.substr(at + 2);
    return fail(concat("not JSON at byte ", position > 0 ? position - 1 : 0, ": ", what));
  }

  Json root;
  std::string message;

 private:
  enum class Place : std::uint8_t { elsewhere, vocab, merges, merge_pair };

  bool fail(std::string text) {
    if (message.empty()) message = std::move(text);
    return false;
  }
  bool unexpected(std::string_view what) {
    if (place_ == Place::vocab) {
      const std::string_view token = file_.tokens.size() == 0 ? "" : file_.tokens[file_.tokens.size() - 1];
      return fail(concat("model.vocab: expected an id for ", quote_json(token), ", found ", what));
    }
    return fail(concat("model.merges: expected entry ", file_.merges.size() / 2,
                       " to be a string \"left right\" or two strings, found ", what));
  }
  /// The older spelling: neither half can hold a blank, which byte-level tokens write as another letter.
  bool add_spaced_merge(std::string_view text) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos) {
      return fail(concat("model.merges: entry ", file_.merges.size() / 2, ", ", quote_json(text),
                         ", does not have two parts with one blank between them"));
    }
    file_.merges.add(text.substr(0, blank));
    file_.merges.add(text.substr(blank + 1));
    return true;
  }
  [[nodiscard]] bool in_model(std::string_view name) const {
    return open_.size() == 2 && keys_.size() == 2 && keys_[0] == "model" && keys_[1] == name;
  }
  bool open(Json container) {
    if (open_.size() == kMaxDepth) return fail(concat("nested deeper than ", kMaxDepth, " levels"));
    open_.push_back(std::move(container));
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().as_array() != nullptr) {
      open_.back().push(std::move(value));
    } else {
      open_.back().set(keys_.back(), std::move(value));
      keys_.pop_back();
    }
    return true;
  }

  TokenizerFile& file_;
  Place place_ = Place::elsewhere;
  int halves_ = 0;
  std::vector<Json> open_;
  std::vector<std::string> keys_;
};

}  // namespace

Result<Json, Diagnostic> read_tokenizer_json(std::string_view text, TokenizerFile& file) {
  Reader reader(file);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return std::move(reader.root);
  return make_error("tokenizer", reader.message.empty() ? "not a JSON value" : reader.message);
}

}  // namespace steptp
