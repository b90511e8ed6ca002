#include "steptp/tokens/tokenizer_file.h"

#include <optional>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/tokens/tokenizer_sax.h"

namespace steptp {

namespace {

/// Reads members of one object; the first thing wrong is kept, and later calls give defaults.
class Members {
 public:
  Members(const Json& object, std::string path, std::optional<Diagnostic>& error)
      : object_(object), path_(std::move(path)), error_(error) {
    if (object_.as_object() == nullptr) wrong(path_, "an object", object_);
  }

  [[nodiscard]] bool has(std::string_view name) const {
    const Json* value = object_.find(name);
    return value != nullptr && !value->is_null();
  }
  bool flag(std::string_view name, bool absent) {
    if (!has(name)) return absent;
    const bool* value = object_.find(name)->as_bool();
    if (value == nullptr) wrong(at(name), "true or false", *object_.find(name));
    return value != nullptr && *value;
  }
  std::string text(std::string_view name) {
    if (!has(name)) return {};
    const std::string* value = object_.find(name)->as_string();
    if (value == nullptr) wrong(at(name), "a string", *object_.find(name));
    return value != nullptr ? *value : std::string();
  }
  void require(std::string_view name) {
    if (!has(name)) fail("tokenizer", concat(at(name), " is missing"));
  }
  /// Refuses the file unless the condition holds.
  void support(bool condition, std::string_view name, std::string_view wanted) {
    if (condition) return;
    const Json* value = object_.find(name);
    fail("tokenizer", concat(at(name), " is ", value != nullptr ? shortened(value->dump()) : "absent", ", but only ",
                             wanted, " is supported"));
  }
  [[nodiscard]] std::string at(std::string_view name) const {
    return path_.empty() ? std::string(name) : concat(path_, ".", name);
  }
  [[nodiscard]] Members child(std::string_view name) {
    static const Json kNothing;
    const Json* value = object_.find(name);
    return Members(value != nullptr ? *value : kNothing, at(name), error_);
  }
  [[nodiscard]] const Json* find(std::string_view name) const { return object_.find(name); }
  void wrong(std::string_view place, std::string_view wanted, const Json& found) {
    fail("tokenizer", concat(place, ": expected ", wanted, ", found ", found.kind_name()));
  }
  void fail(std::string_view id, std::string message) {
    if (!error_) error_ = make_error(id, std::move(message));
  }

