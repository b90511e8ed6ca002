#include "steptp/tlm/generate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/tlm/elementwise.h"

namespace steptp::tlm {

namespace {

/// Sentences that are written side by side.
constexpr std::size_t kBatch = 16;
/// Batches without a new sentence after which nothing more is expected.
constexpr std::size_t kMostRepeats = 4;
constexpr double kResolution = 1.0 / 9007199254740992.0;  // 2^-53

/// One sentence that is being written.
struct Writer {
  cursor::Cursor cursor;
  Random random;
  Token last;  ///< the token before the next opcode
  double log_probability = 0;
};

/// The place of the drawn value in `legal`, and the logarithm of its chance. The chances come from `fast_exp`, so that
/// the same numbers give the same value on every machine.
std::pair<std::size_t, double> draw(const float* logits, std::span<const Token> legal, double temperature,
                                    Random& random) {
  std::vector<float> chances;
  for (const Token value : legal) chances.push_back(logits[value]);
  if (temperature <= 0) {
    const auto best = static_cast<std::size_t>(std::max_element(chances.begin(), chances.end()) - chances.begin());
    return {best, 0.0};
  }
  for (float& chance : chances) chance = static_cast<float>(chance / temperature);
  softmax(chances.data(), chances.size());
  double rest = static_cast<double>(random.next() >> 11) * kResolution;
  std::size_t place = 0;
  while (place + 1 < chances.size() && rest >= static_cast<double>(chances[place])) {
    rest -= static_cast<double>(chances[place++]);
  }
  return {place, std::log(std::max(static_cast<double>(chances[place]), 1e-30))};
}

/// Takes all writers one decision further; those that are complete, or for which no room is left, go to `done`.
void take_step(Continuations& model, std::vector<Writer>& writers, double temperature, std::vector<std::size_t>& open,
               std::size_t vocabulary) {
  std::vector<Continuations::Feed> feeds;
  for (const std::size_t place : open) {
    const Writer& writer = writers[place];
    const cursor::Question question = writer.cursor.next();
    feeds.push_back({place, {writer.last, question.opcode, question.object}});
  }
  const std::vector<float> logits = model.feed(feeds);
  for (std::size_t row = 0; row < open.size(); ++row) {
    Writer& writer = writers[open[row]];
    const auto [place, share] =
        draw(logits.data() + row * vocabulary, writer.cursor.legal(), temperature, writer.random);
    writer.last = writer.cursor.legal()[place];
    writer.log_probability += share;
    (void)writer.cursor.put(writer.last);
  }
  std::erase_if(open, [&](std::size_t place) { return writers[place].cursor.is_complete() || model.room(place) < 4; });
}

/// The values of a cursor: sentences are the same where these are.
std::vector<Token> values_of(const cursor::Cursor& cursor) {
  std::vector<Token> out;
  for (const cursor::Decision& decision : cursor.decisions()) out.push_back(decision.value);
  return out;
}

}  // namespace

cursor::Quality quality_for(const Json& card) {
  const Json* knows = card.find("quality");
  if (knows == nullptr || knows->as_bool() == nullptr || !*knows->as_bool()) return std::nullopt;
  const Json* measured = card.find("measurements");
  const bool has_deciles = measured != nullptr && measured->as_integer() != nullptr && *measured->as_integer() > 0;
  return has_deciles ? 0 : cursor::kNoQuality;
}

Result<std::vector<Generated>, std::string> generate(const cursor::SpacePtr& space,
                                                     const std::shared_ptr<const Weights>& weights,
                                                     const GenerateRequest& request) {
  if (weights->vocabulary_sha256 != cursor::vocabulary_hash()) {
    return concat("the weights were trained with the vocabulary ", weights->vocabulary_sha256.substr(0, 12),
                  "..., and this program has ", cursor::vocabulary_hash().substr(0, 12), "...");
  }
  if (weights->space_version != cursor::kSpaceVersion) {
    return concat("the weights were trained with version ", weights->space_version, " of the space of plans, and this ",
                  "program has version ", cursor::kSpaceVersion, "; train them anew (docs/tlm.md)");
  }
  auto prompt = cursor::prompt_of(*space, request.quality);
  if (!prompt) return prompt.error();
  if (prompt->size() + 4 > weights->shape.positions) {
    return concat("the prompt has ", prompt->size(), " tokens, and the model reads ", weights->shape.positions);
  }
  // The last token of the prompt goes in with the first decision, as all later ones do.
  const std::span<const Token> before(prompt->data(), prompt->size() - 1);
  const Continuations fresh(weights, before, kBatch);
  std::vector<Generated> out;
  std::set<std::vector<Token>> seen;
  for (std::uint64_t batch = 0, repeats = 0; out.size() < request.count && repeats < kMostRepeats; ++batch) {
    Continuations model = fresh;
    std::vector<Writer> writers;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < kBatch; ++i) {
      writers.push_back({cursor::Cursor(space), Random(request.seed).fork(batch * kBatch + i), prompt->back()});
      open.push_back(i);
    }
    while (!open.empty()) take_step(model, writers, request.temperature, open, weights->shape.vocabulary);
    const std::size_t count = out.size();
    for (Writer& writer : writers) {
      if (out.size() == request.count || !writer.cursor.is_complete()) continue;
      if (!seen.insert(values_of(writer.cursor)).second) continue;
      out.push_back({std::move(writer.cursor), writer.log_probability});
    }
    repeats = out.size() == count ? repeats + 1 : 0;
  }
  return out;
}

}  // namespace steptp::tlm
