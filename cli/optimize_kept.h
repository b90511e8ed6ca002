#pragma once

// Of many programs: an answer of `optimize` that is in its folder already, so that a run that was ended goes on.

#include <map>
#include <optional>
#include <string>

#include "cli/records.h"
#include "steptp/optimize/optimize.h"

namespace steptp::cli {

/// What an answer depends on: the program, the device with its rates, the seed, what was asked, and this version.
[[nodiscard]] std::string optimize_key(const Document& document, const OptimizeRequest& request);

/// What `optimize` says of one program, in each of its forms.
struct OptimizeTexts {
  std::string json;
  std::string words;  ///< with --explain
  std::string brief;
  std::string errors;
};

struct KeptAnswer {
  Status status = Status::yes;
  OptimizeTexts texts;
};
/// Written when all other files of the folder are there, with their hashes. The error says why it cannot be.
[[nodiscard]] Result<bool, Diagnostic> keep_answer(const std::string& folder, const std::string& key,
                                                   const KeptAnswer& answer,
                                                   const std::map<std::string, std::string>& files);
/// Nothing where there is none, where it or a file of the folder is damaged or gone, or where it is to another
/// question.
[[nodiscard]] std::optional<KeptAnswer> kept_answer(const std::string& folder, const std::string& key);

}  // namespace steptp::cli
