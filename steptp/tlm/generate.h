#pragma once

// Sentences that a model writes with the cursor's help: every value is drawn among the legal ones, so every sentence is
// a plan. No Python is needed.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/cursor/cursor.h"
#include "steptp/cursor/sentence.h"
#include "steptp/tlm/network.h"

namespace steptp::tlm {

struct GenerateRequest {
  std::size_t count = 16;
  std::uint64_t seed = 1;
  cursor::Quality quality;  ///< what the prompt asks for; the model's card says whether it knows the words
  double temperature = 1;   ///< 0: always the likeliest value
};

/// What a prompt has to say for weights with this card: it tells whether they know the words for quality, and whether
/// they have met deciles, of which the best is asked for.
[[nodiscard]] cursor::Quality quality_for(const Json& card);

struct Generated {
  cursor::Cursor cursor;  ///< complete
  double log_probability = 0;
};

/// So many different sentences, in the order in which they were drawn; fewer where the space is small or the model
/// sure. The same request gives the same sentences on every machine. The error says why the model does not fit.
[[nodiscard]] Result<std::vector<Generated>, std::string> generate(const cursor::SpacePtr& space,
                                                                   const std::shared_ptr<const Weights>& weights,
                                                                   const GenerateRequest& request);

}  // namespace steptp::tlm
