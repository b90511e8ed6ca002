#pragma once

// A chain of thought for one step, as structure: words, and addresses of what is quoted. It is made from the facts that
// the strategy recorded while it worked, and becomes text when a profile is known: docs/reasoning.md.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/strategies/strategy.h"
#include "steptp/text/printed_program.h"
#include "steptp/text/profile.h"

namespace steptp {

struct TracePiece {
  enum class Kind : std::uint8_t {
    words,   ///< English; holds no LEIR
    name,    ///< of a tensor or an index: the same in both profiles, and quoted
    before,  ///< a part of the program before the step, quoted
    after,   ///< a part of the program after the step, quoted
  };
  Kind kind = Kind::words;
  std::string words;  ///< of words and name
  TextRange range;    ///< of before and after
  bool operator==(const TracePiece&) const = default;
};

/// The general part, an empty line, the instance.
struct Trace {
  std::vector<TracePiece> pieces;
  bool operator==(const Trace&) const = default;
};

/// `choice` is what `applied` came from, and `seed` chooses the phrasing: the same seed, the same trace.
[[nodiscard]] Trace make_trace(const Strategy& strategy, const Program& before, const Choice& choice,
                               const Applied& applied, std::uint64_t seed);

/// An array: words as strings, {"name":"D"}, {"before":"0:loop[1]"}, {"after":"0:loop[0]","to":1}.
[[nodiscard]] Json to_json(const Trace& trace);
[[nodiscard]] Result<Trace, std::string> trace_from_json(const Json& json);

/// The text, with quotations between backticks. Each is a piece of one of the two texts.
[[nodiscard]] std::string render(const Trace& trace, const PrintedProgram& before, const PrintedProgram& after);
/// The same; to render several traces of one program, print it once.
[[nodiscard]] std::string render(const Trace& trace, const Program& before, const Program& after, Profile profile);

/// For several answers to one question: how many there are, then the trace of each, numbered from 1.
[[nodiscard]] std::string render_answers(std::span<const std::string> rendered);

}  // namespace steptp
