#pragma once

// Rows of the tables, made from the texts of entries.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/exports/chat_tokens.h"
#include "steptp/exports/near_miss.h"
#include "steptp/exports/record_texts.h"
#include "steptp/exports/tables.h"
#include "steptp/exports/trajectory.h"

namespace steptp::dataset {

/// A question and its answer, with all that rows say about them.
struct Exchange {
  std::string id;
  Language language = Language::leir;
  std::vector<const EntryTexts*> entries;
  std::string prompt;
  std::string completion;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;

  [[nodiscard]] std::int64_t tokens() const { return prompt_tokens + completion_tokens; }
  /// Of its answers, on average.
  [[nodiscard]] double useful() const;
};

/// One entry asks for a single answer, several for a list. All start from one program.
[[nodiscard]] Exchange make_exchange(const RecordTexts& texts, std::vector<const EntryTexts*> entries,
                                     Language language, bool with_reasoning, ChatTokens& tokens);

[[nodiscard]] Json archive_row(const RecordTexts& texts, const EntryTexts& entry);
[[nodiscard]] Json chat_row(const RecordTexts& texts, const Exchange& exchange);
[[nodiscard]] Json sft_row(const RecordTexts& texts, const Exchange& exchange);
[[nodiscard]] Json rl_row(const RecordTexts& texts, ChatTokens& tokens);

/// An exchange with a wrong answer beside the right one.
struct WrongAnswer {
  const NearMiss* miss = nullptr;
  std::string completion;
  std::int64_t completion_tokens = 0;
};
[[nodiscard]] WrongAnswer make_wrong_answer(const Exchange& exchange, const NearMiss& miss, ChatTokens& tokens);

[[nodiscard]] Json near_miss_row(const RecordTexts& texts, const EntryTexts& entry, const NearMiss& miss);
[[nodiscard]] Json dpo_trl_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer& wrong);
[[nodiscard]] Json dpo_swift_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer& wrong);
/// `wrong` null: the right answer.
[[nodiscard]] Json kto_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer* wrong);
[[nodiscard]] Json stepwise_row(const RecordTexts& texts, const Trajectory& trajectory, ChatTokens& tokens);

}  // namespace steptp::dataset
