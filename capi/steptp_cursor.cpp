// The C face of steptp/cursor: no function lets an exception out, and none keeps anything of its caller's.
#include "capi/steptp_cursor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cursor/facts_json.h"
#include "steptp/cursor/sentence.h"
#include "steptp/text/document.h"

using steptp::Json;
using steptp::Result;
using steptp::cursor::Cursor;
using steptp::cursor::Quality;
using steptp::cursor::Question;
using steptp::cursor::SpacePtr;
using steptp::cursor::Token;

struct steptp_space {
  SpacePtr space;
};
struct steptp_cursor {
  Cursor cursor;
};

namespace {

char* copy_of(const std::string& text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

void say(char** error, const std::string& why) {
  if (error) *error = copy_of(why);
}

/// What `work` answers; where it throws, which is our mistake or the end of memory, `otherwise`.
template <class Value, class Work>
Value guarded(char** error, Value otherwise, const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception& exception) {
    say(error, exception.what());
  } catch (...) {
    say(error, "an unknown failure");
  }
  return otherwise;
}

std::int64_t hand_out(const std::vector<Token>& tokens, std::int32_t* out, std::int64_t capacity) {
  const auto size = static_cast<std::int64_t>(tokens.size());
  for (std::int64_t i = 0; out && i < std::min(size, capacity); ++i) out[i] = tokens[static_cast<std::size_t>(i)];
  return size;
}

/// Numbers from outside as tokens; the error names the first that is none.
Result<std::vector<Token>, std::string> tokens_of(const std::int32_t* numbers, std::int64_t count) {
  const auto size = static_cast<std::int32_t>(steptp::cursor::vocabulary().size());
  if (count < 0 || (count > 0 && !numbers)) return std::string("the number of tokens is negative, or there are none");
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) {
    if (numbers[i] < 0 || numbers[i] >= size) {
      return steptp::concat("token ", i, ", ", numbers[i], ", is not in the vocabulary of ", size, " words");
    }
    out.push_back(static_cast<Token>(numbers[i]));
  }
  return out;
}

constexpr std::int32_t kNoQualityWord = -2;
Quality quality_of(std::int32_t quality) {
  return quality == kNoQualityWord ? Quality() : Quality(static_cast<int>(quality));
}

/// Whether a number is a value that is legal now.
bool put(Cursor& cursor, std::int32_t value) {
  const auto legal = cursor.legal();
  if (value < 0 || value > UINT16_MAX) return false;
  if (!std::binary_search(legal.begin(), legal.end(), static_cast<Token>(value))) return false;
  return cursor.put(static_cast<Token>(value)).ok();
}

/// What the analytic model expects of a complete row of values; NaN where it says nothing.
double expected_seconds(const SpacePtr& space, std::span<const std::int32_t> values) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  Cursor cursor(space);
  for (const std::int32_t value : values) {
    if (!put(cursor, value)) return kNothing;
  }
  if (!cursor.is_complete()) return kNothing;
  const auto facts = cursor.facts();
  if (!facts) return kNothing;
  double out = 0;
  for (const auto& group : *facts) out += group.seconds;
  return out;
}

void next(const Cursor& cursor, std::int32_t* opcode, std::int32_t* object) {
  const bool is_complete = cursor.is_complete();
  const Question question = is_complete ? Question{} : cursor.next();
  *opcode = is_complete ? -1 : question.opcode;
  *object = is_complete ? -1 : question.object;
}

}  // namespace

