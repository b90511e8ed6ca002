#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/verify/verify.h"

namespace steptp {

/// What an answer is worth, from 0 to 1. Of a question for several programs, the share of those asked for; of an answer
/// with more, the first ones count.
enum class Reward : std::uint8_t {
  format,     ///< the answer is in the form that the question asks for, word for word
  different,  ///< reads, and is another program, up to renaming
  /// Different, and equal: proved or exact, without numbers where the question's program has none at any input.
  /// Repeating the question earns nothing, nor does `numeric`; whether it is safe is not asked.
  equal,
  safe,              ///< equal in this sense, and shown safe by proof or search; what is not known earns nothing
  strategy_matches,  ///< different, and the strategies named lead from the program of the question to it
  /// Safe in this sense, and what one choice of the one strategy named makes, and nothing beside it (the written form,
  /// ir/forms.h); the choice is worth showing (reasoning/worth_showing.h): what is to be learned, and nothing cheaper.
  step,
  /// Safe, fit for the device, and expected to be faster on it by more than the model can be wrong in: the share of the
  /// expected time that is saved.
  faster,
};
[[nodiscard]] std::optional<Reward> parse_reward(std::string_view name);

struct RewardRequest {
  std::string before;  ///< a .leir text with its signature lines, or a JSON record
  std::string answer;  ///< what the model said
  int programs = 1;    ///< asked for
};

struct RewardOptions {
  std::vector<std::string> judge_command;  ///< of `ApartOptions`
  double seconds = 10;                     ///< for one answer; what is not known by then earns nothing
  /// Of the draws, beside question and answer: an answer is worth the same however often it is given.
  std::optional<std::uint64_t> seed;
  std::uint64_t budget = VerifyOptions().budget;
  std::string device = "nvidia-h200";  ///< of `faster`: a name of the table of devices
};

/// Never throws; whatever is wrong earns 0. `problem` is about us or the row of the dataset, and not about the answer.
struct Rewarded {
  double value = 0;
  std::string problem;
};
[[nodiscard]] Rewarded reward_of(Reward reward, const RewardRequest& request, const RewardOptions& options);

}  // namespace steptp
