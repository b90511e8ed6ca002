#include "steptp/recipe/measurements.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "steptp/base/text.h"

__asm__(
    ".section .rodata\n"
    "steptp_measurements_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/strategy_measurements.json\"\n"
    "steptp_measurements_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_measurements_begin[] __attribute__((visibility("hidden")));
extern const char steptp_measurements_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp {

namespace {

struct Count {
  std::string_view name;
  std::uint64_t JudgedSteps::*member;
};
constexpr std::array<Count, 6> kCounts = {{{"proved", &JudgedSteps::proved},
                                           {"exact", &JudgedSteps::exact},
                                           {"numeric", &JudgedSteps::numeric},
                                           {"undecided", &JudgedSteps::undecided},
                                           {"wrong", &JudgedSteps::wrong},
                                           {"unsafe", &JudgedSteps::unsafe}}};

Json names_json(const std::vector<std::string>& names) {
  Json::Array out;
  for (const std::string& name : names) out.emplace_back(name);
  return out;
}

std::optional<std::vector<std::string>> names_from(const Json* json) {
  if (!json || !json->as_array()) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& item : *json->as_array()) {
    if (!item.as_string()) return std::nullopt;
    out.push_back(*item.as_string());
  }
  return out;
}

std::optional<std::uint64_t> count_from(const Json* json) {
  if (!json || !json->as_integer() || *json->as_integer() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*json->as_integer());
}

std::optional<StrategyMeasurement> measurement_from(const Json& json) {
  const Json* name = json.find("name");
  auto types = names_from(json.find("types"));
  auto reached = names_from(json.find("reached"));
  const Json* median = json.find("choices_median");
  const Json* mean = json.find("choices_mean");
  const Json* judged = json.find("judged");
  if (!name || !name->as_string() || !types || !reached || !judged) return std::nullopt;
  if (!median || !median->is_number() || !mean || !mean->is_number()) return std::nullopt;
  StrategyMeasurement out{*name->as_string(), *std::move(types), *std::move(reached),
                          median->number(),   mean->number(),    {}};
  for (const Count& count : kCounts) {
    const auto number = count_from(judged->find(count.name));
    if (!number) return std::nullopt;
    out.judged.*count.member = *number;
  }
  return out;
}

}  // namespace

const StrategyMeasurement* StrategyMeasurements::find(std::string_view name) const {
  const auto found =
      std::find_if(strategies.begin(), strategies.end(), [&](const auto& entry) { return entry.name == name; });
  return found == strategies.end() ? nullptr : &*found;
}

std::string to_text(const StrategyMeasurements& measurements) {
  std::string out = concat("{\"seed\":", measurements.seed, ",\"programs\":", measurements.programs,
                           ",\n\"zoo\":", names_json(measurements.zoo).dump(), ",\n\"strategies\":[");
  std::string_view separator = "\n";
  for (const StrategyMeasurement& entry : measurements.strategies) {
    Json judged;
    for (const Count& count : kCounts) judged.set(count.name, entry.judged.*count.member);
    Json line;
    line.set("name", entry.name).set("types", names_json(entry.types)).set("reached", names_json(entry.reached));
    line.set("choices_median", entry.choices_median).set("choices_mean", entry.choices_mean);
    append(out, separator, line.set("judged", std::move(judged)).dump());
    separator = ",\n";
  }
  return out + "\n]}\n";
}

Result<StrategyMeasurements, std::string> measurements_from_text(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return concat("no JSON at byte ", json.error().offset, ": ", json.error().message);
  const auto seed = count_from(json->find("seed"));
  const auto programs = count_from(json->find("programs"));
  auto zoo = names_from(json->find("zoo"));
  const Json* strategies = json->find("strategies");
  if (!seed || !programs || !zoo || !strategies || !strategies->as_array()) {
    return std::string("\"seed\", \"programs\", \"zoo\" and \"strategies\" are wanted");
  }
  StrategyMeasurements out{*seed, *programs, *std::move(zoo), {}};
  for (const Json& line : *strategies->as_array()) {
    auto entry = measurement_from(line);
    if (!entry) return concat("strategy ", out.strategies.size() + 1, " of \"strategies\" lacks a key: ", line.dump());
    out.strategies.push_back(*std::move(entry));
  }
  return out;
}

const StrategyMeasurements& measured_strategies() {
  // A test reads the file that is carried, so that it can be read.
  static const StrategyMeasurements instance = [] {
    auto read = measurements_from_text(
        {steptp_measurements_begin, static_cast<std::size_t>(steptp_measurements_end - steptp_measurements_begin)});
    return read ? *std::move(read) : StrategyMeasurements{};
  }();
  return instance;
}

}  // namespace steptp