extern "C" {

int32_t steptp_cursor_abi(void) { return STEPTP_CURSOR_ABI; }

void steptp_string_free(char* string) { std::free(string); }

int32_t steptp_vocabulary_size(void) { return static_cast<std::int32_t>(steptp::cursor::vocabulary().size()); }

int32_t steptp_vocabulary_version(void) { return steptp::cursor::kVocabularyVersion; }

const char* steptp_vocabulary_hash(void) { return steptp::cursor::vocabulary_hash().c_str(); }

int32_t steptp_space_version(void) { return steptp::cursor::kSpaceVersion; }

const char* steptp_vocabulary_word(int32_t token) {
  const auto& words = steptp::cursor::vocabulary();
  return token >= 0 && static_cast<std::size_t>(token) < words.size() ? words[static_cast<std::size_t>(token)].c_str()
                                                                      : nullptr;
}

int32_t steptp_vocabulary_token(const char* word) {
  const auto token = word ? steptp::cursor::find_token(word) : std::nullopt;
  return token ? *token : -1;
}

steptp_space* steptp_space_open(const char* document, const char* target, char** error) {
  return guarded<steptp_space*>(error, nullptr, [&]() -> steptp_space* {
    if (!document || !target) return say(error, "a document and a target are wanted"), nullptr;
    const steptp::Document read = steptp::read_document("the document", document);
    if (!read.ok || !read.has_signature) {
      say(error, read.ok ? "the document has no signature" : steptp::render(read.diagnostics, *read.source));
      return nullptr;
    }
    auto device = steptp::cursor::find_target(target);
    if (!device) return say(error, device.error()), nullptr;
    auto space = steptp::cursor::open_space(read.program, *device);
    if (!space) return say(error, space.error()), nullptr;
    return new steptp_space{*std::move(space)};
  });
}

steptp_space* steptp_space_of_sentence(const int32_t* tokens, int64_t count, char** error) {
  return guarded<steptp_space*>(error, nullptr, [&]() -> steptp_space* {
    auto words = tokens_of(tokens, count);
    if (!words) return say(error, words.error()), nullptr;
    // A prompt is a sentence without decisions.
    const Token behind_prompt = steptp::cursor::token_of("PPT");
    const auto found = std::find(words->begin(), words->end(), behind_prompt);
    if (found != words->end()) words->erase(found + 1, words->end());
    words->push_back(steptp::cursor::token_of("EOS"));
    const auto parts = steptp::cursor::split_sentence(*words);
    if (!parts) return say(error, parts.error()), nullptr;
    auto space = steptp::cursor::space_of_words(parts->program, parts->target);
    if (!space) return say(error, space.error()), nullptr;
    return new steptp_space{*std::move(space)};
  });
}

void steptp_space_close(steptp_space* space) { delete space; }

int64_t steptp_space_prompt(const steptp_space* space, int32_t quality, int32_t* tokens, int64_t capacity,
                            char** error) {
  return guarded<std::int64_t>(error, -1, [&]() -> std::int64_t {
    const auto prompt = steptp::cursor::prompt_of(*space->space, quality_of(quality));
    if (!prompt) return say(error, prompt.error()), -1;
    return hand_out(*prompt, tokens, capacity);
  });
}

char* steptp_space_document(const steptp_space* space) {
  return guarded<char*>(nullptr, nullptr, [&] {
    return copy_of(steptp::print_document(steptp::cursor::program_of(*space->space), steptp::Profile::paper));
  });
}

steptp_cursor* steptp_cursor_new(const steptp_space* space) {
  return guarded<steptp_cursor*>(nullptr, nullptr, [&] { return new steptp_cursor{Cursor(space->space)}; });
}

steptp_cursor* steptp_cursor_fork(const steptp_cursor* cursor) {
  return guarded<steptp_cursor*>(nullptr, nullptr, [&] { return new steptp_cursor{cursor->cursor.fork()}; });
}

void steptp_cursor_close(steptp_cursor* cursor) { delete cursor; }

void steptp_cursor_reset(steptp_cursor* cursor) {
  guarded<int>(nullptr, 0, [&] {
    cursor->cursor = Cursor(cursor->cursor.space_ptr());
    return 0;
  });
}

int32_t steptp_cursor_next(const steptp_cursor* cursor, int32_t* opcode, int32_t* object) {
  return guarded<std::int32_t>(nullptr, -1, [&] {
    next(cursor->cursor, opcode, object);
    return cursor->cursor.is_complete() ? 0 : 1;
  });
}

int64_t steptp_cursor_legal(const steptp_cursor* cursor, int32_t* values, int64_t capacity) {
  const auto legal = cursor->cursor.legal();
  const auto size = static_cast<std::int64_t>(legal.size());
  for (std::int64_t i = 0; values && i < std::min(size, capacity); ++i) values[i] = legal[static_cast<std::size_t>(i)];
  return size;
}

int32_t steptp_cursor_put(steptp_cursor* cursor, int32_t value, char** error) {
  return guarded<std::int32_t>(error, -1, [&]() -> std::int32_t {
    const auto token = tokens_of(&value, 1);
    if (!token) return say(error, token.error()), -1;
    const auto done = cursor->cursor.put((*token)[0]);
    if (!done) return say(error, done.error()), -1;
    return 0;
  });
}

char* steptp_cursor_text(const steptp_cursor* cursor) {
  return guarded<char*>(nullptr, nullptr, [&] { return copy_of(cursor->cursor.text()); });
}

int64_t steptp_cursor_sentence(const steptp_cursor* cursor, int32_t quality, int32_t* tokens, int64_t capacity,
                               char** error) {
  return guarded<std::int64_t>(error, -1, [&]() -> std::int64_t {
    const Cursor& own = cursor->cursor;
    const auto words = own.is_complete() ? steptp::cursor::sentence_of(own, quality_of(quality))
                                         : steptp::cursor::sentence_so_far(own, quality_of(quality));
    if (!words) return say(error, words.error()), -1;
    return hand_out(*words, tokens, capacity);
  });
}

char* steptp_cursor_facts(const steptp_cursor* cursor, char** error) {
  return guarded<char*>(error, nullptr, [&]() -> char* {
    const auto facts = cursor->cursor.facts();
    if (!facts) return say(error, facts.error()), nullptr;
    return copy_of(steptp::cursor::to_json(*facts).dump());
  });
}

char* steptp_cursor_finish(const steptp_cursor* cursor, char** error) {
  return guarded<char*>(error, nullptr, [&]() -> char* {
    const auto finished = cursor->cursor.finish();
    if (!finished) return say(error, finished.error()), nullptr;
    return copy_of(steptp::cursor::to_json(*finished).dump());
  });
}

steptp_cursor* steptp_cursor_replay(const steptp_space* space, const int32_t* tokens, int64_t count, char** error) {
  return guarded<steptp_cursor*>(error, nullptr, [&]() -> steptp_cursor* {
    const auto words = tokens_of(tokens, count);
    if (!words) return say(error, words.error()), nullptr;
    auto found =
        space ? steptp::cursor::replay_sentence(space->space, *words) : steptp::cursor::replay_sentence(*words);
    if (!found) return say(error, found.error()), nullptr;
    return new steptp_cursor{*std::move(found)};
  });
}

int64_t steptp_cursors_next(const steptp_cursor* const* cursors, int64_t n, int32_t* opcodes, int32_t* objects) {
  return guarded<std::int64_t>(nullptr, -1, [&] {
    std::int64_t open = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      next(cursors[i]->cursor, opcodes + i, objects + i);
      open += cursors[i]->cursor.is_complete() ? 0 : 1;
    }
    return open;
  });
}

