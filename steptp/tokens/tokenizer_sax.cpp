#include "steptp/tokens/tokenizer_sax.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "steptp/base/json_builder.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxDepth = 32;

class Reader {
 public:
  explicit Reader(TokenizerFile& file) : file_(file) {}

  bool null() { return place_ == Place::elsewhere ? tree_.add(Json()) : unexpected("null"); }
  bool boolean(bool value) { return place_ == Place::elsewhere ? tree_.add(Json(value)) : unexpected("a boolean"); }
  bool number_integer(std::int64_t value) {
    return place_ == Place::elsewhere ? tree_.add(Json(value)) : unexpected("a negative number");
  }
  bool number_unsigned(std::uint64_t value) {
    if (place_ == Place::vocab) {
      // The largest value is kept free to mean "no token".
      if (value >= UINT32_MAX) return tree_.fail(concat("model.vocab: the id ", value, " is too large"));
      file_.ids.push_back(static_cast<std::uint32_t>(value));
      return true;
    }
    if (place_ != Place::elsewhere) return unexpected("a number");
    return tree_.add_natural(value);
  }
  bool number_float(double value, const std::string&) {
    return place_ == Place::elsewhere ? tree_.add(Json(value)) : unexpected("a fraction");
  }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool string(std::string& value) {
    switch (place_) {
      case Place::elsewhere: return tree_.add(Json(std::move(value)));
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
    return tree_.key(std::move(name));
  }

  bool start_object(std::size_t) {
    if (place_ != Place::elsewhere) return unexpected("an object");
    if (in_model("vocab")) {
      place_ = Place::vocab;
      return true;
    }
    return tree_.open(Json(Json::Object()));
  }
  bool end_object() {
    if (place_ == Place::vocab) {
      place_ = Place::elsewhere;
      return tree_.add(Json(Json::Object()));
    }
    return tree_.close();
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
    return tree_.open(Json(Json::Array()));
  }
  bool end_array() {
    if (place_ == Place::merge_pair) {
      if (halves_ != 2) return unexpected("fewer than two strings");
      place_ = Place::merges;
      return true;
    }
    if (place_ == Place::merges) {
      place_ = Place::elsewhere;
      return tree_.add(Json(Json::Array()));
    }
    return tree_.close();
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    std::string what = error.what();
    if (const std::size_t at = what.find(": "); at != std::string::npos) what = what.substr(at + 2);
    return tree_.fail(concat("not JSON at byte ", position > 0 ? position - 1 : 0, ": ", what));
  }

  Result<Json, Diagnostic> result(bool good) {
    if (good) return std::move(tree_.root);
    return make_error("tokenizer", tree_.message.empty() ? "not a JSON value" : tree_.message);
  }

 private:
  enum class Place : std::uint8_t { elsewhere, vocab, merges, merge_pair };

  bool unexpected(std::string_view what) {
    if (place_ == Place::vocab) {
      const std::string_view token = file_.tokens.size() == 0 ? "" : file_.tokens[file_.tokens.size() - 1];
      return tree_.fail(concat("model.vocab: expected an id for ", quote_json(token), ", found ", what));
    }
    return tree_.fail(concat("model.merges: expected entry ", file_.merges.size() / 2,
                             " to be a string \"left right\" or two strings, found ", what));
  }
  /// The older spelling: neither half can hold a blank, which byte-level tokens write as another letter.
  bool add_spaced_merge(std::string_view text) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos) {
      return tree_.fail(concat("model.merges: entry ", file_.merges.size() / 2, ", ", quote_json(text),
                               ", does not have two parts with one blank between them"));
    }
    file_.merges.add(text.substr(0, blank));
    file_.merges.add(text.substr(blank + 1));
    return true;
  }
  [[nodiscard]] bool in_model(std::string_view name) const {
    const std::vector<std::string>& keys = tree_.keys();
    return tree_.depth() == 2 && keys.size() == 2 && keys[0] == "model" && keys[1] == name;
  }
  TokenizerFile& file_;
  Place place_ = Place::elsewhere;
  int halves_ = 0;
  JsonBuilder tree_{kMaxDepth};
};

}  // namespace

Result<Json, Diagnostic> read_tokenizer_json(std::string_view text, TokenizerFile& file) {
  Reader reader(file);
  return reader.result(nlohmann::json::sax_parse(text.begin(), text.end(), &reader));
}

}  // namespace steptp
