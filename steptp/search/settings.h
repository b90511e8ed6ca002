#pragma once

// What a user asks of a search, as data: it is kept beside the journals, so that a search goes on as it began.

#include <cstdint>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/estimate/rates.h"
#include "steptp/search/model_proposer.h"
#include "steptp/search/search.h"

namespace steptp::search {

enum class ProposerKind : std::uint8_t { rules, random, random_atomic, rules_atomic, tlm, replay, model, command };
enum class DeviceWord : std::uint8_t { analytic, recorded, cpu, cuda };

struct SearchSettings {
  Algorithm algorithm = Algorithm::mcts;
  bool published = false;
  ProposerKind proposer = ProposerKind::rules;
  std::string proposer_source;  ///< replay: a journal; tlm: weights; command: a shell command that speaks JSON lines
  DeviceWord device = DeviceWord::analytic;
  std::string recording;  ///< of a recorded device: its file
  DeviceRates rates;      ///< what plans are made for and estimates come from
  std::uint64_t seed = 1;
  Budget budget;
  bool warm = false;
  bool uses_cost_model = true;  ///< the one that is shipped for the target; false: the analytic model alone
  std::string claims;  ///< SHA-256 of the file that said beforehand what the search is to show; empty: there is none
  bool with_clock = false;
  double judge_seconds = 15;
  ModelSettings model;
};

[[nodiscard]] Json to_json(const SearchSettings& settings);
[[nodiscard]] Result<SearchSettings, std::string> settings_from_json(const Json& json);
/// The part that has to be the same for a search to go on: all but its budget.
[[nodiscard]] Json identity_of(const SearchSettings& settings);

/// `cpu`, `cuda`, `analytic`, `analytic:NAME`, `recorded:FILE`, with the device of the table that plans are made for:
/// `target`, or empty for this machine. The text says what to do about a device that is not there.
[[nodiscard]] Result<bool, std::string> take_device(const std::string& words, const std::string& target,
                                                    SearchSettings& out);
[[nodiscard]] std::string device_words(const SearchSettings& settings);

}  // namespace steptp::search

namespace steptp {

template <>
inline constexpr auto kWords<search::ProposerKind> = std::to_array<std::string_view>(
    {"rules", "random", "random-atomic", "rules-atomic", "tlm", "replay", "model", "command"});
template <>
inline constexpr auto kWords<search::DeviceWord> = std::to_array<std::string_view>({"analytic", "recorded", "cpu",
                                                                                    "cuda"});

}  // namespace steptp