int64_t steptp_cursors_legal(const steptp_cursor* const* cursors, int64_t n, uint8_t* masks, int64_t stride) {
  if (stride < steptp_vocabulary_size()) return -1;
  std::int64_t open = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint8_t* row = masks + i * stride;
    std::memset(row, 0, static_cast<std::size_t>(stride));
    for (const Token token : cursors[i]->cursor.legal()) row[token] = 1;
    open += cursors[i]->cursor.is_complete() ? 0 : 1;
  }
  return open;
}

int64_t steptp_cursors_put(steptp_cursor* const* cursors, int64_t n, const int32_t* values, int32_t* statuses) {
  return guarded<std::int64_t>(nullptr, -1, [&] {
    std::int64_t refused = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool done = values[i] < 0 || put(cursors[i]->cursor, values[i]);
      refused += done ? 0 : 1;
      if (statuses) statuses[i] = done ? 0 : -1;
    }
    return refused;
  });
}

int64_t steptp_cursors_step(steptp_cursor* const* cursors, int64_t n, const int32_t* values, int32_t* opcodes,
                            int32_t* objects, uint8_t* masks, int64_t stride) {
  if (stride < steptp_vocabulary_size()) return -1;
  if (values && steptp_cursors_put(cursors, n, values, nullptr) != 0) return -1;
  if (steptp_cursors_next(cursors, n, opcodes, objects) < 0) return -1;
  return steptp_cursors_legal(cursors, n, masks, stride);
}

int64_t steptp_space_sample(const steptp_space* space, uint64_t seed, int64_t n, int32_t quality, int32_t* tokens,
                            int64_t stride, int32_t* lengths, char** error) {
  return guarded<std::int64_t>(error, -1, [&]() -> std::int64_t {
    for (std::int64_t i = 0; i < n; ++i) {
      const Cursor drawn = steptp::cursor::drawn_cursor(space->space, seed, static_cast<std::uint64_t>(i));
      const auto words = steptp::cursor::sentence_of(drawn, quality_of(quality));
      if (!words) return say(error, words.error()), -1;
      if (static_cast<std::int64_t>(words->size()) > stride) {
        return say(error, steptp::concat("a sentence has ", words->size(), " words, and a row has ", stride)), -1;
      }
      std::int32_t* row = tokens + i * stride;
      std::fill(row, row + stride, std::int32_t{steptp::cursor::token_of("PAD")});
      lengths[i] = static_cast<std::int32_t>(hand_out(*words, row, stride));
    }
    return n;
  });
}

int64_t steptp_space_expected(const steptp_space* space, const int32_t* values, int64_t n, int64_t stride,
                              const int32_t* counts, double* seconds) {
  return guarded<std::int64_t>(nullptr, -1, [&] {
    std::int64_t known = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t count = std::clamp<std::int32_t>(counts[i], 0, static_cast<std::int32_t>(stride));
      seconds[i] = expected_seconds(space->space, {values + i * stride, static_cast<std::size_t>(count)});
      known += std::isnan(seconds[i]) ? 0 : 1;
    }
    return known;
  });
}

}  // extern "C"