 private:
  static std::string shortened(std::string text) {
    constexpr std::size_t kShown = 300;
    if (text.size() > kShown) text = text.substr(0, kShown) + "...";
    return text;
  }
  const Json& object_;
  std::string path_;
  std::optional<Diagnostic>& error_;
};

void read_normalizer(Members& root, TokenizerFile& file) {
  if (!root.has("normalizer")) return;
  Members normalizer = root.child("normalizer");
  normalizer.support(normalizer.text("type") == "NFC", "type", "NFC (or no normalizer)");
  file.nfc = true;
}

void check_decoder(Members& root) {
  if (!root.has("decoder")) return;
  Members decoder = root.child("decoder");
  decoder.support(decoder.text("type") == "ByteLevel", "type", "ByteLevel");
}

void read_split(Members split, TokenizerFile& file) {
  split.support(split.text("type") == "Split", "type", "Split");
  split.support(split.text("behavior") == "Isolated", "behavior", "Isolated");
  split.support(!split.flag("invert", false), "invert", "false");
  Members pattern = split.child("pattern");
  pattern.require("Regex");
  const std::string text = pattern.text("Regex");
  const std::optional<SplitRule> rule = known_split_rule(text);
  if (rule) {
    file.split = *rule;
  } else {
    pattern.fail("tokenizer", concat(pattern.at("Regex"), " is a pattern that is not supported: ", text));
  }
}

void read_byte_level(Members level) {
  level.support(level.text("type") == "ByteLevel", "type", "ByteLevel");
  // Both are true where the file does not say.
  level.support(!level.flag("add_prefix_space", true), "add_prefix_space", "false");
  level.support(!level.flag("use_regex", true), "use_regex", "false");
}

void read_pre_tokenizer(Members& root, std::optional<Diagnostic>& error, TokenizerFile& file) {
  Members sequence = root.child("pre_tokenizer");
  sequence.support(sequence.text("type") == "Sequence", "type", "a Sequence of Split and ByteLevel");
  const Json* parts = sequence.find("pretokenizers");
  const Json::Array* array = parts != nullptr ? parts->as_array() : nullptr;
  sequence.support(array != nullptr && array->size() == 2, "pretokenizers", "a Split followed by a ByteLevel");
  if (error) return;
  read_split(Members((*array)[0], sequence.at("pretokenizers[0]"), error), file);
  read_byte_level(Members((*array)[1], sequence.at("pretokenizers[1]"), error));
}

void read_model(Members model, TokenizerFile& file) {
  model.support(!model.has("type") || model.text("type") == "BPE", "type", "BPE");
  model.support(!model.has("dropout"), "dropout", "null");
  model.support(model.text("continuing_subword_prefix").empty(), "continuing_subword_prefix", "an empty one");
  model.support(model.text("end_of_word_suffix").empty(), "end_of_word_suffix", "an empty one");
  model.support(!model.flag("byte_fallback", false), "byte_fallback", "false");
  file.unknown_token = model.text("unk_token");
  file.fuse_unknown = model.flag("fuse_unk", false);
  file.ignore_merges = model.flag("ignore_merges", false);
  for (const std::string_view name : {"vocab", "merges"}) model.require(name);
  if (const Json* vocab = model.find("vocab"); vocab != nullptr && vocab->as_object() == nullptr) {
    model.wrong(model.at("vocab"), "an object", *vocab);
  }
  if (const Json* merges = model.find("merges"); merges != nullptr && merges->as_array() == nullptr) {
    model.wrong(model.at("merges"), "an array", *merges);
  }
}

void read_added_tokens(Members& root, std::optional<Diagnostic>& error, TokenizerFile& file) {
  if (!root.has("added_tokens")) return;
  const Json& tokens = *root.find("added_tokens");
  if (tokens.as_array() == nullptr) {
    root.wrong("added_tokens", "an array", tokens);
    return;
  }
  for (const Json& item : *tokens.as_array()) {
    Members token(item, concat("added_tokens[", file.added.size(), "]"), error);
    token.require("id");
    token.require("content");
    AddedToken added;
    added.content = token.text("content");
    if (added.content.empty()) token.fail("tokenizer", concat(token.at("content"), " is empty"));
    added.single_word = token.flag("single_word", false);
    added.lstrip = token.flag("lstrip", false);
    added.rstrip = token.flag("rstrip", false);
    added.special = token.flag("special", false);
    added.normalized = token.flag("normalized", !added.special);
    if (error) return;
    const std::int64_t* id = token.find("id")->as_integer();
    if (id == nullptr || *id < 0 || *id >= INT64_C(0xffffffff)) {
      token.fail("tokenizer", concat(token.at("id"), " is not an id: ", token.find("id")->dump()));
      return;
    }
    added.id = static_cast<std::uint32_t>(*id);
    file.added.push_back(std::move(added));
  }
}

}  // namespace

Result<TokenizerFile, Diagnostic> parse_tokenizer_file(std::string_view json) {
  TokenizerFile file;
  auto tree = read_tokenizer_json(json, file);
  if (!tree) return std::move(tree).error();
  std::optional<Diagnostic> error;
  Members root(*tree, "", error);
  if (tree->as_object() == nullptr) return make_error("tokenizer", "expected one object in the file");
  // Truncation and padding would change what the Python package answers.
  root.support(!root.has("truncation"), "truncation", "null");
  root.support(!root.has("padding"), "padding", "null");
  root.require("model");
  root.require("pre_tokenizer");
  if (error) return *std::move(error);
  read_normalizer(root, file);
  if (!error) check_decoder(root);
  if (!error) read_pre_tokenizer(root, error, file);
  if (!error) read_model(root.child("model"), file);
  if (!error) read_added_tokens(root, error, file);
  if (error) return *std::move(error);
  return file;
}

}  // namespace steptp
