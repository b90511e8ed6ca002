#include "steptp/cursor/sentence.h"

#include <algorithm>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/cursor/numbers.h"
#include "steptp/cursor/space.h"

namespace steptp::cursor {

namespace {

struct SentenceWords {
  Token begin = token_of("BOS");
  Token end = token_of("EOS");
  Token behind_prompt = token_of("PPT");
  Token cpu = token_of("target:cpu");
  Token cuda = token_of("target:cuda");
  Token no_quality = token_of("q:none");
  Token first_quality = token_of("q:0");
};
const SentenceWords& sentence_words() {
  static const SentenceWords kWords;
  return kWords;
}

/// Two steps for each doubling of a rate.
std::int64_t bucket(double per_second) {
  constexpr double kUnit = 1e9;
  return std::max<std::int64_t>(0, std::llround(2 * std::log2(std::max(1.0, per_second / kUnit))));
}

/// Without a limit: 0.
std::int64_t limit(std::int64_t number) { return number == INT64_MAX ? 0 : number; }

std::string_view word_or_end(std::span<const Token> tokens, std::size_t place) {
  return place < tokens.size() ? word_of_token(tokens[place]) : "the end";
}

std::string unexpected(std::span<const Token> tokens, std::size_t place, std::string_view wanted) {
  return concat("word ", place, ", ", word_or_end(tokens, place), ": ", wanted, " is expected");
}

/// The quality words: nothing where the token is none.
std::optional<int> quality_of(Token token) {
  if (token == sentence_words().no_quality) return kNoQuality;
  if (token < sentence_words().first_quality || token >= sentence_words().first_quality + kQualities) {
    return std::nullopt;
  }
  return token - sentence_words().first_quality;
}

void add_decisions(const std::vector<Decision>& decisions, std::vector<Token>& out) {
  for (const Decision& decision : decisions) {
    out.push_back(decision.question.opcode);
    out.push_back(decision.question.object);
    out.push_back(decision.value);
  }
}

std::string too_long(std::size_t words) {
  return concat("the sentence has ", words, " words, of at most ", kMostTokens, "; cut the program into smaller parts");
}

}  // namespace

std::vector<Token> encode_target(const Target& target) {
  const Device& device = *target.limits.device;
  const DeviceRates& rates = target.rates;
  std::vector<Token> out = {target.limits.is_cpu() ? sentence_words().cpu : sentence_words().cuda};
  write_integer(std::llround(rates.processors), out);
  write_integer(limit(device.shared_bytes), out);
  write_integer(limit(device.registers), out);
  write_integer(bucket(rates.memory_bandwidth), out);
  write_integer(bucket(rates.processors * rates.clock * rates.f32_per_cycle), out);
  return out;
}

Result<Target, std::string> decode_target(std::span<const Token> tokens) {
  std::vector<std::string> names;
  for (const DeviceRates& rates : shipped_rates()) names.push_back(rates.name);
  for (const char* own : {"cpu", "cuda"}) names.emplace_back(own);
  for (const std::string& name : names) {
    auto target = find_target(name);
    if (!target) continue;
    const std::vector<Token> own = encode_target(*target);
    if (std::equal(own.begin(), own.end(), tokens.begin(), tokens.end())) return target;
  }
  return concat("no device of the table has the figures of the target ", sentence_text(tokens),
                "; give the device by name, or measure this machine by `steptp device`");
}

Result<std::vector<Token>, std::string> prompt_of(const Space& space, Quality quality) {
  if (!space.words()) return space.words().error();
  std::vector<Token> out = {sentence_words().begin};
  out.insert(out.end(), space.words()->begin(), space.words()->end());
  if (quality && (*quality < kNoQuality || *quality >= kQualities)) {
    return concat("a quality is a decile from 0 to ", kQualities - 1, ", or ", kNoQuality, " for none, not ", *quality);
  }
  if (quality) {
    out.push_back(*quality == kNoQuality ? sentence_words().no_quality
                                         : static_cast<Token>(sentence_words().first_quality + *quality));
  }
  out.push_back(sentence_words().behind_prompt);
  return out;
}

Result<std::vector<Token>, std::string> sentence_so_far(const Cursor& cursor, Quality quality) {
  auto out = prompt_of(cursor.space(), quality);
  if (!out) return out;
  add_decisions(cursor.decisions(), *out);
  if (out->size() >= kMostTokens) return too_long(out->size() + 1);
  return out;
}

Result<std::vector<Token>, std::string> sentence_of(const Cursor& cursor, Quality quality) {
  if (!cursor.is_complete()) return std::string("the cursor is not complete, and only a complete one is a sentence");
  auto out = sentence_so_far(cursor, quality);
  if (out) out->push_back(sentence_words().end);
  return out;
}

Result<SentenceParts, std::string> split_sentence(std::span<const Token> tokens) {
  if (tokens.size() > kMostTokens) return too_long(tokens.size());
  const SentenceWords& words = sentence_words();
  if (tokens.empty() || tokens[0] != words.begin) return unexpected(tokens, 0, "BOS");
  const auto target = std::find_if(tokens.begin(), tokens.end(),
                                   [&](Token token) { return token == words.cpu || token == words.cuda; });
  if (target == tokens.end()) return unexpected(tokens, tokens.size(), "a target");
  const auto behind = std::find_if(
      target, tokens.end(), [&](Token token) { return token == words.behind_prompt || quality_of(token).has_value(); });
  SentenceParts out;
  out.program.assign(tokens.begin() + 1, target);
  out.target.assign(target, behind);
  auto place = static_cast<std::size_t>(behind - tokens.begin());
  if (place < tokens.size()) out.quality = quality_of(tokens[place]);
  if (out.quality) ++place;
  if (place >= tokens.size() || tokens[place] != words.behind_prompt) return unexpected(tokens, place, "PPT");
  ++place;
  while (place < tokens.size() && tokens[place] != words.end) {
    if (!word_of_token(tokens[place]).starts_with("op:")) return unexpected(tokens, place, "a decision or EOS");
    if (place + 2 >= tokens.size()) return unexpected(tokens, tokens.size(), "the rest of a decision");
    out.decisions.push_back({{tokens[place], tokens[place + 1]}, tokens[place + 2]});
    place += 3;
  }
  if (place + 1 != tokens.size()) {
    return place == tokens.size() ? unexpected(tokens, place, "EOS")
                                  : unexpected(tokens, place + 1, "nothing behind EOS");
  }
  return out;
}

namespace {

Result<Cursor, std::string> decided(const SpacePtr& space, const SentenceParts& parts) {
  Cursor out(space);
  for (std::size_t i = 0; i < parts.decisions.size(); ++i) {
    const Decision& decision = parts.decisions[i];
    if (out.is_complete()) return concat("decision ", i + 1, ": the plan is complete before it");
    const Question question = out.next();
    if (question.opcode != decision.question.opcode || question.object != decision.question.object) {
      return concat("decision ", i + 1, " is about ", word_of_token(decision.question.opcode), " ",
                    word_of_token(decision.question.object), ", where ", word_of_token(question.opcode), " ",
                    word_of_token(question.object), " is to be decided");
    }
    auto done = out.put(decision.value);
    if (!done) return concat("decision ", i + 1, ": ", done.error());
  }
  if (!out.is_complete()) {
    return concat("after ", parts.decisions.size(), " decisions ", word_of_token(out.next().opcode), " ",
                  word_of_token(out.next().object), " is still to be decided");
  }
  return out;
}

}  // namespace

Result<Cursor, std::string> replay_sentence(const SpacePtr& space, std::span<const Token> tokens) {
  const auto parts = split_sentence(tokens);
  if (!parts) return parts.error();
  if (!space->words()) return space->words().error();
  std::vector<Token> own = parts->program;
  own.insert(own.end(), parts->target.begin(), parts->target.end());
  if (own != *space->words()) return std::string("the sentence is for another program or another target");
  return decided(space, *parts);
}

Result<SpacePtr, std::string> space_of_words(std::span<const Token> program, std::span<const Token> target) {
  auto decoded = decode_program(program);
  if (!decoded) return decoded.error();
  auto device = decode_target(target);
  if (!device) return device.error();
  return open_space(*decoded, *device);
}

Result<Cursor, std::string> replay_sentence(std::span<const Token> tokens) {
  const auto parts = split_sentence(tokens);
  if (!parts) return parts.error();
  auto space = space_of_words(parts->program, parts->target);
  if (!space) return space.error();
  return decided(*space, *parts);
}

std::string sentence_text(std::span<const Token> tokens) {
  return join(tokens, " ", [](Token token) { return word_of_token(token); });
}

Result<std::vector<Token>, std::string> tokens_of_text(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<Token> out;
  while (true) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
    if (text.empty()) return out;
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    const auto token = find_token(word);
    if (!token) {
      constexpr std::size_t kShown = 40;
      return concat("word ", out.size(), ", '", word.substr(0, kShown), "', is not in the vocabulary");
    }
    out.push_back(*token);
    text.remove_prefix(word.size());
  }
}

}  // namespace steptp::cursor
