#pragma once

#include <string>

#include "steptp/base/json.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify.h"

namespace steptp {

/// Two texts to be judged: `before` is ours and must be right, `after` comes from anywhere.
struct Pair {
  std::string id;
  Document before;
  Document after;
  /// What is wrong with the record itself; empty where it is a pair.
  std::string problem;
};

/// `{"id":..., "signature":[...], "before":"...", "after":"..."}`. Without an id it is called by the record's name.
[[nodiscard]] Pair read_pair(const std::string& name, const std::string& record);
/// Two files. Where `after` has no signature of its own it takes that of `before`.
[[nodiscard]] Pair make_pair(Document before, Document after);

/// Why the two texts cannot be compared: a bad record, or the first diagnostic with its place. Empty where they can.
[[nodiscard]] std::string problem_of(const Pair& pair);

/// The judge on texts. An unreadable `after` is `invalid`, an unreadable `before` is `invalid` and unusable; the reason
/// carries the first diagnostic with its place. Where the judge itself fails, the pair is undecided, and the reason
/// says so.
[[nodiscard]] Judgement verify_pair(const Pair& pair, const VerifyOptions& options = {});

/// The same within so many seconds on the wall clock (0: no limit), or until somebody raises the flag. An answer that
/// was cut short says so.
[[nodiscard]] Judgement verify_in_time(const Pair& pair, VerifyOptions options, double seconds,
                                       std::atomic<bool>& stop);

/// true, false or null.
[[nodiscard]] Json to_json(Shown answer);
/// "proof", "search" or null.
[[nodiscard]] Json to_json(SafeBy support);
/// "middle", "full" or [lo, hi].
[[nodiscard]] Json to_json(const certify::SafeRange& range);
/// `middle`, `full`, or two magnitudes `lo,hi`; nothing where the text is none of these.
[[nodiscard]] std::optional<certify::SafeRange> parse_safe_range(std::string_view text);

[[nodiscard]] Json to_json(const certify::Counterexample& found);
/// {"output","index","what","safe_range","given"}
[[nodiscard]] Json to_json(const certify::UnsafeExample& found);
/// The JSON answer of `verify`.
[[nodiscard]] Json to_json(const std::string& id, const Judgement& judgement);

}  // namespace steptp
