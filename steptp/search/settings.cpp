#include "steptp/search/settings.h"

#include <utility>

#include "steptp/base/text.h"

namespace steptp::search {

namespace {

/// Reads keys one by one and keeps the first complaint.
class KeyReader {
 public:
  explicit KeyReader(const Json& json) : json_(json) {}

  template <class Enum>
  void word(std::string_view key, Enum& out) {
    const std::string* text = text_at(key);
    const auto value = text ? read_word<Enum>(*text) : std::nullopt;
    if (value)
      out = *value;
    else
      complain(key, concat("is to be one of ", list_of_words<Enum>()));
  }
  void text(std::string_view key, std::string& out) {
    if (const std::string* value = text_at(key))
      out = *value;
    else
      complain(key, "is to be a text");
  }
  void flag(std::string_view key, bool& out) {
    const Json* value = json_.find(key);
    if (value && value->as_bool())
      out = *value->as_bool();
    else
      complain(key, "is to be true or false");
  }
  template <class Integer>
  void count(std::string_view key, Integer& out) {
    const Json* value = json_.find(key);
    if (value && value->as_integer() && *value->as_integer() >= 0)
      out = static_cast<Integer>(*value->as_integer());
    else
      complain(key, "is to be a count");
  }
  void number(std::string_view key, double& out) {
    const Json* value = json_.find(key);
    if (value && value->is_number())
      out = value->number();
    else
      complain(key, "is to be a number");
  }
  void complain(std::string_view key, std::string what) {
    if (problem.empty()) problem = concat("\"", key, "\" ", what);
  }

  std::string problem;

 private:
  [[nodiscard]] const std::string* text_at(std::string_view key) const {
    const Json* value = json_.find(key);
    return value ? value->as_string() : nullptr;
  }
  const Json& json_;
};

}  // namespace

Json identity_of(const SearchSettings& settings) {
  Json out;
  out.set("algorithm", word_of(settings.algorithm)).set("published", settings.published);
  out.set("proposer", word_of(settings.proposer)).set("proposer_source", settings.proposer_source);
  out.set("device", word_of(settings.device)).set("recording", settings.recording);
  out.set("rates", steptp::to_json(settings.rates)).set("seed", settings.seed).set("warm", settings.warm);
  out.set("uses_cost_model", settings.uses_cost_model).set("claims", settings.claims);
  out.set("judge_seconds", settings.judge_seconds).set("model", to_json(settings.model));
  return out.set("with_clock", settings.with_clock);
}

Json to_json(const SearchSettings& settings) {
  Json out = identity_of(settings);
  out.set("samples", settings.budget.samples).set("device_seconds", settings.budget.device_seconds);
  return out.set("tokens", settings.budget.tokens);
}

Result<SearchSettings, std::string> settings_from_json(const Json& json) {
  SearchSettings out;
  KeyReader reader(json);
  reader.word("algorithm", out.algorithm);
  reader.flag("published", out.published);
  reader.word("proposer", out.proposer);
  reader.text("proposer_source", out.proposer_source);
  reader.word("device", out.device);
  reader.text("recording", out.recording);
  reader.count("seed", out.seed);
  reader.flag("warm", out.warm);
  reader.flag("uses_cost_model", out.uses_cost_model);
  reader.text("claims", out.claims);
  reader.number("judge_seconds", out.judge_seconds);
  reader.flag("with_clock", out.with_clock);
  reader.count("samples", out.budget.samples);
  reader.number("device_seconds", out.budget.device_seconds);
  reader.count("tokens", out.budget.tokens);
  const Json* rates = json.find("rates");
  auto read = rates ? rates_of_json(*rates) : Result<DeviceRates, std::string>(std::string("they are missing"));
  if (!read) reader.complain("rates", concat("cannot be read: ", read.error()));
  const Json* model = json.find("model");
  auto asked = model ? model_from_json(*model) : Result<ModelSettings, std::string>(std::string("it is missing"));
  if (!asked) reader.complain("model", concat("cannot be read: ", asked.error()));
  if (!reader.problem.empty()) return reader.problem;
  out.rates = std::move(read).value();
  out.model = std::move(asked).value();
  return out;
}

Result<bool, std::string> take_device(const std::string& words, const std::string& target, SearchSettings& out) {
  const std::size_t colon = words.find(':');
  const std::string word = words.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : words.substr(colon + 1);
  const auto device = read_word<DeviceWord>(word);
  if (!device) {
    const std::string table = concat("analytic:", find_rates(words) ? words : "NAME");
    return concat("there is no device '", words, "' for a search; there are cpu, cuda, analytic, ", table, " and ",
                  "recorded:FILE");
  }
  const bool is_measured = *device == DeviceWord::cpu || *device == DeviceWord::cuda;
  if (is_measured && !rest.empty()) return concat("nothing can stand behind ", word, ":");
  if (*device == DeviceWord::recorded && rest.empty()) return std::string("recorded: wants a file, recorded:FILE");
  out.device = *device;
  out.recording = *device == DeviceWord::recorded ? rest : "";
  std::string name = target;
  if (*device == DeviceWord::analytic && !rest.empty()) name = rest;
  if (name.empty()) name = *device == DeviceWord::cuda ? "cuda" : "cpu";
  auto rates = find_rates(name);
  if (!rates) return rates.error();
  if (is_measured && rates->is_gpu() != (*device == DeviceWord::cuda))
    return concat("plans for ", name, " cannot be measured on ", word);
  out.rates = std::move(rates).value();
  return true;
}

std::string device_words(const SearchSettings& settings) {
  const std::string word(word_of(settings.device));
  if (settings.device == DeviceWord::analytic) return concat(word, ":", settings.rates.name);
  if (settings.device == DeviceWord::recorded) return concat(word, ":", settings.recording);
  return word;
}

}  // namespace steptp::search
